/* SPDX-License-Identifier: MIT */
/*
 * Groups in a hash table, and in an array in the order in which they came. What has no room is
 * counted in one group, the crowd.
 */
#include "views/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sinsp/fields/container.h"
#include "sinsp/fields/thread_text.h"
#include "views/cell.h"
#include "views/counted.h"

enum {
	LIST_ROWS = 1024, /* of a list, before they are shown */
	KEPT_TIMES = 4, /* of a sorted list: as many times its limit, before it is cut */
	GROUPS_FIRST = 64,
	RECENT_GROUPS = 256,
};

struct views_group {
	struct views_group *next; /* of its bucket */
	uint64_t hash;
	uint32_t key_len;
	struct views_cell cells[]; /* then the key */
};

/* What keys depend on, if that is nothing but the thread, its container and the type of event. */
enum { KEY_FLAGS = FIELD_OF_THREAD | FIELD_OF_CONTAINER | FIELD_OF_TYPE };

/* A group and that, of its keys; 0: they do not depend on it. */
struct recent {
	uint64_t thread; /* thread_revision() */
	uint64_t container; /* container_event_revision() */
	unsigned int type; /* id of the event */
	struct views_group *group; /* borrowed; NULL: none */
};

struct views_engine {
	struct views_view *view; /* borrowed */
	struct views_store store;
	struct views_group **buckets; /* owned; buckets_count, a power of two */
	uint32_t buckets_count;
	struct views_group **list; /* owned: all but the crowd */
	uint32_t count, room, max;
	struct views_group *crowd; /* NULL: not needed */
	uint64_t cut; /* rows of a sorted list that were behind those that are kept */
	uint32_t certain; /* so many rows are the first ones of all; 0: none was cut */
	uint64_t span_ns;
	uint8_t cell_owners[VIEWS_VALUES_MAX]; /* the value that fills each cell */
	uint32_t thread_cells; /* bits: cells for which views_cell_repeat() is */
	struct thread_revisions revisions;
	uint32_t key_flags; /* those of KEY_FLAGS; 0: keys depend on something else */
	struct recent recent[RECENT_GROUPS];
	char *key; /* owned: that of the event, with room for all */
	struct event_hider hider; /* an event without secrets in its arguments */
	struct field_scratch scratch;
};

/* Keys as bytes: of each whether it has a value, then that; of texts the length first. */

enum { KEY_ABSENT, KEY_PRESENT };

static size_t key_put(char *at, const void *bytes, size_t n)
{
	memcpy(at, bytes, n);
	return n;
}

static size_t key_add(struct views_engine *engine, char *at, const struct views_field *field,
		      const struct field_value *value)
{
	char *begin = at;
	uint16_t short_len;
	size_t len;
	const void *bytes;

	if (!value) {
		*at = KEY_ABSENT;
		return 1;
	}
	*at++ = KEY_PRESENT;
	bytes = views_cell_bytes(field, value, &len);
	if (len > VIEWS_TEXT_MAX) {
		len = VIEWS_TEXT_MAX;
		engine->store.losses.cut++;
	}
	short_len = (uint16_t)len;
	at += key_put(at, &short_len, sizeof(short_len));
	at += key_put(at, bytes, len);
	/* Strings of fields have a NUL. */
	*at++ = '\0';
	return (size_t)(at - begin);
}

static const char *group_key(const struct views_engine *engine, const struct views_group *group)
{
	return (const char *)(group->cells + engine->view->cells_count);
}

static size_t group_bytes(const struct views_engine *engine, size_t key_len)
{
	return sizeof(struct views_group) + engine->view->cells_count * sizeof(struct views_cell) +
	       key_len;
}

/* Values of fields. */

/* Returns false if the event has no value. */
static bool engine_get(struct views_engine *engine, const struct views_field *field,
		       const struct state_event *event, struct field_value *value)
{
	if (field->is_known && !field->is_known(event))
		return false;
	return field_get(&field->ref, event, &engine->scratch, value) >= 1;
}

