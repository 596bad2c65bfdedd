/* SPDX-License-Identifier: MIT */
/* Events in capture files byte by byte, as the format has them, and what is left out. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/event.h"
#include "frame.h"
#include "unit.h"
#include "written.h"

static struct frame *frame;

static struct scap_event close_event(bool hidden)
{
	struct scap_event event;

	frame_begin(frame, EVENT_close, 1700000000123456789, 42);
	frame_put_i64(frame, close__res, -9);
	frame_put_i64(frame, close__fd, 3);
	event = frame_end(frame);
	event.cpu = 1;
	event.hidden = hidden;
	return event;
}

static void test_event(void **state)
{
	struct scap_writer_stats stats;
	struct written test;

	written_begin(&test, (struct scap_writer_config){0});
	written_put(&test, close_event(false));
	written_put(&test, close_event(true));
	scap_writer_stats(test.writer, &stats);
	assert_int_equal(stats.events, 2);
	assert_int_equal(stats.generic, 0);
	assert_int_equal(stats.bytes, SECTION_BYTES + 60 + 64);
	assert_int_equal(stats.bytes_stored, 0);
	assert_int_equal(scap_writer_flush(test.writer, NULL), 0);
	scap_writer_stats(test.writer, &stats);
	assert_int_equal(stats.bytes_stored, stats.bytes);
	written_look(&test);
	written_expect(&test, 0x216,
		       "2:1 8:1700000000123456789 8:42 4:46 2:5 4:2 2:8 2:8 8:-9 8:3");
	written_expect(&test, 0x217,
		       "2:1 4:1 8:1700000000123456789 8:42 4:46 2:5 4:2 2:8 2:8 8:-9 8:3");
	written_end(&test);
}

/* Latency, marks and rings go, and what is ours; what stands before stays as it is. */
static void test_own_parameters(void **state)
{
	for (int turn = 0; turn < 4; turn++) {
		const struct frame_marks marks = {.contested = turn / 2};
		int timed = turn % 2;
		struct written test;
		struct scap_event event;

		written_begin(&test, (struct scap_writer_config){0});
		event = close_event(false);
		frame->latency_ns = timed ? 777 : LATENCY_UNKNOWN;
		frame->marks = marks;
		frame->uring.ring = turn == 3 ? 9 : 0;
		event = frame_end(frame);
		written_put(&test, event);
		frame_begin(frame, EVENT_chdir, 5, 42);
		frame_put_i64(frame, chdir__res, 0);
		frame_put_string(frame, chdir__path, "x");
		frame_put_string(frame, chdir__cwd, "/tmp/x");
		frame->latency_ns = timed ? 777 : LATENCY_UNKNOWN;
		frame->marks = marks;
		written_put(&test, frame_end(frame));
		written_look(&test);
		written_expect(&test, 0x216,
			       "2:0 8:1700000000123456789 8:42 4:46 2:5 4:2 2:8 2:8 8:-9 8:3");
		written_expect(&test, 0x216, "2:0 8:5 8:42 4:40 2:95 4:2 2:8 2:2 8:0 'x~");
		written_end(&test);
	}
}

/* Frames of older captures may have fewer parameters than the table has now. */
static void test_short_frame(void **state)
{
	struct buf bytes = written_bytes("8:5 8:42 4:36 2:5 4:1 2:8 8:-9");
	struct written test;

	written_begin(&test, (struct scap_writer_config){0});
	written_put(&test, (struct scap_event){.frame = bytes.data, .len = (uint32_t)bytes.len});
	written_look(&test);
	written_expect(&test, 0x216, "2:0 8:5 8:42 4:36 2:5 4:1 2:8 8:-9");
	written_end(&test);
	buf_finish(&bytes);
}

