/* SPDX-License-Identifier: MIT */
/*
 * A cursor that never leaves its section; headers, abbreviations, forms of attributes, and the two
 * kinds of lists of ranges. Only files of this machine's kind are read: 64 bits, little-endian.
 */
#include "scap/symbols/dwarf_unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/count.h"

enum {
	ABBREVS_MAX = 1 << 16, /* codes of a unit; those with larger ones are not read */
	ABBREVS_MIN = 64,
	LEB_BITS = 64,
	TEXT_BYTES_MAX = 4095, /* of one that is given */
	TEXT_SKIPPED_MAX = 1 << 16, /* of one in an entry; that is damaged if it is longer */
	RANGE_STEPS = 4, /* of a range: whoever gets it looks for it */
	STEP_BYTES = 256, /* to look through them takes as long as an attribute */
	ADDRESS_BYTES = 8,
};

/* Kinds of units: section 7.5.1. */
enum { DW_UT_compile = 1, DW_UT_partial = 3, DW_UT_skeleton };

/* Languages without functions in functions: section 7.12. */
enum {
	DW_LANG_C_plus_plus = 0x04,
	DW_LANG_Go = 0x16,
	DW_LANG_C_plus_plus_03 = 0x19,
	DW_LANG_C_plus_plus_11,
	DW_LANG_Rust = 0x1c,
	DW_LANG_C_plus_plus_14 = 0x21,
	DW_LANG_C_plus_plus_17 = 0x2a,
	DW_LANG_C_plus_plus_20,
	LANGUAGES,
};

/* Attributes: section 7.5.4. */
enum {
	DW_AT_sibling = 0x01,
	DW_AT_name = 0x03,
	DW_AT_low_pc = 0x11,
	DW_AT_high_pc = 0x12,
	DW_AT_language = 0x13,
	DW_AT_abstract_origin = 0x31,
	DW_AT_specification = 0x47,
	DW_AT_ranges = 0x55,
	DW_AT_linkage_name = 0x6e,
	DW_AT_str_offsets_base = 0x72,
	DW_AT_addr_base = 0x73,
	DW_AT_rnglists_base = 0x74,
	DW_AT_dwo_name = 0x76,
	DW_AT_MIPS_linkage_name = 0x2007,
	DW_AT_GNU_dwo_name = 0x2130,
};

/* Forms: section 7.5.6, and those of GNU. */
enum {
	DW_FORM_addr = 0x01,
	DW_FORM_block2 = 0x03,
	DW_FORM_block4,
	DW_FORM_data2,
	DW_FORM_data4,
	DW_FORM_data8,
	DW_FORM_string,
	DW_FORM_block,
	DW_FORM_block1,
	DW_FORM_data1,
	DW_FORM_flag,
	DW_FORM_sdata,
	DW_FORM_strp,
	DW_FORM_udata,
	DW_FORM_ref_addr,
	DW_FORM_ref1,
	DW_FORM_ref2,
	DW_FORM_ref4,
	DW_FORM_ref8,
	DW_FORM_ref_udata,
	DW_FORM_indirect,
	DW_FORM_sec_offset,
	DW_FORM_exprloc,
	DW_FORM_flag_present,
	DW_FORM_strx,
	DW_FORM_addrx,
	DW_FORM_ref_sup4,
	DW_FORM_strp_sup,
	DW_FORM_data16,
	DW_FORM_line_strp,
	DW_FORM_ref_sig8,
	DW_FORM_implicit_const,
	DW_FORM_loclistx,
	DW_FORM_rnglistx,
	DW_FORM_ref_sup8,
	DW_FORM_strx1,
	DW_FORM_strx2,
	DW_FORM_strx3,
	DW_FORM_strx4,
	DW_FORM_addrx1,
	DW_FORM_addrx2,
	DW_FORM_addrx3,
	DW_FORM_addrx4,
	FORMS,
	DW_FORM_GNU_addr_index = 0x1f01,
	DW_FORM_GNU_str_index = 0x1f02,
	DW_FORM_GNU_ref_alt = 0x1f20,
	DW_FORM_GNU_strp_alt = 0x1f21,
};

/* Entries of lists of ranges: section 7.25. */
enum {
	DW_RLE_end_of_list,
	DW_RLE_base_addressx,
	DW_RLE_startx_endx,
	DW_RLE_startx_length,
	DW_RLE_offset_pair,
	DW_RLE_base_address,
	DW_RLE_start_end,
	DW_RLE_start_length,
};

