/* SPDX-License-Identifier: MIT */
/* Several captures: who gets what, and a reload. */
#include "agent/record/captures.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/targets/kinds.h"
#include "sinsp/state/engine.h"
#include "tree.h"

#include "frame.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)

static struct tree tree;
static struct state *engine;
static struct captures captures;
static struct error err;
static uint64_t clock_s;

static int setup(void **state)
{
	tree_create(&tree);
	clock_s = 1000;
	return state_create(&(struct state_config){0}, &engine, &err);
}

static int teardown(void **state)
{
	captures_finish(&captures);
	state_destroy(engine);
	tree_destroy(&tree);
	return 0;
}

static int add(struct captures *to, const char *name, const char *keys)
{
	struct output_config *config;
	struct capture *capture;
	struct filter *filter = NULL;
	char path[TREE_PATH_BYTES], text[TREE_PATH_BYTES * 2];

	tree_path(&tree, name, path);
	snprintf(text, sizeof(text), "scap:%s,redact=no%s", path, keys);
	assert_int_equal(output_config_read(output_kinds, text, &config, &err), 0);
	if (config->filter)
		assert_int_equal(filter_create(config->filter, NULL, &filter, NULL), 0);
	assert_int_equal(capture_create(config, filter, &capture, &err), 0);
	return captures_add(to, capture, &err);
}

static void put(uint16_t id)
{
	static struct frame frame;
	struct state_event event;
	struct scap_event raw;
	struct record_tee tee;

	frame_begin(&frame, id, clock_s++ * SECOND, 7);
	raw = frame_end(&frame);
	if (captures_are_due(&captures, &raw))
		captures_turn(&captures, &raw);
	assert_int_equal(state_process(engine, &raw, &event), 0);
	record_tee_init(&tee);
	captures_changes(&captures, &event, true, &tee);
	assert_int_equal(tee.count, captures.count);
	captures_event(&captures, &raw, id, tee.codes);
}

static uint64_t formatted(const struct capture *capture)
{
	struct output_account account;

	capture_account(capture, &account);
	return account.formatted;
}

static void test_filters(void **state)
{
	struct buf text = {0};

	assert_true(captures_have_filters(&captures));
	add(&captures, "a", ",filter=evt.type=close");
	add(&captures, "b", ",filter=proc.name=cat");
	assert_true(captures_have_filters(&captures));
	captures_append_filters(&captures, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "(evt.type=close) or (proc.name=cat)");
	buf_finish(&text);
	assert_true(captures_needs(&captures) & NEEDS_THREADS);
	add(&captures, "c", "");
	assert_false(captures_have_filters(&captures));
}

static void test_events(void **state)
{
	add(&captures, "a", ",filter=evt.type=close");
	add(&captures, "b", "");
	assert_int_equal(captures_open(&captures, engine, NULL, NULL, &err), 0);
	put(EVENT_close);
	put(EVENT_dup);
	assert_int_equal(formatted(captures.list[0]), 1);
	assert_int_equal(formatted(captures.list[1]), 2);
}

/* Without events they begin, too, each once. */
static void test_idle(void **state)
{
	struct record_tee tee;

	add(&captures, "a", "");
	assert_int_equal(captures_open(&captures, engine, NULL, NULL, &err), 0);
	record_tee_init(&tee);
	captures_changes_alone(&captures, &tee);
	assert_null(tee.to[0]);
	assert_true(captures_are_due(&captures, NULL));
	captures_turn(&captures, NULL);
	assert_false(captures_are_due(&captures, NULL));
	record_tee_init(&tee);
	captures_changes_alone(&captures, &tee);
	assert_non_null(tee.to[0]);
}

static void test_one_file(void **state)
{
	assert_int_equal(add(&captures, "a", ""), 0);
	assert_int_equal(add(&captures, "a", ",keep=2"), -EINVAL);
	assert_non_null(strstr(err.text, "two outputs write "));
	assert_int_equal(captures.count, 1);
}

static void test_many(void **state)
{
	char name[16];

	for (int i = 0; i < CAPTURES_MAX; i++) {
		snprintf(name, sizeof(name), "a%d", i);
		assert_int_equal(add(&captures, name, ""), 0);
	}
	assert_int_equal(add(&captures, "b", ""), -EINVAL);
}

static void test_change(void **state)
{
	struct captures next = {0};
	struct buf ended = {0};
	char path[TREE_PATH_BYTES];

	add(&captures, "a", "");
	add(&captures, "b", ",keep=2");
	add(&captures, "c", "");
	assert_int_equal(captures_open(&captures, engine, NULL, NULL, &err), 0);
	put(EVENT_close);
	add(&next, "d", "");
	add(&next, "b", ",keep=3");
	add(&next, "a", "");
	assert_int_equal(captures_prepare(&captures, &next, &err), 0);
	captures_replace(&captures, &next, &ended);
	buf_append_char(&ended, '\0');
	assert_non_null(strstr(ended.data, "/b: ended by a reload\n"));
	assert_non_null(strstr(ended.data, "/c: formatted 1 = delivered 1 + dropped 0\n"));
	assert_null(strstr(ended.data, "/a: "));
	buf_finish(&ended);
	assert_int_equal(next.count, 3);
	captures_finish(&next);
	assert_int_equal(captures.count, 3);
	put(EVENT_close);
	assert_int_equal(formatted(captures.list[0]), 1);
	assert_int_equal(formatted(captures.list[1]), 1);
	/* It goes on. */
	assert_int_equal(formatted(captures.list[2]), 2);
	tree_path(&tree, "c", path);
	assert_int_equal(access(path, F_OK), 0);
}

static void test_change_fails(void **state)
{
	struct captures next = {0};
	char path[TREE_PATH_BYTES];

	add(&captures, "a", "");
	assert_int_equal(captures_open(&captures, engine, NULL, NULL, &err), 0);
	put(EVENT_close);
	add(&next, "b", "");
	add(&next, "a/c", "");
	assert_int_equal(captures_prepare(&captures, &next, &err), -ENOTDIR);
	captures_finish(&next);
	put(EVENT_close);
	assert_int_equal(formatted(captures.list[0]), 2);
	tree_path(&tree, "b", path);
	assert_int_equal(access(path, F_OK), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_filters), TEST(test_events), TEST(test_idle),		TEST(test_one_file),
	TEST(test_many),    TEST(test_change), TEST(test_change_fails),
};

UNIT_GROUP(tests);
