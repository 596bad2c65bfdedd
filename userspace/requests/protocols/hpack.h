/* SPDX-License-Identifier: MIT */
/*
 * Header blocks of HTTP/2 (RFC 7541), of one side of a connection. Who sees a side from its middle
 * lacks what was added to its table before: fields that refer to that are left out and counted, and
 * all others are as they were sent. Used by http2*.c of this folder alone.
 */
#ifndef REQUESTS_PROTOCOLS_HPACK_H
#define REQUESTS_PROTOCOLS_HPACK_H

#include <nghttp2/nghttp2.h>

#include "requests/protocols/http.h"

enum {
	/* Of a table, as RFC 7541 counts them. If a larger one is announced, what does not fit is
	 * as if it had been added before. */
	HPACK_TABLE_MAX = 64 * 1024,
	/* That a table takes in memory, which may be seven times as much; then it is forgotten. */
	HPACK_BYTES_MAX = 128 * 1024,
};

/* A zeroed struct has a table of which nothing is known; it needs its room, and stays where it is.
 */
struct hpack {
	struct protocol_room *room; /* borrowed */
	size_t held; /* bytes of memory */
	nghttp2_mem memory; /* the inflater's */
	nghttp2_hd_inflater *inflater; /* owned; NULL: nothing was added */
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
