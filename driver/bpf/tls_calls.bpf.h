/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Calls of functions of TLS libraries in progress, and to which sockets their objects belong: a
 * system call that such a function makes on a socket names it. By the stack it is known that the
 * function makes it, and which call returns: a thread may leave a function without a return, or
 * have several stacks.
 */
#ifndef LANNER_TLS_CALLS_BPF_H
#define LANNER_TLS_CALLS_BPF_H

#include "bpf/core/share_owner.bpf.h"
#include "bpf/readers/stream.bpf.h"

enum {
	TLS_READ, /* tls_directions */
	TLS_WRITE,
	TLS_CLOSED,
};

enum {
	TLS_THREADS = 1 << 14,
	TLS_OBJECTS = 1 << 16,
	TLS_ROUTINES = 1 << 14,
	TLS_WAYS = 8, /* places where a routine's call may be */
	TLS_SET_BITS = 11,
	TLS_TELLERS = 1 << 10,
	TLS_NOTES_MAX = 16,
	TLS_NOTES_NS = 1000000000,
	/* What encryption adds to each record. */
	TLS_RECORD_BYTES = 1 << 14,
	TLS_ADDED_MIN = 21,
	TLS_ADDED_MAX = 85,
	TLS_SHOWN_MAX = 200,
	TLS_UNSENT_NS = 1000000000, /* after which what was not sent may have been sent in parts */
	TLS_STACK_BYTES = 1 << 15, /* that such a function uses, at most, with what it calls */
	TLS_LOST_BYTES = 1 << 20, /* that stand for an unknown number */
};

/* The call of a thread, and the socket that it used. */
struct tls_call {
	__u64 object; /* 0: none */
	__u64 buffer, size;
	__u64 done; /* where the function puts how many bytes it moved; 0: it returns that */
	__u64 sp, ip; /* when it began */
	struct frame_file file; /* ino 0: it used none */
	__s32 fd;
	__u16 is_confused; /* it used several */
	__u16 is_go; /* of a routine; `sp` and `ip` are where its stack is, and end nothing */
};

/*
 * What a thread did last of which it is to be guessed what belongs together: plaintext that was
 * encrypted and not sent yet, and bytes of a socket that were not decrypted yet.
 */
struct tls_guess {
	__u64 object; /* whose plaintext that was */
	__u64 ns; /* when the last one was */
	struct frame_file file; /* the socket that was read */
	__s32 fd;
	__u32 unsent; /* bytes of plaintext */
	__u32 read; /* bytes of the socket */
	__u8 unsents, reads; /* how many pieces there are, or sockets: of several nothing is known */
	__u8 pad[2];
};

struct tls_thread {
	struct tls_call call;
	struct tls_guess guess;
};

/* Key: thread. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TLS_THREADS);
	__type(key, __u32);
	__type(value, struct tls_thread);
} tls_threads SEC(".maps");

/*
 * A function of a routine of Go, which may go on in another thread, and on a stack that was copied to
 * another address: what stays is how far below the end of its stack it is.
 */
struct tls_routine_key {
	__u64 routine;
	__u64 program;
	__u32 pid;
	__u32 depth;
};

/* `call.buffer` is so far below the end of the stack if `call.done`, which else is 0. */
struct tls_routine {
	struct tls_routine_key key;
	__u64 owner; /* whose place it is: share_owner() */
	__u64 since_ns;
	/* Of a write: the stream of which its bytes have begun; 0: of none. */
	__u64 stream;
	__u32 read; /* how far that was read when the write began */
	__u32 base; /* of the count that it is in */
	struct tls_call call;
};

struct tls_place {
	__u32 set, way;
};

_Static_assert(TLS_WAYS << TLS_SET_BITS == TLS_ROUTINES, "each place has room");

/*
 * Calls of processes that have ended stay until their place is needed. A call has one of the places
 * of its set: of all that want one, who has most there gives way.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TLS_ROUTINES);
	__type(key, struct tls_place);
	__type(value, struct tls_routine);
} tls_routines SEC(".maps");

/*
 * What a library has for a connection: its address is used again for others, also by programs that
 * a process executes, and by processes with the same number.
 */
struct tls_object_key {
	__u64 object;
	__u64 program;
	__u64 pid;
};

