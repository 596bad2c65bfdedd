/* SPDX-License-Identifier: MIT */
/* A row of functions for each aggregate. */
#include "views/cell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	SEEN_FIRST = 1 << 10,
	SEEN_MAX = 1 << 20,
	SEEN_FILLED_PERCENT = 70,
	TEXT_ROOM_MIN = 32,
	NS_PER_S = 1000000000,
};

/* Values that were seen. */

void views_seen_clear(struct views_seen *seen)
{
	if (seen->count)
		memset(seen->hashes, 0, seen->size * sizeof(seen->hashes[0]));
	seen->count = 0;
}

void views_seen_finish(struct views_seen *seen)
{
	free(seen->hashes);
	*seen = (struct views_seen){0};
}

/* The place of a hash, or the free one where it belongs. */
static uint64_t *seen_place(const struct views_seen *seen, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & (seen->size - 1);

	while (seen->hashes[at] && seen->hashes[at] != hash)
		at = (at + 1) & (seen->size - 1);
	return &seen->hashes[at];
}

static bool seen_grow(struct views_seen *seen)
{
	struct views_seen made = {.size = seen->size ? seen->size * 2 : SEEN_FIRST,
				  .count = seen->count};

	if (made.size > SEEN_MAX)
		return false;
	made.hashes = calloc(made.size, sizeof(made.hashes[0]));
	if (!made.hashes)
		return false;
	for (uint32_t i = 0; i < seen->size; i++)
		if (seen->hashes[i])
			*seen_place(&made, seen->hashes[i]) = seen->hashes[i];
	free(seen->hashes);
	*seen = made;
	return true;
}

static bool seen_is_filled(const struct views_seen *seen)
{
	return (uint64_t)seen->count * 100 >= (uint64_t)seen->size * SEEN_FILLED_PERCENT;
}

/* Returns 1 if it is new, 0 if it is known, or -ENOMEM if it is neither known nor has room. */
static int seen_add(struct views_seen *seen, uint64_t hash)
{
	uint64_t *place;

	hash += !hash;
	if (seen_is_filled(seen) && !seen_grow(seen)) {
		if (!seen->size)
			return -ENOMEM;
		return *seen_place(seen, hash) == hash ? 0 : -ENOMEM;
	}
	place = seen_place(seen, hash);
	if (*place)
		return 0;
	*place = hash;
	seen->count++;
	return 1;
}

/* Numbers. */

static int64_t number_of(const struct views_field *field, const struct field_value *value)
{
	if (field->number == VIEWS_UNSIGNED && value->u64 > INT64_MAX)
		return INT64_MAX;
	return value->i64;
}

static void sum_integer(struct views_store *store, struct views_cell *cell, int64_t value)
{
	if (__builtin_add_overflow(cell->integer, value, &cell->integer)) {
		cell->integer = value < 0 ? INT64_MIN : INT64_MAX;
		store->losses.saturated++;
	}
}

/* A value that is added. */
struct add {
	struct views_store *store;
	const struct views_value *by;
	uint64_t group;
};

static void add_sum(const struct add *add, struct views_cell *cell, const struct field_value *value)
{
	if (add->by->field.number == VIEWS_REAL)
		cell->real += value->f64;
	else
		sum_integer(add->store, cell, number_of(&add->by->field, value));
}

/* Whether a value takes the place of what the cell has: for sign 1 a larger one. */
static bool is_beyond(const struct add *add, const struct views_cell *cell,
		      const struct field_value *value, int sign)
{
	int64_t number;

	if (!cell->count)
		return true;
	if (add->by->field.number == VIEWS_REAL)
		return sign > 0 ? value->f64 > cell->real : value->f64 < cell->real;
	number = number_of(&add->by->field, value);
	return sign > 0 ? number > cell->integer : number < cell->integer;
}

static void add_bound(const struct add *add, struct views_cell *cell,
		      const struct field_value *value, int sign)
{
	if (!is_beyond(add, cell, value, sign))
		return;
	if (add->by->field.number == VIEWS_REAL)
		cell->real = value->f64;
	else
		cell->integer = number_of(&add->by->field, value);
}

