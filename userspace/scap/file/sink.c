/* SPDX-License-Identifier: MIT */
/* Output of blocks: the buffer, compression, and failed writes. */
#include "scap/file/sink.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "scap/file/format.h"
#include "util/count.h"

enum {
	BUFFER_BYTES = 256 * 1024,
	COMPRESSED_BYTES = 128 * 1024,
	/* Fast levels: captures are so repetitive that higher levels gain little. */
	GZIP_LEVEL = 1,
	ZSTD_LEVEL = 1,
	GZIP_WINDOW = 15 + 16, /* the largest, with header and trailer of gzip */
	GZIP_MEMORY = 8,
};

/* How much output a codec has to produce. */
enum sink_end { SINK_MORE, SINK_FLUSH, SINK_END };

struct sink_codec {
	int (*create)(void **state); /* 0 or -errno */
	int (*put)(struct scap_sink *sink, enum sink_end end); /* all that is in the buffer */
	void (*destroy)(void *state);
};

/* Handles a failed write. Returns 0 to try again, or -errno. */
static int sink_handle_failure(struct scap_sink *sink, int code)
{
	struct pollfd poll_fd = {.fd = sink->fd, .events = POLLOUT};

	if (code == EAGAIN)
		code = poll(&poll_fd, 1, -1) < 0 ? errno : 0;
	if (code == EINTR)
		code = sink->give_up && sink->give_up() ? EINTR : 0;
	return -code;
}

/* Writes all. `*done` is always set to the number of bytes written. */
static int sink_write_all(struct scap_sink *sink, const uint8_t *bytes, size_t len, size_t *done)
{
	int r = 0;

	*done = 0;
	while (*done < len && r == 0) {
		ssize_t n = write(sink->fd, bytes + *done, len - *done);

		if (n <= 0)
			r = sink_handle_failure(sink, n < 0 ? errno : EIO);
		else
			*done += (size_t)n;
	}
	sink->bytes_stored += *done;
	return r;
}

/* How many of the first `len` bytes of the buffer are whole blocks. */
static size_t whole_blocks(const uint8_t *blocks, size_t len)
{
	struct scap_block_header header;
	size_t at = 0;

	while (len - at >= sizeof(header)) {
		memcpy(&header, blocks + at, sizeof(header));
		if (header.len > len - at)
			break;
		at += header.len;
	}
	return at;
}

/*
 * Removes a partial block from the end of a file, to which the first `stored` bytes of the buffer
 * were written. Not possible for pipes, nor for files that another process appended to.
 */
static void sink_cut_back(struct scap_sink *sink, size_t stored)
{
	size_t more = stored - whole_blocks(sink->blocks, stored);
	off_t end = lseek(sink->fd, 0, SEEK_CUR);
	struct stat stat;

	if (more == 0 || fstat(sink->fd, &stat) || !S_ISREG(stat.st_mode) || stat.st_size != end)
		return;
	end -= (off_t)more;
	if (ftruncate(sink->fd, end) == 0 && lseek(sink->fd, end, SEEK_SET) == end)
		sink->bytes_stored -= more;
}

static int plain_put(struct scap_sink *sink, enum sink_end end)
{
	size_t done;
	int r = sink_write_all(sink, sink->blocks, sink->len, &done);

	if (r < 0)
		sink_cut_back(sink, done);
	return r;
}

static int sink_gzip_create(void **state)
{
	z_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return -ENOMEM;
	if (deflateInit2(stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(stream);
		return -ENOMEM;
	}
	*state = stream;
	return 0;
}

static int sink_gzip_put(struct scap_sink *sink, enum sink_end end)
{
	static const int modes[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH};
	z_stream *stream = sink->codec_state;
	size_t done;
	int r;

	stream->next_in = sink->blocks;
	stream->avail_in = (uInt)sink->len;
	do {
		stream->next_out = sink->compressed;
		stream->avail_out = COMPRESSED_BYTES;
		deflate(stream, modes[end]);
		r = sink_write_all(sink, sink->compressed, COMPRESSED_BYTES - stream->avail_out,
				   &done);
	} while (r == 0 && stream->avail_out == 0);
	return r;
}

static void sink_gzip_destroy(void *state)
{
	deflateEnd(state);
	free(state);
}

static int sink_zstd_create(void **state)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();

	if (!context)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	*state = context;
	return 0;
}

