/* SPDX-License-Identifier: MIT */
/*
 * A thread that asks the kernel to where it translates connections: to which address those go that
 * a client makes to the address of a service, and from which one those come that a server sees come
 * from another one. It asks the table of the socket's network namespace, and then that of the host,
 * or of the agent's own, if devices join the two: there the packets go next, and there Kubernetes
 * translates. If both of these have the connection, nothing is said of it; nor of what only the
 * socket's own table has if no device leads from there to a home: anybody can make such a
 * namespace, and write into its table what he likes.
 *
 * Questions and answers are few and bounded: one for each connection. Nothing waits for the thread
 * but who wants to, and for as long as it wants.
 */
#ifndef META_TRANSLATOR_H
#define META_TRANSLATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "net/conntrack.h"
#include "util/error.h"

enum {
	TRANSLATOR_QUESTIONS_MAX = 1024, /* without an answer that was taken */
	TRANSLATOR_SHARE_MAX = 128, /* of these, of one network namespace; or process, if unknown */
	TRANSLATOR_LATE_MS =
		2000, /* an older question is not asked: its ports may be another one's */
	TRANSLATOR_TABLES = 64, /* namespaces that are open at once, */
	TRANSLATOR_IDLE_MS = 5000, /* until nobody asked for so long */
	/* That could not be opened, or no device leads from there: when they are looked at again.
	 */
	TRANSLATOR_AGAIN_MS = 1000,
	TRANSLATOR_SEARCH_MS = 100, /* between two looks at all processes for a namespace, */
	TRANSLATOR_SEARCH_SHARE = 50, /* or as many times as long as the last one took */
};

/* How questions end. */
enum translator_fate {
	TRANSLATOR_FOUND, /* the real end is another one */
	TRANSLATOR_SAME, /* it is what the socket has */
	TRANSLATOR_MISSING, /* no table has the connection: nothing translates it */
	TRANSLATOR_UNSURE, /* both homes have it, or only a namespace that leads nowhere */
	TRANSLATOR_GONE, /* the process has ended, and no other one is in its namespace */
	TRANSLATOR_FORBIDDEN, /* a capability is missing */
	TRANSLATOR_LATE,
	TRANSLATOR_ABSENT, /* the kernel has no tables */
	TRANSLATOR_FAILED, /* another error */
	TRANSLATOR_FATES,
};

struct translator_question {
	uint64_t id; /* for the answer */
	int32_t pid; /* of the socket's process */
	uint64_t netns; /* the number of its network namespace; 0: that of the process */
	struct conntrack_tuple tuple; /* from the socket */
};

struct translator_answer {
	uint64_t id;
	enum translator_fate fate;
	struct scap_endpoint real; /* if it is found */
	uint8_t address_len;
};

struct translator;

/* Starts the thread. host_root: before /proc; NULL: none. Returns 0, or -errno with a message. */
int translator_create(const char *host_root, struct translator **translator, struct error *err);

/* Ends the thread, or leaves it behind if it hangs. Accepts NULL. */
void translator_destroy(struct translator *translator);

/* Asks, without a wait. Returns false if too many questions, in all or of that namespace, have no
 * answer yet. */
bool translator_ask(struct translator *translator, const struct translator_question *question);

/* The next answer; false: there is none. Cheap enough for each event. */
bool translator_take(struct translator *translator, struct translator_answer *answer);

/* Waits until there is one, for at most so long. Returns whether there is. */
bool translator_wait(struct translator *translator, uint64_t timeout_ns);

/* How many questions ended in each way, and how many were not asked: too many at a time. */
struct translator_stats {
	uint64_t fates[TRANSLATOR_FATES];
	uint64_t rejected;
};
void translator_stats(struct translator *translator, struct translator_stats *stats);

#endif
