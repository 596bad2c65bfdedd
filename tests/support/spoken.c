/* SPDX-License-Identifier: MIT */
/* Plays the stream: keeps what was not taken, counts off what is skipped. */
#include "spoken.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far it is. */
struct speaking {
	const struct spoken *spoken;
	const uint8_t *bytes;
	size_t len, at, known; /* all, taken, given */
	uint64_t skip;
	uint64_t message_len;
	bool in_message;
	size_t answered;
	struct protocol_message message;
	_Alignas(16) uint8_t state[PROTOCOL_STATE_BYTES];
	struct buf *out;
	const char *end; /* how it ended; NULL: it goes on */
	const char *broken; /* promise */
};

static void put(struct buf *out, const char *before, const char *text)
{
	buf_append(out, before, strlen(before));
	buf_append(out, text, strlen(text));
}

static void put_named(struct buf *out, const char *before, const char *text)
{
	if (text[0])
		put(out, before, text);
}

/* What it does with a prepared statement; of a response its number. */
static void put_statement(struct buf *out, const struct protocol_message *message)
{
	static const char *const uses[] = {"", " keeps", " uses", " drops"};
	char number[32];

	put(out, uses[message->statement_use], "");
	snprintf(number, sizeof(number), "%" PRIx64, message->statement);
	if (message->has_statement && !message->statement_use)
		put(out, " statement=", number);
}

static void put_message(struct speaking *speaking)
{
	const struct protocol_message *message = &speaking->message;
	struct buf *out = speaking->out;
	char number[32];

	if (speaking->spoken->side == PROTOCOL_REQUESTS) {
		put(out, message->method, " ");
		put(out, message->target, "");
		put_named(out, " host=", message->host);
		put_named(out, " trace=", message->trace_id);
	} else {
		snprintf(number, sizeof(number), "%d", message->status);
		put(out, message->has_status ? number : "-", "");
		put_named(out, " error=", message->error);
		put_named(out, " answer=", message->answer);
		snprintf(number, sizeof(number), " ttl=%" PRIu32, message->ttl_s);
		put(out, message->answer[0] ? number : "", "");
	}
	if (message->has_key) {
		snprintf(number, sizeof(number), "%" PRIx64, message->key);
		put(out, " key=", number);
	}
	put_statement(out, message);
	put(out, message->is_alone ? " alone" : "", "");
	if (message->is_alone && message->target[0]) {
		put(out, " ", message->method);
		put(out, " ", message->target);
	}
	put(out, message->is_oneway ? " oneway" : "", message->is_aside ? " aside" : "");
	snprintf(number, sizeof(number), " %" PRIu64 "\n", speaking->message_len);
	put(out, speaking->skip == PROTOCOL_TO_THE_END ? " end\n" : number, "");
}

/* Texts without their NUL. */
static bool has_open_text(const struct protocol_message *message)
{
	return !memchr(message->method, 0, sizeof(message->method)) ||
	       !memchr(message->target, 0, sizeof(message->target)) ||
	       !memchr(message->host, 0, sizeof(message->host)) ||
	       !memchr(message->trace_id, 0, sizeof(message->trace_id)) ||
	       !memchr(message->answer, 0, sizeof(message->answer)) ||
	       !memchr(message->statement_method, 0, sizeof(message->statement_method)) ||
	       !memchr(message->error, 0, sizeof(message->error));
}

/* Whether the request of the response that comes is known. */
static bool has_request(const struct speaking *speaking)
{
	return speaking->answered < speaking->spoken->requests_count;
}

static const char *broken_promise(const struct speaking *speaking, const struct protocol_step *step,
				  const struct protocol_input *input)
{
	if (step->used > input->len)
		return "more used than there was";
	if (step->action == PROTOCOL_WAITS && (step->used || step->skip || step->begins))
		return "waits and takes";
	if (step->action == PROTOCOL_WAITS && input->is_cut)
		return "waits for what will not come";
	if (step->action == PROTOCOL_GOES_ON && !step->used && !step->skip &&
	    !(step->ends && (step->begins ? has_request(speaking) : speaking->in_message)))
		return "goes on without taking";
	if (step->is_within && (!speaking->in_message || step->begins || step->ends))
		return "is not within a message";
	if (step->begins && speaking->in_message)
		return "begins inside a message";
	if (step->ends && !step->begins && !speaking->in_message)
		return "ends what did not begin";
	return has_open_text(&speaking->message) ? "text without end" : NULL;
}

