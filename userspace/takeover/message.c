/* SPDX-License-Identifier: MIT */
/* Fields of numbers by a table; each length is checked before a value is read. */
#include "takeover/message.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x314f544c /* LTO1 */, FIELD_HEAD_BYTES = 6, PAIR_BYTES = 16 };

/* Keys of fields: they keep their numbers for ever. */
enum key {
	KEY_PROTOCOL = 1,
	KEY_PID = 2,
	KEY_TEXT = 3,
	KEY_BOUNDARY = 4,
	KEY_PATIENCE = 5,
	KEY_SEEN = 6,
	KEY_DELIVERED = 7,
	KEY_LOST = 8,
	KEY_CORRUPT = 9,
	KEY_OUTPUT = 10,
	KEY_EVENTS = 11,
	KEY_FILTERED = 12,
	/* In an output. */
	KEY_OUTPUT_IDENTITY = 1,
	KEY_OUTPUT_STREAM = 2,
	KEY_OUTPUT_NUMBER = 3,
	KEY_OUTPUT_FORMATTED = 4,
	KEY_OUTPUT_BACKLOG = 5,
	KEY_OUTPUT_DELIVERED = 6,
	KEY_OUTPUT_DROPPED = 7,
	KEY_OUTPUT_UNDELIVERED = 8,
};

struct number {
	uint16_t key;
	size_t offset; /* of a uint64_t in the struct */
};

#define NUMBER(key, member)                                                                        \
	{                                                                                          \
		key, offsetof(struct takeover_message, member)                                     \
	}
static const struct number numbers[] = {
	NUMBER(KEY_PROTOCOL, protocol),
	NUMBER(KEY_PID, pid),
	NUMBER(KEY_BOUNDARY, boundary_ns),
	NUMBER(KEY_PATIENCE, patience_ns),
	NUMBER(KEY_SEEN, seen),
	NUMBER(KEY_DELIVERED, delivered),
	NUMBER(KEY_FILTERED, filtered),
	NUMBER(KEY_LOST, lost),
	NUMBER(KEY_CORRUPT, corrupt),
	{0},
};
#undef NUMBER
#define NUMBER(key, member)                                                                        \
	{                                                                                          \
		key, offsetof(struct takeover_output, member)                                      \
	}
static const struct number output_numbers[] = {
	NUMBER(KEY_OUTPUT_NUMBER, number),
	NUMBER(KEY_OUTPUT_FORMATTED, formatted),
	NUMBER(KEY_OUTPUT_BACKLOG, backlog),
	NUMBER(KEY_OUTPUT_DELIVERED, delivered),
	NUMBER(KEY_OUTPUT_DROPPED, dropped),
	NUMBER(KEY_OUTPUT_UNDELIVERED, undelivered),
	{0},
};

/* A value of a field, borrowed. */
struct value {
	const unsigned char *bytes;
	size_t len;
};

void takeover_message_finish(struct takeover_message *message)
{
	for (size_t i = 0; i < message->outputs_count; i++)
		free(message->outputs[i].identity);
	free(message->outputs);
	free(message->events);
	free(message->text);
	*message = (struct takeover_message){0};
}

struct takeover_output *takeover_add_output(struct takeover_message *message)
{
	struct takeover_output *more;

