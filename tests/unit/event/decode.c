/* SPDX-License-Identifier: MIT */
/* Decoding: good frames give what was put in, corrupt ones -EBADMSG. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "unit.h"

enum {
	LEN_AT = offsetof(struct ppm_evt_hdr, len),
	TYPE_AT = offsetof(struct ppm_evt_hdr, type),
	NPARAMS_AT = offsetof(struct ppm_evt_hdr, nparams),
	LENGTHS_AT = sizeof(struct ppm_evt_hdr),
	CPU = 3,
	TS = 1700000000,
	TID = 4242,
};

static struct frame frame;

/* Where the length of a parameter stands in a frame. */
static size_t length_at(unsigned int param)
{
	return LENGTHS_AT + param * sizeof(uint16_t);
}

/* A whole openat: fixed sizes of 4 and 8 bytes, signed and unsigned ones, and a string. */
static struct scap_event openat_frame(void)
{
	frame_begin(&frame, EVENT_openat, TS, TID);
	frame_put_i64(&frame, openat__fd, 7);
	frame_put_i64(&frame, openat__dirfd, -100);
	frame_put_string(&frame, openat__name, "dir/file");
	frame_put_i64(&frame, openat__flags, file_flags__O_RDWR);
	frame_put_i64(&frame, openat__mode, 0644);
	frame_put_i64(&frame, openat__dev, 0xfffffff0);
	frame_put_i64(&frame, openat__ino, INT64_MAX);
	return frame_end(&frame);
}

/* The same with the time that the call took. */
static struct scap_event timed_frame(uint64_t latency_ns)
{
	openat_frame();
	frame.latency_ns = latency_ns;
	return frame_end(&frame);
}

/* An execve with every parameter of the table. */
static struct scap_event execve_frame(void)
{
	const struct event_desc *desc = event_desc_get(EVENT_execve);

	frame_begin(&frame, EVENT_execve, TS, TID);
	for (unsigned int i = 0; i < desc->nparams; i++) {
		if (param_type_size(desc->params[i].type))
			frame_put_i64(&frame, i, i);
		else
			frame_put_string(&frame, i, "text");
	}
	return frame_end(&frame);
}

/* Decodes a whole frame with one number of `size` bytes at `at` changed. */
static int decode_changed(const struct scap_event *whole, size_t at, uint64_t value, size_t size)
{
	uint8_t *bytes = malloc(whole->len);
	int r;

	assert_non_null(bytes);
	memcpy(bytes, whole->frame, whole->len);
	memcpy(bytes + at, &value, size);
	r = frame_decode_copy(bytes, whole->len);
	free(bytes);
	return r;
}

static void test_parameters(void **state)
{
	struct scap_event whole = openat_frame();
	struct event ev;
	int64_t result;

	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_ptr_equal(ev.desc, event_desc_get(EVENT_openat));
	assert_int_equal(ev.ts_ns, TS);
	assert_int_equal(ev.tid, TID);
	assert_int_equal(ev.cpu, CPU);
	assert_int_equal(event_param_i64(&ev, openat__fd), 7);
	assert_int_equal(event_param_i64(&ev, openat__dirfd), -100);
	assert_string_equal(event_param_string(&ev, openat__name), "dir/file");
	assert_int_equal(ev.params[openat__name].len, sizeof("dir/file"));
	assert_int_equal(event_param_u64(&ev, openat__mode), 0644);
	assert_int_equal(event_param_i64(&ev, openat__dev), 0xfffffff0);
	assert_int_equal(event_param_i64(&ev, openat__ino), INT64_MAX);
	assert_true(event_result(&ev, &result));
	assert_int_equal(result, 7);
}

static void test_latency(void **state)
{
	static const uint64_t latencies[] = {0, 1, 1000000007, UINT64_MAX - 1};
	struct scap_event whole = openat_frame();
	struct event ev;

	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_int_equal(ev.latency_ns, LATENCY_UNKNOWN);
	for (size_t i = 0; i < sizeof(latencies) / sizeof(latencies[0]); i++) {
		whole = timed_frame(latencies[i]);
		assert_int_equal(frame_decode_copy(whole.frame, whole.len), 0);
		assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
		assert_int_equal(ev.latency_ns, latencies[i]);
		/* The values are where they always are. */
		assert_int_equal(event_param_i64(&ev, openat__fd), 7);
		assert_int_equal(event_param_i64(&ev, openat__ino), INT64_MAX);
	}
}

