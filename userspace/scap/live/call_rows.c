/* SPDX-License-Identifier: MIT */
/* Reads rows of calls, many at a time, and keeps what they were. */
#include "scap/live/call_rows.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scap/live/loaded.h"

enum {
	ROWS_FIRST = 256,
	ROWS_AT_ONCE = 512,
	HASH_SHIFT = 32,
	KEY_WORDS = sizeof(struct call_row_key) / sizeof(uint64_t),
};

struct live_call_row {
	struct call_row_key key;
	bool is_used;
	struct call_row row;
};

static bool is_of_threads(const struct live_call_maps *maps)
{
	return maps->by & BY_THREAD;
}

/* A thread runs on one CPU at a time. */
static uint32_t parts_of(const struct live_call_maps *maps)
{
	return is_of_threads(maps) ? 1 : maps->cpus;
}

void live_call_rows_use(struct live_call_rows *rows, const int *maps, uint32_t cpus)
{
	rows->maps.rows = maps[LIVE_MAP_CALL_ROWS];
	rows->maps.users = maps[LIVE_MAP_CALL_ROW_USERS];
	rows->maps.cpus = cpus;
}

int live_call_rows_begin(int map, uint32_t cpus)
{
	void *zeros = calloc(cpus, sizeof(struct call_row));
	int r = zeros ? 0 : -ENOMEM;

	for (uint16_t loss = 0; loss < ROW_LOSSES && r == 0; loss++) {
		const struct call_row_key key = {.error = loss};

		r = bpf_map_update_elem(map, &key, zeros, BPF_ANY) ? -errno : 0;
	}
	free(zeros);
	return r;
}

static uint32_t place_by_hash(const struct live_call_rows *rows, const struct call_row_key *key)
{
	const uint64_t odd = 0x9e3779b97f4a7c15;
	uint64_t words[KEY_WORDS], bits = 0;

	_Static_assert(sizeof(words) == sizeof(*key), "a key is some numbers");
	memcpy(words, key, sizeof(words));
	for (unsigned int i = 0; i < KEY_WORDS; i++) {
		bits = (bits ^ words[i]) * odd;
		bits ^= bits >> HASH_SHIFT;
	}
	return (uint32_t)bits & (rows->size - 1);
}

static bool is_of(const struct live_call_row *row, const struct call_row_key *key)
{
	return memcmp(&row->key, key, sizeof(*key)) == 0;
}

/* The place of a key, or the free one where it belongs. */
static struct live_call_row *row_place(const struct live_call_rows *rows,
				       const struct call_row_key *key)
{
	uint32_t at = place_by_hash(rows, key);

	while (rows->list[at].is_used && !is_of(&rows->list[at], key))
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
			*row_place(&made, &rows->list[i].key) = rows->list[i];
	free(rows->list);
	*rows = made;
	return true;
}

/* Those behind it move up, as far as they are found from their place then. */
static void forget(struct live_call_rows *rows, const struct call_row_key *key)
{
	const uint32_t mask = rows->size - 1;
	uint32_t free_at, at;

	if (!rows->size || !row_place(rows, key)->is_used)
		return;
	free_at = (uint32_t)(row_place(rows, key) - rows->list);
	for (at = (free_at + 1) & mask; rows->list[at].is_used; at = (at + 1) & mask) {
		uint32_t home = place_by_hash(rows, &rows->list[at].key);

		if (((at - home) & mask) < ((at - free_at) & mask))
			continue;
		rows->list[free_at] = rows->list[at];
		free_at = at;
	}
	rows->list[free_at].is_used = false;
	rows->count--;
}

/* What is of the last call has only the row of a thread, which has one part. */
static struct call_row sum_of(const struct call_row *cpu_rows, uint32_t cpus)
{
	struct call_row sum = cpu_rows[0];

	for (uint32_t i = 1; i < cpus; i++) {
		sum.count += cpu_rows[i].count;
		sum.timed += cpu_rows[i].timed;
		sum.latency_ns += cpu_rows[i].latency_ns;
		sum.bytes += cpu_rows[i].bytes;
		if (cpu_rows[i].latency_max_ns > sum.latency_max_ns)
			sum.latency_max_ns = cpu_rows[i].latency_max_ns;
	}
	return sum;
}

/* What is new of a row. */
static struct call_row difference(const struct call_row *now, const struct call_row *before)
{
	struct call_row row = *now;

	row.count -= before->count;
	row.timed -= before->timed;
	row.latency_ns -= before->latency_ns;
	row.bytes -= before->bytes;
	return row;
}

/* Room for one more. */
static bool need_room(void **list, uint32_t count, uint32_t *room, size_t each)
{
	uint32_t more = *room ? *room * 2 : ROWS_FIRST;
	void *made;

	if (count < *room)
		return true;
	made = realloc(*list, more * each);
	if (!made)
		return false;
	*list = made;
	*room = more;
	return true;
}

/* A program counts a call before its time and its bytes: these may come later. */
static bool has_more(const struct call_row *row, const struct call_row *before)
{
	return row->count != before->count || row->timed != before->timed ||
	       row->bytes != before->bytes;
}

