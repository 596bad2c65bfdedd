/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* EVENT_<name> and <event>__<parameter>, from the event table. */
#ifndef LANNER_EVENT_IDS_BPF_H
#define LANNER_EVENT_IDS_BPF_H

#include "abi.h"

enum event_id {
#define SYSCALL_EVENT(name, id, ...) EVENT_##name = id,
#define TRACEPOINT_EVENT(name, id, ...) EVENT_##name = id,
#define PARAM(...)
#define EVENT_END(name)
#include "events/all.def"
};

#define SYSCALL_EVENT(name, ...) enum event_##name##_params {
#define TRACEPOINT_EVENT(name, ...) enum event_##name##_params {
#define PARAM(event, name, ...) event##__##name,
#define EVENT_END(name) name##__count };
#include "events/all.def"

#endif
