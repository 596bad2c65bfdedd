/* SPDX-License-Identifier: MIT */
/* Call frame information: rules that compilers, linkers and the C library write; what is damaged.
 */
#include "profile/capture/cfi.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

enum { CODE = 0x1000, CODE_BYTES = 0x100, SECTION_AT = 0x5000, ROWS_MAX = 16 };

/* A section with one common entry and one frame, each with these instructions. */
struct made {
	uint8_t bytes[512];
	struct cfi_section section;
	struct cfi_frame frame;
};

static void put(struct made *made, const void *bytes, size_t count)
{
	memcpy(made->bytes + made->section.len, bytes, count);
	made->section.len += count;
}

static void put_u32(struct made *made, uint32_t value)
{
	put(made, &value, sizeof(value));
}

static void end_entry(struct made *made, size_t at)
{
	uint32_t len;

	while ((made->section.len - at) % 8 != 4)
		put(made, "", 1);
	len = (uint32_t)(made->section.len - at - 4);
	memcpy(made->bytes + at, &len, sizeof(len));
}

/* CFA = rsp + 8, the return address is at CFA - 8: as at the entry of any function. */
static const uint8_t entry_rules[] = {0x0c, 7, 8, 0x90, 1};

static void make(struct made *made, const char *augmentation, const uint8_t *code, size_t bytes)
{
	size_t at;

	memset(made, 0, sizeof(*made));
	made->section = (struct cfi_section){made->bytes, 0, SECTION_AT};
	put_u32(made, 0);
	put_u32(made, 0);
	put(made, "\1", 1);
	put(made, augmentation, strlen(augmentation) + 1);
	put(made, "\1\x78\x10\1\x1b", 5); /* code 1, data -8, register 16; encoding pcrel sdata4 */
	put(made, entry_rules, sizeof(entry_rules));
	end_entry(made, 0);
	at = made->section.len;
	put_u32(made, 0);
	put_u32(made, (uint32_t)(at + 4));
	put_u32(made, (uint32_t)CODE - (uint32_t)(SECTION_AT + at + 8));
	put_u32(made, CODE_BYTES);
	put(made, "", 1);
	put(made, code, bytes);
	end_entry(made, at);
	put_u32(made, 0);
}

struct found {
	uint64_t at[ROWS_MAX];
	struct profile_rule rules[ROWS_MAX];
	size_t count;
};

static bool find_row(void *context, uint64_t address, const struct profile_rule *rule)
{
	struct found *found = context;

	assert_true(found->count < ROWS_MAX);
	found->at[found->count] = address;
	found->rules[found->count++] = *rule;
	return true;
}

static int run(struct made *made, struct found *found)
{
	size_t at = 0, budget = 1 << 12;

	memset(found, 0, sizeof(*found));
	assert_int_equal(cfi_next(&made->section, &at, &made->frame), -EAGAIN);
	assert_int_equal(cfi_next(&made->section, &at, &made->frame), 1);
	assert_int_equal(made->frame.begin, CODE);
	assert_int_equal(made->frame.end, CODE + CODE_BYTES);
	return cfi_run(&made->section, &cfi_x86_64, &made->frame, UINT64_MAX, &budget, find_row,
		       found);
}

static void rule_is(const struct profile_rule *rule, unsigned int cfa, int cfa_offset,
		    unsigned int bp, int bp_offset)
{
	assert_int_equal(rule->is_fixed, PROFILE_RULE_MADE);
	assert_int_equal(rule->cfa, cfa);
	assert_int_equal(rule->cfa_offset, cfa_offset);
	assert_int_equal(rule->ra, PROFILE_AT_CFA);
	assert_int_equal(rule->ra_offset, -8);
	assert_int_equal(rule->bp, bp);
	assert_int_equal(rule->bp_offset, bp_offset);
}

