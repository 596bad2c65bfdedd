/* SPDX-License-Identifier: MIT */
/* Nothing is allocated for a request whose series is there, but when a histogram grows. */
#include "requests/metrics/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
	NS_PER_S = 1000000000,
	NS_PER_US = 1000,
	AGED_AT_ONCE = 64, /* buckets */
};

/* A slower request within that time stays the exemplar. */
#define EXEMPLAR_NS UINT64_C(60000000000)

int series_table_init(struct series_table *table, const struct kinds *kinds, uint32_t max)
{
	*table = (struct series_table){.kinds = kinds, .max = max, .buckets_count = 1};
	for (unsigned int kind = 0; kind < KINDS_MAX; kind++)
		table->last[kind] = &table->first[kind];
	if (getrandom(&table->secret, sizeof(table->secret), GRND_NONBLOCK) !=
	    sizeof(table->secret))
		return -EIO;
	while (table->buckets_count < max)
		table->buckets_count *= 2;
	table->buckets = calloc(table->buckets_count, sizeof(struct series *));
	table->memo = calloc(1, sizeof(*table->memo));
	return table->buckets && table->memo ? 0 : -ENOMEM;
}

static size_t series_bytes(const struct series *series)
{
	return sizeof(*series) + series->cells_count * sizeof(uint64_t) + series->key_len;
}

static void series_free(struct series_table *table, struct series *series)
{
	*series->link = series->newer;
	if (series->newer)
		series->newer->link = series->link;
	else
		table->last[series->kind] = series->link;
	histogram_finish(&series->durations, &table->pool);
	pool_free(&table->pool, series->exemplar, sizeof(*series->exemplar));
	pool_free(&table->pool, series, series_bytes(series));
}

void series_table_finish(struct series_table *table)
{
	for (unsigned int kind = 0; kind < KINDS_MAX; kind++)
		while (table->first[kind])
			series_free(table, table->first[kind]);
	pool_finish(&table->pool);
	free(table->memo);
	free(table->buckets);
	*table = (struct series_table){0};
}

static uint16_t cells_of(const struct kind *kind)
{
	uint32_t count = 0;

	for (unsigned int i = 0; i < KIND_HISTOGRAMS; i++)
		count += kind->bounds[i].items ? kind->bounds[i].count + 1 : 0;
	return (uint16_t)count;
}

/* A new one, the last of its kind; NULL: out of memory. */
static struct series *series_create(struct series_table *table, uint8_t kind, const struct buf *key)
{
	struct series made = {.kind = kind,
			      .cells_count = cells_of(&table->kinds->list[kind]),
			      .key_len = (uint16_t)key->len,
			      .link = table->last[kind]};
	struct series *series = pool_alloc(&table->pool, series_bytes(&made));

	if (!series)
		return NULL;
	*series = made;
	memset(series->cells, 0, made.cells_count * sizeof(uint64_t));
	memcpy(series->cells + made.cells_count, key->data, key->len);
	*series->link = series;
	table->last[kind] = &series->newer;
	return series;
}

/* The series that counts what has no room. */
static struct series *overflow_of(struct series_table *table, uint8_t kind)
{
	char empty[1] = "";
	const struct buf none = buf_fixed(empty, sizeof(empty));
	struct series *series = table->overflow[kind];

	if (!series) {
		series = series_create(table, kind, &none);
		if (!series)
			return NULL;
		series->is_overflow = true;
		table->overflow[kind] = series;
	}
	table->overflowed++;
	return series;
}

static struct series *series_find(struct series_table *table, uint8_t kind, const struct buf *key)
{
	uint64_t hash = hash_sip(&table->secret, key->data, key->len) + kind;
	struct series **bucket = &table->buckets[hash & (table->buckets_count - 1)], *series;

	for (series = *bucket; series; series = series->next)
		if (series->hash == hash && series->kind == kind && series->key_len == key->len &&
		    memcmp(series_key(series), key->data, key->len) == 0)
			return series;
	if (table->count == table->max)
		return overflow_of(table, kind);
	series = series_create(table, kind, key);
	if (!series)
		return overflow_of(table, kind);
	series->hash = hash;
	series->next = *bucket;
	*bucket = series;
	table->count++;
	return series;
}

uint32_t series_cell(const struct kind_bounds *bounds, uint64_t value)
{
	uint32_t cell = 0;

	while (cell < bounds->count && value > bounds->items[cell].value)
		cell++;
	return cell;
}

/* The counts, where each histogram has its own behind those of the ones before it. */
static void count_cells(const struct kind *kind, struct series *series, const struct view *view)
{
	const uint64_t values[KIND_HISTOGRAMS] = {
		[KIND_DURATION] = view->total_ns,
		[KIND_REQUEST_SIZE] = view->request_bytes,
		[KIND_RESPONSE_SIZE] = view->response_bytes,
	};
	uint64_t *cells = series->cells;

	for (unsigned int i = 0; i < KIND_HISTOGRAMS; i++) {
		const struct kind_bounds *bounds = &kind->bounds[i];

		if (!bounds->items)
			continue;
		if (i != KIND_DURATION || view->is_timed)
			cells[series_cell(bounds, values[i])]++;
		cells += bounds->count + 1;
	}
}

