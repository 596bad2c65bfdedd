/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Operations of io_uring that begin: which are wanted, who asks for them, and their arguments, in
 * the order of the call that does the same. take_<request>() reads them from the request, where the
 * kernel has prepared them. A struct that the kernel may lack has to be asked for first: the
 * verifier rejects a cast to one that it does not have, although no request can have that
 * operation.
 */
#ifndef LANNER_URING_SUBMIT_BPF_H
#define LANNER_URING_SUBMIT_BPF_H

#include "bpf/core/follow.bpf.h"
#include "bpf/core/uring.bpf.h"
#include "bpf/layouts/user.bpf.h"
#include "bpf/layouts/user_32.bpf.h"
#include "uring_events.h"

#include <linux/fcntl.h>

#define SPLICE_FROM_SLOT (1U << 31) /* SPLICE_F_FD_IN_FIXED */

enum {
	FLAG_LARGE_FILE =
		0100000, /* O_LARGEFILE: the kernel adds it to what the program asked for */
	FLAG_PATH = 010000000, /* O_PATH: but not then */
	FSYNC_DATA_ONLY = 1, /* IORING_FSYNC_DATASYNC */
	ACCEPT_MULTISHOT = 1, /* IORING_ACCEPT_MULTISHOT */
	RECV_MULTISHOT = 2, /* IORING_RECV_MULTISHOT */
	TRANSFER_BUNDLE = 1 << 4, /* IORING_RECVSEND_BUNDLE */
	SEND_VECTORIZED = 1 << 5, /* IORING_SEND_VECTORIZED */
	KERNEL_HALF_BITS = 47, /* that differ between addresses of the kernel */
	POINTER_ALIGN =
		7, /* bits that pointers to names do not have, and families of addresses do */
	FAMILIES_MAX = 64, /* more than there are of addresses: AF_MAX is 46 */
	POLL_ONCE = 1 << 30, /* EPOLLONESHOT */
	FUTEX_SIZE = 3, /* FUTEX2_SIZE_MASK, the same in the kernel */
	FUTEX_PRIVATE = 128, /* FUTEX2_PRIVATE */
	FUTEX_KERNEL_SHARED = 0x10, /* in the kernel the opposite has a bit */
	MESSAGE_AT = 0, /* of a message that is sent, in the bytes of a note: it, */
	BUFFERS_AT = 64, /* where its first buffers are, */
	DESTINATION_AT = 128, /* and where it goes */
	BUFFERS_OF_MESSAGE = (DESTINATION_AT - BUFFERS_AT) / sizeof(struct user_iovec),
	BUFFERS_NARROW = BUFFERS_OF_MESSAGE, /* of a vector of a 32-bit program, at most */
};

/* Numbers of operations, of which some are alike. */
enum {
#define URING_OPERATION(name, number, ...) URING_OP_##name = number,
#include "events/uring.def"
};

