/* SPDX-License-Identifier: MIT */
/*
 * A capture with blocks of all kinds, cut at every byte and changed at every byte: all before
 * the corrupt byte is returned, and nothing that follows it is trusted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "capture.h"
#include "unit.h"

enum { EVENTS = 14, BLOCKS_MAX = 64, PACKED_MAX = 1 << 16 };

static const uint32_t event_blocks[] = {0x204, 0x208, 0x216, 0x217, 0x221, 0x222, 0x8010abcd};
enum { EVENT_BLOCKS = sizeof(event_blocks) / sizeof(*event_blocks) };

static struct capture capture;
static size_t block_ends[BLOCKS_MAX], blocks;
static bool block_is_event[BLOCKS_MAX];

static void end_block(bool is_event)
{
	if (!is_event)
		capture_block_end(&capture);
	block_is_event[blocks] = is_event;
	block_ends[blocks++] = capture.bytes.len;
}

static void put_strings(int n)
{
	for (int i = 0; i < n; i++)
		capture_string(&capture, "text");
}

static void put_numbers(int u64s, int u32s)
{
	for (int i = 0; i < u64s; i++)
		capture_u64(&capture, 70);
	for (int i = 0; i < u32s; i++)
		capture_u32(&capture, 1);
}

static void put_thread(uint32_t block, int version)
{
	size_t at;

	capture_block_begin(&capture, block);
	at = version == 9 ? capture_entry_begin(&capture) : 0;
	put_numbers(version >= 8 ? 5 : version >= 6 ? 4 : 3, 0);
	put_strings(version >= 7 ? 5 : 4);
	put_numbers(1, 3);
	if (version >= 2)
		put_numbers(2, 3);
	put_strings(version >= 3);
	if (version >= 4)
		put_numbers(2, 0);
	put_strings((version >= 4) + (version >= 5));
	if (version == 9) {
		put_numbers(9, 3);
		capture_entry_end(&capture, at, true);
	}
	end_block(false);
}

static void put_fds(uint32_t block)
{
	static const struct {
		uint8_t type;
		int u64s, u32s, u8s, strings;
	} types[] = {{3, 0, 3, 1, 0}, {4, 4, 1, 1, 0},	{5, 0, 1, 3, 0}, {6, 2, 0, 3, 0},
		     {8, 2, 0, 0, 1}, {16, 0, 1, 0, 1}, {21, 0, 0, 0, 1}};

	capture_block_begin(&capture, block);
	capture_u64(&capture, 70);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		size_t at = block == 0x218 ? capture_entry_begin(&capture) : 0;

		put_numbers(2, 0);
		capture_u8(&capture, types[i].type);
		put_numbers(types[i].u64s, types[i].u32s);
		for (int j = 0; j < types[i].u8s; j++)
			capture_u8(&capture, 2);
		put_strings(types[i].strings);
		if (at)
			capture_entry_end(&capture, at, true);
	}
	end_block(false);
}

static void put_interfaces_and_users(bool prefixed)
{
	size_t at;

	capture_block_begin(&capture, prefixed ? 0x219 : 0x205);
	at = prefixed ? capture_entry_begin(&capture) : 0;
	capture_u16(&capture, 1);
	capture_u16(&capture, 4);
	put_numbers(1, 3);
	capture_bytes(&capture, "eth0", 4);
	if (prefixed)
		capture_entry_end(&capture, at, false);
	end_block(false);
	capture_block_begin(&capture, prefixed ? 0x220 : 0x206);
	at = prefixed ? capture_entry_begin(&capture) : 0;
	capture_u8(&capture, 0);
	put_numbers(0, 2);
	put_strings(3);
	if (prefixed)
		capture_entry_end(&capture, at, true);
	end_block(false);
}

static void put_events(void)
{
	for (int i = 0; i < EVENT_BLOCKS; i++) {
		capture_close_event(&capture, event_blocks[i], 0, 1);
		end_block(true);
	}
}

static int setup(void **state)
{
	static const uint32_t process_blocks[] = {0x202, 0x207, 0x209, 0x210, 0x211,
						  0x212, 0x213, 0x214, 0x215};

	buf_clear(&capture.bytes);
	blocks = 0;
	capture_section(&capture);
	block_ends[blocks++] = capture.bytes.len;
	capture_block_begin(&capture, 0x201);
	put_numbers(22, 1);
	end_block(false);
	put_interfaces_and_users(false);
	put_interfaces_and_users(true);
	for (int i = 0; i < 9; i++)
		put_thread(process_blocks[i], i + 1);
	put_fds(0x203);
	put_fds(0x218);
	put_events();
	capture_block_begin(&capture, 0x999);
	put_numbers(3, 0);
	end_block(false);
	capture_section(&capture);
	block_ends[blocks++] = capture.bytes.len;
	put_thread(0x215, 9);
	put_events();
	return 0;
}

static unsigned int events_before(size_t n)
{
	unsigned int events = 0;

	for (size_t i = 0; i < blocks; i++)
		events += block_is_event[i] && block_ends[i] <= n;
	return events;
}

static bool is_block_end(size_t n)
{
	for (size_t i = 0; i < blocks; i++)
		if (block_ends[i] == n)
			return true;
	return false;
}

static void test_whole(void **state)
{
	struct capture_result result = capture_read(capture.bytes.data, capture.bytes.len, NULL);

	assert_int_equal(result.code, -ENODATA);
	assert_int_equal(result.events, EVENTS);
	assert_int_equal(result.fd_sum, EVENTS);
	assert_int_equal(result.stats.corrupt_lists, 0);
	assert_int_equal(result.stats.unknown_blocks, 1);
}

static void test_cut_at_every_byte(void **state)
{
	for (size_t n = 24; n < capture.bytes.len; n += UNIT_STEP) {
		struct capture_result result = capture_read(capture.bytes.data, n, NULL);
		char text[64];

		assert_int_equal(result.start_code, 0);
		assert_int_equal(result.code, is_block_end(n) ? -ENODATA : -EPIPE);
		assert_int_equal(result.events, events_before(n));
		assert_int_equal(result.stats.corrupt_events + result.stats.corrupt_lists, 0);
		snprintf(text, sizeof(text), "it is truncated at byte %zu, in the block", n);
		assert_int_equal(strncmp(result.text, text, strlen(text)) == 0, !is_block_end(n));
	}
}

static size_t pack(uint8_t *to)
{
	z_stream stream = {.next_in = (uint8_t *)capture.bytes.data,
			   .avail_in = (unsigned int)capture.bytes.len,
			   .next_out = to,
			   .avail_out = PACKED_MAX};

	assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_FIXED), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(deflateEnd(&stream), Z_OK);
	return stream.total_out;
}

/* Of packed files, all is given out that can be unpacked. */
static void test_packed_cut_at_every_byte(void **state)
{
	static uint8_t packed[PACKED_MAX];
	size_t n = pack(packed);
	uint64_t events = 0;

	for (size_t i = 4; i < n; i += UNIT_STEP) {
		struct capture_result result = capture_read(packed, i, NULL);

		assert_int_equal(result.open_code ? result.open_code : result.code, -EPIPE);
		assert_non_null(strstr(result.text, "the gzip data end too early"));
		assert_true(result.events >= events);
		events = result.events;
	}
	assert_int_equal(events, EVENTS);
	assert_int_equal(capture_read(packed, n, NULL).code, -ENODATA);
}

