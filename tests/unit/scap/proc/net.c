/* SPDX-License-Identifier: MIT */
/* Sockets out of tables of /proc made up by the test: odd, corrupt and missing lines. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "proc_tree.h"
#include "scap/proc/net.h"
#include "unit.h"

static struct scap_fd read_fd(struct proc_tree *tree, int64_t num)
{
	struct scap_fd fd;

	assert_int_equal(scap_proc_fd(tree->proc, 70, num, &fd), 0);
	return fd;
}

static void test_sockets(void **state)
{
	static const uint8_t address[16] = {192, 168, 0, 1};
	struct scap_fd fd;

	proc_tree_put_link(*state, "ns/net", "net:[1]");
	proc_tree_put(*state, "net/tcp",
		      PROC_TREE_TCP_HEADINGS
		      "   0: 0100A8C0:0016 0200A8C0:C000 01 0:0 00:0 0 0 0 77 1 2 3\n"
		      "junk\n   1: 0100A8C0:0016\n   2: 0100A8C:16 0:0 0 0 0 0 0 0 78\n"
		      "   3: 0100A8C0:10016 0200A8C0:C000 01 0:0 00:0 0 0 0 79\n"
		      "   4: 0100A8C0:0016 0200A8C0:C000 01 0:0 00:0 0 0 0 80x\n"
		      "   5: 0100A8C0:0016 0200A8C0:C000 06 0:0 00:0 0 0 0 0\n"
		      "   6: 0100A8C0:0017 00000000:0000 0A 0:0 00:0 0 0 0 81");
	proc_tree_put(*state, "net/raw",
		      PROC_TREE_TCP_HEADINGS
		      "   1: 00000000:0001 00000000:0000 07 0:0 00:0 0 0 0 82 2 0 0\n");
	proc_tree_put(*state, "net/unix",
		      "Num RefCount Protocol Flags Type St Inode Path\n"
		      "ffff88812345: 00000002 00000000 00010000 0001 01 83 /run/with blank \n"
		      "1: 2 0 0 1 01 88 /path\n2: 2 0 0 1 01 77 /forged\n3: 2 0 0 1 01 88 /forged\n"
		      "0000000000000000: 00000003 00000000 00000000 0001 03 84\n"
		      "0000000000000000: 00000003 00000000 00000000 0001 03 85 @abstract\n"
		      ": 3 0 0 1 03 86 x\n");
	proc_tree_put(
		*state, "net/netlink",
		"sk Eth Pid Groups Rmem Wmem Dump Locks Drops Inode\n"
		"0000000000000000 0   0          00000000 0        0        0 2  0        87\n");

	proc_tree_put_link(*state, "fd/3", "socket:[77]");
	fd = read_fd(*state, 3);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_int_equal(fd.l4, SCAP_L4_TCP);
	assert_int_equal(fd.ino, 77);
	assert_memory_equal(fd.local.address, address, 16);
	assert_int_equal(fd.local.port, 22);
	assert_int_equal(fd.remote.address[3], 2);
	assert_int_equal(fd.remote.port, 0xc000);
	assert_string_equal(fd.name, "");

	for (int ino = 78; ino <= 80; ino++) {
		char target[32];

		snprintf(target, sizeof(target), "socket:[%d]", ino);
		proc_tree_put_link(*state, "fd/3", target);
		assert_int_equal(read_fd(*state, 3).type, SCAP_FD_UNSUPPORTED);
	}
	proc_tree_put_link(*state, "fd/3", "socket:[81]");
	assert_int_equal(read_fd(*state, 3).local.port, 23);

	proc_tree_put_link(*state, "fd/3", "socket:[82]");
	fd = read_fd(*state, 3);
	assert_int_equal(fd.l4, SCAP_L4_RAW);
	assert_int_equal(fd.local.port, 0);

	proc_tree_put_link(*state, "fd/3", "socket:[83]");
	fd = read_fd(*state, 3);
	assert_int_equal(fd.type, SCAP_FD_UNIX);
	assert_string_equal(fd.name, "/run/with blank ");
	assert_int_equal(fd.unix_socket, 0xffff88812345);
	proc_tree_put_link(*state, "fd/3", "socket:[84]");
	assert_string_equal(read_fd(*state, 3).name, "");
	proc_tree_put_link(*state, "fd/3", "socket:[85]");
	assert_string_equal(read_fd(*state, 3).name, "@abstract");
	proc_tree_put_link(*state, "fd/3", "socket:[86]");
	assert_int_equal(read_fd(*state, 3).type, SCAP_FD_UNSUPPORTED);
	proc_tree_put_link(*state, "fd/3", "socket:[87]");
	assert_int_equal(read_fd(*state, 3).type, SCAP_FD_NETLINK);
	proc_tree_put_link(*state, "fd/3", "socket:[88]"); /* who knows which of the two */
	assert_int_equal(read_fd(*state, 3).type, SCAP_FD_UNSUPPORTED);
}

