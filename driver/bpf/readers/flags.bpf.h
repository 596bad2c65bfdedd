/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Native flag and enumeration values turned into those that events store. The tables are those of
 * the .scap format; names for the values are in driver/events/flags/. Native bits have names here
 * if their values differ between architectures.
 */
#ifndef LANNER_FLAGS_BPF_H
#define LANNER_FLAGS_BPF_H

#include "bpf/core/frame.bpf.h"

#include <asm/fcntl.h>

#define BIT(n) (1u << (n))

/* `stored` if any bit of `bits` is in `native`. */
#define MOVE(native, bits, stored) (((native) & (bits)) ? (stored) : 0)

static __always_inline __u32 socket_flags(__u64 native)
{
	return MOVE(native, 04000, 0x40) | MOVE(native, 02000000, 0x1000);
}

/* Of calls that create descriptors of other kinds than files. A negative value has none. */
static __always_inline __u32 made_fd_flags(__u64 native)
{
	return (__s32)native < 0 ? 0 : socket_flags(native);
}

static __always_inline __u32 dup3_flags(__u64 native)
{
	return MOVE(native, 02000000, 0x1000);
}

static __always_inline __u32 pipe2_flags(__u64 native)
{
	return made_fd_flags(native) | ((__s32)native < 0 ? 0 : MOVE(native, O_DIRECT, 0x200));
}

/*
 * The masks of O_TMPFILE and O_SYNC have several bits, and any of them counts: O_DIRECTORY also
 * shows as O_TMPFILE and O_DSYNC as O_SYNC, as in all .scap captures.
 */
static __always_inline __u32 file_flags(__u64 native)
{
	__u32 access = native & 3;

	return (access == 1 ? 0x2 : access == 2 ? 0x3 : 0x1) | socket_flags(native) |
	       MOVE(native, 0100, 0x4) | MOVE(native, 02000, 0x8) | MOVE(native, 010000, 0x10) |
	       MOVE(native, 0200, 0x20) | MOVE(native, 04010000, 0x80) |
	       MOVE(native, 01000, 0x100) | MOVE(native, O_DIRECT, 0x200) |
	       MOVE(native, O_DIRECTORY, 0x400) | MOVE(native, O_LARGEFILE, 0x800) |
	       MOVE(native, O_TMPFILE, 0x2000);
}

/* The mode of an open counts only if it can create a file (O_CREAT, O_TMPFILE). */
static __always_inline __u32 open_mode(__u64 native_flags, __u64 mode)
{
	return (native_flags & (0100 | O_TMPFILE)) ? mode & 07777 : 0;
}

/* A type of 0 means a regular file; types that mknod does not create are 0. */
static __always_inline __u32 mknod_mode(__u64 native)
{
	__u32 type = native & 0170000;

	if (type == 0)
		type = 0100000;
	else if (type != 0100000 && type != 020000 && type != 060000 && type != 010000 &&
		 type != 0140000)
		type = 0;
	return type | (native & 07777);
}

/* Old programs put a magic number into the upper half. */
static __always_inline __u32 mount_flags(__u32 native)
{
	return (native & 0xffff0000) == 0xc0ed0000 ? native & 0xffff : native;
}

static __always_inline __u8 lseek_whence(__u32 native)
{
	return native <= 2 ? native : 0;
}

static __always_inline __u32 delete_module_flags(__u64 native)
{
	return MOVE(native, 01000, 0x1) | MOVE(native, 04000, 0x2);
}

static __always_inline __u32 openat2_resolve(__u64 native)
{
	return MOVE(native, 0x08, 0x1) | MOVE(native, 0x10, 0x2) | MOVE(native, 0x02, 0x4) |
	       MOVE(native, 0x04, 0x8) | MOVE(native, 0x01, 0x10) | MOVE(native, 0x20, 0x20);
}

static __always_inline __u32 clone_flags_stored(__u64 native)
{
	return MOVE(native, 0x400, 1 << 0) | MOVE(native, 0x200, 1 << 1) |
	       MOVE(native, 0x80000000, 1 << 2) | MOVE(native, 0x08000000, 1 << 3) |
	       MOVE(native, 0x40000000, 1 << 4) | MOVE(native, 0x20000, 1 << 5) |
	       MOVE(native, 0x20000000, 1 << 6) | MOVE(native, 0x04000000, 1 << 7) |
	       MOVE(native, 0x8000, 1 << 8) | MOVE(native, 0x100000, 1 << 9) |
	       MOVE(native, 0x2000, 1 << 10) | MOVE(native, 0x800, 1 << 11) |
	       MOVE(native, 0x40000, 1 << 12) | MOVE(native, 0x10000, 1 << 13) |
	       MOVE(native, 0x800000, 1 << 14) | MOVE(native, 0x100, 1 << 15) |
	       MOVE(native, 0x10000000, 1 << 20) | MOVE(native, 0x200000, 1 << 23) |
	       MOVE(native, 0x01000000, 1 << 24) | MOVE(native, 0x80000, 1 << 25) |
	       MOVE(native, 0x4000, 1 << 27) | MOVE(native, 0x02000000, 1 << 28);
}

