/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* File systems as a whole: what fsconfig sets, and the quotas that quotactl asks for and sets. */
#ifndef LANNER_MOUNT_BPF_H
#define LANNER_MOUNT_BPF_H

#include "frame.bpf.h"

#include <linux/dqblk_xfs.h>
#include <linux/mount.h>

/* The value that fsconfig was given, as bytes or as a string; only what it has taken is shown. */
static __always_inline void put_setting_bytes(struct filler *f, __u32 command, __u64 value,
					      __u32 size)
{
	put_bytes(f, value, f->ret == 0 && command == FSCONFIG_SET_BINARY ? size : 0);
}

static __always_inline void put_setting_string(struct filler *f, __u32 command, __u64 value)
{
	bool is_string = command == FSCONFIG_SET_STRING || command == FSCONFIG_SET_PATH ||
			 command == FSCONFIG_SET_PATH_EMPTY;

	put_string(f, f->ret == 0 && is_string ? value : 0);
}

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

/* 1 stands for no format at all. */
static __always_inline __u8 quota_format(__u32 native)
{
	return native == QFMT_VFS_OLD ? 2 : native == QFMT_VFS_V0 ? 4 : native == QFMT_VFS_V1 ? 8 : 1;
}

/* Most commands have no use for the third argument; that of Q_QUOTAON is a format. */
static __always_inline __u32 quota_id(__u32 native, __u32 id)
{
	__u32 command = quota_native_command(native);

	return command == Q_GETQUOTA || command == Q_SETQUOTA || command == Q_XGETQUOTA ||
			       command == Q_XSETQLIM ?
		       id :
		       0;
}

static __always_inline __u8 quota_format_given(__u32 native, __u32 format)
{
	return quota_format(quota_native_command(native) == Q_QUOTAON ? format : 0);
}

static __always_inline __u8 quota_format_found(struct filler *f, __u32 native, __u64 address)
{
	__u32 format = 0;

	if (quota_native_command(native) == Q_GETFMT &&
	    bpf_probe_read_user(&format, sizeof(format), (void *)address))
		count_unreadable(f);
	return quota_format(format);
}

static __always_inline void put_quota_file(struct filler *f, __u32 native, __u64 address)
{
	put_string(f, quota_native_command(native) == Q_QUOTAON ? address : 0);
}

/*
 * The limits of one user or group; zeros for other commands, and for what is not marked as valid.
 * The mark is the last member: 32-bit programs have no padding behind it.
 */
static __always_inline struct if_dqblk *quota_limits(struct filler *f, __u32 native, __u64 address)
{
	const __u32 bytes = __builtin_offsetof(struct if_dqblk, dqb_valid) + sizeof(__u32);
	__u32 command = quota_native_command(native);
	struct if_dqblk limits = {};

	if ((command == Q_GETQUOTA || command == Q_SETQUOTA) &&
	    bpf_probe_read_user(&limits, bytes, (void *)address))
		count_unreadable(f);
	if (!(limits.dqb_valid & QIF_BLIMITS))
		limits.dqb_bhardlimit = limits.dqb_bsoftlimit = 0;
	if (!(limits.dqb_valid & QIF_SPACE))
		limits.dqb_curspace = 0;
	if (!(limits.dqb_valid & QIF_ILIMITS))
		limits.dqb_ihardlimit = limits.dqb_isoftlimit = 0;
	if (!(limits.dqb_valid & QIF_BTIME))
		limits.dqb_btime = 0;
	if (!(limits.dqb_valid & QIF_ITIME))
		limits.dqb_itime = 0;
	f->quota_limits = limits;
	return &f->quota_limits;
}

/* The settings of a whole quota file, likewise. */
static __always_inline struct if_dqinfo *quota_settings(struct filler *f, __u32 native,
							__u64 address)
{
	__u32 command = quota_native_command(native);
	struct if_dqinfo settings = {};

	if ((command == Q_GETINFO || command == Q_SETINFO) &&
	    bpf_probe_read_user(&settings, sizeof(settings), (void *)address))
		count_unreadable(f);
	if (!(settings.dqi_valid & IIF_BGRACE))
		settings.dqi_bgrace = 0;
	if (!(settings.dqi_valid & IIF_IGRACE))
		settings.dqi_igrace = 0;
	if (!(settings.dqi_valid & IIF_FLAGS))
		settings.dqi_flags = 0;
	f->quota_settings = settings;
	return &f->quota_settings;
}

#endif
