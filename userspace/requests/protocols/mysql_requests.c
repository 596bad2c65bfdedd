/* SPDX-License-Identifier: MIT */
/* What clients of MySQL send: commands, and what else is on their way. */
#include <string.h>

#include "requests/protocols/mysql.h"
#include "requests/protocols/sql.h"
#include "requests/protocols/text.h"

enum {
	BODY_NEEDED_MAX = 4096, /* of a command that is looked into; the rest is skipped */
	LOGIN_BYTES_MIN = 32, /* capabilities, the largest packet, a character set, 23 zeros */
	LOGIN_ZEROS_AT = 9,
	LOGIN_ZEROS = 19, /* MariaDB uses those behind them */
	ATTRIBUTES_MAX = 64, /* with values, of a query whose text is looked for */
	TYPE_BYTES = 2,
};

enum mysql_capability {
	CAPABILITY_WITH_DATABASE = 1 << 3,
	CAPABILITY_COMPRESS = 1 << 5,
	CAPABILITY_41 = 1 << 9,
	CAPABILITY_SSL = 1 << 11,
	CAPABILITY_SECURE = 1 << 15,
	CAPABILITY_LENENC_AUTH = 1 << 21,
	CAPABILITY_DEPRECATE_EOF = 1 << 24,
	CAPABILITY_ZSTD = 1 << 26,
};

/* What is known of the side between two steps. */
struct mysql_requests {
	bool is_long; /* the message goes on in the next packet */
	uint8_t seq; /* of the last packet then */
};

_Static_assert(sizeof(struct mysql_requests) <= PROTOCOL_STATE_BYTES,
	       "more than what is kept of a side");

static bool take_bytes(struct mysql_body *body, size_t len)
{
	if (len > body->len)
		return false;
	body->data += len;
	body->len -= len;
	return true;
}

/* A number of one byte or several. */
static bool take_number(struct mysql_body *body, uint64_t *number)
{
	static const uint8_t bytes[] = {[0xfc - 0xfb] = 2, [0xfd - 0xfb] = 3, [0xfe - 0xfb] = 8};
	uint8_t first;
	size_t len;

	if (!body->len)
		return false;
	first = *body->data;
	*number = first;
	len = first < 0xfb || first == 0xff ? 0 : bytes[first - 0xfb];
	if (body->len < len + 1)
		return false;
	for (size_t i = len; i; i--)
		*number = (i == len ? 0 : *number << 8) | body->data[i];
	return take_bytes(body, len + 1);
}

static bool take_text(struct mysql_body *body)
{
	uint64_t len;

	return take_number(body, &len) && len <= body->len && take_bytes(body, (size_t)len);
}

/* A text with a NUL behind it. */
static struct mysql_body take_string(struct mysql_body *body)
{
	const uint8_t *end = body->len ? memchr(body->data, 0, body->len) : NULL;
	struct mysql_body text = {body->data, end ? (size_t)(end - body->data) : body->len};

	take_bytes(body, end ? text.len + 1 : text.len);
	return text;
}

/* One value of an attribute. The upper byte of its type says that it has no sign. */
static bool take_value(struct mysql_body *body, uint8_t type)
{
	static const uint8_t sizes[] = {
		[1] = 1, [2] = 2, [3] = 4, [4] = 4, [5] = 8, [8] = 8, [9] = 4, [13] = 2};

	if (type == 6)
		return true;
	if (type < sizeof(sizes) && sizes[type])
		return take_bytes(body, sizes[type]);
	return take_text(body);
}

static bool take_values(struct mysql_body *body, size_t count)
{
	struct mysql_body nulls = *body;
	uint8_t types[ATTRIBUTES_MAX];

	if (count > ATTRIBUTES_MAX || !take_bytes(body, (count + 7) / 8 + 1))
		return false;
	for (size_t i = 0; i < count; i++) {
		types[i] = body->len ? *body->data : 0;
		if (!take_bytes(body, TYPE_BYTES) || !take_text(body))
			return false;
	}
	for (size_t i = 0; i < count; i++)
		if (!(nulls.data[i / 8] >> i % 8 & 1) && !take_value(body, types[i]))
			return false;
	return true;
}

/* No text begins with a small number and 1: how many attributes there are, and of how many sets. */
struct mysql_body mysql_statement_of(struct mysql_body body)
{
	struct mysql_body rest = body;

	if (body.len < 2 || body.data[0] >= ' ' || body.data[1] != 1)
		return body;
	take_bytes(&rest, 2);
	if (body.data[0] && !take_values(&rest, body.data[0]))
		rest.len = 0;
	return rest;
}

/*
 * Bodies of commands.
 */

static void take_query(struct protocol_message *message, struct mysql_body body)
{
	body = mysql_statement_of(body);
	protocol_sql_put(message, SQL_MYSQL, body.data, body.len);
}

