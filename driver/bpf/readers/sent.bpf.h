/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Where datagrams go: programs of the root control group note the kernel's copies of their
 * addresses, right before they are sent; on exit another thread may have rewritten the caller's
 * memory. Only if `notes_sends`. A note lasts as long as its call: each exit removes it. A call of
 * which none could be made is counted.
 */
#ifndef LANNER_SENT_BPF_H
#define LANNER_SENT_BPF_H

#include "bpf/core/event_ids.bpf.h"
#include "bpf/core/filler.bpf.h"

enum {
	SENDS_MAX = 4096, /* calls in progress */
	SENT_OF_NOTE = 16, /* messages of a note */
	SENT_PART_SHIFT = 24, /* in a key: thread ids are below that */
	SEND_ALLOWED = 1, /* what the programs return */
	TASK_KERNEL_THREAD = 0x200000,
	TASK_IO_WORKER = 0x10, /* of io_uring, from 5.12 on; before that they are kernel threads */
};

/* IPv4 addresses are the last word, mapped to IPv6. */
struct sent_address {
	__u32 words[4];
	__be16 port;
	__u16 is_v4;
};

/* Of a call: where so many of its messages went, in their order. */
struct sent_note {
	__u64 started; /* when its thread did: thread ids are used again */
	/* Of messages of the call, also of those that have no place; of a later part of its own. */
	__u32 count;
	struct sent_address to[SENT_OF_NOTE];
};

/*
 * Key: thread id, and which part of the call. Later parts are not removed: a call writes them anew.
 * User space makes it small if `notes_sends` is not set.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SENDS_MAX);
	__type(key, __u32);
	__type(value, struct sent_note);
} sends_noted SEC(".maps");

static const struct sent_note no_sent_note;

DEFINE_CURRENT(flags, __u32, flags)
DEFINE_CURRENT(started, __u64, start_time)

/* A part of the note of the current call, NULL if it has none. */
static __always_inline struct sent_note *sent_note(struct task_struct *task, __u32 part)
{
	__u32 key = tid_of(task) | part << SENT_PART_SHIFT;
	struct sent_note *note = bpf_map_lookup_elem(&sends_noted, &key);

	return note && note->started == started_of(task) ? note : NULL;
}

/* The same, made at its first message. */
static __always_inline struct sent_note *sent_note_make(struct task_struct *task, __u32 part)
{
	struct sent_note *note = sent_note(task, part);
	__u32 key = tid_of(task) | part << SENT_PART_SHIFT;

	if (note)
		return note;
	/* One of a thread that had the same id is replaced. */
	if (bpf_map_update_elem(&sends_noted, &key, &no_sent_note, BPF_ANY))
		return NULL;
	note = bpf_map_lookup_elem(&sends_noted, &key);
	if (note)
		note->started = started_of(task);
	return note;
}

static __always_inline void sent_forget(void)
{
	__u32 tid = current_tid();

	if (notes_sends)
		bpf_map_delete_elem(&sends_noted, &tid);
}

/* Where an address is that was found. */
static __always_inline struct sent_address *sent_found(struct scratch_slot *slot)
{
	return (struct sent_address *)slot->work;
}

/*
 * Finds where message `index` of the current call went, if `count` have been noted. Not inlined:
 * the verifier walks it once.
 */
__attribute__((noinline)) int sent_find(__u32 slot_key, __u32 count, __u32 index)
{
	struct scratch_slot *slot = bpf_map_lookup_elem(&scratch, &slot_key);
	const struct sent_note *note = sent_note(this_task(), 0);

	if (!slot || !note || index >= MESSAGES_MAX || note->count != count)
		return false;
	if (index >= SENT_OF_NOTE)
		note = sent_note(this_task(), index / SENT_OF_NOTE);
	index %= SENT_OF_NOTE;
	CHECKED(index);
	if (!note || index >= SENT_OF_NOTE)
		return false;
	*sent_found(slot) = note->to[index];
	return true;
}

/*
 * Whether it is known where the message of this event went. If only some messages of a call named
 * an address, they cannot be told apart: there must be as many notes as messages, and one more only
 * for one that the call was asked to send, too.
 */
static __always_inline bool sent_is_known(struct filler *f)
{
	__u32 sent = f->messages > 1 ? f->messages : 1;
	__u32 failed = f->event == EVENT_sendmmsg && (__u32)argument(f, 2) > sent;

	return notes_sends && !f->of_request && sent_find(f->slot_key, sent + failed, f->message_index);
}

static __always_inline void count_unnoted(void)
{
	__u32 zero = 0;
	struct driver_counters *driver = bpf_map_lookup_elem(&driver_counters, &zero);

	if (driver)
		count(&driver->unnoted);
}

/*
 * Notes where message `index` of the current call goes, behind the first note. Returns whether there
 * was room: if the part had to give way in between, what it had is gone.
 */
static __always_inline bool sent_note_later(struct task_struct *task, __u32 index,
					    struct sent_address to)
{
	struct sent_note *note = sent_note_make(task, index / SENT_OF_NOTE);

	index %= SENT_OF_NOTE;
	CHECKED(index);
	if (!note || index >= SENT_OF_NOTE || (index && note->count != index))
		return false;
	note->to[index] = to;
	note->count = index + 1;
	return true;
}

/* Notes where the next message of the current call goes. */
static __always_inline void sent_note_message(struct task_struct *task, struct sent_address to)
{
	struct sent_note *note = sent_note_make(task, 0);
	__u32 index = note ? note->count : 0;

	CHECKED(index);
	if (!note || (index >= SENT_OF_NOTE && index < MESSAGES_MAX &&
		      !sent_note_later(task, index, to))) {
		count_unnoted();
		return;
	}
	note->count++;
	if (index < SENT_OF_NOTE)
		note->to[index] = to;
}

#endif
