/* SPDX-License-Identifier: MIT */
/* Names of descriptors with ports as names of services: by the protocol, of ends that are known. */
#include <string.h>

#include "sinsp/fields/text_value.h"
#include "unit.h"
#include "util/services.h"

static int create(void **state)
{
	struct services *services;

	if (services_create(&services) || services_add(services, SERVICE_TCP, 80, "http") ||
	    services_add(services, SERVICE_UDP, 53, "domain") ||
	    services_add(services, SERVICE_TCP, 514, "shell") ||
	    services_add(services, SERVICE_UDP, 514, "syslog"))
		return -1;
	*state = services;
	return 0;
}

static int destroy(void **state)
{
	services_destroy(*state);
	return 0;
}

static void expect(const struct state_fd *fd, const struct services *services, const char *expected)
{
	const struct text_style style = {.services = services};
	struct buf out = {0};

	text_append_fd_name(&out, fd, &style);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

enum { ENDS_COUNT = 16 };

static struct state_fd socket_fd(enum scap_l4 l4, uint16_t source, uint16_t dest, char *name)
{
	static struct state_socket sockets[ENDS_COUNT];
	static unsigned int used;
	struct state_socket *own = &sockets[used++ % ENDS_COUNT];

	own->ends.source = (struct scap_endpoint){.address = {10, 0, 0, 1}, .port = source};
	own->ends.dest = (struct scap_endpoint){.address = {10, 0, 0, 2}, .port = dest};
	return (struct state_fd){
		.type = SCAP_FD_IPV4,
		.l4 = l4,
		.has_ends = true,
		.socket = own,
		.name = name,
		.name_len = (uint16_t)strlen(name),
	};
}

static void test_protocols(void **state)
{
	struct state_fd tcp = socket_fd(SCAP_L4_TCP, 514, 80, "10.0.0.1:514->10.0.0.2:80");
	struct state_fd udp = socket_fd(SCAP_L4_UDP, 514, 53, "10.0.0.1:514->10.0.0.2:53");
	struct state_fd other = socket_fd(SCAP_L4_UNKNOWN, 53, 514, "10.0.0.1:53->10.0.0.2:514");
	struct state_fd none = socket_fd(SCAP_L4_TCP, 53, 9, "10.0.0.1:53->10.0.0.2:9");
	struct state_fd raw = socket_fd(SCAP_L4_RAW, 80, 80, "10.0.0.1->10.0.0.2");

	expect(&tcp, *state, "10.0.0.1:shell->10.0.0.2:http");
	expect(&udp, *state, "10.0.0.1:syslog->10.0.0.2:domain");
	expect(&other, *state, "10.0.0.1:domain->10.0.0.2:shell");
	expect(&none, *state, "10.0.0.1:53->10.0.0.2:9");
	expect(&raw, *state, "10.0.0.1->10.0.0.2");
	expect(&tcp, NULL, "10.0.0.1:514->10.0.0.2:80");
}

static void test_listening(void **state)
{
	struct state_fd fd = socket_fd(SCAP_L4_TCP, 0, 80, "10.0.0.2:80");

	fd.listening = true;
	expect(&fd, *state, "10.0.0.2:http");
}

/* A name that its ends do not make stays as it is. */
static void test_other_names(void **state)
{
	struct state_fd given = socket_fd(SCAP_L4_TCP, 1, 80, "given by a file");
	struct state_fd empty = socket_fd(SCAP_L4_TCP, 0, 0, "");
	struct state_fd file = {.type = SCAP_FD_FILE, .name = "/tmp/a:80", .name_len = 9};

	expect(&given, *state, "given by a file");
	expect(&empty, *state, "");
	expect(&file, *state, "/tmp/a:80");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_protocols),
	cmocka_unit_test(test_listening),
	cmocka_unit_test(test_other_names),
};

UNIT_GROUP(tests, .setup = create, .teardown = destroy);