static void test_own_event(void **state)
{
	struct scap_writer_stats stats;
	struct written test;
	char wanted[128];

	frame_begin(frame, EVENT_io_destroy, 5, 42);
	frame_put_i64(frame, io_destroy__res, 0);
	frame_put_i64(frame, io_destroy__ctx_id, 9);
	frame->latency_ns = 777;
	written_begin(&test, (struct scap_writer_config){0});
	written_put(&test, frame_end(frame));
	scap_writer_stats(test.writer, &stats);
	assert_int_equal(stats.events, 1);
	assert_int_equal(stats.generic, 1);
	written_look(&test);
	snprintf(wanted, sizeof(wanted), "2:0 8:5 8:42 4:34 2:1 4:2 2:2 2:2 2:%d 2:%d",
		 SC_io_destroy, syscall_native_number(SC_io_destroy));
	written_expect(&test, 0x216, wanted);
	written_end(&test);
	written_begin(&test, (struct scap_writer_config){.native = true});
	written_put(&test, frame_end(frame));
	scap_writer_stats(test.writer, &stats);
	assert_int_equal(stats.generic, 0);
	written_look(&test);
	written_block(&test);
	written_expect(&test, 0x216, "2:0 8:5 8:42 4:54 2:2115 4:0x80000002 2:8 2:8 8:0 8:9 8:777");
	written_end(&test);
}

/* Only which call it was: other readers, and this one, would find a success. */
static void test_faked_call(void **state)
{
	struct scap_writer_stats stats;
	struct written test;
	char wanted[128];

	close_event(false);
	frame->marks.is_faked = 1;
	written_begin(&test, (struct scap_writer_config){0});
	written_put(&test, frame_end(frame));
	scap_writer_stats(test.writer, &stats);
	assert_int_equal(stats.events, 1);
	assert_int_equal(stats.generic, 1);
	written_look(&test);
	snprintf(wanted, sizeof(wanted),
		 "2:0 8:1700000000123456789 8:42 4:34 2:1 4:2 2:2 2:2 2:%d 2:%d", SC_close,
		 syscall_native_number(SC_close));
	written_expect(&test, 0x216, wanted);
	written_end(&test);
}

/* Events that may be large have blocks of their own, however small they are. */
static void test_large_payload(void **state)
{
	struct written test;
	struct scap_event event;

	frame_begin(frame, EVENT_container, 5, 42);
	frame_put_string(frame, container__json, "{}");
	event = frame_end(frame);
	written_begin(&test, (struct scap_writer_config){0});
	written_put(&test, event);
	event.hidden = true;
	written_put(&test, event);
	written_look(&test);
	written_expect(&test, 0x221, "2:0 8:5 8:42 4:33 2:324 4:1 4:3 '{}~");
	written_expect(&test, 0x222, "2:0 4:1 8:5 8:42 4:33 2:324 4:1 4:3 '{}~");
	written_end(&test);
}

/* Later versions of such events may have more parameters, which readers pass over. */
static void test_large_payload_of_later(void **state)
{
	static const char body[] = "2:0 8:5 8:42 4:43 2:324 4:2 4:3 4:6 '{}~ 'later~";
	struct buf bytes = written_bytes(body + strlen("2:0 "));
	struct written test;

	written_begin(&test, (struct scap_writer_config){0});
	written_put(&test, (struct scap_event){.frame = bytes.data, .len = (uint32_t)bytes.len});
	written_look(&test);
	written_expect(&test, 0x221, body);
	written_end(&test);
	buf_finish(&bytes);
}

/* The clock was set by 100 ns: files have its time, in whichever form an event is written. */
static void test_clock_step(void **state)
{
	static const struct scap_writer_config forms[] = {
		{0}, {.native = true}, {.form_2022 = true}};
	/* As it is; without its latency; without what is ours; as the generic one; large. */
	static const uint16_t ids[] = {EVENT_close, EVENT_close, EVENT_chdir, EVENT_io_destroy,
				       EVENT_container};

	for (size_t form = 0; form < sizeof(forms) / sizeof(*forms); form++) {
		for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
			struct scap_event event;
			struct written test;
			struct block block;
			uint64_t ts;

			frame_begin(frame, ids[i], 1000, 42);
			frame->latency_ns = i == 1 ? 777 : LATENCY_UNKNOWN;
			if (ids[i] == EVENT_chdir)
				frame_put_string(frame, chdir__cwd, "/tmp");
			if (ids[i] == EVENT_container)
				frame_put_string(frame, container__json, "{}");
			event = frame_end(frame);
			event.clock_step_ns = i % 2 ? 100 : -100;
			written_begin(&test, forms[form]);
			written_put(&test, event);
			written_look(&test);
			if (forms[form].native)
				written_block(&test);
			while (test.at < test.file.len) {
				block = written_block(&test);
				memcpy(&ts, block.body + sizeof(event.cpu), sizeof(ts));
				assert_int_equal(ts, i % 2 ? 1100 : 900);
			}
			written_end(&test);
		}
	}
}

