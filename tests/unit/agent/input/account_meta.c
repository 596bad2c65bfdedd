/* SPDX-License-Identifier: MIT */
/* The account of descriptions, of counters made by hand. */
#include <string.h>

#include "agent/input/account.h"
#include "unit.h"

static struct buf text;

static int teardown(void **state)
{
	buf_finish(&text);
	text = (struct buf){0};
	return 0;
}

static void expect(const char *expected)
{
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, expected);
	buf_clear(&text);
}

static void test_work(void **state)
{
	static const struct meta_stats all = {{[META_REQUESTS] = 7,
					       [META_DESCRIBED] = 4,
					       [META_MISSING] = 3,
					       [META_RUNTIME_STREAMS] = 8,
					       [META_KUBE_PODS] = 2,
					       [META_KUBE_REQUESTS] = 1},
					      {[0] = 1, [3] = 2, [10] = 1}};
	static const struct meta_stats pods = {.counts = {[META_KUBE_REQUESTS] = 5}};

	account_meta_append_work(&all, &text);
	expect("agent: containers: looked for 7, found 4, without data 3\n"
	       "agent: runtimes: streams of events 8, lists 0, events 0, look-ups after them 0\n"
	       "agent: pods: known 2, changes 0, requests to Kubernetes 1\n"
	       "agent: containers: half of them found within 0.008 ms, all within 1.024 ms\n");
	account_meta_append_work(&pods, &text);
	expect("agent: pods: known 0, changes 0, requests to Kubernetes 5\n");
	account_meta_append_work(&(struct meta_stats){0}, &text);
	expect("");
}

static void test_troubles(void **state)
{
	static const struct account_containers containers = {
		.meta = {{[META_MISSING] = 3, [META_USERS_REJECTED] = 12, [META_KUBE_EXPIRED] = 2}},
		.late = 5,
		.full = 6};

	account_meta_append_troubles(&containers, &text);
	buf_append_char(&text, '\0');
	assert_non_null(
		strstr(text.data, "agent: 12 times that users of containers were not read"));
	assert_non_null(strstr(text.data, "agent: 3 containers without data"));
	assert_non_null(strstr(text.data, "agent: 2 times that changes of pods were missed"));
	assert_non_null(
		strstr(text.data, "agent: 5 new containers whose data was not there in time"));
	assert_non_null(strstr(text.data, "agent: 6 new containers whose data was not waited for"));
	buf_clear(&text);
	account_meta_append_troubles(&(struct account_containers){0}, &text);
	expect("");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_work, teardown),
	cmocka_unit_test_teardown(test_troubles, teardown),
};

UNIT_GROUP(tests);
