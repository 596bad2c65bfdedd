/* SPDX-License-Identifier: MIT */
/* Programs and directories: whole copies, counted references. */
#include <string.h>

#include "sinsp/state/program.h"
#include "unit.h"

static void copies_all_strings(void **state)
{
	struct pool pool = {0};
	char args[] = "a\0b b", env[] = "HOME=/\0X=";
	const struct state_program from = {
		.flags = 3,
		.exe_ino = 4,
		.exe = "x",
		.exepath = "/bin/x",
		.args = args,
		.args_len = sizeof(args),
		.env = env,
		.env_len = sizeof(env),
	};
	struct state_program *copy = state_program_create(&pool, &from);

	memset(args, '-', sizeof(args));
	memset(env, '-', sizeof(env));
	assert_int_equal(copy->flags, 3);
	assert_int_equal(copy->exe_ino, 4);
	assert_string_equal(copy->exe, "x");
	assert_string_equal(copy->exepath, "/bin/x");
	assert_memory_equal(copy->args, "a\0b b", sizeof(args));
	assert_memory_equal(copy->env, "HOME=/\0X=", sizeof(env));
	assert_int_equal(copy->refs, 1);
	assert_ptr_equal(state_program_ref(copy), copy);
	state_program_unref(&pool, copy);
	assert_int_equal(copy->refs, 1);
	state_program_unref(&pool, copy);
	state_program_unref(&pool, NULL);
	pool_finish(&pool);
}

/* All who share it see what was learnt of it, and nothing else has changed. */
static void learns_an_executable(void **state)
{
	struct pool pool = {0};
	const struct state_program from = {.exe = "x", .exepath = "", .args = "-b", .args_len = 3};
	struct state_program *program = state_program_create(&pool, &from);
	uint64_t id = program->id;

	for (int i = 0; i < 2; i++) {
		const struct state_program learnt = {.exe = "",
						     .exepath = i ? "/bin/longer" : "/bin/x",
						     .args = "",
						     .exe_ino = 4,
						     .flags = 3};

		assert_true(state_program_learn(&pool, program, &learnt));
		assert_string_equal(program->exepath, learnt.exepath);
		assert_true(program->exe_ino == 4 && program->flags == 3 && program->id != id);
		assert_string_equal(program->exe, "x");
		assert_string_equal(program->args, "-b");
	}
	state_program_unref(&pool, program);
	pool_finish(&pool);
}

/* The last argument of a truncated list lacks its NUL in the event, but has one in the table. */
static void arguments_one_by_one(void **state)
{
	struct pool pool = {0};
	const struct state_program from = {
		.exe = "x", .exepath = "", .args = "-b\0\0web1", .args_len = 8};
	struct state_program *program = state_program_create(&pool, &from);
	const char *arg = state_program_argument(program, NULL);

	assert_string_equal(arg, "-b");
	arg = state_program_argument(program, arg);
	assert_string_equal(arg, "");
	arg = state_program_argument(program, arg);
	assert_string_equal(arg, "web1");
	assert_null(state_program_argument(program, arg));
	assert_true(state_program_has_argument(program, "web1"));
	assert_true(state_program_has_argument(program, ""));
	assert_false(state_program_has_argument(program, "web"));
	assert_false(state_program_has_argument(program, "x"));
	state_program_unref(&pool, program);
	program = state_program_create(&pool, &(struct state_program){.exe = "x", .exepath = ""});
	assert_null(state_program_argument(program, NULL));
	state_program_unref(&pool, program);
	pool_finish(&pool);
}

static void directories_end_in_a_slash(void **state)
{
	static const char *const cases[][2] = {{"", ""}, {"/", "/"}, {"/a", "/a/"}, {"/a/", "/a/"}};
	struct pool pool = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct state_fs *fs = state_fs_create(&pool, cases[i][0], strlen(cases[i][0]));

		assert_string_equal(fs->cwd, cases[i][1]);
		assert_int_equal(fs->cwd_len, strlen(cases[i][1]));
		state_fs_unref(&pool, fs);
	}
	pool_finish(&pool);
}

static void changes_for_all_that_share(void **state)
{
	struct pool pool = {0};
	struct state_fs *fs = state_fs_create(&pool, "/a", 2), *shared, *copy;

	state_fs_set_root(&pool, fs, "/srv");
	shared = state_fs_ref(fs);
	copy = state_fs_copy(&pool, fs);
	state_fs_set(&pool, fs, "/b", 2);
	state_fs_set_root(&pool, fs, "/");
	assert_string_equal(shared->cwd, "/b/");
	assert_null(shared->root);
	assert_string_equal(copy->cwd, "/a/");
	assert_string_equal(copy->root, "/srv");
	state_fs_unref(&pool, fs);
	assert_string_equal(shared->cwd, "/b/");
	state_fs_unref(&pool, shared);
	state_fs_unref(&pool, copy);
	state_fs_unref(&pool, NULL);
	pool_finish(&pool);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(copies_all_strings),	      cmocka_unit_test(learns_an_executable),
	cmocka_unit_test(arguments_one_by_one),	      cmocka_unit_test(directories_end_in_a_slash),
	cmocka_unit_test(changes_for_all_that_share),
};

UNIT_GROUP(tests);
