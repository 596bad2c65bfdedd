/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Bytes that calls read and write: buffers, vectors of buffers, messages. */
#ifndef LANNER_BUFFER_BPF_H
#define LANNER_BUFFER_BPF_H

#include "bpf/readers/snaplen.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

enum {
	VECTOR_ENTRIES_MAX = 32,
	CONTROL_END_MAX = FRAME_BYTES_MAX - 64, /* what follows control data fits behind it */
	IMAGE_BYTES_MAX = FRAME_BYTES_MAX - STRING_BYTES_MAX - 128, /* and what follows a module */
};

static __always_inline __u64 min_u64(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static __always_inline __u32 bytes_read(struct filler *f)
{
	return f->ret > 0 ? f->ret : 0;
}

/* An offset in the caller's memory; 0 when none is given. */
static __always_inline __u64 user_offset(struct filler *f, __u64 address)
{
	const __u64 narrow = narrow_before(f, NR32_SENDFILE64);
	union {
		__s64 wide;
		__s32 narrow;
	} offset = {};

	read_user(f, &offset, FORM_BYTES(f->slot, offset, narrow), address);
	return (offset.wide & ~narrow) | (offset.narrow & narrow);
}

/* What a failed write was to write is shown too. */
static __always_inline __u64 bytes_written(struct filler *f, __u64 size)
{
	return f->ret > 0 ? f->ret : size;
}

/* Of what does not go over a descriptor. */
static __always_inline void put_data_read(struct filler *f, __u64 address)
{
	put_bytes(f, address, min_u64(bytes_read(f), snaplen));
}

/* What the call wrote to a buffer of `size` bytes; with 0 it only tells how many are needed. */
static __always_inline void put_result(struct filler *f, __u64 address, __u64 size)
{
	put_bytes(f, address, f->ret > 0 && size ? min_u64(f->ret, snaplen) : 0);
}

/* Text that the call wrote, without its NUL. */
static __always_inline void put_result_text(struct filler *f, __u64 address)
{
	__u8 *room = frame_room(f);
	__u64 n = f->ret > 0 ? min_u64(f->ret, STRING_BYTES_MAX - 1) : 0;

	if (!room)
		return;
	CHECKED(n);
	if (n >= STRING_BYTES_MAX)
		return;
	if (n && bpf_probe_read_user(room, n, (void *)address)) {
		count_unreadable(f);
		n = 0;
	}
	room[n] = '\0';
	frame_advance(f, n ? n + 1 : 0);
}

static __always_inline void put_data_written(struct filler *f, __u64 address, __u64 size)
{
	put_bytes(f, address, min_u64(bytes_written(f, size), snaplen));
}

/* `name`: the call's address argument, 0 when it has none. */
static __always_inline void put_fd_data_read(struct filler *f, __u64 fd, __u64 address, __u64 name)
{
	__u64 n = bytes_read(f);

	put_bytes(f, address, min_u64(n, data_limit(fd, name, address, n)));
}

static __always_inline void put_fd_data_written(struct filler *f, __u64 fd, __u64 address,
						__u64 size, __u64 name)
{
	__u64 n = bytes_written(f, size);

	put_bytes(f, address, min_u64(n, data_limit(fd, name, address, n)));
}

/*
 * Writes the bytes of a vector one behind the other into the frame that a slot is getting, at
 * `pos` among its first values, cut to `limit`; a buffer that cannot be read ends them, and of a
 * vector that cannot be read neither bytes nor size are known. Leaves in the slot how far it came.
 * Not inlined, and with its numbers in memory: the verifier walks it once, and each round on one
 * path.
 */
__attribute__((noinline)) int vector_read(__u32 slot_key, __u64 pos, __u64 vector, __u64 entries,
					  __u64 limit)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	const __u64 narrow = -(call_caller().compat & 1);
	volatile struct vector_progress *progress;
	__u8 *room;

	if (!slot || pos > FIXED_BYTES_MAX)
		return 0;
	progress = &slot->vector;
	progress->at = progress->bytes = progress->unreadable = 0;
	progress->left = limit;
	room = slot_frame(slot) + pos;
	for (__u32 i = 0; i < VECTOR_ENTRIES_MAX && i < entries; i++) {
		union user_any_iovec any = {};
		__u64 bytes = FORM_BYTES(slot, any, narrow), at, n;
		struct user_iovec entry;

		if (bpf_probe_read_user(&any, bytes, (void *)vector)) {
			progress->unreadable = true;
			progress->at = progress->bytes = 0;
			break;
		}
		vector += bytes;
		entry = widen_iovec(&any, narrow);
		entry.len = forget(slot, entry.len);
		progress->bytes += entry.len;
		at = progress->at;
		n = min_u64(entry.len, progress->left);
		CHECKED(n);
		if (n == 0 || n > SNAPLEN_MAX || at > SNAPLEN_MAX)
			continue;
		if (bpf_probe_read_user(room + at, n, (void *)entry.base)) {
			progress->unreadable = true;
			progress->left = 0;
			continue;
		}
		progress->at = at + n;
		progress->left -= n;
	}
	return 0;
}

