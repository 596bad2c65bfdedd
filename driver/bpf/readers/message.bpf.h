/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Messages of sockets, one or several in a call: their bytes, control data and addresses. */
#ifndef LANNER_MESSAGE_BPF_H
#define LANNER_MESSAGE_BPF_H

#include "bpf/readers/buffer.bpf.h"
#include "bpf/readers/socket.bpf.h"

enum { CONTROL_END_MAX = FRAME_BYTES_MAX - 64 /* what follows control data fits after it */ };

DEFINE_COPY(message)

static __always_inline struct message_copy message_copy(struct filler *f,
							struct user_message message, bool is_read)
{
	if (!is_read)
		count_unreadable(f);
	return (struct message_copy){message, is_read};
}

static __always_inline struct message_copy read_message(struct filler *f, __u64 address)
{
	const __u64 narrow = narrow_words(f);
	union user_any_message any = {};
	bool is_read = !read_caller(f, &any, FORM_BYTES(f->slot, any, narrow), address);

	return message_copy(f, widen_message(&any, narrow), is_read);
}

/* The message that a call received; none if it failed. */
static __always_inline struct message_copy read_message_received(struct filler *f, __u64 address)
{
	return f->ret >= 0 ? read_message(f, address) : (struct message_copy){};
}

/*
 * Of a call for several messages: takes the message of this event, and returns its result, which
 * replaces that of the call from here on. Returns the result of the call if that failed or had no
 * message; then RET is negative.
 */
static __always_inline __s64 take_message(struct filler *f, __u64 messages,
					  struct message_copy *message)
{
	const __u64 narrow = narrow_words(f);
	union user_any_messages_entry any = {};
	const __u64 bytes = FORM_BYTES(f->slot, any, narrow);
	struct user_messages_entry entry;
	__s64 ret = f->ret;
	bool is_read;

	f->messages = ret;
	if (ret <= 0) {
		f->ret = ret ? ret : -1;
		return ret;
	}
	messages += f->message_index * bytes;
	is_read = !bpf_probe_read_user(&any, bytes, (void *)messages);
	entry = widen_messages_entry(&any, narrow);
	*message = message_copy(f, entry.message, is_read);
	f->ret = entry.len;
	f->absent = !is_read;
	return entry.len;
}

/* The bytes of a message, absent if it could not be read or there is none. Returns how many. */
static __always_inline __u32 put_message_data_sent(struct filler *f, __u64 fd,
						   const struct message_copy *message)
{
	if (message->is_read)
		return put_fd_vector_written(f, fd, message->value.vector,
					     message->value.vector_len, message->value.name);
	put_absent(f);
	return 0;
}

static __always_inline void put_message_data_received(struct filler *f, __u64 fd,
						      const struct message_copy *message)
{
	if (message->is_read && f->ret >= 0)
		put_fd_vector_read(f, fd, message->value.vector, message->value.vector_len,
				   message->value.name);
	else
		put_absent(f);
}

/* If a message could not be read, its size is not known either. */
static __always_inline __u32 message_bytes(struct filler *f, const struct message_copy *message,
					   __u32 bytes)
{
	f->absent = !message->is_read;
	return bytes;
}

/* The same if the size precedes the bytes, at `size_pos` of the frame. */
static __always_inline void put_message_data_and_size(struct filler *f, __u64 fd,
						      const struct message_copy *message,
						      __u64 size_pos)
{
	*(__u32 *)(f->frame + size_pos) = forget(f->slot, put_message_data_sent(f, fd, message));
}

/* Truncated to the room left in the frame, so that the event is not lost. */
static __always_inline void put_message_control(struct filler *f,
						const struct message_copy *message)
{
	__u64 left = f->pos < CONTROL_END_MAX ? CONTROL_END_MAX - f->pos : 0;

	if (f->ret >= 0 && message->value.control)
		put_bytes(f, message->value.control, min_u64(message->value.control_len, left));
	else
		put_absent(f);
}

/* Headers of control data are walked over until the descriptors come. */
enum { CONTROLS_MAX = 6, LEVEL_SOCKET = 1, TYPE_RIGHTS = 1, RECEIVED_WORDS = 5 };

/* The first descriptor in `bytes` of control data at `at` of a slot's frames; -1: none. */
static __always_inline __s32 control_fd(struct scratch_slot *slot, __u64 at, __u64 bytes)
{
	const __u64 native = !(call_caller(this_task()).compat & 1);
	const __u64 word = 4 + native * 4, head = word + 8;

	for (int i = 0; i < CONTROLS_MAX; i++) {
		const __u32 *control;
		__u64 len;

		at = forget(slot, at);
		CHECKED(at);
		if (at > BATCH_BYTES_MAX + FRAME_BYTES_MAX || bytes < head + sizeof(__s32))
			return -1;
		control = (void *)(slot->frames + at);
		len = native ? *(__u64 *)control : control[0];
		if (len < head + sizeof(__s32) || len > bytes)
			return -1;
		if ((native ? control[2] : control[1]) == LEVEL_SOCKET &&
		    (native ? control[3] : control[2]) == TYPE_RIGHTS)
			return native ? control[4] : control[3];
		len = (len + word - 1) & ~(word - 1);
		if (len > bytes)
			return -1;
		at += len;
		bytes -= len;
	}
	return -1;
}

/*
 * Finds the file of the first descriptor in control data, which a message brought; NULL: none.
 * Leaves in the work area what it is: the number, inode, device, mount and mode. Not inlined: the
 * verifier walks it once.
 */
__attribute__((noinline)) __u64 received_find(__u32 slot_key, __u64 at, __u64 bytes)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	__u64 *words = slot ? (void *)slot->work : NULL;
	struct frame_file identity;
	struct file *file;
	__s32 fd;

	if (!words)
		return 0;
	fd = control_fd(slot, at, bytes);
	file = fd_file(fd);
	if (!file)
		return 0;
	identity = file_identity(file);
	words[0] = fd;
	words[1] = identity.ino;
	words[2] = identity.dev;
	words[3] = identity.mount;
	words[4] = GET(file, f_inode, i_mode);
	return (__u64)file;
}

/* The same of the parameter with control data that was put at `control_at` of the frame. */
static __always_inline struct file *received_file(struct filler *f, __u32 control, __u64 control_at)
{
	__u64 bytes = length_put(f, control);

	if (!bytes || f->not_its_files)
		return NULL;
	return (void *)received_find(f->slot_key, f->slot->state.batch.bytes + control_at, bytes);
}

static __always_inline void put_received(struct filler *f, struct file *file)
{
	const __u64 *words = (void *)f->slot->work;
	__u64 *room = (void *)frame_room(f);

	if (!room || !file) {
		put_absent(f);
		return;
	}
	for (int i = 0; i < RECEIVED_WORDS; i++)
		room[i] = words[i];
	frame_advance(f, RECEIVED_WORDS * sizeof(*room));
}

static __always_inline void put_tuple_message_sent(struct filler *f, __u64 fd,
						   const struct message_copy *message)
{
	put_tuple_sent(f, fd, message->value.name, message->value.name_len);
}

static __always_inline void put_tuple_message_received(struct filler *f, __u64 fd,
						       const struct message_copy *message)
{
	if (f->ret >= 0)
		put_tuple(f, descriptor_used_by(f, fd), INBOUND,
			  (struct address_argument){message->value.name, message->value.name_len, false});
	else
		put_absent(f);
}

#endif
