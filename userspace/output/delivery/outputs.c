/* SPDX-License-Identifier: MIT */
/*
 * The list of outputs, those that are replaced while they still have something to deliver, and the
 * age of what their threads do.
 */
#include "output/delivery/outputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/target.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"

/* The list of outputs, and those that are replaced while they still have something to deliver. */

enum { WAIT_NS = 1000000 };

/* So long an output that takes over a spool may take to open it. */
#define SUCCESSOR_NS UINT64_C(2000000000)

#define DELIVERY_STATUS_NS UINT64_C(1000000000)

static int delivery_outputs_add(struct output ***list, size_t *count, struct output *output)
{
	struct output **more = realloc(*list, (*count + 1) * sizeof(**list));

	if (!more)
		return -ENOMEM;
	more[(*count)++] = output;
	*list = more;
	return 0;
}

int outputs_add(struct outputs *outputs, struct output *output)
{
	int r = delivery_outputs_add(&outputs->list, &outputs->count, output);

	if (r)
		output_destroy(output);
	return r;
}

static const char *spool_of(const struct output *output)
{
	return output->config->spool ? output->config->spool : "";
}

/* Each spool is that of one output. Returns 0 or -EINVAL with a message. */
static int check_spools(const struct outputs *outputs, struct error *err)
{
	for (size_t i = 0; i < outputs->count; i++)
		for (size_t k = 0; k < i && *spool_of(outputs->list[i]); k++)
			if (strcmp(spool_of(outputs->list[i]), spool_of(outputs->list[k])) == 0)
				return error_set(err, -EINVAL,
						 "the outputs %s and %s have the same spool %s: "
						 "give each a folder of its own",
						 outputs->list[k]->config->text,
						 outputs->list[i]->config->text,
						 spool_of(outputs->list[i]));
	return 0;
}

int outputs_open(struct outputs *outputs, bool reads_file, bool (*is_over)(void), struct error *err)
{
	int r = check_spools(outputs, err);

	outputs->reads_file = reads_file;
	outputs->is_over = is_over;
	for (size_t i = 0; i < outputs->count && r == 0; i++)
		r = output_open(outputs->list[i], reads_file, is_over, err);
	return r;
}

int outputs_try(const struct outputs *outputs, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < outputs->count && r == 0; i++)
		r = output_try(outputs->list[i], err);
	return r;
}

/* Waits for outputs that were ended. */
static void wait_for_end(struct output *const *list, size_t count, bool (*hurry)(void))
{
	const struct timespec wait = {.tv_nsec = WAIT_NS};
	bool over;

	do {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		over = true;
		for (size_t i = 0; i < count; i++)
			over &= output_has_ended(list[i], now, hurry && hurry());
		if (!over)
			nanosleep(&wait, NULL);
	} while (!over);
}

void outputs_close(struct outputs *outputs, bool (*hurry)(void))
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	size_t open = 0;

	/* Only the first ones are open if one could not be opened. */
	for (; open < outputs->count && output_is_running(outputs->list[open]); open++)
		output_end(outputs->list[open], "the run ended", now);
	wait_for_end(outputs->list, open, hurry);
	wait_for_end(outputs->ending, outputs->ending_count, hurry);
}

static void outputs_destroy(struct output **list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		output_destroy(list[i]);
	free(list);
}

void outputs_finish(struct outputs *outputs)
{
	outputs_close(outputs, NULL);
	outputs_destroy(outputs->list, outputs->count);
	outputs_destroy(outputs->ending, outputs->ending_count);
	buf_finish(&outputs->ended);
	*outputs = (struct outputs){0};
}

unsigned int outputs_needs(const struct outputs *outputs)
{
	unsigned int needs = 0;

	for (size_t i = 0; i < outputs->count; i++) {
		const struct output_view *view = &outputs->list[i]->view;

		needs |= view->formatter ? formatter_needs(view->formatter) : 0;
		needs |= view->filter ? filter_needs(view->filter) : 0;
		needs |= limit_needs(&outputs->list[i]->limit);
	}
	return needs;
}

