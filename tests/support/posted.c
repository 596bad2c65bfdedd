/* SPDX-License-Identifier: MIT */
#include "posted.h"

#include <stdarg.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_NUMBER = 7, URL_BYTES = 2048, ANSWER_BYTES = 4096 };

/* They stay for the life of the program: the server borrows them. */
static char texts_of_answers[POSTED_ANSWERS_MAX][ANSWER_BYTES];
static struct fake_response responses[POSTED_ANSWERS_MAX];

void posted_open(struct posted *posted, const struct output_kind *kind,
		 const struct posted_answer *answers, size_t count, const char *rest)
{
	char text[URL_BYTES];

	assert_in_range(count, 0, POSTED_ANSWERS_MAX);
	for (size_t i = 0; i < count; i++) {
		const char *body = answers[i].body ? answers[i].body : "";

		snprintf(texts_of_answers[i], ANSWER_BYTES,
			 "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s", answers[i].status,
			 answers[i].headers ? answers[i].headers : "", strlen(body), body);
		responses[i] = (struct fake_response){texts_of_answers[i], true, 0};
	}
	*posted = (struct posted){.server = fake_server_start(responses, count)};
	snprintf(text, sizeof(text), "%s%s", fake_server_url(posted->server), rest);
	sent_open(&posted->target, kind, text);
}

void posted_close(struct posted *posted)
{
	sent_close(&posted->target);
	sent_finish(&posted->sent);
	fake_server_stop(posted->server);
}

int posted_send(struct posted *posted, const char *const *texts, size_t count)
{
	sent_finish(&posted->sent);
	sent_init_texts(&posted->sent, FIRST_NUMBER, texts, count);
	posted->err.text[0] = '\0';
	return posted->target.kind->send(posted->target.target, &posted->sent.batch, &posted->err);
}

int posted_send_one(struct posted *posted, const char *text)
{
	return posted_send(posted, &text, 1);
}

const char *posted_body(struct posted *posted, size_t number)
{
	return fake_server_body(posted->server, number);
}

void posted_expect(const struct posted *posted, const char *results)
{
	static const char letters[] = {
		[OUTPUT_RETRY] = 'r', [OUTPUT_DELIVERED] = 'd', [OUTPUT_REJECTED] = 'x'};
	const struct output_batch *batch = &posted->sent.batch;
	char *got = calloc(batch->count + 1, 1);

	assert_non_null(got);
	for (size_t i = 0; i < batch->count; i++)
		got[i] = letters[batch->results[i]];
	assert_string_equal(got, results);
	free(got);
}

void posted_expect_error(const struct posted *posted, const char *text)
{
	if (!strstr(posted->err.text, text))
		fail_msg("'%s' has no '%s'", posted->err.text, text);
}
