/* SPDX-License-Identifier: MIT */
/* The table of libraries is the thread's alone; captures come and go by messages to it. */
#include "scap/tls/follower.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "abi.h"
#include "privileges/privileges.h"
#include "scap/proc/share.h"
#include "scap/proc/subuid.h"
#include "scap/tls/libraries.h"
#include "scap/tls/mapped.h"
#include "scap/tls/probe.h"
#include "util/clock.h"
#include "util/count.h"

enum {
	LOOK_MS = 60000, /* how often all processes are looked at, */
	LOOK_APART_MS = 3000, /* how soon at the earliest, */
	LOOK_SHARE = 10, /* and how many times as long as it takes there is none */
	LOOKS_UNSEEN = 2, /* after how many looks a library that nobody maps is forgotten; */
	UNHELD_MS =
		5000, /* if it is in another file system, after this time: that may have to go */
	TICK_MS = 1000, /* how often it is looked at what has ended, or has changed */
	JOIN_MS = 5000,
	WAIT_MS = 100, /* for the thread, while a capture runs */
	END_MS = 2000,
	OTHERS = 4096, /* files that are known to be none, by a hash of what they are */
	NOTES_MAX = 64, /* that are followed before captures are looked at again */
	PATH_BYTES = 32,
};

enum capture_state { CAPTURE_NONE, CAPTURE_JOINS, CAPTURE_RUNS, CAPTURE_LEAVES };

struct followed_capture {
	enum capture_state state;
	struct tls_programs programs; /* its descriptors are owned */
	struct ring_buffer *notes; /* owned */
};

struct tls_follower {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int bell; /* owned: wakes the thread */
	atomic_bool has_news; /* the thread is to look at captures at once */
	/* Under the lock: */
	struct followed_capture captures[TLS_CAPTURES_MAX];
	struct tls_follower_stats stats;
	int failed; /* -errno: the thread did not begin */
	bool ends, ended;
	/* Of the thread alone: */
	char proc[PATH_MAX];
	int type; /* of probes */
	bool has_links; /* the kernel has probes at several places at once */
	uint64_t root_dev; /* the file system of / */
	bool set[TLS_CAPTURES_MAX]; /* captures whose programs are set in libraries */
	unsigned int taken; /* notes of a capture in this turn */
	uint64_t look_ms; /* when all processes are looked at again, */
	uint64_t looked_ms, took_ms; /* when they were, and for how long */
	uint64_t tick_ms;
	struct tls_libraries libraries;
	struct share_ranges ranges; /* as of the last look */
	uint64_t others[OTHERS];
	/* Of what is looked at: */
	uint32_t choosing; /* a bit for each capture that chooses the process */
	bool at_usual; /* it is in one of the usual places */
	bool is_cut; /* a process has more mappings than are looked at */
};

static void count_failure(struct tls_follower *follower, int error)
{
	pthread_mutex_lock(&follower->lock);
	follower->stats.failed += error != -ENOSPC;
	follower->stats.rejected += error == -ENOSPC;
	follower->stats.error = error;
	pthread_mutex_unlock(&follower->lock);
}

static uint64_t now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* The next one is not before that, whatever it is for. */
static void look_soon(struct tls_follower *follower)
{
	uint64_t apart = follower->took_ms * LOOK_SHARE;
	uint64_t soon = follower->looked_ms + (apart > LOOK_APART_MS ? apart : LOOK_APART_MS);

	if (soon < follower->look_ms)
		follower->look_ms = soon;
}

static void path_of(int fd, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "/proc/self/fd/%d", fd);
}

/* Where a program is to run at a place, if it is: false for what only others have there. */
static bool use_place(const struct tls_place *place, bool has_links, unsigned int program,
		      bool at_return, struct tls_probe_places *places)
{
	const struct tls_function *function = &tls_functions[place->function];
	const bool is_end = at_return || place->is_end, is_cheap = place->is_cheap && has_links;

	if ((is_end ? function->end : function->begin) != program ||
	    (at_return && (place->is_end || function->is_go || is_cheap)) ||
	    (place->is_end && place->is_cheap && !has_links))
		return false;
	places->offsets[places->count] = is_cheap ? place->cheap_offset : place->offset;
	places->cookies[places->count++] =
		is_cheap ? (uint64_t)place->stack << 1 | TLS_HAS_STACK : 0;
	return true;
}

