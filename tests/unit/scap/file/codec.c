/* SPDX-License-Identifier: MIT */
/* gzip and zstd: how they are known, in pieces of any size, and what is no whole file of them. */
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "scap/file/unpack.h"
#include "unit.h"

enum { PLAIN_BYTES = 3000, PACKED_MAX = 2 * PLAIN_BYTES };

static uint8_t plain[PLAIN_BYTES], packed[PACKED_MAX], unpacked[3 * PLAIN_BYTES];

static size_t pack_gzip(uint8_t *to)
{
	z_stream stream = {.next_in = plain,
			   .avail_in = sizeof(plain),
			   .next_out = to,
			   .avail_out = PACKED_MAX / 2};

	assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

static size_t pack_zstd(uint8_t *to)
{
	size_t n = ZSTD_compress(to, PACKED_MAX / 2, plain, sizeof(plain), 1);

	assert_false(ZSTD_isError(n));
	return n;
}

static size_t (*const packers[])(uint8_t *) = {pack_gzip, pack_zstd};
enum { GZIP, ZSTD, PACKERS };

static int setup(void **state)
{
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i * i >> 4);
	return 0;
}

static void test_find(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *name; /* NULL: not packed */
	} cases[] = {
		{"\x1f\x8b\x08\x00", 4, "gzip"},
		{"\x1f\x8b\x08", 3, NULL}, /* too few to say */
		{"\x1f\x8c\x08\x00", 4, NULL},
		{"\x28\xb5\x2f\xfd", 4, "zstd"},
		{"\x28\xb5\x2f\xfe", 4, NULL},
		{"\x50\x2a\x4d\x18", 4, "zstd"}, /* a frame to be skipped */
		{"\x5f\x2a\x4d\x18", 4, "zstd"},
		{"\x60\x2a\x4d\x18", 4, NULL},
		{"\x0a\x0d\x0d\x0a", 4, NULL},
		{"", 0, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct unpack_codec *codec =
			unpack_codec_find((const uint8_t *)cases[i].bytes, cases[i].len);

		if (cases[i].name)
			assert_string_equal(codec->name, cases[i].name);
		else
			assert_null(codec);
	}
}

/* What came of unpacking: how many bytes, whether it could end there, and what is wrong. */
struct outcome {
	size_t len;
	bool whole;
	const char *problem;
};

/* Unpacks `n` packed bytes, so many at a time, into room for so many at a time. */
static struct outcome unpack(size_t n, size_t in_step, size_t out_step)
{
	const struct unpack_codec *codec = unpack_codec_find(packed, n);
	void *state = codec->create();
	struct outcome outcome = {0};
	size_t given = 0;
	struct unpack_span in = {packed, 0}, out;
	bool full = false;

	assert_non_null(state);
	while (!outcome.problem && (in.left || given < n || full)) {
		if (in.left == 0) {
			in.left = n - given < in_step ? n - given : in_step;
			given += in.left;
		}
		out = (struct unpack_span){unpacked + outcome.len, out_step};
		assert_true(outcome.len + out_step <= sizeof(unpacked));
		outcome.problem = codec->run(state, &in, &out);
		assert_ptr_equal(out.at + out.left, unpacked + outcome.len + out_step);
		outcome.len += out_step - out.left;
		full = out.left == 0;
	}
	outcome.whole = codec->is_whole(state);
	codec->destroy(state);
	return outcome;
}

static void test_steps(void **state)
{
	static const size_t steps[] = {1, 7, PLAIN_BYTES};

	for (int packer = 0; packer < PACKERS; packer++) {
		size_t n = packers[packer](packed);

		for (size_t i = 0; i < 3; i++)
			for (size_t j = 0; j < 3; j++) {
				struct outcome outcome = unpack(n, steps[i], steps[j]);

				assert_null(outcome.problem);
				assert_true(outcome.whole);
				assert_int_equal(outcome.len, sizeof(plain));
				assert_memory_equal(unpacked, plain, sizeof(plain));
			}
	}
}

static void test_several_are_one(void **state)
{
	for (int packer = 0; packer < PACKERS; packer++) {
		size_t n = packers[packer](packed);
		struct outcome outcome;

		n += packers[packer](packed + n);
		outcome = unpack(n, 100, 100);
		assert_null(outcome.problem);
		assert_true(outcome.whole);
		assert_int_equal(outcome.len, 2 * sizeof(plain));
		assert_memory_equal(unpacked + sizeof(plain), plain, sizeof(plain));
	}
}

/* Wherever it is cut, it is truncated, not corrupt. */
static void test_cut(void **state)
{
	for (int packer = 0; packer < PACKERS; packer++)
		for (size_t n = packers[packer](packed) - 1; n >= 4; n--) {
			struct outcome outcome = unpack(n, PACKED_MAX, 500);

			assert_null(outcome.problem);
			assert_false(outcome.whole);
			assert_memory_equal(unpacked, plain, outcome.len);
		}
}

/* What comes after a whole file: zeros fill up a tape, the rest is not to be believed. */
static void test_behind(void **state)
{
	static const struct {
		int packer;
		const char *bytes;
		size_t len;
		const char *problem;
	} cases[] = {
		{GZIP, "\0\0\0\0\0", 5, NULL},
		{GZIP, "\0\0x", 3, "something that is not gzip follows the gzip data"},
		{GZIP, "x", 1, "something that is not gzip follows the gzip data"},
		{GZIP, "\x1f\x00\x00", 3, "the gzip data are corrupt"},
		{ZSTD, "\x50\x2a\x4d\x18\x02\0\0\0ab", 10, NULL}, /* a frame to be skipped */
		{ZSTD, "garbage", 7, "something that is not zstd follows the zstd data"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n = packers[cases[i].packer](packed);
		struct outcome outcome;

		memcpy(packed + n, cases[i].bytes, cases[i].len);
		outcome = unpack(n + cases[i].len, 50, 500);
		assert_int_equal(outcome.len, sizeof(plain));
		assert_memory_equal(unpacked, plain, sizeof(plain));
		if (cases[i].problem) {
			assert_string_equal(outcome.problem, cases[i].problem);
			continue;
		}
		assert_null(outcome.problem);
		assert_true(outcome.whole);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_find),
	cmocka_unit_test(test_steps),
	cmocka_unit_test(test_several_are_one),
	cmocka_unit_test(test_cut),
	cmocka_unit_test(test_behind),
};

UNIT_GROUP(tests, .setup = setup);
