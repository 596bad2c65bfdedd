/* SPDX-License-Identifier: MIT */
/* One descriptor from /proc/PID/fd and fdinfo. Called by the walks of proc.c. */
#include "scap/proc/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "scap/proc/ids.h"
#include "scap/proc/impl.h"
#include "scap/proc/text.h"
#include "util/count.h"

enum { FDINFO_BYTES_MAX = 512 }; /* the wanted lines are the first ones */

/* Texts of links that are no paths; of texts with the same beginning the longest comes first. */
static const struct {
	const char *prefix;
	enum scap_fd_type type;
} link_types[] = {
	{"pipe:[", SCAP_FD_PIPE},
	{"pidfd:[", SCAP_FD_PIDFD},
	{"anon_inode:[eventfd", SCAP_FD_EVENT},
	{"anon_inode:[eventpoll", SCAP_FD_EPOLL},
	{"anon_inode:[signalfd", SCAP_FD_SIGNAL},
	{"anon_inode:[timerfd", SCAP_FD_TIMER},
	{"anon_inode:[userfaultfd", SCAP_FD_USERFAULT},
	{"anon_inode:[io_uring", SCAP_FD_IO_URING},
	{"anon_inode:[pidfd", SCAP_FD_PIDFD},
	{"anon_inode:[bpf", SCAP_FD_BPF},
	{"anon_inode:bpf", SCAP_FD_BPF},
	{"anon_inode:inotify", SCAP_FD_INOTIFY},
	{"anon_inode:[inotify", SCAP_FD_INOTIFY},
	{"anon_inode:", SCAP_FD_UNSUPPORTED},
	{"/memfd:", SCAP_FD_MEMFD},
};

/* The kernel's name of the protocol of a socket that no table lists because it is unbound. */
static const struct {
	const char *name;
	enum scap_fd_type type;
	enum scap_l4 l4;
} protocols[] = {
	{"TCP", SCAP_FD_IPV4, SCAP_L4_TCP},
	{"TCPv6", SCAP_FD_IPV6, SCAP_L4_TCP},
	{"MPTCP", SCAP_FD_IPV4, SCAP_L4_TCP},
	{"MPTCPv6", SCAP_FD_IPV6, SCAP_L4_TCP},
	{"UDP", SCAP_FD_IPV4, SCAP_L4_UDP},
	{"UDPv6", SCAP_FD_IPV6, SCAP_L4_UDP},
	{"UDP-Lite", SCAP_FD_IPV4, SCAP_L4_UDP},
	{"UDPLITEv6", SCAP_FD_IPV6, SCAP_L4_UDP},
	{"PING", SCAP_FD_IPV4, SCAP_L4_ICMP},
	{"PINGv6", SCAP_FD_IPV6, SCAP_L4_ICMP},
	{"RAW", SCAP_FD_IPV4, SCAP_L4_RAW},
	{"RAWv6", SCAP_FD_IPV6, SCAP_L4_RAW},
	{"UNIX", SCAP_FD_UNIX, SCAP_L4_UNKNOWN},
	{"UNIX-STREAM", SCAP_FD_UNIX, SCAP_L4_UNKNOWN},
	{"NETLINK", SCAP_FD_NETLINK, SCAP_L4_UNKNOWN},
};

/* The C library defines this as 0; the kernel sets it on every open file. */
#ifdef __aarch64__
#define KERNEL_O_LARGEFILE 0400000
#else
#define KERNEL_O_LARGEFILE 0100000
#endif

/* The kernel's open flags, and the values that events have for them (file_flags). */
static const struct {
	uint64_t native;
	uint32_t stored;
} open_flags[] = {
	{O_CREAT, 0x4},
	{O_APPEND, 0x8},
	{O_DSYNC, 0x10},
	{O_EXCL, 0x20},
	{O_NONBLOCK, 0x40},
	{O_SYNC, 0x80},
	{O_TRUNC, 0x100},
	{O_DIRECT, 0x200},
	{O_DIRECTORY, 0x400},
	{O_CLOEXEC, 0x1000},
	{KERNEL_O_LARGEFILE, 0x800},
	{O_TMPFILE, 0x2000},
};

uint32_t proc_fd_flags(uint64_t native)
{
	static const uint32_t access_modes[] = {0x1, 0x2, 0x3, 0x1};
	uint32_t stored = access_modes[native & 3];

	for (size_t i = 0; i < COUNT(open_flags); i++)
		if (native & open_flags[i].native)
			stored |= open_flags[i].stored;
	return stored;
}

/* The lines of fdinfo that are about the file, and not about how it was opened. */
static void fd_take_line(struct proc_text *line, struct scap_fd *fd)
{
	struct proc_text word;
	uint64_t number;

	if (proc_text_prefix(line, "flags:") && proc_text_word(line, &word) &&
	    proc_text_u64(&word, 8, &number))
		fd->flags = proc_fd_flags(number);
	else if (proc_text_prefix(line, "mnt_id:") && proc_text_word(line, &word) &&
		 proc_text_u64(&word, 10, &number))
		fd->mount = (uint32_t)number;
	/* From Linux 5.14 on. */
	else if (proc_text_prefix(line, "ino:") && proc_text_word(line, &word) &&
		 proc_text_u64(&word, 10, &number))
		fd->ino = number;
}

static void fd_read_info(struct scap_proc *proc, int dir, const char *name, struct scap_fd *fd)
{
	struct proc_text text, line;

	if (proc_read_file(dir, name, FDINFO_BYTES_MAX, &proc->text) < 0)
		return;
	text = proc_text_of(&proc->text);
	while (proc_text_line(&text, &line))
		fd_take_line(&line, fd);
}

uint32_t proc_fd_dev(uint32_t major, uint32_t minor)
{
	return (minor & 0xff) | major << 8 | (minor & ~0xffu) << 12;
}

