/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Scratch slots: taking one, beginning a frame in it, sending its batch, releasing it. All of it is
 * inlined into each filler, where offsets before the first variable parameter are constants. The
 * batch of a slot never exceeds BATCH_BYTES_MAX; comparisons that check this again are for the
 * verifier.
 */
#ifndef LANNER_SLOT_BPF_H
#define LANNER_SLOT_BPF_H

#include "bpf/core/event_ids.bpf.h"
#include "bpf/core/filler.bpf.h"
#include "bpf/core/mute.bpf.h"
#include "bpf/core/ring.bpf.h"

#include <asm/errno.h>

enum { LENGTHS_AT = sizeof(struct ppm_evt_hdr) }; /* of a frame's parameters */
enum { TIMES_TRIES = 3 };

/*
 * Programs can be preempted, so that two of one CPU interleave. The only user of a slot owns it; if
 * two meet, both may skip it, but never both take it.
 */
static __always_inline struct scratch_slot *scratch_take(__u32 *taken)
{
	__u32 first = bpf_get_smp_processor_id() * SCRATCH_SLOTS_PER_CPU;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < SCRATCH_SLOTS_PER_CPU; i++) {
		__u32 key = first + i;
		struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &key);

		if (!slot)
			return NULL;
		if (users_enter(&slot->state.users)) {
			*taken = key;
			return slot;
		}
		users_leave(&slot->state.users);
	}
	return NULL;
}

/* Not inlined, as batch_count_lost(). A bell that is full rings already. */
__attribute__((noinline)) int bell_ring(void)
{
	__u64 nothing = 0;

	return bpf_ringbuf_output(&bell, &nothing, sizeof(nothing), BPF_RB_FORCE_WAKEUP);
}

/*
 * User space looks whether a slot has an event after it has set `awaited`: either it sees the one
 * of this owner, or the owner sees that it is awaited.
 */
static __always_inline void scratch_give_back(struct scratch_slot *slot)
{
	bool is_read = true;

	if (overwrites) {
		is_read = slot->state.important;
		slot->state.important = 0;
	}
	users_leave(&slot->state.users);
	if (!is_read || *(volatile __u16 *)&slot->state.awaited == 0)
		return;
	slot->state.awaited = 0;
	bell_ring();
}

/* Where the event that is being written begins: after those in the slot's batch. */
static __always_inline __u8 *slot_frame(struct scratch_slot *slot)
{
	__u64 at = slot->state.batch.bytes;

	CHECKED(at);
	if (at > BATCH_BYTES_MAX)
		at = 0;
	return slot->frames + at;
}

/* How many events are missing without this one, which has not begun: those of all its messages. */
static __always_inline __u64 events_of_call(struct filler *f, __u32 event)
{
	/* The result may be made up, so it counts no more than the kernel takes. */
	return event_has(event, EF_HAS_MESSAGES) && f->ret > 1 ? min_u64(f->ret, MESSAGES_OF_CALL)
							       : 1;
}

/* The thread of the header: of a socket the first one of its process; -1: it is not known whose. */
static __always_inline __u64 frame_tid(struct filler *f, __u32 event)
{
	if (!event_has(event, EF_OF_SOCKET))
		return event_tid(f);
	return f->owner.pid ? f->owner.pid : -1ULL;
}

/* What the current process does not cause: its thread is another one. */
static __always_inline bool is_of_another(__u32 event)
{
	return event_has(event, EF_OF_SOCKET) || event == EVENT_runqueue;
}

/*
 * Whose share of the ring an event takes: of a socket its process, as it is often written while
 * another one runs, and of the thread that runs next its process. Those of nobody share one.
 */
static __always_inline __u32 sharer_of(struct filler *f, __u32 event, __u64 tid)
{
	if (event == EVENT_runqueue)
		return f->task ? event_pid(f) : f->owner_pid;
	return event_has(event, EF_OF_SOCKET) ? (__u32)tid : current_pid();
}

/*
 * Whether the event is lost, as its process or control group has delivered too many. Of a call with
 * several messages all are delivered, or none.
 */