/* Makes the key of an event. Returns its length, or 0: the event is not counted. */
static size_t make_key(struct views_engine *engine, const struct state_event *event)
{
	const struct views_view *view = engine->view;
	size_t len = 0;

	for (unsigned int i = 0; i < view->keys_count; i++) {
		const struct views_key *key = &view->keys[i];
		struct field_value values[FIELD_VALUES_MAX];
		bool has = engine_get(engine, &key->field, event, values);

		if (!has && key->skips)
			return 0;
		len += key_add(engine, engine->key + len, &key->field, has ? values : NULL);
		engine->scratch.used = 0;
	}
	/* A view without keys has one group. */
	if (!len)
		engine->key[len++] = KEY_ABSENT;
	return len;
}

/* Groups. */

static struct views_group *group_make(struct views_engine *engine, uint64_t hash, size_t key_len)
{
	size_t bytes = group_bytes(engine, key_len);
	struct views_group *group = views_memory_take(&engine->store.memory, bytes);

	if (!group)
		return NULL;
	memset(group, 0, bytes - key_len);
	group->hash = hash;
	group->key_len = (uint32_t)key_len;
	return group;
}

static void group_free(struct views_engine *engine, struct views_group *group)
{
	const struct views_view *view = engine->view;

	if (!group)
		return;
	for (unsigned int i = 0; i < view->cells_count; i++)
		views_cell_finish(&engine->store, &group->cells[i],
				  &view->values[engine->cell_owners[i]]);
	views_memory_give(&engine->store.memory, group, group_bytes(engine, group->key_len));
}

/* Room in the array, and as many buckets as groups. */
static bool engine_grow(struct views_engine *engine)
{
	uint32_t room = engine->room ? engine->room * 2 : GROUPS_FIRST;
	struct views_group **list = realloc(engine->list, room * sizeof(*list)), **buckets;

	if (!list)
		return false;
	engine->list = list;
	buckets = calloc(room, sizeof(*buckets));
	if (!buckets)
		return false;
	free(engine->buckets);
	engine->buckets = buckets;
	engine->buckets_count = engine->room = room;
	for (uint32_t i = 0; i < engine->count; i++) {
		struct views_group *group = list[i], **bucket = &buckets[group->hash & (room - 1)];

		group->next = *bucket;
		*bucket = group;
	}
	return true;
}

static struct views_group *engine_crowd(struct views_engine *engine)
{
	if (!engine->crowd)
		engine->crowd = group_make(engine, 0, 0);
	return engine->crowd;
}

/* A group with the key that was made; NULL: there is no room for it. */
static struct views_group *group_add(struct views_engine *engine, uint64_t hash, const char *key,
				     size_t len)
{
	struct views_group *group, **bucket;

	if (engine->count == engine->max || (engine->count == engine->room && !engine_grow(engine)))
		return NULL;
	group = group_make(engine, hash, len);
	if (!group)
		return NULL;
	memcpy(group->cells + engine->view->cells_count, key, len);
	bucket = &engine->buckets[hash & (engine->buckets_count - 1)];
	group->next = *bucket;
	*bucket = group;
	engine->list[engine->count++] = group;
	return group;
}

/* The group of a key, which is made if need be; NULL: there is no room. */
static struct views_group *group_find(struct views_engine *engine, const char *key, size_t len)
{
	uint64_t hash = hash_sip(&engine->store.secret, key, len);
	struct views_group *group = NULL;

	if (engine->buckets_count)
		group = engine->buckets[hash & (engine->buckets_count - 1)];
	while (group && !(group->hash == hash && group->key_len == len &&
			  memcmp(group_key(engine, group), key, len) == 0))
		group = group->next;
	return group ? group : group_add(engine, hash, key, len);
}

/* The same, or the crowd; NULL: there is no memory for that either. */
static struct views_group *group_of(struct views_engine *engine, const char *key, size_t len)
{
	struct views_group *group = group_find(engine, key, len);

	if (group)
		return group;
	return engine_crowd(engine);
}

/* Counting. */

static bool is_text_of_thread(const struct views_value *value)
{
	const struct field_desc *desc = value->field.ref.desc;

	return value->aggregate == VIEWS_LAST && desc && desc->flags & FIELD_OF_THREAD &&
	       !param_type_size(value->field.ref.type);
}

