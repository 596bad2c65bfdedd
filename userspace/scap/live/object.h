/* SPDX-License-Identifier: MIT */
/*
 * The BPF object: which of its programs are loaded, how they are configured, and which of them the
 * kernel rejects. The driver (driver.c) is its only user.
 */
#ifndef SCAP_LIVE_OBJECT_H
#define SCAP_LIVE_OBJECT_H

#include <stddef.h>

#include "scap/live/call_hooks.h"
#include "scap/live/live.h"

/*
 * The kernel's type information. libbpf gets this path, since else it also searches the types of
 * modules, which takes CAP_SYS_ADMIN.
 */
#define LIVE_BTF_PATH "/sys/kernel/btf/vmlinux"

struct bpf_program;
struct lanner;

struct live_object {
	/* Set by the caller, before live_object_load(). */
	const struct scap_live_config *config; /* borrowed until that returns */
	uint64_t boot_offset_ns; /* epoch minus boot clock */
	uint32_t cpus; /* possible ones */
	bool classic; /* programs on exit of system calls are of the classic kind */
	struct live_call_hooks hooks;
	int root_group; /* see scap_root_group_open(); -errno: nothing is attached there */

	struct lanner *skeleton; /* owned; NULL: nothing is loaded */
	bool with_lines; /* of the source: after a load that failed */
	/* Programs that are loaded, too. */
	bool wants_cgroup_roots, wants_own_groups, wants_filters, wants_iterators[SCAP_LIVE_ITERATORS];
	bool *rejected; /* owned, by row of live_programs: the kernel rejects it */
	bool rejected_events[EVENT_ID_MAX]; /* events that cannot be captured */
	int enter_error; /* why no programs run on entry of calls: -errno; 0: they run */
	int sends_error; /* why no programs note where datagrams go: likewise */
};

/*
 * Loads what the configuration wants, side by side with more than one CPU. Programs that the kernel
 * rejects are left out; whatever their number, they cost two loads more: one to find all of them,
 * and one without them. Returns 0, or -errno with a message.
 */
int live_object_load(struct live_object *object, struct error *err);

/* Accepts an object that was not loaded, or not completely. */
void live_object_finish(struct live_object *object);

/* The program of a row of live_programs; NULL: the object has none of that name. */
struct bpf_program *live_object_program(const struct live_object *object, size_t row);

/* The program of an iterator. */
struct bpf_program *live_object_iterator(const struct live_object *object,
					 enum scap_live_iterator which);

bool live_object_is_loaded(const struct live_object *object, size_t row);

#endif
