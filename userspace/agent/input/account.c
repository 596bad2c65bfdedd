/* SPDX-License-Identifier: MIT */
/*
 * Parts of a report: those of all inputs, of descriptions of containers, of capture files, of live
 * captures.
 */
#include "agent/input/account.h"

#include <inttypes.h>
#include <string.h>

#include "agent/plan/selection.h"
#include "agent/record/recording.h"
#include "agent/input/input.h"
#include "event/event.h"
#include "rules/ruleset.h"
#include "scap/file/reader.h"
#include "scap/live/live.h"
#include "util/count.h"
#include "util/terminal.h"

/* Parts of a report shared by all inputs. */

void account_append_matches(const struct account *account, struct buf *text)
{
	buf_printf(text, "; matched %" PRIu64 ", printed %" PRIu64 "\n", account->matched,
		   account->printed);
}

void account_append_unknown(const struct account *account, struct buf *text)
{
	const struct account_trouble trouble = {
		account->filter_unknown,
		"events passed a filter or rule that a part of a value decides which was not "
		"captured"};

	account_append_troubles(&trouble, 1, text);
}

void account_append_recording(const struct account *account, struct buf *text)
{
	struct recording_stats stats;

	if (!account->recording)
		return;
	recording_stats(account->recording, &stats);
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
	if (stats.left_out)
		buf_printf(text,
			   "agent: %" PRIu64 " events, which other readers do not know, were not "
			   "written; --native keeps them\n",
			   stats.left_out);
}

void account_append_rules(const struct account *account, struct buf *text)
{
	const struct ruleset *ruleset = account->ruleset;
	uint64_t matches, undecided;

	for (size_t i = 0; ruleset && i < ruleset_count(ruleset); i++) {
		const char *name = ruleset_matches(ruleset, i, &matches);

		if (!matches)
			continue;
		buf_printf(text, "agent: rule %s: matched %" PRIu64, name, matches);
		undecided = ruleset_undecided(ruleset, i);
		if (undecided)
			buf_printf(text, ", undecided %" PRIu64, undecided);
		buf_append_char(text, '\n');
	}
}

void account_append_state(const struct account *account, struct buf *text)
{
	buf_printf(text, "agent: state: threads %" PRIu64 ", descriptors %" PRIu64,
		   account->state.threads, account->state.fds);
}

void account_append_cgroups(const struct account *account, struct buf *text)
{
	const uint64_t *counts = account->cgroups;

	if (counts[FILTER_REJECTED] || counts[FILTER_ACCEPTED] || counts[FILTER_UNDECIDED])
		buf_printf(text,
			   "agent: filter: control groups rejected %" PRIu64 ", accepted %" PRIu64
			   ", undecided %" PRIu64 "\n",
			   counts[FILTER_REJECTED], counts[FILTER_ACCEPTED],
			   counts[FILTER_UNDECIDED]);
}

void account_append_troubles(const struct account_trouble *troubles, size_t count, struct buf *text)
{
	for (size_t i = 0; i < count; i++)
		if (troubles[i].count)
			buf_printf(text, "agent: %" PRIu64 " %s\n", troubles[i].count,
				   troubles[i].what);
}

/* Counters of the threads that describe containers and pods, as text. */

enum { PARTS_MAX = 4 };

/* A line for each subject of which something was counted. */
static const struct {
	const char *subject;
	struct {
		const char *what;
		enum meta_counter counter;
	} parts[PARTS_MAX];
} lines[] = {
	{"containers",
	 {{"looked for", META_REQUESTS},
	  {"found", META_DESCRIBED},
	  {"without data", META_MISSING}}},
	{"runtimes",
	 {{"streams of events", META_RUNTIME_STREAMS},
	  {"lists", META_RUNTIME_LISTS},
	  {"events", META_RUNTIME_EVENTS},
	  {"look-ups after them", META_RUNTIME_LOOKUPS}}},
	{"pods",
	 {{"known", META_KUBE_PODS},
	  {"changes", META_KUBE_CHANGES},
	  {"requests to Kubernetes", META_KUBE_REQUESTS}}},
	{"services", {{"known", META_KUBE_SERVICES}}},
	{"pods of other nodes",
	 {{"workloads asked for", META_KUBE_OWNERS}, {"gone", META_KUBE_OWNERS_MISSING}}},
};

static void put_line(struct buf *text, const struct meta_stats *meta, size_t number)
{
	const char *separator = ": ";
	bool any = false;

	for (int i = 0; i < PARTS_MAX && lines[number].parts[i].what; i++)
		any |= meta->counts[lines[number].parts[i].counter] > 0;
	if (!any)
		return;
	buf_printf(text, "agent: %s", lines[number].subject);
	for (int i = 0; i < PARTS_MAX && lines[number].parts[i].what; i++) {
		buf_printf(text, "%s%s %" PRIu64, separator, lines[number].parts[i].what,
			   meta->counts[lines[number].parts[i].counter]);
		separator = ", ";
	}
	buf_append_char(text, '\n');
}

