/* SPDX-License-Identifier: MIT */
/* Sums of the counters of driver, files and state, in words. */
#include "agent/run/stats.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/run/capture.h"
#include "agent/run/pipeline.h"
#include "agent/run/record.h"
#include "event/event.h"
#include "scap/live/live.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"

enum { TOP_EVENTS_COUNT = 5 };

static const char *const cause_names[] = {
#define LOSS(name, text) [LOSS_##name] = text,
	LOSS_CAUSES(LOSS)
#undef LOSS
};

struct totals {
	uint64_t seen, delivered, lost, unreadable;
	uint64_t lost_by_cause[LOSS_CAUSES_COUNT];
};

static uint64_t lost_of_event(const struct event_counters *counters)
{
	uint64_t lost = 0;

	for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
		lost += counters->lost[cause];
	return lost;
}

static struct totals add_up(const struct scap_live_stats *stats)
{
	struct totals totals = {0};

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_counters *counters = &stats->events[id];

		totals.seen += stats->seen[id];
		totals.delivered += stats->delivered[id];
		totals.unreadable += counters->unreadable;
		for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
			totals.lost_by_cause[cause] += counters->lost[cause];
		totals.lost += lost_of_event(counters);
	}
	return totals;
}

static void print(struct buf *text)
{
	fwrite(text->data, 1, text->len, stderr);
	buf_finish(text);
}

/* "agent: seen 7 = delivered 5 + lost 2", and what does not fit into that if there is such. */
static void put_balance(struct buf *text, const struct totals *totals, uint64_t damaged)
{
	uint64_t accounted = totals->delivered + totals->lost + damaged;

	buf_printf(text, "seen %" PRIu64 " = delivered %" PRIu64 " + lost %" PRIu64, totals->seen,
		   totals->delivered, totals->lost);
	if (damaged)
		buf_printf(text, " + damaged %" PRIu64, damaged);
	if (totals->seen != accounted)
		buf_printf(text, " + unaccounted %" PRId64, (int64_t)(totals->seen - accounted));
}

static void put_causes(struct buf *text, const struct totals *totals)
{
	const char *separator = "agent: lost by cause: ";

	for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++) {
		if (!totals->lost_by_cause[cause])
			continue;
		buf_printf(text, "%s%s %" PRIu64, separator, cause_names[cause],
			   totals->lost_by_cause[cause]);
		separator = ", ";
	}
	buf_append_char(text, '\n');
}

/* The id of the event with the largest loss below `bound`, or of the same loss and a higher id. */
static unsigned int next_loser(const struct scap_live_stats *stats, unsigned int previous)
{
	uint64_t bound = previous ? lost_of_event(&stats->events[previous]) : UINT64_MAX;
	unsigned int best = 0;
	uint64_t most = 0;

	for (unsigned int id = 1; id < EVENT_ID_MAX; id++) {
		uint64_t lost = lost_of_event(&stats->events[id]);

		if (lost > most && (lost < bound || (lost == bound && id > previous))) {
			best = id;
			most = lost;
		}
	}
	return best;
}

static void put_losers(struct buf *text, const struct scap_live_stats *stats)
{
	const char *separator = "agent: lost by event: ";
	unsigned int id = 0;

	for (int i = 0; i < TOP_EVENTS_COUNT && (id = next_loser(stats, id)); i++) {
		const struct event_desc *desc = event_desc_get(id);

		buf_printf(text, "%s%s %" PRIu64 " of %" PRIu64, separator,
			   desc ? desc->name : "unknown", lost_of_event(&stats->events[id]),
			   stats->seen[id]);
		separator = ", ";
	}
	if (id && next_loser(stats, id))
		BUF_LITERAL(text, ", ...");
	buf_append_char(text, '\n');
}

static void put_every_event(struct buf *text, const struct scap_live_stats *stats)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_counters *counters = &stats->events[id];
		const struct event_desc *desc = event_desc_get(id);

		if (stats->seen[id] || stats->delivered[id])
			buf_printf(text,
				   "agent: event %s: seen %" PRIu64 ", delivered %" PRIu64
				   ", lost %" PRIu64 ", unreadable %" PRIu64 "\n",
				   desc ? desc->name : "unknown", stats->seen[id],
				   stats->delivered[id], lost_of_event(counters),
				   (uint64_t)counters->unreadable);
	}
}

static void put_state(struct buf *text, const struct sinsp_stats *stats)
{
	buf_printf(text, "agent: state: threads %" PRIu64 ", descriptors %" PRIu64, stats->threads,
		   stats->fds);
}

