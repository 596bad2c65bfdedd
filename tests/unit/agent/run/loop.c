/* SPDX-License-Identifier: MIT */
/*
 * The loop and the report, on injected events: a live capture that is none stands in for the
 * kernel, and standard output and error are files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/input/input.h"
#include "agent/process/child.h"
#include "agent/run/containers.h"
#include "agent/run/report.h"
#include "agent/run/run.h"
#include "agent/process/signals.h"
#include "sinsp/sinsp.h"
#include "util/waker.h"

#include "fake_live.h"
#include "frame.h"
#include "unit.h"

enum { EVENTS_COUNT = 1000, TEXT_BYTES = 4096 };

/* A run and what it said. */
struct scene {
	struct options options;
	struct run run;
	struct scap_live live;
	struct error err;
	char out[1 << 20];
	char report[TEXT_BYTES];
};

/* Gives a descriptor to a new file; returns what the descriptor was before. */
static int redirect(int fd, FILE *file)
{
	int before = dup(fd);

	assert_true(before >= 0 && dup2(fileno(file), fd) == fd);
	return before;
}

static void restore(int fd, int before, FILE *file, char *text, size_t size)
{
	size_t len;

	assert_int_equal(dup2(before, fd), fd);
	close(before);
	rewind(file);
	len = fread(text, 1, size - 1, file);
	text[len] = '\0';
	fclose(file);
}

static struct scene *scene_create(const char *filter, const struct output_format *format)
{
	static struct frame frame;
	struct scene *scene = calloc(1, sizeof(*scene));
	struct buf messages = {0};

	assert_non_null(scene);
	scene->options = (struct options){.filter = (char *)filter, .format = format};
	fake_live_init(&scene->live);
	fake_live_offer(&scene->live);
	if (run_plan(&scene->run, &scene->options, &messages, &scene->err) ||
	    input_live_open(scene->run.plan, &(struct input_helpers){0}, &scene->run.input,
			    &scene->err) ||
	    state_create(&(struct state_config){0}, &scene->run.state, &scene->err))
		fail_msg("%s", scene->err.text);
	for (int i = 0; i < EVENTS_COUNT; i++) {
		struct scap_event event;

		frame_begin(&frame, i % 10 ? EVENT_close : EVENT_dup, 1000 + (uint64_t)i, 7);
		frame_put_i64(&frame, 0, 3);
		frame_put_i64(&frame, 1, 3);
		event = frame_end(&frame);
		fake_live_append(&scene->live, i % 10 ? EVENT_close : EVENT_dup, &event);
	}
	return scene;
}

static int scene_do(struct scene *scene, FILE *out)
{
	FILE *messages = tmpfile();
	int out_before, messages_before, result;

	assert_non_null(messages);
	out_before = redirect(STDOUT_FILENO, out);
	result = loop_run(&scene->run, &scene->err);
	restore(STDOUT_FILENO, out_before, out, scene->out, sizeof(scene->out));
	messages_before = redirect(STDERR_FILENO, messages);
	report_print(&scene->run);
	restore(STDERR_FILENO, messages_before, messages, scene->report, sizeof(scene->report));
	return result;
}

static void scene_destroy(struct scene *scene)
{
	run_finish(&scene->run);
	free(scene);
}

