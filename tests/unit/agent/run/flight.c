/* SPDX-License-Identifier: MIT */
/*
 * What a flight recorder does when it is asked, on injected events of a capture without rings: all
 * of them are of the kind that waits.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/process/signals.h"
#include "agent/input/input.h"
#include "agent/run/run.h"
#include "fake_live.h"
#include "frame.h"
#include "scap/live/flight.h"
#include "unit.h"
#include "util/clock.h"

enum { EVENTS_COUNT = 10 };

struct scene {
	struct options options;
	struct run run;
	struct scap_live live;
	struct error err;
	char folder[32], path[64];
};

/* rules: a file of them, of which "one" asks for a file; NULL: none does. */
static struct scene *scene_create_with(uint64_t flight_bytes, const char *const *rules)
{
	static const char *names[] = {"one"};
	struct scene *scene = calloc(1, sizeof(*scene));
	struct buf messages = {0};

	assert_non_null(scene);
	strcpy(scene->folder, "/tmp/flight-XXXXXX");
	assert_non_null(mkdtemp(scene->folder));
	snprintf(scene->path, sizeof(scene->path), "%s/out", scene->folder);
	scene->options = (struct options){.write = scene->path,
					  .format = &format_none,
					  .flight_bytes = flight_bytes,
					  .rules = (const char **)rules,
					  .rules_count = rules != NULL,
					  .on_rules = names,
					  .on_rules_count = rules != NULL,
					  .priority = PRIORITY_DEBUG};
	fake_live_init(&scene->live);
	scene->live.endless = true;
	fake_live_offer(&scene->live);
	if (run_plan(&scene->run, &scene->options, &messages, &scene->err) ||
	    input_live_open(scene->run.plan, &(struct input_helpers){0}, &scene->run.input,
			    &scene->err) ||
	    state_create(&(struct state_config){0}, &scene->run.state, &scene->err) ||
	    flight_begin(&scene->run, &scene->err) ||
	    record_open(&scene->run.recorder, &scene->options, &scene->run.plan->selection,
			scene->run.state, &scene->err) ||
	    signals_dump(&scene->err))
		fail_msg("%s", scene->err.text);
	return scene;
}

static struct scene *scene_create(uint64_t flight_bytes)
{
	return scene_create_with(flight_bytes, NULL);
}

static void scene_destroy(struct scene *scene)
{
	run_finish(&scene->run);
	unlink(scene->path);
	rmdir(scene->folder);
	free(scene);
}

/* Times are those of the clock that captures without rings have. */
static void append_events(struct scene *scene)
{
	static struct frame frame;

	for (int i = 0; i < EVENTS_COUNT; i++) {
		struct scap_event event;

		frame_begin(&frame, EVENT_setsid, clock_ns(CLOCK_BOOTTIME), 7);
		frame_put_i64(&frame, 0, 3);
		event = frame_end(&frame);
		fake_live_append(&scene->live, EVENT_setsid, &event);
	}
	/* What is later than the request is not in the file. */
	usleep(1000);
}

static void take_events(struct scene *scene)
{
	struct scap_event raw;

	while (scap_source_next(scene->run.input->ops->step(scene->run.input), 0, &raw) == 1)
		assert_int_equal(handle_event(&scene->run, &raw, &scene->err), 0);
}

static uint64_t events_written(const struct scene *scene)
{
	struct recording_stats stats;

	recording_stats(scene->run.recorder.recording, &stats);
	return stats.events;
}

static void ask(struct scene *scene)
{
	raise(SIGUSR2);
	flight_step(&scene->run, true);
	take_events(scene);
	flight_step(&scene->run, true);
}