static void take_prepare(struct protocol_message *message, struct mysql_body body)
{
	protocol_sql_put(message, SQL_MYSQL, body.data, body.len);
	memcpy(message->statement_method, message->method, sizeof(message->statement_method));
	protocol_text_put(message->method, MESSAGE_METHOD_BYTES, "PREPARE", 7);
	message->statement_use = STATEMENT_KEEPS;
}

static void take_name(struct protocol_message *message, struct mysql_body body)
{
	protocol_text_put(message->target, MESSAGE_TARGET_BYTES, body.data, body.len);
}

static void set_statement(struct protocol_message *message, struct mysql_body body,
			  enum protocol_statement use)
{
	if (body.len < sizeof(uint32_t))
		return;
	message->statement_use = use;
	message->has_statement = true;
	message->statement = mysql_u32(body.data);
}

static void take_execute(struct protocol_message *message, struct mysql_body body)
{
	set_statement(message, body, STATEMENT_USES);
}

static void take_close(struct protocol_message *message, struct mysql_body body)
{
	set_statement(message, body, STATEMENT_DROPS);
}

static const struct mysql_command commands[256] = {
	[0x01] = {"QUIT", MYSQL_OUTSIDE, 1, 1},
	[0x02] = {"USE", MYSQL_QUERY, 1, 512, .take = take_name},
	[0x03] = {"QUERY", MYSQL_QUERY, 1, 0, true, take_query},
	[0x04] = {"FIELDS", MYSQL_ROWS, 1, 512, .take = take_name},
	[0x05] = {"CREATE", MYSQL_QUERY, 1, 512},
	[0x06] = {"DROP", MYSQL_QUERY, 1, 512},
	[0x07] = {"REFRESH", MYSQL_QUERY, 2, 2},
	[0x08] = {"SHUTDOWN", MYSQL_QUERY, 1, 2},
	[0x09] = {"STATISTICS", MYSQL_PLAIN, 1, 1},
	[0x0a] = {"PROCESSLIST", MYSQL_QUERY, 1, 1},
	[0x0c] = {"KILL", MYSQL_QUERY, 5, 5},
	[0x0d] = {"DEBUG", MYSQL_PLAIN, 1, 1},
	[0x0e] = {"PING", MYSQL_QUERY, 1, 1},
	[0x11] = {"CHANGE_USER", MYSQL_AUTH, 2, 4096},
	[0x12] = {"BINLOG", MYSQL_LEAVES, 1, 0},
	[0x15] = {"REPLICA", MYSQL_QUERY, 1, 1024},
	[0x16] = {"PREPARE", MYSQL_PREPARE, 1, 0, true, take_prepare},
	[0x17] = {"EXECUTE", MYSQL_QUERY, 10, 0, .take = take_execute},
	[0x18] = {"LONG_DATA", MYSQL_OUTSIDE, 7, 0},
	[0x19] = {"CLOSE", MYSQL_ONEWAY, 5, 5, .take = take_close},
	[0x1a] = {"RESET", MYSQL_QUERY, 5, 5},
	[0x1b] = {"SET_OPTION", MYSQL_PLAIN, 3, 3},
	[0x1c] = {"FETCH", MYSQL_ROWS, 9, 9},
	[0x1e] = {"BINLOG", MYSQL_LEAVES, 1, 0},
	[0x1f] = {"RESET_CONNECTION", MYSQL_QUERY, 1, 1},
	[0xfa] = {"EXECUTE", MYSQL_QUERY, 7, 0, .take = take_execute},
};

const struct mysql_command *mysql_command_of(uint8_t byte)
{
	return &commands[byte];
}

/*
 * Steps.
 */

static struct protocol_step waits(const struct protocol_input *input)
{
	if (!input->is_cut)
		return (struct protocol_step){.action = PROTOCOL_WAITS};
	return (struct protocol_step){.action = PROTOCOL_LOST, .wants_all = true};
}

/* Goes behind a packet, which may reach behind the input. */
static struct protocol_step pass(const struct protocol_input *input, uint32_t size)
{
	size_t len = MYSQL_HEADER_BYTES + (size_t)size;
	size_t used = len < input->len ? len : input->len;

	return (struct protocol_step){
		.action = PROTOCOL_GOES_ON, .used = used, .skip = len - used, .wants_all = true};
}

/* The rest of a message, in one packet more. */
static struct protocol_step go_on(struct mysql_requests *mysql, const struct protocol_input *input,
				  uint32_t size, struct protocol_message *message)
{
	struct protocol_step step = pass(input, size);

	mysql->seq++;
	if (input->data[3] != mysql->seq)
		return (struct protocol_step){.action = PROTOCOL_LOST};
	mysql->is_long = size == MYSQL_PACKET_MAX;
	step.ends = !mysql->is_long;
	message->note = mysql_note(mysql_note_kind(message->note), mysql->seq);
	return step;
}

