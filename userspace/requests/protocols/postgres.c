/* SPDX-License-Identifier: MIT */
/*
 * PostgreSQL, protocol 3.0 and 3.2. A request is what one ReadyForQuery answers: a simple query,
 * with all statements in it, or the messages of the extended protocol up to their Sync. So a
 * pipeline with one Sync is one request, with its first statement; its error is that of the first
 * one that failed. Its method is PREPARE if nothing is executed.
 *
 * A statement that an earlier request prepared has the text that came with its name; if that is not
 * known, the method is EXECUTE and the target the name. Of several that one request prepares, the
 * first is kept. A connection begins
 * with a request STARTUP, whose target is the database; passwords are no requests, nor is the
 * question for encryption, whose answer of one byte is told from a message by coming alone, with no
 * request before it: it leaves, or nothing changes. COPY is the request that began it. Replication
 * leaves.
 */
#include <stdbool.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/protocol.h"
#include "requests/protocols/sql.h"
#include "requests/protocols/text.h"
#include "util/hash.h"

enum {
	HEADER_BYTES = 5, /* a tag, and the length of what follows the tag */
	STARTUP_BYTES = 8, /* a length and a code */
	BODY_NEEDED_MAX = 4096, /* of a message that is looked into; the rest is skipped */
	BODY_BYTES_MAX = 1 << 30,
	RECOGNISED_BYTES_MAX = (1 << 24) - 1, /* of a message by which the protocol is recognised */
	STARTUP_BYTES_MAX = 10000,
	CODE_3_0 = 3 << 16,
	CODE_3_2 = 3 << 16 | 2,
	CODE_CANCEL = 80877102,
	CODE_SSL = 80877103,
	CODE_GSS = 80877104,
	SQLSTATE_BYTES = 5,
	STATE_BYTES = 5, /* the length of a ReadyForQuery */
};

/* What is known of a side between two steps. */
struct postgres {
	bool has_begun; /* of requests: tags follow */
	bool in_message;
	bool has_parse, has_execute;
	bool has_rows; /* of responses, or the end of a statement */
};

_Static_assert(sizeof(struct postgres) <= PROTOCOL_STATE_BYTES, "more than what is kept of a side");

/* One step. */
struct postgres_run {
	const uint8_t *at, *end;
	bool is_cut;
	bool is_over; /* the step ends here, though there may be more input */
	enum protocol_side side;
	struct postgres *postgres;
	struct protocol_message *message;
	const struct protocol_message *request;
	struct protocol_step step;
};

/* What a message is to the request or response that it is part of. */
enum postgres_part {
	PART_NONE, /* no such tag */
	PART_OUTSIDE, /* of nothing; it belongs to what it stands in */
	PART_INSIDE, /* begins it, if none has begun */
	PART_LAST,
	PART_LEAVES,
};

struct postgres_body {
	const uint8_t *data;
	size_t len;
};

