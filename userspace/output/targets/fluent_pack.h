/* SPDX-License-Identifier: MIT */
/* Messages of msgpack in a struct buf. */
#ifndef OUTPUT_TARGETS_FLUENT_PACK_H
#define OUTPUT_TARGETS_FLUENT_PACK_H

#include <msgpack.h>
#include <string.h>

#include "util/buf.h"

/* A failure stays in the buffer: see buf->failed. */
static inline int pack_write(void *context, const char *bytes, size_t len)
{
	struct buf *out = context;

	buf_append(out, bytes, len);
	return out->failed ? -1 : 0;
}

/* Everything that is packed is appended to `out`. */
static inline void pack_begin(msgpack_packer *packer, struct buf *out)
{
	msgpack_packer_init(packer, out, pack_write);
}

static inline void pack_bytes_as_text(msgpack_packer *packer, const char *text, size_t len)
{
	msgpack_pack_str(packer, len);
	msgpack_pack_str_body(packer, text, len);
}

static inline void pack_text(msgpack_packer *packer, const char *text)
{
	pack_bytes_as_text(packer, text, strlen(text));
}

#endif
