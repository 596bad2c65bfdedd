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
#include "scap/tls/mapped.h"
#include "scap/tls/probe.h"
#include "util/clock.h"
#include "util/count.h"

enum {
	LOOK_MS = 60000, /* how often all processes are looked at, */
	LOOKS_UNSEEN = 2, /* and after how many looks a library that nobody maps is forgotten */
	JOIN_MS = 5000,
	OTHERS = 4096, /* files that are known to be none, by a hash of what they are */
	NOTES_MAX = 64, /* that are followed before captures are looked at again */
	PATH_BYTES = 32,
	PROBES = 2 * TLS_FUNCTIONS,
};

struct followed_library {
	int fd; /* owned; gives no access */
	uint64_t dev, ino;
	uint64_t note_ino; /* as notes have it; 0: none came */
	uint32_t note_dev;
	unsigned int unseen; /* looks in a row */
	struct tls_library functions;
	int probes[TLS_CAPTURES_MAX][PROBES]; /* owned; -1: none */
};

enum capture_state { CAPTURE_NONE, CAPTURE_JOINS, CAPTURE_RUNS, CAPTURE_LEAVES };

struct followed_capture {
	enum capture_state state;
	struct tls_programs programs;
	struct ring_buffer *notes; /* owned */
};

struct tls_follower {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int bell; /* owned: wakes the thread */
	/* Under the lock: */
	struct followed_capture captures[TLS_CAPTURES_MAX];
	struct tls_follower_stats stats;
	int failed; /* -errno: the thread did not begin */
	bool ends;
	/* Of the thread alone: */
	char proc[PATH_MAX];
	int type; /* of probes */
	bool set[TLS_CAPTURES_MAX]; /* captures whose programs are set in libraries */
	unsigned int taken; /* notes of a capture in this turn */
	bool looked;
	uint64_t look_ms; /* when all processes are looked at again */
	struct followed_library libraries[TLS_LIBRARIES_MAX];
	size_t count;
	uint64_t others[OTHERS];
	struct tls_note note; /* that is being followed; ino 0: none */
};

static void count_failure(struct tls_follower *follower, int error)
{
	pthread_mutex_lock(&follower->lock);
	follower->stats.failed += error != -ENOSPC;
	follower->stats.rejected += error == -ENOSPC;
	follower->stats.error = error;
	pthread_mutex_unlock(&follower->lock);
}

static void path_of(int fd, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "/proc/self/fd/%d", fd);
}

/* Also where it fails in part, so that what was set goes with the library. */
static int set_one(struct tls_follower *follower, struct followed_library *library,
		   unsigned int capture, size_t place, bool at_return)
{
	const struct tls_place *at = &library->functions.places[place];
	const struct tls_function *function = &tls_functions[at->function];
	unsigned int program = at_return ? function->end : function->begin;
	int *probe = &library->probes[capture][2 * place + at_return];
	char path[PATH_BYTES];
	int r;

	if (program == TLS_PROGRAMS || *probe >= 0)
		return 0;
	path_of(library->fd, path);
	r = tls_probe_open(follower->type, path, at->offset, at_return,
			   follower->captures[capture].programs.fds[program]);
	if (r < 0)
		return r;
	*probe = r;
	return 0;
}

/* What ends a call first: none is to begin whose end is not seen. */
static void set_probes(struct tls_follower *follower, struct followed_library *library,
		       unsigned int capture)
{
	int r = 0;

	for (int at_return = 1; at_return >= 0; at_return--)
		for (size_t i = 0; i < library->functions.count && r == 0; i++)
			r = set_one(follower, library, capture, i, at_return);
	if (r)
		count_failure(follower, r);
}

static void unset_probes(struct followed_library *library, unsigned int capture)
{
	for (size_t i = 0; i < PROBES; i++) {
		if (library->probes[capture][i] >= 0)
			close(library->probes[capture][i]);
		library->probes[capture][i] = -1;
	}
}