static __always_inline bool filler_is_limited(struct filler *f, __u16 event, __u64 now)
{
	const __u64 events = events_of_call(f, event);
	__u32 cause = LOSS_CAUSES_COUNT;

	if (f->message_index || event >= EVENT_ID_MAX)
		return false;
	/* What the current process does not cause is not limited: others may send it. */
	if (rates_are_limited() && !never_limited[event] && !is_of_another(event))
		cause = rate_cause(now);
	if (reserves_room && cause >= LOSS_CAUSES_COUNT && f->slot->state.crowded &&
	    share_is_full(f->slot_key, sharer_of(f, event, frame_tid(f, event)),
			  share_of_call(event, f->ret), event_has(event, EF_IMPORTANT)))
		cause = LOSS_SHARE;
	if (cause >= LOSS_CAUSES_COUNT)
		return false;
	f->slot->seen[event] += events - 1;
	count_lost_times(event, (enum loss_cause)cause, events);
	return true;
}

static __always_inline void frame_set_time(struct filler *f, __u64 now)
{
	*(__u64 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, ts)) = now + boot_offset_ns;
}

/* Boot clock, ns. */
static __always_inline __u64 frame_time(const struct filler *f)
{
	return *(__u64 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, ts)) - boot_offset_ns;
}

/*
 * Starts an event: counts it as seen, and writes its header except the length. If it returns false
 * the filler has no slot.
 */
static __always_inline bool filler_begin(struct filler *f, void *ctx, __u16 event, __u32 nparams)
{
	__u64 now;

	if (!f->slot)
		f->slot = scratch_take(&f->slot_key);
	if (!f->slot) {
		count_lost_times(event, LOSS_SCRATCH_BUSY, events_of_call(f, event));
		return false;
	}
	now = bpf_ktime_get_boot_ns();
	f->slot->seen[event]++;
	if (filler_is_limited(f, event, now)) {
		scratch_give_back(f->slot);
		f->slot = NULL;
		return false;
	}
	if (overwrites || f->slot->state.batch.bytes == 0)
		*(volatile __u64 *)&f->slot->state.since_ns = now;
	f->ctx = ctx;
	f->event = event;
	f->frame = slot_frame(f->slot);
	frame_set_time(f, now);
	*(__u64 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, tid)) = frame_tid(f, event);
	*(__u16 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, type)) = event;
	*(__u32 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, nparams)) = nparams;
	f->pos = LENGTHS_AT + nparams * sizeof(__u16);
	f->slot->is_marked = 0;
	return true;
}

/* The marks of the event that is being written, to which one is added: few events have any. */
static __always_inline struct frame_marks *slot_marks(struct scratch_slot *slot)
{
	if (!slot->is_marked)
		slot->marks = (struct frame_marks){0};
	slot->is_marked = 1;
	return &slot->marks;
}

/* Of the parameter that is being put. */
static __always_inline void mark_truncated(struct filler *f)
{
	slot_marks(f->slot)->truncated |= 1ULL << f->param;
}

static __always_inline void mark_contested(struct filler *f, __u32 param)
{
	slot_marks(f->slot)->contested |= 1ULL << param;
}

/*
 * Counts the events of a record that was not sent. Not inlined: the verifier walks it once for each
 * program. All events have counters; that the second loop would end without saves the verifier a
 * path in each turn.
 */
__attribute__((noinline)) int batch_count_lost(__u32 slot_key, __u32 events, __u32 cause)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	struct bpf_iter_num turns;
	int *turn;

	if (!slot || cause >= LOSS_CAUSES_COUNT)
		return 0;
	if (CAN_ITERATE) {
		kernel_iter_new(&turns, 0, BATCH_EVENTS_MAX);
		while ((turn = kernel_iter_next(&turns))) {
			__u32 i = *turn;

			CHECKED(i);
			if (i >= events || i >= BATCH_EVENTS_MAX)
				break;
			count_lost(slot->event_ids[i], cause);
		}
		kernel_iter_destroy(&turns);
		return 0;
	}
	for (__u32 i = 0; i < BATCH_EVENTS_MAX && i < events; i++)
		if (!count_lost(slot->event_ids[i], cause))
			break;
	return 0;
}

/*
 * Sends `bytes` of frames from `start` on as one record. Its header is written right before them,
 * over what was sent before.
 */
static __always_inline void batch_send(struct filler *f, __u64 start, __u64 bytes, __u16 events,
				       bool important)
{
	struct batch_header *header = (void *)(f->slot->frames + start) - sizeof(*header);
	long err;

	header->bytes = bytes;
	header->slot = f->slot_key & (SCRATCH_SLOTS_PER_CPU - 1);
	header->count = events;
	if (!important && reserves_room && ring_is_reserved(f->slot_key, bytes)) {
		batch_count_lost(f->slot_key, events, LOSS_RESERVED);
		return;
	}
	if (overwrites)
		err = bpf_perf_event_output(f->ctx, &backward_rings, BPF_F_CURRENT_CPU, header,
					    sizeof(*header) + bytes);
	else
		err = bpf_perf_event_output(f->ctx, &rings, BPF_F_CURRENT_CPU, header,
					    sizeof(*header) + bytes);
	if (err)
		batch_count_lost(f->slot_key, events,
				 err == -ENOSPC ? LOSS_RING_FULL : LOSS_OUTPUT);
	else if (reserves_room || holds)
		ring_took(f->slot_key, bytes);
}

