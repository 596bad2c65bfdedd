/* SPDX-License-Identifier: MIT */
/* What was compressed comes back, and no more of it than is allowed. */
#include "scap/symbols/symbol_unpack.h"

#include <errno.h>
#include <lzma.h>

#include "unit.h"

enum { PLAIN_BYTES = 300000, PACKED_BYTES = 4096 };

static size_t pack(uint8_t packed[PACKED_BYTES])
{
	static uint8_t plain[PLAIN_BYTES];
	size_t len = 0;

	memset(plain, 'x', sizeof(plain));
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, plain, sizeof(plain),
						 packed, &len, PACKED_BYTES),
			 LZMA_OK);
	return len;
}

static void gives_what_was_packed(void **state)
{
	uint8_t packed[PACKED_BYTES];
	size_t len = pack(packed);
	struct buf out = {0};

	assert_int_equal(symbol_unpack(packed, len, PLAIN_BYTES + 1, &out), 0);
	assert_int_equal(out.len, PLAIN_BYTES);
	assert_int_equal(out.data[PLAIN_BYTES - 1], 'x');
	buf_finish(&out);
}

static void rejects_what_is_large_or_damaged(void **state)
{
	uint8_t packed[PACKED_BYTES];
	size_t len = pack(packed);
	struct buf out = {0};

	assert_int_equal(symbol_unpack(packed, len, PLAIN_BYTES / 2, &out), -EFBIG);
	buf_clear(&out);
	assert_int_equal(symbol_unpack(packed, len / 2, PLAIN_BYTES + 1, &out), -EBADMSG);
	buf_clear(&out);
	assert_int_equal(symbol_unpack("no xz", 5, PLAIN_BYTES, &out), -EBADMSG);
	buf_clear(&out);
	assert_int_equal(symbol_unpack("", 0, PLAIN_BYTES, &out), -EBADMSG);
	packed[len / 2] ^= 0xff;
	buf_clear(&out);
	assert_int_not_equal(symbol_unpack(packed, len, PLAIN_BYTES + 1, &out), 0);
	buf_finish(&out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(gives_what_was_packed),
	cmocka_unit_test(rejects_what_is_large_or_damaged),
};

UNIT_GROUP(tests);
