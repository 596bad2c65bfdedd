/* SPDX-License-Identifier: MIT */
/* Capture files in memory, and what is read of them. */
#include "capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/file/format.h"

void capture_bytes(struct capture *capture, const void *bytes, size_t n)
{
	buf_append(&capture->bytes, bytes, n);
}

void capture_u8(struct capture *capture, uint8_t value)
{
	capture_bytes(capture, &value, sizeof(value));
}

void capture_u16(struct capture *capture, uint16_t value)
{
	capture_bytes(capture, &value, sizeof(value));
}

void capture_u32(struct capture *capture, uint32_t value)
{
	capture_bytes(capture, &value, sizeof(value));
}

void capture_u64(struct capture *capture, uint64_t value)
{
	capture_bytes(capture, &value, sizeof(value));
}

void capture_string(struct capture *capture, const char *text)
{
	capture_u16(capture, (uint16_t)strlen(text));
	capture_bytes(capture, text, strlen(text));
}

void capture_begin(struct capture *capture, uint32_t type)
{
	capture->block = capture->bytes.len;
	capture_u32(capture, type);
	capture_u32(capture, 0);
}

void capture_end(struct capture *capture)
{
	uint32_t len;

	while ((capture->bytes.len - capture->block) % 4)
		capture_u8(capture, 0);
	len = (uint32_t)(capture->bytes.len - capture->block + sizeof(len));
	capture_u32(capture, len);
	memcpy(capture->bytes.data + capture->block + sizeof(uint32_t), &len, sizeof(len));
}

size_t capture_entry_begin(struct capture *capture)
{
	capture_u32(capture, 0);
	return capture->bytes.len;
}

void capture_entry_end(struct capture *capture, size_t at, bool whole)
{
	uint32_t len = (uint32_t)(capture->bytes.len - at + (whole ? sizeof(len) : 0));

	memcpy(capture->bytes.data + at - sizeof(len), &len, sizeof(len));
}

void capture_section(struct capture *capture)
{
	capture_begin(capture, 0x0a0d0d0a);
	capture_u32(capture, 0x1a2b3c4d);
	capture_u16(capture, 1);
	capture_u16(capture, 2);
	capture_u64(capture, UINT64_MAX);
	capture_end(capture);
}

void capture_close_event(struct capture *capture, uint32_t block, uint32_t flags, int64_t fd)
{
	bool first = block == 0x204 || block == 0x208 || block == 0x8010abcd;

	capture_begin(capture, block);
	capture_u16(capture, 3);
	if (block == 0x208 || block == 0x217 || block == 0x222)
		capture_u32(capture, flags);
	capture_u64(capture, 1000);
	capture_u64(capture, 70);
	capture_u32(capture, (first ? 22 : 26) + 2 * 2 + 2 * 8);
	capture_u16(capture, EVENT_close);
	if (!first)
		capture_u32(capture, 2);
	capture_u16(capture, 8);
	capture_u16(capture, 8);
	capture_u64(capture, 0);
	capture_u64(capture, (uint64_t)fd);
	capture_end(capture);
}

void capture_threads_v1(struct capture *capture, size_t bytes)
{
	capture_begin(capture, 0x202);
	for (uint64_t tid = 1; capture->bytes.len - capture->block < bytes; tid++) {
		for (int i = 0; i < 3; i++)
			capture_u64(capture, tid);
		for (int i = 0; i < 4; i++)
			capture_string(capture, "some text");
		capture_u64(capture, 1024);
		for (int i = 0; i < 3; i++)
			capture_u32(capture, 0);
	}
	capture_end(capture);
}

static struct hearing *hearing_of(struct scap_snapshot *to)
{
	return (struct hearing *)to;
}

static int hear_begin(struct scap_snapshot *to)
{
	buf_printf(&hearing_of(to)->text, "begin\n");
	return hearing_of(to)->answer;
}

static int hear_end(struct scap_snapshot *to)
{
	buf_printf(&hearing_of(to)->text, "end\n");
	return hearing_of(to)->answer;
}

static int hear_machine(struct scap_snapshot *to, const struct scap_machine *machine)
{
	buf_printf(&hearing_of(to)->text,
		   "machine %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", machine->cpus,
		   machine->memory_bytes, machine->max_pid, machine->boot_ns, machine->hostname);
	return hearing_of(to)->answer;
}

static void print_address(struct buf *text, const uint8_t *address, bool ipv6)
{
	buf_printf(text, " ");
	for (int i = 0; i < (ipv6 ? 16 : 4); i++)
		buf_printf(text, "%02x", address[i]);
}

static int hear_interface(struct scap_snapshot *to, const struct scap_interface *interface)
{
	struct buf *text = &hearing_of(to)->text;

	buf_printf(text, "interface %s", interface->name);
	print_address(text, interface->address, interface->ipv6);
	print_address(text, interface->netmask, interface->ipv6);
	print_address(text, interface->broadcast, interface->ipv6);
	buf_printf(text, " %" PRIu64 "\n", interface->link_speed);
	return hearing_of(to)->answer;
}

