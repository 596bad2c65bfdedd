/* SPDX-License-Identifier: MIT */
/*
 * The events that filters and formats are applied to: a break-in into a web server. Few, as each
 * run prints all, but of many kinds: with every parameter type that fields read, failed and
 * successful, with and without a descriptor, of known and unknown threads.
 */
#include <errno.h>
#include <sys/socket.h>

#include "drive.h"
#include "fuzz.h"

enum { INIT = 1, SERVER = 100, SHELL = 200, STRANGER = 300 };

static struct state_event *init_starts(struct drive *drive)
{
	return drive_exec_below(drive, INIT, 0, "init");
}

static struct state_event *server_starts(struct drive *drive)
{
	static const char args[] = "-c\0/etc/web.conf\0--workers=4";
	static const char env[] = "PATH=/usr/bin:/bin\0HOME=/srv";
	static const char cgroups[] = "cpuset=/\0memory=/kube/pod7/c0ffee";
	struct frame *frame = drive_begin(drive, EVENT_execve, SERVER);

	frame_put_i64(frame, execve__res, 0);
	frame_put_i64(frame, execve__tid, SERVER);
	frame_put_i64(frame, execve__pid, SERVER);
	frame_put_i64(frame, execve__ptid, INIT);
	frame_put_i64(frame, execve__fdlimit, 1024);
	frame_put_i64(frame, execve__pgft_maj, 3);
	frame_put_i64(frame, execve__vm_size, 4096);
	frame_put_i64(frame, execve__tty, 34816);
	frame_put_i64(frame, execve__uid, 33);
	frame_put_string(frame, execve__exe, "/usr/sbin/web");
	frame_put_bytes(frame, execve__args, args, sizeof(args));
	frame_put_bytes(frame, execve__env, env, sizeof(env));
	frame_put_bytes(frame, execve__cgroups, cgroups, sizeof(cgroups));
	frame_put_string(frame, execve__cwd, "/srv");
	frame_put_string(frame, execve__comm, "web");
	frame_put_string(frame, execve__trusted_exepath, "/usr/sbin/web");
	frame_put_string(frame, execve__filename, "/usr/sbin/web");
	return drive_end(drive);
}

static struct state_event *server_makes_socket(struct drive *drive)
{
	struct frame *frame = drive_begin(drive, EVENT_socket, SERVER);

	frame_put_i64(frame, socket__fd, 3);
	frame_put_i64(frame, socket__domain, AF_INET6);
	frame_put_i64(frame, socket__type, SOCK_STREAM);
	frame_put_i64(frame, socket__proto, 0);
	return drive_end(drive);
}

static struct state_event *server_listens(struct drive *drive)
{
	struct frame *frame = drive_begin(drive, EVENT_bind, SERVER);

	frame_put_i64(frame, bind__res, 0);
	frame_put_i64(frame, bind__fd, 3);
	frame_put_ip(frame, bind__addr, "::", 443);
	return drive_end(drive);
}

static struct state_event *client_comes(struct drive *drive)
{
	static const struct frame_tuple tuple = {"2001:db8::7", "2001:db8::1", 51000, 443};
	struct frame *frame = drive_begin(drive, EVENT_accept4, SERVER);

	frame_put_i64(frame, accept4__fd, 4);
	frame_put_tuple(frame, accept4__tuple, &tuple);
	frame_put_i64(frame, accept4__queuepct, 0);
	return drive_end(drive);
}

static struct state_event *server_polls(struct drive *drive)
{
	static const struct fdlist_entry entries[] = {{3, 1}, {4, 0x21}, {77, 4}};
	struct frame *frame = drive_begin(drive, EVENT_poll, SERVER);

	frame_put_i64(frame, poll__res, 1);
	frame_put_fdlist(frame, poll__fds, entries, 3);
	frame_put_i64(frame, poll__timeout, -1);
	return drive_end(drive);
}

static struct state_event *server_receives(struct drive *drive)
{
	static const char data[] = "GET /?q=%3B\x01\xff\"sh HTTP/1.1\r\n";
	struct frame *frame = drive_begin(drive, EVENT_read, SERVER);

	frame_put_i64(frame, read__res, sizeof(data));
	frame_put_bytes(frame, read__data, data, sizeof(data));
	frame_put_i64(frame, read__fd, 4);
	frame_put_i64(frame, read__size, 4096);
	return drive_end(drive);
}

static struct state_event *server_forks(struct drive *drive)
{
	drive_fork(drive, SERVER, SHELL);
	return &drive->event;
}

