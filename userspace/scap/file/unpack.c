/* SPDX-License-Identifier: MIT */
/*
 * gzip by zlib, zstd by libzstd; a ring of chunks between the decompression thread and the reader.
 */
#include "scap/file/unpack.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "util/count.h"

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

static void *unpack_gzip_create(void)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	if (gzip && inflateInit2(&gzip->stream, GZIP_WINDOW_BITS) != Z_OK) {
		free(gzip);
		return NULL;
	}
	return gzip;
}

/* Tapes and block devices pad with zeros. Anything else begins the next member. */
static const char *gzip_begin_member(struct gzip *gzip, struct unpack_span *in)
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

static const char *gzip_inflate(struct gzip *gzip, struct unpack_span *in, struct unpack_span *out)
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

static const char *gzip_run(void *state, struct unpack_span *in, struct unpack_span *out)
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

static void unpack_gzip_destroy(void *state)
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

static void unpack_zstd_destroy(void *state)
{
	struct zstd *zstd = state;

	ZSTD_freeDStream(zstd->stream);
	free(zstd);
}

static void *unpack_zstd_create(void)
{
	struct zstd *zstd = calloc(1, sizeof(*zstd));

	if (!zstd)
		return NULL;
	zstd->stream = ZSTD_createDStream();
	if (!zstd->stream || ZSTD_isError(ZSTD_DCtx_setParameter(zstd->stream, ZSTD_d_windowLogMax,
								 ZSTD_WINDOW_LOG_MAX))) {
		unpack_zstd_destroy(zstd);
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

static const char *zstd_run(void *state, struct unpack_span *in, struct unpack_span *out)
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

static const struct unpack_codec codecs[] = {
	{"gzip", gzip_knows, unpack_gzip_create, gzip_run, gzip_is_whole, unpack_gzip_destroy},
	{"zstd", zstd_knows, unpack_zstd_create, zstd_run, zstd_is_whole, unpack_zstd_destroy},
};

const struct unpack_codec *unpack_codec_find(const uint8_t *bytes, size_t len)
{
	if (len < MAGIC_BYTES)
		return NULL;
	for (size_t i = 0; i < COUNT(codecs); i++)
		if (codecs[i].knows(bytes))
			return &codecs[i];
	return NULL;
}

/*
 * A ring of chunks between the decompression thread and the reader. Each counts the chunks it has
 * processed and notifies the other by an eventfd, so that both can also wait for other things: the
 * thread for its input, the reader for a signal.
 */

enum { CHUNKS = 4, CHUNK_BYTES = 256 << 10, INPUT_BYTES = SCAP_UNPACK_HEAD_MAX };

struct unpack_chunk {
	size_t len;
	int code; /* after its bytes: 0: the next chunk follows, -ENODATA: the end, or an error */
	uint8_t data[CHUNK_BYTES];
};

struct scap_unpack {
	const struct unpack_codec *codec;
	void *state;
	int fd;
	bool waits;
	struct unpack_span input;
	bool full; /* the last chunk was filled: more output may need no further input */

	pthread_t thread;
	bool started;
	atomic_bool stop;
	atomic_uint filled, emptied; /* chunks so far */
	atomic_uint_fast64_t bytes_read;
	int filled_fd, emptied_fd; /* notified of each; the second also stops the thread */
	size_t taken; /* consumed bytes of the current chunk */
	char problem[256]; /* written before the last chunk is handed over */
	struct unpack_chunk *chunks;
	uint8_t input_bytes[INPUT_BYTES];
};

static void unpack_wake(int event_fd)
{
	uint64_t one = 1;

	/* It fails only after 2^64 unread notifications. */
	while (write(event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void clear(int event_fd)
{
	uint64_t count;

	while (read(event_fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

/* Functions of the thread. */

__attribute__((format(printf, 3, 4))) static int fail(struct scap_unpack *unpack, int code,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(unpack->problem, sizeof(unpack->problem), format, args);
	va_end(args);
	return code;
}

/*
 * Whether input or its end is available; false also if the thread has to stop. A negative timeout:
 * waits.
 */
static bool input_is_there(struct scap_unpack *unpack, int timeout_ms)
{
	struct pollfd polled[] = {{.fd = unpack->fd, .events = POLLIN},
				  {.fd = unpack->emptied_fd, .events = POLLIN}};

	while (!atomic_load(&unpack->stop)) {
		if (!unpack->waits)
			return true;
		poll(polled, 2, timeout_ms);
		if (polled[0].revents)
			return true;
		if (timeout_ms == 0)
			return false;
		clear(unpack->emptied_fd);
	}
	return false;
}

/* Returns 0; -EAGAIN if there is no input now; or -errno that ends the file. */
static int read_input(struct scap_unpack *unpack, bool may_wait)
{
	ssize_t n;

	if (!input_is_there(unpack, may_wait ? -1 : 0))
		return -EAGAIN;
	n = read(unpack->fd, unpack->input_bytes, INPUT_BYTES);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return -EAGAIN;
	if (n < 0)
		return fail(unpack, -errno, "it cannot be read on: %s", strerror(errno));
	if (n == 0)
		return unpack->codec->is_whole(unpack->state)
			       ? -ENODATA
			       : fail(unpack, -EPIPE, "the %s data end too early",
				      unpack->codec->name);
	atomic_fetch_add(&unpack->bytes_read, (uint64_t)n);
	unpack->input = (struct unpack_span){unpack->input_bytes, (size_t)n};
	return 0;
}

/* Fills a chunk until it is full or input would block. Sets its `code`. */
static void fill_chunk(struct scap_unpack *unpack, struct unpack_chunk *chunk)
{
	struct unpack_span room = {chunk->data, CHUNK_BYTES};

	chunk->code = 0;
	while (room.left && chunk->code == 0) {
		const char *problem;

		if (unpack->input.left == 0 && !unpack->full)
			chunk->code = read_input(unpack, room.left == CHUNK_BYTES);
		if (chunk->code)
			break;
		problem = unpack->codec->run(unpack->state, &unpack->input, &room);
		unpack->full = room.left == 0;
		if (problem)
			chunk->code =
				fail(unpack, -EBADMSG, "%s (before byte %llu of the file)", problem,
				     (unsigned long long)(atomic_load(&unpack->bytes_read) -
							  unpack->input.left));
	}
	if (chunk->code == -EAGAIN)
		chunk->code = 0;
	chunk->len = CHUNK_BYTES - room.left;
}

/* Waits for an emptied chunk. NULL: the thread has to stop. */
static struct unpack_chunk *wait_for_chunk(struct scap_unpack *unpack, unsigned int filled)
{
	struct pollfd polled = {.fd = unpack->emptied_fd, .events = POLLIN};

	while (!atomic_load(&unpack->stop)) {
		if (filled - atomic_load(&unpack->emptied) < CHUNKS)
			return &unpack->chunks[filled % CHUNKS];
		poll(&polled, 1, -1);
		clear(unpack->emptied_fd);
	}
	return NULL;
}

static void *unpack_work(void *arg)
{
	struct scap_unpack *unpack = arg;
	int r = 0;

	while (r == 0) {
		unsigned int filled = atomic_load(&unpack->filled);
		struct unpack_chunk *chunk = wait_for_chunk(unpack, filled);

		if (!chunk)
			break;
		fill_chunk(unpack, chunk);
		r = chunk->code;
		atomic_store(&unpack->filled, filled + 1);
		unpack_wake(unpack->filled_fd);
	}
	return NULL;
}

/* Functions of the reader. */

/* Waits for a filled chunk. Returns NULL on timeout or if a signal arrived. */
static struct unpack_chunk *filled_chunk(struct scap_unpack *unpack, int timeout_ms)
{
	struct pollfd polled = {.fd = unpack->filled_fd, .events = POLLIN};
	unsigned int emptied = atomic_load(&unpack->emptied);

	while (atomic_load(&unpack->filled) == emptied) {
		if (poll(&polled, 1, timeout_ms) <= 0)
			return NULL;
		clear(unpack->filled_fd);
	}
	return &unpack->chunks[emptied % CHUNKS];
}

ptrdiff_t scap_unpack_take(struct scap_unpack *unpack, void *to, size_t room, int timeout_ms)
{
	for (;;) {
		struct unpack_chunk *chunk = filled_chunk(unpack, timeout_ms);
		size_t n;

		if (!chunk)
			return 0;
		n = chunk->len - unpack->taken < room ? chunk->len - unpack->taken : room;
		if (n) {
			memcpy(to, chunk->data + unpack->taken, n);
			unpack->taken += n;
			return (ptrdiff_t)n;
		}
		/* The last one stays: later calls return its code again. */
		if (chunk->code)
			return chunk->code;
		unpack->taken = 0;
		atomic_fetch_add(&unpack->emptied, 1);
		unpack_wake(unpack->emptied_fd);
	}
}

const char *scap_unpack_problem(const struct scap_unpack *unpack)
{
	return unpack->problem;
}

uint64_t scap_unpack_bytes_read(const struct scap_unpack *unpack)
{
	return atomic_load(&unpack->bytes_read);
}

/* Blocks signals: the reader handles them between events. */
static int unpack_start_thread(struct scap_unpack *unpack)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&unpack->thread, NULL, unpack_work, unpack);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	unpack->started = r == 0;
	return -r;
}

int scap_unpack_start(const struct unpack_codec *codec, int fd, bool waits, const void *head,
		      size_t len, struct scap_unpack **unpack)
{
	struct scap_unpack *made = malloc(sizeof(*made));
	int r = -ENOMEM;

	if (!made)
		return -ENOMEM;
	memset(made, 0, offsetof(struct scap_unpack, input_bytes));
	made->filled_fd = made->emptied_fd = -1;
	made->codec = codec;
	made->fd = fd;
	made->waits = waits;
	memcpy(made->input_bytes, head, len);
	made->input = (struct unpack_span){made->input_bytes, len};
	atomic_store(&made->bytes_read, len);
	made->filled_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	made->emptied_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (made->filled_fd < 0 || made->emptied_fd < 0) {
		r = -errno;
		goto out;
	}
	made->chunks = malloc(CHUNKS * sizeof(*made->chunks));
	made->state = codec->create();
	if (!made->chunks || !made->state)
		goto out;
	r = unpack_start_thread(made);
	if (r)
		goto out;
	*unpack = made;
	return 0;
out:
	scap_unpack_stop(made);
	return r;
}

void scap_unpack_stop(struct scap_unpack *unpack)
{
	if (!unpack)
		return;
	if (unpack->started) {
		atomic_store(&unpack->stop, true);
		unpack_wake(unpack->emptied_fd);
		pthread_join(unpack->thread, NULL);
	}
	if (unpack->state)
		unpack->codec->destroy(unpack->state);
	if (unpack->filled_fd >= 0)
		close(unpack->filled_fd);
	if (unpack->emptied_fd >= 0)
		close(unpack->emptied_fd);
	free(unpack->chunks);
	free(unpack);
}