/* The time in us within which that share of requests had data: a power of two. */
static uint64_t time_of_share(const struct meta_stats *meta, unsigned int percent)
{
	uint64_t all = 0, counted = 0;
	unsigned int power;

	for (power = 0; power < META_TIMES; power++)
		all += meta->times[power];
	for (power = 0; power < META_TIMES - 1; power++) {
		counted += meta->times[power];
		if (counted * 100 >= all * percent)
			break;
	}
	return UINT64_C(1) << power;
}

static void put_times(struct buf *text, const struct meta_stats *meta)
{
	uint64_t half_us = time_of_share(meta, 50), all_us = time_of_share(meta, 100);

	if (meta->counts[META_DESCRIBED])
		buf_printf(text,
			   "agent: containers: half of them found within %.3f ms, all within %.3f "
			   "ms\n",
			   (double)half_us / 1000, (double)all_us / 1000);
}

void account_meta_append_work(const struct meta_stats *meta, struct buf *text)
{
	for (size_t i = 0; i < COUNT(lines); i++)
		put_line(text, meta, i);
	put_times(text, meta);
}

void account_meta_append_troubles(const struct account_containers *containers, struct buf *text)
{
	static const char *const by_counter[META_COUNTERS] = {
		[META_REJECTED] = "containers not looked for, or not again: too many at a time, or "
				  "out of memory",
		[META_USERS_REJECTED] =
			"times that users of containers were not read: too many at a time, or out "
			"of memory",
		[META_MISSING] = "containers without data: no file and no runtime describes them",
		[META_FAILED] = "containers with files or answers that could not be read",
		[META_LEFT_OUT] =
			"labels, mounts and texts of containers left out: too many or too long",
		[META_KUBE_PODS_REJECTED] =
			"pods or services left out: too many, of other nodes, or out of memory",
		[META_KUBE_OWNERS_REJECTED] =
			"pods of other nodes whose workload was not asked for: too many at a time",
		[META_KUBE_LINES_BAD] = "changes of pods not read: too long, or no JSON of a pod",
		[META_KUBE_UNREACHABLE] = "requests to Kubernetes without an answer",
		[META_KUBE_UNTRUSTED] = "requests to Kubernetes that failed: TLS, or a certificate",
		[META_KUBE_TOKEN] = "times that the token for Kubernetes could not be read",
		[META_KUBE_UNAUTHORIZED] = "requests to Kubernetes rejected: the token (401)",
		[META_KUBE_FORBIDDEN] = "requests to Kubernetes rejected: permissions (403)",
		[META_KUBE_EXPIRED] =
			"times that changes of pods were missed, and all listed again (410)",
		[META_KUBE_THROTTLED] = "requests to Kubernetes rejected: too many (429)",
		[META_KUBE_STATUS] = "requests to Kubernetes that failed there",
		[META_KUBE_CUT] = "answers of Kubernetes that were cut, or silent for too long",
		[META_KUBE_NONSENSE] =
			"answers of Kubernetes that are not lists or changes of pods",
		[META_KUBE_TOO_LONG] = "lists of pods that were too long",
		[META_RUNTIME_STREAMS_LOST] =
			"times that events of a runtime were missed, and all listed again",
		[META_RUNTIME_EVENTS_BAD] = "events of runtimes not read: too long, or nonsense",
		[META_RUNTIME_LOOKUPS_FAILED] = "look-ups after events of runtimes that failed",
		[META_PUSHES_LOST] = "changes of containers and pods not applied: out of memory",
	};
	const struct account_trouble waits[] = {
		{containers->unverified, "control groups that users named like those of containers "
					 "(meta.state=unverified)"},
		{containers->again,
		 "times that a container was asked for again: too many at once, or "
		 "arguments of its runtime that could not be read"},
		{containers->late, "new containers whose data was not there in time (--meta-wait)"},
		{containers->users_late,
		 "new containers whose users were not there in time (--meta-wait)"},
		{containers->full,
		 "new containers whose data was not waited for: a ring buffer was half full"},
	};

	for (int counter = 0; counter < META_COUNTERS; counter++) {
		struct account_trouble trouble = {containers->meta.counts[counter],
						  by_counter[counter]};

		account_append_troubles(&trouble, trouble.what ? 1 : 0, text);
	}
	account_append_troubles(waits, COUNT(waits), text);
}

/* The counters of a reader and of the state, as text. */

int account_file_percent(const struct scap_reader_stats *file)
{
	if (file->bytes == 0)
		return -1;
	return file->bytes_read < file->bytes ? (int)(file->bytes_read * 100.0 / file->bytes) : 100;
}