struct dwarf_abbrev {
	uint32_t attributes; /* in .debug_abbrev; 0: there is no such code */
	uint16_t tag;
	bool has_children;
};

/* Cursors: what reads beyond the end get is 0, and the cursor has failed. */

struct dwarf_cursor {
	const uint8_t *bytes;
	size_t at, end;
	bool failed;
};

static struct dwarf_cursor dwarf_cursor_at(const struct dwarf_sections *sections,
					   enum dwarf_section_number number, uint64_t at)
{
	const struct dwarf_section *section = &sections->list[number];

	return (struct dwarf_cursor){section->bytes, at, section->len, at > section->len};
}

static void dwarf_skip(struct dwarf_cursor *cursor, uint64_t bytes)
{
	if (cursor->failed || bytes > cursor->end - cursor->at)
		cursor->failed = true;
	else
		cursor->at += bytes;
}

static uint64_t dwarf_take(struct dwarf_cursor *cursor, size_t bytes)
{
	const uint8_t *taken = cursor->bytes + cursor->at;
	uint64_t value = 0;

	dwarf_skip(cursor, bytes);
	for (size_t i = 0; !cursor->failed && i < bytes; i++)
		value |= (uint64_t)taken[i] << 8 * i;
	return value;
}

static uint64_t dwarf_take_leb(struct dwarf_cursor *cursor)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = dwarf_take(cursor, 1);
		if (shift < LEB_BITS)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < LEB_BITS + 7);
	cursor->failed |= byte & 0x80;
	return value;
}

static void dwarf_skip_text(struct dwarf_cursor *cursor)
{
	const uint8_t *begin = cursor->bytes + cursor->at, *end;
	size_t left = cursor->end - cursor->at;

	if (cursor->failed)
		return;
	end = memchr(begin, '\0', left < TEXT_SKIPPED_MAX ? left : TEXT_SKIPPED_MAX);
	if (end)
		cursor->at += (size_t)(end - begin) + 1;
	else
		cursor->failed = true;
}

static bool dwarf_pay(struct dwarf_sections *sections, uint64_t steps)
{
	if (sections->steps_left < steps) {
		sections->steps_left = 0;
		return false;
	}
	sections->steps_left -= steps;
	return true;
}

/* Units. */

int dwarf_unit_read(const struct dwarf_sections *sections, uint64_t at, struct dwarf_unit *unit)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(sections, DWARF_INFO, at);
	struct dwarf_unit made = {.begin = at, .offset_bytes = 4};
	uint64_t length, kind = DW_UT_compile;
	uint8_t address_bytes = 0;

	if (at >= cursor.end)
		return -ENOENT;
	length = dwarf_take(&cursor, 4);
	if (length == 0xffffffff) {
		made.offset_bytes = 8;
		length = dwarf_take(&cursor, 8);
	}
	if (cursor.failed || length > cursor.end - cursor.at || !length)
		return -EBADMSG;
	cursor.end = made.end = cursor.at + length;
	made.version = (uint8_t)dwarf_take(&cursor, 2);
	if (made.version >= 5) {
		kind = dwarf_take(&cursor, 1);
		address_bytes = (uint8_t)dwarf_take(&cursor, 1);
	}
	made.abbrevs = dwarf_take(&cursor, made.offset_bytes);
	if (made.version < 5)
		address_bytes = (uint8_t)dwarf_take(&cursor, 1);
	/* The id of the file that has the rest. */
	if (kind == DW_UT_skeleton)
		dwarf_skip(&cursor, 8);
	made.first = cursor.at;
	made.has_code = kind == DW_UT_compile || kind == DW_UT_skeleton;
	*unit = made;
	if (cursor.failed || made.version < 2 || made.version > 5 ||
	    address_bytes != ADDRESS_BYTES || (!made.has_code && kind != DW_UT_partial))
		return -EOPNOTSUPP;
	return 0;
}

/* Abbreviations. */

void dwarf_abbrevs_finish(struct dwarf_abbrevs *abbrevs)
{
	free(abbrevs->list);
	*abbrevs = (struct dwarf_abbrevs){0};
}