/*
 * Of a flight recorder, an event that user space reads at once: what is in the batch
 * goes on waiting. `important` says that the slot's owner has sent one.
 */
static __always_inline void send_at_once(struct filler *f, __u64 start, __u64 bytes)
{
	struct batch_header *header = (void *)(f->slot->frames + start) - sizeof(*header);
	const struct batch_header end_of_batch = *header;
	long err;

	header->bytes = bytes;
	header->slot = f->slot_key & (SCRATCH_SLOTS_PER_CPU - 1);
	header->count = 1;
	err = bpf_perf_event_output(f->ctx, &rings, BPF_F_CURRENT_CPU, header,
				    sizeof(*header) + bytes);
	*header = end_of_batch;
	if (err)
		count_lost(f->event, err == -ENOSPC ? LOSS_RING_FULL : LOSS_OUTPUT);
	f->slot->state.important = 1;
}

/* Sends the slot's batch. */
static __always_inline void batch_flush(struct filler *f)
{
	struct batch_header *batch = &f->slot->state.batch;
	__u64 bytes = batch->bytes;

	CHECKED(bytes);
	if (bytes <= RECORD_BYTES_MAX)
		batch_send(f, 0, bytes, batch->count, f->slot->state.important);
	f->slot->state.important = 0;
	batch->bytes = 0;
	batch->count = 0;
}

/*
 * Returns a value through memory, where the verifier loses what it knew of it: paths that differ
 * only in that are then walked once and not each to its end.
 */
static __always_inline __u64 forget(struct scratch_slot *slot, __u64 value)
{
	volatile __u64 *cell = &slot->forgotten;

	*cell = value;
	return *cell;
}

static __always_inline void frame_flag(struct filler *f, __u32 flag)
{
	*(__u32 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, nparams)) |= flag;
}

/* The operation of a ring that it was, behind the values: see FRAME_URING. */
static __always_inline void put_uring(struct filler *f)
{
	__u64 pos = f->pos;

	CHECKED(pos);
	if (pos > FRAME_BYTES_MAX - sizeof(f->slot->uring)) {
		/* Without it, it would be a call. */
		f->pos = forget(f->slot, FRAME_BYTES_MAX + 1);
		return;
	}
	*(struct frame_uring *)(f->frame + pos) = f->slot->uring;
	frame_flag(f, FRAME_URING);
	f->pos = forget(f->slot, pos + sizeof(f->slot->uring));
}

/* Where the call's bytes are in the stream of its socket, behind the values: see FRAME_STREAM. */
static __always_inline void put_stream(struct filler *f)
{
	__u64 pos = f->pos;

	CHECKED(pos);
	if (!(f->slot->stream.is_known | f->slot->stream.is_peek) ||
	    pos > FRAME_BYTES_MAX - sizeof(f->slot->stream))
		return;
	*(struct frame_stream *)(f->frame + pos) = f->slot->stream;
	frame_flag(f, FRAME_STREAM);
	f->pos = forget(f->slot, pos + sizeof(f->slot->stream));
}

/*
 * A switch of the thread was not seen, as a kernel may hide those from and to some threads: how long
 * it did what is unknown, and another count begins.
 */
static __always_inline void times_miss(struct thread_times *kept)
{
	kept->times.since_ns = bpf_ktime_get_boot_ns();
}

/*
 * Notes in the slot what the current thread did up to `now`, of the boot clock. Returns 0 if there
 * is no room to count it. Its entry changes when the thread is preempted here: then it is read
 * again. Not inlined: the verifier walks it once.
 */
__attribute__((noinline)) int times_note(__u32 slot_key, __u64 now)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	__u32 tid = current_tid();
	struct thread_times *kept = bpf_map_lookup_elem(&thread_times, &tid);
	__u64 at = now;

	if (!slot)
		return 0;
	if (!kept) {
		/* There is no room for it on the stack of programs that call this. */
		slot->thread = (struct thread_times){
			.at = now, .part = PART_CPU, .times = {.since_ns = now}};
		return bpf_map_update_elem(&thread_times, &tid, &slot->thread, BPF_NOEXIST) == 0;
	}
	if (kept->part != PART_CPU) {
		times_miss(kept);
		kept->at = now;
		kept->part = PART_CPU;
	}