static bool is_expected(int code)
{
	return code == -ENODATA || code == -EPIPE || code == -EBADMSG || code == -ENOTSUP;
}

/* Reads with some bytes replaced, and puts them back. */
static struct capture_result read_changed(size_t at, const void *bytes, size_t n)
{
	uint8_t before[8];
	struct capture_result result;

	memcpy(before, capture.bytes.data + at, n);
	memcpy(capture.bytes.data + at, bytes, n);
	result = capture_read(capture.bytes.data, capture.bytes.len, NULL);
	memcpy(capture.bytes.data + at, before, n);
	if (!is_expected(result.open_code ? result.open_code : result.code))
		fail_msg("byte %zu: %s (%d)", at, result.text, result.code);
	return result;
}

/*
 * Events of blocks before the changed bytes come out, unless nothing at all does; those after them
 * perhaps.
 */
static void expect_before(size_t at, const void *bytes, size_t n)
{
	struct capture_result result = read_changed(at, bytes, n);
	bool rejected = result.start_code || result.open_code;

	if (result.events > EVENTS || (!rejected && result.events < events_before(at)))
		fail_msg("byte %zu: %u events", at, (unsigned int)result.events);
	if (rejected)
		assert_int_equal(events_before(at), 0);
}

static void test_extremes_at_every_byte(void **state)
{
	static const uint32_t extremes[] = {0, 3, 12, 65535, 0x10000000, 0x7fffffff, 0xfffffffc};
	static const uint16_t short_extremes[] = {1, 0xffff};
	enum {
		LONG = sizeof(extremes) / sizeof(*extremes),
		ALL = LONG + sizeof(short_extremes) / sizeof(*short_extremes)
	};
	size_t places = capture.bytes.len + 1 - sizeof(*extremes);

	for (size_t n = 0; n < places * ALL; n += UNIT_STEP) {
		size_t at = n / ALL, i = n % ALL;

		if (i < LONG)
			expect_before(at, &extremes[i], sizeof(*extremes));
		else
			expect_before(at, &short_extremes[i - LONG], sizeof(*short_extremes));
	}
}

