/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The arguments of keyctl, which differ from one operation to the next. */
#ifndef LANNER_KEYCTL_BPF_H
#define LANNER_KEYCTL_BPF_H

#include "bpf/core/dyn.bpf.h"

#include <linux/keyctl.h>

/* In the order of dyn.def. */
enum key_kind { KEY_KIND_NUMBER, KEY_KIND_STRING };

/* What comes after the operation of keyctl. */
struct key_operation {
	__u8 used;    /* arguments */
	__u8 strings; /* which of them are strings, a bit for each */
};

static const struct key_operation key_operations[] = {
	[KEYCTL_GET_KEYRING_ID] = {.used = 2},
	[KEYCTL_JOIN_SESSION_KEYRING] = {.used = 4, .strings = 1 << 0},
	[KEYCTL_UPDATE] = {.used = 3},
	[KEYCTL_REVOKE] = {.used = 1},
	[KEYCTL_CHOWN] = {.used = 3},
	[KEYCTL_SETPERM] = {.used = 2},
	[KEYCTL_DESCRIBE] = {.used = 3},
	[KEYCTL_CLEAR] = {.used = 1},
	[KEYCTL_LINK] = {.used = 2},
	[KEYCTL_UNLINK] = {.used = 2},
	[KEYCTL_SEARCH] = {.used = 4, .strings = 1 << 1 | 1 << 2},
	[KEYCTL_READ] = {.used = 3},
	[KEYCTL_INSTANTIATE] = {.used = 4},
	[KEYCTL_NEGATE] = {.used = 3},
	[KEYCTL_SET_REQKEY_KEYRING] = {.used = 1},
	[KEYCTL_SET_TIMEOUT] = {.used = 2},
	[KEYCTL_ASSUME_AUTHORITY] = {.used = 1},
	[KEYCTL_GET_SECURITY] = {.used = 3},
	[KEYCTL_SESSION_TO_PARENT] = {.used = 4},
	[KEYCTL_REJECT] = {.used = 4},
	[KEYCTL_INSTANTIATE_IOV] = {.used = 4},
	[KEYCTL_INVALIDATE] = {.used = 1},
	[KEYCTL_GET_PERSISTENT] = {.used = 2},
	[KEYCTL_DH_COMPUTE] = {.used = 4},
	[KEYCTL_PKEY_QUERY] = {.used = 3, .strings = 1 << 2},
	[KEYCTL_PKEY_ENCRYPT] = {.used = 4, .strings = 1 << 1},
	[KEYCTL_PKEY_DECRYPT] = {.used = 4, .strings = 1 << 1},
	[KEYCTL_PKEY_SIGN] = {.used = 4, .strings = 1 << 1},
	[KEYCTL_PKEY_VERIFY] = {.used = 4, .strings = 1 << 1},
	[KEYCTL_RESTRICT_KEYRING] = {.used = 3, .strings = 1 << 1 | 1 << 2},
	[KEYCTL_MOVE] = {.used = 4},
	[KEYCTL_CAPABILITIES] = {.used = 2},
	[KEYCTL_WATCH_KEY] = {.used = 3},
};

/* The operation's argument of that index; 0 if the operation does not use it. */
static __always_inline void put_key_argument(struct filler *f, __u64 native_operation, __u32 index,
					     __u64 value)
{
	__u64 operation = (__u32)native_operation;
	struct key_operation known = {};

	CHECKED(operation);
	if (operation < sizeof(key_operations) / sizeof(key_operations[0]))
		known = key_operations[operation];
	if (known.strings & 1 << index)
		put_dyn_string(f, KEY_KIND_STRING, value);
	else
		put_dyn_u64(f, KEY_KIND_NUMBER, index < known.used ? value : 0);
}

#endif
