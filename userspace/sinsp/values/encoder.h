/* SPDX-License-Identifier: MIT */
/* How values are written: as JSON, or as values of OpenTelemetry. */
#ifndef SINSP_VALUES_ENCODER_H
#define SINSP_VALUES_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/protobuf.h"

struct value_encoder {
	void (*nothing)(struct buf *out);
	void (*boolean)(struct buf *out, bool value);
	void (*integer)(struct buf *out, int64_t value);
	void (*natural)(struct buf *out, uint64_t value);
	void (*real)(struct buf *out, double value);
	/* Text of any bytes: those that are not UTF-8 are replaced. */
	void (*text)(struct buf *out, const char *text, size_t len);
	void (*data)(struct buf *out, const void *bytes, size_t len);
	/* A list: begin, and before each value item(); both get what begin returned. */
	size_t (*list_begin)(struct buf *out);
	void (*item)(struct buf *out, size_t list);
	void (*list_end)(struct buf *out, size_t list);
	/*
	 * A map: likewise, and between item() and the value key(), whose bytes depend on nothing
	 * but the name. entry_end() after the value gets the length of `out` before the key.
	 */
	size_t (*map_begin)(struct buf *out);
	void (*key)(struct buf *out, const char *name, size_t len);
	void (*entry_end)(struct buf *out, size_t entry);
	void (*map_end)(struct buf *out, size_t map);
};

extern const struct value_encoder json_encoder;

/* Messages of the type AnyValue of OpenTelemetry, with their length: see proto/event.proto, Value.
 */
extern const struct value_encoder proto_encoder;

/* The messages in a value, and in an entry of a map of values: see proto_visit_texts(). */
extern const struct proto_shape proto_value_shape[], proto_entry_shape[];

/* The JSON form of AnyValue. */
extern const struct value_encoder otlp_json_encoder;

#endif