struct tls_object {
	struct frame_file file; /* its socket; ino 0: not known */
	__s32 fd;
	/* Of one with `loose`: how often both directions have shown that this is its socket. */
	__u8 reads, writes;
	__u8 is_broken; /* they have shown another one, too: it is not known, for good */
	/* Of Go: its socket is what memory says, and no call of it has shown that yet; it is read now. */
	__u8 is_told : 1, is_reading : 1;
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
	/*
	 * Of those that are written, with all bytes of calls that go on: another routine may read what
	 * answers them before the call returns that says how many there were.
	 */
	__u32 begun;
	__u32 is_framed; /* it begins as HTTP/2, whose frames begin anywhere in a piece */
	__u32 base; /* the number that it began with: one that was forgotten begins with another one */
	__u32 pad;
};

/* Key: that of a stream. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TLS_OBJECTS);
	__type(key, __u64);
	__type(value, struct tls_count);
} tls_counts SEC(".maps");

/* How many notes a process made since then. Key: process. */
struct tls_teller {
	__u64 since_ns;
	__u64 notes;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, TLS_TELLERS);
	__type(key, __u32);
	__type(value, struct tls_teller);
} tls_tellers SEC(".maps");

/* Not inlined: the verifier walks it once. */
__attribute__((noinline)) __u64 tls_owner(void)
{
	return share_owner(this_task());
}

static __always_inline bool is_routine(const struct tls_routine_key *a,
				       const struct tls_routine_key *b)
{
	return a->routine == b->routine && a->program == b->program && a->pid == b->pid &&
	       a->depth == b->depth;
}

static __always_inline __u32 tls_set_of(const struct tls_routine_key *key)
{
	__u64 mixed = (key->routine ^ key->program << 20) * 0x9e3779b97f4a7c15ULL;

	mixed = (mixed ^ mixed >> 32 ^ ((__u64)key->pid << 32 | key->depth)) * 0x9e3779b97f4a7c15ULL;
	return mixed >> (64 - TLS_SET_BITS);
}

/*
 * The place of a call; TLS_WAYS: it has none. These three are not inlined: the verifier walks each
 * once.
 */
__attribute__((noinline)) __u32 tls_routine_way(__u32 set, __u64 routine, __u64 program,
						__u64 pid_depth)
{
	const struct tls_routine_key key = {routine, program, pid_depth >> 32, pid_depth};

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < TLS_WAYS; i++) {
		const struct tls_place place = {set, i};
		struct tls_routine *found = bpf_map_lookup_elem(&tls_routines, &place);

		if (found && is_routine(&found->key, &key))
			return i;
	}
	return TLS_WAYS;
}

/* How many places of a set an owner has. */
__attribute__((noinline)) __u32 tls_owner_has(__u32 set, __u64 owner)
{
	__u32 has = 0;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < TLS_WAYS; i++) {
		const struct tls_place place = {set, i};
		struct tls_routine *found = bpf_map_lookup_elem(&tls_routines, &place);

		has += found && found->owner == owner;
	}
	return has;
}

/* The place for a new call of an owner: a free one, or the oldest one of those who have most. */
__attribute__((noinline)) __u32 tls_new_way(__u32 set, __u64 owner)
{
	__u32 way = 0, most = 0;
	__u64 oldest = 0;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < TLS_WAYS; i++) {
		const struct tls_place place = {set, i};
		struct tls_routine *found = bpf_map_lookup_elem(&tls_routines, &place);
		__u32 has;

		if (!found)
			return i;
		has = tls_owner_has(set, found->owner) + (found->owner == owner);
		if (has > most || (has == most && found->since_ns < oldest)) {
			most = has;
			oldest = found->since_ns;
			way = i;
		}
	}
	return way;
}

static __always_inline struct tls_place tls_place_of(const struct tls_routine_key *key)
{
	struct tls_place place = {.set = tls_set_of(key)};

	place.way = tls_routine_way(place.set, key->routine, key->program,
				    (__u64)key->pid << 32 | key->depth);
	return place;
}

/* The count that has the bytes of a write. NULL: of none, or it was forgotten. */
static __always_inline struct tls_count *tls_count_of_write(const struct tls_routine *routine)
{
	const __u64 stream = routine->stream;
	struct tls_count *count = bpf_map_lookup_elem(&tls_counts, &stream);

	return count && count->base == routine->base ? count : NULL;
}

/*
 * A write is forgotten: how much of it is sent will not be known. It is counted when it ends, as its
 * process may have ended before.
 */
