/* SPDX-License-Identifier: MIT */
/* What is compressed is what the libraries unpack, batch after batch. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "output/targets/http_body.h"
#include "unit.h"

enum { LARGE = 3000000 };

static size_t unpack_gzip(const struct buf *packed, char *out, size_t size)
{
	z_stream stream = {.next_in = (Bytef *)packed->data,
			   .avail_in = (uInt)packed->len,
			   .next_out = (Bytef *)out,
			   .avail_out = (uInt)size};

	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.avail_in, 0);
	inflateEnd(&stream);
	return stream.total_out;
}

static size_t unpack_zstd(const struct buf *packed, char *out, size_t size)
{
	return ZSTD_decompress(out, size, packed->data, packed->len);
}

static void check_method(enum http_pack_method method,
			 size_t (*unpack)(const struct buf *packed, char *out, size_t size))
{
	struct http_packer *packer = http_packer_create(method);
	char *large = malloc(LARGE), *out = malloc(LARGE + 10);
	struct iovec parts[] = {{(void *)"begin ", 6}, {(void *)"", 0}, {large, LARGE}};
	struct buf packed = {0};

	/* Not compressible: it grows. */
	srandom(1);
	for (size_t i = 0; i < LARGE; i++)
		large[i] = (char)random();
	for (int round = 0; round < 2; round++) {
		assert_int_equal(http_pack(packer, parts, 3, &packed), 0);
		assert_int_equal(unpack(&packed, out, LARGE + 10), LARGE + 6);
		assert_memory_equal(out, "begin ", 6);
		assert_memory_equal(out + 6, large, LARGE);
		assert_int_equal(http_pack(packer, parts, 1, &packed), 0);
		assert_int_equal(unpack(&packed, out, LARGE), 6);
		assert_int_equal(http_pack(packer, parts, 0, &packed), 0);
		assert_int_equal(unpack(&packed, out, LARGE), 0);
	}
	memset(large, 'x', LARGE);
	assert_int_equal(http_pack(packer, parts, 3, &packed), 0);
	assert_in_range(packed.len, 1, LARGE / 100);
	buf_finish(&packed);
	free(large);
	free(out);
	http_packer_destroy(packer);
}

static void test_gzip(void **state)
{
	check_method(PACK_GZIP, unpack_gzip);
}

static void test_zstd(void **state)
{
	check_method(PACK_ZSTD, unpack_zstd);
	http_packer_destroy(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_gzip),
	cmocka_unit_test(test_zstd),
};

UNIT_GROUP(tests);