static int make_abbrevs(struct dwarf_abbrevs *abbrevs, uint64_t code)
{
	size_t count = abbrevs->count ? abbrevs->count : ABBREVS_MIN;
	struct dwarf_abbrev *list;

	if (code < abbrevs->count)
		return 0;
	if (code >= ABBREVS_MAX)
		return -E2BIG;
	while (count <= code)
		count *= 2;
	list = reallocarray(abbrevs->list, count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	memset(list + abbrevs->count, 0, (count - abbrevs->count) * sizeof(*list));
	abbrevs->list = list;
	abbrevs->count = count;
	return 0;
}

/* Each has pairs of an attribute and its form, up to one of zeros. */
static int skip_pairs(struct dwarf_sections *sections, struct dwarf_cursor *cursor)
{
	uint64_t attribute, form;

	do {
		if (!dwarf_pay(sections, 1))
			return -E2BIG;
		attribute = dwarf_take_leb(cursor);
		form = dwarf_take_leb(cursor);
		if (form == DW_FORM_implicit_const)
			(void)dwarf_take_leb(cursor);
	} while (!cursor->failed && (attribute || form));
	return cursor->failed ? -EBADMSG : 0;
}

static int read_abbrevs(struct dwarf_sections *sections, struct dwarf_cursor *cursor,
			struct dwarf_abbrevs *abbrevs)
{
	uint64_t code;
	int r = 0;

	while (r == 0 && (code = dwarf_take_leb(cursor))) {
		struct dwarf_abbrev made = {.tag = (uint16_t)dwarf_take_leb(cursor)};

		made.has_children = dwarf_take(cursor, 1);
		made.attributes = (uint32_t)cursor->at;
		r = make_abbrevs(abbrevs, code);
		if (r == 0 && !abbrevs->list[code].attributes)
			abbrevs->list[code] = made;
		if (r == 0)
			r = skip_pairs(sections, cursor);
	}
	return r == 0 && cursor->failed ? -EBADMSG : r;
}

int dwarf_abbrevs_read(struct dwarf_sections *sections, const struct dwarf_unit *unit,
		       struct dwarf_abbrevs *abbrevs)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(sections, DWARF_ABBREV, unit->abbrevs);
	int r;

	if (abbrevs->is_read && abbrevs->at == unit->abbrevs)
		return 0;
	abbrevs->is_read = false;
	/* Behind a unit with many of them each one that has few would take as long. */
	if (!dwarf_pay(sections, abbrevs->count * sizeof(*abbrevs->list) / STEP_BYTES))
		return -E2BIG;
	if (abbrevs->count)
		memset(abbrevs->list, 0, abbrevs->count * sizeof(*abbrevs->list));
	abbrevs->at = unit->abbrevs;
	r = read_abbrevs(sections, &cursor, abbrevs);
	abbrevs->is_read = r == 0;
	return r;
}

/* Entries. */

/* What an attribute takes: so many bytes, or as many as these say. */
enum form_size {
	SIZE_UNKNOWN,
	SIZE_FIXED,
	SIZE_LEB,
	SIZE_OFFSET, /* as offsets of the unit */
	SIZE_REFERENCE, /* likewise, but for DWARF 2 */
	SIZE_BLOCK, /* its length in so many bytes, and then that; 0: as LEB128 */
	SIZE_TEXT,
};