static unsigned int count_lines(const char *text)
{
	unsigned int lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void test_everything_is_printed(void **state)
{
	struct scene *scene = scene_create(NULL, &format_json);

	assert_int_equal(scene_do(scene, tmpfile()), 0);
	assert_true(scene->live.stopped);
	assert_int_equal(count_lines(scene->out), EVENTS_COUNT);
	assert_string_equal(scene->report, "agent: seen 1000 = delivered 1000 + lost 0; matched "
					   "1000, printed 1000\n");
	scene_destroy(scene);
}

static void test_filter(void **state)
{
	struct scene *scene = scene_create("evt.type=dup and evt.num > 100", &format_text);

	assert_int_equal(scene_do(scene, tmpfile()), 0);
	assert_int_equal(count_lines(scene->out), 90);
	assert_int_equal(scene->run.counts.matched, 90);
	assert_int_equal(run_printed(&scene->run), 90);
	scene_destroy(scene);
}

/* Also without a filter: an output may need switches for the state, and says nothing of them. */
static void test_state_alone_is_not_printed(void **state)
{
	struct scene *scene = scene_create(NULL, &format_json);

	scene->run.plan->selection.events[EVENT_dup] = WHY_DESCRIPTORS;
	assert_int_equal(scene_do(scene, tmpfile()), 0);
	assert_int_equal(count_lines(scene->out), EVENTS_COUNT - EVENTS_COUNT / 10);
	scene_destroy(scene);
}

static void test_only_counted(void **state)
{
	struct scene *scene = scene_create("evt.type=dup", &format_none);

	assert_int_equal(scene_do(scene, tmpfile()), 0);
	assert_string_equal(scene->out, "");
	assert_int_equal(scene->run.counts.matched, 100);
	assert_int_equal(run_printed(&scene->run), 0);
	scene_destroy(scene);
}

static void test_count_limit(void **state)
{
	struct scene *scene = scene_create("evt.type=close", &format_json);
	struct scap_event event;

	scene->options.count = 3;
	assert_int_equal(scene_do(scene, tmpfile()), 0);
	assert_int_equal(count_lines(scene->out), 3);
	assert_int_equal(scene->run.counts.matched, 3);
	/* The rest is taken from the source all the same, so that the account is complete. */
	assert_int_equal(scap_source_next(scap_live_source(&scene->live), 0, &event), -ENODATA);
	scene_destroy(scene);
}

/* Events that never pause for long, but never come in crowds either, must not hide the clock. */
static void test_duration_while_events_trickle(void **state)
{
	struct scene *scene = scene_create(NULL, &format_none);

	scene->live.slow = true;
	scene->options.duration_ns = 20 * 1000000;
	assert_int_equal(scene_do(scene, tmpfile()), 0);
	assert_in_range(scene->live.trickled, 1, 50);
	assert_int_equal(scene->run.counts.matched, EVENTS_COUNT);
	scene_destroy(scene);
}

static void test_output_that_fails(void **state)
{
	struct scene *scene = scene_create(NULL, &format_json);

	assert_int_equal(scene_do(scene, fopen("/dev/full", "r+")), -ENOSPC);
	assert_non_null(strstr(scene->err.text, "No space left"));
	assert_int_equal(run_printed(&scene->run), 0);
	scene_destroy(scene);
}

static void test_losses_are_reported(void **state)
{
	struct scene *scene = scene_create(NULL, &format_none);
	struct scap_live_stats *stats = &scene->live.stats;

	stats->seen[EVENT_close] += 70;
	stats->events[EVENT_close].lost[LOSS_RING_FULL] = 60;
	stats->events[EVENT_close].lost[LOSS_SCRATCH_BUSY] = 10;
	stats->seen[EVENT_read] = 7;
	stats->events[EVENT_read].lost[LOSS_RING_FULL] = 7;
	stats->events[EVENT_dup].unreadable = 4;
	stats->seen[EVENT_dup] += 2;
	stats->corrupt = 2;
	assert_int_equal(scene_do(scene, tmpfile()), 0);
	assert_string_equal(scene->report,
			    "agent: seen 1079 = delivered 1000 + lost 77 + corrupt 2; matched "
			    "1000, printed 0\n"
			    "agent: lost by cause: ring full 67, scratch busy 10\n"
			    "agent: lost by event: close 70 of 970, read 7 of 7\n"
			    "agent: lost of what was asked for 77, of what only keeps the state "
			    "0\n"
			    "agent: 4 parameters left empty: they could not be read (not resident, "
			    "or a bad address)\n");
	scene_destroy(scene);
}

static void test_only_the_largest_losses(void **state)
{
	static const uint16_t ids[] = {EVENT_read, EVENT_write, EVENT_dup2,
				       EVENT_open, EVENT_bind,	EVENT_pipe};
	struct scene *scene = scene_create(NULL, &format_none);

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		scene->live.stats.seen[ids[i]] = 5;
		scene->live.stats.events[ids[i]].lost[LOSS_TOO_LARGE] = i < 2 ? 4 : 5;
	}
	assert_int_equal(scene_do(scene, tmpfile()), 0);
	assert_non_null(strstr(scene->report,
			       "agent: lost by event: open 5 of 5, bind 5 of 5, pipe "
			       "5 of 5, dup2 5 of 5, read 4 of 5, ...\n"));
	scene_destroy(scene);
}

