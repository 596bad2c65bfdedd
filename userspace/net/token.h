/* SPDX-License-Identifier: MIT */
/*
 * A token in a file, as that of a service account, which kubelet replaces before it expires: it is
 * read again every minute, and when the server rejects it.
 */
#ifndef NET_TOKEN_H
#define NET_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

enum { TOKEN_BYTES_MAX = 64 * 1024, TOKEN_AGE_S = 60 };

/* Zeroed but for the path: not read yet. */
struct token {
	const char *path; /* borrowed; NULL: there is none */
	char *text; /* owned; NULL: none was read */
	uint64_t read_ns; /* of CLOCK_MONOTONIC */
	bool rejected; /* set by the caller: the server does not take it */
};

/*
 * Reads the file if it is time. Returns 0, or -errno with a message; the old text, if any, stays
 * then.
 */
int token_refresh(struct token *token, uint64_t now_ns, struct error *err);

void token_finish(struct token *token);

#endif
