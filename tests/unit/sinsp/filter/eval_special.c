/* SPDX-License-Identifier: MIT */
/*
 * Fields that are compared in ways of their own, with real fields and events: both ends of sockets,
 * ancestors, raw parameters, distances in time; and the text forms that filters see.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

#include "filtered.h"
#include "unit.h"
#include "world.h"

static int setup(void **state)
{
	static const struct world_process family[] = {
		{.pid = 1, .comm = "systemd", .exe = "/sbin/init", .exepath = "/usr/lib/systemd"},
		{.pid = 50, .ptid = 1, .comm = "bash", .exe = "-bash", .exepath = "/usr/bin/bash"},
		{.pid = 100, .ptid = 50, .comm = "cat", .exe = "cat", .cwd = "/home/user"},
	};
	struct drive *world = calloc(1, sizeof(*world));

	drive_create(world, NULL);
	for (size_t i = 0; i < sizeof(family) / sizeof(family[0]); i++)
		world_process(world, &family[i]);
	*state = world;
	return 0;
}

/* All expressions, ended by NULL, give the answer, and inverted ones the opposite. */
static void check(const struct drive *world, bool answer, const char *const *texts)
{
	char inverted[256];

	for (; *texts; texts++) {
		if (filtered(&world->event, *texts) != answer)
			fail_msg("'%s' should be %s", *texts, answer ? "true" : "false");
		snprintf(inverted, sizeof(inverted), "not (%s)", *texts);
		if (filtered(&world->event, inverted) == answer)
			fail_msg("'%s' should be %s", inverted, answer ? "false" : "true");
	}
}

#define HOLDS(world, ...) check(world, true, (const char *const[]){__VA_ARGS__, NULL})
#define FAILS(world, ...) check(world, false, (const char *const[]){__VA_ARGS__, NULL})

static void set_end(struct scap_endpoint *end, const char *ip, uint16_t port)
{
	assert_int_equal(inet_pton(strchr(ip, ':') ? AF_INET6 : AF_INET, ip, end->address), 1);
	end->port = port;
}

/* A read from a descriptor, which the thread has when it has a type. */
static struct state_fd *read_from(struct drive *world, enum scap_fd_type type)
{
	struct state_fd *fd;

	world_begin(world, EVENT_read, 100);
	frame_put_i64(&world->frame, read__fd, 3);
	frame_put_i64(&world->frame, read__res, 4096);
	frame_put_i64(&world->frame, read__size, 65536);
	frame_put_bytes(&world->frame, read__data, "GET\0\x01", 5);
	world_end(world);
	fd = world_fd(world->event.thread, 3, type, "x");
	world_set_fd(world, 3, fd);
	return fd;
}

static struct state_fd *read_from_socket(struct drive *world, const char *source, const char *dest)
{
	struct state_fd *fd = read_from(world, strchr(source, ':') ? SCAP_FD_IPV6 : SCAP_FD_IPV4);

	fd->role = STATE_ROLE_CLIENT;
	set_end(&world_ends(world, fd)->source, source, 40000);
	set_end(&world_ends(world, fd)->dest, dest, 80);
	return fd;
}

static void test_either_end(void **state)
{
	struct drive *world = *state;
	struct state_fd *fd = read_from_socket(world, "10.0.0.1", "192.168.0.2");

	HOLDS(world, "fd.ip = 10.0.0.1", "fd.ip = 192.168.0.2", "fd.ip in (1.1.1.1, 192.168.0.2)",
	      "fd.ip != 10.0.0.3", "fd.ip intersects (10.0.0.1)", "fd.ip exists",
	      "fd.ip = anyof (1.1.1.1, 10.0.0.1)", "fd.ip != allof (1.1.1.1, ::1)");
	FAILS(world, "fd.ip = 10.0.0.3", "fd.ip != 10.0.0.1", "fd.ip in (1.1.1.1)",
	      "fd.ip != allof (1.1.1.1, 192.168.0.2)", "fd.ip = ::1");
	HOLDS(world, "fd.net = 10.0.0.0/8", "fd.net = 192.168.0.0/16", "fd.net != 11.0.0.0/8",
	      "fd.net in (fe80::/10, 1.0.0.0/8, 192.168.0.2/32)",
	      "fd.net = anyof (1.0.0.0/8, 10.0.0.0/8)", "fd.net != allof (1.0.0.0/8, 2.0.0.0/8)",
	      "fd.snet = 192.168.0.0/24", "fd.cnet in (1.0.0.0/8, 10.0.0.0/8)",
	      "fd.snet = anyof (1.0.0.0/8, 192.168.0.0/16)");
	FAILS(world, "fd.net = 11.0.0.0/8", "fd.net != 10.0.0.0/8", "fd.net in (fe80::/10)",
	      "fd.net != allof (1.0.0.0/8, 10.0.0.0/8)", "fd.snet = 10.0.0.0/8",
	      "fd.snet != allof (1.0.0.0/8, 192.168.0.0/16)");
	HOLDS(world, "fd.port = 80", "fd.port = http", "fd.port = 40000", "fd.port != 443",
	      "fd.port < 100", "fd.port > 30000", "fd.port >= 40000", "fd.port <= 80",
	      "fd.port in (443, http)", "fd.proto = 80", "fd.port = anyof (1, 40000)");
	FAILS(world, "fd.port = 443", "fd.port != 80", "fd.port < 80", "fd.port > 40000",
	      "fd.port in (443)", "fd.port = oneof (80, 40000)");
	fd->listening = true;
	HOLDS(world, "fd.ip = 192.168.0.2", "fd.port = 80", "fd.ip != 10.0.0.1");
	FAILS(world, "fd.ip = 10.0.0.1", "fd.port = 40000", "fd.net = 10.0.0.0/8");
	read_from_socket(world, "::1", "fe80::2");
	HOLDS(world, "fd.ip = ::1", "fd.net = fe80::/10", "fd.ip != 10.0.0.1",
	      "fd.net != 10.0.0.0/8", "fd.net in (10.0.0.0/8, fe80::/10)");
	read_from(world, SCAP_FD_FILE);
	FAILS(world, "fd.ip = 10.0.0.1", "fd.ip != 10.0.0.1", "fd.ip exists", "fd.net != ::/1",
	      "fd.port != 80", "fd.port < 65535");
}

