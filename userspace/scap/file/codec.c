/* SPDX-License-Identifier: MIT */
/* gzip by zlib, zstd by libzstd. */
#include "scap/file/codec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
	MAGIC_BYTES = 4,
	GZIP_WINDOW_BITS = 15 + 16, /* the largest window; a gzip header is expected */
	/* 8 MiB: enough for all levels without --ultra. The window is resident memory. */
	ZSTD_WINDOW_LOG_MAX = 23,
};

struct gzip {
	z_stream stream;
	bool between; /* a member ended, the next has not begun */
};

static bool gzip_knows(const uint8_t *bytes)
{
	return bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static void *gzip_create(void)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	if (gzip && inflateInit2(&gzip->stream, GZIP_WINDOW_BITS) != Z_OK) {
		free(gzip);
		return NULL;
	}
	return gzip;
}

/* Tapes and block devices pad with zeros. Anything else begins the next member. */
static const char *gzip_begin_member(struct gzip *gzip, struct codec_span *in)
{
	for (; in->left && *in->at == 0; in->at++)
		in->left--;
	if (in->left == 0)
		return NULL;
	if (*in->at != 0x1f)
		return "something that is not gzip follows the gzip data";
	gzip->between = false;
	inflateReset(&gzip->stream);
	return NULL;
}

static unsigned int bytes_at_once(size_t left)
{
	return left < UINT_MAX ? (unsigned int)left : UINT_MAX;
}

static const char *gzip_inflate(struct gzip *gzip, struct codec_span *in, struct codec_span *out)
{
	z_stream *stream = &gzip->stream;
	int result;

	stream->next_in = in->at;
	stream->avail_in = bytes_at_once(in->left);
	stream->next_out = out->at;
	stream->avail_out = bytes_at_once(out->left);
	result = inflate(stream, Z_NO_FLUSH);
	in->left -= (size_t)(stream->next_in - in->at);
	in->at = stream->next_in;
	out->left -= (size_t)(stream->next_out - out->at);
	out->at = stream->next_out;
	gzip->between = result == Z_STREAM_END;
	if (result == Z_MEM_ERROR)
		return "no memory to unpack the gzip data";
	return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR
		       ? NULL
		       : "the gzip data are corrupt";
}

static const char *gzip_run(void *state, struct codec_span *in, struct codec_span *out)
{
	struct gzip *gzip = state;
	const char *problem = NULL;

	do {
		if (gzip->between)
			problem = gzip_begin_member(gzip, in);
		if (!problem && !gzip->between)
			problem = gzip_inflate(gzip, in, out);
	} while (!problem && in->left && out->left);
	return problem;
}

static bool gzip_is_whole(const void *state)
{
	return ((const struct gzip *)state)->between;
}

static void gzip_destroy(void *state)
{
	struct gzip *gzip = state;

	inflateEnd(&gzip->stream);
	free(gzip);
}

struct zstd {
	ZSTD_DStream *stream;
	bool between; /* a frame ended, the next has not begun */
};

static uint32_t magic_of(const uint8_t *bytes)
{
	uint32_t magic;

	memcpy(&magic, bytes, sizeof(magic));
	return magic;
}

static bool zstd_knows(const uint8_t *bytes)
{
	uint32_t magic = magic_of(bytes);

	return magic == ZSTD_MAGICNUMBER ||
	       (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

static void zstd_destroy(void *state)
{
	struct zstd *zstd = state;

	ZSTD_freeDStream(zstd->stream);
	free(zstd);
}

static void *zstd_create(void)
{
	struct zstd *zstd = calloc(1, sizeof(*zstd));

	if (!zstd)
		return NULL;
	zstd->stream = ZSTD_createDStream();
	if (!zstd->stream || ZSTD_isError(ZSTD_DCtx_setParameter(zstd->stream, ZSTD_d_windowLogMax,
								 ZSTD_WINDOW_LOG_MAX))) {
		zstd_destroy(zstd);
		return NULL;
	}
	return zstd;
}

static const char *zstd_problem(size_t result)
{
	switch (ZSTD_getErrorCode(result)) {
	case ZSTD_error_frameParameter_windowTooLarge:
		return "the zstd data need a window of more than 8 MiB: unpack them with "
		       "zstd -d --long=31 first";
	case ZSTD_error_memory_allocation:
		return "no memory to unpack the zstd data";
	case ZSTD_error_prefix_unknown:
		return "something that is not zstd follows the zstd data";
	default:
		return "the zstd data are corrupt";
	}
}

static const char *zstd_run(void *state, struct codec_span *in, struct codec_span *out)
{
	struct zstd *zstd = state;
	ZSTD_inBuffer from = {in->at, in->left, 0};
	ZSTD_outBuffer to = {out->at, out->left, 0};
	size_t result;

	/* Without input, ZSTD_decompressStream() would ask for the next frame. */
	if (zstd->between && in->left == 0)
		return NULL;
	do {
		result = ZSTD_decompressStream(zstd->stream, &to, &from);
		zstd->between = result == 0;
	} while (!ZSTD_isError(result) && from.pos < from.size && to.pos < to.size);
	in->at += from.pos;
	in->left -= from.pos;
	out->at += to.pos;
	out->left -= to.pos;
	return ZSTD_isError(result) ? zstd_problem(result) : NULL;
}

static bool zstd_is_whole(const void *state)
{
	return ((const struct zstd *)state)->between;
}

static const struct codec codecs[] = {
	{"gzip", gzip_knows, gzip_create, gzip_run, gzip_is_whole, gzip_destroy},
	{"zstd", zstd_knows, zstd_create, zstd_run, zstd_is_whole, zstd_destroy},
};

const struct codec *codec_find(const uint8_t *bytes, size_t len)
{
	if (len < MAGIC_BYTES)
		return NULL;
	for (size_t i = 0; i < sizeof(codecs) / sizeof(*codecs); i++)
		if (codecs[i].knows(bytes))
			return &codecs[i];
	return NULL;
}
