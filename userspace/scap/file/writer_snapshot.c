/* SPDX-License-Identifier: MIT */
/* The writer as receiver of the state before the first event: blocks, entries, lists of them. */
#include <errno.h>

#include "scap/file/writer_impl.h"

/* Writing of blocks, and of the beginning of a section. */

int writer_put_block(struct scap_writer *writer, uint32_t type, const void *body, size_t len)
{
	uint8_t *at = writer_begin_block(writer, type, len);

	if (!at)
		return writer->sink.error;
	memcpy(at, body, len);
	return 0;
}

int writer_put_section(struct scap_writer *writer)
{
	const struct scap_section_body section = {
		.byte_order_magic = SCAP_BYTE_ORDER_MAGIC,
		.major = SCAP_FORMAT_MAJOR,
		.minor = SCAP_FORMAT_MINOR,
		.section_len = SCAP_SECTION_LENGTH_UNKNOWN,
	};
	const uint32_t version = SCAP_NATIVE_VERSION;
	int r = writer_put_block(writer, SCAP_BLOCK_SECTION, &section, sizeof(section));

	if (r == 0 && writer->config.native)
		r = writer_put_block(writer, SCAP_BLOCK_NATIVE, &version, sizeof(version));
	writer->section_end = scap_sink_bytes(&writer->sink);
	return r;
}

/* Threads and descriptors as entries of the lists of a capture file. Called by the snapshot. */

/*
 * Strings one after the other, each with its NUL: as many whole ones as fit. If the first does not
 * fit, its beginning.
 */
static void pack_strings(struct buf *buf, const char *strings, size_t len)
{
	const char *end;

	if (len <= SCAP_STRINGS_BYTES_MAX) {
		writer_pack_bytes(buf, strings, len);
		return;
	}
	end = memrchr(strings, '\0', SCAP_STRINGS_BYTES_MAX);
	if (end) {
		writer_pack_bytes(buf, strings, (size_t)(end - strings) + 1);
		return;
	}
	writer_pack_u16(buf, SCAP_STRINGS_BYTES_MAX);
	buf_append(buf, strings, SCAP_STRINGS_BYTES_MAX - 1);
	writer_pack_u8(buf, '\0');
}

static void pack_caps(struct buf *buf, const struct scap_thread *thread)
{
	writer_pack_u64(buf, thread->caps_inheritable);
	writer_pack_u64(buf, thread->caps_permitted);
	writer_pack_u64(buf, thread->caps_effective);
}

static bool exe_has(const struct scap_thread *thread, uint32_t flag)
{
	return thread->exe_flags & flag;
}

/* Fields added over the years; readers see from the length of the entry which exist. */
static void pack_tail(struct buf *buf, const struct scap_thread *thread)
{
	writer_pack_u64(buf, thread->pidns_start_ns);
	writer_pack_u32(buf, thread->tty);
	writer_pack_u32(buf, thread->loginuid);
	writer_pack_u8(buf, exe_has(thread, execve_flags__EXE_WRITABLE));
	pack_caps(buf, thread);
	writer_pack_u8(buf, exe_has(thread, execve_flags__EXE_UPPER_LAYER));
	writer_pack_u64(buf, thread->exe_ino);
	writer_pack_u64(buf, thread->exe_ctime_ns);
	writer_pack_u64(buf, thread->exe_mtime_ns);
	writer_pack_u8(buf, exe_has(thread, execve_flags__EXE_FROM_MEMFD));
	writer_pack_u8(buf, exe_has(thread, execve_flags__EXE_LOWER_LAYER));
	writer_pack_u64(buf, (uint64_t)thread->pgid);
}

/* The only tail that readers of 2022 and current ones read alike. */
static void pack_tail_2022(struct buf *buf, const struct scap_thread *thread)
{
	writer_pack_u32(buf, thread->loginuid);
	writer_pack_u8(buf, exe_has(thread, execve_flags__EXE_WRITABLE));
	pack_caps(buf, thread);
}

