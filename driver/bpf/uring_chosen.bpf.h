/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Buffers that programs provide, and of which the kernel chooses one when it needs it: where the
 * chosen one is. Until 6.16 the request says so. From 6.17 on that is only on the kernel's stack,
 * of what is received and sent; but it stands in the message that the request has, until that is
 * given to another one, and the number of the buffer, which the completion tells, stands in the
 * ring of buffers.
 */
#ifndef LANNER_URING_CHOSEN_BPF_H
#define LANNER_URING_CHOSEN_BPF_H

#include "bpf/uring_submit.bpf.h"

enum {
	BUFFERS_ARE_RING = 1, /* IOBL_BUF_RING */
	BUFFERS_SEARCHED = 32, /* entries of a ring, those that were taken last */
	BUFFER_NUMBER_SHIFT = 16, /* in the flags of a completion: IORING_CQE_BUFFER_SHIFT */
	XARRAY_LEVELS = 3, /* of 64 slots each, for numbers of 16 bits */
	XARRAY_TAG = 3, /* bits of an entry that are no address, */
	XARRAY_NODE = 2, /* and those of a node */
};

/* Whether the kernel describes what is read here, each of which later kernels may lack. */
#define TELLS_MESSAGES                                                                             \
	(bpf_core_enum_value_exists(enum iter_type, ITER_UBUF) &&                                  \
	 bpf_core_field_exists(((struct io_async_msghdr *)0)->msg.msg_iter.ubuf))
#define TELLS_BUFFERS                                                                              \
	(bpf_core_field_exists(((struct io_ring_ctx *)0)->io_bl_xa.xa_head) &&                     \
	 bpf_core_field_exists(((struct io_buffer_list *)0)->buf_ring) &&                          \
	 bpf_core_field_exists(((struct io_buffer_list *)0)->flags) &&                             \
	 bpf_core_field_exists(((struct io_sr_msg *)0)->buf_group))

/* What has that number in an array of the kernel, whose first entry is `entry`; 0: nothing. */
static __always_inline __u64 xarray_entry(__u64 entry, __u32 number)
{
#pragma clang loop unroll(full)
	for (int level = 0; level < XARRAY_LEVELS; level++) {
		struct xa_node *node = (void *)(entry & ~(__u64)XARRAY_TAG);
		__u32 index;

		if ((entry & XARRAY_TAG) != XARRAY_NODE)
			break;
		index = number >> (READ(node, shift) & 31);
		number -= index << (READ(node, shift) & 31);
		if (index >= bpf_core_field_size(node->slots) / sizeof(entry))
			return 0;
		if (bpf_probe_read_kernel(&entry, sizeof(entry),
					  (void *)node + bpf_core_field_offset(node->slots) +
						  index * sizeof(entry)))
			return 0;
	}
	return number || entry & XARRAY_TAG ? 0 : entry;
}

/*
 * Where the buffer is that a request took from a ring of buffers, by what its completion says of
 * it: one of the entries that were taken last. These are the program's memory, as the buffers are.
 * If there may be several, the first one is told if it has `size` bytes. 0: it is not known. Not
 * inlined: the verifier walks it once.
 */
__attribute__((noinline)) __u64 uring_buffer_taken(__u64 request, __u32 flags, __u32 size)
{
	struct io_kiocb *at = (void *)request;
	struct io_sr_msg *message = (void *)request;
	struct io_ring_ctx *ring = READ(at, ctx);
	bool may_be_several = READ(message, flags) & TRANSFER_BUNDLE;
	struct io_uring_buf entry = {};
	struct io_buffer_list *list;
	__u32 head, mask;
	__u64 entries;

	/* Of a buffer that goes on other requests may have taken parts since. */
	if (!TELLS_BUFFERS || !(flags & CQE_BUFFER) || flags & CQE_BUFFER_MORE)
		return 0;
	list = (void *)xarray_entry((__u64)READ(ring, io_bl_xa.xa_head), READ(message, buf_group));
	if (!list || !(READ(list, flags) & BUFFERS_ARE_RING))
		return 0;
	entries = (__u64)READ(list, buf_ring);
	head = READ(list, head);
	mask = READ(list, mask);
#pragma clang loop unroll(disable)
	for (__u32 i = 1; i <= BUFFERS_SEARCHED; i++) {
		if (i > mask + 1 ||
		    bpf_probe_read_kernel(&entry, sizeof(entry),
					  (void *)entries + ((head - i) & mask) * sizeof(entry)))
			break;
		if (entry.bid == flags >> BUFFER_NUMBER_SHIFT)
			return may_be_several && entry.len < size ? 0 : entry.addr;
	}
	return 0;
}

