/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Programs at functions of Go's crypto/tls: where (*Conn).Read and Write begin, behind their look at the
 * stack, and at the instructions by which they return, as a probe at returns would put an address on a
 * stack that Go reads. A connection names its socket in its own memory; whether that is one, the kernel
 * is asked.
 */
#ifndef LANNER_TLS_GO_BPF_H
#define LANNER_TLS_GO_BPF_H

#include "bpf/tls_programs.bpf.h"

enum {
	GO_STACK_END = 8, /* where a routine has the end of its stack */
	GO_STACK_MAX = 1 << 30,
	GO_INTERFACE_DATA = 8, /* of a net.Conn: behind its type */
	GO_RECEIVER = 8, /* where a function may keep its first argument: above its return address */
	GO_NUMBER = 16, /* of its descriptor, in a net.netFD: behind the lock of a poll.FD */
	GO_NUMBERS = 1 << 30, /* of descriptors, and of bytes; others are none */
};

static __always_inline bool go_read(__u64 *value, __u64 address)
{
	return bpf_probe_read_user(value, sizeof(*value), (void *)address) == 0;
}

/* Where the stack of a routine ends; 0: it is none. */
static __always_inline __u64 go_stack_end(struct probe_registers *regs)
{
	__u64 end = 0;

	go_read(&end, PROBE_GO_ROUTINE(regs) + GO_STACK_END);
	return end - probe_sp(regs) <= GO_STACK_MAX ? end : 0;
}

static __always_inline struct tls_routine_key tls_routine_key(struct probe_registers *regs, __u64 end)
{
	return (struct tls_routine_key){
		.routine = PROBE_GO_ROUTINE(regs),
		.program = program_of(this_task()),
		.pid = current_pid(),
		.depth = end - probe_sp(regs),
	};
}

/* The number that a connection says is that of its socket, and whether it is one. */
static __always_inline bool go_find_socket(struct tls_call *call, __u64 connection)
{
	__u64 descriptor, fd = 0;
	struct file *file;
	struct sock *sk;

	if (!go_read(&descriptor, connection) || !go_read(&fd, descriptor + GO_NUMBER) ||
	    fd >= GO_NUMBERS)
		return false;
	file = fd_file(fd);
	sk = file_sock(file);
	if (!sk || GET(sk, sk_type) != TYPE_STREAM)
		return false;
	call->file = file_identity(file);
	call->fd = fd;
	return true;
}

/*
 * Notes the socket, and that the thread is in that call, by which one of the system is known to agree.
 * Other kinds of connections, such as TLS within TLS, name none. Not inlined: the verifier walks it once.
 */
static __attribute__((noinline)) int go_note_call(struct tls_call *call)
{
	struct tls_thread *thread = tls_thread_find(), made = {};
	__u64 connection = 0;
	__u32 tid = current_tid();

	if (go_read(&connection, call->object + GO_INTERFACE_DATA))
		go_find_socket(call, connection);
	if (thread) {
		thread->call = *call;
		thread->call.file.ino = 0;
		return 0;
	}
	made.call = *call;
	made.call.file.ino = 0;
	bpf_map_update_elem(&tls_threads, &tid, &made, BPF_ANY);
	return 0;
}

/* The object of a call; NULL: there is no room. */
static __always_inline struct tls_object *go_object_of(const struct tls_call *call)
{
	struct tls_object *object = tls_object_of(call);

	if (object && call->file.ino) {
		object->is_told |= object->file.ino != call->file.ino;
		object->file = call->file;
		object->fd = call->fd;
		object->loose = 0;
	}
	return object;
}

/* Gets what a function is called with, where it begins. Returns false: it is none of interest. */
static __always_inline bool go_begin(struct probe_registers *regs, struct tls_call *call)
{
	*call = (struct tls_call){
		.object = PROBE_GO_ARGUMENT_0(regs),
		.buffer = PROBE_GO_ARGUMENT_1(regs),
		.size = PROBE_GO_ARGUMENT_2(regs),
		.sp = probe_sp(regs),
		.is_go = 1,
	};
	if (probe_go_begins_again(regs) || tls_is_left_out(this_task()))
		return false;
	go_note_call(call);
	return true;
}

/* Where the last one has not ended, it was left, or forgotten as there were too many. */
static __always_inline void go_note_read(struct tls_object *object, const struct tls_call *call)
{
	if (object->is_reading) {
		tls_lose(call);
		count_lost_times(EVENT_tls_data, LOSS_IN_FLIGHT, 1);
	}
	object->is_reading = 1;
}

/* Notes a call that has begun, until it ends. Not inlined: the verifier walks it once. */
static __attribute__((noinline)) int go_note_routine(struct probe_registers *regs,
						     struct tls_routine *made)
{
	const __u64 end = go_stack_end(regs);
	struct tls_call *call = &made->call;

	/* A buffer on the stack moves with that. */
	if (call->buffer < end && end - call->buffer <= GO_STACK_MAX && call->buffer >= probe_sp(regs)) {
		call->buffer = end - call->buffer;
		call->done = 1;
	}
	made->key = tls_routine_key(regs, end);
	made->owner = tls_owner();
	made->since_ns = bpf_ktime_get_ns();
	tls_routine_put(made);
	return 0;
}

static __always_inline int tls_go_read_run(struct probe_registers *regs)
{
	struct tls_routine made = {};
	struct tls_object *object;

	if (!go_stack_end(regs) || !go_begin(regs, &made.call))
		return 0;
	object = go_object_of(&made.call);
	if (object)
		go_note_read(object, &made.call);
	return go_note_routine(regs, &made);
}

