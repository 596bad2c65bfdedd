/* SPDX-License-Identifier: MIT */
/* Reads the records of iterators: threads, open descriptors, sockets. */
#include "scap/live/iter.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi.h"
#include "iter_thread.h"
#include "open_fd.h"
#include "scap/proc/fd.h"
#include "util/count.h"

void iter_records_init(struct iter_records *records, int fd)
{
	records->fd = fd;
	records->at = records->len = 0;
}

/* Reads more behind what is left. Returns how many bytes, or -errno. */
static ssize_t read_more(struct iter_records *records)
{
	ssize_t got;

	memmove(records->bytes, records->bytes + records->at, records->len - records->at);
	records->len -= records->at;
	records->at = 0;
	/* After a million of tasks and files without a record the kernel wants to be asked again.
	 */
	do
		got = read(records->fd, records->bytes + records->len,
			   sizeof(records->bytes) - records->len);
	while (got < 0 && (errno == EINTR || errno == EAGAIN));
	if (got < 0)
		return -errno;
	records->len += (size_t)got;
	return got;
}

int iter_records_need(struct iter_records *records, size_t bytes)
{
	while (records->len - records->at < bytes) {
		ssize_t got = read_more(records);

		if (got < 0)
			return (int)got;
		if (got == 0)
			return records->len == 0 ? 0 : -EBADMSG;
	}
	return 1;
}

enum { ANY = 0xffff, PROTOCOL_MPTCP = 262 };

/* The first row that fits. Sockets of other kinds are not supported. */
static const struct kind {
	uint16_t family, type, protocol;
	uint8_t fd_type; /* enum scap_fd_type */
	uint8_t l4; /* enum scap_l4 */
} kinds[] = {
	{AF_INET, SOCK_STREAM, IPPROTO_TCP, SCAP_FD_IPV4, SCAP_L4_TCP},
	{AF_INET6, SOCK_STREAM, IPPROTO_TCP, SCAP_FD_IPV6, SCAP_L4_TCP},
	{AF_INET, SOCK_DGRAM, IPPROTO_UDP, SCAP_FD_IPV4, SCAP_L4_UDP},
	{AF_INET6, SOCK_DGRAM, IPPROTO_UDP, SCAP_FD_IPV6, SCAP_L4_UDP},
	{AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE, SCAP_FD_IPV4, SCAP_L4_UDP},
	{AF_INET6, SOCK_DGRAM, IPPROTO_UDPLITE, SCAP_FD_IPV6, SCAP_L4_UDP},
	{AF_INET, SOCK_DGRAM, IPPROTO_ICMP, SCAP_FD_IPV4, SCAP_L4_ICMP},
	{AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6, SCAP_FD_IPV6, SCAP_L4_ICMP},
	{AF_INET, SOCK_RAW, ANY, SCAP_FD_IPV4, SCAP_L4_RAW},
	{AF_INET6, SOCK_RAW, ANY, SCAP_FD_IPV6, SCAP_L4_RAW},
	{AF_UNIX, ANY, ANY, SCAP_FD_UNIX, SCAP_L4_UNKNOWN},
	{AF_NETLINK, ANY, ANY, SCAP_FD_NETLINK, SCAP_L4_UNKNOWN},
};

static bool iter_fits(uint16_t wanted, uint16_t value)
{
	return wanted == ANY || wanted == value;
}

static const struct kind *find_kind(const struct open_fd_socket *from)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].family == from->family && iter_fits(kinds[i].type, from->type) &&
		    iter_fits(kinds[i].protocol, from->protocol))
			return &kinds[i];
	return NULL;
}

/* Whether the files of /proc/PID/net list it: others have no ends there. */
static bool is_listed(const struct open_fd_socket *from, enum scap_l4 l4)
{
	if (l4 == SCAP_L4_TCP)
		return from->state != TCP_CLOSE;
	return l4 == SCAP_L4_RAW || from->is_bound;
}

