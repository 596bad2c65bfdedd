/* SPDX-License-Identifier: MIT */
/* URLs of servers: http:// and https:// alone, checked and completed by libcurl. */
#ifndef NET_URL_H
#define NET_URL_H

#include <stdbool.h>

#include "util/error.h"

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
