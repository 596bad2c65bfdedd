/* SPDX-License-Identifier: MIT */
/* Snapshots made by hand for the state engine, and those that it makes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "snapshots.h"

#include <stdlib.h>
#include <string.h>

struct scap_thread thread_of(int64_t tid, int64_t pid, const char *comm)
{
	struct scap_thread thread = {
		.tid = tid,
		.pid = pid,
		.ptid = 1,
		.vtid = tid,
		.vpid = pid,
		.pgid = pid,
		.vpgid = pid,
		.sid = 1,
		.loginuid = UINT32_MAX,
		.fd_limit = 1024,
		.exe = comm,
		.exepath = "",
		.args = "",
		.env = "",
		.cgroups = "",
		.cwd = "/",
		.root = "/",
	};

	memcpy(thread.comm, comm, strlen(comm));
	return thread;
}

void give_thread(struct scap_snapshot *to, int64_t tid, int64_t pid, const char *comm)
{
	struct scap_thread thread = thread_of(tid, pid, comm);

	GIVE(to, thread, &thread);
}

void give_file(struct scap_snapshot *to, int64_t num, const char *name)
{
	struct scap_fd fd = {.num = num, .type = SCAP_FD_FILE, .name = name};

	GIVE(to, fd, &fd);
}

void give_socket(struct scap_snapshot *to, int64_t num, uint16_t local, uint16_t remote)
{
	struct scap_fd fd = {
		.num = num,
		.type = SCAP_FD_IPV4,
		.name = "",
		.l4 = SCAP_L4_TCP,
		.local = {{127, 0, 0, 1}, local},
	};

	if (remote)
		fd.remote = (struct scap_endpoint){{127, 0, 0, 2}, remote};
	GIVE(to, fd, &fd);
}

char *dump_text(struct state *state)
{
	struct transcript transcript = {.snapshot.ops = &transcript_ops};

	assert_int_equal(state_dump(state, &transcript.snapshot), 0);
	buf_append_char(&transcript.text, '\0');
	assert_false(transcript.text.failed);
	return transcript.text.data;
}

static void assert_dumps_equal(struct state *a, struct state *b)
{
	char *text = dump_text(a), *again = dump_text(b);

	assert_string_equal(text, again);
	free(text);
	free(again);
}

void assert_dump_reloads(struct drive *drive)
{
	struct drive other;

	drive_create(&other, NULL);
	assert_int_equal(state_dump(drive->state, state_snapshot(other.state)), 0);
	assert_dumps_equal(drive->state, other.state);
	drive_destroy(&other);
}

void give_machine(struct scap_snapshot *to)
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

/* A thread of which everything is known. */
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

/* A descriptor of each type that a snapshot reports. */
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

void give_world(struct scap_snapshot *to)
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
