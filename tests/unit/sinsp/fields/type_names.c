/* SPDX-License-Identifier: MIT */
/* Which types of events a name means, and which names are known. */
#include <string.h>

#include "event/event.h"
#include "sinsp/fields/field.h"
#include "sinsp/fields/type_names.h"
#include "unit.h"

static bool contains(const char *name, const char *type)
{
	struct type_names types;

	type_names_init(&types, name);
	return type_names_have(&types, type);
}

static void test_newer_forms(void **state)
{
	static const char *const newer[][4] = {
		{"open", "openat", "openat2"},
		{"unlink", "unlinkat"},
		{"pipe", "pipe2"},
		{"dup2", "dup3"},
		{"accept", "accept4"},
		{"rename", "renameat", "renameat2"},
		{"mkdir", "mkdirat"},
		{"link", "linkat"},
		{"symlink", "symlinkat"},
		{"chmod", "fchmodat", "fchmodat2"},
		{"chown", "fchownat"},
		{"mknod", "mknodat"},
		{"readlink", "readlinkat"},
		{"access", "faccessat", "faccessat2"},
		{"stat", "newfstatat", "statx"},
		{"execve", "execveat"},
		{"epoll_wait", "epoll_pwait", "epoll_pwait2"},
		{"poll", "ppoll"},
		{"select", "pselect6"},
		{"eventfd", "eventfd2"},
		{"signalfd", "signalfd4"},
		{"inotify_init", "inotify_init1"},
		{"epoll_create", "epoll_create1"},
		{"clone", "clone3"},
	};

	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
		for (size_t j = 0; j < 4 && newer[i][j]; j++) {
			assert_true(contains(newer[i][0], newer[i][j]));
			assert_true(syscall_code_find(newer[i][j]) > 0);
			if (j)
				assert_false(contains(newer[i][j], newer[i][0]));
		}
	}
	assert_false(contains("openat", "openat2"));
	assert_false(contains("chown", "lchown"));
	assert_false(contains("open", "creat"));
	assert_false(contains("dup", "dup2"));
	assert_false(contains("fork", "clone"));
	assert_false(contains("", "open"));
	assert_true(contains("pwrite64", "pwrite"));
	assert_false(contains("getppid", "syscall"));
	assert_false(contains("unknown", "syscall"));
}

static const struct field_words known = {type_names_each};

static void test_known(void **state)
{
	char nearest[64];

	assert_true(field_words_have(&known, "open"));
	assert_true(field_words_have(&known, "statx"));
	assert_true(field_words_have(&known, "switch"));
	assert_true(field_words_have(&known, "container"));
	assert_true(field_words_have(&known, "k8s"));
	assert_false(field_words_have(&known, "opena"));
	assert_false(field_words_have(&known, "OPEN"));
	assert_true(field_words_nearest(&known, "opnat", nearest));
	assert_string_equal(nearest, "openat");
	assert_true(field_words_nearest(&known, "execv", nearest));
	assert_string_equal(nearest, "execve");
	assert_false(field_words_nearest(&known, "*", nearest));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_newer_forms),
	cmocka_unit_test(test_known),
};

UNIT_GROUP(tests);
