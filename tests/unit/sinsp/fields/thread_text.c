/* SPDX-License-Identifier: MIT */
/* The texts of a thread: its names, its arguments, its environment. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/thread_text.h"
#include "unit.h"

#define STRINGS(bytes) bytes, sizeof(bytes) - 1

static struct field_scratch *scratch;

static int create_scratch(void **state)
{
	scratch = calloc(1, sizeof(*scratch));
	return scratch ? 0 : -1;
}

static int free_scratch(void **state)
{
	free(scratch);
	return 0;
}

static struct state_program program_of(const char *args, size_t len)
{
	return (struct state_program){
		.exe = "./cat", .exepath = "/bin/cat", .args = args, .args_len = len, .env = ""};
}

static void expect(thread_giver *give, const struct state_thread *thread, const char *wanted)
{
	struct field_value value = {0};

	scratch->used = 0;
	assert_int_equal(give(thread, scratch, &value), 1);
	assert_string_equal(value.bytes.data, wanted);
	assert_int_equal(value.bytes.len, strlen(wanted));
}

static void test_names(void **state)
{
	struct state_program program = program_of("", 0);
	struct state_thread thread = {.comm = "cat", .program = &program};
	struct field_value value;

	expect(thread_give_name, &thread, "cat");
	expect(thread_give_exe, &thread, "./cat");
	expect(thread_give_exepath, &thread, "/bin/cat");
	program.exe = program.exepath = "";
	expect(thread_give_exe, &thread, "");
	expect(thread_give_exepath, &thread, "");
	/* A thread without a name is one of which none is known. */
	thread.comm[0] = '\0';
	assert_int_equal(thread_give_name(&thread, scratch, &value), -1);
}

static void expect_lines(const char *args, size_t len, const char *joined, const char *cmdline,
			 const char *exeline)
{
	struct state_program program = program_of(args, len);
	struct state_thread thread = {.comm = "cat", .program = &program};

	expect(thread_give_args, &thread, joined);
	expect(thread_give_cmdline, &thread, cmdline);
	expect(thread_give_exeline, &thread, exeline);
}

static void test_lines(void **state)
{
	expect_lines(STRINGS("-n\0/etc/x y\0"), "-n /etc/x y", "cat -n /etc/x y",
		     "./cat -n /etc/x y");
	expect_lines(STRINGS(""), "", "cat", "./cat ");
	expect_lines(STRINGS("\0"), "", "cat ", "./cat ");
	expect_lines(STRINGS("\0a\0"), " a", "cat  a", "./cat  a");
	/* Cut off. */
	expect_lines(STRINGS("-n\0/etc"), "-n /etc", "cat -n /etc", "./cat -n /etc");
}

static void test_environment(void **state)
{
	struct state_program program = program_of("", 0);
	struct state_thread thread = {.comm = "cat", .program = &program};

	expect(thread_give_env, &thread, "");
	program.env = "A=1\0B=x y\0";
	program.env_len = 10;
	expect(thread_give_env, &thread, "A=1 B=x y");
}

static void expect_variable(const char *name, const char *wanted)
{
	static const char env[] = "PATH=/bin:/x=y\0EMPTY=\0PAD=  x  y \0BLANK=   \0NONE\0PATH=late";
	struct state_program program = program_of("", 0);
	struct state_thread thread = {.program = &program};
	struct field_value value = {0};

	program.env = env;
	program.env_len = sizeof(env) - 1;
	scratch->used = 0;
	assert_int_equal(thread_give_variable(&thread, name, scratch, &value), 1);
	assert_string_equal(value.bytes.data, wanted);
	assert_int_equal(value.bytes.len, strlen(wanted));
}

/* The first of a name, without the blanks around it. */
static void test_variables(void **state)
{
	expect_variable("PATH", "/bin:/x=y");
	expect_variable("EMPTY", "");
	expect_variable("PAD", "x  y");
	expect_variable("BLANK", "");
	expect_variable("NONE", "");
	expect_variable("PAT", "");
	expect_variable("PATHS", "");
	expect_variable("path", "");
	expect_variable("NOSUCH", "");
}

