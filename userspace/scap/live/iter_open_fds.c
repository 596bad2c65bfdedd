/* SPDX-License-Identifier: MIT */
/* Reads the iterator's records: checked, and turned into what /proc would show. */
#include "scap/live/iter_open_fds.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "open_fd.h"
#include "scap/live/iter_records.h"
#include "scap/live/iter_socket.h"
#include "scap/proc/fd.h"

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
static int next_record(struct scap_open_fds *fds, struct open_fd *header, const char **body)
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

static bool is_plain(uint32_t magic)
{
	for (size_t i = 0; i < sizeof(plain_magics) / sizeof(*plain_magics); i++)
		if (plain_magics[i] == magic)
			return true;
	return false;
}

static int take_file(struct scap_open_fds *fds, const struct open_fd *header, const char *body,
		     struct scap_fd *fd)
{
	if (header->bytes == 0 || strnlen(body, header->bytes) != header->bytes - 1u)
		return -EBADMSG;
	fd->name = body;
	fd->type = proc_fd_type(body);
	fd->dev = proc_fd_dev(header->dev >> MINOR_BITS, header->dev & MINOR_MASK);
	proc_fd_set_mode(fd, header->mode);
	if (!is_plain(header->magic))
		scap_proc_fd_inode(fds->proc, header->pid, fd);
	return 1;
}

/* Returns 1, or 0 if it is closed meanwhile. */
static int look_up(struct scap_open_fds *fds, const struct open_fd *header, struct scap_fd *fd)
{
	return scap_proc_fd(fds->proc, header->pid, header->num, fd) == 0;
}

static int take_socket(struct scap_open_fds *fds, const struct open_fd *header, const char *body,
		       struct scap_fd *fd)
{
	struct open_fd_socket socket;

	if (header->bytes < sizeof(socket))
		return -EBADMSG;
	memcpy(&socket, body, sizeof(socket));
	if (socket.unix_bytes > OPEN_FD_UNIX_BYTES ||
	    header->bytes != sizeof(socket) + socket.unix_bytes)
		return -EBADMSG;
	return iter_socket_fill(&socket, body + sizeof(socket), fd, fds->name)
		       ? look_up(fds, header, fd)
		       : 1;
}

static int take_unknown(struct scap_open_fds *fds, const struct open_fd *header, const char *body,
			struct scap_fd *fd)
{
	return header->bytes ? -EBADMSG : look_up(fds, header, fd);
}

static int take_end(struct scap_open_fds *fds, const struct open_fd *header, const char *body,
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
		[OPEN_FD_END] = take_end,
		[OPEN_FD_FILE] = take_file,
		[OPEN_FD_SOCKET] = take_socket,
		[OPEN_FD_UNKNOWN] = take_unknown,
	};
	struct open_fd header;
	const char *body;
	int r;

	while ((r = next_record(fds, &header, &body)) == 1) {
		if (header.kind >= sizeof(takers) / sizeof(*takers) || !takers[header.kind])
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