static const struct form {
	uint8_t size, bytes;
} forms[FORMS] = {
	[DW_FORM_addr] = {SIZE_FIXED, ADDRESS_BYTES},
	[DW_FORM_block2] = {SIZE_BLOCK, 2},
	[DW_FORM_block4] = {SIZE_BLOCK, 4},
	[DW_FORM_block1] = {SIZE_BLOCK, 1},
	[DW_FORM_block] = {SIZE_BLOCK, 0},
	[DW_FORM_exprloc] = {SIZE_BLOCK, 0},
	[DW_FORM_data1] = {SIZE_FIXED, 1},
	[DW_FORM_data2] = {SIZE_FIXED, 2},
	[DW_FORM_data4] = {SIZE_FIXED, 4},
	[DW_FORM_data8] = {SIZE_FIXED, 8},
	[DW_FORM_data16] = {SIZE_FIXED, 16},
	[DW_FORM_string] = {SIZE_TEXT, 0},
	[DW_FORM_flag] = {SIZE_FIXED, 1},
	[DW_FORM_flag_present] = {SIZE_FIXED, 0},
	[DW_FORM_implicit_const] = {SIZE_FIXED, 0},
	[DW_FORM_sdata] = {SIZE_LEB, 0},
	[DW_FORM_udata] = {SIZE_LEB, 0},
	[DW_FORM_strp] = {SIZE_OFFSET, 0},
	[DW_FORM_line_strp] = {SIZE_OFFSET, 0},
	[DW_FORM_strp_sup] = {SIZE_OFFSET, 0},
	[DW_FORM_sec_offset] = {SIZE_OFFSET, 0},
	[DW_FORM_ref_addr] = {SIZE_REFERENCE, 0},
	[DW_FORM_ref1] = {SIZE_FIXED, 1},
	[DW_FORM_ref2] = {SIZE_FIXED, 2},
	[DW_FORM_ref4] = {SIZE_FIXED, 4},
	[DW_FORM_ref8] = {SIZE_FIXED, 8},
	[DW_FORM_ref_udata] = {SIZE_LEB, 0},
	[DW_FORM_ref_sup4] = {SIZE_FIXED, 4},
	[DW_FORM_ref_sup8] = {SIZE_FIXED, 8},
	[DW_FORM_ref_sig8] = {SIZE_FIXED, 8},
	[DW_FORM_strx] = {SIZE_LEB, 0},
	[DW_FORM_strx1] = {SIZE_FIXED, 1},
	[DW_FORM_strx2] = {SIZE_FIXED, 2},
	[DW_FORM_strx3] = {SIZE_FIXED, 3},
	[DW_FORM_strx4] = {SIZE_FIXED, 4},
	[DW_FORM_addrx] = {SIZE_LEB, 0},
	[DW_FORM_addrx1] = {SIZE_FIXED, 1},
	[DW_FORM_addrx2] = {SIZE_FIXED, 2},
	[DW_FORM_addrx3] = {SIZE_FIXED, 3},
	[DW_FORM_addrx4] = {SIZE_FIXED, 4},
	[DW_FORM_loclistx] = {SIZE_LEB, 0},
	[DW_FORM_rnglistx] = {SIZE_LEB, 0},
};

static struct form form_of(uint64_t form)
{
	if (form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index)
		return (struct form){SIZE_LEB, 0};
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		return (struct form){SIZE_OFFSET, 0};
	return form < FORMS ? forms[form] : (struct form){SIZE_UNKNOWN, 0};
}

/* Takes the value of an attribute; of a text or block it is where it begins. */
static uint64_t take_value(struct dwarf_cursor *cursor, const struct dwarf_unit *unit,
			   uint64_t form)
{
	const struct form how = form_of(form);
	uint64_t at = cursor->at;

	switch ((enum form_size)how.size) {
	case SIZE_FIXED:
		if (how.bytes <= sizeof(at))
			return dwarf_take(cursor, how.bytes);
		dwarf_skip(cursor, how.bytes);
		return at;
	case SIZE_LEB:
		return dwarf_take_leb(cursor);
	case SIZE_REFERENCE:
		return dwarf_take(cursor, unit->version == 2 ? ADDRESS_BYTES : unit->offset_bytes);
	case SIZE_OFFSET:
		return dwarf_take(cursor, unit->offset_bytes);
	case SIZE_BLOCK:
		dwarf_skip(cursor,
			   how.bytes ? dwarf_take(cursor, how.bytes) : dwarf_take_leb(cursor));
		return at;
	case SIZE_TEXT:
		dwarf_skip_text(cursor);
		return at;
	case SIZE_UNKNOWN:
		break;
	}
	cursor->failed = true;
	return 0;
}

/* Those that are not kept are DWARF_ATTRIBUTES. */
static enum dwarf_attribute attribute_of(uint64_t number)
{
	static const uint8_t kept[DW_AT_dwo_name + 1] = {
		[DW_AT_sibling] = DWARF_SIBLING + 1,
		[DW_AT_name] = DWARF_NAME + 1,
		[DW_AT_linkage_name] = DWARF_LINKAGE_NAME + 1,
		[DW_AT_low_pc] = DWARF_LOW + 1,
		[DW_AT_high_pc] = DWARF_HIGH + 1,
		[DW_AT_language] = DWARF_LANGUAGE + 1,
		[DW_AT_ranges] = DWARF_RANGE_LIST + 1,
		[DW_AT_abstract_origin] = DWARF_ORIGIN + 1,
		[DW_AT_specification] = DWARF_ORIGIN + 1,
		[DW_AT_str_offsets_base] = DWARF_TEXT_BASE + 1,
		[DW_AT_addr_base] = DWARF_ADDRESS_BASE + 1,
		[DW_AT_rnglists_base] = DWARF_RANGES_BASE + 1,
		[DW_AT_dwo_name] = DWARF_OTHER_FILE + 1,
	};

