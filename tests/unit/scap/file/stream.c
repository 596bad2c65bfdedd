/* SPDX-License-Identifier: MIT */
/* Bytes of files and pipes: the same whether they are packed or not, up to where they break off. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "scap/file/stream.h"
#include "unit.h"

enum { CONTENT_BYTES = 3 << 20, PACKED_MAX = 2 * CONTENT_BYTES };

static uint8_t content[CONTENT_BYTES];
static uint8_t packed[PACKED_MAX];
static char path[32];
static int file = -1;
static size_t intact = SIZE_MAX; /* what comes after that is not compared */

static int setup(void **state)
{
	uint32_t random = 1;

	signal(SIGPIPE, SIG_IGN);
	/* Half as long when it is packed. */
	for (size_t i = 0; i < sizeof(content); i++) {
		random = random * 1664525 + 1013904223;
		content[i] = (random >> 28) + (i / 1000) % 16;
	}
	file = memfd_create("stream", MFD_CLOEXEC);
	assert_true(file >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return 0;
}

static int teardown(void **state)
{
	close(file);
	return 0;
}

static size_t pack_gzip(const void *bytes, size_t n, uint8_t *to)
{
	z_stream stream = {.next_in = (void *)(uintptr_t)bytes,
			   .avail_in = (unsigned int)n,
			   .next_out = to,
			   .avail_out = PACKED_MAX};

	assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(deflateEnd(&stream), Z_OK);
	return stream.total_out;
}

static size_t pack_zstd(const void *bytes, size_t n, uint8_t *to)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t len;

	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	len = ZSTD_compress2(context, to, PACKED_MAX, bytes, n);
	assert_false(ZSTD_isError(len));
	ZSTD_freeCCtx(context);
	return len;
}

static size_t pack_not(const void *bytes, size_t n, uint8_t *to)
{
	memcpy(to, bytes, n);
	return n;
}

static size_t (*const packers[])(const void *, size_t, uint8_t *) = {pack_not, pack_gzip,
								     pack_zstd};
enum { PLAIN, GZIP, ZSTD, PACKERS };

static void put_file(const void *bytes, size_t n)
{
	assert_int_equal(ftruncate(file, 0), 0);
	assert_int_equal(pwrite(file, bytes, n, 0), n);
}

static struct scap_stream *open_stream(const char *name)
{
	struct scap_stream *stream;
	struct error err = {""};

	if (scap_stream_open(name, &stream, &err))
		fail_msg("%s", err.text);
	return stream;
}

/*
 * Reads on to the end, `step` bytes at a time, each in one piece, and compares with the content,
 * repeated. Returns how many came; `code` gets how it ended.
 */
static size_t read_all(struct scap_stream *stream, size_t step, int *code)
{
	size_t at = 0;

	for (;;) {
		size_t n;

		*code = scap_stream_need(stream, step, -1);
		n = stream->len < step ? stream->len : step;
		for (size_t done = 0, part; done < n && at < intact; done += part) {
			size_t from = (at + done) % CONTENT_BYTES;

			part = n - done < CONTENT_BYTES - from ? n - done : CONTENT_BYTES - from;
			assert_memory_equal(stream->data + done, content + from, part);
		}
		assert_int_equal(scap_stream_offset(stream), at);
		scap_stream_skip(stream, n);
		at += n;
		if (*code < 0)
			return at;
		assert_int_equal(*code, 1);
	}
}

static size_t read_file(size_t step, int *code)
{
	struct scap_stream *stream = open_stream(path);
	size_t n = read_all(stream, step, code);

	assert_int_equal(scap_stream_need(stream, 1, -1), *code);
	scap_stream_close(stream);
	return n;
}

static void test_all_packers_and_steps(void **state)
{
	static const size_t steps[] = {1000, 65537, (256 << 10) + 1, 1 << 20, CONTENT_BYTES};

	for (int i = 0; i < PACKERS; i++) {
		put_file(packed, packers[i](content, CONTENT_BYTES, packed));
		for (size_t j = 0; j < sizeof(steps) / sizeof(*steps); j++) {
			int code;

			assert_int_equal(read_file(steps[j], &code), CONTENT_BYTES);
			assert_int_equal(code, -ENODATA);
		}
	}
}

static void test_bytes_are_counted(void **state)
{
	for (int i = 0; i < PACKERS; i++) {
		size_t n = packers[i](content, CONTENT_BYTES, packed);
		struct scap_stream *stream;
		int code;

		put_file(packed, n);
		stream = open_stream(path);
		assert_int_equal(scap_stream_bytes(stream), n);
		assert_true(scap_stream_bytes_read(stream) <= n);
		read_all(stream, 4096, &code);
		assert_int_equal(scap_stream_bytes_read(stream), n);
		scap_stream_close(stream);
	}
}

