/* SPDX-License-Identifier: MIT */
/* An output that is a recording: what it counts, its files, and how it goes on after a failure. */
#include "agent/record/captures.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "output/targets/rotated.h"
#include "output/targets/kinds.h"
#include "patience.h"
#include "sinsp/state/engine.h"
#include "tree.h"
#include "unit.h"
#include "util/clock.h"

#include "frame.h"

#define SECOND UINT64_C(1000000000)

enum { KIB = 1024 };

static struct tree tree;
static char path[TREE_PATH_BYTES];
static struct state *engine;
static struct capture *capture;
static struct error err;
static uint64_t clock_s;

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "a.scap", path);
	clock_s = 1000;
	return state_create(&(struct state_config){0}, &engine, &err);
}

static int teardown(void **state)
{
	capture_destroy(capture);
	capture = NULL;
	state_destroy(engine);
	tree_destroy(&tree);
	return 0;
}

static void start(const char *keys)
{
	struct output_config *config;
	struct filter *filter = NULL;
	char text[TREE_PATH_BYTES * 2];

	snprintf(text, sizeof(text), "scap:%s,redact=no%s", path, keys);
	assert_int_equal(output_config_read(output_kinds, text, &config, &err), 0);
	if (config->filter)
		assert_int_equal(filter_create(config->filter, NULL, &filter, NULL), 0);
	assert_int_equal(capture_create(config, filter, &capture, &err), 0);
	if (capture_open(capture, engine, NULL, NULL, &err))
		fail_msg("%s", err.text);
}

static void put(uint16_t id)
{
	static struct frame frame;
	struct state_event event;
	struct scap_event raw;

	frame_begin(&frame, id, clock_s++ * SECOND, 7);
	raw = frame_end(&frame);
	if (capture_is_due(capture, &raw))
		capture_turn(capture, &raw);
	assert_int_equal(state_process(engine, &raw, &event), 0);
	capture_changes(capture, &event, true);
	capture_event(capture, &raw, id, 0);
}

static struct output_account account(void)
{
	struct output_account account;

	capture_account(capture, &account);
	assert_int_equal(account.formatted,
			 account.delivered + account.queued + output_account_dropped(&account));
	return account;
}

static size_t count_files(void)
{
	struct rotated_list list;
	size_t count;

	assert_int_equal(rotated_list_read(path, &list), 0);
	count = list.count;
	rotated_list_finish(&list);
	return count + (access(path, F_OK) == 0);
}

static void step(uint64_t now_ns, const char *said)
{
	struct buf messages = {0};

	capture_step(capture, now_ns, true, &messages);
	buf_append_char(&messages, '\0');
	if (said)
		assert_non_null(strstr(messages.data, said));
	else
		assert_string_equal(messages.data, "");
	buf_finish(&messages);
}

static void test_filter(void **state)
{
	start(",filter=evt.type=close");
	assert_true(capture_waits_to_begin(capture));
	put(EVENT_close);
	assert_false(capture_waits_to_begin(capture));
	put(EVENT_dup);
	put(EVENT_close);
	assert_int_equal(account().formatted, 2);
	assert_int_equal(account().queued, 2);
	step(clock_ns(CLOCK_MONOTONIC), NULL);
	assert_int_equal(account().queued, 0);
	assert_int_equal(account().delivered, 2);
	capture_close(capture);
	assert_int_equal(account().delivered, 2);
	assert_true(account().delivered_bytes > 0);
}

/* Hidden events of the state are none that were asked for. */
static void test_fat(void **state)
{
	start(",fatfile,filter=evt.type=read");
	put(EVENT_close);
	put(EVENT_read);
	capture_close(capture);
	assert_int_equal(account().formatted, 1);
	assert_int_equal(account().delivered, 1);
}