static int hear_user(struct scap_snapshot *to, const struct scap_user *user)
{
	buf_printf(&hearing_of(to)->text, "user %" PRIu32 " %" PRIu32 " %s %s %s\n", user->uid,
		   user->gid, user->name, user->home, user->shell);
	return hearing_of(to)->answer;
}

static int hear_group(struct scap_snapshot *to, const struct scap_group *group)
{
	buf_printf(&hearing_of(to)->text, "group %" PRIu32 " %s\n", group->gid, group->name);
	return hearing_of(to)->answer;
}

/* Strings that each end in NUL: with a bar in its place. */
static void print_strings(struct buf *text, const char *strings, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_append_char(text, strings[i] ? strings[i] : '|');
}

static int hear_thread(struct scap_snapshot *to, const struct scap_thread *thread)
{
	struct buf *text = &hearing_of(to)->text;

	hearing_of(to)->threads++;
	buf_printf(text, "thread tid=%" PRId64 " pid=%" PRId64 " ptid=%" PRId64 " sid=%" PRId64,
		   thread->tid, thread->pid, thread->ptid, thread->sid);
	buf_printf(text, " vpgid=%" PRId64 " pgid=%" PRId64 " vtid=%" PRId64 " vpid=%" PRId64,
		   thread->vpgid, thread->pgid, thread->vtid, thread->vpid);
	buf_printf(text, " comm=%s exe=%s exepath=%s cwd=%s root=%s args=", thread->comm,
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
	buf_printf(text, " exe_file=%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", thread->exe_ino,
		   thread->exe_ctime_ns, thread->exe_mtime_ns);
	return hearing_of(to)->answer;
}

static int hear_fds(struct scap_snapshot *to, int64_t tid)
{
	buf_printf(&hearing_of(to)->text, "fds %" PRId64 "\n", tid);
	return hearing_of(to)->answer;
}

static int hear_fd(struct scap_snapshot *to, const struct scap_fd *fd)
{
	struct buf *text = &hearing_of(to)->text;

	hearing_of(to)->fds++;
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
	buf_printf(text, " unix=%" PRIx64 ",%" PRIx64 "\n", fd->unix_socket, fd->unix_peer);
	return hearing_of(to)->answer;
}

static const struct scap_snapshot_ops hearing_ops = {
	.begin = hear_begin,
	.machine = hear_machine,
	.interface = hear_interface,
	.user = hear_user,
	.group = hear_group,
	.thread = hear_thread,
	.fds = hear_fds,
	.fd = hear_fd,
	.end = hear_end,
};

void hearing_init(struct hearing *hearing)
{
	*hearing = (struct hearing){.snapshot.ops = &hearing_ops};
}

void hearing_finish(struct hearing *hearing)
{
	buf_finish(&hearing->text);
}

const char *hearing_text(struct hearing *hearing)
{
	buf_append_char(&hearing->text, '\0');
	hearing->text.len--;
	return hearing->text.data;
}

const char *capture_path(const void *bytes, size_t n)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("capture", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, bytes, n, 0) != (ssize_t)n)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* The descriptor of a close event, which is its last parameter. */
static uint64_t fd_of(const struct scap_event *event)
{
	struct ppm_evt_hdr header;
	uint64_t fd = 0;

	memcpy(&header, event->frame, sizeof(header));
	if (header.type == EVENT_close && header.nparams == 2 && header.len == event->len)
		memcpy(&fd, (const char *)event->frame + event->len - sizeof(fd), sizeof(fd));
	return fd;
}

static void read_events(struct scap_reader *reader, struct capture_result *result)
{
	struct scap_event event;

	/* Calls that come back without an event are few and far between in files. */
	for (unsigned int idle = 0; result->code >= 0; idle += result->code == 0) {
		if (idle > 1000)
			abort();
		result->code = scap_source_next(scap_reader_source(reader), 1000, &event);
		if (result->code != 1)
			continue;
		result->events++;
		result->hidden += event.hidden;
		result->fd_sum += fd_of(&event);
	}
}

struct capture_result capture_read(const void *bytes, size_t n, struct hearing *hearing)
{
	struct capture_result result = {0};
	struct scap_reader *reader;
	struct error err = {""};
	struct hearing own;

	hearing_init(&own);
	result.open_code = scap_reader_open(capture_path(bytes, n), &reader, &err);
	memcpy(result.text, err.text, sizeof(result.text));
	if (result.open_code)
		return result;
	result.start_code = scap_reader_start(reader, &(hearing ? hearing : &own)->snapshot, &err);
	memcpy(result.text, err.text, sizeof(result.text));
	result.native = scap_reader_is_native(reader);
	read_events(reader, &result);
	if (!result.start_code)
		snprintf(result.text, sizeof(result.text), "%s", scap_reader_problem(reader));
	scap_reader_stats(reader, &result.stats);
	scap_source_destroy(scap_reader_source(reader));
	hearing_finish(&own);
	return result;
}
