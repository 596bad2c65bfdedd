/* SPDX-License-Identifier: MIT */
/* Open requests: memory, account, order. */
#include "requests/exchange.h"

#include <stdio.h>
#include <string.h>

void exchanges_init(struct exchanges *exchanges)
{
	exchanges->messages.pool = &exchanges->pool;
	exchanges->done_end = &exchanges->done;
}

void exchanges_finish(struct exchanges *exchanges)
{
	pool_finish(&exchanges->pool);
}

static bool is_blank(struct exchanges *exchanges, struct message_ref *ref)
{
	struct protocol_message *message = messages_open(&exchanges->messages, ref);

	if (message)
		message_clear(message);
	return message;
}

static void free_times(struct exchanges *exchanges, struct exchange_part *part)
{
	pool_free(&exchanges->pool, part->times, sizeof(*part->times));
	part->times = NULL;
}

struct exchange *exchanges_blank(struct exchanges *exchanges)
{
	if (!exchanges->blank) {
		if (exchanges->held >= exchanges->max)
			return NULL;
		exchanges->blank = pool_alloc(&exchanges->pool, sizeof(*exchanges->blank));
		if (!exchanges->blank)
			return NULL;
		exchanges->blank->message = (struct message_ref){0};
		exchanges->held++;
	}
	return is_blank(exchanges, &exchanges->blank->message) ? exchanges->blank : NULL;
}

struct exchange_answer *exchanges_blank_answer(struct exchanges *exchanges)
{
	struct exchange_answer *answer = exchanges->blank_answer;

	if (!answer) {
		answer = pool_alloc(&exchanges->pool, sizeof(*answer));
		if (!answer)
			return NULL;
		answer->message = (struct message_ref){0};
		exchanges->blank_answer = answer;
	}
	memset(answer, 0, offsetof(struct exchange_answer, message));
	return is_blank(exchanges, &answer->message) ? answer : NULL;
}

struct protocol_message *exchanges_message(struct exchanges *exchanges, struct exchange *exchange)
{
	struct protocol_message *message = messages_open(&exchanges->messages, &exchange->message);

	exchange->is_lost |= !message;
	return message;
}

void exchanges_set_error(struct exchanges *exchanges, struct exchange *exchange, const char *error)
{
	struct protocol_message *message = exchanges_message(exchanges, exchange);

	if (message)
		snprintf(message->error, sizeof(message->error), "%s", error);
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
	exchange->protocol = exchange->account = protocol;
	exchange->has_key = exchange->message.open->has_key;
	exchange->key = exchange->message.open->key;
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
	exchanges_account(exchanges, exchange->account)->open--;
	exchange->is_over = true;
}

static void count_fate(struct requests_protocol_stats *account, enum exchange_fate fate)
{
	uint64_t *const counts[] = {
		[EXCHANGE_UNKNOWN] = &account->unknown,
		[EXCHANGE_LOST] = &account->lost,
		[EXCHANGE_UNWANTED] = &account->unwanted,
	};

	(*counts[fate])++;
}

void exchanges_give_up(struct exchanges *exchanges, struct exchange *exchange,
		       enum exchange_fate fate)
{
	if (exchange->is_over)
		return;
	close_exchange(exchanges, exchange);
	count_fate(exchanges_account(exchanges, exchange->account), fate);
}

void exchanges_count_stray(struct exchanges *exchanges, uint8_t protocol, enum exchange_fate fate)
{
	struct requests_protocol_stats *account = exchanges_account(exchanges, protocol);

	account->seen++;
	count_fate(account, fate);
}

static void append_done(struct exchanges *exchanges, struct exchange *exchange)
{
	exchanges_account(exchanges, exchange->account)->reported++;
	exchange->next = NULL;
	*exchanges->done_end = exchange;
	exchanges->done_end = &exchange->next;
}

void exchanges_report(struct exchanges *exchanges, struct exchange *exchange)
{
	close_exchange(exchanges, exchange);
	append_done(exchanges, exchange);
}

void exchanges_hold(struct exchanges *exchanges, struct exchange *exchange)
{
	unlink_waiting(exchanges, exchange);
	exchange->is_over = true;
	exchange->connection = NULL;
}

void exchanges_release(struct exchanges *exchanges, struct exchange *exchange)
{
	exchanges_account(exchanges, exchange->account)->open--;
	append_done(exchanges, exchange);
}

void exchanges_report_copy(struct exchanges *exchanges, struct exchange *exchange)
{
	struct exchange *copy = pool_alloc(&exchanges->pool, sizeof(*copy));
	struct message_ref message = {0};

	if (!copy || !messages_copy(&exchanges->messages, &message, &exchange->message)) {
		pool_free(&exchanges->pool, copy, sizeof(*copy));
		exchanges_give_up(exchanges, exchange, EXCHANGE_LOST);
		return;
	}
	exchanges->held++;
	close_exchange(exchanges, exchange);
	*copy = *exchange;
	copy->message = message;
	exchange->request.times = exchange->response.times = NULL;
	append_done(exchanges, copy);
}

void exchanges_free(struct exchanges *exchanges, struct exchange *exchange)
{
	if (!exchange)
		return;
	free_times(exchanges, &exchange->request);
	free_times(exchanges, &exchange->response);
	if (!exchanges->blank) {
		exchanges->blank = exchange;
		return;
	}
	exchanges->held--;
	messages_free(&exchanges->messages, &exchange->message);
	pool_free(&exchanges->pool, exchange, sizeof(*exchange));
}

void exchanges_free_answer(struct exchanges *exchanges, struct exchange_answer *answer)
{
	if (!answer)
		return;
	free_times(exchanges, &answer->part);
	if (!exchanges->blank_answer) {
		exchanges->blank_answer = answer;
		return;
	}
	messages_free(&exchanges->messages, &answer->message);
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

static struct exchange *take_done(struct exchanges *exchanges)
{
	struct exchange *exchange = exchanges->done;

	if (!exchange)
		return NULL;
	exchanges->done = exchange->next;
	if (!exchanges->done)
		exchanges->done_end = &exchanges->done;
	return exchange;
}

struct exchange *exchanges_next(struct exchanges *exchanges)
{
	struct requests_protocol_stats *account;
	struct exchange *exchange;

	while ((exchange = take_done(exchanges))) {
		if (exchanges_message(exchanges, exchange) && !exchange->is_lost)
			return exchange;
		account = exchanges_account(exchanges, exchange->account);
		account->reported--;
		account->lost++;
		exchanges_free(exchanges, exchange);
	}
	return NULL;
}
