/* SPDX-License-Identifier: MIT */
/* Looks through .symtab and .dynsym. */
#include "perf/symbol.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "util/nearest.h"

struct symbol_search {
	Elf *elf;
	const char *symbol;
	uint64_t address;
	bool found, is_function;
	struct nearest nearest;
};

static void look_at(struct symbol_search *search, const char *name, const GElf_Sym *symbol)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);
	bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;

	if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value || !name)
		return;
	if (is_function)
		nearest_offer(&search->nearest, name);
	if (strcmp(name, search->symbol) != 0 ||
	    (search->found && (search->is_function || !is_function)))
		return;
	search->found = true;
	search->is_function = is_function;
	search->address = symbol->st_value;
}

static void look_through(struct symbol_search *search, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; data && i < count && i <= INT32_MAX; i++)
		if (gelf_getsym(data, (int)i, &symbol))
			look_at(search, elf_strptr(search->elf, header->sh_link, symbol.st_name),
				&symbol);
}

static int symbol_search_elf(Elf *elf, const char *symbol, uint64_t *offset,
			     char reason[PERF_REASON_BYTES])
{
	struct symbol_search search = {.elf = elf, .symbol = symbol};
	struct perf_elf_segments segments;
	GElf_Shdr header;

	nearest_init(&search.nearest, symbol, strlen(symbol));
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			look_through(&search, section, &header);
	if (!search.found && search.nearest.word)
		return perf_elf_fail(reason, -ENOENT, "no such symbol; did you mean '%s'?",
				     search.nearest.word);
	if (!search.found)
		return perf_elf_fail(reason, -ENOENT,
				     "no such symbol; a file without symbols "
				     "needs offset=N, of the file");
	if (perf_elf_segments_read(elf, &segments) != 0 ||
	    perf_elf_offset(&segments, search.address, offset) != 0)
		return perf_elf_fail(reason, -EBADMSG, "its address is in no part that is loaded");
	return 0;
}

int perf_symbol_find(const char *path, const char *symbol, uint64_t *offset,
		     char reason[PERF_REASON_BYTES])
{
	struct perf_elf file;
	int r = perf_elf_open(&file, path, reason);

	if (r)
		return r;
	r = symbol_search_elf(file.elf, symbol, offset, reason);
	perf_elf_close(&file);
	return r;
}
