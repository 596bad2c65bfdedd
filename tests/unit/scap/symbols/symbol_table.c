/* SPDX-License-Identifier: MIT */
/* Symbols of this program and of made files; the kernel's as it writes them. */
#include "scap/symbols/symbol_table.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/elf_file.h"
#include "perf/symbol.h"
#include "scap/symbols/symbol_elf.h"
#include "tree.h"
#include "unit.h"

int symbol_table_unit_function(int n);
__attribute__((noinline)) int symbol_table_unit_function(int n)
{
	return n + 1;
}

static int open_text(const struct tree *tree, const char *text, size_t len)
{
	char path[TREE_PATH_BYTES];

	tree_write_bytes(tree, "file", text, len);
	tree_path(tree, "file", path);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void has_functions_of_a_file(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char reason[PERF_REASON_BYTES];
	struct symbol_table table;
	uint64_t offset = 0;

	assert_int_equal(symbol_elf_read(fd, -1, &table), 0);
	assert_int_equal(
		perf_symbol_find("/proc/self/exe", "symbol_table_unit_function", &offset, reason),
		0);
	assert_string_equal(symbol_table_find(&table, offset), "symbol_table_unit_function");
	assert_string_equal(symbol_table_find(&table, offset + 1), "symbol_table_unit_function");
	assert_null(symbol_table_find(&table, 0));
	assert_null(symbol_table_find(&table, UINT64_MAX));
	assert_true(symbol_table_bytes(&table) > table.count * sizeof(*table.entries));
	for (size_t i = 1; i < table.count; i++)
		assert_true(table.entries[i - 1].begin < table.entries[i].begin);
	symbol_table_finish(&table);
	assert_null(symbol_table_find(&table, offset));
	close(fd);
}

/* A program with each of its first bytes changed, and cut: no answer is wrong but an error. */
static void survives_damage(void **state)
{
	enum { HEADER = 64, STEP = 4096 };
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	struct symbol_table table;
	static char bytes[1 << 17];
	ssize_t len = read(fd, bytes, sizeof(bytes));
	struct tree tree;

	close(fd);
	assert_true(len > HEADER);
	tree_create(&tree);
	for (int i = 0; i < HEADER; i++) {
		bytes[i] ^= 0xff;
		fd = open_text(&tree, bytes, (size_t)len);
		if (symbol_elf_read(fd, -1, &table) == 0)
			symbol_table_finish(&table);
		close(fd);
		bytes[i] ^= 0xff;
	}
	for (ssize_t cut = 0; cut < len; cut += STEP) {
		fd = open_text(&tree, bytes, (size_t)cut);
		if (symbol_elf_read(fd, -1, &table) == 0)
			symbol_table_finish(&table);
		close(fd);
	}
	fd = open_text(&tree, "#!/bin/sh\n", 10);
	assert_true(symbol_elf_read(fd, -1, &table) < 0);
	close(fd);
	tree_destroy(&tree);
}

/* A file with a table of symbols that all have one name, which is all of their names. */
struct made_file {
	size_t symbols, name_bytes; /* without the NUL */
	uint16_t segments;
	bool is_cut; /* the names do not end with a NUL */
};

static int read_made(const struct made_file *made, struct symbol_table *table)
{
	enum { SYMBOLS = 1, NAMES, SECTIONS };
	const size_t names_bytes = made->name_bytes + !made->is_cut;
	const size_t segments_at = sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr);
	const size_t symbols_at = segments_at + made->segments * sizeof(Elf64_Phdr);
	const size_t names_at = symbols_at + made->symbols * sizeof(Elf64_Sym);
	char *bytes = calloc(1, names_at + names_bytes);
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
	Elf64_Shdr *sections = (Elf64_Shdr *)(header + 1);
	Elf64_Phdr *segments = (Elf64_Phdr *)(bytes + segments_at);
	Elf64_Sym *symbols = (Elf64_Sym *)(bytes + symbols_at);
	struct tree tree;
	int fd, r;

	assert_non_null(bytes);
	*header = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(*header),
		.e_shoff = sizeof(*header),
		.e_shentsize = sizeof(*sections),
		.e_shnum = SECTIONS,
		.e_phoff = segments_at,
		.e_phentsize = sizeof(*segments),
		.e_phnum = made->segments,
	};
	sections[SYMBOLS] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
					 .sh_offset = symbols_at,
					 .sh_size = made->symbols * sizeof(*symbols),
					 .sh_entsize = sizeof(*symbols),
					 .sh_link = NAMES};
	sections[NAMES] =
		(Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = names_bytes};
	/* The last one has all symbols. */
	for (size_t i = 0; i < made->segments; i++)
		segments[i] = (Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = UINT64_MAX - i};
	segments[made->segments - 1] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = UINT32_MAX};
	for (size_t i = 0; i < made->symbols; i++)
		symbols[i] = (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					 .st_shndx = 1,
					 .st_value = 0x1000 + i,
					 .st_size = 1};
	memset(bytes + names_at, 'x', made->name_bytes);
	tree_create(&tree);
	fd = open_text(&tree, bytes, names_at + names_bytes);
	r = symbol_elf_read(fd, -1, table);
	close(fd);
	tree_destroy(&tree);
	free(bytes);
	return r;
}

