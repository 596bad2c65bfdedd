/* SPDX-License-Identifier: MIT */
/* Reads rows of calls, many at a time, and keeps what they were. */
#include "scap/live/call_rows.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_FIRST = 256, ROWS_AT_ONCE = 512, HASH_SHIFT = 32 };

struct live_call_row {
	struct call_row_key key;
	bool is_used;
	struct call_row row;
};

int live_call_rows_begin(int map, uint32_t cpus)
{
	const struct call_row_key key = {0};
	void *zeros = calloc(cpus, sizeof(struct call_row));
	int r = -ENOMEM;

	if (zeros)
		r = bpf_map_update_elem(map, &key, zeros, BPF_ANY) ? -errno : 0;
	free(zeros);
	return r;
}

/* The place of a key, or the free one where it belongs. */
static struct live_call_row *place_of(const struct live_call_rows *rows,
				      const struct call_row_key *key)
{
	const uint64_t odd = 0x9e3779b97f4a7c15;
	uint64_t bits;
	uint32_t at;

	_Static_assert(sizeof(bits) == sizeof(*key), "a key is not one number");
	memcpy(&bits, key, sizeof(bits));
	at = (uint32_t)(bits * odd >> HASH_SHIFT) & (rows->size - 1);
	while (rows->list[at].is_used && memcmp(&rows->list[at].key, key, sizeof(*key)))
		at = (at + 1) & (rows->size - 1);
	return &rows->list[at];
}

static bool grow(struct live_call_rows *rows)
{
	struct live_call_rows made = *rows;

	made.size = rows->size ? rows->size * 2 : ROWS_FIRST;
	made.list = calloc(made.size, sizeof(made.list[0]));
	if (!made.list)
		return false;
	for (uint32_t i = 0; i < rows->size; i++)
		if (rows->list[i].is_used)
			*place_of(&made, &rows->list[i].key) = rows->list[i];
	free(rows->list);
	*rows = made;
	return true;
}

static struct call_row sum_of(const struct call_row *cpu_rows, uint32_t cpus)
{
	struct call_row sum = {0};

	for (uint32_t i = 0; i < cpus; i++) {
		sum.count += cpu_rows[i].count;
		sum.timed += cpu_rows[i].timed;
		sum.latency_ns += cpu_rows[i].latency_ns;
		if (cpu_rows[i].latency_max_ns > sum.latency_max_ns)
			sum.latency_max_ns = cpu_rows[i].latency_max_ns;
	}
	return sum;
}

/* What is new of a row, which is kept. Returns -ENOMEM, or 0. */
static int take_new(struct live_call_rows *rows, const struct call_row_key *key,
		    struct call_row *row)
{
	const struct call_row all = *row;
	struct live_call_row *kept;

	if (rows->count >= rows->size / 2 && !grow(rows))
		return -ENOMEM;
	kept = place_of(rows, key);
	rows->count += !kept->is_used;
	row->count -= kept->row.count;
	row->timed -= kept->row.timed;
	row->latency_ns -= kept->row.latency_ns;
	*kept = (struct live_call_row){*key, true, all};
	return 0;
}

int live_call_rows_take(struct live_call_rows *rows, int map, uint32_t cpus,
			void (*take)(void *context, const struct call_row_key *key,
				     const struct call_row *row),
			void *context)
{
	struct call_row_key keys[ROWS_AT_ONCE];
	uint32_t place = 0, count;
	bool is_first = true;
	int r = 0;

	if (!rows->values)
		rows->values = calloc((size_t)ROWS_AT_ONCE * cpus, sizeof(struct call_row));
	if (!rows->values)
		return -ENOMEM;
	while (r == 0) {
		const struct call_row *values = rows->values;
		int failed;

		count = ROWS_AT_ONCE;
		r = bpf_map_lookup_batch(map, is_first ? NULL : &place, &place, keys, rows->values,
					 &count, NULL)
			    ? -errno
			    : 0;
		if (r && r != -ENOENT)
			return r;
		is_first = false;
		for (uint32_t i = 0; i < count; i++) {
			struct call_row row = sum_of(values + (size_t)i * cpus, cpus);

			failed = take_new(rows, &keys[i], &row);
			if (failed)
				return failed;
			if (row.count || row.timed)
				take(context, &keys[i], &row);
		}
	}
	return 0;
}

void live_call_rows_finish(struct live_call_rows *rows)
{
	free(rows->list);
	free(rows->values);
	*rows = (struct live_call_rows){0};
}
