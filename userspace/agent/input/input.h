/* SPDX-License-Identifier: MIT */
/*
 * The source of the events of a run: the kernel, or a capture file. Its operations implement the
 * differences; its account is a part of the report.
 */
#ifndef AGENT_INPUT_INPUT_H
#define AGENT_INPUT_INPUT_H

#include <stdbool.h>

#include "abi.h"
#include "net/exposition.h"
#include "agent/plan/plan.h"
#include "agent/process/loader.h"
#include "agent/input/account.h"
#include "scap/source.h"
#include "util/buf.h"
#include "util/error.h"

struct boundary;
struct live_call_taker;
struct input;
struct scap_flight;
struct waker;

/* seen = delivered + filtered + lost + corrupt */
struct input_totals {
	uint64_t seen, delivered, filtered, lost, corrupt;
	uint64_t counted_seen; /* beside them: by the kernel, in place of events */
};

/* What a run asks of every input. */
struct input_ops {
	/*
	 * Creates a state engine with the state before the first event. Called once, before the
	 * first event is taken. Returns 0 or -errno with a message; the caller owns the engine, and
	 * destroys it before the input.
	 */
	int (*create_state)(struct input *input, const struct state_follow *follow,
			    struct state **state, struct error *err);

	/* Called between two events: returns the source of the next one. */
	struct scap_source *(*step)(struct input *input);

	/*
	 * Converts an error of the source: returns -ENODATA (the end, no failure), or -errno with a
	 * message.
	 */
	int (*fail)(struct input *input, int code, struct error *err);

	/* Stops capturing. Returns the source of the remaining events, or NULL: none are needed. */
	struct scap_source *(*stop)(struct input *input);

	/* The counters for a line during the run. Returns 0 or -errno. */
	int (*append_counters)(struct input *input, struct buf *text);

	/* The counters as metrics. Returns 0 or -errno. */
	int (*append_metrics)(struct input *input, const struct plan *plan,
			      struct exposition *exposition);

	/* The report at the end. Returns 0 or -errno with a message. */
	int (*append_report)(struct input *input, const struct account *account, struct buf *text,
			     struct error *err);

	/* How much of the input was read, in percent; -1: it has no end, or it is not known. */
	int (*percent_read)(const struct input *input);

	/* Whether events are missing: they were lost, or are corrupt. */
	bool (*is_incomplete)(struct input *input, const struct state_stats *state);

	void (*destroy)(struct input *input);
};

/* What it asks of the kernel alone: a capture file has no programs, loses nothing, never changes.
 */
struct input_live_ops {
	/*
	 * Finds the id that events have for a process that the agent knows by `pid`. Returns 0 or
	 * -errno with a message.
	 */
	int (*find_pid)(struct input *input, pid_t pid, pid_t *found, struct error *err);

	/* Appends warnings to print before the run, as whole lines. */
	void (*append_warnings)(const struct input *input, struct buf *text);

	/* Whether the next event can wait a moment without losses. */
	bool (*has_room)(const struct input *input);

	/* How full the fullest ring is, in 1/64. */
	unsigned int (*fill)(const struct input *input);

	/* Since when the programs have stopped a process: boot clock; 0: none is stopped. */
	uint64_t (*held_ns)(const struct input *input);

	/* Continues all those. */
	void (*let_go)(struct input *input);

	/*
	 * Gets how long the programs in the kernel ran for this input, in ns of all CPUs, where the
	 * kernel measures it; less than before if some of them ended. Returns 0 or -errno.
	 */
	int (*run_ns)(struct input *input, uint64_t *ns);

	/* From now on loses these shares of the events. Returns 0 or -errno. */
	int (*shed)(struct input *input, const struct shed *shed);

	/*
	 * From now on, the kernel drops the events of threads in these control groups, "name=/path"
	 * and a NUL each, as far as the plan lets it, or does not any more. Returns 0; -E2BIG if
	 * there is no room for more; -ENOENT if they do not exist, or cannot be found here; or
	 * another -errno.
	 */
	int (*reject_groups)(struct input *input, const char *text, size_t len, bool rejected);

	/* From now on so many bytes of each call on a socket are kept: see struct requests_limit.
	 */
	void (*limit_stream)(struct input *input, uint64_t ino, uint32_t bytes);

	/* Calls that the kernel counted since the last time: see scap_live_take_calls(). */
	int (*take_calls)(struct input *input, const struct live_call_taker *taker);

	/* From now on, the kernel drops no event because of its groups. */
	void (*accept_groups)(struct input *input);

	/*
	 * Processes whose calls the kernel drops: see scap_live_mute_propose(). Those of an older
	 * capture, while both run, stay as they are.
	 */
	int (*mute_propose)(struct input *input, pid_t pid, uint64_t *ns);
	int (*mute_set)(struct input *input, pid_t pid, uint64_t program, uint64_t *ns);
	void (*mute_end)(struct input *input, pid_t pid, uint64_t *ns);

	/*
	 * Change to another plan. Call begin() before the plan is created, prepare() in any thread,
	 * then take() between two events, or drop(). The functions return 0 or -errno, those with
	 * `err` with a message.
	 */
	int (*change_begin)(struct input *input);
	int (*change_prepare)(struct input *input, const struct plan *from, const struct plan *to,
			      struct error *err);
	int (*change_take)(struct input *input, const struct plan *from, const struct plan *to,
			   struct state *state, struct error *err);
	void (*change_drop)(struct input *input);