static bool iter_is_mapped(const uint8_t address[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(address, mapped, sizeof(mapped)) == 0;
}

static struct scap_endpoint end_of(const uint8_t *address, size_t bytes, uint16_t port)
{
	struct scap_endpoint end = {.port = port};

	memcpy(end.address, address, bytes);
	return end;
}

static void fill_ends(const struct open_fd_socket *from, struct scap_fd *fd)
{
	bool has_ports = fd->l4 == SCAP_L4_TCP || fd->l4 == SCAP_L4_UDP;
	size_t bytes = fd->type == SCAP_FD_IPV4 ? 4 : 16, skipped = 0;

	/* An IPv6 socket that uses IPv4 is reported as IPv4. */
	if (fd->type == SCAP_FD_IPV6 && iter_is_mapped(from->local) &&
	    iter_is_mapped(from->remote)) {
		fd->type = SCAP_FD_IPV4;
		bytes = 4;
		skipped = 12;
	}
	fd->local = end_of(from->local + skipped, bytes, has_ports ? from->local_port : 0);
	fd->remote = end_of(from->remote + skipped, bytes, has_ports ? from->remote_port : 0);
}

/* As in /proc/net/unix: '@' for each NUL of an abstract name. */
static void fill_unix_name(const struct open_fd_socket *from, const char *path,
			   char name[ITER_NAME_BYTES])
{
	size_t len = from->unix_bytes;

	/* The NUL that ends a path counts for the kernel. */
	if (len && path[0] != '\0')
		len = strnlen(path, len);
	for (size_t i = 0; i < len; i++)
		name[i] = path[i] ? path[i] : '@';
	name[len] = '\0';
}

int iter_socket_fill(const struct open_fd_socket *from, const char *path, struct scap_fd *fd,
		     char name[ITER_NAME_BYTES])
{
	const struct kind *kind = find_kind(from);

	if (from->type == SOCK_STREAM && from->protocol == PROTOCOL_MPTCP)
		return -EOPNOTSUPP;
	fd->name = name;
	name[0] = '\0';
	if (!kind) {
		fd->type = SCAP_FD_UNSUPPORTED;
		snprintf(name, ITER_NAME_BYTES, "socket:[%" PRIu64 "]", fd->ino);
		return 0;
	}
	fd->type = (enum scap_fd_type)kind->fd_type;
	fd->l4 = (enum scap_l4)kind->l4;
	if (fd->type == SCAP_FD_UNIX) {
		fd->unix_socket = from->address;
		fill_unix_name(from, path, name);
	} else if (fd->l4 != SCAP_L4_UNKNOWN && is_listed(from, fd->l4)) {
		fill_ends(from, fd);
	}
	return 0;
}

/* Reads the iterator's records: checked, and in the units of /proc. */

struct scap_threads {
	const struct scap_proc *proc;
	bool ended; /* the last record came */
	struct iter_records records;
};

int scap_threads_create(int fd, const struct scap_proc *proc, struct scap_threads **threads)
{
	struct scap_threads *made = malloc(sizeof(*made));

	if (!made) {
		close(fd);
		return -ENOMEM;
	}
	made->proc = proc;
	made->ended = false;
	iter_records_init(&made->records, fd);
	*threads = made;
	return 0;
}

void scap_threads_destroy(struct scap_threads *threads)
{
	if (!threads)
		return;
	close(threads->records.fd);
	free(threads);
}

static bool iter_is_valid(const struct iter_thread *record)
{
	if (record->flags & ~(uint32_t)ITER_THREAD_FLAGS)
		return false;
	if (record->flags & ITER_THREAD_END)
		return record->tid == 0;
	if (record->flags & ITER_THREAD_FIRST && record->tid != record->pid)
		return false;
	return record->tid && record->pid && record->tid <= INT32_MAX && record->pid <= INT32_MAX;
}

static void iter_take(const struct scap_proc *proc, const struct iter_thread *from,
		      struct scap_other_thread *to)
{
	*to = (struct scap_other_thread){
		.tid = from->tid,
		.pid = from->pid,
		.vtid = from->vtid ? from->vtid : from->tid,
		.uid = from->uid,
		.gid = from->gid,
		.loginuid = from->loginuid,
		.start_ns = scap_proc_start_ns(proc, from->start_ns / TICK_NS),
		.caps_permitted = from->caps_permitted,
		.caps_effective = from->caps_effective,
		.caps_inheritable = from->caps_inheritable,
		.faults_major = from->faults_major,
		.faults_minor = from->faults_minor,
		.own_cgroups = from->flags & ITER_THREAD_OWN_CGROUPS,
		.is_first = from->flags & ITER_THREAD_FIRST,
		.exepath = "",
	};
	memcpy(to->comm, from->comm, sizeof(to->comm));
	to->comm[sizeof(to->comm) - 1] = '\0';
}

/* What follows the record of a first thread. Returns 1 or -errno. */
static int iter_take_program(struct iter_records *records, struct scap_other_thread *to)
{
	struct iter_program program;
	int r = iter_records_need(records, sizeof(program));

	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	memcpy(&program, records->bytes + records->at, sizeof(program));
	if (program.path_bytes > ITER_PATH_BYTES_MAX)
		return -EBADMSG;
	r = iter_records_need(records, sizeof(program) + program.path_bytes);
	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	if (program.path_bytes) {
		const char *path = records->bytes + records->at + sizeof(program);

		if (path[program.path_bytes - 1] != '\0')
			return -EBADMSG;
		/* A rename meanwhile, which is anybody's, leaves a NUL in it: it is not known then.
		 */
		if (strlen(path) == program.path_bytes - 1)
			to->exepath = path;
	}
	records->at += sizeof(program) + program.path_bytes;
	to->exec_id = program.exec_id;
	to->exe_ino = program.ino;
	to->exe_ctime_ns = program.ctime_ns;
	to->exe_mtime_ns = program.mtime_ns;
	to->exe_flags = program.flags;
	return 1;
}

int scap_threads_next(struct scap_threads *threads, struct scap_other_thread *thread)
{
	struct iter_records *records = &threads->records;
	struct iter_thread record;
	int r = iter_records_need(records, sizeof(record));

	if (r < 0)
		return r;
	/* The last record is the end, and nothing follows it. */
	if (threads->ended || r == 0)
		return threads->ended && r == 0 ? 0 : -EBADMSG;
	memcpy(&record, records->bytes + records->at, sizeof(record));
	records->at += sizeof(record);
	if (!iter_is_valid(&record))
		return -EBADMSG;
	if (record.flags & ITER_THREAD_END) {
		threads->ended = true;
		return 0;
	}
	iter_take(threads->proc, &record, thread);
	return thread->is_first ? iter_take_program(records, thread) : 1;
}

/* Reads the iterator's records: checked, and turned into what /proc would show. */

/* Of the initial pid namespace, in include/linux/proc_ns.h. */
#define PROC_PID_INIT_INO 0xEFFFFFFCU

enum {
	MINOR_BITS = 20,
	MINOR_MASK = (1 << MINOR_BITS) - 1,
};

struct scap_open_fds {
	struct scap_proc *proc;
	bool ended; /* the last record came */
	char name[ITER_NAME_BYTES];
	struct iter_records records;
};

/* File systems whose files have the numbers of the kernel's inodes; others are asked. */
static const uint32_t plain_magics[] = {
	EXT4_SUPER_MAGIC,    XFS_SUPER_MAGIC,	  TMPFS_MAGIC,	 PIPEFS_MAGIC,
	PROC_SUPER_MAGIC,    ANON_INODE_FS_MAGIC, SYSFS_MAGIC,	 DEVPTS_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC, CGROUP_SUPER_MAGIC,  NSFS_MAGIC,	 HUGETLBFS_MAGIC,
	RAMFS_MAGIC,	     TRACEFS_MAGIC,	  DEBUGFS_MAGIC, BPF_FS_MAGIC,
	SQUASHFS_MAGIC,	     SECURITYFS_MAGIC,
};

bool scap_open_fds_sees_all(void)
{
	struct stat own;

	return stat("/proc/self/ns/pid", &own) == 0 && own.st_ino == PROC_PID_INIT_INO;
}

int scap_open_fds_create(int fd, struct scap_proc *proc, struct scap_open_fds **fds)
{
	struct scap_open_fds *made = malloc(sizeof(*made));

	if (!made) {
		close(fd);
		return -ENOMEM;
	}
	made->proc = proc;
	made->ended = false;
	iter_records_init(&made->records, fd);
	*fds = made;
	return 0;
}

void scap_open_fds_destroy(struct scap_open_fds *fds)
{
	if (!fds)
		return;
	close(fds->records.fd);
	free(fds);
}

/* Gets the next header and what follows it. Returns 1, 0 at the end, or -errno. */
static int iter_next_record(struct scap_open_fds *fds, struct open_fd *header, const char **body)
{
	struct iter_records *records = &fds->records;
	int r = iter_records_need(records, sizeof(*header));

	if (r <= 0)
		return r < 0 || fds->ended ? r : -EBADMSG;
	if (fds->ended)
		return -EBADMSG;
	memcpy(header, records->bytes + records->at, sizeof(*header));
	if (header->bytes > OPEN_FD_PATH_BYTES)
		return -EBADMSG;
	r = iter_records_need(records, sizeof(*header) + header->bytes);
	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	*body = records->bytes + records->at + sizeof(*header);
	records->at += sizeof(*header) + header->bytes;
	return 1;
}

static bool iter_is_plain(uint32_t magic)
{
	for (size_t i = 0; i < COUNT(plain_magics); i++)
		if (plain_magics[i] == magic)
			return true;
	return false;
}

static int iter_take_file(struct scap_open_fds *fds, const struct open_fd *header, const char *body,
			  struct scap_fd *fd)
{
	if (header->bytes == 0 || strnlen(body, header->bytes) != header->bytes - 1u)
		return -EBADMSG;
	fd->name = body;
	fd->type = proc_fd_type(body);
	fd->dev = proc_fd_dev(header->dev >> MINOR_BITS, header->dev & MINOR_MASK);
	proc_fd_set_mode(fd, header->mode);
	if (!iter_is_plain(header->magic))
		scap_proc_fd_inode(fds->proc, header->pid, fd);
	return 1;
}

/* Returns 1, or 0 if it is closed meanwhile. */
static int iter_look_up(struct scap_open_fds *fds, const struct open_fd *header, struct scap_fd *fd)
{
	return scap_proc_fd(fds->proc, header->pid, header->num, fd) == 0;
}

static int iter_take_socket(struct scap_open_fds *fds, const struct open_fd *header,
			    const char *body, struct scap_fd *fd)
{
	struct open_fd_socket socket;

	if (header->bytes < sizeof(socket))
		return -EBADMSG;
	memcpy(&socket, body, sizeof(socket));
	if (socket.unix_bytes > OPEN_FD_UNIX_BYTES ||
	    header->bytes != sizeof(socket) + socket.unix_bytes)
		return -EBADMSG;
	return iter_socket_fill(&socket, body + sizeof(socket), fd, fds->name)
		       ? iter_look_up(fds, header, fd)
		       : 1;
}

static int take_unknown(struct scap_open_fds *fds, const struct open_fd *header, const char *body,
			struct scap_fd *fd)
{
	return header->bytes ? -EBADMSG : iter_look_up(fds, header, fd);
}

static int iter_take_end(struct scap_open_fds *fds, const struct open_fd *header, const char *body,
			 struct scap_fd *fd)
{
	fds->ended = true;
	return header->bytes ? -EBADMSG : 0;
}

int scap_open_fds_next(struct scap_open_fds *fds, int64_t *pid, struct scap_fd *fd)
{
	/* Return 1, 0 if there is no descriptor, or -EBADMSG. */
	static int (*const takers[])(struct scap_open_fds *, const struct open_fd *, const char *,
				     struct scap_fd *) = {
		[OPEN_FD_END] = iter_take_end,
		[OPEN_FD_FILE] = iter_take_file,
		[OPEN_FD_SOCKET] = iter_take_socket,
		[OPEN_FD_UNKNOWN] = take_unknown,
	};
	struct open_fd header;
	const char *body;
	int r;

	while ((r = iter_next_record(fds, &header, &body)) == 1) {
		if (header.kind >= COUNT(takers) || !takers[header.kind])
			return -EBADMSG;
		*pid = header.pid;
		*fd = (struct scap_fd){
			.num = header.num,
			.flags = proc_fd_flags(header.flags),
			.ino = header.ino,
		};
		r = takers[header.kind](fds, &header, body, fd);
		if (r)
			return r;
	}
	return r;
}
