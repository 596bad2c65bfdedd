/* SPDX-License-Identifier: MIT */
/*
 * Memcached: lines of text, the meta commands among them, and the binary protocol. A command of
 * several keys is one request, whose target is the first one. Misses are no errors.
 *
 * Replies come in the order of the commands, those of the binary protocol have its number. What is
 * asked with `noreply`, or a quiet command, is one-way. A quiet meta command may have a reply all
 * the same, and nobody can tell whose it is before the reply to `mn` or to a command that is not
 * meta: up to there replies of meta commands are aside, and these commands one-way. `watch` begins
 * a stream of lines, and is left.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/framed.h"

enum {
	MEMCACHED_LINE_MAX = 8192, /* that is waited for */
	MEMCACHED_KEY_MAX = 250,
	BINARY_HEADER = 24,
	BINARY_EXTRAS_MAX = 24,
	BINARY_BYTES_MAX = BINARY_HEADER + BINARY_EXTRAS_MAX + MEMCACHED_KEY_MAX,
	BINARY_REQUEST = 0x80,
	BINARY_RESPONSE = 0x81,
	BINARY_STAT = 0x10,
};

/* What may answer a command, as bits of its note. */
enum memcached_replies {
	REPLIES_VALUES = 1,
	REPLIES_STORED = 2,
	REPLIES_CHANGED = 4,
	REPLIES_META = 8,
	REPLIES_NOP = 16,
	REPLIES_ADMIN = 32,
	REPLIES_STREAM = 64, /* beside these: lines follow without end */
};

/* What is known of a side between two steps. */
struct memcached {
	bool in_line; /* up to its end, a command is ignored */
	bool is_quiet; /* a meta command was, and nothing behind it surely has a reply */
	bool in_reply;
};

_Static_assert(sizeof(struct memcached) <= FRAMED_STATE_BYTES, "more than what is kept of a side");

