/* SPDX-License-Identifier: MIT */
/*
 * The mutator of the target `capture`: libFuzzer's own changes, mostly with the lengths of blocks
 * and events corrected afterwards, and whole blocks moved, as few other changes pass the first
 * check.
 */
#include <string.h>

#include "event/event.h"

enum {
	AS_IT_IS = 8, /* one of that many inputs is not corrected */
	BLOCKS_MAX = 256,
	BLOCK_HEAD = 8,
	BLOCK_LEAST = 12, /* head and trailer */
	BLOCK_MAX = 1 << 16,
	SECTION = 0x0a0d0d0a,
	HEADER_V1 = 22,
};

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

struct block {
	uint8_t *at;
	size_t len;
};

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* Finds the blocks, each of the length in its header, at most to the end of the input. */
static size_t find_blocks(uint8_t *data, size_t size, struct block *blocks)
{
	size_t n = 0;

	while (size >= BLOCK_LEAST && n < BLOCKS_MAX) {
		uint32_t len = get_u32(data + 4) & ~3u;

		if (len < BLOCK_LEAST || len > size)
			len = size & ~3u;
		blocks[n++] = (struct block){.at = data, .len = len};
		data += len;
		size -= len;
	}
	return n;
}

/*
 * Blocks of events: where the header of the event begins, and whether it has the parameter count.
 */
static const struct event_block {
	uint32_t number;
	size_t offset;
	bool v1;
} event_blocks[] = {
	{0x204, BLOCK_HEAD + 2, true},	{0x208, BLOCK_HEAD + 6, true},
	{0x216, BLOCK_HEAD + 2, false}, {0x217, BLOCK_HEAD + 6, false},
	{0x221, BLOCK_HEAD + 2, false}, {0x222, BLOCK_HEAD + 6, false},
};

/*
 * Sets the length of an event to the sum of the lengths of its parameters, cutting the one that
 * does not fit.
 */
static void mend_event(uint8_t *event, size_t room, bool v1)
{
	struct ppm_evt_hdr header = {0};
	size_t head = v1 ? HEADER_V1 : sizeof(header), left;
	const struct event_desc *desc;

	if (room < head)
		return;
	memcpy(&header, event, head);
	desc = event_desc_get(header.type % EVENT_ID_MAX);
	if (v1)
		header.nparams = desc ? desc->nparams : 0;
	while (head + 2 * (size_t)header.nparams > room)
		header.nparams /= 2;
	left = room - head - 2 * (size_t)header.nparams;
	header.len = (uint32_t)(head + 2 * (size_t)header.nparams);
	for (size_t i = 0; i < header.nparams; i++) {
		uint8_t *length = event + head + 2 * i;
		uint16_t len;

		memcpy(&len, length, sizeof(len));
		if (desc && i < desc->nparams && len && param_type_size(desc->params[i].type))
			len = (uint16_t)param_type_size(desc->params[i].type);
		if (len > left)
			len = 0;
		memcpy(length, &len, sizeof(len));
		left -= len;
		header.len += len;
	}
	memcpy(event, &header, head);
}

static void mend_block(const struct block *block)
{
	uint32_t number = get_u32(block->at);

	put_u32(block->at + 4, (uint32_t)block->len);
	put_u32(block->at + block->len - 4, (uint32_t)block->len);
	for (size_t i = 0; i < sizeof(event_blocks) / sizeof(event_blocks[0]); i++) {
		const struct event_block *event = &event_blocks[i];

		if (event->number == number && block->len > event->offset + 4)
			mend_event(block->at + event->offset, block->len - event->offset - 4,
				   event->v1);
	}
}

/* Puts a copy of one block before another one. */
static size_t repeat_block(uint8_t *data, size_t size, size_t max_size, const struct block *from,
			   const struct block *to)
{
	static uint8_t copy[BLOCK_MAX];
	uint8_t *at = to->at;

	if (from->len > sizeof(copy) || size + from->len > max_size)
		return size;
	memcpy(copy, from->at, from->len);
	memmove(at + from->len, at, size - (size_t)(at - data));
	memcpy(at, copy, from->len);
	return size + from->len;
}

static size_t remove_block(uint8_t *data, size_t size, const struct block *block)
{
	size_t behind = (size_t)(block->at - data) + block->len;

	memmove(block->at, data + behind, size - behind);
	return size - block->len;
}

/* Changes the body of a block, which may become longer or shorter. */
static size_t change_block(uint8_t *data, size_t size, size_t max_size, const struct block *block,
			   unsigned int seed)
{
	static uint8_t body[BLOCK_MAX];
	size_t len = block->len - BLOCK_LEAST, start = (size_t)(block->at - data) + BLOCK_HEAD;
	size_t behind = start + len, room = len + (max_size - size), changed;

	if (room > sizeof(body))
		room = sizeof(body);
	if (len > room || !room)
		return size;
	memcpy(body, data + start, len);
	changed = LLVMFuzzerMutate(body, len, seed & 1 && len ? len : room);
	changed &= ~(size_t)3;
	memmove(data + start + changed, data + behind, size - behind);
	memcpy(data + start, body, changed);
	put_u32(block->at + 4, (uint32_t)(changed + BLOCK_LEAST));
	return size - len + changed;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct block blocks[BLOCKS_MAX];
	size_t n = find_blocks(data, size, blocks);

	if (seed % AS_IT_IS == 0 || n == 0 || get_u32(data) != SECTION)
		return LLVMFuzzerMutate(data, size, max_size);
	seed /= AS_IT_IS;
	switch (seed % 8) {
	case 0:
		size = repeat_block(data, size, max_size, &blocks[seed / 8 % n],
				    &blocks[seed / 2048 % n]);
		break;
	case 1:
		size = remove_block(data, size, &blocks[seed / 8 % n]);
		break;
	default:
		size = change_block(data, size, max_size, &blocks[seed / 8 % n], seed / 2048);
	}
	n = find_blocks(data, size, blocks);
	for (size_t i = 0; i < n; i++)
		mend_block(&blocks[i]);
	return size;
}
