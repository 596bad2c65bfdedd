/* SPDX-License-Identifier: MIT */
/*
 * The layout of the table is that of Go 1.18 and of 1.20, which differ in a number only. From 1.26
 * on it does not say where the text begins: such programs have to have symbols. It is of others,
 * like all of the file: each offset is checked, and each function is looked at before it is
 * believed.
 */
#include "scap/tls/go.h"

#include <errno.h>
#include <string.h>

#include "util/count.h"

enum {
	INFO_FLAGS = 15, /* of .go.buildinfo: where it says how its texts are kept */
	INFO_INLINE = 2, /* as from 1.18 on */
	FUNCTION_BYTES_MAX = 1 << 16,
};

/* The start of the table. */
struct table_header {
	uint32_t magic;
	uint8_t zeros[2], quantum, pointer_bytes;
	uint64_t functions, files;
	uint64_t text; /* its address, which those of functions are behind */
	/* From the start of the table: */
	uint64_t names, units, file_table, pc_table, lines;
};

/* Behind `lines`: of each function. The last one is where the text ends. */
struct table_entry {
	uint32_t address; /* behind `text` */
	uint32_t function; /* behind `lines`: struct table_function */
};

struct table_function {
	uint32_t address, name;
};

struct table {
	const char *bytes;
	size_t size;
	struct table_header header;
};

Elf_Data *tls_section_read(Elf_Scn *section, GElf_Shdr *header, uint64_t *left)
{
	if (!section || !gelf_getshdr(section, header) || header->sh_size > *left ||
	    header->sh_flags & SHF_COMPRESSED)
		return NULL;
	*left -= header->sh_size;
	return elf_rawdata(section, NULL);
}

bool tls_section_is_names(const Elf_Data *data)
{
	return data && data->d_buf && data->d_size &&
	       ((const char *)data->d_buf)[data->d_size - 1] == '\0';
}

Elf_Data *tls_section_find(Elf *elf, const char *name, uint64_t *left)
{
	GElf_Shdr header, names_header;
	Elf_Data *names;
	size_t index;

	if (elf_getshdrstrndx(elf, &index))
		return NULL;
	names = tls_section_read(elf_getscn(elf, index), &names_header, left);
	if (!tls_section_is_names(names))
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
		    header.sh_name < names->d_size &&
		    strcmp((const char *)names->d_buf + header.sh_name, name) == 0)
			return tls_section_read(section, &header, left);
	return NULL;
}

bool tls_go_is_program(Elf *elf, uint64_t *left)
{
	static const char magic[] = "\xff Go buildinf:";
	const Elf_Data *info = tls_section_find(elf, ".go.buildinfo", left);
	const char *bytes = info ? info->d_buf : NULL;

	return bytes && info->d_size > INFO_FLAGS && memcmp(bytes, magic, sizeof(magic) - 1) == 0 &&
	       bytes[INFO_FLAGS] & INFO_INLINE;
}

/* Whether so many bytes are in the table. */
static bool is_in(const struct table *table, uint64_t offset, uint64_t bytes)
{
	return offset <= table->size && bytes <= table->size - offset;
}

static bool read_header(const Elf_Data *data, struct table *table)
{
	static const uint32_t magics[] = {0xfffffff0, 0xfffffff1};
	const struct table_header *header = &table->header;

	if (!data || !data->d_buf || data->d_size < sizeof(*header))
		return false;
	*table = (struct table){.bytes = data->d_buf, .size = data->d_size};
	memcpy(&table->header, table->bytes, sizeof(*header));
	return (header->magic == magics[0] || header->magic == magics[1]) &&
	       header->pointer_bytes == sizeof(uint64_t) && header->text &&
	       header->names <= header->units &&
	       is_in(table, header->names, header->units - header->names) &&
	       header->functions < table->size / sizeof(struct table_entry) &&
	       is_in(table, header->lines, (header->functions + 1) * sizeof(struct table_entry));
}

/* Where a name is among all of them; -1: nowhere. */
static int64_t name_of(const struct table *table, const char *name)
{
	const char *names = table->bytes + table->header.names, *found;
	size_t bytes = table->header.units - table->header.names, length = strlen(name) + 1;

	for (const char *from = names;
	     (found = memmem(from, bytes - (size_t)(from - names), name, length)); from = found + 1)
		if (found == names || found[-1] == '\0')
			return found - names;
	return -1;
}

static struct table_entry entry_of(const struct table *table, uint64_t index)
{
	struct table_entry entry;

	memcpy(&entry, table->bytes + table->header.lines + index * sizeof(entry), sizeof(entry));
	return entry;
}

/* The name of a function, as where it is; -2: it is damaged. */
static int64_t named_as(const struct table *table, struct table_entry entry)
{
	uint64_t offset = table->header.lines + entry.function;
	struct table_function function;

	if (!is_in(table, offset, sizeof(function)))
		return -2;
	memcpy(&function, table->bytes + offset, sizeof(function));
	return function.name;
}

static void find_function(const struct table *table, struct tls_go_function *function)
{
	int64_t name = name_of(table, function->name);

	for (uint64_t i = 0; name >= 0 && i < table->header.functions; i++) {
		struct table_entry entry = entry_of(table, i);
		uint32_t end;

		if (named_as(table, entry) != name)
			continue;
		end = entry_of(table, i + 1).address;
		if (end <= entry.address || end - entry.address > FUNCTION_BYTES_MAX)
			return;
		function->address = table->header.text + entry.address;
		function->bytes = end - entry.address;
		return;
	}
}

void tls_go_find(Elf *elf, struct tls_go_function *functions, size_t count, uint64_t *left)
{
	struct table table;

	if (!read_header(tls_section_find(elf, ".gopclntab", left), &table))
		return;
	for (size_t i = 0; i < count; i++)
		find_function(&table, &functions[i]);
}

/*
 * Functions begin by comparing their stack with its limit, and a jump, which the kernel does itself
 * where it would have to step over anything else.
 */
#ifdef __aarch64__
/* Where it begins again is not known there. */
int tls_go_entry(const uint8_t *code, size_t bytes)
{
	return -ENOENT;
}
#else
int tls_go_entry(const uint8_t *code, size_t bytes)
{
	static const struct {
		uint8_t code[13], mask[13], length;
	} begins[] = {
		/* cmp 0x10(%r14),%rsp; jbe */
		{{0x49, 0x3b, 0x66, 0x10, 0x0f, 0x86}, {255, 255, 255, 255, 255, 255}, 6},
		{{0x49, 0x3b, 0x66, 0x10, 0x76}, {255, 255, 255, 255, 255}, 5},
		/* lea ...(%rsp),%r12; cmp 0x10(%r14),%r12; jbe */
		{{0x4c, 0x8d, 0x64, 0x24, 0, 0x4d, 0x3b, 0x66, 0x10, 0x0f, 0x86},
		 {255, 255, 255, 255, 0, 255, 255, 255, 255, 255, 255},
		 11},
		{{0x4c, 0x8d, 0x64, 0x24, 0, 0x4d, 0x3b, 0x66, 0x10, 0x76},
		 {255, 255, 255, 255, 0, 255, 255, 255, 255, 255},
		 10},
	};

	for (size_t i = 0; i < COUNT(begins); i++) {
		size_t at = 0;

		while (at < begins[i].length && at < bytes &&
		       (code[at] & begins[i].mask[at]) == begins[i].code[at])
			at++;
		if (at == begins[i].length)
			return (int)at - (begins[i].code[at - 1] == 0x86 ? 2 : 1);
	}
	return -ENOENT;
}
#endif
