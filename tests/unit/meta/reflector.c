/* SPDX-License-Identifier: MIT */
/* How requests end, when the next one is made, and how many there are at most. */
#include <stdlib.h>

#include "reflected.h"
#include "unit.h"

enum { HOUR_S = 3600, HOURS = 5, API_MAX = 200, KUBELET_MAX = 366 };

#define LISTED LIST(VERSION("5"), "[" POD("a", "u-a", "3") "]")

/* A reflector in the phase of watches, which has the pod "a" of version 5. */
static void start_watching(struct reflected *reflected)
{
	reflected_start(reflected, "n1");
	reflected_ask(reflected);
	reflected_answer(reflected, 422, STATUS("422", ""), 0);
	reflected_ask(reflected);
	assert_true(reflected_answer(reflected, 200, LISTED, 0));
	reflected_expect(reflected, "+a@n1=u-a ");
}

static void test_start_is_random(void **state)
{
	struct reflected reflected;

	reflected_start(&reflected, "n1");
	assert_in_range(reflected_wait_ms(&reflected), 1, 1000);
	reflected_finish(&reflected);
}

static void test_failures_back_off(void **state)
{
	static const unsigned int least_ms[] = {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};
	struct reflected reflected;

	start_watching(&reflected);
	for (size_t i = 0; i < sizeof(least_ms) / sizeof(least_ms[0]); i++) {
		reflected_ask(&reflected);
		reflected_end(&reflected, META_KUBE_UNREACHABLE, 0);
		assert_in_range(reflected_wait_ms(&reflected), least_ms[i] - 1, least_ms[i] * 2);
	}
	assert_int_equal(reflected.counts[META_KUBE_UNREACHABLE], 8);
	assert_string_equal(reflected.failure, "no connection");
	/* A failure that was long ago does not count. */
	reflected_ask(&reflected);
	reflected_send(&reflected, EVENT("MODIFIED", POD("a", "u-a", "6")));
	reflected_end(&reflected, META_COUNTERS, 300);
	reflected_ask(&reflected);
	reflected_end(&reflected, META_KUBE_CUT, 0);
	assert_in_range(reflected_wait_ms(&reflected), 799, 1600);
	reflected_finish(&reflected);
}

static void test_statuses(void **state)
{
	static const struct {
		long status;
		enum meta_counter counter;
		unsigned int least_ms, most_ms;
	} rows[] = {
		{401, META_KUBE_UNAUTHORIZED, 799, 1600}, {403, META_KUBE_FORBIDDEN, 60000, 75000},
		{404, META_KUBE_STATUS, 60000, 75000},	  {410, META_KUBE_EXPIRED, 799, 1600},
		{429, META_KUBE_THROTTLED, 799, 1600},	  {500, META_KUBE_STATUS, 799, 1600},
		{302, META_KUBE_STATUS, 799, 1600},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reflected reflected;

		start_watching(&reflected);
		reflected_ask(&reflected);
		reflected_answer(&reflected, rows[i].status, STATUS("1", ""), 0);
		assert_int_equal(reflected.counts[rows[i].counter], 1);
		assert_non_null(strstr(reflected.failure, ": why not"));
		assert_in_range(reflected_wait_ms(&reflected), rows[i].least_ms, rows[i].most_ms);
		reflected_finish(&reflected);
	}
}

static void test_retry_after(void **state)
{
	struct reflector_end end = {429, 20, META_COUNTERS, NULL};
	struct reflected reflected;

	start_watching(&reflected);
	reflected_ask(&reflected);
	reflector_end(&reflected.reflector, reflected.now_ns, &end);
	assert_in_range(reflected_wait_ms(&reflected), 20000, 25000);
	/* What no server needs is cut. */
	end.retry_after_s = UINT32_MAX;
	reflected_ask(&reflected);
	reflector_end(&reflected.reflector, reflected.now_ns, &end);
	assert_in_range(reflected_wait_ms(&reflected), 600000, 750000);
	reflected_finish(&reflected);
}

