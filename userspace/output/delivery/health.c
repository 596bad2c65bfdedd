/* SPDX-License-Identifier: MIT */
/* The age of what each thread does, and the limits of that. */
#include "output/delivery/health.h"

#include <inttypes.h>

#include "output/target.h"

#define NS_PER_S UINT64_C(1000000000)

/* Of calls that may wait for others; what is slower is reported. */
#define BLOCKED_NS (60 * NS_PER_S)
/* Of our own code, which handles one batch. */
#define WORK_NS (120 * NS_PER_S)
/* A call may be several requests, each with the timeout= of the output. */
#define CALL_NS (300 * NS_PER_S)
enum { CALL_TIMEOUTS = 10 };

/* Beyond this a call of the target has missed each of its deadlines. */
static uint64_t call_limit(const struct output_config *config)
{
	const struct output_key *key = output_key_find(config->kind->keys, "timeout");
	uint64_t timeout_ns;

	if (!config->kind->has_deadlines || !key)
		return UINT64_MAX;
	timeout_ns = *(const uint64_t *)((const char *)config->own + key->offset);
	return timeout_ns < (UINT64_MAX - CALL_NS) / CALL_TIMEOUTS
		       ? CALL_NS + CALL_TIMEOUTS * timeout_ns
		       : UINT64_MAX;
}

static enum health thread_health(const struct output_config *config, enum pulse_place place,
				 uint64_t age_ns)
{
	const uint64_t hangs_ns[PULSE_PLACES] = {
		[PULSE_WAITS] = UINT64_MAX,
		[PULSE_WORKS] = WORK_NS,
		[PULSE_IN_TARGET] = call_limit(config),
		[PULSE_IN_SPOOL] = UINT64_MAX,
	};

	if (age_ns >= hangs_ns[place])
		return HEALTH_HANGS;
	return age_ns >= BLOCKED_NS ? HEALTH_BLOCKED : HEALTH_MOVES;
}

static enum health append_thread(const struct output *output, size_t place_of_output,
				 const struct pulse *pulse, uint64_t now_ns, struct buf *text)
{
	static const char *const places[PULSE_PLACES] = {
		[PULSE_WAITS] = "a wait",
		[PULSE_WORKS] = "code of the agent",
		[PULSE_IN_TARGET] = "a call of its target",
		[PULSE_IN_SPOOL] = "a call of the disk of its spool",
	};
	uint64_t age_ns;
	enum pulse_place place = pulse_get(pulse, now_ns, &age_ns);
	enum health health = thread_health(output->config, place, age_ns);

	if (health != HEALTH_MOVES)
		buf_printf(text, "output %zu (%s): its thread has been in %s for %" PRIu64 " s%s\n",
			   place_of_output, output->config->name, places[place], age_ns / NS_PER_S,
			   health == HEALTH_HANGS ? ": it hangs" : "");
	return health;
}

static enum health worse(enum health a, enum health b)
{
	return a > b ? a : b;
}

enum health outputs_health(const struct outputs *outputs, uint64_t now_ns, struct buf *text)
{
	enum health worst = HEALTH_MOVES;

	for (size_t i = 0; i < outputs->count; i++) {
		const struct output *output = outputs->list[i];

		worst = worse(worst,
			      append_thread(output, i + 1, &output->sender.pulse, now_ns, text));
		worst = worse(worst,
			      append_thread(output, i + 1, &output->spooler.pulse, now_ns, text));
	}
	return worst;
}
