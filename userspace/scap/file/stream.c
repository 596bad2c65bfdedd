/* SPDX-License-Identifier: MIT */
/* One buffer, filled by read() or by the decompression thread. */
#include "scap/file/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/file/unpack.h"

enum {
	/* Fits into the cache of a core. */
	READ_BYTES = 256 << 10,
	BUFFER_BYTES = 2 * READ_BYTES,
	MAGIC_BYTES = 4, /* show whether it is compressed */
};

_Static_assert((int)BUFFER_BYTES <= (int)SCAP_UNPACK_HEAD_MAX, "a thread takes over what was read");

struct stream {
	struct scap_stream front; /* the unread part of the buffer */
	uint8_t *buffer;
	size_t capacity;
	uint64_t came; /* bytes stored in the buffer so far */
	int fd;
	bool owned; /* the descriptor */
	bool regular; /* reading does not block */
	uint64_t bytes;
	uint64_t bytes_read; /* if no thread decompresses it */
	struct scap_unpack *unpack;
	char problem[256];
};

/* Whether data or the end can be read. */
static bool stream_is_readable(const struct stream *stream, int timeout_ms)
{
	struct pollfd polled = {.fd = stream->fd, .events = POLLIN};

	return stream->regular || poll(&polled, 1, timeout_ms) > 0;
}

/* Returns the number of bytes read, 0 for none, or -errno. */
static ptrdiff_t read_plain(struct stream *stream, void *to, size_t room, int timeout_ms)
{
	ssize_t n;

	if (!stream_is_readable(stream, timeout_ms))
		return 0;
	n = read(stream->fd, to, room);
	if (n > 0) {
		stream->bytes_read += (uint64_t)n;
		return n;
	}
	if (n == 0)
		return -ENODATA;
	if (errno == EINTR || errno == EAGAIN)
		return 0;
	n = -errno;
	snprintf(stream->problem, sizeof(stream->problem), "it cannot be read on: %s",
		 strerror(errno));
	return n;
}

/* Moves the unread part to the front of the buffer, and grows the buffer if that fills it. */
static bool stream_make_room(struct stream *stream)
{
	struct scap_stream *front = &stream->front;
	uint8_t *larger;

	if (front->data != stream->buffer)
		memmove(stream->buffer, front->data, front->len);
	front->data = stream->buffer;
	if (front->len < stream->capacity)
		return true;
	larger = realloc(stream->buffer, 2 * stream->capacity);
	if (!larger)
		return false;
	stream->buffer = front->data = larger;
	stream->capacity *= 2;
	return true;
}

/* Returns as read_plain() does. */
static ptrdiff_t stream_fill(struct stream *stream, int timeout_ms)
{
	uint8_t *end;
	size_t room;
	ptrdiff_t n;

	if (!stream_make_room(stream)) {
		snprintf(stream->problem, sizeof(stream->problem), "no memory to read it on");
		return -ENOMEM;
	}
	end = stream->front.data + stream->front.len;
	room = stream->capacity - stream->front.len;
	room = room < READ_BYTES ? room : READ_BYTES;
	n = stream->unpack ? scap_unpack_take(stream->unpack, end, room, timeout_ms)
			   : read_plain(stream, end, room, timeout_ms);
	if (n > 0) {
		stream->front.len += (size_t)n;
		stream->came += (uint64_t)n;
	}
	return n;
}

int scap_stream_wait(struct scap_stream *front, size_t n, int timeout_ms)
{
	struct stream *stream = (struct stream *)front;

	while (front->len < n) {
		ptrdiff_t more = stream_fill(stream, timeout_ms);

		if (more <= 0)
			return (int)more;
		/* The timeout is used up: read more only if it is available. */
		timeout_ms = timeout_ms < 0 ? timeout_ms : 0;
	}
	return 1;
}

uint64_t scap_stream_offset(const struct scap_stream *front)
{
	return ((const struct stream *)front)->came - front->len;
}

const char *scap_stream_problem(const struct scap_stream *front)
{
	const struct stream *stream = (const struct stream *)front;

	return stream->problem[0] || !stream->unpack ? stream->problem
						     : scap_unpack_problem(stream->unpack);
}

uint64_t scap_stream_bytes_read(const struct scap_stream *front)
{
	const struct stream *stream = (const struct stream *)front;

	return stream->unpack ? scap_unpack_bytes_read(stream->unpack) : stream->bytes_read;
}

uint64_t scap_stream_bytes(const struct scap_stream *front)
{
	return ((const struct stream *)front)->bytes;
}

static int stream_open_file(struct stream *stream, const char *path, struct error *err)
{
	struct stat stat;

	stream->owned = strcmp(path, "-") != 0;
	stream->fd = stream->owned ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (stream->fd < 0 || fstat(stream->fd, &stat) < 0)
		return error_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	if (S_ISDIR(stat.st_mode))
		return error_set(err, -EISDIR, "cannot read %s: it is a directory", path);
	stream->regular = S_ISREG(stat.st_mode);
	if (stream->regular) {
		stream->bytes = (uint64_t)stat.st_size;
		posix_fadvise(stream->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	return 0;
}

/* If the file is compressed, passes the bytes read so far and the descriptor to a thread. */
static int begin_unpacking(struct stream *stream, const char *path, struct error *err)
{
	struct scap_stream *front = &stream->front;
	const struct unpack_codec *codec = unpack_codec_find(front->data, front->len);
	int r;

	if (!codec)
		return 0;
	r = scap_unpack_start(codec, stream->fd, !stream->regular, front->data, front->len,
			      &stream->unpack);
	if (r)
		return error_set(err, r, "cannot unpack %s: %s", path, strerror(-r));
	stream->came = front->len = 0;
	return 0;
}

int scap_stream_open(const char *path, struct scap_stream **opened, struct error *err)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	int r;

	if (!stream)
		return error_set(err, -ENOMEM, "no memory to read %s", path);
	stream->fd = -1;
	stream->capacity = BUFFER_BYTES;
	stream->buffer = stream->front.data = malloc(stream->capacity);
	r = stream->buffer ? stream_open_file(stream, path, err)
			   : error_set(err, -ENOMEM, "no memory to read %s", path);
	if (r)
		goto out;
	r = scap_stream_wait(&stream->front, MAGIC_BYTES, -1);
	if (r == 0)
		r = error_set(err, -EINTR, "interrupted before %s could be read", path);
	else if (r < 0 && r != -ENODATA)
		error_set(err, r, "cannot read %s: %s", path, stream->problem);
	else
		r = begin_unpacking(stream, path, err);
	if (r)
		goto out;
	*opened = &stream->front;
	return 0;
out:
	scap_stream_close(&stream->front);
	return r;
}

void scap_stream_close(struct scap_stream *front)
{
	struct stream *stream = (struct stream *)front;

	if (!stream)
		return;
	scap_unpack_stop(stream->unpack);
	if (stream->owned && stream->fd >= 0)
		close(stream->fd);
	free(stream->buffer);
	free(stream);
}
