/* SPDX-License-Identifier: MIT */
/*
 * What JIT compilers write about the code that they make: maps of addresses (/tmp/perf-PID.map) and
 * dumps (jit-PID.dump). A process writes what it likes.
 */
#ifndef SCAP_SYMBOLS_SYMBOL_JIT_H
#define SCAP_SYMBOLS_SYMBOL_JIT_H

#include <stdint.h>
#include <sys/types.h>

#include "scap/symbols/symbol_table.h"

enum { SYMBOL_JIT_BYTES_MAX = 64 << 20 }; /* of a file; what follows is not read */

/* Whose map it is. */
struct symbol_jit_process {
	int proc; /* a descriptor of /proc */
	int32_t pid, ns_pid; /* for us; in its own namespace */
	int root; /* a descriptor of its root directory, as O_PATH opens it */
	uid_t uid; /* of who runs it */
};

/*
 * Opens the map of a process. That of another user than its own one or root is not opened, nor one
 * of a file system that a user answers for, nor that of a process that has ended if its mounts are
 * not ours. Returns a descriptor, or -errno: -EPERM.
 */
int symbol_jit_open_map(const struct symbol_jit_process *process);

/*
 * Read a map or a dump; places are addresses. Of code at one address the last one is taken. Return
 * 0; -ENOENT: it has nothing; -EBADMSG: it is no dump; -EFBIG; -ENOMEM; or another -errno.
 */
int symbol_jit_read_map(int fd, struct symbol_table *table);
int symbol_jit_read_dump(int fd, struct symbol_table *table);

#endif
