/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Ranges of ids that users may act as, as /etc/subuid lists them: user space reads them and gives
 * them to the programs before these are loaded, which take them for one owner of a share.
 */
#ifndef LANNER_SHARE_RANGE_H
#define LANNER_SHARE_RANGE_H

#include <linux/types.h>

enum { SHARE_RANGES_MAX = 256 };

struct share_range {
	__u32 first, count;
	__u32 owner; /* the user whom they are given to */
};

#endif
