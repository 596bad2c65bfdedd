/* SPDX-License-Identifier: MIT */
/* Samples of this process: writes to a variable that a breakpoint watches, and what cannot be
 * sampled. */
#include "scap/samples/samples.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/event.h"
#include "unit.h"
#include "util/clock.h"

enum { WRITES = 1000, RING_BYTES = 1 << 18, OFFSET_NS = 1000000007 };

static volatile long watched __attribute__((aligned(8)));

__attribute__((noinline)) static void write_watched(long n)
{
	for (long i = 0; i < n; i++)
		watched = i;
}

struct sampled {
	struct perf_machine machine;
	struct perf_event_list list;
	struct samples *samples;
	int proc;
};

/* Of all of them the first has. */
static uint8_t kinds[4] = {SAMPLE_PERF};

static int try_open(struct sampled *sampled, const char *text, uint32_t ring_bytes,
		    struct error *err)
{
	struct samples_config config = {
		.events = &sampled->list,
		.kinds = kinds,
		.machine = &sampled->machine,
		.ring_bytes = ring_bytes,
	};

	*sampled = (struct sampled){.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	config.proc = sampled->proc;
	config.symbols = true;
	assert_int_equal(perf_machine_open(&sampled->machine, NULL, NULL, NULL), 0);
	assert_int_equal(perf_event_parse(text, &sampled->machine, NULL, &sampled->list, err), 0);
	return samples_open(&config, &sampled->samples, err);
}

static void finish(struct sampled *sampled)
{
	samples_close(sampled->samples);
	perf_event_list_finish(&sampled->list);
	perf_machine_close(&sampled->machine);
	close(sampled->proc);
}

static void open_or_skip(struct sampled *sampled, const char *text, uint32_t ring_bytes)
{
	struct error err = {""};
	int r = try_open(sampled, text, ring_bytes, &err);

	if (r == -EACCES || r == -EPERM || r == -ENOSPC) {
		finish(sampled);
		skip();
	}
	assert_int_equal(r, 0);
	samples_set_offset(sampled->samples, OFFSET_NS);
}

static void breakpoint_text(char text[64])
{
	snprintf(text, 64, "mem:%#" PRIxPTR "/8:w:u", (uintptr_t)&watched);
}

/* Decodes the next sample. */
static bool next(struct sampled *sampled, struct event *event)
{
	const void *frame;
	uint32_t len;
	uint64_t ts;
	uint16_t cpu;
	int r;

	for (int i = 0; (r = samples_peek(sampled->samples, UINT64_MAX, &ts)) == -EAGAIN; i++) {
		assert_true(i < 10000);
		usleep(1000);
		samples_round(sampled->samples);
	}
	if (r == 0)
		return false;
	samples_take(sampled->samples, &frame, &len, &cpu);
	assert_int_equal(event_decode(frame, len, cpu, event), 0);
	assert_int_equal(event->ts_ns, ts);
	return true;
}

static void samples_each_write(void **state)
{
	uint64_t begin = clock_ns(CLOCK_BOOTTIME) + OFFSET_NS, last = begin, end, found = 0;
	struct samples_stats stats;
	struct sampled sampled;
	struct event event;
	char text[64];

	breakpoint_text(text);
	open_or_skip(&sampled, text, RING_BYTES);
	samples_begin(sampled.samples);
	write_watched(WRITES);
	samples_stop(sampled.samples);
	write_watched(10);
	end = clock_ns(CLOCK_BOOTTIME) + OFFSET_NS;
	samples_round(sampled.samples);
	while (next(&sampled, &event)) {
		assert_int_equal(event.desc->id, EVENT_perf_sample);
		assert_int_equal(event.tid, getpid());
		assert_string_equal(event_param_string(&event, perf_sample__event), text);
		assert_string_equal(event_param_string(&event, perf_sample__symbol),
				    "write_watched");
		assert_int_equal(event_param_u64(&event, perf_sample__addr),
				 (uint64_t)(uintptr_t)&watched);
		assert_int_equal(event_param_u64(&event, perf_sample__period), 1);
		assert_true(event.ts_ns >= last && event.ts_ns <= end);
		last = event.ts_ns;
		found++;
	}
	assert_int_equal(found, WRITES);
	samples_stats(sampled.samples, &stats);
	assert_int_equal(stats.taken[SAMPLE_PERF], WRITES);
	assert_int_equal(stats.lost[SAMPLE_PERF], 0);
	assert_int_equal(stats.corrupt, 0);
	finish(&sampled);
}

/* What a full ring has no room for is lost, and counted. */
static void counts_losses(void **state)
{
	struct samples_stats stats;
	struct sampled sampled;
	struct event event;
	uint64_t found = 0;
	char text[64];

	breakpoint_text(text);
	open_or_skip(&sampled, text, (uint32_t)sysconf(_SC_PAGESIZE));
	samples_begin(sampled.samples);
	write_watched(WRITES);
	/* Room again: older kernels report a loss with the next sample. */
	samples_round(sampled.samples);
	while (next(&sampled, &event))
		found++;
	write_watched(1);
	samples_stop(sampled.samples);
	samples_round(sampled.samples);
	while (next(&sampled, &event))
		found++;
	samples_stats(sampled.samples, &stats);
	assert_true(found < WRITES);
	assert_int_equal(found + stats.lost[SAMPLE_PERF], WRITES + 1);
	finish(&sampled);
}

/* On one CPU, so that all records come into one ring. Returns the CPUs from before. */
static cpu_set_t stay_here(void)
{
	cpu_set_t before, here;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&here);
	CPU_SET((size_t)sched_getcpu(), &here);
	assert_int_equal(sched_setaffinity(0, sizeof(here), &here), 0);
	return before;
}