static void pack_body(struct buf *buf, const struct scap_thread *thread)
{
	writer_pack_u64(buf, (uint64_t)thread->tid);
	writer_pack_u64(buf, (uint64_t)thread->pid);
	writer_pack_u64(buf, (uint64_t)thread->ptid);
	writer_pack_u64(buf, (uint64_t)thread->sid);
	writer_pack_u64(buf, (uint64_t)thread->vpgid);
	writer_pack_string(buf, thread->comm, sizeof(thread->comm));
	writer_pack_string(buf, thread->exe, SCAP_PATH_BYTES_MAX);
	writer_pack_string(buf, thread->exepath, SCAP_PATH_BYTES_MAX);
	pack_strings(buf, thread->args, thread->args_len);
	writer_pack_string(buf, thread->cwd, SCAP_PATH_BYTES_MAX);
	writer_pack_u64(buf, (uint64_t)thread->fd_limit);
	writer_pack_u32(buf, thread->flags);
	writer_pack_u32(buf, thread->uid);
	writer_pack_u32(buf, thread->gid);
	writer_pack_u32(buf, thread->vm_size_kib);
	writer_pack_u32(buf, thread->vm_rss_kib);
	writer_pack_u32(buf, thread->vm_swap_kib);
	writer_pack_u64(buf, thread->faults_major);
	writer_pack_u64(buf, thread->faults_minor);
	pack_strings(buf, thread->env, thread->env_len);
	writer_pack_u64(buf, (uint64_t)thread->vtid);
	writer_pack_u64(buf, (uint64_t)thread->vpid);
	pack_strings(buf, thread->cgroups, thread->cgroups_len);
	writer_pack_string(buf, thread->root, SCAP_PATH_BYTES_MAX);
}

void writer_pack_thread(struct buf *buf, const struct scap_thread *thread, bool form_2022)
{
	size_t entry = writer_pack_begin(buf);

	pack_body(buf, thread);
	if (form_2022)
		pack_tail_2022(buf, thread);
	else
		pack_tail(buf, thread);
	writer_pack_end(buf, entry, entry);
}

static const uint8_t protocols[] = {
	[SCAP_L4_UNKNOWN] = SCAP_ENTRY_L4_UNKNOWN, [SCAP_L4_TCP] = SCAP_ENTRY_L4_TCP,
	[SCAP_L4_UDP] = SCAP_ENTRY_L4_UDP,	   [SCAP_L4_ICMP] = SCAP_ENTRY_L4_ICMP,
	[SCAP_L4_RAW] = SCAP_ENTRY_L4_RAW,
};

static size_t address_bytes(const struct scap_fd *fd)
{
	return fd->type == SCAP_FD_IPV6 ? 16 : 4;
}

static bool has_remote(const struct scap_fd *fd)
{
	static const uint8_t nowhere[sizeof(fd->remote.address)];

	return fd->remote.port || memcmp(fd->remote.address, nowhere, address_bytes(fd)) != 0;
}

/* An unconnected socket is stored as that of a server, with only the local end. */
static void pack_ip(struct buf *buf, const struct scap_fd *fd)
{
	bool both = has_remote(fd);

	buf_append(buf, fd->local.address, address_bytes(fd));
	if (both)
		buf_append(buf, fd->remote.address, address_bytes(fd));
	writer_pack_u16(buf, fd->local.port);
	if (both)
		writer_pack_u16(buf, fd->remote.port);
	writer_pack_u8(buf, protocols[fd->l4]);
}

static void pack_unix(struct buf *buf, const struct scap_fd *fd)
{
	writer_pack_u64(buf, fd->unix_socket);
	writer_pack_u64(buf, fd->unix_peer);
	writer_pack_string(buf, fd->name, SCAP_PATH_BYTES_MAX);
}

static void pack_file(struct buf *buf, const struct scap_fd *fd)
{
	writer_pack_u32(buf, fd->flags);
	writer_pack_string(buf, fd->name, SCAP_PATH_BYTES_MAX);
	writer_pack_u32(buf, fd->dev);
}

static void pack_name(struct buf *buf, const struct scap_fd *fd)
{
	writer_pack_string(buf, fd->name, SCAP_PATH_BYTES_MAX);
}