static void test_messages_are_plain(void **state)
{
	struct reflected reflected;

	start_watching(&reflected);
	reflected_ask(&reflected);
	reflected_answer(&reflected, 500, "{\"message\":\"a\\u001b[31mb\\nc\"}", 0);
	assert_string_equal(reflected.failure, "status 500: a.[31mb.c");
	reflected_ask(&reflected);
	reflected_answer(&reflected, 502, "<html>no JSON</html>", 0);
	assert_string_equal(reflected.failure, "status 502");
	reflected_finish(&reflected);
}

static void test_short_stream_is_a_failure(void **state)
{
	struct reflected reflected;

	start_watching(&reflected);
	reflected_ask(&reflected);
	reflected_end(&reflected, META_COUNTERS, 0);
	assert_int_equal(reflected.counts[META_KUBE_CUT], 1);
	assert_in_range(reflected_wait_ms(&reflected), 799, 1600);
	/* Not if it had an event, or lasted longer. */
	reflected_ask(&reflected);
	reflected_send(&reflected, EVENT("MODIFIED", POD("a", "u-a", "6")));
	reflected_end(&reflected, META_COUNTERS, 0);
	reflected_ask(&reflected);
	reflected_end(&reflected, META_COUNTERS, 1);
	assert_int_equal(reflected.counts[META_KUBE_CUT], 1);
	assert_int_equal(reflected_wait_ms(&reflected), 0);
	reflected_finish(&reflected);
}

static void test_sizes_are_bounded(void **state)
{
	size_t len = REFLECTOR_BODY_MAX / 4;
	char *bytes = malloc(len);
	struct reflected reflected;

	assert_non_null(bytes);
	memset(bytes, ' ', len);
	reflected_start(&reflected, NULL);
	reflected_ask(&reflected);
	for (int i = 0; i < 4; i++)
		assert_true(reflector_take(&reflected.reflector, 200, bytes, len));
	assert_false(reflector_take(&reflected.reflector, 200, bytes, 1));
	reflected_end(&reflected, META_COUNTERS, 0);
	assert_int_equal(reflected.counts[META_KUBE_TOO_LONG], 1);
	/* Of a rejection only the beginning is wanted. */
	reflected_ask(&reflected);
	assert_true(reflector_take(&reflected.reflector, 500, bytes, 16 * 1024));
	assert_false(reflector_take(&reflected.reflector, 500, bytes, 1));
	assert_int_equal(reflected.reflector.body.len, 16 * 1024);
	reflected_answer(&reflected, 500, "", 0);
	assert_int_equal(reflected.counts[META_KUBE_STATUS], 1);
	assert_int_equal(reflected.reflector.body.len, 0);
	reflected_finish(&reflected);
	free(bytes);
}

/* However a server answers: these are tried by turns, or by chance. */
static void answer_badly(struct reflected *reflected, int how)
{
	static const struct {
		long status;
		const char *body;
		unsigned int seconds;
	} answers[] = {
		{200, "", 0},
		{200, "", 2},
		{200, EVENT("ADDED", POD("a", "u-a", "6")), 0},
		{200, LISTED, 0},
		{200, LIST(VERSION("5") ",\"continue\":\"x\"", "[]"), 0},
		{200, LIST_END("8"), 0},
		{200, EVENT("ERROR", STATUS("410", "")), 0},
		{410, STATUS("410", ""), 0},
		{422, "", 0},
		{401, "", 0},
		{429, "", 0},
		{500, "", 0},
		{200, "nonsense\n", 0},
		{200, BOOKMARK("9", ""), 0},
	};

	how %= sizeof(answers) / sizeof(answers[0]);
	reflected_answer(reflected, answers[how].status, answers[how].body, answers[how].seconds);
}

static void count_requests(const char *node, int kind, unsigned int most)
{
	unsigned int requests = 0, hour = 0;
	struct reflected reflected;
	uint64_t start;

	reflected_start(&reflected, node);
	start = reflected.now_ns;
	while (hour < HOURS) {
		reflector_hurry(&reflected.reflector);
		reflected_ask(&reflected);
		if ((reflected.now_ns - start) / SECOND / HOUR_S > hour) {
			assert_in_range(requests, 1, most);
			requests = 0;
			hour++;
		}
		requests++;
		answer_badly(&reflected, kind >= 0 ? kind : rand());
	}
	reflected_finish(&reflected);
}

