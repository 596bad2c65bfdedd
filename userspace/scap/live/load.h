/* SPDX-License-Identifier: MIT */
/*
 * Loads and attaches the BPF programs in this process, with libbpf: the object, which of its
 * programs the kernel rejects, and loads side by side.
 */
#ifndef SCAP_LIVE_LOAD_H
#define SCAP_LIVE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "scap/live/call_hooks.h"
#include "scap/live/handlers.h"
#include "scap/live/live.h"
#include "scap/live/loaded.h"
#include "scap/live/uring_hooks.h"

/*
 * The BPF object: which of its programs are loaded, how they are configured, and which of them the
 * kernel rejects. load.c is its only user.
 */

/*
 * The kernel's type information. libbpf gets a file made of it, since else it also searches the
 * types of modules, which takes CAP_SYS_ADMIN.
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
	struct live_uring_hooks uring;
	int root_group; /* see scap_root_group_open(); -errno: nothing is attached there */

	struct lanner *skeleton; /* owned; NULL: nothing is loaded */
	int types; /* owned, a file while it is loaded: see live_kernel_types_reduce(); else -1 */
	bool with_lines; /* of the source: after a load that failed */
	/* Programs that are loaded, too. */
	bool wants_cgroup_roots, wants_own_groups, wants_filters, wants_owners,
		wants_iterators[SCAP_LIVE_ITERATORS];
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

/*
 * Finds all programs of the BPF object that the kernel rejects, in one load. libbpf ends a load at
 * the first of them; so each program is loaded separately right before libbpf loads it, and libbpf
 * gets an empty program in its place.
 */

struct bpf_object;

struct live_probe {
	bool verbose; /* print the verifier's log of each on stderr */
	/*
	 * NULL, or called with each row of live_programs that the kernel was asked for. `error`: 0
	 * or -errno; `log`: why it was rejected, and the verifier's statistics.
	 */
	void (*report)(void *context, size_t row, int error, const char *log);
	void *context;
	bool *rejected; /* owned; by row of live_programs */
	struct live_handlers handlers;
};

/*
 * Until live_probe_end(), every object that is opened serves only this probe. `classic`: see
 * live_kind_is_classic(). Only one thread at a time: libbpf has one list of handlers. Returns 0 or
 * -errno.
 */
int live_probe_begin(struct live_probe *probe, bool classic);

/* Prepares the opened object; loading it then sets `rejected`. Returns 0 or -errno. */
int live_probe_prepare(struct live_probe *probe, struct bpf_object *object);

void live_probe_end(struct live_probe *probe);

/*
 * Loads programs side by side: nearly all time of a load is the kernel's verifier, which takes one
 * CPU for each program. libbpf hands over each program when it is relocated, and loads an empty one
 * in its place; when all are loaded, they take the descriptors of the empty ones.
 */

struct bpf_object_skeleton;
struct live_side;

enum { LIVE_SIDE_THREADS_MAX = 3 };

/* How many threads beside the caller are of use: 0 with one CPU. */
unsigned int live_side_threads(void);

/*
 * Until live_side_destroy(), every object that is opened serves only this. `classic`: see
 * live_kind_is_classic(). At most LIVE_SIDE_THREADS_MAX threads beside the caller, maybe fewer.
 * Only one at a time: libbpf has one list of handlers. Returns 0 or -errno.
 */
int live_side_create(bool classic, unsigned int threads, struct live_side **side);

/*
 * Loads the object, which was opened after live_side_create() and is borrowed; once. Returns 0, or
 * -errno: of libbpf, or of a program that the kernel rejects; the object is not usable then.
 */
int live_side_load(struct live_side *side, struct bpf_object_skeleton *skeleton);

/* What the verifier said of the program that was rejected; "" if none was. Owned by `side`. */
const char *live_side_log(const struct live_side *side);

/* Accepts NULL. */
void live_side_destroy(struct live_side *side);

/* Loads and attaches the BPF programs in this process, with libbpf. */

struct live_load {
	struct live_loader loader; /* use this */
	struct live_object object; /* between load() and release() */
	bool verbose;
};

/* Release it with release(). */
void live_load_init(struct live_load *load);

#endif
