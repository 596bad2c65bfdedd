/* SPDX-License-Identifier: MIT */
/* What is inlined at two places of a program: what is kept of it, and what there is no time for. */
#include "profile/names/kept_inlines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "perf/symbol.h"
#include "tree.h"
#include "unit.h"

enum { A, B, PLACES };

static struct tree tree;
static struct stack_file file;
static uint64_t places[PLACES];
static struct kept_inlines all;
static const struct symbol_inlines_limit none;

static int make_program(void **state)
{
	static const char source[] =
		"static volatile int sink;\n"
		"__attribute__((always_inline)) static inline void inner(int n) { sink += n; }\n"
		"__attribute__((noinline)) void a(int n) { inner(n); }\n"
		"__attribute__((noinline)) void b(int n) { inner(2 * n); }\n"
		"int main(int argc, char **argv) { a(argc); b(argc); return 0; }\n";
	char command[TREE_PATH_BYTES + 64], reason[PERF_REASON_BYTES];
	static char path[TREE_PATH_BYTES];

	tree_create(&tree);
	tree_write(&tree, "source.c", source);
	tree_path(&tree, "program", path);
	snprintf(command, sizeof(command), "cd %s && gcc -O2 -g -o program source.c", tree.path);
	assert_int_equal(system(command), 0);
	assert_int_equal(perf_symbol_find(path, "a", &places[A], reason), 0);
	assert_int_equal(perf_symbol_find(path, "b", &places[B], reason), 0);
	places[A]++;
	places[B]++;
	assert_true(places[A] < places[B]);
	file = (struct stack_file){
		.path = path, .ino = 7, .ctime_ns = 1, .fd = open(path, O_RDONLY | O_CLOEXEC)};
	assert_true(file.fd >= 0);
	return 0;
}

static int remove_program(void **state)
{
	close(file.fd);
	tree_destroy(&tree);
	return 0;
}

static struct kept_owner *owner(void)
{
	return &all.owners[all.owner];
}

static void begin(uint64_t ns_each_s)
{
	assert_int_equal(kept_inlines_begin(&all, ns_each_s, 2), 0);
}

/* How many functions are inlined at a place; fails if it was not sought. */
static uint32_t inlined_at(const struct kept_inlined *kept, uint64_t place)
{
	for (size_t i = 0; i < kept->count; i++)
		if (kept->places[i] == place)
			return kept->inlines.first[i + 1] - kept->inlines.first[i];
	fail_msg("the place was not sought");
	return 0;
}

static const struct kept_inlined *get(const struct stack_file *of, int fd, size_t first,
				      size_t count)
{
	struct stack_file other = *of;
	const struct kept_inlined *kept;

	other.fd = fd;
	kept = kept_inlines_get(&all, &other, -1, places + first, count, &none);
	assert_non_null(kept);
	return kept;
}

static void keeps_what_was_read(void **state)
{
	const struct kept_inlined *kept;

	begin(1000000000);
	kept = get(&file, file.fd, A, 1);
	assert_false(kept->lacks);
	assert_int_equal(inlined_at(kept, places[A]), 1);
	/* It is not read again: it could not be. */
	kept = get(&file, -1, A, 1);
	assert_false(kept->lacks);
	assert_int_equal(inlined_at(kept, places[A]), 1);
	kept = get(&file, -1, A, PLACES);
	assert_true(kept->lacks);
	assert_int_equal(kept->count, 1);
	/* What was known stays known. */
	kept = get(&file, file.fd, B, 1);
	assert_false(kept->lacks);
	kept = get(&file, -1, A, PLACES);
	assert_false(kept->lacks);
	assert_int_equal(inlined_at(kept, places[A]) + inlined_at(kept, places[B]), 2);
	assert_true(kept->bytes > PLACES * sizeof(uint64_t) && all.bytes == kept->bytes);
	kept_inlines_finish(&all);
}