/* How the types of descriptors are stored. */
static const struct fd_kind {
	uint8_t type; /* enum scap_fd_entry; unknown ones are left out */
	uint8_t unconnected; /* of unconnected sockets, if different; else 0 */
	void (*pack)(struct buf *buf, const struct scap_fd *fd);
	/*
	 * The type that readers of 2022, which do not know this one, derive from its link in /proc.
	 */
	enum scap_fd_type older;
} fd_kinds[SCAP_FD_TYPES_COUNT] = {
	[SCAP_FD_UNKNOWN] = {SCAP_ENTRY_FD_UNKNOWN},
	[SCAP_FD_FILE] = {SCAP_ENTRY_FD_FILE, 0, pack_file},
	[SCAP_FD_DIRECTORY] = {SCAP_ENTRY_FD_DIRECTORY, 0, pack_name},
	[SCAP_FD_IPV4] = {SCAP_ENTRY_FD_IPV4, SCAP_ENTRY_FD_IPV4_SERVER, pack_ip},
	[SCAP_FD_IPV6] = {SCAP_ENTRY_FD_IPV6, SCAP_ENTRY_FD_IPV6_SERVER, pack_ip},
	[SCAP_FD_UNIX] = {SCAP_ENTRY_FD_UNIX, 0, pack_unix},
	[SCAP_FD_PIPE] = {SCAP_ENTRY_FD_PIPE, 0, pack_name},
	[SCAP_FD_EVENT] = {SCAP_ENTRY_FD_EVENT, 0, pack_name},
	[SCAP_FD_SIGNAL] = {SCAP_ENTRY_FD_SIGNAL, 0, pack_name},
	[SCAP_FD_EPOLL] = {SCAP_ENTRY_FD_EPOLL, 0, pack_name},
	[SCAP_FD_INOTIFY] = {SCAP_ENTRY_FD_INOTIFY, 0, pack_name},
	[SCAP_FD_TIMER] = {SCAP_ENTRY_FD_TIMER, 0, pack_name},
	[SCAP_FD_NETLINK] = {SCAP_ENTRY_FD_NETLINK, 0, pack_name},
	[SCAP_FD_BPF] = {SCAP_ENTRY_FD_BPF, 0, pack_name, SCAP_FD_UNSUPPORTED},
	[SCAP_FD_USERFAULT] = {SCAP_ENTRY_FD_USERFAULT, 0, pack_name, SCAP_FD_UNSUPPORTED},
	[SCAP_FD_IO_URING] = {SCAP_ENTRY_FD_IO_URING, 0, pack_name, SCAP_FD_UNSUPPORTED},
	[SCAP_FD_MEMFD] = {SCAP_ENTRY_FD_MEMFD, 0, pack_name, SCAP_FD_FILE},
	[SCAP_FD_PIDFD] = {SCAP_ENTRY_FD_PIDFD, 0, pack_name, SCAP_FD_UNSUPPORTED},
	[SCAP_FD_UNSUPPORTED] = {SCAP_ENTRY_FD_UNSUPPORTED, 0, pack_name},
};

void writer_pack_fd(struct buf *buf, const struct scap_fd *fd, bool form_2022)
{
	const struct fd_kind *kind = &fd_kinds[fd->type];
	size_t entry;

	if (kind->type == SCAP_ENTRY_FD_UNKNOWN)
		return;
	if (form_2022 && kind->older)
		kind = &fd_kinds[kind->older];
	entry = writer_pack_begin(buf);
	writer_pack_u64(buf, (uint64_t)fd->num);
	writer_pack_u64(buf, fd->ino);
	writer_pack_u8(buf, kind->unconnected && !has_remote(fd) ? kind->unconnected : kind->type);
	kind->pack(buf, fd);
	writer_pack_end(buf, entry, entry);
}

/*
 * The writer as receiver of the state before the first event: entries are collected in lists, each
 * written as a block. Long lists of processes and descriptors are split into several blocks to
 * bound memory; those of interfaces and users are not, since a later block replaces the previous
 * one.
 * Descriptions and users of containers are events.
 */

enum {
	LIST_BYTES = 65536, /* a block may exceed it by an entry */
	IPV4_BYTES = 4,
	IPV6_BYTES = 16,
};

static struct scap_writer *writer_of(struct scap_snapshot *to)
{
	return (struct scap_writer *)to;
}

