/* SPDX-License-Identifier: MIT */
/* Descriptions of Services and EndpointSlices from JSON. */
#include "meta/service_json.h"

#include <stdio.h>
#include <string.h>

#include "event/address.h"
#include "unit.h"
#include "util/buf.h"

typedef struct state_service_info *describe_json(const json_t *object, const char *uid);

/* "ns/name" and each place: "address:port/protocol=pod@node". */
static void expect(describe_json *describe, const char *text, const char *expected)
{
	json_t *object = json_loads(text, 0, NULL);
	struct state_service_info *info, *again;
	struct buf out = {0};

	assert_non_null(object);
	info = describe(object, "u-1");
	again = describe(object, "u-1");
	assert_non_null(info);
	assert_string_equal(info->uid, "u-1");
	buf_printf(&out, "%s/%s", info->ns ? info->ns : "-", info->name ? info->name : "-");
	for (uint32_t i = 0; i < info->count; i++) {
		const struct state_place *place = &info->places[i];

		buf_append_char(&out, ' ');
		if (place->address_len)
			address_append_ip(&out, place->end.address, place->address_len);
		buf_printf(&out, ":%u/%u", place->end.port, place->l4);
		if (place->pod)
			buf_printf(&out, "=%s@%s", place->pod->name,
				   place->pod->node ? place->pod->node : "-");
	}
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	assert_int_equal(service_json_digest(info), service_json_digest(again));
	buf_finish(&out);
	state_service_info_destroy(info);
	state_service_info_destroy(again);
	json_decref(object);
}

#define NAMED "\"metadata\": {\"name\": \"web\", \"namespace\": \"shop\"}"
#define PORTS "\"ports\": [{\"port\": 80}, {\"port\": 53, \"protocol\": \"UDP\"}]"

static void test_services(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"{" NAMED ", \"spec\": {\"clusterIP\": \"10.96.0.1\", " PORTS "}}",
		 "shop/web 10.96.0.1:80/1 10.96.0.1:53/2"},
		{"{" NAMED ", \"spec\": {\"clusterIP\": \"10.96.0.1\","
		 " \"clusterIPs\": [\"10.96.0.1\", \"fd00::1\"], \"ports\": [{\"port\": 80}]}}",
		 "shop/web 10.96.0.1:80/1 fd00::1:80/1"},
		{"{" NAMED
		 ", \"spec\": {\"clusterIP\": \"None\", \"clusterIPs\": [\"None\"], " PORTS "}}",
		 "shop/web"},
		{"{" NAMED
		 ", \"spec\": {\"clusterIPs\": [\"10.96.0.1\"], \"externalIPs\": [\"1.2.3.4\"],"
		 " \"ports\": [{\"port\": 80, \"nodePort\": 30080}]},"
		 " \"status\": {\"loadBalancer\": {\"ingress\": [{\"ip\": \"5.6.7.8\"},"
		 " {\"hostname\": \"x.example\"}]}}}",
		 "shop/web 10.96.0.1:80/1 1.2.3.4:80/1 5.6.7.8:80/1"},
		{"{" NAMED ", \"spec\": {\"clusterIPs\": [\"10.96.0.1\"], \"ports\": ["
		 "{\"port\": 70000}, {\"port\": -1}, {\"port\": \"80\"}, {},"
		 " {\"port\": 9, \"protocol\": \"SCTP\"}]}}",
		 "shop/web"},
		{"{" NAMED
		 ", \"spec\": {\"clusterIPs\": [1, null, \"x\"], \"ports\": [{\"port\": 1}]}}",
		 "shop/web"},
		{"{}", "-/-"},
		{"[]", "-/-"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(service_json_describe, cases[i].text, cases[i].expected);
}

#define SLICE                                                                                      \
	"\"metadata\": {\"name\": \"web-x\", \"namespace\": \"shop\","                             \
	" \"labels\": {\"kubernetes.io/service-name\": \"web\"}}"

static void test_slices(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"{" SLICE ", \"endpoints\": [{\"addresses\": [\"10.1.0.7\"], \"nodeName\": \"n1\","
		 " \"targetRef\": {\"kind\": \"Pod\", \"name\": \"web-1\", \"uid\": \"p\"}},"
		 " {\"addresses\": [\"10.1.0.8\"]}], \"ports\": [{\"port\": 8080, \"protocol\": "
		 "\"TCP\"}]}",
		 "shop/web 10.1.0.7:8080/1=web-1@n1 10.1.0.7:0/0=web-1@n1 10.1.0.8:8080/1"},
		{"{" SLICE ", \"endpoints\": [{\"addresses\": [\"fd00::7\", \"x\"],"
		 " \"targetRef\": {\"kind\": \"Node\", \"name\": \"n1\"}}], \"ports\": [{\"port\": "
		 "1}]}",
		 "shop/web fd00::7:1/1"},
		{"{" SLICE ", \"endpoints\": null, \"ports\": null}", "shop/web"},
		{"{\"metadata\": {\"name\": \"x\"}, \"endpoints\": [1, []], \"ports\": [2]}",
		 "-/-"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(service_json_describe_slice, cases[i].text, cases[i].expected);
}

/* What differs has another digest. */
static void test_digests(void **state)
{
	static const char *const texts[] = {
		"{" NAMED
		", \"spec\": {\"clusterIP\": \"10.96.0.1\", \"ports\": [{\"port\": 80}]}}",
		"{" NAMED
		", \"spec\": {\"clusterIP\": \"10.96.0.1\", \"ports\": [{\"port\": 81}]}}",
		"{" NAMED
		", \"spec\": {\"clusterIP\": \"10.96.0.2\", \"ports\": [{\"port\": 80}]}}",
		"{" NAMED "}",
		"{}",
	};
	enum { COUNT = sizeof(texts) / sizeof(texts[0]) };
	uint64_t digests[COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		json_t *object = json_loads(texts[i], 0, NULL);
		struct state_service_info *info = service_json_describe(object, "u");

		digests[i] = service_json_digest(info);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(digests[i], digests[j]);
		state_service_info_destroy(info);
		json_decref(object);
	}
}

static void test_places_are_limited(void **state)
{
	struct state_service_info *info;
	json_t *object, *addresses = json_array(), *ports = json_array();
	char text[32];

	for (int i = 0; i < 200; i++) {
		snprintf(text, sizeof(text), "10.0.0.%d", i);
		json_array_append_new(addresses, json_string(text));
		json_array_append_new(ports, json_pack("{s:i}", "port", i + 1));
	}
	object = json_pack("{s:{s:o, s:o}}", "spec", "clusterIPs", addresses, "ports", ports);
	info = service_json_describe(object, "u");
	assert_int_equal(info->count, SERVICE_PLACES_MAX);
	assert_true(info->texts.left_out >= 200 * 200 - SERVICE_PLACES_MAX);
	state_service_info_destroy(info);
	json_decref(object);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_services),
	cmocka_unit_test(test_slices),
	cmocka_unit_test(test_digests),
	cmocka_unit_test(test_places_are_limited),
};

UNIT_GROUP(tests);