static void test_flips_at_every_byte(void **state)
{
	static const uint8_t flips[] = {0x01, 0x80, 0xff};

	for (size_t n = 0; n < capture.bytes.len * sizeof(flips); n += UNIT_STEP) {
		size_t at = n / sizeof(flips);
		uint8_t byte = (uint8_t)(capture.bytes.data[at] ^ flips[n % sizeof(flips)]);

		expect_before(at, &byte, sizeof(byte));
	}
}

/* The length of a block, at its beginning and its end: it is the end, and says where. */
static void test_lengths_of_blocks(void **state)
{
	for (size_t i = 1; i < blocks; i++) {
		uint32_t begin = (uint32_t)block_ends[i - 1], longer, text_len;
		struct capture_result result;
		char text[64];

		memcpy(&longer, capture.bytes.data + begin + 4, sizeof(longer));
		longer++;
		result = read_changed(block_ends[i] - sizeof(longer), &longer, sizeof(longer));
		text_len = (uint32_t)snprintf(text, sizeof(text),
					      "block that begins at byte %u is "
					      "corrupt",
					      begin);
		assert_true(text_len < sizeof(text));
		assert_int_equal(result.code, -EBADMSG);
		assert_non_null(strstr(result.text, text));
		longer = 11;
		result = read_changed(begin + 4, &longer, sizeof(longer));
		assert_int_equal(result.code, -EBADMSG);
		assert_non_null(strstr(result.text, text));
	}
}

static void test_blocks_of_4_gib(void **state)
{
	uint32_t len = UINT32_MAX - 3;

	for (size_t i = 1; i < blocks; i++) {
		struct capture_result result =
			read_changed(block_ends[i - 1] + 4, &len, sizeof(len));

		assert_int_equal(result.code, -EPIPE);
		assert_int_equal(result.events, events_before(block_ends[i - 1]));
	}
}

/* Signals can be looked at on the way through a file that has much before its first event. */
static void test_much_ahead_of_events(void **state)
{
	static const uint32_t unknown[] = {0x999, UINT32_MAX - 3};
	char path[32];
	struct scap_reader *reader;
	struct error err = {""};
	struct transcript transcript = {.snapshot.ops = &transcript_ops};
	struct capture begin = {0};
	int file =
		memfd_create("ahead", MFD_CLOEXEC); /* its holes take no pages when they are read */

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	capture_section(&begin);
	capture_bytes(&begin, unknown, sizeof(unknown));
	assert_int_equal(write(file, begin.bytes.data, begin.bytes.len), begin.bytes.len);
	assert_int_equal(ftruncate(file, UINT32_MAX), 0);
	assert_int_equal(scap_reader_open(path, &reader, &err), 0);
	close(file);
	for (int i = 0; i < 3; i++)
		assert_int_equal(scap_reader_start(reader, &transcript.snapshot, &err), -EINTR);
	scap_source_destroy(scap_reader_source(reader));
	buf_finish(&transcript.text);
	buf_finish(&begin.bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_whole),
	cmocka_unit_test(test_cut_at_every_byte),
	cmocka_unit_test(test_packed_cut_at_every_byte),
	cmocka_unit_test(test_extremes_at_every_byte),
	cmocka_unit_test(test_flips_at_every_byte),
	cmocka_unit_test(test_lengths_of_blocks),
	cmocka_unit_test(test_blocks_of_4_gib),
	cmocka_unit_test(test_much_ahead_of_events),
};

UNIT_GROUP(tests, .unfilled = true, .setup = setup, .slow = true);
