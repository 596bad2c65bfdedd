/* SPDX-License-Identifier: MIT */
/*
 * Loads programs side by side: nearly all time of a load is the kernel's verifier, which takes one
 * CPU for each program. libbpf hands over each program when it is relocated, and loads an empty one
 * in its place; when all are loaded, they take the descriptors of the empty ones.
 */
#ifndef SCAP_LIVE_SIDE_H
#define SCAP_LIVE_SIDE_H

#include <stdbool.h>

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

#endif
