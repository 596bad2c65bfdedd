/* SPDX-License-Identifier: MIT */
/* Packed, a message is its members that are no texts, then each text with its NUL. */
#include "requests/messages.h"

#include <string.h>

/* Where the texts are in a message: behind all other members. */
static const uint16_t texts[] = {
	offsetof(struct protocol_message, method),
	offsetof(struct protocol_message, target),
	offsetof(struct protocol_message, host),
	offsetof(struct protocol_message, trace_id),
	offsetof(struct protocol_message, error),
	offsetof(struct protocol_message, answer),
	offsetof(struct protocol_message, statement_method),
	offsetof(struct protocol_message, version),
};

enum {
	TEXTS = sizeof(texts) / sizeof(texts[0]),
	NUMBERS_BYTES = offsetof(struct protocol_message, method),
	TEXTS_BYTES = 2 * MESSAGE_METHOD_BYTES + MESSAGE_TARGET_BYTES + MESSAGE_HOST_BYTES +
		      MESSAGE_TRACE_BYTES + MESSAGE_ERROR_BYTES + MESSAGE_ANSWER_BYTES +
		      MESSAGE_VERSION_BYTES,
};

_Static_assert(sizeof(struct protocol_message) - NUMBERS_BYTES - TEXTS_BYTES <
		       _Alignof(struct protocol_message),
	       "each text is listed, and what is none stands before them");

void message_clear(struct protocol_message *message)
{
	memset(message, 0, NUMBERS_BYTES);
	for (unsigned int i = 0; i < TEXTS; i++)
		((char *)message)[texts[i]] = '\0';
}

static size_t packed_bytes(const struct protocol_message *message)
{
	size_t bytes = NUMBERS_BYTES;

	for (unsigned int i = 0; i < TEXTS; i++)
		bytes += strlen((const char *)message + texts[i]) + 1;
	return bytes;
}

static void pack(const struct protocol_message *message, uint8_t *packed)
{
	memcpy(packed, message, NUMBERS_BYTES);
	packed += NUMBERS_BYTES;
	for (unsigned int i = 0; i < TEXTS; i++) {
		const char *text = (const char *)message + texts[i];
		size_t bytes = strlen(text) + 1;

		memcpy(packed, text, bytes);
		packed += bytes;
	}
}

static void unpack(const uint8_t *packed, struct protocol_message *message)
{
	memcpy(message, packed, NUMBERS_BYTES);
	packed += NUMBERS_BYTES;
	for (unsigned int i = 0; i < TEXTS; i++) {
		size_t bytes = strlen((const char *)packed) + 1;

		memcpy((char *)message + texts[i], packed, bytes);
		packed += bytes;
	}
}

/* Returns false if out of memory. */
static bool ref_pack(struct messages *messages, struct message_ref *ref,
		     const struct protocol_message *message)
{
	size_t bytes = packed_bytes(message);

	ref->packed = pool_alloc(messages->pool, bytes);
	if (!ref->packed)
		return false;
	ref->packed_bytes = (uint16_t)bytes;
	pack(message, ref->packed);
	return true;
}

/* Takes the place of the one that was opened longest ago. */
static void take_place(struct messages *messages, struct message_ref *ref)
{
	struct message_ref **place = &messages->open[messages->next], *oldest = *place;

	ref->place = (uint16_t)messages->next;
	messages->next = (messages->next + 1) % MESSAGES_OPEN_MAX;
	*place = ref;
	/* Without memory to pack it, it stays as it is. */
	if (!oldest || !ref_pack(messages, oldest, oldest->open))
		return;
	pool_free(messages->pool, oldest->open, sizeof(*oldest->open));
	oldest->open = NULL;
}

/* Who asks for one that would be packed soon has it for as long as others. */
static void stay_open(struct messages *messages, struct message_ref *ref)
{
	unsigned int left = (ref->place + MESSAGES_OPEN_MAX - messages->next) % MESSAGES_OPEN_MAX;

	if (messages->open[ref->place] != ref || left >= MESSAGES_STAY)
		return;
	messages->open[ref->place] = NULL;
	take_place(messages, ref);
}

static void free_packed(struct messages *messages, struct message_ref *ref)
{
	pool_free(messages->pool, ref->packed, ref->packed_bytes);
	ref->packed = NULL;
}

struct protocol_message *messages_open(struct messages *messages, struct message_ref *ref)
{
	if (ref->open) {
		stay_open(messages, ref);
		return ref->open;
	}
	ref->open = pool_alloc(messages->pool, sizeof(*ref->open));
	if (!ref->open)
		return NULL;
	if (ref->packed) {
		unpack(ref->packed, ref->open);
		free_packed(messages, ref);
	} else {
		message_clear(ref->open);
	}
	take_place(messages, ref);
	return ref->open;
}

bool messages_copy(struct messages *messages, struct message_ref *copy, struct message_ref *ref)
{
	const struct protocol_message *message = messages_open(messages, ref);

	return message && ref_pack(messages, copy, message);
}

void messages_free(struct messages *messages, struct message_ref *ref)
{
	if (ref->open && messages->open[ref->place] == ref)
		messages->open[ref->place] = NULL;
	pool_free(messages->pool, ref->open, sizeof(*ref->open));
	free_packed(messages, ref);
	ref->open = NULL;
}
