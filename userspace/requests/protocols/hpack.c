/* SPDX-License-Identifier: MIT */
/*
 * Texts and what the standard's table has are read by an inflater of nghttp2, which all connections
 * share, as it is given nothing that it would keep. What was added is kept here, as there may be as
 * many tables as connections: packed, a small part of what inflaters take. Indexes count from the
 * newest entry, so those within a table are right also if its beginning is not known. A name that
 * is not known is kept as an empty one: the entry is smaller than that of the sender then, so that
 * it stays at least as long.
 */
#include "requests/protocols/hpack.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <string.h>

#include "util/pool.h"

enum {
	STATIC_ENTRIES = 61,
	INTEGER_BITS_MAX = 28,
	ENTRY_BYTES = 32, /* that RFC 7541 counts for each beside its texts */
	RING_FIRST = 4,
	TEXTS_GRANULE = 64,
	AUTHORITY = 1, /* a name of the standard's table, in place of one that is here */
};

struct hpack_entry {
	uint32_t at; /* place of its texts */
	uint16_t name, value; /* bytes */
};

/*
 * The table.
 */

static void free_memory(struct hpack *hpack, void *block, size_t bytes)
{
	if (!block)
		return;
	hpack->room->held -= bytes;
	pool_free(hpack->room->pool, block, bytes);
}

static void *get_memory(struct hpack *hpack, size_t bytes)
{
	void *block = NULL;

	if (hpack->room->held + bytes <= hpack->room->max)
		block = pool_alloc(hpack->room->pool, bytes);
	if (block)
		hpack->room->held += bytes;
	return block;
}

/* The limit that was announced holds on. */
void hpack_forget(struct hpack *hpack)
{
	free_memory(hpack, hpack->entries, hpack->ring * sizeof(*hpack->entries));
	free_memory(hpack, hpack->texts, hpack->texts_bytes);
	*hpack = (struct hpack){
		.room = hpack->room, .has_limit = hpack->has_limit, .limit = hpack->limit};
}

static uint32_t limit_of(const struct hpack *hpack)
{
	return hpack->has_limit ? hpack->limit : HPACK_TABLE_DEFAULT;
}

/* index: 0: the newest one. */
static const struct hpack_entry *entry_at(const struct hpack *hpack, uint32_t index)
{
	return &hpack->entries[(hpack->first + hpack->count - 1 - index) & (hpack->ring - 1u)];
}

static struct http_text name_of(const struct hpack *hpack, const struct hpack_entry *entry)
{
	return (struct http_text){hpack->texts + (entry->at - hpack->base), entry->name};
}

static struct http_text value_of(const struct hpack *hpack, const struct hpack_entry *entry)
{
	return (struct http_text){hpack->texts + (entry->at - hpack->base) + entry->name,
				  entry->value};
}

static void drop_oldest(struct hpack *hpack)
{
	const struct hpack_entry *entry = &hpack->entries[hpack->first];
	uint32_t bytes = (uint32_t)entry->name + entry->value;

	hpack->begin = entry->at + bytes;
	hpack->size -= ENTRY_BYTES + bytes;
	hpack->first = (uint16_t)((hpack->first + 1u) & (hpack->ring - 1u));
	hpack->count--;
}

static void shrink_to(struct hpack *hpack, uint32_t size)
{
	while (hpack->size > size)
		drop_oldest(hpack);
}

static bool grow_ring(struct hpack *hpack)
{
	uint16_t ring = hpack->ring ? (uint16_t)(hpack->ring * 2) : RING_FIRST;
	struct hpack_entry *entries = get_memory(hpack, ring * sizeof(*entries));

	if (!entries)
		return false;
	for (unsigned int i = 0; i < hpack->count; i++)
		entries[i] = *entry_at(hpack, hpack->count - 1 - i);
	free_memory(hpack, hpack->entries, hpack->ring * sizeof(*entries));
	hpack->entries = entries;
	hpack->ring = ring;
	hpack->first = 0;
	return true;
}

/* Moves what is kept to the begin of `texts`, which may be another block. */
static void move_texts(struct hpack *hpack, uint8_t *texts)
{
	if (hpack->end != hpack->begin)
		memmove(texts, hpack->texts + (hpack->begin - hpack->base),
			hpack->end - hpack->begin);
	hpack->base = hpack->begin;
}