static __always_inline void tls_lose_write(const struct tls_routine *routine)
{
	struct tls_count *count = tls_count_of_write(routine);

	if (!count)
		return;
	__sync_fetch_and_add(&count->begun, TLS_LOST_BYTES - (__u32)routine->call.size);
	__sync_fetch_and_add(&count->moved[TLS_WRITE], TLS_LOST_BYTES);
}

/* Notes a call that begins; one of its routine that is as deep is over. */
static __always_inline void tls_routine_put(const struct tls_routine *routine)
{
	struct tls_place place = tls_place_of(&routine->key);
	struct tls_routine *over;

	if (place.way >= TLS_WAYS)
		place.way = tls_new_way(place.set, routine->owner);
	over = bpf_map_lookup_elem(&tls_routines, &place);
	if (over)
		tls_lose_write(over);
	if (place.way < TLS_WAYS)
		bpf_map_update_elem(&tls_routines, &place, routine, BPF_ANY);
}

/* Takes the call that ends out, to *routine, whose key is set. Returns whether it was there. */
static __always_inline bool tls_routine_take(struct tls_routine *routine)
{
	const struct tls_routine_key key = routine->key;
	const struct tls_place place = tls_place_of(&key);
	struct tls_routine *found = bpf_map_lookup_elem(&tls_routines, &place);

	if (!found)
		return false;
	*routine = *found;
	bpf_map_delete_elem(&tls_routines, &place);
	if (is_routine(&routine->key, &key))
		return true;
	/* Another one has got the place meanwhile, and has lost it now. */
	tls_lose_write(routine);
	return false;
}

static __always_inline struct tls_object_key tls_object_key(__u64 object)
{
	return (struct tls_object_key){object, program_of(this_task()), current_pid()};
}

static __always_inline struct tls_thread *tls_thread_find(void)
{
	__u32 tid = current_tid();

	return bpf_map_lookup_elem(&tls_threads, &tid);
}

/* Whether a stack pointer is below that of the call in progress, and on the same stack. */
static __always_inline bool is_in_tls_call(const struct tls_call *call, __u64 sp)
{
	return call->object && sp < call->sp && call->sp - sp <= TLS_STACK_BYTES;
}

/* Whether so many bytes may be those of a plaintext, encrypted. */
static __always_inline bool tls_fits(__u32 encrypted, __u32 plain)
{
	__u32 records = (plain + TLS_RECORD_BYTES - 1) / TLS_RECORD_BYTES, added = encrypted - plain;

	return plain && encrypted > plain && added >= records * TLS_ADDED_MIN &&
	       added <= records * TLS_ADDED_MAX;
}

/* It was seen that an object without a known socket belongs to one, or seems to. */
static __always_inline void tls_show(struct tls_object *object, const struct frame_file *file,
				     __s32 fd, bool reads)
{
	if (object->file.ino && object->file.ino != file->ino)
		object->is_broken = 1;
	object->file = *file;
	object->fd = fd;
	if (reads && object->reads < TLS_SHOWN_MAX)
		object->reads++;
	else if (!reads && object->writes < TLS_SHOWN_MAX)
		object->writes++;
}

/* Bytes were sent: those of the only piece of plaintext that was to be sent? */
static __always_inline void tls_meet_sent(struct tls_guess *guess, const struct frame_file *file,
					  __s32 fd, __u32 bytes)
{
	const struct tls_object_key key = tls_object_key(guess->object);
	struct tls_object *object;

	if (guess->unsents != 1 || !tls_fits(bytes, guess->unsent))
		return;
	guess->unsents = 0;
	object = bpf_map_lookup_elem(&tls_objects, &key);
	if (object && object->loose)
		tls_show(object, file, fd, false);
}

static __always_inline void tls_meet_read(struct tls_guess *guess, const struct frame_file *file,
					  __s32 fd, __u32 bytes)
{
	guess->reads = guess->reads && guess->file.ino != file->ino ? 2 : 1;
	guess->file = *file;
	guess->fd = fd;
	guess->read = bytes;
}

/* Plaintext of an object without a known socket: where its bytes came from, or will go. */
static __always_inline void tls_guess_read(struct tls_guess *guess, struct tls_object *object,
					   __u32 bytes)
{
	if (guess->reads == 1 && tls_fits(guess->read, bytes))
		tls_show(object, &guess->file, guess->fd, true);
	guess->reads = 0;
}

