/* SPDX-License-Identifier: MIT */
/* A table of the counters of a reader. */
#include "agent/run/metrics_file.h"

#include <stddef.h>

#include "scap/file/reader.h"

#define ROW(name, type, unit, member, help)                                                        \
	{                                                                                          \
		{"lanner_file_" name, type, unit, help},                                           \
			offsetof(struct scap_reader_stats, member)                                 \
	}
static const struct {
	struct metric_family family;
	size_t offset;
} rows[] = {
	ROW("events_read", METRIC_COUNTER, NULL, events, "Events read from the capture file."),
	ROW("events_corrupt", METRIC_COUNTER, NULL, corrupt_events, "Corrupt events skipped."),
	ROW("events_unknown", METRIC_COUNTER, NULL, unknown_events,
	    "Events skipped whose type this version does not know."),
	ROW("lists_corrupt", METRIC_COUNTER, NULL, corrupt_lists,
	    "Lists of the state skipped from a corrupt entry on."),
	ROW("blocks_unknown", METRIC_COUNTER, NULL, unknown_blocks,
	    "Blocks skipped whose kind this version does not know."),
	ROW("read_bytes", METRIC_COUNTER, "bytes", bytes_read, "Bytes read of the capture file."),
	ROW("size_bytes", METRIC_GAUGE, "bytes", bytes, "Its size; 0: not known."),
};

void metrics_file_append(const struct scap_reader_stats *stats, struct exposition *exposition)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		exposition_add(exposition, &rows[i].family,
			       *(const uint64_t *)((const char *)stats + rows[i].offset));
}
