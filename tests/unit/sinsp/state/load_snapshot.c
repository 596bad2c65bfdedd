/* SPDX-License-Identifier: MIT */
/* What a capture says of its machine: taken into the tables, and told again. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drive.h"
#include "sinsp/state/fds.h"
#include "telling.h"

static int setup(void **state)
{
	static struct drive drive;

	drive_create(&drive, NULL);
	*state = &drive;
	return 0;
}

static int teardown(void **state)
{
	drive_destroy(*state);
	return 0;
}

static void give_machine(struct scap_snapshot *to)
{
	const struct scap_machine machine = {
		.cpus = 3, .memory_bytes = 4 << 20, .boot_ns = 77000000000, .hostname = "far"};
	const struct scap_interface interfaces[] = {
		{.name = "lo", .address = {127, 0, 0, 1}, .netmask = {255}},
		{.name = "lo", .ipv6 = true, .address = {[15] = 1}, .link_speed = 9},
	};
	const struct scap_user users[] = {
		{.uid = 7, .gid = 8, .name = "seven", .home = "/home/7", .shell = "/bin/sh"},
		{.uid = 0, .gid = 0, .name = "chief", .home = "/chief", .shell = ""},
		{.uid = 7, .gid = 9, .name = "other", .home = "", .shell = ""},
	};
	const struct scap_group group = {.gid = 8, .name = "eight"};

	GIVE(to, begin);
	GIVE(to, machine, &machine);
	for (size_t i = 0; i < 2; i++)
		GIVE(to, interface, &interfaces[i]);
	for (size_t i = 0; i < 3; i++)
		GIVE(to, user, &users[i]);
	GIVE(to, group, &group);
}

/* What the numbers of the thread below are recorded as. */
#define RICH_NUMBERS                                                                               \
	"uid=7 gid=8 vm=7,8,9 faults=5,6 pidns=13 tty=34817 login=1000 exe_flags=9 caps=4,1,2 "      \
	"exe_file=10,11,12\n"

/* A thread of which everything is told. */
static void give_rich_thread(struct scap_snapshot *to)
{
	struct scap_thread thread = thread_of(200, 200, "fifteen-letters");

	thread.vtid = thread.vpid = 12;
	thread.vpgid = 13;
	thread.pgid = 14;
	thread.uid = 7;
	thread.gid = 8;
	thread.loginuid = 1000;
	thread.tty = 0x8801;
	thread.caps_permitted = 1;
	thread.caps_effective = 2;
	thread.caps_inheritable = 4;
	thread.faults_major = 5;
	thread.faults_minor = 6;
	thread.vm_size_kib = 7;
	thread.vm_rss_kib = 8;
	thread.vm_swap_kib = 9;
	thread.exe_ino = 10;
	thread.exe_ctime_ns = 11;
	thread.exe_mtime_ns = 12;
	thread.exe_flags = execve_flags__EXE_WRITABLE | execve_flags__EXE_LOWER_LAYER;
	thread.pidns_start_ns = 13;
	thread.exepath = "/bin/rich";
	thread.args = "a\0b b";
	thread.args_len = 6;
	thread.env = "HOME=/\0X=";
	thread.env_len = 10;
	thread.cgroups = "cpu=/a\0memory=/b";
	thread.cgroups_len = 17;
	thread.cwd = "/srv/x";
	thread.root = "/srv";
	GIVE(to, thread, &thread);
}

/* A descriptor of each kind that is told of. */
static void give_all_fds(struct scap_snapshot *to)
{
	for (enum scap_fd_type type = SCAP_FD_FILE; type < SCAP_FD_TYPES_COUNT; type++) {
		struct scap_fd fd = {
			.num = 2 * (int64_t)type,
			.type = type,
			.name = "name",
			.ino = 100 + (uint64_t)type,
			.flags = file_flags__O_RDWR | (type & 1 ? file_flags__O_CLOEXEC : 0),
			.dev = 300 + type,
		};

		if (type == SCAP_FD_UNIX) {
			fd.unix_socket = 0xffff8880aaaa0000;
			fd.unix_peer = 0xffff8880bbbb0000;
		}
		if (type == SCAP_FD_IPV4 || type == SCAP_FD_IPV6) {
			fd.name = "";
			fd.l4 = type == SCAP_FD_IPV4 ? SCAP_L4_UDP : SCAP_L4_UNKNOWN;
			fd.local = (struct scap_endpoint){{10, 0, 0, 1}, 1000};
			fd.remote = (struct scap_endpoint){{10, 0, 0, 2}, 53};
		}
		GIVE(to, fd, &fd);
	}
}

