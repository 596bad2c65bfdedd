/* SPDX-License-Identifier: MIT */
/* The sink of capture files: compression, pipes, and files that end where the disk does. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scap/file/format.h"
#include "scap/file/sink.h"
#include "unit.h"
#include "util/buf.h"

enum { BLOCK_BYTES = 1000, BLOCKS_MANY = 2000, LARGE_BYTES = 3 << 20 };

struct sink_test {
	struct scap_sink sink;
	struct buf wanted; /* all that was put */
	int fd;
};

static void begin(struct sink_test *test, int fd, enum scap_compression compression)
{
	test->wanted = (struct buf){0};
	test->fd = fd;
	assert_return_code(fd, errno);
	assert_int_equal(scap_sink_init(&test->sink, fd, "x.scap", compression), 0);
}

static void begin_file(struct sink_test *test, enum scap_compression compression)
{
	begin(test, memfd_create("capture", MFD_CLOEXEC), compression);
}

static void end(struct sink_test *test)
{
	close(test->fd);
	buf_finish(&test->wanted);
}

/* A block whose bytes are hard to compress, and differ from those of others. */
static bool put(struct sink_test *test, uint32_t len)
{
	static uint32_t noise = 1;
	uint8_t *at = scap_sink_block(&test->sink, len);
	struct scap_block_header header = {1, len};

	if (!at)
		return false;
	memcpy(at, &header, sizeof(header));
	for (uint32_t i = sizeof(header); i < len; i++) {
		noise = noise * 1664525 + 1013904223;
		at[i] = (uint8_t)(noise >> 24);
	}
	buf_append(&test->wanted, at, len);
	return true;
}

static void put_many(struct sink_test *test)
{
	for (int i = 0; i < BLOCKS_MANY; i++)
		assert_true(put(test, BLOCK_BYTES + (uint32_t)i % 7));
}

static size_t size_of(int fd)
{
	struct stat stat;

	assert_return_code(fstat(fd, &stat), errno);
	return (size_t)stat.st_size;
}

/* What a program makes of the file: `command` has %d for its descriptor. */
static struct buf output_of(const char *command, int fd)
{
	struct buf got = {0};
	char text[128], bytes[4096];
	FILE *pipe;
	size_t n;

	snprintf(text, sizeof(text), command, fd);
	pipe = popen(text, "re");
	assert_non_null(pipe);
	while ((n = fread(bytes, 1, sizeof(bytes), pipe)) > 0)
		buf_append(&got, bytes, n);
	pclose(pipe);
	return got;
}

static const char *const readers[] = {
	[SCAP_PLAIN] = "cat /proc/$PPID/fd/%d",
	[SCAP_GZIP] = "gzip -dc < /proc/$PPID/fd/%d 2>/dev/null",
	[SCAP_ZSTD] = "zstd -dc < /proc/$PPID/fd/%d 2>/dev/null",
};

static void expect_content(int fd, enum scap_compression compression, const struct buf *wanted)
{
	struct buf got = output_of(readers[compression], fd);

	assert_int_equal(got.len, wanted->len);
	assert_memory_equal(got.data, wanted->data, wanted->len);
	buf_finish(&got);
}

static void test_compressions(void **state)
{
	for (enum scap_compression i = SCAP_PLAIN; i <= SCAP_ZSTD; i++) {
		struct sink_test test;

		begin_file(&test, i);
		put_many(&test);
		assert_true(put(&test, LARGE_BYTES));
		assert_true(put(&test, BLOCK_BYTES));
		assert_int_equal(scap_sink_bytes(&test.sink), test.wanted.len);
		assert_int_equal(scap_sink_finish(&test.sink), 0);
		assert_int_equal(scap_sink_bytes(&test.sink), test.wanted.len);
		assert_int_equal(test.sink.bytes_stored, size_of(test.fd));
		expect_content(test.fd, i, &test.wanted);
		end(&test);
	}
}

static void test_empty(void **state)
{
	for (enum scap_compression i = SCAP_PLAIN; i <= SCAP_ZSTD; i++) {
		struct sink_test test;

		begin_file(&test, i);
		assert_int_equal(scap_sink_flush(&test.sink), 0);
		assert_int_equal(size_of(test.fd), 0);
		assert_int_equal(scap_sink_finish(&test.sink), 0);
		expect_content(test.fd, i, &test.wanted);
		end(&test);
	}
}

