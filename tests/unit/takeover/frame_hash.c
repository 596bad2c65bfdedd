/* SPDX-License-Identifier: MIT */
/* The same event has the same hash in each capture, another one does not. */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "takeover/boundary.h"
#include "unit.h"

struct timed_frame {
	struct ppm_evt_hdr header;
	uint64_t value, latency_ns;
} __attribute__((packed));

static uint64_t hash(uint64_t ts, uint64_t tid, uint64_t value, uint64_t latency_ns)
{
	struct timed_frame frame = {
		.header = {.ts = ts, .tid = tid, .type = EVENT_close, .len = sizeof(frame)},
		.value = value,
		.latency_ns = latency_ns,
	};
	struct scap_event event = {.frame = &frame, .len = sizeof(frame)};

	if (latency_ns) {
		frame.header.nparams |= FRAME_TIMED;
	} else {
		event.len -= sizeof(frame.latency_ns);
		frame.header.len = event.len;
	}
	return boundary_frame_hash(&event);
}

static void test_times_make_no_difference(void **state)
{
	assert_true(hash(1, 7, 5, 0) == hash(2, 7, 5, 0));
	assert_true(hash(1, 7, 5, 30) == hash(1, 7, 5, 31));
	assert_true(hash(1, 7, 5, 30) == hash(1, 7, 5, 0));
}

/* An exec, of which one capture has the environment, another one does not. */
static uint64_t exec_hash(const char *args, const char *env, const char *tty)
{
	char frame[256];
	struct ppm_evt_hdr header = {.type = EVENT_execve, .tid = 7, .nparams = execve__tty + 1};
	uint16_t lengths[execve__tty + 1] = {0};
	struct scap_event event = {.frame = frame, .len = sizeof(header) + sizeof(lengths)};

	lengths[execve__args] = (uint16_t)strlen(args);
	lengths[execve__env] = (uint16_t)strlen(env);
	lengths[execve__tty] = (uint16_t)strlen(tty);
	event.len += (uint32_t)snprintf(frame + event.len, sizeof(frame) - event.len, "%s%s%s",
					args, env, tty);
	header.len = event.len;
	memcpy(frame, &header, sizeof(header));
	memcpy(frame + sizeof(header), lengths, sizeof(lengths));
	return boundary_frame_hash(&event);
}

static void test_environments_make_no_difference(void **state)
{
	assert_true(exec_hash("-l", "", "tty1") == exec_hash("-l", "HOME=/", "tty1"));
	assert_true(exec_hash("-l", "A=1", "tty1") == exec_hash("-l", "HOME=/", "tty1"));
	assert_true(exec_hash("-l", "A=1", "tty1") != exec_hash("-a", "A=1", "tty1"));
	assert_true(exec_hash("-l", "A=1", "tty1") != exec_hash("-l", "A=1", "tty2"));
	assert_true(exec_hash("-l", "A=1", "") != exec_hash("-", "lA=1", ""));
}

/* What a call moved, of which captures take more or less. */
static uint64_t write_hash(const char *data, int32_t fd)
{
	char frame[256];
	struct ppm_evt_hdr header = {.type = EVENT_write, .tid = 7, .nparams = write__size + 1};
	uint16_t lengths[write__size + 1] = {
		[write__data] = (uint16_t)strlen(data), [write__fd] = sizeof(fd)};
	struct scap_event event = {.frame = frame, .len = sizeof(header) + sizeof(lengths)};

	memcpy(frame + event.len, data, strlen(data));
	event.len += (uint32_t)strlen(data);
	memcpy(frame + event.len, &fd, sizeof(fd));
	event.len += sizeof(fd);
	header.len = event.len;
	memcpy(frame, &header, sizeof(header));
	memcpy(frame + sizeof(header), lengths, sizeof(lengths));
	return boundary_frame_hash(&event);
}

static void test_data_makes_no_difference(void **state)
{
	assert_true(write_hash("GET / HTTP/1.1", 5) == write_hash("GET", 5));
	assert_true(write_hash("GET / HTTP/1.1", 5) == write_hash("", 5));
	assert_true(write_hash("GET", 5) != write_hash("GET", 6));
}

/* One whose lengths are more than it has is not read beyond its end. */
static void test_wrong_lengths_of_an_exec(void **state)
{
	struct {
		struct ppm_evt_hdr header;
		uint16_t lengths[execve__env + 1];
	} __attribute__((packed)) frame = {
		.header = {.type = EVENT_execve, .nparams = execve__env + 1, .len = sizeof(frame)},
		.lengths = {[execve__args] = 9000, [execve__env] = 60000},
	};
	struct scap_event event = {.frame = &frame, .len = sizeof(frame)};
	uint64_t before = boundary_frame_hash(&event);

	frame.lengths[execve__env] = 60001;
	assert_true(before != boundary_frame_hash(&event));
	event.len = sizeof(frame.header); /* not even the lengths */
	before = boundary_frame_hash(&event);
	frame.lengths[execve__env] = 60000;
	assert_true(before == boundary_frame_hash(&event));
}

/* A frame that is too short for what it says to have is not read beyond its end. */
static void test_no_room_for_extras(void **state)
{
	struct ppm_evt_hdr header = {.tid = 7, .len = sizeof(header), .nparams = FRAME_EXTRAS};
	struct scap_event event = {.frame = &header, .len = sizeof(header)};
	uint64_t marked = boundary_frame_hash(&event);

	header.nparams = 0;
	assert_true(marked == boundary_frame_hash(&event));
}

static void test_all_else_does(void **state)
{
	assert_true(hash(1, 7, 5, 0) != hash(1, 8, 5, 0));
	assert_true(hash(1, 7, 5, 0) != hash(1, 7, 6, 0));
	/* Thread and type are in the upper half, the values in the lower one. */
	assert_true(hash(1, 7, 5, 0) >> 32 == hash(1, 7, 6, 0) >> 32);
	assert_true((uint32_t)hash(1, 7, 5, 0) == (uint32_t)hash(1, 8, 5, 0));
}

static void test_short_frames_have_no_header(void **state)
{
	const struct scap_event event = {.frame = "", .len = 1};

	assert_int_equal(boundary_frame_header(&event).ts, 0);
	assert_int_equal(boundary_frame_header(&event).type, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_times_make_no_difference),
	cmocka_unit_test(test_environments_make_no_difference),
	cmocka_unit_test(test_data_makes_no_difference),
	cmocka_unit_test(test_wrong_lengths_of_an_exec),
	cmocka_unit_test(test_no_room_for_extras),
	cmocka_unit_test(test_all_else_does),
	cmocka_unit_test(test_short_frames_have_no_header),
};

UNIT_GROUP(tests);