#pragma clang loop unroll(full)
	for (int i = 0; i < TIMES_TRIES; i++) {
		at = *(volatile __u64 *)&kept->at;
		slot->thread.times = kept->times;
		if (*(volatile __u64 *)&kept->at == at)
			break;
	}
	slot->thread.times.ns[PART_CPU] += now - at;
	return 1;
}

/* What the thread did so far, behind the values: see FRAME_TIMES. */
static __always_inline void put_times(struct filler *f)
{
	__u64 pos;

	if (!f->slot->wants_times || !times_note(f->slot_key, frame_time(f)))
		return;
	pos = f->pos;
	CHECKED(pos);
	if (pos > FRAME_BYTES_MAX - sizeof(f->slot->thread.times))
		return;
	*(struct frame_times *)(f->frame + pos) = f->slot->thread.times;
	frame_flag(f, FRAME_TIMES);
	f->pos = forget(f->slot, pos + sizeof(f->slot->thread.times));
}

/* Which file the call's descriptor is, behind the values: see FRAME_FILE. */
static __always_inline void put_file(struct filler *f)
{
	__u64 pos = f->pos;

	CHECKED(pos);
	if (!f->slot->file.ino || pos > FRAME_BYTES_MAX - sizeof(f->slot->file))
		return;
	*(struct frame_file *)(f->frame + pos) = f->slot->file;
	frame_flag(f, FRAME_FILE);
	f->pos = forget(f->slot, pos + sizeof(f->slot->file));
}

/* What is doubtful of the event, behind its values: see FRAME_MARKED. */
static __always_inline void put_marks(struct filler *f)
{
	__u64 pos = f->pos;

	if (!f->slot->is_marked)
		return;
	CHECKED(pos);
	if (pos > FRAME_BYTES_MAX - sizeof(f->slot->marks)) {
		f->pos = forget(f->slot, FRAME_BYTES_MAX + 1);
		return;
	}
	*(struct frame_marks *)(f->frame + pos) = f->slot->marks;
	frame_flag(f, FRAME_MARKED);
	f->pos = forget(f->slot, pos + sizeof(f->slot->marks));
}

/* Ends a frame with the latency of its call, if that is known: see FRAME_TIMED. */
static __always_inline void put_latency(struct filler *f)
{
	__u64 now = frame_time(f);
	__u64 entered = f->slot->entered_ns, pos = f->pos;

	CHECKED(pos);
	if (!entered || pos > FRAME_BYTES_MAX - sizeof(entered))
		return;
	/* This clock may step back by some ns. */
	*(__u64 *)(f->frame + pos) = now > entered ? now - entered : 0;
	frame_flag(f, FRAME_TIMED);
	f->pos = forget(f->slot, pos + sizeof(entered));
}

/* What is left to know of an event whose values are in its frame: its id, and these. */
enum ending {
	ENDING_OF_FAILED = SHARE_OF_FAILED,
	ENDING_IMPORTANT = 1 << 16,
	ENDING_TELLS_FILE = 1 << 17,
	ENDING_TIMED = 1 << 18,
	ENDING_TELLS_STREAM = 1 << 19,
	ENDING_OF_REQUEST = 1 << 20,
	ENDING_TELLS_TIMES = 1 << 21,
};

/* Of calls alone: an operation of a ring is not what the current thread does. */
static __always_inline bool event_tells_times(__u32 event)
{
	return event_has(event, EF_TELLS_ANY_STREAM) || event == EVENT_sendfile ||
	       event == EVENT_splice;
}

static __always_inline __u32 ending_of(const struct filler *f)
{
	return share_of_call(f->event, f->ret) |
	       (event_has(f->event, EF_IMPORTANT) ? ENDING_IMPORTANT : 0) |
	       (event_has(f->event, EF_TELLS_ANY_FILE) ? ENDING_TELLS_FILE : 0) |
	       (event_has(f->event, EF_TELLS_ANY_STREAM) ? ENDING_TELLS_STREAM : 0) |
	       (event_tells_times(f->event) ? ENDING_TELLS_TIMES : 0) |
	       (f->of_request ? ENDING_OF_REQUEST : 0) | (f->timed ? ENDING_TIMED : 0);
}

