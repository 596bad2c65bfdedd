/* SPDX-License-Identifier: MIT */
/* Units that are made byte by byte: forms, references, texts, both kinds of lists of ranges. */
#include "scap/symbols/dwarf_unit.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

#define SECTION(name)                                                                              \
	{                                                                                          \
		name, sizeof(name)                                                                 \
	}

/* Version 5, compile unit, 8-byte addresses, abbreviations at 0; its length is in the first byte.
 */
#define HEAD(len) len, 0, 0, 0, 5, 0, 1, 8, 0, 0, 0, 0

static const uint8_t abbrevs[] = {
	/* 1: a unit with a text by index, where three tables are, an indirect form. */
	1, 0x11, 1, 0x03, 0x25, 0x72, 0x17, 0x73, 0x17, 0x74, 0x17, 0x25, 0x16, 0, 0,
	/* 2: a function: its name in the entry, that of linkers, an address by index, bytes. */
	2, 0x2e, 1, 0x03, 0x08, 0x6e, 0x0e, 0x11, 0x1b, 0x12, 0x0b, 0, 0,
	/* 3: what is inlined: its origin, a list of ranges by index, a block, a constant. */
	3, 0x1d, 0, 0x31, 0x13, 0x55, 0x23, 0x40, 0x18, 0x58, 0x21, 5, 0, 0, 0};

static const uint8_t info[] = {HEAD(49),
			       /* at 12 */
			       1, 0, 8, 0, 0, 0, 8, 0, 0, 0, 12, 0, 0, 0, 0x0b, 77,
			       /* at 28 */
			       2, 'f', 0, 2, 0, 0, 0, 1, 16,
			       /* at 37 */
			       3, 28, 0, 0, 0, 0, 2, 0xaa, 0xbb,
			       /* at 46, and one that is cut */
			       0, 2, 'g', 0, 9, 0, 0};

