/* SPDX-License-Identifier: MIT */
/* Exceptions of rules: what they add to the condition, and what is wrong with others. */
#include "rules_text.h"
#include "unit.h"

static void test_exceptions(void **state)
{
	struct loaded loaded;

	load_right(
		&loaded,
		"- list: files\n  items: [/bin/ls, /bin/rm]\n" NAMED_RULE(
			"r",
			"evt.num=1") "  exceptions:\n"
				     "  - name: tuples\n    fields: [proc.name, fd.directory]\n"
				     "    comps: [=, startswith]\n"
				     "    values:\n    - [yum, /usr]\n    - [apt, \"/va r\"]\n"
				     "  - name: default_comps\n    fields: [proc.name, evt.num]\n"
				     "    values: [[a, 3]]\n"
				     "  - name: sets\n    fields: [proc.name, fd.name]\n    comps: "
				     "[in, pmatch]\n"
				     "    values:\n    - [x, [files]]\n    - [[y, z], [/tmp, "
				     "files]]\n"
				     "    - [\"('a b', files)\", (files)]\n    - [\"('files')\", "
				     "files]\n"
				     "  - name: single\n    fields: fd.filename\n"
				     "  - name: single_comp\n    fields: tolower(proc.name)\n    "
				     "comps: intersects\n"
				     "    values: [files, q]\n"
				     "  - name: without\n    fields: [proc.name]\n"
				     "- rule: r\n  append: true\n  exceptions:\n"
				     "  - name: single\n    values: [python, go]\n"
				     "  - name: tuples\n    values: [[npm, /n]]\n"
				     "  - name: new\n    fields: [proc.pname]\n    values: "
				     "[[init]]\n");
	expect_condition(&loaded, "r",
			 "(evt.num = 1 and not ("
			 "(proc.name = yum and fd.directory startswith /usr) or "
			 "(proc.name = apt and fd.directory startswith \"/va r\") or "
			 "(proc.name = npm and fd.directory startswith /n) or "
			 "(proc.name = a and evt.num = 3) or "
			 "(proc.name in (x) and fd.name pmatch (/bin/ls, /bin/rm)) or "
			 "(proc.name in (y, z) and fd.name pmatch (/tmp, /bin/ls, /bin/rm)) or "
			 "(proc.name in (\"a b\", /bin/ls, /bin/rm) and "
			 "fd.name pmatch (/bin/ls, /bin/rm)) or "
			 "(proc.name in (files) and fd.name pmatch (/bin/ls, /bin/rm)) or "
			 "fd.filename in (python, go) or "
			 "tolower(proc.name) intersects (/bin/ls, /bin/rm, q) or "
			 "proc.pname = init))");
	unload(&loaded);
}

static void test_replaced_exceptions(void **state)
{
	struct loaded loaded;

	load_right(&loaded,
		   NAMED_RULE("r", "evt.num=1 or evt.num=2") "  exceptions: [{name: a, fields: "
							     "[proc.name], values: [[x]]}]\n"
							     "- rule: r\n  exceptions: [{name: b, "
							     "fields: proc.name, values: [y]}]\n"
							     "  override: {exceptions: replace}\n");
	expect_condition(&loaded, "r", "((evt.num = 1 or evt.num = 2) and not proc.name in (y))");
	unload(&loaded);
}

#define EXCEPTION(text) RULE("evt.num=1") "  exceptions:\n  - " text "\n"

static void test_wrong_exceptions(void **state)
{
	EXPECT(EXCEPTION("x"), "7:5 error expected an exception");
	EXPECT(EXCEPTION("fields: [proc.name]"), "7:5 error needs a name");
	EXPECT(EXCEPTION("name: a"), "7:11 error needs fields");
	EXPECT(EXCEPTION("{name: a, fields: [proc.nam], values: [[x]]}"),
	       "7:24 error did you mean 'proc.name'?");
	EXPECT(EXCEPTION("{name: a, fields: [evt.num], values: [[1], [x]]}"), "7:49 error 'x'");
	EXPECT(EXCEPTION("{name: a, fields: ['evt.num=1 or proc.name'], values: [[1]]}"),
	       "7:24 error expected a field alone");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name], comps: [startwith], values: [[x]]}"),
	       "7:44 error unknown operator 'startwith'; did you mean 'startswith'?");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name], comps: [=, =], values: [[x]]}"),
	       "7:47 error more comps than fields");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name, evt.num], comps: [=], values: [[x, 1]]}"),
	       "7:52 error fewer comps than fields");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name], values: [[x, y]]}"),
	       "7:49 error more values than fields");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name, evt.num], values: [[x]]}"),
	       "7:54 error fewer values than fields");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name], values: [x]}"),
	       "7:45 error expected a sequence");
	EXPECT(EXCEPTION("{name: a, fields: [proc.name], values: [[[x]]]}"),
	       "7:46 error expected a value");
	EXPECT(EXCEPTION("{name: a, fields: [evt.num], comps: [in], values: [['(1, 2']]}"),
	       "7:57 error expected ','");
	EXPECT(EXCEPTION(
		       "{name: a, fields: [evt.num], comps: [in], values: [['(1) or evt.num=2']]}"),
	       "7:57 error expected values alone");
	EXPECT(EXCEPTION("{name: a, fields: [evt.num], comps: [in], values: [['(1, x)']]}"),
	       "7:62 error 'x'");
	EXPECT(EXCEPTION("{name: a, fields: proc.name, comps: =, values: [x]}"),
	       "7:41 error by in, pmatch or intersects");
	EXPECT(EXCEPTION("{name: a, fields: proc.name, valus: [x]}"),
	       "7:34 warning no key 'valus', which is ignored; did you mean 'values'?");
	EXPECT(EXCEPTION("{name: a, fields: evt.num, comps: pmatch, values: [x]}"),
	       "7:39 error operator 'pmatch'");
	EXPECT(EXCEPTION("{name: a, fields: proc.name}\n- rule: r\n  append: true\n"
			 "  exceptions: [{name: a, fields: proc.pname, values: [x]}]"),
	       "10:34 error with other fields");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_exceptions),
	cmocka_unit_test(test_replaced_exceptions),
	cmocka_unit_test(test_wrong_exceptions),
};

UNIT_GROUP(tests);
