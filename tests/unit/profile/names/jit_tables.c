/* SPDX-License-Identifier: MIT */
/* The map in the root of a process, and the dump that a process has mapped executable. */
#include "profile/names/jit_tables.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"

static int proc;

static uint64_t own_start_ns(void)
{
	unsigned long long ticks = 0;
	char text[1024];
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t len = read(fd, text, sizeof(text) - 1);
	char *at;

	close(fd);
	assert_true(len > 0);
	text[len] = '\0';
	at = strrchr(text, ')');
	for (int i = 0; i < 20; i++)
		at = strchr(at + 1, ' ');
	sscanf(at, "%llu", &ticks);
	return ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void reads_the_map_of_a_root(void **state)
{
	struct symbol_table tables[JIT_TABLES];
	struct stack_process process;
	struct tree tree;

	tree_create(&tree);
	tree_write(&tree, "tmp/perf-3.map", "1000 10 f\n");
	process = (struct stack_process){
		.pid = getpid(),
		.ns_pid = 3,
		.uid = getuid(),
		.root_fd = open(tree.path, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	jit_tables_read(&process, proc, tables);
	assert_int_equal(tables[0].count, 0);
	assert_string_equal(symbol_table_find(&tables[1], 0x1000), "f");
	symbol_table_finish(&tables[1]);
	close(process.root_fd);
	process.root_fd = -1;
	jit_tables_read(&process, -1, tables);
	assert_int_equal(tables[0].count + tables[1].count, 0);
	tree_destroy(&tree);
}

static void write_dump(const struct tree *tree)
{
	static const struct {
		uint32_t head[6];
		uint64_t time, flags;
		uint32_t kind, bytes;
		uint64_t then;
		uint32_t pid, tid;
		uint64_t address, code, code_bytes, index;
		char name[8];
	} dump = {
		{0x4A695444, 1, 40, 62, 0, 7}, 0, 0, 0, 64, 0, 7, 7, 0x2000, 0x2000, 16, 1, "made"};

	tree_write_bytes(tree, "jit-77.dump", &dump, sizeof(dump));
}

static void reads_the_dump_that_is_mapped(void **state)
{
	struct symbol_table tables[JIT_TABLES];
	struct stack_process process = {.pid = getpid(), .uid = getuid(), .root_fd = -1};
	char path[TREE_PATH_BYTES];
	struct tree tree;
	void *memory;
	int fd;

	tree_create(&tree);
	write_dump(&tree);
	tree_path(&tree, "jit-77.dump", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		skip(); /* the folder's file system is mounted noexec */
	process.start_ns = own_start_ns();
	jit_tables_read(&process, proc, tables);
	assert_string_equal(symbol_table_find(&tables[0], 0x2000), "made");
	symbol_table_finish(&tables[0]);
	/* Of another user, and of another process that had this id before. */
	process.uid = getuid() + 1;
	chown(path, getuid() + 2, 0) == 0 ? (void)0 : skip();
	jit_tables_read(&process, proc, tables);
	assert_int_equal(tables[0].count, 0);
	process.uid = getuid() + 2;
	process.start_ns -= 1000000000;
	jit_tables_read(&process, proc, tables);
	assert_int_equal(tables[0].count, 0);
	munmap(memory, 4096);
	tree_destroy(&tree);
}

static int open_own_proc(void **state)
{
	proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return proc < 0;
}

static int close_own_proc(void **state)
{
	return close(proc);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_the_map_of_a_root),
	cmocka_unit_test(reads_the_dump_that_is_mapped),
};

UNIT_GROUP(tests, .setup = open_own_proc, .teardown = close_own_proc);
