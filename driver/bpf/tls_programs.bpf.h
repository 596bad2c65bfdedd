/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Programs at functions of TLS libraries, which write plaintext and know its socket, and those that
 * note which programs may have such functions. Calls that such a function makes of another one are
 * a part of it.
 */
#ifndef LANNER_TLS_PROGRAMS_BPF_H
#define LANNER_TLS_PROGRAMS_BPF_H

#include "bpf/fillers.bpf.h"

enum {
	PROT_EXECUTE = 4,
	TLS_AGREED = 3, /* times that both directions show a socket, which is no guess then */
	LIBRARY_NAME_BYTES = 8, /* by which one is known */
};

/* Not inlined: the verifier walks it once. */
static __attribute__((noinline)) bool tls_chooses(struct task_struct *task)
{
	__u32 pid = current_pid();
	__u64 own[2] = {};

	if (tls_chosen.all)
		return true;
	bpf_get_current_comm(own, sizeof(own));
	for (int i = 0; i < TLS_CHOSEN_MAX; i++) {
		const volatile __u64 *name = (const volatile __u64 *)tls_chosen.names[i];

		if (tls_chosen.pids[i] && tls_chosen.pids[i] == pid)
			return true;
		if (name[0] && name[0] == own[0] && name[1] == own[1])
			return true;
	}
	return false;
}

static __always_inline bool tls_is_left_out(struct task_struct *task)
{
	return is_own_pid(pid_of(task)) || is_left_out(task, EVENT_tls_data) || !tls_chooses(task);
}

/* A call did not end as far as anybody saw: bytes that it may have moved are missing. */
static __always_inline void tls_lose(const struct tls_call *call)
{
	const struct tls_object_key key = tls_object_key(call->object);
	struct tls_object *object = bpf_map_lookup_elem(&tls_objects, &key);
	struct tls_count *count;
	__u64 stream;

	if (!object)
		return;
	stream = object->loose ? object->loose : (object->file.ino & (TLS_KEY_LOOSE - 1)) | TLS_KEY;
	count = bpf_map_lookup_elem(&tls_counts, &stream);
	if (!count)
		return;
	count->moved[TLS_READ] += TLS_LOST_BYTES;
	count->moved[TLS_WRITE] += TLS_LOST_BYTES;
	__sync_fetch_and_add(&count->begun, TLS_LOST_BYTES);
}

/*
 * One function is another one's last step, and has its stack and what it was called with. If it is
 * the same function, the first call was left without a return, and this is another try.
 */
static __always_inline bool is_same_call(const struct tls_call *call, const struct tls_call *other)
{
	return call->ip != other->ip && call->sp == other->sp && call->object == other->object &&
	       call->buffer == other->buffer && call->size == other->size;
}

/* Where the stack pointer was when the function began. */
static __always_inline __u64 tls_stack_of(struct probe_registers *regs, bool is_end)
{
	__s64 place = CAN_GET_COOKIES ? bpf_get_attach_cookie(regs) : 0;

	if (place & TLS_HAS_STACK)
		return probe_sp(regs) + (place >> 1);
	return probe_sp(regs) - (is_end ? PROBE_RETURN_BYTES : 0);
}

/*
 * A function begins. buffer: where its bytes are; 0: that is not known. done: where it writes how
 * many it moved; 0: it returns that.
 */
static __always_inline int tls_begin(struct probe_registers *regs, __u64 buffer, __u64 done)
{
	struct task_struct *task = this_task();
	struct tls_thread *thread, made = {.call = {
		.object = PROBE_ARGUMENT_0(regs),
		.buffer = buffer,
		.size = PROBE_ARGUMENT_2(regs),
		.done = done,
		.sp = tls_stack_of(regs, false),
		.ip = probe_ip(regs),
	}};
	__u32 tid = tid_of(task);

	if (tls_is_left_out(task))
		return 0;
	thread = bpf_map_lookup_elem(&tls_threads, &tid);
	if (!thread)
		bpf_map_update_elem(&tls_threads, &tid, &made, BPF_ANY);
	else if (!is_in_tls_call(&thread->call, made.call.sp) && !is_same_call(&thread->call, &made.call)) {
		if (thread->call.object && !thread->call.is_go)
			tls_lose(&thread->call);
		thread->call = made.call;
	}
	return 0;
}

static __always_inline int tls_call_run(struct probe_registers *regs)
{
	return tls_begin(regs, PROBE_ARGUMENT_1(regs), 0);
}

