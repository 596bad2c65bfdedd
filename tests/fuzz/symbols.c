/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what names of addresses are read from: an ELF file, with its compressed part, a map
 * or a dump of a JIT compiler, a mangled name. The first byte says which. Tables are in order, and
 * each of their names ends.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "scap/symbols/symbol_demangle.h"
#include "scap/symbols/symbol_elf.h"
#include "scap/symbols/symbol_jit.h"
#include "scap/symbols/symbol_unpack.h"

static void check_table(struct symbol_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct symbol_entry *entry = &table->entries[i];

		REQUIRE(entry->name < table->texts_bytes &&
				memchr(table->texts + entry->name, '\0',
				       table->texts_bytes - entry->name),
			"name %u", entry->name);
		REQUIRE(i == 0 || entry[-1].begin < entry->begin, "entry %zu", i);
		(void)symbol_table_find(table, entry->begin);
	}
	symbol_table_finish(table);
}

static void read_elf(int fd, const uint8_t *data, size_t size)
{
	struct symbol_build_id id;
	struct symbol_table table;

	if (symbol_elf_read(fd, -1, &table) == 0)
		check_table(&table);
	if (symbol_elf_read_memory(data, size, &table) == 0)
		check_table(&table);
	if (symbol_elf_build_id(fd, &id) == 0)
		REQUIRE(id.count <= sizeof(id.bytes), "%u bytes", id.count);
}

static void read_map(int fd, const uint8_t *data, size_t size)
{
	struct symbol_table table;

	if (symbol_jit_read_map(fd, &table) == 0)
		check_table(&table);
}

static void read_dump(int fd, const uint8_t *data, size_t size)
{
	struct symbol_table table;

	if (symbol_jit_read_dump(fd, &table) == 0)
		check_table(&table);
}

static void read_name(int fd, const uint8_t *data, size_t size)
{
	struct symbol_demangler demangler = {0};
	char text[SYMBOL_DEMANGLED_BYTES], name[4096];
	size_t len = size < sizeof(name) - 1 ? size : sizeof(name) - 1;

	memcpy(name, data, len);
	name[len] = '\0';
	if (symbol_demangle(&demangler, name, text))
		REQUIRE(strlen(text) < sizeof(text), "%zu bytes", strlen(text));
}

static void read_packed(int fd, const uint8_t *data, size_t size)
{
	enum { MAX = 1 << 20, CHUNK = 1 << 16 };
	struct buf out = {0};

	(void)symbol_unpack(data, size, MAX, &out);
	REQUIRE(out.len <= MAX + CHUNK, "%zu bytes", out.len);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(int fd, const uint8_t *data, size_t size) = {
		read_elf, read_map, read_dump, read_name, read_packed};
	uint8_t *copy;
	int fd;

	if (size < 2)
		return 0;
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	copy = malloc(size - 1);
	REQUIRE(fd >= 0 && copy, "no memory");
	memcpy(copy, data + 1, size - 1);
	REQUIRE(write(fd, copy, size - 1) == (ssize_t)(size - 1), "cannot write");
	readers[data[0] % (sizeof(readers) / sizeof(readers[0]))](fd, copy, size - 1);
	free(copy);
	close(fd);
	return 0;
}