/* Nothing is written for each block, and a flush with nothing to flush adds nothing. */
static void test_buffered(void **state)
{
	for (enum scap_compression i = SCAP_PLAIN; i <= SCAP_ZSTD; i++) {
		struct sink_test test;
		size_t size;

		begin_file(&test, i);
		assert_true(put(&test, BLOCK_BYTES));
		assert_int_equal(size_of(test.fd), 0);
		assert_int_equal(scap_sink_flush(&test.sink), 0);
		size = size_of(test.fd);
		assert_true(size >= BLOCK_BYTES);
		assert_int_equal(scap_sink_flush(&test.sink), 0);
		assert_int_equal(size_of(test.fd), size);
		scap_sink_finish(&test.sink);
		end(&test);
	}
}

static void put_and_die(int fd, enum scap_compression compression)
{
	struct sink_test test;

	begin(&test, fd, compression);
	for (int i = 0; i < 300; i++)
		put(&test, BLOCK_BYTES);
	scap_sink_flush(&test.sink);
	put(&test, BLOCK_BYTES);
	raise(SIGKILL);
}

/* Killed in the middle: all up to the last flush is there, whatever became of the rest. */
static void test_killed(void **state)
{
	for (enum scap_compression i = SCAP_PLAIN; i <= SCAP_ZSTD; i++) {
		int fd = memfd_create("capture", MFD_CLOEXEC);
		struct sink_test same;
		struct buf got;
		pid_t child = fork();

		if (child == 0)
			put_and_die(fd, i);
		/* What the child puts, as the noise is the same. */
		begin(&same, open("/dev/null", O_WRONLY | O_CLOEXEC), SCAP_PLAIN);
		for (int j = 0; j < 300; j++)
			put(&same, BLOCK_BYTES);
		assert_int_equal(waitpid(child, NULL, 0), child);
		got = output_of(readers[i], fd);
		assert_int_equal(got.len, same.wanted.len);
		assert_memory_equal(got.data, same.wanted.data, got.len);
		buf_finish(&got);
		scap_sink_finish(&same.sink);
		end(&same);
		close(fd);
	}
}

/* A pipe that takes little at a time and does not block, and a reader that is slow. */
static void test_slow_pipe(void **state)
{
	struct sink_test test;
	int ends[2], results[2];
	pid_t child;

	assert_int_equal(pipe2(ends, 0), 0);
	assert_int_equal(pipe2(results, 0), 0);
	assert_return_code(fcntl(ends[1], F_SETPIPE_SZ, 4096), errno);
	assert_return_code(fcntl(ends[1], F_SETFL, O_NONBLOCK), errno);
	child = fork();
	if (child == 0) {
		uint8_t bytes[3000];
		uint32_t sum = 0;
		ssize_t n;

		close(ends[1]);
		while ((n = read(ends[0], bytes, sizeof(bytes))) > 0)
			for (ssize_t i = 0; i < n; i++)
				sum = sum * 31 + bytes[i];
		_exit(write(results[1], &sum, sizeof(sum)) != sizeof(sum));
	}
	close(ends[0]);
	begin(&test, ends[1], SCAP_PLAIN);
	put_many(&test);
	assert_int_equal(scap_sink_finish(&test.sink), 0);
	assert_int_equal(test.sink.bytes_stored, test.wanted.len);
	close(ends[1]);
	{
		uint32_t sum = 0, got;

		for (size_t i = 0; i < test.wanted.len; i++)
			sum = sum * 31 + (uint8_t)test.wanted.data[i];
		assert_int_equal(read(results[0], &got, sizeof(got)), sizeof(got));
		assert_int_equal(got, sum);
	}
	waitpid(child, NULL, 0);
	close(results[0]);
	close(results[1]);
	buf_finish(&test.wanted);
}

static void test_reader_gone(void **state)
{
	struct sink_test test;
	struct error err;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	begin(&test, ends[1], SCAP_PLAIN);
	assert_int_equal(scap_sink_result(&test.sink, &err), 0);
	put(&test, BLOCK_BYTES);
	assert_int_equal(scap_sink_flush(&test.sink), -EPIPE);
	assert_int_equal(scap_sink_result(&test.sink, &err), -EPIPE);
	assert_string_equal(err.text, "cannot write to x.scap: Broken pipe; its reader is gone");
	assert_false(put(&test, BLOCK_BYTES));
	assert_int_equal(scap_sink_finish(&test.sink), -EPIPE);
	end(&test);
	signal(SIGPIPE, SIG_DFL);
}

static bool always(void)
{
	return true;
}

static void ignore_alarm(int number)
{
}

