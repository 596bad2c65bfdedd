/* SPDX-License-Identifier: MIT */
/*
 * What was known of a process at a moment, for whoever decides later: it stays when the tables have
 * another process with its id, and when that executes another program. For captures without events
 * of processes, whose tables are filled from /proc by this alone.
 */
#ifndef SINSP_STATE_KEPT_H
#define SINSP_STATE_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "sinsp/state/thread.h"

struct state;

/* A zeroed struct has nothing. */
struct state_kept {
	struct state_thread thread; /* the first one; of descriptors nothing is known */
	struct state_thread *ancestors; /* owned: from the parent on; NULL: they are not kept */
	uint32_t ancestors_count;
};

/*
 * Reads a process from /proc, and those of its ancestors that the tables lack, or have from before
 * their child began: another process may have had the id. with_ancestors: these are kept, too, for
 * state_kept_restore(). Returns 0; -ESRCH: it has ended; or -ENOMEM.
 */
int state_keep_process(struct state *state, int64_t pid, bool with_ancestors,
		       struct state_kept *kept);

/* Has the tables have the ancestors again that the process had, whoever has their ids by now. */
void state_kept_restore(struct state *state, const struct state_kept *kept);

/*
 * Keeps all that is known of a process that has ended: its id, the name of its first thread and its
 * user. Returns 0 or -ENOMEM.
 */
int state_keep_unread(struct state *state, int64_t pid, const char *comm, uint32_t uid,
		      struct state_kept *kept);

void state_kept_finish(struct state *state, struct state_kept *kept);

/*
 * A thread of the process, of which its id and name are known, as if it were in the tables. Valid
 * as long as `kept` is.
 */
struct state_thread state_kept_thread(const struct state_kept *kept, int64_t tid, const char *comm);

#endif
