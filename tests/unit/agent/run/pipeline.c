/* SPDX-License-Identifier: MIT */
/*
 * The loop and the report, on injected events: a live capture that is none stands in for the
 * kernel, and standard output and error are files.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/capture.h"
#include "agent/run/pipeline.h"
#include "agent/run/signals.h"
#include "agent/run/stats.h"
#include "inject.h"
#include "scap/live/live.h"
#include "sinsp/state/engine.h"

#include "frame.h"

enum { EVENTS_COUNT = 1000, TEXT_BYTES = 4096 };

struct scap_live {
	struct scap_source trickle; /* gives an event to whoever waits, and to nobody else */
	struct scap_inject *inject;
	struct scap_live_stats stats;
	unsigned int trickled; /* before the stop */
	bool slow, stopped;
};

struct scap_source *scap_live_source(struct scap_live *live)
{
	return live->slow ? &live->trickle : scap_inject_source(live->inject);
}

static int trickle_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_live *live = (struct scap_live *)source;

	if (timeout_ms == 0)
		return 0;
	if (!live->stopped) {
		live->trickled++;
		usleep(1000);
	}
	return scap_source_next(scap_inject_source(live->inject), timeout_ms, event);
}

static void trickle_destroy(struct scap_source *source)
{
	struct scap_live *live = (struct scap_live *)source;

	scap_source_destroy(scap_inject_source(live->inject));
}

static const struct scap_source_ops trickle_ops = {
	.next = trickle_next,
	.destroy = trickle_destroy,
};

void scap_live_stop(struct scap_live *live)
{
	live->stopped = true;
}

int scap_live_stats(struct scap_live *live, struct scap_live_stats *stats)
{
	*stats = live->stats;
	return 0;
}

uint64_t scap_live_boot_offset(const struct scap_live *live)
{
	return 0;
}

int scap_live_open(const struct scap_live_config *config, struct scap_live **live,
		   struct error *err)
{
	return error_set(err, -EPERM, "not in this test");
}

const uint16_t *scap_live_rejected(const struct scap_live *live)
{
	static const uint16_t none = 0;

	return &none;
}

bool scap_live_program(const struct scap_live *live, unsigned int i, const char **program,
		       const char **hook)
{
	return false;
}

/* A run and what it said. */
struct run {
	struct options options;
	struct capture capture;
	struct scap_live live;
	struct pipeline_counts counts;
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

static struct run *run_create(const char *filter, enum agent_format format)
{
	static struct frame frame;
	struct run *run = calloc(1, sizeof(*run));