/* Marks stand before the time, and change no value but the result of a call that never ran. */
static void test_marks(void **state)
{
	for (uint64_t faked = 0; faked < 2; faked++)
		for (int timed = 0; timed < 2; timed++) {
			struct scap_event whole;
			struct event ev;
			int64_t result;

			openat_frame();
			frame.marks = (struct frame_marks){1 << 3, 1 << 2, faked};
			frame.latency_ns = timed ? 5 : LATENCY_UNKNOWN;
			whole = frame_end(&frame);
			assert_int_equal(frame_decode_copy(whole.frame, whole.len), 0);
			assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
			assert_memory_equal(&ev.marks, &frame.marks, sizeof(ev.marks));
			assert_int_equal(ev.latency_ns, frame.latency_ns);
			assert_int_equal(event_result(&ev, &result), !faked);
			assert_int_equal(event_param_i64(&ev, openat__ino), INT64_MAX);
		}
}

/* Which file it was stands before both. */
static void test_file(void **state)
{
	for (int others = 0; others < 4; others++) {
		struct scap_event whole;
		struct event ev;

		openat_frame();
		frame.file = (struct frame_file){1ULL << 40, 0x801, 30};
		frame.marks.contested = others & 1;
		frame.latency_ns = others & 2 ? 5 : LATENCY_UNKNOWN;
		whole = frame_end(&frame);
		assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
		assert_memory_equal(&ev.file, &frame.file, sizeof(ev.file));
		assert_memory_equal(&ev.marks, &frame.marks, sizeof(ev.marks));
		assert_int_equal(ev.latency_ns, frame.latency_ns);
		assert_int_equal(event_param_i64(&ev, openat__ino), INT64_MAX);
		whole = openat_frame();
		assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
		assert_int_equal(ev.file.ino, 0);
		assert_int_equal(decode_changed(&whole, NPARAMS_AT, FRAME_FILE, 4), 0);
	}
}

/* What the thread did stands before the file. */
static void test_times(void **state)
{
	for (int others = 0; others < 4; others++) {
		struct scap_event whole;
		struct event ev;

		openat_frame();
		frame.times = (struct frame_times){.since_ns = 1, .ns = {2, 3}, .unlocked_by = 4};
		frame.file.ino = others & 1;
		frame.stream.is_known = others >> 1;
		whole = frame_end(&frame);
		assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
		assert_memory_equal(&ev.times, &frame.times, sizeof(ev.times));
		assert_int_equal(ev.file.ino, others & 1);
		assert_int_equal(ev.stream.is_known, others >> 1);
		assert_int_equal(event_param_i64(&ev, openat__ino), INT64_MAX);
		whole = openat_frame();
		assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
		assert_int_equal(ev.times.since_ns, 0);
		/* It is shorter than these. */
		assert_int_equal(decode_changed(&whole, NPARAMS_AT, FRAME_TIMES, 4), -EBADMSG);
	}
}

/* By which operation of io_uring it came stands before all others. */
static void test_uring(void **state)
{
	for (int others = 0; others < 4; others++) {
		struct scap_event whole;
		struct event ev;

		openat_frame();
		frame.uring = (struct frame_uring){9, 3, 4, 18, 1, 1, {0}};
		frame.stream.is_known = others & 1;
		frame.file.ino = others & 1;
		frame.marks.contested = others & 2;
		frame.latency_ns = others & 2 ? 5 : LATENCY_UNKNOWN;
		whole = frame_end(&frame);
		assert_int_equal(frame_decode_copy(whole.frame, whole.len), 0);
		assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
		assert_memory_equal(&ev.uring, &frame.uring, sizeof(ev.uring));
		assert_memory_equal(&ev.stream, &frame.stream, sizeof(ev.stream));
		assert_memory_equal(&ev.file, &frame.file, sizeof(ev.file));
		assert_memory_equal(&ev.marks, &frame.marks, sizeof(ev.marks));
		assert_int_equal(ev.latency_ns, frame.latency_ns);
		assert_int_equal(event_param_i64(&ev, openat__ino), INT64_MAX);
	}
}

