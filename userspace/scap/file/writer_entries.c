/* SPDX-License-Identifier: MIT */
/* Threads and descriptors as entries of the lists of a capture file. Called by the snapshot. */
#include "scap/file/writer_impl.h"

/*
 * Strings one after the other, each with its NUL: as many whole ones as fit. If the first does not
 * fit, its beginning.
 */
static void pack_strings(struct buf *buf, const char *strings, size_t len)
{
	const char *end;

	if (len <= SCAP_STRINGS_BYTES_MAX) {
		pack_bytes(buf, strings, len);
		return;
	}
	end = memrchr(strings, '\0', SCAP_STRINGS_BYTES_MAX);
	if (end) {
		pack_bytes(buf, strings, (size_t)(end - strings) + 1);
		return;
	}
	pack_u16(buf, SCAP_STRINGS_BYTES_MAX);
	buf_append(buf, strings, SCAP_STRINGS_BYTES_MAX - 1);
	pack_u8(buf, '\0');
}

static void pack_caps(struct buf *buf, const struct scap_thread *thread)
{
	pack_u64(buf, thread->caps_inheritable);
	pack_u64(buf, thread->caps_permitted);
	pack_u64(buf, thread->caps_effective);
}

static bool exe_has(const struct scap_thread *thread, uint32_t flag)
{
	return thread->exe_flags & flag;
}

/* Fields added over the years; readers see from the length of the entry which exist. */
static void pack_tail(struct buf *buf, const struct scap_thread *thread)
{
	pack_u64(buf, thread->pidns_start_ns);
	pack_u32(buf, thread->tty);
	pack_u32(buf, thread->loginuid);
	pack_u8(buf, exe_has(thread, execve_flags__EXE_WRITABLE));
	pack_caps(buf, thread);
	pack_u8(buf, exe_has(thread, execve_flags__EXE_UPPER_LAYER));
	pack_u64(buf, thread->exe_ino);
	pack_u64(buf, thread->exe_ctime_ns);
	pack_u64(buf, thread->exe_mtime_ns);
	pack_u8(buf, exe_has(thread, execve_flags__EXE_FROM_MEMFD));
	pack_u8(buf, exe_has(thread, execve_flags__EXE_LOWER_LAYER));
	pack_u64(buf, (uint64_t)thread->pgid);
}

/* The only tail that readers of 2022 and current ones read alike. */
static void pack_tail_2022(struct buf *buf, const struct scap_thread *thread)
{
	pack_u32(buf, thread->loginuid);
	pack_u8(buf, exe_has(thread, execve_flags__EXE_WRITABLE));
	pack_caps(buf, thread);
}

static void pack_body(struct buf *buf, const struct scap_thread *thread)
{
	pack_u64(buf, (uint64_t)thread->tid);
	pack_u64(buf, (uint64_t)thread->pid);
	pack_u64(buf, (uint64_t)thread->ptid);
	pack_u64(buf, (uint64_t)thread->sid);
	pack_u64(buf, (uint64_t)thread->vpgid);
	pack_string(buf, thread->comm, sizeof(thread->comm));
	pack_string(buf, thread->exe, SCAP_PATH_BYTES_MAX);
	pack_string(buf, thread->exepath, SCAP_PATH_BYTES_MAX);
	pack_strings(buf, thread->args, thread->args_len);
	pack_string(buf, thread->cwd, SCAP_PATH_BYTES_MAX);
	pack_u64(buf, (uint64_t)thread->fd_limit);
	pack_u32(buf, thread->flags);
	pack_u32(buf, thread->uid);
	pack_u32(buf, thread->gid);
	pack_u32(buf, thread->vm_size_kib);
	pack_u32(buf, thread->vm_rss_kib);
	pack_u32(buf, thread->vm_swap_kib);
	pack_u64(buf, thread->faults_major);
	pack_u64(buf, thread->faults_minor);
	pack_strings(buf, thread->env, thread->env_len);
	pack_u64(buf, (uint64_t)thread->vtid);
	pack_u64(buf, (uint64_t)thread->vpid);
	pack_strings(buf, thread->cgroups, thread->cgroups_len);
	pack_string(buf, thread->root, SCAP_PATH_BYTES_MAX);
}

void writer_pack_thread(struct buf *buf, const struct scap_thread *thread, bool form_2022)
{
	size_t entry = pack_begin(buf);

	pack_body(buf, thread);
	if (form_2022)
		pack_tail_2022(buf, thread);
	else
		pack_tail(buf, thread);
	pack_end(buf, entry, entry);
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
	pack_u16(buf, fd->local.port);
	if (both)
		pack_u16(buf, fd->remote.port);
	pack_u8(buf, protocols[fd->l4]);
}

static void pack_unix(struct buf *buf, const struct scap_fd *fd)
{
	pack_u64(buf, fd->unix_socket);
	pack_u64(buf, fd->unix_peer);
	pack_string(buf, fd->name, SCAP_PATH_BYTES_MAX);
}

static void pack_file(struct buf *buf, const struct scap_fd *fd)
{
	pack_u32(buf, fd->flags);
	pack_string(buf, fd->name, SCAP_PATH_BYTES_MAX);
	pack_u32(buf, fd->dev);
}

static void pack_name(struct buf *buf, const struct scap_fd *fd)
{
	pack_string(buf, fd->name, SCAP_PATH_BYTES_MAX);
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
	entry = pack_begin(buf);
	pack_u64(buf, (uint64_t)fd->num);
	pack_u64(buf, fd->ino);
	pack_u8(buf, kind->unconnected && !has_remote(fd) ? kind->unconnected : kind->type);
	kind->pack(buf, fd);
	pack_end(buf, entry, entry);
}