/* Where the one buffer of the message is that a request has; 0: it has none any more, or several.
 */
static __always_inline __u64 uring_buffer_of_message(__u64 request)
{
	struct io_kiocb *at = (void *)request;
	struct io_async_msghdr *message;

	if (!TELLS_MESSAGES)
		return 0;
	message = (void *)READ(at, async_data);
	if (!message ||
	    READ(message, msg.msg_iter.iter_type) != bpf_core_enum_value(enum iter_type, ITER_UBUF))
		return 0;
	return (__u64)READ(message, msg.msg_iter.ubuf);
}

/* Of what is received or sent. Of a bundle there are several. */
static __always_inline __u64 uring_chosen_of_message(struct filler *f, __u64 request, bool goes_on)
{
	struct io_kiocb *at = (void *)request;
	struct io_sr_msg *message = (void *)request;
	__u64 chosen;

	if (!bpf_core_type_exists(struct io_br_sel))
		return GET(message, flags) & TRANSFER_BUNDLE ? 0 : (__u64)GET(message, buf);
	chosen = uring_buffer_of_message(request);
	if (chosen || goes_on)
		return chosen;
	return uring_buffer_taken(request, GET(at, cqe.flags), f->ret);
}

/*
 * The buffer that the kernel chose of those that are provided: while the completion is posted, the
 * request has it.
 */
static __always_inline __u64 uring_chosen(struct filler *f, __u32 event, __u64 request,
					  bool goes_on)
{
	struct io_rw *rw = (void *)request;

	if (event == EVENT_recvfrom || event == EVENT_sendto)
		return uring_chosen_of_message(f, request, goes_on);
	return GET(rw, addr);
}

/* Which parameter has the bytes of the buffer. */
static __always_inline __u32 uring_data_param(__u32 event)
{
	switch (event) {
	case EVENT_read:
		return read__data;
	case EVENT_pread:
		return pread__data;
	case EVENT_recvfrom:
		return recvfrom__data;
	case EVENT_sendto:
		return sendto__data;
	default:
		return recvmsg__data;
	}
}

/* Bytes that are not known are marked: that there are some is. */
static __always_inline void uring_take_chosen(struct filler *f, struct uring_note *note,
					      __u32 event, __u64 request, bool goes_on)
{
	struct user_iovec *buffer = (void *)note->text;
	__u64 chosen = 0, is_chosen = is_chosen_later(note) && f->ret > 0;

	switch (event) {
	case EVENT_read:
	case EVENT_pread:
	case EVENT_recvfrom:
	case EVENT_sendto:
		chosen = is_chosen ? uring_chosen(f, event, request, goes_on) : f->args[1];
		f->args[1] = forget(f->slot, chosen);
		break;
	case EVENT_readv:
	case EVENT_preadv:
		if (is_chosen)
			*buffer = (struct user_iovec){uring_chosen(f, event, request, goes_on),
						      f->ret};
		f->args[2] = forget(f->slot, is_chosen ? 1 : f->args[2]);
		return;
	case EVENT_recvmsg:
		break;
	default:
		return;
	}
	if (is_chosen && !chosen)
		mark_contested(f, uring_data_param(event));
}

#endif