/* The listening port comes after the connections that it decides about. */
static void give_sockets(struct scap_snapshot *to)
{
	struct scap_fd unbound = {.num = 103, .type = SCAP_FD_IPV6, .name = "", .l4 = SCAP_L4_TCP};
	struct scap_fd ping = {
		.num = 104,
		.type = SCAP_FD_IPV4,
		.name = "",
		.l4 = SCAP_L4_ICMP,
		.local = {.address = {10, 0, 0, 1}},
		.remote = {.address = {10, 0, 0, 2}},
	};

	give_socket(to, 100, 80, 5000);
	give_socket(to, 101, 5000, 80);
	give_socket(to, 102, 80, 0);
	GIVE(to, fd, &unbound);
	GIVE(to, fd, &ping);
}

static void give_world(struct scap_snapshot *to)
{
	give_machine(to);
	give_thread(to, 201, 200, "helper"); /* before its main thread */
	give_thread(to, 300, 300, "server");
	give_rich_thread(to);
	give_thread(to, 202, 200, "helper");
	GIVE(to, fds, 200);
	give_all_fds(to);
	GIVE(to, fds, 300);
	give_sockets(to);
	GIVE(to, end);
}

static void fills_the_tables(void **state)
{
	struct drive *drive = *state;
	const struct sinsp_thread *thread;

	give_world(sinsp_snapshot(drive->sinsp));
	assert_string_equal(sinsp_hostname(drive->sinsp), "far");
	assert_string_equal(sinsp_user_name(drive->sinsp, 7), "seven");
	assert_string_equal(sinsp_user(drive->sinsp, 0)->home, "/chief");
	assert_null(sinsp_user_name(drive->sinsp, 1));
	assert_string_equal(sinsp_group_name(drive->sinsp, 8), "eight");
	assert_null(sinsp_group_name(drive->sinsp, 0));
	thread = drive_thread(drive, 200);
	assert_string_equal(thread->fs->cwd, "/srv/x/");
	assert_string_equal(thread->program->exepath, "/bin/rich");
	assert_int_equal(thread->nthreads, 3);
	/* Threads have what their process has, in whatever order they came. */
	assert_ptr_equal(drive_thread(drive, 201)->fds, thread->fds);
	assert_ptr_equal(drive_thread(drive, 202)->program, thread->program);
	assert_string_equal(drive_name(drive, 201, 2 * SCAP_FD_PIDFD), "name");
}

static void guesses_roles(void **state)
{
	struct drive *drive = *state;

	give_world(sinsp_snapshot(drive->sinsp));
	assert_string_equal(drive_name(drive, 300, 100), "127.0.0.2:5000->127.0.0.1:80");
	assert_string_equal(drive_name(drive, 300, 101), "127.0.0.1:5000->127.0.0.2:80");
	assert_string_equal(drive_name(drive, 300, 102), "127.0.0.1:80");
	assert_string_equal(drive_name(drive, 300, 103), "");
	assert_string_equal(drive_name(drive, 300, 104), "10.0.0.1->10.0.0.2");
	assert_string_equal(drive_name(drive, 200, 2 * SCAP_FD_IPV6), "<unknown>");
}