/* A signal alone does not end a write that waits; the caller's word does. */
static void test_give_up(void **state)
{
	const struct sigaction action = {.sa_handler = ignore_alarm};
	const struct itimerval soon = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000};
	const struct itimerval never = {0};

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	for (int flags = 0; flags <= O_NONBLOCK; flags += O_NONBLOCK) {
		struct sink_test test;
		int ends[2];

		assert_int_equal(pipe2(ends, O_CLOEXEC | flags), 0);
		begin(&test, ends[1], SCAP_PLAIN);
		test.sink.give_up = always;
		setitimer(ITIMER_REAL, &soon, NULL);
		for (int i = 0; i < BLOCKS_MANY && put(&test, BLOCK_BYTES); i++)
			;
		setitimer(ITIMER_REAL, &never, NULL);
		assert_int_equal(scap_sink_finish(&test.sink), -EINTR);
		close(ends[0]);
		end(&test);
	}
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A file that may not grow ends with its last whole block, and can be written to further. */
static void test_whole_blocks(void **state)
{
	struct sink_test test;
	struct error err;

	signal(SIGXFSZ, SIG_IGN);
	begin_file(&test, SCAP_PLAIN);
	limit_files(BLOCK_BYTES * 100 + BLOCK_BYTES / 2);
	for (int i = 0; i < 101; i++)
		put(&test, BLOCK_BYTES);
	assert_int_equal(scap_sink_flush(&test.sink), -EFBIG);
	limit_files(RLIM_INFINITY);
	assert_int_equal(scap_sink_result(&test.sink, &err), -EFBIG);
	assert_non_null(strstr(err.text, "x.scap: File too large; neither"));
	assert_int_equal(size_of(test.fd), BLOCK_BYTES * 100);
	assert_int_equal(lseek(test.fd, 0, SEEK_CUR), BLOCK_BYTES * 100);
	assert_int_equal(test.sink.bytes_stored, BLOCK_BYTES * 100);
	/* There is room again, but part of the stream is missing. */
	assert_false(put(&test, BLOCK_BYTES));
	assert_int_equal(scap_sink_finish(&test.sink), -EFBIG);
	test.wanted.len = BLOCK_BYTES * 100;
	expect_content(test.fd, SCAP_PLAIN, &test.wanted);
	end(&test);
	signal(SIGXFSZ, SIG_DFL);
}

/* What another program has written after our part is not cut off. */
static void test_of_others(void **state)
{
	struct sink_test test;

	signal(SIGXFSZ, SIG_IGN);
	begin_file(&test, SCAP_PLAIN);
	assert_int_equal(ftruncate(test.fd, BLOCK_BYTES * 2), 0);
	put(&test, BLOCK_BYTES);
	limit_files(BLOCK_BYTES / 2);
	assert_int_equal(scap_sink_flush(&test.sink), -EFBIG);
	limit_files(RLIM_INFINITY);
	assert_int_equal(size_of(test.fd), BLOCK_BYTES * 2);
	scap_sink_finish(&test.sink);
	end(&test);
	signal(SIGXFSZ, SIG_DFL);
}

/* The same on a disk that is full, in the middle of what is compressed. */
static void test_full_disk(void **state)
{
	char directory[] = "/tmp/lanner-sink-XXXXXX", path[64];
	struct sink_test test;
	struct error err;

	if (geteuid() != 0 || unshare(CLONE_NEWNS) || !mkdtemp(directory))
		skip();
	mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
	assert_return_code(mount("tmpfs", directory, "tmpfs", 0, "size=1m"), errno);
	snprintf(path, sizeof(path), "%s/x", directory);
	for (enum scap_compression i = SCAP_PLAIN; i <= SCAP_ZSTD; i++) {
		struct buf got;
		uint64_t blocks = 0;

		begin(&test, open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), i);
		while (put(&test, BLOCK_BYTES))
			assert_true(++blocks <= BLOCKS_MANY);
		assert_int_equal(scap_sink_result(&test.sink, &err), -ENOSPC);
		assert_string_equal(err.text, "cannot write to x.scap: No space left on device; "
					      "free some space, or write to another disk");
		assert_int_equal(scap_sink_finish(&test.sink), -ENOSPC);
		got = output_of(readers[i], test.fd);
		/* A compressor may hold back a part; what comes out is what went in. */
		assert_in_range(got.len, 512 << 10, (1 << 20) + (16 << 10));
		assert_memory_equal(got.data, test.wanted.data, 512 << 10);
		if (i == SCAP_PLAIN)
			assert_int_equal(got.len, (1 << 20) / BLOCK_BYTES * BLOCK_BYTES);
		buf_finish(&got);
		end(&test);
	}
	umount(directory);
	rmdir(directory);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_compressions), cmocka_unit_test(test_empty),
	cmocka_unit_test(test_buffered),     cmocka_unit_test(test_killed),
	cmocka_unit_test(test_slow_pipe),    cmocka_unit_test(test_reader_gone),
	cmocka_unit_test(test_give_up),	     cmocka_unit_test(test_whole_blocks),
	cmocka_unit_test(test_of_others),    cmocka_unit_test(test_full_disk),
};

UNIT_GROUP(tests);
