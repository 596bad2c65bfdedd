/* SPDX-License-Identifier: MIT */
/* What becomes of an event: counted, printed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/run.h"
#include "agent/run/summary.h"
#include "sinsp/sinsp.h"

#include "frame.h"
#include "printed.h"
#include "rules_text.h"
#include "unit.h"

static struct options options;
static struct run run;
static struct error err;

static void begin(struct options of)
{
	struct buf messages = {0};

	options = of;
	if (run_plan(&run, &options, &messages, &err) ||
	    state_create(&(struct state_config){0}, &run.state, &err))
		fail_msg("%s", err.text);
	assert_int_equal(messages.len, 0);
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

static void test_filter(void **state)
{
	begin((struct options){.filter = "evt.type=close", .print = "%evt.num %evt.type"});
	handle(EVENT_close);
	handle(EVENT_dup);
	handle(EVENT_close);
	expect_output("1 close\n3 close\n");
	assert_int_equal(run.counts.matched, 2);
	assert_int_equal(run_printed(&run), 2);
}

/* An event that has nothing to print passes, and is not printed. */
static void test_nothing_to_print(void **state)
{
	begin((struct options){.print = "%fd.sport"});
	handle(EVENT_close);
	expect_output("");
	assert_int_equal(run.counts.matched, 1);
	assert_int_equal(run.counts.formatted, 0);
}

static void test_count(void **state)
{
	begin((struct options){.filter = "evt.type=close", .print = "%evt.type", .count = 2});
	handle(EVENT_close);
	handle(EVENT_dup);
	assert_false(run.ended);
	handle(EVENT_close);
	assert_true(run.ended);
	/* The rest of the input is not even applied. */
	handle(EVENT_close);
	expect_output("close\nclose\n");
	assert_int_equal(run.counts.matched, 2);
}

/* A hidden event of a file only changes the state. */
static void test_hidden(void **state)
{
	static struct frame frame;
	struct scap_event event;
	struct state_stats stats;

	begin((struct options){.print = "%evt.type"});
	frame_begin(&frame, EVENT_execve, 1000, 7);
	frame_put_i64(&frame, execve__res, 0);
	frame_put_i64(&frame, execve__tid, 7);
	frame_put_i64(&frame, execve__pid, 7);
	frame_put_string(&frame, execve__comm, "cat");
	event = frame_end(&frame);
	event.hidden = true;
	assert_int_equal(handle_event(&run, &event, &err), 0);
	expect_output("");
	assert_int_equal(run.counts.matched, 0);
	state_stats(run.state, &stats);
	assert_int_equal(stats.threads, 1);
}

/* It is counted by the state, and nothing else happens. */
static void test_corrupt_frame(void **state)
{
	struct scap_event event = event_of(EVENT_close, 0);
	struct state_stats stats;

	begin((struct options){.print = "%evt.type"});
	event.len -= 1;
	assert_int_equal(handle_event(&run, &event, &err), 0);
	expect_output("");
	assert_int_equal(run.counts.matched, 0);
	state_stats(run.state, &stats);
	assert_int_equal(stats.corrupt, 1);
}

static void test_summary(void **state)
{
	struct buf text = {0};

	begin((struct options){.filter = "evt.type=close", .format = &format_none});
	assert_int_equal(summary_create(&run.summary), 0);
	handle(EVENT_close);
	handle(EVENT_dup);
	summary_append(run.summary, false, &text);
	assert_memory_equal(text.data, "1 events, 0 of them failed calls\n", 33);
	buf_finish(&text);
}

static void begin_rules(struct options of)
{
	static const char text[] =
		NAMED_RULE("one", "evt.type=close") NAMED_RULE("two", "evt.type=close");
	const char *path = "/dev/stdin";
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, sizeof(text) - 1, file), sizeof(text) - 1);
	rewind(file);
	assert_int_equal(dup2(fileno(file), STDIN_FILENO), STDIN_FILENO);
	fclose(file);
	of.rules = &path;
	of.rules_count = 1;
	of.priority = PRIORITY_DEBUG;
	of.format = &format_json;
	of.json_fields = "evt.type";
	begin(of);
}

#define LINE(name)                                                                                 \
	"{\"rule\":\"" name "\",\"priority\":\"Informational\",\"tags\":[],"                       \
	"\"output\":\"out\",\"evt.type\":\"close\"}\n"

static void test_first_rule(void **state)
{
	begin_rules((struct options){0});
	handle(EVENT_close);
	handle(EVENT_dup);
	expect_output(LINE("one"));
	assert_int_equal(run.counts.matched, 1);
	assert_int_equal(run.counts.formatted, 1);
}

static void test_all_rules(void **state)
{
	begin_rules((struct options){.all_rules = true});
	handle(EVENT_close);
	expect_output(LINE("one") LINE("two"));
	assert_int_equal(run.counts.matched, 2);
	/* The limit holds within an event, too. */
	run_finish(&run);
	begin_rules((struct options){.all_rules = true, .count = 1});
	handle(EVENT_close);
	expect_output(LINE("one"));
}

static unsigned int told;
static struct requests_limit told_last;

static void tell(struct input *input, uint64_t ino, uint32_t bytes)
{
	told++;
	told_last = (struct requests_limit){ino, bytes};
}

/* Noise on a socket, of no protocol: its limit is 0 in the end. */
static void make_noise(unsigned int calls)
{
	static const uint8_t noise[] = {0x16, 3, 1};
	static struct frame frame;
	struct scap_event event;

	for (unsigned int i = 0; i < calls; i++) {
		bool is_read = i % 2;

		frame_begin(&frame, is_read ? EVENT_read : EVENT_write, 1000 + i, 7);
		frame_put_i64(&frame, is_read ? read__res : write__res, sizeof(noise));
		frame_put_i64(&frame, is_read ? read__fd : write__fd, 5);
		frame_put_bytes(&frame, is_read ? read__data : write__data, noise, sizeof(noise));
		frame.file.ino = 9;
		frame.stream = (struct frame_stream){
			.end = (i / 2 + 1) * sizeof(noise),
			.other = (i + 1) / 2 * sizeof(noise),
			.is_known = true,
		};
		event = frame_end(&frame);
		assert_int_equal(handle_event(&run, &event, &err), 0);
	}
}

static void test_limits_are_told_again(void **state)
{
	static const struct input_live_ops ops = {.limit_stream = tell};
	struct input input = {.live = &ops};

	begin((struct options){.filter = "evt.type=request"});
	run.input = &input;
	handle_tell_limits(&run);
	assert_int_equal(handle_requests(&run, &err), 0);
	handle_tell_limits(&run);
	assert_int_equal(told, 0);
	make_noise(20);
	assert_int_equal(handle_requests(&run, &err), 0);
	assert_int_equal(told, 1);
	handle_tell_limits(&run);
	assert_int_equal(told, 2);
	assert_int_equal(told_last.ino, 9);
	assert_int_equal(told_last.bytes, 0);
	run.input = NULL;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_filter, teardown),
	cmocka_unit_test_teardown(test_nothing_to_print, teardown),
	cmocka_unit_test_teardown(test_count, teardown),
	cmocka_unit_test_teardown(test_hidden, teardown),
	cmocka_unit_test_teardown(test_corrupt_frame, teardown),
	cmocka_unit_test_teardown(test_summary, teardown),
	cmocka_unit_test_teardown(test_first_rule, teardown),
	cmocka_unit_test_teardown(test_all_rules, teardown),
	cmocka_unit_test_teardown(test_limits_are_told_again, teardown),
};

UNIT_GROUP(tests);
