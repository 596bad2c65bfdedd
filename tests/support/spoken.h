/* SPDX-License-Identifier: MIT */
/*
 * One side of a connection, given to a protocol in pieces as reads would give it. What it says
 * becomes a text, a line for each message, so that ways to cut the same bytes can be compared.
 */
#ifndef TESTS_SPOKEN_H
#define TESTS_SPOKEN_H

#include "requests/protocols/protocol.h"
#include "util/buf.h"

struct spoken {
	const struct protocol *protocol;
	enum protocol_side side;
	/* What responses answer, one after the other; behind them nothing is known of requests. */
	const struct protocol_message *requests;
	size_t requests_count;
	/* The bytes of the first piece, and of each further one; 0: all that are left. */
	size_t first, piece;
	bool is_cut; /* what is behind the bytes is not known */
};

/*
 * Appends to `out`:
 *	METHOD TARGET [host=…] [trace=…] [key=…] [keeps|uses|drops] [oneway] LENGTH
 *	STATUS|- [error=…] [key=…] [statement=…] [alone [METHOD TARGET]] [aside] LENGTH	a response
 * LENGTH is that of all its bytes, `end` where they reach to the end. In the last line stands how
 * it ended: `whole`, `waits` or `inside` (a message has begun), `skips`, `lost`, `leaves`. Returns
 * which promise of protocol.h was not kept; NULL: all were.
 */
const char *spoken_text(const struct spoken *spoken, const void *bytes, size_t len,
			struct buf *out);

#endif
