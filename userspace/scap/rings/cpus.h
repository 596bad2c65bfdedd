/* SPDX-License-Identifier: MIT */
/* Which CPUs are online, as the kernel lists them. */
#ifndef SCAP_RINGS_CPUS_H
#define SCAP_RINGS_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#define SCAP_CPUS_ONLINE "/sys/devices/system/cpu/online"

/*
 * Reads a list such as "0-3,8" and sets `online` for each of `cpus` CPUs. Returns 0, or -errno;
 * `online` is undefined then.
 */
int scap_cpus_read(const char *path, uint32_t cpus, bool *online);

#endif
