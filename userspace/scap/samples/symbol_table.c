/* SPDX-License-Identifier: MIT */
/* Collects symbols, sorts them, and keeps the best of those with the same place. */
#include "scap/samples/symbol_table.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/elf_file.h"
#include "util/buf.h"

/* Behind the last symbol without a size, or where nobody has one, is no function. */
enum { SIZELESS_BYTES = 1 << 16 };

enum { ENTRIES_MIN = 256, LINE_BYTES = 512, NAME_BYTES_MAX = 480 };

/* A table that grows. `rank`: which of two symbols of one place is shown; the higher one. */
struct collected {
	struct {
		struct symbol_entry entry;
		uint32_t rank;
	} * list;
	size_t count, capacity;
	struct buf texts;
	int error; /* -ENOMEM; -EFBIG */
};

void symbol_table_finish(struct symbol_table *table)
{
	free(table->entries);
	free(table->texts);
	*table = (struct symbol_table){0};
}

size_t symbol_table_bytes(const struct symbol_table *table)
{
	return table->count * sizeof(*table->entries) + table->texts_bytes;
}

/* Names without the underscores that variants of a function begin with. */
static uint32_t rank_of_name(const char *name)
{
	size_t underscores = strspn(name, "_");

	return underscores < 3 ? 3 - (uint32_t)underscores : 0;
}

static void collect(struct collected *all, uint64_t begin, uint64_t bytes, const char *name,
		    uint32_t rank)
{
	size_t len = strnlen(name, NAME_BYTES_MAX);

	if (!len || all->count == SYMBOLS_MAX || all->error)
		return;
	/* Many symbols can have the same long name. */
	if (all->texts.len + all->count * sizeof(struct symbol_entry) > SYMBOL_TABLE_BYTES_MAX) {
		all->error = -EFBIG;
		return;
	}
	if (all->count == all->capacity) {
		size_t more = all->capacity ? 2 * all->capacity : ENTRIES_MIN;
		void *grown = reallocarray(all->list, more, sizeof(*all->list));

		if (!grown) {
			all->error = -ENOMEM;
			return;
		}
		all->list = grown;
		all->capacity = more;
	}
	all->list[all->count].entry = (struct symbol_entry){
		.begin = begin,
		.bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes,
		.name = (uint32_t)all->texts.len,
	};
	all->list[all->count++].rank = 4 * rank + rank_of_name(name);
	buf_append(&all->texts, name, len);
	buf_append_char(&all->texts, '\0');
	if (all->texts.failed)
		all->error = -ENOMEM;
}

/* By place, the one that is shown last. */
static int compare_collected(const void *a, const void *b)
{
	const typeof(((struct collected *)0)->list[0]) *one = a, *other = b;

	if (one->entry.begin != other->entry.begin)
		return one->entry.begin < other->entry.begin ? -1 : 1;
	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	return one->entry.name < other->entry.name ? 1 : -1;
}

/* Makes a table of what was collected, which is used up. */
static int complete(struct collected *all, struct symbol_table *table)
{
	size_t count = 0;

	*table = (struct symbol_table){0};
	if (!all->error && all->count) {
		qsort(all->list, all->count, sizeof(*all->list), compare_collected);
		table->entries = calloc(all->count, sizeof(*table->entries));
	}
	if (table->entries) {
		for (size_t i = 0; i < all->count; i++)
			if (i + 1 == all->count ||
			    all->list[i].entry.begin != all->list[i + 1].entry.begin)
				table->entries[count++] = all->list[i].entry;
		table->count = count;
		table->texts = all->texts.data;
		table->texts_bytes = all->texts.len;
		all->texts = (struct buf){0};
	}
	free(all->list);
	buf_finish(&all->texts);
	if (table->entries)
		return 0;
	if (all->error)
		return all->error;
	return all->count ? -ENOMEM : -ENOENT;
}

const char *symbol_table_find(const struct symbol_table *table, uint64_t place)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->entries[middle].begin <= place)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	low--;
	if (place - table->entries[low].begin >=
	    (table->entries[low].bytes ? table->entries[low].bytes : SIZELESS_BYTES))
		return NULL;
	return table->texts + table->entries[low].name;
}

/* ELF files. */

/* Names of symbols: the last byte is a NUL. */
struct names {
	const char *texts;
	size_t bytes;
};