static int sink_zstd_put(struct scap_sink *sink, enum sink_end end)
{
	static const ZSTD_EndDirective modes[] = {ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end};
	ZSTD_inBuffer in = {.src = sink->blocks, .size = sink->len};
	size_t left, done;
	int r;

	do {
		ZSTD_outBuffer out = {.dst = sink->compressed, .size = COMPRESSED_BYTES};

		left = ZSTD_compressStream2(sink->codec_state, &out, &in, modes[end]);
		if (ZSTD_isError(left))
			return -ENOMEM; /* it allocates on its first use */
		r = sink_write_all(sink, sink->compressed, out.pos, &done);
	} while (r == 0 && (end == SINK_MORE ? in.pos < in.size : left > 0));
	return r;
}

static void sink_zstd_destroy(void *state)
{
	ZSTD_freeCCtx(state);
}

static const struct sink_codec codecs[] = {
	[SCAP_PLAIN] = {.put = plain_put},
	[SCAP_GZIP] = {sink_gzip_create, sink_gzip_put, sink_gzip_destroy},
	[SCAP_ZSTD] = {sink_zstd_create, sink_zstd_put, sink_zstd_destroy},
};

static void free_all(struct scap_sink *sink)
{
	if (sink->codec_state)
		sink->codec->destroy(sink->codec_state);
	free(sink->compressed);
	free(sink->blocks);
	sink->codec_state = NULL;
	sink->compressed = sink->blocks = NULL;
	sink->len = sink->capacity = 0;
}

int scap_sink_init(struct scap_sink *sink, int fd, const char *name,
		   enum scap_compression compression)
{
	int r = 0;

	*sink = (struct scap_sink){.codec = &codecs[compression], .fd = fd, .name = name};
	sink->blocks = malloc(BUFFER_BYTES);
	sink->capacity = BUFFER_BYTES;
	if (sink->codec->create) {
		sink->compressed = malloc(COMPRESSED_BYTES);
		r = sink->compressed ? sink->codec->create(&sink->codec_state) : -ENOMEM;
	}
	if (!sink->blocks || r < 0) {
		free_all(sink);
		return -ENOMEM;
	}
	return 0;
}

int scap_sink_fail(struct scap_sink *sink, int error)
{
	if (sink->error == 0)
		sink->error = error;
	sink->len = sink->capacity = 0;
	return sink->error;
}

/* Passes the blocks to the codec. */
static int sink_drain(struct scap_sink *sink, enum sink_end end)
{
	int r;

	if (sink->error)
		return sink->error;
	if (sink->len == 0 && !sink->unflushed && end != SINK_END)
		return 0;
	r = sink->codec->put(sink, end);
	if (r < 0)
		return scap_sink_fail(sink, r);
	sink->unflushed = end == SINK_MORE;
	sink->bytes += sink->len;
	if (end != SINK_MORE || !sink->compressed)
		sink->bytes_safe = sink->bytes;
	sink->len = 0;
	return 0;
}

int scap_sink_make_room(struct scap_sink *sink, size_t bytes)
{
	uint8_t *larger;
	int r = sink_drain(sink, SINK_MORE);

	if (r < 0 || bytes <= sink->capacity)
		return r;
	larger = realloc(sink->blocks, bytes);
	if (!larger)
		return scap_sink_fail(sink, -ENOMEM);
	sink->blocks = larger;
	sink->capacity = bytes;
	return 0;
}

int scap_sink_flush(struct scap_sink *sink)
{
	return sink_drain(sink, SINK_FLUSH);
}

int scap_sink_finish(struct scap_sink *sink)
{
	int r = sink_drain(sink, SINK_END);

	free_all(sink);
	return r;
}

/* Advice for some errors. */
static const struct {
	int code;
	const char *text;
} advice[] = {
	{ENOSPC, "; free some space, or write to another disk"},
	{EDQUOT, "; free some space, or have the quota raised"},
	{EFBIG, "; neither the limit of the shell (ulimit -f) nor the file system lets files grow "
		"beyond this"},
	{EPIPE, "; its reader is gone"},
};

int scap_sink_result(const struct scap_sink *sink, struct error *err)
{
	const char *more = "";

	if (sink->error == 0)
		return 0;
	for (size_t i = 0; i < COUNT(advice); i++)
		if (advice[i].code == -sink->error)
			more = advice[i].text;
	return error_set(err, sink->error, "cannot write to %s: %s%s", sink->name,
			 strerror(-sink->error), more);
}
