/* SPDX-License-Identifier: MIT */
/* Threads and descriptors byte by byte, as entries of the lists of a capture file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "written.h"

static const struct scap_thread worker = {
	.tid = 102,
	.pid = 101,
	.ptid = 1,
	.vtid = 12,
	.vpid = 11,
	.pgid = 99,
	.vpgid = 9,
	.sid = 98,
	.uid = 1000,
	.gid = 1001,
	.loginuid = 1002,
	.tty = 0x8800,
	.fd_limit = 1024,
	.caps_permitted = 2,
	.caps_effective = 3,
	.caps_inheritable = 1,
	.faults_major = 7,
	.faults_minor = 8,
	.vm_size_kib = 4,
	.vm_rss_kib = 5,
	.vm_swap_kib = 6,
	.exe_ino = 77,
	.exe_ctime_ns = 78,
	.exe_mtime_ns = 79,
	.exe_flags = 0x1 | 0x8,
	.flags = 0x2001,
	.pidns_start_ns = 55,
	.comm = "worker",
	.exe = "./w",
	.exepath = "/usr/bin/w",
	.args = "-a\0b",
	.args_len = 5,
	.env = "A=1",
	.env_len = 4,
	.cgroups = "cpu=/x\0io=/",
	.cgroups_len = 12,
	.cwd = "/tmp",
	.root = "/",
};

#define WORKER "8:102 8:101 8:1 8:98 8:9 s'worker s'./w s'/usr/bin/w s'-a~b~ s'/tmp 8:1024 "

#define WORKER_REST "4:1000 4:1001 4:4 4:5 4:6 8:7 8:8 s'A=1~ 8:12 8:11 s'cpu=/x~io=/~ s'/ "

static void test_thread(void **state)
{
	struct scap_thread thread = worker;
	struct written test;

	written_begin(&test, (struct scap_writer_config){0});
	test.to->ops->thread(test.to, &thread);
	thread.exe_flags = 0x2 | 0x4;
	thread.flags = 0x100;
	test.to->ops->thread(test.to, &thread);
	test.to->ops->end(test.to);
	written_look(&test);
	written_expect(&test, 0x215,
		       "4:245 " WORKER "4:0x2001 " WORKER_REST
		       "8:55 4:0x8800 4:1002 1:1 8:1 8:2 8:3 1:0 8:77 8:78 8:79 1:0 1:1 8:99 "
		       "4:245 " WORKER "4:0x100 " WORKER_REST
		       "8:55 4:0x8800 4:1002 1:0 8:1 8:2 8:3 1:1 8:77 8:78 8:79 1:1 1:0 8:99");
	written_end(&test);
	written_begin(&test, (struct scap_writer_config){.form_2022 = true});
	thread = worker;
	thread.tid = thread.pid;
	thread.flags = 0;
	test.to->ops->thread(test.to, &thread);
	test.to->ops->end(test.to);
	written_look(&test);
	written_expect(&test, 0x215,
		       "4:198 8:101 8:101 8:1 8:98 8:9 s'worker s'./w s'/usr/bin/w s'-a~b~ s'/tmp "
		       "8:1024 4:0 " WORKER_REST "4:1002 1:1 8:1 8:2 8:3");
	written_end(&test);
}

static char *text_of(char c, size_t len)
{
	char *text = malloc(len + 1);

	assert_non_null(text);
	memset(text, c, len);
	text[len] = '\0';
	return text;
}

/* Lengths and places of the strings of an entry, up to the arguments. */
static const uint8_t *pass_strings(const uint8_t *at, size_t n)
{
	for (; n > 0; n--)
		at += 2 + (at[0] | at[1] << 8);
	return at;
}

/* Paths are cut anywhere, lists of strings after a whole one. */
static void test_long_strings(void **state)
{
	char *path = text_of('p', 3000), *args = text_of('a', 8000);
	struct scap_thread thread = worker;
	struct written test;
	const uint8_t *at;

	args[2999] = args[4000] = args[6000] = '\0';
	thread.exepath = path;
	thread.args = args;
	thread.args_len = 8001;
	written_begin(&test, (struct scap_writer_config){0});
	test.to->ops->thread(test.to, &thread);
	test.to->ops->end(test.to);
	args[2999] = args[4000] = 'a';
	args[4096] = '\0';
	test.to->ops->thread(test.to, &thread);
	test.to->ops->end(test.to);
	written_look(&test);
	at = pass_strings(written_block(&test).body + 44, 2);
	assert_int_equal(at[0] | at[1] << 8, 1023);
	at = pass_strings(at, 1);
	assert_int_equal(at[0] | at[1] << 8, 4001);
	assert_int_equal(at[2 + 4000], 0);
	at = pass_strings(at, 1);
	assert_memory_equal(at, "\4\0/tmp", 6);
	at = pass_strings(written_block(&test).body + 44, 3);
	assert_int_equal(at[0] | at[1] << 8, 4096);
	assert_int_equal(at[2 + 4094], 'a');
	assert_int_equal(at[2 + 4095], 0);
	at = pass_strings(at, 1);
	assert_memory_equal(at, "\4\0/tmp", 6);
	written_end(&test);
	free(path);
	free(args);
}

