/* SPDX-License-Identifier: MIT */
/* Frames of messages, a chunk at a time. */
#include "output/targets/messenger.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

enum {
	CHUNK_BYTES = 256 * 1024,
	DATAGRAMS_MAX = 64, /* at a time */
};

const char *const FRAMING_WORDS[] = {"newline", "octets", "length", NULL};

void messenger_finish(struct messenger *messenger)
{
	buf_finish(&messenger->message.head);
	buf_finish(&messenger->message.tail);
	buf_finish(&messenger->bytes);
}

static void messenger_make(struct messenger *messenger, const struct output_batch *batch,
			   const struct output_record *record)
{
	struct messenger_message *message = &messenger->message;

	buf_clear(&message->head);
	buf_clear(&message->tail);
	message->body = record->bytes;
	message->body_len = output_record_text_len(record);
	if (messenger->make)
		messenger->make(messenger->context, batch, record, message);
	if (message->head.failed || message->tail.failed)
		buf_fail(&messenger->bytes);
}

static void messenger_replace(char *text, size_t len, char c)
{
	char *end = text + len;

	while ((text = memchr(text, c, (size_t)(end - text))))
		*text++ = ' ';
}

static void messenger_append(struct messenger *messenger)
{
	const struct messenger_message *message = &messenger->message;
	struct buf *out = &messenger->bytes;

	buf_append(out, message->head.data, message->head.len);
	buf_append(out, message->body, message->body_len);
	if (messenger->one_line && !out->failed) {
		messenger_replace(out->data + out->len - message->body_len, message->body_len,
				  '\n');
		messenger_replace(out->data + out->len - message->body_len, message->body_len,
				  '\0');
	}
	buf_append(out, message->tail.data, message->tail.len);
}

static void append_frame(struct messenger *messenger)
{
	const struct messenger_message *message = &messenger->message;
	size_t len = message->head.len + message->body_len + message->tail.len;
	uint32_t length = htonl((uint32_t)len);

	if (messenger->framing == FRAMING_OCTETS) {
		buf_append_u64(&messenger->bytes, len);
		buf_append_char(&messenger->bytes, ' ');
	} else if (messenger->framing == FRAMING_LENGTH) {
		buf_append(&messenger->bytes, &length, sizeof(length));
	}
	messenger_append(messenger);
	if (messenger->framing == FRAMING_NEWLINE)
		buf_append_char(&messenger->bytes, '\n');
}

static int messenger_fail_memory(struct error *err)
{
	return error_set(err, -ENOMEM, "out of memory");
}

/*
 * Writes frames. `taken`: bytes that the kernel took, `sent`: records that it took wholly; both
 * also set on failure.
 */
static int write_frames(struct messenger *messenger, struct connection *connection,
			const struct output_batch *batch, size_t *taken, size_t *sent,
			struct error *err)
{
	size_t i = 0;
	int r = 0;

	while (i < batch->count && r == 0) {
		buf_clear(&messenger->bytes);
		for (; i < batch->count && messenger->bytes.len < CHUNK_BYTES; i++) {
			messenger_make(messenger, batch, &batch->records[i]);
			append_frame(messenger);
		}
		if (messenger->bytes.failed)
			return messenger_fail_memory(err);
		r = connection_write(connection, messenger->bytes.data, messenger->bytes.len, taken,
				     err);
		if (r == 0)
			*sent = i;
	}
	return r;
}

/* The same for records that are lines already: nothing is copied. */
static int write_lines(struct connection *connection, const struct output_batch *batch,
		       size_t *taken, size_t *sent, struct error *err)
{
	size_t left;
	int r = 0;

	for (size_t i = 0; i < batch->parts_count && r == 0; i++)
		r = connection_write(connection, batch->parts[i].iov_base, batch->parts[i].iov_len,
				     taken, err);
	left = *taken;
	while (*sent < batch->count && batch->records[*sent].len <= left)
		left -= batch->records[(*sent)++].len;
	return r;
}

int messenger_write(struct messenger *messenger, struct connection *connection,
		    struct output_batch *batch, struct error *err)
{
	size_t taken = 0, sent = 0;
	int r = connection_open(connection, err);

	if (r)
		return r;
	if (messenger->framing == FRAMING_NEWLINE && !messenger->make)
		r = write_lines(connection, batch, &taken, &sent, err);
	else
		r = write_frames(messenger, connection, batch, &taken, &sent, err);
	batch->uncertain = r && taken;
	if (r && r != -ECANCELED)
		sent = 0;
	/* A frame of which only a part was written must be the last one. */
	if (r)
		connection_close(connection);
	memset(batch->results, OUTPUT_DELIVERED, sent);
	return r;
}

/* Makes the datagrams of the records from `first` on. Returns how many, 0 if out of memory. */
static size_t make_datagrams(struct messenger *messenger, const struct output_batch *batch,
			     size_t first, struct iovec datagrams[DATAGRAMS_MAX])
{
	size_t ends[DATAGRAMS_MAX], count = 0, begin = 0;

	buf_clear(&messenger->bytes);
	for (; count < DATAGRAMS_MAX && first + count < batch->count; count++) {
		messenger_make(messenger, batch, &batch->records[first + count]);
		messenger_append(messenger);
		ends[count] = messenger->bytes.len;
	}
	for (size_t i = 0; i < count; begin = ends[i++])
		datagrams[i] = (struct iovec){messenger->bytes.data + begin, ends[i] - begin};
	return messenger->bytes.failed ? 0 : count;
}

int messenger_send(struct messenger *messenger, struct connection *connection,
		   struct output_batch *batch, struct error *err)
{
	struct iovec datagrams[DATAGRAMS_MAX];
	int r = connection_open(connection, err), rejected = 0;
	size_t sent = 0;

	while (r == 0 && sent < batch->count) {
		size_t count = make_datagrams(messenger, batch, sent, datagrams), done = 0;

		if (count == 0)
			return messenger_fail_memory(err);
		r = connection_send(connection, datagrams, count, &done, err);
		memset(batch->results + sent, OUTPUT_DELIVERED, done);
		sent += done;
		if (r != -EMSGSIZE)
			continue;
		rejected = error_set(err, r, "a message of %zu bytes is too large for a datagram",
				     datagrams[done].iov_len);
		batch->results[sent++] = OUTPUT_REJECTED;
		r = 0;
	}
	return r ? r : rejected;
}