static void test_files(void **state)
{
	struct scene *scene = scene_create(16 << 20);
	struct stat there;

	assert_true(scene->live.config.backward_bytes >= 1 << 20);
	assert_true(scene->live.config.read_at_once[EVENT_setsid]);
	assert_false(scene->live.config.read_at_once[EVENT_read]);
	append_events(scene);
	take_events(scene);
	flight_step(&scene->run, true);
	assert_int_equal(scene->run.counts.matched, 0);
	assert_int_equal(stat(scene->path, &there), -1);
	ask(scene);
	assert_int_equal(scene->run.counts.matched, EVENTS_COUNT);
	assert_int_equal(events_written(scene), EVENTS_COUNT);
	assert_int_equal(stat(scene->path, &there), 0);
	assert_true(there.st_size > 0);
	/* The file that there is would be renamed. */
	unlink(scene->path);
	append_events(scene);
	ask(scene);
	assert_int_equal(events_written(scene), 2 * EVENTS_COUNT);
	unlink(scene->path);
	/* With the state alone. */
	ask(scene);
	assert_int_equal(events_written(scene), 2 * EVENTS_COUNT);
	assert_int_equal(stat(scene->path, &there), 0);
	assert_false(scene->run.recorder.failed);
	scene_destroy(scene);
}

/* It costs the file alone. */
static void test_file_fails(void **state)
{
	struct scene *scene = scene_create(16 << 20);

	assert_int_equal(mkdir(scene->path, 0700), 0);
	append_events(scene);
	ask(scene);
	assert_true(scene->run.recorder.failed);
	assert_false(scene->run.recorder.stopped);
	assert_int_equal(events_written(scene), 0);
	rmdir(scene->path);
	append_events(scene);
	ask(scene);
	assert_int_equal(events_written(scene), EVENTS_COUNT);
	scene_destroy(scene);
}

/* An event that a rule matches asks for a file, which has it; and not again within a minute. */
static void test_rule(void **state)
{
	char path[] = "/tmp/lanner-flight-XXXXXX";
	const char *paths[] = {path};
	int fd = mkstemp(path);
	struct scene *scene;

	assert_true(fd >= 0);
	dprintf(fd, "- rule: one\n  desc: d\n  condition: evt.type=setsid and evt.rawres=3\n"
		    "  output: o\n  priority: INFO\n");
	close(fd);
	scene = scene_create_with(16 << 20, paths);
	assert_false(scene->live.config.rests);
	assert_non_null(scene->run.flight.early);
	flight_step(&scene->run, true);
	assert_false(scene->run.flight.gives);
	append_events(scene);
	take_events(scene);
	assert_true(scene->run.flight.is_due);
	assert_string_equal(scene->run.flight.next.rule, "one");
	assert_int_equal(scene->run.flight.next.matches, EVENTS_COUNT);
	flight_step(&scene->run, true);
	assert_string_equal(scene->run.flight.given.rule, "one");
	assert_int_equal(scene->run.flight.given.matches, EVENTS_COUNT);
	take_events(scene);
	flight_step(&scene->run, true);
	assert_int_equal(events_written(scene), EVENTS_COUNT);
	assert_string_equal(scene->run.flight.next.rule, "");
	assert_int_equal(scene->run.flight.next.matches, 0);
	append_events(scene);
	take_events(scene);
	assert_false(scene->run.flight.is_due);
	assert_int_equal(scene->run.flight.next.matches, EVENTS_COUNT);
	/* What matches while a file is written asks for the next one. */
	raise(SIGUSR2);
	flight_step(&scene->run, true);
	assert_true(scene->run.flight.gives);
	take_events(scene);
	scene->run.flight.rule_due_ns = 0;
	append_events(scene);
	take_events(scene);
	assert_true(scene->run.flight.gives);
	flight_step(&scene->run, false);
	assert_false(scene->run.flight.gives);
	assert_true(scene->run.flight.is_due);
	assert_string_equal(scene->run.flight.given.rule, "");
	assert_string_equal(scene->run.flight.next.rule, "one");
	flight_step(&scene->run, true);
	assert_string_equal(scene->run.flight.given.rule, "one");
	assert_in_range(scene->run.flight.given.matches, 1, EVENTS_COUNT);
	take_events(scene);
	flight_step(&scene->run, true);
	flight_end(&scene->run.flight);
	assert_null(scene->run.flight.early);
	scene_destroy(scene);
	unlink(path);
}

/* Whoever asks one that keeps nothing ends nothing. */
static void test_without(void **state)
{
	struct scene *scene = scene_create(0);

	ask(scene);
	assert_false(scene->run.flight.gives || scene->run.flight.is_asked);
	scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_files),
	cmocka_unit_test(test_rule),
	cmocka_unit_test(test_file_fails),
	cmocka_unit_test(test_without),
};

UNIT_GROUP(tests);
