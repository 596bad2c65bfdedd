/* SPDX-License-Identifier: MIT */
/*
 * The file by which a running agent is found: its process ID, and what came of its last reload. The
 * agent holds a lock on it for as long as it runs, so a file that was left behind is recognised. It
 * is written through the descriptor that was opened at the start: later no privilege is needed.
 */
#ifndef AGENT_PROCESS_PID_FILE_H
#define AGENT_PROCESS_PID_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/buf.h"
#include "util/error.h"

#define PID_FILE_DEFAULT "/run/lanner/agent.pid"

/* Zeroed, or with a NULL path, there is no file, and the functions do nothing. */
struct pid_file {
	const char *path; /* borrowed */
	int fd;
	unsigned int begun, ended; /* reloads, and requests to a flight recorder */
};

/*
 * Creates the file, in a folder that exists, or takes over one that was left behind. Returns 0, or
 * -errno with a message: -EBUSY if another agent runs with it.
 */
int pid_file_open(struct pid_file *file, const char *path, struct error *err);
void pid_file_close(struct pid_file *file);

/*
 * A reload begins, or what else is asked for; or it ended: whether the new configuration is in use,
 * or what was asked for is done; and what was said.
 */
void pid_file_begin_reload(struct pid_file *file);
void pid_file_end_reload(struct pid_file *file, bool succeeded, const struct buf *said);

/* What such a file says. */
struct pid_status {
	pid_t pid;
	unsigned int begun, ended; /* reloads */
	bool succeeded; /* the last of them */
	struct buf said; /* owned: what it printed */
};

/*
 * Reads the file of another process. Returns 0, -ENOENT if there is none, -ESRCH if no agent runs
 * with it, or another -errno, with a message. The status is released by the caller: buf_finish() of
 * `said`, in every case.
 */
int pid_file_read(const char *path, struct pid_status *status, struct error *err);

#endif
