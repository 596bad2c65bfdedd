/* SPDX-License-Identifier: MIT */
/*
 * Processes are found by their id and the time of what was counted last, in the state or among
 * those that are kept. Their exec_id_of() a program, which a process can change and the kernel
 * counts under before the program has it, only says sooner that the state has seen all that counts.
 * A process that ends is kept for two readings and some seconds: its threads may go off their CPUs
 * later, the more so if these are busy.
 */
#include "agent/run/view_threads.h"

#include <stdlib.h>
#include <string.h>

#include "agent/run/run.h"
#include "util/clock.h"

enum {
	KEPT_PLACES = 1 << 14, /* a power of two */
	KEPT_MAX = KEPT_PLACES / 2,
	KEPT_READINGS = 2,
	WAITING_PLACES = 1 << 14, /* likewise */
	WAITING_WAYS = 8,
	HASH_BITS = 32,
};

/* On a busy machine events come late, and who has ended goes off its CPU later. */
static const uint64_t patience_ns = UINT64_C(3000000000);

struct view_threads_kept {
	struct state_thread *thread; /* owned; NULL: the place is free */
	unsigned int readings; /* since it is kept */
	uint64_t since_ns; /* monotonic clock */
	uint64_t until_ns; /* that of events: when it ended, or executed another program */
	uint64_t number; /* of all that were kept */
};

/* A row that was not found. */
struct view_threads_waiting {
	uint64_t number; /* of the row; 0: none */
	uint64_t since_ns, used_ns; /* monotonic clock */
	uint64_t last_ns; /* of the row when it was first read */
};

struct view_threads {
	struct state *state; /* borrowed */
	struct view_threads_kept *kept; /* owned: a hash table, KEPT_PLACES */
	uint32_t kept_count;
	uint64_t numbers; /* that were given */
	uint64_t seen_ns; /* all events before were seen */
	bool programs_lost; /* execs, so that what the state knows may be older than it says */
	struct state_thread *nobody; /* owned; NULL: not needed yet, or no memory */
	struct view_threads_waiting waiting[WAITING_PLACES]; /* rows that were not found */
};

static uint32_t hash_of(uint64_t a, uint64_t b)
{
	const uint64_t odd = 0x9e3779b97f4a7c15;

	return (uint32_t)(((a * odd) ^ b) * odd >> HASH_BITS);
}

/* The place of a process while it ran a program, or the free one where it belongs. */
static struct view_threads_kept *kept_place(struct view_threads_kept *kept, int64_t pid,
					    uint64_t exec_id)
{
	uint32_t at = hash_of((uint64_t)pid, 0);

	for (;; at++) {
		struct view_threads_kept *place = &kept[at % KEPT_PLACES];

		if (!place->thread ||
		    (place->thread->pid == pid && place->thread->exec_id == exec_id))
			return place;
	}
}

/* A thread that took too many names has rows without one. */
static bool is_named(const struct state_thread *thread, const char *name)
{
	return !name || !*name || strncmp(thread->comm, name, sizeof(thread->comm)) == 0;
}

/* What a process was last, whatever program it ran, under a name; NULL: any. NULL: it is not kept.
 */
static struct state_thread *find_latest(const struct view_threads_kept *kept, int64_t pid,
					const char *name)
{
	const struct view_threads_kept *found = NULL;

	for (uint32_t at = hash_of((uint64_t)pid, 0); kept[at % KEPT_PLACES].thread; at++) {
		const struct view_threads_kept *place = &kept[at % KEPT_PLACES];

		if (place->thread->pid == pid && is_named(place->thread, name) &&
		    (!found || place->number > found->number))
			found = place;
	}
	return found ? found->thread : NULL;
}

/* What a process was at a time: that which ended first of all that ended later. NULL: it is not
 * kept. */
static struct state_thread *find_then(const struct view_threads_kept *kept, int64_t pid,
				      uint64_t at_ns)
{
	const struct view_threads_kept *found = NULL;

	for (uint32_t at = hash_of((uint64_t)pid, 0); kept[at % KEPT_PLACES].thread; at++) {
		const struct view_threads_kept *place = &kept[at % KEPT_PLACES];

		if (place->thread->pid == pid && place->until_ns >= at_ns &&
		    (!found || place->until_ns < found->until_ns))
			found = place;
	}
	return found ? found->thread : NULL;
}