/* Where a program is to run in a library. */
static void places_of(const struct tls_follower *follower, const struct tls_library *functions,
		      unsigned int program, bool at_return, struct tls_probe_places *places)
{
	places->count = 0;
	for (size_t i = 0; i < functions->count; i++)
		use_place(&functions->places[i], follower->has_links, program, at_return, places);
}

static int keep_probe(struct tls_probes *probes, int fd)
{
	if (fd < 0)
		return fd;
	probes->fds[probes->count++] = fd;
	return 0;
}

static int set_program(struct tls_follower *follower, const struct tls_followed *library,
		       unsigned int program, bool at_return, int fd, struct tls_probes *probes)
{
	struct tls_probe_places places;
	char path[PATH_BYTES];
	int r = 0;

	places_of(follower, &library->functions, program, at_return, &places);
	if (!places.count)
		return 0;
	path_of(library->fd, path);
	if (follower->has_links)
		return keep_probe(probes, tls_probe_link(path, &places, at_return, fd));
	for (size_t i = 0; i < places.count && r == 0; i++)
		r = keep_probe(probes, tls_probe_open(follower->type, path, places.offsets[i],
						      at_return, fd));
	return r;
}

/*
 * What ends a call comes first, also where it is no return: none is to begin whose end is not seen.
 * Probes are closed in the other order.
 */
static const uint8_t set_order[] = {
	TLS_CALL_END,	 TLS_READ_END,	TLS_WRITE_END, TLS_GO_READ_END, TLS_GO_WRITE_END,
	TLS_FORGET,	 TLS_GO_FORGET, TLS_CALL,      TLS_CALL_EX,	TLS_CALL_FLAGS,
	TLS_CALL_UNSEEN, TLS_GO_READ,	TLS_GO_WRITE,
};

_Static_assert(sizeof(set_order) == TLS_PROGRAMS, "a program is set never or twice");

static void set_probes(struct tls_follower *follower, struct tls_followed *library,
		       unsigned int capture)
{
	const int *programs = follower->captures[capture].programs.fds;
	struct tls_probes *probes = &library->probes[capture];
	int r = 0;

	if (probes->are_set)
		return;
	for (int at_return = 1; at_return >= 0; at_return--)
		for (unsigned int i = 0; i < TLS_PROGRAMS && r == 0; i++)
			r = set_program(follower, library, set_order[i], at_return,
					programs[set_order[i]], probes);
	if (r) {
		tls_library_unset(library, capture);
		count_failure(follower, r);
	}
	probes->are_set = true;
}

/* A hash of what a file is. Never 0. */
static uint64_t identity_of(const struct tls_file *file)
{
	uint64_t hash = file->dev * 0x9e3779b97f4a7c15 ^ file->ino;

	return (hash * 0xff51afd7ed558ccd ^ file->changed_ns) | 1;
}

/* Where it is kept of such a file that it is none. */
static uint64_t *other_of(struct tls_follower *follower, const struct tls_file *file)
{
	return &follower->others[(identity_of(file) >> 32) % OTHERS];
}

static bool chooses_all(const struct tls_follower *follower, unsigned int capture)
{
	return follower->captures[capture].programs.chosen.all;
}

/* In what processes have that a capture chooses; for one that chooses all it is set before. */
static void set_where_chosen(struct tls_follower *follower, struct tls_followed *library)
{
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++)
		if (follower->set[i] && (chooses_all(follower, i) || library->chosen & 1U << i))
			set_probes(follower, library, i);
}

/* Whose place a file takes. */
static uint64_t owner_of(const struct tls_follower *follower, const struct tls_file *file,
			 int32_t pid)
{
	return share_of_file(&follower->ranges, follower->proc, pid, file->uid);
}

static void note_library(struct tls_follower *follower, struct tls_followed *library, int32_t pid)
{
	if (!library->file.uid && !library->is_usual && pid)
		tls_library_own(&follower->libraries, library,
				owner_of(follower, &library->file, pid));
	library->is_usual |= follower->at_usual;
	library->chosen |= follower->choosing;
	library->chosen_now |= follower->choosing;
	tls_library_hold(library, pid);
	set_where_chosen(follower, library);
}

