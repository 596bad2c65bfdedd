/* SPDX-License-Identifier: MIT */
/* The /proc reader on trees made up by the test: odd, damaged and missing content. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi.h"
#include "scap/proc.h"

#define STAT "S 1 70 60 34816 70 4194560 11 22 33 44 1 2 3 4 20 0 1 0 500 1000 20 0 0\n"
#define STATUS                                                                                     \
	"Name:\tx\nTgid:\t70\nPid:\t70\nPPid:\t1\nUid:\t0\t1000\t2\t3\nGid:\t0\t1001\t2\t3\n"      \
	"NStgid:\t70\t7\nNSpid:\t70\t8\nNSpgid:\t70\t9\nVmSize:\t  4000 kB\nVmRSS:\t 300 kB\n"     \
	"VmSwap:\t 20 kB\nCapInh:\t0000000000000001\nCapPrm:\t00000000000000ff\n"                  \
	"CapEff:\t000001ffffffffff\n"
#define TCP_HEADINGS                                                                               \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "      \
	"timeout inode\n"

struct tree {
	char root[32];
	struct scap_proc *proc;
};

static void path_of(const struct tree *tree, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/70/task/70/%s", tree->root, name);
}

static void put_bytes(struct tree *tree, const char *name, const char *bytes, size_t len)
{
	char path[256];
	int fd;

	path_of(tree, name, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void put(struct tree *tree, const char *name, const char *text)
{
	put_bytes(tree, name, text, strlen(text));
}

static void put_link(struct tree *tree, const char *name, const char *target)
{
	char path[256];

	path_of(tree, name, path, sizeof(path));
	unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

static void put_directory(struct tree *tree, const char *name)
{
	char path[256];

	path_of(tree, name, path, sizeof(path));
	assert_int_equal(mkdir(path, 0700), 0);
}

/* A process 70 with a main thread that has a stat and a status. */
static int setup(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));
	char path[64];

	strcpy(tree->root, "/tmp/lanner-proc-XXXXXX");
	assert_non_null(mkdtemp(tree->root));
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%.*s", tree->root, 3 + (i > 0) * 5 + (i > 1) * 3,
			 "/70/task/70");
		assert_int_equal(mkdir(path, 0700), 0);
	}
	put_directory(tree, "fd");
	put_directory(tree, "fdinfo");
	put_directory(tree, "net");
	put_directory(tree, "ns");
	put(tree, "stat", "70 (x) " STAT);
	put(tree, "status", STATUS);
	assert_int_equal(scap_proc_open(tree->root, &tree->proc, NULL), 0);
	*state = tree;
	return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	return remove(path);
}