static struct state_event *shell_starts(struct drive *drive)
{
	return drive_exec_below(drive, SHELL, SERVER, "sh");
}

static struct state_event *shell_opens(struct drive *drive)
{
	return drive_open(drive, SHELL, 5, "/etc/shadow", 1);
}

static struct state_event *shell_fails_to_open(struct drive *drive)
{
	return drive_openat(drive, SHELL, -EACCES, -100, "../root/\xc3\xa9 id");
}

static struct state_event *shell_connects(struct drive *drive)
{
	static const struct frame_tuple tuple = {"10.0.0.1", "192.0.2.66", 40000, 4444};
	struct frame *frame = drive_begin(drive, EVENT_connect, SHELL);

	frame_put_i64(frame, connect__res, -EINPROGRESS);
	frame_put_tuple(frame, connect__tuple, &tuple);
	frame_put_i64(frame, connect__fd, 6);
	frame_put_ip(frame, connect__addr, "192.0.2.66", 4444);
	return drive_end(drive);
}

static struct state_event *shell_sets_timeout(struct drive *drive)
{
	struct frame *frame = drive_begin(drive, EVENT_setsockopt, SHELL);

	frame_put_i64(frame, setsockopt__res, 0);
	frame_put_i64(frame, setsockopt__fd, 6);
	frame_put_i64(frame, setsockopt__level, 1);
	frame_put_i64(frame, setsockopt__optname, 20);
	frame_put_dyn(frame, setsockopt__val, 4, 2000000000);
	return drive_end(drive);
}

static struct state_event *shell_logs(struct drive *drive)
{
	struct frame *frame = drive_begin(drive, EVENT_connect, SHELL);

	frame_put_i64(frame, connect__res, 0);
	frame_put_unix_tuple(frame, connect__tuple, 0xffff888001234567, 0, "/dev/log");
	frame_put_i64(frame, connect__fd, 7);
	return drive_end(drive);
}

static struct state_event *shell_renames(struct drive *drive)
{
	struct frame *frame = drive_begin(drive, EVENT_renameat2, SHELL);

	frame_put_i64(frame, renameat2__res, 0);
	frame_put_i64(frame, renameat2__olddirfd, -100);
	frame_put_string(frame, renameat2__oldpath, "a//./b");
	frame_put_i64(frame, renameat2__newdirfd, 99);
	frame_put_string(frame, renameat2__newpath, "");
	frame_put_i64(frame, renameat2__flags, 1);
	return drive_end(drive);
}

static struct state_event *shell_becomes_root(struct drive *drive)
{
	struct frame *frame = drive_begin(drive, EVENT_setuid, SHELL);

	frame_put_i64(frame, setuid__res, 0);
	frame_put_i64(frame, setuid__uid, 0);
	return drive_end(drive);
}

static struct state_event *shell_closes(struct drive *drive)
{
	return drive_close(drive, SHELL, 0, 5);
}

/* A call newer than the table. */
static struct state_event *stranger_calls(struct drive *drive)
{
	struct frame *frame = drive_begin(drive, EVENT_syscall, STRANGER);

	frame_put_i64(frame, syscall__ID, SC_unknown);
	frame_put_i64(frame, syscall__nativeID, 9999);
	return drive_end(drive);
}

static struct state_event *stranger_waits(struct drive *drive)
{
	struct frame *frame = drive_begin(drive, EVENT_switch, STRANGER);

	frame_put_i64(frame, switch__next, SHELL);
	frame_put_i64(frame, switch__vm_rss, 512);
	return drive_end(drive);
}

static struct state_event *shell_ends(struct drive *drive)
{
	return drive_exit(drive, SHELL, INIT);
}

static struct state_event *(*const story[])(struct drive *drive) = {
	init_starts,	     server_starts,   server_makes_socket, server_listens, client_comes,
	server_polls,	     server_receives, server_forks,	   shell_starts,   shell_opens,
	shell_fails_to_open, shell_connects,  shell_sets_timeout,  shell_logs,	   shell_renames,
	shell_becomes_root,  shell_closes,    stranger_calls,	   stranger_waits, shell_ends,
};

void fuzz_show_events(void (*see)(const struct state_event *event, void *context), void *context)
{
	static struct drive drive;

	drive_create(&drive, NULL);
	for (size_t i = 0; i < sizeof(story) / sizeof(story[0]); i++)
		see(story[i](&drive), context);
	drive_destroy(&drive);
}