static void take_exemplar(struct series_table *table, struct series *series,
			  const struct view *view)
{
	struct series_exemplar *exemplar = series->exemplar;
	uint64_t now_ns = view->event->ev.ts_ns;

	if (!exemplar)
		exemplar = series->exemplar = pool_alloc(&table->pool, sizeof(*exemplar));
	else if (view->total_ns < exemplar->total_ns && now_ns < exemplar->at_ns + EXEMPLAR_NS)
		return;
	if (!exemplar)
		return;
	exemplar->total_ns = view->total_ns;
	exemplar->at_ns = now_ns;
	strncpy(exemplar->trace_id, view->trace_id, sizeof(exemplar->trace_id) - 1);
	exemplar->trace_id[sizeof(exemplar->trace_id) - 1] = '\0';
}

static void count_time(struct series_table *table, struct series *series, uint64_t ns)
{
	if (table->kinds->list[series->kind].bounds[KIND_DURATION].items)
		histogram_add(&series->durations, &table->pool, ns);
	series->timed++;
	series->last_ns = ns;
	series->ns += ns;
	if (series->ns >= NS_PER_S) {
		series->seconds += series->ns / NS_PER_S;
		series->ns %= NS_PER_S;
	}
}

static void series_measure(struct series_table *table, struct series *series,
			   const struct view *view)
{
	const struct kind *kind = &table->kinds->list[series->kind];

	count_cells(kind, series, view);
	if (!series->begun_ns)
		series->begun_ns = view->event->ev.ts_ns - view->total_ns;
	series->count += view->amount;
	series->slow += view->total_ns >= table->kinds->slow_ns[view->protocol.class];
	if (view->is_timed && !(kind->times_successes && *view->error))
		count_time(table, series, view->total_ns);
	series->bytes[0] += view->request_bytes;
	series->bytes[1] += view->response_bytes;
	series->used_ns = view->event->ev.ts_ns;
	if (*view->trace_id)
		take_exemplar(table, series, view);
}

/* By its labels. */
static struct series *series_get(struct series_table *table, const struct view *view)
{
	uint8_t kind = table->kinds->of[view->protocol.class][view->is_server];
	char memory[LABELS_BYTES_MAX];
	struct buf key = buf_fixed(memory, sizeof(memory));

	labels_append(table->kinds->list[kind].labels, view, &key);
	return series_find(table, kind, &key);
}

void series_table_add(struct series_table *table, const struct view *view)
{
	struct memo_facts facts;
	bool are_gathered;
	struct series *series;

	if (table->kinds->of[view->protocol.class][view->is_server] == KIND_NONE)
		return;
	are_gathered = memo_gather(view, &facts);
	series = are_gathered ? memo_find(table->memo, &facts) : NULL;
	if (!series) {
		series = series_get(table, view);
		/* When there is room, a request leaves the overflow. */
		if (series && are_gathered && !series->is_overflow)
			memo_note(table->memo, &facts, series);
	}
	if (series)
		series_measure(table, series, view);
	else
		table->unmeasured++;
}

static void age_bucket(struct series_table *table, struct series **link, uint64_t since_ns)
{
	struct series *series;

	while ((series = *link)) {
		if (series->used_ns >= since_ns) {
			link = &series->next;
			continue;
		}
		*link = series->next;
		series_free(table, series);
		table->count--;
		table->aged++;
	}
}

void series_table_age(struct series_table *table, uint64_t since_ns)
{
	uint64_t aged = table->aged;

	for (uint32_t i = 0; i < AGED_AT_ONCE && i < table->buckets_count; i++) {
		age_bucket(table, &table->buckets[table->next_bucket], since_ns);
		table->next_bucket = (table->next_bucket + 1) & (table->buckets_count - 1);
	}
	if (table->aged != aged)
		memo_clear(table->memo);
}

const uint64_t *series_cells(const struct series_table *table, const struct series *series,
			     enum kind_value histogram)
{
	const struct kind *kind = &table->kinds->list[series->kind];
	const uint64_t *cells = series->cells;

	for (unsigned int i = 0; i < histogram; i++)
		cells += kind->bounds[i].items ? kind->bounds[i].count + 1 : 0;
	return cells;
}

static uint64_t series_number(const struct series *series, enum kind_value value)
{
	switch (value) {
	case KIND_NANOSECONDS:
		return series->seconds * (uint64_t)NS_PER_S + series->ns;
	case KIND_REQUEST_BYTES:
		return series->bytes[0];
	case KIND_RESPONSE_BYTES:
		return series->bytes[1];
	case KIND_AMOUNT:
		return series->count;
	case KIND_LAST:
		return series->last_ns / NS_PER_US;
	default:
		return 0;
	}
}

unsigned int series_parts(const struct series *series, enum kind_value value,
			  struct series_part parts[SERIES_PARTS_MAX])
{
	switch (value) {
	case KIND_REQUESTS:
		parts[0] = (struct series_part){series->count - series->slow, "is_slow", "is_slow",
						"false"};
		parts[1] = (struct series_part){series->slow, "is_slow", "is_slow", "true"};
		return 2;
	case KIND_IO:
		for (unsigned int i = 0; i < 2; i++)
			parts[i] = (struct series_part){
				series->bytes[i], label_name(LABEL_DIRECTION),
				label_attribute(LABEL_DIRECTION), i ? "receive" : "transmit"};
		return 2;
	case KIND_LAST:
		/* Of all that had no room, the last one says nothing. */
		if (series->is_overflow || !series->timed)
			return 0;
		break;
	default:
		break;
	}
	parts[0] = (struct series_part){.value = series_number(series, value)};
	return 1;
}
