/* SPDX-License-Identifier: MIT */
/* Files that processes execute, as /proc shows them: the program itself, and libraries of TLS. */
#ifndef SCAP_TLS_MAPPED_H
#define SCAP_TLS_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

/*
 * What is done with a file: `fd` is a descriptor that gives no access (O_PATH), which stays the
 * caller's.
 */
typedef void (*tls_mapped_fn)(void *context, int fd, int32_t pid);

/* The program of a process. Returns 0 or -errno. */
int tls_mapped_program(const char *proc, int32_t pid, tls_mapped_fn see, void *context);

/*
 * Its libraries whose names are those of libraries of TLS; that they were deleted, or that others
 * are at their paths now, does not matter if map_files may be read. Returns 0 or -errno; -E2BIG: it
 * has more mappings than are looked at.
 */
int tls_mapped_libraries(const char *proc, int32_t pid, tls_mapped_fn see, void *context);

/* Whether that -errno says that the agent has too few descriptors or too little memory. */
bool tls_mapped_is_short(int r);

/* How all processes are looked at. */
struct tls_look {
	/* Whether to look at a process: 1; 0: not; below 0: at no more of them. NULL: at all. */
	int (*choose)(void *context, int32_t pid);
	tls_mapped_fn see; /* its program, and its libraries */
	/* That was done, with the result of tls_mapped_libraries(); below 0: at no more. NULL:
	 * nothing is to be done then. */
	int (*looked)(void *context, int32_t pid, int r);
	void *context;
};

/* Returns 0; what ended it; or -errno: there is nothing to look at. */
int tls_mapped_all(const char *proc, const struct tls_look *look);

/*
 * Whether a process is one of those, now: by its id, or the name of one of its threads. Returns 1,
 * 0, or -errno: the agent could not look.
 */
int tls_mapped_is_chosen(const char *proc, int32_t pid, const struct tls_chosen *chosen);

#endif
