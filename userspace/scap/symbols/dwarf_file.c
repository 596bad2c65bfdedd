/* SPDX-License-Identifier: MIT */
/* Sections are looked for by name, and their sizes added up before libelf takes memory for them. */
#include "scap/symbols/dwarf_file.h"

#include <errno.h>
#include <string.h>

#include "scap/symbols/symbol_sections.h"
#include "util/count.h"

static const char *const section_names[DWARF_SECTIONS] = {
	[DWARF_INFO] = ".debug_info",
	[DWARF_ABBREV] = ".debug_abbrev",
	[DWARF_STR] = ".debug_str",
	[DWARF_LINE_STR] = ".debug_line_str",
	[DWARF_STR_OFFSETS] = ".debug_str_offsets",
	[DWARF_ADDR] = ".debug_addr",
	[DWARF_RANGES] = ".debug_ranges",
	[DWARF_RNGLISTS] = ".debug_rnglists",
};

/* Takes what a section needs of the room that is left; both forms of one that is compressed. */
static int take_room(Elf_Scn *section, const GElf_Shdr *header, size_t *left)
{
	uint64_t bytes = header->sh_size;
	GElf_Chdr compressed;

	if (bytes > *left)
		return -EFBIG;
	*left -= bytes;
	if (!(header->sh_flags & SHF_COMPRESSED))
		return 0;
	if (!gelf_getchdr(section, &compressed))
		return -EBADMSG;
	if (compressed.ch_size > *left)
		return -EFBIG;
	*left -= compressed.ch_size;
	return elf_compress(section, 0, 0) < 0 ? -EBADMSG : 0;
}

static int read_section(Elf_Scn *section, const GElf_Shdr *header, size_t *left,
			struct dwarf_section *read)
{
	int r = take_room(section, header, left);
	Elf_Data *data;

	if (r)
		return r;
	data = elf_rawdata(section, NULL);
	if (!data)
		return -EBADMSG;
	if (data->d_buf)
		*read = (struct dwarf_section){data->d_buf, data->d_size};
	return 0;
}

static int read_sections(Elf *elf, size_t left, struct dwarf_sections *sections)
{
	struct symbol_names names;
	int r = symbol_names_read_sections(elf, &names);
	GElf_Shdr header;

	for (Elf_Scn *section = NULL; r == 0 && (section = elf_nextscn(elf, section));) {
		const char *name = gelf_getshdr(section, &header)
					   ? symbol_section_name(&names, &header)
					   : NULL;

		if (!name || header.sh_type == SHT_NOBITS)
			continue;
		for (size_t i = 0; i < COUNT(section_names) && r == 0; i++)
			if (!sections->list[i].len && strcmp(name, section_names[i]) == 0)
				r = read_section(section, &header, &left, &sections->list[i]);
	}
	if (r)
		return r;
	return sections->list[DWARF_INFO].len && sections->list[DWARF_ABBREV].len ? 0 : -ENOENT;
}

int dwarf_file_open(int fd, size_t max, struct dwarf_file *file)
{
	const char *ident;
	int r = -ENOENT;

	*file = (struct dwarf_file){0};
	if (!symbol_sections_are_bounded_in(fd))
		return -ENOENT;
	elf_version(EV_CURRENT);
	file->elf = elf_begin(fd, ELF_C_READ, NULL);
	ident = file->elf ? elf_getident(file->elf, NULL) : NULL;
	if (ident && elf_kind(file->elf) == ELF_K_ELF && ident[EI_CLASS] == ELFCLASS64 &&
	    ident[EI_DATA] == ELFDATA2LSB)
		r = read_sections(file->elf, max, &file->sections);
	if (r)
		dwarf_file_close(file);
	return r;
}

void dwarf_file_close(struct dwarf_file *file)
{
	elf_end(file->elf);
	*file = (struct dwarf_file){0};
}
