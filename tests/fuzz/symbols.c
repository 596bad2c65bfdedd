/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what names of addresses are read from: an ELF file, with its compressed part, a map
 * or a dump of a JIT compiler, a mangled name, sections of debugging information. The first byte
 * says which. Tables are in order, each of their names ends, and no more is inlined than may be.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "scap/symbols/symbol_demangle.h"
#include "scap/symbols/symbol_elf.h"
#include "scap/symbols/symbol_inlines.h"
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

enum { PLACES = 256, PLACE_BYTES = 16 };

static void check_inlines(struct symbol_inlines *inlines)
{
	for (size_t i = 0; inlines->first && i < PLACES; i++) {
		REQUIRE(inlines->first[i] <= inlines->first[i + 1] &&
				inlines->first[i + 1] - inlines->first[i] <=
					SYMBOL_INLINES_DEEP_MAX,
			"place %zu", i);
		for (uint32_t k = inlines->first[i]; k < inlines->first[i + 1]; k++) {
			uint32_t function = inlines->of_places[k];

			REQUIRE(function < inlines->functions_count, "function %u", function);
			REQUIRE(strlen(inlines->texts + inlines->functions[function]) > 0,
				"function %u", function);
		}
	}
	symbol_inlines_finish(inlines);
}

/* The length of each section, of two bytes, and then all of them: none has bytes behind it. */
static void read_sections(int fd, const uint8_t *data, size_t size)
{
	enum { HEAD_BYTES = 2 * DWARF_SECTIONS, STEPS = 1 << 18 };
	struct dwarf_sections sections = {.steps_left = STEPS};
	struct symbol_inlines inlines = {0};
	uint8_t *copies[DWARF_SECTIONS] = {NULL};
	uint64_t addresses[PLACES];
	size_t at = HEAD_BYTES;

	if (size < HEAD_BYTES)
		return;
	for (size_t i = 0; i < PLACES; i++)
		addresses[i] = 0x1000 + i * PLACE_BYTES;
	for (size_t i = 0; i < DWARF_SECTIONS; i++) {
		size_t len = data[2 * i] | (size_t)data[2 * i + 1] << 8;

		len = len < size - at ? len : size - at;
		copies[i] = malloc(len ? len : 1);
		REQUIRE(copies[i], "no memory");
		memcpy(copies[i], data + at, len);
		sections.list[i] = (struct dwarf_section){copies[i], len};
		at += len;
	}
	(void)symbol_inlines_find(&sections, addresses, PLACES, NULL, &inlines);
	check_inlines(&inlines);
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		free(copies[i]);
}

static void read_elf(int fd, const uint8_t *data, size_t size)
{
	struct symbol_inlines inlines;
	struct symbol_build_id id;
	struct symbol_table table;
	uint64_t places[PLACES];

	for (size_t i = 0; i < PLACES; i++)
		places[i] = i * PLACE_BYTES;
	(void)symbol_inlines_read(fd, -1, places, PLACES, NULL, &inlines);
	check_inlines(&inlines);

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
		read_elf, read_map, read_dump, read_name, read_packed, read_sections};
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
