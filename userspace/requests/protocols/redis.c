/* SPDX-License-Identifier: MIT */
/*
 * Redis and what speaks like it: RESP2, RESP3, and commands as plain lines. A command is taken
 * argument by argument, a reply element by element; values are skipped by their length, unseen.
 * What is kept is the command, and the first key where the table knows which argument is one.
 *
 * Replies nest to any depth: it is counted how many elements are still to come, not where they
 * belong. SUBSCRIBE and its like have a reply for each channel, the first one is the response, the
 * others are aside. UNSUBSCRIBE without channels has as many as there were subscriptions: those
 * behind the first one are aside unless another UNSUBSCRIBE waits. After MONITOR, its lines are
 * aside. After CLIENT REPLY OFF, and for the command behind CLIENT REPLY SKIP, requests are
 * one-way; a connection whose CLIENT REPLY was not seen has requests without response. PSYNC begins
 * replication, which is another protocol. Aggregates and strings of unknown length (`*?`, `$?`),
 * which no server sends, are not understood.
 */
#include <string.h>

#include "event/event.h"
#include "requests/protocols/redis_resp.h"

static struct protocol_step redis_step(enum protocol_side side, void *state,
				       const struct protocol_input *input,
				       struct protocol_message *message,
				       const struct protocol_message *request)
{
	bool is_request = side == PROTOCOL_REQUESTS;
	struct redis_run run = {
		.at = input->data,
		.end = input->data + input->len,
		.is_cut = input->is_cut,
		.redis = state,
		.message = message,
		.request = request,
		.step = {.action = PROTOCOL_GOES_ON},
	};

	while (run.at < run.end && !run.is_over)
		if (is_request ? !redis_take_request(&run) : !redis_take_element(&run))
			break;
	run.step.used = (size_t)(run.at - input->data);
	/* What matters of a command is its name and first key; of a reply, how it begins. */
	run.step.stands = is_request ? run.redis->left && message->method[0]
				     : run.redis->has_top && !message->is_aside;
	if (run.is_over)
		return run.step;
	run.step.wants_all = run.is_cut;
	if (run.step.used && (run.step.stands || !run.is_cut))
		return run.step;
	run.step.action = run.is_cut ? PROTOCOL_LOST : PROTOCOL_WAITS;
	run.step.ends = run.is_cut && run.step.stands;
	return run.step;
}

const struct protocol protocol_redis = {
	.name = "redis",
	.number = request_protocols__redis,
	.class = PROTOCOL_OF_DATABASES,
	.recognise = redis_recognise,
	.step = redis_step,
	.find = redis_find,
};
