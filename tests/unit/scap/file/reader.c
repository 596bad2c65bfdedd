/* SPDX-License-Identifier: MIT */
/* Events of capture files of all versions, sections, files that are none, and slow pipes. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture.h"
#include "event/event.h"
#include "unit.h"

static struct capture capture;

static int setup(void **state)
{
	buf_clear(&capture.bytes);
	capture_section(&capture);
	return 0;
}

static struct capture_result read_capture(void)
{
	return capture_read(capture.bytes.data, capture.bytes.len, NULL);
}

static const uint32_t event_blocks[] = {0x204, 0x208, 0x216, 0x217, 0x221, 0x222, 0x8010abcd};
enum { EVENT_BLOCKS = sizeof(event_blocks) / sizeof(*event_blocks) };

/* A block for an event, without one. */
static void put_nothing(void)
{
	capture_block_begin(&capture, 0x216);
	capture_block_end(&capture);
}

/* All that an event of a source has, and its frame as it is decoded. */
static void expect_close(struct scap_reader *reader, int64_t fd, bool hidden)
{
	struct scap_event event;
	struct event ev;

	assert_int_equal(scap_source_next(scap_reader_source(reader), 0, &event), 1);
	assert_int_equal(event.cpu, 3);
	assert_int_equal(event.hidden, hidden);
	assert_true(event.unmarked);
	assert_int_equal(event.len, 26 + 2 * 2 + 2 * 8);
	assert_int_equal(event_decode(event.frame, event.len, event.cpu, &ev), 0);
	assert_int_equal(ev.desc->id, EVENT_close);
	assert_int_equal(ev.ts_ns, 1000);
	assert_int_equal(ev.tid, 70);
	assert_int_equal(event_param_i64(&ev, close__fd), fd);
}

static struct scap_reader *open_capture(struct transcript *transcript)
{
	struct scap_reader *reader;
	struct error err = {""};

	if (scap_reader_open(capture_path(capture.bytes.data, capture.bytes.len), &reader, &err) ||
	    scap_reader_start(reader, &transcript->snapshot, &err))
		fail_msg("%s", err.text);
	return reader;
}

static void test_events_of_all_blocks(void **state)
{
	struct scap_reader *reader;
	struct transcript transcript = {.snapshot.ops = &transcript_ops};
	struct scap_event event;

	for (int i = 0; i < EVENT_BLOCKS; i++)
		capture_close_event(&capture, event_blocks[i], 1, 100 + i);
	reader = open_capture(&transcript);
	for (int i = 0; i < EVENT_BLOCKS; i++)
		expect_close(reader, 100 + i,
			     event_blocks[i] == 0x208 || event_blocks[i] == 0x217 ||
				     event_blocks[i] == 0x222);
	assert_int_equal(scap_source_next(scap_reader_source(reader), 0, &event), -ENODATA);
	assert_int_equal(scap_source_next(scap_reader_source(reader), 0, &event), -ENODATA);
	scap_source_destroy(scap_reader_source(reader));
	buf_finish(&transcript.text);
}

static void test_no_events(void **state)
{
	struct capture_result result = read_capture();

	assert_int_equal(result.start_code, 0);
	assert_int_equal(result.code, -ENODATA);
	assert_int_equal(result.events, 0);
	assert_string_equal(result.text, "");
}

/* Wherever they stand, also before the first event; and lists that come too late. */
static void test_unknown_blocks(void **state)
{
	struct capture_result result;

	for (int i = 0; i < 3; i++) {
		capture_block_begin(&capture, 0x999 + (uint32_t)i);
		for (int j = 0; j < 300000 * i; j++)
			capture_u32(&capture, 0x216);
		capture_block_end(&capture);
		capture_close_event(&capture, 0x216, 0, 7);
	}
	capture_threads_v1(&capture, 1000);
	capture_close_event(&capture, 0x216, 0, 8);
	result = read_capture();
	assert_int_equal(result.events, 4);
	assert_int_equal(result.fd_sum, 3 * 7 + 8);
	assert_int_equal(result.stats.unknown_blocks, 4);
	assert_int_equal(result.code, -ENODATA);
}