void view_threads_begin(struct run *run)
{
	struct view_threads *made;

	if (!(run->plan->call_rows_by & BY_THREAD))
		return;
	made = calloc(1, sizeof(*made));
	if (made)
		made->kept = calloc(KEPT_PLACES, sizeof(made->kept[0]));
	if (made && !made->kept) {
		free(made);
		made = NULL;
	}
	run->view_threads = made;
}

void view_threads_join(struct run *run)
{
	if (run->view_threads)
		run->view_threads->state = run->state;
}

static void release_all(struct view_threads *threads)
{
	for (uint32_t i = 0; i < KEPT_PLACES; i++)
		state_former_release(threads->state, threads->kept[i].thread);
	memset(threads->kept, 0, KEPT_PLACES * sizeof(threads->kept[0]));
	threads->kept_count = 0;
}

void view_threads_end(struct run *run)
{
	struct view_threads *threads = run->view_threads;

	if (!threads)
		return;
	if (threads->state) {
		release_all(threads);
		state_former_release(threads->state, threads->nobody);
	}
	free(threads->kept);
	free(threads);
	run->view_threads = NULL;
}

/*
 * Whether an event ends a process, or replaces its program: of execs also those that fail. The
 * first thread may end before the others, and a thread whose end was the event before is still
 * counted.
 */
static bool ends_program(const struct state *state, const struct ppm_evt_hdr *header,
			 const struct state_thread *thread)
{
	const struct state_thread *main;

	if (header->type == EVENT_execve || header->type == EVENT_execveat)
		return true;
	if (header->type != EVENT_procexit)
		return false;
	main = state_thread_main(state, thread);
	return !main || main == thread || main->nthreads <= 1;
}

static bool is_short(const struct scap_event *raw)
{
	return raw->len < sizeof(struct ppm_evt_hdr);
}

static void keep(struct view_threads *threads, const struct state_thread *thread, uint64_t until_ns)
{
	struct view_threads_kept *place = kept_place(threads->kept, thread->pid, thread->exec_id);
	struct state_thread *made = state_former_create(threads->state, thread);

	/* Without memory it stays what it was: an empty place would hide those behind it. */
	if (!made)
		return;
	state_former_release(threads->state, place->thread);
	threads->kept_count += place->thread == NULL;
	place->thread = made;
	place->readings = 0;
	place->since_ns = clock_ns(CLOCK_MONOTONIC);
	place->until_ns = until_ns;
	place->number = ++threads->numbers;
}

bool view_threads_note(struct run *run, const struct scap_event *raw)
{
	struct view_threads *threads = run->view_threads;
	const struct state_thread *thread;
	struct ppm_evt_hdr header;

	view_threads_join(run);
	if (is_short(raw))
		return false;
	memcpy(&header, raw->frame, sizeof(header));
	view_threads_settle(run, header.ts);
	if (header.type != EVENT_procexit && header.type != EVENT_execve &&
	    header.type != EVENT_execveat)
		return false;
	thread = state_thread_find(run->state, (int64_t)header.tid);
	if (thread && thread->exec_id && ends_program(run->state, &header, thread))
		keep(threads, thread, header.ts);
	return threads->kept_count >= KEPT_MAX;
}

void view_threads_settle(struct run *run, uint64_t until_ns)
{
	struct view_threads *threads = run->view_threads;

	if (threads && until_ns > threads->seen_ns)
		threads->seen_ns = until_ns;
}

void view_threads_doubt(struct run *run)
{
	if (run->view_threads)
		run->view_threads->programs_lost = true;
}

void view_threads_forget(struct run *run)
{
	release_all(run->view_threads);
}

static const struct state_thread *find_live(const struct view_threads *threads, int64_t tid,
					    uint64_t exec_id)
{
	const struct state_thread *thread = state_thread_find(threads->state, tid);

	return thread && thread->exec_id == exec_id ? thread : NULL;
}

