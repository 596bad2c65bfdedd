/* SPDX-License-Identifier: MIT */
/* Descriptor tables: chunks, sharing between forks, close-on-exec, the common limit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/fds.h"
#include "unit.h"

/* Of a chunk of 32 numbers: four counters, a bit, a byte and a pointer for each number. */
enum { CHUNK_UNITS = (5 * 4 + 32 + 32 * 8 + 4) / HOLDER_UNIT_BYTES };

struct fixture {
	struct pool pool;
	struct state_fd_store store;
	struct state_fds *fds;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){.store.max = 1000};
	fixture.store.pool = &fixture.pool;
	fixture.fds = state_fds_create(&fixture.store);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	state_fds_unref(fixture->fds);
	assert_int_equal(fixture->store.count, 0);
	pool_finish(&fixture->pool);
	return 0;
}

static struct state_fd *open_number(struct state_fds *fds, int64_t num)
{
	char name[32];
	int len = snprintf(name, sizeof(name), "/n%lld", (long long)num);

	return state_fds_open(fds, num, name, (size_t)len);
}

static bool has(const struct state_fds *fds, int64_t num)
{
	const struct state_fd *fd = state_fds_find(fds, num);
	char name[32];

	snprintf(name, sizeof(name), "/n%lld", (long long)num);
	return fd && strcmp(fd->name, name) == 0;
}

static void holds_numbers_far_apart(void **state)
{
	struct fixture *fixture = *state;
	static const int64_t nums[] = {1000000, 0, 31, 32, INT32_MAX, 5, 999999, 64, 2000, 33};
	const size_t count = sizeof(nums) / sizeof(*nums);
	struct state_fd *fd;
	int64_t num = 0, last = -1;
	size_t seen = 0;

	for (size_t i = 0; i < count; i++)
		assert_non_null(open_number(fixture->fds, nums[i]));
	for (size_t i = 0; i < count; i++)
		assert_true(has(fixture->fds, nums[i]));
	assert_int_equal(state_fds_count(fixture->fds), count);
	assert_int_equal(fixture->store.count, count);
	for (; (fd = state_fds_next(fixture->fds, &num)); num++) {
		assert_true(num > last);
		assert_true(has(fixture->fds, num));
		last = num;
		seen++;
	}
	assert_int_equal(seen, count);
	for (size_t i = 0; i < count; i++) {
		state_fds_close(fixture->fds, nums[i]);
		assert_null(state_fds_find(fixture->fds, nums[i]));
	}
	num = 0;
	assert_null(state_fds_next(fixture->fds, &num));
}

static void rejects_what_is_no_number(void **state)
{
	struct fixture *fixture = *state;
	static const int64_t nums[] = {-1, -100, INT64_MIN, INT64_MAX, (int64_t)INT32_MAX + 1};

	open_number(fixture->fds, 0);
	for (size_t i = 0; i < sizeof(nums) / sizeof(*nums); i++) {
		int64_t num = nums[i];

		assert_null(state_fds_find(fixture->fds, num));
		assert_null(open_number(fixture->fds, num));
		assert_null(state_fds_dup(fixture->fds, 0, num));
		assert_null(state_fds_dup(fixture->fds, num, 0));
		assert_null(state_fds_next(fixture->fds, &num));
		state_fds_note_asked(fixture->fds, num);
		assert_true(state_fds_asked(fixture->fds, num));
		state_fds_close(fixture->fds, num);
		state_fds_set_cloexec(fixture->fds, num, true);
		assert_false(state_fds_cloexec(fixture->fds, num));
	}
	assert_int_equal(state_fds_count(fixture->fds), 1);
}

static void costs_little_for_a_single_large_number(void **state)
{
	struct fixture *fixture = *state;

	enum { CHUNKS = UNIT_ROUNDS(1000000), IN_CHUNK = 32 };

	/* Were they kept, the chunks of so many numbers would take hundreds of slabs. */
	for (int64_t num = 0; num < CHUNKS * IN_CHUNK; num += IN_CHUNK) {
		assert_non_null(open_number(fixture->fds, num));
		state_fds_close(fixture->fds, num);
	}
	assert_true(fixture->pool.held < 1 << 20);
}

