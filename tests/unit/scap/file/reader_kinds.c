/* SPDX-License-Identifier: MIT */
/* The kinds of blocks, by their numbers as the format has them. */
#include "scap/file/reader_impl.h"
#include "unit.h"

static void test_events(void **state)
{
	static const struct {
		uint32_t type;
		uint8_t version;
		bool flags;
	} cases[] = {
		{0x204, 1, false}, {0x208, 1, true}, {0x216, 2, false},	     {0x217, 2, true},
		{0x221, 2, false}, {0x222, 2, true}, {0x8010abcd, 1, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct reader_block *kind = reader_block_kind(cases[i].type);

		assert_non_null(kind);
		assert_int_equal(kind->type, cases[i].type);
		assert_int_equal(kind->version, cases[i].version);
		assert_true(kind->event);
		assert_int_equal(kind->event_flags, cases[i].flags);
		assert_null(kind->head);
		assert_null(kind->entry);
	}
}

/* Lists: the last version of each says how long its entries are. */
static void test_lists(void **state)
{
	static const struct {
		uint32_t type;
		uint8_t version, prefix;
		int (*entry)(struct scap_snapshot *, const struct reader_block *, struct cursor *);
	} cases[] = {
		{0x202, 1, PREFIX_NONE, reader_take_thread},
		{0x207, 2, PREFIX_NONE, reader_take_thread},
		{0x209, 3, PREFIX_NONE, reader_take_thread},
		{0x210, 4, PREFIX_NONE, reader_take_thread},
		{0x211, 5, PREFIX_NONE, reader_take_thread},
		{0x212, 6, PREFIX_NONE, reader_take_thread},
		{0x213, 7, PREFIX_NONE, reader_take_thread},
		{0x214, 8, PREFIX_NONE, reader_take_thread},
		{0x215, 9, PREFIX_WHOLE, reader_take_thread},
		{0x8000abcd, 1, PREFIX_NONE, reader_take_thread},
		{0x8013abcd, 2, PREFIX_NONE, reader_take_thread},
		{0x8014abcd, 3, PREFIX_NONE, reader_take_thread},
		{0x203, 1, PREFIX_NONE, reader_take_fd},
		{0x218, 2, PREFIX_WHOLE, reader_take_fd},
		{0x8001abcd, 1, PREFIX_NONE, reader_take_fd},
		{0x206, 1, PREFIX_NONE, reader_take_user},
		{0x220, 2, PREFIX_WHOLE, reader_take_user},
		{0x8012abcd, 1, PREFIX_NONE, reader_take_user},
		{0x205, 1, PREFIX_NONE, reader_take_interface},
		{0x219, 2, PREFIX_REST, reader_take_interface},
		{0x8011abcd, 1, PREFIX_NONE, reader_take_interface},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct reader_block *kind = reader_block_kind(cases[i].type);

		assert_non_null(kind);
		assert_int_equal(kind->type, cases[i].type);
		assert_int_equal(kind->version, cases[i].version);
		assert_int_equal(kind->prefix, cases[i].prefix);
		assert_ptr_equal(kind->entry, cases[i].entry);
		assert_false(kind->event);
		/* Only descriptors say first whose they are. */
		assert_int_equal(kind->head_bytes, cases[i].entry == reader_take_fd ? 8 : 0);
	}
}

static void test_heads(void **state)
{
	static const struct {
		uint32_t type;
		uint8_t bytes;
		int (*head)(struct scap_reader *, const uint8_t *);
	} cases[] = {
		{0x0a0d0d0a, 16, reader_take_section}, {0x80004c4e, 4, reader_take_native},
		{0x201, 180, reader_take_machine},     {0x8002abcd, 180, reader_take_machine},
		{0x203, 8, reader_take_fds},	       {0x218, 8, reader_take_fds},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct reader_block *kind = reader_block_kind(cases[i].type);

		assert_non_null(kind);
		assert_int_equal(kind->head_bytes, cases[i].bytes);
		assert_ptr_equal(kind->head, cases[i].head);
	}
}

static void test_unknown(void **state)
{
	static const uint32_t types[] = {0,	1,     6,	   0x200,      0x20a,	  0x20f,
					 0x21a, 0x223, 0x8003abcd, 0x0a0d0d0b, UINT32_MAX};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		assert_null(reader_block_kind(types[i]));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_events),
	cmocka_unit_test(test_lists),
	cmocka_unit_test(test_heads),
	cmocka_unit_test(test_unknown),
};

UNIT_GROUP(tests);