/* shown: the event without its secrets; filters of values see all. */
static void group_count(struct views_engine *engine, struct views_group *group,
			const struct state_event *event, const struct state_event *shown,
			uint64_t revision)
{
	const struct views_view *view = engine->view;

	for (unsigned int i = 0; i < view->cells_count; i++) {
		const struct views_value *by = &view->values[engine->cell_owners[i]];
		bool is_of_thread = engine->thread_cells >> i & 1;
		struct views_cell *cell = &group->cells[i];
		struct field_value values[FIELD_VALUES_MAX];

		if (by->only && !filter_match(by->only, event))
			continue;
		if (is_of_thread && views_cell_repeat(cell, revision))
			continue;
		if (!by->field.ref.desc)
			views_cell_add(&engine->store, by, cell, group->hash, NULL);
		else if (engine_get(engine, &by->field, shown, values)) {
			views_cell_add(&engine->store, by, cell, group->hash, values);
			if (is_of_thread)
				views_cell_note(cell, revision);
		}
		engine->scratch.used = 0;
	}
}

static void cut_list(struct views_engine *engine);

/* Each event of a list is a row of its own; of a sorted one, the first rows are kept. */
static struct views_group *row_of(struct views_engine *engine, size_t len)
{
	bool is_sorted = engine->view->order_count;
	struct views_group *row;

	if (is_sorted && views_engine_is_full(engine))
		cut_list(engine);
	row = group_add(engine, engine->count, engine->key, len);
	if (row || !is_sorted)
		return row;
	/* Memory has ended before. */
	cut_list(engine);
	return group_add(engine, engine->count, engine->key, len);
}

/* Makes the keys and finds their group; NULL: the event is in none, which is counted. */
static struct views_group *group_of_event(struct views_engine *engine,
					  const struct state_event *shown)
{
	size_t len = make_key(engine, shown);
	struct views_group *group;

	if (!len) {
		engine->store.losses.without_key++;
		return NULL;
	}
	group = engine->view->kind == VIEWS_LIST ? row_of(engine, len)
						 : group_of(engine, engine->key, len);
	engine->store.losses.forgotten += !group;
	engine->store.losses.crowded += group && group == engine->crowd;
	return group;
}

/* What the keys of an event depend on. Returns false if that is not known, or something else. */
static bool recent_init(const struct views_engine *engine, const struct state_event *shown,
			uint64_t revision, struct recent *recent)
{
	const uint32_t flags = engine->key_flags;

	*recent = (struct recent){0};
	/* The type has one name. */
	if (!flags || shown->ev.desc->id == EVENT_syscall)
		return false;
	if (flags & FIELD_OF_THREAD)
		recent->thread = revision;
	if (flags & FIELD_OF_CONTAINER)
		recent->container = container_event_revision(shown);
	if (flags & FIELD_OF_TYPE)
		recent->type = shown->ev.desc->id;
	return (recent->thread || !(flags & FIELD_OF_THREAD)) &&
	       (recent->container || !(flags & FIELD_OF_CONTAINER));
}

static bool recent_is(const struct recent *a, const struct recent *b)
{
	return a->group && a->thread == b->thread && a->container == b->container &&
	       a->type == b->type;
}

/* As group_of_event(), but the keys are made only if the group is none of the recent ones. */
static struct views_group *group_of_recent(struct views_engine *engine,
					   const struct state_event *shown, uint64_t revision)
{
	const uint64_t cut = engine->store.losses.cut;
	struct recent now, *place;

	if (!recent_init(engine, shown, revision, &now))
		return group_of_event(engine, shown);
	place = &engine->recent[((now.thread * 31 + now.container) * 31 + now.type) %
				RECENT_GROUPS];
	if (recent_is(place, &now))
		return place->group;
	now.group = group_of_event(engine, shown);
	/* What is counted of each event needs its keys. */
	if (now.group && now.group != engine->crowd && engine->store.losses.cut == cut)
		*place = now;
	return now.group;
}

void views_engine_take(struct views_engine *engine, const struct state_event *event)
{
	const struct state_event *shown =
		event_hider_apply(&engine->hider, &engine->scratch.style.hider, event);
	bool needs_revision = engine->thread_cells || engine->key_flags & FIELD_OF_THREAD;
	uint64_t revision = needs_revision ? thread_revision(&engine->revisions, shown) : 0;
	struct views_group *group = group_of_recent(engine, shown, revision);

	if (group)
		group_count(engine, group, event, shown, revision);
}

static struct views_cell cell_of_sum(uint64_t count, uint64_t sum)
{
	return (struct views_cell){.count = count,
				   .integer = sum > INT64_MAX ? INT64_MAX : (int64_t)sum};
}

