/* SPDX-License-Identifier: MIT */
/*
 * By the inflater of nghttp2, whose table has what was added since the side is seen. Indexes count
 * from the newest entry, so those within that table are right; the others are found before the
 * inflater sees them. A name that is not known is given to it as an empty one: the entry is
 * smaller than that of the sender then, so that it stays at least as long.
 */
#include "requests/protocols/hpack.h"

#include <errno.h>
#include <string.h>

#include "util/pool.h"

enum { STATIC_ENTRIES = 61, INTEGER_BITS_MAX = 28 };

/* Memory of the inflater: its size, and what it has. */
struct hpack_block {
	_Alignas(16) size_t bytes;
	_Alignas(16) uint8_t data[];
};

static void *block_malloc(size_t size, void *user)
{
	struct hpack *hpack = user;
	size_t bytes = sizeof(struct hpack_block) + size;
	struct hpack_block *block;

	if (hpack->held + bytes > HPACK_BYTES_MAX || hpack->room->held + bytes > hpack->room->max)
		return NULL;
	block = pool_alloc(hpack->room->pool, bytes);
	if (!block)
		return NULL;
	block->bytes = bytes;
	hpack->held += bytes;
	hpack->room->held += bytes;
	return block->data;
}

static struct hpack_block *block_of(void *data)
{
	return (struct hpack_block *)((uint8_t *)data - sizeof(struct hpack_block));
}

static void block_free(void *data, void *user)
{
	struct hpack *hpack = user;
	struct hpack_block *block;

	if (!data)
		return;
	block = block_of(data);
	hpack->held -= block->bytes;
	hpack->room->held -= block->bytes;
	pool_free(hpack->room->pool, block, block->bytes);
}

static void *block_calloc(size_t count, size_t size, void *user)
{
	size_t bytes;
	void *data;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	data = block_malloc(bytes, user);
	return data ? memset(data, 0, bytes) : NULL;
}

static void *block_realloc(void *data, size_t size, void *user)
{
	void *larger = block_malloc(size, user);
	size_t kept;

	if (!larger || !data)
		return larger;
	kept = block_of(data)->bytes - sizeof(struct hpack_block);
	memcpy(larger, data, kept < size ? kept : size);
	block_free(data, user);
	return larger;
}

void hpack_forget(struct hpack *hpack)
{
	if (hpack->inflater)
		nghttp2_hd_inflate_del(hpack->inflater);
	hpack->inflater = NULL;
}

static int make_inflater(struct hpack *hpack)
{
	if (hpack->inflater)
		return 0;
	hpack->memory = (nghttp2_mem){hpack, block_malloc, block_free, block_calloc, block_realloc};
	if (nghttp2_hd_inflate_new2(&hpack->inflater, &hpack->memory))
		return -ENOMEM;
	/* What a side may use is what the other one allows; whether it does, it says in a block. */
	nghttp2_hd_inflate_change_table_size(hpack->inflater, HPACK_TABLE_MAX);
	return 0;
}

/* How many bits of the first byte of a representation belong to its number. */
static unsigned int prefix_bits(uint8_t first)
{
	if (first & 0x80)
		return 7;
	if (first & 0x40)
		return 6;
	return first & 0x20 ? 5 : 4;
}

static bool is_size_update(uint8_t first)
{
	return (first & 0xe0) == 0x20;
}

/* The number of a representation. Returns its bytes; 0: it is not whole, or too large. */
static size_t read_number(const uint8_t *at, const uint8_t *end, uint32_t *number)
{
	const uint8_t *begin = at;
	uint32_t mask = (1u << prefix_bits(*at)) - 1;

	*number = *at++ & mask;
	if (*number < mask)
		return 1;
	for (unsigned int shift = 0; at < end && shift < INTEGER_BITS_MAX; shift += 7) {
		*number += (uint32_t)(*at & 0x7f) << shift;
		if (!(*at++ & 0x80))
			return (size_t)(at - begin);
	}
	return 0;
}

struct hpack_run {
	struct hpack *hpack;
	const uint8_t *at, *end;
	void (*take)(void *context, struct http_text name, struct http_text value);
	void *context;
	int left_out;
	int error;
	bool is_over;
};

static void fail_block(struct hpack_run *run, int error)
{
	run->error = error;
	run->is_over = true;
}

/* Gives bytes to the inflater. Returns how many it took. */
static size_t inflate_field(struct hpack_run *run, const uint8_t *data, size_t len, bool is_last)
{
	nghttp2_nv field;
	int flags = 0;
	ssize_t used =
		nghttp2_hd_inflate_hd2(run->hpack->inflater, &field, &flags, data, len, is_last);

	if (used < 0) {
		fail_block(run, used == NGHTTP2_ERR_NOMEM ? -ENOMEM : -EBADMSG);
		return 0;
	}
	if (flags & NGHTTP2_HD_INFLATE_EMIT) {
		if (field.namelen)
			run->take(run->context, (struct http_text){field.name, field.namelen},
				  (struct http_text){field.value, field.valuelen});
		else
			run->left_out++;
	}
	run->is_over |= (flags & NGHTTP2_HD_INFLATE_FINAL) != 0;
	return (size_t)used;
}

/* A size that is too large for us leaves the table as large as it is. */
static void take_size(struct hpack_run *run)
{
	uint32_t size;
	size_t bytes = read_number(run->at, run->end, &size);

	if (!bytes)
		fail_block(run, -EBADMSG);
	else if (size <= HPACK_TABLE_MAX)
		inflate_field(run, run->at, bytes, false);
	run->at += bytes;
}

/* An entry that was added before: a whole field, or only its name. */
static void take_unknown(struct hpack_run *run, size_t bytes)
{
	const uint8_t first = *run->at, named[] = {first & 0xc0, 0};

	run->at += bytes;
	if (first & 0x80)
		run->left_out++;
	else
		inflate_field(run, named, sizeof(named), false);
}

/* Whether the next field refers to what is not known; *bytes: of the reference. */
static bool is_unknown(const struct hpack_run *run, size_t *bytes)
{
	uint32_t index;

	*bytes = read_number(run->at, run->end, &index);
	return *bytes && index > STATIC_ENTRIES &&
	       index > nghttp2_hd_inflate_get_num_table_entries(run->hpack->inflater);
}

static void take_next(struct hpack_run *run)
{
	size_t bytes;

	if (run->at < run->end && is_size_update(*run->at)) {
		take_size(run);
		return;
	}
	if (run->at < run->end && is_unknown(run, &bytes)) {
		bool is_whole = *run->at & 0x80;

		take_unknown(run, bytes);
		if (is_whole || run->error)
			return;
	}
	run->at += inflate_field(run, run->at, (size_t)(run->end - run->at), true);
}

int hpack_decode(struct hpack *hpack, struct http_text block,
		 void (*take)(void *context, struct http_text name, struct http_text value),
		 void *context)
{
	struct hpack_run run = {.hpack = hpack,
				.at = block.data,
				.end = block.data + block.len,
				.take = take,
				.context = context};

	run.error = make_inflater(hpack);
	while (!run.error && !run.is_over)
		take_next(&run);
	if (run.error) {
		hpack_forget(hpack);
		return run.error;
	}
	nghttp2_hd_inflate_end_headers(hpack->inflater);
	return run.left_out;
}