	if (number == DW_AT_MIPS_linkage_name)
		return DWARF_LINKAGE_NAME;
	if (number == DW_AT_GNU_dwo_name)
		return DWARF_OTHER_FILE;
	if (number >= COUNT(kept) || !kept[number])
		return DWARF_ATTRIBUTES;
	return (enum dwarf_attribute)(kept[number] - 1);
}

/* Takes a pair of an abbreviation, and the value that it says. Returns false behind the last one.
 */
static bool take_attribute(struct dwarf_cursor *pairs, struct dwarf_cursor *cursor,
			   const struct dwarf_unit *unit, struct dwarf_entry *entry)
{
	uint64_t number = dwarf_take_leb(pairs), form = dwarf_take_leb(pairs), value = 0;
	enum dwarf_attribute kept = attribute_of(number);

	if (!number && !form)
		return false;
	if (form == DW_FORM_implicit_const)
		value = dwarf_take_leb(pairs);
	else if (form == DW_FORM_indirect)
		form = dwarf_take_leb(cursor);
	if (form != DW_FORM_implicit_const)
		value = take_value(cursor, unit, form);
	if (kept < DWARF_ATTRIBUTES && !dwarf_entry_has(entry, kept)) {
		entry->values[kept] = (struct dwarf_value){value, (uint16_t)form};
		entry->has |= (uint16_t)(1u << kept);
	}
	return !pairs->failed && !cursor->failed;
}

int dwarf_entry_read(struct dwarf_sections *sections, const struct dwarf_unit *unit,
		     const struct dwarf_abbrevs *abbrevs, uint64_t at, struct dwarf_entry *entry)
{
	struct dwarf_cursor cursor = dwarf_cursor_at(sections, DWARF_INFO, at), pairs;
	const struct dwarf_abbrev *abbrev = NULL;
	uint64_t code;

	if (at < unit->first || at >= unit->end)
		return -EBADMSG;
	cursor.end = unit->end;
	code = dwarf_take_leb(&cursor);
	entry->has = entry->tag = 0;
	entry->has_children = false;
	if (code) {
		abbrev = code < abbrevs->count ? &abbrevs->list[code] : NULL;
		if (!abbrev || !abbrev->attributes)
			return -EBADMSG;
		entry->tag = abbrev->tag;
		entry->has_children = abbrev->has_children;
		pairs = dwarf_cursor_at(sections, DWARF_ABBREV, abbrev->attributes);
	}
	do {
		if (!dwarf_pay(sections, 1))
			return -E2BIG;
	} while (abbrev && take_attribute(&pairs, &cursor, unit, entry));
	entry->next = cursor.at;
	if (!dwarf_pay(sections, cursor.failed ? TEXT_SKIPPED_MAX / STEP_BYTES
					       : (cursor.at - at) / STEP_BYTES))
		return -E2BIG;
	/* A tag of 0 would end a list. */
	return cursor.failed || (abbrev && (pairs.failed || !abbrev->tag)) ? -EBADMSG : 0;
}

bool dwarf_entry_reference(const struct dwarf_unit *unit, const struct dwarf_entry *entry,
			   enum dwarf_attribute what, uint64_t *at)
{
	const struct dwarf_value *value = &entry->values[what];

	if (!dwarf_entry_has(entry, what))
		return false;
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		if (value->number >= unit->end - unit->begin)
			return false;
		*at = unit->begin + value->number;
		return true;
	case DW_FORM_ref_addr:
		*at = value->number;
		break;
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		*at = value->number | DWARF_IN_SHARED;
		break;
	default:
		return false; /* of a type */
	}
	return !(value->number & DWARF_IN_SHARED);
}

/* Texts. */

static const char *text_at(const struct dwarf_sections *sections, enum dwarf_section_number number,
			   uint64_t at)
{
	const struct dwarf_section *section = &sections->list[number];
	size_t left = at < section->len ? section->len - at : 0;

	if (left > TEXT_BYTES_MAX + 1)
		left = TEXT_BYTES_MAX + 1;
	return left && memchr(section->bytes + at, '\0', left) ? (const char *)section->bytes + at
							       : NULL;
}