/* Of the times of calls, what a cell would have if it had been given each. */
static struct views_cell cell_of_times(const struct views_value *by,
				       const struct views_calls *calls)
{
	return cell_of_sum(calls->timed,
			   by->aggregate == VIEWS_MAX ? calls->latency_max_ns : calls->latency_ns);
}

/* Whether it is of the events that have such a time: those of threads have others than calls. */
static bool has_time(const struct views_value *by, const struct state_event *event)
{
	const bool is_of_call = event->ev.desc->category & EC_SYSCALL;
	const uint16_t id = event->ev.desc->id;

	if (strcmp(by->field.ref.desc->name, "thread.exectime") == 0)
		return id == EVENT_switch;
	if (strcmp(by->field.ref.desc->name, "thread.runqtime") == 0)
		return id == EVENT_runqueue;
	return is_of_call;
}

/* What sums say of values; of all else the value of one, which is that of all. */
static void cell_count_calls(struct views_engine *engine, struct views_group *group,
			     unsigned int index, const struct state_event *event,
			     const struct views_calls *calls)
{
	const struct views_value *by = &engine->view->values[engine->cell_owners[index]];
	struct views_cell *cell = &group->cells[index], sum = cell_of_times(by, calls);
	struct field_value values[FIELD_VALUES_MAX];

	if (views_counted_is_time(by)) {
		if (has_time(by, event) && views_value_has_buckets(by))
			views_cell_add_octave(&engine->store, by, cell, calls->power, calls->timed);
		else if (has_time(by, event))
			views_cell_merge(&engine->store, by, cell, &sum);
		return;
	}
	if (!by->field.ref.desc) {
		views_cell_add_times(&engine->store, by, cell, NULL, calls->count);
		return;
	}
	if (!engine_get(engine, &by->field, event, values))
		return;
	sum = cell_of_sum(calls->count, calls->bytes);
	if (views_counted_is_bytes(by))
		views_cell_merge(&engine->store, by, cell, &sum);
	else if (by->aggregate == VIEWS_LAST || by->aggregate == VIEWS_DISTINCT)
		views_cell_add(&engine->store, by, cell, group->hash, values);
	else
		views_cell_add_times(&engine->store, by, cell, values, calls->count);
}

static void group_count_calls(struct views_engine *engine, struct views_group *group,
			      const struct state_event *event, const struct state_event *shown,
			      const struct views_calls *calls)
{
	const struct views_view *view = engine->view;

	for (unsigned int i = 0; i < view->cells_count; i++) {
		const struct views_value *by = &view->values[engine->cell_owners[i]];

		if (by->only && !filter_match(by->only, event))
			continue;
		cell_count_calls(engine, group, i, shown, calls);
		engine->scratch.used = 0;
	}
}

void views_engine_take_calls(struct views_engine *engine, const struct state_event *event,
			     const struct views_calls *calls)
{
	const struct state_event *shown =
		event ? event_hider_apply(&engine->hider, &engine->scratch.style.hider, event)
		      : NULL;
	struct views_group *group;
	size_t len = event ? make_key(engine, shown) : 0;

	/* Whether they pass the filter is not known, either. */
	if (!event) {
		if (calls->loss == VIEWS_CALLS_SHARE)
			engine->store.losses.shared += calls->count;
		else
			engine->store.losses.merged += calls->count;
		return;
	}
	if (!len) {
		engine->store.losses.without_key += calls->count;
		return;
	}
	group = group_of(engine, engine->key, len);
	if (!group) {
		engine->store.losses.forgotten += calls->count;
		return;
	}
	if (group == engine->crowd)
		engine->store.losses.crowded += calls->count;
	group_count_calls(engine, group, event, shown, calls);
}

void views_losses_add(struct views_losses *losses, const struct views_losses *from)
{
	losses->crowded += from->crowded;
	losses->forgotten += from->forgotten;
	losses->without_key += from->without_key;
	losses->cut += from->cut;
	losses->saturated += from->saturated;
	losses->unsketched += from->unsketched;
	losses->undistinguished += from->undistinguished;
	losses->merged += from->merged;
	losses->shared += from->shared;
}

/* Rows. */

