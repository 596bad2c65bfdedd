/* SPDX-License-Identifier: MIT */
/* The account of a live capture, of counters made by hand. */
#include <errno.h>
#include <string.h>

#include "agent/plan/selection.h"
#include "agent/input/input.h"
#include "scap/live/live.h"
#include "unit.h"

static struct scap_live_stats live;
static const uint16_t reasons[EVENT_ID_MAX] = {
	[EVENT_open] = WHY_FILTER, [EVENT_close] = WHY_DESCRIPTORS, [EVENT_read] = WHY_REQUESTS};
static struct buf text;

static const char *report(const struct account *account)
{
	buf_clear(&text);
	account_live_append(&live, account, &text);
	buf_append_char(&text, '\0');
	return text.data;
}

static int setup(void **state)
{
	live = (struct scap_live_stats){0};
	live.seen[EVENT_close] = live.delivered[EVENT_close] = 7;
	return 0;
}

static int teardown(void **state)
{
	buf_finish(&text);
	text = (struct buf){0};
	return 0;
}

static void test_whole(void **state)
{
	assert_false(account_live_is_incomplete(&live));
	assert_string_equal(report(&(struct account){.matched = 5, .printed = 4}),
			    "agent: seen 7 = delivered 7 + lost 0; matched 5, printed 4\n");
	buf_clear(&text);
	account_live_append_counters(&live, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "seen 7, delivered 7, lost 0");
}

static void test_losses(void **state)
{
	live.seen[EVENT_open] = 3;
	live.events[EVENT_open].lost[LOSS_RING_FULL] = 3;
	assert_true(account_live_is_incomplete(&live));
	assert_string_equal(
		report(&(struct account){.reasons = reasons}),
		"agent: seen 10 = delivered 7 + lost 3; matched 0, printed 0\n"
		"agent: lost by cause: ring full 3\n"
		"agent: lost by event: open 3 of 3\n"
		"agent: lost of what was asked for 3, of what only keeps the state 0\n");
	/* What is neither delivered nor lost does not hide. */
	live.events[EVENT_open].lost[LOSS_RING_FULL] = 2;
	assert_true(account_live_is_incomplete(&live));
	assert_non_null(
		strstr(report(&(struct account){.reasons = reasons}), "lost 2 + unaccounted 1;"));
	live.corrupt = 1;
	assert_non_null(
		strstr(report(&(struct account){.reasons = reasons}), "lost 2 + corrupt 1;"));
}

/* A command lacks only what was asked for. */
static void test_losses_of_a_command(void **state)
{
	const struct account account = {.reasons = reasons, .has_command = true};

	live.seen[EVENT_close] += 2;
	live.events[EVENT_close].lost[LOSS_RING_FULL] = 2;
	assert_int_equal(account_live_lost_asked(live.events, reasons), 0);
	assert_null(strstr(report(&account), "of the command"));
	live.seen[EVENT_open] = live.events[EVENT_open].lost[LOSS_SCRATCH_BUSY] = 4;
	assert_int_equal(account_live_lost_asked(live.events, reasons), 4);
	/* Requests lack the bytes of a call that was lost. */
	live.events[EVENT_read].lost[LOSS_RING_FULL] = 2;
	assert_int_equal(account_live_lost_asked(live.events, reasons), 6);
	live.events[EVENT_read].lost[LOSS_RING_FULL] = 0;
	assert_non_null(strstr(report(&account),
			       "agent: lost of what was asked for 4, of what only keeps the state "
			       "2\nagent: 4 events of the command are missing\n"));
}

/* What the filter rejected in the kernel is neither delivered nor lost. */
static void test_filtered(void **state)
{
	struct buf line = {0};

	live.seen[EVENT_open] = live.events[EVENT_open].filtered = 3;
	assert_false(account_live_is_incomplete(&live));
	assert_string_equal(report(&(struct account){0}),
			    "agent: seen 10 = delivered 7 + lost 0 + filtered 3; matched 0, "
			    "printed 0\n");
	assert_non_null(strstr(report(&(struct account){.verbose = true}),
			       "agent: event open: seen 3, delivered 0, filtered 3, lost 0"));
	account_live_append_counters(&live, &line);
	buf_append_char(&line, '\0');
	assert_string_equal(line.data, "seen 10, delivered 7, lost 0, filtered 3");
	buf_finish(&line);
}