static void put_lookups(struct buf *text, const struct sinsp_stats *stats)
{
	buf_printf(text,
		   "; asked of /proc: threads %" PRIu64 " (%" PRIu64 " gone), descriptors %" PRIu64
		   " (%" PRIu64 " gone)\n",
		   stats->thread_lookups, stats->thread_lookups_failed, stats->fd_lookups,
		   stats->fd_lookups_failed);
}

/* "agent: rule NAME: matched 7", for those that did. */
static void put_rules(struct buf *text, const struct ruleset *ruleset)
{
	uint64_t matches;

	for (size_t i = 0; ruleset && i < ruleset_count(ruleset); i++) {
		const char *name = ruleset_matches(ruleset, i, &matches);

		if (matches)
			buf_printf(text, "agent: rule %s: matched %" PRIu64 "\n", name, matches);
	}
}

/* Usually it was not in memory yet: no trouble, but not hidden. */
static void put_unnoted(struct buf *text, const struct scap_live_stats *live)
{
	if (live->unnoted)
		buf_printf(text,
			   "agent: %" PRIu64 " failed calls whose argument could not be compared with "
			   "what it was at their enter\n",
			   live->unnoted);
}

/* These have no value in the fields of latency, no wrong one. */
static void put_untimed(struct buf *text, const struct scap_live_stats *live)
{
	if (live->untimed)
		buf_printf(text,
			   "agent: %" PRIu64
			   " calls without latency: another thread's enter time took "
			   "the place of theirs\n",
			   live->untimed);
}

struct trouble {
	uint64_t count;
	const char *what;
};

/* What was not as it should be: a line each, if it happened. */
static void put_troubles(struct buf *text, const struct trouble *troubles, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (troubles[i].count)
			buf_printf(text, "agent: %" PRIu64 " %s\n", troubles[i].count,
				   troubles[i].what);
}

static void put_live_troubles(struct buf *text, const struct totals *totals,
			      const struct scap_live_stats *live, const struct sinsp_stats *state)
{
	const struct trouble troubles[] = {
		{totals->unreadable,
		 "parameters left empty: they could not be read (not resident, or a bad address)"},
		{live->compat, "system calls of 32-bit or x32 programs, not decoded"},
		{live->run_missed, "runs of a program skipped by the kernel"},
		{live->out_of_order, "events given out after a later one"},
		{state->damaged, "delivered events that could not be decoded"},
		{state->unknown, "delivered events of an unknown type"},
		{state->threads_evicted, "threads forgotten: the table was full"},
		{state->fds_refused, "descriptors not kept: the table was full"},
		{state->fd_lookups_refused,
		 "descriptors not looked up in /proc: too many in a short time"},
	};

	put_troubles(text, troubles, sizeof(troubles) / sizeof(troubles[0]));
}

static void put_file_troubles(struct buf *text, const struct scap_reader_stats *file,
			      const struct sinsp_stats *state)
{
	const struct trouble troubles[] = {
		{file->damaged_events + state->damaged, "events left out that are damaged"},
		{file->damaged_lists,
		 "lists of threads, descriptors or users left out from where they are damaged"},
		{file->unknown_events + state->unknown,
		 "events left out whose type this version does not know"},
		{file->unknown_blocks, "blocks left out whose kind this version does not know"},
		{state->threads_evicted, "threads forgotten: the table was full"},
		{state->fds_refused, "descriptors not kept: the table was full"},
	};

	put_troubles(text, troubles, sizeof(troubles) / sizeof(troubles[0]));
}

static void put_matches(struct buf *text, const struct pipeline_counts *counts)
{
	buf_printf(text, "; matched %" PRIu64 ", printed %" PRIu64 "\n", counts->matched,
		   counts->printed);
}

/* What was recorded. */
static void put_record(struct buf *text, const struct capture *capture)
{
	struct record_stats stats;

	if (!capture->record)
		return;
	record_stats(capture->record, &stats);
	buf_printf(text, "agent: wrote %s%" PRIu64 " events (%" PRIu64 " bytes) to ",
		   stats.at_least ? "at least " : "", stats.events, stats.bytes);
	if (stats.files != 1)
		buf_printf(text, "%" PRIu64 " files", stats.files);
	if (stats.files > 1)
		BUF_LITERAL(text, ", the last ");
	if (stats.files)
		buf_append_string(text, stats.name);
	buf_append_char(text, '\n');
	if (stats.generic)
		buf_printf(text,
			   "agent: %" PRIu64 " of these, which other readers do not know, as the "
			   "generic event; --native keeps them whole\n",
			   stats.generic);
}