/* One table for each namespace: the same inode number elsewhere is another socket. */
static void test_namespaces(void **state)
{
	proc_tree_put_link(*state, "fd/3", "socket:[77]");
	proc_tree_put_link(*state, "ns/net", "net:[1]");
	proc_tree_put(*state, "net/tcp",
		      PROC_TREE_TCP_HEADINGS
		      "   0: 0100A8C0:0016 00000000:0000 0A 0:0 00:0 0 0 0 77\n");
	assert_int_equal(read_fd(*state, 3).local.port, 22);
	proc_tree_put(*state, "net/tcp",
		      PROC_TREE_TCP_HEADINGS
		      "   0: 0100A8C0:0017 00000000:0000 0A 0:0 00:0 0 0 0 77\n");
	assert_int_equal(read_fd(*state, 3).local.port, 22); /* the table is kept */
	proc_tree_put_link(*state, "ns/net", "net:[2]");
	assert_int_equal(read_fd(*state, 3).local.port, 23);
	proc_tree_put_link(*state, "ns/net", "net:[1]");
	assert_int_equal(read_fd(*state, 3).local.port, 22);
	/* A new walk reads it anew. */
	assert_int_equal(scap_proc_rewind(((struct proc_tree *)*state)->proc), 0);
	assert_int_equal(read_fd(*state, 3).local.port, 23);
}

/* What no table lists is not found; what is found is the same when it is asked for again. */
static void test_find(void **state)
{
	static const struct {
		uint64_t ino;
		int code;
		uint16_t port;
	} cases[] = {{77, 0, 22}, {78, -ENOENT, 0}, {0, -ENOENT, 0}, {79, 0, 23}, {77, 0, 22}};
	struct proc_tree *tree = *state;
	struct proc_net net = {0};
	char path[64];
	int dir;

	proc_tree_put_link(tree, "ns/net", "net:[5]");
	proc_tree_put(tree, "net/udp",
		      PROC_TREE_TCP_HEADINGS
		      "   0: 0100A8C0:0016 00000000:0000 07 0:0 00:0 0 0 0 77 2 0 0\n"
		      "   1: 0100A8C0:0017 00000000:0000 07 0:0 00:0 0 0 0 79 2 0 0\n");
	snprintf(path, sizeof(path), "%s/70/task/70", tree->root);
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	assert_int_equal(proc_net_namespace(dir), 5);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct scap_fd fd = {.ino = cases[i].ino};

		assert_int_equal(proc_net_find(&net, dir, 5, cases[i].ino, &fd), cases[i].code);
		assert_int_equal(fd.l4, cases[i].code ? SCAP_L4_UNKNOWN : SCAP_L4_UDP);
		assert_int_equal(fd.local.port, cases[i].port);
	}
	proc_net_finish(&net);
	proc_tree_put_link(tree, "ns/net", "corrupt");
	assert_int_equal(proc_net_namespace(dir), 0);
	close(dir);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, proc_tree_setup, proc_tree_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_sockets),
	TEST(test_namespaces),
	TEST(test_find),
};

UNIT_GROUP(tests);
