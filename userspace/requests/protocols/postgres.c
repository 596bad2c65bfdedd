/* SPDX-License-Identifier: MIT */
/*
 * PostgreSQL, protocol 3.0 and 3.2. A request is a simple query, with all statements in it; or of
 * the extended protocol the messages up to an Execute, which is answered up to the end of its
 * statement; or what stands between the last Execute and a Sync, if anything is parsed, bound or
 * described there: its method is PREPARE if it has a text. A Sync alone and what is closed are no
 * requests.
 *
 * Behind an error the server skips all up to the Sync: these requests have the error `aborted` once
 * it is ready again.
 *
 * A statement that an earlier request prepared has the text that came with its name; if that is not
 * known, the method is EXECUTE and the target the name. Of several that one request prepares, the
 * first is kept. What is executed is what was bound to the portal. A connection begins
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
	PORTALS_MAX = 4, /* those that were bound last */
};

/* What the response to a request ends with, the lower bits of its note; above it is its group. */
enum postgres_end {
	END_OF_QUERY, /* a ReadyForQuery of its own */
	END_OF_EXECUTE, /* the end of the statement */
	END_OF_SYNC, /* the ReadyForQuery of its group */
	END_BITS = 2,
};

/* What is known of a side between two steps. */
struct postgres {
	bool has_begun; /* of requests: tags follow */
	bool in_message;
	bool has_parse;
	bool is_extended; /* of responses: it is one of the extended protocol */
	bool has_rows; /* likewise, or the end of a statement */
	bool has_failed; /* likewise: the rest of the group is skipped */
	uint8_t bound; /* of requests: how many portals were, modulo PORTALS_MAX */
	uint16_t group; /* how many Syncs were before it; of responses: of what failed */
	/* Of requests: hashes of the names of portals, and what is bound to them. */
	uint32_t portals[PORTALS_MAX];
	uint64_t statements[PORTALS_MAX];
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

static uint64_t number_of(struct postgres_body name)
{
	return (uint64_t)name.len << 32 | hash_bytes(name.data, name.len);
}

static void set_statement(struct postgres_run *run, uint64_t number, enum protocol_statement use)
{
	run->message->statement_use = (uint8_t)use;
	run->message->has_statement = true;
	run->message->statement = number;
}

/* The name of the statement, and its text. */
static void take_parse(struct postgres_run *run, struct postgres_body body)
{
	struct protocol_message *message = run->message;
	struct postgres_body name = take_text(&body);

	if (!run->postgres->has_parse && !message->method[0]) {
		take_query(run, body);
		set_statement(run, number_of(name), STATEMENT_KEEPS);
		memcpy(message->statement_method, message->method, sizeof(message->method));
	}
	run->postgres->has_parse = true;
}

static void take_call(struct postgres_run *run, struct postgres_body body)
{
	put_method(run, "FUNCTION");
}

/* The place of a portal; PORTALS_MAX: it is not known. 0 is no hash of one. */
static unsigned int find_portal(const struct postgres *postgres, uint32_t portal)
{
	unsigned int at = 0;

	while (at < PORTALS_MAX && postgres->portals[at] != portal)
		at++;
	return at;
}

static uint32_t hash_of_portal(struct postgres_body name)
{
	return hash_bytes(name.data, name.len) | 1;
}

/* The names of the portal and of the statement. */
static void take_bind(struct postgres_run *run, struct postgres_body body)
{
	struct postgres *postgres = run->postgres;
	uint32_t portal = hash_of_portal(take_text(&body));
	struct postgres_body name = take_text(&body);
	unsigned int at = find_portal(postgres, portal);

	if (at == PORTALS_MAX)
		at = postgres->bound++ % PORTALS_MAX;
	postgres->portals[at] = portal;
	postgres->statements[at] = number_of(name);
	if (run->message->method[0])
		return;
	put_method(run, "EXECUTE");
	put_target(run, name);
	set_statement(run, number_of(name), STATEMENT_USES);
}

/* The name of the portal: what is bound to it may be another statement than that of this request.
 */
static void take_execute(struct postgres_run *run, struct postgres_body body)
{
	struct protocol_message *message = run->message;
	unsigned int at = find_portal(run->postgres, hash_of_portal(take_text(&body)));
	uint64_t statement = at < PORTALS_MAX ? run->postgres->statements[at] : 0;

	if (at == PORTALS_MAX || (message->has_statement && message->statement == statement)) {
		if (!message->method[0])
			put_method(run, "EXECUTE");
		return;
	}
	put_method(run, "EXECUTE");
	run->message->target[0] = '\0';
	set_statement(run, statement, STATEMENT_USES);
}

static void take_describe(struct postgres_run *run, struct postgres_body body)
{
	if (!run->message->method[0])
		put_method(run, "DESCRIBE");
}

static void take_sync(struct postgres_run *run, struct postgres_body body)
{
	if (run->postgres->has_parse)
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
			['E'] = {PART_LAST, take_execute},
			['C'] = {PART_OUTSIDE, NULL},
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
			['3'] = {PART_OUTSIDE, NULL},	   ['n'] = {PART_INSIDE, NULL},
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
	struct postgres *postgres = run->postgres;

	postgres->has_begun = true;
	postgres->in_message = postgres->has_parse = false;
	postgres->is_extended = postgres->has_rows = false;
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
	return byte == 'E' && run->request && strcmp(run->request->method, "STARTUP") == 0;
}

static enum postgres_end end_of(const struct protocol_message *request)
{
	return request->note & ((1u << END_BITS) - 1);
}

static uint16_t group_of(const struct protocol_message *request)
{
	return (uint16_t)(request->note >> END_BITS);
}

/* Whether the response is one to an Execute, which nothing but it may say: see is_extended. */
static bool is_of_execute(const struct postgres_run *run)
{
	return run->request ? end_of(run->request) == END_OF_EXECUTE : run->postgres->is_extended;
}

/* What ends a statement: it is complete, had no text, gave as many rows as were asked for, failed.
 */
static bool ends_statement(uint8_t byte)
{
	return byte == 'C' || byte == 'I' || byte == 's' || byte == 'E';
}

/* What a tag is where it stands. */
static enum postgres_part part_of(const struct postgres_run *run, const struct postgres_tag *tag,
				  uint8_t byte)
{
	if (run->side == PROTOCOL_REQUESTS)
		return byte == 'S' && !run->postgres->in_message ? PART_OUTSIDE : tag->part;
	if (is_failed_startup(run, byte) || (ends_statement(byte) && is_of_execute(run)))
		return PART_LAST;
	return tag->part;
}

/* Up to the Sync of its group nothing is answered any more. */
static void note_failure(struct postgres_run *run)
{
	if (!run->request || end_of(run->request) != END_OF_EXECUTE)
		return;
	run->postgres->has_failed = true;
	run->postgres->group = group_of(run->request);
}

static enum postgres_end end_by(uint8_t byte)
{
	switch (byte) {
	case 'E':
		return END_OF_EXECUTE;
	case 'S':
		return END_OF_SYNC;
	default:
		return END_OF_QUERY;
	}
}

/* What the tag says of the request or response: that it begins, or ends. */
static void place(struct postgres_run *run, enum postgres_part part, uint8_t byte)
{
	struct postgres *postgres = run->postgres;

	if (part == PART_OUTSIDE && !postgres->in_message) {
		run->is_over = true;
		return;
	}
	if (part == PART_LEAVES)
		run->step.action = PROTOCOL_LEAVES;
	if (part == PART_LAST || part == PART_LEAVES)
		end_message(run);
	else
		postgres->in_message = true;
	if (run->side == PROTOCOL_REQUESTS) {
		if (part == PART_LAST)
			run->message->note |= end_by(byte);
		return;
	}
	postgres->has_failed = false;
	if (byte == 'E' && part == PART_LAST)
		note_failure(run);
	if (!postgres->in_message)
		return;
	postgres->is_extended |= byte == '1' || byte == '2';
	postgres->has_rows |= byte == 'T' || byte == 'D' || byte == 'C' || byte == 'd';
}

/*
 * The server is ready, though it did not say anything before: a Sync has ended its group. What was
 * skipped of that is answered by it, one request after the other, the last one or none with its
 * bytes.
 */
static void take_ready(struct postgres_run *run)
{
	struct postgres *postgres = run->postgres;
	bool is_skipped =
		postgres->has_failed && run->request && group_of(run->request) == postgres->group;

	run->step.begins = true;
	run->message->is_aside = !is_skipped;
	if (is_skipped)
		protocol_text_put(run->message->error, MESSAGE_ERROR_BYTES, "aborted", 7);
	if (!is_skipped || end_of(run->request) == END_OF_SYNC) {
		postgres->has_failed = false;
		pass(run, STATE_BYTES + 1);
	}
	end_message(run);
}

/* Returns false: it waits for more. */
static bool take_tagged(struct postgres_run *run)
{
	size_t left = (size_t)(run->end - run->at), needed = 0, there;
	const struct postgres_tag *tag = tag_of(run->side, *run->at);
	enum postgres_part part = part_of(run, tag, *run->at);
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
	if (run->side == PROTOCOL_RESPONSES && *data == 'Z' && !run->postgres->in_message) {
		take_ready(run);
		return true;
	}
	there = left - HEADER_BYTES;
	if (tag->take)
		needed = len - 4 < BODY_NEEDED_MAX ? len - 4 : BODY_NEEDED_MAX;
	if (there < needed && !run->is_cut)
		return false;
	if (!run->postgres->in_message && part != PART_OUTSIDE) {
		run->step.begins = true;
		run->message->note = (uint32_t)run->postgres->group << END_BITS;
	}
	if (tag->take && part != PART_OUTSIDE)
		tag->take(run, (struct postgres_body){data + HEADER_BYTES,
						      needed < there ? needed : there});
	pass(run, (size_t)len + 1);
	place(run, part, *data);
	run->postgres->group += run->side == PROTOCOL_REQUESTS && *data == 'S';
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
			return is_first && side == PROTOCOL_RESPONSES ? PROTOCOL_SHORT
								      : PROTOCOL_MAYBE;
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