/* Or -1 when it is not known. */
static int percent_read(const struct scap_reader_stats *file)
{
	if (file->bytes == 0)
		return -1;
	return file->bytes_read < file->bytes ? (int)(file->bytes_read * 100.0 / file->bytes) : 100;
}

static int put_live_line(struct buf *text, const struct capture *capture)
{
	struct scap_live_stats live;
	struct totals totals;
	int code = capture_stats(capture, &live);

	if (code)
		return code;
	totals = add_up(&live);
	buf_printf(text, "seen %" PRIu64 ", delivered %" PRIu64 ", lost %" PRIu64, totals.seen,
		   totals.delivered, totals.lost);
	return 0;
}

static int put_file_line(struct buf *text, const struct capture *capture)
{
	struct scap_reader_stats file;
	int percent;

	scap_reader_stats(capture->reader, &file);
	percent = percent_read(&file);
	buf_printf(text, "read %" PRIu64 " events of %" PRIu64 " bytes", file.events,
		   file.bytes_read);
	if (percent >= 0)
		buf_printf(text, " (%d%%)", percent);
	return 0;
}

void stats_print_line(const struct capture *capture, const struct pipeline_counts *counts,
		      uint64_t elapsed_ns)
{
	struct sinsp_stats state;
	struct buf text = {0};

	sinsp_stats(capture->sinsp, &state);
	buf_printf(&text, "agent: after %.1f s: ", (double)elapsed_ns / 1e9);
	if (capture->reader ? put_file_line(&text, capture) : put_live_line(&text, capture)) {
		buf_finish(&text);
		return;
	}
	buf_printf(&text,
		   ", matched %" PRIu64 ", printed %" PRIu64 "; threads %" PRIu64
		   ", descriptors %" PRIu64 "\n",
		   counts->matched, counts->printed, state.threads, state.fds);
	print(&text);
}

static void print_percent(const struct capture *capture, const char *end)
{
	struct scap_reader_stats file;
	int percent;

	scap_reader_stats(capture->reader, &file);
	percent = percent_read(&file);
	if (percent >= 0)
		fprintf(stderr, "\r%3d%%%s", percent, end);
}

void stats_print_progress(const struct capture *capture)
{
	print_percent(capture, "");
}

void stats_end_progress(const struct capture *capture)
{
	print_percent(capture, "\n");
}

static void report_file(const struct capture *capture, const struct pipeline_counts *counts)
{
	struct scap_reader_stats file;
	struct sinsp_stats state;
	struct buf text = {0};

	scap_reader_stats(capture->reader, &file);
	sinsp_stats(capture->sinsp, &state);
	buf_printf(&text, "agent: read %" PRIu64 " events of %" PRIu64 " bytes", file.events,
		   file.bytes_read);
	put_matches(&text, counts);
	put_record(&text, capture);
	put_file_troubles(&text, &file, &state);
	if (capture->options->verbose) {
		if (file.joined)
			buf_printf(&text,
				   "agent: %" PRIu64 " events at the enter of calls became part of "
				   "those at their exit\n",
				   file.joined);
		put_state(&text, &state);
		buf_append_char(&text, '\n');
		put_rules(&text, capture->ruleset);
	}
	print(&text);
}

static void report_live(const struct capture *capture, const struct pipeline_counts *counts)
{
	struct scap_live_stats live;
	struct sinsp_stats state;
	struct buf text = {0};
	struct totals totals;
	int code;

	code = capture_stats(capture, &live);
	if (code) {
		fprintf(stderr, "agent: the driver's counters cannot be read: %s\n",
			strerror(-code));
		return;
	}
	sinsp_stats(capture->sinsp, &state);
	totals = add_up(&live);

	BUF_LITERAL(&text, "agent: ");
	put_balance(&text, &totals, live.damaged);
	put_matches(&text, counts);
	put_record(&text, capture);
	if (totals.lost) {
		put_causes(&text, &totals);
		put_losers(&text, &live);
	}
	put_live_troubles(&text, &totals, &live, &state);
	if (capture->options->verbose) {
		put_unnoted(&text, &live);
		put_untimed(&text, &live);
		put_every_event(&text, &live);
		put_state(&text, &state);
		put_lookups(&text, &state);
		put_rules(&text, capture->ruleset);
	}
	print(&text);
}

void stats_print_report(const struct capture *capture, const struct pipeline_counts *counts)
{
	if (capture->reader)
		report_file(capture, counts);
	else
		report_live(capture, counts);
}
