/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Programs at functions of Go's crypto/tls: where (*Conn).Read and Write begin, behind their look at the
 * stack, and at the instructions by which Read returns, as a probe at returns would put an address on a
 * stack that Go reads. A connection names its socket in its own memory; whether that is one, the kernel
 * is asked.
 */
#ifndef LANNER_TLS_GO_BPF_H
#define LANNER_TLS_GO_BPF_H

#include "bpf/tls_programs.bpf.h"

enum {
	GO_STACK_END = 8, /* where a routine has the end of its stack */
	GO_STACK_MAX = 1 << 30,
	/* Of a net.Conn, and the start of a struct that embeds one: behind its type. */
	GO_INTERFACE_DATA = 8,
	GO_NUMBER = 16, /* of its descriptor, in a net.netFD: behind the lock of a poll.FD */
	GO_NUMBERS = 1 << 30, /* of descriptors, and of bytes; others are none */
	GO_WRAPPERS = 2, /* the connection itself, or what has one in front */
};

static __always_inline bool go_read(__u64 *value, __u64 address)
{
	return bpf_probe_read_user(value, sizeof(*value), (void *)address) == 0;
}

/* depth 0: it is no routine. */
static __always_inline struct tls_routine_key tls_routine_key(struct probe_registers *regs)
{
	struct tls_routine_key key = {
		.routine = PROBE_GO_ROUTINE(regs),
		.program = program_of(this_task()),
		.pid = current_pid(),
	};
	__u64 end = 0, depth;

	go_read(&end, key.routine + GO_STACK_END);
	depth = end - probe_sp(regs);
	key.depth = depth <= GO_STACK_MAX ? depth : 0;
	return key;
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

/* Not inlined: the verifier walks it once. */
static __attribute__((noinline)) int go_note_socket(struct tls_call *call)
{
	__u64 connection = call->object;

	for (int i = 0; i < GO_WRAPPERS; i++)
		if (!go_read(&connection, connection + GO_INTERFACE_DATA) ||
		    go_find_socket(call, connection))
			return 0;
	return 0;
}

/* The object of a call; NULL: there is no room. */
static __always_inline struct tls_object *go_object_of(const struct tls_call *call)
{
	struct tls_object *object = tls_object_of(call);

	if (object && call->file.ino) {
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
	};
	if (probe_go_begins_again(regs) || tls_is_left_out(this_task()))
		return false;
	go_note_socket(call);
	return true;
}

static __always_inline int tls_go_read_run(struct probe_registers *regs)
{
	const struct tls_routine_key key = tls_routine_key(regs);
	struct tls_call *left, made;

	if (!key.depth || !go_begin(regs, &made))
		return 0;
	left = bpf_map_lookup_elem(&tls_routines, &key);
	if (left)
		tls_lose(left);
	bpf_map_update_elem(&tls_routines, &key, &made, BPF_ANY);
	return 0;
}

/* Ends the call. Returns its object; NULL: there is none. */
static __always_inline struct tls_object *go_end(struct probe_registers *regs,
						 struct tls_call *call)
{
	const struct tls_routine_key key = tls_routine_key(regs);
	struct tls_call *found = bpf_map_lookup_elem(&tls_routines, &key);

	if (!found)
		return NULL;
	*call = *found;
	bpf_map_delete_elem(&tls_routines, &key);
	return go_object_of(call);
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
	struct tls_call call = {};
	struct tls_object *object = go_end(regs, &call);

	return go_put(f, regs, object, &call, probe_result(regs), TLS_READ)
		       ? FILLER_NAME(tls_data)(f)
		       : 0;
}

/*
 * What is to be written is told at once: before this function returns, another routine may have read
 * the answer.
 */
static __always_inline int tls_go_write_run(struct probe_registers *regs)
{
	struct filler filler = {.self = this_task()}, *f = &filler;
	struct tls_object *object = NULL;
	struct tls_call call;

	if (go_begin(regs, &call))
		object = go_object_of(&call);
	return go_put(f, regs, object, &call, call.size, TLS_WRITE) ? FILLER_NAME(tls_data)(f) : 0;
}

static __always_inline int tls_go_forget_run(struct probe_registers *regs)
{
	struct filler filler = {.self = this_task()}, *f = &filler;

	return tls_forget_begin(f, regs, PROBE_GO_ARGUMENT_0(regs)) ? FILLER_NAME(tls_data)(f) : 0;
}

#endif
