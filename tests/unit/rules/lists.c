/* SPDX-License-Identifier: MIT */
/* Lists in lists and in conditions, and how far they may expand. */
#include "rules_text.h"
#include "unit.h"

static void test_lists_expand(void **state)
{
	struct loaded loaded;

	load_right(&loaded,
		   "- list: inner\n  items: [b, \"c d\", '\"e f\"']\n"
		   "- list: outer\n  items: [a, inner, later, outer]\n"
		   "- list: later\n  items: [z]\n"
		   "- list: none\n  items: []\n" NAMED_RULE("brackets", "proc.name in (outer, x)")
			   NAMED_RULE("bare", "proc.name in inner")
				   NAMED_RULE("path", "fd.name pmatch (inner)") NAMED_RULE(
					   "modifier", "proc.name startswith anyof (x, inner)")
					   NAMED_RULE("quoted", "proc.name in (\"inner\")")
						   NAMED_RULE("equal", "proc.name = inner")
							   NAMED_RULE("empty",
								      "proc.name in (none) or "
								      "proc.name in (a, none, b)"));
	expect_condition(&loaded, "brackets", "proc.name in (a, b, \"c d\", \"e f\", z, outer, x)");
	expect_condition(&loaded, "bare", "proc.name in (b, \"c d\", \"e f\")");
	expect_condition(&loaded, "path", "fd.name pmatch (b, \"c d\", \"e f\")");
	expect_condition(&loaded, "modifier",
			 "proc.name startswith anyof (x, b, \"c d\", \"e f\")");
	expect_condition(&loaded, "quoted", "proc.name in (inner)");
	expect_condition(&loaded, "equal", "proc.name = inner");
	expect_condition(&loaded, "empty", "(proc.name in () or proc.name in (a, b))");
	unload(&loaded);
}

/* Each name stands in the next definition, twice. */
static void append_list(struct buf *out, size_t i)
{
	if (i == 0)
		BUF_LITERAL(out, "- list: l0\n  items: [a, b]\n");
	else
		buf_printf(out, "- list: l%zu\n  items: [l%zu, l%zu]\n", i, i - 1, i - 1);
}

static void test_expansion_limit(void **state)
{
	expect_limit(repeat(64, append_list), "expand to more than");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lists_expand),
	cmocka_unit_test(test_expansion_limit),
};

UNIT_GROUP(tests);
