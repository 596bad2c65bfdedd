/* SPDX-License-Identifier: MIT */
/* What tells values of which a part is missing, and which fields say so. */
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/cut.h"
#include "sinsp/filter/filter.h"
#include "unit.h"
#include "world.h"

static char path[2 * STRING_BYTES_MAX], args[2 * STRING_BYTES_MAX];

/* A path as put_built_path() writes one that is too long. */
static void make_path(void)
{
	memset(path, 'p', sizeof(path));
	memcpy(path, "/begin/", 7);
	memcpy(path + PATH_END_BYTES - 3, "...", 3);
	strcpy(path + STRING_BYTES_MAX - 5, "/end");
}

static void test_paths(void **state)
{
	make_path();
	assert_int_equal(strlen(path), STRING_BYTES_MAX - 1);
	assert_int_equal(cut_of_path(path, strlen(path)), CUT_SHOWN);
	strcat(path, "/below");
	assert_int_equal(cut_of_path(path, strlen(path)), CUT_SHOWN);
	path[PATH_END_BYTES - 1] = 'p';
	assert_int_equal(cut_of_path(path, strlen(path)), 0);
	assert_int_equal(cut_of_path("/...om/a", 8), CUT_SHOWN);
	assert_int_equal(cut_of_path("/a/.../b", 8), 0);
	assert_int_equal(cut_of_path("...", 3), 0);
	assert_int_equal(cut_of_path("", 0), 0);
}

/* As area_read() writes arguments that are too many: with argv[0] of 4 bytes. */
static struct state_program make_program(void)
{
	size_t len = STRING_BYTES_MAX - 5, mark = len - AREA_END_BYTES - 4;

	memset(args, 'x', len);
	memcpy(args + mark, "...", 4);
	strcpy(args + len - 5, " end");
	return (struct state_program){
		.exe = "prog", .exepath = "", .args = args, .args_len = len, .env = ""};
}

static void test_programs(void **state)
{
	struct state_program program = make_program();
	char large[STRING_BYTES_MAX];

	assert_int_equal(cut_of_exe(&program), 0);
	assert_int_equal(cut_of_args(&program), CUT_SHOWN);
	assert_int_equal(cut_of_env(&program), 0);
	program.exe = "pro"; /* together they are shorter */
	assert_int_equal(cut_of_args(&program), 0);
	program.exe = "prog";
	memcpy(args + program.args_len - AREA_END_BYTES - 4, "xxxx", 4);
	assert_int_equal(cut_of_args(&program), CUT_END); /* as others write them */
	strcpy(args + program.args_len - 4, "..."); /* from /proc */
	assert_int_equal(cut_of_args(&program), CUT_SHOWN);
	program.env = args;
	program.env_len = program.args_len;
	assert_int_equal(cut_of_env(&program), 0);
	program.env_len = STRING_BYTES_MAX;
	strcpy(args + STRING_BYTES_MAX - 4, "...");
	assert_int_equal(cut_of_env(&program), CUT_SHOWN);
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	program.exe = large;
	assert_int_equal(cut_of_exe(&program), CUT_END);
	assert_int_equal(cut_of_args(&program), CUT_WHOLE);
}

static void test_parameters(void **state)
{
	struct event ev = {.marks.truncated = 1 << 2};

	make_path();
	ev.params[1] = ev.params[2] =
		(struct event_param){.data = (const uint8_t *)path, .len = STRING_BYTES_MAX};
	assert_int_equal(cut_of_param(&ev, 1), 0);
	assert_int_equal(cut_of_param(&ev, 2), CUT_SHOWN);
	make_program();
	ev.params[2] =
		(struct event_param){.data = (const uint8_t *)args, .len = STRING_BYTES_MAX - 5};
	assert_int_equal(cut_of_param(&ev, 2), CUT_SHOWN);
	ev.params[2].len--;
	assert_int_equal(cut_of_param(&ev, 2), CUT_END);
	ev.params[2].len = 0;
	assert_int_equal(cut_of_param(&ev, 2), CUT_WHOLE);
}

/* 0: no; 1: yes; 2: unknown. */
static void expect(struct drive *world, const char *text, int wanted)
{
	struct filter_error err;
	struct filter *filter;
	int found = 0;

	assert_int_equal(filter_create(text, NULL, &filter, &err), 0);
	if (filter_match(filter, &world->event))
		found = 1 + filter_is_unknown(filter);
	filter_destroy(filter);
	if (found != wanted)
		fail_msg("%s: %d", text, found);
}

static void test_fields(void **state)
{
	const struct world_process process = {.pid = 100,
					      .ptid = 1,
					      .comm = "prog",
					      .exe = "prog",
					      .exepath = path,
					      .args = args,
					      .args_len = STRING_BYTES_MAX - 5,
					      .cwd = path};
	struct drive *world;

	make_path();
	make_program();
	assert_int_equal(world_setup_process(state, &process, NULL), 0);
	world = *state;
	world_read(world, 1);
	world_set_fd(world, 6, world_fd(world->event.thread, 6, SCAP_FD_FILE, path));
	expect(world, "proc.cmdline contains curl", 2);
	expect(world, "proc.cmdline startswith 'prog x'", 1);
	expect(world, "proc.cmdline startswith other", 0);
	expect(world, "proc.args endswith ' end'", 1);
	expect(world, "proc.args endswith other", 0);
	expect(world, "proc.exeline contains curl", 2);
	expect(world, "proc.args[1] = curl", 2);
	expect(world, "proc.cmdnargs = 3", 2);
	expect(world, "proc.name = other", 0);
	expect(world, "proc.exe = other", 0);
	expect(world, "proc.exepath endswith /end", 1);
	expect(world, "proc.exepath contains curl", 2);
	expect(world, "proc.cwd contains curl", 2);
	expect(world, "proc.cwd startswith /etc", 0);
	expect(world, "fd.name contains curl", 2);
	expect(world, "fd.name startswith /etc", 0);
	expect(world, "fd.filename = end", 1);
	expect(world, "fd.filename = other", 0);
	expect(world, "fd.directory contains curl", 2);
	expect(world, "proc.acmdline contains curl", 0);
	world_teardown(state);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_paths),
	cmocka_unit_test(test_programs),
	cmocka_unit_test(test_parameters),
	cmocka_unit_test(test_fields),
};

UNIT_GROUP(tests);
