/* SPDX-License-Identifier: MIT */
/*
 * The live source on the running kernel: order, the account of losses, stopping. Skipped where
 * BPF programs may not be loaded.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live.h"

enum { RING_BYTES = 4 << 20, CALLS = 20000, STORM_CALLS = 300000 };

static struct scap_live *open_live(struct scap_live_config *config)
{
	struct scap_live *live;
	struct error err = {""};
	int r;

	if (!config->ring_bytes)
		config->ring_bytes = RING_BYTES;
	config->snaplen = SNAPLEN_DEFAULT;
	r = scap_live_open(config, &live, &err);
	if (r == -EPERM)
		skip();
	if (r < 0)
		print_message("%s\n", err.text);
	assert_int_equal(r, 0);
	return live;
}

static unsigned int native(const char *name)
{
	return (unsigned int)syscall_native_number((unsigned int)syscall_code_find(name));
}

/* A child that calls getppid `n` times, waiting for `start` to be closed first. */
static pid_t start_calls(int n, int start[2])
{
	pid_t child;

	assert_int_equal(pipe(start), 0);
	child = fork();
	if (child == 0) {
		char byte;

		close(start[1]);
		if (read(start[0], &byte, 1) == 0)
			for (int i = 0; i < n; i++)
				syscall(SYS_getppid);
		_exit(0);
	}
	assert_true(child > 0);
	close(start[0]);
	return child;
}

struct account {
	uint64_t of_child;
	uint64_t all;
	uint64_t last_ts;
};

/* Takes an event into the account; time never goes back. */
static void account_for(struct account *account, const struct scap_event *raw, pid_t child)
{
	struct event event;

	assert_int_equal(event_decode(raw->frame, raw->len, raw->cpu, &event), 0);
	assert_true(event.ts_ns >= account->last_ts);
	account->last_ts = event.ts_ns;
	account->of_child += event.tid == child;
	account->all++;
}

static void read_until_dead(struct scap_live *live, pid_t child, struct account *account)
{
	struct scap_event event;

	while (waitpid(child, NULL, WNOHANG) == 0)
		while (scap_source_next(scap_live_source(live), 10, &event) == 1)
			account_for(account, &event, child);
}

static void read_to_the_end(struct scap_live *live, pid_t child, struct account *account)
{
	struct scap_event event;
	int r;

	scap_live_stop(live);
	while ((r = scap_source_next(scap_live_source(live), 10, &event)) == 1)
		account_for(account, &event, child);
	assert_int_equal(r, -ENODATA);
	assert_int_equal(scap_source_next(scap_live_source(live), 10, &event), -ENODATA);
}

/* For every event: seen = delivered + the sum of losses. Returns that sum over all events. */
static uint64_t check_account(const struct scap_live_stats *stats, uint64_t delivered)
{
	uint64_t all_lost = 0, all_delivered = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		uint64_t lost = 0;

		for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
			lost += stats->events[id].lost[cause];
		assert_int_equal(stats->seen[id], stats->delivered[id] + lost);
		all_delivered += stats->delivered[id];
		all_lost += lost;
	}
	assert_int_equal(all_delivered, delivered);
	assert_int_equal(stats->damaged, 0);
	assert_int_equal(stats->out_of_order, 0);
	return all_lost;
}

static void run_calls(struct scap_live_config *config, int calls, struct account *account,
		      struct scap_live_stats *stats)
{
	struct scap_live *live;
	pid_t child;
	int start[2];

	config->syscalls[native("getppid")] = true;
	child = start_calls(calls, start);
	live = open_live(config);
	close(start[1]);
	read_until_dead(live, child, account);
	read_to_the_end(live, child, account);
	assert_int_equal(scap_live_stats(live, stats), 0);
	scap_source_destroy(scap_live_source(live));
}

static struct scap_live_stats stats;