static bool is_same_file(const struct tls_file *one, const struct tls_file *other)
{
	return one->size == other->size && one->written_ns == other->written_ns &&
	       one->changed_ns == other->changed_ns;
}

/*
 * Reads a file between two looks at it. Returns 0; -EAGAIN: it was written to meanwhile; or another
 * -errno: it is none.
 */
static int read_unchanged(int fd, struct tls_file *file, struct tls_library *functions)
{
	char path[PATH_BYTES], reason[PERF_REASON_BYTES];
	struct tls_file after;
	int r;

	path_of(fd, path);
	if (tls_file_look(fd, file))
		return -EAGAIN;
	r = tls_library_read(path, functions, reason);
	return tls_file_look(fd, &after) || !is_same_file(file, &after) ? -EAGAIN : r;
}

static void read_watched(struct tls_follower *follower, int fd, int watch, int32_t pid)
{
	struct tls_followed *library = NULL;
	struct tls_library functions;
	struct tls_file file;
	int r = read_unchanged(fd, &file, &functions);

	if (r == -EAGAIN) {
		look_soon(follower);
	} else if (r) {
		*other_of(follower, &file) = identity_of(&file);
	} else {
		library = tls_libraries_add(&follower->libraries, fd, watch, &file,
					    owner_of(follower, &file, pid), &functions);
		if (!library)
			count_failure(follower, -errno);
	}
	if (library)
		note_library(follower, library, pid);
	else
		tls_libraries_unwatch(&follower->libraries, watch);
}

static void read_library(struct tls_follower *follower, int fd, const struct tls_file *file,
			 int32_t pid)
{
	/* First, so that no write gets lost between what was read and what is told. */
	if (*other_of(follower, file) != identity_of(file))
		read_watched(follower, fd, tls_libraries_watch(&follower->libraries, fd), pid);
}

/* A file that a process executes. */
static void see_file(void *context, int fd, int32_t pid)
{
	struct tls_follower *follower = context;
	struct tls_followed *library;
	struct tls_file file;

	if (tls_file_look(fd, &file))
		return;
	library = tls_libraries_find(&follower->libraries, &file);
	if (library && tls_library_is_changed(library, &file)) {
		tls_libraries_forget(&follower->libraries, library);
		library = NULL;
	}
	if (library)
		note_library(follower, library, pid);
	else
		read_library(follower, fd, &file, pid);
}

/* Where distributions have them: these are known before the first process maps them. */
static void look_at_usual(struct tls_follower *follower)
{
	static const char *const patterns[] = {"/usr/lib/*/libssl.so*", "/usr/lib64/libssl.so*",
					       "/usr/lib/*/libgnutls.so*",
					       "/usr/lib64/libgnutls.so*"};
	glob_t found = {0};

	for (size_t i = 0; i < COUNT(patterns); i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
	follower->at_usual = true;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_PATH | O_CLOEXEC);

		if (fd < 0)
			continue;
		see_file(follower, fd, 0);
		close(fd);
	}
	follower->at_usual = false;
	globfree(&found);
}

/* Which captures choose a process, by bits. Returns 0 or -errno. */
static int find_choosing(const struct tls_follower *follower, int32_t pid, uint32_t *bits)
{
	*bits = 0;
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++) {
		int r = follower->set[i]
				? tls_mapped_is_chosen(follower->proc, pid,
						       &follower->captures[i].programs.chosen)
				: 0;

		if (r < 0)
			return r;
		*bits |= (uint32_t)r << i;
	}
	return 0;
}

static int choose(void *context, int32_t pid)
{
	struct tls_follower *follower = context;
	int r;

	if (follower->has_news)
		return -EINTR;
	r = find_choosing(follower, pid, &follower->choosing);
	if (r == 0 && !follower->choosing)
		tls_libraries_let_go(&follower->libraries, pid);
	return r ? r : follower->choosing != 0;
}

