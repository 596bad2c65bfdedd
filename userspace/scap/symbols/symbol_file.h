/* SPDX-License-Identifier: MIT */
/*
 * Files that processes have mapped, opened: in containers, deleted, or replaced by others. What is
 * opened is sure to be the file that is mapped.
 */
#ifndef SCAP_SYMBOLS_SYMBOL_FILE_H
#define SCAP_SYMBOLS_SYMBOL_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "scap/symbols/symbol_maps.h"

struct symbol_file {
	int32_t pid;
	uint64_t begin, end; /* where it is mapped */
	struct symbol_file_id id;
	const char *path; /* borrowed: as the process sees it */
	/* Nothing is asked that may never answer: no server (FUSE), no mounts by its path. */
	bool no_waiting;
};

/*
 * Opens a file for reading as the process has it mapped, as it sees it, as the agent sees it, or as
 * it was executed. proc: a descriptor of /proc. Returns a descriptor, or -errno: -ESTALE if another
 * file is in its place, -EOPNOTSUPP if a server would have to be asked for it, without waiting.
 */
int symbol_file_open(const struct symbol_file *file, int proc);

#endif
