/* SPDX-License-Identifier: MIT */
#include "output/targets/http_body.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

void http_body_clear(struct http_body *body)
{
	buf_clear(&body->text);
	body->count = 0;
	body->taken = 0;
	body->failed = false;
}

static void add_part(struct http_body *body, const void *base, size_t len)
{
	if (body->count == body->capacity) {
		size_t capacity = body->capacity ? body->capacity * 2 : FIRST_CAPACITY;
		struct iovec *parts = realloc(body->parts, capacity * sizeof(*parts));

		body->failed = body->failed || !parts;
		if (!parts)
			return;
		body->parts = parts;
		body->capacity = capacity;
	}
	body->parts[body->count++] = (struct iovec){(void *)base, len};
}

/* The text may still move: its parts get their base at the end. */
static void add_text(struct http_body *body)
{
	if (body->text.len > body->taken)
		add_part(body, NULL, body->text.len - body->taken);
	body->taken = body->text.len;
}

void http_body_add(struct http_body *body, const void *bytes, size_t len)
{
	add_text(body);
	if (len)
		add_part(body, bytes, len);
}

void http_body_add_members(struct http_body *body, const char *object, size_t len)
{
	if (len > 1 && object[1] != '}')
		buf_append_char(&body->text, ',');
	http_body_add(body, object + 1, len ? len - 1 : 0);
}

bool http_body_end(struct http_body *body)
{
	char *text = body->text.data;

	add_text(body);
	body->failed = body->failed || body->text.failed;
	for (size_t i = 0; i < body->count && !body->failed; i++) {
		if (body->parts[i].iov_base)
			continue;
		body->parts[i].iov_base = text;
		text += body->parts[i].iov_len;
	}
	return !body->failed;
}

void http_body_finish(struct http_body *body)
{
	buf_finish(&body->text);
	free(body->parts);
	*body = (struct http_body){0};
}
