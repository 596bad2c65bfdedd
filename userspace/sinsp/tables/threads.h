/* SPDX-License-Identifier: MIT */
/*
 * The table of threads: a hash table by thread id, bounded, with lists of children by the parent's
 * id, so that parents may come and go. At the limit a thread that had no event for a long time
 * gives way; /proc brings it back if it is still alive.
 */
#ifndef SINSP_TABLES_THREADS_H
#define SINSP_TABLES_THREADS_H

#include "sinsp/tables/fds.h"
#include "sinsp/tables/thread.h"
#include "util/pool.h"

struct sinsp_thread_entry {
	struct sinsp_thread thread; /* first: a thread is its entry */
	struct sinsp_thread_entry *next; /* of the same bucket */
	struct sinsp_thread_entry *next_child; /* of the same bucket of parents */
	struct sinsp_thread_entry **child_link; /* what points here in that list; NULL: in none */
	uint64_t since_ns; /* the time of what made it: an event, or a look into /proc */
	bool unknown; /* no thread: /proc was asked for this id without success */
	bool by_caller; /* made by its creator's event, and no call of its own was seen yet */
	bool orphan; /* made by its own event while its creator was not known */
	bool ended; /* a main thread that is gone before the others of its process */
	bool used; /* had an event since the evicting hand came by */
};

struct sinsp_threads_bucket {
	struct sinsp_thread_entry *entries; /* whose id falls in this bucket */
	struct sinsp_thread_entry *children; /* whose parent's id does */
};

struct sinsp_threads {
	struct pool *pool;
	struct sinsp_threads_bucket *buckets;
	uint32_t nbuckets; /* a power of two */
	uint32_t entries, max;
	uint32_t unknown; /* of the entries */
	uint32_t followed; /* of the entries */
	uint32_t hand; /* bucket at which the search for a victim goes on */
	uint64_t evicted;
	struct sinsp_thread_entry *last; /* added or used, to find it again at once */
	const struct sinsp_thread_entry *pinned; /* never evicted; may be NULL */
};

/* Returns 0 or -ENOMEM. */
int sinsp_threads_init(struct sinsp_threads *threads, struct pool *pool, uint32_t max);
void sinsp_threads_finish(struct sinsp_threads *threads);

/* Takes out all entries; the number of evicted ones goes on. */
void sinsp_threads_clear(struct sinsp_threads *threads);

/* The entry of an id, ended and unknown ones included; or NULL. */
struct sinsp_thread_entry *sinsp_threads_find(const struct sinsp_threads *threads, int64_t tid);

/*
 * A new entry in place of the one that may be there, without its shared parts, its ids and limits
 * not known (-1) and all else zero. NULL if out of memory.
 */
struct sinsp_thread_entry *sinsp_threads_add(struct sinsp_threads *threads, int64_t tid,
					     int64_t pid);

/* Takes an entry out and gives back its parts. */
void sinsp_threads_remove(struct sinsp_threads *threads, struct sinsp_thread_entry *entry);

/*
 * Ends a thread: takes it out, a main thread only when no other of its process is left, and an
 * ended main thread with its last one.
 */
void sinsp_threads_end(struct sinsp_threads *threads, struct sinsp_thread_entry *entry);

/* Calls `visit` for every thread; it may remove the entry that it is given, and no other. */
void sinsp_threads_each(struct sinsp_threads *threads,
			void (*visit)(struct sinsp_thread_entry *entry, void *context),
			void *context);

/* Sets the process of a thread of which that was not known. */
void sinsp_threads_set_process(struct sinsp_threads *threads, struct sinsp_thread *thread,
			       int64_t pid);

/* Sets a thread's ptid: nothing else may, or the lists of children are wrong. */
void sinsp_threads_set_parent(struct sinsp_threads *threads, struct sinsp_thread *thread,
			      int64_t ptid);

/* Gives the children of a thread, which need not be in the table, to another. */
void sinsp_threads_reparent(struct sinsp_threads *threads, int64_t from, int64_t to);

/* Notes that a thread has an event, and keeps it from eviction until another one has. */
void sinsp_threads_use(struct sinsp_threads *threads, struct sinsp_thread *thread);

/* Puts a copy of `len` bytes in place of the thread's cgroups, and finds its container there. */
void sinsp_thread_set_cgroups(struct pool *pool, struct sinsp_thread *thread, const char *cgroups,
			      size_t len);

static inline struct sinsp_thread_entry *sinsp_thread_entry(struct sinsp_thread *thread)
{
	return (struct sinsp_thread_entry *)thread;
}

#endif