/*
 * Makes room for texts behind the others, also if these are empty. They are moved when a quarter of
 * the room is free.
 */
static bool reserve_texts(struct hpack *hpack, uint32_t bytes)
{
	uint32_t kept = hpack->end - hpack->begin, need = kept + bytes, wanted;
	uint8_t *texts;

	if (hpack->texts && hpack->end - hpack->base + bytes <= hpack->texts_bytes)
		return true;
	if (hpack->texts && need <= hpack->texts_bytes / 4 * 3) {
		move_texts(hpack, hpack->texts);
		return true;
	}
	wanted = (need + need / 3 + TEXTS_GRANULE) / TEXTS_GRANULE * TEXTS_GRANULE;
	texts = wanted <= HPACK_BYTES_MAX ? get_memory(hpack, wanted) : NULL;
	if (!texts)
		return false;
	move_texts(hpack, texts);
	free_memory(hpack, hpack->texts, hpack->texts_bytes);
	hpack->texts = texts;
	hpack->texts_bytes = wanted;
	return true;
}

/* The name of a field: an entry's, which may be dropped for the new one, or other bytes. */
struct hpack_name {
	struct http_text text;
	const struct hpack_entry *entry; /* NULL: not of the table */
};

static void append_text(struct hpack *hpack, struct http_text text)
{
	if (text.len)
		memcpy(hpack->texts + (hpack->end - hpack->base), text.data, text.len);
	hpack->end += (uint32_t)text.len;
}

/* Without memory for it nothing is known of the table. */
static void add_entry(struct hpack *hpack, const struct hpack_name *name, struct http_text value)
{
	const uint32_t limit = limit_of(hpack);
	const size_t bytes = name->text.len + value.len;
	struct hpack_entry copied = name->entry ? *name->entry : (struct hpack_entry){0};
	struct http_text text = name->text;
	uint32_t at;

	/* Such an entry empties the table, and what the sender has kept is older than all others.
	 */
	if (bytes + ENTRY_BYTES > limit) {
		shrink_to(hpack, 0);
		return;
	}
	if (!reserve_texts(hpack, (uint32_t)bytes) ||
	    (hpack->count == hpack->ring && !grow_ring(hpack))) {
		hpack_forget(hpack);
		return;
	}
	if (name->entry)
		text = name_of(hpack, &copied);
	shrink_to(hpack, limit - ENTRY_BYTES - (uint32_t)bytes);
	at = hpack->end;
	append_text(hpack, text);
	append_text(hpack, value);
	hpack->entries[(hpack->first + hpack->count++) & (hpack->ring - 1u)] =
		(struct hpack_entry){at, (uint16_t)text.len, (uint16_t)value.len};
	hpack->size += ENTRY_BYTES + (uint32_t)bytes;
}

/*
 * Blocks.
 */

struct hpack_run {
	struct hpack *hpack;
	const uint8_t *at, *end;
	void (*take)(void *context, struct http_text name, struct http_text value);
	void *context;
	int left_out;
	int error;
};

static void free_inflater(void *inflater)
{
	nghttp2_hd_inflate_del(inflater);
}

static nghttp2_hd_inflater *shared_inflater(struct protocol_room *room)
{
	nghttp2_hd_inflater *made;

	if (!room->shared && nghttp2_hd_inflate_new(&made) == 0) {
		room->shared = made;
		room->free_shared = free_inflater;
	}
	return room->shared;
}