/* What only rings can do has a result, too. */
static void test_uring_result(void **state)
{
	struct scap_event whole;
	struct event ev;
	int64_t result;

	frame_begin(&frame, EVENT_io_uring_op, TS, TID);
	frame_put_i64(&frame, io_uring_op__res, 5);
	frame.latency_ns = 7;
	frame.uring.ring = 9;
	whole = frame_end(&frame);
	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_true(event_result(&ev, &result));
	assert_int_equal(result, 5);
	frame.latency_ns = LATENCY_UNKNOWN;
	frame.uring.ring = 0;
	whole = frame_end(&frame);
	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_false(event_result(&ev, &result));
}

/* An event of a system call, and one that says so and has no bytes or no ring. */
static void test_uring_is_missing(void **state)
{
	struct scap_event whole = openat_frame();
	struct event ev;

	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_int_equal(ev.uring.ring, 0);
	assert_int_equal(ev.uring.slot, -1);
	assert_int_equal(ev.uring.made_slot, -1);
	assert_int_equal(decode_changed(&whole, NPARAMS_AT, openat__count | FRAME_URING, 4),
			 -EBADMSG);
	assert_int_equal(decode_changed(&whole, NPARAMS_AT, FRAME_URING, 4), 0);
	frame.uring.ring = 9;
	whole = frame_end(&frame);
	assert_int_equal(frame_decode_copy(whole.frame, whole.len), 0);
	assert_int_equal(decode_changed(&whole, whole.len - sizeof(frame.uring), 0, 8), -EBADMSG);
}

/* Of the events that are no calls one is made by operations, and that one alone. */
static void test_uring_of_no_call(void **state)
{
	struct scap_event whole;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc || desc->category & EC_SYSCALL)
			continue;
		frame_begin(&frame, id, TS, TID);
		frame.uring.ring = 9;
		whole = frame_end(&frame);
		assert_int_equal(frame_decode_copy(whole.frame, whole.len),
				 id == EVENT_io_uring_op ? 0 : -EBADMSG);
	}
}

/* The bit that says so is there, and the bytes are not; or it is no call. */
static void test_marks_are_missing(void **state)
{
	struct scap_event whole = openat_frame();

	assert_int_equal(decode_changed(&whole, NPARAMS_AT, openat__count | FRAME_MARKED, 4),
			 -EBADMSG);
	assert_int_equal(decode_changed(&whole, NPARAMS_AT, FRAME_MARKED, 4), 0);
	frame.marks.contested = 1;
	frame.latency_ns = 7;
	whole = frame_end(&frame);
	assert_int_equal(decode_changed(&whole, LEN_AT, LENGTHS_AT + 31, 4), -EBADMSG);
	frame_begin(&frame, EVENT_procexit, TS, TID);
	frame.marks.contested = 1;
	whole = frame_end(&frame);
	assert_int_equal(frame_decode_copy(whole.frame, whole.len), -EBADMSG);
}

/* Only calls take time. */
static void test_latency_of_no_call(void **state)
{
	struct scap_event whole;

	frame_begin(&frame, EVENT_procexit, TS, TID);
	whole = frame_end(&frame);
	assert_int_equal(frame_decode_copy(whole.frame, whole.len), 0);
	frame.latency_ns = 1;
	whole = frame_end(&frame);
	assert_int_equal(frame_decode_copy(whole.frame, whole.len), -EBADMSG);
}

/* The bit that says so is there, and the bytes are not, or the other way round. */
static void test_latency_is_missing(void **state)
{
	struct scap_event whole = openat_frame();
	uint32_t nparams = openat__count | FRAME_TIMED;

	assert_int_equal(decode_changed(&whole, NPARAMS_AT, nparams, 4), -EBADMSG);
	whole = timed_frame(5);
	assert_int_equal(decode_changed(&whole, LEN_AT, whole.len - 8, 4), -EBADMSG);
	assert_int_equal(decode_changed(&whole, LEN_AT, LENGTHS_AT, 4), -EBADMSG);
	assert_int_equal(decode_changed(&whole, LEN_AT, 7, 4), -EBADMSG);
	assert_int_equal(decode_changed(&whole, NPARAMS_AT, nparams + 1, 4), -EBADMSG);
}

