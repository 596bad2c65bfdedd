/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The requests of io_uring in the kernel, as far as they are read, and what their tracepoints pass.
 * The first bytes of a request are a struct of its operation, which begins with the file.
 */
#ifndef LANNER_URING_STRUCTS_BPF_H
#define LANNER_URING_STRUCTS_BPF_H

#include "bpf/core/kernel_structs.bpf.h"
#include "bpf/core/kernel_versions.bpf.h"

/* Bits of io_kiocb.flags, the first of which are those of the submission. */
enum {
	REQUEST_FIXED_FILE = 1 << 0,
	REQUEST_BUFFER_SELECT = 1 << 5,
	REQUEST_CQE_SKIP = 1 << 6,
};

/* Bits of the flags of a completion. */
enum {
	CQE_BUFFER = 1 << 0, /* the number of a buffer stands behind */
	CQE_NOTIF = 1 << 3, /* buffers are free again, the result was told before */
	CQE_BUFFER_MORE = 1 << 4, /* the rest of the buffer will be used for another one */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct io_cqe {
	__u64 user_data;
	__s32 res;
	union {
		__u32 flags;
		int fd;
	};
};

struct io_rsrc_node {
	unsigned long file_ptr;
};

struct io_rsrc_data {
	unsigned int nr;
	struct io_rsrc_node **nodes;
};

struct io_file_table {
	struct io_rsrc_data data;
};

struct io_wq_work_node {
	struct io_wq_work_node *next;
};

struct io_wq_work_list {
	struct io_wq_work_node *first, *last;
};

/* What has ended of a submission, and is not posted yet. */
struct io_submit_state {
	struct io_wq_work_list compl_reqs;
};

/* An array by number, which is a tree. */
struct xarray {
	void *xa_head;
};

struct xa_node {
	unsigned char shift;
	void *slots[64];
};

struct io_ring_ctx {
	struct io_file_table file_table;
	struct xarray io_bl_xa; /* groups of buffers */
	struct io_submit_state submit_state;
	unsigned int cached_sq_head;
	unsigned int compat : 1;
	struct user_struct *user;
	struct list_head cq_overflow_list;
};

/* A completion that found no room. */
struct io_overflow_cqe {
	struct list_head list;
};

/* Where a ring has its registered files before 6.13. */
struct io_fixed_file {
	unsigned long file_ptr;
};

struct io_file_table___files {
	struct io_fixed_file *files;
};

struct io_ring_ctx___files {
	struct io_file_table___files file_table;
	unsigned int nr_user_files;
};

struct io_wq_work {
	int cancel_seq;
};

/* A thread of the kernel that works for a process: what it does now. */
struct io_worker {
	struct io_wq_work *cur_work;
};

struct task_struct___worker {
	void *worker_private;
};

struct io_uring_task {
	struct task_struct *task;
};

struct io_kiocb {
	struct file *file;
	__u8 opcode;
	__u64 flags;
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
	struct io_uring_task *tctx;
	struct io_wq_work_node comp_list;
	struct io_wq_work work;
	void *async_data;
};

/* Before 6.14 (seen in 6.12). */
struct io_kiocb___task {
	struct task_struct *task;
};

struct io_uring_cqe {
	__u64 user_data;
	__s32 res;
	__u32 flags;
};

struct filename {
	const char *name;
};

struct io_open {
	int dfd;
	__u32 file_slot;
	struct filename *filename;
	struct open_how how;
};

struct io_close {
	int fd;
	__u32 file_slot;
};

struct kiocb {
	__s64 ki_pos;
};

struct io_rw {
	struct kiocb kiocb;
	__u64 addr;
	__u32 len;
};

/* Also of fallocate. */
struct io_sync {
	__s64 len, off;
	int flags, mode;
};

struct io_ftrunc {
	__s64 len;
};

struct io_fadvise {
	__u64 offset, len;
	__u32 advice;
};

struct io_madvise {
	__u64 addr, len;
	__u32 advice;
};

struct io_splice {
	__s64 off_out, off_in;
	__u64 len;
	int splice_fd_in;
	unsigned int flags;
};

struct io_sr_msg {
	void *buf;
	int len;
	unsigned int msg_flags;
	__u16 flags;
	__u16 buf_group;
};

/* An entry of a ring of buffers. */
struct io_uring_buf {
	__u64 addr;
	__u32 len;
	__u16 bid;
};

struct io_uring_buf_ring;

/* The buffers of a group. */
struct io_buffer_list {
	struct io_uring_buf_ring *buf_ring;
	__u16 head; /* of those that are to be taken */
	__u16 mask;
	__u16 flags;
};

/* Where the kernel has the address that a request names, and the buffer that it uses. */
enum iter_type { ITER_UBUF };

struct iov_iter {
	__u8 iter_type;
	void *ubuf; /* of ITER_UBUF */
};

struct msghdr {
	void *msg_name;
	int msg_namelen;
	struct iov_iter msg_iter;
};

struct uring_address {
	__u8 bytes[128];
};

struct io_async_msghdr {
	struct msghdr msg;
	struct uring_address addr;
};

/* Before 6.10 addresses were read from the caller's memory later, when a request was executed. */
struct io_async_connect {
	__u8 address[128];
};

/* A buffer of those that are provided, as the kernel has it since 6.17. */
struct io_br_sel {
	void *addr;
};

struct io_accept {
	int flags, iou_flags;
	__u32 file_slot;
};

struct io_connect {
	void *addr;
	int addr_len;
};

struct io_bind {
	int addr_len;
};

struct io_listen {
	int backlog;
};

struct io_shutdown {
	int how;
};

struct io_socket {
	int domain, type, protocol;
	__u32 file_slot;
};

struct io_unlink {
	int dfd, flags;
	struct filename *filename;
};

struct io_mkdir {
	int dfd;
	__u16 mode;
	struct filename *filename;
};

struct io_rename {
	int old_dfd, new_dfd, flags;
	struct filename *oldpath, *newpath;
};

struct io_link {
	int old_dfd, new_dfd, flags;
	struct filename *oldpath, *newpath;
};

struct io_statx {
	int dfd;
	unsigned int mask, flags;
	struct filename *filename;
	void *buffer;
};

struct xattr_name {
	char name[256];
};

struct kernel_xattr_ctx {
	void *value;
	__u64 size;
	struct xattr_name *kname;
	unsigned int flags;
};

struct io_xattr {
	struct kernel_xattr_ctx ctx;
	struct filename *filename;
};

struct uring_epoll_event {
	__u8 bytes[16];
};

struct io_epoll {
	int epfd, op, fd;
	struct uring_epoll_event event;
};

struct io_epoll_wait {
	int maxevents;
	void *events;
};

struct io_waitid {
	int which, upid, options;
	void *infop;
};

struct io_futex {
	void *uaddr;
	unsigned long futex_val, futex_mask;
	__u32 futex_flags;
	unsigned int futex_nr;
};

struct io_poll {
	__u32 events;
};

struct io_poll_update {
	__u64 old_user_data, new_user_data;
	__u32 events;
};

struct io_timeout {
	__u32 off, repeats;
};

struct io_timeout_rem {
	__u64 addr;
	__u32 flags;
};

struct io_cancel {
	__u64 addr;
	__u32 flags;
	__s32 fd;
};

struct io_rsrc_update {
	__u64 arg;
	__u32 nr_args, offset;
};

struct io_provide_buf {
	__u64 addr;
	__u32 len, nbufs;
	__u16 bid;
};

struct io_msg {
	__u64 user_data;
	__u32 len, cmd, flags;
};

struct io_uring_cmd {
	__u32 cmd_op, flags;
};

struct io_fixed_install {
	unsigned int o_flags;
};

struct io_recvzc {
	unsigned int msg_flags;
	__u32 len;
};

struct io_pipe {
	int *fds;
	int flags, file_slot;
};

/* Names since 7.0. */
struct delayed_filename {
	struct filename *__incomplete_filename;
};

struct io_open___delayed {
	struct delayed_filename filename;
};

struct io_unlink___delayed {
	struct delayed_filename filename;
};

struct io_mkdir___delayed {
	struct delayed_filename filename;
};

struct io_rename___delayed {
	struct delayed_filename oldpath, newpath;
};

struct io_link___delayed {
	struct delayed_filename oldpath, newpath;
};

struct io_statx___delayed {
	struct delayed_filename filename;
};

struct io_xattr___delayed {
	struct delayed_filename filename;
};

#pragma clang attribute pop

/* Whether a request that was submitted has the addresses that it names. */
#define HAS_ADDRESSES !bpf_core_type_exists(struct io_async_connect)

#endif