/* Leaves the finished frame in the slot, and sends the slot's frames when there are enough. */
static __always_inline void frame_send(struct filler *f, __u32 ending)
{
	struct batch_header *batch = &f->slot->state.batch;
	bool important = ending & ENDING_IMPORTANT;
	__u64 len, bytes;

	if (ending & ENDING_OF_REQUEST)
		put_uring(f);
	if (ending & ENDING_TELLS_STREAM && stream_bytes)
		put_stream(f);
	if (ending & ENDING_TELLS_TIMES && keeps_times && !(ending & ENDING_OF_REQUEST))
		put_times(f);
	if (ending & ENDING_TELLS_FILE && tells_files)
		put_file(f);
	put_marks(f);
	if (ending & ENDING_TIMED && (enter_times || ending & ENDING_OF_REQUEST))
		put_latency(f);
	len = f->pos;
	CHECKED(len);
	if (len > FRAME_BYTES_MAX) {
		count_lost(f->event, LOSS_TOO_LARGE);
		return;
	}
	*(__u32 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, len)) = len;
	if (reserves_room && f->slot->state.crowded) {
		__u64 tid = *(__u64 *)(f->frame + __builtin_offsetof(struct ppm_evt_hdr, tid));

		share_take(f->slot_key, sharer_of(f, f->event, tid),
			   ending & (2 * SHARE_OF_FAILED - 1), len);
	}
	len = (len + FRAME_ALIGN - 1) & ~(__u64)(FRAME_ALIGN - 1);
	if (overwrites && f->event < EVENT_ID_MAX && read_at_once[f->event]) {
		__u64 start = batch->bytes;

		CHECKED(start);
		CHECKED(len);
		if (start <= BATCH_BYTES_MAX && len <= RECORD_BYTES_MAX)
			send_at_once(f, start, len);
		return;
	}
	bytes = batch->bytes + len;
	if (bytes > RECORD_BYTES_MAX) {
		__u64 start = batch->bytes;

		batch_flush(f);
		f->slot->event_ids[0] = f->event;
		CHECKED(start);
		if (start <= BATCH_BYTES_MAX)
			batch_send(f, start, len, 1, important);
		return;
	}
	f->slot->event_ids[batch->count & (BATCH_EVENTS_MAX - 1)] = f->event;
	if (important && reserves_room)
		f->slot->state.important = 1;
	batch->bytes = bytes;
	batch->count++;
	if (batch->count >= BATCH_EVENTS_MAX || bytes > batch_bytes)
		batch_flush(f);
}

/* Ends an event; its slot stays taken. owner_pid: whose it is, where that is another than the current one. */
static __always_inline void frame_end(void *ctx, struct scratch_slot *slot, __u32 slot_key,
				      __u64 pos, __u32 ending, __u32 owner_pid)
{
	struct filler filler = {.ctx = ctx,
				.event = ending & (SHARE_OF_FAILED - 1),
				.slot = slot,
				.slot_key = slot_key,
				.frame = slot_frame(slot),
				.owner_pid = owner_pid,
				.pos = pos};

	frame_send(&filler, ending);
	/* By then the record is in the ring, for all CPUs to see. */
	if (overwrites || slot->state.batch.count == 0)
		store_in_order(&slot->state.since_ns, 0);
}

/* Finds the slot that the current thread kept when it jumped to this program. */
static __always_inline void slot_resume(struct filler *f)
{
	__u32 first = bpf_get_smp_processor_id() * SCRATCH_SLOTS_PER_CPU, tid = current_tid();

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < SCRATCH_SLOTS_PER_CPU; i++) {
		__u32 key = first + i;
		struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &key);

		if (!slot)
			return;
		if (slot->kept.tid != tid)
			continue;
		slot->kept.tid = 0;
		f->slot = slot;
		f->slot_key = key;
		return;
	}
}

static __always_inline void filler_end(struct filler *f)
{
	mute_end(f);
	frame_end(f->ctx, f->slot, f->slot_key, f->pos, ending_of(f),
		  f->event == EVENT_runqueue ? event_pid(f) : 0);
	scratch_give_back(f->slot);
}

/* Counts messages of a call that have no event, from one on. */
static __always_inline void messages_lose(__u32 event, __s32 first, __s32 messages,
					  enum loss_cause cause)
{
	/* The result may be made up, so it counts no more than the kernel takes. */
	if (first < messages)
		count_lost_times(event, cause, min_u64(messages, MESSAGES_OF_CALL) - first);
}

/* A filler whose call has another message goes on with that. */
static __always_inline void messages_resume(struct filler *f)
{
	slot_resume(f);
	if (f->slot)
		f->message_index = f->slot->kept.next;
}

#endif