/* Writes the list that is open, if any. */
static int close_list(struct scap_writer *writer)
{
	struct writer_list *list = &writer->list;
	uint32_t block = list->block;
	int r;

	buf_append(&list->entries, list->behind.data, list->behind.len);
	if (list->entries.failed || list->behind.failed)
		r = scap_sink_fail(&writer->sink, -ENOMEM);
	else if (block)
		r = writer_put_block(writer, block, list->entries.data, list->entries.len);
	else
		r = writer->sink.error;
	buf_clear(&list->entries);
	buf_clear(&list->behind);
	list->block = 0;
	return r;
}

/* Makes a list of this type the open one. */
static int open_list(struct scap_writer *writer, uint32_t block)
{
	int r = writer->sink.error;

	if (writer->list.block != block)
		r = close_list(writer);
	writer->list.block = block;
	return r;
}

static bool writer_snapshot_is_full(const struct scap_writer *writer)
{
	return writer->list.entries.len >= LIST_BYTES;
}

static int on_begin(struct scap_snapshot *to)
{
	struct scap_writer *writer = writer_of(to);
	int r = close_list(writer);

	if (r == 0 && scap_sink_bytes(&writer->sink) != writer->section_end)
		r = writer_put_section(writer);
	return r;
}

static int on_machine(struct scap_snapshot *to, const struct scap_machine *machine)
{
	struct scap_writer *writer = writer_of(to);
	struct scap_machine_body body = {
		.cpus = machine->cpus,
		.memory_bytes = machine->memory_bytes,
		.max_pid = machine->max_pid,
		.boot_ns = machine->boot_ns,
	};
	int r = close_list(writer);

	strncpy(body.hostname, machine->hostname, sizeof(body.hostname) - 1);
	return r < 0 ? r : writer_put_block(writer, SCAP_BLOCK_MACHINE, &body, sizeof(body));
}

/* IPv6 interfaces follow all others. */
static int on_interface(struct scap_snapshot *to, const struct scap_interface *interface)
{
	struct scap_writer *writer = writer_of(to);
	int r = open_list(writer, SCAP_BLOCK_INTERFACES_V2);
	struct buf *buf = interface->ipv6 ? &writer->list.behind : &writer->list.entries;
	size_t address = interface->ipv6 ? IPV6_BYTES : IPV4_BYTES;
	size_t name = strnlen(interface->name, SCAP_PATH_BYTES_MAX);
	size_t entry = writer_pack_begin(buf), from = buf->len;

	writer_pack_u16(buf, interface->ipv6 ? SCAP_INTERFACE_IPV6 : SCAP_INTERFACE_IPV4);
	writer_pack_u16(buf, (uint16_t)name);
	buf_append(buf, interface->address, address);
	buf_append(buf, interface->netmask, address);
	buf_append(buf, interface->broadcast, address);
	writer_pack_u64(buf, interface->link_speed);
	buf_append(buf, interface->name, name);
	writer_pack_end(buf, entry, from);
	return r;
}

static int on_user(struct scap_snapshot *to, const struct scap_user *user)
{
	struct scap_writer *writer = writer_of(to);
	int r = open_list(writer, SCAP_BLOCK_USERS_V2);
	struct buf *buf = &writer->list.entries;
	size_t entry = writer_pack_begin(buf);

	writer_pack_u8(buf, SCAP_ENTRY_USER);
	writer_pack_u32(buf, user->uid);
	writer_pack_u32(buf, user->gid);
	writer_pack_string(buf, user->name, SCAP_ACCOUNT_BYTES_MAX);
	writer_pack_string(buf, user->home, SCAP_ACCOUNT_BYTES_MAX);
	writer_pack_string(buf, user->shell, SCAP_ACCOUNT_BYTES_MAX);
	writer_pack_end(buf, entry, entry);
	return r;
}

/* Groups follow the users. */
static int on_group(struct scap_snapshot *to, const struct scap_group *group)
{
	struct scap_writer *writer = writer_of(to);
	int r = open_list(writer, SCAP_BLOCK_USERS_V2);
	struct buf *buf = &writer->list.behind;
	size_t entry = writer_pack_begin(buf);

	writer_pack_u8(buf, SCAP_ENTRY_GROUP);
	writer_pack_u32(buf, group->gid);
	writer_pack_string(buf, group->name, SCAP_ACCOUNT_BYTES_MAX);
	writer_pack_end(buf, entry, entry);
	return r;
}

