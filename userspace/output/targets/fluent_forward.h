/* SPDX-License-Identifier: MIT */
/*
 * Messages of the forward protocol of Fluentd and Fluent Bit, in msgpack:
 * https://github.com/fluent/fluentd/wiki/Forward-Protocol-Specification-v1
 */
#ifndef OUTPUT_TARGETS_FLUENT_FORWARD_H
#define OUTPUT_TARGETS_FLUENT_FORWARD_H

#include <stdbool.h>

#include "output/record.h"
#include "util/buf.h"
#include "util/error.h"

enum { FORWARD_CHUNK_BYTES = 25 }; /* the id of a batch: text, with its NUL */

/*
 * Replaces `out` by a message with all records of a batch that are to be retried: [TAG, ENTRIES,
 * {chunk, size}], where the entries are [time, record] one after the other. A record that is no
 * object of JSON is rejected. Returns 0, -ENODATA (all were rejected) or -ENOMEM.
 */
int forward_pack(struct output_batch *batch, const char *tag, const char *chunk, struct buf *out);

/* A new id of a batch. Returns 0 or -errno. */
int forward_new_chunk(char chunk[static FORWARD_CHUNK_BYTES]);

#endif
