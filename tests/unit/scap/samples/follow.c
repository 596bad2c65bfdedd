/* SPDX-License-Identifier: MIT */
/*
 * CPUs that go and come while they are sampled, and one where nothing can be opened. The list of
 * CPUs and the kernel's refusals are the test's; the rest is real.
 */
#include "scap/samples/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/event.h"
#include "fake_syscall.h"
#include "patience.h"
#include "privileges/privileges.h"
#include "scap/rings/cpus.h"
#include "tree.h"
#include "unit.h"
#include "util/clock.h"
#include "util/count.h"

enum { RING_BYTES = 1 << 18, FAULTS = 50, CPU = 1, MOMENT_US = 5000 };

/* Of CPU 1; CPU 0 is always there, and no other one is. */
static atomic_bool is_online;
static atomic_int rejected; /* errno of what is opened there; 0: it is opened */
static atomic_uint reads, opens; /* of the list; of events that were opened there */
static _Atomic ino_t probed; /* the file of the last probe that was to be opened there */
static _Atomic uint32_t probe_type; /* of the PMU; 0: none */
static int entered; /* what the thread's attempt to drop privileges returns */

/* In place of the one that asks the kernel. */
int privileges_enter(enum privileges_role role, const struct files_limits *files, struct error *err)
{
	return role == ROLE_COUNTERS ? entered : 0;
}

/* In place of the one that reads /sys. */
int scap_cpus_read(const char *path, uint32_t cpus, bool *online)
{
	memset(online, 0, cpus * sizeof(*online));
	online[0] = true;
	online[CPU] = is_online;
	reads++;
	return 0;
}

/* Where the kernel would look for it, at this moment. */
static void note_probe(const struct perf_event_attr *attr)
{
	struct stat st;

	if (attr->type == probe_type && stat((const char *)(uintptr_t)attr->config1, &st) == 0)
		probed = st.st_ino;
}

static long answer(long number, const long arg[SYSCALL_ARGUMENTS])
{
	if (number != SYS_perf_event_open || arg[2] != CPU)
		return real_syscall(number, arg);
	note_probe((const struct perf_event_attr *)arg[0]);
	if (rejected) {
		errno = rejected;
		return -1;
	}
	opens++;
	return real_syscall(number, arg);
}

static const char page_faults[] = "page-faults/period=1/u";

struct followed {
	struct perf_machine machine;
	struct perf_event_list list;
	struct samples *samples;
};

static void finish(struct followed *followed)
{
	samples_close(followed->samples);
	perf_event_list_finish(&followed->list);
	perf_machine_close(&followed->machine);
}

static void begin_with_or_skip(struct followed *followed, const char *text, uint8_t kind)
{
	struct samples_config config = {
		.events = &followed->list,
		.kinds = &kind,
		.machine = &followed->machine,
		.ring_bytes = RING_BYTES,
	};
	cpu_set_t usable;
	int r;

	assert_int_equal(sched_getaffinity(0, sizeof(usable), &usable), 0);
	if (!CPU_ISSET(CPU, &usable))
		skip();
	rejected = 0;
	fake_syscall_by(answer);
	*followed = (struct followed){0};
	assert_int_equal(perf_machine_open(&followed->machine, NULL, NULL, NULL), 0);
	assert_int_equal(perf_event_parse(text, &followed->machine, NULL, &followed->list, NULL),
			 0);
	r = samples_open(&config, &followed->samples, NULL);
	if (r == -EACCES || r == -EPERM) {
		finish(followed);
		skip();
	}
	assert_int_equal(r, 0);
	samples_begin(followed->samples);
}

/* Samples the page faults of both CPUs. */
static void begin_or_skip(struct followed *followed)
{
	is_online = true;
	begin_with_or_skip(followed, page_faults, SAMPLE_PERF);
}

/* Until all that is there now was acted upon: the list is read once more after that. */
static void wait_for_look(void)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	unsigned int before = reads;

	while (reads - before < 2) {
		assert_true(clock_ns(CLOCK_MONOTONIC) < end_ns);
		usleep(MOMENT_US);
	}
}

/* Causes faults on CPU 1. */
static void fault(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	cpu_set_t before, there;
	volatile char *memory;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&there);
	CPU_SET(CPU, &there);
	assert_int_equal(sched_setaffinity(0, sizeof(there), &there), 0);
	memory = mmap(NULL, FAULTS * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	assert_true(memory != MAP_FAILED);
	madvise((void *)memory, FAULTS * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < FAULTS; i++)
		memory[i * page] = 1;
	munmap((void *)memory, FAULTS * page);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* How many faults of this thread on CPU 1 there are since the last time. */
static unsigned int count_faults(struct samples *samples)
{
	unsigned int count = 0;
	struct event event;
	const void *frame;
	uint64_t ts;
	uint32_t len;
	uint16_t cpu;

	samples_round(samples);
	while (samples_peek(samples, UINT64_MAX, &ts) == 1) {
		samples_take(samples, &frame, &len, &cpu);
		assert_int_equal(event_decode(frame, len, cpu, &event), 0);
		count += event.tid == gettid() && cpu == CPU;
	}
	return count;
}

/* Until the CPU has a ring, or has none. */
static void wait_for_cpu(struct samples *samples, bool has_ring)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;

	while ((samples_fd(samples, CPU) >= 0) != has_ring) {
		assert_true(clock_ns(CLOCK_MONOTONIC) < end_ns);
		usleep(MOMENT_US);
		count_faults(samples);
	}
}

