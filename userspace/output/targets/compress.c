/* SPDX-License-Identifier: MIT */
/* gzip and zstd, a buffer at a time. */
#include "output/targets/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

enum {
	IN_BYTES = 256 * 1024,
	OUT_BYTES = 128 * 1024,
	GZIP_LEVEL = 6,
	ZSTD_LEVEL = 6,
	GZIP_WINDOW = 15 + 16, /* the largest, with header and trailer of gzip */
	GZIP_MEMORY = 8,
};

const char *const COMPRESS_WORDS[] = {"none", "gzip", "zstd", NULL};

struct job {
	void *state; /* of the compressor */
	uint8_t *in, *out; /* owned */
	size_t in_len;
	int to;
};

struct method {
	const char *end;
	void *(*create)(void); /* NULL: out of memory */
	int (*put)(struct job *job, bool last); /* all that is in `in` */
	void (*destroy)(void *state);
};

static int compress_write_all(int fd, const uint8_t *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static void *compress_gzip_create(void)
{
	z_stream *stream = calloc(1, sizeof(*stream));

	if (stream && deflateInit2(stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
				   Z_DEFAULT_STRATEGY) != Z_OK) {
		free(stream);
		stream = NULL;
	}
	return stream;
}

static int compress_gzip_put(struct job *job, bool last)
{
	z_stream *stream = job->state;
	int r;

	stream->next_in = job->in;
	stream->avail_in = (uInt)job->in_len;
	do {
		stream->next_out = job->out;
		stream->avail_out = OUT_BYTES;
		deflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
		r = compress_write_all(job->to, job->out, OUT_BYTES - stream->avail_out);
	} while (r == 0 && stream->avail_out == 0);
	return r;
}

static void compress_gzip_destroy(void *state)
{
	deflateEnd(state);
	free(state);
}

static void *compress_zstd_create(void)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();

	if (context) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, ZSTD_LEVEL);
		ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	}
	return context;
}

static int compress_zstd_put(struct job *job, bool last)
{
	ZSTD_inBuffer in = {.src = job->in, .size = job->in_len};
	size_t left;
	int r;

	do {
		ZSTD_outBuffer out = {.dst = job->out, .size = OUT_BYTES};

		left = ZSTD_compressStream2(job->state, &out, &in,
					    last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -ENOMEM; /* it allocates on its first use */
		r = compress_write_all(job->to, job->out, out.pos);
	} while (r == 0 && (last ? left > 0 : in.pos < in.size));
	return r;
}

static void compress_zstd_destroy(void *state)
{
	ZSTD_freeCCtx(state);
}

static const struct method methods[] = {
	[COMPRESS_NONE] = {.end = ""},
	[COMPRESS_GZIP] = {".gz", compress_gzip_create, compress_gzip_put, compress_gzip_destroy},
	[COMPRESS_ZSTD] = {".zst", compress_zstd_create, compress_zstd_put, compress_zstd_destroy},
};

const char *compress_end(enum compress_method method)
{
	return methods[method].end;
}

static int compress_run(const struct method *method, struct job *job, int from,
			const struct output_stop *stop, uint64_t *bytes)
{
	uint64_t total = 0;
	int r;

	do {
		ssize_t n = read(from, job->in, IN_BYTES);

		if (n < 0)
			return -errno;
		if (output_is_stopped(stop))
			return -ECANCELED;
		job->in_len = (size_t)n;
		total += job->in_len;
		r = method->put(job, n == 0);
	} while (r == 0 && job->in_len);
	if (r == 0)
		*bytes = total;
	return r;
}

int compress_file(enum compress_method name, int from, int to, const struct output_stop *stop,
		  uint64_t *bytes)
{
	const struct method *method = &methods[name];
	struct job job = {.state = method->create(), .to = to};
	int r = -ENOMEM;

	job.in = malloc(IN_BYTES);
	job.out = malloc(OUT_BYTES);
	if (job.state && job.in && job.out)
		r = compress_run(method, &job, from, stop, bytes);
	if (job.state)
		method->destroy(job.state);
	free(job.in);
	free(job.out);
	return r;
}