static void tells_what_it_was_told(void **state)
{
	struct drive *drive = *state;
	char *told;

	give_world(sinsp_snapshot(drive->sinsp));
	told = tell(drive->sinsp);
	assert_non_null(strstr(told, "begin\nmachine 3 4194304 0 77000000000 far\n"
				     "interface lo 7f00"));
	assert_non_null(strstr(told, "\nuser 0 0 chief /chief \nuser 7 8 seven /home/7 /bin/sh\n"
				     "group 8 eight\nthread tid=200 pid=200 "));
	assert_non_null(strstr(told,
			       "\nthread tid=200 pid=200 ptid=1 sid=1 vpgid=13 pgid=14 vtid=12 "
			       "vpid=12 comm=fifteen-letters exe=fifteen-letters exepath=/bin/rich "
			       "cwd=/srv/x/ root=/srv args=a|b b| env=HOME=/|X=| "
			       "cgroups=cpu=/a|memory=/b| limit=1024 flags=0 " RICH_NUMBERS));
	assert_non_null(strstr(told, "\nfds 200\nfd 2 type=1 ino=101 name=name flags=1003 dev=12d"));
	/* Of connections the end here comes first, whoever called. */
	assert_non_null(strstr(told, "\nfd 100 type=3 ino=0 name= flags=0 dev=0 l4=1 7f000001:80 "
				     "7f000002:"));
	free(told);
	retell(drive);
}

/* Main threads by id, then the others, then descriptors by process and number. */
static void tells_in_order(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = sinsp_snapshot(drive->sinsp);
	const char *at, *next;
	char *told;
	static const char *const order[] = {
		"\nthread tid=5 pid=5 ",     "\nthread tid=30 pid=30 ",
		"\nthread tid=200 pid=200 ", "\nthread tid=4 pid=200 ",
		"\nthread tid=6 pid=5 ",     "\nfds 5\n",
		"\nfd 1 type=1 ",	     "\nfd 40 type=1 ",
		"\nfds 30\nfds 200\nend\n",
	};

	GIVE(to, begin);
	give_thread(to, 6, 5, "a");
	give_thread(to, 200, 200, "b");
	give_thread(to, 4, 200, "c");
	give_thread(to, 30, 30, "d");
	give_thread(to, 5, 5, "e");
	GIVE(to, fds, 5);
	give_file(to, 40, "/x");
	give_file(to, 1, "/y");
	GIVE(to, end);
	told = tell(drive->sinsp);
	at = told;
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		next = strstr(at, order[i]);
		assert_non_null(next);
		at = next;
	}
	free(told);
}

/* What events made of the tables is told and understood like what was there before. */
static void tells_what_events_did(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;
	char *told;

	give_world(sinsp_snapshot(drive->sinsp));
	drive_exec(drive, 400, "new");
	drive_open(drive, 400, 3, "/etc/x", file_flags__O_RDONLY);
	drive_chdir(drive, 400, 0, "/tmp");
	frame = drive_begin(drive, EVENT_fcntl, 400);
	frame_put_i64(frame, fcntl__res, 0);
	frame_put_i64(frame, fcntl__fd, 3);
	frame_put_i64(frame, fcntl__cmd, fcntl_commands__F_SETFD);
	frame_put_i64(frame, fcntl__arg, 1);
	drive_end(drive);
	frame = drive_begin(drive, EVENT_accept4, 300);
	frame_put_i64(frame, accept4__fd, 110);
	frame_put_tuple(frame, accept4__tuple,
			&(struct frame_tuple){"127.0.0.9", "127.0.0.1", 6000, 80});
	drive_end(drive);
	frame = drive_begin(drive, EVENT_accept4, 300);
	frame_put_i64(frame, accept4__fd, 111);
	frame_put_unix_tuple(frame, accept4__tuple, 0xaa, 0xbb, "/run/x");
	drive_end(drive);
	frame = drive_begin(drive, EVENT_socket, 300);
	frame_put_i64(frame, socket__fd, 112);
	frame_put_i64(frame, socket__domain, 99); /* of no kind that has a name */
	drive_end(drive);
	drive_close(drive, 300, 0, 100);
	drive_exit(drive, 202, 0); /* one thread of three */
	drive_exit(drive, 200, 0); /* the main one, which stays for the other */
	told = tell(drive->sinsp);
	assert_non_null(strstr(told, "\nfd 3 type=1 ino=77 name=/etc/x flags=1001 dev=7"));
	assert_non_null(strstr(told, " cwd=/tmp/ "));
	assert_non_null(strstr(told, "\nfd 110 type=3 ino=0 name= flags=0 dev=0 l4=1 7f000001:"));
	assert_non_null(strstr(told, "\nfd 111 type=5 ino=0 name=aa->bb /run/x flags=0 dev=0 "
				     "unix=aa,bb\n"));
	assert_null(strstr(told, "\nfd 112 "));
	assert_null(strstr(told, "\nfd 100 "));
	assert_null(strstr(told, "\nthread tid=202 "));
	assert_null(strstr(told, "\nfds 202\n"));
	assert_non_null(strstr(told, " flags=40000 " RICH_NUMBERS));
	free(told);
	retell(drive);
	drive_exit(drive, 201, 0);
	drive_any(drive, 1);
	assert_null(sinsp_thread_find(drive->sinsp, 200));
}