static bool is_login(struct mysql_body body)
{
	static const uint8_t zeros[LOGIN_ZEROS];

	return body.len >= LOGIN_BYTES_MIN && mysql_u32(body.data) & CAPABILITY_41 &&
	       memcmp(body.data + LOGIN_ZEROS_AT, zeros, sizeof(zeros)) == 0;
}

static void take_database(struct protocol_message *message, uint32_t capabilities,
			  struct mysql_body body)
{
	struct mysql_body text;

	take_string(&body); /* the user */
	if (capabilities & CAPABILITY_LENENC_AUTH)
		take_text(&body);
	else if (capabilities & CAPABILITY_SECURE)
		take_bytes(&body, body.len ? (size_t)*body.data + 1 : 0);
	else
		take_string(&body);
	if (!(capabilities & CAPABILITY_WITH_DATABASE))
		return;
	text = take_string(&body);
	protocol_text_put(message->target, MESSAGE_TARGET_BYTES, text.data, text.len);
}

static void take_login(struct protocol_message *message, struct mysql_body body, uint8_t seq)
{
	uint32_t capabilities = mysql_u32(body.data);

	protocol_text_put(message->method, MESSAGE_METHOD_BYTES, "STARTUP", 7);
	message->note = mysql_note(MYSQL_AUTH, seq);
	if (capabilities & CAPABILITY_DEPRECATE_EOF)
		message->note |= MYSQL_NOTE_NO_EOF;
	if (capabilities & (CAPABILITY_COMPRESS | CAPABILITY_ZSTD))
		message->note |= MYSQL_NOTE_COMPRESSES;
	take_bytes(&body, LOGIN_BYTES_MIN);
	take_database(message, capabilities, body);
}

/* The log-in; or what belongs to an earlier request: a password, the contents of a file. */
static struct protocol_step take_other(const struct protocol_input *input, uint32_t size,
				       struct protocol_message *message)
{
	struct mysql_body body = {input->data + MYSQL_HEADER_BYTES,
				  input->len - MYSQL_HEADER_BYTES};
	uint32_t needed = size < BODY_NEEDED_MAX ? size : BODY_NEEDED_MAX;
	struct protocol_step step = pass(input, size);

	step.stands = true;
	if (input->data[3] != 1 || size < LOGIN_BYTES_MIN)
		return step;
	if (body.len < needed && !input->is_cut)
		return waits(input);
	if (body.len > size)
		body.len = size;
	if (!is_login(body))
		return step;
	if (size == LOGIN_BYTES_MIN && mysql_u32(body.data) & CAPABILITY_SSL) {
		step.action = PROTOCOL_LEAVES;
		return step;
	}
	take_login(message, body, input->data[3]);
	step.begins = step.ends = true;
	return step;
}

static struct protocol_step take_command(struct mysql_requests *mysql,
					 const struct protocol_input *input, uint32_t size,
					 struct protocol_message *message)
{
	struct mysql_body body = {input->data + MYSQL_HEADER_BYTES + 1,
				  input->len - MYSQL_HEADER_BYTES - 1};
	const struct mysql_command *command = mysql_command_of(body.data[-1]);
	uint32_t needed = size < BODY_NEEDED_MAX ? size : BODY_NEEDED_MAX;
	struct protocol_step step = pass(input, size);

	if (command->kind == MYSQL_NO_COMMAND || size < command->min ||
	    (command->max && size > command->max))
		return (struct protocol_step){.action = PROTOCOL_LOST};
	if (command->take && body.len + 1 < needed && !input->is_cut)
		return waits(input);
	if (command->kind == MYSQL_OUTSIDE || command->kind == MYSQL_LEAVES) {
		if (command->kind == MYSQL_LEAVES)
			step.action = PROTOCOL_LEAVES;
		return step;
	}
	if (body.len > needed - 1)
		body.len = needed - 1;
	protocol_text_put(message->method, MESSAGE_METHOD_BYTES, command->name,
			  strlen(command->name));
	if (command->take)
		command->take(message, body);
	message->is_oneway = command->kind == MYSQL_ONEWAY;
	message->note = mysql_note(command->kind, 0);
	mysql->is_long = size == MYSQL_PACKET_MAX;
	mysql->seq = 0;
	step.begins = true;
	step.ends = !mysql->is_long;
	return step;
}

struct protocol_step mysql_step_requests(void *state, const struct protocol_input *input,
					 struct protocol_message *message)
{
	struct mysql_requests *mysql = state;
	uint32_t size;

	if (input->len < MYSQL_HEADER_BYTES)
		return waits(input);
	size = mysql_u24(input->data);
	if (mysql->is_long)
		return go_on(mysql, input, size, message);
	/* The end of a file. */
	if (size == 0 && input->data[3])
		return pass(input, size);
	if (size == 0)
		return (struct protocol_step){.action = PROTOCOL_LOST};
	if (input->data[3])
		return take_other(input, size, message);
	if (input->len == MYSQL_HEADER_BYTES)
		return waits(input);
	return take_command(mysql, input, size, message);
}
