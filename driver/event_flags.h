/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The flags of events, the last column of their rows in events/ without the prefix: what a call does,
 * and what both sides do with its events because of it.
 */
#ifndef LANNER_EVENT_FLAGS_H
#define LANNER_EVENT_FLAGS_H

/* FLAG(name, value) */
#define EVENT_FLAGS(FLAG)                                                                          \
	FLAG(CREATES_FD, 1U << 0)                                                                  \
	FLAG(DESTROYS_FD, 1U << 1)                                                                 \
	FLAG(USES_FD, 1U << 2)                                                                     \
	FLAG(READS_FROM_FD, 1U << 3)                                                               \
	FLAG(WRITES_TO_FD, 1U << 4)                                                                \
	FLAG(MODIFIES_STATE, 1U << 5)                                                              \
	FLAG(WAITS, 1U << 6)                                                                       \
	FLAG(LARGE_PAYLOAD, 1U << 7) /* the lengths of its parameters have 32 bits */              \
	/* Extensions, not of the .scap world: */                                                  \
	/* Makes a connection: its frames say where both directions begin, if requests are made. */ \
	FLAG(TELLS_STREAM, 1U << 8)                                                                \
	FLAG(OF_SOCKET, 1U << 9) /* of whom the socket is, not of the current task */              \
	FLAG(UNSEEN, 1U << 12) /* updates the state, never printed */                              \
	FLAG(ENTER, 1U << 13) /* on entry to a call that has an event on exit, too */              \
	FLAG(ON_REQUEST, 1U << 14) /* too frequent: captured only if a filter names it */          \
	FLAG(RECORDED, 1U << 15) /* in capture files only */                                       \
	FLAG(TRANSFERS, 1U << 16) /* moves bytes through its first argument, a descriptor */       \
	/* Its frames say which file its descriptor is; so do those that transfer bytes. */        \
	FLAG(TELLS_FILE, 1U << 17)                                                                 \
	FLAG(HAS_MESSAGES, 1U << 18) /* one call has an event for each of its messages */          \
	FLAG(SENDS, 1U << 19) /* datagrams, to addresses that are noted when they are sent */      \
	FLAG(MAKES_TASK, 1U << 20)                                                                 \
	FLAG(EXECS, 1U << 21)                                                                      \
	/*                                                                                         \
	 * Rare, and others depend on it, in what they mean or for the state: a part of each ring  \
	 * buffer is reserved for these.                                                           \
	 */                                                                                        \
	FLAG(IMPORTANT, 1U << 22)                                                                  \
	FLAG(FREQUENT, 1U << 23) /* in most programs; its own program ends it: see call_end() */   \
	/* One of these: event.type of the Elastic Common Schema, "info" without one. */           \
	FLAG(ECS_ACCESS, 1U << 24)                                                                 \
	FLAG(ECS_CHANGE, 2U << 24)                                                                 \
	FLAG(ECS_CREATION, 3U << 24)                                                               \
	FLAG(ECS_DELETION, 4U << 24)                                                               \
	FLAG(ECS_END, 5U << 24)                                                                    \
	FLAG(ECS_START, 6U << 24)

/* clang-format off */
#define EVENT_FLAG_PREFIXED(name, value) EF_##name = value,
/* For the files that read the column. */
#define EVENT_FLAG_PLAIN(name, value) name = value,
/* clang-format on */

enum event_flags {
	EVENT_FLAGS(EVENT_FLAG_PREFIXED)
	EF_SCAP = 0xff, /* those of the .scap world */
	EF_ECS_SHIFT = 24,
	EF_TELLS_ANY_FILE = EF_TRANSFERS | EF_TELLS_FILE,
	EF_STREAMS = EF_TRANSFERS | EF_HAS_MESSAGES, /* moves bytes that requests are made of */
	EF_TELLS_ANY_STREAM = EF_STREAMS | EF_TELLS_STREAM,
};

#endif
