/* SPDX-License-Identifier: MIT */
/* Names of ids: forms of lines, and when the file is read. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "etc_files.h"
#include "sinsp/state/containers/users.h"
#include "unit.h"

static struct etc_files etc;
static char path[ETC_FILES_PATH_BYTES];

static int setup(void **state)
{
	etc_create(&etc);
	etc_path(&etc, "passwd", path);
	return 0;
}

static int teardown(void **state)
{
	etc_destroy(&etc);
	return 0;
}

static const uint64_t second_ns = 1000000000;

static const char *name_of(struct state_users *users, uint32_t id, uint64_t now_ns)
{
	const struct state_user *user = state_users_find(users, id, now_ns);

	return user ? user->name : NULL;
}

static void reads_lines(void **state)
{
	struct state_users users;

	etc_write(&etc, "passwd",
		  "root:x:0:0:root:/root:/bin/sh\n"
		  "second-root:x:0:0::/:/bin/sh\n"
		  "\n"
		  "# comment\n"
		  "noid:x\n"
		  "bad:x:12a:0::/:\n"
		  "huge:x:99999999999999999999:0::/:\n"
		  ":x:5:5::/:\n"
		  "nobody:*:4294967294:0::/:\n"
		  "last:x:1000:1000::/:/bin/sh");
	state_users_init(&users, path);
	assert_string_equal(name_of(&users, 0, 0), "root");
	assert_string_equal(name_of(&users, 4294967294, 0), "nobody");
	assert_string_equal(name_of(&users, 1000, 0), "last");
	assert_null(name_of(&users, 5, 0));
	assert_null(name_of(&users, 12, 0));
	assert_null(name_of(&users, UINT32_MAX, 0));
	state_users_finish(&users);
}

static void reads_again_after_a_minute(void **state)
{
	struct state_users users;
	const char *root;

	etc_write(&etc, "passwd", "root:x:0:0::/:\n");
	state_users_init(&users, path);
	root = name_of(&users, 0, second_ns);
	etc_write(&etc, "passwd", "root:x:0:0::/:\nnew:x:7:7::/:\n");
	assert_null(name_of(&users, 7, 2 * second_ns));
	assert_string_equal(name_of(&users, 7, 62 * second_ns), "new");
	/* A name that was given out before still stands. */
	assert_string_equal(root, "root");
	etc_write(&etc, "passwd", "");
	assert_null(name_of(&users, 8, 200 * second_ns));
	assert_null(name_of(&users, 7, 201 * second_ns));
	state_users_finish(&users);
}

static void gives_home_and_shell(void **state)
{
	const struct state_user *user;
	struct state_users users;

	etc_write(&etc, "passwd",
		  "root:x:0:0:root:/root:/bin/bash\n"
		  "short:x:5:5:remark:/home/short\n"
		  "none:x:6:6:::\n"
		  "wheel:x:10:root,admin\n");
	state_users_init(&users, path);
	user = state_users_find(&users, 0, 0);
	assert_string_equal(user->home, "/root");
	assert_string_equal(user->shell, "/bin/bash");
	user = state_users_find(&users, 5, 0);
	assert_string_equal(user->home, "/home/short");
	assert_null(user->shell);
	user = state_users_find(&users, 6, 0);
	assert_string_equal(user->home, "");
	assert_string_equal(user->shell, "");
	user = state_users_find(&users, 10, 0);
	assert_null(user->home);
	state_users_finish(&users);
}

static void copes_without_the_file(void **state)
{
	struct state_users users;

	state_users_init(&users, "/nonexistent/passwd");
	assert_null(name_of(&users, 0, 0));
	state_users_finish(&users);
}

static void translates_ids(void **state)
{
	static const struct state_users_range ranges[] = {{0, 1000, 1}, {1, 4294967200, 95}};
	char text[] = "root:x:0:0::/:\nann:x:95:0::/:\nnone:x:96:0::/:\nlast:x:4294967295:0::/:\n";
	struct state_users users;

	state_users_init(&users, NULL);
	state_users_add_text(&users, text, ranges, 2);
	assert_string_equal(name_of(&users, 1000, 1), "root");
	assert_string_equal(name_of(&users, 4294967294, 1), "ann");
	assert_int_equal(users.count, 2);
	state_users_finish(&users);
}

static int note_name(const struct state_user *user, void *context)
{
	strcat(context, user->name);
	return user->id == 9 ? -1 : 0;
}

static void holds_what_is_added(void **state)
{
	struct state_user user = {.id = 7, .gid = 8, .name = "seven", .home = "/7"};
	struct state_users users;
	char names[32] = "";

	etc_write(&etc, "passwd", "root:x:0:0::/:\n");
	state_users_init(&users, path);
	assert_string_equal(name_of(&users, 0, 0), "root");
	state_users_finish(&users);
	assert_null(name_of(&users, 0, 100 * second_ns));
	assert_int_equal(state_users_add(&users, &user), 0);
	user.name = "second";
	assert_int_equal(state_users_add(&users, &user), 0);
	user = *state_users_find(&users, 7, 200 * second_ns);
	assert_string_equal(user.name, "seven");
	assert_string_equal(user.home, "/7");
	assert_null(user.shell);
	assert_int_equal(user.gid, 8);
	user = (struct state_user){.id = 3, .name = "three"};
	assert_int_equal(state_users_add(&users, &user), 0);
	assert_int_equal(state_users_each(&users, 0, note_name, names), 0);
	assert_string_equal(names, "threeseven");
	state_users_remove(&users, 3);
	state_users_remove(&users, 3);
	assert_null(name_of(&users, 3, 0));
	user = (struct state_user){.id = 9, .name = "nine"};
	assert_int_equal(state_users_add(&users, &user), 0);
	user.id = 10;
	assert_int_equal(state_users_add(&users, &user), 0);
	names[0] = '\0';
	assert_int_equal(state_users_each(&users, 0, note_name, names), -1);
	assert_string_equal(names, "sevennine");
	state_users_finish(&users);
}

static void has_a_limit(void **state)
{
	struct state_user user = {.name = "x"};
	struct state_users users;

	state_users_init(&users, NULL);
	for (user.id = 0; user.id < 1 << 16; user.id++)
		assert_int_equal(state_users_add(&users, &user), 0);
	assert_int_equal(state_users_add(&users, &user), -ENOSPC);
	state_users_remove(&users, 5);
	assert_int_equal(state_users_add(&users, &user), 0);
	state_users_finish(&users);
}

/* Lines of users have their group in the fourth column, those of groups their members. */
static void gives_groups_of_users(void **state)
{
	struct state_users users;

	etc_write(&etc, "passwd", "a:x:5:6::/:\nb:x:7:8\n");
	state_users_init(&users, path);
	assert_int_equal(state_users_find(&users, 5, 0)->gid, 6);
	assert_int_equal(state_users_find(&users, 7, 0)->gid, 0);
	state_users_finish(&users);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_lines),		cmocka_unit_test(reads_again_after_a_minute),
	cmocka_unit_test(gives_home_and_shell), cmocka_unit_test(copes_without_the_file),
	cmocka_unit_test(translates_ids),	cmocka_unit_test(holds_what_is_added),
	cmocka_unit_test(has_a_limit),		cmocka_unit_test(gives_groups_of_users),
};

UNIT_GROUP(tests, .setup = setup, .teardown = teardown);