	if (message->outputs_count == TAKEOVER_OUTPUTS_MAX)
		return NULL;
	more = realloc(message->outputs, (message->outputs_count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	message->outputs = more;
	more[message->outputs_count] = (struct takeover_output){0};
	return &more[message->outputs_count++];
}

static void put_head(struct buf *out, uint16_t key, size_t len)
{
	uint16_t key_le = htole16(key);
	uint32_t len_le = htole32((uint32_t)len);

	buf_append(out, &key_le, sizeof(key_le));
	buf_append(out, &len_le, sizeof(len_le));
}

static void put_u64(struct buf *out, uint64_t number)
{
	uint64_t le = htole64(number);

	buf_append(out, &le, sizeof(le));
}

static void put_numbers(struct buf *out, const struct number *table, const void *from)
{
	for (; table->key; table++) {
		uint64_t number;

		memcpy(&number, (const char *)from + table->offset, sizeof(number));
		if (!number)
			continue;
		put_head(out, table->key, sizeof(number));
		put_u64(out, number);
	}
}

static void message_put_text(struct buf *out, uint16_t key, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (!len)
		return;
	len = len < TAKEOVER_TEXT_MAX ? len : TAKEOVER_TEXT_MAX;
	put_head(out, key, len);
	buf_append(out, text, len);
}

/* Lengths are known afterwards: they are written into the place left for them. */
static void set_length(struct buf *out, size_t at, size_t len)
{
	uint32_t le = htole32((uint32_t)len);

	if (!out->failed)
		memcpy(out->data + at, &le, sizeof(le));
}

static void put_output(struct buf *out, const struct takeover_output *output)
{
	size_t start;

	put_head(out, KEY_OUTPUT, 0);
	start = out->len;
	message_put_text(out, KEY_OUTPUT_IDENTITY, output->identity);
	message_put_text(out, KEY_OUTPUT_STREAM, output->stream);
	put_numbers(out, output_numbers, output);
	set_length(out, start - sizeof(uint32_t), out->len - start);
}

void takeover_encode(const struct takeover_message *message, struct buf *out)
{
	const struct takeover_header header = {.magic = htole32(MAGIC),
					       .kind = htole32((uint32_t)message->kind)};
	size_t start;

	buf_append(out, &header, sizeof(header));
	start = out->len;
	put_numbers(out, numbers, message);
	message_put_text(out, KEY_TEXT, message->text);
	for (size_t i = 0; i < message->outputs_count; i++)
		put_output(out, &message->outputs[i]);
	if (message->events_count)
		put_head(out, KEY_EVENTS, message->events_count * PAIR_BYTES);
	for (size_t i = 0; i < message->events_count; i++) {
		put_u64(out, message->events[i].ts_ns);
		put_u64(out, message->events[i].hash);
	}
	set_length(out, start - sizeof(header.bytes), out->len - start);
}

static int malformed(struct error *err, const char *what)
{
	return error_set(err, -EBADMSG, "a malformed message: %s", what);
}

ssize_t takeover_measure(const void *data, size_t len, struct error *err)
{
	struct takeover_header header;
	size_t bytes;

	if (len < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	bytes = le32toh(header.bytes);
	if (le32toh(header.magic) != MAGIC)
		return malformed(err, "it is not of an agent");
	if (bytes > TAKEOVER_BODY_MAX)
		return malformed(err, "it is too large");
	return len < sizeof(header) + bytes ? 0 : (ssize_t)(sizeof(header) + bytes);
}

/* Takes a field from the beginning of `rest`. */
static int next_field(struct value *rest, uint16_t *key, struct value *value)
{
	uint32_t len;

	if (rest->len < FIELD_HEAD_BYTES)
		return -EBADMSG;
	memcpy(key, rest->bytes, sizeof(*key));
	memcpy(&len, rest->bytes + sizeof(*key), sizeof(len));
	*key = le16toh(*key);
	len = le32toh(len);
	if (len > rest->len - FIELD_HEAD_BYTES)
		return -EBADMSG;
	*value = (struct value){rest->bytes + FIELD_HEAD_BYTES, len};
	rest->bytes += FIELD_HEAD_BYTES + len;
	rest->len -= FIELD_HEAD_BYTES + len;
	return 0;
}

/* Stores a number if the table has its key. */
static int message_take_number(const struct number *table, uint16_t key, const struct value *value,
			       void *to)
{
	uint64_t number;

	while (table->key && table->key != key)
		table++;
	if (!table->key)
		return 0;
	if (value->len != sizeof(number))
		return -EBADMSG;
	memcpy(&number, value->bytes, sizeof(number));
	number = le64toh(number);
	memcpy((char *)to + table->offset, &number, sizeof(number));
	return 0;
}

static int message_take_text(const struct value *value, char **text)
{
	if (*text || value->len > TAKEOVER_TEXT_MAX || memchr(value->bytes, '\0', value->len))
		return -EBADMSG;
	*text = strndup((const char *)value->bytes, value->len);
	return *text ? 0 : -ENOMEM;
}

static int take_stream(const struct value *value, char *stream)
{
	if (value->len != TAKEOVER_STREAM_BYTES)
		return -EBADMSG;
	for (size_t i = 0; i < value->len; i++)
		if (!memchr("0123456789abcdef", value->bytes[i], 16))
			return -EBADMSG;
	memcpy(stream, value->bytes, value->len);
	return 0;
}

static int take_output(const struct value *value, struct takeover_message *message)
{
	struct takeover_output *output;
	struct value rest = *value, field;
	uint16_t key;
	int r = 0;

	if (message->outputs_count == TAKEOVER_OUTPUTS_MAX)
		return -EBADMSG;
	output = takeover_add_output(message);
	if (!output)
		return -ENOMEM;
	while (rest.len && r == 0) {
		r = next_field(&rest, &key, &field);
		if (r)
			break;
		if (key == KEY_OUTPUT_IDENTITY)
			r = message_take_text(&field, &output->identity);
		else if (key == KEY_OUTPUT_STREAM)
			r = take_stream(&field, output->stream);
		else
			r = message_take_number(output_numbers, key, &field, output);
	}
	return r || (output->identity && output->stream[0]) ? r : -EBADMSG;
}

static int take_events(const struct value *value, struct takeover_message *message)
{
	size_t count = value->len / PAIR_BYTES;

	if (message->events || value->len % PAIR_BYTES || count > BOUNDARY_SEEN_MAX)
		return -EBADMSG;
	message->events = calloc(count ? count : 1, sizeof(*message->events));
	if (!message->events)
		return -ENOMEM;
	message->events_count = count;
	for (size_t i = 0; i < count; i++) {
		uint64_t pair[2];

		memcpy(pair, value->bytes + i * PAIR_BYTES, sizeof(pair));
		message->events[i] = (struct boundary_seen){le64toh(pair[0]), le64toh(pair[1])};
	}
	return 0;
}

static int message_take_field(uint16_t key, const struct value *value,
			      struct takeover_message *message)
{
	switch (key) {
	case KEY_TEXT:
		return message_take_text(value, &message->text);
	case KEY_OUTPUT:
		return take_output(value, message);
	case KEY_EVENTS:
		return take_events(value, message);
	default:
		return message_take_number(numbers, key, value, message);
	}
}

int takeover_decode(const void *data, size_t len, struct takeover_message *message,
		    struct error *err)
{
	struct takeover_header header;
	struct value rest, value;
	uint16_t key;
	int r = 0;

	*message = (struct takeover_message){0};
	memcpy(&header, data, sizeof(header));
	if (!le32toh(header.kind) || le32toh(header.kind) >= TAKEOVER_KINDS)
		return malformed(err, "its kind is not known");
	message->kind = (enum takeover_kind)le32toh(header.kind);
	rest = (struct value){(const unsigned char *)data + sizeof(header), len - sizeof(header)};
	while (rest.len && r == 0) {
		r = next_field(&rest, &key, &value);
		if (r == 0)
			r = message_take_field(key, &value, message);
	}
	if (r == -EBADMSG)
		return malformed(err, "a field has a wrong length or value");
	return r ? error_set(err, r, "out of memory") : 0;
}
