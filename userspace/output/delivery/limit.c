/* SPDX-License-Identifier: MIT */
/* Three tests, the cheapest first. An event that one of them rejects does not count for the next.
 */
#include "output/delivery/limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define NS_PER_S UINT64_C(1000000000)
#define BURST_MAX_NS (UINT64_MAX / 4) /* centuries */

/* Makes room for so many rules. Returns 0 or -ENOMEM. */
static int set_rules(struct limit *limit, size_t rules)
{
	uint64_t *due_ns = realloc(limit->due_ns, (rules + 1) * sizeof(*due_ns));

	if (!due_ns)
		return -ENOMEM;
	limit->due_ns = due_ns;
	if (rules + 1 > limit->rules)
		memset(due_ns + limit->rules, 0, (rules + 1 - limit->rules) * sizeof(*due_ns));
	limit->rules = rules + 1;
	return 0;
}

static int init_fields(struct limit *limit, const struct output_config *config, struct error *err)
{
	struct filter_error wrong = {0};
	int r;

	if (getrandom(&limit->key, sizeof(limit->key), GRND_NONBLOCK) != sizeof(limit->key))
		return error_set(err, -EIO, "there are no random numbers");
	limit->seen = calloc(LIMIT_SEEN, sizeof(*limit->seen));
	if (!limit->seen)
		return error_set(err, -ENOMEM, "out of memory");
	r = formatter_create_fields(&format_text, config->dedup, &limit->fields, &wrong);
	if (r == -EINVAL)
		return error_set(err, r, "dedup=%s: %s", config->dedup, wrong.text);
	return r ? error_set(err, r, "out of memory") : 0;
}

/* The time that so many events would take if they came evenly; 0 of one. */
static uint64_t burst_of(uint64_t interval_ns, uint64_t events)
{
	if (!interval_ns || events < 2)
		return 0;
	return events - 1 < BURST_MAX_NS / interval_ns ? interval_ns * (events - 1) : BURST_MAX_NS;
}

int limit_init(struct limit *limit, const struct output_config *config, struct error *err)
{
	*limit = (struct limit){
		.interval_ns = config->rate ? NS_PER_S / config->rate : 0,
		.by_rule = config->rate_by == RATE_BY_RULE,
		.sample = config->sample,
		.window_ns = config->dedup_ns,
	};
	limit->burst_ns =
		burst_of(limit->interval_ns, config->burst ? config->burst : config->rate);
	limit->is_on = config->rate || config->sample > 1 || config->dedup;
	if (set_rules(limit, 0))
		return error_set(err, -ENOMEM, "out of memory");
	return config->dedup ? init_fields(limit, config, err) : 0;
}

void limit_finish(struct limit *limit)
{
	formatter_destroy(limit->fields);
	buf_finish(&limit->text);
	free(limit->due_ns);
	free(limit->seen);
	*limit = (struct limit){0};
}

unsigned int limit_needs(const struct limit *limit)
{
	return limit->fields ? formatter_needs(limit->fields) : 0;
}

static bool is_sampled(struct limit *limit)
{
	return limit->sample < 2 || limit->count++ % limit->sample == 0;
}

/* Of a new hash, or one whose window is over, the event is the first one. */
static bool is_first(struct limit *limit, const struct state_event *event)
{
	struct limit_seen *seen;
	uint64_t hash;

	buf_clear(&limit->text);
	formatter_append(limit->fields, event, &limit->text);
	hash = hash_sip(&limit->key, limit->text.data, limit->text.len) | 1;
	seen = &limit->seen[(hash >> 1) & (LIMIT_SEEN - 1)];
	if (seen->hash == hash && event->ev.ts_ns < seen->until_ns)
		return false;
	/* Another one that is remembered here is forgotten: rather one too many than one too few.
	 */
	*seen = (struct limit_seen){hash, event->ev.ts_ns + limit->window_ns};
	return true;
}

/* The place of the rule, which may be a new one; without memory they share one. */
static size_t limit_place_of(struct limit *limit, long rule)
{
	size_t place = limit->by_rule ? (size_t)(rule + 1) : 0;

	return place < limit->rules || set_rules(limit, place) == 0 ? place : 0;
}

static bool is_due(struct limit *limit, uint64_t now_ns, long rule)
{
	size_t i = limit_place_of(limit, rule);
	uint64_t due_ns = limit->due_ns[i] > now_ns ? limit->due_ns[i] : now_ns;

	if (due_ns - now_ns > limit->burst_ns)
		return false;
	limit->due_ns[i] = due_ns + limit->interval_ns;
	return true;
}

bool limit_takes(struct limit *limit, const struct state_event *event, long rule,
		 enum gap_cause *cause)
{
	*cause = GAP_SAMPLED;
	if (!is_sampled(limit))
		return false;
	*cause = GAP_SAME;
	if (limit->fields && !is_first(limit, event))
		return false;
	*cause = GAP_RATE;
	return !limit->interval_ns || is_due(limit, event->ev.ts_ns, rule);
}