static void test_unknown_events(void **state)
{
	struct capture_result result;

	for (int i = 0; i < EVENT_BLOCKS; i++) {
		uint16_t id = 1999;
		size_t at = capture.bytes.len;

		capture_close_event(&capture, event_blocks[i], 0, 7);
		/* Behind the block's header, the cpu, perhaps flags, a time, a thread and a length.
		 */
		at += 8 + 2 + 8 + 8 + 4;
		if (event_blocks[i] == 0x208 || event_blocks[i] == 0x217 ||
		    event_blocks[i] == 0x222)
			at += 4;
		memcpy(capture.bytes.data + at, &id, sizeof(id));
		capture_close_event(&capture, event_blocks[i], 0, 8);
	}
	result = read_capture();
	assert_int_equal(result.events, EVENT_BLOCKS);
	assert_int_equal(result.stats.events, EVENT_BLOCKS);
	assert_int_equal(result.fd_sum, 8 * EVENT_BLOCKS);
	assert_int_equal(result.stats.unknown_events + result.stats.corrupt_events, EVENT_BLOCKS);
}

static void put_large_event(size_t bytes)
{
	size_t at = capture.bytes.len;

	capture_close_event(&capture, 0x221, 0, 3);
	capture.bytes.len -= 4;
	for (size_t i = 0; i < bytes; i += 8)
		capture_u64(&capture, i);
	capture.block = at;
	capture_block_end(&capture);
}

static void test_large_blocks(void **state)
{
	struct capture_result result;

	put_large_event(10 << 20);
	put_large_event(17 << 20); /* more than is taken into memory */
	put_large_event(70000);
	result = read_capture();
	assert_int_equal(result.events, 2);
	assert_int_equal(result.stats.corrupt_events, 1);
	assert_int_equal(result.code, -ENODATA);
}

/* Of the capture with a block after it that is nearly all zeros, without holding these. */
static void read_huge_block(uint32_t type, uint32_t len, struct capture_result *result)
{
	uint32_t header[] = {type, len};
	size_t at = capture.bytes.len;
	struct scap_reader *reader;
	struct transcript transcript = {.snapshot.ops = &transcript_ops};
	struct scap_event event;
	struct error err;
	const char *path = capture_path(capture.bytes.data, capture.bytes.len);
	int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_int_equal(pwrite(fd, header, sizeof(header), (off_t)at), sizeof(header));
	assert_int_equal(pwrite(fd, &len, sizeof(len), (off_t)(at + len - sizeof(len))),
			 sizeof(len));
	close(fd);
	assert_int_equal(scap_reader_open(path, &reader, &err), 0);
	assert_int_equal(scap_reader_start(reader, &transcript.snapshot, &err), 0);
	while ((result->code = scap_source_next(scap_reader_source(reader), 0, &event)) >= 0)
		;
	scap_reader_stats(reader, &result->stats);
	scap_source_destroy(scap_reader_source(reader));
	buf_finish(&transcript.text);
}

/* Comes first: later tests have more in memory themselves. */
static void test_memory_is_bounded(void **state)
{
	struct capture_result result;
	struct rusage before, after;

	capture_close_event(&capture, 0x216, 0, 1);
	getrusage(RUSAGE_SELF, &before);
	read_huge_block(0x216, 512 << 20, &result);
	assert_int_equal(result.code, -ENODATA);
	assert_int_equal(result.stats.corrupt_events, 1);
	read_huge_block(0x999, 512 << 20, &result);
	assert_int_equal(result.code, -ENODATA);
	assert_int_equal(result.stats.unknown_blocks, 1);
	read_huge_block(0x202, 512 << 20, &result);
	assert_int_equal(result.stats.unknown_blocks, 1);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 32 << 10);
}

