/* SPDX-License-Identifier: MIT */
/*
 * The flags of open calls, each with what events hold of it, and whether it makes the mode count.
 */
#ifndef TESTS_OPEN_FLAGS_H
#define TESTS_OPEN_FLAGS_H

#include <fcntl.h>
#include <stdbool.h>

#include "event/event.h"

/* The C library has 0 for it. */
#ifdef __aarch64__
#define KERNEL_O_LARGEFILE 0400000
#else
#define KERNEL_O_LARGEFILE 0100000
#endif

static const struct {
	int native;
	uint32_t stored;
	bool has_mode;
} open_flags[] = {
	{O_RDONLY, file_flags__O_RDONLY, false},
	{O_WRONLY, file_flags__O_WRONLY, false},
	{O_RDWR, file_flags__O_RDWR, false},
	{3, file_flags__O_RDONLY, false}, /* for ioctl only */
	{O_CREAT, file_flags__O_RDONLY | file_flags__O_CREAT, true},
	{O_APPEND, file_flags__O_RDONLY | file_flags__O_APPEND, false},
	{O_DSYNC, file_flags__O_RDONLY | file_flags__O_DSYNC | file_flags__O_SYNC, false},
	{O_SYNC, file_flags__O_RDONLY | file_flags__O_DSYNC | file_flags__O_SYNC, false},
	{O_EXCL, file_flags__O_RDONLY | file_flags__O_EXCL, false},
	{O_NONBLOCK, file_flags__O_RDONLY | file_flags__O_NONBLOCK, false},
	{O_TRUNC, file_flags__O_RDONLY | file_flags__O_TRUNC, false},
	{O_DIRECT, file_flags__O_RDONLY | file_flags__O_DIRECT, false},
	{O_DIRECTORY, file_flags__O_RDONLY | file_flags__O_DIRECTORY | file_flags__O_TMPFILE, true},
	{KERNEL_O_LARGEFILE, file_flags__O_RDONLY | file_flags__O_LARGEFILE, false},
	{O_CLOEXEC, file_flags__O_RDONLY | file_flags__O_CLOEXEC, false},
	{O_TMPFILE | O_WRONLY,
	 file_flags__O_WRONLY | file_flags__O_DIRECTORY | file_flags__O_TMPFILE, true},
	{O_NOFOLLOW | O_NOATIME | O_PATH | O_NOCTTY | O_ASYNC, file_flags__O_RDONLY, false},
};

enum { OPEN_FLAGS_COUNT = sizeof(open_flags) / sizeof(open_flags[0]) };

#endif
