/* SPDX-License-Identifier: MIT */
/*
 * The loop and the report on a capture file: a reader that is none stands in for it, and standard
 * output and error are files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/report.h"
#include "agent/run/run.h"
#include "agent/process/signals.h"
#include "scap/file/reader.h"
#include "scap/file/stream.h"

#include "frame.h"
#include "unit.h"

enum { EVENTS_COUNT = 1000, HIDDEN_EVERY = 10, TEXT_BYTES = 4096, FILE_BYTES = 5000 };

/* Events of one kind, every tenth of them hidden, then an end. */
struct scap_reader {
	struct scap_source source;
	struct frame frame;
	struct scap_reader_stats stats;
	int end; /* -errno */
};

static struct scap_reader reader;

static int reader_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	uint64_t i = reader.stats.events;

	if (i == EVENTS_COUNT)
		return reader.end;
	reader.stats.events++;
	reader.stats.bytes_read += FILE_BYTES / EVENTS_COUNT;
	frame_begin(&reader.frame, i % 2 ? EVENT_close : EVENT_switch, 1000 + i, 7);
	*event = frame_end(&reader.frame);
	event->hidden = i % HIDDEN_EVERY == 0;
	return 1;
}

static void reader_destroy(struct scap_source *source)
{
}

static const struct scap_source_ops reader_ops = {.next = reader_next, .destroy = reader_destroy};

int scap_reader_open_stream(const char *path, struct scap_stream *stream,
			    struct scap_reader **opened, struct error *err)
{
	scap_stream_close(stream);
	*opened = &reader;
	return 0;
}

int scap_reader_start(struct scap_reader *started, struct scap_snapshot *to, struct error *err)
{
	return 0;
}

struct scap_source *scap_reader_source(struct scap_reader *of)
{
	return &of->source;
}

const char *scap_reader_problem(const struct scap_reader *of)
{
	return "it is bad at byte 7";
}

void scap_reader_stats(const struct scap_reader *of, struct scap_reader_stats *stats)
{
	*stats = of->stats;
}

static struct {
	struct options options;
	struct run run;
	struct error err;
	int result;
	char said[TEXT_BYTES];
} scene;

/* Plans and runs. What it prints goes nowhere, what it says is kept. */
static void run_file(struct options options)
{
	FILE *messages = tmpfile();
	struct buf rules_messages = {0};
	int before = dup(STDERR_FILENO);
	size_t len;

	scene.options = options;
	scene.options.read =
		"/dev/null"; /* opened to be told what it is; its events are those of the fake */
	reader.source.ops = &reader_ops;
	if (run_plan(&scene.run, &scene.options, &rules_messages, &scene.err) ||
	    run_open(&scene.run, NULL, &scene.err))
		fail_msg("%s", scene.err.text);
	assert_non_null(messages);
	assert_true(before >= 0 && dup2(fileno(messages), STDERR_FILENO) >= 0);
	scene.result = loop_run(&scene.run, &scene.err);
	report_print(&scene.run);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	close(before);
	rewind(messages);
	len = fread(scene.said, 1, sizeof(scene.said) - 1, messages);
	scene.said[len] = '\0';
	fclose(messages);
}

static void finish(void)
{
	run_finish(&scene.run);
	reader = (struct scap_reader){0};
}

static void test_hidden_events_are_not_shown(void **state)
{
	reader.end = -ENODATA;
	run_file((struct options){.format = &format_none});
	assert_int_equal(scene.result, 0);
	assert_int_equal(scene.run.counts.matched, EVENTS_COUNT - EVENTS_COUNT / HIDDEN_EVERY);
	assert_false(report_is_incomplete(&scene.run));
	assert_string_equal(scene.said,
			    "agent: read 1000 events of 5000 bytes; matched 900, printed 0\n");
	finish();
	/* What live captures have only by name is there. */
	reader.end = -ENODATA;
	run_file((struct options){.format = &format_none, .filter = "evt.type=switch"});
	assert_int_equal(scene.run.counts.matched, 400);
	finish();
}

