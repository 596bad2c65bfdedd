/* SPDX-License-Identifier: MIT */
/* What is needed to follow a runtime, of whichever API: its list of containers, and its events. */
#ifndef META_RUNTIMES_EVENTS_H
#define META_RUNTIMES_EVENTS_H

#include "sinsp/state/containers/container.h"
#include "util/buf.h"

enum { RUNTIME_ID_BYTES = 256, RUNTIME_PATH_BYTES = 512 };

/* Who gets a list, one container or sandbox after the other. */
struct runtime_list {
	/* Owns the description. `known`: 0, META_SOURCE_PART or META_SOURCE_SOME. */
	void (*add)(void *data, const char *id, struct state_container_info *info, int known);
	void *data;
	bool with_env; /* descriptions are to have the environment */
};

enum runtime_change {
	RUNTIME_NO_CHANGE, /* of what is described */
	RUNTIME_CHANGED, /* it is new, or has to be described again */
	RUNTIME_REMOVED,
};

struct runtime_event {
	enum runtime_change change;
	char id[RUNTIME_ID_BYTES];
};

/* How the stream of events is asked for, and what its messages mean. */
struct runtime_events {
	char path[RUNTIME_PATH_BYTES];
	struct buf body; /* owned: a message of gRPC; empty: the stream has lines of JSON */
	/* Returns whether the message can be read. */
	bool (*decode)(const char *message, size_t len, struct runtime_event *event);
};

/* Stores the id; one that is too long is no change. */
static inline void runtime_event_set(struct runtime_event *event, enum runtime_change change,
				     const char *id)
{
	size_t len = id ? strlen(id) : 0;

	if (len == 0 || len >= sizeof(event->id))
		change = RUNTIME_NO_CHANGE;
	else
		memcpy(event->id, id, len + 1);
	event->change = change;
}

#endif
