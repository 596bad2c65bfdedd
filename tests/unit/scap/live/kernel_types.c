/* SPDX-License-Identifier: MIT */
/* Numbers of types, from files that libbpf writes, from broken ones, and of this kernel. */
#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "scap/live/kernel_types.h"
#include "scap/live/load.h"
#include "tree.h"
#include "unit.h"

static struct tree tree;
static char path[TREE_PATH_BYTES];

static int setup(void **state)
{
	tree_create(&tree);
	tree_path(&tree, "btf", path);
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(&tree);
	return 0;
}

static void write_file(const void *bytes, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

/* Types of all kinds, each with members where it can have some; behind them what is searched. */
static struct btf *make_types(void)
{
	struct btf *btf = btf__new_empty();

	assert_non_null(btf);
	assert_true(btf__add_int(btf, "int", 4, BTF_INT_SIGNED) > 0);
	assert_true(btf__add_ptr(btf, 1) > 0);
	assert_true(btf__add_array(btf, 1, 1, 3) > 0);
	assert_true(btf__add_struct(btf, "pair", 8) > 0);
	assert_int_equal(btf__add_field(btf, "a", 1, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "b", 1, 32, 0), 0);
	assert_true(btf__add_union(btf, "either", 4) > 0);
	assert_int_equal(btf__add_field(btf, "a", 1, 0, 0), 0);
	assert_true(btf__add_enum(btf, "small", 4) > 0);
	assert_int_equal(btf__add_enum_value(btf, "ONE", 1), 0);
	assert_true(btf__add_enum64(btf, "large", 8, false) > 0);
	assert_int_equal(btf__add_enum64_value(btf, "MANY", 1ULL << 40), 0);
	assert_true(btf__add_fwd(btf, "later", BTF_FWD_STRUCT) > 0);
	assert_true(btf__add_volatile(btf, 1) > 0);
	assert_true(btf__add_const(btf, 1) > 0);
	assert_true(btf__add_restrict(btf, 2) > 0);
	assert_true(btf__add_float(btf, "float", 4) > 0);
	assert_true(btf__add_func_proto(btf, 1) > 0);
	assert_int_equal(btf__add_func_param(btf, "first", 1), 0);
	assert_true(btf__add_var(btf, "variable", BTF_VAR_STATIC, 1) > 0);
	assert_true(btf__add_datasec(btf, ".data", 4) > 0);
	assert_int_equal(btf__add_datasec_var_info(btf, btf__type_cnt(btf) - 2, 0, 4), 0);
	assert_true(btf__add_decl_tag(btf, "tag", 4, -1) > 0);
	assert_true(btf__add_type_tag(btf, "tag", 1) > 0);
	assert_true(btf__add_typedef(btf, "number", 1) > 0);
	assert_true(btf__add_func(btf, "number", BTF_FUNC_STATIC, 13) > 0);
	assert_true(btf__add_func(btf, "work", BTF_FUNC_STATIC, 13) > 0);
	assert_true(btf__add_func(btf, "work", BTF_FUNC_STATIC, 13) > 0);
	return btf;
}

/* What is found is what libbpf finds: of functions of one name the first. */
static void test_all_kinds(void **state)
{
	struct live_kernel_type types[] = {
		{.name = "work", .kind = BTF_KIND_FUNC},
		{.name = "none", .kind = BTF_KIND_FUNC, .id = 7},
		{.name = "number", .kind = BTF_KIND_TYPEDEF},
		{.name = "number", .kind = BTF_KIND_FUNC},
		{.name = "pair", .kind = BTF_KIND_STRUCT},
	};
	size_t count = sizeof(types) / sizeof(types[0]);
	struct btf *btf = make_types();
	const void *bytes;
	uint32_t len;

	bytes = btf__raw_data(btf, &len);
	write_file(bytes, len);
	assert_int_equal(live_kernel_types_find(path, types, count), 0);
	for (size_t i = 0; i < count; i++) {
		int id = btf__find_by_name_kind(btf, types[i].name, types[i].kind);

		assert_int_equal(types[i].id, id < 0 ? 0 : id);
		assert_int_equal(id < 0, strcmp(types[i].name, "none") == 0);
	}
	btf__free(btf);
}

static void expect_bad(const void *bytes, size_t len)
{
	struct live_kernel_type type = {.name = "work", .kind = BTF_KIND_FUNC};

	write_file(bytes, len);
	assert_int_equal(live_kernel_types_find(path, &type, 1), -EBADMSG);
}

static void test_broken_files(void **state)
{
	struct live_kernel_type type = {.name = "work", .kind = BTF_KIND_FUNC};
	struct btf *btf = make_types();
	uint8_t *copy;
	uint32_t len;
	const void *bytes = btf__raw_data(btf, &len);

	assert_int_equal(live_kernel_types_find("/lanner/none", &type, 1), -ENOENT);
	for (uint32_t cut = 0; cut < len; cut++)
		expect_bad(bytes, cut);
	copy = malloc(len);
	/* Whatever byte is changed, nothing outside of the file is read. */
	for (uint32_t at = 0; at < len; at++) {
		memcpy(copy, bytes, len);
		copy[at] ^= 0xff;
		write_file(copy, len);
		live_kernel_types_find(path, &type, 1);
		if (at < 2)
			expect_bad(copy, len);
	}
	free(copy);
	btf__free(btf);
}

/* Files that cannot be mapped are read: these notes are no description of types. */
static void test_unmapped(void **state)
{
	static const char notes[] = "/sys/kernel/notes";
	struct live_kernel_type type = {.name = "work", .kind = BTF_KIND_FUNC};

	if (access(notes, R_OK) != 0)
		skip();
	assert_int_equal(live_kernel_types_find(notes, &type, 1), -EBADMSG);
}

static void test_this_kernel(void **state)
{
	struct live_kernel_type types[] = {
		{.name = "btf_trace_sched_process_exit", .kind = BTF_KIND_TYPEDEF},
		{.name = "btf_trace_sys_exit", .kind = BTF_KIND_TYPEDEF},
		{.name = "bpf_iter_task_file", .kind = BTF_KIND_FUNC},
		{.name = "bpf_rdonly_cast", .kind = BTF_KIND_FUNC},
	};
	struct btf *btf;

	if (access(LIVE_BTF_PATH, R_OK) != 0)
		skip();
	btf = btf__parse(LIVE_BTF_PATH, NULL);
	assert_non_null(btf);
	assert_int_equal(live_kernel_types_find(LIVE_BTF_PATH, types, 4), 0);
	for (size_t i = 0; i < 4; i++) {
		int id = btf__find_by_name_kind(btf, types[i].name, types[i].kind);

		assert_int_equal(types[i].id, id < 0 ? 0 : id);
	}
	btf__free(btf);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_all_kinds, setup, teardown),
	cmocka_unit_test_setup_teardown(test_broken_files, setup, teardown),
	cmocka_unit_test(test_unmapped),
	cmocka_unit_test(test_this_kernel),
};

UNIT_GROUP(tests);