static uint32_t read_u32(const uint8_t *data)
{
	return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

/* Takes a text from the beginning of a body. Its end may be cut off. */
static struct postgres_body take_text(struct postgres_body *body)
{
	const uint8_t *end = body->len ? memchr(body->data, 0, body->len) : NULL;
	struct postgres_body text = {body->data, end ? (size_t)(end - body->data) : body->len};
	size_t used = end ? text.len + 1 : text.len;

	body->data += used;
	body->len -= used;
	return text;
}

static void put_method(struct postgres_run *run, const char *method)
{
	protocol_text_put(run->message->method, MESSAGE_METHOD_BYTES, method, strlen(method));
}

static void put_target(struct postgres_run *run, struct postgres_body text)
{
	protocol_text_put(run->message->target, MESSAGE_TARGET_BYTES, text.data, text.len);
}

/*
 * Bodies that are looked into.
 */

static void take_query(struct postgres_run *run, struct postgres_body body)
{
	struct postgres_body text = take_text(&body);

	protocol_sql_put(run->message, SQL_POSTGRES, text.data, text.len);
}

static void set_statement(struct postgres_run *run, struct postgres_body name,
			  enum protocol_statement use)
{
	run->message->statement_use = (uint8_t)use;
	run->message->has_statement = true;
	run->message->statement = (uint64_t)name.len << 32 | hash_bytes(name.data, name.len);
}

/* The name of the statement, and its text. */
static void take_parse(struct postgres_run *run, struct postgres_body body)
{
	struct protocol_message *message = run->message;
	struct postgres_body name = take_text(&body);

	if (!run->postgres->has_parse && !message->method[0]) {
		take_query(run, body);
		set_statement(run, name, STATEMENT_KEEPS);
		memcpy(message->statement_method, message->method, sizeof(message->method));
	}
	run->postgres->has_parse = true;
}

static void take_call(struct postgres_run *run, struct postgres_body body)
{
	put_method(run, "FUNCTION");
}

/* The names of the portal and of the statement. */
static void take_bind(struct postgres_run *run, struct postgres_body body)
{
	struct postgres_body name;

	take_text(&body);
	if (run->message->method[0])
		return;
	name = take_text(&body);
	put_method(run, "EXECUTE");
	put_target(run, name);
	set_statement(run, name, STATEMENT_USES);
}

static void take_execute(struct postgres_run *run, struct postgres_body body)
{
	run->postgres->has_execute = true;
	if (!run->message->method[0])
		put_method(run, "EXECUTE");
}

static void take_describe(struct postgres_run *run, struct postgres_body body)
{
	if (!run->message->method[0])
		put_method(run, "DESCRIBE");
}

static void take_close(struct postgres_run *run, struct postgres_body body)
{
	if (!run->message->method[0])
		put_method(run, "CLOSE");
}

static void take_sync(struct postgres_run *run, struct postgres_body body)
{
	if (!run->message->method[0])
		put_method(run, "SYNC");
	else if (run->postgres->has_parse && !run->postgres->has_execute)
		put_method(run, "PREPARE");
}

/* Fields of an error: a letter and a text each. The first error is the one that counts. */
static void take_error(struct postgres_run *run, struct postgres_body body)
{
	if (run->message->error[0])
		return;
	while (body.len && body.data[0]) {
		uint8_t field = body.data[0];
		struct postgres_body text;

		body.data++;
		body.len--;
		text = take_text(&body);
		if (field == 'C' && text.len == SQLSTATE_BYTES)
			protocol_text_put(run->message->error, MESSAGE_ERROR_BYTES, text.data,
					  text.len);
	}
	if (!run->message->error[0])
		protocol_text_put(run->message->error, MESSAGE_ERROR_BYTES, "ERROR", 5);
}

/* What each tag is, by side. */
static const struct postgres_tag {
	uint8_t part; /* enum postgres_part */
	void (*take)(struct postgres_run *run, struct postgres_body body);
} tags[PROTOCOL_SIDES][128] = {
	[PROTOCOL_REQUESTS] =
		{
			['Q'] = {PART_LAST, take_query},
			['F'] = {PART_LAST, take_call},
			['P'] = {PART_INSIDE, take_parse},
			['B'] = {PART_INSIDE, take_bind},
			['D'] = {PART_INSIDE, take_describe},
			['E'] = {PART_INSIDE, take_execute},
			['C'] = {PART_INSIDE, take_close},
			['S'] = {PART_LAST, take_sync},
			['H'] = {PART_OUTSIDE, NULL},
			['d'] = {PART_OUTSIDE, NULL},
			['c'] = {PART_OUTSIDE, NULL},
			['f'] = {PART_OUTSIDE, NULL},
			['p'] = {PART_OUTSIDE, NULL},
			['X'] = {PART_OUTSIDE, NULL},
		},
	[PROTOCOL_RESPONSES] =
		{
			['R'] = {PART_INSIDE, NULL},	   ['K'] = {PART_INSIDE, NULL},
			['v'] = {PART_INSIDE, NULL},	   ['T'] = {PART_INSIDE, NULL},
			['D'] = {PART_INSIDE, NULL},	   ['C'] = {PART_INSIDE, NULL},
			['1'] = {PART_INSIDE, NULL},	   ['2'] = {PART_INSIDE, NULL},
			['3'] = {PART_INSIDE, NULL},	   ['n'] = {PART_INSIDE, NULL},
			['t'] = {PART_INSIDE, NULL},	   ['s'] = {PART_INSIDE, NULL},
			['I'] = {PART_INSIDE, NULL},	   ['V'] = {PART_INSIDE, NULL},
			['G'] = {PART_INSIDE, NULL},	   ['H'] = {PART_INSIDE, NULL},
			['d'] = {PART_INSIDE, NULL},	   ['c'] = {PART_INSIDE, NULL},
			['E'] = {PART_INSIDE, take_error}, ['Z'] = {PART_LAST, NULL},
			['W'] = {PART_LEAVES, NULL},	   ['A'] = {PART_OUTSIDE, NULL},
			['N'] = {PART_OUTSIDE, NULL},	   ['S'] = {PART_OUTSIDE, NULL},
		},
};

static const struct postgres_tag *tag_of(enum protocol_side side, uint8_t byte)
{
	static const struct postgres_tag none = {PART_NONE, NULL};

	return byte < 128 ? &tags[side][byte] : &none;
}

/*
 * Steps.
 */

static void lose(struct postgres_run *run)
{
	run->step.action = PROTOCOL_LOST;
	run->is_over = true;
}

/* Goes behind a message, which may reach behind the input. */
static void pass(struct postgres_run *run, size_t len)
{
	size_t left = (size_t)(run->end - run->at);

	if (len > left) {
		run->step.skip = len - left;
		run->is_over = true;
		len = left;
	}
	run->at += len;
}

static void end_message(struct postgres_run *run)
{
	*run->postgres = (struct postgres){.has_begun = true};
	run->step.ends = true;
	run->is_over = true;
}

/* KEY VALUE … of a connection that begins: the database, which is named as the user if not at all.
 */
static void take_startup(struct postgres_run *run, struct postgres_body body)
{
	struct postgres_body database = {NULL, 0};

	put_method(run, "STARTUP");
	while (body.len && body.data[0]) {
		struct postgres_body key = take_text(&body), value = take_text(&body);

		if ((key.len == 4 && memcmp(key.data, "user", 4) == 0 && !database.len) ||
		    (key.len == 8 && memcmp(key.data, "database", 8) == 0))
			database = value;
	}
	if (database.len)
		put_target(run, database);
}

/* The first message has a code in place of a tag. Returns false: it waits for more. */
static bool take_first(struct postgres_run *run)
{
	size_t left = (size_t)(run->end - run->at);
	uint32_t len, code;

	if (left < STARTUP_BYTES)
		return false;
	len = read_u32(run->at);
	code = read_u32(run->at + 4);
	if (len < STARTUP_BYTES || len > STARTUP_BYTES_MAX) {
		lose(run);
		return true;
	}
	if (left < len && !run->is_cut)
		return false;
	run->is_over = true;
	if (code == CODE_CANCEL) {
		put_method(run, "CANCEL");
		run->message->is_oneway = true;
	} else if (code == CODE_3_0 || code == CODE_3_2) {
		take_startup(run,
			     (struct postgres_body){run->at + STARTUP_BYTES,
						    (left < len ? left : len) - STARTUP_BYTES});
	} else if (code != CODE_SSL && code != CODE_GSS) {
		lose(run);
		return true;
	}
	pass(run, len);
	if (code != CODE_SSL && code != CODE_GSS) {
		run->step.begins = true;
		end_message(run);
	}
	return true;
}

/* S or N to the question for encryption. Returns false: it is none. */
static bool take_answer(struct postgres_run *run)
{
	uint8_t byte = *run->at;

	if (run->end - run->at != 1 || run->postgres->in_message || run->request || run->is_cut ||
	    (byte != 'S' && byte != 'N'))
		return false;
	run->at++;
	run->is_over = true;
	if (byte == 'S')
		run->step.action = PROTOCOL_LEAVES;
	return true;
}

static bool is_failed_startup(const struct postgres_run *run, uint8_t byte)
{
	return run->side == PROTOCOL_RESPONSES && byte == 'E' && run->request &&
	       strcmp(run->request->method, "STARTUP") == 0;
}

/* What the tag says of the request or response: that it begins, or ends. */
static void place(struct postgres_run *run, const struct postgres_tag *tag, uint8_t byte)
{
	bool is_last = tag->part == PART_LAST || tag->part == PART_LEAVES;

	if (tag->part == PART_OUTSIDE && !run->postgres->in_message) {
		run->is_over = true;
		return;
	}
	if (tag->part == PART_LEAVES)
		run->step.action = PROTOCOL_LEAVES;
	if (is_last || is_failed_startup(run, byte))
		end_message(run);
	else
		run->postgres->in_message = true;
	run->postgres->has_rows |= run->side == PROTOCOL_RESPONSES &&
				   (byte == 'T' || byte == 'D' || byte == 'C' || byte == 'd') &&
				   run->postgres->in_message;
}

/* Returns false: it waits for more. */
static bool take_tagged(struct postgres_run *run)
{
	size_t left = (size_t)(run->end - run->at), needed = 0, there;
	const struct postgres_tag *tag = tag_of(run->side, *run->at);
	const uint8_t *data = run->at;
	uint32_t len;

	if (tag->part == PART_NONE) {
		lose(run);
		return true;
	}
	if (left < HEADER_BYTES)
		return false;
	len = read_u32(data + 1);
	if (len < 4 || len > BODY_BYTES_MAX || (*data == 'Z' && len != STATE_BYTES)) {
		lose(run);
		return true;
	}
	there = left - HEADER_BYTES;
	if (tag->take)
		needed = len - 4 < BODY_NEEDED_MAX ? len - 4 : BODY_NEEDED_MAX;
	if (there < needed && !run->is_cut)
		return false;
	run->step.begins |= !run->postgres->in_message && tag->part != PART_OUTSIDE;
	if (tag->take)
		tag->take(run, (struct postgres_body){data + HEADER_BYTES,
						      needed < there ? needed : there});
	pass(run, (size_t)len + 1);
	place(run, tag, *data);
	return true;
}

static bool may_be_first(const struct postgres *postgres)
{
	return !postgres->has_begun && !postgres->in_message;
}

static bool take_message(struct postgres_run *run)
{
	if (run->side == PROTOCOL_REQUESTS && may_be_first(run->postgres) && *run->at == 0)
		return take_first(run);
	if (run->side == PROTOCOL_RESPONSES && take_answer(run))
		return true;
	return take_tagged(run);
}

static struct protocol_step postgres_step(enum protocol_side side, void *state,
					  const struct protocol_input *input,
					  struct protocol_message *message,
					  const struct protocol_message *request)
{
	struct postgres_run run = {
		.at = input->data,
		.end = input->data + input->len,
		.is_cut = input->is_cut,
		.side = side,
		.postgres = state,
		.message = message,
		.request = request,
		.step = {.action = PROTOCOL_GOES_ON},
	};

	while (run.at < run.end && !run.is_over)
		if (!take_message(&run))
			break;
	run.step.used = (size_t)(run.at - input->data);
	run.step.stands = run.postgres->has_rows;
	run.step.wants_all = true;
	if (run.is_over)
		return run.step;
	if (run.is_cut) {
		/* Whether more errors follow or none is not known, but one that came stands. */
		run.step.ends = run.postgres->in_message &&
				(side == PROTOCOL_REQUESTS || message->error[0]);
		if (!run.step.used || run.step.ends)
			run.step.action = PROTOCOL_LOST;
	} else if (!run.step.used) {
		run.step.action = PROTOCOL_WAITS;
	}
	return run.step;
}

/*
 * Recognition.
 */

static enum protocol_verdict recognise_first(const uint8_t *data, size_t len)
{
	static const uint8_t codes[][4] = {{0, 3, 0, 0},
					   {0, 3, 0, 2},
					   {4, 0xd2, 0x16, 0x2e},
					   {4, 0xd2, 0x16, 0x2f},
					   {4, 0xd2, 0x16, 0x30}};
	uint32_t size;
	size_t n = len < STARTUP_BYTES ? len : STARTUP_BYTES;

	if (len < 4)
		return len < 2 || data[1] == 0 ? PROTOCOL_MAYBE : PROTOCOL_NO;
	size = read_u32(data);
	if (size < STARTUP_BYTES || size > STARTUP_BYTES_MAX)
		return PROTOCOL_NO;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		bool has_texts = codes[i][0] == 0;

		if (memcmp(data + 4, codes[i], n - 4) != 0 || (has_texts ? size <= 12 : size > 16))
			continue;
		if (n < STARTUP_BYTES || (has_texts && len == n))
			return PROTOCOL_MAYBE;
		/* The name of a setting. */
		return !has_texts || (data[n] >= 'A' && data[n] <= 'z') ? PROTOCOL_YES
									: PROTOCOL_NO;
	}
	return PROTOCOL_NO;
}

