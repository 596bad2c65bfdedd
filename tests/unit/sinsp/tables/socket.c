/* SPDX-License-Identifier: MIT */
/* The ends and the names of IP sockets. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sinsp/tables/socket.h"

static const struct scap_endpoint one = {{10, 0, 0, 1}, 1000}, two = {{10, 0, 0, 2}, 80};
static const struct scap_endpoint six = {{[0] = 0xfe, 0x80, [15] = 1}, 7};
static const struct scap_endpoint mapped = {{[10] = 255, 255, 10, 0, 0, 1}, 8};

static void expect_name(const struct sinsp_fd *fd, const char *expected)
{
	char name[SOCKET_NAME_MAX];
	size_t len = sinsp_socket_name(fd, name);

	assert_int_equal(len, strlen(expected));
	assert_memory_equal(name, expected, len);
}

static void names(void **state)
{
	struct sinsp_fd fd = {.type = SCAP_FD_IPV4, .l4 = SCAP_L4_TCP, .source = one, .dest = two};

	expect_name(&fd, "10.0.0.1:1000->10.0.0.2:80");
	fd.l4 = SCAP_L4_ICMP;
	expect_name(&fd, "10.0.0.1->10.0.0.2");
	fd.listening = true;
	expect_name(&fd, "10.0.0.2");
	fd.l4 = SCAP_L4_UDP;
	expect_name(&fd, "10.0.0.2:80");
	fd = (struct sinsp_fd){.type = SCAP_FD_IPV6, .source = six, .dest = six};
	expect_name(&fd, "fe80::1:7->fe80::1:7");
}

static void longest_name_fits(void **state)
{
	struct sinsp_fd fd = {.type = SCAP_FD_IPV6};
	char name[SOCKET_NAME_MAX];

	memset(&fd.source, 0xff, sizeof(fd.source));
	memset(&fd.dest, 0xff, sizeof(fd.dest));
	/* Twice eight groups of four, seven colons, a colon and five digits; and the arrow. */
	assert_int_equal(sinsp_socket_name(&fd, name), 2 * (8 * 4 + 7 + 1 + 5) + 2);
}

static void unmaps_both_ends_or_none(void **state)
{
	struct sinsp_fd fd = {.type = SCAP_FD_IPV6, .source = mapped, .dest = mapped};
	static const uint8_t zeros[12];

	sinsp_socket_unmap(&fd);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_memory_equal(fd.source.address, one.address, 4);
	assert_memory_equal(fd.source.address + 4, zeros, 12);
	assert_memory_equal(fd.dest.address, one.address, 4);
	assert_int_equal(fd.dest.port, 8);
	fd = (struct sinsp_fd){.type = SCAP_FD_IPV6, .source = six, .dest = mapped};
	sinsp_socket_unmap(&fd);
	assert_int_equal(fd.type, SCAP_FD_IPV6);
	/* A listening one has no source. */
	fd.listening = true;
	sinsp_socket_unmap(&fd);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_memory_equal(&fd.source, &six, sizeof(six));
	/* In an IPv4 socket these bytes are nothing. */
	fd = (struct sinsp_fd){.type = SCAP_FD_IPV4, .source = mapped, .dest = mapped};
	sinsp_socket_unmap(&fd);
	assert_memory_equal(&fd.dest, &mapped, sizeof(mapped));
}

static void swaps(void **state)
{
	struct sinsp_fd fd = {.type = SCAP_FD_IPV4, .source = one, .dest = two};

	sinsp_socket_swap(&fd);
	assert_memory_equal(&fd.source, &two, sizeof(two));
	assert_memory_equal(&fd.dest, &one, sizeof(one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(longest_name_fits),
		cmocka_unit_test(unmaps_both_ends_or_none),
		cmocka_unit_test(swaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
