/* SPDX-License-Identifier: MIT */
/* What descriptors are called, and how events encode their flags and devices. */
#ifndef SCAP_PROC_FD_H
#define SCAP_PROC_FD_H

#include <stdint.h>

#include "scap/model/fd.h"

/* The type by the target of a link in /proc/PID/fd: a file, unless it has another form. */
enum scap_fd_type proc_fd_type(const char *target);

/* Makes a file a directory or a pipe where the mode of its inode says so. */
void proc_fd_set_mode(struct scap_fd *fd, uint16_t mode);

/* The values that events have for the flags of open(2) as the kernel keeps them, and for a device.
 */
uint32_t proc_fd_flags(uint64_t native);
uint32_t proc_fd_dev(uint32_t major, uint32_t minor);

#endif
