/* SPDX-License-Identifier: MIT */
/* The ends and the names of IP sockets. */
#include <string.h>

#include "sinsp/state/machine.h"
#include "unit.h"

static const struct scap_endpoint one = {{10, 0, 0, 1}, 1000}, two = {{10, 0, 0, 2}, 80};
static const struct scap_endpoint six = {{[0] = 0xfe, 0x80, [15] = 1}, 7};
static const struct scap_endpoint mapped = {{[10] = 255, 255, 10, 0, 0, 1}, 8};

static void expect_name(const struct state_fd *fd, const char *expected)
{
	char name[SOCKET_NAME_MAX];
	size_t len = state_socket_name(fd, name);

	assert_int_equal(len, strlen(expected));
	assert_memory_equal(name, expected, len);
}

static void names(void **state)
{
	struct state_socket socket = {.ends = {.source = one, .dest = two}};
	struct state_fd fd = {
		.type = SCAP_FD_IPV4, .l4 = SCAP_L4_TCP, .has_ends = true, .socket = &socket};

	expect_name(&fd, "10.0.0.1:1000->10.0.0.2:80");
	fd.l4 = SCAP_L4_ICMP;
	expect_name(&fd, "10.0.0.1->10.0.0.2");
	fd.listening = true;
	expect_name(&fd, "10.0.0.2");
	fd.l4 = SCAP_L4_UDP;
	expect_name(&fd, "10.0.0.2:80");
	socket.ends = (union state_ends){.source = six, .dest = six};
	fd = (struct state_fd){.type = SCAP_FD_IPV6, .has_ends = true, .socket = &socket};
	expect_name(&fd, "fe80::1:7->fe80::1:7");
}

static void longest_name_fits(void **state)
{
	struct state_socket socket;
	struct state_fd fd = {.type = SCAP_FD_IPV6, .has_ends = true, .socket = &socket};
	char name[SOCKET_NAME_MAX];

	memset(&socket, 0xff, sizeof(socket));
	/* Twice eight groups of four, seven colons, a colon and five digits; and the arrow. */
	assert_int_equal(state_socket_name(&fd, name), 2 * (8 * 4 + 7 + 1 + 5) + 2);
}

static void unmaps_both_ends_or_none(void **state)
{
	struct state_socket socket = {.ends = {.source = mapped, .dest = mapped}};
	struct state_fd fd = {.type = SCAP_FD_IPV6, .has_ends = true, .socket = &socket};
	static const uint8_t zeros[12];

	state_socket_unmap(&fd, &socket.ends);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_memory_equal(socket.ends.source.address, one.address, 4);
	assert_memory_equal(socket.ends.source.address + 4, zeros, 12);
	assert_memory_equal(socket.ends.dest.address, one.address, 4);
	assert_int_equal(socket.ends.dest.port, 8);
	socket.ends = (union state_ends){.source = six, .dest = mapped};
	fd = (struct state_fd){.type = SCAP_FD_IPV6, .has_ends = true, .socket = &socket};
	state_socket_unmap(&fd, &socket.ends);
	assert_int_equal(fd.type, SCAP_FD_IPV6);
	/* A listening one has no source. */
	fd.listening = true;
	state_socket_unmap(&fd, &socket.ends);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_memory_equal(&socket.ends.source, &six, sizeof(six));
	/* In an IPv4 socket these bytes are nothing. */
	socket.ends = (union state_ends){.source = mapped, .dest = mapped};
	fd = (struct state_fd){.type = SCAP_FD_IPV4, .has_ends = true, .socket = &socket};
	state_socket_unmap(&fd, &socket.ends);
	assert_memory_equal(&socket.ends.dest, &mapped, sizeof(mapped));
}

static void swaps(void **state)
{
	union state_ends ends = {.source = one, .dest = two};

	state_socket_swap(&ends);
	assert_memory_equal(&ends.source, &two, sizeof(two));
	assert_memory_equal(&ends.dest, &one, sizeof(one));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names),
	cmocka_unit_test(longest_name_fits),
	cmocka_unit_test(unmaps_both_ends_or_none),
	cmocka_unit_test(swaps),
};

UNIT_GROUP(tests);