void proc_fd_set_mode(struct scap_fd *fd, uint16_t mode)
{
	if (fd->type != SCAP_FD_FILE)
		return;
	if (S_ISDIR(mode))
		fd->type = SCAP_FD_DIRECTORY;
	else if (S_ISFIFO(mode))
		fd->type = SCAP_FD_PIPE;
}

/*
 * The type of a file from its mode; its inode and device. From the cache: a file server may hang.
 */
static void read_inode(int task_dir, const char *name, struct scap_fd *fd)
{
	struct statx stat;

	if (statx(task_dir, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_INO,
		  &stat) < 0)
		return;
	fd->ino = stat.stx_ino;
	fd->dev = proc_fd_dev(stat.stx_dev_major, stat.stx_dev_minor);
	proc_fd_set_mode(fd, stat.stx_mode);
}

enum scap_fd_type proc_fd_type(const char *target)
{
	for (size_t i = 0; i < COUNT(link_types); i++)
		if (strncmp(target, link_types[i].prefix, strlen(link_types[i].prefix)) == 0)
			return link_types[i].type;
	return SCAP_FD_FILE;
}

static void ask_protocol(int task_dir, const char *name, struct scap_fd *fd)
{
	char path[64], protocol[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", task_dir, name);
	n = getxattr(path, "system.sockprotoname", protocol, sizeof(protocol) - 1);
	if (n <= 0)
		return;
	protocol[n] = '\0';
	for (size_t i = 0; i < COUNT(protocols); i++) {
		if (strcmp(protocol, protocols[i].name) == 0) {
			fd->type = protocols[i].type;
			fd->l4 = protocols[i].l4;
			fd->name = "";
			return;
		}
	}
}

/* Whoever has sockets by the thousand in a namespace would have the caller wait for all of them. */
static int fd_find_socket(struct scap_proc *proc, int task_dir, uint64_t namespace,
			  struct scap_fd *fd)
{
	struct proc_target target = {.pid = proc->fds_tid, .tid = proc->fds_tid};

	if (!proc->readers || !namespace)
		return proc_net_find(&proc->net, task_dir, namespace, fd->ino, fd);
	target.owner = proc_owner(task_dir);
	target.network = namespace;
	target.ino = fd->ino;
	return proc_readers_socket(proc->readers, &target, &proc->text, fd);
}

static int fill_socket(struct scap_proc *proc, int task_dir, uint64_t *namespace, const char *name,
		       struct scap_fd *fd)
{
	int r;

	if (*namespace == 0)
		*namespace = proc_net_namespace(task_dir);
	fd->type = SCAP_FD_UNSUPPORTED;
	r = fd_find_socket(proc, task_dir, *namespace, fd);
	if (r && r != -ENOMEM)
		ask_protocol(task_dir, name, fd);
	return r == -ENOMEM ? r : 0;
}

/* Reads the link `name` of a folder, and what it leads to. Sockets are searched for in the task's.
 */
static int fd_fill(struct scap_proc *proc, int task_dir, int dir, const char *name,
		   uint64_t *namespace, struct scap_fd *fd)
{
	struct proc_text target;
	char own[32];
	int len = proc_read_link(dir, name, proc->fd_name, sizeof(proc->fd_name));

	if (len < 0)
		return len == -ENOENT ? -EBADF : len;
	target = (struct proc_text){proc->fd_name, proc->fd_name + len};
	if (proc_text_prefix(&target, "socket:[") && proc_text_u64(&target, 10, &fd->ino)) {
		snprintf(own, sizeof(own), "fd/%" PRId64, fd->num);
		return fill_socket(proc, task_dir, namespace, own, fd);
	}
	fd->type = proc_fd_type(proc->fd_name);
	read_inode(dir, name, fd);
	return 0;
}

int proc_fd_fill(struct scap_proc *proc, int task_dir, uint64_t *namespace, int64_t num,
		 struct scap_fd *fd)
{
	char name[32], info[32];
	int r;

	*fd = (struct scap_fd){.num = num, .name = proc->fd_name};
	snprintf(name, sizeof(name), "fd/%" PRId64, num);
	snprintf(info, sizeof(info), "fdinfo/%" PRId64, num);
	r = fd_fill(proc, task_dir, task_dir, name, namespace, fd);
	if (r == 0)
		fd_read_info(proc, task_dir, info, fd);
	return r;
}

int proc_fd_fill_held(struct scap_proc *proc, int task_dir, int64_t num, struct scap_fd *fd)
{
	char name[48], info[48];
	uint64_t namespace = 0;
	uint32_t flags;
	int held, r;

	snprintf(name, sizeof(name), "fd/%" PRId64, num);
	held = openat(task_dir, name, O_PATH | O_CLOEXEC);
	/* A file system that answers in place of the kernel may forbid it. */
	if (held < 0)
		return proc_fd_fill(proc, task_dir, &namespace, num, fd);
	*fd = (struct scap_fd){.num = num, .name = proc->fd_name};
	snprintf(info, sizeof(info), "fdinfo/%" PRId64, num);
	fd_read_info(proc, task_dir, info, fd);
	flags = fd->flags;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", held);
	snprintf(info, sizeof(info), "/proc/self/fdinfo/%d", held);
	r = fd_fill(proc, task_dir, AT_FDCWD, name, &namespace, fd);
	if (r == 0)
		fd_read_info(proc, AT_FDCWD, info, fd);
	fd->flags = flags;
	close(held);
	return r;
}

void proc_fd_read_inode(int task_dir, struct scap_fd *fd)
{
	char name[32];

	snprintf(name, sizeof(name), "fd/%" PRId64, fd->num);
	read_inode(task_dir, name, fd);
}