static const struct {
	struct scap_fd fd;
	const char *bytes;
} fds[] = {
	{{.num = 0, .type = SCAP_FD_UNKNOWN, .name = "?"}, NULL},
	{{.num = 1, .type = SCAP_FD_FILE, .ino = 5, .flags = 0x1001, .dev = 0x801, .name = "/a/b"},
	 "4:35 8:1 8:5 1:16 4:0x1001 s'/a/b 4:0x801"},
	{{.num = 2, .type = SCAP_FD_DIRECTORY, .ino = 6, .name = "/a"}, "4:25 8:2 8:6 1:2 s'/a"},
	{{.num = 3,
	  .type = SCAP_FD_IPV4,
	  .l4 = SCAP_L4_TCP,
	  .ino = 7,
	  .name = "",
	  .local = {{10, 0, 0, 1}, 4000},
	  .remote = {{10, 0, 0, 2}, 80}},
	 "4:34 8:3 8:7 1:3 4:0x0100000a 4:0x0200000a 2:4000 2:80 1:2"},
	{{.num = 4, .type = SCAP_FD_IPV4, .l4 = SCAP_L4_UDP, .name = "", .local = {{0}, 53}},
	 "4:28 8:4 8:0 1:5 4:0 2:53 1:3"},
	{{.num = 5,
	  .type = SCAP_FD_IPV6,
	  .l4 = SCAP_L4_ICMP,
	  .name = "",
	  .local = {{1, [15] = 2}, 7},
	  .remote = {{3, [15] = 4}, 0}},
	 "4:58 8:5 8:0 1:4 1:1 _14 1:2 1:3 _14 1:4 2:7 2:0 1:4"},
	{{.num = 6, .type = SCAP_FD_IPV6, .l4 = SCAP_L4_RAW, .name = "", .local = {{[15] = 1}, 8}},
	 "4:40 8:6 8:0 1:6 _15 1:1 2:8 1:5"},
	{{.num = 7,
	  .type = SCAP_FD_UNIX,
	  .unix_socket = 0xffff888000000001,
	  .unix_peer = 0xffff888000000002,
	  .name = "/run/s"},
	 "4:45 8:7 8:0 1:8 8:0xffff888000000001 8:0xffff888000000002 s'/run/s"},
	{{.num = 8, .type = SCAP_FD_PIPE, .ino = 9, .name = "pipe:[9]"},
	 "4:31 8:8 8:9 1:7 s'pipe:[9]"},
	{{.num = 9, .type = SCAP_FD_EVENT, .name = ""}, "4:23 8:9 8:0 1:9 s'"},
	{{.num = 10, .type = SCAP_FD_UNSUPPORTED, .name = "x"}, "4:24 8:10 8:0 1:10 s'x"},
	{{.num = 11, .type = SCAP_FD_SIGNAL, .name = ""}, "4:23 8:11 8:0 1:11 s'"},
	{{.num = 12, .type = SCAP_FD_EPOLL, .name = ""}, "4:23 8:12 8:0 1:12 s'"},
	{{.num = 13, .type = SCAP_FD_INOTIFY, .name = ""}, "4:23 8:13 8:0 1:13 s'"},
	{{.num = 14, .type = SCAP_FD_TIMER, .name = ""}, "4:23 8:14 8:0 1:14 s'"},
	{{.num = 15, .type = SCAP_FD_NETLINK, .name = ""}, "4:23 8:15 8:0 1:15 s'"},
	{{.num = 17, .type = SCAP_FD_BPF, .name = ""}, "4:23 8:17 8:0 1:17 s'"},
	{{.num = 18, .type = SCAP_FD_USERFAULT, .name = ""}, "4:23 8:18 8:0 1:18 s'"},
	{{.num = 19, .type = SCAP_FD_IO_URING, .name = ""}, "4:23 8:19 8:0 1:19 s'"},
	{{.num = 20, .type = SCAP_FD_MEMFD, .flags = 2, .dev = 1, .name = "/memfd:m"},
	 "4:31 8:20 8:0 1:20 s'/memfd:m"},
	{{.num = 21, .type = SCAP_FD_PIDFD, .name = ""}, "4:23 8:21 8:0 1:21 s'"},
};

static void test_fds(void **state)
{
	struct written test;

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		char text[256];

		written_begin(&test, (struct scap_writer_config){0});
		assert_int_equal(test.to->ops->fds(test.to, 101), 0);
		assert_int_equal(test.to->ops->fd(test.to, &fds[i].fd), 0);
		assert_int_equal(test.to->ops->end(test.to), 0);
		written_look(&test);
		snprintf(text, sizeof(text), "8:101 %s", fds[i].bytes ? fds[i].bytes : "");
		written_expect(&test, 0x218, text);
		written_end(&test);
	}
}

/* Readers of 2022 reject a file with kinds that they do not know. */
static void test_fds_2022(void **state)
{
	struct written test;
	struct scap_fd file = fds[1].fd;

	written_begin(&test, (struct scap_writer_config){.form_2022 = true});
	test.to->ops->fds(test.to, 101);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i].fd.num >= 17)
			test.to->ops->fd(test.to, &fds[i].fd);
	test.to->ops->fd(test.to, &file);
	test.to->ops->end(test.to);
	written_look(&test);
	written_expect(&test, 0x218,
		       "8:101 4:23 8:17 8:0 1:10 s' 4:23 8:18 8:0 1:10 s' 4:23 8:19 8:0 1:10 s' "
		       "4:39 8:20 8:0 1:16 4:2 s'/memfd:m 4:1 4:23 8:21 8:0 1:10 s' "
		       "4:35 8:1 8:5 1:16 4:0x1001 s'/a/b 4:0x801");
	written_end(&test);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_thread),
	cmocka_unit_test(test_long_strings),
	cmocka_unit_test(test_fds),
	cmocka_unit_test(test_fds_2022),
};

UNIT_GROUP(tests);
