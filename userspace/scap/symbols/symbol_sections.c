/* SPDX-License-Identifier: MIT */
/*
 * What is read is bounded before libelf takes memory for it, and its end is looked at once: then
 * each name ends within it.
 */
#include "scap/symbols/symbol_sections.h"

#include <errno.h>
#include <string.h>

#include "scap/symbols/symbol_table.h"

bool symbol_section_is_readable(const GElf_Shdr *header)
{
	return header->sh_size <= SYMBOL_SECTION_BYTES_MAX && !(header->sh_flags & SHF_COMPRESSED);
}

int symbol_names_read(Elf_Scn *section, size_t max, struct symbol_names *names)
{
	GElf_Shdr header;
	Elf_Data *data;

	if (!section || !gelf_getshdr(section, &header))
		return -EBADMSG;
	if (header.sh_size > max || !symbol_section_is_readable(&header))
		return -EFBIG;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size ||
	    ((const char *)data->d_buf)[data->d_size - 1] != '\0')
		return -EBADMSG;
	*names = (struct symbol_names){data->d_buf, data->d_size};
	return 0;
}

int symbol_names_read_sections(Elf *elf, struct symbol_names *names)
{
	size_t index;

	if (elf_getshdrstrndx(elf, &index) != 0)
		return -EBADMSG;
	return symbol_names_read(elf_getscn(elf, index), SYMBOL_SECTION_NAMES_MAX, names);
}

const char *symbol_section_name(const struct symbol_names *names, const GElf_Shdr *header)
{
	return header->sh_name < names->bytes ? names->texts + header->sh_name : NULL;
}

Elf_Scn *symbol_section_find(Elf *elf, const char *name, GElf_Shdr *header)
{
	struct symbol_names names;
	const char *found;

	if (symbol_names_read_sections(elf, &names) != 0)
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		found = gelf_getshdr(section, header) ? symbol_section_name(&names, header) : NULL;
		if (found && strcmp(found, name) == 0)
			return section;
	}
	return NULL;
}
