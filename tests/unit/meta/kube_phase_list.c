/* SPDX-License-Identifier: MIT */
/* Lists: pages, versions, what is missing in them, nonsense; and kubelet's. */
#include "reflected.h"
#include "unit.h"

#define PATH "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&limit=100"
#define PODS "[" POD("a", "u-a", "3") "," POD("b", "u-b", "4") "]"

/* A server that offers no streaming list. */
static void start(struct reflected *reflected)
{
	reflected_start(reflected, "n1");
	reflected_ask(reflected);
	reflected_answer(reflected, 400, "", 0);
	assert_int_equal(reflected_wait_ms(reflected), 0);
}

static void test_one_page(void **state)
{
	struct reflected reflected;

	start(&reflected);
	/* Any state will do at first. */
	assert_string_equal(reflected_ask(&reflected), PATH "&resourceVersion=0");
	assert_false(reflected.request.is_stream);
	assert_true(reflected_answer(&reflected, 200, LIST(VERSION("7"), PODS), 0));
	reflected_expect(&reflected, "+a@n1=u-a +b@n1=u-b ");
	assert_int_equal(reflected.counts[META_KUBE_PODS], 2);
	assert_non_null(strstr(reflected_ask(&reflected), "&watch=1&"));
	assert_non_null(strstr(reflected.request.path, "&resourceVersion=7"));
	reflected_finish(&reflected);
}

static void test_pages(void **state)
{
	struct reflected reflected;

	start(&reflected);
	reflected_ask(&reflected);
	reflected_answer(
		&reflected, 200,
		LIST(VERSION("7") ",\"continue\":\"a/b=+ \"", "[" POD("a", "u-a", "3") "]"), 0);
	/* Pods are passed on at once. */
	reflected_expect(&reflected, "+a@n1=u-a ");
	assert_string_equal(reflected_ask(&reflected), PATH "&continue=a%2Fb%3D%2B%20");
	reflected_answer(&reflected, 200, LIST(VERSION("7"), "[" POD("b", "u-b", "3") "]"), 0);
	reflected_expect(&reflected, "+b@n1=u-b ");
	assert_non_null(strstr(reflected_ask(&reflected), "&watch=1&"));
	reflected_finish(&reflected);
}

static void test_expired_page(void **state)
{
	struct reflected reflected;

	start(&reflected);
	reflected_ask(&reflected);
	reflected_answer(&reflected, 200, LIST(VERSION("7") ",\"continue\":\"x\"", PODS), 0);
	reflected_ask(&reflected);
	reflected_answer(&reflected, 410, STATUS("410", ""), 0);
	assert_int_equal(reflected.counts[META_KUBE_EXPIRED], 1);
	/* From the beginning, of the newest state. */
	assert_string_equal(reflected_ask(&reflected), PATH);
	reflected_finish(&reflected);
}

/* After a watch whose version expired. */
static void test_list_again(void **state)
{
	struct reflected reflected;

	start(&reflected);
	reflected_ask(&reflected);
	reflected_answer(&reflected, 200, LIST(VERSION("7"), PODS), 0);
	reflected_expect(&reflected, "+a@n1=u-a +b@n1=u-b ");
	reflected_ask(&reflected);
	reflected_answer(&reflected, 410, STATUS("410", ""), 0);
	assert_string_equal(reflected_ask(&reflected),
			    PATH "&resourceVersion=7&resourceVersionMatch=NotOlderThan");
	reflected_answer(&reflected, 504, STATUS("504", ""), 0);
	assert_string_equal(reflected_ask(&reflected), PATH);
	/* What has not changed is not passed on; what is missing is gone. */
	reflected_answer(&reflected, 200,
			 LIST(VERSION("9"), "[" POD("c", "u-c", "8") "," POD("a", "u-a", "3") "]"),
			 0);
	reflected_expect(&reflected, "+c@n1=u-c -u-b ");
	assert_int_equal(reflected.counts[META_KUBE_PODS], 2);
	reflected_finish(&reflected);
}

