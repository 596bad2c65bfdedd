/* SPDX-License-Identifier: MIT */
/* A BPF program at a place of a file, for all processes that map it. */
#ifndef SCAP_TLS_PROBE_H
#define SCAP_TLS_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TLS_PROBE_LINK_TYPE =
		48 /* BPF_TRACE_UPROBE_MULTI: the type that programs are loaded with */
};

enum { TLS_PROBE_PLACES_MAX = 128 };

struct tls_probe_places {
	size_t count;
	uint64_t offsets[TLS_PROBE_PLACES_MAX]; /* in the file */
	uint64_t cookies[TLS_PROBE_PLACES_MAX]; /* which the program gets, at each of them */
};

/* The number of the kernel's PMU for that, or -errno: it has none. */
int tls_probe_type(void);

/*
 * Runs the program where functions begin at that offset of the file, or where they return. Returns
 * a descriptor, by whose close it ends, or -errno. The file may be gone from its path then.
 */
int tls_probe_open(int type, const char *path, uint64_t offset, bool at_return, int program);

/* Whether the kernel can do the following, with a program that is loaded for it. Sets nothing. */
bool tls_probe_has_links(int program);

/*
 * Runs the program at several places of a file at once, where functions begin or return:
 * kernels of 6.6 and later can. It takes one descriptor, and
 * its close no longer than that of one probe. Returns the descriptor, or -errno: what files
 * say may be wrong, so -EINVAL is no answer to whether the kernel can.
 */
int tls_probe_link(const char *path, const struct tls_probe_places *places, bool at_return,
		   int program);

#endif
