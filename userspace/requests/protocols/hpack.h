/* SPDX-License-Identifier: MIT */
/*
 * Header blocks of HTTP/2 (RFC 7541), of one side of a connection. Who sees a side from its middle
 * lacks what was added to its table before: fields that refer to that are left out and counted, and
 * all others are as they were sent. Used by http2*.c of this folder alone.
 */
#ifndef REQUESTS_PROTOCOLS_HPACK_H
#define REQUESTS_PROTOCOLS_HPACK_H

#include "requests/protocols/http.h"

enum {
	/* Of a table, as RFC 7541 counts them. If a larger one is announced, what does not fit is
	 * as if it had been added before. */
	HPACK_TABLE_MAX = 64 * 1024,
	/* That a table takes in memory; then it is forgotten. */
	HPACK_BYTES_MAX = 128 * 1024,
	HPACK_TABLE_DEFAULT = 4096, /* of a side that announced nothing */
};

struct hpack_entry; /* of a table */

/* A zeroed struct has a table of which nothing is known; it needs its room. */
struct hpack {
	struct protocol_room *room; /* borrowed */
	struct hpack_entry *entries; /* owned: a ring */
	uint8_t *texts; /* owned: names and values, those of the oldest entry first */
	uint32_t texts_bytes; /* that there is room for */
	uint32_t begin, end; /* of those that are kept: places in all that were ever added */
	uint32_t base; /* the place of texts[0] */
	uint16_t ring; /* a power of two, or 0 */
	uint16_t first, count;
	bool has_limit; /* a size was announced: */
	uint32_t limit; /* it */
	uint32_t size; /* of all entries, as RFC 7541 counts them */
};

/* What was added before is not known any more. */
void hpack_forget(struct hpack *hpack);

/*
 * Decodes a whole block, and gives its fields to `take` in their order; their texts are valid for
 * that call. Returns how many fields were left out; -EBADMSG: it is no header block; -ENOMEM.
 * After an error nothing is known of the table.
 */
int hpack_decode(struct hpack *hpack, struct http_text block,
		 void (*take)(void *context, struct http_text name, struct http_text value),
		 void *context);

#endif
