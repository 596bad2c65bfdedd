/* SPDX-License-Identifier: MIT */
/* Reads and writes of a part of a file, whole or not at all. */
#ifndef OUTPUT_SPOOL_FILE_H
#define OUTPUT_SPOOL_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0, -EBADMSG if the file ends before, or what pread(2) gives. */
int spool_file_read(int fd, void *bytes, size_t len, uint64_t offset);

/* Returns 0 or -errno; then a part may have been written. */
int spool_file_write(int fd, const void *bytes, size_t len, uint64_t offset);

#endif