/* A number of a table; false: it is not there. */
static bool look_up(const struct dwarf_sections *sections, enum dwarf_section_number number,
		    uint64_t base, uint64_t index, size_t bytes, uint64_t *value)
{
	struct dwarf_cursor cursor;

	if (index > sections->list[number].len || base > sections->list[number].len)
		return false;
	cursor = dwarf_cursor_at(sections, number, base + index * bytes);
	*value = dwarf_take(&cursor, bytes);
	return !cursor.failed;
}

const char *dwarf_entry_text(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
			     const struct dwarf_entry *entry, enum dwarf_attribute what)
{
	const struct dwarf_value *value = &entry->values[what];
	uint64_t at;

	if (!dwarf_entry_has(entry, what))
		return NULL;
	switch (value->form) {
	case DW_FORM_string:
		return text_at(sections, DWARF_INFO, value->number);
	case DW_FORM_strp:
		return text_at(sections, DWARF_STR, value->number);
	case DW_FORM_line_strp:
		return text_at(sections, DWARF_LINE_STR, value->number);
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strp_sup:
		return sections->shared ? text_at(sections->shared, DWARF_STR, value->number)
					: NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		return look_up(sections, DWARF_STR_OFFSETS, unit->text_base, value->number,
			       unit->offset_bytes, &at)
			       ? text_at(sections, DWARF_STR, at)
			       : NULL;
	default:
		return NULL;
	}
}

/* Addresses. */

static bool address_of(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
		       const struct dwarf_value *value, uint64_t *address)
{
	switch (value->form) {
	case DW_FORM_addr:
		*address = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		return look_up(sections, DWARF_ADDR, unit->address_base, value->number,
			       ADDRESS_BYTES, address);
	default:
		return false;
	}
}

static bool may_nest(const struct dwarf_entry *entry)
{
	static const bool never[LANGUAGES] = {
		[DW_LANG_C_plus_plus] = true,	 [DW_LANG_Go] = true,
		[DW_LANG_C_plus_plus_03] = true, [DW_LANG_C_plus_plus_11] = true,
		[DW_LANG_Rust] = true,		 [DW_LANG_C_plus_plus_14] = true,
		[DW_LANG_C_plus_plus_17] = true, [DW_LANG_C_plus_plus_20] = true,
	};
	uint64_t language = entry->values[DWARF_LANGUAGE].number;

	return !dwarf_entry_has(entry, DWARF_LANGUAGE) || language >= LANGUAGES || !never[language];
}

int dwarf_unit_begin(struct dwarf_sections *sections, struct dwarf_unit *unit,
		     struct dwarf_abbrevs *abbrevs, struct dwarf_entry *entry)
{
	int r = dwarf_abbrevs_read(sections, unit, abbrevs);

	if (r == 0)
		r = dwarf_entry_read(sections, unit, abbrevs, unit->first, entry);
	if (r)
		return r;
	if (dwarf_entry_has(entry, DWARF_TEXT_BASE))
		unit->text_base = entry->values[DWARF_TEXT_BASE].number;
	if (dwarf_entry_has(entry, DWARF_ADDRESS_BASE))
		unit->address_base = entry->values[DWARF_ADDRESS_BASE].number;
	if (dwarf_entry_has(entry, DWARF_RANGES_BASE))
		unit->ranges_base = entry->values[DWARF_RANGES_BASE].number;
	if (dwarf_entry_has(entry, DWARF_LOW) &&
	    !address_of(sections, unit, &entry->values[DWARF_LOW], &unit->low))
		unit->low = 0;
	unit->may_nest = may_nest(entry);
	unit->is_elsewhere = dwarf_entry_has(entry, DWARF_OTHER_FILE) && !entry->has_children;
	return 0;
}

/* Ranges. */

struct dwarf_ranges {
	struct dwarf_sections *sections;
	const struct dwarf_unit *unit;
	struct dwarf_cursor cursor;
	uint64_t base;
	uint64_t begin, end; /* of the last entry; equal: it has none */
};

/* Reads an entry of DWARF 4. Returns false at the end. */
static bool take_pair(struct dwarf_ranges *ranges)
{
	uint64_t begin = dwarf_take(&ranges->cursor, ADDRESS_BYTES);
	uint64_t end = dwarf_take(&ranges->cursor, ADDRESS_BYTES);

	ranges->begin = ranges->end = 0;
	if (!begin && !end)
		return false;
	if (begin == UINT64_MAX) {
		ranges->base = end;
		return true;
	}
	ranges->begin = ranges->base + begin;
	ranges->end = ranges->base + end;
	return true;
}

