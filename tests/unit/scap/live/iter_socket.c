/* SPDX-License-Identifier: MIT */
/* Sockets in records of the iterator: what each kind and state becomes. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "scap/live/iter.h"
#include "unit.h"

enum { PROTOCOL_MPTCP = 262 };

static const struct scap_endpoint nowhere;
static char name[ITER_NAME_BYTES];

static struct open_fd_socket ip_socket(uint16_t family, uint16_t type, uint16_t protocol)
{
	return (struct open_fd_socket){
		.family = family,
		.type = type,
		.protocol = protocol,
		.state = TCP_ESTABLISHED,
		.is_bound = 1,
		.local_port = 1000,
		.remote_port = 2000,
		.local = {10, 0, 0, 1},
		.remote = {10, 0, 0, 2},
	};
}

static struct scap_fd filled(const struct open_fd_socket *from)
{
	struct scap_fd fd = {.ino = 77};

	assert_int_equal(iter_socket_fill(from, "", &fd, name), 0);
	return fd;
}

static void test_ends(void **state)
{
	static const struct {
		uint16_t type, protocol;
		enum scap_l4 l4;
		uint16_t local_port;
	} rows[] = {
		{SOCK_STREAM, IPPROTO_TCP, SCAP_L4_TCP, 1000},
		{SOCK_DGRAM, IPPROTO_UDP, SCAP_L4_UDP, 1000},
		{SOCK_DGRAM, IPPROTO_UDPLITE, SCAP_L4_UDP, 1000},
		{SOCK_DGRAM, IPPROTO_ICMP, SCAP_L4_ICMP, 0},
		{SOCK_RAW, IPPROTO_ICMP, SCAP_L4_RAW, 0},
		{SOCK_RAW, IPPROTO_RAW, SCAP_L4_RAW, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct open_fd_socket from = ip_socket(AF_INET, rows[i].type, rows[i].protocol);
		struct scap_fd fd = filled(&from);

		assert_int_equal(fd.type, SCAP_FD_IPV4);
		assert_int_equal(fd.l4, rows[i].l4);
		assert_int_equal(fd.local.port, rows[i].local_port);
		assert_memory_equal(fd.local.address, from.local, 16);
		assert_memory_equal(fd.remote.address, from.remote, 16);
		assert_string_equal(fd.name, "");
	}
}

/* As the files of /proc leave them out. */
static void test_without_ends(void **state)
{
	struct open_fd_socket closed = ip_socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
	struct open_fd_socket unbound = ip_socket(AF_INET6, SOCK_DGRAM, IPPROTO_UDP);
	struct scap_fd fd;

	closed.state = TCP_CLOSE;
	fd = filled(&closed);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_memory_equal(&fd.local, &nowhere, sizeof(nowhere));
	assert_memory_equal(&fd.remote, &nowhere, sizeof(nowhere));
	unbound.is_bound = 0;
	fd = filled(&unbound);
	assert_int_equal(fd.type, SCAP_FD_IPV6);
	assert_int_equal(fd.l4, SCAP_L4_UDP);
	assert_memory_equal(&fd.local, &nowhere, sizeof(nowhere));
}

static void test_mapped(void **state)
{
	struct open_fd_socket from = ip_socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP);
	static const uint8_t mapped[16] = {[10] = 0xff, 0xff, 127, 0, 0, 1},
			     v4[16] = {127, 0, 0, 1};
	struct scap_fd fd;

	memcpy(from.local, mapped, 16);
	fd = filled(&from);
	assert_int_equal(fd.type, SCAP_FD_IPV6);
	memcpy(from.remote, mapped, 16);
	fd = filled(&from);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_memory_equal(fd.local.address, v4, 16);
	assert_memory_equal(fd.remote.address, v4, 16);
	assert_int_equal(fd.remote.port, 2000);
}

static void expect_unix(const char *path, size_t bytes, const char *expected)
{
	struct open_fd_socket from = {.family = AF_UNIX,
				      .type = SOCK_DGRAM,
				      .address = 0xabc,
				      .unix_bytes = (uint16_t)bytes};
	struct scap_fd fd = {0};

	assert_int_equal(iter_socket_fill(&from, path, &fd, name), 0);
	assert_int_equal(fd.type, SCAP_FD_UNIX);
	assert_int_equal(fd.unix_socket, 0xabc);
	assert_string_equal(fd.name, expected);
}

static void test_unix(void **state)
{
	char longest[OPEN_FD_UNIX_BYTES + 1];

	memset(longest, 'x', sizeof(longest));
	expect_unix("", 0, "");
	expect_unix("/run/s\0", 7, "/run/s");
	expect_unix("\0a\0b", 4, "@a@b");
	longest[OPEN_FD_UNIX_BYTES] = '\0';
	expect_unix(longest, OPEN_FD_UNIX_BYTES, longest);
}

static void test_others(void **state)
{
	struct open_fd_socket netlink = {.family = AF_NETLINK, .type = SOCK_RAW, .protocol = 15};
	struct open_fd_socket packet = {.family = AF_PACKET, .type = SOCK_RAW};
	struct open_fd_socket sctp = ip_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
	struct open_fd_socket mptcp = ip_socket(AF_INET, SOCK_STREAM, PROTOCOL_MPTCP);
	struct scap_fd fd = filled(&netlink);

	assert_int_equal(fd.type, SCAP_FD_NETLINK);
	assert_string_equal(fd.name, "");
	fd = filled(&packet);
	assert_int_equal(fd.type, SCAP_FD_UNSUPPORTED);
	assert_string_equal(fd.name, "socket:[77]");
	fd = filled(&sctp);
	assert_int_equal(fd.type, SCAP_FD_UNSUPPORTED);
	assert_int_equal(iter_socket_fill(&mptcp, "", &fd, name), -EOPNOTSUPP);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ends),   cmocka_unit_test(test_without_ends),
	cmocka_unit_test(test_mapped), cmocka_unit_test(test_unix),
	cmocka_unit_test(test_others),
};

UNIT_GROUP(tests);