bool outputs_have_filters(const struct outputs *outputs)
{
	bool any = !outputs->count;

	for (size_t i = 0; i < outputs->count; i++) {
		const struct output_config *config = outputs->list[i]->config;

		if (!config->kind->takes_metrics && !config->filter)
			return false;
		any |= !config->kind->takes_metrics;
	}
	return any;
}

void outputs_append_filters(const struct outputs *outputs, struct buf *text)
{
	const char *between = "";

	for (size_t i = 0; i < outputs->count; i++) {
		if (!outputs->list[i]->config->filter)
			continue;
		buf_printf(text, "%s(%s)", between, outputs->list[i]->config->filter);
		between = " or ";
	}
}

bool outputs_match(const struct outputs *outputs, struct ruleset *ruleset, size_t rule,
		   struct state_event *event)
{
	const bool unknown = event->filter_unknown;
	bool any = false;

	for (size_t i = 0; i < outputs->count; i++) {
		any |= output_match(outputs->list[i], ruleset, rule, event);
		event->filter_unknown = unknown;
	}
	return any;
}

bool outputs_take_metrics(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (outputs->list[i]->config->kind->takes_metrics)
			return true;
	return false;
}

void outputs_measure(const struct outputs *outputs, uint64_t ts_ns, const struct buf *metric)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (outputs->list[i]->config->kind->takes_metrics)
			output_measure(outputs->list[i], ts_ns, metric);
}

void outputs_lose(const struct outputs *outputs, enum gap_cause cause, const struct gap *lost)
{
	for (size_t i = 0; i < outputs->count; i++) {
		struct gap copy = *lost;

		output_lose(outputs->list[i], cause, &copy);
	}
}

static void outputs_append_status(const struct output *output, struct delivery_status *status,
				  uint64_t now_ns, struct buf *messages)
{
	const char *works = status == &output->spooler.status ? "writes its spool" : "delivers";
	struct error err;

	switch (delivery_status_take(status, now_ns, &err)) {
	case DELIVERY_STATUS_FAILS:
		buf_printf(messages, "agent: output %s: %s\n", output->config->text, err.text);
		break;
	case DELIVERY_STATUS_WORKS:
		buf_printf(messages, "agent: output %s %s again\n", output->config->text, works);
		break;
	case DELIVERY_STATUS_FAILED:
		buf_printf(messages, "agent: output %s: %s; it %s again\n", output->config->text,
			   err.text, works);
		break;
	case DELIVERY_STATUS_NONE:
		break;
	}
}

static void append_all_messages(struct output *output, uint64_t now_ns, struct buf *messages)
{
	outputs_append_status(output, &output->sender.status, now_ns, messages);
	if (output->sender.spooler)
		outputs_append_status(output, &output->spooler.status, now_ns, messages);
}

/* Of what still fails the account says why. */
static void append_last_status(const struct output *output, struct delivery_status *status,
			       struct buf *messages)
{
	struct error err;

	if (!delivery_status_is_failing(status, &err))
		outputs_append_status(output, status, UINT64_MAX, messages);
}

void outputs_append_last_status(const struct outputs *outputs, struct buf *messages)
{
	for (size_t i = 0; i < outputs->count; i++) {
		struct output *output = outputs->list[i];

		append_last_status(output, &output->sender.status, messages);
		if (output->sender.spooler)
			append_last_status(output, &output->spooler.status, messages);
	}
}

static bool broke_promise(struct output *output)
{
	struct output_account account;

	output_account(output, &account);
	return output_account_broke_promise(&account, output->queue.policy != POLICY_BLOCK);
}

/* Destroys a replaced output that has ended; its account is the last that is said of it. */
static void reap_one(struct outputs *outputs, struct output *output)
{
	struct output_account account;

	output_account(output, &account);
	outputs->broke_promise |= broke_promise(output);
	buf_printf(&outputs->ended, "agent: output %s: ended by a reload\n", account.name);
	output_account_append(&account, false, &outputs->ended);
	output_destroy(output);
}

/* Removes those of the replaced outputs that have delivered what they had. */
static void reap(struct outputs *outputs, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < outputs->ending_count; i++) {
		struct output *output = outputs->ending[i];

		if (output_has_ended(output, now_ns, false))
			reap_one(outputs, output);
		else
			outputs->ending[kept++] = output;
	}
	outputs->ending_count = kept;
}