/* The text of a simple query has its NUL at its end alone, and no control characters. */
static bool is_query(const uint8_t *data, size_t len, bool is_whole)
{
	for (size_t i = 0; i < len; i++)
		if (data[i] < '\t' && !(is_whole && i == len - 1 && i && data[i] == 0))
			return false;
	return !is_whole || (len > 1 && data[len - 1] == 0);
}

/* One message of a row of them. Returns false if it cannot be; its size in *size. */
static bool is_message(enum protocol_side side, const uint8_t *data, size_t len, size_t *size)
{
	size_t body, there;
	uint32_t length;

	*size = SIZE_MAX;
	if (tag_of(side, data[0])->part == PART_NONE)
		return false;
	if (len < HEADER_BYTES)
		return len < 2 || data[1] == 0;
	length = read_u32(data + 1);
	if (length < 4 || length > RECOGNISED_BYTES_MAX)
		return false;
	*size = (size_t)length + 1;
	body = length - 4;
	there = len - HEADER_BYTES < body ? len - HEADER_BYTES : body;
	if (side == PROTOCOL_REQUESTS && data[0] == 'Q')
		return is_query(data + HEADER_BYTES, there, there == body);
	if (data[0] == 'Z')
		return body == 1 && (!there || strchr("ITE", data[HEADER_BYTES]));
	return true;
}