static void follows_cpus_that_go_and_come(void **state)
{
	struct followed followed;
	uint64_t opened;

	begin_or_skip(&followed);
	opened = samples_opened(followed.samples);
	fault();
	assert_true(count_faults(followed.samples) >= FAULTS);
	is_online = false;
	wait_for_cpu(followed.samples, false);
	fault();
	assert_int_equal(count_faults(followed.samples), 0);
	is_online = true;
	wait_for_cpu(followed.samples, true);
	assert_int_equal(samples_opened(followed.samples), opened + 1);
	fault();
	assert_true(count_faults(followed.samples) >= FAULTS);
	samples_stop(followed.samples);
	count_faults(followed.samples);
	fault();
	assert_int_equal(count_faults(followed.samples), 0);
	finish(&followed);
}

/* What was written before it went is taken. */
static void reads_what_a_cpu_left(void **state)
{
	struct followed followed;

	begin_or_skip(&followed);
	count_faults(followed.samples);
	fault();
	is_online = false;
	wait_for_look();
	assert_true(count_faults(followed.samples) >= FAULTS);
	wait_for_cpu(followed.samples, false);
	finish(&followed);
}

/* Until CPU 1 is counted as one that is not followed. */
static void wait_for_unfollowed(struct samples *samples, int error)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	struct samples_stats stats = {0};

	do {
		assert_true(clock_ns(CLOCK_MONOTONIC) < end_ns);
		usleep(MOMENT_US);
		samples_stats(samples, &stats);
	} while (!stats.unfollowed);
	assert_int_equal(stats.unfollowed, 1);
	assert_int_equal(stats.follow_error, error);
}

static void expect_all_followed(struct samples *samples)
{
	struct samples_stats stats = {0};

	samples_stats(samples, &stats);
	assert_int_equal(stats.unfollowed, 0);
}

/* ENODEV: also what a PMU says that does not count there. */
static void counts_cpus_without_events(void **state)
{
	static const int errors[] = {EMFILE, ENODEV};
	struct followed followed;

	begin_or_skip(&followed);
	for (size_t i = 0; i < COUNT(errors); i++) {
		is_online = false;
		wait_for_cpu(followed.samples, false);
		rejected = errors[i];
		is_online = true;
		wait_for_unfollowed(followed.samples, -errors[i]);
		rejected = 0;
		wait_for_cpu(followed.samples, true);
		expect_all_followed(followed.samples);
	}
	finish(&followed);
}

/* One that went is no trouble. */
static void forgets_the_errors_of_cpus_that_went(void **state)
{
	struct followed followed;

	begin_or_skip(&followed);
	is_online = false;
	wait_for_cpu(followed.samples, false);
	rejected = ENODEV;
	is_online = true;
	wait_for_unfollowed(followed.samples, -ENODEV);
	is_online = false;
	wait_for_look();
	expect_all_followed(followed.samples);
	finish(&followed);
}

/* The thread that cannot drop what it does not need follows no CPU, which is said. */
static void counts_cpus_without_the_thread(void **state)
{
	struct followed followed;

	entered = -EPERM;
	is_online = false;
	begin_with_or_skip(&followed, page_faults, SAMPLE_PERF);
	expect_all_followed(followed.samples);
	is_online = true;
	wait_for_unfollowed(followed.samples, -EPERM);
	entered = 0;
	finish(&followed);
}

static uint32_t find_probe_type(void)
{
	struct perf_machine machine;
	const struct perf_pmu *pmu;
	uint32_t type;

	assert_int_equal(perf_machine_open(&machine, NULL, NULL, NULL), 0);
	pmu = perf_machine_pmu(&machine, "uprobe", 6);
	type = pmu ? pmu->type : 0;
	perf_machine_close(&machine);
	return type;
}

/* A CPU that comes when the file of a probe was replaced has the probe in the old one. */
static void keeps_the_files_of_probes(void **state)
{
	char path[TREE_PATH_BYTES], other[TREE_PATH_BYTES], text[TREE_PATH_BYTES + 16];
	struct followed followed;
	struct tree tree;
	struct stat st;

	probe_type = find_probe_type();
	if (!probe_type)
		skip();
	tree_create(&tree);
	tree_write(&tree, "program", "\x90\x90\x90\x90");
	tree_write(&tree, "other", "\x91\x91\x91\x91");
	tree_path(&tree, "program", path);
	tree_path(&tree, "other", other);
	assert_int_equal(stat(path, &st), 0);
	snprintf(text, sizeof(text), "u:%s:+1", path);
	is_online = false;
	begin_with_or_skip(&followed, text, SAMPLE_PROBE);
	assert_int_equal(rename(other, path), 0);
	is_online = true;
	wait_for_cpu(followed.samples, true);
	assert_true(probed == st.st_ino);
	finish(&followed);
	tree_destroy(&tree);
}

/* Also with a CPU that was opened and is not used yet. */
static void ends_at_any_time(void **state)
{
	struct followed followed;

	begin_or_skip(&followed);
	is_online = false;
	wait_for_cpu(followed.samples, false);
	opens = 0;
	is_online = true;
	wait_for_look();
	assert_true(opens > 0);
	finish(&followed);
	sample_follower_stop(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(follows_cpus_that_go_and_come),
	cmocka_unit_test(reads_what_a_cpu_left),
	cmocka_unit_test(counts_cpus_without_events),
	cmocka_unit_test(forgets_the_errors_of_cpus_that_went),
	cmocka_unit_test(counts_cpus_without_the_thread),
	cmocka_unit_test(keeps_the_files_of_probes),
	cmocka_unit_test(ends_at_any_time),
};

UNIT_GROUP(tests);