/* Leaves the sum of the entries' lengths in f->vector_bytes. */
static __always_inline void put_vector(struct filler *f, __u64 vector, __u64 entries, __u64 limit)
{
	struct vector_progress *progress = &f->slot->vector;

	vector_read(f->slot_key, f->pos, vector, entries, limit);
	frame_advance(f, progress->at);
	f->vector_bytes = progress->bytes;
	if (progress->unreadable)
		count_unreadable(f);
}

/* Of what does not go over a descriptor. */
static __always_inline void put_vector_read(struct filler *f, __u64 vector, __u64 entries)
{
	put_vector(f, vector, f->ret > 0 ? entries : 0, min_u64(bytes_read(f), snaplen));
}

static __always_inline void put_fd_vector_read(struct filler *f, __u64 fd, __u64 vector,
					       __u64 entries, __u64 name)
{
	__u64 n = bytes_read(f);

	put_vector(f, vector, n ? entries : 0, min_u64(n, data_limit(fd, name, 0, n)));
}

static __always_inline void put_fd_vector_written(struct filler *f, __u64 fd, __u64 vector,
						  __u64 entries, __u64 name)
{
	__u64 n = bytes_written(f, SNAPLEN_MAX);

	put_vector(f, vector, entries, min_u64(n, data_limit(fd, name, 0, n)));
}

static __always_inline void set_message(struct filler *f, struct user_message message,
					bool is_read)
{
	f->message = message;
	f->message_read = is_read;
	if (!is_read)
		count_unreadable(f);
}

static __always_inline bool read_message(struct filler *f, __u64 address)
{
	const __u64 narrow = narrow_words(f);
	union user_any_message any = {};
	bool is_read = !bpf_probe_read_user(&any, FORM_BYTES(f->slot, any, narrow), (void *)address);

	set_message(f, widen_message(&any, narrow), is_read);
	return is_read;
}

/*
 * Of a call for several messages: the one that this event is about, and its result, which stands
 * for the call's from here on. The call's own, when it has failed or there was no message.
 */
static __always_inline __s64 take_message(struct filler *f, __u64 messages)
{
	const __u64 narrow = narrow_words(f);
	union user_any_messages_entry any = {};
	const __u64 bytes = FORM_BYTES(f->slot, any, narrow);
	struct user_messages_entry entry;
	__s64 ret = f->ret;
	bool is_read;

	f->messages = ret;
	if (ret <= 0) {
		f->ret = -1;
		return ret;
	}
	messages += f->message_index * bytes;
	is_read = !bpf_probe_read_user(&any, bytes, (void *)messages);
	entry = widen_messages_entry(&any, narrow);
	set_message(f, entry.message, is_read);
	f->ret = entry.len;
	f->absent = !is_read;
	return entry.len;
}

/* The bytes of the message that was read; absent when it could not be, or there is none. */
static __always_inline void put_message_data_sent(struct filler *f, __u64 fd)
{
	if (f->message_read)
		put_fd_vector_written(f, fd, f->message.vector, f->message.vector_len,
				      f->message.name);
	else
		put_absent(f);
}

static __always_inline void put_message_data_received(struct filler *f, __u64 fd)
{
	if (f->message_read && f->ret >= 0)
		put_fd_vector_read(f, fd, f->message.vector, f->message.vector_len,
				   f->message.name);
	else
		put_absent(f);
}

static __always_inline void put_message_sent(struct filler *f, __u64 fd, __u64 address)
{
	read_message(f, address);
	put_message_data_sent(f, fd);
}

static __always_inline void put_message_received(struct filler *f, __u64 fd, __u64 address)
{
	if (f->ret >= 0)
		read_message(f, address);
	put_message_data_received(f, fd);
}

/* Of a message that could not be read the size is not known either. */
static __always_inline __u32 message_bytes(struct filler *f)
{
	f->absent = !f->message_read;
	return f->vector_bytes;
}

/* The size of a message where it stands ahead of the bytes: they bring it. */
static __always_inline __u32 message_bytes_to_come(struct filler *f)
{
	f->size_pos = f->pos;
	return 0;
}

static __always_inline void put_message_data_and_size(struct filler *f, __u64 fd)
{
	put_message_data_sent(f, fd);
	*(__u32 *)(f->frame + f->size_pos) = f->vector_bytes;
}

/* Cut to what the frame has left, so that the event is not lost for it. */
static __always_inline void put_message_control(struct filler *f)
{
	__u64 left = f->pos < CONTROL_END_MAX ? CONTROL_END_MAX - f->pos : 0;

	if (f->ret >= 0 && f->message.control)
		put_bytes(f, f->message.control, min_u64(f->message.control_len, left));
	else
		put_absent(f);
}

#endif
