/* SPDX-License-Identifier: MIT */
/*
 * Who of the recordings of a run gets what, and what becomes of failures. Recordings that are none
 * note what is handed to them.
 */
#include <errno.h>
#include <string.h>

#include "agent/run/run.h"
#include "agent/run/record.h"
#include "output/targets/kinds.h"
#include "sinsp/sinsp.h"

#include "frame.h"
#include "printed.h"
#include "unit.h"

enum { CALLS_BYTES = 128 };

struct recording {
	char calls[CALLS_BYTES]; /* "turn passed turn hidden " */
	int turn_code, event_code;
};

static struct recording recording; /* of -w */
static struct options options;
static struct run run;
static struct error err;

static int note(struct recording *to, const char *call, int code)
{
	assert_true(strlen(to->calls) + strlen(call) < sizeof(to->calls));
	strcat(to->calls, call);
	return code;
}

int recording_create(const struct recording_config *of, struct state *engine,
		     struct recording **made, struct error *error)
{
	*made = &recording;
	return 0;
}

void recording_destroy(struct recording *of)
{
}

bool recording_is_due(struct recording *of, const struct scap_event *event)
{
	return true;
}

bool recording_has_begun(const struct recording *of)
{
	return true;
}

struct scap_snapshot *recording_changes(struct recording *of, unsigned int id, bool passed)
{
	return NULL;
}

int recording_begin(struct recording *of, uint64_t ns)
{
	return 0;
}

int recording_open(struct recording *of)
{
	return 0;
}

bool recording_has_moved(const struct recording *of)
{
	return false;
}

int recording_turn(struct recording *of, const struct scap_event *event)
{
	return note(of, "turn ", of->turn_code);
}

int recording_event(struct recording *of, const struct scap_event *event, unsigned int id,
		    bool passed)
{
	return note(of, passed ? "passed " : "hidden ", of->event_code);
}

int recording_flush(struct recording *of, uint64_t now_ns, bool idle)
{
	return 0;
}

int recording_close(struct recording *of)
{
	return note(of, "close ", 0);
}

const char *recording_problem(const struct recording *of)
{
	return "cannot write to a.scap";
}

void recording_stats(const struct recording *of, struct recording_stats *stats)
{
	*stats = (struct recording_stats){0};
}

static void begin(struct options of)
{
	struct buf messages = {0};

	options = of;
	recording = (struct recording){{0}};
	if (run_plan(&run, &options, &messages, &err) ||
	    state_create(&(struct state_config){0}, &run.state, &err))
		fail_msg("%s", err.text);
	assert_int_equal(messages.len, 0);
}

static void begin_recording(struct options of)
{
	begin(of);
	run.recorder.state = run.state;
	run.recorder.options = &options;
	run.recorder.recording = &recording;
	run.recorder.is_recording = true;
}

static int teardown(void **state)
{
	run_finish(&run);
	return 0;
}

static struct scap_event event_of(uint16_t id, int64_t result)
{
	static struct frame frame;

	frame_begin(&frame, id, 1000, 7);
	frame_put_i64(&frame, 0, result);
	return frame_end(&frame);
}

static void handle(uint16_t id)
{
	const struct scap_event event = event_of(id, 0);

	assert_int_equal(handle_event(&run, &event, &err), 0);
}

static void expect_output(const char *text)
{
	assert_int_equal(run.line_writer.buf.len, strlen(text));
	assert_memory_equal(run.line_writer.buf.data ? run.line_writer.buf.data : "", text,
			    strlen(text));
}

static void test_recording(void **state)
{
	begin_recording((struct options){.filter = "evt.type=close", .format = &format_none});
	handle(EVENT_close);
	handle(EVENT_dup);
	assert_string_equal(recording.calls, "turn passed turn hidden ");
	assert_true(run.recorder.is_recording);
}

static void fail_recording(void *code)
{
	record_take_result(&run.recorder, *(int *)code);
}

static void expect_end(int code, bool failed, bool ended, const char *said)
{
	struct printed printed;

	printed_call(fail_recording, &code, &printed);
	assert_string_equal(printed.err, said);
	printed_finish(&printed);
	assert_false(run.recorder.is_recording);
	assert_int_equal(run.recorder.failed, failed);
	assert_int_equal(run_has_no_output(&run), ended);
	assert_string_equal(recording.calls, "close ");
	run_finish(&run);
}

/* The run goes on if it also prints. A reader that is gone is no failure. */
static void test_recording_that_ends(void **state)
{
	begin_recording((struct options){.format = &format_none});
	expect_end(-ENOSPC, true, true, "agent: cannot write to a.scap\n");
	begin_recording((struct options){.format = &format_json});
	expect_end(-ENOSPC, true, false, "agent: cannot write to a.scap\n");
	begin_recording((struct options){.format = &format_none});
	expect_end(-EPIPE, false, true, "");
	begin_recording((struct options){.format = &format_text});
	expect_end(-EINTR, false, false, "");
	begin_recording((struct options){.format = &format_none});
	record_take_result(&run.recorder, 0);
	assert_true(run.recorder.is_recording);
}

/* After a failure nothing more is handed to it; printing continues. */
static void test_failure_in_an_event(void **state)
{
	begin_recording((struct options){.print = "%evt.type"});
	recording.turn_code = -EPIPE;
	handle(EVENT_close);
	handle(EVENT_close);
	assert_string_equal(recording.calls, "turn close ");
	expect_output("close\nclose\n");
}

static void test_corrupt_frame(void **state)
{
	struct scap_event event = event_of(EVENT_close, 0);

	begin_recording((struct options){.print = "%evt.type"});
	event.len -= 1;
	assert_int_equal(handle_event(&run, &event, &err), 0);
	assert_string_equal(recording.calls, "turn ");
}

static struct recording other; /* of a capture */

static void add_capture(const char *text)
{
	struct output_config *config;
	struct capture *capture;
	struct filter *filter = NULL;

	assert_int_equal(output_config_read(output_kinds, text, &config, &err), 0);
	if (config->filter)
		assert_int_equal(filter_create(config->filter, NULL, &filter, NULL), 0);
	assert_int_equal(capture_create(config, filter, &capture, &err), 0);
	capture->recording = &other;
	assert_int_equal(captures_add(&run.recorder.captures, capture, &err), 0);
}

/* Each has its own filter, and fails alone. */
static void test_capture_beside(void **state)
{
	other = (struct recording){{0}};
	begin_recording(
		(struct options){.filter = "evt.type in (close,dup)", .format = &format_none});
	add_capture("scap:a,redact=no,filter=evt.type=dup");
	handle(EVENT_close);
	handle(EVENT_dup);
	assert_string_equal(recording.calls, "turn passed turn passed ");
	assert_string_equal(other.calls, "turn hidden turn passed ");
	other.event_code = -ENOSPC;
	handle(EVENT_dup);
	handle(EVENT_dup);
	assert_true(run.recorder.is_recording);
	assert_false(run.ended);
	assert_int_equal(run.recorder.captures.list[0]->dropped[GAP_CAPTURE_NO_SPACE], 3);
	/* The end of -w is not that of the run. */
	record_take_result(&run.recorder, -EPIPE);
	assert_false(run_has_no_output(&run));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_recording, teardown),
	cmocka_unit_test_teardown(test_recording_that_ends, teardown),
	cmocka_unit_test_teardown(test_failure_in_an_event, teardown),
	cmocka_unit_test_teardown(test_corrupt_frame, teardown),
	cmocka_unit_test_teardown(test_capture_beside, teardown),
};

UNIT_GROUP(tests);