void outputs_step(struct outputs *outputs, uint64_t now_ns, struct buf *messages)
{
	for (size_t i = 0; i < outputs->count; i++)
		output_step(outputs->list[i], now_ns);
	if (now_ns - outputs->delivery_status_ns < DELIVERY_STATUS_NS)
		return;
	outputs->delivery_status_ns = now_ns;
	reap(outputs, now_ns);
	buf_append(messages, outputs->ended.data, outputs->ended.len);
	outputs->ended.len = 0;
	for (size_t i = 0; i < outputs->count; i++) {
		output_check_spool(outputs->list[i]);
		append_all_messages(outputs->list[i], now_ns, messages);
	}
}

bool outputs_have_more(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (output_has_more(outputs->list[i]))
			return true;
	return false;
}

void outputs_reopen(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		sender_reopen(&outputs->list[i]->sender);
}

bool outputs_are_gone(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (!atomic_load(&outputs->list[i]->sender.is_gone))
			return false;
	return outputs->count > 0;
}

bool outputs_broke_promise(const struct outputs *outputs)
{
	bool broke = outputs->broke_promise;

	for (size_t i = 0; i < outputs->count && !broke; i++)
		broke = output_is_running(outputs->list[i]) && broke_promise(outputs->list[i]);
	for (size_t i = 0; i < outputs->ending_count && !broke; i++)
		broke = broke_promise(outputs->ending[i]);
	return broke;
}

/* The index of the output with the same configuration, or count. */
static size_t outputs_find_equal(const struct outputs *outputs, const struct output *output)
{
	size_t i = 0;

	while (i < outputs->count &&
	       !output_config_equals(outputs->list[i]->config, output->config))
		i++;
	return i;
}

/* Opens those of `next` that are new. */
static int open_new(const struct outputs *outputs, struct outputs *next, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < next->count && r == 0; i++)
		if (outputs_find_equal(outputs, next->list[i]) == outputs->count)
			r = output_open(next->list[i], outputs->reads_file, outputs->is_over, err);
	return r;
}

/*
 * The place of its lines among those of the rules, and whether it has lines of events, follow from
 * all outputs and from the rules. What its formatter remembers stays.
 */
static void take_view(struct output *output, struct output *next)
{
	struct formatter *formatter = output->view.formatter;

	output->view.line = next->view.line;
	if (!formatter == !next->view.formatter)
		return;
	output->view.formatter = next->view.formatter;
	next->view.formatter = formatter;
	/* Without memory its records have no ids. */
	if (output->view.formatter)
		formatter_set_id(output->view.formatter, output->stream);
}

/* Puts running outputs in the places of their equals, which are destroyed. */
static void keep_equal(struct outputs *outputs, struct outputs *next)
{
	for (size_t i = 0; i < next->count; i++) {
		size_t at = outputs_find_equal(outputs, next->list[i]);

		if (at == outputs->count)
			continue;
		take_view(outputs->list[at], next->list[i]);
		/* Two that are the same stay two: each is kept once. */
		output_destroy(next->list[i]);
		next->list[i] = outputs->list[at];
		outputs->list[at] = outputs->list[--outputs->count];
	}
}

/* Ends what is left; there is memory for all. */
static void end_rest(struct outputs *outputs)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < outputs->count; i++) {
		output_end(outputs->list[i], "a reload changed the outputs", now);
		outputs->ending[outputs->ending_count++] = outputs->list[i];
	}
	outputs->count = 0;
}

static bool at_once(void)
{
	return true;
}

/* The output that waits for the spool of one that ends, or NULL. */
static struct output *find_successor(const struct outputs *outputs, const struct output *ending)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (*spool_of(ending) &&
		    strcmp(spool_of(outputs->list[i]), spool_of(ending)) == 0 &&
		    !spooler_is_open(&outputs->list[i]->spooler))
			return outputs->list[i];
	return NULL;
}

