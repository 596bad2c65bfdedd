/* SPDX-License-Identifier: MIT */
/* The mounted hierarchies of control groups, names of their subsystems, keys of sets of groups. */
#ifndef SCAP_PROC_CGROUP_KEYS_H
#define SCAP_PROC_CGROUP_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "abi.h"

/* Names of the subsystems of control groups: in events, and in the files of version 1. */

struct scap_cgroup_name {
	const char *name;
	const char *controller;
};

extern const struct scap_cgroup_name scap_cgroup_names[CGROUPS];

/*
 * The mounted hierarchies of control groups. Keys of sets of groups, as the programs in the kernel
 * make them (cgroup_key_add() in abi.h), and who can make groups, both from paths.
 */

struct scap_cgroup_keys;

/*
 * Finds where the hierarchies are mounted, in a file as /proc/self/mounts, whose places are below
 * `root`, a prefix or "". Returns 0; -ENOENT if that of a subsystem is mounted nowhere, or not
 * whole; or another -errno.
 */
int scap_cgroup_keys_create(const char *mounts, const char *root, struct scap_cgroup_keys **keys);

void scap_cgroup_keys_destroy(struct scap_cgroup_keys *keys); /* accepts NULL */

/* Which hierarchies make the key: see struct kernel_filters. */
uint32_t scap_cgroup_keys_hierarchies(const struct scap_cgroup_keys *keys);

/*
 * Makes the key of groups: "name=/path" and a NUL each, as in events. Returns 0; -ENOENT if one of
 * them does not exist any more, or is missing; or another -errno. Then the key has no meaning.
 */
int scap_cgroup_keys_make(const struct scap_cgroup_keys *keys, const char *text, size_t len,
			  uint64_t *key);

/*
 * Finds who can make groups in a group, "name=/path" of `len` bytes: 0 for root alone, else the
 * owner of the first folder on the way that is not root's alone; SCAP_CGROUP_ANYBODY if all may
 * write there. Returns 0; -ENOENT if there is no such group any more; or another -errno.
 */
#define SCAP_CGROUP_ANYBODY UINT32_MAX
int scap_cgroup_keys_owner(const struct scap_cgroup_keys *keys, const char *group, size_t len,
			   uint32_t *owner);

#endif