/* Gives bytes to the inflater. Returns whether they were the last ones of a field. */
static bool inflate_bytes(struct hpack_run *run, const uint8_t **at, const uint8_t *end,
			  nghttp2_nv *field)
{
	int flags = 0;
	ssize_t used = nghttp2_hd_inflate_hd2(run->hpack->room->shared, field, &flags, *at,
					      (size_t)(end - *at), 0);

	if (used < 0) {
		run->error = used == NGHTTP2_ERR_NOMEM ? -ENOMEM : -EBADMSG;
		return false;
	}
	*at += used;
	return flags & NGHTTP2_HD_INFLATE_EMIT;
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

/* A size that is too large for us leaves the table as large as it is. */
static void take_size(struct hpack *hpack, uint32_t size)
{
	if (size > HPACK_TABLE_MAX)
		return;
	hpack->has_limit = true;
	hpack->limit = size;
	shrink_to(hpack, size);
}

/* An entry that was added; NULL: it is not known. */
static const struct hpack_entry *find_entry(const struct hpack *hpack, uint32_t index)
{
	index -= STATIC_ENTRIES + 1;
	return index < hpack->count ? entry_at(hpack, index) : NULL;
}

/* A field without its name is left out. */
static void take_field(struct hpack_run *run, struct http_text name, struct http_text value)
{
	if (name.len)
		run->take(run->context, name, value);
	else
		run->left_out++;
}

/* A field that is in a table. */
static void take_indexed(struct hpack_run *run, uint32_t index)
{
	const uint8_t known = (uint8_t)(0x80 | index), *at = &known;
	const struct hpack_entry *entry;
	nghttp2_nv field;

	if (index > STATIC_ENTRIES) {
		entry = find_entry(run->hpack, index);
		take_field(run, entry ? name_of(run->hpack, entry) : (struct http_text){0},
			   entry ? value_of(run->hpack, entry) : (struct http_text){0});
	} else if (index && inflate_bytes(run, &at, at + 1, &field)) {
		take_field(run, (struct http_text){field.name, field.namelen},
			   (struct http_text){field.value, field.valuelen});
	} else if (!run->error) {
		run->error = -EBADMSG;
	}
}

/* The begin of a literal that is added to no table, as long as one byte or two. */
static size_t begin_literal(uint32_t index, uint8_t begin[2])
{
	const uint32_t mask = 0x0f;

	if (index > STATIC_ENTRIES)
		index = AUTHORITY;
	begin[0] = (uint8_t)(index < mask ? index : mask);
	begin[1] = (uint8_t)(index < mask ? 0 : index - mask);
	return index < mask ? 1 : 2;
}

/* A field whose value stands here, behind its begin; the inflater sees one that is not added. */
static void take_literal(struct hpack_run *run, uint32_t index, bool is_added)
{
	uint8_t begin[2];
	const uint8_t *at = begin, *begin_end = begin + begin_literal(index, begin);
	struct hpack_name name = {0};
	struct http_text value;
	nghttp2_nv field;

	if (inflate_bytes(run, &at, begin_end, &field) || run->error ||
	    !inflate_bytes(run, &run->at, run->end, &field)) {
		run->error = run->error ? run->error : -EBADMSG;
		return;
	}
	value = (struct http_text){field.value, field.valuelen};
	if (index > STATIC_ENTRIES) {
		name.entry = find_entry(run->hpack, index);
		if (name.entry)
			name.text = name_of(run->hpack, name.entry);
	} else {
		name.text = (struct http_text){field.name, field.namelen};
	}
	take_field(run, name.text, value);
	if (is_added)
		add_entry(run->hpack, &name, value);
}

static void take_next(struct hpack_run *run)
{
	const uint8_t first = *run->at;
	uint32_t number;
	size_t bytes = read_number(run->at, run->end, &number);

	if (!bytes) {
		run->error = -EBADMSG;
		return;
	}
	run->at += bytes;
	if (first & 0x80)
		take_indexed(run, number);
	else if (is_size_update(first))
		take_size(run->hpack, number);
	else
		take_literal(run, number, first & 0x40);
}

int hpack_decode(struct hpack *hpack, struct http_text block,
		 void (*take)(void *context, struct http_text name, struct http_text value),
		 void *context)
{
	struct protocol_room *room = hpack->room;
	struct hpack_run run = {.hpack = hpack,
				.at = block.data,
				.end = block.data + block.len,
				.take = take,
				.context = context};

	if (!shared_inflater(room))
		run.error = -ENOMEM;
	while (!run.error && run.at < run.end)
		take_next(&run);
	if (!run.error)
		return run.left_out;
	/* It is in the middle of something. */
	protocol_room_finish(room);
	hpack_forget(hpack);
	return run.error;
}