static void forget_library(struct tls_follower *follower, size_t i)
{
	struct followed_library *library = &follower->libraries[i];

	for (unsigned int capture = 0; capture < TLS_CAPTURES_MAX; capture++)
		unset_probes(library, capture);
	close(library->fd);
	follower->count--;
	memmove(library, library + 1, (follower->count - i) * sizeof(*library));
}

static struct followed_library *find_library(struct tls_follower *follower, uint64_t dev,
					     uint64_t ino)
{
	for (size_t i = 0; i < follower->count; i++)
		if (follower->libraries[i].dev == dev && follower->libraries[i].ino == ino)
			return &follower->libraries[i];
	return NULL;
}

/* What tells a file, as it is now, from others. Never 0. */
static uint64_t identity_of(const struct stat *file)
{
	uint64_t hash = (uint64_t)file->st_dev * 0x9e3779b97f4a7c15 ^ file->st_ino;

	hash = hash * 0xff51afd7ed558ccd ^ (uint64_t)file->st_ctim.tv_sec;
	return (hash * 0xc4ceb9fe1a85ec53 ^ (uint64_t)file->st_ctim.tv_nsec) | 1;
}

static void note_library(struct tls_follower *follower, struct followed_library *library)
{
	library->unseen = 0;
	if (!follower->note.ino)
		return;
	library->note_ino = follower->note.ino;
	library->note_dev = follower->note.dev;
}

static void add_library(struct tls_follower *follower, int fd, const struct stat *file,
			const struct tls_library *functions)
{
	struct followed_library *library = &follower->libraries[follower->count];
	int copy = follower->count < TLS_LIBRARIES_MAX ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;

	if (copy < 0) {
		count_failure(follower, follower->count < TLS_LIBRARIES_MAX ? -errno : -ENOSPC);
		return;
	}
	*library = (struct followed_library){
		.fd = copy, .dev = file->st_dev, .ino = file->st_ino, .functions = *functions};
	memset(library->probes, -1, sizeof(library->probes));
	follower->count++;
	note_library(follower, library);
	for (unsigned int capture = 0; capture < TLS_CAPTURES_MAX; capture++)
		if (follower->set[capture])
			set_probes(follower, library, capture);
}

/* A file that a process executes. */
static void see_file(void *context, int fd, int32_t pid)
{
	struct tls_follower *follower = context;
	char path[PATH_BYTES], reason[PERF_REASON_BYTES];
	struct followed_library *library;
	struct tls_library functions;
	uint64_t identity, *other;
	struct stat file;

	if (fstat(fd, &file))
		return;
	library = find_library(follower, file.st_dev, file.st_ino);
	if (library) {
		note_library(follower, library);
		return;
	}
	identity = identity_of(&file);
	other = &follower->others[(identity >> 32) % OTHERS];
	if (*other == identity)
		return;
	path_of(fd, path);
	if (tls_library_read(path, &functions, reason))
		*other = identity;
	else
		add_library(follower, fd, &file, &functions);
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
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_PATH | O_CLOEXEC);

		if (fd < 0)
			continue;
		see_file(follower, fd, 0);
		close(fd);
	}
	globfree(&found);
}

static uint64_t now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static void look_at_all(struct tls_follower *follower)
{
	for (size_t i = 0; i < follower->count; i++)
		follower->libraries[i].unseen++;
	/* First, so that files of others do not take all places. */
	look_at_usual(follower);
	tls_mapped_all(follower->proc, see_file, follower);
	for (size_t i = follower->count; i > 0; i--)
		if (follower->libraries[i - 1].unseen >= LOOKS_UNSEEN)
			forget_library(follower, i - 1);
	follower->look_ms = now_ms() + LOOK_MS;
	follower->looked = true;
}

static bool is_known(const struct tls_follower *follower, const struct tls_note *note)
{
	for (size_t i = 0; i < follower->count; i++)
		if (follower->libraries[i].note_ino == note->ino &&
		    follower->libraries[i].note_dev == note->dev)
			return true;
	return false;
}

