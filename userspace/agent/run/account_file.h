/* SPDX-License-Identifier: MIT */
/*
 * The account of a capture file. The report's first line always has the form
 *   agent: read N events of N bytes; matched N, printed N
 */
#ifndef AGENT_RUN_ACCOUNT_FILE_H
#define AGENT_RUN_ACCOUNT_FILE_H

#include "agent/run/account.h"

struct scap_reader_stats;

/* How much of the file was read, in percent, or -1 if its size is unknown. */
int account_file_percent(const struct scap_reader_stats *file);

/* "read 7 events of 900 bytes (40%)", for a line during the run. */
void account_file_append_counters(const struct scap_reader_stats *file, struct buf *text);

/* The report. */
void account_file_append(const struct scap_reader_stats *file, const struct account *account,
			 struct buf *text);

#endif
