/* SPDX-License-Identifier: MIT */
/* When the list of threads is read again: from a file in place of the kernel's iterator. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/input/missed.h"
#include "fake_live.h"
#include "iter_thread.h"
#include "sinsp/state/core.h"
#include "unit.h"

enum { PARTS = 4, RECORDS = 1600, PAUSE_NS = 250000000 };

static const uint64_t LONGEST_NS = 16 * (uint64_t)PAUSE_NS;

static struct scap_live live;
static struct scap_proc *proc;
static struct state *engine;

/* Threads of a process that is not known, and the end. */
static int list_of(unsigned int threads)
{
	int fd = memfd_create("records", MFD_CLOEXEC);
	struct iter_thread record = {.pid = 1};

	assert_true(fd >= 0);
	for (record.tid = 2; threads--; record.tid++)
		assert_int_equal(write(fd, &record, sizeof(record)), sizeof(record));
	record = (struct iter_thread){.flags = ITER_THREAD_END};
	assert_int_equal(write(fd, &record, sizeof(record)), sizeof(record));
	return fd;
}

static int setup(void **state)
{
	live = (struct scap_live){0};
	if (scap_proc_open("/proc", &proc, NULL))
		return -1;
	return state_create(&(struct state_config){.proc = proc}, &engine, NULL);
}

static int teardown(void **state)
{
	state_destroy(engine);
	scap_proc_close(proc);
	if (live.iterators[SCAP_LIVE_THREADS] > 0)
		close(live.iterators[SCAP_LIVE_THREADS]);
	return 0;
}

/* Only if something was missed; in parts; then not for a while. */
static void test_parts(void **state)
{
	struct missed missed = {0};
	unsigned int steps = 0;

	live.iterators[SCAP_LIVE_THREADS] = list_of(RECORDS);
	missed_step(&missed, &live, proc, engine, 1000);
	assert_null(missed.threads);
	engine->missed = true;
	do
		missed_step(&missed, &live, proc, engine, clock_ns(CLOCK_MONOTONIC));
	while (++steps < RECORDS && missed.threads);
	assert_int_equal(steps, PARTS);
	assert_true(missed.pause.next_ns >= clock_ns(CLOCK_MONOTONIC));
	engine->missed = true;
	missed_step(&missed, &live, proc, engine, missed.pause.next_ns - 1);
	assert_null(missed.threads);
	assert_true(engine->missed);
	missed_step(&missed, &live, proc, engine, missed.pause.next_ns);
	assert_non_null(missed.threads);
	assert_false(engine->missed);
	missed_finish(&missed);
	assert_null(missed.threads);
}

/* Twenty times as long as reading it took, if that is more than the usual pause. */
static void test_share(void **state)
{
	struct missed missed = {0};
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	live.iterators[SCAP_LIVE_THREADS] = list_of(1);
	engine->missed = true;
	missed_step(&missed, &live, proc, engine, now - 1000000000);
	assert_null(missed.threads);
	assert_true(missed.pause.next_ns >= now + UINT64_C(19) * 1000000000);
	assert_true(missed.pause.next_ns < now + UINT64_C(3600) * 1000000000);
}

static uint64_t pause_after_reading(struct missed *missed)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	engine->missed = true;
	missed->pause.next_ns = now;
	missed_step(missed, &live, proc, engine, now);
	assert_null(missed->threads);
	assert_false(engine->missed);
	assert_true(missed->pause.next_ns >= now + missed->pause.delay_ns);
	return missed->pause.delay_ns;
}

/* Processes of a removed file fork and fork, and the list never tells what they execute. */
static void test_in_vain(void **state)
{
	struct missed missed = {0};

	live.iterators[SCAP_LIVE_THREADS] = list_of(1);
	for (int round = 0; round < 2; round++) {
		for (uint64_t pause = PAUSE_NS; pause < LONGEST_NS; pause *= 2)
			assert_int_equal(pause_after_reading(&missed), pause);
		for (int i = 0; i < 3; i++)
			assert_int_equal(pause_after_reading(&missed), LONGEST_NS);
		/* From what was noted, or from the list itself. */
		engine->stats.programs_learnt++;
	}
	assert_int_equal(pause_after_reading(&missed), PAUSE_NS);
	missed_finish(&missed);
}

/* Where there is no iterator, or it fails, that is tried as rarely. */
static void test_failures(void **state)
{
	struct missed missed = {0};
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < 2; i++) {
		live.iterators[SCAP_LIVE_THREADS] = i ? memfd_create("none", MFD_CLOEXEC) : -EXDEV;
		engine->missed = true;
		missed.pause.next_ns = 0;
		missed_step(&missed, &live, proc, engine, now);
		assert_null(missed.threads);
		assert_false(engine->missed);
		assert_true(missed.pause.next_ns >= now + PAUSE_NS);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
	cmocka_unit_test_setup_teardown(test_share, setup, teardown),
	cmocka_unit_test_setup_teardown(test_in_vain, setup, teardown),
	cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
};

UNIT_GROUP(tests);