static uint64_t take_indexed(struct dwarf_ranges *ranges)
{
	const struct dwarf_value value = {dwarf_take_leb(&ranges->cursor), DW_FORM_addrx};
	uint64_t address = 0;

	if (!address_of(ranges->sections, ranges->unit, &value, &address))
		ranges->cursor.failed = true;
	return address;
}

/* Reads an entry of DWARF 5. Returns false at the end. */
static bool take_range(struct dwarf_ranges *ranges)
{
	struct dwarf_cursor *cursor = &ranges->cursor;
	uint64_t kind = dwarf_take(cursor, 1);

	ranges->begin = ranges->end = 0;
	switch (kind) {
	case DW_RLE_base_addressx:
		ranges->base = take_indexed(ranges);
		break;
	case DW_RLE_startx_endx:
		ranges->begin = take_indexed(ranges);
		ranges->end = take_indexed(ranges);
		break;
	case DW_RLE_startx_length:
		ranges->begin = take_indexed(ranges);
		ranges->end = ranges->begin + dwarf_take_leb(cursor);
		break;
	case DW_RLE_offset_pair:
		ranges->begin = ranges->base + dwarf_take_leb(cursor);
		ranges->end = ranges->base + dwarf_take_leb(cursor);
		break;
	case DW_RLE_base_address:
		ranges->base = dwarf_take(cursor, ADDRESS_BYTES);
		break;
	case DW_RLE_start_end:
		ranges->begin = dwarf_take(cursor, ADDRESS_BYTES);
		ranges->end = dwarf_take(cursor, ADDRESS_BYTES);
		break;
	case DW_RLE_start_length:
		ranges->begin = dwarf_take(cursor, ADDRESS_BYTES);
		ranges->end = ranges->begin + dwarf_take_leb(cursor);
		break;
	case DW_RLE_end_of_list:
		return false;
	default:
		cursor->failed = true;
	}
	return !cursor->failed;
}

static int take_list(struct dwarf_sections *sections, const struct dwarf_unit *unit,
		     const struct dwarf_value *value,
		     int (*take)(void *context, uint64_t begin, uint64_t end), void *context)
{
	const bool is_old = unit->version < 5;
	struct dwarf_ranges ranges = {.sections = sections, .unit = unit, .base = unit->low};
	uint64_t at = value->number;
	int r = 0;

	if (value->form == DW_FORM_rnglistx) {
		if (!look_up(sections, DWARF_RNGLISTS, unit->ranges_base, at, unit->offset_bytes,
			     &at))
			return -EBADMSG;
		at += unit->ranges_base;
	}
	ranges.cursor = dwarf_cursor_at(sections, is_old ? DWARF_RANGES : DWARF_RNGLISTS, at);
	while (r == 0 && (is_old ? take_pair(&ranges) : take_range(&ranges))) {
		if (!dwarf_pay(sections, RANGE_STEPS))
			return -E2BIG;
		if (ranges.cursor.failed)
			return -EBADMSG;
		if (ranges.begin < ranges.end && ranges.begin >= sections->code_begin)
			r = take(context, ranges.begin, ranges.end);
	}
	return r == 0 && ranges.cursor.failed ? -EBADMSG : r;
}

int dwarf_entry_ranges(struct dwarf_sections *sections, const struct dwarf_unit *unit,
		       const struct dwarf_entry *entry,
		       int (*take)(void *context, uint64_t begin, uint64_t end), void *context)
{
	const struct dwarf_value *high = &entry->values[DWARF_HIGH];
	uint64_t begin, end;

	if (dwarf_entry_has(entry, DWARF_RANGE_LIST))
		return take_list(sections, unit, &entry->values[DWARF_RANGE_LIST], take, context);
	if (!dwarf_entry_has(entry, DWARF_LOW) || !dwarf_entry_has(entry, DWARF_HIGH) ||
	    !address_of(sections, unit, &entry->values[DWARF_LOW], &begin))
		return 0;
	/* A constant is the number of bytes. */
	if (!address_of(sections, unit, high, &end))
		end = begin + high->number;
	return begin < end && begin >= sections->code_begin ? take(context, begin, end) : 0;
}
