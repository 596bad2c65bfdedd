/* SPDX-License-Identifier: MIT */
/* What is in files: sizes, room, writing back, the page cache, pipes. */
#include <fcntl.h>

#include "harness/calls.h"
#include "harness/vectors.h"

enum { ALL_BITS = -1 };

/* Offsets and lengths, among them what no file has. */
static const long ranges[][2] = {{0, 100}, {4096, 0}, {-1, 5}, {5, -1}, {1L << 40, 1L << 33}};

#define RANGES (sizeof(ranges) / sizeof(ranges[0]))

static long open_file(void)
{
	long fd;

	fixture_file("file", 200);
	fd = open("file", O_RDWR);
	require(fd > 0);
	return fd;
}

/* Calls on a descriptor with an offset, a length and a number. */
static void check_range(unsigned int id, long number, bool number_last)
{
	static const long numbers[] = {0, 1, 4, 0x100000002, ALL_BITS};
	long fds[] = {open_file(), NO_FD, -1};

	for (size_t i = 0; i < RANGES; i++) {
		for (size_t j = 0; j < sizeof(numbers) / sizeof(numbers[0]); j++) {
			long fd = fds[j % 3], from = ranges[i][0], n = ranges[i][1];
			const struct event *ev;

			if (number_last) {
				ev = next_with_result(id, CALL(number, fd, from, n, numbers[j]));
				expect_numbers(ev, 1, fd, from, n, (uint32_t)numbers[j]);
			} else {
				ev = next_with_result(id, CALL(number, fd, numbers[j], from, n));
				expect_numbers(ev, 1, fd, (uint32_t)numbers[j], from, n);
			}
		}
	}
	close((int)fds[0]);
}

LIVE_TEST(fadvise64)
{
	check_range(EVENT_fadvise64, SYS_fadvise64, true);
}

LIVE_TEST(fallocate)
{
	check_range(EVENT_fallocate, SYS_fallocate, false);
}

LIVE_TEST(sync_file_range)
{
	check_range(EVENT_sync_file_range, SYS_sync_file_range, true);
}

LIVE_TEST(readahead)
{
	long fds[] = {open_file(), NO_FD, -1};

	for (size_t i = 0; i < RANGES; i++) {
		const struct event *ev =
			next_with_result(EVENT_readahead, CALL(SYS_readahead, fds[i % 3],
							       ranges[i][0], ranges[i][1]));

		expect_numbers(ev, readahead__fd, fds[i % 3], ranges[i][0], ranges[i][1]);
	}
	close((int)fds[0]);
}

/* Calls on a descriptor and nothing else. */
static void check_sync(unsigned int id, long number)
{
	long fd = open_file();

	require(CALL(number, fd) == 0);
	expect_numbers(next_with_result(id, 0), 1, fd);
	require(CALL(number, NO_FD) == -EBADF);
	expect_numbers(next_with_result(id, -EBADF), 1, NO_FD);
	require(CALL(number, -1) == -EBADF);
	expect_numbers(next_with_result(id, -EBADF), 1, -1);
	close((int)fd);
}

LIVE_TEST(fsync)
{
	check_sync(EVENT_fsync, SYS_fsync);
}

LIVE_TEST(fdatasync)
{
	check_sync(EVENT_fdatasync, SYS_fdatasync);
}

LIVE_TEST(syncfs)
{
	check_sync(EVENT_syncfs, SYS_syncfs);
}

LIVE_TEST(sync)
{
	require(CALL(SYS_sync) == 0);
	next_with_result(EVENT_sync, 0);
}

LIVE_TEST(ftruncate)
{
	static const long lengths[] = {0, 100, 1L << 33, -1};
	long fd = open_file();

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const struct event *ev =
			next_with_result(EVENT_ftruncate, CALL(SYS_ftruncate, fd, lengths[i]));

		expect_numbers(ev, ftruncate__fd, fd, lengths[i]);
		ev = next_with_result(EVENT_ftruncate, CALL(SYS_ftruncate, NO_FD, lengths[i]));
		expect_numbers(ev, ftruncate__fd, NO_FD, lengths[i]);
	}
	close((int)fd);
}

static void check_truncate(const char *path, const char *shown, long length, long ret)
{
	const struct event *ev;

	require(CALL(SYS_truncate, path, length) == ret);
	ev = next_with_result(EVENT_truncate, ret);
	expect_string(ev, truncate__path, shown);
	expect_i64(ev, truncate__length, length);
}

LIVE_TEST(truncate)
{
	const struct path_case *paths = fixture_paths();

	fixture_file("file", 200);
	for (int i = 0; i < PATH_CASES; i++)
		check_truncate(paths[i].path, paths[i].shown, 100, paths[i].error);
	check_truncate("file", "file", 1L << 33, 0);
	check_truncate("file", "file", -1, -EINVAL);
}

struct cache_state {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static void check_cachestat(long fd, const uint64_t *range, struct cache_state *state, long flags)
{
	long ret = CALL(NR(cachestat), fd, range, state, flags);
	const struct event *ev = next_with_result(EVENT_cachestat, ret);

