/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The second argument of prctl, which is a name, a number or a pointer. */
#ifndef LANNER_PRCTL_BPF_H
#define LANNER_PRCTL_BPF_H

#include "bpf/core/frame.bpf.h"

#include <linux/prctl.h>

static __always_inline bool prctl_is_name(__u32 option)
{
	return option == PR_SET_NAME || option == PR_GET_NAME;
}

/* The second argument of prctl, where it is a name. */
static __always_inline void put_prctl_name(struct filler *f, __u32 option, __u64 argument)
{
	if (prctl_is_name(option))
		put_string(f, argument);
	else
		put_absent(f);
}

/* The second argument of prctl, where it is a number, or what it points to. */
static __always_inline __s64 prctl_number(__u32 option, __u64 argument)
{
	__s32 pointed_to = 0;

	if (prctl_is_name(option))
		return 0;
	if (option != PR_GET_CHILD_SUBREAPER)
		return argument;
	bpf_probe_read_user(&pointed_to, sizeof(pointed_to), (void *)argument);
	return pointed_to;
}

#endif