static const struct memcached_command {
	const char *name;
	uint8_t replies; /* bits of enum memcached_replies; 0: none */
	uint8_t key; /* which word it is; 0: there is none */
	uint8_t size; /* which word has the bytes of the value behind the line; 0: there is none */
	uint8_t noreply; /* from which word on it may be that; 0: never */
} commands[] = {
	{"get", REPLIES_VALUES, 1, 0},
	{"gets", REPLIES_VALUES, 1, 0},
	{"gat", REPLIES_VALUES, 2, 0},
	{"gats", REPLIES_VALUES, 2, 0},
	{"set", REPLIES_STORED, 1, 4, 2},
	{"add", REPLIES_STORED, 1, 4, 2},
	{"replace", REPLIES_STORED, 1, 4, 2},
	{"append", REPLIES_STORED, 1, 4, 2},
	{"prepend", REPLIES_STORED, 1, 4, 2},
	{"cas", REPLIES_STORED, 1, 4, 2},
	{"delete", REPLIES_CHANGED, 1, 0, 2},
	{"incr", REPLIES_CHANGED, 1, 0, 2},
	{"decr", REPLIES_CHANGED, 1, 0, 2},
	{"touch", REPLIES_CHANGED, 1, 0, 2},
	{"mg", REPLIES_META, 1, 0},
	{"ms", REPLIES_META, 1, 2},
	{"md", REPLIES_META, 1, 0},
	{"ma", REPLIES_META, 1, 0},
	{"me", REPLIES_META, 1, 0},
	{"mn", REPLIES_NOP, 0, 0},
	{"stats", REPLIES_ADMIN, 0, 0},
	{"version", REPLIES_ADMIN, 0, 0},
	{"verbosity", REPLIES_ADMIN, 0, 0, 1},
	{"flush_all", REPLIES_ADMIN, 0, 0, 1},
	{"cache_memlimit", REPLIES_ADMIN, 0, 0, 1},
	{"slabs", REPLIES_ADMIN, 0, 0},
	{"lru", REPLIES_ADMIN, 0, 0},
	{"lru_crawler", REPLIES_ADMIN, 0, 0},
	{"watch", REPLIES_ADMIN | REPLIES_STREAM, 0, 0},
	{"quit", 0, 0, 0},
	{"shutdown", 0, 0, 0},
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* How a reply goes on behind its first word. */
enum memcached_form {
	FORM_LINE,
	FORM_ERROR,
	FORM_VALUE, /* a value, whose bytes stand in the fourth word, and more lines */
	FORM_META_VALUE, /* a value, whose bytes stand in the second word */
	FORM_MORE, /* more lines */
};

static const struct memcached_reply {
	const char *name;
	uint8_t of; /* bits of enum memcached_replies */
	uint8_t form; /* enum memcached_form */
} replies[] = {
	{"VALUE", REPLIES_VALUES, FORM_VALUE},
	{"END", REPLIES_VALUES | REPLIES_ADMIN, FORM_LINE},
	{"STORED", REPLIES_STORED, FORM_LINE},
	{"NOT_STORED", REPLIES_STORED, FORM_LINE},
	{"EXISTS", REPLIES_STORED, FORM_LINE},
	{"NOT_FOUND", REPLIES_STORED | REPLIES_CHANGED, FORM_LINE},
	{"DELETED", REPLIES_CHANGED, FORM_LINE},
	{"TOUCHED", REPLIES_CHANGED, FORM_LINE},
	{"HD", REPLIES_META, FORM_LINE},
	{"VA", REPLIES_META, FORM_META_VALUE},
	{"EN", REPLIES_META, FORM_LINE},
	{"NF", REPLIES_META, FORM_LINE},
	{"NS", REPLIES_META, FORM_LINE},
	{"EX", REPLIES_META, FORM_LINE},
	{"ME", REPLIES_META, FORM_LINE},
	{"MN", REPLIES_NOP, FORM_LINE},
	{"OK", REPLIES_ADMIN, FORM_LINE},
	{"RESET", REPLIES_ADMIN, FORM_LINE},
	{"VERSION", REPLIES_ADMIN, FORM_LINE},
	{"BUSY", REPLIES_ADMIN, FORM_LINE},
	{"BADCLASS", REPLIES_ADMIN, FORM_LINE},
	{"NOSPARE", REPLIES_ADMIN, FORM_LINE},
	{"NOTFULL", REPLIES_ADMIN, FORM_LINE},
	{"UNSAFE", REPLIES_ADMIN, FORM_LINE},
	{"SAME", REPLIES_ADMIN, FORM_LINE},
	{"PREFIX", REPLIES_ADMIN, FORM_MORE},
	{"STAT", REPLIES_ADMIN, FORM_MORE},
	{"ITEM", REPLIES_ADMIN, FORM_MORE},
	{"ERROR", UINT8_MAX, FORM_ERROR},
	{"CLIENT_ERROR", UINT8_MAX, FORM_ERROR},
	{"SERVER_ERROR", UINT8_MAX, FORM_ERROR},
};

enum { REPLIES = sizeof(replies) / sizeof(replies[0]) };

/* The new value behind incr and decr; a key that lru_crawler dumps. */
static const struct memcached_reply number = {"", REPLIES_CHANGED, FORM_LINE},
				    dumped = {"key=", REPLIES_ADMIN, FORM_MORE};

static const struct protocol_step waits = {.action = PROTOCOL_WAITS},
				  lost = {.action = PROTOCOL_LOST};

/* Most rows differ in the first letter. */
static bool may_be(struct protocol_text text, const char *name)
{
	return text.len && text.data[0] == (uint8_t)name[0];
}

static const struct memcached_command *find_command(struct protocol_text name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (may_be(name, commands[i].name) && protocol_text_is(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static bool is_number(struct protocol_text word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word.data[i] < '0' || word.data[i] > '9')
			return false;
	return word.len > 0 && word.len <= 20;
}

static const struct memcached_reply *find_reply(struct protocol_text name)
{
	for (size_t i = 0; i < REPLIES; i++)
		if (may_be(name, replies[i].name) && protocol_text_is(name, replies[i].name))
			return &replies[i];
	if (name.len >= strlen(dumped.name) &&
	    memcmp(name.data, dumped.name, strlen(dumped.name)) == 0)
		return &dumped;
	return is_number(name) ? &number : NULL;
}

static void put_name(struct protocol_message *message, const char *name)
{
	size_t i = 0;

	for (; name[i]; i++)
		message->method[i] = protocol_text_upper(name[i]);
	message->method[i] = '\0';
}

/* What a command line says behind its name. */
struct command_words {
	int64_t size; /* of the value behind it; -1: there is none */
	bool is_last_noreply;
	bool has_quiet; /* a flag of a meta command */
};

static struct command_words read_words(const struct memcached_command *command,
				       struct protocol_text line, struct protocol_message *message)
{
	struct command_words words = {.size = -1};
	unsigned int index = 1;

	for (struct protocol_text word; (word = protocol_text_word(&line)).len; index++) {
		if (index == command->key)
			protocol_text_put(message->target, MESSAGE_TARGET_BYTES, word.data,
					  word.len);
		else if (index == command->size)
			words.size = protocol_text_number(word);
		else
			words.has_quiet |= protocol_text_is(word, "q");
		words.is_last_noreply = command->noreply && index >= command->noreply &&
					protocol_text_is(word, "noreply");
	}
	return words;
}

/* Whether nothing that can be told from other replies will answer it. */
static bool has_no_reply(struct memcached *memcached, const struct memcached_command *command,
			 const struct command_words *words)
{
	if (command->replies & REPLIES_META) {
		memcached->is_quiet |= words->has_quiet;
		return memcached->is_quiet;
	}
	if (!command->replies || words->is_last_noreply)
		return true;
	memcached->is_quiet = false;
	return false;
}

/* The end of a line of which enough is known. */
static struct protocol_step memcached_drop_line(struct memcached *memcached,
						const struct protocol_input *input)
{
	const uint8_t *end = memchr(input->data, '\n', input->len);

	memcached->in_line = !end;
	return (struct protocol_step){.action = PROTOCOL_GOES_ON,
				      .used = end ? (size_t)(end + 1 - input->data) : input->len,
				      .ends = end,
				      .stands = !end};
}

static struct protocol_step step_command(struct memcached *memcached,
					 const struct protocol_input *input,
					 struct protocol_message *message)
{
	struct protocol_step step = {.action = PROTOCOL_GOES_ON, .begins = true, .wants_all = true};
	const struct memcached_command *command;
	struct command_words words;
	struct protocol_text line;
	enum protocol_line found;

	if (memcached->in_line)
		return memcached_drop_line(memcached, input);
	found = protocol_text_line(input->data, input->len, input->is_cut, MEMCACHED_LINE_MAX,
				   &line, &step.used);
	if (found == LINE_WAITS)
		return waits;
	command = find_command(protocol_text_word(&line));
	if (!command || (found == LINE_IS_CUT && command->replies != REPLIES_VALUES))
		return lost;
	words = read_words(command, line, message);
	put_name(message, command->name);
	message->is_oneway = has_no_reply(memcached, command, &words);
	message->note = command->replies;
	memcached->in_line = step.stands = found == LINE_IS_CUT;
	step.ends = !memcached->in_line;
	step.skip = words.size < 0 ? 0 : (uint64_t)words.size + 2;
	return step;
}

/* Of an error the first word; another one tells what was wrong. */
static void put_error(struct protocol_message *message, const struct memcached_reply *reply)
{
	if (reply->form == FORM_ERROR)
		snprintf(message->error, sizeof(message->error), "%s", reply->name);
}

/* Whether a reply belongs to a command that waits for none: see above. */
static bool is_of_quiet(const struct memcached_reply *reply, const struct protocol_message *request)
{
	if (request && request->note == REPLIES_NOP)
		return reply->of != REPLIES_NOP;
	if (!(reply->of & (REPLIES_META | REPLIES_NOP)) || reply->form == FORM_ERROR)
		return false;
	return !request || !(request->note & reply->of);
}

/* The bytes of the value behind a line, which is that word, 0 the next one; -1: there is none. */
static int64_t size_in(struct protocol_text line, unsigned int index)
{
	struct protocol_text word = protocol_text_word(&line);

	while (index--)
		word = protocol_text_word(&line);
	return protocol_text_number(word);
}

static int64_t value_size(const struct memcached_reply *reply, struct protocol_text line)
{
	if (reply->form == FORM_VALUE)
		return size_in(line, 2);
	return reply->form == FORM_META_VALUE ? size_in(line, 0) : 0;
}

static struct protocol_step step_reply(struct memcached *memcached,
				       const struct protocol_input *input,
				       struct protocol_message *message,
				       const struct protocol_message *request)
{
	struct protocol_step step = {.action = PROTOCOL_GOES_ON, .begins = !memcached->in_reply};
	const struct memcached_reply *reply;
	struct protocol_text line;
	enum protocol_line found;
	int64_t size;

	found = protocol_text_line(input->data, input->len, input->is_cut, MEMCACHED_LINE_MAX,
				   &line, &step.used);
	if (found == LINE_WAITS)
		return waits;
	reply = find_reply(protocol_text_word(&line));
	if (found == LINE_IS_CUT || !reply)
		return lost;
	if (!memcached->in_reply)
		message->is_aside = is_of_quiet(reply, request);
	size = value_size(reply, line);
	if (size < 0 ||
	    (!message->is_aside && request && request->note && !(request->note & reply->of)))
		return lost;
	put_error(message, reply);
	memcached->in_reply = reply->form == FORM_VALUE || reply->form == FORM_MORE;
	step.stands = memcached->in_reply;
	step.ends = !memcached->in_reply;
	if (reply->form == FORM_VALUE || reply->form == FORM_META_VALUE)
		step.skip = (uint64_t)size + 2;
	if (request && request->note & REPLIES_STREAM && reply->form == FORM_LINE)
		step.action = PROTOCOL_LEAVES;
	return step;
}

static const struct binary_command {
	const char *name;
	bool is_quiet;
} binary_commands[] = {
	[0x00] = {"GET"},
	[0x01] = {"SET"},
	[0x02] = {"ADD"},
	[0x03] = {"REPLACE"},
	[0x04] = {"DELETE"},
	[0x05] = {"INCR"},
	[0x06] = {"DECR"},
	[0x07] = {"QUIT"},
	[0x08] = {"FLUSH_ALL"},
	[0x09] = {"GET", true},
	[0x0a] = {"NOOP"},
	[0x0b] = {"VERSION"},
	[0x0c] = {"GET"},
	[0x0d] = {"GET", true},
	[0x0e] = {"APPEND"},
	[0x0f] = {"PREPEND"},
	[BINARY_STAT] = {"STATS"},
	[0x11] = {"SET", true},
	[0x12] = {"ADD", true},
	[0x13] = {"REPLACE", true},
	[0x14] = {"DELETE", true},
	[0x15] = {"INCR", true},
	[0x16] = {"DECR", true},
	[0x17] = {"QUIT", true},
	[0x18] = {"FLUSH_ALL", true},
	[0x19] = {"APPEND", true},
	[0x1a] = {"PREPEND", true},
	[0x1b] = {"VERBOSITY"},
	[0x1c] = {"TOUCH"},
	[0x1d] = {"GAT"},
	[0x1e] = {"GAT", true},
	[0x20] = {"SASL LIST"},
	[0x21] = {"SASL AUTH"},
	[0x22] = {"SASL STEP"},
	[0x23] = {"GAT"},
	[0x24] = {"GAT", true},
};

static const struct {
	uint16_t code;
	const char *name; /* NULL: it is no error */
} binary_statuses[] = {
	{0x00, NULL},
	{0x01, NULL}, /* not found */
	{0x02, NULL},
	/* exists */ {0x03, "TOO_LARGE"},
	{0x04, "INVALID"},
	{0x05, NULL}, /* not stored */
	{0x06, "NOT_NUMERIC"},
	{0x07, "WRONG_SERVER"},
	{0x20, "AUTH_ERROR"},
	{0x21, NULL}, /* go on with the log-in */
	{0x81, "UNKNOWN_COMMAND"},
	{0x82, "OUT_OF_MEMORY"},
	{0x83, "NOT_SUPPORTED"},
	{0x84, "INTERNAL"},
	{0x85, "BUSY"},
	{0x86, "TEMPORARY"},
};

static const struct binary_command *binary_command_of(uint8_t code)
{
	size_t count = sizeof(binary_commands) / sizeof(binary_commands[0]);

	return code < count && binary_commands[code].name ? &binary_commands[code] : NULL;
}

/* What a header has, if it is one. */
struct binary_header {
	const struct binary_command *command;
	uint64_t key; /* of the request and its response */
	uint32_t body_bytes;
	uint16_t key_bytes, status;
	uint8_t code, extras_bytes;
};

static bool read_header(struct bytes bytes, struct binary_header *header)
{
	bytes_take(&bytes, 1);
	header->code = (uint8_t)bytes_be(&bytes, 1);
	header->command = binary_command_of(header->code);
	header->key_bytes = (uint16_t)bytes_be(&bytes, 2);
	header->extras_bytes = (uint8_t)bytes_be(&bytes, 1);
	if (bytes_be(&bytes, 1))
		return false;
	header->status = (uint16_t)bytes_be(&bytes, 2);
	header->body_bytes = (uint32_t)bytes_be(&bytes, 4);
	header->key = (uint64_t)header->code << 32 | bytes_be(&bytes, 4);
	return !bytes.is_short && header->command && header->key_bytes <= MEMCACHED_KEY_MAX &&
	       header->extras_bytes <= BINARY_EXTRAS_MAX &&
	       header->body_bytes >= (uint32_t)header->key_bytes + header->extras_bytes;
}

static uint64_t binary_length(enum protocol_side side, const uint8_t *data, size_t len)
{
	struct binary_header header;

	if (data[0] != (side == PROTOCOL_REQUESTS ? BINARY_REQUEST : BINARY_RESPONSE) ||
	    (len > 1 && !binary_command_of(data[1])))
		return FRAMED_WRONG;
	if (len < BINARY_HEADER)
		return FRAMED_WAITS;
	if (!read_header(bytes_begin(data, BINARY_HEADER), &header))
		return FRAMED_WRONG;
	return BINARY_HEADER + (uint64_t)header.body_bytes;
}

static void put_status(struct protocol_message *message, uint16_t status)
{
	size_t count = sizeof(binary_statuses) / sizeof(binary_statuses[0]), i = 0;

	message->has_status = true;
	message->status = status;
	while (i < count && binary_statuses[i].code != status)
		i++;
	if (i == count)
		snprintf(message->error, sizeof(message->error), "STATUS%u", status);
	else if (binary_statuses[i].name)
		snprintf(message->error, sizeof(message->error), "%s", binary_statuses[i].name);
}

/* A quiet command has a reply if it finds something, or fails; statistics have many. */
static unsigned int take_binary(struct framed_frame *frame)
{
	struct protocol_message *message = frame->message;
	struct binary_header header;

	read_header(frame->bytes, &header);
	message->has_key = true;
	message->key = header.key;
	if (frame->side == PROTOCOL_RESPONSES) {
		put_status(message, header.status);
		message->is_aside = header.command->is_quiet ||
				    (header.code == BINARY_STAT && header.key_bytes);
		return FRAMED_MESSAGE;
	}
	put_name(message, header.command->name);
	message->is_oneway = header.command->is_quiet;
	bytes_take(&frame->bytes, BINARY_HEADER + (uint64_t)header.extras_bytes);
	bytes_text(&frame->bytes, header.key_bytes, message->target, MESSAGE_TARGET_BYTES);
	return FRAMED_MESSAGE;
}

static const struct framed binary = {
	.bytes_max = BINARY_BYTES_MAX,
	.length = binary_length,
	.take = take_binary,
};

static bool is_binary(const struct protocol_input *input)
{
	return input->data[0] == BINARY_REQUEST || input->data[0] == BINARY_RESPONSE;
}

static struct protocol_step memcached_step(enum protocol_side side, void *state,
					   const struct protocol_input *input,
					   struct protocol_message *message,
					   const struct protocol_message *request)
{
	const struct memcached *memcached = state;

	if (!memcached->in_line && !memcached->in_reply && is_binary(input))
		return framed_step(&binary, side, state, input, message, request);
	return side == PROTOCOL_REQUESTS ? step_command(state, input, message)
					 : step_reply(state, input, message, request);
}

static bool is_printable(struct protocol_text text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] < ' ' || text.data[i] == 0x7f)
			return false;
	return true;
}

/* Whether it is a key that is dumped, or may become one. */
static bool begins_dump(struct protocol_text text)
{
	size_t len = strlen(dumped.name);

	return memcmp(text.data, dumped.name, text.len < len ? text.len : len) == 0;
}

/* Whether the name of a command or a reply may become that of the bytes that are there. */
static bool begins_name(enum protocol_side side, struct protocol_text text)
{
	bool is_request = side == PROTOCOL_REQUESTS;

	for (size_t i = 0; i < (is_request ? COMMANDS : REPLIES); i++) {
		const char *name = is_request ? commands[i].name : replies[i].name;

		if (text.len <= strlen(name) && memcmp(text.data, name, text.len) == 0)
			return true;
	}
	return !is_request && (is_number(text) || begins_dump(text));
}

/* Only a command that stores something is sure: other protocols have words like the others. */
static enum protocol_verdict recognise_command(struct protocol_text line)
{
	const struct memcached_command *command = find_command(protocol_text_word(&line));
	struct protocol_message message = {0};
	struct command_words words;

	if (!command)
		return PROTOCOL_NO;
	words = read_words(command, line, &message);
	if ((command->key && !message.target[0]) || (command->size && words.size < 0) ||
	    strlen(message.target) > MEMCACHED_KEY_MAX)
		return PROTOCOL_NO;
	return command->replies == REPLIES_STORED ? PROTOCOL_YES : PROTOCOL_MAYBE;
}

static enum protocol_verdict recognise_reply(struct protocol_text line)
{
	const struct memcached_reply *reply = find_reply(protocol_text_word(&line));

	return reply && value_size(reply, line) >= 0 ? PROTOCOL_MAYBE : PROTOCOL_NO;
}

static enum protocol_verdict recognise_text(enum protocol_side side,
					    const struct protocol_input *input)
{
	struct protocol_text line, rest;
	enum protocol_line found;
	bool is_request = side == PROTOCOL_REQUESTS, is_whole_word;
	size_t used;

	/* A line that is not whole is looked at as far as it is. */
	found = protocol_text_line(input->data, input->len, true, MEMCACHED_LINE_MAX, &line, &used);
	if (input->data[0] == ' ')
		return PROTOCOL_NO;
	if (found == LINE_WHOLE)
		return !is_printable(line) ? PROTOCOL_NO
		       : is_request	   ? recognise_command(line)
					   : recognise_reply(line);
	rest = line;
	rest.len -= rest.data[rest.len - 1] == '\r';
	if (!is_printable(rest))
		return PROTOCOL_NO;
	is_whole_word = memchr(line.data, ' ', line.len) || rest.len < line.len;
	if (!is_whole_word)
		return begins_name(side, rest) ? PROTOCOL_MAYBE : PROTOCOL_NO;
	rest = protocol_text_word(&rest);
	return (is_request ? find_command(rest) != NULL : find_reply(rest) != NULL) ? PROTOCOL_MAYBE
										    : PROTOCOL_NO;
}

static enum protocol_verdict memcached_recognise(enum protocol_side side,
						 const struct protocol_input *input)
{
	uint64_t len;

	if (!is_binary(input))
		return recognise_text(side, input);
	len = binary_length(side, input->data, input->len);
	if (len == FRAMED_WAITS)
		return PROTOCOL_SHORT;
	return len == FRAMED_WRONG ? PROTOCOL_NO : PROTOCOL_MAYBE;
}

/* Only where a read begins: values can hold anything. */
static size_t memcached_find(enum protocol_side side, const struct protocol_input *input)
{
	return memcached_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_memcached = {
	.name = "memcached",
	.number = request_protocols__memcached,
	.class = PROTOCOL_OF_DATABASES,
	.recognise = memcached_recognise,
	.step = memcached_step,
	.find = memcached_find,
};
