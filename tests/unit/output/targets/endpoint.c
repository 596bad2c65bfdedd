/* SPDX-License-Identifier: MIT */
/* Places of servers as text, and their addresses. */

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "output/targets/connection.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)

static void test_read(void **state)
{
	static const struct {
		const char *text;
		uint16_t fallback;
		const char *host, *port;
	} cases[] = {
		{"//a:1", 0, "a", "1"},
		{"//logs.example.com:65535", 7, "logs.example.com", "65535"},
		{"//10.0.0.1", 514, "10.0.0.1", "514"},
		{"//[::1]:6514", 0, "::1", "6514"},
		{"//[fe80::1%eth0]", 514, "fe80::1%eth0", "514"},
	};
	struct connection_endpoint endpoint;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(
			connection_endpoint_read(cases[i].text, cases[i].fallback, &endpoint, NULL),
			0);
		assert_string_equal(endpoint.host, cases[i].host);
		assert_string_equal(endpoint.port, cases[i].port);
	}
}

static void test_rejected(void **state)
{
	static const char *const places[] = {"",       "a:1",	 "/a:1",    "//",      "//:1",
					     "//[]:1", "//[::1", "//u@a:1", "//a b:1", "//a/b:1"};
	static const char *const ports[] = {"//a",    "//a:",  "//a:0",	   "//a:65536",
					    "//a:1/", "//a:x", "//[::1]5", "//::1:5"};
	struct connection_endpoint endpoint;
	struct error err;
	char large[2 * ENDPOINT_HOST_MAX] = "//";

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		assert_int_equal(connection_endpoint_read(places[i], 0, &endpoint, &err), -EINVAL);
		assert_non_null(strstr(err.text, "is not //HOST:PORT"));
	}
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		assert_int_equal(connection_endpoint_read(ports[i], 0, &endpoint, &err), -EINVAL);
	memset(large + 2, 'x', ENDPOINT_HOST_MAX + 1);
	strcpy(large + 2 + ENDPOINT_HOST_MAX + 1, ":1");
	assert_int_equal(connection_endpoint_read(large, 0, &endpoint, &err), -EINVAL);
	assert_int_equal(connection_endpoint_read(strcpy(large, "//a:1") + 0, 0, &endpoint, &err),
			 0);
}

static void test_addresses(void **state)
{
	struct connection_endpoint endpoint = {"127.0.0.1", "514"};
	struct addrinfo *addresses = NULL;
	struct output_stop stop;

	assert_int_equal(output_stop_init(&stop), 0);
	/* Without a thread, so even without time. */
	assert_int_equal(
		connection_endpoint_resolve(&endpoint, SOCK_DGRAM, &stop, 0, &addresses, NULL), 0);
	assert_int_equal(addresses->ai_family, AF_INET);
	assert_int_equal(addresses->ai_socktype, SOCK_DGRAM);
	assert_int_equal(ntohs(((struct sockaddr_in *)addresses->ai_addr)->sin_port), 514);
	freeaddrinfo(addresses);
	endpoint = (struct connection_endpoint){"localhost", "6514"};
	assert_int_equal(connection_endpoint_resolve(&endpoint, SOCK_STREAM, &stop,
						     connection_deadline(9 * SECOND), &addresses,
						     NULL),
			 0);
	assert_int_equal(addresses->ai_socktype, SOCK_STREAM);
	freeaddrinfo(addresses);
	output_stop_finish(&stop);
}

/* Names are never waited for after a stop; the thread ends by itself. */
static void test_stopped(void **state)
{
	struct connection_endpoint endpoint = {"lanner.invalid", "514"};
	struct addrinfo *addresses = NULL;
	struct output_stop stop;
	struct error err;

	assert_int_equal(output_stop_init(&stop), 0);
	output_stop_now(&stop);
	assert_int_equal(connection_endpoint_resolve(&endpoint, SOCK_STREAM, &stop,
						     connection_deadline(9 * SECOND), &addresses,
						     &err),
			 -ECANCELED);
	assert_null(addresses);
	output_stop_finish(&stop);
}

static void test_unknown(void **state)
{
	struct connection_endpoint endpoint = {"..", "514"};
	struct addrinfo *addresses = NULL;
	struct output_stop stop;
	struct error err;

	assert_int_equal(output_stop_init(&stop), 0);
	assert_int_equal(connection_endpoint_resolve(&endpoint, SOCK_STREAM, &stop,
						     connection_deadline(9 * SECOND), &addresses,
						     &err),
			 -EHOSTUNREACH);
	assert_memory_equal(err.text, "cannot resolve ..: ", strlen("cannot resolve ..: "));
	assert_null(addresses);
	output_stop_finish(&stop);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_read),	  cmocka_unit_test(test_rejected),
	cmocka_unit_test(test_addresses), cmocka_unit_test(test_stopped),
	cmocka_unit_test(test_unknown),
};

UNIT_GROUP(tests);