/* The rest of a file need not be read. */
static void test_count_limit(void **state)
{
	reader.end = -ENODATA;
	run_file((struct options){.format = &format_none, .count = 3});
	assert_int_equal(scene.run.counts.matched, 3);
	assert_int_equal(reader.stats.events, 4);
	finish();
}

static void test_a_file_that_breaks_off(void **state)
{
	reader.end = -EPIPE;
	run_file((struct options){.format = &format_none});
	assert_int_equal(scene.result, 0);
	assert_true(report_is_incomplete(&scene.run));
	assert_string_equal(scene.said,
			    "agent: warning: /dev/null: it is bad at byte 7\n"
			    "agent: read 1000 events of 5000 bytes; matched 900, printed 0\n");
	assert_int_equal(scene.run.counts.matched, 900);
	finish();
}

static void test_a_file_that_is_bad(void **state)
{
	reader.end = -EBADMSG;
	run_file((struct options){.format = &format_none});
	assert_int_equal(scene.result, -EBADMSG);
	assert_string_equal(scene.err.text, "/dev/null: it is bad at byte 7");
	assert_int_equal(scene.run.counts.matched, 900);
	finish();
}

static void test_what_is_left_out_is_reported(void **state)
{
	reader.end = -ENODATA;
	reader.stats.corrupt_events = 1;
	reader.stats.corrupt_lists = 5;
	reader.stats.unknown_events = 2;
	reader.stats.unknown_blocks = 3;
	reader.stats.joined = 4;
	run_file((struct options){.format = &format_none, .verbose = true});
	assert_true(report_is_incomplete(&scene.run));
	assert_string_equal(
		scene.said,
		"agent: read 1000 events of 5000 bytes; matched 900, printed 0\n"
		"agent: 1 corrupt events skipped\n"
		"agent: 5 lists of threads, descriptors or users skipped from a corrupt entry on\n"
		"agent: 2 events skipped whose type this version does not know\n"
		"agent: 3 blocks skipped whose kind this version does not know\n"
		"agent: 4 events on entry to calls merged into those on exit\n"
		"agent: state: threads 1, descriptors 0\n");
	finish();
}

/* Corrupt data, and nothing else that is counted, makes a file incomplete. */
static void test_what_is_corrupt(void **state)
{
	static const struct {
		struct scap_reader_stats stats;
		bool incomplete;
	} rows[] = {
		{{.corrupt_events = 1}, true},	{{.corrupt_lists = 1}, true},
		{{.unknown_events = 1}, false}, {{.unknown_blocks = 1}, false},
		{{.joined = 1}, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		reader.end = -ENODATA;
		reader.stats = rows[i].stats;
		run_file((struct options){.format = &format_none});
		assert_int_equal(report_is_incomplete(&scene.run), rows[i].incomplete);
		finish();
	}
}

static void test_progress(void **state)
{
	reader.end = -ENODATA;
	reader.stats.bytes = 2 * FILE_BYTES;
	run_file((struct options){.format = &format_none, .progress = true});
	assert_int_equal(strncmp(scene.said, "\r 50%\nagent: read", 17), 0);
	finish();
	/* Of a pipe it is not known how much there is. */
	reader.end = -ENODATA;
	run_file((struct options){.format = &format_none, .progress = true});
	assert_int_equal(strncmp(scene.said, "agent: read", 11), 0);
	finish();
}

static int watch_signals(void **state)
{
	return signals_init(false, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_hidden_events_are_not_shown),
	cmocka_unit_test(test_count_limit),
	cmocka_unit_test(test_a_file_that_breaks_off),
	cmocka_unit_test(test_a_file_that_is_bad),
	cmocka_unit_test(test_what_is_left_out_is_reported),
	cmocka_unit_test(test_what_is_corrupt),
	cmocka_unit_test(test_progress),
};

UNIT_GROUP(tests, .setup = watch_signals);
