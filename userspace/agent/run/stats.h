/* SPDX-License-Identifier: MIT */
/*
 * The account of a run, on stderr: a line now and then, and the report at the end. The report's
 * first line always has the form
 *   agent: seen N = delivered N + lost N; matched N, printed N
 * with " + damaged N" or " + unaccounted N" behind the losses where there are such, and for a file
 *   agent: read N events of N bytes; matched N, printed N
 * Lines about causes follow only when there is something to tell.
 */
#ifndef AGENT_RUN_STATS_H
#define AGENT_RUN_STATS_H

#include <stdint.h>

struct capture;
struct pipeline_counts;

void stats_print_line(const struct capture *capture, const struct pipeline_counts *counts,
		      uint64_t elapsed_ns);

/* Exact when the source has been drained. */
void stats_print_report(const struct capture *capture, const struct pipeline_counts *counts);

/* How much of a file was read, in place of what was told before; nothing for a pipe. */
void stats_print_progress(const struct capture *capture);

/* The same for the last time, with a newline. */
void stats_end_progress(const struct capture *capture);

#endif
