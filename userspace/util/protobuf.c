/* SPDX-License-Identifier: MIT */
#include "util/protobuf.h"

#include "util/utf8.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Makes room for `n` bytes at `at`. Returns false if out of memory. */
static bool make_room(struct buf *out, size_t at, size_t n)
{
	if (!buf_reserve(out, n))
		return false;
	memmove(out->data + at + n, out->data + at, out->len - at);
	out->len += n;
	return true;
}

void proto_end(struct buf *out, size_t begin)
{
	char length[PROTO_VARINT_MAX];
	size_t n;

	if (out->failed)
		return;
	n = proto_write_varint(length, out->len - begin);
	if (n == 1 || make_room(out, begin, n - 1))
		memcpy(out->data + begin - 1, length, n);
}

void proto_delimit(struct buf *out, size_t start)
{
	char length[PROTO_VARINT_MAX];
	size_t n;

	if (out->failed)
		return;
	n = proto_write_varint(length, out->len - start);
	if (make_room(out, start, n))
		memcpy(out->data + start, length, n);
}

size_t proto_length_bytes(const char *record, size_t len)
{
	size_t n = 0;

	while (n < len && record[n] & 0x80)
		n++;
	return n < len ? n + 1 : len;
}

static size_t count_ascii(const char *text, size_t len)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	uint64_t word;
	size_t n = 0;

	for (; n + sizeof(word) <= len; n += sizeof(word)) {
		memcpy(&word, text + n, sizeof(word));
		if (word & high)
			break;
	}
	while (n < len && !((uint8_t)text[n] & 0x80))
		n++;
	return n;
}

/* The bytes at the beginning that are UTF-8. */
static size_t count_valid(const char *text, size_t len)
{
	size_t valid = 0, n;
	uint32_t code_point;

	do {
		valid += count_ascii(text + valid, len - valid);
		n = valid < len ? utf8_decode(text + valid, len - valid, &code_point) : 0;
		valid += n;
	} while (n);
	return valid;
}

bool proto_text(struct buf *out, const char *text, size_t len)
{
	/* An empty text may be at NULL. */
	size_t valid = len ? count_valid(text, len) : 0, begin;

	if (valid == len) {
		proto_bytes(out, text, len);
		return true;
	}
	begin = proto_begin(out);
	while (len) {
		buf_append(out, text, valid);
		text += valid;
		len -= valid;
		if (len == 0)
			break;
		buf_append(out, replacement, sizeof(replacement) - 1);
		text++;
		len--;
		valid = count_valid(text, len);
	}
	proto_end(out, begin);
	return false;
}