static const uint8_t texts[] = "a\0_Zf";
static const uint8_t offsets[] = {8, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t addresses[] = {12, 0, 0, 0, 5, 0, 8, 0, 0, 1, 0, 0,
				    0,	0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0};
/* An offset of 4 behind the base: a pair on the base of an index, and one of lengths. */
static const uint8_t lists[] = {30, 0, 0, 0, 5, 0, 8,	 0,    1, 0, 0,	   0, 4,
				0,  0, 0, 1, 1, 4, 0x10, 0x18, 3, 0, 0x20, 0};

static struct dwarf_sections sections_of(void)
{
	struct dwarf_sections sections = {.steps_left = 1000};

	sections.list[DWARF_INFO] = (struct dwarf_section)SECTION(info);
	sections.list[DWARF_ABBREV] = (struct dwarf_section)SECTION(abbrevs);
	sections.list[DWARF_STR] = (struct dwarf_section)SECTION(texts);
	sections.list[DWARF_STR_OFFSETS] = (struct dwarf_section)SECTION(offsets);
	sections.list[DWARF_ADDR] = (struct dwarf_section)SECTION(addresses);
	sections.list[DWARF_RNGLISTS] = (struct dwarf_section)SECTION(lists);
	return sections;
}

struct taken {
	uint64_t ranges[4][2];
	size_t count;
};

static int take_one(void *context, uint64_t begin, uint64_t end)
{
	struct taken *taken = context;

	if (taken->count == 4)
		return -E2BIG;
	taken->ranges[taken->count][0] = begin;
	taken->ranges[taken->count++][1] = end;
	return 0;
}

static void reads_entries(void **state)
{
	struct dwarf_sections sections = sections_of();
	struct dwarf_abbrevs known = {0};
	struct dwarf_entry entry;
	struct dwarf_unit unit;
	struct taken taken = {.count = 0};
	uint64_t at = 0;

	assert_int_equal(dwarf_unit_read(&sections, 0, &unit), 0);
	assert_int_equal(unit.first, 12);
	assert_true(unit.has_code);
	assert_int_equal(dwarf_unit_begin(&sections, &unit, &known, &entry), 0);
	assert_int_equal(entry.tag, DW_TAG_compile_unit);
	assert_int_equal(entry.next, 28);
	assert_string_equal(dwarf_entry_text(&sections, &unit, &entry, DWARF_NAME), "_Zf");
	assert_null(dwarf_entry_text(&sections, &unit, &entry, DWARF_LINKAGE_NAME));

	assert_int_equal(dwarf_entry_read(&sections, &unit, &known, 28, &entry), 0);
	assert_int_equal(entry.tag, DW_TAG_subprogram);
	assert_true(entry.has_children);
	assert_string_equal(dwarf_entry_text(&sections, &unit, &entry, DWARF_NAME), "f");
	assert_string_equal(dwarf_entry_text(&sections, &unit, &entry, DWARF_LINKAGE_NAME), "_Zf");
	assert_int_equal(dwarf_entry_ranges(&sections, &unit, &entry, take_one, &taken), 0);
	assert_int_equal(taken.count, 1);
	assert_int_equal(taken.ranges[0][0], 0x200);
	assert_int_equal(taken.ranges[0][1], 0x210);
	assert_false(dwarf_entry_reference(&unit, &entry, DWARF_ORIGIN, &at));

	assert_int_equal(dwarf_entry_read(&sections, &unit, &known, entry.next, &entry), 0);
	assert_int_equal(entry.tag, DW_TAG_inlined_subroutine);
	assert_true(dwarf_entry_reference(&unit, &entry, DWARF_ORIGIN, &at));
	assert_int_equal(at, 28);
	taken.count = 0;
	assert_int_equal(dwarf_entry_ranges(&sections, &unit, &entry, take_one, &taken), 0);
	assert_int_equal(taken.count, 2);
	assert_int_equal(taken.ranges[0][0], 0x210);
	assert_int_equal(taken.ranges[0][1], 0x218);
	assert_int_equal(taken.ranges[1][0], 0x100);
	assert_int_equal(taken.ranges[1][1], 0x120);
	assert_int_equal(dwarf_entry_read(&sections, &unit, &known, entry.next, &entry), 0);
	assert_int_equal(entry.tag, 0);
	dwarf_abbrevs_finish(&known);
}

/* What dwz has put into another file: an origin, and a name. */
static void refers_to_the_shared_file(void **state)
{
	static const uint8_t own_abbrevs[] = {1,    0x1d, 0,	0x31, 0xa0, 0x3e,
					      0x03, 0xa1, 0x3e, 0,    0,    0};
	static const uint8_t own_info[] = {HEAD(18), 1, 7, 0, 0, 0, 2, 0, 0, 0, 0};
	struct dwarf_sections shared = sections_of(), sections = {.steps_left = 1000};
	struct dwarf_abbrevs known = {0};
	struct dwarf_entry entry;
	struct dwarf_unit unit;
	uint64_t at = 0;

	sections.list[DWARF_INFO] = (struct dwarf_section)SECTION(own_info);
	sections.list[DWARF_ABBREV] = (struct dwarf_section)SECTION(own_abbrevs);
	assert_int_equal(dwarf_unit_read(&sections, 0, &unit), 0);
	assert_int_equal(dwarf_unit_begin(&sections, &unit, &known, &entry), 0);
	assert_true(dwarf_entry_reference(&unit, &entry, DWARF_ORIGIN, &at));
	assert_int_equal(at, DWARF_IN_SHARED | 7);
	assert_null(dwarf_entry_text(&sections, &unit, &entry, DWARF_NAME));
	sections.shared = &shared;
	assert_string_equal(dwarf_entry_text(&sections, &unit, &entry, DWARF_NAME), "_Zf");
	dwarf_abbrevs_finish(&known);
}

static void stays_within_the_unit(void **state)
{
	struct dwarf_sections sections = sections_of();
	struct dwarf_abbrevs known = {0};
	struct dwarf_entry entry;
	struct dwarf_unit unit;

	assert_int_equal(dwarf_unit_read(&sections, 0, &unit), 0);
	assert_int_equal(dwarf_abbrevs_read(&sections, &unit, &known), 0);
	assert_int_equal(dwarf_entry_read(&sections, &unit, &known, 47, &entry), -EBADMSG);
	assert_int_equal(dwarf_entry_read(&sections, &unit, &known, 11, &entry), -EBADMSG);
	assert_int_equal(dwarf_entry_read(&sections, &unit, &known, unit.end, &entry), -EBADMSG);
	sections.steps_left = 3;
	assert_int_equal(dwarf_entry_read(&sections, &unit, &known, 28, &entry), -E2BIG);
	sections.steps_left = 3;
	known.is_read = false;
	assert_int_equal(dwarf_abbrevs_read(&sections, &unit, &known), -E2BIG);
	dwarf_abbrevs_finish(&known);
}

static void refuses_other_headers(void **state)
{
	static const struct {
		uint8_t bytes[13];
		int r;
	} rows[] = {
		{{HEAD(9)}, 0},
		{{HEAD(10)}, -EBADMSG}, /* longer than the section */
		{{HEAD(3)}, -EOPNOTSUPP}, /* shorter than a header */
		{{0, 0, 0, 0}, -EBADMSG},
		{{9, 0, 0, 0, 6, 0, 1, 8}, -EOPNOTSUPP}, /* version 6 */
		{{9, 0, 0, 0, 5, 0, 2, 8}, -EOPNOTSUPP}, /* of types */
		{{9, 0, 0, 0, 5, 0, 1, 4}, -EOPNOTSUPP}, /* 32 bits */
		{{9, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8}, 0},
		{{9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8}, -EOPNOTSUPP},
		{{0xff, 0xff, 0xff, 0xff, 9}, -EBADMSG},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct dwarf_sections sections = {.steps_left = 1000};
		struct dwarf_unit unit;

		sections.list[DWARF_INFO] = (struct dwarf_section)SECTION(rows[i].bytes);
		if (dwarf_unit_read(&sections, 0, &unit) != rows[i].r)
			fail_msg("row %zu", i);
		assert_int_equal(dwarf_unit_read(&sections, 13, &unit), -ENOENT);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_entries),
	cmocka_unit_test(refers_to_the_shared_file),
	cmocka_unit_test(stays_within_the_unit),
	cmocka_unit_test(refuses_other_headers),
};

UNIT_GROUP(tests);
