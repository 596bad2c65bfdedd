/* SPDX-License-Identifier: MIT */
/* Texts of messages, from bytes of their protocols. Used by the files of this folder alone. */
#ifndef REQUESTS_PROTOCOLS_TEXT_H
#define REQUESTS_PROTOCOLS_TEXT_H

#include <stddef.h>
#include <string.h>

/* Makes `to`, of `room` bytes, the text of these bytes, or the beginning of it that fits. */
static inline void protocol_text_put(char *to, size_t room, const void *from, size_t len)
{
	if (len >= room)
		len = room - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

/* ASCII only, whatever the locale is. */
static inline char protocol_text_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

#endif
