/* SPDX-License-Identifier: MIT */
/*
 * A program without its symbols, which are in a file of their own or compressed within it, as
 * objcopy(1) makes them; its build id; the vDSO.
 */
#include "scap/symbols/symbol_elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/symbol.h"
#include "tree.h"
#include "unit.h"

/* No other file needs it: it is in .symtab alone. */
__attribute__((noinline)) static int symbol_elf_unit_function(int n)
{
	__asm__ volatile("");
	return n + 1;
}

static uint64_t own_offset(void)
{
	char reason[PERF_REASON_BYTES];
	uint64_t offset = 0;

	assert_int_equal(symbol_elf_unit_function(1), 2);
	assert_int_equal(
		perf_symbol_find("/proc/self/exe", "symbol_elf_unit_function", &offset, reason), 0);
	return offset;
}

/* Runs a command in a shell in which $exe is this program, and $d the folder. */
static void run_in(const struct tree *tree, const char *command)
{
	char text[4096];

	snprintf(text, sizeof(text), "set -e; exe=/proc/%d/exe; d=%s; cd $d; %s", getpid(),
		 tree->path, command);
	assert_int_equal(system(text), 0);
}

static int open_in(const struct tree *tree, const char *name, int flags)
{
	char path[TREE_PATH_BYTES];

	tree_path(tree, name, path);
	return open(path, flags | O_CLOEXEC);
}

static const char *name_in(const struct tree *tree, const char *file, int debug,
			   struct symbol_table *table)
{
	int fd = open_in(tree, file, O_RDONLY);

	*table = (struct symbol_table){0};
	assert_true(fd >= 0);
	if (symbol_elf_read(fd, debug, table) != 0)
		*table = (struct symbol_table){0};
	close(fd);
	return symbol_table_find(table, own_offset());
}

static void finds_symbols_elsewhere(void **state)
{
	struct symbol_table table;
	struct symbol_build_id id;
	char folder[64], move[256];
	struct tree tree;
	int debug, fd;

	tree_create(&tree);
	run_in(&tree, "strip -o stripped $exe; objcopy --only-keep-debug $exe only.debug;"
		      "nm -D stripped --format=posix --defined-only | awk '{print $1}' | sort >d;"
		      "nm $exe --format=posix --defined-only | awk '$2 ~ /[Tt]/ {print $1}' |"
		      "sort >a; comm -13 d a >k; objcopy -S --remove-section .gdb_index "
		      "--remove-section .comment --keep-symbols=k only.debug mini; xz mini;"
		      "objcopy --add-section .gnu_debugdata=mini.xz stripped packed");
	assert_null(name_in(&tree, "stripped", -1, &table));
	symbol_table_finish(&table);
	assert_string_equal(name_in(&tree, "packed", -1, &table), "symbol_elf_unit_function");
	symbol_table_finish(&table);
	fd = open_in(&tree, "stripped", O_RDONLY);
	assert_int_equal(symbol_elf_build_id(fd, &id), 0);
	close(fd);
	assert_int_equal(id.count, 20);
	snprintf(folder, sizeof(folder), "mkdir -p ids/%02x; cp only.debug ids/%02x/", id.bytes[0],
		 id.bytes[0]);
	strcpy(move, folder);
	for (unsigned int i = 1; i < id.count; i++)
		sprintf(move + strlen(move), "%02x", id.bytes[i]);
	strcat(move, ".debug");
	run_in(&tree, move);
	debug = open_in(&tree, "ids", O_RDONLY | O_DIRECTORY);
	assert_string_equal(name_in(&tree, "stripped", debug, &table), "symbol_elf_unit_function");
	symbol_table_finish(&table);
	/* One of another program is none. */
	run_in(&tree, "for f in ids/*/*; do cp /bin/true $f; done");
	assert_null(name_in(&tree, "stripped", debug, &table));
	symbol_table_finish(&table);
	close(debug);
	tree_destroy(&tree);
}

static void has_no_id_of_what_is_no_program(void **state)
{
	struct symbol_build_id id = {.count = 9};
	struct tree tree;
	int fd;

	tree_create(&tree);
	tree_write(&tree, "text", "#!/bin/sh\n");
	fd = open_in(&tree, "text", O_RDONLY);
	assert_int_equal(symbol_elf_build_id(fd, &id), 0);
	assert_int_equal(id.count, 0);
	close(fd);
	tree_destroy(&tree);
}

/* A file with notes of some size each, of which the last one is a build id. */
static uint8_t count_of_id(unsigned int others, uint32_t bytes)
{
	enum { IDS_AT = 1 << 16, SECTIONS_AT = IDS_AT + 64 };
	const struct {
		uint32_t name_bytes, bytes, type;
		char name[4], id[20];
	} note = {4, 20, NT_GNU_BUILD_ID, "GNU", "id"};
	size_t len = SECTIONS_AT + (others + 2) * sizeof(Elf64_Shdr);
	char *image = calloc(1, len);
	Elf64_Ehdr *header = (Elf64_Ehdr *)image;
	Elf64_Shdr *sections = (Elf64_Shdr *)(image + SECTIONS_AT);
	struct symbol_build_id id;
	struct tree tree;
	int fd;

	*header = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
			       .e_type = ET_DYN,
			       .e_machine = EM_X86_64,
			       .e_version = 1,
			       .e_ehsize = sizeof(*header),
			       .e_shoff = SECTIONS_AT,
			       .e_shentsize = sizeof(*sections),
			       .e_shnum = (uint16_t)(others + 2)};
	memcpy(image + IDS_AT, &note, sizeof(note));
	for (unsigned int i = 1; i <= others; i++)
		sections[i] = (Elf64_Shdr){.sh_type = SHT_NOTE,
					   .sh_offset = 1024,
					   .sh_size = bytes,
					   .sh_addralign = 4};
	sections[others + 1] = (Elf64_Shdr){.sh_type = SHT_NOTE,
					    .sh_offset = IDS_AT,
					    .sh_size = sizeof(note),
					    .sh_addralign = 4};
	tree_create(&tree);
	tree_write_bytes(&tree, "notes", image, len);
	free(image);
	fd = open_in(&tree, "notes", O_RDONLY);
	assert_int_equal(symbol_elf_build_id(fd, &id), 0);
	close(fd);
	tree_destroy(&tree);
	return id.count;
}

static void reads_few_notes(void **state)
{
	assert_int_equal(count_of_id(0, 0), 20);
	assert_int_equal(count_of_id(8, 64), 20);
	assert_int_equal(count_of_id(1000, 64), 0);
	assert_int_equal(count_of_id(2, 32768), 0);
}

/* How large the vDSO is, its header does not say: where its sections end, nothing follows. */
static void reads_the_vdso(void **state)
{
	const Elf64_Ehdr *vdso = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	struct symbol_table table;
	bool has_time = false;

	if (!vdso)
		skip();
	assert_int_equal(
		symbol_elf_read_memory(
			vdso, vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize, &table),
		0);
	for (size_t i = 0; i < table.count; i++)
		has_time |= strstr(table.texts + table.entries[i].name, "gettime") != NULL;
	assert_true(has_time);
	symbol_table_finish(&table);
	assert_int_equal(symbol_elf_read_memory(vdso, 8, &table), -ENOENT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_symbols_elsewhere),
	cmocka_unit_test(has_no_id_of_what_is_no_program),
	cmocka_unit_test(reads_few_notes),
	cmocka_unit_test(reads_the_vdso),
};

UNIT_GROUP(tests);