	/*
	 * The boundary to another agent's capture; or NULL: not now, since a change is in progress.
	 * While one is in use no change begins.
	 */
	struct boundary *(*boundary)(struct input *input);

	/*
	 * How many events were lost so far, by event id and cause; valid until the input is asked
	 * for counters again. Returns 0 or -errno.
	 */
	int (*losses)(struct input *input, const struct event_counters **counters);

	/* Looks at a bpf event, which may be about the capture itself. */
	void (*note_bpf)(struct input *input, const struct state_event *event);

	/* Appends what failed since the start, each once. */
	void (*append_messages)(struct input *input, struct buf *text);

	/* How many CPUs do not report, and the first of them. */
	uint32_t (*silent)(struct input *input, uint32_t *cpu);

	/*
	 * Learns what processes execute whose beginning was missed, a part at a time: to be called
	 * often, between two events. now: monotonic clock. Returns whether there is more.
	 */
	bool (*learn)(struct input *input, struct state *state, uint64_t now);

	/* What keeps events until they are asked for; NULL: they are returned as they come. */
	struct scap_flight *(*flight)(const struct input *input);

	/*
	 * Creates another state, as input_ops.create_state(), for events that are seen before the
	 * others; lacks: see struct state_config.
	 */
	int (*create_early_state)(struct input *input, const struct state_follow *chosen,
				  unsigned int lacks, struct state **state, struct error *err);

	/*
	 * Of a flight recorder: from now on keeps descriptors in the state, which are read as they
	 * are now; or does not, as the events that change them are not read.
	 */
	void (*keep_descriptors)(struct input *input, struct state *state, bool kept);

	/* All events so far. Returns 0 or -errno. */
	int (*totals)(struct input *input, struct input_totals *totals);
};

/* Inputs embed this as their first member. */
struct input {
	const struct input_ops *ops;
	const struct input_live_ops
		*live; /* NULL: a capture file, for which events are as they are */
	bool changing; /* a change is in progress: another may not begin */
	const struct waker *waker; /* borrowed: ends a wait for its events; NULL: nothing does */
};

/*
 * What helps an input from its begin to its end; zeroed: no process does, and only events and
 * signals end its waits.
 */
struct input_helpers {
	struct loader loader; /* loads programs */
	struct proc_readers *readers; /* owned: a reference; reads what others may let wait */
	struct waker *waker; /* owned: for who has news for the loop */
};

/*
 * Opens the input that the options of the plan name; capturing begins. The helpers are borrowed.
 * Returns 0 or -errno with a message.
 */
int input_open(const struct plan *plan, struct input_helpers *helpers, struct input **input,
	       struct error *err);

void input_destroy(struct input *input); /* accepts NULL */

/* While the next event waits for what another thread is to say: */
enum {
	INPUT_LOOK_MS = 2, /* between two looks at whether there is room */
	INPUT_TIMEOUTS_MAX = 3, /* in a row; then nothing waits until there was an answer */
};

/* Whether the next event can wait a moment without losses; those of a capture file always can. */
static inline bool input_has_room(const struct input *input)
{
	return !input->live || input->live->has_room(input);
}

/* A capture file as the input of a run. */

int input_file_open(const struct plan *plan, struct input **input, struct error *err);

/*
 * The kernel as the input of a run, with the initial state from /proc. For a plan with other events
 * a second capture starts in parallel; the first ends when all its events were taken.
 */

int input_live_open(const struct plan *plan, struct input_helpers *helpers, struct input **input,
		    struct error *err);

/*
 * The account of a capture file. The report's first line always has the form
 *   agent: read N events of N bytes; matched N, printed N
 */

struct scap_reader_stats;

/* How much of the file was read, in percent, or -1 if its size is unknown. */
int account_file_percent(const struct scap_reader_stats *file);

/* "read 7 events of 900 bytes (40%)", for a line during the run. */
void account_file_append_counters(const struct scap_reader_stats *file, struct buf *text);

/* The report. */
void account_file_append(const struct scap_reader_stats *file, const struct account *account,
			 struct buf *text);

/*
 * The account of a live capture. The report's first line always has the form
 *   agent: seen N = delivered N + lost N; matched N, printed N
 * with " + corrupt N" or " + unaccounted N" after the losses where there are such.
 */

struct scap_live_stats;
struct scap_live_throttled;

/* "seen 7, delivered 5, lost 2", for a line during the run. */
void account_live_append_counters(const struct scap_live_stats *live, struct buf *text);

/* Sets how many events were seen, delivered and lost. */
void account_live_totals(const struct scap_live_stats *stats, struct input_totals *totals);

/* How many events were lost that were asked for, not only for the state, by their `reasons`. */
uint64_t account_live_lost_asked(const struct event_counters *events, const uint16_t *reasons);

/* Whether seen events are missing. */
bool account_live_is_incomplete(const struct scap_live_stats *live);

/* The report; exact if the capture was stopped and drained. */
void account_live_append(const struct scap_live_stats *live, const struct account *account,
			 struct buf *text);

/* Who was over a limit of events in a second, from scap_live_throttled(): a line for each limit. */
void account_live_append_throttled(const struct scap_live_throttled *list, size_t count,
				   struct buf *text);

#endif