static void test_absent_parameters(void **state)
{
	struct scap_event whole;
	struct event ev;
	int64_t result = 99;

	frame_begin(&frame, EVENT_openat, TS, TID);
	whole = frame_end(&frame);
	assert_int_equal(frame_decode_copy(whole.frame, whole.len), 0);
	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	for (unsigned int i = 0; i < openat__count; i++) {
		assert_false(event_param_present(&ev, i));
		assert_int_equal(event_param_i64(&ev, i), 0);
	}
	assert_null(event_param_string(&ev, openat__name));
	assert_false(event_result(&ev, &result));
	assert_int_equal(result, 99);
}

/* Values of the table's types, extended by their sign. */
static void check_extension(unsigned int id, unsigned int param, int64_t put, int64_t got)
{
	struct scap_event whole;
	struct event ev;

	frame_begin(&frame, (uint16_t)id, TS, TID);
	frame_put_i64(&frame, param, put);
	whole = frame_end(&frame);
	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_int_equal(event_param_i64(&ev, param), got);
}

static void test_extension(void **state)
{
	check_extension(EVENT_accept4, accept4__queuepct, 0xff, 0xff);
	check_extension(EVENT_accept4, accept4__flags, -1, -1);
	check_extension(EVENT_accept4, accept4__flags, INT32_MAX, INT32_MAX);
	check_extension(EVENT_accept4, accept4__flags, 0x80000000, INT32_MIN);
	check_extension(EVENT_accept4, accept4__queuelen, 0x80000000, 0x80000000);
	check_extension(EVENT_creat, creat__creat_flags, 0xffff, 0xffff);
	check_extension(EVENT_openat, openat__fd, INT64_MIN, INT64_MIN);
	check_extension(EVENT_syscall, syscall__nativeID, -1, UINT16_MAX);
}

static void test_results(void **state)
{
	struct scap_event whole;
	struct event ev;
	int64_t result = 99;

	frame_begin(&frame, EVENT_close, TS, TID);
	frame_put_i64(&frame, close__res, -EBADF);
	whole = frame_end(&frame);
	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_true(event_result(&ev, &result));
	assert_int_equal(result, -EBADF);

	result = 99;
	frame_begin(&frame, EVENT_syscall, TS, TID);
	frame_put_i64(&frame, syscall__ID, SC_getppid);
	whole = frame_end(&frame);
	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_false(event_result(&ev, &result));

	frame_begin(&frame, EVENT_exit_group, TS, TID);
	frame_put_i64(&frame, exit_group__status, -1);
	whole = frame_end(&frame);
	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_false(event_result(&ev, &result));

	frame_begin(&frame, EVENT_procexit, TS, TID);
	frame_put_i64(&frame, procexit__status, 5);
	whole = frame_end(&frame);
	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_false(event_result(&ev, &result));
	assert_int_equal(result, 99);
}

/* With its NUL this is whole numbers too. */
#define SOME_TEXT "letters"

/* A value that a parameter without a fixed size may have. */
static void put_some(unsigned int param, enum param_type type)
{
	if (type == PT_FDLIST)
		frame_put_fdlist(&frame, param, &(struct fdlist_entry){3, 1}, 1);
	else if (type == PT_DYN)
		frame_put_dyn(&frame, param, 0, 0);
	else if (type == PT_IPADDR)
		frame_put_bytes(&frame, param, "\177\0\0\1", 4);
	else
		frame_put_string(&frame, param, SOME_TEXT);
}

/* Every event of the table, whole and with nothing in it. */
static void test_every_event(void **state)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		struct scap_event whole;
		enum param_type type;
		struct event ev;

		if (!desc)
			continue;
		frame_begin(&frame, (uint16_t)id, TS, TID);
		for (unsigned int i = 0; i < desc->nparams; i++)
			if (param_type_size(desc->params[i].type))
				frame_put_i64(&frame, i, i + 1);
			else
				put_some(i, desc->params[i].type);
		whole = frame_end(&frame);
		assert_int_equal(frame_decode_copy(whole.frame, whole.len), 0);
		assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
		for (unsigned int i = 0; i < desc->nparams; i++) {
			type = desc->params[i].type;
			if (param_type_size(type))
				assert_int_equal(event_param_i64(&ev, i), i + 1);
			else if (type != PT_FDLIST && type != PT_DYN && type != PT_IPADDR)
				assert_string_equal(event_param_string(&ev, i), SOME_TEXT);
		}
	}
}