/* What a process has was seen, or a part of it. */
static int looked(void *context, int32_t pid, int r)
{
	struct tls_follower *follower = context;

	if (tls_mapped_is_short(r))
		return r;
	follower->is_cut |= r == -E2BIG;
	if (r == 0)
		tls_libraries_let_go_unseen(&follower->libraries, pid);
	return 0;
}

static void read_ranges(struct tls_follower *follower)
{
	int proc = open(follower->proc, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (proc < 0)
		return;
	follower->ranges.count = subuid_read(proc, follower->ranges.all);
	close(proc);
}

static void begin_look(struct tls_follower *follower)
{
	read_ranges(follower);
	follower->is_cut = false;
	tls_libraries_see_anew(&follower->libraries);
	for (size_t i = 0; i < follower->libraries.count; i++) {
		struct tls_followed *library = &follower->libraries.all[i];

		library->unseen++;
		library->is_seen = false;
		library->chosen_now = 0;
	}
}

/*
 * Whether nobody needs it any more, as a look has shown. Somebody who has it behind more mappings
 * than are looked at is known to hold it; if he is not known any more, that keeps no file system
 * busy.
 */
static bool is_unneeded(const struct tls_follower *follower, const struct tls_followed *library)
{
	return !library->is_usual && !library->is_seen && library->unheld_ms &&
	       (library->file.dev != follower->root_dev ||
		(library->unseen >= LOOKS_UNSEEN && !follower->is_cut));
}

/* Captures whose programs are set in it, but which choose no process that has it any more. */
static void unset_where_left(struct tls_follower *follower, struct tls_followed *library)
{
	uint32_t left = library->chosen & ~library->chosen_now;

	/* Some of those who have it may not have been looked at to the end. */
	if (follower->is_cut || (!library->is_seen && !library->unheld_ms))
		return;
	for (unsigned int k = 0; k < TLS_CAPTURES_MAX; k++)
		if (left & 1U << k && !chooses_all(follower, k))
			tls_library_unset(library, k);
	library->chosen = library->chosen_now;
}

static void end_look(struct tls_follower *follower)
{
	tls_libraries_drop_ended(&follower->libraries, follower->proc, now_ms());
	for (size_t i = follower->libraries.count; i > 0; i--) {
		struct tls_followed *library = &follower->libraries.all[i - 1];

		if (is_unneeded(follower, library))
			tls_libraries_forget(&follower->libraries, library);
		else
			unset_where_left(follower, library);
	}
}

static void look_at_all(struct tls_follower *follower)
{
	const struct tls_look look = {choose, see_file, looked, follower};
	uint64_t begin = now_ms();
	int r;

	begin_look(follower);
	/* First, so that files of others do not take all places. */
	look_at_usual(follower);
	r = tls_mapped_all(follower->proc, &look);
	follower->choosing = 0;
	follower->looked_ms = now_ms();
	follower->took_ms = follower->looked_ms - begin;
	follower->look_ms = follower->looked_ms + LOOK_MS;
	/* What was not looked at to the end shows nothing. */
	if (r)
		look_soon(follower);
	else
		end_look(follower);
}

/* What has ended, or has changed without a word. */
static void tick(struct tls_follower *follower, uint64_t now)
{
	struct tls_libraries *libraries = &follower->libraries;

	if (tls_libraries_forget_changed(libraries))
		look_soon(follower);
	tls_libraries_drop_ended(libraries, follower->proc, now);
	for (size_t i = 0; i < libraries->count; i++) {
		const struct tls_followed *library = &libraries->all[i];

		if (library->unheld_ms && !library->is_usual &&
		    library->file.dev != follower->root_dev &&
		    now - library->unheld_ms >= UNHELD_MS)
			look_soon(follower);
	}
	follower->tick_ms = now + TICK_MS;
}

/* Whether a note says nothing new. */
static bool is_known(struct tls_follower *follower, const struct tls_note *note)
{
	struct tls_followed *library = tls_libraries_find_noted(&follower->libraries, note);
	struct tls_file file;

	if (library &&
	    (tls_file_look(library->fd, &file) || tls_library_is_changed(library, &file))) {
		tls_libraries_forget(&follower->libraries, library);
		library = NULL;
	}
	if (library)
		note_library(follower, library, (int32_t)note->pid);
	return library;
}

/*
 * The library of a process that a note is about, as far as that is known: the inode of a note may
 * be that of a file system below. NULL: it may be one of several.
 */
static struct tls_followed *noted_one(struct tls_follower *follower, const struct tls_note *note)
{
	struct tls_followed *only = NULL;
	size_t count = 0;

	for (size_t i = 0; i < follower->libraries.count; i++) {
		struct tls_followed *library = &follower->libraries.all[i];

		if (library->seen_by != (int32_t)note->pid)
			continue;
		if (library->file.ino == note->ino)
			return library;
		only = library;
		count++;
	}
	return count == 1 ? only : NULL;
}

static void follow_note(struct tls_follower *follower, const struct tls_note *note)
{
	struct tls_followed *library;

	if (!note->ino) {
		tls_libraries_let_go(&follower->libraries, (int32_t)note->pid);
		tls_mapped_program(follower->proc, (int32_t)note->pid, see_file, follower);
		return;
	}
	tls_libraries_see_anew(&follower->libraries);
	tls_mapped_libraries(follower->proc, (int32_t)note->pid, see_file, follower);
	library = noted_one(follower, note);
	if (library) {
		library->note_ino = note->ino;
		library->note_dev = note->dev;
	}
}

/* Whoever makes notes faster than they are followed must not keep the thread: the rest waits. */
static int take_note(void *context, void *data, size_t bytes)
{
	struct tls_follower *follower = context;
	const struct tls_note *note = data;

	if (bytes < sizeof(*note) || (note->ino && is_known(follower, note)))
		return 0;
	follow_note(follower, note);
	return ++follower->taken >= NOTES_MAX || follower->has_news ? -EAGAIN : 0;
}

static void take_notes(struct tls_follower *follower)
{
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++) {
		follower->taken = 0;
		/* The kernel has noted those that it chooses. */
		follower->choosing = 1U << i;
		if (follower->set[i])
			ring_buffer__consume(follower->captures[i].notes);
	}
	follower->choosing = 0;
}

