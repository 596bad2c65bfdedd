/* SPDX-License-Identifier: MIT */
/*
 * Creating and changing descriptor tables, for the state engine. A table is a sorted list of chunks
 * of 32 numbers, so that a single number of 1,000,000 costs one chunk. Forked tables share their
 * chunks until one of them changes; entries are open files and stay shared, as in the kernel.
 */
#ifndef SINSP_STATE_FDS_H
#define SINSP_STATE_FDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinsp/state/fd.h"
#include "util/holders.h"
#include "util/pool.h"

/* The memory pool of all tables, and their common limit. */
struct state_fd_store {
	struct pool *pool;
	uint64_t max; /* descriptors over all tables */
	uint64_t count;
	uint64_t rejected; /* descriptors rejected because of the limit or lack of memory */
	uint64_t evicted; /* descriptors that made room for others */
	uint64_t units; /* of HOLDER_UNIT_BYTES, held by all tables */
	struct holders groups;
	struct holder_group host; /* of tables whose control group is not known */
};

/* An empty table with one reference, or NULL if out of memory. */
struct state_fds *state_fds_create(struct state_fd_store *store);

/* A copy as made by fork: the same open files under the same numbers. NULL if out of memory. */
struct state_fds *state_fds_copy(struct state_fds *fds);

/*
 * The descriptors of a process were read at a time: older events find what came after them. Its
 * copies were not read.
 */
void state_fds_set_read(struct state_fds *fds, uint64_t ns);
bool state_fds_is_ahead(const struct state_fds *fds, uint64_t ts_ns);

struct state_fds *state_fds_ref(struct state_fds *fds);
void state_fds_unref(struct state_fds *fds); /* accepts NULL */

/* The descriptor, which lasts until it is released, whatever becomes of its number; NULL: none. */
struct state_fd *state_fds_hold(struct state_fds *fds, int64_t num);
void state_fd_release(struct state_fd_store *store, struct state_fd *fd);
bool state_fds_shared(const struct state_fds *fds);
uint32_t state_fds_users(const struct state_fds *fds); /* how many references there are */

/*
 * Empties a table of which events up to a time are missing, or up to the next one of a thread, if
 * that is earlier; UINT64_MAX: later ones will be, too. A copy is made of what there is.
 */
void state_fds_set_gap(struct state_fds *fds, uint64_t ns, int64_t tid);

/* Whether an event is in it; it is called for each. */
bool state_fds_in_gap(struct state_fds *fds, uint64_t ns, int64_t tid);

/* Whether it goes on. */
bool state_fds_gap_is_open(const struct state_fds *fds);

/*
 * Moves a table (NULL: none) to a control group (NULL: an unknown one). A copy is in the group of
 * its original.
 */
void state_fds_set_group(struct state_fds *fds, struct holder_group *group);

/*
 * Makes room: removes up to 32 numbers that were opened about the same time, of a table that holds
 * most in a group that holds most; the next call continues with another one of these. Returns false
 * if nobody holds much. The other function takes the table.
 */
bool state_fds_evict(struct state_fd_store *store);
bool state_fds_evict_from(struct state_fds *fds);

/*
 * Opens a number: replaces its entry, if any, by a new one with that name and all else zero.
 * Returns NULL if it is rejected.
 */
struct state_fd *state_fds_open(struct state_fds *fds, int64_t num, const char *name,
				size_t name_len);

/*
 * Opens a number as a file that was opened by another name than `name`; 0 bytes: by `name`. Returns
 * as state_fds_open().
 */
struct state_fd *state_fds_open_given(struct state_fds *fds, int64_t num, const char *name,
				      size_t name_len, const char *given, size_t given_len);

/* Makes `to` another number of the open file at `from`. Returns NULL if that is unknown. */
struct state_fd *state_fds_dup(struct state_fds *fds, int64_t from, int64_t to);

/* Makes a number refer to an open file of any table. Returns it, or NULL if it is rejected. */
struct state_fd *state_fds_share(struct state_fds *fds, int64_t num, struct state_fd *fd);

/* Removes a number, and forgets a failed lookup of it in /proc. */
void state_fds_close(struct state_fds *fds, int64_t num);

/* Which numbers of a table are about to go. */
struct state_fds_going {
	uint32_t first, last;
	bool cloexec; /* only those that exec closes */
};

enum { STATE_GONE_WALKED = 1 << 16 /* numbers; 32 that another table shares count as one */ };

/*
 * Holds the sockets of which no other number is known, in any table, once these numbers are gone:
 * up to `max`, by number, each to be released. A table is shared by those that lose it alone. What
 * was read from /proc is left out: others that were may have the same socket. Returns how many it
 * holds; the walk ends behind STATE_GONE_WALKED.
 */
uint32_t state_fds_hold_last(struct state_fds *fds, const struct state_fds_going *going,
			     struct state_gone *gone, uint32_t max);

/* Whether exec closes a number; false after opening and copying. */
void state_fds_set_cloexec(struct state_fds *fds, int64_t num, bool cloexec);
bool state_fds_cloexec(const struct state_fds *fds, int64_t num);

/* For close_range: closes all numbers from `first` to `last`, or sets close-on-exec for them. */
void state_fds_close_range(struct state_fds *fds, uint32_t first, uint32_t last);
void state_fds_cloexec_range(struct state_fds *fds, uint32_t first, uint32_t last);

/*
 * Closes the close-on-exec numbers, and forgets failed lookups in /proc: exec may have closed
 * those.
 */
void state_fds_exec(struct state_fds *fds);

/*
 * The ends of a socket for changing, which all but a few descriptors lack until then. NULL if out
 * of memory.
 */
union state_ends *state_fd_make_ends(struct state_fd_store *store, struct state_fd *fd);

/*
 * Replaces the name of an entry; the first function also replaces the name that it was opened by (0
 * bytes: by `name`). Returns false and keeps the old ones if out of memory, or above 65,535 bytes.
 */
bool state_fd_set_names(struct state_fd_store *store, struct state_fd *fd, const char *name,
			size_t name_len, const char *given, size_t given_len);
bool state_fd_rename(struct state_fd_store *store, struct state_fd *fd, const char *name,
		     size_t name_len);

/*
 * To be called once the names or ends of the entry of a number have changed: from now on the table
 * holds what they need. Other tables that share the entry go on with what it was.
 */
void state_fds_recharge(struct state_fds *fds, int64_t num);

/*
 * Whether a lookup of a number in /proc has failed since it was opened or closed; true for invalid
 * numbers. A table remembers a few: a new one may replace another.
 */
bool state_fds_asked(const struct state_fds *fds, int64_t num);
void state_fds_note_asked(struct state_fds *fds, int64_t num);

#endif