/* A list that fails half-way removes nothing. */
static void test_failures_remove_nothing(void **state)
{
	static const char *const bodies[] = {
		"",
		"{",
		"[]",
		"{\"kind\":\"Status\"}",
		LIST("", PODS), /* without a version */
		LIST(VERSION("0"), "[]"),
		LIST(VERSION("9"), "[{\"metadata\":{}}]"),
		LIST(VERSION("9"), "[1]"),
		"{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"uid\":\"u\"}",
	};
	struct reflected reflected;

	start(&reflected);
	reflected_ask(&reflected);
	reflected_answer(&reflected, 200, LIST(VERSION("7"), PODS), 0);
	reflected_expect(&reflected, "+a@n1=u-a +b@n1=u-b ");
	reflected_ask(&reflected);
	reflected_answer(&reflected, 410, "", 0);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		reflected_ask(&reflected);
		assert_false(reflected.request.is_stream);
		reflected_answer(&reflected, 200, bodies[i], 0);
		assert_int_equal(reflected.counts[META_KUBE_NONSENSE], i + 1);
		assert_true(reflected_wait_ms(&reflected) > 700);
	}
	reflected_expect(&reflected, "");
	/* An empty one removes all. Go writes null for it. */
	reflected_ask(&reflected);
	reflected_answer(&reflected, 200, LIST(VERSION("9"), "null"), 0);
	assert_int_equal(reflected.counts[META_KUBE_PODS], 0);
	reflected_finish(&reflected);
}

static void test_other_nodes_are_left_out(void **state)
{
	struct reflected reflected;

	start(&reflected);
	reflected_ask(&reflected);
	reflected_answer(
		&reflected, 200,
		LIST(VERSION("7"), "[" POD_OF("a", "u-a", "3", "n2") "," POD("b", "u-b", "4") "]"),
		0);
	reflected_expect(&reflected, "+b@n1=u-b ");
	assert_int_equal(reflected.counts[META_KUBE_PODS_REJECTED], 1);
	reflected_finish(&reflected);
}

static void test_pages_get_shorter(void **state)
{
	static char body[REFLECTOR_BODY_MAX + 2];
	struct reflected reflected;

	memset(body, ' ', sizeof(body) - 1);
	start(&reflected);
	reflected_ask(&reflected);
	assert_false(reflected_answer(&reflected, 200, body, 0));
	assert_int_equal(reflected.counts[META_KUBE_TOO_LONG], 1);
	/* Without a version, for which the server may ignore the limit. */
	assert_string_equal(strstr(reflected_ask(&reflected), "&limit="), "&limit=50");
	for (int i = 0; i < 10; i++) {
		reflected_answer(&reflected, 200, "[", 0);
		reflected_ask(&reflected);
	}
	assert_string_equal(strstr(reflected.request.path, "&limit="), "&limit=1");
	reflected_finish(&reflected);
}

static void test_kubelet(void **state)
{
	struct reflected reflected;

	reflected_start(&reflected, NULL);
	assert_string_equal(reflected_ask(&reflected), "/pods");
	reflected_answer(&reflected, 200, LIST("", PODS), 0);
	reflected_expect(&reflected, "+a@n1=u-a +b@n1=u-b ");
	assert_in_range(reflected_wait_ms(&reflected), 20000, 30000);
	assert_string_equal(reflected_ask(&reflected), "/pods");
	reflected_answer(&reflected, 200, LIST("", "[" POD("b", "u-b", "4") "]"), 0);
	reflected_expect(&reflected, "-u-a ");
	/* Earlier if a container appears, but not at once. */
	reflector_hurry(&reflected.reflector);
	assert_in_range(reflected_wait_ms(&reflected), 1999, 2000);
	reflected_ask(&reflected);
	reflected_answer(&reflected, 401, "", 0);
	assert_in_range(reflected_wait_ms(&reflected), 799, 1600);
	reflected_finish(&reflected);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_page),
	cmocka_unit_test(test_pages),
	cmocka_unit_test(test_expired_page),
	cmocka_unit_test(test_list_again),
	cmocka_unit_test(test_failures_remove_nothing),
	cmocka_unit_test(test_other_nodes_are_left_out),
	cmocka_unit_test(test_pages_get_shorter),
	cmocka_unit_test(test_kubelet),
};

UNIT_GROUP(tests);