static void waits_for_time(void **state)
{
	const struct kept_inlined *kept;
	int64_t before;

	begin(0);
	kept = get(&file, file.fd, A, 1);
	assert_true(kept->lacks && kept->wants_ns > 10000);
	owner()->credit_ns = 10000;
	assert_int_equal(get(&file, file.fd, A, 1)->count, 0);
	/* It takes more than there is. */
	all.kept[0].wants_ns = owner()->credit_ns = 1;
	(void)get(&file, file.fd, A, 1);
	assert_true(owner()->credit_ns < 0);
	before = owner()->credit_ns;
	kept = get(&file, file.fd, A, PLACES);
	assert_true(kept->lacks);
	assert_int_equal(owner()->credit_ns, before);
	/* Until there was time enough for it. */
	owner()->credit_ns = (int64_t)kept->wants_ns - 1;
	assert_true(get(&file, file.fd, A, PLACES)->lacks);
	owner()->credit_ns = KEPT_INLINES_CREDIT_NS;
	kept = get(&file, file.fd, A, PLACES);
	assert_false(kept->lacks);
	assert_int_equal(inlined_at(kept, places[B]), 1);
	assert_true(owner()->credit_ns < KEPT_INLINES_CREDIT_NS);
	kept_inlines_finish(&all);
	/* What comes in adds up to a limit. */
	begin(UINT64_C(1000000000000));
	assert_int_equal(owner()->credit_ns, KEPT_INLINES_CREDIT_NS);
	kept_inlines_finish(&all);
}

static bool is_over(void *context)
{
	return true;
}

/* What the caller's limit ended is tried again, and what was known before stays. */
static void is_ended_by_others(void **state)
{
	const struct symbol_inlines_limit over = {is_over, NULL};
	const struct kept_inlined *kept;

	begin(1000000000);
	assert_int_equal(inlined_at(get(&file, file.fd, A, 1), places[A]), 1);
	kept = kept_inlines_get(&all, &file, -1, places, PLACES, &over);
	assert_non_null(kept);
	assert_int_equal(inlined_at(kept, places[A]), 1);
	assert_false(get(&file, file.fd, A, PLACES)->lacks);
	kept_inlines_finish(&all);
}

/* Files with inodes from `first` on, in turn; returns of how many not all is known. */
static size_t get_many(uint64_t first, size_t count)
{
	struct stack_file other = file;
	size_t lacks = 0;

	for (uint64_t i = 0; i < count; i++) {
		other.ino = first + i;
		lacks += get(&other, file.fd, A, 1)->lacks;
	}
	return lacks;
}

/* Of more files than there are places those that were first stay. */
static void keeps_those_that_it_has(void **state)
{
	begin(1000000000);
	for (int set = 0; set < 2; set++) {
		owner()->credit_ns = KEPT_INLINES_CREDIT_NS;
		assert_int_equal(get_many(1000, KEPT_INLINES_FILES_MAX + 10), 10);
		assert_int_equal(all.count, KEPT_INLINES_FILES_MAX);
	}
	/* None was read in the second turn: there is no time for it. */
	owner()->credit_ns = 0;
	assert_int_equal(get_many(1000, KEPT_INLINES_FILES_MAX), 0);
	/* What was not used for two sets gives way. */
	owner()->credit_ns = KEPT_INLINES_CREDIT_NS;
	all.kept[7].used_ns -= all.stays_ns + 1000000000;
	assert_int_equal(get_many(5000, 2), 1);
	kept_inlines_finish(&all);
}

/* What has more bytes than there is room for gives way, and can be read again. */
static void has_no_more_bytes_than_it_may(void **state)
{
	struct stack_file other = file;
	const struct kept_inlined *kept;

	begin(1000000000);
	get(&file, file.fd, A, 1);
	all.kept[0].bytes += KEPT_INLINES_BYTES_MAX;
	all.bytes += KEPT_INLINES_BYTES_MAX;
	owner()->bytes += KEPT_INLINES_BYTES_MAX;
	other.ino++;
	kept = get(&other, file.fd, A, 1);
	assert_int_equal(inlined_at(kept, places[A]), 1);
	assert_true(all.bytes == kept->bytes && owner()->bytes == kept->bytes);
	assert_true(get(&file, -1, A, 1)->lacks);
	assert_false(get(&file, file.fd, A, 1)->lacks);
	kept_inlines_finish(&all);
}

