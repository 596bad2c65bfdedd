/* SPDX-License-Identifier: MIT */
/*
 * NATS, with the headers of its version 2. Each command of a client but PONG is a request. PUB and
 * HPUB that name an inbox as the subject for the reply are answered by the first message to that,
 * PING by PONG; nothing answers the others: an error of the server is reported alone, and +OK is
 * aside. So is a message alone that the server delivers for a subscription: its method is MSG. A
 * service's reply is a message that it publishes.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/protocol.h"
#include "requests/protocols/text.h"
#include "util/hash.h"

enum {
	NATS_LINE_MAX = 8192, /* that is waited for; CONNECT and INFO may be longer */
	NATS_WORDS_MAX = 5,
	NATS_STATUS_BYTES = 12, /* of the headers: NATS/1.0 503 */
	NATS_NO_RESPONDERS = 503,
	NATS_REQUEST_TIMEOUT = 408,
	NATS_NO_MESSAGES = 404,
	NATS_PING_KEY = 1, /* hashes of inboxes have a bit above all of these */
	NATS_OTHER_KEY = 2,
};

static const char inbox[] = "_INBOX.";

/* What is known of a side between two steps. */
struct nats {
	uint64_t payload; /* bytes to come of a message, with what ends it */
	bool has_headers; /* at its beginning */
	bool in_line; /* up to its end, a line is ignored, */
	bool in_message; /* which is one's last */
};

_Static_assert(sizeof(struct nats) <= PROTOCOL_STATE_BYTES, "more than what is kept of a side");

/* The words of a line behind the first one. */
struct nats_words {
	struct protocol_text words[NATS_WORDS_MAX];
	unsigned int count;
};

/* One step. */
struct nats_run {
	struct nats *nats;
	const struct protocol_input *input;
	struct protocol_message *message;
	const struct protocol_message *request;
	struct protocol_text line; /* behind the first word */
	struct nats_words words;
	struct protocol_step step;
};

/* Returns false: it is no such line. */
typedef bool nats_take(struct nats_run *run);

struct nats_verb {
	const char *name;
	nats_take *take;
	unsigned int min, max; /* words behind it; max 0: they are a text */
};

static uint64_t key_of(struct protocol_text subject)
{
	return UINT64_C(1) << 32 | hash_bytes(subject.data, subject.len);
}

static void begin_request(struct nats_run *run, const char *method, struct protocol_text subject)
{
	struct protocol_message *message = run->message;

	run->step.begins = run->step.ends = true;
	message->has_key = true;
	message->key = NATS_OTHER_KEY;
	message->is_oneway = true;
	snprintf(message->method, sizeof(message->method), "%s", method);
	protocol_text_put(message->target, MESSAGE_TARGET_BYTES, subject.data, subject.len);
}

static struct protocol_text word_at(const struct nats_run *run, unsigned int index)
{
	return index < run->words.count ? run->words.words[index] : (struct protocol_text){0};
}

static bool take_connect(struct nats_run *run)
{
	begin_request(run, "CONNECT", (struct protocol_text){0});
	return true;
}

static bool take_ping(struct nats_run *run)
{
	begin_request(run, "PING", (struct protocol_text){0});
	run->message->is_oneway = false;
	run->message->key = NATS_PING_KEY;
	return true;
}

static bool take_subscribe(struct nats_run *run)
{
	begin_request(run, "SUB", word_at(run, 0));
	return true;
}

static bool take_unsubscribe(struct nats_run *run)
{
	begin_request(run, "UNSUB", (struct protocol_text){0});
	return true;
}

/* The bytes of a payload stand in the last word, those of its headers in the one before. */
static bool read_payload(struct nats_run *run, bool has_headers, uint64_t *bytes)
{
	unsigned int count = run->words.count;
	int64_t size = protocol_text_number(word_at(run, count - 1));
	int64_t headers = has_headers ? protocol_text_number(word_at(run, count - 2)) : 0;

	if (size < 0 || headers < 0 || headers > size)
		return false;
	*bytes = (uint64_t)size + 2;
	return true;
}

/* subject [reply] [bytes of headers] bytes */
static bool publish(struct nats_run *run, const char *method, bool has_headers)
{
	bool has_reply = run->words.count > (has_headers ? 3u : 2u);
	struct protocol_text reply = word_at(run, 1);

	if (!read_payload(run, has_headers, &run->step.skip))
		return false;
	begin_request(run, method, word_at(run, 0));
	if (!has_reply || reply.len < strlen(inbox) ||
	    memcmp(reply.data, inbox, strlen(inbox)) != 0)
		return true;
	run->message->is_oneway = false;
	run->message->key = key_of(reply);
	return true;
}

static bool take_publish(struct nats_run *run)
{
	return publish(run, "PUB", false);
}

static bool take_publish_headers(struct nats_run *run)
{
	return publish(run, "HPUB", true);
}

/* What belongs to no message. */
static bool take_nothing(struct nats_run *run)
{
	return true;
}

static bool take_pong(struct nats_run *run)
{
	run->step.begins = run->step.ends = true;
	run->message->has_key = true;
	run->message->key = NATS_PING_KEY;
	return true;
}