	assert_non_null(run);
	run->options = (struct options){.filter = (char *)filter, .format = format};
	if (capture_plan(&run->capture, &run->options, &run->err))
		fail_msg("%s", run->err.text);
	assert_int_equal(sinsp_create(&(struct sinsp_config){0}, &run->capture.sinsp, &run->err),
			 0);
	assert_int_equal(scap_inject_create(&run->live.inject), 0);
	for (int i = 0; i < EVENTS_COUNT; i++) {
		struct scap_event event;

		frame_begin(&frame, i % 10 ? EVENT_close : EVENT_dup, 1000 + (uint64_t)i, 7);
		frame_put_i64(&frame, 0, 3);
		frame_put_i64(&frame, 1, 3);
		event = frame_end(&frame);
		assert_int_equal(scap_inject_append(run->live.inject, event.frame, event.len, 0),
				 0);
		run->live.stats.seen[i % 10 ? EVENT_close : EVENT_dup]++;
		run->live.stats.delivered[i % 10 ? EVENT_close : EVENT_dup]++;
	}
	run->live.trickle.ops = &trickle_ops;
	run->capture.live = &run->live;
	return run;
}

static int run_do(struct run *run, FILE *out)
{
	FILE *messages = tmpfile();
	int out_before, messages_before, result;

	assert_non_null(messages);
	out_before = redirect(STDOUT_FILENO, out);
	result = pipeline_run(&run->capture, &run->counts, &run->err);
	restore(STDOUT_FILENO, out_before, out, run->out, sizeof(run->out));
	messages_before = redirect(STDERR_FILENO, messages);
	stats_print_report(&run->capture, &run->counts);
	restore(STDERR_FILENO, messages_before, messages, run->report, sizeof(run->report));
	return result;
}

static void run_destroy(struct run *run)
{
	capture_finish(&run->capture);
	free(run);
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
	struct run *run = run_create(NULL, FORMAT_JSON);

	assert_int_equal(run_do(run, tmpfile()), 0);
	assert_true(run->live.stopped);
	assert_int_equal(count_lines(run->out), EVENTS_COUNT);
	assert_string_equal(run->report, "agent: seen 1000 = delivered 1000 + lost 0; matched "
					 "1000, printed 1000\n");
	run_destroy(run);
}

static void test_filter(void **state)
{
	struct run *run = run_create("evt.type=dup and evt.num > 100", FORMAT_TEXT);

	assert_int_equal(run_do(run, tmpfile()), 0);
	assert_int_equal(count_lines(run->out), 90);
	assert_int_equal(run->counts.matched, 90);
	assert_int_equal(run->counts.printed, 90);
	run_destroy(run);
}

/* Also without a filter: an output may need switches for the state, and says nothing of them. */
static void test_state_alone_is_not_printed(void **state)
{
	struct run *run = run_create(NULL, FORMAT_JSON);

	run->capture.selection.events[EVENT_dup] = WHY_DESCRIPTORS;
	assert_int_equal(run_do(run, tmpfile()), 0);
	assert_int_equal(count_lines(run->out), EVENTS_COUNT - EVENTS_COUNT / 10);
	run_destroy(run);
}

static void test_only_counted(void **state)
{
	struct run *run = run_create("evt.type=dup", FORMAT_NONE);

	assert_int_equal(run_do(run, tmpfile()), 0);
	assert_string_equal(run->out, "");
	assert_int_equal(run->counts.matched, 100);
	assert_int_equal(run->counts.printed, 0);
	run_destroy(run);
}

static void test_count_limit(void **state)
{
	struct run *run = run_create("evt.type=close", FORMAT_JSON);
	struct scap_event event;

	run->options.count = 3;
	assert_int_equal(run_do(run, tmpfile()), 0);
	assert_int_equal(count_lines(run->out), 3);
	assert_int_equal(run->counts.matched, 3);
	/* The rest is taken from the source all the same, so that the account is complete. */
	assert_int_equal(scap_source_next(scap_live_source(&run->live), 0, &event), -ENODATA);
	run_destroy(run);
}

/* Events that never pause for long, but never come in crowds either, must not hide the clock. */
static void test_duration_while_events_trickle(void **state)
{
	struct run *run = run_create(NULL, FORMAT_NONE);

	run->live.slow = true;
	run->options.duration_ns = 20 * 1000000;
	assert_int_equal(run_do(run, tmpfile()), 0);
	assert_in_range(run->live.trickled, 1, 50);
	assert_int_equal(run->counts.matched, EVENTS_COUNT);
	run_destroy(run);
}

static void test_output_that_fails(void **state)
{
	struct run *run = run_create(NULL, FORMAT_JSON);

	assert_int_equal(run_do(run, fopen("/dev/full", "r+")), -ENOSPC);
	assert_non_null(strstr(run->err.text, "No space left"));
	assert_int_equal(run->counts.printed, 0);
	run_destroy(run);
}

static void test_losses_are_told(void **state)
{
	struct run *run = run_create(NULL, FORMAT_NONE);
	struct scap_live_stats *stats = &run->live.stats;

	stats->seen[EVENT_close] += 70;
	stats->events[EVENT_close].lost[LOSS_RING_FULL] = 60;
	stats->events[EVENT_close].lost[LOSS_SCRATCH_BUSY] = 10;
	stats->seen[EVENT_read] = 7;
	stats->events[EVENT_read].lost[LOSS_RING_FULL] = 7;
	stats->events[EVENT_dup].unreadable = 4;
	stats->seen[EVENT_dup] += 2;
	stats->damaged = 2;
	assert_int_equal(run_do(run, tmpfile()), 0);
	assert_string_equal(run->report,
			    "agent: seen 1079 = delivered 1000 + lost 77 + damaged 2; matched "
			    "1000, printed 0\n"
			    "agent: lost by cause: ring full 67, scratch busy 10\n"
			    "agent: lost by event: close 70 of 970, read 7 of 7\n"
			    "agent: 4 parameters left empty: they could not be read (not resident, "
			    "or a bad address)\n");
	run_destroy(run);
}

static void test_only_the_largest_losses(void **state)
{
	static const uint16_t ids[] = {EVENT_read, EVENT_write, EVENT_dup2, EVENT_open,
				       EVENT_bind, EVENT_pipe};
	struct run *run = run_create(NULL, FORMAT_NONE);

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		run->live.stats.seen[ids[i]] = 5;
		run->live.stats.events[ids[i]].lost[LOSS_TOO_LARGE] = i < 2 ? 4 : 5;
	}
	assert_int_equal(run_do(run, tmpfile()), 0);
	assert_non_null(strstr(run->report, "agent: lost by event: open 5 of 5, bind 5 of 5, pipe "
					    "5 of 5, dup2 5 of 5, read 4 of 5, ...\n"));
	run_destroy(run);
}

static void test_an_account_that_does_not_add_up_says_so(void **state)
{
	struct run *run = run_create(NULL, FORMAT_NONE);

	run->live.stats.seen[EVENT_close] += 5;
	assert_int_equal(run_do(run, tmpfile()), 0);
	assert_non_null(strstr(run->report, "lost 0 + unaccounted 5;"));
	run->live.stats.seen[EVENT_close] -= 8;
	assert_int_equal(run_do(run, tmpfile()), 0);
	assert_non_null(strstr(run->report, "lost 0 + unaccounted -3;"));
	run_destroy(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything_is_printed),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_state_alone_is_not_printed),
		cmocka_unit_test(test_only_counted),
		cmocka_unit_test(test_count_limit),
		cmocka_unit_test(test_output_that_fails),
		cmocka_unit_test(test_losses_are_told),
		cmocka_unit_test(test_only_the_largest_losses),
		cmocka_unit_test(test_an_account_that_does_not_add_up_says_so),
		/* Last: a signal, once counted, ends every run. */
		cmocka_unit_test(test_duration_while_events_trickle),
	};

	if (signals_init(false, NULL))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
