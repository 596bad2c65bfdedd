/* SPDX-License-Identifier: MIT */
/*
 * The state of a machine before the first event, passed on piece by piece: from the reader of a
 * capture file to the state engine, and from the state engine to the writer of one.
 */
#ifndef SCAP_PROC_SNAPSHOT_H
#define SCAP_PROC_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/proc/fd.h"
#include "scap/proc/thread.h"

/* The memory behind pointers belongs to the caller and is valid only during the call. */
struct scap_machine {
	uint32_t cpus;
	uint64_t memory_bytes;
	uint64_t max_pid; /* 0: not known */
	uint64_t boot_ns; /* since the epoch; 0: not known */
	const char *hostname; /* up to 127 bytes */
};

struct scap_interface {
	const char *name;
	bool ipv6;
	uint8_t address[16], netmask[16], broadcast[16]; /* network order; IPv4 takes 4 bytes */
	uint64_t link_speed; /* 0: not known */
};

struct scap_user {
	uint32_t uid, gid;
	const char *name, *home, *shell;
};

struct scap_group {
	uint32_t gid;
	const char *name;
};

/* A container, as `container` events describe it. */
struct scap_container {
	const char *json; /* ends with a NUL */
	size_t len; /* without the NUL */
	uint64_t ts_ns; /* on the wall clock: when it became known */
	bool at_start; /* part of the state before the first event */
};

/*
 * A user or a group of a container, by the id that the host has for it. Neither: its files cannot
 * be used, so that no id has a name.
 */
struct scap_container_user {
	const char *container; /* its id as it is shown: the first 12 digits, or its name */
	const struct scap_user *user;
	const struct scap_group *group;
	uint64_t ts_ns; /* on the wall clock: when it became known */
};

struct scap_snapshot;

/* Each returns 0, or -errno, which ends the snapshot. */
struct scap_snapshot_ops {
	int (*begin)(struct scap_snapshot *to); /* discards what came before */
	int (*machine)(struct scap_snapshot *to, const struct scap_machine *machine);
	int (*interface)(struct scap_snapshot *to, const struct scap_interface *interface);
	int (*user)(struct scap_snapshot *to, const struct scap_user *user);
	int (*group)(struct scap_snapshot *to, const struct scap_group *group);
	int (*thread)(struct scap_snapshot *to, const struct scap_thread *thread);
	/* The descriptors of an earlier thread, and of those that share them, follow. */
	int (*fds)(struct scap_snapshot *to, int64_t tid);
	int (*fd)(struct scap_snapshot *to, const struct scap_fd *fd);
	/* Follows all others; also comes between two events, if one becomes known later. */
	int (*container)(struct scap_snapshot *to, const struct scap_container *container);
	/* Follow all containers, if these do not come between two events. */
	int (*container_user)(struct scap_snapshot *to, const struct scap_container_user *user);
	int (*end)(struct scap_snapshot *to); /* events follow */
};

/* The receiver embeds this as its first member. */
struct scap_snapshot {
	const struct scap_snapshot_ops *ops;
};

#endif