static void add_min(const struct add *add, struct views_cell *cell, const struct field_value *value)
{
	add_bound(add, cell, value, -1);
}

static void add_max(const struct add *add, struct views_cell *cell, const struct field_value *value)
{
	add_bound(add, cell, value, 1);
}

const void *views_cell_bytes(const struct views_field *field, const struct field_value *value,
			     size_t *len)
{
	if (field->ref.type == PT_IPADDR) {
		*len = value->ip.len;
		return value->ip.address;
	}
	if (param_type_size(field->ref.type)) {
		*len = sizeof(value->u64);
		return &value->u64;
	}
	*len = value->bytes.len;
	return value->bytes.data;
}

static bool is_text(const struct views_field *field)
{
	return field->ref.type != PT_IPADDR && !param_type_size(field->ref.type);
}

/* Memory for the text, of which the old one is given back; NULL: none. */
static struct views_text *need_text(struct views_store *store, struct views_cell *cell, size_t len)
{
	struct views_text *text = cell->text;
	uint32_t room = TEXT_ROOM_MIN;

	if (text && len < text->room)
		return text;
	while (room <= len)
		room *= 2;
	text = views_memory_take(&store->memory, sizeof(*text) + room);
	if (!text)
		return NULL;
	if (cell->text)
		views_memory_give(&store->memory, cell->text,
				  sizeof(*cell->text) + cell->text->room);
	text->room = room;
	text->len = 0;
	cell->text = text;
	return text;
}

static void keep_text(struct views_store *store, struct views_cell *cell, const char *data,
		      size_t len)
{
	struct views_text *text = cell->text;

	cell->revision = 0;
	if (len > VIEWS_TEXT_MAX) {
		len = VIEWS_TEXT_MAX;
		store->losses.cut++;
	}
	if (text && text->len == len && memcmp(text->data, data, len) == 0)
		return;
	text = need_text(store, cell, len);
	if (!text) {
		/* An old value would be a wrong one. */
		if (cell->text)
			cell->text->len = 0;
		store->losses.cut++;
		return;
	}
	memcpy(text->data, data, len);
	text->data[len] = '\0';
	text->len = (uint32_t)len;
}

static void add_last(const struct add *add, struct views_cell *cell,
		     const struct field_value *value)
{
	if (is_text(&add->by->field))
		keep_text(add->store, cell, value->bytes.data, value->bytes.len);
	else
		cell->last = *value;
}

/* What stands for a value: a number itself, which is hashed with the group. */
static uint64_t word_of(const struct add *add, const struct field_value *value)
{
	const struct views_field *field = &add->by->field;
	size_t len;
	const void *bytes = views_cell_bytes(field, value, &len);

	if (field->ref.type != PT_IPADDR && !is_text(field))
		return value->u64;
	return hash_sip(&add->store->secret, bytes, len);
}

static void add_distinct(const struct add *add, struct views_cell *cell,
			 const struct field_value *value)
{
	uint64_t parts[3] = {word_of(add, value), add->group, add->by->cell};
	int r = seen_add(&add->store->seen, hash_sip(&add->store->secret, parts, sizeof(parts)));

	if (r < 0)
		add->store->losses.undistinguished++;
	else
		cell->integer += r;
}

static struct views_sketch *need_sketch(struct views_store *store, struct views_cell *cell)
{
	if (!cell->sketch) {
		cell->sketch = views_memory_take(&store->memory, sizeof(*cell->sketch));
		if (cell->sketch)
			*cell->sketch = (struct views_sketch){0};
	}
	return cell->sketch;
}

/* What buckets are of: whole numbers of the unit, of a histogram alone. */
static int64_t scale_of(const struct views_value *by)
{
	static const int64_t scales[VIEWS_UNITS_COUNT] = {
		[VIEWS_SECONDS] = 1000000000,
		[VIEWS_MILLISECONDS] = 1000000,
		[VIEWS_MICROSECONDS] = 1000,
		[VIEWS_KILOBYTES] = 1024,
	};

	return by->aggregate == VIEWS_HISTOGRAM_OF && scales[by->unit] ? scales[by->unit] : 1;
}