/* Values of one event share the memory, and stay. */
static void test_two_values(void **state)
{
	struct state_program program = program_of(STRINGS("a\0b\0"));
	struct state_thread thread = {.comm = "cat", .program = &program};
	struct field_value first, second;

	scratch->used = 0;
	thread_give_args(&thread, scratch, &first);
	thread_give_cmdline(&thread, scratch, &second);
	assert_string_equal(first.bytes.data, "a b");
	assert_string_equal(second.bytes.data, "cat a b");
	assert_int_equal(scratch->used, sizeof("a b") + sizeof("cat a b"));
}

/* What has no room there is dropped, and the end of the memory is the end of the text. */
static void test_full_scratch(void **state)
{
	static thread_giver *const givers[] = {thread_give_args, thread_give_cmdline,
					       thread_give_exeline, thread_give_env};
	struct state_program program = program_of(STRINGS("1234\0"
							  "567\0"));
	struct state_thread thread = {.comm = "cat", .program = &program};

	program.env = program.args;
	program.env_len = program.args_len;
	for (size_t i = 0; i < sizeof(givers) / sizeof(givers[0]); i++) {
		for (size_t room = 1; room < 20; room++) {
			struct field_value value = {0};
			const char *end = scratch->bytes + sizeof(scratch->bytes);

			scratch->used = sizeof(scratch->bytes) - room;
			assert_int_equal(givers[i](&thread, scratch, &value), 1);
			assert_true(value.bytes.len < room);
			assert_true(value.bytes.data + value.bytes.len < end);
			assert_int_equal(strlen(value.bytes.data), value.bytes.len);
			assert_true(scratch->used < sizeof(scratch->bytes));
		}
	}
}

/* Overwrites all but the first string, and values of variables. */
static void hide(void *context, const char *program, char *strings, size_t len)
{
	char *from = program ? memchr(strings, '\0', len) : memchr(strings, '=', len);

	assert_true(!program || strcmp(program, "./cat") == 0);
	for (char *at = from; at && at < strings + len; at++)
		if (*at && *at != '=')
			*at = '*';
}

/* What an output hides, filters see: they have another scratch memory. */
static void test_hidden(void **state)
{
	struct state_program program = program_of(STRINGS("-p\0a b\0"));
	struct state_thread thread = {.comm = "cat", .program = &program};
	struct field_value value = {0};

	program.env = "KEY=ab";
	program.env_len = sizeof("KEY=ab");
	scratch->style.hider.arguments = hide;
	expect(thread_give_args, &thread, "-p ***");
	expect(thread_give_cmdline, &thread, "cat -p ***");
	expect(thread_give_exeline, &thread, "./cat -p ***");
	expect(thread_give_env, &thread, "KEY=**");
	scratch->used = 0;
	assert_int_equal(thread_give_argument(&thread, 1, scratch, &value), 1);
	assert_memory_equal(value.bytes.data, "***", 3);
	assert_int_equal(thread_give_variable(&thread, "KEY", scratch, &value), 1);
	assert_string_equal(value.bytes.data, "**");
	scratch->style.hider.arguments = NULL;
	expect(thread_give_args, &thread, "-p a b");
	assert_int_equal(thread_give_argument(&thread, 1, scratch, &value), 1);
	assert_string_equal(value.bytes.data, "a b");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_hidden),	     cmocka_unit_test(test_names),
	cmocka_unit_test(test_lines),	     cmocka_unit_test(test_environment),
	cmocka_unit_test(test_variables),    cmocka_unit_test(test_two_values),
	cmocka_unit_test(test_full_scratch),
};

UNIT_GROUP(tests, .setup = create_scratch, .teardown = free_scratch);