/* The thread has no more to do with it. Under the lock. */
static void drop_capture(struct followed_capture *capture)
{
	ring_buffer__free(capture->notes);
	for (unsigned int i = 0; i < TLS_PROGRAMS; i++)
		if (capture->programs.fds[i] >= 0)
			close(capture->programs.fds[i]);
	*capture = (struct followed_capture){.state = CAPTURE_NONE};
}

static void leave(struct tls_follower *follower, unsigned int capture)
{
	follower->set[capture] = false;
	for (size_t i = 0; i < follower->libraries.count; i++) {
		tls_library_unset(&follower->libraries.all[i], capture);
		follower->libraries.all[i].chosen &= ~(1U << capture);
	}
	pthread_mutex_lock(&follower->lock);
	drop_capture(&follower->captures[capture]);
	pthread_cond_broadcast(&follower->changed);
	pthread_mutex_unlock(&follower->lock);
}

static void join(struct tls_follower *follower, unsigned int capture)
{
	follower->set[capture] = true;
	follower->has_links =
		tls_probe_has_links(follower->captures[capture].programs.fds[TLS_CALL]);
	for (size_t i = 0; i < follower->libraries.count; i++)
		set_where_chosen(follower, &follower->libraries.all[i]);
	/* Of chosen processes it is not known yet which libraries they have. */
	if (!follower->looked_ms || !chooses_all(follower, capture))
		look_at_all(follower);
	pthread_mutex_lock(&follower->lock);
	if (follower->captures[capture].state == CAPTURE_JOINS)
		follower->captures[capture].state = CAPTURE_RUNS;
	pthread_cond_broadcast(&follower->changed);
	pthread_mutex_unlock(&follower->lock);
}

/* What was asked for meanwhile. Returns false at the end. */
static bool follow_captures(struct tls_follower *follower)
{
	enum capture_state states[TLS_CAPTURES_MAX];
	bool ends;

	follower->has_news = false;
	pthread_mutex_lock(&follower->lock);
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++)
		states[i] = follower->captures[i].state;
	ends = follower->ends;
	follower->stats.libraries = (uint32_t)follower->libraries.count;
	pthread_mutex_unlock(&follower->lock);
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX && !ends; i++) {
		if (states[i] == CAPTURE_LEAVES)
			leave(follower, i);
		else if (states[i] == CAPTURE_JOINS)
			join(follower, i);
	}
	return !ends;
}

