/* SPDX-License-Identifier: MIT */
/* Short files of the kernel, for checks. */
#ifndef AGENT_COMMANDS_DOCTOR_READ_H
#define AGENT_COMMANDS_DOCTOR_READ_H

#include "agent/commands/doctor_check.h"

enum { DOCTOR_TEXT_BYTES = 4096 };

/*
 * Reads the start of a file into `text`, NUL-terminated and without the last newline. Returns 0 or
 * -errno; `text` is empty then.
 */
int doctor_read(const struct doctor *doctor, const char *path, char text[DOCTOR_TEXT_BYTES]);

/* The same for a number. Returns 0, -errno, or -EINVAL if there is none. */
int doctor_read_number(const struct doctor *doctor, const char *path, long *number);

/* Appends "PATH: No such file" for -errno. */
void doctor_append_failure(const char *path, int error, struct buf *found);

#endif
