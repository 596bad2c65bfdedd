/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Calls of functions of TLS libraries in progress, and to which sockets their objects belong: a
 * system call that such a function makes on a socket names it. By the stack it is known that the
 * function makes it, and which call returns: a thread may leave a function without a return, or
 * have several stacks.
 */
#ifndef LANNER_TLS_CALLS_BPF_H
#define LANNER_TLS_CALLS_BPF_H

#include "bpf/readers/stream.bpf.h"

enum {
	TLS_THREADS = 1 << 14,
	TLS_OBJECTS = 1 << 16,
	TLS_STACK_BYTES = 1 << 15, /* that such a function uses, at most, with what it calls */
};

/* The call of a thread, and the socket that it used. */
struct tls_thread {
	__u64 object; /* 0: none */
	__u64 buffer, size;
	__u64 done; /* where the function puts how many bytes it moved; 0: it returns that */
	__u64 sp; /* when it began */
	struct frame_file file; /* ino 0: it used none */
	__s32 fd;
	__u32 is_confused; /* it used several */
};

/* Key: thread. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TLS_THREADS);
	__type(key, __u32);
	__type(value, struct tls_thread);
} tls_threads SEC(".maps");

/* What a library has for a connection: its address is used again for others. */
struct tls_object_key {
	__u64 object;
	__u64 pid;
};

struct tls_object {
	struct frame_file file; /* its socket; ino 0: not known */
	__s32 fd;
	__u32 pad;
	__u64 loose; /* its key before a socket was known; 0: it moved no bytes then */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TLS_OBJECTS);
	__type(key, struct tls_object_key);
	__type(value, struct tls_object);
} tls_objects SEC(".maps");

/* How many bytes a plaintext had, of both directions, as sequence numbers of TCP. */
struct tls_count {
	__u32 moved[2]; /* by tls_directions */
	__u32 is_framed; /* it begins as HTTP/2, whose frames begin anywhere in a piece */
	__u32 pad;
};

/* Key: that of a stream. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TLS_OBJECTS);
	__type(key, __u64);
	__type(value, struct tls_count);
} tls_counts SEC(".maps");

static __always_inline struct tls_thread *tls_thread_find(void)
{
	__u32 tid = current_tid();

	return bpf_map_lookup_elem(&tls_threads, &tid);
}

/* Whether a stack pointer is below that of the call in progress, and on the same stack. */
static __always_inline bool is_in_tls_call(const struct tls_thread *thread, __u64 sp)
{
	return thread->object && sp < thread->sp && thread->sp - sp <= TLS_STACK_BYTES;
}

/* The current thread has made a system call on a descriptor. Not inlined: the verifier walks it once. */
__attribute__((noinline)) int tls_meet_socket(__u64 descriptor, __u64 sp, __s32 fd)
{
	struct tls_thread *thread = tls_thread_find();
	struct frame_file identity;
	struct file *file;
	struct sock *sk;

	/* What it jumps to at its end has its stack. */
	if (!thread || !(is_in_tls_call(thread, sp) || (thread->object && sp == thread->sp)))
		return 0;
	file = descriptor_file(descriptor);
	sk = file_sock(file);
	if (!sk || GET(sk, sk_type) != TYPE_STREAM)
		return 0;
	identity = file_identity(file);
	thread->is_confused |= thread->file.ino && thread->file.ino != identity.ino;
	thread->file = identity;
	thread->fd = fd;
	return 0;
}

/* A call of an event that moves bytes through a descriptor. */
static __always_inline void tls_meet(struct filler *f)
{
	if (tls_chosen.wanted)
		tls_meet_socket(descriptor_used_by(f, argument(f, 0)), registers_sp(f->regs),
				argument(f, 0));
}

static __always_inline __s64 tls_fd(struct filler *f)
{
	f->absent = f->tls.fd < 0;
	return f->tls.fd;
}

static __always_inline void put_tls_data(struct filler *f)
{
	put_bytes(f, f->tls.buffer, min_u64(f->tls.size, f->tls.wanted));
}

#endif