static bool is_linear(const struct views_value *by)
{
	return by->scale.width != 0;
}

static unsigned int steps_of(const struct views_scale *scale)
{
	return (unsigned int)((scale->max - scale->min) / scale->width);
}

/* The place of a number among buckets of one width: 0 below them, then each, then all above. */
static uint64_t step_of(const struct views_scale *scale, uint64_t number)
{
	if (number < scale->min)
		return 0;
	return number < scale->max ? 1 + (number - scale->min) / scale->width : 1 + steps_of(scale);
}

/* What is below 0 counts as that. */
static void add_sketch(const struct add *add, struct views_cell *cell,
		       const struct field_value *value)
{
	struct views_sketch *sketch = need_sketch(add->store, cell);
	int64_t number = number_of(&add->by->field, value) / scale_of(add->by);
	uint64_t place = number < 0 ? 0 : (uint64_t)number;

	if (is_linear(add->by))
		place = step_of(&add->by->scale, place);
	if (!sketch || !views_sketch_add(sketch, &add->store->memory, place))
		add->store->losses.unsketched++;
}

/* Merging. */

static void merge_sum(struct views_store *store, const struct views_value *by,
		      struct views_cell *cell, const struct views_cell *from)
{
	if (by->field.number == VIEWS_REAL)
		cell->real += from->real;
	else
		sum_integer(store, cell, from->integer);
}

static void merge_bound(const struct views_value *by, struct views_cell *cell,
			const struct views_cell *from, int sign)
{
	bool is_real = by->field.number == VIEWS_REAL;
	bool is_larger = is_real ? from->real > cell->real : from->integer > cell->integer;

	if (cell->count && is_larger != (sign > 0))
		return;
	if (is_real)
		cell->real = from->real;
	else
		cell->integer = from->integer;
}

static void merge_min(struct views_store *store, const struct views_value *by,
		      struct views_cell *cell, const struct views_cell *from)
{
	merge_bound(by, cell, from, -1);
}

static void merge_max(struct views_store *store, const struct views_value *by,
		      struct views_cell *cell, const struct views_cell *from)
{
	merge_bound(by, cell, from, 1);
}

/* What a cell says. */

static void give_integer(struct views_result *result, int64_t value)
{
	result->number = VIEWS_SIGNED;
	result->integer = value;
}

static void give_real(struct views_result *result, double value)
{
	result->number = VIEWS_REAL;
	result->real = value;
}

static void give_sum(const struct views_cell *cell, const struct views_value *by,
		     struct views_result *result)
{
	if (by->field.number == VIEWS_REAL)
		give_real(result, cell->real);
	else
		give_integer(result, cell->integer);
}

static bool result_count(const struct views_cell *cell, const struct views_value *by,
			 uint64_t span_ns, struct views_result *result)
{
	give_integer(result, (int64_t)cell->count);
	return true;
}

static bool result_sum(const struct views_cell *cell, const struct views_value *by,
		       uint64_t span_ns, struct views_result *result)
{
	give_sum(cell, by, result);
	return true;
}

static double sum_as_real(const struct views_cell *cell, const struct views_value *by)
{
	if (!by->field.ref.desc)
		return (double)cell->count;
	return by->field.number == VIEWS_REAL ? cell->real : (double)cell->integer;
}

static bool result_mean(const struct views_cell *cell, const struct views_value *by,
			uint64_t span_ns, struct views_result *result)
{
	if (!cell->count)
		return false;
	give_real(result, sum_as_real(cell, by) / (double)cell->count);
	return true;
}

static bool result_rate(const struct views_cell *cell, const struct views_value *by,
			uint64_t span_ns, struct views_result *result)
{
	if (!span_ns)
		return false;
	give_real(result, sum_as_real(cell, by) * NS_PER_S / (double)span_ns);
	return true;
}