/* A frame that was cut off says a length that is not there. */
static void check_cut_off(struct scap_event whole)
{
	assert_int_equal(frame_decode_copy(whole.frame, whole.len), 0);
	for (uint32_t len = 0; len < whole.len; len++)
		assert_int_equal(frame_decode_copy(whole.frame, len), -EBADMSG);
}

static void test_cut_off(void **state)
{
	check_cut_off(openat_frame());
	check_cut_off(timed_frame(5));
	check_cut_off(execve_frame());
}

/* The frame is cut off and says so: what is missing are values, or the lengths of them. */
static void check_shortened(struct scap_event whole)
{
	uint8_t *bytes = malloc(whole.len);

	assert_non_null(bytes);
	memcpy(bytes, whole.frame, whole.len);
	for (uint32_t len = 0; len < whole.len; len++) {
		memcpy(bytes + LEN_AT, &len, sizeof(len));
		assert_int_equal(frame_decode_copy(bytes, whole.len), -EBADMSG);
		if (len >= LENGTHS_AT)
			assert_int_equal(frame_decode_copy(bytes, len), -EBADMSG);
	}
	free(bytes);
}

static void test_shortened(void **state)
{
	check_shortened(openat_frame());
	check_shortened(timed_frame(5));
	check_shortened(execve_frame());
}

static void test_claims_of_the_header(void **state)
{
	struct scap_event whole = openat_frame();

	assert_int_equal(decode_changed(&whole, LEN_AT, whole.len + 1, 4), -EBADMSG);
	assert_int_equal(decode_changed(&whole, LEN_AT, UINT32_MAX, 4), -EBADMSG);
	assert_int_equal(decode_changed(&whole, LEN_AT, 0, 4), -EBADMSG);
	assert_int_equal(decode_changed(&whole, TYPE_AT, EVENT_NONE, 2), -ENOENT);
	assert_int_equal(decode_changed(&whole, TYPE_AT, EVENT_ID_MAX, 2), -ENOENT);
	assert_int_equal(decode_changed(&whole, TYPE_AT, UINT16_MAX, 2), -ENOENT);
	/* Events with parameters of other types. */
	assert_int_equal(decode_changed(&whole, TYPE_AT, EVENT_setuid, 2), -EBADMSG);
	assert_int_equal(decode_changed(&whole, TYPE_AT, EVENT_rename, 2), -EBADMSG);
}

static void test_number_of_parameters(void **state)
{
	static const uint32_t numbers[] = {
		UINT16_MAX,
		UINT32_MAX,
		FRAME_TIMED + openat__count,
	};
	struct scap_event whole = openat_frame();

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_int_equal(decode_changed(&whole, NPARAMS_AT, numbers[i], 4), -EBADMSG);
}

/* What older versions did not have is absent. */
static void test_fewer_parameters(void **state)
{
	const struct event_desc *desc = event_desc_get(EVENT_openat);
	struct scap_event whole;
	struct event ev;

	for (uint32_t n = 0; n <= openat__count; n++) {
		openat_frame();
		frame.desc = &(struct event_desc){
			.id = EVENT_openat, .nparams = (uint16_t)n, .params = desc->params};
		whole = frame_end(&frame);
		check_cut_off(whole);
		assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
		for (unsigned int i = 0; i < openat__count; i++)
			assert_int_equal(event_param_present(&ev, i), i < n && frame.params[i].len);
		assert_int_equal(event_param_i64(&ev, openat__dirfd), n > openat__dirfd ? -100 : 0);
	}
}

/* Parameters of later versions are skipped, whatever they are. */
static void test_more_parameters(void **state)
{
	struct event_desc later = *event_desc_get(EVENT_openat);
	struct scap_event whole;
	struct event ev;

	openat_frame();
	later.nparams += 2;
	frame.desc = &later;
	frame_put_bytes(&frame, openat__count, "no string", 9);
	frame_put_bytes(&frame, openat__count + 1, "", 0);
	whole = frame_end(&frame);
	check_cut_off(whole);
	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_int_equal(event_param_i64(&ev, openat__fd), 7);
	assert_string_equal(event_param_string(&ev, openat__name), "dir/file");
}

