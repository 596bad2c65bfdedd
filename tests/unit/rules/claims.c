/* SPDX-License-Identifier: MIT */
/* Notes about exceptions that anybody can have apply to him. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules_text.h"
#include "unit.h"

/* Fails unless the notes about a text are those: "LINE:COLUMN", each followed by a blank. */
static void expect_notes(const char *text, const char *places)
{
	struct loaded loaded;
	char found[256] = "";
	unsigned int line, column;

	load_text(&loaded, text);
	assert_int_equal(loaded.code, 0);
	for (size_t i = 0; i < loaded.report.count; i++) {
		const struct yaml_message *message = &loaded.report.messages[i];
		size_t at = strlen(found);

		if (message->severity != YAML_NOTE || !strstr(message->text, "anybody can have"))
			continue;
		line = message->line;
		column = message->column;
		snprintf(found + at, sizeof(found) - at, "%u:%u ", line, column);
	}
	unload(&loaded);
	assert_string_equal(found, places);
}

static void test_conditions(void **state)
{
	expect_notes(RULE("evt.num=1 and not proc.name=x"), "2:32 ");
	expect_notes(RULE("evt.num=1 and proc.name!=x"), "2:28 ");
	expect_notes(RULE("evt.num=1 and not proc.aname[2] in (x, y)"), "2:32 ");
	expect_notes(RULE("evt.num=1 and not tolower(proc.cmdline) contains x"), "2:32 ");
	expect_notes(RULE("evt.num=1 and not (fd.name=/x or proc.exe=y)"), "2:47 ");
	expect_notes(RULE("evt.num=1 and not (proc.name=x and proc.pname=y) and not proc.cwd=/"),
		     "2:33 2:71 ");
	expect_notes(RULE("evt.num=1 and not (not proc.name=x)"), "2:37 ");
}

/* What the kernel says is in them, too; or they are no exceptions. */
static void test_none(void **state)
{
	expect_notes(RULE("evt.num=1 and proc.name=x"), "");
	expect_notes(RULE("evt.num=1 and not proc.exepath=/x"), "");
}

static void test_macros(void **state)
{
	expect_notes("- macro: known\n  condition: proc.name=x\n" RULE("evt.num=1 and not known"),
		     "4:32 ");
	expect_notes("- macro: known\n  condition: proc.name=x and fd.name=/y\n" RULE(
			     "evt.num=1 and not known"),
		     "");
	expect_notes("- macro: other\n  condition: evt.num=1 and not proc.name=x\n" RULE("other"),
		     "2:32 ");
	expect_notes(
		"- macro: unused\n  condition: evt.num=1 and not proc.name=x\n" RULE("evt.num=1"),
		"");
}

static void test_exceptions(void **state)
{
	expect_notes(RULE("evt.num=1") "  exceptions:\n"
				       "  - name: a\n    fields: [proc.name, fd.name]\n"
				       "    values: [[x, /y]]\n"
				       "  - name: b\n    fields: proc.pname\n    values: [x]\n",
		     "11:13 ");
	expect_notes(RULE("evt.num=1") "  exceptions:\n"
				       "  - name: a\n    fields: [proc.name, user.uid]\n"
				       "    values: [[x, 0]]\n",
		     "");
}

static void append_macro(struct buf *out, size_t i)
{
	if (i == 0)
		BUF_LITERAL(out, "- macro: m0\n  condition: proc.name=x\n");
	else
		buf_printf(out, "- macro: m%zu\n  condition: m%zu and m%zu\n", i, i - 1, i - 1);
	if (i == 59)
		BUF_LITERAL(out, RULE("evt.num=1 and not m59"));
}

/* Of 2^59 comparisons as many are looked at as time allows. */
static void test_time(void **state)
{
	char *text = repeat(60, append_macro);

	expect_notes(text, "");
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_conditions), cmocka_unit_test(test_none),
	cmocka_unit_test(test_macros),	   cmocka_unit_test(test_exceptions),
	cmocka_unit_test(test_time),
};

UNIT_GROUP(tests);