static void wait_for_news(struct tls_follower *follower)
{
	struct pollfd fds[2 + TLS_CAPTURES_MAX] = {{follower->bell, POLLIN, 0},
						   {follower->libraries.watches, POLLIN, 0}};
	uint64_t now = now_ms(), rung, next = follower->look_ms;
	nfds_t count = 2;

	if (follower->libraries.count && follower->tick_ms < next)
		next = follower->tick_ms;
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++)
		if (follower->set[i])
			fds[count++] = (struct pollfd){
				ring_buffer__epoll_fd(follower->captures[i].notes), POLLIN, 0};
	poll(fds, count, next > now ? (int)(next - now) : 0);
	if (fds[1].revents & POLLIN && tls_libraries_take_writes(&follower->libraries))
		look_soon(follower);
	if (fds[0].revents & POLLIN && read(follower->bell, &rung, sizeof(rung)) < 0)
		return;
}

static void follow(struct tls_follower *follower)
{
	uint64_t now;

	follower->look_ms = now_ms() + LOOK_MS;
	while (follow_captures(follower)) {
		wait_for_news(follower);
		take_notes(follower);
		now = now_ms();
		if (now >= follower->tick_ms)
			tick(follower, now);
		if (now >= follower->look_ms)
			look_at_all(follower);
	}
}

static void *follower_run(void *data)
{
	struct tls_follower *follower = data;
	int r = privileges_enter(ROLE_PROBES, NULL, NULL);

	pthread_setname_np(pthread_self(), "tls");
	if (r == 0)
		follow(follower);
	tls_libraries_end(&follower->libraries);
	pthread_mutex_lock(&follower->lock);
	follower->failed = r;
	follower->ended = true;
	pthread_cond_broadcast(&follower->changed);
	pthread_mutex_unlock(&follower->lock);
	return NULL;
}

/* Signals are the business of the other threads. */
static int start_thread(struct tls_follower *follower)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&follower->thread, NULL, follower_run, follower);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

static void follower_free(struct tls_follower *follower)
{
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++)
		if (follower->captures[i].state != CAPTURE_NONE)
			drop_capture(&follower->captures[i]);
	if (follower->bell >= 0)
		close(follower->bell);
	pthread_cond_destroy(&follower->changed);
	pthread_mutex_destroy(&follower->lock);
	free(follower);
}

static uint64_t root_dev(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);
	struct tls_file root = {0};

	if (fd < 0)
		return 0;
	tls_file_look(fd, &root);
	close(fd);
	return root.dev;
}

int tls_follower_create(const char *proc, struct tls_follower **follower, struct error *err)
{
	struct tls_follower *made;
	int type = tls_probe_type(), r;

	if (type < 0)
		return error_set(err, type,
				 "the kernel has no probes in programs (CONFIG_UPROBE_EVENTS): %s",
				 strerror(-type));
	made = calloc(1, sizeof(*made));
	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->changed, NULL);
	snprintf(made->proc, sizeof(made->proc), "%s", proc);
	made->type = type;
	made->root_dev = root_dev();
	tls_libraries_begin(&made->libraries);
	made->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = made->bell < 0 ? -errno : start_thread(made);
	if (r) {
		tls_libraries_end(&made->libraries);
		follower_free(made);
		return error_set(err, r, "starting the thread for TLS libraries: %s", strerror(-r));
	}
	*follower = made;
	return 0;
}

static void ring_bell(struct tls_follower *follower)
{
	const uint64_t one = 1;

	follower->has_news = true;
	if (write(follower->bell, &one, sizeof(one)) < 0)
		return; /* it rings already */
}

/* Waits, under the lock, until the thread has taken a capture out of a state. */
static int wait_for_state(struct tls_follower *follower, const struct followed_capture *capture,
			  enum capture_state state, uint64_t ms)
{
	const struct timespec until = clock_after_ms(CLOCK_REALTIME, ms);
	int r = 0;

