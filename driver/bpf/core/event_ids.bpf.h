/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* EVENT_<name> and <event>__<parameter>, and what an event does, from the event table. */
#ifndef LANNER_EVENT_IDS_BPF_H
#define LANNER_EVENT_IDS_BPF_H

#include "abi.h"
#include "event_flags.h"
#include "bpf/core/kernel_versions.bpf.h"

enum event_id {
#define SYSCALL_EVENT(name, id, ...) EVENT_##name = id,
#define TRACEPOINT_EVENT(name, id, ...) EVENT_##name = id,
#include "events/all.def"
};

#define SYSCALL_EVENT(name, ...) enum event_##name##_params {
#define TRACEPOINT_EVENT(name, ...) enum event_##name##_params {
#define PARAM(event, name, ...) event##__##name,
#define EVENT_END(name) name##__count };
#include "events/all.def"

enum { EVENT_FLAGS(EVENT_FLAG_PLAIN) };

static const __u32 flags_of_events[EVENT_ID_MAX] = {
#define SYSCALL_EVENT(name, id, syscall, category, flags) [id] = flags,
#define TRACEPOINT_EVENT(name, id, tracepoint, category, flags) [id] = flags,
#include "events/all.def"
};

/* Whether an event has one of the flags; costs nothing if the compiler knows the event. */
static __always_inline bool event_has(__u64 event, __u32 flags)
{
	CHECKED(event);
	return event < EVENT_ID_MAX && flags_of_events[event] & flags;
}

/* Those that open a file: the number of the argument with its flags, 0: that is in no register. */
struct opens {
	bool file;
	__u8 argument;
};

static const struct opens opens_of_events[EVENT_ID_MAX] = {
#define OPENS(event, name, flags, mode, resolve, argument) [EVENT_##event] = {true, argument},
#include "events/all.def"
};

#endif