static bool take_ok(struct nats_run *run)
{
	run->step.begins = run->step.ends = run->message->is_aside = true;
	return true;
}

/* -ERR 'Permissions Violation for Publish to "a"': what it is about is no part of the error. */
static bool nats_take_error(struct nats_run *run)
{
	struct protocol_text text = run->line;
	const uint8_t *end;

	while (text.len && (*text.data == ' ' || *text.data == '\'')) {
		text.data++;
		text.len--;
	}
	text.len -= text.len && text.data[text.len - 1] == '\'';
	end = memmem(text.data, text.len, " for ", 5);
	begin_request(run, "-ERR", (struct protocol_text){0});
	run->message->is_alone = true;
	run->message->is_oneway = run->message->has_key = false;
	protocol_text_put(run->message->error, MESSAGE_ERROR_BYTES, text.data,
			  end ? (size_t)(end - text.data) : text.len);
	return true;
}

/* subject id [reply] [bytes of headers] bytes: what it answers is looked for by its subject. */
static bool deliver(struct nats_run *run, bool has_headers)
{
	if (!read_payload(run, has_headers, &run->nats->payload))
		return false;
	begin_request(run, "MSG", word_at(run, 0));
	run->message->is_oneway = false;
	run->message->key = key_of(word_at(run, 0));
	run->nats->has_headers = has_headers;
	run->step.ends = false;
	run->step.stands = true;
	return true;
}

static bool nats_take_message(struct nats_run *run)
{
	return deliver(run, false);
}

static bool nats_take_message_headers(struct nats_run *run)
{
	return deliver(run, true);
}

static const struct nats_verb requests[] = {
	{"CONNECT", take_connect, 1, 0},      {"PUB", take_publish, 2, 3},
	{"HPUB", take_publish_headers, 3, 4}, {"SUB", take_subscribe, 2, 3},
	{"UNSUB", take_unsubscribe, 1, 2},    {"PING", take_ping, 0, 0},
	{"PONG", take_nothing, 0, 0},	      {NULL},
};

static const struct nats_verb responses[] = {
	{"INFO", take_nothing, 1, 0},
	{"MSG", nats_take_message, 3, 4},
	{"HMSG", nats_take_message_headers, 4, 5},
	{"+OK", take_ok, 0, 0},
	{"-ERR", nats_take_error, 1, 0},
	{"PING", take_nothing, 0, 0},
	{"PONG", take_pong, 0, 0},
	{NULL},
};

static const struct nats_verb *const verbs_of[PROTOCOL_SIDES] = {
	[PROTOCOL_REQUESTS] = requests,
	[PROTOCOL_RESPONSES] = responses,
};

static bool is_same_word(struct protocol_text word, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (protocol_text_upper((char)word.data[i]) != name[i])
			return false;
	return true;
}

/* In either case. */
static const struct nats_verb *find_verb(enum protocol_side side, struct protocol_text word)
{
	for (const struct nats_verb *verb = verbs_of[side]; verb->name; verb++)
		if (word.len == strlen(verb->name) && is_same_word(word, verb->name, word.len))
			return verb;
	return NULL;
}

static bool split_words(const struct nats_verb *verb, struct protocol_text line,
			struct nats_words *words)
{
	struct protocol_text word;

	words->count = 0;
	while ((word = protocol_text_word(&line)).len) {
		if (words->count == NATS_WORDS_MAX)
			return verb->max == 0 && verb->min;
		words->words[words->count++] = word;
	}
	return words->count >= verb->min &&
	       (words->count <= verb->max || (!verb->max && verb->min));
}

static struct protocol_step nats_drop_line(struct nats *nats, const struct protocol_input *input)
{
	const uint8_t *end = memchr(input->data, '\n', input->len);

	nats->in_line = !end;
	return (struct protocol_step){.action = PROTOCOL_GOES_ON,
				      .used = end ? (size_t)(end + 1 - input->data) : input->len,
				      .ends = end && nats->in_message,
				      .stands = !end && nats->in_message};
}

static const struct protocol_step waits = {.action = PROTOCOL_WAITS},
				  lost = {.action = PROTOCOL_LOST};

/* NATS/1.0 503: why there are no messages. That there are none for now is no error. */
static void nats_put_status(struct protocol_message *message, const uint8_t *data, size_t len)
{
	static const char version[] = "NATS/1.0 ";
	size_t at = strlen(version);
	int64_t status;

	if (len < NATS_STATUS_BYTES || memcmp(data, version, at) != 0)
		return;
	status = protocol_text_number((struct protocol_text){data + at, NATS_STATUS_BYTES - at});
	if (status < 0)
		return;
	message->has_status = true;
	message->status = (int32_t)status;
	if (status < 400 || status == NATS_NO_MESSAGES || status == NATS_REQUEST_TIMEOUT)
		return;
	if (status == NATS_NO_RESPONDERS)
		snprintf(message->error, sizeof(message->error), "No Responders");
	else
		snprintf(message->error, sizeof(message->error), "%d", message->status);
}

