/* SPDX-License-Identifier: MIT */
/* fd.*: sockets of every role. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sinsp/state/fds.h"
#include "unit.h"
#include "world.h"

static int setup(void **state)
{
	world_setup(state);
	world_read_from(*state, NULL);
	return 0;
}

static struct state_fd *open_fd(struct drive *world, enum scap_fd_type type, const char *name)
{
	return world_fd(world->event.thread, 3, type, name);
}

static void set_end(struct scap_endpoint *end, const char *ip, uint16_t port)
{
	assert_int_equal(inet_pton(strchr(ip, ':') ? AF_INET6 : AF_INET, ip, end->address), 1);
	end->port = port;
}

static struct state_fd *open_socket(struct drive *world, enum state_fd_role role)
{
	struct state_fd *fd = open_fd(world, SCAP_FD_IPV4, "10.0.0.1:1234->10.0.0.2:80");

	fd->l4 = SCAP_L4_TCP;
	fd->role = role;
	fd->connected = true;
	set_end(&world_ends(world, fd)->source, "10.0.0.1", 1234);
	set_end(&world_ends(world, fd)->dest, "10.0.0.2", 80);
	world_read_from(world, fd);
	return fd;
}

static void test_client(void **state)
{
	struct drive *world = *state;

	open_socket(world, STATE_ROLE_CLIENT);
	world_expect(world, "fd.type", "ipv4");
	world_expect(world, "fd.typechar", "4");
	world_expect(world, "fd.name", "10.0.0.1:1234->10.0.0.2:80");
	world_expect(world, "fd.cip", "10.0.0.1");
	world_expect(world, "fd.sip", "10.0.0.2");
	world_expect(world, "fd.lip", "10.0.0.1");
	world_expect(world, "fd.rip", "10.0.0.2");
	world_expect(world, "fd.cport", "1234");
	world_expect(world, "fd.sport", "80");
	world_expect(world, "fd.lport", "1234");
	world_expect(world, "fd.rport", "80");
	world_expect(world, "fd.cproto", "1234");
	world_expect(world, "fd.sproto", "80");
	world_expect(world, "fd.lproto", "1234");
	world_expect(world, "fd.rproto", "80");
	world_expect(world, "fd.l4proto", "tcp");
	world_expect(world, "fd.sockfamily", "ip");
	world_expect(world, "fd.is_server", "false");
	world_expect(world, "fd.connected", "true");
	world_expect_none(world, "fd.directory");
	world_expect_json(world, "fd.sip", "{\"fd.sip\":\"10.0.0.2\"}");
	world_expect_json(world, "fd.sport", "{\"fd.sport\":80}");
}

static void test_server(void **state)
{
	struct drive *world = *state;

	open_socket(world, STATE_ROLE_SERVER);
	world_expect(world, "fd.cip", "10.0.0.1");
	world_expect(world, "fd.sip", "10.0.0.2");
	world_expect(world, "fd.lip", "10.0.0.2");
	world_expect(world, "fd.rip", "10.0.0.1");
	world_expect(world, "fd.lport", "80");
	world_expect(world, "fd.rport", "1234");
	world_expect(world, "fd.is_server", "true");
}

static void test_socket_without_role(void **state)
{
	struct drive *world = *state;

	open_socket(world, STATE_ROLE_NONE);
	world_expect_none(world, "fd.cip");
	world_expect_none(world, "fd.sip");
	world_expect_none(world, "fd.lip");
	world_expect_none(world, "fd.rport");
	world_expect_none(world, "fd.sport");
	world_expect_none(world, "fd.sproto");
}

static void test_listening_socket(void **state)
{
	struct drive *world = *state;
	struct state_fd *fd = open_socket(world, STATE_ROLE_NONE);

	fd->listening = true;
	world_expect(world, "fd.sport", "80");
	world_expect(world, "fd.sip", "10.0.0.2");
	world_expect_none(world, "fd.cport");
	world_expect(world, "fd.is_server", "true");
	world_expect_none(world, "fd.cip");
	world_expect_none(world, "fd.lip");
}

/* What calls name, whatever came of them. */
static void test_address_of_a_call(void **state)
{
	struct drive *world = *state;
	struct frame *frame;

	world_begin(world, EVENT_connect, 100);
	frame = &world->frame;
	frame_put_i64(frame, connect__res, -111);
	frame_put_ip(frame, connect__addr, "10.0.0.9", 443);
	world_end(world);
	world_expect(world, "evt.addr.ip", "10.0.0.9");
	world_expect(world, "evt.addr.port", "443");
	/* Of a connection that was made the kernel's word, and not that of the caller. */
	world_begin(world, EVENT_connect, 100);
	frame = &world->frame;
	frame_put_bytes(frame, connect__tuple, "\x02\x0a\0\0\x01\x39\x30\x0a\0\0\x02\x50\0", 13);
	frame_put_ip(frame, connect__addr, "10.9.9.9", 443);
	world_end(world);
	world_expect(world, "evt.addr.ip", "10.0.0.2");
	world_expect(world, "evt.addr.port", "80");
	world_begin(world, EVENT_bind, 100);
	frame = &world->frame;
	frame_put_ip(frame, bind__addr, "fe80::1", 53);
	world_end(world);
	world_expect(world, "evt.addr.ip", "fe80::1");
	world_expect(world, "evt.addr.port", "53");
	world_begin(world, EVENT_connect, 100);
	frame = &world->frame;
	frame_put_bytes(frame, connect__addr, "\x01/a-path", 7);
	world_end(world);
	world_expect_none(world, "evt.addr.ip");
	world_expect_none(world, "evt.addr.port");
}

