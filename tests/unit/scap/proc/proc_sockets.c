/* SPDX-License-Identifier: MIT */
/* The /proc reader on the running system: sockets of this process. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "real_proc.h"
#include "unit.h"

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr = {htonl(INADDR_LOOPBACK)},
	};
}

static uint16_t port_of(int num)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);

	assert_int_equal(getsockname(num, (struct sockaddr *)&address, &len), 0);
	return ntohs(((struct sockaddr_in *)&address)->sin_port); /* in the same place in both */
}

static int listen_on_loopback(void)
{
	struct sockaddr_in address = loopback(0);
	int num = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(num, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(num, 5), 0);
	return num;
}

/* The reader keeps a table for a second; a new one sees every socket made so far. */
static void read_anew(void **state)
{
	real_proc_close(state);
	assert_int_equal(real_proc_open(state), 0);
}

static void test_tcp(void **state)
{
	static const uint8_t localhost[16] = {127, 0, 0, 1};
	int server = listen_on_loopback(), client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = loopback(port_of(server));
	struct scap_fd fd;
	int accepted;

	assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof(address)), 0);
	accepted = accept(server, NULL, NULL);
	read_anew(state);

	fd = real_proc_fd(state, server);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_int_equal(fd.l4, SCAP_L4_TCP);
	assert_memory_equal(fd.local.address, localhost, 16);
	assert_int_equal(fd.local.port, port_of(server));
	assert_int_equal(fd.remote.port, 0);
	assert_string_equal(fd.name, "");

	fd = real_proc_fd(state, client);
	assert_int_equal(fd.local.port, port_of(client));
	assert_int_equal(fd.remote.port, port_of(server));
	assert_memory_equal(fd.remote.address, localhost, 16);

	fd = real_proc_fd(state, accepted);
	assert_int_equal(fd.local.port, port_of(server));
	assert_int_equal(fd.remote.port, port_of(client));
	close(server);
	close(client);
	close(accepted);
}

static void test_ipv6(void **state)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	static const uint8_t loop[16] = {[15] = 1};
	struct scap_fd fd;
	int num = socket(AF_INET6, SOCK_DGRAM, 0);

	if (num < 0 || bind(num, (struct sockaddr *)&address, sizeof(address)) < 0)
		skip();
	read_anew(state);
	fd = real_proc_fd(state, num);
	assert_int_equal(fd.type, SCAP_FD_IPV6);
	assert_int_equal(fd.l4, SCAP_L4_UDP);
	assert_memory_equal(fd.local.address, loop, 16);
	assert_int_equal(fd.local.port, port_of(num));
	close(num);
}

/* IPv4 through an IPv6 socket counts as what goes over the wire. */
static void test_mapped_ipv4(void **state)
{
	static const uint8_t localhost[16] = {127, 0, 0, 1};
	struct sockaddr_in6 address = {.sin6_family = AF_INET6};
	int server = listen_on_loopback(), client = socket(AF_INET6, SOCK_STREAM, 0);
	struct scap_fd fd;

	address.sin6_port = htons(port_of(server));
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
	if (client < 0 || connect(client, (struct sockaddr *)&address, sizeof(address)) < 0)
		skip();
	read_anew(state);
	fd = real_proc_fd(state, client);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_memory_equal(fd.local.address, localhost, 16);
	assert_memory_equal(fd.remote.address, localhost, 16);
	assert_int_equal(fd.remote.port, port_of(server));
	close(server);
	close(client);
}

static void test_udp_and_raw(void **state)
{
	struct sockaddr_in address = loopback(0);
	struct scap_fd fd;
	int udp = socket(AF_INET, SOCK_DGRAM, 0), raw = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

	assert_int_equal(bind(udp, (struct sockaddr *)&address, sizeof(address)), 0);
	read_anew(state);
	fd = real_proc_fd(state, udp);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_int_equal(fd.l4, SCAP_L4_UDP);
	assert_int_equal(fd.local.port, port_of(udp));
	close(udp);
	if (raw < 0)
		return;
	fd = real_proc_fd(state, raw);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_int_equal(fd.l4, SCAP_L4_RAW);
	assert_int_equal(fd.local.port, 0);
	close(raw);
}

static void expect_unbound(void **state, int family, int type, enum scap_fd_type expected,
			   enum scap_l4 l4)
{
	int num = socket(family, type, 0);
	struct scap_fd fd;

	if (num < 0)
		return;
	fd = real_proc_fd(state, num);
	assert_int_equal(fd.type, expected);
	assert_int_equal(fd.l4, l4);
	assert_int_equal(fd.local.port, 0);
	assert_true(fd.ino > 0);
	close(num);
}

/* Sockets that no table lists: they are not bound, or of a family without one. */
static void test_unbound(void **state)
{
	expect_unbound(state, AF_INET, SOCK_STREAM, SCAP_FD_IPV4, SCAP_L4_TCP);
	expect_unbound(state, AF_INET6, SOCK_STREAM, SCAP_FD_IPV6, SCAP_L4_TCP);
	expect_unbound(state, AF_INET, SOCK_DGRAM, SCAP_FD_IPV4, SCAP_L4_UDP);
	expect_unbound(state, AF_INET6, SOCK_DGRAM, SCAP_FD_IPV6, SCAP_L4_UDP);
	expect_unbound(state, AF_PACKET, SOCK_DGRAM, SCAP_FD_UNSUPPORTED, SCAP_L4_UNKNOWN);
	expect_unbound(state, AF_UNIX, SOCK_STREAM, SCAP_FD_UNIX, SCAP_L4_UNKNOWN);
	expect_unbound(state, AF_UNIX, SOCK_DGRAM, SCAP_FD_UNIX, SCAP_L4_UNKNOWN);
	expect_unbound(state, AF_NETLINK, SOCK_RAW, SCAP_FD_NETLINK, SCAP_L4_UNKNOWN);
}

static void test_unix(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct scap_fd fd;
	int pair[2], num = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/lanner sock %d", getpid());
	assert_int_equal(bind(num, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	read_anew(state);
	fd = real_proc_fd(state, num);
	assert_int_equal(fd.type, SCAP_FD_UNIX);
	assert_string_equal(fd.name, address.sun_path);
	fd = real_proc_fd(state, pair[0]);
	assert_int_equal(fd.type, SCAP_FD_UNIX);
	assert_string_equal(fd.name, "");
	unlink(address.sun_path);
	close(num);
	close(pair[0]);
	close(pair[1]);
}

static void test_netlink(void **state)
{
	int num = socket(AF_NETLINK, SOCK_RAW, 0);

	read_anew(state);
	real_proc_expect(state, num, SCAP_FD_NETLINK);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, real_proc_open, real_proc_close)
	TEST(test_tcp),	    TEST(test_ipv6), TEST(test_mapped_ipv4), TEST(test_udp_and_raw),
	TEST(test_unbound), TEST(test_unix), TEST(test_netlink),
#undef TEST
};

UNIT_GROUP(tests);