static void expect_not_a_capture(const void *bytes, size_t n, int code, const char *text)
{
	struct capture_result result = capture_read(bytes, n, NULL);

	assert_int_equal(result.open_code, code);
	assert_non_null(strstr(result.text, text));
	assert_non_null(strstr(result.text, "/proc/self/fd/"));
}

static void test_not_a_capture(void **state)
{
	uint8_t *bytes = (uint8_t *)capture.bytes.data;

	expect_not_a_capture("", 0, -EBADMSG, "is not a capture file: it is empty");
	expect_not_a_capture("abc", 3, -EBADMSG, "is not a capture file: it is too short");
	expect_not_a_capture("just some text, nothing more", 28, -EBADMSG,
			     "does not begin like one");
	expect_not_a_capture("\xd4\xc3\xb2\xa1\x02\0\4\0", 8, -EBADMSG, "network packets");
	expect_not_a_capture("\xfd"
			     "7zXZ\0",
			     6, -EBADMSG, "compressed with xz");
	expect_not_a_capture("BZh91AY", 7, -EBADMSG, "compressed with bzip2");
	for (size_t n = 4; n < 24; n++)
		expect_not_a_capture(bytes, n, -EPIPE, "is truncated in its first block");
	bytes[12] = 2; /* the version */
	expect_not_a_capture(bytes, 28, -ENOTSUP, "of version 2.2 of the format");
	memcpy(bytes + 8, "\x1a\x2b\x3c\x4d", 4);
	expect_not_a_capture(bytes, 28, -ENOTSUP, "of the other byte order");
	memset(bytes + 8, 0xff, 4);
	expect_not_a_capture(bytes, 28, -EBADMSG, "byte order mark is corrupt (0xffffffff)");
}

/* A packed file that was packed again: without content, as gzip writes them. */
static void test_packed_twice(void **state)
{
	static const uint8_t gzip[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3,
				       3,    0,	   0, 0, 0, 0, 0, 0, 0, 0};
	/* A frame of zstd with one block that is not compressed. */
	uint8_t bytes[] = {0x28,
			   0xb5,
			   0x2f,
			   0xfd,
			   0x20,
			   sizeof(gzip),
			   sizeof(gzip) << 3 | 1,
			   0,
			   0,
			   [9 + sizeof(gzip) - 1] = 0};

	memcpy(bytes + 9, gzip, sizeof(gzip));
	expect_not_a_capture(bytes, sizeof(bytes), -EBADMSG, "compressed more than once");
}

/* They begin as ours do. */
static void test_network_packets(void **state)
{
	struct capture_result result;

	capture_block_begin(&capture, 1);
	capture_u64(&capture, 1);
	capture_block_end(&capture);
	capture_block_begin(&capture, 6);
	capture_u64(&capture, 1);
	capture_block_end(&capture);
	result = read_capture();
	assert_int_equal(result.start_code, -ENOTSUP);
	assert_non_null(strstr(result.text, "network packets, not of system calls"));
}

/* A pipe whose bytes come one at a time: an event is given when it is whole, not before. */
static void test_slow_pipe(void **state)
{
	size_t head = capture.bytes.len, bounds[8], at, next = 0;
	struct scap_reader *reader;
	struct transcript transcript = {.snapshot.ops = &transcript_ops};
	struct scap_event event;
	struct error err;
	char path[32];
	int fds[2];

	for (int i = 0; i < 6; i++) {
		if (i == 3) {
			capture_section(&capture);
			capture_threads_v1(&capture, 400);
			capture_block_begin(&capture, 0x999);
			capture_u64(&capture, 1);
			capture_block_end(&capture);
		}
		capture_close_event(&capture, event_blocks[i], 0, i);
		bounds[i] = capture.bytes.len;
		head = i ? head : capture.bytes.len;
	}
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], capture.bytes.data, head), head);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	assert_int_equal(scap_reader_open(path, &reader, &err), 0);
	close(fds[0]);
	assert_int_equal(scap_reader_start(reader, &transcript.snapshot, &err), 0);
	for (at = head; at <= capture.bytes.len; at++) {
		if (at == bounds[next])
			expect_close(reader, (int64_t)next++, false);
		assert_int_equal(scap_source_next(scap_reader_source(reader), 0, &event), 0);
		if (at < capture.bytes.len)
			assert_int_equal(write(fds[1], capture.bytes.data + at, 1), 1);
	}
	assert_int_equal(next, 6);
	close(fds[1]);
	assert_int_equal(scap_source_next(scap_reader_source(reader), -1, &event), -ENODATA);
	assert_true(transcript.threads > 2);
	assert_non_null(strstr(transcript_text(&transcript), "end\nbegin\nthread tid=1 "));
	scap_source_destroy(scap_reader_source(reader));
	buf_finish(&transcript.text);
}

