/* SPDX-License-Identifier: MIT */
/* Open requests: memory, account, order. */
#include "requests/exchange.h"

#include <string.h>

void exchanges_init(struct exchanges *exchanges)
{
	exchanges->done_end = &exchanges->done;
}

void exchanges_finish(struct exchanges *exchanges)
{
	pool_finish(&exchanges->pool);
}

struct exchange *exchanges_blank(struct exchanges *exchanges)
{
	if (!exchanges->blank) {
		if (exchanges->held >= exchanges->max)
			return NULL;
		exchanges->blank = pool_alloc(&exchanges->pool, sizeof(*exchanges->blank));
		if (!exchanges->blank)
			return NULL;
		exchanges->held++;
	}
	memset(&exchanges->blank->message, 0, sizeof(exchanges->blank->message));
	return exchanges->blank;
}

struct exchange_answer *exchanges_blank_answer(struct exchanges *exchanges)
{
	struct exchange_answer *answer = exchanges->blank_answer;

	if (!answer) {
		answer = pool_alloc(&exchanges->pool, sizeof(*answer));
		if (!answer)
			return NULL;
		exchanges->blank_answer = answer;
	}
	memset(answer, 0, sizeof(*answer));
	return answer;
}

static void link_newest(struct exchanges *exchanges, struct exchange *exchange, uint64_t now_ns)
{
	struct exchange_queue *queue = &exchanges->waiting[exchange->waits];

	exchange->due_ns = now_ns + queue->timeout_ns;
	exchange->newer = NULL;
	exchange->older = queue->newest;
	*(exchange->older ? &exchange->older->newer : &queue->oldest) = exchange;
	queue->newest = exchange;
	queue->count++;
}

static void unlink_waiting(struct exchanges *exchanges, struct exchange *exchange)
{
	struct exchange_queue *queue = &exchanges->waiting[exchange->waits];

	*(exchange->older ? &exchange->older->newer : &queue->oldest) = exchange->newer;
	*(exchange->newer ? &exchange->newer->older : &queue->newest) = exchange->older;
	queue->count--;
}

struct exchange *exchanges_begin(struct exchanges *exchanges, enum exchange_waits waits,
				 uint8_t protocol, uint64_t now_ns)
{
	struct requests_protocol_stats *account = exchanges_account(exchanges, protocol);
	struct exchange *exchange = exchanges->blank;

	exchanges->blank = NULL;
	memset(exchange, 0, offsetof(struct exchange, message));
	exchange->protocol = protocol;
	exchange->request.first_ns = now_ns;
	exchange->waits = (uint8_t)waits;
	link_newest(exchanges, exchange, now_ns);
	account->seen++;
	account->open++;
	return exchange;
}

struct exchange_answer *exchanges_begin_answer(struct exchanges *exchanges)
{
	struct exchange_answer *answer = exchanges->blank_answer;

	exchanges->blank_answer = NULL;
	return answer;
}

static void close_exchange(struct exchanges *exchanges, struct exchange *exchange)
{
	unlink_waiting(exchanges, exchange);
	exchanges_account(exchanges, exchange->protocol)->open--;
	exchange->is_over = true;
}

void exchanges_give_up(struct exchanges *exchanges, struct exchange *exchange,
		       enum exchange_fate fate)
{
	struct requests_protocol_stats *account = exchanges_account(exchanges, exchange->protocol);

	if (exchange->is_over)
		return;
	close_exchange(exchanges, exchange);
	if (fate == EXCHANGE_LOST)
		account->lost++;
	else
		account->unknown++;
}

static void append_done(struct exchanges *exchanges, struct exchange *exchange)
{
	exchanges_account(exchanges, exchange->protocol)->reported++;
	exchange->next = NULL;
	*exchanges->done_end = exchange;
	exchanges->done_end = &exchange->next;
}

void exchanges_report(struct exchanges *exchanges, struct exchange *exchange)
{
	close_exchange(exchanges, exchange);
	append_done(exchanges, exchange);
}

void exchanges_report_copy(struct exchanges *exchanges, struct exchange *exchange)
{
	struct exchange *copy = pool_alloc(&exchanges->pool, sizeof(*copy));

	if (!copy) {
		exchanges_give_up(exchanges, exchange, EXCHANGE_LOST);
		return;
	}
	exchanges->held++;
	close_exchange(exchanges, exchange);
	memcpy(copy, exchange, sizeof(*copy));
	append_done(exchanges, copy);
}

void exchanges_free(struct exchanges *exchanges, struct exchange *exchange)
{
	if (!exchange)
		return;
	exchanges->held--;
	if (exchanges->blank)
		pool_free(&exchanges->pool, exchange, sizeof(*exchange));
	else {
		exchanges->blank = exchange;
		exchanges->held++;
	}
}

void exchanges_free_answer(struct exchanges *exchanges, struct exchange_answer *answer)
{
	if (!exchanges->blank_answer)
		exchanges->blank_answer = answer;
	else if (answer)
		pool_free(&exchanges->pool, answer, sizeof(*answer));
}

struct exchange *exchanges_due(const struct exchanges *exchanges, uint64_t now_ns)
{
	for (unsigned int waits = 0; waits < EXCHANGE_WAITS; waits++) {
		struct exchange *oldest = exchanges->waiting[waits].oldest;

		if (oldest && oldest->due_ns <= now_ns)
			return oldest;
	}
	return NULL;
}

void exchanges_wait(struct exchanges *exchanges, struct exchange *exchange, uint64_t now_ns)
{
	unlink_waiting(exchanges, exchange);
	link_newest(exchanges, exchange, now_ns);
}

struct exchange *exchanges_next(struct exchanges *exchanges)
{
	struct exchange *exchange = exchanges->done;

	if (!exchange)
		return NULL;
	exchanges->done = exchange->next;
	if (!exchanges->done)
		exchanges->done_end = &exchanges->done;
	return exchange;
}
