/* SPDX-License-Identifier: MIT */
/* Gaps by cause, which grow record by record. */
#include "output/delivery/gap.h"

#include <stdlib.h>

#include "sinsp/format/drop.h"

#define IN_KERNEL "lost in the kernel: "

/* Names are labels of metrics; the kernel's are those of lanner_events_lost_total. */
static const struct {
	const char *name, *text;
} causes[GAP_CAUSES] = {
	[GAP_QUEUE_FULL] = {"queue_full", "the queue was full"},
	[GAP_NO_MEMORY] = {"no_memory", "out of memory"},
	[GAP_REJECTED] = {"rejected", "rejected by the target"},
	[GAP_TOO_LARGE] = {"too_large", "larger than the target takes"},
	[GAP_GONE] = {"gone", "the target is gone"},
	[GAP_SPOOL_CLOSED] = {"spool_closed", "the spool could not be opened"},
	[GAP_CAPTURE_NO_SPACE] = {"capture_no_space", "the disk of the capture was full"},
	[GAP_CAPTURE_IO] = {"capture_io", "the capture could not be written"},
	[GAP_SPOOL_LIMIT] = {"spool_limit", "the spool reached its limit"},
	[GAP_SPOOL_NO_SPACE] = {"spool_no_space", "the disk of the spool was full"},
	[GAP_SPOOL_IO] = {"spool_io", "the spool could not be written"},
	[GAP_SPOOL_CORRUPT] = {"spool_corrupt", "the spool was corrupt"},
	[GAP_SPOOL_POWER] = {"spool_power", "the machine stopped before the spool was on disk"},
	[GAP_SPOOL_REMOVED] = {"spool_removed", "the folder of the spool was removed"},
	[GAP_INTERRUPTED] = {"interrupted", "the run before did not end in good order"},
	[GAP_KERNEL_RING_FULL] = {"kernel_ring_full", IN_KERNEL "ring full"},
	[GAP_KERNEL_SCRATCH_BUSY] = {"kernel_scratch_busy", IN_KERNEL "scratch busy"},
	[GAP_KERNEL_TOO_LARGE] = {"kernel_too_large", IN_KERNEL "too large"},
	[GAP_KERNEL_TAIL_CALL] = {"kernel_tail_call_missing", IN_KERNEL "tail call missing"},
	[GAP_KERNEL_OUTPUT] = {"kernel_output_failed", IN_KERNEL "output failed"},
	[GAP_KERNEL_RESERVED] = {"kernel_reserved", IN_KERNEL "reserved for important events"},
	[GAP_KERNEL_PROCESS_LIMIT] = {"kernel_process_limit",
				      IN_KERNEL "over the limit of a process"},
	[GAP_KERNEL_CGROUP_LIMIT] = {"kernel_cgroup_limit",
				     IN_KERNEL "over the limit of a control group"},
	[GAP_KERNEL_BUDGET] = {"kernel_over_budget", IN_KERNEL "over the budget"},
	[GAP_KERNEL_MESSAGES] = {"kernel_messages",
				 IN_KERNEL "messages beyond the first of a call"},
	[GAP_KERNEL_SHARE] = {"kernel_process_share", IN_KERNEL "over the share of a process"},
	[GAP_KERNEL_IN_FLIGHT] = {"kernel_in_flight", IN_KERNEL "too many requests in flight"},
	[GAP_KERNEL_UNTOLD] = {"kernel_untold",
			       IN_KERNEL "requests whose begin or end is not told"},
	[GAP_KERNEL_UNSHOWN] = {"kernel_unshown",
				IN_KERNEL "operations of rings that this kernel does not describe"},
	[GAP_END] = {"end", "not delivered before the end"},
	[GAP_TAKEN_OVER] = {"taken_over", "not known whether the agent before delivered them"},
	[GAP_RATE] = {"rate", "above the rate"},
	[GAP_SAMPLED] = {"sampled", "left out of the sample"},
	[GAP_SAME] = {"same", "the same as one before"},
	[GAP_FORM] = {"form", "unknown to other readers of captures; native=yes keeps them"},
};

const char *gap_cause_name(enum gap_cause cause)
{
	return causes[cause].name;
}

const char *gap_cause_text(enum gap_cause cause)
{
	return causes[cause].text;
}

static uint64_t gap_smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t gap_larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct gap *gap_of(struct gaps *gaps, enum gap_cause cause)
{
	struct gap *gap = gaps->by_cause[cause];

	if (gap)
		return gap;
	gap = calloc(1, sizeof(*gap));
	if (gap)
		gap->from = gap->first_ns = UINT64_MAX;
	gaps->by_cause[cause] = gap;
	return gap;
}

void gaps_add(struct gaps *gaps, enum gap_cause cause, const struct output_record *record)
{
	struct gap *gap = gap_of(gaps, cause);

	if (!gap)
		return;
	gap->from = gap_smaller(gap->from, record->number);
	gap->to = gap_larger(gap->to, record->number);
	gap->first_ns = gap_smaller(gap->first_ns, record->ts_ns);
	gap->last_ns = gap_larger(gap->last_ns, record->ts_ns);
	gap->count++;
	if (record->event < EVENT_ID_MAX)
		gap->types[record->event]++;
}

static void merge(struct gap *gap, const struct gap *other)
{
	gap->from = gap_smaller(gap->from, other->from);
	gap->to = gap_larger(gap->to, other->to);
	gap->first_ns = gap_smaller(gap->first_ns, other->first_ns);
	gap->last_ns = gap_larger(gap->last_ns, other->last_ns);
	gap->count += other->count;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		gap->types[id] += other->types[id];
}

void gaps_add_gap(struct gaps *gaps, enum gap_cause cause, const struct gap *more)
{
	struct gap *gap = gap_of(gaps, cause);

	if (gap)
		merge(gap, more);
}

void gaps_move_end(struct gaps *gaps, struct gaps *from)
{
	if (from->end.reason)
		gaps->end = from->end;
	from->end = (struct gap_end){0};
}

void gaps_move(struct gaps *gaps, struct gaps *from)
{
	for (int i = 0; i < GAP_CAUSES; i++) {
		if (gaps->by_cause[i] && from->by_cause[i]) {
			merge(gaps->by_cause[i], from->by_cause[i]);
			free(from->by_cause[i]);
		} else if (from->by_cause[i]) {
			gaps->by_cause[i] = from->by_cause[i];
		}
		from->by_cause[i] = NULL;
	}
	gaps_move_end(gaps, from);
}

void gaps_clear(struct gaps *gaps)
{
	for (int i = 0; i < GAP_CAUSES; i++) {
		free(gaps->by_cause[i]);
		gaps->by_cause[i] = NULL;
	}
	gaps->end = (struct gap_end){0};
}

void gap_describe(const struct gap *gap, enum gap_cause cause, uint64_t last_number,
		  struct format_drop_type *types, struct format_drop *drop)
{
	size_t n = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (gap->types[id] && event_desc_get(id))
			types[n++] =
				(struct format_drop_type){event_desc_get(id)->name, gap->types[id]};
	*drop = (struct format_drop){
		.from = gap->from,
		.to = gap->to,
		.count = gap->count,
		.after = gap->count ? 0 : last_number,
		.first_ns = gap->first_ns,
		.last_ns = gap->last_ns,
		.cause = gap_cause_text(cause),
		.in_kernel = gap_cause_is_of_kernel(cause),
		.types = types,
		.types_count = n,
	};
}