/* push rbp; mov rsp, rbp; ...; leave; ret, and what was before, in between. */
static void follows_a_function(void **state)
{
	static const uint8_t code[] = {
		0x41, 0x0e, 16,	  0x86, 2, /* after 1 byte: CFA is 16 above, rbp at CFA - 16 */
		0x43, 0x0d, 6, /* after 3: CFA by rbp */
		0x02, 0x20, 0x0a, 0x0c, 7, 8, 0xc6, /* after 32: remembered, and as at the entry */
		0x41, 0x0b, /* after 1: as remembered */
	};
	struct made made;
	struct found found;

	make(&made, "zR", code, sizeof(code));
	assert_int_equal(run(&made, &found), 0);
	assert_int_equal(found.count, 5);
	rule_is(&found.rules[0], PROFILE_CFA_SP, 8, PROFILE_SAME, 0);
	assert_int_equal(found.at[1], CODE + 1);
	rule_is(&found.rules[1], PROFILE_CFA_SP, 16, PROFILE_AT_CFA, -16);
	assert_int_equal(found.at[2], CODE + 4);
	rule_is(&found.rules[2], PROFILE_CFA_BP, 16, PROFILE_AT_CFA, -16);
	assert_int_equal(found.at[3], CODE + 36);
	rule_is(&found.rules[3], PROFILE_CFA_SP, 8, PROFILE_SAME, 0);
	rule_is(&found.rules[4], PROFILE_CFA_BP, 16, PROFILE_AT_CFA, -16);
}

/* Functions that align their stacks: by r10, then by what was saved below rbp. */
static void follows_aligned_stacks(void **state)
{
	static const uint8_t code[] = {
		0x44, 0x0c, 10, 0, /* CFA is r10 */
		0x44, 0x10, 6,	2, 0x76, 0, 0x0f, 3, 0x76, 0x78, 0x06, /* *(rbp - 8); rbp at rbp */
	};
	struct made made;
	struct found found;

	make(&made, "zR", code, sizeof(code));
	assert_int_equal(run(&made, &found), 0);
	assert_int_equal(found.count, 3);
	rule_is(&found.rules[1], PROFILE_CFA_R10, 0, PROFILE_SAME, 0);
	rule_is(&found.rules[2], PROFILE_CFA_BP_DEREF, -8, PROFILE_AT_BP, 0);
}