/* The place of a row that waits, or has waited. NULL: others have all that it may have. */
static struct view_threads_waiting *waiting_place(struct view_threads *threads,
						  const struct call_row_key *key,
						  const struct call_row *row)
{
	const uint64_t number = (key->program ^ (uint64_t)key->tid << HASH_BITS) | 1;
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	const uint32_t first = hash_of(key->tid, key->program);
	struct view_threads_waiting *place, *oldest = NULL;

	for (uint32_t i = 0; i < WAITING_WAYS; i++) {
		place = &threads->waiting[(first + i) % WAITING_PLACES];
		if (place->number == number) {
			place->used_ns = now_ns;
			return place;
		}
		if (!oldest || place->used_ns < oldest->used_ns)
			oldest = place;
	}
	if (now_ns - oldest->used_ns < 2 * patience_ns)
		return NULL;
	*oldest = (struct view_threads_waiting){number, now_ns, now_ns, row->last_ns};
	return oldest;
}

/* Not for ever: what began shortly before a reading may not have had its event yet. */
static bool waits(struct view_threads *threads, const struct call_row_key *key,
		  const struct call_row *row)
{
	const struct view_threads_waiting *place = waiting_place(threads, key, row);

	return place && clock_ns(CLOCK_MONOTONIC) - place->since_ns < patience_ns;
}

/* Whether the event may come yet by which a process has the program that a row is of. */
static bool is_ahead(struct view_threads *threads, const struct call_row_key *key,
		     const struct call_row *row)
{
	const struct view_threads_waiting *place;

	if (row->last_ns <= threads->seen_ns)
		return false;
	place = waiting_place(threads, key, row);
	return place && place->last_ns > threads->seen_ns;
}

/* Nobody has said who that is: the row has its name and ids. */
static bool find_unknown(struct view_threads *threads, const struct call_row *row,
			 struct state_thread *thread)
{
	if (!threads->nobody)
		threads->nobody = state_former_create_unknown(threads->state);
	if (!threads->nobody)
		return false;
	*thread = *threads->nobody;
	thread->pid = row->pid;
	return true;
}

/* What a switch says of memory is known from now on; the last one of a thread has none any more. */
static void note_memory(struct view_threads *threads, const struct call_row_key *key,
			const struct call_row *row, struct state_thread *kept,
			struct state_thread *thread)
{
	if (key->event != EVENT_switch || !row->vm_size_kib)
		return;
	thread->vm_size_kib = row->vm_size_kib;
	thread->vm_rss_kib = row->vm_rss_kib;
	if (kept) {
		kept->vm_size_kib = row->vm_size_kib;
		kept->vm_rss_kib = row->vm_rss_kib;
	} else {
		state_former_note_memory(threads->state, key->tid, row->vm_size_kib,
					 row->vm_rss_kib);
	}
}

/* Who a row is of. One of both is NULL; both: it is not known. */
struct view_threads_found {
	const struct state_thread *live;
	struct state_thread *kept;
};

/* Whether a program may be that of a row by the time alone. */
static bool is_trusted(const struct view_threads *threads, const struct state_thread *thread,
		       const struct call_row *row)
{
	return !threads->programs_lost || thread->exec_id == row->exec_id;
}

/* That it left a program later than it was counted no process can change. */
static struct view_threads_found find_left(const struct view_threads *threads,
					   const struct call_row *row)
{
	struct view_threads_found found = {0};

	if (row->last_ns)
		found.kept = find_then(threads->kept, row->pid, row->last_ns);
	if (found.kept && !is_trusted(threads, found.kept, row))
		found.kept = NULL;
	return found;
}

static struct view_threads_found find_program(const struct view_threads *threads,
					      const struct call_row_key *key,
					      const struct call_row *row)
{
	struct view_threads_found found = {find_live(threads, key->tid, row->exec_id), NULL};

	if (!found.live)
		found.live = find_live(threads, row->pid, row->exec_id);
	if (!found.live)
		found.kept = kept_place(threads->kept, row->pid, row->exec_id)->thread;
	return found;
}

/*
 * Of a process that has changed its exec_id, or was counted before its program had one: what it is
 * since, or what it was last.
 */
