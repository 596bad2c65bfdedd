/* SPDX-License-Identifier: MIT */
/*
 * Threads and descriptors from /proc or a capture: all of them at once, or, once each, those that
 * are not in the tables.
 */
#ifndef SINSP_STATE_LOAD_H
#define SINSP_STATE_LOAD_H

#include "sinsp/state/core.h"

/*
 * Threads and descriptors from the tables, or, once each, from /proc, which only the state engine
 * reads, while it applies an event. NULL if not found there either.
 */

struct state_thread *state_look_up_thread(struct state *state, int64_t tid);
struct state_fd *state_look_up_fd(struct state *state, struct state_thread *thread, int64_t num);

/*
 * Notes what a process executes that is not in the tables, or not as what it is now: for its own
 * clone event, which comes later. exec_id: which program that is, as in clone events.
 */
void state_note_program(struct state *state, int64_t tid, uint64_t exec_id,
			const struct state_program *program);

/*
 * The executable of a thread's program is that of another one, and so it is for those from which it
 * has that program without an exec, or that have it from it; all else remains.
 */
void state_learn_executable(struct state *state, struct state_thread *thread,
			    const struct state_program *from);

/*
 * Reads the arguments and the environment of a thread again, which could not be read before;
 * changes nothing if they cannot now, or too many threads were looked up.
 */
void state_read_arguments(struct state *state, struct state_thread *thread);

/*
 * To be called with the thread of a clone event that is its own: if its executable is not known, it
 * is what was noted; else the list has to be read again.
 */
void state_complete_program(struct state *state, struct state_thread *thread);

/*
 * A descriptor that is that file by the kernel (ino 0: it does not say). An entry of another one,
 * which must have arrived unseen, is replaced; not if it was read after the event. A name in /proc
 * counts only if it is of this file.
 */
struct state_fd *state_fd_of_file(struct state *state, struct state_thread *thread, int64_t num,
				  const struct frame_file *file);

/*
 * The registered file that the event uses, which is that file by the kernel (ino 0: it does not
 * say). An entry of another one is replaced, and one that is unsure by what the slot had before, if
 * that is the file. One that was registered unseen is found among the descriptors of the thread, if
 * one of them is that file: else it has no name, which is counted.
 */
struct state_fd *state_slot_of_file(struct state *state, const struct apply_event *event,
				    const struct frame_file *file);

/*
 * The descriptor that a call closed. file: which one the number is when the call ends (ino 0:
 * none). Another thread may have opened the next file under that number before the call's event;
 * NULL if the entry is that one.
 */
struct state_fd *state_fd_closed(const struct state_fds *fds, int64_t num,
				 const struct frame_file *file);

/* Keeps which file an entry is. */
void state_note_file(struct state_fd *fd, const struct frame_file *file);

/* Replaces a descriptor that the event does not describe by the one in /proc. */
struct state_fd *state_replace_fd(struct state *state, struct apply_event *event, int64_t num);

/*
 * Reads the directory that a relative name of the event starts from, its current one or that of a
 * descriptor, if it is not kept; it becomes unknown if it cannot be read.
 */
void state_look_up_base(struct state *state, struct apply_event *event, int64_t dirfd);

/*
 * The real path of a directory that a thread names by an absolute path, as in
 * scap_proc_real_directory(). Returns -EBUSY if too many were asked for, which is counted.
 */
int state_real_directory(struct state *state, const struct state_thread *thread, const char *path,
			 const char **real);

/*
 * Replaces a thread's current directory by that in /proc; if too many were asked for, which is
 * counted, it becomes unknown. Returns false, and changes nothing, if it cannot be read.
 */
bool state_look_up_cwd(struct state *state, struct state_thread *thread);

/* Loads threads and descriptors from /proc or a capture, and containers, into the tables. */

/* Adds one thread, or one descriptor; replaces an existing one. NULL if out of memory. */
struct state_thread *state_load_thread(struct state *state, const struct scap_thread *from);
struct state_fd *state_load_fd(struct state *state, struct state_fds *fds,
			       const struct scap_fd *from);

/* Takes a description of a container, or counts that it cannot be taken. */
void state_load_container(struct state *state, const char *json, size_t len);

/* The first `max` descriptors that /proc shows of a thread. Returns how many there were. */
unsigned int state_load_fds(struct state *state, struct state_thread *thread, unsigned int max);

/* To be called after loading: a listening socket may be loaded after connections to it. */
void state_correct_roles(struct state *state);

#endif