static void knows_linkage_tables(void **state)
{
	static const uint8_t code[] = {0x0f, 11,   0x77, 8,    0x80, 0,	  0x3f,
				       0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
	struct made made;
	struct found found;

	make(&made, "zR", code, sizeof(code));
	assert_int_equal(run(&made, &found), 0);
	assert_int_equal(found.count, 1);
	rule_is(&found.rules[0], PROFILE_CFA_PLT, 8, PROFILE_SAME, 11);
}

/* As glibc describes what a handler returns to: all is in memory above the stack pointer. */
static void knows_signal_frames(void **state)
{
	static const uint8_t code[] = {0x0f, 4,	   0x77, 0xa0, 1, 0x06, 0x10, 16,   3,
				       0x77, 0xa8, 1,	 0x10, 6, 3,	0x77, 0xf8, 0x00};
	struct made made;
	struct found found;

	make(&made, "zRS", code, sizeof(code));
	assert_int_equal(run(&made, &found), 0);
	assert_int_equal(found.rules[0].cfa, PROFILE_CFA_SP_DEREF);
	assert_int_equal(found.rules[0].cfa_offset, 160);
	assert_int_equal(found.rules[0].ra, PROFILE_AT_SP);
	assert_int_equal(found.rules[0].ra_offset, 168);
	assert_int_equal(found.rules[0].bp, PROFILE_AT_SP);
	assert_int_equal(found.rules[0].bp_offset, 120);
	assert_true(found.rules[0].is_signal);
}

static void knows_where_stacks_end(void **state)
{
	static const uint8_t code[] = {0x07, 16};
	struct made made;
	struct found found;

	make(&made, "zR", code, sizeof(code));
	assert_int_equal(run(&made, &found), 0);
	assert_int_equal(found.rules[0].is_fixed, PROFILE_RULE_END);
}

/* What is not supported is no rule, and not a wrong one. */
static void gives_up_what_it_does_not_know(void **state)
{
	static const struct {
		uint8_t code[8];
		size_t bytes;
	} rows[] = {
		{{0x3f}, 1}, /* no such instruction */
		{{0x0b}, 1}, /* nothing was remembered */
		{{0x0d, 3}, 2}, /* the CFA by rbx */
		{{0x09, 16, 3}, 3}, /* the return address in a register */
		{{0x08, 16}, 2}, /* or where it was, which a call does not leave */
		{{0x0f, 2, 0x97, 0}, 4}, /* an expression that is no known one */
		{{0x16, 16, 2, 0x77, 8}, 5}, /* its value, not its place */
		{{0x13, 0x80, 0x80, 0x80, 0x80, 0x20}, 6}, /* an offset of more than 32 bits */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct made made;
		struct found found;

		make(&made, "zR", rows[i].code, rows[i].bytes);
		assert_int_equal(run(&made, &found), 0);
		assert_int_equal(found.count, 1);
		assert_int_equal(found.rules[0].is_fixed, PROFILE_RULE_BAD);
	}
}

/* Any byte may be anything: nothing is read beyond the section, and the budget holds. */
static void takes_any_bytes(void **state)
{
	static const uint8_t code[] = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0a, 0x0b};
	struct made made;
	struct found found;

	make(&made, "zR", code, sizeof(code));
	for (size_t i = 0; i < made.section.len; i++)
		for (int value = 0; value < 256; value++) {
			struct made other = made;
			size_t at = 0, budget = 4096;
			int r;

			other.section.bytes = other.bytes;
			other.bytes[i] = (uint8_t)value;
			found.count = 0;
			while ((r = cfi_next(&other.section, &at, &other.frame)) == -EAGAIN)
				;
			assert_true(at <= other.section.len);
			if (r == 1)
				(void)cfi_run(&other.section, &cfi_x86_64, &other.frame,
					      CODE + CODE_BYTES, &budget, find_row, &found);
			assert_true(budget <= 4096);
		}
}

/* It is read again for each frame: whoever wrote the file does not choose how long it is. */
static void rejects_a_long_augmentation(void **state)
{
	static const uint8_t code[] = {0x41};
	struct made made;
	size_t at = 0;

	make(&made, "zRSSSSSSSSSSSSSSSSSS", code, sizeof(code));
	assert_int_equal(cfi_next(&made.section, &at, &made.frame), -EAGAIN);
	assert_int_equal(cfi_next(&made.section, &at, &made.frame), -EAGAIN);
	assert_int_equal(cfi_next(&made.section, &at, &made.frame), 0);
}

static void stops_at_the_budget(void **state)
{
	static const uint8_t code[] = {0x41};
	struct made made;
	struct found found;
	size_t budget = 3;

	make(&made, "zR", code, sizeof(code));
	assert_int_equal(run(&made, &found), 0);
	found.count = 0;
	assert_int_equal(cfi_run(&made.section, &cfi_x86_64, &made.frame, UINT64_MAX, &budget,
				 find_row, &found),
			 -E2BIG);
	assert_int_equal(found.count, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(follows_a_function),	  cmocka_unit_test(follows_aligned_stacks),
	cmocka_unit_test(knows_linkage_tables),	  cmocka_unit_test(knows_signal_frames),
	cmocka_unit_test(knows_where_stacks_end), cmocka_unit_test(gives_up_what_it_does_not_know),
	cmocka_unit_test(takes_any_bytes),	  cmocka_unit_test(rejects_a_long_augmentation),
	cmocka_unit_test(stops_at_the_budget),
};

UNIT_GROUP(tests);
