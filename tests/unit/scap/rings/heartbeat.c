/* SPDX-License-Identifier: MIT */
/* Calls on each CPU, and rings that answer them or not; without programs. */
#include "scap/rings/heartbeat.h"

#include <string.h>
#include <unistd.h>

#include "unit.h"

enum { CPUS = 3 };

struct fixture {
	struct heartbeat heartbeat;
	struct scap_ring rings[CPUS];
};

static void begin(struct fixture *f)
{
	assert_int_equal(heartbeat_init(&f->heartbeat, CPUS), 0);
	f->heartbeat.runs = true; /* its calls are made by the test */
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		scap_ring_init_empty(cpu, &f->rings[cpu]);
		f->rings[cpu].fd = 0;
	}
}

static void end(struct fixture *f)
{
	f->heartbeat.runs = false;
	heartbeat_end(&f->heartbeat);
	heartbeat_end(&f->heartbeat); /* of zeros */
}

/* All are called, and all but one answer. */
static void beat(struct fixture *f, uint32_t silent)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		atomic_fetch_add(&f->heartbeat.cpus[cpu].calls, 1);
		f->rings[cpu].heartbeats += cpu != silent;
	}
	heartbeat_check(&f->heartbeat, f->rings);
}

static uint32_t silent(const struct fixture *f)
{
	uint32_t first = CPUS;

	return heartbeat_silent(&f->heartbeat, &first) ? first : CPUS;
}

static void test_answered(void **state)
{
	struct fixture f = {0};

	begin(&f);
	for (int i = 0; i < 10; i++)
		beat(&f, CPUS);
	assert_int_equal(silent(&f), CPUS);
	assert_int_equal(f.heartbeat.unanswered, 0);
	end(&f);
}

/* After three calls, each of which is counted; until there is an answer. */
static void test_silence(void **state)
{
	struct fixture f = {0};

	begin(&f);
	beat(&f, CPUS);
	beat(&f, 1);
	beat(&f, 1);
	assert_int_equal(silent(&f), CPUS);
	beat(&f, 1);
	assert_int_equal(silent(&f), 1);
	assert_int_equal(f.heartbeat.unanswered, 3);
	heartbeat_check(&f.heartbeat, f.rings);
	assert_int_equal(f.heartbeat.unanswered, 3);
	beat(&f, 1);
	assert_int_equal(f.heartbeat.unanswered, 4);
	beat(&f, CPUS);
	assert_int_equal(silent(&f), CPUS);
	assert_int_equal(f.heartbeat.unanswered, 4);
	beat(&f, 1);
	assert_int_equal(silent(&f), CPUS);
	end(&f);
}

/* A ring that is full loses answers, too; a CPU without a ring gives none. */
static void test_not_judged(void **state)
{
	struct perf_event_mmap_page meta = {0};
	struct fixture f = {0};

	begin(&f);
	f.rings[0].fd = -1;
	for (int i = 0; i < 5; i++) {
		f.rings[1].lost++;
		beat(&f, 1);
		beat(&f, 0);
	}
	assert_int_equal(silent(&f), CPUS);
	/* What is in a ring may be the answer. */
	f.rings[1].meta = &meta;
	meta.data_head = 8;
	for (int i = 0; i < 5; i++)
		beat(&f, 1);
	assert_int_equal(silent(&f), CPUS);
	meta.data_head = 0;
	heartbeat_check(&f.heartbeat, f.rings);
	assert_int_equal(silent(&f), 1);
	end(&f);
}

/* It makes its calls at once on the CPUs where it may run, and ends when it is told to. */
static void test_thread(void **state)
{
	struct fixture f = {0};
	uint64_t calls = 0;
	cpu_set_t mine;

	begin(&f);
	f.heartbeat.runs = false;
	assert_int_equal(sched_getaffinity(0, sizeof(mine), &mine), 0);
	heartbeat_check(&f.heartbeat, f.rings);
	assert_true(f.heartbeat.runs);
	for (int i = 0; i < 5000 && calls == 0; i++) {
		usleep(1000);
		calls = 0;
		for (uint32_t cpu = 0; cpu < CPUS; cpu++)
			calls += atomic_load(&f.heartbeat.cpus[cpu].calls);
	}
	assert_true(calls > 0);
	heartbeat_stop(&f.heartbeat);
	assert_false(f.heartbeat.runs);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		assert_int_equal(atomic_load(&f.heartbeat.cpus[cpu].calls),
				 CPU_ISSET(cpu, &mine) ? 1 : 0);
	end(&f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_answered),
	cmocka_unit_test(test_silence),
	cmocka_unit_test(test_not_judged),
	cmocka_unit_test(test_thread),
};

UNIT_GROUP(tests);
