/* SPDX-License-Identifier: MIT */
/* What an engine is created with, the parts of its state, and what it counts. */
#ifndef SINSP_STATE_CONFIG_H
#define SINSP_STATE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "scap/proc/proc.h"

/* Parts of the state that events keep up to date; bits. */
enum state_part {
	STATE_THREADS = 1 << 0,
	STATE_DESCRIPTORS = 1 << 1, /* those that are open, and what sockets are */
	STATE_CONNECTIONS = 1 << 2, /* what sockets are connected to */
	STATE_DIRECTORIES = 1 << 3, /* current directories of threads */
	STATE_SWITCHES = 1 << 4, /* how long threads run */
	STATE_CONTAINERS = 1 << 5, /* threads that move to other control groups */
	STATE_ENVIRONMENTS = 1 << 6, /* of programs */
	STATE_FILES =
		1 << 7, /* what descriptors are that are not sockets; needs STATE_DESCRIPTORS */
	STATE_CREATED = 1 << 8, /* when files were made; needs STATE_DIRECTORIES */
};

/*
 * Processes whose threads are marked (`followed`), so that each event can be matched by its thread.
 * Ids are those of the initial namespace.
 */
struct state_follow {
	const pid_t *pids; /* borrowed */
	size_t count; /* 0: no thread is marked */
	bool children; /* also the processes that they create from now on */
	bool from_exec; /* only from their next exec on */
};

struct state_config {
	struct scap_proc
		*proc; /* borrowed; NULL: the tables start empty and nothing is looked up */
	uint32_t threads_max; /* 0: default */
	uint32_t fds_max; /* over all tables; 0: default */
	uint64_t memory_max; /* bytes of threads and descriptors; 0: no limit */
	/* Of the machine that events come from; NULL: this one's. Borrowed. */
	const char *hostname;
	const char *etc; /* the folder with its passwd, group and hosts */
	const char *boot_id; /* differs for each of its boots */
	bool container_env; /* the environment of containers is taken from a capture, too */
	struct state_follow follow;
	const char *node,
		*cluster; /* of Kubernetes, that its pods are of; NULL: not known. Borrowed */
	uint64_t boot_ns; /* when its boot clock began, since the epoch; 0: that of this one */
	unsigned int lacks; /* see state_set_lacks() */
};

/* Counters since the start. */
struct state_stats {
	uint64_t events;
	uint64_t corrupt; /* frames that could not be decoded */
	uint64_t unknown; /* frames with an id that is not in the event table */
	/* Events that cannot be stated as fact in all: see struct frame_marks. */
	uint64_t faked, contested, truncated;
	uint64_t threads, fds; /* in the tables now */
	uint64_t followed; /* of the threads, without one that just ended */
	uint64_t thread_lookups, thread_lookups_failed; /* lookups of unknown threads in /proc */
	uint64_t thread_lookups_rejected; /* not made, because of the rate limit */
	/*
	 * Processes that began with an executable that was not known, and how often one was learnt
	 * from the kernel's list of threads; what was noted of that and had to give way.
	 */
	uint64_t programs_missed, programs_learnt, notes_dropped;
	uint64_t exits_dropped; /* ended threads that were forgotten within 5 s */
	/* Reads that another process let wait: arguments, environment, files below a root. */
	uint64_t reads_given_up;
	uint64_t fd_lookups, fd_lookups_failed;
	uint64_t fd_lookups_rejected; /* not made, because of the rate limit */
	uint64_t directory_lookups_rejected; /* of current directories, likewise */
	uint64_t names_unsure; /* descriptors whose number was another file in /proc: no name */
	uint64_t
		slots_unsure; /* registered files of rings that were no known descriptor: no name */
	uint64_t rings_dropped; /* tables of them that gave way to others */
	/* Why they were read from /proc although there was an iterator: -errno; or 0. */
	int open_fds_error, threads_error;
	uint64_t threads_evicted, fds_evicted, fds_rejected; /* at the limits above */
	uint64_t memory_bytes, memory_max; /* of threads and descriptors; 0: no limit */
	/* Of containers, in events of captures. */
	uint64_t descriptions_corrupt;
	uint64_t descriptions_ignored; /* values in them, of the wrong type or too many */
	uint64_t descriptions_dropped; /* too many that no thread refers to */
	uint64_t descriptions_too_long; /* not reported to a snapshot */
	uint64_t pods_dropped; /* descriptions of pods: too many, or out of memory */
	uint64_t services_dropped; /* likewise of Services and EndpointSlices */
	/* Of addresses, by answers of DNS: that gave way to others, or that no host can have. */
	uint64_t resolved_dropped, resolved_invalid;
	uint64_t created_dropped; /* files whose age is not known: others needed their place */
};

#endif