static int teardown(void **state)
{
	struct tree *tree = *state;

	scap_proc_close(tree->proc);
	nftw(tree->root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(tree);
	return 0;
}

static struct scap_thread read_thread(struct tree *tree)
{
	struct scap_thread thread;

	assert_int_equal(scap_proc_thread(tree->proc, 70, &thread), 0);
	return thread;
}

static struct scap_fd read_fd(struct tree *tree, int64_t num)
{
	struct scap_fd fd;

	assert_int_equal(scap_proc_fd(tree->proc, 70, num, &fd), 0);
	return fd;
}

static void test_numbers(void **state)
{
	struct scap_thread thread = read_thread(*state);

	assert_string_equal(thread.comm, "x");
	assert_int_equal(thread.pid, 70);
	assert_int_equal(thread.ptid, 1);
	assert_int_equal(thread.pgid, 70);
	assert_int_equal(thread.sid, 60);
	assert_int_equal(thread.tty, 34816);
	assert_int_equal(thread.faults_minor, 11);
	assert_int_equal(thread.faults_major, 33);
	assert_int_equal(thread.uid, 1000);
	assert_int_equal(thread.gid, 1001);
	assert_int_equal(thread.vpid, 7);
	assert_int_equal(thread.vtid, 8);
	assert_int_equal(thread.vpgid, 9);
	assert_int_equal(thread.vm_size_kib, 4000);
	assert_int_equal(thread.vm_rss_kib, 300);
	assert_int_equal(thread.vm_swap_kib, 20);
	assert_int_equal(thread.caps_inheritable, 1);
	assert_int_equal(thread.caps_permitted, 0xff);
	assert_int_equal(thread.caps_effective, 0x1ffffffffff);
}

/* All that may be missing, for a kernel thread, for lack of rights, or because it is gone. */
static void test_only_stat_and_status(void **state)
{
	struct scap_thread thread = read_thread(*state);

	assert_string_equal(thread.exe, "");
	assert_string_equal(thread.exepath, "");
	assert_string_equal(thread.cwd, "");
	assert_string_equal(thread.root, "/");
	assert_string_equal(thread.args, "");
	assert_int_equal(thread.args_len, 0);
	assert_int_equal(thread.env_len, 0);
	assert_int_equal(thread.cgroups_len, 0);
	assert_int_equal(thread.loginuid, UINT32_MAX);
	assert_int_equal(thread.fd_limit, -1);
}

static void test_names(void **state)
{
	static const struct {
		const char *stat, *comm;
	} cases[] = {
		{"70 (a b) " STAT, "a b"},
		{"70 () " STAT, ""},
		{"70 (a) S 1 (b) " STAT, "a) S 1 (b"},
		{"70 ()))((() " STAT, ")))((("},
		{"70 (a\nTgid:\t1\n) " STAT, "a\nTgid:\t1\n"},
		{"70 (kworker/u8:10-events_unbound) " STAT, "kworker/u8:10-e"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put(*state, "stat", cases[i].stat);
		assert_string_equal(read_thread(*state).comm, cases[i].comm);
	}
}

/* The number before it has no room for a sign. */
static void test_where_the_stack_begins(void **state)
{
	static const char begin[] = "70 (x) S 1 2 60 34816 70 0 11 22 33 44 1 2 3 4 20 0 1 0 500 ";
	static const struct {
		const char *end;
		uint64_t start_stack;
	} cases[] = {
		{"1 2 18446744073709551615 4 5 140721234567890 7 8\n", 140721234567890},
		{"1 2 18446744073709551615 4 5 0 7 8\n", 0},
		{"1 2 18446744073709551615 4 5\n", 0},
		{"1 2 3 4 5 x\n", 0},
		{"1 2 3 4 5 99999999999999999999\n", 0},
		{"", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char stat[256];

		snprintf(stat, sizeof(stat), "%s%s", begin, cases[i].end);
		put(*state, "stat", stat);
		assert_true(read_thread(*state).exec_id == exec_id_of(500, cases[i].start_stack));
	}
}

static void test_damaged_stat(void **state)
{
	static const char *const texts[] = {
		"",
		"70",
		"70 (",
		"70 )(",
		"70 (x",
		"70 x)",
		"70 (x)",
		"70 (x) S",
		"70 (x) S 1 2 3\n",
		"70 (x) S 1 a 60 34816 70 4194560 11 22 33 44 1 2 3 4 20 0 1 0 500\n",
		"70 (x) S 1 99999999999999999999 60 34816 70 0 11 22 33 44 1 2 3 4 20 0 1 0 500\n",
		"\n\n\n",
		")(",
	};
	struct tree *tree = *state;
	struct scap_thread thread;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		put(tree, "stat", texts[i]);
		assert_int_equal(scap_proc_thread(tree->proc, 70, &thread), -EBADMSG);
		/* A walk passes over it. */
		assert_int_equal(scap_proc_rewind(tree->proc), 0);
		assert_int_equal(scap_proc_next(tree->proc, &thread), 0);
	}
}

static void test_damaged_status(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"Tgid:\t70\n",
		"Pid:\t70\n",
		"Tgid:\t\nPid:\t\n",
		"Tgid:\tx\nPid:\t70\n",
		"Tgid:\t-70\nPid:\t70\n",
		"Tgid:\t99999999999999999999999\nPid:\t70\n",
	};
	struct tree *tree = *state;
	struct scap_thread thread;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		put(tree, "status", texts[i]);
		assert_int_equal(scap_proc_thread(tree->proc, 70, &thread), -EBADMSG);
	}
	put(tree, "status", "Pid:\t70\nTgid:\t70\nUid:\t0\nGid:\nNSpid:\nCapEff:\tzz\nVmRSS:");
	thread = read_thread(tree);
	assert_int_equal(thread.uid, 0);
	assert_int_equal(thread.vtid, 70);
	assert_int_equal(thread.caps_effective, 0);
}