/* What is not delivered stays in the spool, and the successor delivers it. */
static void pass_spool_on(struct outputs *outputs, struct output *ending, struct output *successor)
{
	const struct timespec wait = {.tv_nsec = WAIT_NS};
	uint64_t until_ns;

	wait_for_end(&ending, 1, at_once);
	reap_one(outputs, ending);
	spooler_hurry(&successor->spooler);
	until_ns = clock_ns(CLOCK_MONOTONIC) + SUCCESSOR_NS;
	while (!spooler_is_open(&successor->spooler) && clock_ns(CLOCK_MONOTONIC) < until_ns)
		nanosleep(&wait, NULL);
	if (spooler_is_open(&successor->spooler))
		delivery_status_forget(&successor->spooler.status);
}

static void pass_spools_on(struct outputs *outputs)
{
	size_t kept = 0;

	for (size_t i = 0; i < outputs->ending_count; i++) {
		struct output *successor = find_successor(outputs, outputs->ending[i]);

		if (successor)
			pass_spool_on(outputs, outputs->ending[i], successor);
		else
			outputs->ending[kept++] = outputs->ending[i];
	}
	outputs->ending_count = kept;
}

int outputs_change(struct outputs *outputs, struct outputs *next, struct error *err)
{
	size_t most = outputs->ending_count + outputs->count;
	struct output **ending = realloc(outputs->ending, (most + 1) * sizeof(*ending));
	struct output **list;
	int r;

	if (!ending)
		return error_set(err, -ENOMEM, "out of memory");
	outputs->ending = ending;
	r = check_spools(next, err);
	if (r == 0)
		r = open_new(outputs, next, err);
	if (r)
		return r;
	keep_equal(outputs, next);
	end_rest(outputs);
	list = outputs->list;
	outputs->list = next->list;
	outputs->count = next->count;
	next->list = list;
	next->count = 0;
	pass_spools_on(outputs);
	return 0;
}

/* The age of what each thread does, and the limits of that. */

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

static enum output_health thread_health(const struct output_config *config,
					enum output_heartbeat_place place, uint64_t age_ns)
{
	const uint64_t hangs_ns[HEARTBEAT_PLACES] = {
		[HEARTBEAT_WAITS] = UINT64_MAX,
		[HEARTBEAT_WORKS] = WORK_NS,
		[HEARTBEAT_IN_TARGET] = call_limit(config),
		[HEARTBEAT_IN_SPOOL] = UINT64_MAX,
	};

	if (age_ns >= hangs_ns[place])
		return HEALTH_HANGS;
	return age_ns >= BLOCKED_NS ? HEALTH_BLOCKED : HEALTH_MOVES;
}

static enum output_health append_thread(const struct output *output, size_t place_of_output,
					const struct output_heartbeat *heartbeat, uint64_t now_ns,
					struct buf *text)
{
	static const char *const places[HEARTBEAT_PLACES] = {
		[HEARTBEAT_WAITS] = "a wait",
		[HEARTBEAT_WORKS] = "code of the agent",
		[HEARTBEAT_IN_TARGET] = "a call of its target",
		[HEARTBEAT_IN_SPOOL] = "a call of the disk of its spool",
	};
	uint64_t age_ns;
	enum output_heartbeat_place place = output_heartbeat_get(heartbeat, now_ns, &age_ns);
	enum output_health health = thread_health(output->config, place, age_ns);

	if (health != HEALTH_MOVES)
		buf_printf(text, "output %zu (%s): its thread has been in %s for %" PRIu64 " s%s\n",
			   place_of_output, output->config->name, places[place], age_ns / NS_PER_S,
			   health == HEALTH_HANGS ? ": it hangs" : "");
	return health;
}

static enum output_health worse(enum output_health a, enum output_health b)
{
	return a > b ? a : b;
}

enum output_health outputs_health(const struct outputs *outputs, uint64_t now_ns, struct buf *text)
{
	enum output_health worst = HEALTH_MOVES;

	for (size_t i = 0; i < outputs->count; i++) {
		const struct output *output = outputs->list[i];

		worst = worse(worst, append_thread(output, i + 1, &output->sender.heartbeat, now_ns,
						   text));
		worst = worse(worst, append_thread(output, i + 1, &output->spooler.heartbeat,
						   now_ns, text));
	}
	return worst;
}
