/* SPDX-License-Identifier: MIT */
/* URLs of servers, http:// and https:// alone, and tokens in files for them. */
#ifndef NET_URL_H
#define NET_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

/*
 * A token in a file, as that of a service account, which kubelet replaces before it expires: it is
 * read again every minute, and when the server rejects it.
 */

enum { TOKEN_BYTES_MAX = 64 * 1024, TOKEN_AGE_S = 60 };

/* Zeroed but for the path: not read yet. */
struct net_token {
	const char *path; /* borrowed; NULL: there is none */
	char *text; /* owned; NULL: none was read */
	uint64_t read_ns; /* of CLOCK_MONOTONIC */
	bool rejected; /* set by the caller: the server does not take it */
};

/*
 * Reads the file if it is time. Returns 0, or -errno with a message; the old text, if any, stays
 * then.
 */
int net_token_refresh(struct net_token *token, uint64_t now_ns, struct error *err);

void net_token_finish(struct net_token *token);

/* URLs of servers: http:// and https:// alone, checked and completed by libcurl. */

struct url;

/*
 * Reads "https://host:443/path?name=value". A user in it is rejected: URLs are shown in messages.
 * Returns 0, -EINVAL with a message, or -ENOMEM.
 */
int url_create(const char *text, struct url **url, struct error *err);

/* Accepts NULL. */
void url_destroy(struct url *url);

/* Whether there is more of a path than "/". */
bool url_has_path(const struct url *url);

/* Return 0 or -ENOMEM. A value is escaped, a path is given as it is sent. */
int url_set_path(struct url *url, const char *path);
int url_append_path(struct url *url, const char *path);
int url_add_query(struct url *url, const char *name, const char *value);

/* Makes the text of it, for the caller to free; NULL: out of memory. */
char *url_text(const struct url *url);

#endif