static void end_message(struct speaking *speaking)
{
	put_message(speaking);
	if (speaking->spoken->side == PROTOCOL_RESPONSES && !speaking->message.is_aside &&
	    !speaking->message.is_alone)
		speaking->answered++;
	speaking->in_message = false;
}

static void put_within(struct speaking *speaking, const struct protocol_step *step)
{
	char text[64];

	snprintf(text, sizeof(text), "within key=%" PRIx64 " %zu\n", step->key, step->used);
	put(speaking->out, text, "");
}

static void take_step(struct speaking *speaking, const struct protocol_step *step)
{
	static const char *const ends[] = {
		[PROTOCOL_LOST] = "lost",
		[PROTOCOL_LEAVES] = "leaves",
	};

	if (step->begins) {
		speaking->in_message = true;
		speaking->message_len = 0;
	}
	speaking->at += step->used;
	speaking->skip = step->skip;
	if (step->is_within)
		put_within(speaking, step);
	speaking->message_len += (step->is_within ? 0 : step->used) + step->skip;
	if (step->ends)
		end_message(speaking);
	if (step->action == PROTOCOL_LOST || step->action == PROTOCOL_LEAVES)
		speaking->end = ends[step->action];
}

static struct protocol_step ask(struct speaking *speaking, struct protocol_input *input)
{
	const struct spoken *spoken = speaking->spoken;
	const struct protocol_message *request =
		has_request(speaking) ? &spoken->requests[speaking->answered] : NULL;
	/* A block of its own, so that a read past its end is detected. */
	uint8_t *copy = malloc(input->len);
	struct protocol_step step;

	if (!copy)
		abort();
	memcpy(copy, speaking->bytes + speaking->at, input->len);
	input->data = copy;
	if (!speaking->in_message)
		memset(&speaking->message, 0, sizeof(speaking->message));
	step = spoken->protocol->step(spoken->side, speaking->state, input, &speaking->message,
				      request);
	free(copy);
	return step;
}

static void drop_skipped(struct speaking *speaking)
{
	size_t left = speaking->known - speaking->at;
	size_t n = speaking->skip < left ? (size_t)speaking->skip : left;

	speaking->at += n;
	if (speaking->skip != PROTOCOL_TO_THE_END)
		speaking->skip -= n;
}

/* Everything that can be taken of the bytes that are known. */
static void take_known(struct speaking *speaking)
{
	while (!speaking->end && !speaking->broken) {
		struct protocol_input input;
		struct protocol_step step;

		drop_skipped(speaking);
		if (speaking->at == speaking->known)
			return;
		input.len = speaking->known - speaking->at;
		input.is_cut = speaking->spoken->is_cut && speaking->known == speaking->len;
		step = ask(speaking, &input);
		speaking->broken = broken_promise(speaking, &step, &input);
		if (speaking->broken || step.action == PROTOCOL_WAITS)
			return;
		take_step(speaking, &step);
	}
}

static const char *end_of(const struct speaking *speaking)
{
	if (speaking->end)
		return speaking->end;
	if (speaking->skip)
		return "skips";
	if (speaking->at < speaking->len)
		return "waits";
	return speaking->in_message ? "inside" : "whole";
}

const char *spoken_text(const struct spoken *spoken, const void *bytes, size_t len, struct buf *out)
{
	struct speaking speaking = {.spoken = spoken, .bytes = bytes, .len = len, .out = out};
	size_t piece = spoken->first;

	while (speaking.known < len && !speaking.end && !speaking.broken) {
		if (!piece || piece > len - speaking.known)
			piece = len - speaking.known;
		speaking.known += piece;
		piece = spoken->piece;
		take_known(&speaking);
	}
	put(out, end_of(&speaking), "\n");
	return speaking.broken;
}
