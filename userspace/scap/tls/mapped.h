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
 * are at their paths now, does not matter if map_files may be read. Returns 0 or -errno.
 */
int tls_mapped_libraries(const char *proc, int32_t pid, tls_mapped_fn see, void *context);

/* Whether to look at a process: 1; 0: not; below 0: at no more of them. */
typedef int (*tls_choose_fn)(void *context, int32_t pid);

/* Of all processes that are chosen both; `choose` NULL: of all. Returns 0, or what ended it. */
int tls_mapped_all(const char *proc, tls_choose_fn choose, tls_mapped_fn see, void *context);

/* Whether a process is one of those, now: by its id, or the name of one of its threads. */
bool tls_mapped_is_chosen(const char *proc, int32_t pid, const struct tls_chosen *chosen);

#endif
