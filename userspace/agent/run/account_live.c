/* SPDX-License-Identifier: MIT */
/* Sums of the counters of the driver and the state, as text. */
#include "agent/run/account_live.h"

#include <inttypes.h>
#include <string.h>

#include "agent/run/account_meta.h"
#include "event/event.h"
#include "scap/live/live.h"
#include "util/terminal.h"

enum { TOP_EVENTS_COUNT = 5 };

static const char *const cause_names[] = {
#define LOSS(name, text) [LOSS_##name] = text,
	LOSS_CAUSES(LOSS)
#undef LOSS
};

struct totals {
	uint64_t seen, delivered, filtered, lost, unreadable;
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
		totals.filtered += counters->filtered;
		totals.unreadable += counters->unreadable;
		for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
			totals.lost_by_cause[cause] += counters->lost[cause];
		totals.lost += lost_of_event(counters);
	}
	return totals;
}

void account_live_totals(const struct scap_live_stats *stats, struct input_totals *totals)
{
	struct totals all = add_up(stats);

	*totals = (struct input_totals){all.seen, all.delivered, all.filtered, all.lost,
					stats->corrupt};
}

/* "agent: seen 7 = delivered 5 + lost 2", and filtered, corrupt or unaccounted events, if any. */
static void put_balance(struct buf *text, const struct totals *totals, uint64_t corrupt)
{
	uint64_t accounted = totals->delivered + totals->filtered + totals->lost + corrupt;

	buf_printf(text, "seen %" PRIu64 " = delivered %" PRIu64 " + lost %" PRIu64, totals->seen,
		   totals->delivered, totals->lost);
	if (totals->filtered)
		buf_printf(text, " + filtered %" PRIu64, totals->filtered);
	if (corrupt)
		buf_printf(text, " + corrupt %" PRIu64, corrupt);
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
				   ", filtered %" PRIu64 ", lost %" PRIu64 ", unreadable %" PRIu64
				   "\n",
				   desc ? desc->name : "unknown", stats->seen[id],
				   stats->delivered[id], (uint64_t)counters->filtered,
				   lost_of_event(counters), (uint64_t)counters->unreadable);
	}
}

static void put_lookups(struct buf *text, const struct sinsp_stats *stats)
{
	buf_printf(text,
		   "; asked of /proc: threads %" PRIu64 " (%" PRIu64 " gone), descriptors %" PRIu64
		   " (%" PRIu64 " gone)\n",
		   stats->thread_lookups, stats->thread_lookups_failed, stats->fd_lookups,
		   stats->fd_lookups_failed);
}

/* Usually the argument was not in memory on entry: no problem, but reported. */
static void put_unnoted(struct buf *text, const struct scap_live_stats *live)
{
	if (live->unnoted)
		buf_printf(text,
			   "agent: %" PRIu64
			   " calls whose argument could not be compared with "
			   "what it was at their enter\n",
			   live->unnoted);
}

/* Events of these CPUs are lost, and counted as "output failed". */
static void put_ringless(struct buf *text, const struct scap_live_stats *live)
{
	if (live->ringless)
		buf_printf(text,
			   "agent: %" PRIu32 " CPUs have no ring buffer, so that their events are "
			   "dropped (opening the one of CPU %" PRIu32 ": %s)\n",
			   live->ringless, live->ring_error_cpu, strerror(-live->ring_error));
}

/* Nobody knows which events are missing. */
static void put_silent(struct buf *text, const struct scap_live_stats *live)
{
	if (live->silent)
		buf_printf(text, "agent: programs do not report on CPU %" PRIu32, live->silent_cpu);
	else if (live->unanswered)
		BUF_LITERAL(text, "agent: programs did not report for a time");
	if (live->silent > 1)
		buf_printf(text, " and %" PRIu32 " others", live->silent - 1);
	if (live->unanswered)
		buf_printf(text,
			   ": %" PRIu64 " test calls had no answer, so that events are missing; "
			   "were programs detached, or maps changed?\n",
			   live->unanswered);
}

/* Events without latency: the fields have no value instead of a wrong one. */
static void put_untimed(struct buf *text, const struct scap_live_stats *live)
{
	if (live->untimed)
		buf_printf(text,
			   "agent: %" PRIu64
			   " calls without latency: another thread's enter time took "
			   "the place of theirs\n",
			   live->untimed);
}

