/* SPDX-License-Identifier: MIT */
#include "meta/runtimes/messages.h"

#include <endian.h>
#include <string.h>

/* Of a message of gRPC: whether it is compressed, and its length in 4 bytes. */
enum { PREFIX_BYTES = 5 };

bool messages_add(struct messages *messages, const char *bytes, size_t len)
{
	size_t skipped = messages->skip < len ? messages->skip : len;

	messages->skip -= skipped;
	bytes += skipped;
	len -= skipped;
	if (messages->taken) {
		messages->in.len -= messages->taken;
		memmove(messages->in.data, messages->in.data + messages->taken, messages->in.len);
		messages->taken = 0;
	}
	buf_append(&messages->in, bytes, len);
	return !messages->in.failed;
}

static size_t left(const struct messages *messages)
{
	return messages->in.len - messages->taken;
}

static const char *next_byte(const struct messages *messages)
{
	return messages->in.data + messages->taken;
}

/* Drops the begin of a line that is too long. */
static void skip_line(struct messages *messages)
{
	messages->skipped += !messages->skips_line;
	messages->skips_line = true;
	messages->taken = messages->in.len;
}

static bool next_line(struct messages *messages, const char **message, size_t *len)
{
	while (left(messages)) {
		const char *line = next_byte(messages);
		const char *end = memchr(line, '\n', left(messages));
		bool wanted = !messages->skips_line;

		if (!end) {
			if (!wanted || left(messages) > MESSAGES_BYTES_MAX)
				skip_line(messages);
			return false;
		}
		*message = line;
		*len = (size_t)(end - line);
		messages->taken += *len + 1;
		messages->skips_line = false;
		if (wanted && *len > MESSAGES_BYTES_MAX)
			messages->skipped++;
		else if (wanted && *len)
			return true;
	}
	return false;
}

/* Drops a message of gRPC, as much of it as has come. */
static void skip_message(struct messages *messages, uint64_t len)
{
	size_t skipped = len < left(messages) ? len : left(messages);

	messages->taken += skipped;
	messages->skip = len - skipped;
	messages->skipped++;
}

static bool next_grpc(struct messages *messages, const char **message, size_t *len)
{
	while (left(messages) >= PREFIX_BYTES) {
		const char *prefix = next_byte(messages);
		uint32_t bytes;

		memcpy(&bytes, prefix + 1, sizeof(bytes));
		bytes = be32toh(bytes);
		if (bytes > MESSAGES_BYTES_MAX) {
			skip_message(messages, PREFIX_BYTES + (uint64_t)bytes);
			continue;
		}
		if (left(messages) < PREFIX_BYTES + (size_t)bytes)
			return false;
		*message = prefix + PREFIX_BYTES;
		*len = bytes;
		messages->taken += PREFIX_BYTES + (size_t)bytes;
		/* Nobody asked for a compressed one. */
		if (*prefix == 0)
			return true;
		messages->skipped++;
	}
	return false;
}

bool messages_next(struct messages *messages, const char **message, size_t *len)
{
	return messages->is_grpc ? next_grpc(messages, message, len)
				 : next_line(messages, message, len);
}

void messages_finish(struct messages *messages)
{
	buf_finish(&messages->in);
}