/*
 * A read ends whose begin was forgotten. Where the function may have put what it was called with there
 * is the object, if that is one that is read; else the gap is seen when the next read of it begins.
 */
static __always_inline void go_lose_read(struct probe_registers *regs)
{
	struct tls_call call = {};
	struct tls_object_key key;
	struct tls_object *object;

	if (tls_is_left_out(this_task()) ||
	    !go_read(&call.object, probe_sp(regs) + GO_RECEIVER))
		return;
	key = tls_object_key(call.object);
	object = bpf_map_lookup_elem(&tls_objects, &key);
	if (!object || !object->is_reading)
		return;
	object->is_reading = 0;
	tls_lose(&call);
	count_lost_times(EVENT_tls_data, LOSS_IN_FLIGHT, 1);
}

/* Ends the call, and takes what was noted of it. Returns false: nothing was. */
static __always_inline bool go_end(struct probe_registers *regs, struct tls_routine *routine)
{
	const __u64 end = go_stack_end(regs);

	routine->key = tls_routine_key(regs, end);
	if (!tls_routine_take(routine))
		return false;
	if (routine->call.done)
		routine->call.buffer = end - routine->call.buffer;
	return true;
}

static __always_inline bool go_put(struct filler *f, struct probe_registers *regs,
				   struct tls_object *object, const struct tls_call *call,
				   __u64 moved, __u8 direction)
{
	if (!object || !moved || moved > call->size || moved >= GO_NUMBERS)
		return false;
	f->tls.size = moved;
	return tls_data_put(f, regs, NULL, object, call, direction);
}

static __always_inline int tls_go_read_end_run(struct probe_registers *regs)
{
	struct filler filler = {.self = this_task()}, *f = &filler;
	struct tls_routine routine = {};
	struct tls_object *object;

	if (!go_end(regs, &routine)) {
		go_lose_read(regs);
		return 0;
	}
	object = go_object_of(&routine.call);
	if (object)
		object->is_reading = 0;
	return go_put(f, regs, object, &routine.call, probe_result(regs), TLS_READ)
		       ? FILLER_NAME(tls_data)(f)
		       : 0;
}

/* Before this function returns, another routine may have read the answer: what it reads says so. */
static __always_inline void go_note_write(struct filler *f, struct tls_object *object,
					  struct tls_routine *made)
{
	struct tls_count *count;

	f->tls.key = tls_key_of(object);
	f->tls.buffer = made->call.buffer;
	f->tls.size = made->call.size;
	count = tls_count_of(f);
	if (!count)
		return;
	__sync_fetch_and_add(&count->begun, f->tls.size);
	made->stream = f->tls.key;
	made->read = count->moved[TLS_READ];
	made->base = count->base;
}

static __always_inline int tls_go_write_run(struct probe_registers *regs)
{
	struct filler filler = {.self = this_task()}, *f = &filler;
	struct tls_routine made = {};
	struct tls_object *object;

	if (!go_stack_end(regs) || !go_begin(regs, &made.call) || !made.call.size ||
	    made.call.size >= GO_NUMBERS)
		return 0;
	object = go_object_of(&made.call);
	if (object)
		go_note_write(f, object, &made);
	return go_note_routine(regs, &made);
}

/* Only what the function says that it took was sent. Returns whether its bytes are counted. */
static __always_inline bool go_correct_begun(const struct tls_routine *routine, __u64 moved)
{
	struct tls_count *count = tls_count_of_write(routine);

	if (count && moved < routine->call.size)
		__sync_fetch_and_add(&count->begun, moved - routine->call.size);
	return count;
}

/* A write ends whose begin was forgotten, or nobody saw. */
static __always_inline void go_lose_write(__u64 moved)
{
	if (moved && moved < GO_NUMBERS && !tls_is_left_out(this_task()))
		count_lost_times(EVENT_tls_data, LOSS_IN_FLIGHT, 1);
}

static __always_inline int tls_go_write_end_run(struct probe_registers *regs)
{
	struct filler filler = {.self = this_task()}, *f = &filler;
	struct tls_routine routine = {};
	__u64 moved = probe_result(regs);
	struct tls_object_key key;
	bool is_closed, is_counted, is_put;

	if (!go_end(regs, &routine)) {
		go_lose_write(moved);
		return 0;
	}
	if (moved > routine.call.size)
		moved = 0;
	is_counted = go_correct_begun(&routine, moved);
	/* Another routine may have closed the connection meanwhile. */
	key = tls_object_key(routine.call.object);
	is_closed = !bpf_map_lookup_elem(&tls_objects, &key);
	if (is_closed && !routine.call.file.ino)
		return 0;
	is_put = go_put(f, regs, go_object_of(&routine.call), &routine.call, moved, TLS_WRITE);
	if (is_closed)
		bpf_map_delete_elem(&tls_objects, &key);
	if (!is_put)
		return 0;
	if (is_counted && f->tls.key == routine.stream)
		f->slot->stream.other = routine.read;
	return FILLER_NAME(tls_data)(f);
}

static __always_inline int tls_go_forget_run(struct probe_registers *regs)
{
	struct filler filler = {.self = this_task()}, *f = &filler;

	return tls_forget_begin(f, regs, PROBE_GO_ARGUMENT_0(regs)) ? FILLER_NAME(tls_data)(f) : 0;
}

#endif
