/* SPDX-License-Identifier: MIT */
/* A BPF program at a place of a file, for all processes that map it. */
#ifndef SCAP_TLS_PROBE_H
#define SCAP_TLS_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* The number of the kernel's PMU for that, or -errno: it has none. */
int tls_probe_type(void);

/*
 * Runs the program where functions begin at that offset of the file, or where they return. Returns
 * a descriptor, by whose close it ends, or -errno. The file may be gone from its path then.
 */
int tls_probe_open(int type, const char *path, uint64_t offset, bool at_return, int program);

#endif
