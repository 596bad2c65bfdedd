/* SPDX-License-Identifier: MIT */
/* Services by port: order, protocols, the first of several, the machine's own. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"
#include "util/services.h"

static int create(void **state)
{
	return services_create((struct services **)state);
}

static int destroy(void **state)
{
	services_destroy(*state);
	return 0;
}

static void test_protocols(void **state)
{
	struct services *services = *state;

	assert_null(services_find_any(services, 53));
	assert_int_equal(services_add(services, SERVICE_UDP, 53, "domain"), 0);
	assert_int_equal(services_add(services, SERVICE_TCP, 80, "http"), 0);
	assert_int_equal(services_add(services, SERVICE_TCP, 514, "shell"), 0);
	assert_int_equal(services_add(services, SERVICE_UDP, 514, "syslog"), 0);
	assert_string_equal(services_find(services, SERVICE_UDP, 53), "domain");
	assert_null(services_find(services, SERVICE_TCP, 53));
	assert_string_equal(services_find_any(services, 53), "domain");
	assert_string_equal(services_find_any(services, 514), "shell");
	assert_string_equal(services_find(services, SERVICE_UDP, 514), "syslog");
	assert_null(services_find_any(services, 0));
	assert_null(services_find_any(services, 65535));
}

static void test_first_counts(void **state)
{
	struct services *services = *state;
	char name[] = "http";

	services_add(services, SERVICE_TCP, 80, name);
	services_add(services, SERVICE_TCP, 80, "www");
	name[0] = 'x'; /* it was copied */
	assert_string_equal(services_find(services, SERVICE_TCP, 80), "http");
}

/* All ports, in an order that is not theirs. */
static void test_many(void **state)
{
	struct services *services = *state;
	char name[8];

	for (unsigned int i = 0; i < 2000; i++) {
		uint16_t port = (uint16_t)(i * 40503);

		snprintf(name, sizeof(name), "s%u", port);
		assert_int_equal(services_add(services, SERVICE_UDP, port, name), 0);
	}
	for (unsigned int i = 0; i < 2000; i++) {
		uint16_t port = (uint16_t)(i * 40503);

		snprintf(name, sizeof(name), "s%u", port);
		assert_string_equal(services_find(services, SERVICE_UDP, port), name);
		assert_null(services_find(services, SERVICE_TCP, port));
	}
}

/* The same as the library says of one port. */
static void test_machine(void **state)
{
	struct services *services = NULL;
	const struct servent *entry;

	assert_int_equal(services_load(&services), 0);
	for (unsigned int port = 0; port <= UINT16_MAX; port += port < 1024 ? 1 : 97) {
		const char *name = services_find(services, SERVICE_TCP, (uint16_t)port);

		entry = getservbyport(htons((uint16_t)port), "tcp");
		assert_int_equal(!entry, !name);
		if (entry)
			assert_string_equal(name, entry->s_name);
	}
	services_destroy(services);
	services_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_protocols, create, destroy),
	cmocka_unit_test_setup_teardown(test_first_counts, create, destroy),
	cmocka_unit_test_setup_teardown(test_many, create, destroy),
	cmocka_unit_test(test_machine),
};

UNIT_GROUP(tests);