static int on_thread(struct scap_snapshot *to, const struct scap_thread *thread)
{
	struct scap_writer *writer = writer_of(to);
	int r = writer_snapshot_is_full(writer) ? close_list(writer) : 0;

	if (r == 0)
		r = open_list(writer, SCAP_BLOCK_PROCESSES_V9);
	writer_pack_thread(&writer->list.entries, thread, writer->config.form_2022);
	return r;
}

/* A list for each thread, even without descriptors. */
static int begin_fds(struct scap_writer *writer)
{
	int r = close_list(writer);

	writer->list.block = SCAP_BLOCK_FDS_V2;
	writer_pack_u64(&writer->list.entries, (uint64_t)writer->fds_tid);
	return r;
}

static int on_fds(struct scap_snapshot *to, int64_t tid)
{
	struct scap_writer *writer = writer_of(to);

	writer->fds_tid = tid;
	return begin_fds(writer);
}

static int on_fd(struct scap_snapshot *to, const struct scap_fd *fd)
{
	struct scap_writer *writer = writer_of(to);
	int r = writer_snapshot_is_full(writer) ? begin_fds(writer) : writer->sink.error;

	writer_pack_fd(&writer->list.entries, fd, writer->config.form_2022);
	return r;
}

/* The id of a thread that stands for where a description comes from. */
enum { TID_LIVE = 0, TID_AT_START = 1, TID_2022 = -1, TID_NONE = -1 };

/* Its lengths are of 32 or, if it is not `large`, of 16 bits. */
static void pack_event(struct buf *buf, uint64_t ts_ns, int64_t tid, uint16_t id, bool large,
		       const struct event_param *params, uint32_t nparams)
{
	struct ppm_evt_hdr header = {
		.ts = ts_ns, .tid = (uint64_t)tid, .type = id, .nparams = nparams};

	header.len = (uint32_t)(sizeof(header) +
				nparams * (large ? sizeof(uint32_t) : sizeof(uint16_t)));
	for (uint32_t i = 0; i < nparams; i++)
		header.len += params[i].len;
	writer_pack_u16(buf, 0); /* CPU */
	writer_pack_u32(buf, SCAP_EVENT_FLAG_HIDDEN);
	buf_append(buf, &header, sizeof(header));
	for (uint32_t i = 0; i < nparams; i++) {
		if (large)
			writer_pack_u32(buf, params[i].len);
		else
			writer_pack_u16(buf, (uint16_t)params[i].len);
	}
	for (uint32_t i = 0; i < nparams; i++)
		buf_append(buf, params[i].data, params[i].len);
}

/* Writes an event that is packed, one to a block; `r` is the result so far. */
static int end_event(struct scap_writer *writer, int r)
{
	r = r < 0 ? r : close_list(writer);
	writer->stats.events += r == 0;
	writer->stats.containers += r == 0;
	return r;
}

/* Hidden, since readers show the events that were asked for. */
static int on_container(struct scap_snapshot *to, const struct scap_container *container)
{
	static const uint8_t plugin[sizeof(uint32_t)], name[] = "container";
	struct scap_writer *writer = writer_of(to);
	int r = open_list(writer, SCAP_BLOCK_EVENT_V2_LARGE_FLAGS);
	/* The last byte is the NUL. */
	const struct event_param params[asyncevent__count] = {
		[asyncevent__plugin_id] = {plugin, sizeof(plugin)},
		[asyncevent__name] = {name, sizeof(name)},
		[asyncevent__data] = {(const uint8_t *)container->json,
				      (uint32_t)container->len + 1},
	};

	if (r == 0 && writer->config.form_2022)
		pack_event(&writer->list.entries, container->ts_ns, TID_2022, EVENT_container, true,
			   &params[asyncevent__data], container__count);
	else if (r == 0)
		pack_event(&writer->list.entries, container->ts_ns,
			   container->at_start ? TID_AT_START : TID_LIVE, EVENT_asyncevent, true,
			   params, asyncevent__count);
	return end_event(writer, r);
}