/* An extension event that is of no call has no place but in native files. */
static void test_left_out(void **state)
{
	static const struct scap_writer_config forms[] = {
		{0}, {.form_2022 = true}, {.native = true}};

	for (size_t form = 0; form < sizeof(forms) / sizeof(*forms); form++) {
		struct scap_writer_stats stats;
		struct written test;

		written_begin(&test, forms[form]);
		frame_begin(frame, EVENT_cgroup_attach, 1000, 42);
		frame_put_string(frame, cgroup_attach__path, "/docker");
		written_put(&test, frame_end(frame));
		scap_writer_stats(test.writer, &stats);
		assert_int_equal(stats.events, forms[form].native);
		assert_int_equal(stats.left_out, !forms[form].native);
		assert_int_equal(stats.generic, 0);
		written_look(&test);
		if (forms[form].native) {
			written_block(&test); /* the names of extensions */
			written_block(&test);
		}
		written_end(&test);
	}
}

/* Pairs of events, older forms of them, and nothing for what they did not know. */
static void test_for_2022(void **state)
{
	struct scap_writer_stats stats;
	struct scap_event event;
	struct written test;

	written_begin(&test, (struct scap_writer_config){.form_2022 = true});
	frame_begin(frame, EVENT_dup2, 5, 42);
	frame_put_i64(frame, dup2__res, 4);
	frame_put_i64(frame, dup2__oldfd, 3);
	event = frame_end(frame);
	event.cpu = 1;
	written_put(&test, event);
	event.hidden = true;
	written_put(&test, event);
	frame_begin(frame, EVENT_io_destroy, 6, 42);
	written_put(&test, frame_end(frame));
	frame_begin(frame, EVENT_useradded, 7, 42);
	written_put(&test, frame_end(frame));
	scap_writer_stats(test.writer, &stats);
	assert_int_equal(stats.events, 3);
	assert_int_equal(stats.generic, 1);
	written_look(&test);
	written_expect(&test, 0x216, "2:1 8:5 8:42 4:36 2:124 4:1 2:8 8:3");
	written_expect(&test, 0x216, "2:1 8:5 8:42 4:36 2:125 4:1 2:8 8:4");
	written_expect(&test, 0x217, "2:1 4:1 8:5 8:42 4:36 2:124 4:1 2:8 8:3");
	written_expect(&test, 0x217, "2:1 4:1 8:5 8:42 4:36 2:125 4:1 2:8 8:4");
	assert_int_equal(written_block(&test).type, 0x216);
	written_expect(&test, 0x216, "2:0 8:6 8:42 4:30 2:1 4:1 2:2 2:160");
	written_end(&test);
}

/* What is longer than readers take in a block for others goes to one for large events. */
static void test_large(void **state)
{
	enum { READ_HEAD = 26 + 2 * 4, MOST = 65536 - 2 - 4 };

	for (int more = -1; more <= 1; more++) {
		uint32_t len = MOST + (uint32_t)(more * 4);
		uint8_t *bytes = calloc(1, len);
		struct ppm_evt_hdr header = {.len = len, .type = EVENT_read, .nparams = 4};
		uint16_t data = (uint16_t)(len - READ_HEAD);
		struct written test;

		assert_non_null(bytes);
		memcpy(bytes, &header, sizeof(header));
		memcpy(bytes + sizeof(header) + 2, &data, sizeof(data));
		written_begin(&test, (struct scap_writer_config){0});
		written_put(&test, (struct scap_event){.frame = bytes, .len = len});
		written_put(&test, (struct scap_event){.frame = bytes, .len = len, .hidden = true});
		written_look(&test);
		assert_int_equal(written_block(&test).type, more > 0 ? 0x221 : 0x216);
		assert_int_equal(written_block(&test).type, more >= 0 ? 0x222 : 0x217);
		written_end(&test);
		free(bytes);
	}
}

