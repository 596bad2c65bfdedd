/* SPDX-License-Identifier: MIT */
/*
 * Dialogues of real protocols: cut at every byte, in pieces of every size, in every order that the
 * two sides may come in, with every piece missing. What is reported is always the same, or less.
 */
#include <stdio.h>
#include <string.h>

#include "talked.h"
#include "unit.h"
#include "util/buf.h"

enum { TURNS_MAX = 8, LINES_BYTES = 1024 };

/* What each side says, one after the other: the client first. */
struct dialogue {
	unsigned int protocol;
	const char *turns[TURNS_MAX];
	const char *lines; /* the requests */
};

#define HTTP_GET "GET /a?secret=1 HTTP/1.1\r\nHost: h\r\n\r\n"
#define HTTP_OK "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

static const struct dialogue dialogues[] = {
	{
		.protocol = request_protocols__http,
		.turns = {HTTP_GET, HTTP_OK,
			  "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nGET / HTT",
			  "HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n"
			  "5\r\nHTTP/\r\n3\r\n1.1\r\n0\r\n\r\n",
			  "HEAD /c HTTP/1.1\r\nHost: h\r\n\r\n",
			  "HTTP/1.1 404 Not Found\r\nContent-Length: 500\r\n\r\n"},
		.lines = "GET /a 200 -\nPOST /b 503 503\nHEAD /c 404 -\n",
	},
	{
		.protocol = request_protocols__http,
		.turns = {HTTP_GET "GET /b HTTP/1.1\r\nHost: h\r\n\r\n" HTTP_GET,
			  HTTP_OK "HTTP/1.1 304 Not Modified\r\n\r\n" HTTP_OK},
		.lines = "GET /a 200 -\nGET /b 304 -\nGET /a 200 -\n",
	},
	{
		.protocol = request_protocols__redis,
		.turns = {"*2\r\n$3\r\nGET\r\n$1\r\na\r\n", "$5\r\nhello\r\n",
			  "*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$4\r\n+OK\r\r\n"
			  "*1\r\n$4\r\nPING\r\n",
			  "-READONLY no\r\n+PONG\r\n", "*1\r\n$4\r\nQUIT\r\n", "+OK\r\n"},
		.lines = "GET - - -\nSET - - READONLY\nPING - - -\nQUIT - - -\n",
	},
};

#define DIALOGUES_COUNT (sizeof(dialogues) / sizeof(*dialogues))

/* How a turn is cut: its first piece and the others; 0: all that is left. */
struct cut {
	size_t first, others;
	size_t missing; /* the number of the piece that nobody sees, counted from 1 */
};

static void say(struct talked *talked, unsigned int turn, const char *text, const struct cut *cut,
		size_t *pieces)
{
	enum recognition_direction direction = turn % 2 ? DIRECTION_OUT : DIRECTION_IN;
	size_t left = strlen(text), n = cut->first;

	while (left) {
		if (n == 0 || n > left)
			n = left;
		if (++*pieces == cut->missing)
			talked_miss(talked, direction, n);
		else
			talked_piece(talked, direction, text, n, n);
		text += n;
		left -= n;
		n = cut->others;
	}
}

static void append_lines(struct talked *talked, struct buf *lines)
{
	const char *line;

	while (strcmp(line = talked_line(talked), "none") != 0) {
		/* Keys are left out: protocols have tests of their own. */
		char method[32], target[64], rest[64];

		assert_int_equal(sscanf(line, "%31s %63s %63[^\n]", method, target, rest), 3);
		buf_printf(lines, "%s %s %s\n", method, target[0] == '/' ? target : "-", rest);
	}
}

/* Returns the number of pieces. */
static size_t hold_dialogue(const struct dialogue *dialogue, const struct cut *cut,
			    struct buf *lines)
{
	static struct talked talked;
	size_t pieces = 0;

	buf_clear(lines);
	talked_begin(&talked, NULL);
	talked_accept(&talked);
	for (unsigned int turn = 0; turn < TURNS_MAX && dialogue->turns[turn]; turn++) {
		say(&talked, turn, dialogue->turns[turn], cut, &pieces);
		append_lines(&talked, lines);
	}
	talked_close(&talked);
	append_lines(&talked, lines);
	buf_append_char(lines, '\0');
	talked_account(&talked, dialogue->protocol);
	talked_finish(&talked);
	return pieces;
}

static void cuts_make_no_difference(void **state)
{
	struct buf lines = {0};

	for (size_t i = 0; i < DIALOGUES_COUNT; i++)
		for (size_t first = 0; first < 120; first += UNIT_STEP)
			for (size_t others = 0; others < 12; others++) {
				const struct cut cut = {.first = first, .others = others};

				hold_dialogue(&dialogues[i], &cut, &lines);
				assert_string_equal(lines.data, dialogues[i].lines);
			}
	buf_finish(&lines);
}

/* Whether each line is one of the dialogue, or of a request that has no response. */
static void check_lines(const struct dialogue *dialogue, char *lines)
{
	char *at = NULL;

	for (char *line = strtok_r(lines, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		char whole[128];

		/* What is not known of a request is no mistake. */
		if (strstr(line, "closed") || line[0] == '-')
			continue;
		snprintf(whole, sizeof(whole), "%s\n", line);
		if (!strstr(dialogue->lines, whole))
			fail_msg("%s", line);
	}
}

static void a_missing_piece_mixes_up_nothing(void **state)
{
	struct buf lines = {0};

	for (size_t i = 0; i < DIALOGUES_COUNT; i++)
		for (size_t others = 0; others < 60; others += UNIT_STEP) {
			struct cut cut = {.first = others, .others = others};
			size_t pieces = hold_dialogue(&dialogues[i], &cut, &lines);

			for (cut.missing = 1; cut.missing <= pieces; cut.missing++) {
				hold_dialogue(&dialogues[i], &cut, &lines);
				check_lines(&dialogues[i], lines.data);
			}
		}
	buf_finish(&lines);
}

/* What the client did wrong is an error of its own, not of the server. */
static void an_error_is_where_it_was_made(void **state)
{
	static const char *const servers[] = {"404 -", "503 503"}, *const clients[] = {"404 404",
										       "503 503"};
	static struct talked talked;

	for (unsigned int is_client = 0; is_client < 2; is_client++)
		for (unsigned int i = 0; i < 2; i++) {
			char answer[64], line[64];

			talked_begin(&talked, NULL);
			if (is_client)
				talked_connect(&talked, LATENCY_UNKNOWN);
			else
				talked_accept(&talked);
			talked_text(&talked, is_client ? DIRECTION_OUT : DIRECTION_IN, HTTP_GET);
			snprintf(answer, sizeof(answer), "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n",
				 i ? "503 No" : "404 No");
			talked_text(&talked, is_client ? DIRECTION_IN : DIRECTION_OUT, answer);
			snprintf(line, sizeof(line), "GET /a %s",
				 (is_client ? clients : servers)[i]);
			assert_string_equal(talked_line(&talked), line);
			talked_finish(&talked);
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_error_is_where_it_was_made),
	cmocka_unit_test(cuts_make_no_difference),
	cmocka_unit_test(a_missing_piece_mixes_up_nothing),
};

UNIT_GROUP(tests, .unfilled = true);
