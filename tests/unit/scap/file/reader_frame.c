/* SPDX-License-Identifier: MIT */
/* Blocks of events, and the frames in them: too short, too long, with something after them. */
#include <errno.h>
#include <string.h>

#include "abi.h"
#include "scap/file/reader_impl.h"
#include "snapshot.h"
#include "unit.h"

static const uint32_t event_blocks[] = {0x204, 0x208, 0x216, 0x217, 0x221, 0x222, 0x8010abcd};
enum {
	EVENT_BLOCKS = sizeof(event_blocks) / sizeof(*event_blocks),
	FRAME_BYTES = 26 + 2 * 2 + 2 * 8, /* with the header of today */
};

/* Of the flags only the first says that it is not to be shown. */
static void test_flags(void **state)
{
	for (uint32_t flags = 0; flags < 8; flags++)
		capture_close_event(&capture, 0x217, flags, 1);
	assert_int_equal(capture_read(capture.bytes.data, capture.bytes.len, NULL).hidden, 4);
}

/* Too short for any event, and one that says it is longer than its block. */
static void test_corrupt_events(void **state)
{
	struct capture_result result;
	size_t at;

	capture_block_begin(&capture, 0x216);
	capture_block_end(&capture);
	capture_close_event(&capture, 0x216, 0, 1);
	at = capture.bytes.len;
	capture_close_event(&capture, 0x216, 0, 2);
	capture.bytes.data[at + 8 + 2 + 16] = 100;
	at = capture.bytes.len;
	capture_close_event(&capture, 0x204, 0, 4);
	capture.bytes.data[at + 8 + 2 + 16] = 21;
	capture_close_event(&capture, 0x216, 0, 8);
	result = capture_read(capture.bytes.data, capture.bytes.len, NULL);
	assert_int_equal(result.events, 2);
	assert_int_equal(result.fd_sum, 9);
	assert_int_equal(result.stats.corrupt_events, 3);
	assert_int_equal(result.code, -ENODATA);
}

/* Other tools add to a block, after its event. */
static void test_something_behind_an_event(void **state)
{
	struct capture_result result;

	for (int i = 0; i < EVENT_BLOCKS; i++) {
		capture_close_event(&capture, event_blocks[i], 0, 3);
		capture.bytes.len -= 4; /* the length at the end */
		capture_string(&capture, "a comment");
		capture_block_end(&capture);
	}
	result = capture_read(capture.bytes.data, capture.bytes.len, NULL);
	assert_int_equal(result.events, EVENT_BLOCKS);
	assert_int_equal(result.fd_sum, 3 * EVENT_BLOCKS);
}

/* Where the frame of an event begins in its block. */
static size_t frame_at(const struct reader_block *kind)
{
	return sizeof(struct scap_block_header) + sizeof(uint16_t) +
	       (kind->event_flags ? sizeof(uint32_t) : 0);
}

/* Finds the frame of the event at the end of the capture, if it were of this type and length. */
static int find_frame(uint32_t block, uint16_t type, int more, struct scap_event *event)
{
	const struct reader_block *kind = reader_block_kind(block);
	uint8_t *at;
	uint32_t len;

	buf_clear(&capture.bytes);
	capture_close_event(&capture, block, 1, 5);
	at = (uint8_t *)capture.bytes.data;
	memcpy(&len, at + frame_at(kind) + offsetof(struct ppm_evt_hdr, len), sizeof(len));
	len += (uint32_t)more;
	memcpy(at + frame_at(kind) + offsetof(struct ppm_evt_hdr, len), &len, sizeof(len));
	if (type)
		memcpy(at + frame_at(kind) + offsetof(struct ppm_evt_hdr, type), &type,
		       sizeof(type));
	*event = (struct scap_event){0};
	return reader_find_frame(kind, at, (uint32_t)capture.bytes.len, event);
}

/* Frames of both versions have the header of today, with the number of their parameters. */
static void test_headers(void **state)
{
	for (int i = 0; i < EVENT_BLOCKS; i++) {
		struct ppm_evt_hdr header;
		struct scap_event event;

		assert_int_equal(find_frame(event_blocks[i], 0, 0, &event), 0);
		assert_int_equal(event.cpu, 3);
		assert_int_equal(event.len, FRAME_BYTES);
		assert_int_equal(event.hidden, reader_block_kind(event_blocks[i])->event_flags);
		memcpy(&header, event.frame, sizeof(header));
		assert_int_equal(header.len, FRAME_BYTES);
		assert_int_equal(header.nparams, 2);
		assert_int_equal(header.ts, 1000);
		assert_int_equal(header.tid, 70);
		assert_memory_equal((const char *)event.frame + FRAME_BYTES - 8, "\5\0\0\0\0\0\0\0",
				    8);
	}
}

/* Lengths that differ from that of the frame, after which its block has no room. */
static void test_lengths(void **state)
{
	static const struct {
		uint32_t block;
		uint16_t type; /* 0: close */
		int more, code;
	} cases[] = {
		{0x216, 0, 1, -EBADMSG},
		{0x216, 0, -20, 0}, /* the header alone: its values are looked at later */
		{0x216, 0, -21, -EBADMSG},
		{0x204, 0, 3, -EBADMSG},
		{0x204, 0, -21, -EBADMSG},
		/* Some events of the first version say 3 bytes too many, those of today do not. */
		{0x204, SCAP_V1_NOTIFICATION, 3, 0},
		{0x208, SCAP_V1_INFRA, 3, 0},
		{0x204, SCAP_V1_NOTIFICATION, 4, -EBADMSG},
		{0x216, SCAP_V1_NOTIFICATION, 3, -EBADMSG},
	};
	struct scap_event event;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(find_frame(cases[i].block, cases[i].type, cases[i].more, &event),
				 cases[i].code);
		if (cases[i].code == 0)
			assert_int_equal(event.len, cases[i].more < 0 ? 26 : FRAME_BYTES);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, snapshot_setup, snapshot_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_flags),   TEST(test_corrupt_events), TEST(test_something_behind_an_event),
	TEST(test_headers), TEST(test_lengths),
};

UNIT_GROUP(tests);