/* A main thread that had ended goes with the last thread of its process. */
static void keeps_ended_leaders(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = sinsp_snapshot(drive->sinsp);
	struct scap_thread leader = thread_of(500, 500, "leader");

	leader.flags = clone_flags__CLOSED;
	GIVE(to, begin);
	GIVE(to, thread, &leader);
	give_thread(to, 501, 500, "last");
	GIVE(to, end);
	assert_int_equal(drive_thread(drive, 500)->nthreads, 1);
	drive_exit(drive, 501, 0);
	drive_any(drive, 1);
	assert_null(sinsp_thread_find(drive->sinsp, 500));
}

static void begins_anew(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = sinsp_snapshot(drive->sinsp);
	struct sinsp_stats stats;

	give_world(to);
	drive_any(drive, 200);
	drive_exit(drive, 300, 0);
	GIVE(to, begin);
	give_thread(to, 300, 300, "next");
	GIVE(to, fds, 300);
	give_socket(to, 7, 80, 5000);
	GIVE(to, end);
	sinsp_stats(drive->sinsp, &stats);
	assert_int_equal(stats.threads, 1);
	assert_int_equal(stats.fds, 1);
	assert_null(sinsp_user_name(drive->sinsp, 7));
	assert_string_equal(sinsp_hostname(drive->sinsp), "");
	/* Nobody listens on that port any more. */
	assert_string_equal(drive_name(drive, 300, 7), "127.0.0.1:80->127.0.0.2:5000");
	assert_int_equal(drive_any(drive, 300)->num, 3);
}

static void asks_this_machine_nothing(void **state)
{
	static const uint8_t localhost[] = {127, 0, 0, 1};
	struct drive *drive = *state;
	struct sinsp_stats stats;

	give_world(sinsp_snapshot(drive->sinsp));
	drive_any(drive, 1);
	drive_read(drive, 300, 1, 0);
	sinsp_stats(drive->sinsp, &stats);
	assert_int_equal(stats.thread_lookups + stats.fd_lookups, 0);
	assert_null(sinsp_host_name(drive->sinsp, localhost, sizeof(localhost)));
	assert_null(sinsp_user_name(drive->sinsp, 65534));
}

/* Threads that nothing told of: what they open is known, not what they are. */
static void follows_strangers(void **state)
{
	struct drive *drive = *state;

	drive_any(drive, 900);
	assert_null(drive->event.thread);
	give_world(sinsp_snapshot(drive->sinsp));
	drive_begin(drive, EVENT_page_fault, 900); /* not a call */
	assert_null(drive_end(drive)->thread);
	drive_any(drive, 0);
	assert_null(drive->event.thread);
	drive_open(drive, 900, 3, "/etc/x", file_flags__O_RDONLY);
	assert_string_equal(drive_name(drive, 900, 3), "/etc/x");
	assert_int_equal(drive_thread(drive, 900)->pid, -1);
	assert_int_equal(drive_thread(drive, 900)->uid, UINT32_MAX);
	retell(drive);
}