	expect_i64(ev, cachestat__fd, fd);
	if (range && (void *)range != UNREADABLE)
		expect_numbers(ev, cachestat__off, (int64_t)range[0], (int64_t)range[1]);
	else
		expect_absents(ev, cachestat__off, cachestat__len);
	if (ret == 0)
		expect_numbers(ev, cachestat__nr_cache, (int64_t)state->cached,
			       (int64_t)state->dirty, (int64_t)state->writeback,
			       (int64_t)state->evicted, (int64_t)state->recently_evicted);
	else
		expect_absents(ev, cachestat__nr_cache, cachestat__nr_recently_evicted);
	expect_i64(ev, cachestat__flags, (uint32_t)flags);
}

LIVE_TEST(cachestat)
{
	static const uint64_t all[2] = {0, 0}, far[2] = {1UL << 40, UINT64_MAX};
	struct cache_state state = {0};
	long fd = open_file();

	check_cachestat(fd, all, &state, 0);
	check_cachestat(fd, far, &state, 0);
	check_cachestat(NO_FD, all, &state, ALL_BITS);
	check_cachestat(fd, UNREADABLE, &state, 0);
	check_cachestat(fd, NULL, &state, 0);
	check_cachestat(fd, all, UNREADABLE, 0);
	close((int)fd);
}

static void check_preadv2(long fd, const struct vector_case *read, long pos, long flags)
{
	long ret = CALL(SYS_preadv2, fd, read->vector, read->entries, pos, 0, flags);
	const struct event *ev = next_with_result(EVENT_preadv2, ret);

	expect_i64(ev, preadv2__size, ret > 0 ? ret : 0);
	expect_bytes(ev, preadv2__data, read->data, ret > 0 ? read->len : 0);
	expect_numbers(ev, preadv2__fd, fd, pos, (uint32_t)flags);
}

LIVE_TEST(preadv2)
{
	const struct vector_case *cases = vectors_read();
	long fd = open_file();

	for (int i = 0; i < VECTORS_READ; i++) {
		check_preadv2(fd, &cases[i], 0, 0);
		check_preadv2(NO_FD, &cases[i], 1L << 33, 0);
	}
	check_preadv2(fd, &cases[0], -1, rwf_flags__RWF_HIPRI);
	check_preadv2(fd, &cases[0], 0, ALL_BITS);
	close((int)fd);
}

static void check_pwritev2(long fd, const struct vector_case *written, long pos, long flags)
{
	long ret = CALL(SYS_pwritev2, fd, written->vector, written->entries, pos, 0, flags);
	const struct event *ev = next_with_result(EVENT_pwritev2, ret);

	expect_bytes(ev, pwritev2__data, written->data, written->len);
	expect_numbers(ev, pwritev2__fd, fd, (int64_t)written->size, pos, (uint32_t)flags);
}

LIVE_TEST(pwritev2)
{
	const struct vector_case *cases = vectors_written();
	long fd = open_file();

	for (int i = 0; i < VECTORS_WRITTEN; i++) {
		check_pwritev2(fd, &cases[i], 1L << 33, 0);
		check_pwritev2(NO_FD, &cases[i], -1, rwf_flags__RWF_DSYNC);
	}
	check_pwritev2(fd, &cases[0], 0, ALL_BITS);
	close((int)fd);
}

static void check_tee(long from, long to, long size, long flags)
{
	const struct event *ev = next_with_result(EVENT_tee, CALL(SYS_tee, from, to, size, flags));

	expect_numbers(ev, tee__fd_in, from, to, size, (uint32_t)flags);
}

LIVE_TEST(tee)
{
	int from[2], to[2];

	require(pipe(from) == 0 && pipe(to) == 0 && write(from[1], "text", 4) == 4);
	check_tee(from[0], to[1], 1L << 33, splice_flags__SPLICE_F_NONBLOCK);
	check_tee(from[0], from[0], 0, ALL_BITS);
	check_tee(NO_FD, -1, 3, 0);
	for (int i = 0; i < 2; i++)
		require(close(from[i]) == 0 && close(to[i]) == 0);
}

static void check_vmsplice(long fd, const struct iovec *vector, long count, long flags,
			   const char *data)
{
	long ret = CALL(SYS_vmsplice, fd, vector, count, flags);
	const struct event *ev = next_with_result(EVENT_vmsplice, ret);

	expect_i64(ev, vmsplice__fd, fd);
	expect_bytes(ev, vmsplice__data, data, ret > 0 ? (size_t)ret : 0);
	expect_numbers(ev, vmsplice__nr_segs, count, (uint32_t)flags);
}

LIVE_TEST(vmsplice)
{
	char text[] = "some text", room[32];
	struct iovec out[] = {{text, 5}, {text + 5, 4}}, in[] = {{room, sizeof(room)}};
	int ends[2];

	require(pipe(ends) == 0);
	check_vmsplice(ends[1], out, 2, splice_flags__SPLICE_F_NONBLOCK, text);
	check_vmsplice(ends[0], in, 1, 0, text);
	check_vmsplice(ends[0], in, 1, splice_flags__SPLICE_F_NONBLOCK, NULL);
	check_vmsplice(NO_FD, out, 2, ALL_BITS, NULL);
	check_vmsplice(ends[1], UNREADABLE, 1L << 40, 0, NULL);
	close(ends[0]);
	close(ends[1]);
}