	while (capture->state == state && !follower->ended && r == 0)
		r = -pthread_cond_timedwait(&follower->changed, &follower->lock, &until);
	return follower->failed ? follower->failed : r;
}

/* Copies what it borrows, as the thread may need it for longer than the capture. */
static int copy_capture(struct tls_follower *follower, struct followed_capture *capture,
			const struct tls_programs *programs)
{
	int r = 0;

	capture->programs = *programs;
	for (unsigned int i = 0; i < TLS_PROGRAMS; i++) {
		int fd = fcntl(programs->fds[i], F_DUPFD_CLOEXEC, 0);

		r = fd < 0 ? -errno : r;
		capture->programs.fds[i] = fd;
	}
	if (r == 0) {
		capture->notes = ring_buffer__new(programs->notes, take_note, follower, NULL);
		r = capture->notes ? 0 : -errno;
	}
	if (r)
		drop_capture(capture);
	return r;
}

/* Whether events are taken of a capture, which must not wait for long. Under the lock. */
static bool runs_any(const struct tls_follower *follower)
{
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++)
		if (follower->captures[i].state == CAPTURE_RUNS)
			return true;
	return false;
}

static int join_as(struct tls_follower *follower, struct followed_capture *capture,
		   const struct tls_programs *programs)
{
	uint64_t ms = runs_any(follower) ? WAIT_MS : JOIN_MS;
	int r = copy_capture(follower, capture, programs);

	if (r)
		return r;
	capture->state = CAPTURE_JOINS;
	ring_bell(follower);
	r = wait_for_state(follower, capture, CAPTURE_JOINS, ms);
	/* On a slow machine it goes on without being waited for. */
	if (r == -ETIMEDOUT)
		return 0;
	if (r)
		drop_capture(capture);
	return r;
}

int tls_follower_join(struct tls_follower *follower, const struct tls_programs *programs,
		      unsigned int *capture)
{
	unsigned int i = 0;
	int r;

	pthread_mutex_lock(&follower->lock);
	while (i < TLS_CAPTURES_MAX && follower->captures[i].state != CAPTURE_NONE)
		i++;
	r = i == TLS_CAPTURES_MAX ? -EBUSY : join_as(follower, &follower->captures[i], programs);
	pthread_mutex_unlock(&follower->lock);
	*capture = i;
	return r;
}

void tls_follower_leave(struct tls_follower *follower, unsigned int capture)
{
	pthread_mutex_lock(&follower->lock);
	follower->captures[capture].state = CAPTURE_LEAVES;
	ring_bell(follower);
	pthread_mutex_unlock(&follower->lock);
}

bool tls_follower_is_leaving(struct tls_follower *follower, unsigned int capture, uint64_t ms)
{
	const struct followed_capture *left = &follower->captures[capture];
	bool leaves;

	pthread_mutex_lock(&follower->lock);
	wait_for_state(follower, left, CAPTURE_LEAVES, ms);
	leaves = left->state == CAPTURE_LEAVES && !follower->ended;
	pthread_mutex_unlock(&follower->lock);
	return leaves;
}

void tls_follower_stats(struct tls_follower *follower, struct tls_follower_stats *stats)
{
	pthread_mutex_lock(&follower->lock);
	*stats = follower->stats;
	pthread_mutex_unlock(&follower->lock);
}

void tls_follower_destroy(struct tls_follower *follower)
{
	struct timespec until;
	bool ended;
	int r = 0;

	if (!follower)
		return;
	pthread_mutex_lock(&follower->lock);
	follower->ends = true;
	ring_bell(follower);
	until = clock_after_ms(CLOCK_REALTIME, END_MS);
	while (!follower->ended && r == 0)
		r = pthread_cond_timedwait(&follower->changed, &follower->lock, &until);
	ended = follower->ended;
	pthread_mutex_unlock(&follower->lock);
	/* A file that does not answer keeps the thread, and what is its own, until the program
	 * ends. */
	if (!ended) {
		pthread_detach(follower->thread);
		return;
	}
	pthread_join(follower->thread, NULL);
	follower_free(follower);
}
