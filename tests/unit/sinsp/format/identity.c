/* SPDX-License-Identifier: MIT */
/* The ids of a machine: what is none is left out. */
#include <string.h>
#include <sys/utsname.h>

#include "tree.h"
#include "sinsp/format/schema.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789ABCDEF"

static void expect_id(const char *content, const char *id)
{
	struct schema_identity identity;
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "etc/machine-id", content);
	schema_identity_read(&identity, tree.path);
	assert_string_equal(identity.parts[IDENTITY_MACHINE_ID], id);
	tree_destroy(&tree);
}

static void test_machine_id(void **state)
{
	expect_id(ID "\n", ID);
	expect_id(ID, ID);
	expect_id("", "");
	expect_id("uninitialized\n", "");
	expect_id(ID "0\n", "");
	expect_id("0123456789abcdef0123456789abcdeg\n", "");
	expect_id("0123456789abcdef0123456789abcde\n", "");
}

static void test_no_file(void **state)
{
	struct schema_identity identity;

	memset(&identity, 'x', sizeof(identity));
	schema_identity_read(&identity, "/nonexistent");
	assert_string_equal(identity.parts[IDENTITY_MACHINE_ID], "");
}

static void test_kernel(void **state)
{
	struct schema_identity identity;
	struct utsname names;

	assert_int_equal(uname(&names), 0);
	schema_identity_read(&identity, NULL);
	assert_string_equal(identity.parts[IDENTITY_NONE], "");
	assert_string_equal(identity.parts[IDENTITY_MACHINE], names.machine);
	assert_string_equal(identity.parts[IDENTITY_KERNEL], names.release);
	assert_int_equal(strlen(identity.parts[IDENTITY_BOOT_ID]), 36);
	if (strcmp(names.machine, "x86_64") == 0)
		assert_string_equal(identity.parts[IDENTITY_ARCHITECTURE], "amd64");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_machine_id),
	cmocka_unit_test(test_no_file),
	cmocka_unit_test(test_kernel),
};

UNIT_GROUP(tests);
