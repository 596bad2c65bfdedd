/* SPDX-License-Identifier: MIT */
/*
 * Random dialogues of clients that wait for their responses, send batches, or overlap, in pieces of
 * all sizes, with and without calls that nobody sees: all are reported, and none with the response
 * of another one. Request number n asks for n, and is answered with the status n.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_protocol.h"
#include "talked.h"
#include "unit.h"

enum {
	REQUESTS = 400,
	ROUNDS = UNIT_ROUNDS(300),
	STREAM_MAX = 64 * REQUESTS,
};

enum style { WAITS, BATCHES, OVERLAPS, STYLES };

struct dialogue {
	struct talked talked;
	uint64_t random;
	unsigned int missing; /* per cent of pieces that are not seen */
	unsigned int cut; /* per cent of pieces of which only a part is */
	size_t piece_max;
	unsigned int seen;
	/* What each side has sent of its text. */
	char text[DIRECTIONS][STREAM_MAX];
	size_t len[DIRECTIONS], at[DIRECTIONS];
	unsigned int asked, answered;
};

static unsigned int below(struct dialogue *dialogue, unsigned int n)
{
	dialogue->random = dialogue->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(dialogue->random >> 33) % n;
}

static void append(struct dialogue *dialogue, enum recognition_direction direction,
		   const char *first, unsigned int number)
{
	unsigned int body = below(dialogue, 3) ? 0 : below(dialogue, 40);
	char *text = dialogue->text[direction] + dialogue->len[direction];
	size_t line = (size_t)sprintf(text, "%s%u %u\n", first, number, body);

	memset(text + line, 'x', body);
	dialogue->len[direction] += line + body;
}

static void check_requests(struct dialogue *dialogue)
{
	const struct event *event;

	while ((event = talked_next(&dialogue->talked))) {
		const char *target = event_param_string(event, request__target);

		dialogue->seen++;
		assert_non_null(target);
		if (event_param_present(event, request__status))
			assert_int_equal(event_param_i64(event, request__status), atoi(target + 1));
	}
}

/* One call moves some of what is to be sent. */
static void send_some(struct dialogue *dialogue, enum recognition_direction direction)
{
	size_t left = dialogue->len[direction] - dialogue->at[direction], len = left, captured;
	const char *text = dialogue->text[direction] + dialogue->at[direction];

	if (len > 1 && below(dialogue, 2))
		len = 1 + below(dialogue, (unsigned int)len);
	if (len > dialogue->piece_max)
		len = dialogue->piece_max;
	if (len == 0)
		return;
	captured = below(dialogue, 100) < dialogue->cut ? below(dialogue, (unsigned int)len) : len;
	dialogue->at[direction] += len;
	if (below(dialogue, 100) < dialogue->missing)
		talked_miss(&dialogue->talked, direction, len);
	else
		talked_piece(&dialogue->talked, direction, text, len, captured);
	check_requests(dialogue);
}

static void send_all(struct dialogue *dialogue, enum recognition_direction direction)
{
	while (dialogue->at[direction] < dialogue->len[direction])
		send_some(dialogue, direction);
	dialogue->at[direction] = dialogue->len[direction] = 0;
}

static void ask(struct dialogue *dialogue)
{
	append(dialogue, DIRECTION_IN, "Q n", dialogue->asked++);
}

static void answer(struct dialogue *dialogue)
{
	append(dialogue, DIRECTION_OUT, "A ", dialogue->answered++);
}

static void ask_in_batches(struct dialogue *dialogue, unsigned int batch_max)
{
	while (dialogue->asked < REQUESTS) {
		for (unsigned int n = 1 + below(dialogue, batch_max); n; n--)
			ask(dialogue);
		send_all(dialogue, DIRECTION_IN);
		while (dialogue->answered < dialogue->asked)
			answer(dialogue);
		send_all(dialogue, DIRECTION_OUT);
	}
}

/* The client does not wait; up to three are open. At times all is answered, and it sleeps. */
static void ask_overlapping(struct dialogue *dialogue)
{
	while (dialogue->asked < REQUESTS) {
		if (dialogue->asked < dialogue->answered + 3 && below(dialogue, 2)) {
			ask(dialogue);
			send_all(dialogue, DIRECTION_IN);
		} else if (dialogue->answered < dialogue->asked) {
			answer(dialogue);
			send_all(dialogue, DIRECTION_OUT);
		} else if (below(dialogue, 8) == 0)
			dialogue->talked.drive.ts_ns += UINT64_C(11000000000);
	}
}

static void speak(struct dialogue *dialogue, enum style style)
{
	static void *const no_config;

	talked_begin(&dialogue->talked, no_config);
	talked_accept(&dialogue->talked);
	memset(dialogue->len, 0, sizeof(dialogue->len));
	memset(dialogue->at, 0, sizeof(dialogue->at));
	dialogue->asked = dialogue->answered = dialogue->seen = 0;
	if (style == OVERLAPS)
		ask_overlapping(dialogue);
	else
		ask_in_batches(dialogue, style == WAITS ? 1 : 12);
	while (dialogue->answered < dialogue->asked)
		answer(dialogue);
	send_all(dialogue, DIRECTION_OUT);
	talked_close(&dialogue->talked);
	check_requests(dialogue);
}

static void reports_each_request(void **state)
{
	static struct dialogue dialogue;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		dialogue.random = round;
		dialogue.piece_max = round % 5 ? 1 + round % 64 : STREAM_MAX;
		speak(&dialogue, round % STYLES);
		assert_int_equal(dialogue.seen, dialogue.asked);
		assert_int_equal(talked_account(&dialogue.talked, FAKE_NUMBER).seen,
				 dialogue.asked);
		talked_finish(&dialogue.talked);
	}
}

static void never_pairs_wrongly(void **state)
{
	static struct dialogue dialogue;
	unsigned int seen[STYLES] = {0};

	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct requests_protocol_stats account;

		dialogue.random = round;
		dialogue.piece_max = round % 5 ? 1 + round % 64 : STREAM_MAX;
		dialogue.missing = round % 7;
		dialogue.cut = round % 4;
		speak(&dialogue, round % STYLES);
		seen[round % STYLES] += dialogue.seen;
		account = talked_account(&dialogue.talked, FAKE_NUMBER);
		assert_int_equal(account.reported, dialogue.seen);
		assert_true(account.seen <= dialogue.asked + dialogue.asked / 10);
		talked_finish(&dialogue.talked);
	}
	/* In step again soon after a loss, unless the requests overlap. */
	assert_true(seen[WAITS] > ROUNDS / STYLES * REQUESTS * 7 / 10);
	assert_true(seen[BATCHES] > ROUNDS / STYLES * REQUESTS / 10);
	assert_true(seen[OVERLAPS] > ROUNDS / STYLES * REQUESTS / 10);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reports_each_request),
	cmocka_unit_test(never_pairs_wrongly),
};

UNIT_GROUP(tests);