static __always_inline void tls_guess_written(struct tls_guess *guess, __u64 object, __u32 bytes)
{
	__u64 now = bpf_ktime_get_boot_ns();

	if (now - guess->ns > TLS_UNSENT_NS)
		guess->unsents = 0;
	guess->ns = now;
	guess->object = object;
	guess->unsent = bytes;
	guess->unsents += guess->unsents < 2;
}

/* Where the bytes of a call begin. */
enum tls_bytes { TLS_BUFFER, TLS_VECTOR, TLS_MESSAGE };

enum { TLS_VECTOR_OF_MESSAGE = 16 /* where struct msghdr has its vector */ };

/*
 * Whether bytes begin as a record of TLS. Other sockets that a function uses, of a log or a cache,
 * have other bytes; the rest of a record says nothing.
 */
static __always_inline bool is_tls_record(__u64 address, __u32 kind)
{
	__u8 start[3] = {};

	if (kind == TLS_MESSAGE &&
	    bpf_probe_read_user(&address, sizeof(address),
				(void *)(address + TLS_VECTOR_OF_MESSAGE)))
		return false;
	if (kind != TLS_BUFFER && bpf_probe_read_user(&address, sizeof(address), (void *)address))
		return false;
	return bpf_probe_read_user(start, sizeof(start), (void *)address) == 0 && start[0] >= 20 &&
	       start[0] <= 24 && start[1] == 3 && start[2] <= 4;
}

/* A call of a routine used a socket: that which the memory of its connection says? */
static __always_inline void tls_agree(const struct tls_call *call, const struct frame_file *file)
{
	const struct tls_object_key key = tls_object_key(call->object);
	struct tls_object *object = bpf_map_lookup_elem(&tls_objects, &key);

	if (object && object->file.ino == file->ino)
		object->is_told = 0;
}

/*
 * The current thread has made a system call on a descriptor. numbers: the descriptor in the upper
 * half; how many bytes it moved, below 0 that it sent, in the lower one. Not inlined: the verifier
 * walks it once.
 */
__attribute__((noinline)) int tls_meet_socket(__u64 descriptor, __u64 sp, __u64 numbers,
					      __u64 address, __u32 kind)
{
	const __s32 fd = numbers >> 32, moved = numbers;
	struct tls_thread *thread = tls_thread_find();
	struct frame_file identity;
	struct tls_call *call;
	struct file *file;
	struct sock *sk;

	if (!thread)
		return 0;
	file = descriptor_file(descriptor);
	sk = file_sock(file);
	if (!sk || GET(sk, sk_type) != TYPE_STREAM)
		return 0;
	identity = file_identity(file);
	call = &thread->call;
	/* What a function jumps to at its end has its stack. */
	if (is_in_tls_call(call, sp) || (call->object && sp == call->sp)) {
		if (!moved || !is_tls_record(address, kind))
			return 0;
		call->is_confused |= call->file.ino && call->file.ino != identity.ino;
		call->file = identity;
		call->fd = fd;
		if (call->is_go)
			tls_agree(call, &identity);
	} else if (moved > 0) {
		tls_meet_read(&thread->guess, &identity, fd, moved);
	} else if (moved < 0) {
		tls_meet_sent(&thread->guess, &identity, fd, -moved);
	}
	return 0;
}

static __always_inline enum tls_bytes tls_bytes_of(__u32 event)
{
	if (event == EVENT_sendmsg || event == EVENT_recvmsg)
		return TLS_MESSAGE;
	return event == EVENT_readv || event == EVENT_writev ? TLS_VECTOR : TLS_BUFFER;
}

/* A call of an event that moves bytes through a descriptor. */
static __always_inline void tls_meet(struct filler *f, __u32 event)
{
	__s32 moved = f->ret > 0 && f->ret < 1 << 30 && !event_has(event, EF_HAS_MESSAGES) ? f->ret : 0;

	if (!event_has(event, EF_READS_FROM_FD))
		moved = -moved;
	if (tls_chosen.wanted)
		tls_meet_socket(descriptor_used_by(f, argument(f, 0)), registers_sp(f->regs),
				argument(f, 0) << 32 | (__u32)moved, argument(f, 1),
				tls_bytes_of(event));
}

static __always_inline __s64 tls_fd(struct filler *f)
{
	f->absent = f->tls.fd < 0;
	return f->tls.fd;
}

static __always_inline void put_tls_data(struct filler *f)
{
	put_bytes(f, f->tls.buffer, f->tls.buffer ? min_u64(f->tls.size, f->tls.wanted) : 0);
}

#endif
