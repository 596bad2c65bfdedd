/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The open descriptors of all processes, as an iterator: whoever reads its descriptor gets a record
 * of each (open_fd.h). Paths are relative to the root of the one who reads, as those in /proc are.
 */
#ifndef LANNER_OPEN_FDS_BPF_H
#define LANNER_OPEN_FDS_BPF_H

#include "bpf/readers/socket.bpf.h"
#include "open_fd.h"

enum {
	OPEN_FLAG_CLOEXEC = 02000000,
	SOCKET_FS_MAGIC = 0x534f434b,
	BITS_PER_WORD = 64,
	UNIX_FAMILY_BYTES = 2,
	UNIX_ADDRESS_BYTES_MAX = UNIX_FAMILY_BYTES + OPEN_FD_UNIX_BYTES + 1, /* and a NUL */
};

/* As the kernel passes it to programs. */
struct open_fds_context {
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL: no more */
	__u32 fd __attribute__((aligned(8)));
	struct file *file;
};

struct open_fd_record {
	struct open_fd header;
	union {
		char path[OPEN_FD_PATH_BYTES];
		struct {
			struct open_fd_socket socket;
			char unix_path[OPEN_FD_UNIX_BYTES];
		};
	};
};

/* Too large for the stack. Each iterator has one reader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct open_fd_record);
} open_fd_records SEC(".maps");

static __always_inline bool open_fd_is_cloexec(struct task_struct *task, __u32 fd)
{
	struct fdtable *table = GET(task, files, fdt);
	unsigned long *bits = GET(table, close_on_exec), *at = &bits[fd / BITS_PER_WORD];
	__u64 word = 0;

	if (fd >= GET(table, max_fds))
		return false;
	if (CAN_CAST)
		word = kernel_word((__u64)at);
	else
		bpf_probe_read_kernel(&word, sizeof(word), at);
	return word >> (fd % BITS_PER_WORD) & 1;
}

static __always_inline void open_fd_read_unix(struct open_fd_record *record, struct unix_sock *sock)
{
	struct unix_address *address = GET(sock, addr);
	__u32 len = address ? (__u32)GET(address, len) : 0;

	record->socket.unix_bytes = 0;
	if (len <= UNIX_FAMILY_BYTES || len > UNIX_ADDRESS_BYTES_MAX)
		return;
	len -= UNIX_FAMILY_BYTES;
	record->socket.unix_bytes = (__u16)(len < OPEN_FD_UNIX_BYTES ? len : OPEN_FD_UNIX_BYTES);
	bpf_probe_read_kernel(record->unix_path, OPEN_FD_UNIX_BYTES, &address->name[0].sun_path);
}

static __always_inline void open_fd_read_ends(struct open_fd_socket *to, struct sock *sock)
{
	struct inet_sock *inet = (void *)sock;
	__be32 v4;

	__builtin_memset(to->local, 0, sizeof(to->local) + sizeof(to->remote));
	to->local_port = bpf_ntohs(GET(inet, inet_sport));
	to->remote_port = bpf_ntohs(GET(sock, __sk_common.skc_dport));
	to->is_bound = GET(sock, __sk_common.skc_num) != 0;
	if (to->family == FAMILY_INET) {
		v4 = GET(sock, __sk_common.skc_rcv_saddr);
		__builtin_memcpy(to->local, &v4, sizeof(v4));
		v4 = GET(sock, __sk_common.skc_daddr);
		__builtin_memcpy(to->remote, &v4, sizeof(v4));
		return;
	}
	bpf_core_read(to->local, sizeof(to->local), &sock->__sk_common.skc_v6_rcv_saddr);
	bpf_core_read(to->remote, sizeof(to->remote), &sock->__sk_common.skc_v6_daddr);
}

/* Returns the bytes behind the header. */
static __always_inline __u32 open_fd_read_socket(struct open_fd_record *record, struct inode *inode)
{
	struct socket_alloc *alloc =
		(void *)inode - bpf_core_field_offset(struct socket_alloc, vfs_inode);
	struct sock *sock = GET(alloc, socket.sk);
	struct open_fd_socket *to = &record->socket;

	to->address = (__u64)sock;
	to->family = sock ? GET(sock, __sk_common.skc_family) : 0;
	to->type = sock ? GET(sock, sk_type) : 0;
	to->protocol = sock ? GET(sock, sk_protocol) : 0;
	to->state = sock ? GET(sock, __sk_common.skc_state) : 0;
	to->unix_bytes = 0;
	if (to->family == FAMILY_INET || to->family == FAMILY_INET6)
		open_fd_read_ends(to, sock);
	else if (to->family == FAMILY_UNIX)
		open_fd_read_unix(record, (void *)sock);
	return sizeof(*to) + to->unix_bytes;
}

/*
 * The path as /proc shows it, with its NUL, or what the file has in place of one. Returns its
 * bytes, or less than one: 3d06f34aa89e ("bpf: Allow bpf_d_path in bpf_iter program"), 5.12; the
 * test is for a helper of the same version.
 */
static __always_inline long open_fd_read_path(struct open_fd_record *record, struct file *file)
{
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_check_mtu))
		return 0;
	return bpf_d_path(&file->f_path, record->path, OPEN_FD_PATH_BYTES);
}

static __always_inline void open_fd_read(struct open_fds_context *ctx, struct task_struct *task,
					 struct file *file, struct open_fd_record *record)
{
	struct open_fd *header = &record->header;
	struct inode *inode = file->f_inode;
	long bytes;

	header->pid = (__u32)task->tgid;
	header->num = ctx->fd;
	header->flags = file->f_flags & ~OPEN_FLAG_CLOEXEC;
	if (open_fd_is_cloexec(task, ctx->fd))
		header->flags |= OPEN_FLAG_CLOEXEC;
	header->ino = inode->i_ino;
	header->dev = inode->i_sb->s_dev;
	header->magic = (__u32)inode->i_sb->s_magic;
	header->mode = inode->i_mode;
	if (header->magic == SOCKET_FS_MAGIC) {
		header->kind = OPEN_FD_SOCKET;
		header->bytes = (__u16)open_fd_read_socket(record, inode);
		return;
	}
	bytes = open_fd_read_path(record, file);
	header->kind = bytes > 0 ? OPEN_FD_FILE : OPEN_FD_UNKNOWN;
	header->bytes = bytes > 0 ? (__u16)bytes : 0;
}

static __always_inline int open_fds_run(struct open_fds_context *ctx)
{
	struct open_fd_record *record;
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	__u32 zero = 0;
	__u64 bytes;

	record = bpf_map_lookup_elem(&open_fd_records, &zero);
	if (!record)
		return 0;
	if (!task || !file) {
		record->header = (struct open_fd){.kind = OPEN_FD_END};
		bpf_seq_write(ctx->meta->seq, record, sizeof(record->header));
		return 0;
	}
	/* Those of other threads are the same, or, if they are not, known from events alone. */
	if (task->pid != task->tgid)
		return 0;
	open_fd_read(ctx, task, file, record);
	bytes = sizeof(record->header) + record->header.bytes;
	CHECKED(bytes);
	if (bytes <= sizeof(*record))
		bpf_seq_write(ctx->meta->seq, record, bytes);
	return 0;
}

#endif
