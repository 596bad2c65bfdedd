/* SPDX-License-Identifier: MIT */
/* Messages keep what they have, however many of them wait. */
#include "requests/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "talked.h"
#include "unit.h"

enum { MANY = 3 * MESSAGES_OPEN_MAX };

struct kept {
	struct pool pool;
	struct messages messages;
	struct message_ref refs[MANY];
};

static int setup(void **state)
{
	static struct kept kept;

	memset(&kept, 0, sizeof(kept));
	kept.messages.pool = &kept.pool;
	*state = &kept;
	return 0;
}

static int teardown(void **state)
{
	struct kept *kept = *state;

	for (unsigned int i = 0; i < MANY; i++)
		messages_free(&kept->messages, &kept->refs[i]);
	pool_finish(&kept->pool);
	return 0;
}

/* Each text differs, and some are as long as they may be. */
static void fill(struct protocol_message *message, unsigned int number)
{
	snprintf(message->method, sizeof(message->method), "M%u", number);
	snprintf(message->target, sizeof(message->target), "/%u/%0*u", number,
		 number % 2 ? (int)sizeof(message->target) : 1, number);
	snprintf(message->host, sizeof(message->host), "%0*u", number % 3 ? 1 : 200, number);
	snprintf(message->trace_id, sizeof(message->trace_id), "t%u", number);
	snprintf(message->error, sizeof(message->error), "%s", number % 5 ? "" : "503");
	snprintf(message->answer, sizeof(message->answer), "10.0.0.%u", number);
	snprintf(message->statement_method, sizeof(message->statement_method), "S%u", number);
	message->status = (int32_t)number;
	message->has_status = true;
	message->key = number * UINT64_C(0x100000001);
	message->statement = number + 1;
	message->note = number + 2;
	message->ttl_s = number + 3;
	message->statement_use = STATEMENT_USES;
}

static void expect(struct protocol_message *message, unsigned int number)
{
	struct protocol_message wanted;

	assert_non_null(message);
	message_clear(&wanted);
	fill(&wanted, number);
	assert_string_equal(message->method, wanted.method);
	assert_string_equal(message->target, wanted.target);
	assert_string_equal(message->host, wanted.host);
	assert_string_equal(message->trace_id, wanted.trace_id);
	assert_string_equal(message->error, wanted.error);
	assert_string_equal(message->answer, wanted.answer);
	assert_string_equal(message->statement_method, wanted.statement_method);
	assert_memory_equal(message, &wanted, offsetof(struct protocol_message, method));
}

static void fill_all(struct kept *kept)
{
	for (unsigned int i = 0; i < MANY; i++)
		fill(messages_open(&kept->messages, &kept->refs[i]), i);
}

static unsigned int count_open(const struct kept *kept)
{
	unsigned int open = 0;

	for (unsigned int i = 0; i < MANY; i++)
		open += kept->refs[i].open != NULL;
	return open;
}

static void an_empty_one_is_cleared(void **state)
{
	struct kept *kept = *state;
	struct protocol_message *message = messages_open(&kept->messages, &kept->refs[0]);

	assert_string_equal(message->method, "");
	assert_string_equal(message->target, "");
	assert_false(message->has_status);
	fill(message, 1);
	message_clear(message);
	assert_string_equal(message->statement_method, "");
	assert_int_equal(message->key, 0);
}

static void only_some_are_open(void **state)
{
	struct kept *kept = *state;

	fill_all(kept);
	assert_int_equal(count_open(kept), MESSAGES_OPEN_MAX);
	assert_null(kept->refs[0].open);
	/* In the order in which they were opened, and in another one. */
	for (unsigned int i = 0; i < MANY; i++)
		expect(messages_open(&kept->messages, &kept->refs[i]), i);
	for (unsigned int i = 0; i < MANY; i++)
		expect(messages_open(&kept->messages, &kept->refs[i * 7 % MANY]), i * 7 % MANY);
	assert_int_equal(count_open(kept), MESSAGES_OPEN_MAX);
}

/* Whoever asks for it again has it while as many others are opened as for a new one. */
static void one_that_is_open_stays(void **state)
{
	struct kept *kept = *state;
	struct protocol_message *first = messages_open(&kept->messages, &kept->refs[0]);

	for (unsigned int i = 1; i < MESSAGES_OPEN_MAX; i++)
		messages_open(&kept->messages, &kept->refs[i]);
	assert_ptr_equal(messages_open(&kept->messages, &kept->refs[0]), first);
	for (unsigned int i = 0; i < MESSAGES_STAY; i++)
		messages_open(&kept->messages, &kept->refs[MESSAGES_OPEN_MAX + i]);
	assert_ptr_equal(kept->refs[0].open, first);
	assert_null(kept->refs[1].open);
}

