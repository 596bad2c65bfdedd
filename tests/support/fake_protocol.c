/* SPDX-License-Identifier: MIT */
/*
 * A protocol for tests of what is around protocols, in place of the real ones: lines with the
 *length of a body of small letters behind each.
 *
 *	Q name n\n   a request         A status n\n  its response
 *	W name n\n   without response  I n\n         a response that answers nothing
 *	K key n\n    with a key        R key n\n     the response of a key
 *	E name\n     as Q, and then    T status\n    a response that lasts to the end
 *	             another protocol  L status\n    a response, and then another protocol
 */
#include "fake_protocol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_first(enum protocol_side side, uint8_t byte)
{
	return byte && strchr(side == PROTOCOL_REQUESTS ? "QWK" : "AIRTL", byte);
}

static enum protocol_verdict fake_recognise(enum protocol_side side,
					    const struct protocol_input *input)
{
	if (!is_first(side, input->data[0]))
		return PROTOCOL_NO;
	if (input->len == 1)
		return PROTOCOL_MAYBE;
	return input->data[1] == ' ' ? PROTOCOL_YES : PROTOCOL_NO;
}

static void set_message(char first, const char *word, struct protocol_message *message)
{
	message->method[0] = first;
	snprintf(message->target, sizeof(message->target), "%s", word);
	message->is_oneway = first == 'W';
	message->is_aside = first == 'I';
	message->has_key = first == 'K' || first == 'R';
	if (message->has_key)
		message->key = strtoull(word, NULL, 10);
	message->has_status = strchr("AT", first) && true;
	message->status = atoi(word);
	if (message->status >= 500)
		snprintf(message->error, sizeof(message->error), "%d", message->status);
}

static struct protocol_step fake_step(enum protocol_side side, void *state,
				      const struct protocol_input *input,
				      struct protocol_message *message,
				      const struct protocol_message *request)
{
	const uint8_t *newline = memchr(input->data, '\n', input->len);
	struct protocol_step step = {.action = PROTOCOL_GOES_ON, .begins = true, .ends = true};
	char line[FAKE_LINE_MAX + 1], word[FAKE_LINE_MAX + 1] = "";
	uint64_t body = 0;

	if (!is_first(side, input->data[0]) || (!newline && input->len > FAKE_LINE_MAX))
		return (struct protocol_step){.action = PROTOCOL_LOST};
	if (!newline)
		return (struct protocol_step){.action = PROTOCOL_WAITS};
	step.used = (size_t)(newline - input->data) + 1;
	snprintf(line, sizeof(line), "%.*s", (int)step.used - 1, (const char *)input->data);
	sscanf(line + 1, "%128s %lu", word, &body);
	set_message(line[0], word, message);
	step.skip = line[0] == 'T' ? PROTOCOL_TO_THE_END : body;
	step.wants_all = body == FAKE_BODY_WANTS_ALL;
	if (line[0] == 'L')
		step.action = PROTOCOL_LEAVES;
	return step;
}

static size_t fake_find(enum protocol_side side, const struct protocol_input *input)
{
	size_t at = 0;

	while (at < input->len && !is_first(side, input->data[at]))
		at++;
	return at;
}

static const struct protocol fake = {
	.name = "fake",
	.number = FAKE_NUMBER,
	.recognise = fake_recognise,
	.step = fake_step,
	.find = fake_find,
};

const struct protocol *const protocols[] = {&fake, NULL};
const struct protocol *const protocols_of_datagrams[] = {NULL};