/* A text up to a limit, copied to `memory` of that many bytes and one for its NUL. */
static struct event_param account_param(const char *text, char *memory)
{
	size_t len = strnlen(text, SCAP_ACCOUNT_BYTES_MAX);

	memcpy(memory, text, len);
	memory[len] = '\0';
	return (struct event_param){(const uint8_t *)memory, (uint32_t)len + 1};
}

static void pack_container_user(struct buf *buf, const struct scap_container_user *user)
{
	char texts[4][SCAP_ACCOUNT_BYTES_MAX + 1];
	const struct event_param params[useradded__count] = {
		[useradded__uid] = {(const uint8_t *)&user->user->uid, sizeof(uint32_t)},
		[useradded__gid] = {(const uint8_t *)&user->user->gid, sizeof(uint32_t)},
		[useradded__name] = account_param(user->user->name, texts[0]),
		[useradded__home] = account_param(user->user->home, texts[1]),
		[useradded__shell] = account_param(user->user->shell, texts[2]),
		[useradded__container_id] = account_param(user->container, texts[3]),
	};

	pack_event(buf, user->ts_ns, TID_NONE, EVENT_useradded, false, params, useradded__count);
}

static void pack_container_group(struct buf *buf, const struct scap_container_user *user)
{
	char texts[2][SCAP_ACCOUNT_BYTES_MAX + 1];
	const struct event_param params[groupadded__count] = {
		[groupadded__gid] = {(const uint8_t *)&user->group->gid, sizeof(uint32_t)},
		[groupadded__name] = account_param(user->group->name, texts[0]),
		[groupadded__container_id] = account_param(user->container, texts[1]),
	};

	pack_event(buf, user->ts_ns, TID_NONE, EVENT_groupadded, false, params, groupadded__count);
}

/* What says that a container has users of its own, and none of them: one that it has not goes. */
static void pack_nobody(struct buf *buf, const struct scap_container_user *user)
{
	static const uint32_t uid = UINT32_MAX, gid = UINT32_MAX;
	static const uint8_t empty[] = "";
	const struct event_param none = {empty, sizeof(empty)};
	char text[SCAP_ACCOUNT_BYTES_MAX + 1];
	const struct event_param params[userdeleted__count] = {
		[userdeleted__uid] = {(const uint8_t *)&uid, sizeof(uid)},
		[userdeleted__gid] = {(const uint8_t *)&gid, sizeof(gid)},
		[userdeleted__name] = none,
		[userdeleted__home] = none,
		[userdeleted__shell] = none,
		[userdeleted__container_id] = account_param(user->container, text),
	};

	pack_event(buf, user->ts_ns, TID_NONE, EVENT_userdeleted, false, params,
		   userdeleted__count);
}

/* Readers of 2022 do not know these events. */
static int on_container_user(struct scap_snapshot *to, const struct scap_container_user *user)
{
	struct scap_writer *writer = writer_of(to);
	int r;

	if (writer->config.form_2022) {
		writer->stats.left_out++;
		writer->stats.hidden_left_out++;
		return 0;
	}
	r = open_list(writer, SCAP_BLOCK_EVENT_V2_FLAGS);
	if (user->user)
		pack_container_user(&writer->list.entries, user);
	else if (user->group)
		pack_container_group(&writer->list.entries, user);
	else
		pack_nobody(&writer->list.entries, user);
	return end_event(writer, r);
}

/* The lists are no longer needed. */
static int on_end(struct scap_snapshot *to)
{
	struct scap_writer *writer = writer_of(to);
	int r = close_list(writer);

	buf_finish(&writer->list.entries);
	buf_finish(&writer->list.behind);
	return r;
}

const struct scap_snapshot_ops writer_snapshot_ops = {
	.begin = on_begin,
	.machine = on_machine,
	.interface = on_interface,
	.user = on_user,
	.group = on_group,
	.thread = on_thread,
	.fds = on_fds,
	.fd = on_fd,
	.container = on_container,
	.container_user = on_container_user,
	.end = on_end,
};