/* However much there is that gives no event, each call comes back. */
static void test_calls_come_back(void **state)
{
	struct scap_reader *reader;
	struct transcript transcript = {.snapshot.ops = &transcript_ops};
	struct scap_event event;
	int code, idle = 0;

	for (int i = 0; i < 100000; i++)
		put_nothing();
	reader = open_capture(&transcript);
	while ((code = scap_source_next(scap_reader_source(reader), 1000, &event)) == 0)
		idle++;
	assert_int_equal(code, -ENODATA);
	assert_true(idle > 10);
	scap_source_destroy(scap_reader_source(reader));
	buf_finish(&transcript.text);
}

/* Real files, and how many of each were counted by another program. */
static const struct {
	const char *name;
	uint64_t event_blocks;
	unsigned int threads, fds;
} real_files[] = {
	{"old-ipv6-client", 326, 58, 333},
	{"single-ipv6-connection", 1728, 154, 564},
	{"shell-and-sockets", 7175, 2, 22},
};

static void test_real_files(void **state)
{
	for (size_t i = 0; i < sizeof(real_files) / sizeof(*real_files); i++) {
		struct scap_reader_stats stats;
		struct scap_reader *reader;
		struct transcript transcript = {.snapshot.ops = &transcript_ops};
		struct scap_event event;
		struct error err;
		char path[512];
		int code;

		snprintf(path, sizeof(path), REFERENCE "/conformance/%s.scap", real_files[i].name);
		if (scap_reader_open(path, &reader, &err))
			fail_msg("%s", err.text);
		assert_int_equal(scap_reader_start(reader, &transcript.snapshot, &err), 0);
		while ((code = scap_source_next(scap_reader_source(reader), 1000, &event)) >= 0)
			;
		assert_int_equal(code, -ENODATA);
		scap_reader_stats(reader, &stats);
		assert_int_equal(transcript.threads, real_files[i].threads);
		assert_int_equal(transcript.fds, real_files[i].fds);
		assert_true(stats.events + stats.joined + stats.unknown_events <=
			    real_files[i].event_blocks);
		assert_true(stats.events > real_files[i].event_blocks / 3);
		assert_int_equal(stats.corrupt_events + stats.corrupt_lists + stats.unknown_blocks,
				 0);
		assert_int_equal(stats.bytes_read, stats.bytes);
		scap_source_destroy(scap_reader_source(reader));
		buf_finish(&transcript.text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_memory_is_bounded, setup),
	cmocka_unit_test_setup(test_events_of_all_blocks, setup),
	cmocka_unit_test_setup(test_no_events, setup),
	cmocka_unit_test_setup(test_unknown_blocks, setup),
	cmocka_unit_test_setup(test_unknown_events, setup),
	cmocka_unit_test_setup(test_large_blocks, setup),
	cmocka_unit_test_setup(test_not_a_capture, setup),
	cmocka_unit_test_setup(test_packed_twice, setup),
	cmocka_unit_test_setup(test_network_packets, setup),
	cmocka_unit_test_setup(test_slow_pipe, setup),
	cmocka_unit_test_setup(test_calls_come_back, setup),
	cmocka_unit_test_setup(test_real_files, setup),
};

UNIT_GROUP(tests);