static void test_strings(void **state)
{
	char large[10000];
	struct scap_thread thread;

	put_bytes(*state, "cmdline", "prog\0one\0\0two\0", 14);
	put_bytes(*state, "environ", "A=1\0B", 5);
	thread = read_thread(*state);
	assert_string_equal(thread.exe, "prog");
	assert_int_equal(thread.args_len, 9);
	assert_memory_equal(thread.args, "one\0\0two\0", 9);
	assert_int_equal(thread.env_len, 6);
	assert_memory_equal(thread.env, "A=1\0B\0", 6);

	put(*state, "cmdline", "title without end");
	thread = read_thread(*state);
	assert_string_equal(thread.exe, "title without end");
	assert_int_equal(thread.args_len, 0);

	memset(large, 'x', sizeof(large));
	put_bytes(*state, "cmdline", large, sizeof(large));
	large[1] = '\0';
	put_bytes(*state, "environ", large, sizeof(large));
	thread = read_thread(*state);
	assert_int_equal(strlen(thread.exe), 4095);
	assert_int_equal(thread.args_len, 0);
	assert_int_equal(thread.env_len, 4096);
	assert_int_equal(thread.env[4095], '\0');
}

static void test_links(void **state)
{
	struct scap_thread thread;
	const char *cwd;

	put_link(*state, "exe", "/usr/bin/gone (deleted)");
	put_link(*state, "cwd", "/home/gone (deleted)");
	put_link(*state, "root", "/srv/jail");
	thread = read_thread(*state);
	assert_string_equal(thread.exepath, "/usr/bin/gone");
	assert_string_equal(thread.cwd, "/home/gone");
	assert_string_equal(thread.root, "/srv/jail");
	assert_int_equal(scap_proc_cwd(((struct tree *)*state)->proc, 70, &cwd), 0);
	assert_string_equal(cwd, "/home/gone");
	put_link(*state, "exe", " (deleted)");
	assert_string_equal(read_thread(*state).exepath, " (deleted)");
}

static void expect_cgroups(void **state, const char *file, const char *expected, size_t len)
{
	struct scap_thread thread;

	put(*state, "cgroup", file);
	thread = read_thread(*state);
	assert_int_equal(thread.cgroups_len, len);
	assert_memory_equal(thread.cgroups, expected, len);
}
#define EXPECT_CGROUPS(file, expected) expect_cgroups(state, file, expected, sizeof(expected) - 1)

static void test_cgroups(void **state)
{
	EXPECT_CGROUPS("4:memory:/m/1\n3:blkio:/b\n2:cpu,cpuacct:/c\n1:name=systemd:/s\n0::/u\n",
		       "cpuset=/u\0cpu=/c\0cpuacct=/c\0io=/b\0memory=/m/1\0");
	EXPECT_CGROUPS("0::/a/b:c\n",
		       "cpuset=/a/b:c\0cpu=/a/b:c\0cpuacct=/a/b:c\0io=/a/b:c\0memory=/a/b:c\0");
	EXPECT_CGROUPS("2:cpuset:/x\n", "cpuset=/x\0");
	EXPECT_CGROUPS("2:cpusets,xcpu,mem:/x\n", "");
	EXPECT_CGROUPS("", "");
	EXPECT_CGROUPS("x\n:\n1\n1:\n1:cpu\n::\n", "");
}

static void test_limits_and_loginuid(void **state)
{
	struct scap_thread thread;

	put(*state, "limits",
	    "Limit  Soft  Hard  Units\nMax open files            1024     4096  files\n");
	put(*state, "loginuid", "1000");
	thread = read_thread(*state);
	assert_int_equal(thread.fd_limit, 1024);
	assert_int_equal(thread.loginuid, 1000);
	put(*state, "limits", "Max open files            unlimited     unlimited  files\n");
	put(*state, "loginuid", "4294967295");
	thread = read_thread(*state);
	assert_int_equal(thread.fd_limit, -1);
	assert_int_equal(thread.loginuid, UINT32_MAX);
	put(*state, "limits", "Max open files");
	put(*state, "loginuid", "");
	thread = read_thread(*state);
	assert_int_equal(thread.fd_limit, -1);
	assert_int_equal(thread.loginuid, UINT32_MAX);
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

		put_link(*state, "fd/3", cases[i].target);
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

	put_link(*state, "fd/3", "/x");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put(*state, "fdinfo/3", cases[i].fdinfo);
		assert_int_equal(read_fd(*state, 3).flags, cases[i].flags);
	}
}

