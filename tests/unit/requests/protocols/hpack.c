/* SPDX-License-Identifier: MIT */
/*
 * Header blocks that nghttp2's deflater writes, of random fields from a few names and values, with
 * tables of any size, seen from the beginning or from the middle: what is decoded is what was sent,
 * or left out.
 */
#include "requests/protocols/hpack.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sanitized.h"
#include "unit.h"
#include "util/pool.h"

enum {
	BLOCK_MAX = 65536,
	FIELDS_MAX = 24,
	BLOCKS = UNIT_ROUNDS(20000),
	TABLE_LARGE = 65536,
	ROOM = 1 << 20,
};

struct world {
	struct pool pool;
	struct protocol_room room;
	struct hpack hpack;
	nghttp2_hd_deflater *deflater;
	uint64_t random;
	unsigned int table_max; /* of the sizes that are announced */
	char texts[2 * FIELDS_MAX][300];
	nghttp2_nv fields[FIELDS_MAX]; /* of the last block */
	size_t count;
	uint8_t block[BLOCK_MAX];
	size_t len;
	size_t at; /* fields of it that were decoded, or passed over */
	unsigned int missing; /* that were passed over */
};

static int setup(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->room = (struct protocol_room){.pool = &world->pool, .max = ROOM};
	world->hpack.room = &world->room;
	world->random = 88172645463325252u;
	world->table_max = TABLE_LARGE + 1;
	assert_int_equal(nghttp2_hd_deflate_new(&world->deflater, TABLE_LARGE), 0);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;

	hpack_forget(&world->hpack);
	assert_int_equal(world->room.held, 0);
	protocol_room_finish(&world->room);
	pool_finish(&world->pool);
	nghttp2_hd_deflate_del(world->deflater);
	free(world);
	return 0;
}

static unsigned int draw(struct world *world, unsigned int below)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return (unsigned int)((world->random >> 20) % below);
}

/* Some names are of the standard's table; some fields are never added, or are large. */
static void draw_fields(struct world *world)
{
	static const char *const names[] = {":path",	    ":authority", "cookie", "user-agent",
					    "x-request-id", "te",	  "a",	    "grpc-timeout"};

	world->count = 1 + draw(world, FIELDS_MAX - 1);
	for (size_t i = 0; i < world->count; i++) {
		char *name = world->texts[2 * i], *value = world->texts[2 * i + 1];
		unsigned int number = draw(world, 1u << draw(world, 12));

		snprintf(name, sizeof(world->texts[0]), "%s%s",
			 names[draw(world, sizeof(names) / sizeof(names[0]))],
			 number > 1000 ? "-more" : "");
		snprintf(value, sizeof(world->texts[0]), "%u%.*s", number,
			 (int)(number > 2000 ? number % 256 : 0),
			 "0123456789abcdefghijklmnopqrstuvwxyz{}~|0123456789abcdefghijklmnop"
			 "qrstuvwxyz");
		world->fields[i] =
			(nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value),
				     number % 16 ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX};
	}
}

static void send_block(struct world *world)
{
	ssize_t len;

	draw_fields(world);
	if (draw(world, 50) == 0)
		nghttp2_hd_deflate_change_table_size(world->deflater,
						     draw(world, world->table_max));
	len = nghttp2_hd_deflate_hd(world->deflater, world->block, sizeof(world->block),
				    world->fields, world->count);
	assert_true(len > 0);
	world->len = (size_t)len;
}

static bool is_text(struct http_text text, const uint8_t *bytes, size_t len)
{
	return text.len == len && memcmp(text.data, bytes, len) == 0;
}

/* Those between the last one and this one were left out. */
static void take(void *context, struct http_text name, struct http_text value)
{
	struct world *world = context;

	for (; world->at < world->count; world->at++) {
		const nghttp2_nv *sent = &world->fields[world->at];

		if (is_text(name, sent->name, sent->namelen) &&
		    is_text(value, sent->value, sent->valuelen))
			break;
		world->missing++;
	}
	assert_true(world->at < world->count);
	world->at++;
}

