/* SPDX-License-Identifier: MIT */
/* What was read is kept by what it is of; the kernel's and the vDSO's once. */
#include "profile/names/kept_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "profile/names/namer.h"
#include "tree.h"
#include "unit.h"

static void keeps_what_it_has_read(void **state)
{
	struct stack_file file = {.kind = STACK_FILE, .path = "x", .ino = 1, .ctime_ns = 5};
	const struct symbol_table *table = NULL, *again = NULL;
	struct kept_tables tables = {0};

	file.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	kept_tables_begin(&tables);
	assert_int_equal(kept_tables_get_file(&tables, &file, -1, &table), 0);
	assert_true(table->count > 0);
	close(file.fd);
	/* It is not read again, even if it cannot be. */
	file.fd = -1;
	assert_int_equal(kept_tables_get_file(&tables, &file, -1, &again), 0);
	assert_ptr_equal(again, table);
	/* One that was changed is another one. */
	file.ctime_ns++;
	assert_int_equal(kept_tables_get_file(&tables, &file, -1, &again), -EBADF);
	kept_tables_finish(&tables);
}

static void keeps_that_there_are_none(void **state)
{
	struct stack_file file = {.kind = STACK_FILE, .path = "x", .ino = 2};
	const struct symbol_table *table = NULL;
	struct kept_tables tables = {0};
	struct tree tree;
	char path[TREE_PATH_BYTES];

	tree_create(&tree);
	tree_write(&tree, "text", "#!/bin/sh\n");
	tree_path(&tree, "text", path);
	file.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(kept_tables_get_file(&tables, &file, -1, &table), -ENOENT);
	close(file.fd);
	file.fd = -1;
	assert_int_equal(kept_tables_get_file(&tables, &file, -1, &table), -ENOENT);
	kept_tables_finish(&tables);
	tree_destroy(&tree);
}

/* However many files there are, so many stay. */
static void forgets_what_was_not_used_longest(void **state)
{
	struct stack_file file = {.kind = STACK_FILE, .path = "x"};
	const struct symbol_table *table = NULL;
	struct kept_tables tables = {0};
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);

	for (file.ino = 1; file.ino <= NAMER_FILES_MAX + 10; file.ino++) {
		struct stack_file first = {.kind = STACK_FILE, .path = "x", .ino = 1, .fd = fd};

		file.fd = fd;
		(void)kept_tables_get_file(&tables, &file, -1, &table);
		(void)kept_tables_get_file(&tables, &first, -1, &table);
	}
	assert_int_equal(tables.kept_count, NAMER_FILES_MAX);
	file.fd = -1;
	file.ino = 1;
	assert_int_not_equal(kept_tables_get_file(&tables, &file, -1, &table), -EBADF);
	file.ino = 2;
	assert_int_equal(kept_tables_get_file(&tables, &file, -1, &table), -EBADF);
	close(fd);
	kept_tables_finish(&tables);
}

static void reads_the_kernel_once(void **state)
{
	const struct kept_addresses own = {0xffffffff81000100, 0xffffffff81000100};
	const struct kept_addresses others = {0xffffffff81000100, 0xffffffffc0000010};
	const struct symbol_table *table = NULL, *again = NULL;
	struct kept_tables tables = {0};
	char path[TREE_PATH_BYTES];
	struct tree tree;
	int fd;

	tree_create(&tree);
	tree_write(&tree, "kallsyms",
		   "ffffffff81000100 T do_one\nffffffffc0000000 t of_program\t[bpf]\n");
	tree_path(&tree, "kallsyms", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(kept_tables_get_kernel(&tables, -1, &own, &table), -EBADF);
	assert_int_equal(kept_tables_get_kernel(&tables, fd, &own, &table), 0);
	assert_string_equal(symbol_table_find(table, 0xffffffff81000108), "do_one");
	assert_int_equal(kept_tables_get_kernel(&tables, -1, &own, &again), 0);
	assert_ptr_equal(again, table);
	/* Modules and programs come and go: for those it is read again sooner. */
	tables.kernel_read_ns -= 60000000000;
	assert_int_equal(kept_tables_get_kernel(&tables, -1, &own, &again), 0);
	assert_int_equal(kept_tables_get_kernel(&tables, -1, &others, &again), -EBADF);
	close(fd);
	kept_tables_finish(&tables);
	tree_write(&tree, "kallsyms", "0 T do_one\n");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(kept_tables_get_kernel(&tables, fd, &own, &table), -EPERM);
	close(fd);
	kept_tables_finish(&tables);
	tree_destroy(&tree);
}

static void has_the_vdso(void **state)
{
	const struct symbol_table *table = NULL;
	struct kept_tables tables = {0};
	int r = kept_tables_get_vdso(&tables, &table);

	if (r == 0)
		assert_true(table->count > 0);
	else
		assert_int_equal(r, -ENOENT);
	kept_tables_finish(&tables);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(keeps_what_it_has_read),
	cmocka_unit_test(keeps_that_there_are_none),
	cmocka_unit_test(forgets_what_was_not_used_longest),
	cmocka_unit_test(reads_the_kernel_once),
	cmocka_unit_test(has_the_vdso),
};

UNIT_GROUP(tests);
