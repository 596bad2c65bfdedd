/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The quotas that quotactl asks for and sets. */
#ifndef LANNER_QUOTA_BPF_H
#define LANNER_QUOTA_BPF_H

#include "bpf/readers/user_memory.bpf.h"

#include <linux/dqblk_xfs.h>
#include <linux/quota.h>

/* The command of quotactl is in the upper bits of its argument, the type in the lowest eight. */
static __always_inline __u32 quota_native_command(__u32 native)
{
	return native >> SUBCMDSHIFT;
}

static __always_inline __u16 quota_command(__u32 native)
{
	__u32 command = quota_native_command(native);

	if (command == Q_SYNC)
		return 0x80;
	if (command >= Q_QUOTAON && command <= Q_SETQUOTA)
		return 0x1 << (command - Q_QUOTAON);
	if (command >= Q_XQUOTAON && command <= Q_XQUOTASYNC)
		return 0x100 << (command - Q_XQUOTAON);
	return 0;
}

static __always_inline __u8 quota_type(__u32 native)
{
	__u8 type = native & SUBCMDMASK;

	return type == USRQUOTA || type == GRPQUOTA ? 1 << type : 0;
}

/* 1 means no format. */
static __always_inline __u8 quota_format(__u32 native)
{
	if (native == QFMT_VFS_OLD)
		return 2;
	if (native == QFMT_VFS_V0)
		return 4;
	return native == QFMT_VFS_V1 ? 8 : 1;
}

/* Most commands do not use the third argument; that of Q_QUOTAON is a format. */
static __always_inline __u32 quota_id(__u32 native, __u32 id)
{
	__u32 command = quota_native_command(native);
	bool is_of_one = command == Q_GETQUOTA || command == Q_SETQUOTA ||
			 command == Q_XGETQUOTA || command == Q_XSETQLIM;

	return is_of_one ? id : 0;
}

static __always_inline __u8 quota_format_given(__u32 native, __u32 format)
{
	return quota_format(quota_native_command(native) == Q_QUOTAON ? format : 0);
}

static __always_inline __u8 quota_format_found(struct filler *f, __u32 native, __u64 address)
{
	__u32 format = 0;

	if (quota_native_command(native) == Q_GETFMT)
		read_user(f, &format, sizeof(format), address);
	return quota_format(format);
}

static __always_inline void put_quota_file(struct filler *f, __u32 native, __u64 address)
{
	put_string(f, quota_native_command(native) == Q_QUOTAON ? address : 0);
}

/* All bits if `bit` is set in `valid`, else none. Conditions would cost the verifier more. */
static __always_inline __u64 quota_mask(__u32 valid, __u32 bit)
{
	__u64 mask = -(__u64)(valid / bit & 1);

	CHECKED(mask);
	return mask;
}

/*
 * The limits of one user or group; zeros for other commands, and for members that are not marked as
 * valid. The marks are the last member: 32-bit programs have no padding after them.
 */
static __always_inline struct if_dqblk quota_limits(struct filler *f, __u32 native, __u64 address)
{
	const __u32 bytes = __builtin_offsetof(struct if_dqblk, dqb_valid) + sizeof(__u32);
	__u32 command = quota_native_command(native);
	struct if_dqblk limits = {};

	if (command == Q_GETQUOTA || command == Q_SETQUOTA)
		read_user(f, &limits, bytes, address);
	limits.dqb_bhardlimit &= quota_mask(limits.dqb_valid, QIF_BLIMITS);
	limits.dqb_bsoftlimit &= quota_mask(limits.dqb_valid, QIF_BLIMITS);
	limits.dqb_curspace &= quota_mask(limits.dqb_valid, QIF_SPACE);
	limits.dqb_ihardlimit &= quota_mask(limits.dqb_valid, QIF_ILIMITS);
	limits.dqb_isoftlimit &= quota_mask(limits.dqb_valid, QIF_ILIMITS);
	limits.dqb_btime &= quota_mask(limits.dqb_valid, QIF_BTIME);
	limits.dqb_itime &= quota_mask(limits.dqb_valid, QIF_ITIME);
	return limits;
}

/* The settings of a whole quota file, likewise. */
static __always_inline struct if_dqinfo quota_settings(struct filler *f, __u32 native,
							__u64 address)
{
	__u32 command = quota_native_command(native);
	struct if_dqinfo settings = {};

	if (command == Q_GETINFO || command == Q_SETINFO)
		read_user(f, &settings, sizeof(settings), address);
	settings.dqi_bgrace &= quota_mask(settings.dqi_valid, IIF_BGRACE);
	settings.dqi_igrace &= quota_mask(settings.dqi_valid, IIF_IGRACE);
	settings.dqi_flags &= quota_mask(settings.dqi_valid, IIF_FLAGS);
	return settings;
}

#endif