static void test_failure(void **state)
{
	const struct scap_writer_config config = {0};
	struct scap_event event = close_event(false);
	struct scap_writer_stats stats;
	struct scap_snapshot *to;
	struct scap_writer *writer;
	struct error err;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC), r = 0;

	assert_return_code(fd, errno);
	assert_int_equal(scap_writer_create(fd, "x.scap", &config, &writer, &err), 0);
	for (int i = 0; i < 10000 && r == 0; i++)
		r = scap_writer_event(writer, &event, &err);
	assert_int_equal(r, -ENOSPC);
	assert_non_null(strstr(err.text, "cannot write to x.scap: No space left"));
	to = scap_writer_snapshot(writer);
	to->ops->fds(to, 1);
	assert_int_equal(to->ops->end(to), -ENOSPC);
	err.text[0] = '\0';
	assert_int_equal(scap_writer_flush(writer, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "No space left"));
	scap_writer_stats(writer, &stats);
	assert_int_equal(stats.bytes_stored, 0);
	assert_int_equal(stats.events, 0);
	assert_int_equal(scap_writer_finish(writer, &err), -ENOSPC);
	assert_int_equal(scap_writer_finish(NULL, &err), 0);
	close(fd);
}

/* Events that were in memory when the disk was full, or in the codec, are not taken for written. */
static void test_events_before_a_failure(void **state)
{
	enum { CLOSE_BYTES = 60, FLUSHED = 100, MORE = 9000, MOST = 10000000 };

	for (int compression = SCAP_PLAIN; compression <= SCAP_ZSTD; compression++) {
		struct scap_writer_stats stats;
		struct written test;
		int r = 0;

		written_begin(&test, (struct scap_writer_config){.compression = compression});
		for (int i = 0; i < FLUSHED; i++)
			written_put(&test, close_event(false));
		assert_int_equal(scap_writer_flush(test.writer, NULL), 0);
		for (int i = 0; i < MORE; i++)
			written_put(&test, close_event(false));
		assert_return_code(fcntl(test.fd, F_ADD_SEALS, F_SEAL_GROW), errno);
		for (int i = 0; i < MOST && r == 0; i++) {
			struct scap_event event = close_event(false);

			r = scap_writer_event(test.writer, &event, NULL);
		}
		assert_int_equal(r, -EPERM);
		scap_writer_stats(test.writer, &stats);
		if (compression == SCAP_PLAIN)
			assert_int_equal(SECTION_BYTES + stats.events * CLOSE_BYTES,
					 stats.bytes_stored);
		else
			assert_int_equal(stats.events, FLUSHED);
		assert_true(stats.events >= FLUSHED && stats.events < FLUSHED + MORE);
		assert_int_equal(scap_writer_finish(test.writer, NULL), -EPERM);
		close(test.fd);
	}
}

static int create_frame(void **state)
{
	frame = malloc(sizeof(*frame));
	return frame ? 0 : -1;
}

static int free_frame(void **state)
{
	free(frame);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_event),
	cmocka_unit_test(test_own_parameters),
	cmocka_unit_test(test_short_frame),
	cmocka_unit_test(test_own_event),
	cmocka_unit_test(test_faked_call),
	cmocka_unit_test(test_large),
	cmocka_unit_test(test_failure),
	cmocka_unit_test(test_left_out),
	cmocka_unit_test(test_for_2022),
	cmocka_unit_test(test_large_payload),
	cmocka_unit_test(test_clock_step),
	cmocka_unit_test(test_large_payload_of_later),
	cmocka_unit_test(test_events_before_a_failure),
};

UNIT_GROUP(tests, .setup = create_frame, .teardown = free_frame);
