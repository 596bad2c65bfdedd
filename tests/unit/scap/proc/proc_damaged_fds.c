/* SPDX-License-Identifier: MIT */
/* Descriptors and sockets in /proc trees made up by the test: odd, damaged and missing content. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "proc_tree.h"

static struct scap_fd read_fd(struct proc_tree *tree, int64_t num)
{
	struct scap_fd fd;

	assert_int_equal(scap_proc_fd(tree->proc, 70, num, &fd), 0);
	return fd;
}

static void test_fd_types(void **state)
{
	static const struct {
		const char *target;
		enum scap_fd_type type;
	} cases[] = {
		{"/no/such/file", SCAP_FD_FILE},
		{"/memfd:a (deleted)", SCAP_FD_MEMFD},
		{"pipe:[5]", SCAP_FD_PIPE},
		{"pidfd:[5]", SCAP_FD_PIDFD},
		{"anon_inode:[pidfd]", SCAP_FD_PIDFD},
		{"anon_inode:[eventfd]", SCAP_FD_EVENT},
		{"anon_inode:[eventpoll]", SCAP_FD_EPOLL},
		{"anon_inode:[signalfd]", SCAP_FD_SIGNAL},
		{"anon_inode:[timerfd]", SCAP_FD_TIMER},
		{"anon_inode:inotify", SCAP_FD_INOTIFY},
		{"anon_inode:bpf-map", SCAP_FD_BPF},
		{"anon_inode:bpf-prog", SCAP_FD_BPF},
		{"anon_inode:bpf_link", SCAP_FD_BPF},
		{"anon_inode:[io_uring]", SCAP_FD_IO_URING},
		{"anon_inode:[userfaultfd]", SCAP_FD_USERFAULT},
		{"anon_inode:[perf_event]", SCAP_FD_UNSUPPORTED},
		{"socket:[77]", SCAP_FD_UNSUPPORTED},
		{"socket:[", SCAP_FD_FILE},
		{"mnt:[4026531840]", SCAP_FD_FILE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct scap_fd fd;

		proc_tree_put_link(*state, "fd/3", cases[i].target);
		fd = read_fd(*state, 3);
		assert_int_equal(fd.type, cases[i].type);
		assert_string_equal(fd.name, cases[i].target);
	}
}

/* Open flags whose values differ between architectures. */
#ifdef __aarch64__
#define LARGEFILE_RDWR "0400002"
#define DIRECTORY "040000"
#define TMPFILE "020040000"
#else
#define LARGEFILE_RDWR "0100002"
#define DIRECTORY "0200000"
#define TMPFILE "020200000"
#endif

static void test_fd_flags(void **state)
{
	static const struct {
		const char *fdinfo;
		uint32_t flags;
	} cases[] = {
		{"pos:\t0\nflags:\t" LARGEFILE_RDWR "\nmnt_id:\t1\n", 0x803},
		{"flags:\t02\n", 0x3},
		{"flags:\t00\n", 0x1},
		{"flags:\t03\n", 0x1},
		{"flags:\t02000001\n", 0x1002},
		{"flags:\t010000\n", 0x1 | 0x10 | 0x80},
		{"flags:\t04010000\n", 0x1 | 0x10 | 0x80},
		{"flags:\t" DIRECTORY "\n", 0x1 | 0x400 | 0x2000},
		{"flags:\t" TMPFILE "\n", 0x1 | 0x400 | 0x2000},
		{"flags:\t01\n", 0x2},
		{"flags:\t0777777777777777777777777777\n", 0},
		{"flags:\t", 0},
		{"flags", 0},
		{"", 0},
	};

	proc_tree_put_link(*state, "fd/3", "/x");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		proc_tree_put(*state, "fdinfo/3", cases[i].fdinfo);
		assert_int_equal(read_fd(*state, 3).flags, cases[i].flags);
	}
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, proc_tree_setup, proc_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fd_types),
		TEST(test_fd_flags),
		TEST(test_sockets),
		TEST(test_namespaces),
	};

	return cmocka_run_group_tests_name("proc_damaged_fds", tests, NULL, NULL);
}