static void test_sockets(void **state)
{
	static const uint8_t address[16] = {192, 168, 0, 1};
	struct scap_fd fd;

	put_link(*state, "ns/net", "net:[1]");
	put(*state, "net/tcp",
	    TCP_HEADINGS "   0: 0100A8C0:0016 0200A8C0:C000 01 0:0 00:0 0 0 0 77 1 2 3\n"
			 "junk\n   1: 0100A8C0:0016\n   2: 0100A8C:16 0:0 0 0 0 0 0 0 78\n"
			 "   3: 0100A8C0:10016 0200A8C0:C000 01 0:0 00:0 0 0 0 79\n"
			 "   4: 0100A8C0:0016 0200A8C0:C000 01 0:0 00:0 0 0 0 80x\n"
			 "   5: 0100A8C0:0016 0200A8C0:C000 06 0:0 00:0 0 0 0 0\n"
			 "   6: 0100A8C0:0017 00000000:0000 0A 0:0 00:0 0 0 0 81");
	put(*state, "net/raw",
	    TCP_HEADINGS "   1: 00000000:0001 00000000:0000 07 0:0 00:0 0 0 0 82 2 0 0\n");
	put(*state, "net/unix",
	    "Num RefCount Protocol Flags Type St Inode Path\n"
	    "ffff88812345: 00000002 00000000 00010000 0001 01 83 /run/with blank \n"
	    "1: 2 0 0 1 01 88 /path\n2: 2 0 0 1 01 77 /forged\n3: 2 0 0 1 01 88 /forged\n"
	    "0000000000000000: 00000003 00000000 00000000 0001 03 84\n"
	    "0000000000000000: 00000003 00000000 00000000 0001 03 85 @abstract\n"
	    ": 3 0 0 1 03 86 x\n");
	put(*state, "net/netlink",
	    "sk Eth Pid Groups Rmem Wmem Dump Locks Drops Inode\n"
	    "0000000000000000 0   0          00000000 0        0        0 2  0        87\n");

	put_link(*state, "fd/3", "socket:[77]");
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
		put_link(*state, "fd/3", target);
		assert_int_equal(read_fd(*state, 3).type, SCAP_FD_UNSUPPORTED);
	}
	put_link(*state, "fd/3", "socket:[81]");
	assert_int_equal(read_fd(*state, 3).local.port, 23);

	put_link(*state, "fd/3", "socket:[82]");
	fd = read_fd(*state, 3);
	assert_int_equal(fd.l4, SCAP_L4_RAW);
	assert_int_equal(fd.local.port, 0);

	put_link(*state, "fd/3", "socket:[83]");
	fd = read_fd(*state, 3);
	assert_int_equal(fd.type, SCAP_FD_UNIX);
	assert_string_equal(fd.name, "/run/with blank ");
	assert_int_equal(fd.unix_socket, 0xffff88812345);
	put_link(*state, "fd/3", "socket:[84]");
	assert_string_equal(read_fd(*state, 3).name, "");
	put_link(*state, "fd/3", "socket:[85]");
	assert_string_equal(read_fd(*state, 3).name, "@abstract");
	put_link(*state, "fd/3", "socket:[86]");
	assert_int_equal(read_fd(*state, 3).type, SCAP_FD_UNSUPPORTED);
	put_link(*state, "fd/3", "socket:[87]");
	assert_int_equal(read_fd(*state, 3).type, SCAP_FD_NETLINK);
	put_link(*state, "fd/3", "socket:[88]"); /* who knows which of the two */
	assert_int_equal(read_fd(*state, 3).type, SCAP_FD_UNSUPPORTED);
}

