/* SPDX-License-Identifier: MIT */
/* The account of an output as text; what its thread has to say. */
#include "output/delivery/account.h"

#include <inttypes.h>
#include <string.h>

#include "util/terminal.h"

uint64_t output_counters_lost(const struct output_counters *counters)
{
	uint64_t lost = 0;

	for (int i = 0; i < GAP_LOSSES; i++)
		lost += output_counter_get(&counters->dropped[i]);
	return lost;
}

uint64_t output_account_dropped(const struct output_account *account)
{
	uint64_t dropped = 0;

	for (int i = 0; i < GAP_LOSSES; i++)
		dropped += account->dropped[i];
	return dropped;
}

bool output_account_broke_promise(const struct output_account *account, bool may_drop)
{
	const bool allowed[GAP_CAUSES] = {
		[GAP_QUEUE_FULL] = may_drop,
		[GAP_SPOOL_LIMIT] = true,
		[GAP_SPOOL_POWER] = true,
		[GAP_GONE] = true,
	};
	uint64_t records = account->formatted + account->backlog;

	for (int i = 0; i < GAP_LOSSES; i++)
		if (account->dropped[i] && !allowed[i])
			return true;
	return records && !account->delivered && !account->queued && !account->dropped[GAP_GONE];
}

static void append_work(const struct output_account *account, struct buf *text)
{
	buf_printf(text,
		   "agent: output %s: %" PRIu64 " bytes in %" PRIu64 " batches, of which %" PRIu64
		   " failed; %" PRIu64 " records sent again, %" PRIu64 " of them marked\n",
		   account->name, account->delivered_bytes, account->batches, account->failures,
		   account->retried, account->redelivered);
}

void output_account_append(const struct output_account *account, bool verbose, struct buf *text)
{
	buf_printf(text, "agent: output %s: formatted %" PRIu64, account->name, account->formatted);
	if (account->backlog)
		buf_printf(text, " + of earlier runs %" PRIu64, account->backlog);
	buf_printf(text, " = %s %" PRIu64, account->acknowledges ? "delivered" : "sent",
		   account->delivered);
	if (account->queued)
		buf_printf(text, " + queued %" PRIu64, account->queued);
	buf_printf(text, " + dropped %" PRIu64 "\n", output_account_dropped(account));
	for (unsigned int i = 0; i < GAP_CAUSES; i++)
		if (account->dropped[i])
			buf_printf(text, "agent: output %s: %s %" PRIu64 ": %s\n", account->name,
				   i < GAP_LOSSES ? "dropped" : "left out", account->dropped[i],
				   gap_cause_text((enum gap_cause)i));
	if (account->unknown_gaps)
		buf_printf(text,
			   "agent: output %s: before the start an unknown number of records was "
			   "lost: %s\n",
			   account->name, gap_cause_text(GAP_INTERRUPTED));
	if (account->redacted)
		buf_printf(text, "agent: output %s: hid %" PRIu64 " secrets\n", account->name,
			   account->redacted);
	if (account->redact_unfinished)
		buf_printf(text,
			   "agent: output %s: hid %" PRIu64
			   " texts whole, as a redact-pattern= was "
			   "given up on them: make it simpler\n",
			   account->name, account->redact_unfinished);
	if (account->is_failing)
		buf_printf(text, "agent: output %s: %s\n", account->name, account->err.text);
	if (verbose)
		append_work(account, text);
}

/* The last failure, behind a lock. */

#define BETWEEN_NS UINT64_C(60000000000)

int delivery_status_init(struct delivery_status *status)
{
	*status = (struct delivery_status){0};
	return -pthread_mutex_init(&status->lock, NULL);
}

void delivery_status_finish(struct delivery_status *status)
{
	pthread_mutex_destroy(&status->lock);
}

void delivery_status_forget(struct delivery_status *status)
{
	pthread_mutex_lock(&status->lock);
	status->is_failing = status->was_failing = status->failed = false;
	pthread_mutex_unlock(&status->lock);
}

void delivery_status_set(struct delivery_status *status, const struct error *err)
{
	pthread_mutex_lock(&status->lock);
	status->is_failing = err != NULL;
	if (err) {
		status->failed = true;
		status->err = *err;
		/* A part may be the text of a server, which must not forge lines of the log. */
		terminal_mask(status->err.text, strlen(err->text));
	}
	pthread_mutex_unlock(&status->lock);
}

/* A target that fails for a moment again and again must not fill the log. */
static bool is_worth_a_line(const struct delivery_status *status, uint64_t now_ns)
{
	return status->failed && !status->is_failing &&
	       (status->failed_ns == 0 || now_ns - status->failed_ns >= BETWEEN_NS);
}

enum delivery_status_kind delivery_status_take(struct delivery_status *status, uint64_t now_ns,
					       struct error *err)
{
	enum delivery_status_kind kind = DELIVERY_STATUS_NONE;

	pthread_mutex_lock(&status->lock);
	if (status->is_failing != status->was_failing) {
		kind = status->is_failing ? DELIVERY_STATUS_FAILS : DELIVERY_STATUS_WORKS;
	} else if (is_worth_a_line(status, now_ns)) {
		kind = DELIVERY_STATUS_FAILED;
		status->failed_ns = now_ns;
	}
	status->was_failing = status->is_failing;
	status->failed = false;
	if (kind == DELIVERY_STATUS_FAILS || kind == DELIVERY_STATUS_FAILED)
		*err = status->err;
	pthread_mutex_unlock(&status->lock);
	return kind;
}

bool delivery_status_is_failing(struct delivery_status *status, struct error *err)
{
	bool failing;

	pthread_mutex_lock(&status->lock);
	failing = status->is_failing;
	if (failing)
		*err = status->err;
	pthread_mutex_unlock(&status->lock);
	return failing;
}
