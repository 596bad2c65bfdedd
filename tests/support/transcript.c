/* SPDX-License-Identifier: MIT */
/* The calls of a snapshot, as text. */
#include "transcript.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static struct transcript *transcript_of(struct scap_snapshot *to)
{
	return (struct transcript *)to;
}

static struct buf *text_of(struct scap_snapshot *to)
{
	return &transcript_of(to)->text;
}

/* Ends the line of a call; returns the answer to it. */
static int end_line(struct scap_snapshot *to, const char *call)
{
	const struct transcript *transcript = transcript_of(to);

	buf_append_char(text_of(to), '\n');
	return transcript->rejected && strcmp(transcript->rejected, call) == 0 ? -EIO
									       : transcript->answer;
}

static int write_begin(struct scap_snapshot *to)
{
	buf_printf(text_of(to), "begin");
	return end_line(to, "begin");
}

static int write_end(struct scap_snapshot *to)
{
	buf_printf(text_of(to), "end");
	return end_line(to, "end");
}

static int write_machine(struct scap_snapshot *to, const struct scap_machine *machine)
{
	buf_printf(text_of(to), "machine %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s",
		   machine->cpus, machine->memory_bytes, machine->max_pid, machine->boot_ns,
		   machine->hostname);
	return end_line(to, "machine");
}

static void print_address(struct buf *text, const uint8_t *address, bool ipv6)
{
	buf_printf(text, " ");
	for (int i = 0; i < (ipv6 ? 16 : 4); i++)
		buf_printf(text, "%02x", address[i]);
}

static int write_interface(struct scap_snapshot *to, const struct scap_interface *interface)
{
	struct buf *text = text_of(to);

	buf_printf(text, "interface %s", interface->name);
	print_address(text, interface->address, interface->ipv6);
	print_address(text, interface->netmask, interface->ipv6);
	print_address(text, interface->broadcast, interface->ipv6);
	buf_printf(text, " %" PRIu64, interface->link_speed);
	return end_line(to, "interface");
}

static int write_user(struct scap_snapshot *to, const struct scap_user *user)
{
	buf_printf(text_of(to), "user %" PRIu32 " %" PRIu32 " %s %s %s", user->uid, user->gid,
		   user->name, user->home, user->shell);
	return end_line(to, "user");
}

static int write_group(struct scap_snapshot *to, const struct scap_group *group)
{
	buf_printf(text_of(to), "group %" PRIu32 " %s", group->gid, group->name);
	return end_line(to, "group");
}

/* Strings that each end in NUL: with a bar in its place. */
static void print_strings(struct buf *text, const char *strings, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_append_char(text, strings[i] ? strings[i] : '|');
}

static int write_thread(struct scap_snapshot *to, const struct scap_thread *thread)
{
	struct buf *text = text_of(to);

	transcript_of(to)->threads++;
	buf_printf(text, "thread tid=%" PRId64 " pid=%" PRId64 " ptid=%" PRId64 " sid=%" PRId64,
		   thread->tid, thread->pid, thread->ptid, thread->sid);
	buf_printf(text, " vpgid=%" PRId64 " pgid=%" PRId64 " vtid=%" PRId64 " vpid=%" PRId64,
		   thread->vpgid, thread->pgid, thread->vtid, thread->vpid);
	buf_printf(text, " comm=%.16s exe=%s exepath=%s cwd=%s root=%s args=", thread->comm,
		   thread->exe, thread->exepath, thread->cwd, thread->root);
	print_strings(text, thread->args, thread->args_len);
	buf_printf(text, " env=");
	print_strings(text, thread->env, thread->env_len);
	buf_printf(text, " cgroups=");
	print_strings(text, thread->cgroups, thread->cgroups_len);
	buf_printf(text, " limit=%" PRId64 " flags=%" PRIx32 " uid=%" PRIu32 " gid=%" PRIu32,
		   thread->fd_limit, thread->flags, thread->uid, thread->gid);
	buf_printf(text, " vm=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " faults=%" PRIu64 ",%" PRIu64,
		   thread->vm_size_kib, thread->vm_rss_kib, thread->vm_swap_kib,
		   thread->faults_major, thread->faults_minor);
	buf_printf(text, " pidns=%" PRIu64 " tty=%" PRIu32 " login=%" PRId32 " exe_flags=%" PRIx32,
		   thread->pidns_start_ns, thread->tty, (int32_t)thread->loginuid,
		   thread->exe_flags);
	buf_printf(text, " caps=%" PRIx64 ",%" PRIx64 ",%" PRIx64, thread->caps_inheritable,
		   thread->caps_permitted, thread->caps_effective);
	buf_printf(text, " exe_file=%" PRIu64 ",%" PRIu64 ",%" PRIu64, thread->exe_ino,
		   thread->exe_ctime_ns, thread->exe_mtime_ns);
	if (thread->start_ns)
		buf_printf(text, " start=%" PRIu64, thread->start_ns);
	return end_line(to, "thread");
}

static int write_fds(struct scap_snapshot *to, int64_t tid)
{
	buf_printf(text_of(to), "fds %" PRId64, tid);
	return end_line(to, "fds");
}

static int write_fd(struct scap_snapshot *to, const struct scap_fd *fd)
{
	struct buf *text = text_of(to);

	transcript_of(to)->fds++;
	buf_printf(text, "fd %" PRId64 " type=%d ino=%" PRIu64 " name=%s", fd->num, fd->type,
		   fd->ino, fd->name);
	buf_printf(text, " flags=%" PRIx32 " dev=%" PRIx32, fd->flags, fd->dev);
	if (fd->type == SCAP_FD_IPV4 || fd->type == SCAP_FD_IPV6) {
		buf_printf(text, " l4=%d", fd->l4);
		print_address(text, fd->local.address, fd->type == SCAP_FD_IPV6);
		buf_printf(text, ":%u", fd->local.port);
		print_address(text, fd->remote.address, fd->type == SCAP_FD_IPV6);
		buf_printf(text, ":%u", fd->remote.port);
	}
	buf_printf(text, " unix=%" PRIx64 ",%" PRIx64, fd->unix_socket, fd->unix_peer);
	return end_line(to, "fd");
}

static int write_container(struct scap_snapshot *to, const struct scap_container *container)
{
	buf_printf(text_of(to), "container ");
	if (!container->at_start)
		buf_printf(text_of(to), "at %" PRIu64 " ", container->ts_ns);
	buf_append(text_of(to), container->json, container->len);
	return end_line(to, "container");
}

static int write_container_user(struct scap_snapshot *to, const struct scap_container_user *user)
{
	struct buf *text = text_of(to);

	buf_printf(text, "of %s ", user->container);
	if (!user->user && !user->group)
		return end_line(to, "nobody");
	return user->user ? write_user(to, user->user) : write_group(to, user->group);
}

const struct scap_snapshot_ops transcript_ops = {
	.begin = write_begin,
	.machine = write_machine,
	.interface = write_interface,
	.user = write_user,
	.group = write_group,
	.thread = write_thread,
	.fds = write_fds,
	.fd = write_fd,
	.container = write_container,
	.container_user = write_container_user,
	.end = write_end,
};

const char *transcript_text(struct transcript *transcript)
{
	buf_append_char(&transcript->text, '\0');
	transcript->text.len--;
	return transcript->text.data;
}