static __always_inline int tls_call_ex_run(struct probe_registers *regs)
{
	return tls_begin(regs, PROBE_ARGUMENT_1(regs), PROBE_ARGUMENT_3(regs));
}

static __always_inline int tls_call_flags_run(struct probe_registers *regs)
{
	return tls_begin(regs, PROBE_ARGUMENT_1(regs), PROBE_ARGUMENT_4(regs));
}

static __always_inline int tls_call_unseen_run(struct probe_registers *regs)
{
	return tls_begin(regs, 0, 0);
}

/* The object of a call; NULL: there is no room. */
static __always_inline struct tls_object *tls_object_of(const struct tls_call *call)
{
	const struct tls_object_key key = tls_object_key(call->object);
	struct tls_object *object = bpf_map_lookup_elem(&tls_objects, &key), made = {.fd = -1};

	if (object)
		return object;
	bpf_map_update_elem(&tls_objects, &key, &made, BPF_ANY);
	return bpf_map_lookup_elem(&tls_objects, &key);
}

/*
 * Ends the call of the thread that has this return. Returns its object; NULL: there is none.
 * call: what is known of it.
 */
static __always_inline struct tls_object *tls_end(struct probe_registers *regs,
						  struct tls_thread *thread,
						  struct tls_call *call)
{
	struct tls_object *object;

	if (!thread || !thread->call.object || tls_stack_of(regs, true) != thread->call.sp)
		return NULL;
	*call = thread->call;
	thread->call.object = 0;
	object = tls_object_of(call);
	/* One whose first plaintext was in the library's memory already is known from here on. */
	if (object && call->file.ino && !call->is_confused) {
		object->file = call->file;
		object->fd = call->fd;
		object->loose = 0;
	}
	return object;
}

static __always_inline int tls_call_end_run(struct probe_registers *regs)
{
	struct tls_call call;

	tls_end(regs, tls_thread_find(), &call);
	return 0;
}

/* A key of its own for a plaintext without a socket. */
static __always_inline __u64 tls_loose_key(void)
{
	__u64 number = bpf_ktime_get_boot_ns() << 6 | (bpf_get_smp_processor_id() & 63);

	return (number & (TLS_KEY_LOOSE - 1)) | TLS_KEY | TLS_KEY_LOOSE;
}

static __always_inline __u64 tls_key_of(struct tls_object *object)
{
	if (object->file.ino && !object->loose)
		return (object->file.ino & (TLS_KEY_LOOSE - 1)) | TLS_KEY;
	if (!object->loose)
		object->loose = tls_loose_key();
	return object->loose;
}

/* How many bytes the function says that it moved. */
static __always_inline __u32 tls_moved(struct probe_registers *regs, const struct tls_call *call)
{
	__s32 result = probe_result(regs);
	__u64 done = 0;

	if (result <= 0)
		return 0;
	if (!call->done)
		return result;
	if (bpf_probe_read_user(&done, sizeof(done), (void *)call->done))
		return 0;
	return done <= call->size ? done : 0;
}

/* The count of the stream, which may begin with these bytes. NULL: there is no room. */
static __always_inline struct tls_count *tls_count_of(struct filler *f)
{
	const __u64 key = f->tls.key;
	struct tls_count *count = bpf_map_lookup_elem(&tls_counts, &key), made = {};
	union data_start start = {};

	if (!count) {
		/* One that was forgotten does not go on where it was. */
		made.moved[TLS_READ] = made.moved[TLS_WRITE] = made.begun = made.base =
			bpf_get_prandom_u32();
		made.is_framed = f->tls.size >= sizeof(start) &&
				 bpf_probe_read_user(&start, sizeof(start), (void *)f->tls.buffer) == 0 &&
				 is_http2(&start);
		bpf_map_update_elem(&tls_counts, &key, &made, BPF_ANY);
		count = bpf_map_lookup_elem(&tls_counts, &key);
	}
	return count;
}

/* Counts the bytes. Returns the number behind them, and that of the other direction. */
static __always_inline struct frame_stream tls_count_bytes(struct filler *f, __u8 direction)
{
	struct tls_count *count = tls_count_of(f);
	struct frame_stream stream = {.is_known = 1};
	__u32 written;

	if (!count)
		return (struct frame_stream){};
	f->tls.is_framed = count->is_framed;
	/* Several routines of Go may end a call at once: then a gap is seen, but no number stays behind. */
	__sync_fetch_and_add(&count->moved[direction & 1], f->tls.size);
	stream.end = count->moved[direction & 1];
	written = count->moved[TLS_WRITE];
	/* Of most functions a call is noted only here, where it has ended. */
	if ((__s32)(written - count->begun) > 0)
		count->begun = written;
	stream.other = direction == TLS_READ ? count->begun : count->moved[TLS_READ];
	stream.is_ahead = direction == TLS_READ && stream.other != written;
	return stream;
}

