/* SPDX-License-Identifier: MIT */
/* Captures made by hand for the state engine, told to it and by it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "telling.h"

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

char *tell(struct sinsp *sinsp)
{
	struct recorder recorder = {.snapshot.ops = &recorder_ops};

	assert_int_equal(sinsp_tell(sinsp, &recorder.snapshot), 0);
	buf_append_char(&recorder.text, '\0');
	assert_false(recorder.text.failed);
	return recorder.text.data;
}

static void assert_told_alike(struct sinsp *a, struct sinsp *b)
{
	char *told = tell(a), *again = tell(b);

	assert_string_equal(told, again);
	free(told);
	free(again);
}

void retell(struct drive *drive)
{
	struct drive other;

	drive_create(&other, NULL);
	assert_int_equal(sinsp_tell(drive->sinsp, sinsp_snapshot(other.sinsp)), 0);
	assert_told_alike(drive->sinsp, other.sinsp);
	drive_destroy(&other);
}
