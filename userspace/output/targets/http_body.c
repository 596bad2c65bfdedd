/* SPDX-License-Identifier: MIT */
/* Bodies of requests: records joined, compressed, with names and values beside them. */
#include "output/targets/http_body.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { FIRST_CAPACITY = 64 };

void http_body_clear(struct http_body *body)
{
	buf_clear(&body->text);
	body->count = 0;
	body->taken = 0;
	body->failed = false;
}

static void http_body_add_part(struct http_body *body, const void *base, size_t len)
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
static void http_body_add_text(struct http_body *body)
{
	if (body->text.len > body->taken)
		http_body_add_part(body, NULL, body->text.len - body->taken);
	body->taken = body->text.len;
}

void http_body_add(struct http_body *body, const void *bytes, size_t len)
{
	http_body_add_text(body);
	if (len)
		http_body_add_part(body, bytes, len);
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

	http_body_add_text(body);
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

struct http_pair http_pair_of(const char *item)
{
	size_t len = strcspn(item, "=");

	return (struct http_pair){item, len, item[len] ? item + len + 1 : ""};
}

int http_pairs_check(const struct output_list *list, const char *key, struct error *err)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i][0] == '=' || !strchr(list->items[i], '='))
			return error_set(err, -EINVAL, "%s: '%s' is not of the form NAME=VALUE",
					 key, list->items[i]);
	return 0;
}

/* A row for each method: zlib's streams and zstd's are driven alike. */

enum {
	GROWTH = 64 * 1024,
	/* The fastest: events shrink to a tenth all the same, and the processor is others'. */
	GZIP_LEVEL = 1,
	ZSTD_LEVEL = 1,
	GZIP_WINDOW = 15 + 16, /* of 32 KiB, with the header of gzip */
	GZIP_MEMORY = 8, /* the default */
};

const char *const HTTP_PACK_WORDS[] = {"none", "gzip", "zstd", NULL};

struct method {
	int (*create)(struct http_packer *packer);
	void (*destroy)(struct http_packer *packer);
	/* Begins anew. */
	int (*begin)(struct http_packer *packer);
	/*
	 * Takes a part, which is changed to what is left of it, and appends to `out`, where there
	 * is space. Returns 0 if all is done, 1 if there is more to do, or -ENOMEM.
	 */
	int (*step)(struct http_packer *packer, struct iovec *part, bool is_last, struct buf *out);
};

struct http_packer {
	const struct method *method;
	z_stream gzip;
	ZSTD_CCtx *zstd; /* owned */
};

static int http_body_gzip_create(struct http_packer *packer)
{
	int r = deflateInit2(&packer->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			     Z_DEFAULT_STRATEGY);

	return r == Z_OK ? 0 : -ENOMEM;
}

static void http_body_gzip_destroy(struct http_packer *packer)
{
	deflateEnd(&packer->gzip);
}

static int gzip_begin(struct http_packer *packer)
{
	return deflateReset(&packer->gzip) == Z_OK ? 0 : -ENOMEM;
}

static int gzip_step(struct http_packer *packer, struct iovec *part, bool is_last, struct buf *out)
{
	z_stream *stream = &packer->gzip;
	uInt space = (uInt)(out->capacity - out->len);
	int r;

	stream->next_in = part->iov_base;
	stream->avail_in = (uInt)part->iov_len;
	stream->next_out = (Bytef *)out->data + out->len;
	stream->avail_out = space;
	r = deflate(stream, is_last ? Z_FINISH : Z_NO_FLUSH);
	part->iov_base = stream->next_in;
	part->iov_len = stream->avail_in;
	out->len += space - stream->avail_out;
	if (r == Z_STREAM_ERROR)
		return -ENOMEM;
	return is_last ? r != Z_STREAM_END : part->iov_len > 0;
}

static int http_body_zstd_create(struct http_packer *packer)
{
	packer->zstd = ZSTD_createCCtx();
	if (!packer->zstd)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	return 0;
}

static void http_body_zstd_destroy(struct http_packer *packer)
{
	ZSTD_freeCCtx(packer->zstd);
}

static int zstd_begin(struct http_packer *packer)
{
	return ZSTD_isError(ZSTD_CCtx_reset(packer->zstd, ZSTD_reset_session_only)) ? -ENOMEM : 0;
}

static int zstd_step(struct http_packer *packer, struct iovec *part, bool is_last, struct buf *out)
{
	ZSTD_inBuffer from = {part->iov_base, part->iov_len, 0};
	ZSTD_outBuffer to = {out->data + out->len, out->capacity - out->len, 0};
	size_t left = ZSTD_compressStream2(packer->zstd, &to, &from,
					   is_last ? ZSTD_e_end : ZSTD_e_continue);

	part->iov_base = (char *)part->iov_base + from.pos;
	part->iov_len -= from.pos;
	out->len += to.pos;
	if (ZSTD_isError(left))
		return -ENOMEM;
	return is_last ? left > 0 : part->iov_len > 0;
}

static const struct method methods[PACK_METHODS] = {
	[PACK_GZIP] = {http_body_gzip_create, http_body_gzip_destroy, gzip_begin, gzip_step},
	[PACK_ZSTD] = {http_body_zstd_create, http_body_zstd_destroy, zstd_begin, zstd_step},
};

struct http_packer *http_packer_create(enum http_pack_method method)
{
	struct http_packer *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return NULL;
	packer->method = &methods[method];
	if (packer->method->create(packer) == 0)
		return packer;
	free(packer);
	return NULL;
}

void http_packer_destroy(struct http_packer *packer)
{
	if (!packer)
		return;
	packer->method->destroy(packer);
	free(packer);
}

static int pack_part(struct http_packer *packer, struct iovec part, bool is_last, struct buf *out)
{
	int r;

	do {
		if (!buf_reserve(out, GROWTH))
			return -ENOMEM;
		r = packer->method->step(packer, &part, is_last, out);
	} while (r > 0);
	return r;
}

int http_pack(struct http_packer *packer, const struct iovec *parts, size_t count, struct buf *out)
{
	static char nothing[1];
	int r = packer->method->begin(packer);

	buf_clear(out);
	for (size_t i = 0; i < count && r == 0; i++)
		r = pack_part(packer, parts[i], false, out);
	return r ? r : pack_part(packer, (struct iovec){nothing, 0}, true, out);
}
