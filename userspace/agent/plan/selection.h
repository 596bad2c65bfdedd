/* SPDX-License-Identifier: MIT */
/*
 * The events to capture, and why: those that can pass the filter, and those that update the state
 * used by the fields of the filter and of the output.
 */
#ifndef AGENT_PLAN_SELECTION_H
#define AGENT_PLAN_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "scap/live/live.h"

enum selection_why {
	WHY_FILTER = 1 << 0, /* can pass the filter */
	WHY_THREADS = 1 << 1, /* keeps threads up to date */
	WHY_DESCRIPTORS = 1 << 2, /* creates sockets, or closes or copies descriptors */
	WHY_CONNECTIONS = 1 << 3, /* changes the peer of a socket */
	WHY_DIRECTORIES = 1 << 4, /* keeps current directories up to date */
	WHY_SWITCHES = 1 << 5, /* for the time that threads run */
	WHY_CONTAINERS = 1 << 6, /* moves a thread to other control groups */
	WHY_ENVIRONMENTS = 1 << 7, /* has that of a program */
	WHY_REQUESTS = 1 << 8, /* moves bytes that requests are made of */
	WHY_FILES = 1 << 9, /* creates descriptors that are not sockets */
	WHY_METRICS = 1 << 10, /* is counted */
	WHY_CREATED = 1 << 11, /* makes, renames or removes a file */
	WHY_END = 1 << 12,
	WHY_ASKED = WHY_FILTER | WHY_REQUESTS | WHY_METRICS, /* not only to keep the state */
};

struct selection {
	uint16_t events[EVENT_ID_MAX]; /* why each event is captured: selection_why bits, 0: not */
	bool of_rules[EVENT_ID_MAX]; /* see selection_mark_rules() */
	bool syscalls[SYSCALL_NR_MAX]; /* native numbers that are captured as the generic event */
	bool compat_syscalls[SYSCALL_NR_MAX]; /* the same, numbers of 32-bit programs */
	uint16_t filter_parts; /* parts of the state (selection_why bits) needed by the filter */
	uint16_t output_parts; /* or by the output */
	bool full_state; /* all parts are kept, as far as events for them are captured */
	bool filter_enter_times; /* the filter needs the entry times of system calls */
	bool output_enter_times; /* or the output does */
	uint16_t entry_needs; /* which arguments are noted on entry: NEEDS_VALUES bits */
	bool makes_requests; /* events of the type request are made of others */
	bool needs_peers; /* and the sockets at both ends are needed for that */
	bool event_environments; /* those of exec events that can pass the filter are needed */
};

struct filter;

/*
 * Fills a selection. filter: NULL selects all events but those that must be named (EF_ON_REQUEST).
 * output_needs: enum field_needs bits of the fields that will be printed. full_state: also keeps
 * what an event describes itself, so that the state can be dumped.
 */
void selection_make(struct selection *selection, const struct filter *filter,
		    unsigned int output_needs, bool full_state);

/*
 * Fills a selection for a capture file: all its events may pass, including types that only files
 * have; events that only update the state need no selection.
 */
void selection_make_recorded(struct selection *selection, const struct filter *filter);

/*
 * Requests are made also if none can pass the filter, with the containers of their processes.
 * recorded: as for selection_make_recorded().
 */
void selection_want_requests(struct selection *selection, bool recorded);

/*
 * What metrics of TCP are made of is captured, with the containers of the processes. samples: those
 * of connections that are open, too.
 */
void selection_want_sockets(struct selection *selection, bool samples);

/* Whether events of what the kernel does on sockets are captured. */
bool selection_has_sockets(const struct selection *selection);

/* Marks the events that rules name by their types; `filter` is that of the rules. */
void selection_mark_rules(struct selection *selection, const struct filter *filter);

/* Whether no event can pass the filter. */
bool selection_is_empty(const struct selection *selection);

/*
 * Whether no system call can pass, at most events that come only from tracepoints, such as
 * procexit.
 */
bool selection_lacks_calls(const struct selection *selection);

/* Whether the kernel captures the same for both. */
bool selection_captures_same(const struct selection *a, const struct selection *b);

/* Whether `to` updates parts of the state that `from` does not. */
bool selection_adds_parts(const struct selection *from, const struct selection *to);

/* Requests are made of plaintext under TLS, too. */
void selection_want_plaintext(struct selection *selection);

/* Whether requests are made of what calls transfer, and which events do that. */
bool selection_has_requests(const struct selection *selection);
bool selection_is_of_streams(unsigned int id);

/* Whether no other event can pass the filter. */
bool selection_is_of_requests(const struct selection *selection);

/* Whether an event is captured for those sockets alone that may have requests. */
bool selection_is_of_streams_only(const struct selection *selection, unsigned int id);

/* Whether entry times of system calls are needed. */
bool selection_has_enter_times(const struct selection *selection);

/* Whether exec events have the environment of the program. */
bool selection_has_environments(const struct selection *selection);

/* Which programs run on entry of calls. */
enum live_entry_notes selection_entry_notes(const struct selection *selection);

/* The parts of the state (enum state_part) for which no events are captured: state_set_lacks(). */
unsigned int selection_lacks(const struct selection *selection);

/* "threads" for WHY_THREADS. */
const char *selection_why_name(enum selection_why why);

#endif