static void boots_differ(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = sinsp_snapshot(drive->sinsp);
	struct scap_machine machine = {.hostname = "a", .boot_ns = 5};
	uint64_t first;

	GIVE(to, machine, &machine);
	first = sinsp_boot(drive->sinsp);
	machine.boot_ns = 6;
	GIVE(to, machine, &machine);
	assert_int_not_equal(sinsp_boot(drive->sinsp), first);
	machine.boot_ns = 5;
	GIVE(to, machine, &machine);
	assert_int_equal(sinsp_boot(drive->sinsp), first);
}

/* Events that follow have the time of a clock that was set: so have the machine and its threads. */
static void times_follow_the_wall_clock(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = sinsp_snapshot(drive->sinsp);
	struct scap_thread thread = thread_of(200, 200, "cat");
	struct scap_event raw;
	char *text;

	thread.pidns_start_ns = 78000000001;
	thread.start_ns = 79000000001;
	give_machine(to);
	GIVE(to, thread, &thread);
	GIVE(to, end);
	frame_put_i64(drive_begin(drive, EVENT_syscall, 200), syscall__ID, SC_getppid);
	raw = frame_end(&drive->frame);
	raw.clock_step_ns = -7000000000;
	assert_int_equal(sinsp_process(drive->sinsp, &raw, &drive->event), 0);
	assert_int_equal(drive->event.clock_step_ns, -7000000000);
	text = tell(drive->sinsp);
	assert_non_null(strstr(text, " 70000000000 far\n"));
	assert_non_null(strstr(text, " pidns=71000000001 "));
	assert_non_null(strstr(text, " start=72000000001\n"));
	free(text);
}

static void stops_where_the_listener_fails(void **state)
{
	static const char *const calls[] = {"begin",  "machine", "interface", "user", "group",
					    "thread", "fds",	 "fd",	      "end"};
	struct drive *drive = *state;

	give_world(sinsp_snapshot(drive->sinsp));
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct recorder recorder = {.snapshot.ops = &recorder_ops, .rejected = calls[i]};
		const char *text, *last;

		assert_int_equal(sinsp_tell(drive->sinsp, &recorder.snapshot), -EIO);
		/* Nothing was told after that: it is the last line. */
		recorder.text.len--;
		text = recorder_text(&recorder);
		last = strrchr(text, '\n');
		last = last ? last + 1 : text;
		assert_int_equal(strcspn(last, " "), strlen(calls[i]));
		assert_memory_equal(last, calls[i], strlen(calls[i]));
		buf_finish(&recorder.text);
	}
}

/* This machine has processors, memory, a name, users that its files name, and this process. */
static void tells_this_machine(void **state)
{
	struct drive drive;
	struct scap_proc *proc;
	unsigned int cpus;
	uint64_t memory;
	char *told, self[64];

	assert_int_equal(scap_proc_open("/proc", &proc, NULL), 0);
	drive_create(&drive, &(struct sinsp_config){.proc = proc});
	assert_int_equal(sinsp_seed(drive.sinsp, NULL), 0);
	told = tell(drive.sinsp);
	assert_int_equal(sscanf(told, "begin\nmachine %u %" SCNu64, &cpus, &memory), 2);
	assert_true(cpus > 0 && memory > 0);
	assert_non_null(strstr(told, sinsp_hostname(drive.sinsp)));
	assert_non_null(strstr(told, "\nuser 0 0 root /root "));
	assert_non_null(strstr(told, "\ngroup 0 root\n"));
	snprintf(self, sizeof(self), "\nthread tid=%d pid=%d ptid=%d ", getpid(), getpid(),
		 getppid());
	assert_non_null(strstr(told, self));
	free(told);
	retell(&drive);
	drive_destroy(&drive);
	scap_proc_close(proc);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fills_the_tables),
		TEST(guesses_roles),
		TEST(tells_what_it_was_told),
		TEST(tells_in_order),
		TEST(tells_what_events_did),
		TEST(keeps_ended_leaders),
		TEST(begins_anew),
		TEST(asks_this_machine_nothing),
		TEST(follows_strangers),
		TEST(boots_differ),
		TEST(times_follow_the_wall_clock),
		TEST(stops_where_the_listener_fails),
		TEST(tells_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