static void copies_do_not_change_each_other(void **state)
{
	struct fixture *fixture = *state;
	struct state_fds *copy;

	for (int64_t num = 0; num < 100; num++)
		open_number(fixture->fds, num);
	state_fds_set_cloexec(fixture->fds, 7, true);
	copy = state_fds_copy(fixture->fds);
	assert_int_equal(fixture->store.count, 200);
	/* The open file is the same one. */
	assert_ptr_equal(state_fds_find(copy, 50), state_fds_find(fixture->fds, 50));
	assert_true(state_fds_cloexec(copy, 7));
	state_fds_close(copy, 50);
	state_fds_set_cloexec(copy, 51, true);
	state_fds_close(fixture->fds, 52);
	open_number(fixture->fds, 100);
	assert_true(has(fixture->fds, 50));
	assert_false(state_fds_cloexec(fixture->fds, 51));
	assert_true(has(copy, 52));
	assert_null(state_fds_find(copy, 100));
	assert_int_equal(state_fds_count(copy), 99);
	assert_int_equal(state_fds_count(fixture->fds), 100);
	state_fds_unref(copy);
	assert_true(has(fixture->fds, 99));
	assert_int_equal(fixture->store.count, 100);
}

static void shares_by_reference(void **state)
{
	struct fixture *fixture = *state;

	assert_false(state_fds_shared(fixture->fds));
	state_fds_ref(fixture->fds);
	assert_true(state_fds_shared(fixture->fds));
	state_fds_unref(fixture->fds);
	assert_false(state_fds_shared(fixture->fds));
	state_fds_unref(NULL);
}

static void exec_closes_what_is_marked(void **state)
{
	struct fixture *fixture = *state;
	struct state_fds *copy;

	for (int64_t num = 0; num < 300; num++) {
		open_number(fixture->fds, num);
		state_fds_set_cloexec(fixture->fds, num, num % 3 == 0 || num >= 256);
	}
	copy = state_fds_copy(fixture->fds);
	state_fds_exec(copy);
	for (int64_t num = 0; num < 300; num++) {
		assert_int_equal(has(copy, num), num % 3 != 0 && num < 256);
		assert_true(has(fixture->fds, num));
	}
	state_fds_unref(copy);
}

static void renames(void **state)
{
	struct fixture *fixture = *state;
	struct state_fd *fd = open_number(fixture->fds, 1);
	static char huge[UINT16_MAX + 1];

	memset(huge, 'x', sizeof(huge));
	assert_true(state_fd_rename(&fixture->store, fd, "other", 5));
	assert_string_equal(fd->name, "other");
	assert_true(state_fd_rename(&fixture->store, fd, "", 0));
	assert_string_equal(fd->name, "");
	assert_false(state_fd_rename(&fixture->store, fd, huge, sizeof(huge)));
	assert_string_equal(fd->name, "");
	assert_null(state_fds_open(fixture->fds, 2, huge, sizeof(huge)));
}

static void keeps_both_names(void **state)
{
	struct fixture *fixture = *state;
	struct state_fds *fds = fixture->fds;
	struct state_fd *fd = state_fds_open_given(fds, 1, "/a/b", 4, "b", 1);
	static char huge[UINT16_MAX + 1];
	size_t len, held;

	assert_string_equal(fd->name, "/a/b");
	assert_string_equal(state_fd_given_name(fd, &len), "b");
	assert_int_equal(len, 1);
	memset(huge, 'x', sizeof(huge));
	assert_false(state_fd_set_names(&fixture->store, fd, "y", 1, huge, sizeof(huge)));
	assert_string_equal(fd->name, "/a/b");
	assert_true(state_fd_set_names(&fixture->store, fd, "/c", 2, "../c", 4));
	assert_string_equal(fd->name, "/c");
	assert_string_equal(state_fd_given_name(fd, &len), "../c");
	assert_true(state_fd_rename(&fixture->store, fd, "other", 5));
	assert_string_equal(state_fd_given_name(fd, &len), "other");
	assert_int_equal(len, 5);
	/* Both go back to where they came from. */
	held = fixture->pool.held;
	for (int i = 0; i < 100000; i++)
		assert_non_null(state_fds_open_given(fds, 1, "/some/where/else/than/that", 26,
						     "../x/y/z/that", 13));
	assert_true(fixture->pool.held <= held + (1 << 16));
}

