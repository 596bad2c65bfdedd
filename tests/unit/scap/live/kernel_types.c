/* SPDX-License-Identifier: MIT */
/* Numbers of types, from files that libbpf writes, from broken ones, and of this kernel. */
#include <errno.h>
#include <fcntl.h>
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

static void write_types(const struct btf *btf)
{
	uint32_t len;
	const void *bytes = btf__raw_data(btf, &len);

	write_file(bytes, len);
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

	write_types(btf);
	assert_int_equal(live_kernel_types_find(path, types, count), 0);
	for (size_t i = 0; i < count; i++) {
		int id = btf__find_by_name_kind(btf, types[i].name, types[i].kind);

		assert_int_equal(types[i].id, id < 0 ? 0 : id);
		assert_int_equal(id < 0, strcmp(types[i].name, "none") == 0);
	}
	btf__free(btf);
}

/* A tracepoint is a typedef of a pointer to a function; what looks like one is not. */
static void test_arguments(void **state)
{
	struct btf *btf = make_types();
	int pointer = btf__add_ptr(btf, 13), number = btf__add_ptr(btf, 1);

	assert_true(btf__add_typedef(btf, "btf_trace_one", pointer) > 0);
	assert_true(btf__add_typedef(btf, "btf_trace_number", number) > 0);
	write_types(btf);
	assert_int_equal(live_kernel_types_arguments(path, "btf_trace_one"), 1);
	assert_int_equal(live_kernel_types_arguments(path, "btf_trace_number"), -EBADMSG);
	assert_int_equal(live_kernel_types_arguments(path, "number"), -EBADMSG);
	assert_int_equal(live_kernel_types_arguments(path, "btf_trace_none"), -ENOENT);
	assert_int_equal(live_kernel_types_arguments("/none", "btf_trace_one"), -ENOENT);
	btf__free(btf);
}

/* Constants are found in whichever enumeration they are. */
static void test_constants(void **state)
{
	struct btf *btf = make_types();
	uint32_t value = 7;

	assert_true(btf__add_enum(btf, NULL, 4) > 0);
	assert_int_equal(btf__add_enum_value(btf, "TWO", 2), 0);
	assert_int_equal(btf__add_enum_value(btf, "FIVE", 5), 0);
	write_types(btf);
	assert_int_equal(live_kernel_types_constant(path, "SIX", &value), -ENOENT);
	assert_int_equal(live_kernel_types_constant("/none", "FIVE", &value), -ENOENT);
	assert_int_equal(value, 7);
	assert_int_equal(live_kernel_types_constant(path, "FIVE", &value), 0);
	assert_int_equal(value, 5);
	assert_int_equal(live_kernel_types_constant(path, "ONE", &value), 0);
	assert_int_equal(value, 1);
	btf__free(btf);
}

/* Reduces what is at `from` to the types of these names. Returns NULL, or what libbpf reads then.
 */
static struct btf *reduce(const char *from, const char *const *names, size_t count, int *result)
{
	struct live_kernel_type types[8] = {{.name = ""}};
	char reduced[TREE_PATH_BYTES];
	struct btf *btf = NULL;
	int fd;

	assert_in_range(count, 0, 8);
	for (size_t i = 0; i < count; i++) {
		types[i].kind = i % 2 ? BTF_KIND_STRUCT : BTF_KIND_ENUM;
		snprintf(types[i].name, sizeof(types[i].name), "%s", names[i]);
	}
	tree_path(&tree, "reduced", reduced);
	fd = open(reduced, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	*result = live_kernel_types_reduce(from, types, count, fd);
	close(fd);
	if (*result == 0)
		btf = btf__parse(reduced, NULL);
	return btf;
}

static uint32_t kind_at(const struct btf *btf, uint32_t id)
{
	return btf_kind(btf__type_by_id(btf, id));
}

/* A structure that names an array, a constant, a pointer and a union; and one that is not kept. */
static struct btf *make_nested_types(void)
{
	struct btf *btf = make_types();
	int unit = btf__find_by_name_kind(btf, "either", BTF_KIND_UNION);
	int nested = btf__add_const(btf, unit), whole;

