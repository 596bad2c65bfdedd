/* SPDX-License-Identifier: MIT */
/*
 * The state engine: takes events in time order, keeps threads and descriptors up to date, and
 * provides each event's thread and descriptor. Other data is read through state/event.h.
 */
#ifndef SINSP_STATE_ENGINE_H
#define SINSP_STATE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "scap/model/snapshot.h"
#include "scap/model/source.h"
#include "scap/proc/proc.h"
#include "sinsp/state/event.h"
#include "util/error.h"

/* Parts of the state that events keep up to date; bits. */
enum sinsp_part {
	SINSP_THREADS = 1 << 0,
	SINSP_DESCRIPTORS = 1 << 1,
	SINSP_CONNECTIONS = 1 << 2, /* what sockets are connected to */
	SINSP_DIRECTORIES = 1 << 3, /* current directories of threads */
	SINSP_SWITCHES = 1 << 4, /* how long threads run */
	SINSP_CONTAINERS = 1 << 5, /* threads that move to other control groups */
};

/*
 * Processes whose threads are marked (`followed`), so that each event can be matched by its thread.
 * Ids are those of the initial namespace.
 */
struct sinsp_follow {
	const pid_t *pids; /* borrowed */
	size_t count; /* 0: no thread is marked */
	bool children; /* also the processes that they create from now on */
	bool from_exec; /* only from their next exec on */
};

struct sinsp_config {
	struct scap_proc *proc;	 /* borrowed; NULL: the tables start empty and nothing is looked up */
	uint32_t threads_max;	 /* 0: default */
	uint32_t fds_max;	 /* over all tables; 0: default */
	/* Of the machine that events come from; NULL: this one's. Borrowed. */
	const char *hostname;
	const char *etc; /* the folder with its passwd, group and hosts */
	const char *boot_id; /* differs for each of its boots */
	struct sinsp_follow follow;
	uint64_t boot_ns; /* when its boot clock began, since the epoch; 0: that of this one */
};

/* Counters since the start. */
struct sinsp_stats {
	uint64_t events;
	uint64_t corrupt; /* frames that could not be decoded */
	uint64_t unknown;	     /* frames with an id that is not in the event table */
	uint64_t threads, fds;	     /* in the tables now */
	uint64_t followed;	     /* of the threads, without one that just ended */
	uint64_t thread_lookups, thread_lookups_failed; /* lookups of unknown threads in /proc */
	uint64_t fd_lookups, fd_lookups_failed;
	uint64_t fd_lookups_rejected; /* not made, because of the rate limit */
	uint64_t threads_evicted, fds_rejected; /* at the limits above */
	/* Of containers, in events of captures. */
	uint64_t descriptions_corrupt;
	uint64_t descriptions_ignored; /* values in them, of the wrong type or too many */
	uint64_t descriptions_dropped; /* too many that no thread refers to */
	uint64_t descriptions_too_long; /* not reported to a snapshot */
};

/* Creates an engine with empty tables. Returns 0, or -errno with a message. */
int sinsp_create(const struct sinsp_config *config, struct sinsp **sinsp, struct error *err);
void sinsp_destroy(struct sinsp *sinsp); /* accepts NULL */

/* Fills the tables from /proc. Returns 0, or -errno with a message. */
int sinsp_seed(struct sinsp *sinsp, struct error *err);

/*
 * Fills the tables from /proc again, between two events, for parts that no events kept up to date
 * so far; counters continue. As above.
 */
int sinsp_reseed(struct sinsp *sinsp, struct error *err);

/*
 * The listener that fills the tables in place of /proc: events then come from another machine, and
 * nothing is looked up on this one. Owned by `sinsp`.
 */
struct scap_snapshot *sinsp_snapshot(struct sinsp *sinsp);

/*
 * Reports the current tables, between two events, in an order that depends only on them: threads by
 * id, main ones first. Returns 0, or what `to` returned.
 */
int sinsp_dump(struct sinsp *sinsp, struct scap_snapshot *to);

/*
 * Reports the containers whose descriptions became known since the last call of this function or of
 * sinsp_dump(); `to` NULL: skips them. As above; without any, cheap enough for each event.
 */
int sinsp_dump_changed(struct sinsp *sinsp, struct scap_snapshot *to);

/*
 * Applies one event. Returns 0, or -EBADMSG or -ENOENT (counted) for a corrupt or unknown frame.
 * `event` and what it points to are valid until the next call: a closed descriptor or an ended
 * thread still exists during the event that ends it.
 */
int sinsp_process(struct sinsp *sinsp, const struct scap_event *raw, struct sinsp_event *event);

/* Whether a thread is known and followed. */
bool sinsp_is_followed(const struct sinsp *sinsp, int64_t tid);

/* The parts of the state (enum sinsp_part) that would become wrong without events of that id. */
unsigned int sinsp_event_keeps(unsigned int id);

void sinsp_stats(const struct sinsp *sinsp, struct sinsp_stats *stats);

#endif
