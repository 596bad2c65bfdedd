/* SPDX-License-Identifier: MIT */
/* Prepared statements: the text of those that are executed, by what they are called. */
#include "requests/statements.h"

#include <stdio.h>
#include <string.h>

#include "talked.h"
#include "unit.h"

#define MYSQL_PREPARE "\x0e\0\0\0\x16SELECT a, 'b'"
#define MYSQL_PREPARED(id) "\x0c\0\0\1\0" id "\0\0\0\0\0\0\0\0\0\0"
#define MYSQL_EXECUTE(id) "\x0a\0\0\0\x17" id "\0\0\0\0\1\0\0\0"
#define MYSQL_OK "\7\0\0\1\0\0\0\2\0\0\0"
#define MYSQL_ERROR "\x0e\0\0\1\xff\x7a\4#42S02no t!"

static void knows_the_text_of_a_number(void **state)
{
	struct talked *talked = *state;

	ASK(talked, MYSQL_PREPARE);
	ANSWER(talked, MYSQL_PREPARED("\7"));
	assert_line(talked, "PREPARE SELECT a, ? - -");
	for (int i = 0; i < 3; i++) {
		ASK(talked, MYSQL_EXECUTE("\7"));
		ANSWER(talked, MYSQL_OK);
		assert_line(talked, "SELECT SELECT a, ? - -");
	}
	/* Another one, of before the capture. */
	ASK(talked, MYSQL_EXECUTE("\6"));
	ANSWER(talked, MYSQL_ERROR);
	assert_line(talked, "EXECUTE - 1146 42S02");
	ASK(talked, "\5\0\0\0\x19\7\0\0\0");
	assert_line(talked, "CLOSE - - -");
	ASK(talked, MYSQL_EXECUTE("\7"));
	ANSWER(talked, MYSQL_OK);
	assert_line(talked, "EXECUTE - - -");
}

/* What was asked before the answer came is executed behind it. */
static void knows_it_in_a_pipeline(void **state)
{
	struct talked *talked = *state;

	ASK(talked, MYSQL_PREPARE MYSQL_EXECUTE("\7"));
	ANSWER(talked, MYSQL_PREPARED("\7") MYSQL_OK);
	assert_line(talked, "PREPARE SELECT a, ? - -");
	assert_line(talked, "SELECT SELECT a, ? - -");
}

static void keeps_nothing_of_what_failed(void **state)
{
	struct talked *talked = *state;

	ASK(talked, MYSQL_PREPARE);
	ANSWER(talked, MYSQL_ERROR);
	assert_line(talked, "PREPARE SELECT a, ? 1146 42S02");
	ASK(talked, MYSQL_EXECUTE("\0"));
	ANSWER(talked, MYSQL_OK);
	assert_line(talked, "EXECUTE - - -");
}

#define PG_PARSE(name, text) "P\0\0\0\x0f" name "\0" text "\0\0\0"
#define PG_BIND(name) "B\0\0\0\x0d\0" name "\0\0\0\0\0\0\0"
#define PG_EXECUTE "E\0\0\0\x09\0\0\0\0\0"
#define PG_SYNC "S\0\0\0\4"
#define PG_DONE "2\0\0\0\4C\0\0\0\x0dSELECT 1\0Z\0\0\0\5I"

static void knows_the_text_of_a_name(void **state)
{
	struct talked *talked = *state;

	ASK(talked, PG_PARSE("s", "SHOW a") PG_SYNC);
	ANSWER(talked, "1\0\0\0\4Z\0\0\0\5I");
	assert_line(talked, "PREPARE SHOW a - -");
	ASK(talked, PG_BIND("s") PG_EXECUTE PG_SYNC);
	ANSWER(talked, PG_DONE);
	assert_line(talked, "SHOW SHOW a - -");
	ASK(talked, PG_BIND("t") PG_EXECUTE PG_SYNC);
	ANSWER(talked, PG_DONE);
	assert_line(talked, "EXECUTE t - -");
	/* The same name for another one. */
	ASK(talked, PG_PARSE("s", "SHOW b") PG_BIND("s") PG_EXECUTE PG_SYNC);
	ANSWER(talked, "1\0\0\0\4" PG_DONE);
	assert_line(talked, "SHOW SHOW b - -");
	ASK(talked, PG_BIND("s") PG_EXECUTE PG_SYNC);
	ANSWER(talked, PG_DONE);
	assert_line(talked, "SHOW SHOW b - -");
}

/* Why there is no service, said before anybody asked. */
static void reports_what_is_said_alone(void **state)
{
	static const uint8_t tuple[] = {2, 10, 0, 0, 1, 0x40, 0x9c, 10, 0, 0, 2, 80, 0};
	struct talked *talked = *state;
	const struct event *event;

	ANSWER(talked, "\x16\0\0\0\xff\x10\4#08004Too many conn");
	event = talked_next(talked);
	assert_non_null(event);
	assert_string_equal(event_param_string(event, request__method), "STARTUP");
	assert_string_equal(event_param_string(event, request__error), "08004");
	assert_int_equal(event_param_i64(event, request__status), 1040);
	assert_int_equal(event_param_i64(event, request__role), request_roles__server);
	assert_int_equal(event_param_i64(event, request__request_size), 0);
	assert_int_equal(event_param_i64(event, request__response_size), 26);
	assert_memory_equal(event->params[request__tuple].data, tuple, sizeof(tuple));
	talked_close(talked);
	assert_line(talked, "none");
	assert_int_equal(talked_account(talked, request_protocols__mysql).reported, 1);
}

static const struct hash_key secret = {{1, 2}};

static void keep(struct statements *statements, struct statement_owner *owner, uint64_t key)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", (unsigned int)key);
	statements_keep(statements, &secret, owner, key, "M", text);
}

static void is_bounded(void **state)
{
	static struct statements statements;
	static struct statement_owner owners[STATEMENTS_MAX / STATEMENTS_OF_ONE_MAX + 1];
	const size_t count = sizeof(owners) / sizeof(owners[0]);
	const struct statement *found;

	for (size_t i = 0; i < count; i++) {
		for (uint64_t key = 0; key < STATEMENTS_OF_ONE_MAX + 10; key++)
			keep(&statements, &owners[i], key);
		/* Of the first ones this is used. */
		assert_non_null(statements_find(&statements, &secret, &owners[0], 5));
	}
	assert_int_equal(statements.count, STATEMENTS_MAX);
	assert_null(statements_find(&statements, &secret, &owners[0], 6));
	assert_null(statements_find(&statements, &secret, &owners[1], STATEMENTS_OF_ONE_MAX));
	found = statements_find(&statements, &secret, &owners[count - 1], 7);
	assert_non_null(found);
	assert_string_equal(found->text, "7");
	for (size_t i = 0; i < count; i++)
		statements_drop_all(&statements, &owners[i]);
	assert_int_equal(statements.count, 0);
	assert_null(statements.oldest);
	statements_finish(&statements);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, talked_setup, talked_teardown)
	TEST(knows_the_text_of_a_number),   TEST(knows_it_in_a_pipeline),
	TEST(keeps_nothing_of_what_failed), TEST(knows_the_text_of_a_name),
	TEST(reports_what_is_said_alone),   cmocka_unit_test(is_bounded),
};

UNIT_GROUP(tests);
