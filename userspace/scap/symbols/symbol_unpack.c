/* SPDX-License-Identifier: MIT */
/* liblzma, with limits on its memory and on what comes out. */
#include "scap/symbols/symbol_unpack.h"

#include <errno.h>

#ifdef HAVE_LZMA
#include <lzma.h>

enum { UNPACK_MEMORY_BYTES = 64 << 20, UNPACK_CHUNK_BYTES = 1 << 16 };

/* What the next call may write. Returns 0, -EFBIG or -ENOMEM. */
static int make_room(lzma_stream *stream, size_t max, struct buf *out)
{
	if (out->len >= max)
		return -EFBIG;
	if (!buf_reserve(out, UNPACK_CHUNK_BYTES))
		return -ENOMEM;
	stream->next_out = (uint8_t *)out->data + out->len;
	stream->avail_out = UNPACK_CHUNK_BYTES;
	return 0;
}

static int unpack_error(lzma_ret r)
{
	if (r == LZMA_MEM_ERROR)
		return -ENOMEM;
	return r == LZMA_MEMLIMIT_ERROR ? -EFBIG : -EBADMSG;
}

int symbol_unpack(const void *bytes, size_t len, size_t max, struct buf *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret r = lzma_stream_decoder(&stream, UNPACK_MEMORY_BYTES, 0);
	int error = 0;

	stream.next_in = bytes;
	stream.avail_in = len;
	while (r == LZMA_OK && error == 0) {
		error = make_room(&stream, max, out);
		if (error)
			break;
		r = lzma_code(&stream, LZMA_FINISH);
		out->len += UNPACK_CHUNK_BYTES - stream.avail_out;
	}
	lzma_end(&stream);
	if (error == 0 && r != LZMA_STREAM_END)
		error = unpack_error(r);
	return error;
}
#else
int symbol_unpack(const void *bytes, size_t len, size_t max, struct buf *out)
{
	return -ENOENT;
}
#endif