static void collect_symbol(const struct perf_elf_segments *segments, const GElf_Sym *symbol,
			   const struct names *names, struct collected *all)
{
	static const uint32_t ranks[] = {[STB_LOCAL] = 1, [STB_GLOBAL] = 3, [STB_WEAK] = 2};
	unsigned int type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);
	uint64_t offset;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= names->bytes ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
		return;
	/* Labels of assembly have no size, and are no functions where a function has one. */
	if (type == STT_NOTYPE && !symbol->st_size)
		return;
	if (perf_elf_offset(segments, symbol->st_value, &offset) != 0)
		return;
	collect(all, offset, symbol->st_size, names->texts + symbol->st_name,
		(bind <= STB_WEAK ? ranks[bind] : 0) + (symbol->st_size ? 4 : 0));
}

/* Sections in memory are bounded; those that are compressed are no symbols. */
static bool is_readable(const GElf_Shdr *header)
{
	return header->sh_size <= SYMBOL_SECTION_BYTES_MAX && !(header->sh_flags & SHF_COMPRESSED);
}

/*
 * Reads a section of names. One that a NUL ends needs no other look at its end: elf_strptr() would
 * search all of it for each symbol.
 */
static int read_names(Elf_Scn *section, struct names *names)
{
	GElf_Shdr header;
	Elf_Data *data;

	if (!section || !gelf_getshdr(section, &header))
		return -EBADMSG;
	if (!is_readable(&header))
		return -EFBIG;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size ||
	    ((const char *)data->d_buf)[data->d_size - 1] != '\0')
		return -EBADMSG;
	*names = (struct names){data->d_buf, data->d_size};
	return 0;
}

static int collect_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			   struct collected *all)
{
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	struct perf_elf_segments segments;
	struct names names;
	Elf_Data *data;
	GElf_Sym symbol;
	int r;

	if (!is_readable(header))
		return -EFBIG;
	r = read_names(elf_getscn(elf, header->sh_link), &names);
	if (r)
		return r;
	r = perf_elf_segments_read(elf, &segments);
	if (r)
		return r;
	data = elf_getdata(section, NULL);
	if (!data)
		return -EBADMSG;
	for (size_t i = 0; i < count && i < SYMBOLS_MAX; i++)
		if (gelf_getsym(data, (int)i, &symbol))
			collect_symbol(&segments, &symbol, &names, all);
	return 0;
}

/* The section of that type, or NULL. */
static Elf_Scn *find_section(Elf *elf, unsigned int type, GElf_Shdr *header)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

/*
 * Memory for sections is taken before any is read: their number must be in the header, where it
 * cannot be large.
 */
static bool e_shnum_is_in_header(int fd)
{
	union {
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} header;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return false;
	return header.wide.e_ident[EI_CLASS] == ELFCLASS32 ? header.narrow.e_shnum
							   : header.wide.e_shnum;
}

int symbol_table_read_elf(int fd, struct symbol_table *table)
{
	struct collected all = {0};
	Elf_Scn *section;
	GElf_Shdr header;
	Elf *elf;
	int r;

	if (!e_shnum_is_in_header(fd))
		return -ENOENT;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return -EBADMSG;
	}
	section = find_section(elf, SHT_SYMTAB, &header);
	if (!section)
		section = find_section(elf, SHT_DYNSYM, &header);
	r = section ? collect_section(elf, section, &header, &all) : -ENOENT;
	elf_end(elf);
	if (r == 0)
		return complete(&all, table);
	free(all.list);
	buf_finish(&all.texts);
	return r;
}

/* The kernel. */

/* "ffffffff81000000 T _text", for modules with "\t[name]" behind it. */
static void collect_line(char *line, struct collected *all, bool *shown)
{
	char *end, *name;
	uint64_t address = strtoull(line, &end, 16);
	char type = end[0] == ' ' ? end[1] : '\0';

	if (!type || end[2] != ' ' || !strchr("tTwW", type))
		return;
	*shown |= address != 0;
	name = end + 3;
	name[strcspn(name, "\t\n ")] = '\0';
	collect(all, address, 0, name, type == 'T' ? 3 : type == 't' ? 1 : 2);
}

int symbol_table_read_kernel(int fd, struct symbol_table *table)
{
	struct collected all = {0};
	char line[LINE_BYTES];
	bool shown = false;
	FILE *file;
	int copy = dup(fd);

	file = copy < 0 ? NULL : fdopen(copy, "r");
	if (!file) {
		if (copy >= 0)
			close(copy);
		return -errno;
	}
	while (fgets(line, sizeof(line), file))
		collect_line(line, &all, &shown);
	fclose(file);
	if (shown)
		return complete(&all, table);
	free(all.list);
	buf_finish(&all.texts);
	return all.count ? -EPERM : -ENOENT;
}