/* As stream_wanted() and data_limit(); who asked for the events gets what no request is made of, too. */
static __always_inline __u32 tls_wanted(struct filler *f)
{
	const __u64 key = f->tls.key;
	__u32 *chosen = bpf_map_lookup_elem(&stream_limits, &key), bytes = stream_bytes;
	union data_start start = {};

	if (chosen)
		bytes = *chosen;
	if (!stream_bytes)
		return snaplen;
	if (bytes && bytes == stream_bytes && f->tls.size > bytes &&
	    (f->tls.is_framed ||
	     (bpf_probe_read_user(&start, sizeof(start), (void *)f->tls.buffer) == 0 &&
	      is_long_start(&start))))
		bytes = KEPT_HEAD;
	if (tls_chosen.is_asked && bytes < snaplen)
		bytes = snaplen;
	return bytes <= SNAPLEN_MAX ? bytes : 0;
}

/* What all events here have to pass. */
static __always_inline bool tls_event_begin(struct filler *f, void *ctx)
{
	return !exit_is_rejected(f->self, EVENT_tls_data, f->ret, 0, 0) &&
	       !(kernel_filters.mutes && mute_drops(f->self, EVENT_tls_data)) &&
	       !budget_sheds(EVENT_tls_data) &&
	       filler_begin(f, ctx, EVENT_tls_data, tls_data__count);
}

/* Whether each direction of an object has shown its socket less often than that. */
static __always_inline bool is_guessed(const struct tls_object *object, __u8 times)
{
	return object->reads < times || object->writes < times;
}

static __always_inline bool is_socket_known(const struct tls_object *object)
{
	return object->file.ino &&
	       (!object->loose || (!object->is_broken && !is_guessed(object, 1)));
}

/* A call has moved f->tls.size bytes. thread: by which its socket may be guessed; NULL: by none. */
static __always_inline bool tls_data_put(struct filler *f, struct probe_registers *regs,
					 struct tls_thread *thread, struct tls_object *object,
					 const struct tls_call *call, __u8 direction)
{
	struct frame_stream stream;

	f->ret = f->tls.size;
	f->tls.key = tls_key_of(object);
	f->tls.buffer = call->buffer;
	f->tls.direction = direction;
	if (thread && object->loose && direction == TLS_READ)
		tls_guess_read(&thread->guess, object, f->tls.size);
	else if (thread && object->loose)
		tls_guess_written(&thread->guess, call->object, f->tls.size);
	/* The number may be another file's by now. */
	f->tls.fd = is_socket_known(object) && file_ino(fd_file(object->fd)) == object->file.ino
			    ? object->fd
			    : -1;
	f->tls.is_guess = f->tls.fd >= 0 &&
			  (object->is_told || (object->loose && is_guessed(object, TLS_AGREED)));
	stream = tls_count_bytes(f, direction);
	f->tls.wanted = tls_wanted(f);
	if (!f->tls.wanted || !tls_event_begin(f, regs))
		return false;
	f->slot->file = object->file;
	if (f->tls.fd < 0)
		f->slot->file.ino = 0;
	f->slot->stream = stream;
	f->slot->wants_times = 1;
	return true;
}

static __always_inline bool tls_data_begin(struct filler *f, struct probe_registers *regs,
					   __u8 direction)
{
	struct tls_thread *thread = tls_thread_find();
	struct tls_call call = {};
	struct tls_object *object = tls_end(regs, thread, &call);

	f->tls.size = object ? tls_moved(regs, &call) : 0;
	return f->tls.size && tls_data_put(f, regs, thread, object, &call, direction);
}

static __always_inline int tls_data_end(struct probe_registers *regs, __u8 direction)
{
	struct filler filler = {.self = this_task()}, *f = &filler;

	return tls_data_begin(f, regs, direction) ? FILLER_NAME(tls_data)(f) : 0;
}

static __always_inline int tls_read_end_run(struct probe_registers *regs)
{
	return tls_data_end(regs, TLS_READ);
}

