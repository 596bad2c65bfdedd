/* SPDX-License-Identifier: MIT */
/* Field texts: names, arguments, errors, and the tables themselves. */
#include <errno.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "unit.h"

static int init(struct field_ref *ref, const char *text, struct error *err)
{
	return field_ref_init(ref, text, strlen(text), err);
}

static void must_init(struct field_ref *ref, const char *text)
{
	struct error err = {""};

	if (init(ref, text, &err))
		fail_msg("%s: %s", text, err.text);
}

static void expect_error(const char *text, int code, const char *part)
{
	struct field_ref ref = {.index = 77};
	struct error err = {""};

	if (init(&ref, text, &err) != code)
		fail_msg("%s did not give %d", text, code);
	assert_non_null(strstr(err.text, part));
	assert_int_equal(ref.index, 77);
}

static void test_plain_names(void **state)
{
	struct field_ref ref;

	must_init(&ref, "evt.num");
	assert_string_equal(ref.desc->name, "evt.num");
	assert_int_equal(ref.type, PT_UINT64);
	assert_false(ref.has_arg);
	assert_null(ref.param_of_event);
	field_ref_finish(&ref);
	must_init(&ref, "evt.time.s");
	assert_string_equal(ref.desc->name, "evt.time.s");
	must_init(&ref, "proc.exe_ino.ctime_duration_proc_start");
	assert_string_equal(ref.desc->name, "proc.exe_ino.ctime_duration_proc_start");
}

static void test_unknown_names(void **state)
{
	expect_error("evt.nosuch", -ENOENT, "evt.nosuch");
	expect_error("evt", -ENOENT, "unknown");
	expect_error("evt.numx", -ENOENT, "did you mean 'evt.num'?");
	expect_error("evt.num.x", -ENOENT, "unknown");
	expect_error("evt.num[1]", -ENOENT, "unknown");
	expect_error("Evt.num", -ENOENT, "'evt.num'");
	expect_error("user.nme", -ENOENT, "'user.name'");
	expect_error("", -ENOENT, "unknown");
}

static void test_index(void **state)
{
	struct field_ref ref;

	must_init(&ref, "proc.aname[2]");
	assert_true(ref.has_arg);
	assert_int_equal(ref.index, 2);
	must_init(&ref, "proc.aname");
	assert_false(ref.has_arg);
	must_init(&ref, "proc.aname[99999999999]");
	assert_int_equal(ref.index, INT32_MAX);
	must_init(&ref, "proc.aname[-5]");
	assert_int_equal(ref.index, -1);
	must_init(&ref, "evt.arg[3]");
	assert_int_equal(ref.index, 3);
	assert_null(ref.param_of_event);
	expect_error("proc.aname[abc]", -EINVAL, "number");
	expect_error("proc.aname[]", -EINVAL, "empty");
	expect_error("proc.aname[1", -EINVAL, "brackets");
	expect_error("proc.aname[1x]", -EINVAL, "number");
	expect_error("proc.aname[+]", -EINVAL, "number");
	expect_error("proc.aname.1", -EINVAL, "brackets");
}

static void test_key(void **state)
{
	struct field_ref ref;

	must_init(&ref, "proc.env[PATH]");
	assert_string_equal(ref.name, "PATH");
	must_init(&ref, "proc.env[\"A B\"]");
	assert_string_equal(ref.name, "A B");
	must_init(&ref, "proc.env['a\\'b']");
	assert_string_equal(ref.name, "a'b");
	must_init(&ref, "proc.aenv[3]");
	assert_int_equal(ref.index, 3);
	assert_string_equal(ref.name, "");
	must_init(&ref, "proc.aenv[HOME]");
	assert_int_equal(ref.index, -1);
	assert_string_equal(ref.name, "HOME");
	must_init(&ref, "thread.cgroup.cpu_x");
	assert_string_equal(ref.name, "cpu_x");
	expect_error("thread.cgroup", -EINVAL, "argument");
	expect_error("thread.cgroup[cpu]", -EINVAL, "dot");
	expect_error("thread.cgroup.a1", -EINVAL, "letters");
	expect_error("proc.env[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]",
		     -EINVAL, "long");
}

static void test_parameters(void **state)
{
	struct field_ref ref;

	must_init(&ref, "evt.arg.name");
	assert_int_equal(ref.type, PT_CHARBUF);
	assert_int_equal(ref.param_of_event[EVENT_openat], openat__name);
	assert_int_equal(ref.param_of_event[EVENT_open], open__name);
	assert_int_equal(ref.param_of_event[EVENT_read], -1);
	field_ref_finish(&ref);
	must_init(&ref, "evt.rawarg.res");
	assert_int_equal(ref.type, PT_ERRNO);
	field_ref_finish(&ref);
	must_init(&ref, "evt.buffer");
	assert_int_equal(ref.type, PT_BYTEBUF);
	assert_int_equal(ref.param_of_event[EVENT_write], write__data);
	field_ref_finish(&ref);
	expect_error("evt.arg", -EINVAL, "argument");
	expect_error("evt.arg.nosuch", -EINVAL, "nosuch");
	expect_error("evt.arg.filenme", -EINVAL, "did you mean 'filename'?");
	expect_error("evt.arg[x]", -EINVAL, "number");
	expect_error("evt.arg.", -EINVAL, "dot");
	expect_error("evt.rawarg[1]", -EINVAL, "dot");
	expect_error("evt.rawarg", -EINVAL, "argument");
}