static void test_requests_are_bounded(void **state)
{
	srand(1);
	for (int kind = -3; kind < 14; kind++) {
		count_requests("n1", kind, API_MAX);
		count_requests(NULL, kind, KUBELET_MAX);
	}
}

#define SERVICE(name, uid, version, address)                                                       \
	"{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"shop\",\"uid\":\"" uid               \
	"\",\"resourceVersion\":\"" version "\"},\"spec\":{\"clusterIP\":\"" address               \
	"\",\"ports\":[{\"port\":80}]}}"
#define SERVICES(metadata, items)                                                                  \
	"{\"kind\":\"ServiceList\",\"metadata\":{" metadata "},\"items\":" items "}"

/* Of all of the cluster: listed, and watched from there on. */
static void test_services(void **state)
{
	struct reflected reflected;

	reflected_start_kind(&reflected, &reflector_services);
	assert_ptr_equal(strstr(reflected_ask(&reflected), "/api/v1/services?&watch=1&"),
			 reflected.request.path);
	reflected_answer(&reflected, 422, STATUS("422", ""), 0);
	assert_ptr_equal(strstr(reflected_ask(&reflected), "/api/v1/services?&limit=100&"),
			 reflected.request.path);
	assert_true(reflected_answer(
		&reflected, 200,
		SERVICES(VERSION("5"), "[" SERVICE("a", "u-a", "3", "10.0.0.1") "," SERVICE(
					       "b", "u-b", "4", "None") "]"),
		0));
	reflected_expect(&reflected, "+shop/a:1 +shop/b:0 ");
	assert_int_equal(reflected.counts[META_KUBE_SERVICES], 2);
	assert_int_equal(reflected.counts[META_KUBE_PODS], 0);
	assert_non_null(strstr(reflected_ask(&reflected), "&resourceVersion=5"));
	/* What does not change is not passed on. */
	reflected_send(&reflected, EVENT("MODIFIED", SERVICE("a", "u-a", "6", "10.0.0.1")));
	reflected_send(&reflected, EVENT("MODIFIED", SERVICE("b", "u-b", "7", "10.0.0.2")));
	reflected_send(&reflected, EVENT("DELETED", SERVICE("a", "u-a", "8", "10.0.0.1")));
	reflected_expect(&reflected, "+shop/b:1 -u-a ");
	assert_int_equal(reflected.counts[META_KUBE_SERVICES], 1);
	reflected_end(&reflected, META_COUNTERS, 300);
	reflected_finish(&reflected);
}

static void test_lists_of_others(void **state)
{
	struct reflected reflected;

	reflected_start_kind(&reflected, &reflector_slices);
	assert_ptr_equal(strstr(reflected_ask(&reflected),
				"/apis/discovery.k8s.io/v1/endpointslices?&watch=1&"),
			 reflected.request.path);
	reflected_answer(&reflected, 422, STATUS("422", ""), 0);
	reflected_ask(&reflected);
	reflected_answer(&reflected, 200, SERVICES(VERSION("5"), "[]"), 0);
	assert_string_equal(reflected.failure, "the answer is no list of endpointslices");
	assert_int_equal(reflected.counts[META_KUBE_NONSENSE], 1);
	reflected_finish(&reflected);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_services),	   cmocka_unit_test(test_lists_of_others),
	cmocka_unit_test(test_start_is_random),	   cmocka_unit_test(test_failures_back_off),
	cmocka_unit_test(test_statuses),	   cmocka_unit_test(test_retry_after),
	cmocka_unit_test(test_messages_are_plain), cmocka_unit_test(test_short_stream_is_a_failure),
	cmocka_unit_test(test_sizes_are_bounded),  cmocka_unit_test(test_requests_are_bounded),
};

UNIT_GROUP(tests);