static void account_file_put_troubles(struct buf *text, const struct scap_reader_stats *file,
				      const struct state_stats *state)
{
	const struct account_trouble troubles[] = {
		{file->corrupt_events + state->corrupt, "corrupt events skipped"},
		{file->corrupt_lists,
		 "lists of threads, descriptors or users skipped from a corrupt entry on"},
		{file->unknown_events + state->unknown,
		 "events skipped whose type this version does not know"},
		{file->lost, "records missing that were lost when the file was written"},
		{file->unordered, "records that may not be in the order of their times: too many "
				  "were between"},
		{file->unmapped, "mappings of processes not kept, as there were too many: samples "
				 "there have no symbols"},
		{file->unknown_blocks, "blocks skipped whose kind this version does not know"},
		ACCOUNT_MARKS(state),
		{state->threads_evicted, "threads evicted: the table or the memory was full"},
		{state->fds_evicted,
		 "descriptors dropped with their names: the tables or the memory were full"},
		{state->fds_rejected, "descriptors not stored: the table was full"},
		{state->descriptions_corrupt, "corrupt descriptions of containers skipped"},
		{state->descriptions_ignored,
		 "values in descriptions of containers ignored: of a wrong type, or too many"},
		{state->descriptions_dropped,
		 "descriptions of containers dropped: too many without a process"},
		{state->descriptions_too_long,
		 "descriptions of containers not written: longer than readers accept"},
	};

	account_append_troubles(troubles, COUNT(troubles), text);
}

void account_file_append_counters(const struct scap_reader_stats *file, struct buf *text)
{
	int percent = account_file_percent(file);

	buf_printf(text, "read %" PRIu64 " events of %" PRIu64 " bytes", file->events,
		   file->bytes_read);
	if (percent >= 0)
		buf_printf(text, " (%d%%)", percent);
}

void account_file_append(const struct scap_reader_stats *file, const struct account *account,
			 struct buf *text)
{
	buf_printf(text, "agent: read %" PRIu64 " events of %" PRIu64 " bytes", file->events,
		   file->bytes_read);
	account_append_matches(account, text);
	account_append_recording(account, text);
	account_file_put_troubles(text, file, &account->state);
	account_append_unknown(account, text);
	if (!account->verbose)
		return;
	if (file->joined)
		buf_printf(text,
			   "agent: %" PRIu64
			   " events on entry to calls merged into those on exit\n",
			   file->joined);
	account_append_state(account, text);
	buf_append_char(text, '\n');
	account_append_cgroups(account, text);
	account_append_rules(account, text);
}

/* Sums of the counters of the driver and the state, as text. */

enum { TOP_EVENTS_COUNT = 5 };

static const char *const cause_names[] = {
#define LOSS(name, text) [LOSS_##name] = text,
	LOSS_CAUSES(LOSS)
#undef LOSS
};

struct totals {
	uint64_t seen, delivered, filtered, muted, lost, unreadable;
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
		totals.muted += counters->muted;
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

	*totals = (struct input_totals){all.seen, all.delivered,  all.filtered,
					all.lost, stats->corrupt, stats->counted_seen};
}