static bool result_bound(const struct views_cell *cell, const struct views_value *by,
			 uint64_t span_ns, struct views_result *result)
{
	if (!cell->count)
		return false;
	give_sum(cell, by, result);
	return true;
}

static bool result_last(const struct views_cell *cell, const struct views_value *by,
			uint64_t span_ns, struct views_result *result)
{
	if (!cell->count || (is_text(&by->field) && !cell->text))
		return false;
	result->number = VIEWS_NO_NUMBER;
	result->ref = &by->field.ref;
	result->field = cell->last;
	if (cell->text) {
		result->field.bytes.data = cell->text->data;
		result->field.bytes.len = cell->text->len;
	}
	return true;
}

static bool result_distinct(const struct views_cell *cell, const struct views_value *by,
			    uint64_t span_ns, struct views_result *result)
{
	give_integer(result, cell->integer);
	return true;
}

static bool result_percentile(const struct views_cell *cell, const struct views_value *by,
			      uint64_t span_ns, struct views_result *result)
{
	const struct views_sketch *sketch = cell->sketch;

	if (!sketch || sketch->count == sketch->lost)
		return false;
	give_integer(result, (int64_t)views_sketch_quantile(sketch, by->percentile));
	return true;
}

static bool result_histogram(const struct views_cell *cell, const struct views_value *by,
			     uint64_t span_ns, struct views_result *result)
{
	result->sketch = cell->sketch;
	return cell->sketch != NULL;
}

/* Powers of two: the first one has 0 as well, the last one has no end. */
enum { OCTAVES = 64 };

unsigned int views_buckets_count(const struct views_value *value)
{
	return is_linear(value) ? steps_of(&value->scale) + 2 : OCTAVES;
}

static struct views_bucket linear_bucket(const struct views_scale *scale, unsigned int i)
{
	const unsigned int steps = steps_of(scale);
	struct views_bucket bucket = {.is_outside = i == 0 || i > steps};

	bucket.from = i ? scale->min + (i - 1) * scale->width : 0;
	bucket.to = i ? bucket.from + scale->width - 1 : scale->min - (scale->min != 0);
	if (i > steps)
		bucket.to = UINT64_MAX;
	return bucket;
}

struct views_bucket views_bucket_of(const struct views_value *value,
				    const struct views_sketch *sketch, unsigned int i)
{
	struct views_bucket bucket = {.from = i ? UINT64_C(1) << i : 0, .to = UINT64_MAX};

	if (is_linear(value)) {
		bucket = linear_bucket(&value->scale, i);
		bucket.count = views_sketch_exactly(sketch, i);
		return bucket;
	}
	if (i + 1 < OCTAVES)
		bucket.to = (UINT64_C(2) << i) - 1;
	bucket.count = views_sketch_octave(sketch, i);
	return bucket;
}

/* What aggregates do with a value, with another cell, and at the end; NULL: `count` is all. */
static const struct aggregate_row {
	void (*add)(const struct add *add, struct views_cell *cell,
		    const struct field_value *value);
	void (*merge)(struct views_store *store, const struct views_value *by,
		      struct views_cell *cell, const struct views_cell *from);
	bool (*result)(const struct views_cell *cell, const struct views_value *by,
		       uint64_t span_ns, struct views_result *result);
	/* Values of the same field whose rows have the same letter share a cell. */
	char family;
} aggregates[VIEWS_AGGREGATES_COUNT] = {
	[VIEWS_COUNT] = {NULL, NULL, result_count, 's'},
	[VIEWS_SUM] = {add_sum, merge_sum, result_sum, 's'},
	[VIEWS_MEAN] = {add_sum, merge_sum, result_mean, 's'},
	[VIEWS_RATE] = {add_sum, merge_sum, result_rate, 's'},
	[VIEWS_MIN] = {add_min, merge_min, result_bound, 'm'},
	[VIEWS_MAX] = {add_max, merge_max, result_bound, 'M'},
	[VIEWS_LAST] = {add_last, NULL, result_last, 'l'},
	[VIEWS_DISTINCT] = {add_distinct, NULL, result_distinct, 'd'},
	[VIEWS_PERCENTILE] = {add_sketch, NULL, result_percentile, 'p'},
	[VIEWS_HISTOGRAM_OF] = {add_sketch, NULL, result_histogram, 'p'},
};

