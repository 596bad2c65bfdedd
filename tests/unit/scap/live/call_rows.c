/* SPDX-License-Identifier: MIT */
/* Rows of calls, which the test counts in the place of programs. */
#include "scap/live/call_rows.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "scap/live/loaded.h"
#include "unit.h"

enum { CPUS = 2, ROWS = 64, PLACE = 4 };

static int maps[LIVE_MAPS];

static int create(enum bpf_map_type type)
{
	maps[LIVE_MAP_CALL_ROWS] = bpf_map_create(type, "rows", sizeof(struct call_row_key),
						  sizeof(struct call_row), ROWS, NULL);
	maps[LIVE_MAP_CALL_ROW_USERS] =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "users", sizeof(uint32_t), sizeof(uint32_t),
			       2 * CALL_ROW_USERS, NULL);
	return maps[LIVE_MAP_CALL_ROWS] < 0 && errno != EPERM;
}

static int setup(void **state)
{
	return create(BPF_MAP_TYPE_HASH);
}

static int teardown(void **state)
{
	if (maps[LIVE_MAP_CALL_ROWS] >= 0)
		close(maps[LIVE_MAP_CALL_ROWS]);
	if (maps[LIVE_MAP_CALL_ROW_USERS] >= 0)
		close(maps[LIVE_MAP_CALL_ROW_USERS]);
	return 0;
}

static struct call_row_key key_of(uint32_t tid)
{
	return (struct call_row_key){.event = 5, .tid = tid, .uid = 3, .program = tid};
}

static void count_calls(uint32_t tid, uint64_t count, uint64_t last_ns)
{
	const struct call_row_key key = key_of(tid);
	const struct call_row row = {
		.count = count, .bytes = 10 * count, .last_ns = last_ns, .place = PLACE};

	assert_int_equal(bpf_map_update_elem(maps[LIVE_MAP_CALL_ROWS], &key, &row, BPF_ANY), 0);
}

static bool has_row(uint32_t tid)
{
	const struct call_row_key key = key_of(tid);
	struct call_row row;

	return bpf_map_lookup_elem(maps[LIVE_MAP_CALL_ROWS], &key, &row) == 0;
}

/* What was given. */
struct given {
	uint64_t calls[8], bytes; /* by thread; of all */
	uint32_t order[8], count;
	uint64_t lost[ROW_LOSSES];
	uint32_t refused, over; /* threads */
	uint64_t counts_on; /* what the row that is over has when it is removed */
};

static bool take(void *context, const struct call_row_key *key, const struct call_row *row,
		 bool is_last)
{
	struct given *given = context;

	if (!key->event) {
		given->lost[key->error] += row->count;
		return true;
	}
	if (key->tid == given->refused && !is_last)
		return false;
	assert_true(key->tid < 8 && given->count < 8);
	given->calls[key->tid] += row->count;
	given->bytes += row->bytes;
	given->order[given->count++] = key->tid;
	return true;
}

static bool is_over(void *context, const struct call_row_key *key, const struct call_row *row)
{
	const struct given *given = context;

	if (key->tid != given->over)
		return false;
	if (given->counts_on)
		count_calls(key->tid, given->counts_on, 900);
	return true;
}

static void read_calls(struct live_call_rows *rows, struct given *given)
{
	const struct live_call_taker taker = {given, take, is_over};

	memset(given->calls, 0, sizeof(given->calls));
	given->count = 0;
	assert_int_equal(live_call_rows_take(rows, &taker), 0);
}

static void begin(struct live_call_rows *rows, uint32_t by)
{
	*rows = (struct live_call_rows){.maps.by = by};
	live_call_rows_use(rows, maps, CPUS);
	assert_int_equal(live_call_rows_begin(maps[LIVE_MAP_CALL_ROWS], CPUS), 0);
}

/* Each call is given once, by the time of the last one; what is refused comes again. */
static void test_threads(void **state)
{
	struct live_call_rows rows;
	struct given given = {.refused = 2};

	if (maps[LIVE_MAP_CALL_ROWS] < 0)
		skip();
	begin(&rows, BY_THREAD);
	count_calls(1, 3, 200);
	count_calls(2, 4, 300);
	count_calls(3, 1, 100);
	read_calls(&rows, &given);
	assert_int_equal(given.count, 2);
	assert_int_equal(given.order[0], 3);
	assert_int_equal(given.order[1], 1);
	assert_int_equal(given.calls[1], 3);
	assert_int_equal(given.bytes, 40);
	given.refused = 0;
	count_calls(1, 5, 400);
	read_calls(&rows, &given);
	assert_int_equal(given.calls[1], 2);
	assert_int_equal(given.calls[2], 4);
	assert_int_equal(given.calls[3], 0);
	live_call_rows_finish(&rows);
}