/* What would take hours or gigabytes is rejected, and what differs from it a little is not. */
static void bounds_time_and_memory(void **state)
{
	static const struct {
		struct made_file file;
		int r;
	} rows[] = {
		{{2, 1, 1, false}, 0},
		{{2, 1, 1, true}, -EBADMSG},
		{{SYMBOLS_MAX, SYMBOL_SECTION_BYTES_MAX / 2, 1, true}, -EBADMSG},
		{{1000, 1, PERF_ELF_SEGMENTS_MAX, false}, 0},
		{{1000, 1, PERF_ELF_SEGMENTS_MAX + 1, false}, -EBADMSG},
		{{1000, 1, UINT16_MAX - 1, false}, -EBADMSG},
		{{1000, 470, 1, false}, 0},
		{{SYMBOL_TABLE_BYTES_MAX / 470, 470, 1, false}, -EFBIG},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct symbol_table table = {0};

		assert_int_equal(read_made(&rows[i].file, &table), rows[i].r);
		if (rows[i].r)
			continue;
		assert_int_equal(table.count, rows[i].file.symbols);
		assert_int_equal(strlen(symbol_table_find(&table, 0x1001)),
				 rows[i].file.name_bytes);
		symbol_table_finish(&table);
	}
}

static int read_kernel(const char *text, struct symbol_table *table)
{
	struct tree tree;
	int fd, r;

	tree_create(&tree);
	fd = open_text(&tree, text, strlen(text));
	r = symbol_table_read_kernel(fd, table);
	close(fd);
	tree_destroy(&tree);
	return r;
}

static void has_functions_of_the_kernel(void **state)
{
	struct symbol_table table;

	assert_int_equal(read_kernel("ffffffff81000000 T _text\n"
				     "ffffffff81000100 T do_one\n"
				     "ffffffff81000100 t __do_one\n"
				     "ffffffff81000200 d some_data\n"
				     "ffffffff81000300 W do_weak\n"
				     "ffffffffc0000000 t in_module\t[some_module]\n"
				     "no address\n"
				     "ffffffff81000400\n",
				     &table),
			 0);
	assert_int_equal(table.count, 4);
	assert_string_equal(symbol_table_find(&table, 0xffffffff81000000), "_text");
	assert_string_equal(symbol_table_find(&table, 0xffffffff81000250), "do_one");
	assert_string_equal(symbol_table_find(&table, 0xffffffff81000300), "do_weak");
	assert_string_equal(symbol_table_find(&table, 0xffffffffc0000010), "in_module");
	assert_null(symbol_table_find(&table, 0x1000));
	assert_true(symbol_table_has_own(&table, 0xffffffff81000000));
	assert_true(symbol_table_has_own(&table, 0xffffffff81000300));
	assert_false(symbol_table_has_own(&table, 0xffffffff80ffffff));
	assert_false(symbol_table_has_own(&table, 0xffffffffc0000010));
	/* Memory between the kernel and its modules, and behind them. */
	assert_null(symbol_table_find(&table, 0xffffffffa0000000));
	assert_null(symbol_table_find(&table, UINT64_MAX));
	symbol_table_finish(&table);
}

static void says_that_the_kernel_hides_them(void **state)
{
	struct symbol_table table;

	assert_int_equal(read_kernel("0000000000000000 T _text\n0000000000000000 T x\n", &table),
			 -EPERM);
	assert_int_equal(read_kernel("", &table), -ENOENT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_functions_of_a_file),
	cmocka_unit_test(survives_damage),
	cmocka_unit_test(bounds_time_and_memory),
	cmocka_unit_test(has_functions_of_the_kernel),
	cmocka_unit_test(says_that_the_kernel_hides_them),
};

UNIT_GROUP(tests);