static void a_copy_is_its_own(void **state)
{
	struct kept *kept = *state;
	struct message_ref copies[2] = {{0}};

	fill_all(kept);
	/* Of one that is packed, and of one that is open. */
	assert_true(messages_copy(&kept->messages, &copies[0], &kept->refs[3]));
	assert_true(messages_copy(&kept->messages, &copies[1], &kept->refs[MANY - 1]));
	messages_free(&kept->messages, &kept->refs[3]);
	messages_free(&kept->messages, &kept->refs[MANY - 1]);
	expect(messages_open(&kept->messages, &copies[0]), 3);
	expect(messages_open(&kept->messages, &copies[1]), MANY - 1);
	for (unsigned int i = 0; i < 2; i++)
		messages_free(&kept->messages, &copies[i]);
}

/* What was freed takes no room, and is not packed later. */
static void they_are_freed(void **state)
{
	struct kept *kept = *state;

	fill_all(kept);
	for (unsigned int i = 0; i < MANY; i++)
		messages_free(&kept->messages, &kept->refs[i]);
	assert_int_equal(count_open(kept), 0);
	for (unsigned int i = 0; i < MESSAGES_OPEN_MAX; i++)
		assert_null(kept->messages.open[i]);
	fill_all(kept);
	expect(messages_open(&kept->messages, &kept->refs[0]), 0);
}

/* Connections of the same process, and where their bytes stand. */
struct many {
	struct talked talked;
	uint32_t at[MANY][DIRECTIONS];
};

static void say(struct many *many, unsigned int number, enum recognition_direction direction,
		const char *text)
{
	memcpy(many->talked.at, many->at[number], sizeof(many->talked.at));
	many->talked.ino = TALKED_INO + number;
	many->talked.fd = TALKED_FD + number;
	talked_text(&many->talked, direction, text);
	memcpy(many->at[number], many->talked.at, sizeof(many->talked.at));
}

/* Each asks, with headers in two pieces. */
static struct many *ask_all(void)
{
	struct many *many = calloc(1, sizeof(*many));
	char text[64];

	assert_non_null(many);
	talked_begin(&many->talked, NULL);
	for (unsigned int i = 0; i < MANY; i++) {
		many->talked.ino = TALKED_INO + i;
		many->talked.fd = TALKED_FD + i;
		memcpy(many->at[i], many->talked.at, sizeof(many->at[i]));
		talked_accept(&many->talked);
		snprintf(text, sizeof(text), "GET /%u HTTP/1.1\r\nHost: h%u\r\n", i, i);
		say(many, i, DIRECTION_IN, text);
	}
	for (unsigned int i = 0; i < MANY; i++)
		say(many, i, DIRECTION_IN, "b3: 1234567890abcdef-1\r\n\r\n");
	return many;
}

static void finish_many(struct many *many)
{
	talked_finish(&many->talked);
	free(many);
}

static void expect_line(struct many *many, unsigned int number, const char *end)
{
	char line[64];

	snprintf(line, sizeof(line), "GET /%u %s", number, end);
	assert_string_equal(talked_line(&many->talked), line);
	snprintf(line, sizeof(line), "h%u", number);
	assert_string_equal(event_param_string(&many->talked.event, request__host), line);
	assert_string_equal(event_param_string(&many->talked.event, request__trace_id),
			    "1234567890abcdef");
}

/* The first part of each response comes before the second part of any. */
static void requests_that_wait_are_whole(void **state)
{
	struct many *many = ask_all();

	(void)state;
	for (unsigned int i = 0; i < MANY; i++)
		say(many, i, DIRECTION_OUT, "HTTP/1.1 503 No\r\nContent-Length: 4\r\n");
	for (unsigned int i = 0; i < MANY; i++) {
		say(many, i, DIRECTION_OUT, "\r\nbody");
		expect_line(many, i, "503 503");
	}
	assert_int_equal(talked_account(&many->talked, request_protocols__http).reported, MANY);
	finish_many(many);
}

/* Each is there twice: given out, and in its place until the response comes. */
static void requests_that_time_out_are_whole(void **state)
{
	struct many *many = ask_all();

	(void)state;
	requests_step(many->talked.requests, many->talked.drive.ts_ns + REQUESTS_TIMEOUT_NS);
	for (unsigned int i = 0; i < MANY; i++)
		expect_line(many, i, "- timeout");
	for (unsigned int i = 0; i < MANY; i++) {
		say(many, i, DIRECTION_OUT, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
		assert_string_equal(talked_line(&many->talked), "none");
	}
	finish_many(many);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(an_empty_one_is_cleared),
	TEST(only_some_are_open),
	TEST(one_that_is_open_stays),
	TEST(a_copy_is_its_own),
	TEST(they_are_freed),
	cmocka_unit_test(requests_that_wait_are_whole),
	cmocka_unit_test(requests_that_time_out_are_whole),
};

UNIT_GROUP(tests);
