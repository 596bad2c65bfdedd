/* SPDX-License-Identifier: MIT */
/*
 * Writes events to a capture file, or to several in turn: their names, how they are opened, what
 * becomes known of containers.
 */
#ifndef AGENT_RECORD_RECORDING_H
#define AGENT_RECORD_RECORDING_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "agent/options/options.h"
#include "scap/file/writer.h"
#include "scap/proc/snapshot.h"
#include "scap/source.h"
#include "util/error.h"

/* What is asked of a recording: by -w and the options about it, or by an output scap:PATH. */

/* Captures contain data of programs: only for their owner. */
enum { RECORDING_MODE = 0600 };

struct recording_config {
	const char *path; /* "-": standard output */
	const char *read; /* the file that is read ("-": standard input); NULL: none */
	struct agent_recording_limits limits;
	struct scap_writer_config writer;
	mode_t mode; /* of files that are made */
	bool fat; /* also events that only update the state, hidden */
	/*
	 * By event: also these, hidden, as requests are made of them; the requests themselves are
	 * not written, who reads the file makes them again. NULL: none. Borrowed, EVENT_ID_MAX of
	 * them.
	 */
	const bool *of_requests;
	bool container_env; /* the environment of containers is written, too */
	bool copies; /* all events of the input file, unchanged */
	/*
	 * The file that is written always has the name `path`; those before it have the time in
	 * their names, as in output/targets/rotated.h, and are for others to remove: limits.files
	 * is not used.
	 */
	bool rotates;
	/* The first file is opened at once, but begins with the first event. */
	bool begins_later;
	bool waits; /* none is opened before recording_open() */
};

/*
 * The names of the files of a recording: as in sysdig, with a counter at the end, or with the time;
 * and the file to remove if the number of files is limited.
 */

struct recording_name {
	const char *base;
	bool split; /* several files */
	bool timed; /* the name has the time at which a file begins */
	uint64_t files; /* number of files to keep; 0: all */
	uint64_t count; /* names returned so far */
	uint64_t repeated; /* repetitions of the last time */
	char *timed_now; /* owned: the last time in the name */
	char **kept; /* owned, `files` of them: ring of names returned */
	char *now; /* owned: the last name, if all files are kept */
	char *replaced; /* owned: the older name in its place */
};

/*
 * Returns 0 or -ENOMEM; release in both cases. The configuration is borrowed.
 */
int recording_name_init(struct recording_name *name, const struct recording_config *config);
void recording_name_finish(struct recording_name *name);

/*
 * The name of the next file, which begins at time `ns`. `replaces`: the file to remove for it, or
 * NULL. Both are valid until the next call. Returns 0, -ENOMEM or -ENAMETOOLONG.
 */
int recording_name_next(struct recording_name *name, uint64_t ns, const char **next,
			const char **replaces);

/*
 * The file that a recording writes: opened with care, so that no data is lost of the file that is
 * read, or of what was recorded before.
 */

struct recording_file {
	const struct recording_config *config; /* borrowed */
	int fd; /* -1: none is open */
	bool to_stdout;
	struct stat input; /* the file that is read; zeroed: none */
	uint64_t rotated_ms; /* the newest rotation, since the epoch */
};

/* Opens nothing yet. Returns 0 or -errno with a message. */
int recording_file_init(struct recording_file *file, const struct recording_config *config,
			struct error *err);

/*
 * Opens a file, which is empty then: what it had is removed, or, if the recording rotates, has
 * another name. name: not used for standard output. Returns 0 or -errno with a message.
 */
int recording_file_open(struct recording_file *file, const char *name, struct error *err);

/* Whether the open file has another name by now, or none. */
bool recording_file_has_moved(const struct recording_file *file, const char *name);

/* Its size; if it is no regular file, the bytes written. */
uint64_t recording_file_bytes(const struct recording_file *file, uint64_t written);

/* Returns 0 or -errno. */
int recording_file_close(struct recording_file *file);

/*
 * Writes events to a capture file, or to several in turn. Each begins with the state at that time.
 * Several recordings can write at the same time.
 */

struct recording;
struct state;

struct recording_stats {
	uint64_t files;
	uint64_t events;
	uint64_t asked; /* of these, that the user asked for: not hidden */
	bool at_least; /* minimum: after an error the exact number on disk is unknown */
	uint64_t generic; /* of these, as the generic event */
	uint64_t left_out; /* not written, as the form of the file has nothing for them */
	uint64_t asked_left_out; /* of these, that the user asked for */
	uint64_t bytes; /* as stored */
	const char *name; /* of the last file, for messages; NULL: none */
};

/*
 * Whether a result means that the reader of a pipe closed it, or that the user gave up waiting for
 * it: no failure.
 */
static inline bool recording_is_unread(int result)
{
	return result == -EPIPE || result == -EINTR;
}

/*
 * Opens the first file, unless its name needs the time of the first event. Borrows `config` and
 * `state`. Returns 0 or -errno with a message.
 */
int recording_create(const struct recording_config *config, struct state *state,
		     struct recording **recording, struct error *err);
void recording_destroy(struct recording *recording); /* accepts NULL */

/*
 * The following return 0, or -errno if nothing more can be written: recording_problem() returns the
 * reason, and only recording_close(), recording_open() and the functions after it may be called
 * then.
 */

/*
 * Whether the event, which is not yet applied to the state, belongs to a file that has yet to
 * begin: then call recording_turn(). A file begins with all that is known of containers: what other
 * recordings do not know yet has to be written to them before.
 */
bool recording_is_due(struct recording *recording, const struct scap_event *event);
int recording_turn(struct recording *recording, const struct scap_event *event);

/* Whether a file is open that has not begun; begins it at a time on the wall clock. */
bool recording_has_begun(const struct recording *recording);
int recording_begin(struct recording *recording, uint64_t ns);

/*
 * The receiver of what became known of containers, which comes before an event that was applied;
 * NULL: it is not to be written, as the event has it. passed: as below.
 */
struct scap_snapshot *recording_changes(struct recording *recording, unsigned int id, bool passed);

/*
 * Writes an event that was applied. passed: the user asked for it. Others are written as hidden, if
 * they are needed for the state.
 */
int recording_event(struct recording *recording, const struct scap_event *event, unsigned int id,
		    bool passed);

/* Hands buffered data to the kernel if it is time. idle: the agent has nothing else to do. */
int recording_flush(struct recording *recording, uint64_t now_ns, bool idle);

/* Ends the last file; call this also after an error. */
int recording_close(struct recording *recording);

/* Opens another file, also after an error. It begins with the next event. */
int recording_open(struct recording *recording);

/* Whether the file was renamed or removed by another process. */
bool recording_has_moved(const struct recording *recording);

const char *recording_problem(const struct recording *recording);

/* Exact after recording_close() without an error; before, what the kernel has for sure. */
void recording_stats(const struct recording *recording, struct recording_stats *stats);

#endif
