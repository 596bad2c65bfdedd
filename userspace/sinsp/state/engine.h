/* SPDX-License-Identifier: MIT */
/*
 * The state engine: takes events in time order, keeps threads and descriptors up to date, and gives
 * each event its thread and its descriptor.
 */
#ifndef SINSP_STATE_ENGINE_H
#define SINSP_STATE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "scap/model/snapshot.h"
#include "scap/model/source.h"
#include "scap/proc/proc.h"
#include "sinsp/state/thread.h"
#include "sinsp/state/users.h"
#include "util/error.h"

/* What events keep up to date; bits. */
enum sinsp_part {
	SINSP_THREADS = 1 << 0,
	SINSP_DESCRIPTORS = 1 << 1,
	SINSP_CONNECTIONS = 1 << 2, /* what sockets are connected to */
	SINSP_DIRECTORIES = 1 << 3, /* where threads are */
	SINSP_SWITCHES = 1 << 4, /* how long threads run */
};

struct sinsp_config {
	struct scap_proc *proc;	 /* borrowed; NULL: the tables start empty and nothing is looked up */
	uint32_t threads_max;	 /* 0: default */
	uint32_t fds_max;	 /* over all tables; 0: default */
	/* Of the machine that events come from; NULL: this one's. Borrowed. */
	const char *hostname;
	const char *etc; /* the folder with its passwd, group and hosts */
	const char *boot_id; /* differs for each of its boots */
	uint64_t boot_ns; /* when its boot clock began, since the epoch; 0: as this one's */
};

/* Counters since the start. */
struct sinsp_stats {
	uint64_t events;
	uint64_t damaged;	     /* frames that could not be decoded */
	uint64_t unknown;	     /* frames with an id that the table does not have */
	uint64_t threads, fds;	     /* in the tables now */
	uint64_t thread_lookups, thread_lookups_failed; /* unknown threads asked of /proc */
	uint64_t fd_lookups, fd_lookups_failed;
	uint64_t fd_lookups_refused; /* not made, because there were too many in a short time */
	uint64_t threads_evicted, fds_refused; /* at the limits above */
};

struct sinsp_event {
	struct event ev;
	uint64_t num;		     /* 1 for the first */
	uint64_t first_ts_ns;	     /* time of the first event */
	struct sinsp *sinsp;
	struct sinsp_thread *thread; /* NULL when unknown */
	struct sinsp_fd *fd;	     /* NULL: none, or not known */
	bool has_fd;		     /* the event is about a descriptor: fd_num is set */
	int64_t fd_num;
};

int sinsp_create(const struct sinsp_config *config, struct sinsp **sinsp, struct error *err);
void sinsp_destroy(struct sinsp *sinsp);

/* Fills the tables from /proc. Returns 0 or -errno. */
int sinsp_seed(struct sinsp *sinsp, struct error *err);

/*
 * Fills the tables from /proc again, between two events, for parts that no events kept up to date so
 * far; numbers of events and the like go on. As above.
 */
int sinsp_reseed(struct sinsp *sinsp, struct error *err);

/*
 * The listener that fills the tables, in place of /proc: with this, events come from a machine that
 * is not this one, and nothing of this one is looked up. Owned by `sinsp`.
 */
struct scap_snapshot *sinsp_snapshot(struct sinsp *sinsp);

/*
 * Tells the tables as they are, between two events, in an order that depends on them alone: threads
 * by id, main ones first. Returns 0, or what `to` returned.
 */
int sinsp_tell(struct sinsp *sinsp, struct scap_snapshot *to);

/*
 * Applies one event. Returns 0, or -EBADMSG or -ENOENT (counted) for a frame that cannot be used.
 * `event` and what it points to are valid until the next call: a closed descriptor or an ended
 * thread is still there for the event that ends it.
 */
int sinsp_process(struct sinsp *sinsp, const struct scap_event *raw, struct sinsp_event *event);

/* The parts of the state (enum sinsp_part) that would become wrong without events of that id. */
unsigned int sinsp_event_keeps(unsigned int id);

void sinsp_stats(const struct sinsp *sinsp, struct sinsp_stats *stats);

/*
 * Joins a path of an event to the directory that it starts from, and normalises it: the current
 * directory for FSPATH, the base descriptor for FSRELPATH. Returns the length written to `out`
 * (NUL-terminated, cut to `size`), or 0 when the parameter is absent. An unknown base gives
 * "<UNKNOWN>" with the path behind it.
 */
size_t sinsp_event_path(const struct sinsp_event *event, unsigned int param, char *out,
			size_t size);

/* The entry of a user id, and names of ids; NULL: the machine's tables do not have it. */
const struct user_entry *sinsp_user(struct sinsp *sinsp, uint32_t uid);
const char *sinsp_user_name(struct sinsp *sinsp, uint32_t uid);
const char *sinsp_group_name(struct sinsp *sinsp, uint32_t gid);

/* The name of an IP address in this machine's table of hosts, or NULL: see hosts_name(). */
const char *sinsp_host_name(struct sinsp *sinsp, const uint8_t *address, size_t len);

/* A number that differs for each boot of each machine. */
uint64_t sinsp_boot(const struct sinsp *sinsp);

/* The name of the machine that events come from. */
const char *sinsp_hostname(const struct sinsp *sinsp);

/* Of a switch: how long the thread that goes out was on its CPU; 0 when its coming was not seen. */
uint64_t sinsp_run_ns(const struct sinsp_event *event);

#endif