static void has_ends_on_demand(void **state)
{
	struct fixture *fixture = *state;
	struct state_fd *fd = state_fds_open(fixture->fds, 3, "", 0);
	union state_ends *ends;

	assert_ptr_equal(state_fd_ends(fd), &state_no_ends);
	assert_string_equal(fd->name, "");
	state_fd_set_ino(fd, UINT64_MAX - 1);
	ends = state_fd_make_ends(&fixture->store, fd);
	assert_ptr_equal(state_fd_ends(fd), ends);
	assert_int_equal(ends->dest.port, 0);
	assert_true(state_fd_ino(fd) == UINT64_MAX - 1);
	ends->dest.port = 80;
	state_fd_set_ino(fd, 77);
	assert_true(state_fd_ino(fd) == 77);
	assert_ptr_equal(state_fd_make_ends(&fixture->store, fd), ends);
	assert_int_equal(state_fd_ends(fd)->dest.port, 80);
	/* Another descriptor of another name and back to none. */
	fd = state_fds_open(fixture->fds, 3, "", 0);
	assert_int_equal(state_fd_ends(fd)->dest.port, 0);
	assert_int_equal(state_fd_ino(fd), 0);
	assert_true(state_fd_rename(&fixture->store, fd, "/a", 2));
	assert_true(state_fd_rename(&fixture->store, fd, "", 0));
	assert_string_equal(fd->name, "");
}

static void keeps_to_the_limit(void **state)
{
	struct fixture *fixture = *state;
	struct state_fds *copy;

	for (int64_t num = 0; num < 600; num++)
		assert_non_null(open_number(fixture->fds, num));
	copy = state_fds_copy(fixture->fds);
	assert_int_equal(state_fds_count(copy), 0);
	assert_int_equal(fixture->store.rejected, 600);
	for (int64_t num = 0; num < 400; num++)
		assert_non_null(open_number(copy, num));
	assert_null(open_number(copy, 400));
	assert_int_equal(fixture->store.rejected, 601);
	assert_int_equal(fixture->store.count, 1000);
	/* A number that is open may be opened anew. */
	assert_non_null(open_number(copy, 5));
	state_fds_close(fixture->fds, 0);
	assert_non_null(open_number(copy, 400));
	state_fds_unref(copy);
}

/* Numbers far from each other, and names that grow later, are charged for what they need. */
static void is_charged_for_all(void **state)
{
	struct fixture *fixture = *state;
	struct state_fds *fds = fixture->fds, *copy;
	char name[3200];
	struct state_fd *fd;

	for (int64_t i = 1; i <= 100; i++)
		state_fds_open(fds, i * 32, "", 0);
	assert_int_equal(fixture->store.units, 100 * (CHUNK_UNITS + 1));
	copy = state_fds_copy(fds);
	memset(name, 'x', sizeof(name));
	fd = state_fds_find(fds, 32);
	assert_true(state_fd_rename(&fixture->store, fd, name, sizeof(name)));
	state_fds_recharge(fds, 32);
	state_fds_recharge(fds, 32);
	assert_int_equal(fixture->store.units,
			 2 * 100 * (CHUNK_UNITS + 1) + sizeof(name) / HOLDER_UNIT_BYTES);
	assert_non_null(state_fd_make_ends(&fixture->store, state_fds_find(fds, 64)));
	state_fds_recharge(fds, 64);
	assert_true(fixture->store.units >
		    2 * 100 * (CHUNK_UNITS + 1) + sizeof(name) / HOLDER_UNIT_BYTES);
	state_fds_recharge(fds, 33); /* is not open */
	state_fds_recharge(fds, -1);
	state_fds_unref(copy);
	state_fds_close_range(fds, 0, 100 * 32);
	assert_int_equal(fixture->store.units, 0);
}

