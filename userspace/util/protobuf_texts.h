/* SPDX-License-Identifier: MIT */
/* Finds the texts in protobuf messages. */
#ifndef UTIL_PROTOBUF_TEXTS_H
#define UTIL_PROTOBUF_TEXTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The fields of a message that are messages, too, and those that are names and no texts, with
 * proto_name_shape; a row without field ends them.
 */
struct proto_shape {
	uint32_t field;
	const struct proto_shape *inner;
};

extern const struct proto_shape proto_name_shape[];

typedef void proto_text_visitor(void *context, char *text, size_t len);

/*
 * Calls `visit` for each text or bytes of messages that stand one after the other, each after its
 * length, and of the messages in them: what has no row is a text. `visit` may change bytes, but not
 * their number. At the start of each message, and in place of a name, it gets an empty text: what
 * follows is something else. Stops at what is no message.
 */
void proto_visit_texts(const struct proto_shape *shape, char *messages, size_t len,
		       proto_text_visitor *visit, void *context);

#endif
