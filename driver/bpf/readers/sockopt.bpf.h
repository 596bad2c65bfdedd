/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Socket options: their levels and names as events store them, and values of each kind. */
#ifndef LANNER_SOCKOPT_BPF_H
#define LANNER_SOCKOPT_BPF_H

#include "bpf/core/dyn.bpf.h"
#include "bpf/readers/time.bpf.h"

#include <asm-generic/socket.h>

enum {
	LEVEL_TCP = 6,
	STORED_LEVEL_SOCKET = 1,
	STORED_LEVEL_TCP = 2,
	LAST_OPTION_KEPT = 50, /* up to this one, options are stored as they are */
	STORED_PEERGROUPS = 51,
	STORED_MEMINFO = 52,
	STORED_COOKIE = 53,
	OPTION_BYTES_MAX = FRAME_BYTES_MAX - 64, /* leaves room for the rest of the event */
};

/* Indexes of sockopt_dyn. */
enum sockopt_kind { SOCKOPT_BYTES, SOCKOPT_ERRNO, SOCKOPT_UINT32, SOCKOPT_UINT64, SOCKOPT_TIME };

static __always_inline __u8 sockopt_level(__s32 level)
{
	if (level == SOL_SOCKET)
		return STORED_LEVEL_SOCKET;
	return level == LEVEL_TCP ? STORED_LEVEL_TCP : 0;
}

static __always_inline __u8 sockopt_option(__s32 level, __u32 option)
{
	if (level != SOL_SOCKET)
		return 0;
	switch (option) {
	case SO_MEMINFO:
		return STORED_MEMINFO;
	case SO_COOKIE:
		return STORED_COOKIE;
	case SO_PEERGROUPS:
		return STORED_PEERGROUPS;
	case SO_RCVTIMEO_NEW:
		return SO_RCVTIMEO_OLD;
	case SO_SNDTIMEO_NEW:
		return SO_SNDTIMEO_OLD;
	default:
		return option <= LAST_OPTION_KEPT ? option : 0;
	}
}

#define BITS(low, high) (~0ULL >> (63 - (high)) & ~0ULL << (low))

/* Options whose value is a number, by native number. */
#define NUMBER_OPTIONS                                                                             \
	(BITS(1, 3) | BITS(5, 12) | BITS(14, 16) | BITS(18, 19) | BITS(22, 24) | BITS(27, 27) |    \
	 BITS(29, 49))

static __always_inline enum sockopt_kind sockopt_kind(__s32 level, __u32 option)
{
	if (level != SOL_SOCKET)
		return SOCKOPT_BYTES;
	switch (option) {
	case SO_ERROR:
		return SOCKOPT_ERRNO;
	case SO_RCVTIMEO_OLD:
	case SO_SNDTIMEO_OLD:
	case SO_RCVTIMEO_NEW:
	case SO_SNDTIMEO_NEW:
		return SOCKOPT_TIME;
	case SO_COOKIE:
		return SOCKOPT_UINT64;
	default:
		return option < 64 && (NUMBER_OPTIONS >> option & 1) ? SOCKOPT_UINT32 :
								       SOCKOPT_BYTES;
	}
}

#undef BITS

/* The newer options for times have the wide form for all callers. */
static __always_inline __u64 sockopt_time_ns(struct filler *f, __u32 option, __u64 address)
{
	bool is_wide = option == SO_RCVTIMEO_NEW || option == SO_SNDTIMEO_NEW;

	return user_time_raw_ns(f, address, NS_PER_US, is_wide ? 0 : narrow_times(f));
}

/* The value of an option; a number that cannot be read is 0. */
static __always_inline void put_sockopt(struct filler *f, __s32 level, __u32 option, __u64 address,
					__u64 len)
{
	enum sockopt_kind kind = sockopt_kind(level, option);
	__u64 number = 0;

	switch (kind) {
	case SOCKOPT_BYTES:
		put_dyn_bytes(f, kind, address, len < OPTION_BYTES_MAX ? len : OPTION_BYTES_MAX);
		break;
	case SOCKOPT_UINT32:
		read_user(f, &number, sizeof(__u32), address);
		put_dyn_u32(f, kind, number);
		break;
	case SOCKOPT_ERRNO:
		read_user(f, &number, sizeof(__u32), address);
		put_dyn_u64(f, kind, -(__s64)(__s32)number);
		break;
	case SOCKOPT_TIME:
		put_dyn_u64(f, kind, sockopt_time_ns(f, option, address));
		break;
	case SOCKOPT_UINT64:
		read_user(f, &number, sizeof(number), address);
		put_dyn_u64(f, kind, number);
		break;
	}
	/* The verifier continues with one path for all kinds. */
	f->pos = forget(f->slot, f->pos);
}

/* The length of the value, as the call returned it. */
static __always_inline __u32 sockopt_len(struct filler *f, __u64 address)
{
	__u32 len = 0;

	read_user(f, &len, sizeof(len), address);
	return len;
}

/* The value that was returned; absent if the call failed. */
static __always_inline void put_sockopt_got(struct filler *f, __s32 level, __u32 option,
					    __u64 address, __u32 len)
{
	if (f->ret < 0)
		put_absent(f);
	else
		put_sockopt(f, level, option, address, len);
}

#endif