/* Whether that one says it all: a whole query, or the one that ends a row. */
static bool is_sure(enum protocol_side side, const uint8_t *data, size_t size, bool is_first)
{
	if (side == PROTOCOL_RESPONSES)
		return data[0] == 'Z' && !is_first;
	return (data[0] == 'Q' && size > HEADER_BYTES + 4) ||
	       (data[0] == 'S' && size == HEADER_BYTES && !is_first);
}

static enum protocol_verdict recognise_row(enum protocol_side side, const uint8_t *data, size_t len)
{
	bool is_first = true;

	while (len) {
		size_t size;

		if (!is_message(side, data, len, &size))
			return PROTOCOL_NO;
		if (size > len)
			return PROTOCOL_MAYBE;
		if (is_sure(side, data, size, is_first))
			return PROTOCOL_YES;
		data += size;
		len -= size;
		is_first = false;
	}
	return PROTOCOL_MAYBE;
}

static enum protocol_verdict postgres_recognise(enum protocol_side side,
						const struct protocol_input *input)
{
	if (side == PROTOCOL_REQUESTS && input->data[0] == 0)
		return recognise_first(input->data, input->len);
	return recognise_row(side, input->data, input->len);
}

/* Where a read begins; or behind what ends every response. */
static size_t postgres_find(enum protocol_side side, const struct protocol_input *input)
{
	static const uint8_t ready[] = {'Z', 0, 0, 0, STATE_BYTES};
	const uint8_t *at, *end = input->data + input->len;

	if (recognise_row(side, input->data, input->len) != PROTOCOL_NO)
		return 0;
	if (side == PROTOCOL_REQUESTS)
		return input->len;
	at = memmem(input->data, input->len, ready, sizeof(ready));
	return at && end - at > (ptrdiff_t)sizeof(ready) + 1
		       ? (size_t)(at - input->data) + sizeof(ready) + 1
		       : input->len;
}

const struct protocol protocol_postgres = {
	.name = "postgresql",
	.number = request_protocols__postgresql,
	.class = PROTOCOL_OF_DATABASES,
	.has_statements = true,
	.recognise = postgres_recognise,
	.step = postgres_step,
	.find = postgres_find,
};