/* One table for each namespace: the same inode number elsewhere is another socket. */
static void test_namespaces(void **state)
{
	put_link(*state, "fd/3", "socket:[77]");
	put_link(*state, "ns/net", "net:[1]");
	put(*state, "net/tcp",
	    TCP_HEADINGS "   0: 0100A8C0:0016 00000000:0000 0A 0:0 00:0 0 0 0 77\n");
	assert_int_equal(read_fd(*state, 3).local.port, 22);
	put(*state, "net/tcp",
	    TCP_HEADINGS "   0: 0100A8C0:0017 00000000:0000 0A 0:0 00:0 0 0 0 77\n");
	assert_int_equal(read_fd(*state, 3).local.port, 22); /* the table is kept */
	put_link(*state, "ns/net", "net:[2]");
	assert_int_equal(read_fd(*state, 3).local.port, 23);
	put_link(*state, "ns/net", "net:[1]");
	assert_int_equal(read_fd(*state, 3).local.port, 22);
	/* A new walk reads it anew. */
	assert_int_equal(scap_proc_rewind(((struct tree *)*state)->proc), 0);
	assert_int_equal(read_fd(*state, 3).local.port, 23);
}

static void test_walk_passes_over_others(void **state)
{
	static const char *const names[] = {"self", "0x46", "70x",
					    "-70",  "71",   "99999999999999999999"};
	struct tree *tree = *state;
	struct scap_thread thread;
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", tree->root, names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_int_equal(scap_proc_next(tree->proc, &thread), 0);
	assert_int_equal(scap_proc_rewind(tree->proc), 0);
	assert_int_equal(scap_proc_next(tree->proc, &thread), 1);
	assert_int_equal(thread.tid, 70);
	assert_int_equal(scap_proc_next(tree->proc, &thread), 0);
}

/* A walk that cannot go on does not end as if all had been seen. */
static void test_walk_without_descriptors(void **state)
{
	struct tree *tree = *state;
	struct scap_thread thread;
	struct rlimit limit, none;

	assert_int_equal(scap_proc_rewind(tree->proc), 0);
	getrlimit(RLIMIT_NOFILE, &limit);
	none = (struct rlimit){0, limit.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	assert_int_equal(scap_proc_next(tree->proc, &thread), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Cuts and flips of good files: whatever comes out, nothing may be read outside (ASan). */
static void test_random_damage(void **state)
{
	static const char good[] = "70 (x) " STAT;
	static const char tcp[] =
		TCP_HEADINGS "   0: 0100A8C0:0016 0200A8C0:C000 01 0:0 00:0 0 0 0 77 1 2 3\n"
			     "   1: 0100A8C0:0016 0200A8C0:C000 01 0:0 00:0 0 0 0 78 1 2 3\n";
	struct tree *tree = *state;
	struct scap_thread thread;
	struct scap_fd fd;
	char text[sizeof(tcp) + sizeof(STATUS) + sizeof(good)];

	srandom(1);
	put_link(tree, "fd/3", "socket:[77]");
	for (int i = 0; i < 1000; i++) {
		static const struct {
			const char *name, *text;
			size_t len;
		} files[] = {
			{"stat", good, sizeof(good) - 1},
			{"status", STATUS, sizeof(STATUS) - 1},
			{"net/tcp", tcp, sizeof(tcp) - 1},
			{"net/unix", tcp, sizeof(tcp) - 1},
			{"cgroup", "4:memory:/m/1\n0::/\n", 19},
		};
		size_t file = (size_t)i % (sizeof(files) / sizeof(*files));
		size_t len = (size_t)random() % (files[file].len + 1);

		memcpy(text, files[file].text, len);
		for (int flips = (int)(random() % 4); flips > 0 && len; flips--)
			text[(size_t)random() % len] = (char)random();
		put_bytes(tree, files[file].name, text, len);
		scap_proc_rewind(tree->proc);
		while (scap_proc_next(tree->proc, &thread) == 1)
			;
		scap_proc_fd(tree->proc, 70, 3, &fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_only_stat_and_status, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_where_the_stack_begins, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged_stat, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged_status, setup, teardown),
		cmocka_unit_test_setup_teardown(test_strings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cgroups, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits_and_loginuid, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fd_types, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fd_flags, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sockets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_namespaces, setup, teardown),
		cmocka_unit_test_setup_teardown(test_walk_passes_over_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_walk_without_descriptors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_damage, setup, teardown),
	};

	return cmocka_run_group_tests_name("proc_damaged", tests, NULL, NULL);
}
