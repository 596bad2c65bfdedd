/* SPDX-License-Identifier: MIT */
/* Users from the files of a container, seen through one of its processes. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "foreign_root.h"
#include "sinsp/state/containers/container_users.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define WHOLE_MAP "         0          0 4294967295\n"

static int setup(void **state)
{
	foreign_root_setup(state);
	foreign_root_write(*state, "proc/70/cgroup",
			   "12:cpu:/\n4:memory:/docker/" ID "\n0::/docker/" ID "\n");
	foreign_root_write(*state, "proc/70/uid_map", WHOLE_MAP);
	foreign_root_write(*state, "proc/70/gid_map", WHOLE_MAP);
	return 0;
}

static int read_of(const struct foreign_root *foreign, int64_t pid, const char *id,
		   const char *path, struct state_container_users **users)
{
	struct scap_proc *proc;
	char folder[FOREIGN_PATH_BYTES];
	int r;

	foreign_root_path(foreign, "proc", folder);
	assert_int_equal(scap_proc_open(folder, &proc, NULL), 0);
	r = state_container_users_read(
		proc, &(struct state_users_wanted){.id = id, .path = path, .pid = pid}, users);
	scap_proc_close(proc);
	return r;
}

static int read_users(const struct foreign_root *foreign, struct state_container_users **users)
{
	return read_of(foreign, FOREIGN_PID, ID, NULL, users);
}

static const char *name_of(struct state_users *users, uint32_t id)
{
	const struct state_user *user = state_users_find(users, id, 1);

	return user ? user->name : NULL;
}

static void test_both_files(void **state)
{
	struct state_container_users *users;

	foreign_root_write(*state, "root/etc/passwd",
			   "root:x:0:0:root:/root:/bin/sh\nweb:x:101:102::/srv:/bin/false\n");
	foreign_root_write(*state, "root/etc/group", "web:x:102:\n");
	assert_int_equal(read_users(*state, &users), 0);
	assert_string_equal(name_of(&users->users, 101), "web");
	assert_string_equal(state_users_find(&users->users, 101, 1)->home, "/srv");
	assert_string_equal(name_of(&users->groups, 102), "web");
	assert_null(name_of(&users->groups, 0));
	/* Nothing is read later: also not an hour after. */
	foreign_root_write(*state, "root/etc/passwd", "late:x:7:7::/:\n");
	assert_null(state_users_find(&users->users, 7, 3600 * UINT64_C(1000000000)));
	state_container_users_destroy(users);
}

static void test_one_file_or_none(void **state)
{
	struct state_container_users *users = (void *)1;

	assert_int_equal(read_users(*state, &users), 0);
	assert_null(users);
	foreign_root_write(*state, "root/etc/group", "web:x:102:\n");
	assert_int_equal(read_users(*state, &users), 0);
	assert_null(name_of(&users->users, 0));
	assert_string_equal(name_of(&users->groups, 102), "web");
	state_container_users_destroy(users);
}

/* In a user namespace ids mean others outside: only those that exist there can be seen. */
static void test_user_namespace(void **state)
{
	struct state_container_users *users;

	foreign_root_write(*state, "proc/70/uid_map", "0 1000 1\n1 100000 65536\n");
	foreign_root_write(*state, "proc/70/gid_map", "0 1001 1\n");
	foreign_root_write(*state, "root/etc/passwd",
			   "root:x:0:0::/root:/bin/sh\nann:x:1000:0::/:/bin/sh\n"
			   "none:x:65537:0::/:/bin/sh\n");
	foreign_root_write(*state, "root/etc/group", "root:x:0:\nstaff:x:1001:\n");
	assert_int_equal(read_users(*state, &users), 0);
	assert_string_equal(name_of(&users->users, 1000), "root");
	assert_string_equal(name_of(&users->users, 100999), "ann");
	assert_null(name_of(&users->users, 0));
	assert_null(name_of(&users->users, 165536));
	assert_string_equal(name_of(&users->groups, 1001), "root");
	assert_int_equal(users->groups.count, 1);
	state_container_users_destroy(users);
	foreign_root_write(*state, "proc/70/uid_map", "nonsense\n0 1\n0 0 99999999999\n");
	assert_int_equal(read_users(*state, &users), 0);
	assert_int_equal(users->users.count, 0);
	state_container_users_destroy(users);
}

static void test_not_of_the_container(void **state)
{
	const struct foreign_root *foreign = *state;
	struct state_container_users *users;

	foreign_root_write(*state, "root/etc/passwd", "root:x:0:0::/:\n");
	assert_int_equal(read_of(foreign, 71, ID, NULL, &users), -ESRCH);
	assert_int_equal(read_of(foreign, FOREIGN_PID, "0123456789ab", NULL, &users), -ESRCH);
	foreign_root_write(*state, "proc/70/cgroup", "nonsense\n0::/user.slice\n");
	assert_int_equal(read_users(foreign, &users), -ESRCH);
	foreign_root_write(*state, "proc/70/cgroup", "0::/docker/" ID "\n");
	assert_int_equal(read_users(foreign, &users), 0);
	state_container_users_destroy(users);
	foreign_root_link(foreign, "proc/70/root", "/");
	assert_int_equal(read_users(foreign, &users), -EAGAIN);
}