static void put_troubles(struct buf *text, const struct totals *totals,
			 const struct scap_live_stats *live, const struct sinsp_stats *state)
{
	const struct account_trouble troubles[] = {
		{totals->unreadable,
		 "parameters left empty: they could not be read (not resident, or a bad address)"},
		{live->compat, "system calls of 32-bit or x32 programs, not decoded"},
		{live->rates_ended, "times or more a limit began anew: the process or group had to "
				    "give its counter to another"},
		{live->run_missed, "runs of a program skipped by the kernel"},
		{live->meddled, "calls of others that change programs or maps of the capture"},
		{live->out_of_order, "events given out after a later one"},
		{state->corrupt, "delivered events that could not be decoded"},
		{state->unknown, "delivered events of an unknown type"},
		ACCOUNT_MARKS(state),
		{state->threads_evicted, "threads evicted: the table or the memory was full"},
		{state->fds_evicted,
		 "descriptors dropped with their names: the tables or the memory were full"},
		{state->fds_rejected, "descriptors not stored: the table was full"},
		{state->names_unsure,
		 "descriptors without a name: in /proc their number was another file"},
		{state->fd_lookups_rejected,
		 "descriptors not looked up in /proc: too many in a short time"},
		{state->reads_given_up, "reads given up: arguments, environments, sockets or files "
					"of processes that do not answer"},
		{state->descriptions_too_long,
		 "descriptions of containers not written: longer than readers accept"},
		{state->pods_dropped,
		 "descriptions of pods dropped: too many on this node, or out of memory"},
	};

	account_append_troubles(troubles, sizeof(troubles) / sizeof(troubles[0]), text);
}

void account_live_append_counters(const struct scap_live_stats *live, struct buf *text)
{
	struct totals totals = add_up(live);

	buf_printf(text, "seen %" PRIu64 ", delivered %" PRIu64 ", lost %" PRIu64, totals.seen,
		   totals.delivered, totals.lost);
	if (totals.filtered)
		buf_printf(text, ", filtered %" PRIu64, totals.filtered);
}

bool account_live_is_incomplete(const struct scap_live_stats *live)
{
	struct totals totals = add_up(live);

	return totals.seen != totals.delivered + totals.filtered || live->unanswered;
}

void account_live_append(const struct scap_live_stats *live, const struct account *account,
			 struct buf *text)
{
	struct totals totals = add_up(live);

	BUF_LITERAL(text, "agent: ");
	put_balance(text, &totals, live->corrupt);
	account_append_matches(account, text);
	account_append_recording(account, text);
	if (totals.lost) {
		put_causes(text, &totals);
		put_losers(text, live);
	}
	put_troubles(text, &totals, live, &account->state);
	account_append_unknown(account, text);
	account_meta_append_troubles(&account->containers, text);
	put_ringless(text, live);
	put_silent(text, live);
	if (account->verbose) {
		put_unnoted(text, live);
		put_untimed(text, live);
		put_every_event(text, live);
		account_append_state(account, text);
		put_lookups(text, &account->state);
		account_meta_append_work(&account->containers.meta, text);
		account_append_cgroups(account, text);
		account_append_rules(account, text);
	}
}

void account_live_append_throttled(const struct scap_live_throttled *list, size_t count,
				   struct buf *text)
{
	static const struct {
		const char *limit, *whose;
	} kinds[RATE_KINDS] = {
		[RATE_OF_PROCESS] = {"--process-limit", ""},
		[RATE_OF_CGROUP] = {"--cgroup-limit", "the control groups of "},
		[RATE_OF_SHARE] = {"the share of a process", ""},
	};

	for (unsigned int kind = 0; kind < RATE_KINDS; kind++) {
		const char *separator = ": ";
		char name[sizeof(list->name)];

		for (size_t i = 0; i < count; i++) {
			if (list[i].kind != kind)
				continue;
			if (*separator == ':')
				buf_printf(text, "agent: lost most over %s", kinds[kind].limit);
			memcpy(name, list[i].name, sizeof(name));
			terminal_mask(name, strlen(name));
			buf_printf(text, "%s%" PRIu64 " of %sprocess %d (%s)", separator,
				   list[i].lost, kinds[kind].whose, (int)list[i].pid, name);
			separator = ", ";
		}
		if (*separator == ',')
			buf_append_char(text, '\n');
	}
}
