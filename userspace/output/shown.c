/* SPDX-License-Identifier: MIT */
#include "output/shown.h"

#include <string.h>

/* The last '@' of a text, or NULL: a password may have one, too. */
static const char *find_at(const char *text, size_t len)
{
	return memrchr(text, '@', len);
}

static size_t length_to_query(const char *text, size_t len)
{
	const char *query = memchr(text, '?', len);

	return query ? (size_t)(query - text) : len;
}

void output_append_shown(const char *to, size_t len, struct buf *text)
{
	const char *servers = memmem(to, len, "//", 2), *at;
	size_t left, shown;

	if (!servers) {
		buf_append(text, to, len);
		return;
	}
	servers += 2;
	buf_append(text, to, (size_t)(servers - to));
	left = len - (size_t)(servers - to);
	shown = length_to_query(servers, left);
	at = find_at(servers, shown);
	if (at) {
		BUF_LITERAL(text, "***");
		buf_append(text, at, shown - (size_t)(at - servers));
	} else {
		buf_append(text, servers, shown);
	}
	if (shown < left)
		BUF_LITERAL(text, "?***");
}

bool output_has_user(const char *target)
{
	return find_at(target, length_to_query(target, strlen(target)));
}