/* A container whose id is not in its path in any known form. */
static void test_by_path(void **state)
{
	static const struct {
		const char *path;
		int code;
	} cases[] = {{"/mine/web", 0}, {"/mine", 0}, {"/mine/we", -ESRCH}, {"/mine/web/x", -ESRCH}};
	const struct foreign_root *foreign = *state;

	foreign_root_write(foreign, "root/etc/passwd", "root:x:0:0::/:\n");
	foreign_root_write(foreign, "proc/70/cgroup", "3:cpu:/\n0::/mine/web\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct state_container_users *users = NULL;

		assert_int_equal(read_of(foreign, FOREIGN_PID, "web", cases[i].path, &users),
				 cases[i].code);
		state_container_users_destroy(users);
	}
}

/* What cannot be used is an error: the names of the host would be wrong ones. */
static void test_unusable_files(void **state)
{
	const struct foreign_root *foreign = *state;
	struct state_container_users *users;
	char path[FOREIGN_PATH_BYTES];

	foreign_root_path(foreign, "root/etc/passwd", path);
	foreign_root_write(foreign, "root/etc/passwd", "");
	assert_int_equal(truncate(path, 1 << 20), 0);
	assert_int_equal(read_users(foreign, &users), -EFBIG);
	unlink(path);
	foreign_root_link(foreign, "root/etc/passwd", "passwd");
	assert_int_equal(read_users(foreign, &users), -ELOOP);
	foreign_root_link(foreign, "root/etc/passwd", "/etc");
	assert_int_equal(read_users(foreign, &users), -EINVAL);
}

static void test_bounded(void **state)
{
	const struct foreign_root *foreign = *state;
	struct state_container_users *users;
	char path[FOREIGN_PATH_BYTES];
	FILE *file;

	foreign_root_path(foreign, "root/etc/group", path);
	file = fopen(path, "w");
	assert_non_null(file);
	for (unsigned int id = 0; id < 10000; id++)
		fprintf(file, "g%u:x:%u:\n", id, id);
	fclose(file);
	assert_int_equal(read_users(foreign, &users), 0);
	assert_int_equal(users->groups.count, 4096);
	state_container_users_destroy(users);
	state_container_users_destroy(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, foreign_root_teardown)

/* Users 0 to `count`, one of which has another name than the others. */
static struct state_container_users *make(uint32_t count, uint32_t which)
{
	struct state_container_users *made = state_container_users_create();

	assert_non_null(made);
	for (uint32_t id = 0; id < count; id++)
		state_users_add(&made->users,
				&(struct state_user){.id = id,
						     .name = id == which ? "which" : "one",
						     .home = "/"});
	return made;
}

static void test_share(void **state)
{
	struct state_container_users *list = NULL, *first, *other;

	first = state_container_users_share(&list, make(20, 3));
	other = state_container_users_share(&list, make(20, 4));
	assert_ptr_not_equal(first, other);
	assert_ptr_equal(state_container_users_share(&list, make(20, 3)), first);
	assert_ptr_equal(state_container_users_share(&list, make(20, 4)), other);
	state_users_add(&first->groups, &(struct state_user){.id = 1, .name = "g"});
	assert_ptr_not_equal(state_container_users_share(&list, make(20, 3)), first);
	state_container_users_destroy(first);
	state_container_users_destroy(other);
	assert_string_equal(state_users_find(&first->users, 3, 0)->name, "which");
	state_container_users_destroy(first);
	state_container_users_destroy(other);
	/* The one that is left. */
	assert_non_null(list);
	assert_null(list->next);
	state_container_users_destroy(list);
	assert_null(list);
}

/* Those that are too many are not compared; the others stay as they are. */
static void test_share_bounds(void **state)
{
	enum { TABLES = 100 };
	struct state_container_users *list = NULL, *made[TABLES], *large, *again;

	for (uint32_t i = 0; i < TABLES; i++)
		made[i] = state_container_users_share(&list, make(TABLES, i));
	assert_ptr_equal(state_container_users_share(&list, make(TABLES, TABLES - 2)),
			 made[TABLES - 2]);
	state_container_users_destroy(made[TABLES - 2]);
	again = state_container_users_share(&list, make(TABLES, 0));
	assert_ptr_not_equal(again, made[0]);
	large = state_container_users_share(&list, make(2000, 0));
	assert_ptr_not_equal(list, large);
	for (uint32_t i = 0; i < TABLES; i++)
		state_container_users_destroy(made[i]);
	state_container_users_destroy(large);
	assert_ptr_equal(list, again);
	state_container_users_destroy(again);
	assert_null(list);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_share), cmocka_unit_test(test_share_bounds),
	TEST(test_both_files),	      TEST(test_one_file_or_none),
	TEST(test_user_namespace),    TEST(test_not_of_the_container),
	TEST(test_by_path),	      TEST(test_unusable_files),
	TEST(test_bounded),
};

UNIT_GROUP(tests);
