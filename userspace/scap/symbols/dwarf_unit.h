/* SPDX-License-Identifier: MIT */
/*
 * Units and entries of debugging information (DWARF 2 to 5), of what other users' files have: no
 * read leaves its section, and each takes from one budget. Numbers are those of DWARF 5, section 7.
 */
#ifndef SCAP_SYMBOLS_DWARF_UNIT_H
#define SCAP_SYMBOLS_DWARF_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dwarf_section_number {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_SECTIONS,
};

struct dwarf_section {
	const uint8_t *bytes; /* borrowed */
	size_t len; /* 0: there is none */
};

struct dwarf_sections {
	struct dwarf_section list[DWARF_SECTIONS];
	/* Borrowed: those of the file that has what several share (dwz); NULL: there is none. */
	const struct dwarf_sections *shared;
	/* The lowest address of code: linkers leave what they discarded below it. 0: not known. */
	uint64_t code_begin;
	uint64_t steps_left; /* of what is read: entries, their attributes, ranges */
};

struct dwarf_unit {
	uint64_t begin, first, end; /* in .debug_info: it, its first entry, what is behind it */
	uint64_t abbrevs; /* in .debug_abbrev */
	uint8_t version, offset_bytes; /* 4 or 8 */
	bool has_code; /* neither types nor a part of others */
	bool may_nest; /* functions in functions: its language has them, or is not known */
	bool is_elsewhere; /* all but its first entry is in a file of its own (dwo) */
	/* What its first entry says: */
	uint64_t low, text_base, address_base, ranges_base;
};

/* Attributes that are kept of an entry. */
enum dwarf_attribute {
	DWARF_SIBLING,
	DWARF_NAME,
	DWARF_LINKAGE_NAME,
	DWARF_LOW,
	DWARF_HIGH,
	DWARF_RANGE_LIST,
	DWARF_ORIGIN, /* the abstract entry, or the declaration */
	DWARF_TEXT_BASE,
	DWARF_ADDRESS_BASE,
	DWARF_RANGES_BASE,
	DWARF_LANGUAGE,
	DWARF_OTHER_FILE, /* a name */
	DWARF_ATTRIBUTES,
};

enum dwarf_tag {
	DW_TAG_class_type = 0x02,
	DW_TAG_lexical_block = 0x0b,
	DW_TAG_compile_unit = 0x11,
	DW_TAG_structure_type = 0x13,
	DW_TAG_union_type = 0x17,
	DW_TAG_inlined_subroutine = 0x1d,
	DW_TAG_module = 0x1e,
	DW_TAG_catch_block = 0x25,
	DW_TAG_subprogram = 0x2e,
	DW_TAG_try_block = 0x32,
	DW_TAG_namespace = 0x39,
};

struct dwarf_entry {
	uint64_t next; /* what is behind it: its first child, or what follows */
	uint16_t tag; /* 0: the end of a list of siblings */
	bool has_children;
	uint16_t has; /* attributes, as bits */
	struct dwarf_value {
		uint64_t number; /* where a text of its own is; else the value */
		uint16_t form;
	} values[DWARF_ATTRIBUTES];
};

/* What the entries of a unit look like. A zeroed struct has none. */
struct dwarf_abbrevs {
	struct dwarf_abbrev *list; /* owned: by code */
	size_t count;
	uint64_t at; /* in .debug_abbrev */
	bool is_read;
};

/*
 * Reads the header of the unit at a place. Returns 0; -ENOENT: there is none; -EBADMSG: what
 * follows cannot be read either; -EOPNOTSUPP: only `begin` and `end` are set.
 */
int dwarf_unit_read(const struct dwarf_sections *sections, uint64_t at, struct dwarf_unit *unit);

/* Reads the abbreviations of a unit, if they are others. Returns 0; -EBADMSG; -E2BIG; -ENOMEM. */
int dwarf_abbrevs_read(struct dwarf_sections *sections, const struct dwarf_unit *unit,
		       struct dwarf_abbrevs *abbrevs);
void dwarf_abbrevs_finish(struct dwarf_abbrevs *abbrevs);

/* Reads the entry at a place. Returns 0; -EBADMSG; -E2BIG: the budget is used up. */
int dwarf_entry_read(struct dwarf_sections *sections, const struct dwarf_unit *unit,
		     const struct dwarf_abbrevs *abbrevs, uint64_t at, struct dwarf_entry *entry);

/*
 * Reads the abbreviations and the first entry of a unit, and what that says of the others. Returns
 * 0; -EBADMSG; -E2BIG; -ENOMEM.
 */
int dwarf_unit_begin(struct dwarf_sections *sections, struct dwarf_unit *unit,
		     struct dwarf_abbrevs *abbrevs, struct dwarf_entry *entry);

static inline bool dwarf_entry_has(const struct dwarf_entry *entry, enum dwarf_attribute what)
{
	return entry->has & 1u << what;
}

/* Of a place in .debug_info: it is in the file that is shared. */
#define DWARF_IN_SHARED (UINT64_C(1) << 63)

/*
 * Where another entry is that an attribute refers to: in .debug_info, of the same file or with
 * DWARF_IN_SHARED of the shared one. Returns false: nowhere.
 */
bool dwarf_entry_reference(const struct dwarf_unit *unit, const struct dwarf_entry *entry,
			   enum dwarf_attribute what, uint64_t *at);

/* The text of an attribute, borrowed, which ends within its section; NULL: it has none. */
const char *dwarf_entry_text(const struct dwarf_sections *sections, const struct dwarf_unit *unit,
			     const struct dwarf_entry *entry, enum dwarf_attribute what);

/*
 * Gives each range of addresses of an entry, that can have code, to a function, until that fails.
 * Returns 0, also if there is none; -EBADMSG; -E2BIG; or what the function returned.
 */
int dwarf_entry_ranges(struct dwarf_sections *sections, const struct dwarf_unit *unit,
		       const struct dwarf_entry *entry,
		       int (*take)(void *context, uint64_t begin, uint64_t end), void *context);

#endif