static void test_other_arguments(void **state)
{
	struct field_ref ref;

	must_init(&ref, "evt.type.is.openat");
	assert_int_equal(ref.index, EVENT_openat);
	expect_error("evt.type.is", -EINVAL, "argument");
	expect_error("evt.type.is.nosuch", -EINVAL, "nosuch");
	expect_error("evt.type.is.opne", -EINVAL, "did you mean 'open'?");
	must_init(&ref, "evt.around[1795260961123456789]");
	assert_true(ref.number == UINT64_C(1795260961123456789));
	expect_error("evt.around[x]", -EINVAL, "number");
	expect_error("evt.abspath[0]", -ENOENT, "unknown");
}

static void test_nearest(void **state)
{
	assert_string_equal(field_nearest("fd.nme", 6), "fd.name");
	assert_string_equal(field_nearest("proc.anmae[2]", 13), "proc.aname");
	assert_null(field_nearest("completely.different", 20));
	assert_null(field_nearest("", 0));
}

/* Rows are complete, names are unique, and a name with its argument resolves to its own row. */
static void test_tables(void **state)
{
	for (const struct field_desc *const *table = field_tables; *table; table++) {
		for (const struct field_desc *desc = *table; desc->name; desc++) {
			struct field_ref ref;
			int rc = init(&ref, desc->name, NULL);

			assert_non_null(strchr(desc->name, '.'));
			assert_non_null(desc->get);
			assert_non_null(desc->help);
			assert_true(desc->help[0] && !strchr(desc->help, '\n'));
			assert_int_equal(rc, desc->flags & FIELD_ARG_REQUIRED ? -EINVAL : 0);
			if (desc->flags & (FIELD_ARG_REQUIRED | FIELD_ARG_ALLOWED))
				assert_int_not_equal(desc->arg, FIELD_ARG_NONE);
			else
				assert_int_equal(desc->arg, FIELD_ARG_NONE);
			if (rc == 0) {
				assert_ptr_equal(ref.desc, desc);
				field_ref_finish(&ref);
			}
		}
	}
}

static unsigned int needs_of(const char *text)
{
	struct field_ref ref;
	unsigned int needs;

	must_init(&ref, text);
	needs = field_ref_needs(&ref);
	field_ref_finish(&ref);
	return needs;
}

/* That an argument was changed during the call is looked for only if it is asked for by name. */
static void test_needs(void **state)
{
	static const char *const changed[] = {"evt.arg.name_at_enter", "evt.rawarg.name_at_enter",
					      "evt.arg.filename_at_enter", "evt.arg.addr_at_enter",
					      "evt.arg.pathname_at_enter"};

	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
		assert_int_equal(needs_of(changed[i]) & NEEDS_VALUES,
				 NEEDS_ARGUMENTS | NEEDS_CHANGED);
	assert_int_equal(needs_of("evt.args") & NEEDS_CHANGED, 0);
	assert_int_equal(needs_of("evt.arg.name") & NEEDS_VALUES, NEEDS_ARGUMENTS);
	assert_int_equal(needs_of("evt.arg[7]") & NEEDS_VALUES, NEEDS_ARGUMENTS);
	assert_int_equal(needs_of("evt.type"), NEEDS_NOTHING);
}

/* Environments are large: they are read if a field may show them. */
static void test_needs_of_environments(void **state)
{
	static const char *const of_event[] = {"evt.args",	 "evt.info",	"evt.arg.env",
					       "evt.rawarg.env", "evt.arg[15]", "evt.is_truncated",
					       "evt.marks"};
	static const char *const of_none[] = {"evt.arg.args", "evt.rawarg.args", "evt.arg[14]",
					      "proc.args", "evt.type"};
	const unsigned int both = NEEDS_ENVIRONMENT | NEEDS_EVENT_ENVIRONMENT;

	assert_int_equal(execve__env, 15);
	for (size_t i = 0; i < sizeof(of_event) / sizeof(of_event[0]); i++)
		if ((needs_of(of_event[i]) & both) != NEEDS_EVENT_ENVIRONMENT)
			fail_msg("%s", of_event[i]);
	for (size_t i = 0; i < sizeof(of_none) / sizeof(of_none[0]); i++)
		if (needs_of(of_none[i]) & both)
			fail_msg("%s", of_none[i]);
	assert_int_equal(needs_of("proc.env") & both, NEEDS_ENVIRONMENT);
	assert_int_equal(needs_of("proc.env[A]") & both, NEEDS_ENVIRONMENT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_needs),	    cmocka_unit_test(test_needs_of_environments),
	cmocka_unit_test(test_plain_names), cmocka_unit_test(test_unknown_names),
	cmocka_unit_test(test_index),	    cmocka_unit_test(test_key),
	cmocka_unit_test(test_parameters),  cmocka_unit_test(test_other_arguments),
	cmocka_unit_test(test_nearest),	    cmocka_unit_test(test_tables),
};

UNIT_GROUP(tests);
