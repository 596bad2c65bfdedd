/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the kernel's types and functions, from the description that it has of itself (BTF).
 * One pass over 6 MB; libbpf's own search keeps them, an index and a copy in memory.
 */
#ifndef SCAP_LIVE_KERNEL_TYPES_H
#define SCAP_LIVE_KERNEL_TYPES_H

#include <stddef.h>
#include <stdint.h>

enum { LIVE_TYPE_NAME_BYTES = 80 };

struct live_kernel_type {
	char name[LIVE_TYPE_NAME_BYTES];
	uint32_t kind; /* BTF_KIND_* */
	uint32_t id; /* 0: the kernel has none */
};

/*
 * Sets the ids of all that are asked for, and changes their order; no two are the same. Returns 0,
 * or -errno: -EBADMSG if the file is not what is expected.
 */
int live_kernel_types_find(const char *path, struct live_kernel_type *types, size_t count);

/*
 * How many arguments a tracepoint passes, by the name of its type (btf_trace_…), that of whoever
 * attached included. Returns that, or -errno: -ENOENT if the kernel has none of that name.
 */
int live_kernel_types_arguments(const char *path, const char *name);

/*
 * The value of the first constant of that name in any enumeration of 32 bits. Returns 0, or -errno:
 * -ENOENT if the kernel has none; `value` is unchanged then.
 */
int live_kernel_types_constant(const char *path, const char *name, uint32_t *value);

/*
 * Writes to `fd` a description that has, of the kernel's structures, unions and enumerations, only
 * those that are asked for (all of that name), and of all types only what these consist of. Ids
 * stay; other types have no name, pointers point to nothing, and behind the last type that is kept
 * there is none. libbpf walks all types of a description for each that the programs name: here a
 * fifth of them, none of which it has to look at. Changes the order of `types`, whose ids it does
 * not set. Returns 0 or -errno.
 */
int live_kernel_types_reduce(const char *path, struct live_kernel_type *types, size_t count,
			     int fd);

#endif