/* As `cat a.gz b.gz` makes them. */
static void test_several_behind_each_other(void **state)
{
	for (int i = GZIP; i < PACKERS; i++) {
		size_t half = CONTENT_BYTES / 2 + 17, n;
		int code;

		n = packers[i](content, half, packed);
		n += packers[i](content, 0, packed + n);
		n += packers[i](content + half, CONTENT_BYTES - half, packed + n);
		put_file(packed, n);
		assert_int_equal(read_file(1000, &code), CONTENT_BYTES);
		assert_int_equal(code, -ENODATA);
	}
}

static void test_zeros_behind_gzip(void **state)
{
	size_t n = pack_gzip(content, 5000, packed);
	int code;

	memset(packed + n, 0, 300 << 10);
	put_file(packed, n + (300 << 10));
	assert_int_equal(read_file(1000, &code), 5000);
	assert_int_equal(code, -ENODATA);
}

/* All comes out that was before, and then it is said what is wrong. */
static void expect_problem(size_t n, size_t least, int expected, const char *text)
{
	struct scap_stream *stream;
	size_t came;
	int code;

	put_file(packed, n);
	stream = open_stream(path);
	came = read_all(stream, 1000, &code);
	assert_int_equal(code, expected);
	assert_true(came >= least);
	assert_non_null(strstr(scap_stream_problem(stream), text));
	scap_stream_close(stream);
}

static void test_something_behind(void **state)
{
	size_t n = pack_gzip(content, 5000, packed);

	memcpy(packed + n, "garbage", 7);
	expect_problem(n + 7, 5000, -EBADMSG, "something that is not gzip follows");
	n = pack_zstd(content, 5000, packed);
	memcpy(packed + n, "garbage", 7);
	expect_problem(n + 7, 5000, -EBADMSG, "something that is not zstd follows");
}

static void test_broken_off(void **state)
{
	size_t n = pack_gzip(content, CONTENT_BYTES, packed);

	expect_problem(n - 1, CONTENT_BYTES, -EPIPE, "the gzip data end too early");
	expect_problem(n - 8, CONTENT_BYTES, -EPIPE, "the gzip data end too early");
	expect_problem(n / 2, CONTENT_BYTES / 2 - (64 << 10), -EPIPE, "end too early");
	expect_problem(10, 0, -EPIPE, "end too early");
	n = pack_zstd(content, CONTENT_BYTES, packed);
	expect_problem(n - 1, CONTENT_BYTES - (256 << 10), -EPIPE, "the zstd data end too early");
	expect_problem(n / 2, CONTENT_BYTES / 2 - (256 << 10), -EPIPE, "end too early");
}

static void test_corrupt(void **state)
{
	size_t n = pack_gzip(content, CONTENT_BYTES, packed);

	/* Some corrupt bytes are noticed late. */
	memset(packed + n / 2, 0xff, 100);
	intact = CONTENT_BYTES / 2 - (64 << 10);
	expect_problem(n, intact, -EBADMSG, "the gzip data are corrupt");
	intact = SIZE_MAX;
	n = pack_gzip(content, CONTENT_BYTES, packed);
	packed[n - 8] ^= 1; /* of the checksum */
	expect_problem(n, CONTENT_BYTES, -EBADMSG, "the gzip data are corrupt");
	n = pack_zstd(content, CONTENT_BYTES, packed);
	memset(packed + n / 2, 0xff, 100);
	intact = CONTENT_BYTES / 2 - (256 << 10);
	expect_problem(n, intact, -EBADMSG, "the zstd data are corrupt");
	intact = SIZE_MAX;
}

/* Empty frames that say what they need to be unpacked: 8 MiB are given, 16 MiB and 2 GiB not. */
static void test_window(void **state)
{
	static const uint8_t log_minus_10[] = {13, 14, 21};

	for (size_t i = 0; i < sizeof(log_minus_10); i++) {
		uint8_t window = (uint8_t)(log_minus_10[i] << 3);
		const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, window, 0x01, 0x00, 0x00};
		int code;

		memcpy(packed, frame, sizeof(frame));
		put_file(packed, sizeof(frame));
		if (i) {
			expect_problem(sizeof(frame), 0, -EBADMSG, "a window of more than 8 MiB");
			continue;
		}
		assert_int_equal(read_file(1000, &code), 0);
		assert_int_equal(code, -ENODATA);
	}
}