static void test_ancestors(void **state)
{
	struct drive *world = *state;

	read_from(world, SCAP_FD_FILE);
	HOLDS(world, "proc.aname = bash", "proc.aname = systemd", "proc.aname != bash",
	      "proc.aname in (sshd, systemd)", "proc.aname contains ash", "proc.aname exists",
	      "proc.aname[1] = bash", "proc.aname[0] = cat", "proc.aname startswith sys",
	      "proc.aname glob s*d", "proc.aname regex 'b.*'", "proc.aname = oneof (bash, x)",
	      "proc.apid = 50", "proc.apid = 1", "proc.apid in (7, 50)", "proc.apid < 2",
	      "proc.apid != 50", "proc.apid[2] = 1", "proc.aexe = -bash",
	      "proc.aexepath pmatch (/usr/lib)");
	FAILS(world, "proc.aname = cat", "proc.aname in (sshd)", "proc.aname[3] exists",
	      "proc.aname[1] != bash", "proc.apid = 100", "proc.apid > 50", "proc.apid in ()",
	      "proc.aexepath pmatch (/usr/sbin)");
	world_begin(world, EVENT_read, 1);
	world_end(world);
	FAILS(world, "proc.aname != bash", "proc.aname exists", "proc.apid != 5");
}

static void test_raw_parameters(void **state)
{
	struct drive *world = *state;

	read_from(world, SCAP_FD_FILE);
	HOLDS(world, "evt.rawarg.res = 4096", "evt.rawarg.res in (1, 4096)",
	      "evt.rawarg.res intersects (4096)", "evt.rawarg.res > 4000", "evt.rawarg.res = 4KiB",
	      "evt.rawarg.size >= 64KiB", "evt.rawarg.size < 8GiB", "evt.rawarg.fd = 3",
	      "evt.rawarg.size = 0x10000", "evt.rawarg.data exists", "evt.rawres < 5kB");
	FAILS(world, "evt.rawarg.res in (1, 2)", "evt.rawarg.flags = 0", "evt.rawarg.flags != 0",
	      "evt.rawarg.name = ''", "evt.rawarg.name exists");
	world_begin(world, EVENT_read, 100);
	frame_put_i64(&world->frame, read__res, 0);
	frame_put_absent(&world->frame, read__fd);
	frame_put_bytes(&world->frame, read__data, "", 0);
	world_end(world);
	FAILS(world, "evt.rawarg.fd exists", "evt.rawarg.fd != 3", "evt.rawarg.data exists");
}

static void test_around(void **state)
{
	struct drive *world = *state;

	read_from(world, SCAP_FD_FILE);
	HOLDS(world, "evt.around[1795260961123456789] = 0", "evt.around[1795260961122456789] = 1",
	      "evt.around[1795260961124456789] = 1", "evt.around[1795260960123456789] = 1s");
	FAILS(world, "evt.around[1795260961122456788] = 1", "evt.around[1795260960123456788] = 1s",
	      "evt.around[0] = 5");
}

static void test_texts_of_parameters(void **state)
{
	struct drive *world = *state;
	char long_name[3000] = "/";

	read_from(world, SCAP_FD_FILE);
	HOLDS(world, "evt.arg.size = 65536", "evt.arg[3] = 65536", "evt.args contains 'size=65536'",
	      "evt.buffer = \"GET\\x00\\x01\"", "evt.buffer contains GET",
	      "evt.buffer bcontains 540001", "len(evt.buffer) = 5", "evt.buffer endswith \"\\x01\"",
	      "evt.type.is.read = 1", "evt.type.is.write = 0");
	FAILS(world, "evt.arg.name exists", "evt.arg[99] exists", "evt.arg[-1] exists",
	      "evt.buffer = GET", "evt.type.is.read != 1");
	memset(long_name + 1, 'a', sizeof(long_name) - 3);
	world_begin(world, EVENT_openat, 100);
	frame_put_i64(&world->frame, openat__fd, -2);
	frame_put_string(&world->frame, openat__name, long_name);
	world_end(world);
	HOLDS(world, "len(evt.arg.name) > 2990", "evt.args contains aaaaaaaa", "evt.failed = true",
	      "evt.rawarg.fd = -2", "evt.res = ENOENT", "evt.rawres < 0");
}

/* What there is no result or no descriptor for has no length. */
static void test_lengths(void **state)
{
	struct drive *world = *state;

	read_from(world, SCAP_FD_FILE);
	HOLDS(world, "evt.buflen = 4KiB", "evt.buflen.in > 4kB", "evt.buflen.file = 4096");
	FAILS(world, "evt.buflen.out exists", "evt.buflen.net exists", "evt.buflen.net != 1");
	world_begin(world, EVENT_read, 100);
	frame_put_absent(&world->frame, read__res);
	world_end(world);
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_FILE, "/x"));
	FAILS(world, "evt.buflen exists", "evt.buflen != 0", "evt.buflen < 1MiB");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_either_end, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_ancestors, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_raw_parameters, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_around, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_texts_of_parameters, setup, world_teardown),
	cmocka_unit_test_setup_teardown(test_lengths, setup, world_teardown),
};

UNIT_GROUP(tests);
