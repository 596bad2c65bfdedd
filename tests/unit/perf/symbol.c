/* SPDX-License-Identifier: MIT */
/* Symbols of files: those of this program, whose bytes are where they are said to be. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "perf/symbol.h"
#include "tree.h"
#include "unit.h"

/* What a program that watches this one would look for. */
int perf_unit_function(int n);
int perf_unit_function(int n)
{
	return n + 1;
}

static void finds_functions(void **state)
{
	unsigned char in_file[16], in_memory[sizeof(in_file)];
	char reason[PERF_REASON_BYTES];
	uint64_t offset = 0;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(perf_symbol_find("/proc/self/exe", "perf_unit_function", &offset, reason),
			 0);
	assert_int_equal(pread(fd, in_file, sizeof(in_file), (off_t)offset), sizeof(in_file));
	memcpy(in_memory, (const void *)(uintptr_t)perf_unit_function, sizeof(in_memory));
	assert_memory_equal(in_file, in_memory, sizeof(in_file));
	close(fd);
}

static void says_why_it_finds_nothing(void **state)
{
	char reason[PERF_REASON_BYTES], path[TREE_PATH_BYTES];
	uint64_t offset = 42;
	struct tree tree;

	assert_int_equal(perf_symbol_find("/proc/self/exe", "perf_unit_fucntion", &offset, reason),
			 -ENOENT);
	assert_string_equal(reason, "no such symbol; did you mean 'perf_unit_function'?");
	assert_int_equal(perf_symbol_find("/proc/self/exe", "@", &offset, reason), -ENOENT);
	assert_int_equal(perf_symbol_find("/nonexistent", "main", &offset, reason), -ENOENT);
	assert_string_equal(reason, "No such file or directory");
	assert_int_equal(perf_symbol_find("/", "main", &offset, reason), -EINVAL);
	tree_create(&tree);
	tree_write(&tree, "text", "#!/bin/sh\n");
	tree_write_bytes(&tree, "cut", "\177ELF\2\1\1\0", 8);
	tree_path(&tree, "text", path);
	assert_int_equal(perf_symbol_find(path, "main", &offset, reason), -EBADMSG);
	tree_path(&tree, "cut", path);
	assert_true(perf_symbol_find(path, "main", &offset, reason) < 0);
	tree_destroy(&tree);
	assert_int_equal(offset, 42);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_functions),
	cmocka_unit_test(says_why_it_finds_nothing),
};

UNIT_GROUP(tests);
