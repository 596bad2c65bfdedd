/* SPDX-License-Identifier: MIT */
/* The loop of a thread that sends what is in a spool, and says there what came of it. */
#include "output/delivery/sender.h"

#include <errno.h>

#include "output/delivery/sender_impl.h"

/* How long it waits for records before it does something else. */
#define READ_NS UINT64_C(1000000000)

/* Something of the spool failed: it is tried again after a while. */
static void wait_for_spool(struct sender *sender, int code, const struct error *err)
{
	sender_report(sender, code, err);
	pulse_set(&sender->pulse, PULSE_WAITS);
	output_wait(&sender->stop, -1, 0, SENDER_SPOOL_WAIT_MS);
	pulse_set(&sender->pulse, PULSE_WORKS);
}

/*
 * Sends what is in the batch, whose first record has this position in the spool; 0: none. Returns
 * whether all of it was settled.
 */
static bool send_spooled(struct sender *sender, uint64_t position)
{
	struct spool *spool = sender->spooler->spool;
	struct batch *batch = &sender->batch;
	struct output_batch window;
	struct error err = {""};
	int code = 0;

	while (batch_count(batch) && !sender_is_stopped(sender)) {
		sender_make_window(sender, &window);
		pulse_set(&sender->pulse, PULSE_IN_SPOOL);
		if (position)
			code = spool_attempt(spool, position + batch->first + window.count - 1,
					     &err);
		pulse_set(&sender->pulse, PULSE_WORKS);
		if (code) {
			wait_for_spool(sender, code, &err);
			continue;
		}
		if (sender_send_window(sender, &window)) {
			if (sender_gives_up(sender))
				return false;
		} else if (position) {
			/* What cannot be stored now will be with the next call. */
			pulse_set(&sender->pulse, PULSE_IN_SPOOL);
			spool_acknowledge(spool, position + batch->first - 1, &err);
			pulse_set(&sender->pulse, PULSE_WORKS);
		}
	}
	return !batch_count(batch);
}

/* Those that an earlier run may have sent are marked; they come first. */
static void mark_attempted(struct sender *sender)
{
	struct batch *batch = &sender->batch;
	size_t count = 0;

	while (count < batch_count(batch) &&
	       batch->records[batch->first + count].flags & RECORD_REDELIVERED)
		batch->records[batch->first + count++].flags &= (uint8_t)~RECORD_REDELIVERED;
	counter_add(&sender->counters->redelivered,
		    batch_redeliver(batch, count, drops_mark, sender->form));
}

/* Says what the spool has lost, or the target rejected; NULL: nothing. */
static bool send_lost(struct sender *sender, const struct spool_losses *lost, bool redelivered)
{
	struct gaps gaps = {0};
	struct error err = {""};
	bool settled;

	if (!lost)
		return true;
	spooler_losses(lost, &gaps);
	sender_add_drops(sender, &gaps);
	if (redelivered)
		batch_redeliver(&sender->batch, batch_count(&sender->batch), drops_mark,
				sender->form);
	settled = send_spooled(sender, 0);
	sender_release_blocks(sender);
	if (!settled)
		return false;
	/* What cannot be stored now is said again by the next run. */
	spool_lost_reported(sender->spooler->spool, &err);
	return true;
}

/* What is said to be in the spool counts records. */
static void count_old_drops(struct sender *sender, const struct spool_batch *read)
{
	uint64_t drops = 0;

	for (size_t i = 0; i < read->count && read->first + i <= sender->spooler->backlog_last; i++)
		drops += (read->records[i].flags & RECORD_IS_DROP) != 0;
	counter_add(&sender->counters->old_drops, drops);
}

static bool send_read(struct sender *sender, const struct spool_batch *read)
{
	struct error err = {""};
	bool settled;

	if (!send_lost(sender, read->lost, read->lost_redelivered))
		return false;
	while (batch_add(&sender->batch, read->records, read->count)) {
		wait_for_spool(sender, error_set(&err, -ENOMEM, "out of memory"), &err);
		if (sender_is_stopped(sender))
			return false;
	}
	count_old_drops(sender, read);
	sender->last_number = read->records[read->count - 1].number;
	mark_attempted(sender);
	settled = send_spooled(sender, read->first);
	sender_release_blocks(sender);
	return settled;
}

/* What is missing is said soon, also if no record follows. */
static bool send_rest(struct sender *sender)
{
	bool redelivered;
	const struct spool_losses *lost = spool_lost(sender->spooler->spool, &redelivered);

	return send_lost(sender, lost, redelivered);
}

/* Returns whether there is a spool to read. */
static bool wait_until_open(struct sender *sender)
{
	const struct spooler *spooler = sender->spooler;

	while (!spooler_is_open(spooler) && !spooler_has_ended(spooler) &&
	       !sender_is_stopped(sender)) {
		sender_do_chores(sender);
		pulse_set(&sender->pulse, PULSE_WAITS);
		output_wait(&sender->stop, -1, 0, SENDER_SPOOL_WAIT_MS);
	}
	if (!spooler_is_open(spooler))
		return false;
	sender->last_number = spooler->first_number;
	return true;
}

void *sender_run_from_spool(void *context)
{
	struct sender *sender = context;
	struct spooler *spooler = sender->spooler;
	bool over = !wait_until_open(sender);

	while (!over && !sender_is_stopped(sender)) {
		/* Asked before: what is there after its end is all that there is. */
		bool ended = spooler_has_ended(spooler);
		struct spool_batch read;
		struct error err = {""};
		int got;

		sender_do_chores(sender);
		pulse_set(&sender->pulse, PULSE_IN_SPOOL);
		got = spool_read(spooler->spool, ended ? 0 : READ_NS, &read, &err);
		pulse_set(&sender->pulse, PULSE_WORKS);
		if (got < 0)
			wait_for_spool(sender, got, &err);
		else if (got == 1)
			over = !send_read(sender, &read);
		else
			over = !send_rest(sender) || ended;
	}
	pulse_set(&sender->pulse, PULSE_WAITS);
	atomic_store(&sender->has_ended, true);
	return NULL;
}