static int get(struct drive *world, const char *name, struct field_value *values)
{
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_ref ref;
	int n;

	assert_int_equal(field_ref_init(&ref, name, strlen(name), NULL), 0);
	n = field_get(&ref, &world->event, scratch, values);
	field_ref_finish(&ref);
	free(scratch);
	return n;
}

static void test_either_end(void **state)
{
	struct drive *world = *state;
	struct field_value values[FIELD_VALUES_MAX];
	struct state_fd *fd = open_socket(world, STATE_ROLE_CLIENT);

	assert_int_equal(get(world, "fd.port", values), 2);
	assert_int_equal(values[0].u64, 80);
	assert_int_equal(values[1].u64, 1234);
	assert_int_equal(get(world, "fd.proto", values), 2);
	assert_int_equal(get(world, "fd.ip", values), 2);
	assert_int_equal(values[0].ip.len, 4);
	assert_memory_equal(values[0].ip.address, "\x0a\0\0\x02", 4);
	assert_memory_equal(values[1].ip.address, "\x0a\0\0\x01", 4);
	assert_int_equal(get(world, "fd.net", values), 2);
	assert_int_equal(get(world, "fd.snet", values), 1);
	assert_memory_equal(values[0].ip.address, "\x0a\0\0\x02", 4);
	fd->listening = true;
	fd->role = STATE_ROLE_NONE;
	assert_int_equal(get(world, "fd.port", values), 1);
	assert_int_equal(values[0].u64, 80);
	assert_int_equal(get(world, "fd.ip", values), 1);
	fd->listening = false;
	assert_int_equal(get(world, "fd.ip", values), -1);
	assert_int_equal(get(world, "fd.port", values), -1);
	fd->type = SCAP_FD_UNIX;
	fd->role = STATE_ROLE_CLIENT;
	assert_int_equal(get(world, "fd.ip", values), -1);
}

static void test_ipv6_and_unix(void **state)
{
	struct drive *world = *state;
	struct state_fd *fd = open_socket(world, STATE_ROLE_CLIENT);

	fd->type = SCAP_FD_IPV6;
	fd->l4 = SCAP_L4_UDP;
	set_end(&world_ends(world, fd)->source, "::1", 1);
	set_end(&world_ends(world, fd)->dest, "fe80::1:2", 53);
	world_expect(world, "fd.cip", "::1");
	world_expect(world, "fd.sip", "fe80::1:2");
	world_expect(world, "fd.l4proto", "udp");
	fd->type = SCAP_FD_UNIX;
	world_expect_none(world, "fd.sip");
	world_expect(world, "fd.sockfamily", "unix");
	world_expect(world, "fd.l4proto", "<NA>");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_client),
	TEST(test_server),
	TEST(test_socket_without_role),
	TEST(test_listening_socket),
	TEST(test_either_end),
	TEST(test_ipv6_and_unix),
	TEST(test_address_of_a_call),
};

UNIT_GROUP(tests);