bool views_engine_is_full(const struct views_engine *engine)
{
	const struct views_view *view = engine->view;
	uint32_t rows = LIST_ROWS;

	if (view->kind != VIEWS_LIST)
		return false;
	if (view->order_count && !view->limit)
		rows = engine->max;
	else if (view->order_count && view->limit > LIST_ROWS / KEPT_TIMES)
		rows = view->limit * KEPT_TIMES;
	return engine->count >= rows || engine->count == engine->max;
}

/* Absent values come last, whatever the order. */
static int compare_absent(bool a, bool b)
{
	return (int)b - (int)a;
}

static int compare_bytes(const void *a, size_t a_len, const void *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_fields(const struct views_field *field, const struct field_value *a,
			  const struct field_value *b)
{
	size_t a_len, b_len;
	const void *a_bytes, *b_bytes;

	if (field->number == VIEWS_REAL)
		return (a->f64 > b->f64) - (a->f64 < b->f64);
	if (field->number == VIEWS_SIGNED)
		return (a->i64 > b->i64) - (a->i64 < b->i64);
	if (field->number == VIEWS_UNSIGNED)
		return (a->u64 > b->u64) - (a->u64 < b->u64);
	a_bytes = views_cell_bytes(field, a, &a_len);
	b_bytes = views_cell_bytes(field, b, &b_len);
	return compare_bytes(a_bytes, a_len, b_bytes, b_len);
}

static int compare_results(const struct views_value *by, const struct views_result *a,
			   const struct views_result *b)
{
	if (a->sketch || b->sketch)
		return 0;
	if (a->number == VIEWS_NO_NUMBER)
		return compare_fields(&by->field, &a->field, &b->field);
	if (a->number == VIEWS_REAL)
		return (a->real > b->real) - (a->real < b->real);
	return (a->integer > b->integer) - (a->integer < b->integer);
}

static int compare_by(const struct views_engine *engine, const struct views_column *column,
		      const struct views_group *a, const struct views_group *b)
{
	struct views_result one, other;
	struct field_value key, other_key;
	bool has, other_has;
	int order;

	if (column->is_value) {
		has = views_group_value(engine, a, column->index, &one);
		other_has = views_group_value(engine, b, column->index, &other);
	} else {
		has = views_group_key(engine, a, column->index, &key);
		other_has = views_group_key(engine, b, column->index, &other_key);
	}
	if (!has || !other_has)
		return compare_absent(has, other_has);
	order = column->is_value
			? compare_results(&engine->view->values[column->index], &one, &other)
			: compare_fields(&engine->view->keys[column->index].field, &key,
					 &other_key);
	return column->descending ? -order : order;
}

/* Then by all keys, so that equal values have an order. */
static int compare_groups(const void *a, const void *b, void *context)
{
	const struct views_engine *engine = context;
	const struct views_group *one = *(struct views_group *const *)a,
				 *other = *(struct views_group *const *)b;
	const struct views_view *view = engine->view;
	int order = 0;

	for (unsigned int i = 0; i < view->order_count && order == 0; i++)
		order = compare_by(engine, &view->order[i], one, other);
	for (uint8_t i = 0; i < view->keys_count && order == 0; i++)
		order = compare_by(engine, &(struct views_column){.index = i}, one, other);
	return order;
}

static void engine_sort(struct views_engine *engine)
{
	if (!engine->count || (engine->view->kind == VIEWS_LIST && !engine->view->order_count))
		return;
	qsort_r(engine->list, engine->count, sizeof(engine->list[0]), compare_groups, engine);
}

/*
 * Keeps the first rows of a sorted list: a quarter goes at least, as each time all are sorted. Its
 * rows are in no bucket that anything looks into.
 */
static void cut_list(struct views_engine *engine)
{
	uint32_t limit = engine->view->limit, kept = engine->count - engine->count / 4;

	if (limit && limit < kept)
		kept = limit;
	if (kept == engine->count)
		return;
	if (!engine->certain || kept < engine->certain)
		engine->certain = kept;
	engine_sort(engine);
	engine->cut += engine->count - kept;
	while (engine->count > kept)
		group_free(engine, engine->list[--engine->count]);
	memset(engine->buckets, 0, engine->buckets_count * sizeof(engine->buckets[0]));
}

void views_engine_rows(struct views_engine *engine, uint32_t limit, uint64_t span_ns,
		       struct views_rows *rows)
{
	uint32_t count = engine->count;

	engine->span_ns = span_ns;
	engine_sort(engine);
	if (engine->certain && engine->certain < count)
		count = engine->certain;
	*rows = (struct views_rows){
		.list = engine->list,
		.count = limit && limit < count ? limit : count,
		.total = engine->count + engine->cut,
		.crowd = engine->crowd,
	};
}

bool views_group_key(const struct views_engine *engine, const struct views_group *group,
		     unsigned int key, struct field_value *value)
{
	const struct views_field *field = &engine->view->keys[key].field;
	const char *at = group_key(engine, group), *end = at + group->key_len;
	uint16_t len = 0;

	for (unsigned int i = 0; at < end && i <= key; i++) {
		bool has = *at++ == KEY_PRESENT;

		if (i == key && !has)
			return false;
		if (!has)
			continue;
		memcpy(&len, at, sizeof(len));
		at += sizeof(len);
		if (i < key)
			at += len + 1;
	}
	if (at >= end)
		return false;
	*value = (struct field_value){0};
	if (field->ref.type == PT_IPADDR) {
		value->ip.len = (uint8_t)len;
		memcpy(value->ip.address, at, len);
	} else if (param_type_size(field->ref.type)) {
		memcpy(&value->u64, at, sizeof(value->u64));
	} else {
		value->bytes.data = at;
		value->bytes.len = len;
	}
	return true;
}

bool views_group_value(const struct views_engine *engine, const struct views_group *group,
		       unsigned int value, struct views_result *result)
{
	const struct views_value *by = &engine->view->values[value];

	return views_cell_result(&group->cells[by->cell], by, engine->span_ns, result);
}

const struct views_losses *views_engine_losses(const struct views_engine *engine)
{
	return &engine->store.losses;
}

/* Engines. */

void views_engine_clear(struct views_engine *engine)
{
	while (engine->count)
		group_free(engine, engine->list[--engine->count]);
	group_free(engine, engine->crowd);
	engine->crowd = NULL;
	memset(engine->recent, 0, sizeof(engine->recent));
	engine->cut = 0;
	engine->certain = 0;
	if (engine->buckets)
		memset(engine->buckets, 0, engine->buckets_count * sizeof(engine->buckets[0]));
	views_seen_clear(&engine->store.seen);
	engine->store.losses = (struct views_losses){0};
}

/* What all keys depend on; 0: also on other things, or rows are of single events. */
static uint32_t key_flags_of(const struct views_view *view)
{
	uint32_t all = 0;

	for (uint8_t i = 0; i < view->keys_count; i++) {
		uint32_t flags = view->keys[i].field.ref.desc->flags & KEY_FLAGS;

		if (!flags)
			return 0;
		all |= flags;
	}
	return view->kind == VIEWS_LIST ? 0 : all;
}

int views_engine_create(struct views_view *view, const struct views_engine_config *config,
			struct views_engine **engine)
{
	/* Of each key: whether it is there, its length, its bytes and a NUL. */
	const size_t key_bytes = 1 + sizeof(uint16_t) + VIEWS_TEXT_MAX + 1;
	struct views_engine *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->view = view;
	made->scratch.style.hider = config->hider;
	made->max = config->groups_max ? config->groups_max : view->groups_max;
	made->store.memory.bytes_max =
		config->bytes_max ? config->bytes_max : (size_t)VIEWS_BYTES_DEFAULT;
	made->key = malloc(view->keys_count * key_bytes + 1);
	made->key_flags = key_flags_of(view);
	for (uint8_t i = view->values_count; i-- > 0;) {
		made->cell_owners[view->values[i].cell] = i;
		if (is_text_of_thread(&view->values[i]))
			made->thread_cells |= UINT32_C(1) << view->values[i].cell;
	}
	if (!made->key) {
		free(made);
		return -ENOMEM;
	}
	if (getrandom(&made->store.secret, sizeof(made->store.secret), GRND_NONBLOCK) !=
	    sizeof(made->store.secret)) {
		views_engine_destroy(made);
		return -EIO;
	}
	*engine = made;
	return 0;
}

void views_engine_destroy(struct views_engine *engine)
{
	if (!engine)
		return;
	views_engine_clear(engine);
	event_hider_finish(&engine->hider);
	views_seen_finish(&engine->store.seen);
	thread_revisions_finish(&engine->revisions);
	pool_finish(&engine->store.memory.pool);
	free(engine->buckets);
	free(engine->list);
	free(engine->key);
	free(engine);
}
