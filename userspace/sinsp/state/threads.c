/* SPDX-License-Identifier: MIT */
/*
 * The table of threads, notes of programs of processes that it has yet to hear of, and those that
 * have ended.
 */
#include "sinsp/state/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/core.h"
#include "sinsp/state/program.h"

enum { BUCKETS_MIN = 128, ROUNDS = 3 };

static uint32_t threads_bucket_of(const struct state_threads *threads, int64_t tid)
{
	/* Fibonacci hashing: consecutive ids are spread over the table. */
	return (uint32_t)((uint64_t)tid * 0x9E3779B97F4A7C15 >> 32) & (threads->nbuckets - 1);
}

int state_threads_init(struct state_threads *threads, struct pool *pool, uint32_t max)
{
	*threads = (struct state_threads){.pool = pool, .max = max};
	threads->buckets = calloc(BUCKETS_MIN, sizeof(*threads->buckets));
	if (!threads->buckets)
		return -ENOMEM;
	threads->nbuckets = BUCKETS_MIN;
	return 0;
}

void state_thread_entry_free(struct pool *pool, struct state_thread_entry *entry)
{
	struct state_thread *thread = &entry->thread;

	state_program_unref(pool, thread->program);
	state_fs_unref(pool, thread->fs);
	state_fds_unref(thread->fds);
	state_cgroups_unref(thread->cgroups);
	pool_free(pool, entry, sizeof(*entry));
}

void state_threads_clear(struct state_threads *threads)
{
	for (uint32_t i = 0; i < threads->nbuckets; i++) {
		while (threads->buckets[i].entries) {
			struct state_thread_entry *entry = threads->buckets[i].entries;

			threads->buckets[i].entries = entry->next;
			state_thread_entry_free(threads->pool, entry);
		}
		threads->buckets[i].children = NULL;
	}
	threads->entries = 0;
	threads->unknown = 0;
	threads->followed = 0;
	threads->last = NULL;
	threads->pinned = NULL;
}

void state_threads_finish(struct state_threads *threads)
{
	state_threads_clear(threads);
	free(threads->buckets);
	*threads = (struct state_threads){0};
}

struct state_thread_entry *state_threads_search(const struct state_threads *threads, int64_t tid)
{
	struct state_thread_entry *entry;

	for (entry = threads->buckets[threads_bucket_of(threads, tid)].entries; entry;
	     entry = entry->next)
		if (entry->thread.tid == tid)
			return entry;
	return NULL;
}

static void link_child(struct state_threads *threads, struct state_thread_entry *entry)
{
	uint32_t bucket = threads_bucket_of(threads, entry->thread.ptid);
	struct state_thread_entry **at = &threads->buckets[bucket].children;

	entry->next_child = *at;
	entry->child_link = at;
	if (*at)
		(*at)->child_link = &entry->next_child;
	*at = entry;
}

static void unlink_child(struct state_thread_entry *entry)
{
	if (!entry->child_link)
		return;
	*entry->child_link = entry->next_child;
	if (entry->next_child)
		entry->next_child->child_link = entry->child_link;
	entry->child_link = NULL;
}

void state_threads_set_parent(struct state_threads *threads, struct state_thread *thread,
			      int64_t ptid)
{
	struct state_thread_entry *entry = state_thread_entry(thread);

	if (thread->ptid == ptid)
		return;
	unlink_child(entry);
	thread->ptid = ptid;
	if (ptid > 0)
		link_child(threads, entry);
}

void state_threads_reparent(struct state_threads *threads, int64_t from, int64_t to)
{
	struct state_thread_entry *child =
		threads->buckets[threads_bucket_of(threads, from)].children;

	while (child) {
		struct state_thread_entry *next = child->next_child;

		if (child->thread.ptid == from)
			state_threads_set_parent(threads, &child->thread, to);
		child = next;
	}
}

static void threads_grow(struct state_threads *threads)
{
	struct state_threads_bucket *old = threads->buckets;
	uint32_t nold = threads->nbuckets;
	struct state_threads_bucket *buckets = calloc(2 * (size_t)nold, sizeof(*buckets));

	if (!buckets)
		return; /* chains get longer, but stay correct */
	threads->buckets = buckets;
	threads->nbuckets = 2 * nold;
	for (uint32_t i = 0; i < nold; i++) {
		while (old[i].entries) {
			struct state_thread_entry *entry = old[i].entries;
			uint32_t bucket = threads_bucket_of(threads, entry->thread.tid);

			old[i].entries = entry->next;
			entry->next = buckets[bucket].entries;
			buckets[bucket].entries = entry;
			if (entry->child_link)
				link_child(threads, entry);
		}
	}
	free(old);
}

/* Whether the entry may be evicted now. */
static bool is_victim(const struct state_threads *threads, struct state_thread_entry *entry,
		      bool last_round)
{
	if (entry == threads->pinned)
		return false;
	if (entry->used) {
		entry->used = false;
		return false;
	}
	/* The other threads of a process need its main thread. */
	return last_round || !state_thread_is_main(&entry->thread) || entry->thread.nthreads <= 1;
}

