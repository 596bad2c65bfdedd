/* SPDX-License-Identifier: MIT */
/*
 * The table of threads: a hash table by thread id, bounded, with lists of children by the parent's
 * id, which need not be in the table. At the limit a thread without recent events is evicted; it is
 * read from /proc again if it still exists.
 */
#ifndef SINSP_STATE_THREADS_H
#define SINSP_STATE_THREADS_H

#include <stdint.h>

#include "sinsp/state/fds.h"
#include "sinsp/state/thread.h"
#include "util/pool.h"

struct state;

struct state_thread_entry {
	struct state_thread thread; /* first: a pointer to it is one to its entry */
	struct state_thread_entry *next; /* of the same bucket */
	struct state_thread_entry *next_child; /* of the same bucket of parents */
	struct state_thread_entry **child_link; /* the pointer to it in that list; NULL: in none */
	uint64_t since_ns; /* time of the event or the lookup in /proc that added it */
	bool unknown; /* no thread: the lookup of this id in /proc failed */
	bool by_caller; /* added by its creator's event; no call of its own seen yet */
	bool orphan; /* added by its own event while its creator was unknown */
	bool outside; /* its own first event says that it is in no inner pid namespace */
	bool ended; /* a main thread that exited before others of its process */
	bool used; /* had an event since the search for a victim passed it */
};

struct state_threads_bucket {
	struct state_thread_entry *entries; /* whose id falls in this bucket */
	struct state_thread_entry *children; /* whose parent's id does */
};

struct state_threads {
	struct pool *pool;
	struct state_threads_bucket *buckets;
	uint32_t nbuckets; /* a power of two */
	uint32_t entries, max;
	uint32_t unknown; /* of the entries */
	uint32_t followed; /* of the entries */
	uint32_t hand; /* bucket at which the search for a victim continues */
	uint64_t evicted;
	struct state_thread_entry *last; /* last added or used, to find it quickly */
	const struct state_thread_entry *pinned; /* never evicted; may be NULL */
};

/* Returns 0 or -ENOMEM. */
int state_threads_init(struct state_threads *threads, struct pool *pool, uint32_t max);
void state_threads_finish(struct state_threads *threads);

/* Frees an entry that is in no table, and its share of what threads share. */
void state_thread_entry_free(struct pool *pool, struct state_thread_entry *entry);

/* Removes all entries; the count of evicted ones continues. */
void state_threads_clear(struct state_threads *threads);

/* For state_threads_find(): another entry than the last one. */
struct state_thread_entry *state_threads_search(const struct state_threads *threads, int64_t tid);

/* The entry of an id, ended and unknown ones included; or NULL. */
static inline struct state_thread_entry *state_threads_find(const struct state_threads *threads,
							    int64_t tid)
{
	struct state_thread_entry *last = threads->last;

	return last && last->thread.tid == tid ? last : state_threads_search(threads, tid);
}

/*
 * Adds an entry, which replaces an existing one: without shared parts, ids and limits unknown (-1),
 * all else zero. NULL if out of memory.
 */
struct state_thread_entry *state_threads_add(struct state_threads *threads, int64_t tid,
					     int64_t pid);

/* Removes an entry and releases its parts. */
void state_threads_remove(struct state_threads *threads, struct state_thread_entry *entry);

/*
 * Ends a thread: removes it, a main thread only after all others of its process, together with the
 * last one.
 */
void state_threads_end(struct state_threads *threads, struct state_thread_entry *entry);

/*
 * Whether that will remove the process: how many entries it has then, a main thread that ended
 * before included. 0: other threads remain.
 */
uint32_t state_threads_ends_process(const struct state_threads *threads,
				    const struct state_thread_entry *entry);

/* Makes room: removes a thread without recent events. Returns false if there is none to remove. */
bool state_threads_evict(struct state_threads *threads);

/* Calls `visit` for every thread; it may remove that entry, and no other. */
void state_threads_each(struct state_threads *threads,
			void (*visit)(struct state_thread_entry *entry, void *context),
			void *context);