/* Returns how many of its fields were left out. */
static unsigned int decode_block(struct world *world)
{
	struct http_text text = {world->block, world->len};
	int left_out;

	world->at = world->missing = 0;
	left_out = hpack_decode(&world->hpack, text, take, world);
	assert_true(left_out >= 0);
	assert_int_equal(world->missing + (world->count - world->at), left_out);
	return (unsigned int)left_out;
}

static void test_from_the_beginning(void **state)
{
	struct world *world = *state;

	for (unsigned int i = 0; i < BLOCKS; i++) {
		send_block(world);
		assert_int_equal(decode_block(world), 0);
		assert_true(world->hpack.size <= HPACK_TABLE_MAX);
		assert_true(world->room.held <= HPACK_BYTES_MAX);
	}
}

/* What is unknown becomes less, and nothing is taken for something else. */
static void test_from_the_middle(void **state)
{
	enum { PERIOD = 400, UNSEEN = 20 };
	struct world *world = *state;
	unsigned int left_out[2] = {0};

	world->table_max = 2048;
	for (unsigned int i = 0; i < BLOCKS / PERIOD * PERIOD; i++) {
		if (i % PERIOD == 0)
			hpack_forget(&world->hpack);
		send_block(world);
		if (i % PERIOD >= UNSEEN)
			left_out[i % PERIOD >= PERIOD / 2] += decode_block(world);
	}
	assert_true(left_out[0] > BLOCKS / PERIOD);
	assert_true(left_out[1] < left_out[0] / 2);
}

/* Who has no room forgets, and goes on without. */
static void test_without_room(void **state)
{
	struct world *world = *state;
	unsigned int left_out = 0;

	world->room.max = 600;
	for (unsigned int i = 0; i < BLOCKS / 10; i++) {
		send_block(world);
		left_out += decode_block(world);
		assert_true(world->room.held <= world->room.max);
	}
	assert_true(left_out > 0);
	world->room.max = ROOM;
	for (unsigned int i = 0; i < BLOCKS / 10; i++) {
		send_block(world);
		decode_block(world);
	}
	assert_true(world->hpack.count > 0);
}

/* What headers of a call say takes little more than their texts. */
static void test_size(void **state)
{
	static const uint8_t block[] = "\x40\x0c"
				       "content-type\x10"
				       "application/grpc\x40\x0a"
				       "user-agent\x0f"
				       "grpc-c++/1.51.1";
	struct world *world = *state;
	struct http_text text = {block, sizeof(block) - 1};

	world->fields[0] =
		(nghttp2_nv){(uint8_t *)"content-type", (uint8_t *)"application/grpc", 12, 16, 0};
	world->fields[1] =
		(nghttp2_nv){(uint8_t *)"user-agent", (uint8_t *)"grpc-c++/1.51.1", 10, 15, 0};
	world->count = 2;
	assert_int_equal(hpack_decode(&world->hpack, text, take, world), 0);
	assert_int_equal(world->at, 2);
	assert_true(world->room.held <= 160);
	/* The newest entry. */
	world->at = 0;
	assert_int_equal(hpack_decode(&world->hpack, (struct http_text){(const uint8_t *)"\xbf", 1},
				      take, world),
			 0);
	assert_int_equal(world->at, 1);
}

/* What is no block; then the inflater, which is shared, knows nothing of it. */
static void test_errors(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} wrong[] = {
		{"\x80", 1}, /* index 0 */
		{"\xff\xff\xff\xff\xff\xff\x0f", 7}, /* too large a number */
		{"\xff", 1}, /* which is not whole */
		{"\x40\x05oops", 6}, /* a name without its end */
		{"\x00\x01n", 3}, /* no value */
		{"\x04\x81\x00", 3}, /* padding that is none */
		{"\x04\x84\xff\xff\xff\xff", 6}, /* the end as a character */
	};
	struct world *world = *state;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct http_text text = {(const uint8_t *)wrong[i].bytes, wrong[i].len};

		send_block(world);
		decode_block(world);
		assert_int_equal(hpack_decode(&world->hpack, text, take, world), -EBADMSG);
		assert_int_equal(world->hpack.count, 0);
		send_block(world);
		decode_block(world);
	}
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(test_from_the_beginning),
	TEST(test_from_the_middle),
	TEST(test_without_room),
	TEST(test_size),
	TEST(test_errors),
};

UNIT_GROUP(tests);
