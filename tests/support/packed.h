/* SPDX-License-Identifier: MIT */
/* Messages of gRPC as answers of fake_runtime.h. */
#ifndef TESTS_PACKED_H
#define TESTS_PACKED_H

#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>

#include "fake_runtime.h"
#include "unit.h"

/* A message as an answer, whose bytes the caller frees. */
static inline struct fake_answer pack(const ProtobufCMessage *message)
{
	size_t len = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(len + 1);

	assert_non_null(bytes);
	protobuf_c_message_pack(message, bytes);
	return (struct fake_answer){FAKE_GRPC, 0, (const char *)bytes, len};
}

static inline void unpack(const struct fake_answer *answer)
{
	free((char *)answer->bytes);
}

#endif