/* The kernel's copy of a name. Since 7.0 it stands in a struct of its own. */
#define NAME_OF(operation, member)                                                                 \
	(bpf_core_type_exists(struct delayed_filename)                                             \
		 ? READ((struct io_##operation##___delayed *)(operation),                          \
			member.__incomplete_filename)                                              \
		 : GET(operation, member))

static __always_inline __u64 take_name(struct uring_note *note, struct io_kiocb *request,
				       const struct filename *name, __u32 index, __u32 count)
{
	return uring_text(note, (__u64)request, GET(name, name), index, count);
}

static __always_inline void take_open(struct uring_note *note, struct io_kiocb *request)
{
	struct io_open *open = (void *)request;
	__u64 flags = GET(open, how.flags);

	note->args[0] = GET(open, dfd);
	note->args[1] = take_name(note, request, NAME_OF(open, filename), 0, 1);
	note->args[2] = flags & FLAG_PATH ? flags : flags & ~(__u64)FLAG_LARGE_FILE;
	note->args[3] = GET(open, how.mode);
	note->file_slot = GET(open, file_slot);
}

/* open_how() finds the members of the struct there. */
static __always_inline void take_open2(struct uring_note *note, struct io_kiocb *request)
{
	struct io_open *open = (void *)request;

	take_open(note, request);
	note->args[4] = GET(open, how.resolve);
}

/* Of a registered file there is no descriptor. */
static __always_inline void take_close(struct uring_note *note, struct io_kiocb *request)
{
	struct io_close *close = (void *)request;

	note->slot = GET(close, file_slot) - 1;
	note->args[0] = GET(close, fd);
}

/* Of buffers that are provided the kernel chooses one when it needs it: see uring_take_chosen(). */
static __always_inline bool is_chosen_later(const struct uring_note *note)
{
	return note->flags & REQUEST_BUFFER_SELECT;
}

static __always_inline void take_rw(struct uring_note *note, struct io_kiocb *request)
{
	struct io_rw *rw = (void *)request;

	note->args[1] = is_chosen_later(note) ? 0 : GET(rw, addr);
	note->args[2] = GET(rw, len);
	note->args[3] = GET(rw, kiocb.ki_pos);
	note->choice = note->args[3] == ~0ULL ? URING_FIRST : URING_SECOND_IF_POSITIONED;
}

/*
 * Whether a 32-bit call made the ring: what its requests name is as such programs have it. Only of
 * those that name a vector or a message.
 */
static __always_inline bool ring_is_narrow(__u64 at)
{
	struct io_ring_ctx *ring = (void *)at;

	return bpf_core_field_exists(ring->compat) && BPF_CORE_READ_BITFIELD_PROBED(ring, compat);
}

/* As take_buffers(), as 32-bit programs have them. */
static __always_inline __u64 take_narrow_buffers(struct uring_note *note, __u64 vector, __u64 count,
						 __u32 at)
{
	struct user_iovec *buffers = (void *)(note->text + at);
	struct user32_iovec narrow[BUFFERS_NARROW] = {};
	__u64 bytes = min_u64(count, BUFFERS_NARROW) * sizeof(narrow[0]);

	CHECKED(bytes);
	if (!bytes || bytes > sizeof(narrow) || bpf_probe_read_user(narrow, bytes, (void *)vector))
		return 0;
	for (__u32 i = 0; i < BUFFERS_NARROW; i++)
		buffers[i] = (struct user_iovec){narrow[i].base, narrow[i].len};
	return bytes / sizeof(narrow[0]);
}

/*
 * The caller's vector need not be there any more when the request completes: of its first buffers
 * it is known where they are.
 */
static __always_inline __u64 take_buffers(struct uring_note *note, __u64 vector, __u64 count,
					  __u32 at, __u32 most)
{
	__u64 bytes = min_u64(count, most) * sizeof(struct user_iovec);

	if (note->is_narrow)
		return take_narrow_buffers(note, vector, count, at);
	CHECKED(bytes);
	if (!bytes || bytes > most * sizeof(struct user_iovec) ||
	    bpf_probe_read_user(note->text + at, bytes, (void *)vector))
		return 0;
	return bytes / sizeof(struct user_iovec);
}

static __always_inline void take_vector(struct uring_note *note, struct io_kiocb *request)
{
	take_rw(note, request);
	note->is_narrow = ring_is_narrow(note->ring);
	note->args[2] = take_buffers(note, note->args[1], note->args[2], 0,
				     URING_TEXT_BYTES / sizeof(struct user_iovec));
	note->args[1] = (__u64)note->text;
}

static __always_inline void take_fsync(struct uring_note *note, struct io_kiocb *request)
{
	struct io_sync *sync = (void *)request;

	note->choice = GET(sync, flags) & FSYNC_DATA_ONLY ? URING_SECOND_EVENT : URING_FIRST;
}

static __always_inline void take_sync_range(struct uring_note *note, struct io_kiocb *request)
{
	struct io_sync *sync = (void *)request;

	note->args[1] = GET(sync, off);
	note->args[2] = GET(sync, len);
	note->args[3] = GET(sync, flags);
}

static __always_inline void take_fallocate(struct uring_note *note, struct io_kiocb *request)
{
	struct io_sync *sync = (void *)request;

	note->args[1] = GET(sync, mode);
	note->args[2] = GET(sync, off);
	note->args[3] = GET(sync, len);
}

static __always_inline void take_ftruncate(struct uring_note *note, struct io_kiocb *request)
{
	struct io_ftrunc *ftruncate = (void *)request;

	if (!bpf_core_type_exists(struct io_ftrunc))
		return;
	note->args[1] = GET(ftruncate, len);
}

/* A length that has 32 bits on older kernels (seen in 6.1), with another member behind it. */
#define LENGTH_OF(operation)                                                                       \
	(bpf_core_field_size((operation)->len) == sizeof(__u32) ? (__u32)GET(operation, len)       \
								: GET(operation, len))

static __always_inline void take_fadvise(struct uring_note *note, struct io_kiocb *request)
{
	struct io_fadvise *fadvise = (void *)request;

	note->args[1] = GET(fadvise, offset);
	note->args[2] = LENGTH_OF(fadvise);
	note->args[3] = GET(fadvise, advice);
}

static __always_inline void take_madvise(struct uring_note *note, struct io_kiocb *request)
{
	struct io_madvise *madvise = (void *)request;

	note->args[0] = GET(madvise, addr);
	note->args[1] = LENGTH_OF(madvise);
	note->args[2] = GET(madvise, advice);
}

/* The other file, which is read: its descriptor, or what stands for a registered one. */
static __always_inline __s32 spliced_from(struct uring_note *note, struct io_splice *splice)
{
	__s32 fd = GET(splice, splice_fd_in);

	return GET(splice, flags) & SPLICE_FROM_SLOT ? slot_fd_of(uring_number(note->ring), fd)
						     : fd;
}

/* The file that is written to is that of the request, and the other one has an argument. */
static __always_inline void take_splice(struct uring_note *note, struct io_kiocb *request)
{
	struct io_splice *splice = (void *)request;

	note->args[2] = note->args[0];
	note->args[0] = spliced_from(note, splice);
	note->args[1] = GET(splice, off_in);
	note->args[3] = GET(splice, off_out);
	note->args[4] = GET(splice, len);
	note->args[5] = GET(splice, flags) & ~SPLICE_FROM_SLOT;
}

static __always_inline void take_tee(struct uring_note *note, struct io_kiocb *request)
{
	struct io_splice *tee = (void *)request;

	note->args[1] = note->args[0];
	note->args[0] = spliced_from(note, tee);
	note->args[2] = GET(tee, len);
	note->args[3] = GET(tee, flags) & ~SPLICE_FROM_SLOT;
}

/*
 * Copies an address that a request names to a place of its note, from the kernel's memory if it has
 * it there, else from the caller's. Returns where the copy is, 0 if there is none.
 */
static __always_inline __u64 take_address(struct uring_note *note, __u32 at, const void *from,
					  __u64 bytes, bool is_user)
{
	CHECKED(bytes);
	if (bytes > URING_TEXT_BYTES / 2)
		bytes = URING_TEXT_BYTES / 2;
	if (!from || (is_user ? bpf_probe_read_user(note->text + at, bytes, from)
			      : bpf_probe_read_kernel(note->text + at, bytes, from)))
		return 0;
	return (__u64)(note->text + at);
}

struct address_taken {
	__u64 at; /* 0: there is none */
	__u32 bytes;
};

/*
 * The kernel's address of a request that connects or binds; NULL if it has none yet. It stands in a
 * message, or (seen in 6.12.117 and 6.18.44) alone: then its family comes first. A message begins
 * with a pointer, of the kernel or of the program, or NULL.
 */
static __always_inline const void *address_of(struct io_kiocb *request)
{
	struct io_async_msghdr *message = GET(request, async_data);
	__u64 first = 0;
	__u16 family;

	/* A bit of the flags says so, too, but which one differs between kernels. */
	if (!message || bpf_probe_read_kernel(&first, sizeof(first), message))
		return NULL;
	family = first;
	if (family && family < FAMILIES_MAX &&
	    (first & POINTER_ALIGN || (__s64)first >> KERNEL_HALF_BITS != -1))
		return message;
	return (void *)message + bpf_core_field_offset(message->addr);
}

static __always_inline void take_connect(struct uring_note *note, struct io_kiocb *request)
{
	struct io_connect *connect = (void *)request;
	__u32 bytes = GET(connect, addr_len);

	note->args[1] = HAS_ADDRESSES ? take_address(note, 0, address_of(request), bytes, false)
				      : take_address(note, 0, GET(connect, addr), bytes, true);
	note->args[2] = bytes;
}

static __always_inline void take_bind(struct uring_note *note, struct io_kiocb *request)
{
	struct io_bind *bind = (void *)request;
	__u32 bytes;

	if (!bpf_core_type_exists(struct io_bind))
		return;
	bytes = GET(bind, addr_len);
	note->args[1] = take_address(note, 0, address_of(request), bytes, false);
	note->args[2] = bytes;
}

static __always_inline void take_listen(struct uring_note *note, struct io_kiocb *request)
{
	struct io_listen *listen = (void *)request;

	if (!bpf_core_type_exists(struct io_listen))
		return;
	note->args[1] = GET(listen, backlog);
}

static __always_inline void take_shutdown(struct uring_note *note, struct io_kiocb *request)
{
	struct io_shutdown *shutdown = (void *)request;

	note->args[1] = GET(shutdown, how);
}

static __always_inline void take_socket(struct uring_note *note, struct io_kiocb *request)
{
	struct io_socket *socket = (void *)request;

	note->args[0] = GET(socket, domain);
	note->args[1] = GET(socket, type);
	note->args[2] = GET(socket, protocol);
	note->file_slot = GET(socket, file_slot);
}

static __always_inline void take_accept(struct uring_note *note, struct io_kiocb *request)
{
	struct io_accept *accept = (void *)request;

	note->args[3] = GET(accept, flags);
	note->file_slot = GET(accept, file_slot);
}

/* Where a datagram goes, as the kernel has it: its address and length. */
static __always_inline struct address_taken take_destination(struct uring_note *note,
							     struct io_kiocb *request, __u32 at)
{
	struct io_async_msghdr *message = GET(request, async_data);
	__u32 bytes;

	if (!HAS_ADDRESSES || !message)
		return (struct address_taken){};
	bytes = GET(message, msg.msg_namelen);
	return (struct address_taken){
		take_address(note, at, GET(message, msg.msg_name), bytes, false), bytes};
}

/* A vector that is sent without a message, as if it had one. */
static __always_inline void take_vectored_send(struct uring_note *note, struct io_kiocb *request)
{
	struct io_sr_msg *send = (void *)request;
	struct user_message *message = (void *)(note->text + MESSAGE_AT);
	struct address_taken to = take_destination(note, request, DESTINATION_AT);

	note->is_narrow = ring_is_narrow(note->ring);
	note->choice = URING_SECOND_EVENT;
	note->args[1] = (__u64)message;
	note->args[2] = GET(send, msg_flags);
	*message = (struct user_message){
		.name = to.at,
		.name_len = to.bytes,
		.vector = (__u64)(note->text + BUFFERS_AT),
		.vector_len = take_buffers(note, (__u64)GET(send, buf), (__u32)GET(send, len),
					   BUFFERS_AT, BUFFERS_OF_MESSAGE),
	};
}

static __always_inline void take_send(struct uring_note *note, struct io_kiocb *request)
{
	struct io_sr_msg *send = (void *)request;
	struct address_taken to;

	if (GET(send, flags) & SEND_VECTORIZED) {
		take_vectored_send(note, request);
		return;
	}
	to = take_destination(note, request, 0);
	note->args[1] = is_chosen_later(note) ? 0 : (__u64)GET(send, buf);
	note->args[2] = (__u32)GET(send, len);
	note->args[3] = GET(send, msg_flags);
	note->args[4] = to.at;
	note->args[5] = to.bytes;
}

/* A message of the caller, of the kind that its ring has. Returns 0, or an error. */
static __always_inline long take_message_at(struct uring_note *note, struct user_message *message,
					    const void *from)
{
	struct user32_message narrow;

	if (!note->is_narrow)
		return bpf_probe_read_user(message, sizeof(*message), from);
	if (bpf_probe_read_user(&narrow, sizeof(narrow), from))
		return -EFAULT;
	*message = (struct user_message){.name = narrow.name,
					 .name_len = narrow.name_len,
					 .vector = narrow.vector,
					 .vector_len = narrow.vector_len};
	return 0;
}

/* The caller's message need not be there any more when the request completes. */
static __always_inline void take_sendmsg(struct uring_note *note, struct io_kiocb *request)
{
	struct io_sr_msg *send = (void *)request;
	struct user_message *message = (void *)(note->text + MESSAGE_AT);
	struct address_taken to = take_destination(note, request, DESTINATION_AT);

	note->is_narrow = ring_is_narrow(note->ring);
	note->args[1] = 0;
	note->args[2] = GET(send, msg_flags);
	if (take_message_at(note, message, GET(send, buf)))
		return;
	note->args[1] = (__u64)message;
	message->vector_len = take_buffers(note, message->vector, message->vector_len, BUFFERS_AT,
					   BUFFERS_OF_MESSAGE);
	message->vector = (__u64)(note->text + BUFFERS_AT);
	if (!HAS_ADDRESSES && message->name)
		to = (struct address_taken){take_address(note, DESTINATION_AT,
							 (void *)message->name, message->name_len,
							 true),
					    message->name_len};
	message->name = to.at;
	message->name_len = to.bytes;
}

static __always_inline void take_recv(struct uring_note *note, struct io_kiocb *request)
{
	struct io_sr_msg *recv = (void *)request;

	note->args[1] = is_chosen_later(note) ? 0 : (__u64)GET(recv, buf);
	note->args[2] = (__u32)GET(recv, len);
	note->args[3] = GET(recv, msg_flags);
}

/*
 * The message is read on completion: the kernel has written to it. What a buffer has that the
 * kernel chose is no plain data.
 */
static __always_inline void take_recvmsg(struct uring_note *note, struct io_kiocb *request)
{
	struct io_sr_msg *message = (void *)request;

	note->is_narrow = ring_is_narrow(note->ring);
	note->args[1] = is_chosen_later(note) ? 0 : (__u64)GET(message, buf);
	note->args[2] = GET(message, msg_flags);
}

static __always_inline void take_unlink(struct uring_note *note, struct io_kiocb *request)
{
	struct io_unlink *unlink = (void *)request;

	note->args[0] = GET(unlink, dfd);
	note->args[1] = take_name(note, request, NAME_OF(unlink, filename), 0, 1);
	note->args[2] = GET(unlink, flags);
}

static __always_inline void take_mkdir(struct uring_note *note, struct io_kiocb *request)
{
	struct io_mkdir *mkdir = (void *)request;

	note->args[0] = GET(mkdir, dfd);
	note->args[1] = take_name(note, request, NAME_OF(mkdir, filename), 0, 1);
	note->args[2] = GET(mkdir, mode);
}

static __always_inline void take_rename(struct uring_note *note, struct io_kiocb *request)
{
	struct io_rename *rename = (void *)request;

	note->args[0] = GET(rename, old_dfd);
	note->args[1] = take_name(note, request, NAME_OF(rename, oldpath), 0, 2);
	note->args[2] = GET(rename, new_dfd);
	note->args[3] = take_name(note, request, NAME_OF(rename, newpath), 1, 2);
	note->args[4] = GET(rename, flags);
}

static __always_inline void take_link(struct uring_note *note, struct io_kiocb *request)
{
	struct io_link *link = (void *)request;

	note->args[0] = GET(link, old_dfd);
	note->args[1] = take_name(note, request, NAME_OF(link, oldpath), 0, 2);
	note->args[2] = GET(link, new_dfd);
	note->args[3] = take_name(note, request, NAME_OF(link, newpath), 1, 2);
	note->args[4] = GET(link, flags);
}

static __always_inline void take_symlink(struct uring_note *note, struct io_kiocb *request)
{
	struct io_link *link = (void *)request;

	note->args[0] = take_name(note, request, NAME_OF(link, oldpath), 0, 2);
	note->args[1] = GET(link, new_dfd);
	note->args[2] = take_name(note, request, NAME_OF(link, newpath), 1, 2);
}

static __always_inline void take_statx(struct uring_note *note, struct io_kiocb *request)
{
	struct io_statx *statx = (void *)request;

	note->args[0] = GET(statx, dfd);
	note->args[1] = take_name(note, request, NAME_OF(statx, filename), 0, 1);
	note->args[2] = GET(statx, flags);
	note->args[3] = GET(statx, mask);
	note->args[4] = (__u64)GET(statx, buffer);
}

/* Of a path and a name, or of a descriptor and a name. */
static __always_inline void take_xattr(struct uring_note *note, struct io_kiocb *request)
{
	struct io_xattr *xattr = (void *)request;
	struct xattr_name *name = GET(xattr, ctx.kname);

	if (note->opcode == URING_OP_SETXATTR || note->opcode == URING_OP_GETXATTR)
		note->args[0] = take_name(note, request, NAME_OF(xattr, filename), 0, 2);
	note->args[1] = uring_text(note, (__u64)request, name, 1, 2);
	note->args[2] = (__u64)GET(xattr, ctx.value);
	note->args[3] = GET(xattr, ctx.size);
	note->args[4] = GET(xattr, ctx.flags);
}

static __always_inline void take_epoll_ctl(struct uring_note *note, struct io_kiocb *request)
{
	struct io_epoll *epoll = (void *)request;

	note->args[0] = GET(epoll, epfd);
	note->args[1] = GET(epoll, op);
	note->args[2] = GET(epoll, fd);
	/* As programs have it. */
	bpf_probe_read_kernel(note->text, bpf_core_field_size(epoll->event),
			      (void *)epoll + bpf_core_field_offset(epoll->event));
	note->args[3] = (__u64)note->text;
}

static __always_inline void take_epoll_wait(struct uring_note *note, struct io_kiocb *request)
{
	struct io_epoll_wait *wait = (void *)request;

	if (!bpf_core_type_exists(struct io_epoll_wait))
		return;
	note->args[1] = (__u64)GET(wait, events);
	note->args[2] = GET(wait, maxevents);
}

static __always_inline void take_waitid(struct uring_note *note, struct io_kiocb *request)
{
	struct io_waitid *waitid = (void *)request;

	if (!bpf_core_type_exists(struct io_waitid))
		return;
	note->args[0] = GET(waitid, which);
	note->args[1] = GET(waitid, upid);
	note->args[2] = (__u64)GET(waitid, infop);
	note->args[3] = GET(waitid, options);
}

static __always_inline void take_pipe(struct uring_note *note, struct io_kiocb *request)
{
	struct io_pipe *pipe = (void *)request;

	if (!bpf_core_type_exists(struct io_pipe))
		return;
	note->args[0] = (__u64)GET(pipe, fds);
	note->args[1] = GET(pipe, flags);
	note->args[2] = GET(pipe, file_slot); /* the call has no such argument: see pipe_pair() */
}

/* The flags as a program gives them, of those that the kernel makes of them. */
static __always_inline __u32 futex_flags_given(__u32 flags)
{
	return (flags & FUTEX_SIZE) | (flags & FUTEX_KERNEL_SHARED ? 0 : FUTEX_PRIVATE);
}

static __always_inline void take_futex_wait(struct uring_note *note, struct io_kiocb *request)
{
	struct io_futex *futex = (void *)request;

	if (!bpf_core_type_exists(struct io_futex))
		return;
	note->args[0] = (__u64)GET(futex, uaddr);
	note->args[1] = GET(futex, futex_val);
	note->args[2] = GET(futex, futex_mask);
	note->args[3] = futex_flags_given(GET(futex, futex_flags));
}

static __always_inline void take_futex_wake(struct uring_note *note, struct io_kiocb *request)
{
	struct io_futex *futex = (void *)request;

	if (!bpf_core_type_exists(struct io_futex))
		return;
	note->args[0] = (__u64)GET(futex, uaddr);
	note->args[1] = GET(futex, futex_mask);
	note->args[2] = GET(futex, futex_val);
	note->args[3] = futex_flags_given(GET(futex, futex_flags));
}

static __always_inline void take_futex_waitv(struct uring_note *note, struct io_kiocb *request)
{
	struct io_futex *futex = (void *)request;

	if (!bpf_core_type_exists(struct io_futex))
		return;
	note->args[0] = (__u64)GET(futex, uaddr);
	note->args[1] = GET(futex, futex_nr);
}

/*
 * The parameters of io_uring_op, in this order: fd (-1: it has none), addr, len, off and the flags
 * of the operation, as struct io_uring_sqe has them.
 */
static __always_inline void take_nothing(struct uring_note *note, struct io_kiocb *request)
{
	note->args[0] = -1;
}

static __always_inline void take_poll(struct uring_note *note, struct io_kiocb *request)
{
	struct io_poll *poll = (void *)request;

	note->args[4] = GET(poll, events);
}

static __always_inline void take_poll_update(struct uring_note *note, struct io_kiocb *request)
{
	struct io_poll_update *update = (void *)request;

	note->args[0] = -1;
	note->args[1] = GET(update, old_user_data);
	note->args[3] = GET(update, new_user_data);
	note->args[4] = GET(update, events);
}

static __always_inline void take_timeout(struct uring_note *note, struct io_kiocb *request)
{
	struct io_timeout *timeout = (void *)request;

	note->args[0] = -1;
	note->args[3] = GET(timeout, off);
}

static __always_inline void take_timeout_remove(struct uring_note *note, struct io_kiocb *request)
{
	struct io_timeout_rem *remove = (void *)request;

	note->args[0] = -1;
	note->args[1] = GET(remove, addr);
	note->args[4] = GET(remove, flags);
}

static __always_inline void take_cancel(struct uring_note *note, struct io_kiocb *request)
{
	struct io_cancel *cancel = (void *)request;

	note->args[0] = GET(cancel, fd);
	note->args[1] = GET(cancel, addr);
	note->args[4] = GET(cancel, flags);
}

static __always_inline void take_files_update(struct uring_note *note, struct io_kiocb *request)
{
	struct io_rsrc_update *update = (void *)request;

	note->args[0] = -1;
	note->args[1] = GET(update, arg);
	note->args[2] = GET(update, nr_args);
	note->args[3] = GET(update, offset);
}

static __always_inline void take_provide(struct uring_note *note, struct io_kiocb *request)
{
	struct io_provide_buf *provide = (void *)request;

	note->args[0] = -1;
	note->args[1] = GET(provide, addr);
	note->args[2] = GET(provide, len);
	note->args[3] = GET(provide, bid);
}

static __always_inline void take_msg_ring(struct uring_note *note, struct io_kiocb *request)
{
	struct io_msg *message = (void *)request;

	note->args[1] = GET(message, cmd);
	note->args[2] = GET(message, len);
	note->args[3] = GET(message, user_data);
	note->args[4] = GET(message, flags);
}

static __always_inline void take_command(struct uring_note *note, struct io_kiocb *request)
{
	struct io_uring_cmd *command = (void *)request;

	note->args[3] = GET(command, cmd_op);
	note->args[4] = GET(command, flags);
}

static __always_inline void take_install(struct uring_note *note, struct io_kiocb *request)
{
	struct io_fixed_install *install = (void *)request;

	if (!bpf_core_type_exists(struct io_fixed_install))
		return;
	note->args[4] = GET(install, o_flags);
}

static __always_inline void take_recvzc(struct uring_note *note, struct io_kiocb *request)
{
	struct io_recvzc *recv = (void *)request;

	if (!bpf_core_type_exists(struct io_recvzc))
		return;
	note->args[2] = GET(recv, len);
	if (bpf_core_field_exists(recv->msg_flags)) /* not in 7.2 */
		note->args[4] = GET(recv, msg_flags);
}

#define URING_OPERATION(name, number, event, second, request)                                      \
	_Static_assert(IS_URING_EVENT(event) && IS_URING_EVENT(second),                            \
		       "driver/uring_events.h misses an event of " #name);
#include "events/uring.def"

/* Of operations that are wanted: the verifier removes the others, and has fewer paths to walk. */
static __always_inline void uring_take_arguments(struct uring_note *note, struct io_kiocb *request)
{
	switch (note->opcode) {
#define URING_OPERATION(name, number, event, second, kind)                                         \
	case number:                                                                               \
		if (uring_wants(&uring_events[number]))                                            \
			take_##kind(note, request);                                                \
		break;
#include "events/uring.def"
	}
}

/*
 * Who submits it: the current thread; for a ring that the kernel polls, where the current one is
 * the kernel's, the first one of its process.
 */
static __always_inline void uring_take_owner(struct uring_note *note, struct task_struct *task)
{
	note->pid = pid_of(task);
	note->tid = flags_of(task) & TASK_IO_WORKER ? note->pid : tid_of(task);
	note->mm = (__u64)GET(task, mm);
	note->files = (__u64)files_of(task);
}

/* The time of the submission; 0: it is that of the event which is written before, see
 * uring_stamp(). */
static __always_inline void uring_note_make(struct uring_note *note, struct io_kiocb *request,
					    struct task_struct *task, __u64 submitted_ns)
{
	__u64 flags = GET(request, flags);
	__s32 fd = GET(request, cqe.fd);
	bool is_fixed = flags & REQUEST_FIXED_FILE;

	note->ring = (__u64)GET(request, ctx);
	note->user_data = GET(request, cqe.user_data);
	note->submitted_ns = submitted_ns;
	uring_take_owner(note, task);
	note->opcode = GET(request, opcode);
	note->flags = flags;
	note->long_text = 0;
	note->is_multishot = 0;
	note->is_told = 0;
	note->choice = URING_FIRST;
	note->is_narrow = 0;
	note->slot = is_fixed ? fd : -1;
	note->file_slot = 0;
	note->args[0] = fd;
	for (int i = 1; i < ARGUMENTS_MAX; i++)
		note->args[i] = 0;
	uring_take_arguments(note, request);
}

/*
 * Whether a request completes several times, or may: what accepts once is not told apart on all
 * kernels.
 */
static __always_inline bool uring_completes_often(struct io_kiocb *request, __u8 opcode)
{
	struct io_sr_msg *message = (void *)request;
	struct io_accept *accept = (void *)request;
	struct io_timeout *timeout = (void *)request;
	struct io_poll *poll = (void *)request;

	switch (opcode) {
	case URING_OP_ACCEPT:
		return !bpf_core_field_exists(accept->iou_flags) ||
		       GET(accept, iou_flags) & ACCEPT_MULTISHOT;
	case URING_OP_RECV:
	case URING_OP_RECVMSG:
		return GET(message, flags) & (RECV_MULTISHOT | TRANSFER_BUNDLE);
	case URING_OP_SEND:
		return GET(message, flags) & TRANSFER_BUNDLE;
	case URING_OP_RECV_ZC:
	case URING_OP_READ_MULTISHOT:
		return true;
	case URING_OP_POLL_ADD:
		return !(GET(poll, events) & POLL_ONCE);
	case URING_OP_TIMEOUT:
		return bpf_core_field_exists(timeout->repeats) && GET(timeout, repeats);
	default:
		return false;
	}
}

/* Whether events of the current process are left out, whichever the operation has. */
static __always_inline bool uring_is_left_out(struct task_struct *task, struct uring_events events)
{
	return is_own_pid(pid_of(task)) ||
	       (is_left_out(task, events.event) && is_left_out(task, events.second));
}

/*
 * A request that finds no place counts when it completes, as one without a note; one that may end
 * without that counts at once.
 */
static __always_inline void uring_count_unplaced(struct io_kiocb *request, __u32 event, __u32 pid)
{
	struct uring_row *row = uring_row_of((__u64)request);

	uring_forget_taken((__u64)request); /* the end of an earlier one at its address */
	if (GET(request, flags) & REQUEST_CQE_SKIP)
		count_lost(event, LOSS_IN_FLIGHT);
	else if (row)
		__sync_fetch_and_add(&row->unplaced, 1);
	uring_name_hoarder(pid);
	if (uring_completes_often(request, GET(request, opcode)))
		uring_multishot_begin(GET_WORD(request, ctx), GET(request, cqe.user_data),
				      (__u64)request, event, 1);
}

/* Makes the note of a request. Returns its place, if it has one. */
static __always_inline struct uring_place
uring_note_request(struct io_kiocb *request, struct task_struct *task, __u64 submitted_ns)
{
	const __u64 address = (__u64)request;
	__u32 number = uring_take_place(address);
	struct uring_place place;

	if (number == URING_NO_PLACE)
		number = uring_make_room(address, pid_of(task));
	place = uring_place(number);
	if (!place.note)
		return place;
	if (number & URING_USED_AGAIN)
		uring_lose_note(place.note);
	uring_note_make(place.note, request, task, submitted_ns);
	if (uring_completes_often(request, place.note->opcode))
		place.note->is_multishot = uring_multishot_begin(
			place.note->ring, place.note->user_data, address,
			uring_any_event(uring_events_of(place.note->opcode)), 0);
	store_in_order(place.word, address);
	return place;
}

#endif