/* Many bytes out of few: they are not all there at once. */
static void test_bomb(void **state)
{
	size_t unpacked = 256 << 20, n = 0;
	uint8_t *zeros = calloc(1, 16 << 20);
	struct scap_stream *stream;
	int code;

	assert_non_null(zeros);
	for (size_t i = 0; i < unpacked; i += 16 << 20)
		n += pack_gzip(zeros, 16 << 20, packed + n);
	put_file(packed, n);
	stream = open_stream(path);
	for (size_t came = 0; came < unpacked; came += 4096) {
		assert_int_equal(scap_stream_need(stream, 4096, -1), 1);
		assert_true(stream->len <= 1 << 20);
		scap_stream_skip(stream, 4096);
	}
	code = scap_stream_need(stream, 1, -1);
	assert_int_equal(code, -ENODATA);
	scap_stream_close(stream);
	free(zeros);
}

static void test_short_files(void **state)
{
	for (size_t n = 0; n < 4; n++) {
		int code;

		put_file(content, n);
		assert_int_equal(read_file(100, &code), n);
		assert_int_equal(code, -ENODATA);
	}
}

static void expect_no_open(const char *name, int code, const char *text)
{
	struct scap_stream *stream;
	struct error err = {""};

	assert_int_equal(scap_stream_open(name, &stream, &err), code);
	assert_non_null(strstr(err.text, text));
	assert_non_null(strstr(err.text, name));
}

static void test_no_file(void **state)
{
	expect_no_open("/nowhere/trace.scap", -ENOENT, "No such file");
	expect_no_open("/tmp", -EISDIR, "it is a directory");
}

/* Pipes. */

struct pipe_writer {
	pthread_t thread;
	int fd;
	size_t n, chunk;
};

static void *write_pipe(void *arg)
{
	struct pipe_writer *writer = arg;
	ssize_t n;

	for (size_t at = 0; at < writer->n; at += (size_t)n) {
		size_t left = writer->n - at;

		n = write(writer->fd, packed + at, left < writer->chunk ? left : writer->chunk);
		if (n < 0)
			break;
	}
	close(writer->fd);
	return NULL;
}

static void test_pipe(void **state)
{
	static const size_t chunks[] = {777, 65536};

	for (int i = 0; i < 2 * PACKERS; i++) {
		struct pipe_writer writer = {.chunk = chunks[i % 2]};
		struct scap_stream *stream;
		char name[32];
		int fds[2], code;

		assert_int_equal(pipe(fds), 0);
		writer.fd = fds[1];
		writer.n = packers[i / 2](content, CONTENT_BYTES, packed);
		assert_int_equal(pthread_create(&writer.thread, NULL, write_pipe, &writer), 0);
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[0]);
		stream = open_stream(name);
		close(fds[0]);
		assert_int_equal(read_all(stream, 1000, &code), CONTENT_BYTES);
		assert_int_equal(code, -ENODATA);
		assert_int_equal(scap_stream_bytes(stream), 0);
		scap_stream_close(stream);
		pthread_join(writer.thread, NULL);
	}
}

static void test_standard_input(void **state)
{
	int before = dup(STDIN_FILENO), code;
	struct scap_stream *stream;

	put_file(content, CONTENT_BYTES);
	lseek(file, 0, SEEK_SET);
	dup2(file, STDIN_FILENO);
	stream = open_stream("-");
	assert_int_equal(read_all(stream, 1000, &code), CONTENT_BYTES);
	scap_stream_close(stream);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* it is not ours to close */
	if (before < 0)
		close(STDIN_FILENO);
	else
		dup2(before, STDIN_FILENO);
	close(before);
}

/* A pipe into which the first bytes of a file were written. */
static struct scap_stream *open_slow(int packer, size_t n, int *end)
{
	struct scap_stream *stream;
	char name[32];
	int fds[2];

	packers[packer](content, CONTENT_BYTES, packed);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], packed, n), n);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[0]);
	stream = open_stream(name);
	close(fds[0]);
	*end = fds[1];
	return stream;
}

/* What has come is given out, the rest is waited for, and waiting ends with the file. */
static void test_slow_pipe(void **state)
{
	for (int i = 0; i < PACKERS; i++) {
		int end, waits = 0, tries = 0;
		struct scap_stream *stream = open_slow(i, 60000, &end);
		size_t before;

		/* A busy machine lets the thread that unpacks wait for long. */
		while (i != ZSTD && stream->len <= 50000 && waits++ < 120)
			scap_stream_wait(stream, stream->len + 1, 500);
		while (scap_stream_wait(stream, stream->len + 1, 500) == 1)
			;
		before = stream->len;
		assert_true(i == ZSTD || before > 50000); /* that one comes in larger pieces */
		assert_int_equal(scap_stream_wait(stream, before + 1, 0), 0);
		assert_int_equal(scap_stream_wait(stream, before + 1, 20), 0);
		assert_int_equal(write(end, packed + 60000, 4000), 4000);
		while (i == PLAIN && stream->len < 64000 && tries++ < 100)
			scap_stream_wait(stream, 64000, 50);
		assert_memory_equal(stream->data, content, stream->len);
		close(end);
		assert_int_equal(scap_stream_wait(stream, CONTENT_BYTES, -1),
				 i == PLAIN ? -ENODATA : -EPIPE);
		scap_stream_close(stream);
	}
}