/* More mappings than a page has room for. */
static void map_often(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	for (int i = 0; i < WRITES; i++) {
		void *memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		assert_true(memory != MAP_FAILED);
		munmap(memory, 4096);
	}
	close(fd);
}

/* The record of a library was lost: its function has a name all the same. */
static void reads_mappings_again_after_a_loss(void **state)
{
	double (*modf_of_library)(double value, double *whole);
	struct samples_stats stats;
	struct sampled sampled;
	struct event event;
	cpu_set_t before;
	void *library;
	char text[64];

	if (dlopen("libm.so.6", RTLD_NOLOAD | RTLD_NOW))
		skip();
	breakpoint_text(text);
	open_or_skip(&sampled, text, (uint32_t)sysconf(_SC_PAGESIZE));
	before = stay_here();
	samples_begin(sampled.samples);
	write_watched(1);
	samples_round(sampled.samples);
	assert_true(next(&sampled, &event));
	map_often();
	library = dlopen("libm.so.6", RTLD_NOW);
	assert_non_null(library);
	*(void **)&modf_of_library = dlsym(library, "modf");
	samples_round(sampled.samples);
	assert_false(next(&sampled, &event));
	modf_of_library(1.5, (double *)&watched);
	samples_stop(sampled.samples);
	samples_round(sampled.samples);
	assert_true(next(&sampled, &event));
	/* Or an alias of it. */
	assert_true(event.params[perf_sample__symbol].len >= sizeof("modf"));
	assert_memory_equal(event.params[perf_sample__symbol].data, "modf", 4);
	samples_stats(sampled.samples, &stats);
	assert_true(stats.unmapped > 0 || stats.mixed > 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	dlclose(library);
	finish(&sampled);
}

/* Events are before a time, or wait. */
static void gives_out_what_is_before(void **state)
{
	struct sampled sampled;
	char text[64];
	uint64_t ts, first;

	breakpoint_text(text);
	open_or_skip(&sampled, text, RING_BYTES);
	assert_true(samples_claim(sampled.samples, &sampled));
	assert_false(samples_claim(sampled.samples, &text));
	samples_pass_on(sampled.samples, &text);
	assert_false(samples_claim(sampled.samples, &text));
	samples_pass_on(sampled.samples, &sampled);
	assert_true(samples_claim(sampled.samples, &text));
	assert_true(samples_fds(sampled.samples) > 0);
	assert_true(samples_fd(sampled.samples, 0) >= 0);
	samples_begin(sampled.samples);
	write_watched(2);
	samples_stop(sampled.samples);
	samples_round(sampled.samples);
	assert_int_not_equal(samples_peek(sampled.samples, UINT64_MAX, &first), 0);
	assert_int_equal(samples_peek(sampled.samples, first, &ts), 0);
	assert_int_not_equal(samples_peek(sampled.samples, first + 1, &ts), 0);
	finish(&sampled);
}

/* This process writes a byte: the tracepoint says where to, and how many. */
static void has_fields_of_tracepoints(void **state)
{
	static const char name[] = "syscalls:sys_enter_write";
	int pipe_fds[2];
	struct sampled sampled;
	struct event event;
	char wanted[32];
	unsigned int found = 0;

	assert_int_equal(pipe(pipe_fds), 0);
	snprintf(wanted, sizeof(wanted), "fd=%d", pipe_fds[1]);
	kinds[0] = SAMPLE_TRACEPOINT;
	open_or_skip(&sampled, name, RING_BYTES);
	kinds[0] = SAMPLE_PERF;
	samples_begin(sampled.samples);
	assert_int_equal(write(pipe_fds[1], "x", 1), 1);
	samples_stop(sampled.samples);
	samples_round(sampled.samples);
	while (next(&sampled, &event)) {
		const struct event_param *args = &event.params[tracepoint__args];

		assert_int_equal(event.desc->id, EVENT_tracepoint);
		assert_string_equal(event_param_string(&event, tracepoint__name), name);
		assert_true(args->len && args->data[args->len - 1] == '\0');
		found += event.tid == getpid() &&
			 memmem(args->data, args->len, wanted, strlen(wanted) + 1) &&
			 memmem(args->data, args->len, "count=1", 8);
	}
	assert_int_equal(found, 1);
	finish(&sampled);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void says_what_cannot_be_sampled(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"{page-faults,cs}", "groups are not sampled"},
		{"cpu-clock/call-graph=dwarf/", "call-graph=fp or no"},
		{"cpu-clock/freq=50000/,task-clock/freq=4000000000/", "the kernel allows"},
		{"cpu-clock/call-graph=fp,max-stack=999/", "max-stack must be from 1 to 127"},
	};
	struct sampled sampled;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error err = {""};

		assert_int_equal(try_open(&sampled, rows[i].text, RING_BYTES, &err), -EINVAL);
		assert_non_null(strstr(err.text, rows[i].why));
		finish(&sampled);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(samples_each_write),
	cmocka_unit_test(counts_losses),
	cmocka_unit_test(reads_mappings_again_after_a_loss),
	cmocka_unit_test(gives_out_what_is_before),
	cmocka_unit_test(has_fields_of_tracepoints),
	cmocka_unit_test(says_what_cannot_be_sampled),
};

UNIT_GROUP(tests);