static void test_at_ease(void **state)
{
	struct scap_live_config config = {0};
	struct account account = {0};

	run_calls(&config, CALLS, &account, &stats);
	assert_int_equal(account.of_child, CALLS);
	assert_int_equal(check_account(&stats, account.all), 0);
	assert_true(stats.seen[EVENT_syscall] >= CALLS);
	assert_int_equal(stats.ring_bytes, (uint64_t)stats.cpus * RING_BYTES);
}

static void test_storm(void **state)
{
	struct scap_live_config config = {.ring_bytes = (uint32_t)sysconf(_SC_PAGESIZE)};
	struct account account = {0};
	uint64_t lost;

	run_calls(&config, STORM_CALLS, &account, &stats);
	lost = check_account(&stats, account.all);
	assert_true(lost > 0);
	assert_true(stats.ring_lost > 0);
	assert_true(stats.seen[EVENT_syscall] >= STORM_CALLS);
	assert_true(account.all + lost >= STORM_CALLS);
}

/* A single event does not wait for its slot or its ring to fill up. */
static void test_single_event(void **state)
{
	struct scap_live_config config = {.include_self = true};
	struct scap_live *live;
	struct scap_event raw;
	struct event event;
	struct timespec begin, end;
	bool found = false;

	config.syscalls[native("getppid")] = true;
	live = open_live(&config);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	syscall(SYS_getppid);
	while (!found && scap_source_next(scap_live_source(live), 1000, &raw) == 1) {
		assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event), 0);
		found = event.tid == gettid();
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_true(found);
	assert_int_equal(event_param_u64(&event, syscall__ID), syscall_code_find("getppid"));
	assert_true((end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000 <
		    500);
	scap_source_destroy(scap_live_source(live));
}

static void test_self_is_left_out(void **state)
{
	struct scap_live_config config = {0};
	struct scap_live *live;
	struct account account = {0};

	config.syscalls[native("getppid")] = true;
	live = open_live(&config);
	for (int i = 0; i < 100; i++)
		syscall(SYS_getppid);
	read_to_the_end(live, getpid(), &account);
	assert_int_equal(account.of_child, 0);
	scap_source_destroy(scap_live_source(live));
}

static void test_only_what_is_wanted_is_loaded(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_openat] = true}};
	struct scap_live *live = open_live(&config);
	const char *program, *hook;

	assert_true(scap_live_program(live, 0, &program, &hook));
	assert_string_equal(program, "fill_openat");
	assert_null(hook);
	assert_true(scap_live_program(live, 1, &program, &hook));
	assert_string_equal(program, "dispatch_sys_exit");
	assert_string_equal(hook, "sys_exit");
	assert_false(scap_live_program(live, 2, &program, &hook));
	assert_int_equal(scap_live_refused(live)[0], 0);
	scap_source_destroy(scap_live_source(live));
}

static void test_timeouts(void **state)
{
	struct scap_live_config config = {0};
	struct scap_live *live;
	struct scap_event event;
	struct timespec begin, end;
	long ms;

	config.syscalls[native("acct")] = true;
	live = open_live(&config);
	assert_int_equal(scap_source_next(scap_live_source(live), 0, &event), 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	assert_int_equal(scap_source_next(scap_live_source(live), 100, &event), 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	ms = (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000;
	assert_in_range(ms, 95, 400);
	scap_source_destroy(scap_live_source(live));
}

static void test_wrong_size(void **state)
{
	struct scap_live_config config = {.ring_bytes = 5000, .syscalls = {true}};
	struct scap_live *live = NULL;
	struct error err = {""};
	int r = scap_live_open(&config, &live, &err);

	if (r == -EPERM)
		skip();
	assert_int_equal(r, -EINVAL);
	assert_non_null(strstr(err.text, "power of two"));
	assert_null(live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_ease),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_single_event),
		cmocka_unit_test(test_self_is_left_out),
		cmocka_unit_test(test_only_what_is_wanted_is_loaded),
		cmocka_unit_test(test_timeouts),
		cmocka_unit_test(test_wrong_size),
	};

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