/* The row of a thread that has ended goes when it has nothing new, and its user has room for one.
 */
static void test_threads_that_end(void **state)
{
	struct live_call_rows rows;
	struct given given = {.over = 1};
	uint32_t place = CALL_ROW_USERS + PLACE, removed;

	if (maps[LIVE_MAP_CALL_ROWS] < 0)
		skip();
	begin(&rows, BY_THREAD);
	count_calls(1, 3, 200);
	count_calls(2, 4, 300);
	read_calls(&rows, &given);
	assert_true(has_row(1));
	read_calls(&rows, &given);
	assert_int_equal(given.count, 0);
	assert_true(!has_row(1) && has_row(2));
	assert_int_equal(bpf_map_lookup_elem(maps[LIVE_MAP_CALL_ROW_USERS], &place, &removed), 0);
	assert_int_equal(removed, 1);
	/* A later thread of the same key begins anew. */
	count_calls(1, 2, 500);
	given.over = 0;
	read_calls(&rows, &given);
	assert_int_equal(given.calls[1], 2);
	live_call_rows_finish(&rows);
}

/* What is counted until a row is removed is given, if not later. */
static void test_removed_while_counted(void **state)
{
	struct live_call_rows rows;
	struct given given = {.over = 1, .counts_on = 5};

	if (maps[LIVE_MAP_CALL_ROWS] < 0)
		skip();
	begin(&rows, BY_THREAD);
	count_calls(1, 3, 200);
	read_calls(&rows, &given);
	given.refused = 1;
	read_calls(&rows, &given);
	assert_false(has_row(1));
	assert_int_equal(given.calls[1], 2);
	live_call_rows_finish(&rows);
}

/* A program counts the bytes of a call behind it. */
static void test_bytes_that_come_later(void **state)
{
	const struct call_row_key key = key_of(1);
	struct call_row row = {.count = 1, .last_ns = 5};
	struct live_call_rows rows;
	struct given given = {0};

	if (maps[LIVE_MAP_CALL_ROWS] < 0)
		skip();
	begin(&rows, BY_THREAD);
	assert_int_equal(bpf_map_update_elem(maps[LIVE_MAP_CALL_ROWS], &key, &row, BPF_ANY), 0);
	read_calls(&rows, &given);
	row.bytes = 7;
	assert_int_equal(bpf_map_update_elem(maps[LIVE_MAP_CALL_ROWS], &key, &row, BPF_ANY), 0);
	read_calls(&rows, &given);
	assert_int_equal(given.bytes, 7);
	assert_int_equal(given.calls[1], 0);
	live_call_rows_finish(&rows);
}

/* Calls that find no room are counted by cause. */
static void test_losses(void **state)
{
	const struct call_row_key full = {.error = ROW_LOSS_FULL},
				  share = {.error = ROW_LOSS_SHARE};
	struct live_call_rows rows;
	struct given given = {0};

	if (maps[LIVE_MAP_CALL_ROWS] < 0)
		skip();
	begin(&rows, BY_THREAD);
	assert_int_equal(bpf_map_update_elem(maps[LIVE_MAP_CALL_ROWS], &full,
					     &(struct call_row){.count = 7}, BPF_EXIST),
			 0);
	assert_int_equal(bpf_map_update_elem(maps[LIVE_MAP_CALL_ROWS], &share,
					     &(struct call_row){.count = 9}, BPF_EXIST),
			 0);
	read_calls(&rows, &given);
	read_calls(&rows, &given);
	assert_int_equal(given.lost[ROW_LOSS_FULL], 7);
	assert_int_equal(given.lost[ROW_LOSS_SHARE], 9);
	live_call_rows_finish(&rows);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
	cmocka_unit_test_setup_teardown(test_threads_that_end, setup, teardown),
	cmocka_unit_test_setup_teardown(test_removed_while_counted, setup, teardown),
	cmocka_unit_test_setup_teardown(test_bytes_that_come_later, setup, teardown),
	cmocka_unit_test_setup_teardown(test_losses, setup, teardown),
};

UNIT_GROUP(tests);