bool views_cell_is_shared(const struct views_value *a, const struct views_value *b)
{
	const struct field_ref *one = &a->field.ref, *other = &b->field.ref;

	return aggregates[a->aggregate].family == aggregates[b->aggregate].family && !a->only &&
	       !b->only && one->desc == other->desc && !one->has_arg && !other->has_arg &&
	       scale_of(a) == scale_of(b) && memcmp(&a->scale, &b->scale, sizeof(a->scale)) == 0 &&
	       (!aggregates[a->aggregate].add == !aggregates[b->aggregate].add);
}

void views_cell_add(struct views_store *store, const struct views_value *by,
		    struct views_cell *cell, uint64_t group, const struct field_value *value)
{
	const struct add add = {store, by, group};

	if (value && aggregates[by->aggregate].add)
		aggregates[by->aggregate].add(&add, cell, value);
	cell->count++;
}

bool views_cell_repeat(struct views_cell *cell, uint64_t revision)
{
	if (!cell->text || !revision || cell->revision != revision)
		return false;
	cell->count++;
	return true;
}

/* Not of a text that was cut: how many these were is counted. */
void views_cell_note(struct views_cell *cell, uint64_t revision)
{
	const struct views_text *text = cell->text;

	cell->revision = text && text->len && text->len < VIEWS_TEXT_MAX ? revision : 0;
}

/* The sum of many equal numbers; one that would exceed 2^63 counts as that. */
static int64_t times(struct views_store *store, int64_t number, uint64_t count)
{
	int64_t sum;

	if (!__builtin_mul_overflow(number, count, &sum))
		return sum;
	store->losses.saturated += count;
	return number < 0 ? INT64_MIN : INT64_MAX;
}

void views_cell_add_times(struct views_store *store, const struct views_value *by,
			  struct views_cell *cell, const struct field_value *value, uint64_t count)
{
	struct views_cell all = {.count = count};

	if (value && by->field.number == VIEWS_REAL)
		all.real = value->f64 * (double)count;
	else if (value)
		all.integer = number_of(&by->field, value);
	if (value && by->field.number != VIEWS_REAL && aggregates[by->aggregate].family == 's')
		all.integer = times(store, all.integer, count);
	views_cell_merge(store, by, cell, &all);
}

void views_cell_add_octave(struct views_store *store, const struct views_value *by,
			   struct views_cell *cell, unsigned int power, uint64_t count)
{
	struct views_sketch *sketch = count ? need_sketch(store, cell) : NULL;
	uint64_t least = power ? UINT64_C(1) << power : 0;

	if (count && (!sketch || !views_sketch_add_times(sketch, &store->memory, least, count)))
		store->losses.unsketched += count;
	cell->count += count;
}

void views_cell_merge(struct views_store *store, const struct views_value *by,
		      struct views_cell *cell, const struct views_cell *from)
{
	if (!from->count)
		return;
	if (aggregates[by->aggregate].merge && by->field.ref.desc)
		aggregates[by->aggregate].merge(store, by, cell, from);
	cell->count += from->count;
}

bool views_cell_result(const struct views_cell *cell, const struct views_value *by,
		       uint64_t span_ns, struct views_result *result)
{
	*result = (struct views_result){0};
	return aggregates[by->aggregate].result(cell, by, span_ns, result);
}

void views_cell_finish(struct views_store *store, struct views_cell *cell,
		       const struct views_value *by)
{
	if (cell->text)
		views_memory_give(&store->memory, cell->text,
				  sizeof(*cell->text) + cell->text->room);
	if (aggregates[by->aggregate].add != add_sketch || !cell->sketch)
		return;
	views_sketch_finish(cell->sketch, &store->memory);
	views_memory_give(&store->memory, cell->sketch, sizeof(*cell->sketch));
}
