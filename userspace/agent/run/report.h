/* SPDX-License-Identifier: MIT */
/*
 * The account of a run: periodic lines, progress and the report at the end on stderr, the
 * status for pages, counters for the service manager. Called by the thread of the loop.
 */
#ifndef AGENT_RUN_REPORT_H
#define AGENT_RUN_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

struct run;

/* The counters so far, on one line without a newline: "seen 7 = ...". Returns 0 or -errno. */
int report_append_counters(const struct run *run, struct buf *text);

/* Prints them on stderr: "agent: after 2.0 s: ...". */
void report_print_line(const struct run *run, uint64_t elapsed_ns);

/* Appends the account of each output as whole lines. */
void report_append_outputs(const struct run *run, struct buf *text);

/*
 * Prints to stderr, if it is a terminal or with -v, that a live capture has begun, and of what.
 */
void report_print_begin(const struct run *run);

/* How much of the input was read, overwriting the last line, then `end`; nothing if unknown. */
void report_print_progress(const struct run *run, const char *end);

/*
 * The report; exact if the input was drained. Lines about causes of losses only if there are any.
 * With -q prints nothing, unless events are missing.
 */
void report_print(const struct run *run);

/* The tables of -S: on stdout, on stderr if stdout has JSON or a capture file. Returns 0 or -errno.
 */
int report_print_summary(struct run *run, struct error *err);

/*
 * After the loop: whether an output delivered nothing, or dropped what its policy does not allow.
 */
bool report_broke_promise(const struct run *run);

/* Whether events of the command were lost, not only what keeps the state. */
bool report_lacks_of_command(const struct run *run);

/* Whether events are missing: they were lost, or are corrupt. */
bool report_is_incomplete(const struct run *run);

/*
 * Feeds the watchdog of the service manager, and tells that one the counters every few seconds.
 * now_ns: monotonic clock.
 */
void report_step_service(struct run *run, uint64_t now_ns);

/* Appends the status of a run for people: lines "NAME: VALUE". */
void pages_append_status(const struct run *run, struct buf *out);

#endif
