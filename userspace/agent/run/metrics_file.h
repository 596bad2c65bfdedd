/* SPDX-License-Identifier: MIT */
/* The counters of a capture file that is read, as metrics. */
#ifndef AGENT_RUN_METRICS_FILE_H
#define AGENT_RUN_METRICS_FILE_H

#include "agent/control/exposition.h"

struct scap_reader_stats;

void metrics_file_append(const struct scap_reader_stats *stats, struct exposition *exposition);

#endif