/* "agent: seen 7 = delivered 5 + lost 2", and filtered, corrupt or unaccounted events, if any. */
static void put_balance(struct buf *text, const struct totals *totals, uint64_t unread,
			uint64_t corrupt)
{
	uint64_t accounted = totals->delivered + totals->filtered + totals->lost + unread + corrupt;

	buf_printf(text, "seen %" PRIu64 " = delivered %" PRIu64 " + lost %" PRIu64, totals->seen,
		   totals->delivered, totals->lost);
	if (totals->filtered)
		buf_printf(text, " + filtered %" PRIu64, totals->filtered);
	if (unread)
		buf_printf(text, " + unread %" PRIu64, unread);
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

uint64_t account_live_lost_asked(const struct event_counters *events, const uint16_t *reasons)
{
	uint64_t lost = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (reasons[id] & WHY_ASKED)
			lost += lost_of_event(&events[id]);
	return lost;
}

/* A name or a path may be wrong for want of what keeps the state; else nothing is missing. */
static void put_asked(struct buf *text, const struct totals *totals,
		      const struct scap_live_stats *stats, const struct account *account)
{
	uint64_t asked = account_live_lost_asked(stats->events, account->reasons);

	buf_printf(text,
		   "agent: lost of what was asked for %" PRIu64
		   ", of what only keeps the state %" PRIu64 "\n",
		   asked, totals->lost - asked);
	if (account->has_command && asked)
		buf_printf(text, "agent: %" PRIu64 " events of the command are missing\n", asked);
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

static void put_muted(struct buf *text, const struct totals *totals, const struct account *account)
{
	if (account->muted_total)
		buf_printf(text,
			   "agent: muted processes: %" PRIu64 ", at the end %" PRIu64
			   ", calls of them filtered %" PRIu64 "\n",
			   account->muted_total, account->muted, totals->muted);
}

static void put_lookups(struct buf *text, const struct state_stats *stats)
{
	buf_printf(text,
		   "; asked of /proc: threads %" PRIu64 " (%" PRIu64 " gone), descriptors %" PRIu64
		   " (%" PRIu64 " gone)\n",
		   stats->thread_lookups, stats->thread_lookups_failed, stats->fd_lookups,
		   stats->fd_lookups_failed);
	if (stats->programs_missed)
		buf_printf(text,
			   "agent: processes that began with an unknown executable: %" PRIu64
			   "; learnt from the kernel's list of threads: %" PRIu64 "\n",
			   stats->programs_missed, stats->programs_learnt);
}

/* Usually the argument was not in memory on entry: no problem, but reported. */
static void put_unnoted(struct buf *text, const struct scap_live_stats *live)
{
	if (live->unnoted)
		buf_printf(text,
			   "agent: %" PRIu64 " calls whose argument could not be compared with "
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

/* Nobody knows how many sockets there were. */
static void put_unsampled(struct buf *text, const struct scap_live_stats *live)
{
	if (live->samples_failed)
		buf_printf(text,
			   "agent: %" PRIu64 " times connections could not be sampled (%s), so "
			   "that tcp_sample is missing\n",
			   live->samples_failed, strerror(-live->sample_error));
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

static void account_live_put_troubles(struct buf *text, const struct totals *totals,
				      const struct scap_live_stats *live,
				      const struct state_stats *state)
{
	const struct account_trouble troubles[] = {
		{totals->unreadable,
		 "parameters left empty: they could not be read (not resident, or a bad address)"},
		{live->compat, "system calls of 32-bit or x32 programs, not decoded"},
		{live->rates_ended, "times or more a limit began anew: the process or group had to "
				    "give its counter to another"},
		{live->run_missed, "runs of a program skipped by the kernel"},
		{live->meddled, "calls of others that change programs or maps of the capture"},
		{live->unjudged,
		 "times that calls which seccomp filters or tracers answer could not be "
		 "told apart: such calls are not marked"},
		{live->ownerless, "events of sockets of which it is not known whose they are"},
		{live->owners_dropped,
		 "sockets of which it was not kept whose they are: there were too many"},
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
		{state->slots_unsure, "registered files of io_uring without a name: they were "
				      "registered unseen, and are no known descriptor"},
		{state->created_dropped,
		 "files that were made are not known any more (fs.path.age): too many were"},
		{state->rings_dropped,
		 "rings of io_uring whose registered files were forgotten: too many of them"},
		{state->thread_lookups_rejected,
		 "threads not looked up in /proc: too many in a short time"},
		{state->fd_lookups_rejected,
		 "descriptors not looked up in /proc: too many in a short time"},
		{state->directory_lookups_rejected,
		 "directories not looked up in /proc: too many in a short time"},
		{state->reads_given_up, "reads given up: arguments, environments, sockets or files "
					"of processes that do not answer"},
		{state->descriptions_too_long,
		 "descriptions of containers not written: longer than readers accept"},
		{state->pods_dropped,
		 "descriptions of pods dropped: too many on this node, or out of memory"},
		{state->services_dropped,
		 "descriptions of services dropped: too many in the cluster, or out of memory"},
	};

	account_append_troubles(troubles, COUNT(troubles), text);
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

	return totals.seen != totals.delivered + totals.filtered + live->unread || live->unanswered;
}

void account_live_append(const struct scap_live_stats *live, const struct account *account,
			 struct buf *text)
{
	struct totals totals = add_up(live);

	BUF_LITERAL(text, "agent: ");
	put_balance(text, &totals, live->unread, live->corrupt);
	account_append_matches(account, text);
	account_append_recording(account, text);
	if (totals.lost) {
		put_causes(text, &totals);
		put_losers(text, live);
		put_asked(text, &totals, live, account);
	}
	account_live_put_troubles(text, &totals, live, &account->state);
	account_append_unknown(account, text);
	account_meta_append_troubles(&account->containers, text);
	put_ringless(text, live);
	put_silent(text, live);
	put_unsampled(text, live);
	if (account->verbose) {
		put_unnoted(text, live);
		put_untimed(text, live);
		put_every_event(text, live);
		put_muted(text, &totals, account);
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
			buf_printf(text, "%s%" PRIu64 " of ", separator, list[i].lost);
			if (list[i].pid < 0)
				BUF_LITERAL(text, "sockets of no known process");
			else
				buf_printf(text, "%sprocess %d", kinds[kind].whose,
					   (int)list[i].pid);
			if (name[0])
				buf_printf(text, " (%s)", name);
			separator = ", ";
		}
		if (*separator == ',')
			buf_append_char(text, '\n');
	}
}