/* Who has all the places gives them to others, until they have as many. */
static void shares_places(void **state)
{
	begin(1000000000);
	kept_inlines_own(&all, "greedy");
	owner()->credit_ns = KEPT_INLINES_CREDIT_NS;
	assert_int_equal(get_many(1000, 2 * KEPT_INLINES_FILES_MAX), KEPT_INLINES_FILES_MAX);
	kept_inlines_own(&all, "other");
	owner()->credit_ns = KEPT_INLINES_CREDIT_NS;
	assert_int_equal(get_many(3000, KEPT_INLINES_FILES_MAX), KEPT_INLINES_FILES_MAX / 2);
	assert_int_equal(owner()->files, KEPT_INLINES_FILES_MAX / 2);
	kept_inlines_own(&all, "greedy");
	owner()->credit_ns = KEPT_INLINES_CREDIT_NS;
	assert_int_equal(get_many(5000, KEPT_INLINES_FILES_MAX), KEPT_INLINES_FILES_MAX);
	kept_inlines_own(&all, "other");
	owner()->credit_ns = 0;
	assert_int_equal(get_many(3000, KEPT_INLINES_FILES_MAX / 2), 0);
	kept_inlines_finish(&all);
}

/* Who takes all of its time takes none of others'. */
static void shares_time(void **state)
{
	int64_t first;

	begin(1000000);
	first = owner()->credit_ns;
	assert_int_equal(first, 2 * 1000000);
	kept_inlines_own(&all, "greedy");
	assert_int_equal(owner()->credit_ns, first / 2);
	owner()->credit_ns = -KEPT_INLINES_CREDIT_NS;
	kept_inlines_own(&all, "other");
	assert_int_equal(owner()->credit_ns, first / 3);
	/* Each has its share of what comes in. */
	for (int i = 0; i < 2; i++) {
		int64_t before;

		kept_inlines_own(&all, i ? "greedy" : "other");
		before = owner()->credit_ns;
		owner()->credited_ns -= UINT64_C(3000000000);
		kept_inlines_own(&all, i ? "greedy" : "other");
		assert_in_range(owner()->credit_ns - before, 990000, 5000000);
	}
	/* One that is not there any more has no share, and no files. */
	(void)get(&file, -1, A, 1);
	assert_int_equal(all.count, 1);
	owner()->used_ns -= all.stays_ns + 1000000000;
	kept_inlines_own(&all, "other");
	assert_int_equal(all.count, 0);
	kept_inlines_finish(&all);
}

/* Large files are read, too, when there is all the time that can be. */
static void reads_large_files(void **state)
{
	struct stack_file large = file;
	char path[TREE_PATH_BYTES];

	tree_path(&tree, "program", path);
	large.ino = 9;
	assert_int_equal(truncate(path, (off_t)300 << 20), 0);
	begin(1000000000);
	owner()->credit_ns = KEPT_INLINES_CREDIT_NS - 1;
	assert_true(get(&large, file.fd, A, 1)->lacks);
	owner()->credit_ns = KEPT_INLINES_CREDIT_NS;
	assert_false(get(&large, file.fd, A, 1)->lacks);
	kept_inlines_finish(&all);
}

static void knows_files_without_any(void **state)
{
	struct stack_file bare = file;
	char command[TREE_PATH_BYTES + 64], path[TREE_PATH_BYTES];
	const struct kept_inlined *kept;

	tree_path(&tree, "bare", path);
	snprintf(command, sizeof(command), "cd %s && strip -o bare program", tree.path);
	assert_int_equal(system(command), 0);
	bare.ino = 8;
	bare.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(bare.fd >= 0);
	begin(1000000000);
	kept = get(&bare, bare.fd, A, PLACES);
	assert_int_equal(kept->error, -ENOENT);
	assert_false(kept->lacks);
	close(bare.fd);
	/* It takes no place, and is known without being read. */
	assert_int_equal(all.count, 0);
	assert_false(get(&bare, -1, A, PLACES)->lacks);
	kept_inlines_finish(&all);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(keeps_what_was_read),
	cmocka_unit_test(waits_for_time),
	cmocka_unit_test(is_ended_by_others),
	cmocka_unit_test(keeps_those_that_it_has),
	cmocka_unit_test(has_no_more_bytes_than_it_may),
	cmocka_unit_test(shares_places),
	cmocka_unit_test(shares_time),
	cmocka_unit_test(knows_files_without_any),
	cmocka_unit_test(reads_large_files),
};

UNIT_GROUP(tests, .setup = make_program, .teardown = remove_program);
