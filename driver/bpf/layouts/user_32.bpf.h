/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Structs of the caller's memory that 32-bit programs have in another form. `union user_any_<name>`
 * takes either one, and widen_<name>() makes a struct user_<name> of it. It has no branch, since
 * the verifier would walk on from there for each form separately.
 */
#ifndef LANNER_LAYOUT_USER_32_BPF_H
#define LANNER_LAYOUT_USER_32_BPF_H

#include "bpf/core/slot.bpf.h"
#include "bpf/layouts/user.bpf.h"
#include "bpf/layouts/user_file.bpf.h"

/* `narrow`: all bits for the form of 32-bit programs, else none. */
#define DEFINE_FORMS(name, ...)                                                                    \
	union user_any_##name {                                                                    \
		struct user_##name wide;                                                           \
		struct user32_##name narrow;                                                       \
	};                                                                                         \
                                                                                                   \
	static __always_inline struct user_##name widen_##name(const union user_any_##name *any,   \
							       __u64 narrow)                       \
	{                                                                                          \
		return (struct user_##name){__VA_ARGS__};                                          \
	}

/* A member that both forms have. */
#define EITHER(member)                                                                             \
	.member = (any->wide.member & ~narrow) | ((__s64)any->narrow.member & narrow)

/* Its size in bytes, with forget() for the reason given at word_bytes(). */
#define FORM_BYTES(slot, any, narrow_mask)                                                         \
	(sizeof(any.narrow) +                                                                      \
	 (forget(slot, ~(narrow_mask)) & (sizeof(any.wide) - sizeof(any.narrow))))

struct user32_time {
	__s32 seconds, fraction;
};

DEFINE_FORMS(time, EITHER(seconds), EITHER(fraction))

struct user32_itimer {
	struct user32_time interval, value;
};

DEFINE_FORMS(itimer, EITHER(interval.seconds), EITHER(interval.fraction), EITHER(value.seconds),
	     EITHER(value.fraction))

struct user32_timex {
	__u32 modes;
	__s32 offset, freq, maxerror, esterror;
	__u32 status;
	__s32 constant, precision, tolerance;
	struct user32_time time;
	__s32 tick;
};

DEFINE_FORMS(timex, EITHER(modes), EITHER(offset), EITHER(freq), EITHER(maxerror), EITHER(esterror),
	     EITHER(status), EITHER(constant), EITHER(time.seconds), EITHER(time.fraction),
	     EITHER(tick))

struct user32_tms {
	__s32 utime, stime, cutime, cstime;
};

DEFINE_FORMS(tms, EITHER(utime), EITHER(stime), EITHER(cutime), EITHER(cstime))

struct user32_rusage {
	struct user32_time utime, stime;
	__s32 maxrss, ixrss, idrss, isrss, minflt, majflt;
};

DEFINE_FORMS(rusage, EITHER(utime.seconds), EITHER(utime.fraction), EITHER(stime.seconds),
	     EITHER(stime.fraction), EITHER(maxrss), EITHER(minflt), EITHER(majflt))

struct user32_times {
	struct user32_time access, change;
};

DEFINE_FORMS(times, EITHER(access.seconds), EITHER(access.fraction), EITHER(change.seconds),
	     EITHER(change.fraction))

struct user32_utimbuf {
	__s32 actime, modtime;
};

DEFINE_FORMS(utimbuf, EITHER(actime), EITHER(modtime))

struct user32_statfs {
	__u32 type, bsize, blocks, bfree, bavail, files, ffree;
	__u64 fsid;
	__u32 namelen, frsize, flags;
} __attribute__((packed));

DEFINE_FORMS(statfs, EITHER(type), EITHER(bsize), EITHER(blocks), EITHER(bfree), EITHER(bavail),
	     EITHER(files), EITHER(ffree), EITHER(fsid), EITHER(namelen), EITHER(frsize),
	     EITHER(flags))

struct user32_statfs64 {
	__u32 type, bsize;
	__u64 blocks, bfree, bavail, files, ffree, fsid;
	__u32 namelen, frsize, flags;
} __attribute__((packed));

static __always_inline struct user_statfs widen_statfs64(const struct user32_statfs64 *from)
{
	return (struct user_statfs){from->type,	   from->bsize,	  from->blocks, from->bfree,
				    from->bavail,  from->files,	  from->ffree,	from->fsid,
				    from->namelen, from->frsize, from->flags};
}

struct user32_ustat {
	__s32 free_blocks;
	__u32 free_inodes;
};

DEFINE_FORMS(ustat, EITHER(free_blocks), EITHER(free_inodes))

struct user32_mask_argument {
	__u32 address, size;
};

DEFINE_FORMS(mask_argument, EITHER(address), EITHER(size))

struct user32_sigaction {
	__u32 handler, flags, restorer;
	__u64 mask;
} __attribute__((packed));

DEFINE_FORMS(sigaction, EITHER(handler), EITHER(flags), EITHER(mask))

struct user32_sigstack {
	__u32 sp, flags, size;
};

DEFINE_FORMS(sigstack, EITHER(sp), EITHER(flags), EITHER(size))

struct user32_siginfo {
	__s32 signo, error, code, pid;
	__u32 uid, value;
};

DEFINE_FORMS(siginfo, EITHER(signo), EITHER(error), EITHER(code), EITHER(pid), EITHER(uid),
	     EITHER(value))

struct user32_sigevent {
	__u32 value, signo, notify;
};

DEFINE_FORMS(sigevent, EITHER(value), EITHER(signo), EITHER(notify))

struct user32_ipc_perm {
	__s32 key;
	__u32 uid, gid, cuid, cgid;
	__u16 mode;
};

DEFINE_FORMS(ipc_perm, EITHER(key), EITHER(uid), EITHER(gid), EITHER(cuid), EITHER(cgid),
	     EITHER(mode))

struct user32_mq_attr {
	__s32 flags, maxmsg, msgsize, curmsgs;
};

DEFINE_FORMS(mq_attr, EITHER(flags), EITHER(maxmsg), EITHER(msgsize), EITHER(curmsgs))

struct user32_range {
	__u32 start, len;
};

DEFINE_FORMS(range, EITHER(start), EITHER(len))

struct user32_sysinfo {
	__s32 uptime;
	__u32 loads[3];
	__u32 totalram, freeram, sharedram, bufferram, totalswap, freeswap;
	__u16 procs, pad;
	__u32 totalhigh, freehigh, unit;
};

/* Memory is counted in units as large as the number needs; they are bytes to 64-bit programs. */
#define MEMORY(member)                                                                             \
	.member = (any->wide.member & ~narrow) |                                                   \
		  ((__u64)any->narrow.member * any->narrow.unit & narrow)

DEFINE_FORMS(sysinfo, EITHER(uptime), MEMORY(totalram), MEMORY(freeram), EITHER(procs))

#undef MEMORY

struct user32_rlimit {
	__u32 soft, hard;
};

/* All bits of 32 stand for no limit. */
#define LIMIT(member) EITHER(member) | -(((__u64)any->narrow.member + 1) >> 32 & narrow)

DEFINE_FORMS(rlimit, LIMIT(soft), LIMIT(hard))

#undef LIMIT

struct user32_iovec {
	__u32 base, len;
};

DEFINE_FORMS(iovec, EITHER(base), EITHER(len))

struct user32_message {
	__u32 name;
	__s32 name_len;
	__u32 vector, vector_len, control, control_len, flags;
};

DEFINE_FORMS(message, EITHER(name), EITHER(name_len), EITHER(vector), EITHER(vector_len),
	     EITHER(control), EITHER(control_len))

struct user32_messages_entry {
	struct user32_message message;
	__u32 len;
};

DEFINE_FORMS(messages_entry, EITHER(message.name), EITHER(message.name_len), EITHER(message.vector),
	     EITHER(message.vector_len), EITHER(message.control), EITHER(message.control_len),
	     EITHER(len))

#endif