/* What a number is charged for is what it gives back, whatever became of its name. */
static void is_charged_exactly(void **state)
{
	struct fixture *fixture = *state;
	struct holder_group *group = holder_group_create();
	struct state_fds *fds = fixture->fds, *copy;
	struct state_fd *fd;

	state_fds_set_group(NULL, group);
	for (int64_t num = 0; num < 100; num++) {
		fd = state_fds_open(fds, num, "/a/name/of/more/than/32/bytes/in/all", 37);
		if (num % 2)
			assert_true(state_fd_rename(&fixture->store, fd, "/b", 2));
	}
	assert_int_equal(fixture->store.units, 4 * CHUNK_UNITS + 200);
	state_fds_set_group(fds, group);
	assert_int_equal(group->holder.units, 4 * CHUNK_UNITS + 200);
	assert_int_equal(fixture->store.host.holder.units, 0);
	copy = state_fds_copy(fds);
	assert_int_equal(group->holder.units, 2 * (4 * CHUNK_UNITS + 200));
	state_fds_close_range(copy, 0, 49);
	state_fds_close(copy, 60);
	/* Its first chunk stays. */
	assert_int_equal(group->holder.units, 2 * 4 * CHUNK_UNITS + 200 + 98);
	state_fds_unref(copy);
	state_fds_close_range(fds, 0, 99);
	assert_int_equal(group->holder.units, CHUNK_UNITS);
	assert_int_equal(fixture->store.units, CHUNK_UNITS);
	state_fds_set_group(fds, NULL);
	assert_int_equal(group->refs, 1);
	holder_group_unref(group);
}

static void gives_back_the_oldest_of_the_largest(void **state)
{
	struct fixture *fixture = *state;
	struct state_fds *small = state_fds_create(&fixture->store);

	assert_false(state_fds_evict(&fixture->store));
	assert_false(state_fds_evict_from(small));
	for (int64_t num = 0; num < 40; num++)
		open_number(small, num);
	for (int64_t num = 0; num < 320; num++)
		open_number(fixture->fds, num);
	for (int64_t left = 288; left >= 64; left -= 32) {
		assert_true(state_fds_evict(&fixture->store));
		assert_int_equal(state_fds_count(fixture->fds), left);
		assert_null(state_fds_find(fixture->fds, 320 - left - 1));
		assert_non_null(state_fds_find(fixture->fds, 320 - left));
	}
	assert_int_equal(state_fds_count(small), 40);
	assert_int_equal(fixture->store.evicted, 256);
	assert_int_equal(fixture->store.count, 64 + 40);
	while (state_fds_evict_from(fixture->fds))
		;
	assert_int_equal(state_fds_count(fixture->fds), 0);
	state_fds_unref(small);
}

static void remembers_what_was_asked(void **state)
{
	struct fixture *fixture = *state;

	assert_false(state_fds_asked(fixture->fds, 0));
	state_fds_note_asked(fixture->fds, 40);
	state_fds_note_asked(fixture->fds, 41);
	state_fds_note_asked(fixture->fds, 42);
	assert_true(state_fds_asked(fixture->fds, 40));
	assert_false(state_fds_asked(fixture->fds, 43));
	open_number(fixture->fds, 40);
	assert_false(state_fds_asked(fixture->fds, 40));
	/* Closed, though it was not known. */
	state_fds_close(fixture->fds, 41);
	assert_false(state_fds_asked(fixture->fds, 41));
	assert_true(state_fds_asked(fixture->fds, 42));
	state_fds_exec(fixture->fds);
	assert_false(state_fds_asked(fixture->fds, 42));
}

/* Neither numbers that were asked for nor rejected ones cost memory. */
/* A copy is of the process that was read, and has its own way from then on. */
static void is_ahead_of_older_events(void **state)
{
	struct fixture *fixture = *state;
	struct state_fds *copy;

	assert_false(state_fds_is_ahead(fixture->fds, 0));
	state_fds_set_read(fixture->fds, 100);
	assert_true(state_fds_is_ahead(fixture->fds, 99));
	assert_false(state_fds_is_ahead(fixture->fds, 100));
	copy = state_fds_copy(fixture->fds);
	assert_false(state_fds_is_ahead(copy, 99));
	state_fds_unref(copy);
}