static void follow_note(struct tls_follower *follower, const struct tls_note *note)
{
	if (!note->ino) {
		tls_mapped_program(follower->proc, (int32_t)note->pid, see_file, follower);
		return;
	}
	/* Of several libraries nobody knows which of them the note is about. */
	follower->note = *note;
	tls_mapped_libraries(follower->proc, (int32_t)note->pid, see_file, follower);
	follower->note.ino = 0;
}

/* Whoever makes notes faster than they are followed must not keep the thread: the rest waits. */
static int take_note(void *context, void *data, size_t bytes)
{
	struct tls_follower *follower = context;
	const struct tls_note *note = data;

	if (bytes < sizeof(*note) || (note->ino && is_known(follower, note)))
		return 0;
	follow_note(follower, note);
	return ++follower->taken >= NOTES_MAX ? -EAGAIN : 0;
}

static void take_notes(struct tls_follower *follower)
{
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++) {
		follower->taken = 0;
		if (follower->captures[i].state == CAPTURE_RUNS)
			ring_buffer__consume(follower->captures[i].notes);
	}
}

static void set_state(struct tls_follower *follower, unsigned int capture, enum capture_state state)
{
	pthread_mutex_lock(&follower->lock);
	follower->captures[capture].state = state;
	follower->stats.libraries = (uint32_t)follower->count;
	pthread_cond_broadcast(&follower->changed);
	pthread_mutex_unlock(&follower->lock);
}

/* What was asked for meanwhile. Returns false at the end. */
static bool follow_captures(struct tls_follower *follower)
{
	enum capture_state states[TLS_CAPTURES_MAX];
	bool ends;

	pthread_mutex_lock(&follower->lock);
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++)
		states[i] = follower->captures[i].state;
	ends = follower->ends;
	follower->stats.libraries = (uint32_t)follower->count;
	pthread_mutex_unlock(&follower->lock);
	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++) {
		if (states[i] == CAPTURE_LEAVES) {
			follower->set[i] = false;
			for (size_t k = 0; k < follower->count; k++)
				unset_probes(&follower->libraries[k], i);
			set_state(follower, i, CAPTURE_NONE);
		} else if (states[i] == CAPTURE_JOINS) {
			follower->set[i] = true;
			for (size_t k = 0; k < follower->count; k++)
				set_probes(follower, &follower->libraries[k], i);
			if (!follower->looked)
				look_at_all(follower);
			set_state(follower, i, CAPTURE_RUNS);
		}
	}
	return !ends;
}

static void wait_for_news(struct tls_follower *follower)
{
	struct pollfd fds[1 + TLS_CAPTURES_MAX] = {{follower->bell, POLLIN, 0}};
	uint64_t now = now_ms(), rung;
	nfds_t count = 1;

	for (unsigned int i = 0; i < TLS_CAPTURES_MAX; i++)
		if (follower->captures[i].state == CAPTURE_RUNS)
			fds[count++] = (struct pollfd){
				ring_buffer__epoll_fd(follower->captures[i].notes), POLLIN, 0};
	poll(fds, count, follower->look_ms > now ? (int)(follower->look_ms - now) : 0);
	if (fds[0].revents & POLLIN && read(follower->bell, &rung, sizeof(rung)) < 0)
		return;
}