	assert_true(nested > 0);
	whole = btf__add_struct(btf, "whole", 32);
	assert_true(whole > 0);
	assert_int_equal(btf__add_field(btf, "array", 3, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "nested", nested, 96, 0), 0);
	assert_int_equal(btf__add_field(btf, "pointer", 2, 128, 0), 0);
	assert_true(btf__add_struct(btf, "behind", 8) > 0);
	return btf;
}

static void test_reduced(void **state)
{
	static const char *const names[] = {"large", "whole", "none", "small"};
	struct btf *btf = make_nested_types(), *reduced;
	uint32_t whole = (uint32_t)btf__find_by_name_kind(btf, "whole", BTF_KIND_STRUCT);
	int r;

	write_types(btf);
	reduced = reduce(path, names, 4, &r);
	assert_int_equal(r, 0);
	assert_non_null(reduced);
	/* Nothing is behind the last that is kept, and "small" was asked for as a structure. */
	assert_int_equal(btf__type_cnt(reduced), whole + 1);
	assert_int_equal(btf__find_by_name(reduced, "whole"), whole);
	assert_int_equal(btf__find_by_name(reduced, "small"), -ENOENT);
	assert_int_equal(btf__find_by_name(reduced, "pair"), -ENOENT);
	assert_int_equal(btf__find_by_name_kind(reduced, "large", BTF_KIND_ENUM64),
			 btf__find_by_name_kind(btf, "large", BTF_KIND_ENUM64));
	assert_int_equal(btf__resolve_size(reduced, whole), 32);
	for (uint32_t id = 1; id <= whole; id++) {
		const struct btf_type *type = btf__type_by_id(reduced, id);

		if (kind_at(reduced, id) == BTF_KIND_VOLATILE)
			assert_int_equal(type->name_off, 0);
		else
			assert_int_equal(kind_at(reduced, id), kind_at(btf, id));
		if (kind_at(reduced, id) == BTF_KIND_PTR)
			assert_int_equal(type->type, 0);
	}
	/* What it consists of: int, pointer, array, union. */
	assert_int_equal(kind_at(reduced, 1), BTF_KIND_INT);
	assert_int_equal(kind_at(reduced, 2), BTF_KIND_PTR);
	assert_int_equal(kind_at(reduced, 3), BTF_KIND_ARRAY);
	assert_int_equal(kind_at(reduced, 5), BTF_KIND_UNION);
	btf__free(reduced);
	btf__free(btf);
}

static void test_reduced_to_nothing(void **state)
{
	static const char *const names[] = {"none"};
	struct btf *btf = make_types(), *reduced;
	int r;

	write_types(btf);
	reduced = reduce(path, names, 1, &r);
	assert_int_equal(r, 0);
	assert_non_null(reduced);
	assert_int_equal(btf__type_cnt(reduced), 1);
	btf__free(reduced);
	assert_null(reduce("/lanner/none", names, 1, &r));
	assert_int_equal(r, -ENOENT);
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
	static const char *const names[] = {"large", "whole"};
	struct btf *btf = make_nested_types();
	uint8_t *copy;
	uint32_t len;
	const void *bytes = btf__raw_data(btf, &len);
	int r;

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
		btf__free(reduce(path, names, 2, &r));
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

/* Each structure is as large, and its members lie, as in the whole description. */
static void test_this_kernel_reduced(void **state)
{
	static const char *const names[] = {"bpf_func_id", "task_struct", "", "inode"};
	struct btf *btf, *reduced;
	int r;

	if (access(LIVE_BTF_PATH, R_OK) != 0)
		skip();
	btf = btf__parse(LIVE_BTF_PATH, NULL);
	reduced = reduce(LIVE_BTF_PATH, names, 4, &r);
	assert_int_equal(r, 0);
	assert_non_null(btf);
	assert_non_null(reduced);
	assert_true(btf__type_cnt(reduced) <= btf__type_cnt(btf));
	for (size_t i = 1; i < 4; i += 2) {
		int id = btf__find_by_name_kind(btf, names[i], BTF_KIND_STRUCT);
		const struct btf_type *type = btf__type_by_id(btf, id);
		const struct btf_type *same = btf__type_by_id(reduced, id);

		assert_int_equal(btf_vlen(same), btf_vlen(type));
		assert_memory_equal(same, type,
				    sizeof(*type) + btf_vlen(type) * sizeof(struct btf_member));
		assert_int_equal(btf__resolve_size(reduced, id), btf__resolve_size(btf, id));
		for (unsigned int at = 0; at < btf_vlen(type); at++) {
			const struct btf_member *member = &btf_members(type)[at];

			assert_true(btf__resolve_size(reduced, member->type) ==
				    btf__resolve_size(btf, member->type));
		}
	}
	btf__free(reduced);
	btf__free(btf);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_all_kinds, setup, teardown),
	cmocka_unit_test_setup_teardown(test_broken_files, setup, teardown),
	cmocka_unit_test_setup_teardown(test_arguments, setup, teardown),
	cmocka_unit_test_setup_teardown(test_constants, setup, teardown),
	cmocka_unit_test_setup_teardown(test_reduced, setup, teardown),
	cmocka_unit_test_setup_teardown(test_reduced_to_nothing, setup, teardown),
	cmocka_unit_test(test_unmapped),
	cmocka_unit_test(test_this_kernel),
	cmocka_unit_test_setup_teardown(test_this_kernel_reduced, setup, teardown),
};

UNIT_GROUP(tests);
