/* SPDX-License-Identifier: MIT */
/* What a listener was told, as text. */
#include "recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static int note(struct scap_snapshot *to, const char *what)
{
	struct recorder *recorder = (struct recorder *)to;

	buf_append_string(&recorder->text, what);
	return recorder->refused && strcmp(recorder->refused, what) == 0 ? -EIO : 0;
}

static void write_bytes(struct scap_snapshot *to, const void *bytes, size_t len)
{
	struct buf *text = &((struct recorder *)to)->text;

	for (size_t i = 0; i < len; i++)
		buf_printf(text, " %02x", ((const uint8_t *)bytes)[i]);
}

#define WRITE(to, ...) buf_printf(&((struct recorder *)(to))->text, __VA_ARGS__)

static int note_begin(struct scap_snapshot *to)
{
	return note(to, "begin\n");
}

static int note_end(struct scap_snapshot *to)
{
	return note(to, "end\n");
}

static int note_machine(struct scap_snapshot *to, const struct scap_machine *machine)
{
	WRITE(to, "%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %s ", machine->cpus,
	      machine->memory_bytes, machine->max_pid, machine->boot_ns, machine->hostname);
	return note(to, "machine\n");
}

static int note_interface(struct scap_snapshot *to, const struct scap_interface *interface)
{
	WRITE(to, "%s %d %" PRIu64, interface->name, interface->ipv6, interface->link_speed);
	write_bytes(to, interface->address, 16);
	write_bytes(to, interface->netmask, 16);
	write_bytes(to, interface->broadcast, 16);
	return note(to, " interface\n");
}

static int note_user(struct scap_snapshot *to, const struct scap_user *user)
{
	WRITE(to, "%u %u %s %s %s ", user->uid, user->gid, user->name, user->home, user->shell);
	return note(to, "user\n");
}

static int note_group(struct scap_snapshot *to, const struct scap_group *group)
{
	WRITE(to, "%u %s ", group->gid, group->name);
	return note(to, "group\n");
}

static int note_thread(struct scap_snapshot *to, const struct scap_thread *t)
{
	WRITE(to, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, t->tid, t->pid,
	      t->ptid, t->vtid, t->vpid);
	WRITE(to, " %" PRId64 " %" PRId64 " %" PRId64 " %u %u %u %u", t->pgid, t->vpgid, t->sid,
	      t->uid, t->gid, t->loginuid, t->tty);
	WRITE(to, " %" PRId64 " %" PRIx64 " %" PRIx64 " %" PRIx64, t->fd_limit, t->caps_permitted,
	      t->caps_effective, t->caps_inheritable);
	WRITE(to, " %" PRIu64 " %" PRIu64 " %u %u %u", t->faults_major, t->faults_minor,
	      t->vm_size_kib, t->vm_rss_kib, t->vm_swap_kib);
	WRITE(to, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %x %x %" PRIu64 " %" PRIu64, t->exe_ino,
	      t->exe_ctime_ns, t->exe_mtime_ns, t->exe_flags, t->flags, t->pidns_start_ns,
	      t->start_ns);
	WRITE(to, " [%.16s] [%s] [%s] [%s] [%s]", t->comm, t->exe, t->exepath, t->cwd, t->root);
	write_bytes(to, t->args, t->args_len);
	write_bytes(to, t->env, t->env_len);
	write_bytes(to, t->cgroups, t->cgroups_len);
	return note(to, " thread\n");
}

static int note_fds(struct scap_snapshot *to, int64_t tid)
{
	WRITE(to, "%" PRId64 " ", tid);
	return note(to, "fds\n");
}

static int note_fd(struct scap_snapshot *to, const struct scap_fd *fd)
{
	WRITE(to, "%" PRId64 " %d %x %u %" PRIu64 " [%s] %d %" PRIx64 " %" PRIx64, fd->num,
	      fd->type, fd->flags, fd->dev, fd->ino, fd->name, fd->l4, fd->unix_socket,
	      fd->unix_peer);
	write_bytes(to, fd->local.address, 16);
	WRITE(to, ":%u", fd->local.port);
	write_bytes(to, fd->remote.address, 16);
	WRITE(to, ":%u", fd->remote.port);
	return note(to, " fd\n");
}

const struct scap_snapshot_ops recorder_ops = {
	note_begin,  note_machine, note_interface, note_user, note_group,
	note_thread, note_fds,	   note_fd,	   note_end,
};