static int sort_row(struct live_call_rows *rows, const struct call_row_key *key,
		    const struct call_row *row)
{
	const struct live_call_row *kept = rows->size ? row_place(rows, key) : NULL;

	if (kept && kept->is_used && !has_more(row, &kept->row)) {
		if (!need_room((void **)&rows->old, rows->old_count, &rows->old_room,
			       sizeof(rows->old[0])))
			return -ENOMEM;
		rows->old[rows->old_count++] = *key;
		return 0;
	}
	if (!row->count && !row->timed)
		return 0;
	if (!need_room((void **)&rows->fresh, rows->fresh_count, &rows->fresh_room,
		       sizeof(rows->fresh[0])))
		return -ENOMEM;
	rows->fresh[rows->fresh_count++] = (struct live_call_row){*key, true, *row};
	return 0;
}

/* Reads all rows. Returns 0 or -errno. */
static int read_rows(struct live_call_rows *rows, const struct live_call_maps *maps)
{
	struct call_row_key keys[ROWS_AT_ONCE];
	uint32_t place = 0, count;
	bool is_first = true;
	int r = 0;

	while (r == 0) {
		const struct call_row *values = rows->values;

		count = ROWS_AT_ONCE;
		r = bpf_map_lookup_batch(maps->rows, is_first ? NULL : &place, &place, keys,
					 rows->values, &count, NULL)
			    ? -errno
			    : 0;
		if (r && r != -ENOENT)
			return r;
		is_first = false;
		for (uint32_t i = 0; i < count; i++) {
			struct call_row row =
				sum_of(values + (size_t)i * parts_of(maps), parts_of(maps));
			int failed = sort_row(rows, &keys[i], &row);

			if (failed)
				return failed;
		}
	}
	return 0;
}

static int give_row(struct live_call_rows *rows, const struct live_call_taker *taker,
		    const struct live_call_row *fresh, bool is_last)
{
	struct live_call_row *kept;
	struct call_row before = {0}, row;

	if (rows->count >= rows->size / 2 && !grow(rows))
		return -ENOMEM;
	kept = row_place(rows, &fresh->key);
	if (kept->is_used)
		before = kept->row;
	row = difference(&fresh->row, &before);
	row.last_ns += row.last_ns ? rows->offset_ns : 0;
	if (!taker->take(taker->context, &fresh->key, &row, is_last))
		return 0;
	rows->count += !kept->is_used;
	*kept = *fresh;
	return 0;
}

/* Removes a row, and gives what was counted until then. Before 5.14 these are two steps. */
static int remove_row(struct live_call_rows *rows, const struct live_call_maps *maps,
		      const struct live_call_taker *taker, const struct call_row_key *key)
{
	struct live_call_row last = {*key, true, {0}};
	uint32_t place, of_place, all = CALL_ROW_USERS;
	int r = 0;

	if (bpf_map_lookup_and_delete_elem(maps->rows, key, &last.row) &&
	    (bpf_map_lookup_elem(maps->rows, key, &last.row) ||
	     bpf_map_delete_elem(maps->rows, key)))
		return 0;
	if (has_more(&last.row, &row_place(rows, key)->row))
		r = give_row(rows, taker, &last, true);
	forget(rows, key);
	place = last.row.place % CALL_ROW_USERS;
	of_place = place + CALL_ROW_USERS;
	rows->removed[place] += place != 0;
	rows->removed[0]++;
	bpf_map_update_elem(maps->users, &of_place, &rows->removed[place], BPF_ANY);
	bpf_map_update_elem(maps->users, &all, &rows->removed[0], BPF_ANY);
	return r;
}

static int compare_times(const void *a, const void *b)
{
	const struct live_call_row *one = a, *other = b;

	return (one->row.last_ns > other->row.last_ns) - (one->row.last_ns < other->row.last_ns);
}

int live_call_rows_take(struct live_call_rows *rows, const struct live_call_taker *taker)
{
	const struct live_call_maps *maps = &rows->maps;
	int r;

	if (!rows->values)
		rows->values =
			calloc((size_t)ROWS_AT_ONCE * parts_of(maps), sizeof(struct call_row));
	if (!rows->values)
		return -ENOMEM;
	rows->fresh_count = rows->old_count = 0;
	r = read_rows(rows, maps);
	if (is_of_threads(maps) && rows->fresh_count)
		qsort(rows->fresh, rows->fresh_count, sizeof(rows->fresh[0]), compare_times);
	for (uint32_t i = 0; i < rows->fresh_count && r == 0; i++)
		r = give_row(rows, taker, &rows->fresh[i], false);
	for (uint32_t i = 0; is_of_threads(maps) && i < rows->old_count && r == 0; i++)
		if (rows->old[i].event && taker->is_over &&
		    taker->is_over(taker->context, &rows->old[i],
				   &row_place(rows, &rows->old[i])->row))
			r = remove_row(rows, maps, taker, &rows->old[i]);
	return r;
}

void live_call_rows_finish(struct live_call_rows *rows)
{
	free(rows->list);
	free(rows->values);
	free(rows->fresh);
	free(rows->old);
	*rows = (struct live_call_rows){0};
}