static __always_inline __u32 prot_flags(__u64 native)
{
	return (native & 0xf) | MOVE(native, 0x01000000, 0x10) | MOVE(native, 0x02000000, 0x20) |
	       MOVE(native, NATIVE_PROT_SAO, 0x40);
}

static __always_inline __u32 mmap_flags(__u64 native)
{
	return (native & 3) | MOVE(native, 0x10, 0x4) | MOVE(native, 0x20, 0x8) |
	       MOVE(native, 0x40, 0x10) | MOVE(native, 0x4000, 0x40) | MOVE(native, 0x8000, 0x80) |
	       MOVE(native, 0x10000, 0x100) | MOVE(native, 0x100, 0x200) |
	       MOVE(native, 0x800, 0x400) | MOVE(native, 0x1000, 0x800) |
	       MOVE(native, 0x80, 0x1000) | MOVE(native, 0x2000, 0x4000);
}

static __always_inline __u8 rlimit_resource(__u64 native)
{
	return (__u32)native <= 15 ? native : 0xff;
}

/* Operations without a name are stored as the first one. */
static __always_inline __u16 futex_operation(__u64 native)
{
	__u16 operation = native & 0x7f;

	return (operation <= 12 ? operation : 0) | (native & 0x180);
}

static __always_inline __u32 semget_flags(__u64 native)
{
	return MOVE(native, 01000, 0x2000) | MOVE(native, 02000, 0x4000);
}

static __always_inline __u16 semop_flags(__u64 native)
{
	return MOVE(native, 04000, 0x1) | MOVE(native, 0x1000, 0x2);
}

static __always_inline __u16 semctl_command(__u64 native)
{
	static const __u16 commands[] = {
		[0] = 0x4,    [1] = 0x2,    [2] = 0x1,    [3] = 0x8,	[11] = 0x100,
		[12] = 0x200, [13] = 0x40,  [14] = 0x80,  [15] = 0x400, [16] = 0x1000,
		[17] = 0x800, [18] = 0x20,  [19] = 0x10,
	};
	__u64 command = (__u32)native;

	CHECKED(command);
	return command < sizeof(commands) / sizeof(commands[0]) ? commands[command] : 0;
}

/* The processor's error code. */
static __always_inline __u32 page_fault_flags(__u64 native)
{
	return (native & 1 ? 0x1 : 0x2) | (native & 2 ? 0x4 : 0x8) | (native & 4 ? 0x10 : 0x20) |
	       MOVE(native, 8, 0x40) | MOVE(native, 16, 0x80);
}

/* Families have the same numbers, except for the gaps, which are stored as AF_UNSPEC. */
static __always_inline __u32 socket_family(__u64 native)
{
	__u8 family = native;

	return family <= 26 || (family >= 29 && family <= 39) ? family : 0;
}

static __always_inline __u8 shutdown_direction(__u64 native)
{
	return (__u32)native <= 2 ? native : 0xff;
}

static __always_inline __u8 fcntl_command(__u64 native)
{
	static const __u8 low[] = {
		1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 15, 17, 18, 19, 21, 22,
	};
	static const __u8 high[] = {
		23, 24, 27, 0, 0, 25, 26, 28, 29,
	};
	__u64 command = (__u32)native, above = command - 1024;

	CHECKED(command);
	if (command < sizeof(low))
		return low[command];
	if (command >= 36 && command <= 38)
		return 30 + (command - 36);
	CHECKED(above);
	if (above < sizeof(high))
		return high[above];
	return 0;
}

static __always_inline __u32 epoll_create1_flags(__u64 native)
{
	return MOVE(native, 02000000, 0x1);
}

static __always_inline __u32 pidfd_open_flags(__u64 native)
{
	return MOVE(native, 04000, 0x1);
}

/* The .scap format has one more bit here, a flag of the ring itself, which is set with IOPOLL. */
static __always_inline __u32 ring_setup_flags(__u32 native)
{
	return (native & 0x3) | MOVE(native, 0x1, 0x4) | (native & 0x7c) << 1;
}

/* All up to the last known one, except EXT_ARG. */
static __always_inline __u32 ring_features(__u32 native)
{
	return native & 0x6ff;
}

static __always_inline __u32 ring_enter_flags(__u64 native)
{
	return native & 0xf;
}

/* The stored values of requests that the driver handles. */
enum ptrace_request_stored {
	PTRACE_REQUEST_PEEKTEXT = 2,
	PTRACE_REQUEST_PEEKUSR = 4,
	PTRACE_REQUEST_CONT = 8,
	PTRACE_REQUEST_SINGLESTEP = 10,
	PTRACE_REQUEST_DETACH = 12,
	PTRACE_REQUEST_SYSCALL = 13,
};

static __always_inline __u16 ptrace_request(__u64 native)
{
	static const __u8 low[] = {
		1, 2,  3,  4, 5, 6, 7,  8, 9, 10, 0,  0,  26, 27, 28, 29, 11,
		12, 30, 31, 0, 32, 0, 0, 13, 33, 34, 0, 0,  0,  35, 36, 37, 38,
	};
	__u64 request = native, above = request - 0x4200;

	_Static_assert(PTRACE_REQUESTS_LOW <= sizeof(low), "within the table");
	CHECKED(request);
	if (request < PTRACE_REQUESTS_LOW)
		return low[request];
	return above <= 0xb ? 14 + above : 0;
}

#endif