static void test_an_account_that_does_not_add_up_says_so(void **state)
{
	struct scene *scene = scene_create(NULL, &format_none);

	scene->live.stats.seen[EVENT_close] += 5;
	assert_int_equal(scene_do(scene, tmpfile()), 0);
	assert_non_null(strstr(scene->report, "lost 0 + unaccounted 5;"));
	scene->live.stats.seen[EVENT_close] -= 8;
	assert_int_equal(scene_do(scene, tmpfile()), 0);
	assert_non_null(strstr(scene->report, "lost 0 + unaccounted -3;"));
	scene_destroy(scene);
}

/* How long the loop waits at last for events while a command runs that makes none. */
static int wait_without_events(bool has_waker, uint64_t stats_ns)
{
	struct scene *scene = scene_create(NULL, &format_none);
	char *command[] = {"sleep", "0.3", NULL};
	struct waker *waker = NULL;
	struct child child;
	int waited_ms;

	assert_int_equal(waker_create(&waker), 0);
	scene->live.endless = true;
	scene->run.input->waker = has_waker ? waker : NULL;
	scene->options.stats_ns = stats_ns;
	assert_int_equal(child_start(command, &child, NULL), 0);
	scene->run.processes.child = &child;
	child_go(&child);
	assert_int_equal(scene_do(scene, tmpfile()), 0);
	child_finish(&child);
	waited_ms = scene->live.waited_ms;
	scene_destroy(scene);
	waker_destroy(waker);
	return waited_ms;
}

static void test_waits_while_there_is_nothing(void **state)
{
	assert_int_equal(wait_without_events(true, 0), 1000);
	assert_int_equal(wait_without_events(false, 0), 100);
	/* 0 if it comes late to the wait before a report. */
	assert_in_range(wait_without_events(true, 50000000), 0, 51);
}

/* What followers report is taken also while there are no events. */
static void test_reports_without_events(void **state)
{
#ifdef WITH_KUBERNETES
	struct scene *scene = scene_create(NULL, &format_none);
	char *command[] = {"sleep", "2", NULL}, text[TEXT_BYTES];
	FILE *messages = tmpfile();
	struct child child;
	int before, result;

	assert_non_null(messages);
	scene->live.endless = true;
	scene->options.host_root = "/no/such/root";
	scene->options.kubernetes =
		(struct kube_options){.api = "http://127.0.0.1:1", .node = "n1"};
	/*
	 * Before there are threads: clang writes counters before a call of exec, and a child that
	 * was forked while a thread allocated memory waits for ever for the lock of ASan.
	 */
	assert_int_equal(child_start(command, &child, NULL), 0);
	assert_int_equal(containers_create(&scene->options, scene->run.state, scene->run.input,
					   &scene->run.containers, NULL),
			 0);
	assert_int_equal(containers_follow_pods(scene->run.containers, NULL), 0);
	scene->run.processes.child = &child;
	child_go(&child);
	before = redirect(STDERR_FILENO, messages);
	result = loop_run(&scene->run, &scene->err);
	restore(STDERR_FILENO, before, messages, text, sizeof(text));
	assert_int_equal(result, 0);
	assert_memory_equal(text, "agent: Kubernetes: http://127.0.0.1:1: ", 39);
	child_finish(&child);
	scene_destroy(scene);
#else
	skip();
#endif
}

static int watch_signals(void **state)
{
	return signals_init(false, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_everything_is_printed),
	cmocka_unit_test(test_filter),
	cmocka_unit_test(test_state_alone_is_not_printed),
	cmocka_unit_test(test_only_counted),
	cmocka_unit_test(test_count_limit),
	cmocka_unit_test(test_output_that_fails),
	cmocka_unit_test(test_losses_are_reported),
	cmocka_unit_test(test_only_the_largest_losses),
	cmocka_unit_test(test_an_account_that_does_not_add_up_says_so),
	cmocka_unit_test(test_waits_while_there_is_nothing),
	cmocka_unit_test(test_reports_without_events),
	/* Last: a signal, once counted, ends every run. */
	cmocka_unit_test(test_duration_while_events_trickle),
};

UNIT_GROUP(tests, .setup = watch_signals);
