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

#endif
