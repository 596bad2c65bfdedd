/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What rows of the event table expand to in a program, and what their sources may use. */
#ifndef LANNER_TABLE_BPF_H
#define LANNER_TABLE_BPF_H

#include "bpf/core/dyn.bpf.h"
#include "bpf/core/event_ids.bpf.h"
#include "bpf/core/frame.bpf.h"
#include "bpf/core/multiplexed.bpf.h"
#include "bpf/readers/aio.bpf.h"
#include "bpf/readers/arguments.bpf.h"
#include "bpf/readers/buffer.bpf.h"
#include "bpf/readers/cgroup.bpf.h"
#include "bpf/readers/clone.bpf.h"
#include "bpf/readers/entry_copy.bpf.h"
#include "bpf/readers/executable.bpf.h"
#include "bpf/readers/exit.bpf.h"
#include "bpf/readers/fd_set.bpf.h"
#include "bpf/readers/file.bpf.h"
#include "bpf/readers/file_attributes.bpf.h"
#include "bpf/readers/flags.bpf.h"
#include "bpf/readers/futex.bpf.h"
#include "bpf/readers/ipc.bpf.h"
#include "bpf/readers/keyctl.bpf.h"
#include "bpf/readers/message.bpf.h"
#include "bpf/readers/mount.bpf.h"
#include "bpf/readers/object.bpf.h"
#include "bpf/readers/packet.bpf.h"
#include "bpf/readers/page_fault.bpf.h"
#include "bpf/readers/poll.bpf.h"
#include "bpf/readers/prctl.bpf.h"
#include "bpf/readers/ptrace.bpf.h"
#include "bpf/readers/quota.bpf.h"
#include "bpf/readers/sched.bpf.h"
#include "bpf/readers/security.bpf.h"
#include "bpf/readers/sent.bpf.h"
#include "bpf/readers/siginfo.bpf.h"
#include "bpf/readers/signal.bpf.h"
#include "bpf/readers/snaplen.bpf.h"
#include "bpf/readers/stream.bpf.h"
#include "bpf/readers/socket.bpf.h"
#include "bpf/readers/sockopt.bpf.h"
#include "bpf/readers/syscall_number.bpf.h"
#include "bpf/readers/system.bpf.h"
#include "bpf/readers/task.bpf.h"
#include "bpf/readers/tcp.bpf.h"
#include "bpf/readers/time.bpf.h"
#include "bpf/readers/timeout.bpf.h"
#include "bpf/readers/user_memory.bpf.h"

/* How a value of each type goes into the frame; sources of variable types put it themselves. */
#define PUT_INT8(source) put_u8(f, source)
#define PUT_INT16(source) put_u16(f, source)
#define PUT_INT32(source) put_u32(f, source)
#define PUT_INT64(source) put_u64(f, source)
#define PUT_UINT8(source) put_u8(f, source)
#define PUT_UINT16(source) put_u16(f, source)
#define PUT_UINT32(source) put_u32(f, source)
#define PUT_UINT64(source) put_u64(f, source)
#define PUT_FLAGS8(source) put_u8(f, source)
#define PUT_FLAGS16(source) put_u16(f, source)
#define PUT_FLAGS32(source) put_u32(f, source)
#define PUT_FLAGS64(source) put_u64(f, source)
#define PUT_ENUMFLAGS8(source) put_u8(f, source)
#define PUT_ENUMFLAGS16(source) put_u16(f, source)
#define PUT_ENUMFLAGS32(source) put_u32(f, source)
#define PUT_MODE(source) put_u32(f, source)
#define PUT_FD(source) put_outcome(f, (__s64)(source))
#define PUT_PID(source) put_u64(f, (__s64)(source))
#define PUT_ERRNO(source) put_outcome(f, (__s64)(source))
#define PUT_UID(source) put_u32(f, source)
#define PUT_GID(source) put_u32(f, source)
#define PUT_SYSCALLID(source) put_u16(f, source)
#define PUT_SIGTYPE(source) put_u8(f, source)
#define PUT_SIGSET(source) put_u32(f, source)
#define PUT_RELTIME(source) put_u64(f, source)
#define PUT_ABSTIME(source) put_u64(f, source)
#define PUT_BOOL(source) put_u32(f, source)
#define PUT_CHARBUF(source) source
#define PUT_FSPATH(source) source
#define PUT_FSRELPATH(source) source
#define PUT_BYTEBUF(source) source
#define PUT_SOCKADDR(source) source
#define PUT_SOCKTUPLE(source) source
#define PUT_FDLIST(source) source
#define PUT_DYN(source) source
#define PUT_UINT32LIST(source) source
#define PUT_BITSET(source) source
#define PUT_CHARBUFARRAY(source) source
#define PUT_UINT64LIST(source) source

/* What the sources in the table may use, besides the functions of the readers. */
#define RET (f->ret)
#define ARG(n) argument(f, n)
#define SIGNED_ARG(n) signed_word(f, argument(f, n))
#define ID_ARG(n) id_value(f, argument(f, n))
/* `compat`: its index for 32-bit programs. */
#define MOVED_ARG(n, compat) argument_moved(f, n, compat)
#define WIDE_ARG(n, compat) argument_wide(f, n, compat)

/*
 * A row's variable is visible to the rows after it. Whether a value is absent is decided where it
 * is put.
 */
#define PUT_LOCAL(event, name, value)                                                              \
	__auto_type name = value;                                                                  \
	f->absent = false;

#define PUT_PARAM(event, name, type, format, source, ...)                                          \
	f->param = event##__##name;                                                                \
	PUT_##type(source);

#endif
