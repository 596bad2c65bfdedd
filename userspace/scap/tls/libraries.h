/* SPDX-License-Identifier: MIT */
/*
 * The table of libraries that are followed: what each file was when it was read, which processes
 * have it, and the probes in it. Of one thread alone. Places are shared out by owners, so that
 * nobody takes those of others.
 */
#ifndef SCAP_TLS_LIBRARIES_H
#define SCAP_TLS_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/tls/follower.h"
#include "scap/tls/library.h"

enum {
	TLS_PROBES = TLS_FUNCTIONS + TLS_PLACES,
	TLS_HOLDERS = 4, /* processes that are remembered to have a library */
};

/* What tells a file, as it is now, from others, and from what it was before. */
struct tls_file {
	uint64_t dev, ino, size;
	uint64_t written_ns, changed_ns; /* its contents, and its status; of a library: when read */
	uint32_t uid;
};

struct tls_followed {
	int fd; /* owned; gives no access */
	int watch; /* -1: none */
	struct tls_file file;
	uint64_t owner; /* whose place it has: see scap/proc/share.h */
	uint64_t note_ino; /* as notes have it; 0: none came */
	uint32_t note_dev;
	bool is_usual; /* it is in one of the usual places, so it stays */
	bool is_seen; /* since the last look at all processes */
	unsigned int unseen; /* looks in a row */
	int32_t seen_by; /* the last process that it was seen in, since then; 0: none */
	int32_t holders[TLS_HOLDERS]; /* 0: none */
	uint64_t unheld_ms; /* since when it has no holder; 0: it has */
	struct tls_library functions;
	/* By bits: captures that choose a process that has it; as far as the last look has shown.
	 */
	uint32_t chosen, chosen_now;
	struct tls_probes {
		bool are_set; /* or could not be: they are not tried again */
		unsigned int count;
		int fds[TLS_PROBES]; /* owned */
	} probes[TLS_CAPTURES_MAX];
};

struct tls_libraries {
	struct tls_followed all[TLS_LIBRARIES_MAX];
	size_t count;
	int watches; /* owned: inotify, readable when a library is written to; -1: none */
};

/* What the kernel knows of the file, without asking a server. Returns 0 or -errno. */
int tls_file_look(int fd, struct tls_file *file);

void tls_libraries_begin(struct tls_libraries *libraries);

/* Forgets all. */
void tls_libraries_end(struct tls_libraries *libraries);

/* By device and inode, whatever else has changed. NULL: it is not there. */
struct tls_followed *tls_libraries_find(struct tls_libraries *libraries,
					const struct tls_file *file);

struct tls_followed *tls_libraries_find_noted(struct tls_libraries *libraries,
					      const struct tls_note *note);

/*
 * Has writes to a file told from here on, so before it is read. Returns what tls_libraries_add()
 * takes, or tls_libraries_unwatch(); -1: the kernel cannot, and its times have to do.
 */
int tls_libraries_watch(const struct tls_libraries *libraries, int fd);

void tls_libraries_unwatch(const struct tls_libraries *libraries, int watch);

/*
 * Copies `fd`, takes `watch`, and may forget another library, of whoever has most: pointers to
 * others are void then. NULL with errno, and nothing is taken: ENOSPC if its owner has to wait for
 * a place.
 */
struct tls_followed *tls_libraries_add(struct tls_libraries *libraries, int fd, int watch,
				       const struct tls_file *file, uint64_t owner,
				       const struct tls_library *functions);

/*
 * Another one has the library, too: it counts as that one's, if they have fewer places. So nobody
 * makes it their own by being the first to have it.
 */
void tls_library_own(const struct tls_libraries *libraries, struct tls_followed *library,
		     uint64_t owner);

/* Closes its probes, too. Pointers to others are void then. */
void tls_libraries_forget(struct tls_libraries *libraries, struct tls_followed *library);

void tls_library_unset(struct tls_followed *library, unsigned int capture);

/*
 * Whether the contents are not what they were any more, by what the file is now. Its owner may set
 * the time back when it was written to, but not hide that from a watch; the file may be renamed or
 * removed.
 */
bool tls_library_is_changed(struct tls_followed *library, const struct tls_file *now);

/*
 * Takes what is told of files that were written to, and forgets these; and if some of that was
 * lost, those whose status has changed since they were read. Returns how many.
 */
size_t tls_libraries_take_writes(struct tls_libraries *libraries);

/* Forgets the files that have changed. Returns how many. */
size_t tls_libraries_forget_changed(struct tls_libraries *libraries);

void tls_library_hold(struct tls_followed *library, int32_t pid);

/* The process executes something else from now on. */
void tls_libraries_let_go(struct tls_libraries *libraries, int32_t pid);

/* Nothing was seen in any process. */
void tls_libraries_see_anew(struct tls_libraries *libraries);

/* The process has only those libraries that were seen in it last. */
void tls_libraries_let_go_unseen(struct tls_libraries *libraries, int32_t pid);

/* Lets go of processes that have ended, by /proc, which is at `proc`. */
void tls_libraries_drop_ended(struct tls_libraries *libraries, const char *proc, uint64_t now_ms);

#endif