/* Events of a CPU whose programs do not report are missing, nobody knows which. */
static void test_silence(void **state)
{
	live.silent = 2;
	live.silent_cpu = 3;
	live.unanswered = 8;
	assert_true(account_live_is_incomplete(&live));
	assert_non_null(
		strstr(report(&(struct account){0}),
		       "agent: programs do not report on CPU 3 and 1 others: 8 test calls had "
		       "no answer"));
	live.silent = 0;
	assert_true(account_live_is_incomplete(&live));
	assert_non_null(strstr(report(&(struct account){0}),
			       "agent: programs did not report for a time: 8 test calls"));
}

static void test_unsampled(void **state)
{
	live.samples_failed = 3;
	live.sample_error = -EPERM;
	assert_non_null(strstr(report(&(struct account){0}),
			       "agent: 3 times connections could not be sampled (Operation not "
			       "permitted), so that tcp_sample is missing\n"));
}

static void test_throttled(void **state)
{
	const struct scap_live_throttled list[] = {
		{.kind = RATE_OF_CGROUP, .pid = 7, .name = "nginx", .lost = 90},
		{.kind = RATE_OF_PROCESS, .pid = 17, .name = "a\033[2J", .lost = 50},
		{.kind = RATE_OF_PROCESS, .pid = 18, .name = "cat", .lost = 4},
		{.kind = RATE_OF_SHARE, .pid = 19, .name = "flood", .lost = 3},
		{.kind = RATE_OF_SHARE, .pid = 20, .lost = 2},
		{.kind = RATE_OF_SHARE, .pid = -1, .lost = 1},
	};

	buf_clear(&text);
	account_live_append_throttled(list, 0, &text);
	assert_int_equal(text.len, 0);
	account_live_append_throttled(list, 6, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data,
			    "agent: lost most over --process-limit: 50 of process 17 (a.[2J), 4 of "
			    "process 18 (cat)\n"
			    "agent: lost most over --cgroup-limit: 90 of the control groups of "
			    "process 7 (nginx)\n"
			    "agent: lost most over the share of a process: 3 of process 19 "
			    "(flood), 2 of process 20, 1 of sockets of no known process\n");
}

static void test_muted(void **state)
{
	const struct account account = {.muted = 2, .muted_total = 5, .verbose = true};

	live.seen[EVENT_close] += 3;
	live.events[EVENT_close].filtered = 3;
	live.events[EVENT_close].muted = 2;
	assert_non_null(
		strstr(report(&account),
		       "agent: muted processes: 5, at the end 2, calls of them filtered 2\n"));
	assert_non_null(
		strstr(report(&account), "agent: seen 10 = delivered 7 + lost 0 + filtered 3;"));
	assert_null(strstr(report(&(struct account){.verbose = true}), "muted"));
}

static void test_troubles(void **state)
{
	const struct account account = {
		.state = {.threads_evicted = 4, .unknown = 2, .pods_dropped = 5}};

	live.out_of_order = 9;
	live.ownerless = 6;
	live.owners_dropped = 3;
	assert_string_equal(report(&account),
			    "agent: seen 7 = delivered 7 + lost 0; matched 0, printed 0\n"
			    "agent: 6 events of sockets of which it is not known whose they are\n"
			    "agent: 3 sockets of which it was not kept whose they are: there were "
			    "too many\n"
			    "agent: 9 events given out after a later one\n"
			    "agent: 2 delivered events of an unknown type\n"
			    "agent: 4 threads evicted: the table or the memory was full\n"
			    "agent: 5 descriptions of pods dropped: too many on this node, or out "
			    "of memory\n");
}

static void test_verbose(void **state)
{
	const struct account account = {.verbose = true,
					.state = {.threads = 3, .fds = 4, .thread_lookups = 5}};

	live.untimed = 2;
	report(&account);
	assert_non_null(strstr(text.data, "agent: 2 calls without latency"));
	assert_non_null(
		strstr(text.data, "agent: event close: seen 7, delivered 7, filtered 0, lost 0"));
	assert_non_null(strstr(text.data, "agent: state: threads 3, descriptors 4; asked of /proc: "
					  "threads 5 (0 gone)"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_whole, setup, teardown),
	cmocka_unit_test_setup_teardown(test_losses, setup, teardown),
	cmocka_unit_test_setup_teardown(test_losses_of_a_command, setup, teardown),
	cmocka_unit_test_setup_teardown(test_filtered, setup, teardown),
	cmocka_unit_test_setup_teardown(test_muted, setup, teardown),
	cmocka_unit_test_setup_teardown(test_silence, setup, teardown),
	cmocka_unit_test_setup_teardown(test_unsampled, setup, teardown),
	cmocka_unit_test_setup_teardown(test_throttled, setup, teardown),
	cmocka_unit_test_setup_teardown(test_troubles, setup, teardown),
	cmocka_unit_test_setup_teardown(test_verbose, setup, teardown),
};

UNIT_GROUP(tests);