static __always_inline int tls_write_end_run(struct probe_registers *regs)
{
	return tls_data_end(regs, TLS_WRITE);
}

/* Whether a call goes on that writes to a known socket. */
static __always_inline bool tls_goes_on(struct tls_object *object)
{
	const __u64 key = object->file.ino && !object->loose ? tls_key_of(object) : 0;
	struct tls_count *count = bpf_map_lookup_elem(&tls_counts, &key);

	return count && count->begun != count->moved[TLS_WRITE];
}

/*
 * An object is freed, or made ready for another connection. Where its socket is known, the end of
 * that is the end of the connection; it is told then only if a call goes on, which tells later what
 * it has sent.
 */
static __always_inline bool tls_forget_begin(struct filler *f, struct probe_registers *regs,
					     __u64 address)
{
	const struct tls_object_key key = tls_object_key(address);
	struct tls_object *object = bpf_map_lookup_elem(&tls_objects, &key);

	if (!object)
		return false;
	f->tls.key = object->loose || tls_goes_on(object) ? tls_key_of(object) : 0;
	bpf_map_delete_elem(&tls_objects, &key);
	if (!f->tls.key)
		return false;
	f->tls.direction = TLS_CLOSED;
	f->tls.fd = -1;
	if (!tls_event_begin(f, regs))
		return false;
	f->slot->file.ino = 0;
	f->slot->stream = (struct frame_stream){};
	f->slot->wants_times = 0;
	return true;
}

static __always_inline int tls_forget_run(struct probe_registers *regs)
{
	struct filler filler = {.self = this_task()}, *f = &filler;

	return tls_forget_begin(f, regs, PROBE_ARGUMENT_0(regs)) ? FILLER_NAME(tls_data)(f) : 0;
}

/* Who makes more than that in a second is looked at with all others. */
static __always_inline bool tls_tells_much(void)
{
	__u32 pid = current_pid();
	struct tls_teller *teller = bpf_map_lookup_elem(&tls_tellers, &pid), made = {};
	__u64 now = bpf_ktime_get_ns();

	if (!teller) {
		made = (struct tls_teller){.since_ns = now, .notes = 1};
		bpf_map_update_elem(&tls_tellers, &pid, &made, BPF_ANY);
		return false;
	}
	if (now - teller->since_ns > TLS_NOTES_NS) {
		teller->since_ns = now;
		teller->notes = 0;
	}
	return ++teller->notes > TLS_NOTES_MAX;
}

static __always_inline void tls_count_lost_note(void)
{
	const __u32 zero = 0;
	struct driver_counters *driver = bpf_map_lookup_elem(&driver_counters, &zero);

	if (driver)
		count(&driver->tls_notes_lost);
}

static __always_inline void tls_tell(__u64 ino, __u32 dev)
{
	const struct tls_note note = {.pid = current_pid(), .dev = dev, .ino = ino};

	if (tls_tells_much() ||
	    bpf_ringbuf_output(&tls_notes, (void *)&note, sizeof(note), 0))
		tls_count_lost_note();
}

static __always_inline int note_tls_exec_run(__u64 *ctx)
{
	if (!tls_is_left_out(this_task()))
		tls_tell(0, 0);
	return 0;
}

/* Whether a file is one of a library, by its name: others are found when all processes are looked at. */
static __always_inline bool is_tls_library(struct file *file)
{
	char name[LIBRARY_NAME_BYTES] = {};
	const unsigned char *at = GET(file, f_path.dentry, d_name.name);

	bpf_probe_read_kernel_str(name, sizeof(name), at);
	return (name[0] == 'l' && name[1] == 'i' && name[2] == 'b') &&
	       ((name[3] == 's' && name[4] == 's' && name[5] == 'l') ||
		(name[3] == 'g' && name[4] == 'n' && name[5] == 'u' && name[6] == 't'));
}

/* Not inlined, as kernel_filter_run(). */
static __attribute__((noinline)) int tls_note_mapping(struct task_struct *task, struct pt_regs *regs)
{
	struct caller caller = call_caller(task);
	__u32 protection = call_argument(regs, caller, 2);
	struct file *file;
	struct frame_file identity;

	if (!(protection & PROT_EXECUTE))
		return 0;
	file = fd_file(call_argument(regs, caller, 4));
	if (!file || !is_tls_library(file) || tls_is_left_out(task))
		return 0;
	identity = file_identity(file);
	tls_tell(identity.ino, identity.dev);
	return 0;
}

#endif