/* Sets the process of a thread whose process was unknown. */
void state_threads_set_process(struct state_threads *threads, struct state_thread *thread,
			       int64_t pid);

/* Sets a thread's ptid. No other code may, because the lists of children depend on it. */
void state_threads_set_parent(struct state_threads *threads, struct state_thread *thread,
			      int64_t ptid);

/* Moves the children of a thread, which need not be in the table, to another. */
void state_threads_reparent(struct state_threads *threads, int64_t from, int64_t to);

/* Moves the thread to the control groups of another. */
void state_thread_share_cgroups(struct state_thread *thread, const struct state_thread *with);

/* Moves the thread to other control groups. They stay as they are if memory runs out. */
void state_thread_set_cgroups(struct state_containers *containers, struct state_thread *thread,
			      const char *text, size_t len);

/*
 * Moves the thread to the group of an absolute path in the hierarchies of some subsystems (bits of
 * cgroup_subsystems). In the others it stays where it is.
 */
void state_thread_move_cgroups(struct state_thread *thread, uint32_t subsystems, const char *path);

static inline struct state_thread_entry *state_thread_entry(struct state_thread *thread)
{
	return (struct state_thread_entry *)thread;
}

/* Notes that a thread has an event, and protects it from eviction until another one has. */
static inline void state_threads_use(struct state_threads *threads, struct state_thread *thread)
{
	struct state_thread_entry *entry = state_thread_entry(thread);

	entry->used = true;
	threads->pinned = entry;
	threads->last = entry;
}

/*
 * What processes execute that the kernel's list of threads has and the tables do not: noted until
 * the clone event of such a process comes. A place for each id by remainder: ids that are in use at
 * one time lie close together.
 */

enum { NOTES_COUNT = 4096 };

struct state_note {
	int64_t tid;
	uint64_t exec_id; /* as in clone events */
	uint64_t until_ns; /* when it was in the list: its clone event is not later */
	struct state_program *program; /* a reference; NULL: the place is free */
};

/* A zeroed struct is empty. */
struct state_notes {
	struct state_note places[NOTES_COUNT];
	uint32_t count;
	uint64_t until_ns; /* the latest of all */
	uint64_t dropped; /* replaced by another one before their time */
};

/*
 * Notes a program, which is copied, in place of an earlier note of that process. now_ns: time of
 * the last event; 0: there was none, and the list will be read again. Does nothing if out of
 * memory.
 */
void state_notes_put(struct state_notes *notes, struct pool *pool, const struct state_note *note,
		     const struct state_program *program, uint64_t now_ns);

/* Whether the program of a process with that exec_id is noted. It is the caller's reference then.
 */
struct state_program *state_notes_take(struct state_notes *notes, int64_t tid, uint64_t exec_id);

/* Drops all notes once their time is over: cheap enough for each clone event. */
void state_notes_expire(struct state_notes *notes, struct pool *pool, uint64_t now_ns);

/* Drops them all. */
void state_notes_finish(struct state_notes *notes, struct pool *pool);

/*
 * Processes that have ended, for events of what the kernel does in their name later: it closes
 * their sockets after they ended. The last ones are kept, without their descriptors; a process with
 * the same remainder of its id takes the place of another one.
 */

enum { ENDED_MAX = 1024 };

/* A zeroed struct is empty. */
struct state_ended {
	struct state_thread_entry **entries; /* owned, ENDED_MAX, each too; NULL: none are kept */
	uint32_t count; /* of them, that are there */
};

/* Has processes be kept from now on; if there is no memory for that, none is. */
void state_ended_begin(struct state *state);

/* Forgets all of them; more are kept. */
void state_ended_clear(struct state *state);
void state_ended_finish(struct state *state);

/* Keeps a thread as it is now, if it is the first one of a process that is known. */
void state_ended_keep(struct state *state, const struct state_thread_entry *ended);

/* NULL: it is not among them. */
struct state_thread *state_ended_find(const struct state *state, int64_t pid);

#endif
