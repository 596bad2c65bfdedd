/* SPDX-License-Identifier: MIT */
/* Names of addresses of this process, by what records and /proc say of its mappings. */
#include "scap/samples/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "util/clock.h"

enum { LOOKS = 10000 };

int symbols_unit_function(int n);
__attribute__((noinline)) int symbols_unit_function(int n)
{
	return n + 1;
}

static struct sample_symbols *symbols;

static int create(void **state)
{
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(sample_symbols_create(proc, false, &symbols, NULL), 0);
	return close(proc);
}

static int destroy(void **state)
{
	sample_symbols_destroy(symbols);
	sample_symbols_destroy(NULL);
	return 0;
}

static struct sample_record own_sample(void)
{
	return (struct sample_record){
		.ip = (uint64_t)(uintptr_t)symbols_unit_function,
		.time_ns = clock_ns(CLOCK_MONOTONIC),
		.pid = getpid(),
		.tid = getpid(),
		.mode = PERF_RECORD_MISC_USER,
	};
}

/* Whether it had to be waited for. */
static bool await_names(const struct sample_record *sample)
{
	bool waited = false;

	for (int i = 0; i < LOOKS; i++) {
		int r = sample_symbols_find(symbols, sample);

		if (r == 1)
			return waited;
		assert_int_equal(r, -EAGAIN);
		waited = true;
		usleep(1000);
		sample_symbols_step(symbols);
	}
	fail_msg("no end of waiting");
	return waited;
}

static void names_functions_of_processes_that_run(void **state)
{
	struct sample_record sample = own_sample();
	struct samples_stats stats = {0};

	assert_true(await_names(&sample));
	assert_string_equal(sample_symbols_name(symbols), "symbols_unit_function");
	/* Known from now on. */
	assert_false(await_names(&sample));
	sample.ip = 16;
	assert_false(await_names(&sample));
	assert_null(sample_symbols_name(symbols));
	sample_symbols_stats(symbols, &stats);
	assert_int_equal(stats.nameless, 0);
}

static void joins_frames(void **state)
{
	const uint64_t frames[] = {(uint64_t)PERF_CONTEXT_USER,
				   (uint64_t)(uintptr_t)symbols_unit_function,
				   (uint64_t)(uintptr_t)symbols_unit_function + 2, 0x10};
	struct sample_record sample = own_sample();
	char text[256];

	sample.frames = (const uint8_t *)frames;
	sample.frames_count = 4;
	await_names(&sample);
	assert_string_equal(sample_symbols_stack(symbols, &sample, text, sizeof(text)),
			    "0x10;symbols_unit_function;symbols_unit_function");
	/* What does not fit is left out. */
	assert_non_null(sample_symbols_stack(symbols, &sample, text, 12));
	assert_true(strlen(text) < 12);
	sample.frames_count = 1;
	assert_null(sample_symbols_stack(symbols, &sample, text, sizeof(text)));
}

/* A program that began has what records say, and nothing else. */
static void follows_records(void **state)
{
	struct sample_record sample = own_sample();
	struct sample_mapping mapping = {
		.pid = getpid(), .begin = 0x10000, .bytes = 0x1000, .ino = 1, .path = "/x"};

	await_names(&sample);
	assert_non_null(sample_symbols_name(symbols));
	sample.time_ns = clock_ns(CLOCK_MONOTONIC);
	sample_symbols_foresee_exec(symbols, getpid(), sample.time_ns);
	sample_symbols_exec(symbols, getpid(), sample.time_ns);
	sample.time_ns++;
	assert_false(await_names(&sample));
	assert_null(sample_symbols_name(symbols));
	/* There is no such file. */
	sample_symbols_map(symbols, &mapping, sample.time_ns);
	sample.ip = 0x10010;
	assert_true(await_names(&sample));
	assert_null(sample_symbols_name(symbols));
	/* A child has the same, and then nothing of its own is read. */
	sample_symbols_fork(symbols, &(struct sample_task){INT32_MAX, getpid(), INT32_MAX});
	sample.pid = INT32_MAX;
	sample.ip = 0x20000;
	assert_false(await_names(&sample));
	sample_symbols_exit(symbols, &(struct sample_task){INT32_MAX, getpid(), INT32_MAX});
	assert_true(await_names(&sample));
}

/* Mappings were read after another program began: they are not of a sample from before. */
static void does_not_mix_programs(void **state)
{
	struct sample_record sample = own_sample();

	sample_symbols_foresee_exec(symbols, getpid(), sample.time_ns + 1);
	await_names(&sample);
	assert_null(sample_symbols_name(symbols));
	sample.time_ns += 2;
	sample_symbols_exec(symbols, getpid(), sample.time_ns - 1);
	await_names(&sample);
	assert_string_equal(sample_symbols_name(symbols), "symbols_unit_function");
}

static void names_functions_of_the_kernel(void **state)
{
	struct sample_record sample = {.mode = PERF_RECORD_MISC_KERNEL, .ip = 0x10, .pid = 1};

	await_names(&sample);
	assert_null(sample_symbols_name(symbols));
	sample.mode = PERF_RECORD_MISC_HYPERVISOR;
	assert_false(await_names(&sample));
	assert_null(sample_symbols_name(symbols));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(names_functions_of_processes_that_run, create, destroy),
	cmocka_unit_test_setup_teardown(joins_frames, create, destroy),
	cmocka_unit_test_setup_teardown(follows_records, create, destroy),
	cmocka_unit_test_setup_teardown(does_not_mix_programs, create, destroy),
	cmocka_unit_test_setup_teardown(names_functions_of_the_kernel, create, destroy),
};

UNIT_GROUP(tests);