static void takes_no_memory_for_what_is_not_open(void **state)
{
	struct fixture *fixture = *state;
	size_t held;

	open_number(fixture->fds, 0);
	held = fixture->pool.held;
	for (int64_t num = 0; num < 3200000; num += 32)
		state_fds_note_asked(fixture->fds, num);
	fixture->store.max = 1;
	for (int64_t num = 32; num < 320000; num += 32)
		assert_null(open_number(fixture->fds, num));
	assert_non_null(open_number(fixture->fds, 0));
	assert_int_equal(fixture->pool.held, held);
}

/* Many random changes of two tables, against plain arrays. */
static void agrees_with_a_simple_table(void **state)
{
	struct fixture *fixture = *state;
	enum { NUMBERS = 150 };
	static bool open[2][NUMBERS], cloexec[2][NUMBERS];
	struct state_fds *tables[2] = {fixture->fds, state_fds_create(&fixture->store)};

	srand(1);
	for (int step = 0; step < 100000; step++) {
		int t = rand() % 2, num = rand() % NUMBERS;

		switch (rand() % 200 ? rand() % 4 : 4) {
		case 0:
			assert_non_null(open_number(tables[t], num));
			open[t][num] = true;
			cloexec[t][num] = false;
			break;
		case 1:
			state_fds_close(tables[t], num);
			open[t][num] = cloexec[t][num] = false;
			break;
		case 2:
			state_fds_set_cloexec(tables[t], num, true);
			cloexec[t][num] = open[t][num];
			break;
		case 3:
			assert_int_equal(has(tables[t], num), open[t][num]);
			assert_int_equal(state_fds_cloexec(tables[t], num), cloexec[t][num]);
			break;
		case 4:
			state_fds_unref(tables[1 - t]);
			tables[1 - t] = state_fds_copy(tables[t]);
			memcpy(open[1 - t], open[t], sizeof(open[t]));
			memcpy(cloexec[1 - t], cloexec[t], sizeof(cloexec[t]));
			break;
		}
	}
	fixture->fds = tables[0];
	state_fds_unref(tables[1]);
}

/* Under another number, or in a copy that nobody changed, or in one that was. */
static void tells_who_else_holds_a_file(void **state)
{
	struct fixture *fixture = *state;
	struct state_fds *copy;

	assert_false(state_fds_has_other(fixture->fds, 3));
	state_fds_open(fixture->fds, 3, "a", 1);
	state_fds_open(fixture->fds, 4, "b", 1);
	assert_false(state_fds_has_other(fixture->fds, 3));
	state_fds_dup(fixture->fds, 3, 5);
	assert_true(state_fds_has_other(fixture->fds, 3));
	assert_true(state_fds_has_other(fixture->fds, 5));
	assert_false(state_fds_has_other(fixture->fds, 4));
	copy = state_fds_copy(fixture->fds);
	assert_true(state_fds_has_other(fixture->fds, 4));
	state_fds_close(copy, 3);
	assert_true(state_fds_has_other(fixture->fds, 4));
	state_fds_close(copy, 4);
	assert_false(state_fds_has_other(fixture->fds, 4));
	state_fds_unref(copy);
	assert_true(state_fds_has_other(fixture->fds, 3));
	state_fds_close(fixture->fds, 5);
	assert_false(state_fds_has_other(fixture->fds, 3));
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(holds_numbers_far_apart),
	TEST(rejects_what_is_no_number),
	TEST(costs_little_for_a_single_large_number),
	TEST(copies_do_not_change_each_other),
	TEST(shares_by_reference),
	TEST(exec_closes_what_is_marked),
	TEST(renames),
	TEST(keeps_both_names),
	TEST(has_ends_on_demand),
	TEST(keeps_to_the_limit),
	TEST(is_charged_for_all),
	TEST(is_charged_exactly),
	TEST(gives_back_the_oldest_of_the_largest),
	TEST(remembers_what_was_asked),
	TEST(is_ahead_of_older_events),
	TEST(takes_no_memory_for_what_is_not_open),
	TEST(tells_who_else_holds_a_file),
	TEST(agrees_with_a_simple_table),
};

UNIT_GROUP(tests);