/* The search continues where the last one stopped. */
bool state_threads_evict(struct state_threads *threads)
{
	for (uint64_t step = 0; step < (uint64_t)threads->nbuckets * ROUNDS; step++) {
		bool last_round = step >= (uint64_t)threads->nbuckets * (ROUNDS - 1);
		struct state_thread_entry *entry = threads->buckets[threads->hand].entries;

		threads->hand = (threads->hand + 1) & (threads->nbuckets - 1);
		while (entry && !is_victim(threads, entry, last_round))
			entry = entry->next;
		if (!entry)
			continue;
		threads->evicted += !entry->unknown;
		state_threads_remove(threads, entry);
		return true;
	}
	return false;
}

struct state_thread_entry *state_threads_add(struct state_threads *threads, int64_t tid,
					     int64_t pid)
{
	struct state_thread_entry *entry = state_threads_find(threads, tid), *main;
	uint32_t bucket;

	if (entry)
		state_threads_remove(threads, entry);
	if (threads->entries >= threads->max && !state_threads_evict(threads))
		return NULL;
	if (threads->entries >= threads->nbuckets)
		threads_grow(threads);
	entry = pool_alloc(threads->pool, sizeof(*entry));
	if (!entry)
		return NULL;
	*entry = (struct state_thread_entry){
		.thread = {.tid = tid,
			   .pid = pid,
			   .ptid = -1,
			   .vtid = -1,
			   .vpid = -1,
			   .pgid = -1,
			   .vpgid = -1,
			   .sid = -1,
			   .uid = UINT32_MAX,
			   .gid = UINT32_MAX,
			   .loginuid = UINT32_MAX,
			   .fd_limit = -1,
			   .nthreads = tid == pid},
	};
	bucket = threads_bucket_of(threads, tid);
	entry->next = threads->buckets[bucket].entries;
	threads->buckets[bucket].entries = entry;
	threads->entries++;
	threads->last = entry;
	main = tid == pid ? NULL : state_threads_find(threads, pid);
	if (main)
		main->thread.nthreads++;
	return entry;
}

void state_threads_set_process(struct state_threads *threads, struct state_thread *thread,
			       int64_t pid)
{
	struct state_thread_entry *main;

	thread->pid = pid;
	main = state_threads_find(threads, pid);
	if (main)
		main->thread.nthreads++;
}

static void unlink_entry(struct state_threads *threads, struct state_thread_entry *entry)
{
	uint32_t bucket = threads_bucket_of(threads, entry->thread.tid);
	struct state_thread_entry **at = &threads->buckets[bucket].entries;

	unlink_child(entry);
	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	threads->entries--;
	threads->unknown -= entry->unknown;
	threads->followed -= entry->thread.followed;
	if (threads->last == entry)
		threads->last = NULL;
}

void state_threads_remove(struct state_threads *threads, struct state_thread_entry *entry)
{
	struct state_thread_entry *main = NULL;

	if (!state_thread_is_main(&entry->thread))
		main = state_threads_find(threads, entry->thread.pid);
	if (main && main->thread.nthreads)
		main->thread.nthreads--;
	unlink_entry(threads, entry);
	state_thread_entry_free(threads->pool, entry);
}

void state_threads_end(struct state_threads *threads, struct state_thread_entry *entry)
{
	struct state_thread_entry *main = state_threads_find(threads, entry->thread.pid);

	if (entry != main) {
		state_threads_remove(threads, entry);
		entry = main;
	} else if (!entry->ended) {
		entry->ended = true;
		entry->thread.exiting = false; /* kept for the others */
		if (entry->thread.nthreads)
			entry->thread.nthreads--;
	}
	if (entry && entry->ended && entry->thread.nthreads == 0)
		state_threads_remove(threads, entry);
}

uint32_t state_threads_ends_process(const struct state_threads *threads,
				    const struct state_thread_entry *entry)
{
	const struct state_thread_entry *main = state_threads_find(threads, entry->thread.pid);

	if (!main || main->unknown || main->thread.nthreads > 1)
		return 0;
	if (main == entry)
		return entry->ended ? 0 : 1;
	return main->ended ? 2 : 0;
}

void state_threads_each(struct state_threads *threads,
			void (*visit)(struct state_thread_entry *entry, void *context),
			void *context)
{
	for (uint32_t i = 0; i < threads->nbuckets; i++) {
		struct state_thread_entry *entry = threads->buckets[i].entries;

		while (entry) {
			struct state_thread_entry *next = entry->next;

			if (!entry->unknown)
				visit(entry, context);
			entry = next;
		}
	}
}

void state_thread_share_cgroups(struct state_thread *thread, const struct state_thread *with)
{
	struct state_cgroups *before = thread->cgroups;

	thread->cgroups = state_cgroups_ref(with->cgroups);
	state_fds_set_group(thread->fds, with->cgroups->holder);
	state_cgroups_unref(before);
}