/* Lengths of 32 bits: a value may be longer than 16 bits can count, but not than its frame. */
static void test_large_payload(void **state)
{
	enum { DATA_BYTES = 100000 };
	const uint32_t lengths[] = {4, 5, DATA_BYTES};
	/* The last ones with the other lengths make a sum that 32 bits do not hold. */
	const uint32_t wrong[] = {DATA_BYTES + 1, 3 * DATA_BYTES, INT32_MAX,
				  UINT32_MAX - 9, UINT32_MAX - 8, UINT32_MAX};
	uint32_t len = LENGTHS_AT + sizeof(lengths) + 4 + 5 + DATA_BYTES;
	struct ppm_evt_hdr header = {.len = len, .type = EVENT_asyncevent, .nparams = 3};
	uint8_t *bytes = calloc(1, len);
	struct event ev;

	assert_non_null(bytes);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + LENGTHS_AT, lengths, sizeof(lengths));
	memcpy(bytes + LENGTHS_AT + sizeof(lengths), "\7\0\0\0name", 9);
	assert_int_equal(frame_decode_copy(bytes, len), 0);
	assert_int_equal(event_decode(bytes, len, CPU, &ev), 0);
	assert_int_equal(event_param_u64(&ev, asyncevent__plugin_id), 7);
	assert_string_equal(event_param_string(&ev, asyncevent__name), "name");
	assert_int_equal(ev.params[asyncevent__data].len, DATA_BYTES);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memcpy(bytes + LENGTHS_AT + 8, &wrong[i], sizeof(wrong[i]));
		assert_int_equal(frame_decode_copy(bytes, len), -EBADMSG);
	}
	free(bytes);
}

/* Those on entry to a call begin with an argument, not with a result. */
static void test_enter_has_no_result(void **state)
{
	struct scap_event whole;
	int64_t result = 99;
	struct event ev;

	frame_begin(&frame, EVENT_connect_enter, TS, TID);
	frame_put_i64(&frame, connect_enter__fd, -1);
	whole = frame_end(&frame);
	assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
	assert_false(event_result(&ev, &result));
	assert_int_equal(result, 99);
}

/* Any length of any parameter: one that the others are not made for does not pass. */
static void test_lengths(void **state)
{
	struct scap_event whole = openat_frame();

	for (unsigned int param = 0; param < openat__count; param++) {
		uint16_t good;

		memcpy(&good, (const uint8_t *)whole.frame + length_at(param), sizeof(good));
		for (uint32_t n = 1; n <= UINT16_MAX; n += n < 300 ? 1 : 97)
			if (n != good)
				assert_int_equal(decode_changed(&whole, length_at(param), n, 2),
						 -EBADMSG);
		assert_int_equal(decode_changed(&whole, length_at(param), UINT16_MAX, 2), -EBADMSG);
	}
}

static void test_strings_end_with_nul(void **state)
{
	struct scap_event whole;

	frame_begin(&frame, EVENT_chdir, TS, TID);
	frame_put_i64(&frame, chdir__res, 0);
	frame_put_bytes(&frame, chdir__path, "no end", 6);
	whole = frame_end(&frame);
	assert_int_equal(frame_decode_copy(whole.frame, whole.len), -EBADMSG);

	frame_begin(&frame, EVENT_chdir, TS, TID);
	frame_put_string(&frame, chdir__path, "");
	whole = frame_end(&frame);
	assert_int_equal(frame_decode_copy(whole.frame, whole.len), 0);

	/* Bytes that are no string need none. */
	frame_begin(&frame, EVENT_write, TS, TID);
	frame_put_bytes(&frame, write__data, "no end", 6);
	whole = frame_end(&frame);
	assert_int_equal(frame_decode_copy(whole.frame, whole.len), 0);
}

/* What follows a frame is not of it: padding, or the next frame of a record. */
static void test_bytes_behind(void **state)
{
	struct scap_event whole = openat_frame();
	uint8_t *bytes = malloc(whole.len + 6);
	struct event ev;

	assert_non_null(bytes);
	memcpy(bytes, whole.frame, whole.len);
	memset(bytes + whole.len, 0xff, 6);
	assert_int_equal(event_decode(bytes, whole.len + 6, CPU, &ev), 0);
	assert_int_equal(event_param_i64(&ev, openat__ino), INT64_MAX);
	free(bytes);
}