static struct view_threads_found find_changed(const struct view_threads *threads,
					      const struct call_row *row)
{
	const struct state_thread *live = state_thread_find(threads->state, row->pid);

	if (!row->last_ns || threads->programs_lost)
		return (struct view_threads_found){0};
	if (live && live->clone_ts_ns <= row->last_ns && *live->program->exe)
		return (struct view_threads_found){live, NULL};
	return (struct view_threads_found){NULL, find_latest(threads->kept, row->pid, NULL)};
}

/*
 * For what was counted while a thread ended, or was between two programs: the kernel did not know
 * which it had. name: as the process had; NULL: any. The state may have asked /proc for one that
 * has ended, and waits for its parent without a program: that is no answer.
 */
static struct view_threads_found find_process(const struct view_threads *threads, int64_t pid,
					      const char *name)
{
	const struct state_thread *live = state_thread_find(threads->state, pid);

	if (live && is_named(live, name) && *live->program->exe)
		return (struct view_threads_found){live, NULL};
	return (struct view_threads_found){NULL, find_latest(threads->kept, pid, name)};
}

static bool is_found(const struct view_threads_found *found)
{
	return found->live || found->kept;
}

/* Of a row whose program had an id. Returns false if it waits. */
static bool find_by_program(struct view_threads *threads, const struct call_row_key *key,
			    const struct call_row *row, bool is_last,
			    struct view_threads_found *found)
{
	*found = find_left(threads, row);
	/* Before all events until then were seen, another program may have the same id. */
	if (!is_found(found) && !is_last && is_ahead(threads, key, row))
		return false;
	if (!is_found(found))
		*found = find_program(threads, key, row);
	if (!is_found(found))
		*found = find_changed(threads, row);
	if (!is_found(found) && !is_last && waits(threads, key, row))
		return false;
	if (!is_found(found) && !threads->programs_lost)
		*found = find_process(threads, row->pid, (const char *)key->name);
	return true;
}

bool view_threads_find(struct view_threads *threads, const struct call_row_key *key,
		       const struct call_row *row, bool is_last, struct state_thread *thread)
{
	const char *name = (const char *)key->name;
	struct view_threads_found found = {0};

	if (row->exec_id && !find_by_program(threads, key, row, is_last, &found))
		return false;
	if (!row->exec_id)
		found = find_process(threads, row->pid, name);
	if (!is_found(&found) && !row->exec_id)
		found = find_process(threads, row->pid, NULL);
	if (is_found(&found))
		*thread = found.live ? *found.live : *found.kept;
	else if ((!row->exec_id && !is_last && waits(threads, key, row)) ||
		 !find_unknown(threads, row, thread))
		return false;
	note_memory(threads, key, row, found.kept, thread);
	thread->tid = key->tid;
	thread->uid = key->uid;
	if (*name)
		memcpy(thread->comm, key->name, sizeof(thread->comm));
	thread->comm[sizeof(thread->comm) - 1] = '\0';
	return true;
}

bool view_threads_is_over(const struct view_threads *threads, const struct call_row_key *key,
			  const struct call_row *row)
{
	const struct state_thread *thread = state_thread_find(threads->state, key->tid);

	return !thread || !row->exec_id || (thread->exec_id && thread->exec_id != row->exec_id);
}

void view_threads_step(struct view_threads *threads)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct view_threads_kept *kept;

	if (!threads->kept_count)
		return;
	kept = calloc(KEPT_PLACES, sizeof(kept[0]));
	if (!kept) {
		release_all(threads);
		return;
	}
	threads->kept_count = 0;
	for (uint32_t i = 0; i < KEPT_PLACES; i++) {
		struct view_threads_kept *old = &threads->kept[i];

		if (!old->thread)
			continue;
		if (++old->readings >= KEPT_READINGS && now_ns - old->since_ns >= patience_ns) {
			state_former_release(threads->state, old->thread);
			continue;
		}
		*kept_place(kept, old->thread->pid, old->thread->exec_id) = *old;
		threads->kept_count++;
	}
	free(threads->kept);
	threads->kept = kept;
}