/* While the thread waits for the pipe, and while it waits for the reader. */
static void test_close_while_waiting(void **state)
{
	for (int i = 0; i < PACKERS; i++) {
		struct pipe_writer writer = {.chunk = 65536};
		struct scap_stream *stream;
		int end, fds[2];
		char name[32];

		stream = open_slow(i, 1000, &end);
		assert_int_equal(scap_stream_wait(stream, CONTENT_BYTES, 20), 0);
		scap_stream_close(stream);
		close(end);

		assert_int_equal(pipe(fds), 0);
		writer.fd = fds[1];
		writer.n = packers[i](content, CONTENT_BYTES, packed);
		assert_int_equal(pthread_create(&writer.thread, NULL, write_pipe, &writer), 0);
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[0]);
		stream = open_stream(name);
		assert_int_equal(scap_stream_wait(stream, 100000, -1), 1);
		close(fds[0]);
		scap_stream_close(stream);
		pthread_join(writer.thread, NULL);
	}
}

/* While the thread goes through much that nothing comes of, without waiting for anything. */
static void test_close_while_nothing_comes(void **state)
{
	size_t n = pack_gzip(content, 5000, packed);
	struct scap_stream *stream;

	put_file(packed, n);
	assert_int_equal(ftruncate(file, INT64_C(1) << 42), 0);
	stream = open_stream(path);
	assert_int_equal(scap_stream_wait(stream, 5001, 20), 0);
	scap_stream_close(stream);
}

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
	alarms = alarms + 1;
}

/* Not even when nobody else takes it. */
static void test_no_signal_for_the_other_thread(void **state)
{
	struct sigaction action = {.sa_handler = count_alarm}, before;
	sigset_t alarm_set;
	int end;
	struct scap_stream *stream = open_slow(GZIP, 1000, &end);

	alarms = 0;
	sigaction(SIGALRM, &action, &before);
	sigemptyset(&alarm_set);
	sigaddset(&alarm_set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm_set, NULL);
	kill(getpid(), SIGALRM);
	assert_int_equal(scap_stream_wait(stream, CONTENT_BYTES, 50), 0);
	assert_int_equal(alarms, 0);
	pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
	assert_int_equal(alarms, 1);
	sigaction(SIGALRM, &before, NULL);
	scap_stream_close(stream);
	close(end);
}

/* A signal ends the waiting. */
static void test_signal(void **state)
{
	struct sigaction action = {.sa_handler = count_alarm}, before;
	struct itimerval soon = {.it_value.tv_usec = 50000, .it_interval.tv_usec = 50000};
	struct itimerval never = {.it_value.tv_usec = 0};

	sigaction(SIGALRM, &action, &before);
	for (int i = 0; i < PACKERS; i++) {
		int end;
		struct scap_stream *stream = open_slow(i, 1000, &end);

		alarms = 0;
		setitimer(ITIMER_REAL, &soon, NULL);
		assert_int_equal(scap_stream_wait(stream, CONTENT_BYTES, -1), 0);
		assert_true(alarms > 0);
		setitimer(ITIMER_REAL, &never, NULL);
		scap_stream_close(stream);
		close(end);
	}
	sigaction(SIGALRM, &before, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_packers_and_steps),
	cmocka_unit_test(test_bytes_are_counted),
	cmocka_unit_test(test_several_behind_each_other),
	cmocka_unit_test(test_zeros_behind_gzip),
	cmocka_unit_test(test_something_behind),
	cmocka_unit_test(test_broken_off),
	cmocka_unit_test(test_corrupt),
	cmocka_unit_test(test_window),
	cmocka_unit_test(test_bomb),
	cmocka_unit_test(test_short_files),
	cmocka_unit_test(test_no_file),
	cmocka_unit_test(test_pipe),
	cmocka_unit_test(test_standard_input),
	cmocka_unit_test(test_slow_pipe),
	cmocka_unit_test(test_close_while_waiting),
	cmocka_unit_test(test_close_while_nothing_comes),
	cmocka_unit_test(test_signal),
	cmocka_unit_test(test_no_signal_for_the_other_thread),
};

UNIT_GROUP(tests, .setup = setup, .teardown = teardown);