static void *follower_run(void *data)
{
	struct tls_follower *follower = data;
	int r = privileges_enter(ROLE_PROBES, NULL, NULL);

	pthread_setname_np(pthread_self(), "tls");
	if (r) {
		pthread_mutex_lock(&follower->lock);
		follower->failed = r;
		pthread_cond_broadcast(&follower->changed);
		pthread_mutex_unlock(&follower->lock);
		return NULL;
	}
	follower->look_ms = now_ms() + LOOK_MS;
	while (follow_captures(follower)) {
		wait_for_news(follower);
		take_notes(follower);
		if (now_ms() >= follower->look_ms)
			look_at_all(follower);
	}
	while (follower->count)
		forget_library(follower, follower->count - 1);
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
		ring_buffer__free(follower->captures[i].notes);
	if (follower->bell >= 0)
		close(follower->bell);
	pthread_cond_destroy(&follower->changed);
	pthread_mutex_destroy(&follower->lock);
	free(follower);
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
	made->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = made->bell < 0 ? -errno : start_thread(made);
	if (r) {
		follower_free(made);
		return error_set(err, r, "starting the thread for TLS libraries: %s", strerror(-r));
	}
	*follower = made;
	return 0;
}

static void ring_bell(struct tls_follower *follower)
{
	const uint64_t one = 1;

	if (write(follower->bell, &one, sizeof(one)) < 0)
		return; /* it rings already */
}

/* Waits, under the lock, until the thread has taken a capture out of a state. */
static int wait_for_state(struct tls_follower *follower, const struct followed_capture *capture,
			  enum capture_state state)
{
	const struct timespec until = clock_after_ms(CLOCK_REALTIME, JOIN_MS);
	int r = 0;

	while (capture->state == state && !follower->failed && r == 0)
		r = -pthread_cond_timedwait(&follower->changed, &follower->lock, &until);
	return follower->failed ? follower->failed : r;
}

/* The thread has no more to do with it. */
static void drop_capture(struct followed_capture *capture)
{
	ring_buffer__free(capture->notes);
	capture->notes = NULL;
	capture->state = CAPTURE_NONE;
}

int tls_follower_join(struct tls_follower *follower, const struct tls_programs *programs,
		      unsigned int *capture)
{
	unsigned int i = 0;
	int r;

	pthread_mutex_lock(&follower->lock);
	while (i < TLS_CAPTURES_MAX && follower->captures[i].state != CAPTURE_NONE)
		i++;
	if (i == TLS_CAPTURES_MAX) {
		pthread_mutex_unlock(&follower->lock);
		return -EBUSY;
	}
	follower->captures[i].programs = *programs;
	follower->captures[i].notes = ring_buffer__new(programs->notes, take_note, follower, NULL);
	r = follower->captures[i].notes ? 0 : -errno;
	if (r == 0) {
		follower->captures[i].state = CAPTURE_JOINS;
		ring_bell(follower);
		r = wait_for_state(follower, &follower->captures[i], CAPTURE_JOINS);
		/* On a slow machine it goes on without being waited for. */
		if (r == -ETIMEDOUT)
			r = 0;
	}
	if (r)
		drop_capture(&follower->captures[i]);
	pthread_mutex_unlock(&follower->lock);
	*capture = i;
	return r;
}

void tls_follower_leave(struct tls_follower *follower, unsigned int capture)
{
	struct followed_capture *left = &follower->captures[capture];

	pthread_mutex_lock(&follower->lock);
	while (left->state == CAPTURE_JOINS && !follower->failed)
		pthread_cond_wait(&follower->changed, &follower->lock);
	left->state = CAPTURE_LEAVES;
	ring_bell(follower);
	while (left->state == CAPTURE_LEAVES && !follower->failed)
		pthread_cond_wait(&follower->changed, &follower->lock);
	drop_capture(left);
	pthread_mutex_unlock(&follower->lock);
}

void tls_follower_stats(struct tls_follower *follower, struct tls_follower_stats *stats)
{
	pthread_mutex_lock(&follower->lock);
	*stats = follower->stats;
	pthread_mutex_unlock(&follower->lock);
}

void tls_follower_destroy(struct tls_follower *follower)
{
	if (!follower)
		return;
	pthread_mutex_lock(&follower->lock);
	follower->ends = true;
	ring_bell(follower);
	pthread_mutex_unlock(&follower->lock);
	pthread_join(follower->thread, NULL);
	follower_free(follower);
}