static void test_form(void **state)
{
	uint16_t id = 0;

	/* An extension event that is of no system call. */
	for (unsigned int i = EVENT_EXTENSION_FIRST; i < EVENT_ID_MAX && !id; i++)
		if (event_desc_get(i) && !(event_desc_get(i)->category & EC_SYSCALL))
			id = (uint16_t)i;
	assert_int_not_equal(id, 0);
	start("");
	put(id);
	put(EVENT_close);
	capture_close(capture);
	assert_int_equal(account().formatted, 1);
	assert_int_equal(account().delivered, 1);
	assert_int_equal(account().dropped[GAP_FORM], 1);
}

/* Not more files than keep= and the one that is written. */
static void test_ring(void **state)
{
	start(",rotate-age=10s,keep=2");
	for (int i = 0; i < 100; i++)
		put(EVENT_close);
	assert_true(account().batches >= 9);
	assert_true(waited_until(count_files() <= 3));
	assert_int_equal(count_files(), 3);
	capture_close(capture);
	assert_int_equal(account().delivered, 100);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* What cannot be written is counted, all of it; later another file is begun. */
static void test_failure(void **state)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t lost;

	start("");
	put(EVENT_close);
	step(now, NULL);
	limit_files(16 * KIB);
	for (int i = 0; i < 10000; i++)
		put(EVENT_close);
	step(now + SECOND * 2, "File too large");
	limit_files(RLIM_INFINITY);
	put(EVENT_close);
	assert_true(account().is_failing);
	assert_int_equal(account().failures, 1);
	assert_int_equal(account().queued, 0);
	lost = account().dropped[GAP_CAPTURE_IO];
	assert_true(lost > 1 && lost <= 10001);
	/* Said once. */
	step(now + SECOND * 3, NULL);
	step(now + SECOND * 30, NULL);
	put(EVENT_close);
	step(now + SECOND * 31, "delivers again");
	assert_false(account().is_failing);
	capture_close(capture);
	assert_int_equal(account().formatted, 10003);
	assert_int_equal(account().delivered, 10003 - lost);
	assert_int_equal(count_files(), 2);
}

/* Tries that have nothing to show for leave no files, which would cost older ones. */
static void test_failures_leave_nothing(void **state)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	start("");
	put(EVENT_close);
	step(now, NULL);
	limit_files(KIB / 8);
	for (uint64_t i = 1; i < 20; i++) {
		struct buf messages = {0};

		put(EVENT_close);
		capture_step(capture, now + i * 30 * SECOND, true, &messages);
		buf_finish(&messages);
	}
	limit_files(RLIM_INFINITY);
	assert_true(count_files() <= 2);
	capture_close(capture);
}

static void test_reopen(void **state)
{
	char other[TREE_PATH_BYTES];

	tree_path(&tree, "other", other);
	start("");
	put(EVENT_close);
	capture_reopen(capture);
	assert_int_equal(account().batches, 1);
	assert_int_equal(rename(path, other), 0);
	capture_reopen(capture);
	put(EVENT_close);
	capture_close(capture);
	assert_int_equal(account().delivered, 2);
	assert_int_equal(access(path, F_OK) | access(other, F_OK), 0);
}

/* A reload that fails leaves no empty file. */
static void test_never_begun(void **state)
{
	start("");
	assert_int_equal(access(path, F_OK), 0);
	capture_destroy(capture);
	capture = NULL;
	assert_int_equal(access(path, F_OK), -1);
	start("");
	capture_close(capture);
	assert_int_equal(access(path, F_OK), 0);
}

static void test_no_folder(void **state)
{
	struct output_config *config;

	assert_int_equal(
		output_config_read(output_kinds, "scap:/dev/null/x/a,redact=no", &config, &err), 0);
	assert_int_equal(capture_create(config, NULL, &capture, &err), 0);
	assert_int_equal(capture_open(capture, engine, NULL, NULL, &err), -ENOTDIR);
	assert_non_null(strstr(err.text, "cannot make the folder /dev/null/x, for /dev/null/x/a"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_filter), TEST(test_fat),	   TEST(test_form),
	TEST(test_ring),   TEST(test_failure),	   TEST(test_failures_leave_nothing),
	TEST(test_reopen), TEST(test_never_begun), TEST(test_no_folder),
};

UNIT_GROUP(tests);