/* Any byte of a frame changed to anything: an error or a frame within its bounds. */
static void check_hostile(struct scap_event whole)
{
	for (uint32_t at = 0; at < whole.len; at++)
		for (unsigned int value = 0; value <= UINT8_MAX; value++) {
			int r = decode_changed(&whole, at, value, 1);

			assert_true(r == 0 || r == -EBADMSG || r == -ENOENT);
		}
}

static void test_hostile(void **state)
{
	check_hostile(openat_frame());
	check_hostile(execve_frame());
}

/* Texts without marks: as long as they are captured, there may have been more. */
static void test_marks_by_length(void **state)
{
	static char text[STRING_BYTES_MAX];
	struct scap_event whole;
	struct event ev;

	memset(text, 'x', sizeof(text) - 1);
	for (size_t len = sizeof(text) - 2; len < sizeof(text); len++) {
		text[len] = '\0';
		frame_begin(&frame, EVENT_execve, TS, TID);
		frame_put_string(&frame, execve__filename, text);
		frame_put_string(&frame, execve__exe, "prog");
		frame_put_bytes(&frame, execve__args, text, len - 4);
		frame_put_bytes(&frame, execve__env, text, len + 1);
		frame_put_bytes(&frame, execve__cgroups, text, len + 1);
		whole = frame_end(&frame);
		assert_int_equal(event_decode(whole.frame, whole.len, CPU, &ev), 0);
		assert_int_equal(ev.marks.truncated, 0);
		event_mark_by_length(&ev);
		assert_int_equal(ev.marks.truncated, len == sizeof(text) - 1
							     ? UINT64_C(1) << execve__filename |
								       1 << execve__args |
								       1 << execve__env
							     : 0);
		text[len] = 'x';
	}
}

static void test_types(void **state)
{
	assert_int_equal(param_type_size(PT_INT8), 1);
	assert_int_equal(param_type_size(PT_FLAGS16), 2);
	assert_int_equal(param_type_size(PT_MODE), 4);
	assert_int_equal(param_type_size(PT_FD), 8);
	assert_int_equal(param_type_size(PT_FSPATH), 0);
	assert_int_equal(param_type_size(PT_BYTEBUF), 0);
	assert_int_equal(param_type_size(PT_IPADDR), 0);
	assert_true(param_type_is_signed(PT_ERRNO));
	assert_true(param_type_is_signed(PT_PID));
	assert_false(param_type_is_signed(PT_UID));
	assert_false(param_type_is_signed(PT_UINT64));
	assert_false(param_type_is_signed(PT_CHARBUF));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parameters),
	cmocka_unit_test(test_latency),
	cmocka_unit_test(test_marks),
	cmocka_unit_test(test_file),
	cmocka_unit_test(test_times),
	cmocka_unit_test(test_uring),
	cmocka_unit_test(test_uring_result),
	cmocka_unit_test(test_uring_is_missing),
	cmocka_unit_test(test_uring_of_no_call),
	cmocka_unit_test(test_marks_are_missing),
	cmocka_unit_test(test_latency_of_no_call),
	cmocka_unit_test(test_latency_is_missing),
	cmocka_unit_test(test_absent_parameters),
	cmocka_unit_test(test_extension),
	cmocka_unit_test(test_results),
	cmocka_unit_test(test_every_event),
	cmocka_unit_test(test_cut_off),
	cmocka_unit_test(test_shortened),
	cmocka_unit_test(test_claims_of_the_header),
	cmocka_unit_test(test_number_of_parameters),
	cmocka_unit_test(test_fewer_parameters),
	cmocka_unit_test(test_more_parameters),
	cmocka_unit_test(test_large_payload),
	cmocka_unit_test(test_enter_has_no_result),
	cmocka_unit_test(test_lengths),
	cmocka_unit_test(test_strings_end_with_nul),
	cmocka_unit_test(test_bytes_behind),
	cmocka_unit_test(test_hostile),
	cmocka_unit_test(test_marks_by_length),
	cmocka_unit_test(test_types),
};

UNIT_GROUP(tests);
