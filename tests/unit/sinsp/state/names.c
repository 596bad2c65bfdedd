/* SPDX-License-Identifier: MIT */
/* Users, groups and hosts by the files of one folder. */
#include <string.h>

#include "etc_files.h"
#include "sinsp/state/names.h"
#include "unit.h"

static const uint8_t address[4] = {10, 1, 2, 3};
static struct etc_files etc;

static int setup(void **state)
{
	etc_create(&etc);
	etc_write(&etc, "passwd", "ann:x:7:8::/home/ann:/bin/sh\n");
	etc_write(&etc, "group", "staff:x:8:\n");
	etc_write(&etc, "hosts", "10.1.2.3 far\n");
	*state = etc.path;
	return 0;
}

static int teardown(void **state)
{
	etc_destroy(&etc);
	return 0;
}

static void reads_the_files_of_the_folder(void **state)
{
	struct names *names = names_create(*state);

	assert_string_equal(state_users_find(&names->users, 7, 1)->name, "ann");
	assert_string_equal(state_users_find(&names->groups, 8, 1)->name, "staff");
	assert_string_equal(names_hosts_name(&names->hosts, address, 4), "far");
	names_destroy(names);
}

static void forgets_the_files(void **state)
{
	struct names *names = names_create(*state);
	const struct state_user user = {.id = 9, .name = "bob"};

	names_forget_users(names);
	assert_null(state_users_find(&names->users, 7, 1));
	assert_null(state_users_find(&names->groups, 8, 1));
	assert_int_equal(state_users_add(&names->users, &user), 0);
	assert_string_equal(state_users_find(&names->users, 9, 1)->name, "bob");
	assert_string_equal(names_hosts_name(&names->hosts, address, 4), "far");
	names_forget_hosts(names);
	assert_null(names_hosts_name(&names->hosts, address, 4));
	names_destroy(names);
}

/* A path that is too long is not cut to another one. */
static void finds_nothing_in_a_folder_with_a_long_name(void **state)
{
	char path[2 * ETC_PATH_BYTES];
	struct names *names;

	memset(path, '/', sizeof(path));
	strcpy(path + sizeof(path) - strlen(*state) - 1, *state);
	names = names_create(path);
	assert_null(state_users_find(&names->users, 7, 1));
	assert_null(names_hosts_name(&names->hosts, address, 4));
	names_destroy(names);
	names_destroy(NULL);
}

static void takes_those_of_this_machine(void **state)
{
	struct names *names = names_create(NULL);

	assert_string_equal(names->passwd_path, "/etc/passwd");
	assert_string_equal(names->group_path, "/etc/group");
	assert_string_equal(names->hosts_path, "/etc/hosts");
	names_destroy(names);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_the_files_of_the_folder),
	cmocka_unit_test(forgets_the_files),
	cmocka_unit_test(finds_nothing_in_a_folder_with_a_long_name),
	cmocka_unit_test(takes_those_of_this_machine),
};

UNIT_GROUP(tests, .setup = setup, .teardown = teardown);
