/* SPDX-License-Identifier: MIT */
/* The table of libraries: who holds them, and which of them were written to. */
#include "scap/tls/libraries.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static struct tls_libraries libraries;

/*
 * Returns a descriptor of a new file, which is a library of the table from then on, of that owner.
 */
static int add_of(uint64_t owner)
{
	char path[] = "/tmp/tls_libraries_XXXXXX";
	static const struct tls_library functions;
	int fd = mkstemp(path);
	struct tls_file file;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(pwrite(fd, "one", 3, 0), 3);
	assert_int_equal(tls_file_look(fd, &file), 0);
	assert_non_null(tls_libraries_add(&libraries, fd, tls_libraries_watch(&libraries, fd),
					  &file, owner, &functions));
	return fd;
}

static int add(void)
{
	return add_of(1);
}

static struct tls_followed *find(int fd)
{
	struct tls_file file;

	assert_int_equal(tls_file_look(fd, &file), 0);
	return tls_libraries_find(&libraries, &file);
}

/* Same length, same time. */
static void write_in_secret(int fd)
{
	struct stat before;

	assert_int_equal(fstat(fd, &before), 0);
	assert_int_equal(pwrite(fd, "two", 3, 0), 3);
	assert_int_equal(futimens(fd, (struct timespec[]){before.st_atim, before.st_mtim}), 0);
}

static size_t take_all(void)
{
	size_t count = 0;

	for (int i = 0; i < 4096; i++)
		count += tls_libraries_take_writes(&libraries);
	return count;
}

static void test_written(void **state)
{
	int written, other;

	tls_libraries_begin(&libraries);
	written = add();
	other = add();
	assert_int_equal(take_all(), 0);
	write_in_secret(written);
	assert_int_equal(take_all(), 1);
	assert_null(find(written));
	assert_non_null(find(other));
	tls_libraries_end(&libraries);
	close(written);
	close(other);
}

static long queued_max(void)
{
	FILE *file = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
	long count = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld", &count), 1);
	fclose(file);
	return count;
}

/* More writes than fit into the queue of inotify: changed files are found by comparing all. */
static void test_too_many_writes(void **state)
{
	int noisy[2], written, other;
	long count = queued_max();

	if (count > 1 << 16)
		skip();
	tls_libraries_begin(&libraries);
	for (int i = 0; i < 2; i++)
		noisy[i] = add();
	written = add();
	other = add();
	for (long i = 0; i < count + 2; i++)
		assert_int_equal(pwrite(noisy[i % 2], "one", 3, 0), 3);
	/* The time of a file advances by jiffies. */
	usleep(20000);
	write_in_secret(written);
	assert_int_equal(take_all(), 3);
	assert_null(find(written));
	assert_non_null(find(other));
	tls_libraries_end(&libraries);
	for (int i = 0; i < 2; i++)
		close(noisy[i]);
	close(written);
	close(other);
}

/* A process has what was seen in it last, and others keep what they have. */
static void test_holders(void **state)
{
	int one, two;

	tls_libraries_begin(&libraries);
	one = add();
	two = add();
	tls_library_hold(find(one), 7);
	tls_library_hold(find(one), 8);
	tls_library_hold(find(two), 7);
	tls_libraries_see_anew(&libraries);
	tls_library_hold(find(two), 7);
	tls_libraries_let_go_unseen(&libraries, 7);
	assert_int_equal(find(one)->holders[0] + find(one)->holders[1] + find(one)->holders[2] +
				 find(one)->holders[3],
			 8);
	assert_int_equal(find(two)->holders[0] + find(two)->holders[1] + find(two)->holders[2] +
				 find(two)->holders[3],
			 7);
	/* Neither number is one of a process. */
	tls_libraries_drop_ended(&libraries, "/nothing", 1);
	assert_int_equal(find(one)->unheld_ms, 1);
	assert_int_equal(find(two)->unheld_ms, 1);
	tls_libraries_end(&libraries);
	close(one);
	close(two);
}

/* Who has most gives way, and what two have counts as that of who has less. */
static void test_owners(void **state)
{
	enum { GREEDY = 1, OTHER, THIRD };
	int fds[TLS_LIBRARIES_MAX + 1];

	tls_libraries_begin(&libraries);
	for (int i = 0; i < TLS_LIBRARIES_MAX; i++)
		fds[i] = add_of(GREEDY);
	tls_library_own(&libraries, find(fds[0]), OTHER);
	fds[TLS_LIBRARIES_MAX] = add_of(THIRD);
	assert_non_null(find(fds[0]));
	assert_null(find(fds[1]));
	assert_int_equal(find(fds[0])->owner, OTHER);
	/* Not the other way round. */
	tls_library_own(&libraries, find(fds[0]), GREEDY);
	assert_int_equal(find(fds[0])->owner, OTHER);
	tls_libraries_end(&libraries);
	for (int i = 0; i <= TLS_LIBRARIES_MAX; i++)
		close(fds[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_owners),
	cmocka_unit_test(test_written),
	cmocka_unit_test(test_too_many_writes),
	cmocka_unit_test(test_holders),
};

UNIT_GROUP(tests);
