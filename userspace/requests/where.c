/* SPDX-License-Identifier: MIT */
/* Sums of a thread at two calls, and their differences. */
#include "requests/where.h"

static bool has_times(const struct exchange_part *part)
{
	return part->times && part->times->sums.since_ns;
}

/* Sums of the same count. */
static bool are_comparable(const struct exchange_part *a, const struct exchange_part *b)
{
	return has_times(a) && has_times(b) && a->times->sums.since_ns == b->times->sums.since_ns &&
	       a->times->tid == b->times->tid;
}

/* Of a request those of the first call of the thread that read its end stay. */
static void note_times(struct exchange_part *part, struct exchanges *exchanges,
		       enum protocol_side side, const struct frame_times *sums)
{
	struct exchange_times *times = part->times;

	if (times && side == PROTOCOL_REQUESTS && times->tid == part->tid &&
	    times->sums.since_ns == sums->since_ns)
		return;
	if (!times)
		times = part->times = pool_alloc(&exchanges->pool, sizeof(*times));
	if (times)
		*times = (struct exchange_times){*sums, part->tid};
}

void where_note(struct exchange_part *part, struct exchanges *exchanges, enum protocol_side side,
		const struct connection_call *call, uint64_t bytes)
{
	part->bytes += bytes;
	part->last_ns = call->ts_ns;
	part->tid = (int32_t)call->tid;
	part->fd = (int32_t)call->fd;
	if (!part->first_tid)
		part->first_tid = part->tid;
	if (call->times && call->times->since_ns)
		note_times(part, exchanges, side, call->times);
}

static uint32_t count_threads(const struct exchange *exchange)
{
	const int32_t tids[] = {exchange->request.first_tid, exchange->request.tid,
				exchange->response.first_tid, exchange->response.tid};
	uint32_t count = 0;

	for (unsigned int i = 0; i < 4; i++) {
		unsigned int j = 0;

		while (j < i && tids[j] != tids[i])
			j++;
		count += tids[i] && j == i;
	}
	return count;
}

/* Clocks of CPUs differ by some ns, which the largest part lacks or has too much. */
static void fit(struct where *where, uint64_t total, uint64_t sum)
{
	uint64_t *largest = where->ns;

	for (unsigned int i = 0; i < THREAD_PARTS; i++)
		if (where->ns[i] > *largest)
			largest = &where->ns[i];
	if (sum > total)
		*largest -= sum - total < *largest ? sum - total : *largest;
}

static void take_differences(struct where *where, const struct frame_times *from,
			     const struct frame_times *to, uint64_t total)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < THREAD_PARTS; i++) {
		int64_t ns = (int64_t)(to->ns[i] - from->ns[i]);

		where->ns[i] = ns < 0 ? 0 : (uint64_t)ns > total ? total : (uint64_t)ns;
		sum += where->ns[i];
	}
	fit(where, total, sum);
	where->unknown_ns = total > sum ? total - sum : 0;
	if (where->ns[PART_LOCK])
		where->unlocked_by = (int32_t)to->unlocked_by;
}

static uint64_t total_of(const struct exchange *exchange)
{
	const uint64_t began_ns = exchange->request.first_ns;

	return exchange->ended_ns > began_ns ? exchange->ended_ns - began_ns : 0;
}

bool where_of(const struct exchange *exchange, struct where *where)
{
	const struct exchange_part *request = &exchange->request, *response = &exchange->response;
	const uint64_t total = total_of(exchange);

	if (!has_times(request) && !has_times(response))
		return false;
	*where = (struct where){.unknown_ns = total, .threads = count_threads(exchange)};
	if (are_comparable(request, response))
		take_differences(where, &request->times->sums, &response->times->sums, total);
	return true;
}

static void forget_times(struct exchange_part *part)
{
	if (part->times)
		part->times->sums.since_ns = 0;
}

void where_limit(struct exchange *exchange, uint64_t least_ns, struct requests_stats *stats)
{
	struct where where;

	if (total_of(exchange) < least_ns) {
		forget_times(&exchange->request);
		forget_times(&exchange->response);
	} else if (where_of(exchange, &where) && where.unknown_ns) {
		stats->unexplained++;
	}
}