/* Moves a thread, which takes the caller's reference. */
static void enter_cgroups(struct state_thread *thread, struct state_cgroups *cgroups)
{
	state_fds_set_group(thread->fds, cgroups->holder);
	state_cgroups_unref(thread->cgroups);
	thread->cgroups = cgroups;
	if (cgroups->container && !cgroups->container->first_tid)
		cgroups->container->first_tid = thread->tid;
}

void state_thread_set_cgroups(struct state_containers *containers, struct state_thread *thread,
			      const char *text, size_t len)
{
	struct state_cgroups *cgroups = thread->cgroups;

	if (cgroups && len == cgroups->len && memcmp(cgroups->text, text, len) == 0)
		return;
	cgroups = state_cgroups_get(containers, text, len);
	if (!cgroups)
		return;
	enter_cgroups(thread, cgroups);
}

void state_thread_move_cgroups(struct state_thread *thread, uint32_t subsystems, const char *path)
{
	struct state_cgroups *cgroups = state_cgroups_moved(thread->cgroups, subsystems, path);

	if (!cgroups)
		return;
	enter_cgroups(thread, cgroups);
}

/* Notes: a program is noted by the id of its process, in the place of its remainder. */

static struct state_note *notes_place(struct state_notes *notes, int64_t tid)
{
	return &notes->places[(uint64_t)tid % NOTES_COUNT];
}

static void notes_empty(struct state_notes *notes, struct pool *pool, struct state_note *note)
{
	state_program_unref(pool, note->program);
	*note = (struct state_note){0};
	notes->count--;
}

void state_notes_put(struct state_notes *notes, struct pool *pool, const struct state_note *note,
		     const struct state_program *program, uint64_t now_ns)
{
	struct state_note *place = notes_place(notes, note->tid);
	struct state_program *copy = state_program_create(pool, program);

	if (!copy)
		return;
	if (place->program) {
		notes->dropped += now_ns && place->tid != note->tid && place->until_ns >= now_ns;
		notes_empty(notes, pool, place);
	}
	*place = *note;
	place->program = copy;
	notes->count++;
	if (notes->until_ns < note->until_ns)
		notes->until_ns = note->until_ns;
}

struct state_program *state_notes_take(struct state_notes *notes, int64_t tid, uint64_t exec_id)
{
	struct state_note *place = notes_place(notes, tid);
	struct state_program *program = place->program;

	if (!program || place->tid != tid || place->exec_id != exec_id)
		return NULL;
	*place = (struct state_note){0};
	notes->count--;
	return program;
}

void state_notes_finish(struct state_notes *notes, struct pool *pool)
{
	for (size_t i = 0; i < NOTES_COUNT && notes->count; i++)
		if (notes->places[i].program)
			notes_empty(notes, pool, &notes->places[i]);
	notes->until_ns = 0;
}

void state_notes_expire(struct state_notes *notes, struct pool *pool, uint64_t now_ns)
{
	if (notes->count && notes->until_ns < now_ns)
		state_notes_finish(notes, pool);
}

/* Copies of threads that ended, which share what these shared, but for descriptors. */

static struct state_thread_entry **ended_place(const struct state *state, int64_t pid)
{
	return &state->ended.entries[(uint64_t)pid % ENDED_MAX];
}

static void ended_forget(struct state *state, struct state_thread_entry **place)
{
	if (!*place)
		return;
	state_thread_entry_free(&state->pool, *place);
	*place = NULL;
	state->ended.count--;
}

void state_ended_begin(struct state *state)
{
	if (!state->ended.entries)
		state->ended.entries = calloc(ENDED_MAX, sizeof(*state->ended.entries));
}

void state_ended_clear(struct state *state)
{
	for (int64_t i = 0; state->ended.count && i < ENDED_MAX; i++)
		ended_forget(state, ended_place(state, i));
}

void state_ended_finish(struct state *state)
{
	state_ended_clear(state);
	free(state->ended.entries);
	state->ended.entries = NULL;
}

void state_ended_keep(struct state *state, const struct state_thread_entry *ended)
{
	const struct state_thread *thread = &ended->thread;
	struct state_thread_entry *entry, **place;
	struct state_fds *fds;

	if (!state->ended.entries || ended->unknown || !state_thread_is_main(thread))
		return;
	place = ended_place(state, thread->pid);
	ended_forget(state, place);
	fds = state_fds_create(&state->fd_store);
	entry = fds ? pool_alloc(&state->pool, sizeof(*entry)) : NULL;
	if (!entry) {
		state_fds_unref(fds);
		return;
	}
	*entry = (struct state_thread_entry){.thread = *thread};
	entry->thread.exiting = false;
	entry->thread.fds = fds;
	state_program_ref(thread->program);
	state_fs_ref(thread->fs);
	state_cgroups_ref(thread->cgroups);
	*place = entry;
	state->ended.count++;
}

struct state_thread *state_ended_find(const struct state *state, int64_t pid)
{
	struct state_thread_entry *entry =
		state->ended.entries && pid > 0 ? *ended_place(state, pid) : NULL;

	return entry && entry->thread.pid == pid ? &entry->thread : NULL;
}
