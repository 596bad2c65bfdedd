/* SPDX-License-Identifier: MIT */
/* Which user ids are given to which users, by /etc/subuid: see subuid(5). */
#ifndef SCAP_PROC_SUBUID_H
#define SCAP_PROC_SUBUID_H

#include <stddef.h>

#include "share_range.h"

/*
 * Reads the ranges of the machine whose first process `proc` has, a descriptor of a folder of
 * processes, or of this process' own files if that one's are not to be read: in order, and apart;
 * what overlaps, is of unknown users, or beyond SHARE_RANGES_MAX is left out. Returns how many
 * there are.
 */
size_t subuid_read(int proc, struct share_range ranges[SHARE_RANGES_MAX]);

/* Does that with texts as the files have them, of which the first is changed; passwd: names of
 * users. */
size_t subuid_parse(char *subuid, const char *passwd, struct share_range ranges[SHARE_RANGES_MAX]);

#endif