/* What is behind the line of a message: then it is known whether somebody asked for it. */
static struct protocol_step take_payload(struct nats_run *run)
{
	struct nats *nats = run->nats;
	size_t needed = nats->has_headers ? NATS_STATUS_BYTES : 0, known = run->input->len;

	if (needed > nats->payload)
		needed = (size_t)nats->payload;
	if (known < needed && !run->input->is_cut)
		return waits;
	if (nats->has_headers)
		nats_put_status(run->message, run->input->data, known < needed ? known : needed);
	run->message->is_alone = !run->request;
	run->message->has_key = run->request;
	run->step.used = known < nats->payload ? known : (size_t)nats->payload;
	run->step.skip = nats->payload - run->step.used;
	run->step.ends = true;
	nats->payload = 0;
	return run->step;
}

static struct protocol_step nats_step(enum protocol_side side, void *state,
				      const struct protocol_input *input,
				      struct protocol_message *message,
				      const struct protocol_message *request)
{
	struct nats_run run = {.nats = state,
			       .input = input,
			       .message = message,
			       .request = request,
			       .step = {.action = PROTOCOL_GOES_ON, .wants_all = true}};
	const struct nats_verb *verb;
	enum protocol_line found;

	if (run.nats->payload)
		return take_payload(&run);
	if (run.nats->in_line)
		return nats_drop_line(run.nats, input);
	found = protocol_text_line(input->data, input->len, input->is_cut, NATS_LINE_MAX, &run.line,
				   &run.step.used);
	if (found == LINE_WAITS)
		return waits;
	verb = find_verb(side, protocol_text_word(&run.line));
	/* Of a text the beginning is enough. */
	if (!verb || (found == LINE_IS_CUT && (verb->max || !verb->min)) ||
	    !split_words(verb, run.line, &run.words) || !verb->take(&run))
		return lost;
	run.nats->in_line = found == LINE_IS_CUT;
	run.nats->in_message = run.nats->in_line && run.step.ends;
	if (run.nats->in_message) {
		run.step.ends = false;
		run.step.stands = true;
	}
	return run.step;
}

/* What only these lines begin with; behind it comes JSON. */
static const char *const sure[PROTOCOL_SIDES] = {
	[PROTOCOL_REQUESTS] = "CONNECT {",
	[PROTOCOL_RESPONSES] = "INFO {\"",
};

/* Whether the bytes, as far as they are there, are that text; PROTOCOL_YES: all of it. */
static enum protocol_verdict begins_with(const struct protocol_input *input, const char *text)
{
	size_t len = strlen(text);

	if (memcmp(input->data, text, input->len < len ? input->len : len) != 0)
		return PROTOCOL_NO;
	return input->len < len ? PROTOCOL_MAYBE : PROTOCOL_YES;
}

/* A line that is not whole: its verb, or the beginning of one. */
static enum protocol_verdict recognise_begin(enum protocol_side side, struct protocol_text line)
{
	struct protocol_text rest = line, word = protocol_text_word(&rest);

	word.len -= word.len && word.data[word.len - 1] == '\r';
	if (rest.len)
		return find_verb(side, word) ? PROTOCOL_MAYBE : PROTOCOL_NO;
	for (const struct nats_verb *verb = verbs_of[side]; verb->name; verb++)
		if (word.len <= strlen(verb->name) && is_same_word(word, verb->name, word.len))
			return PROTOCOL_MAYBE;
	return PROTOCOL_NO;
}

/* Other protocols have PING, too, and errors, but no quotes around these. */
static enum protocol_verdict recognise_line(enum protocol_side side, struct protocol_text line)
{
	const struct nats_verb *verb = find_verb(side, protocol_text_word(&line));
	struct nats_words words;

	if (!verb || !split_words(verb, line, &words))
		return PROTOCOL_NO;
	if (verb->take == nats_take_error && words.words[0].data[0] != '\'')
		return PROTOCOL_NO;
	if (verb->max && protocol_text_number(words.words[words.count - 1]) < 0 &&
	    verb->take != take_subscribe && verb->take != take_unsubscribe)
		return PROTOCOL_NO;
	return PROTOCOL_MAYBE;
}

static enum protocol_verdict nats_recognise(enum protocol_side side,
					    const struct protocol_input *input)
{
	enum protocol_verdict verdict = begins_with(input, sure[side]);
	struct protocol_text line;
	size_t used;

	if (verdict != PROTOCOL_NO)
		return verdict;
	if (input->data[0] == ' ' || input->data[0] == '\t')
		return PROTOCOL_NO;
	if (protocol_text_line(input->data, input->len, true, NATS_LINE_MAX, &line, &used) ==
	    LINE_WHOLE)
		return recognise_line(side, line);
	return recognise_begin(side, line);
}

/* Only where a read begins: payloads can hold anything. */
static size_t nats_find(enum protocol_side side, const struct protocol_input *input)
{
	return nats_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_nats = {
	.name = "nats",
	.number = request_protocols__nats,
	.class = PROTOCOL_OF_QUEUES,
	.recognise = nats_recognise,
	.step = nats_step,
	.find = nats_find,
};
