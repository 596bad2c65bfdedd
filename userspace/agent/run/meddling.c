/* SPDX-License-Identifier: MIT */
#include "agent/run/meddling.h"

#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"
#include "util/terminal.h"

#define BETWEEN_NS UINT64_C(1000000000)

/* Others only read: programs that list all maps do. */
static bool changes(uint32_t command)
{
	switch (command) {
	case BPF_MAP_UPDATE_ELEM:
	case BPF_MAP_DELETE_ELEM:
	case BPF_MAP_LOOKUP_AND_DELETE_ELEM:
	case BPF_MAP_UPDATE_BATCH:
	case BPF_MAP_DELETE_BATCH:
	case BPF_MAP_LOOKUP_AND_DELETE_BATCH:
	case BPF_LINK_UPDATE:
	case BPF_LINK_DETACH:
	case BPF_MAP_FREEZE:
	case BPF_PROG_TEST_RUN:
		return true;
	default:
		return false;
	}
}

bool meddling_is(const struct scap_live *live, const struct sinsp_event *event)
{
	const struct event *ev = &event->ev;

	return changes((uint32_t)event_param_u64(ev, bpf__cmd)) &&
	       event_param_present(ev, bpf__object) &&
	       scap_live_owns(live, (enum bpf_object_kind)event_param_u64(ev, bpf__object),
			      (uint32_t)event_param_u64(ev, bpf__id));
}

void meddling_note(struct meddling *meddling, const struct sinsp_event *event)
{
	char name[sizeof(event->thread->comm)] = "unknown";
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct buf text = {0};

	meddling->calls++;
	if (meddling->said_ns && now - meddling->said_ns < BETWEEN_NS)
		return;
	meddling->said_ns = now;
	if (event->thread)
		memcpy(name, event->thread->comm, sizeof(name));
	terminal_mask(name, strlen(name)); /* a line of its own would be somebody else's word */
	buf_printf(&text,
		   "agent: thread %" PRIu64 " (%s) changes programs or maps of this capture, or tried "
		   "to: events may be missing\n",
		   event->ev.tid, name);
	terminal_print(stderr, &text);
	buf_finish(&text);
}
