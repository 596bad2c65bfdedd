/* SPDX-License-Identifier: MIT */
/* Sections are looked for by name, and their sizes added up before libelf takes memory for them. */
#include "scap/symbols/dwarf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf/elf_file.h"
#include "scap/symbols/symbol_elf.h"
#include "scap/symbols/symbol_sections.h"
#include "util/count.h"
#include "util/regular.h"

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

/* Separate files have the headers of sections that are not in them. */
static void note_code(const GElf_Shdr *header, struct dwarf_sections *sections)
{
	if (header->sh_flags & SHF_EXECINSTR && header->sh_addr &&
	    (!sections->code_begin || header->sh_addr < sections->code_begin))
		sections->code_begin = header->sh_addr;
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

		if (!name)
			continue;
		note_code(&header, sections);
		if (header.sh_type == SHT_NOBITS)
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

	*file = (struct dwarf_file){.fd = -1};
	if (!perf_elf_is_bounded_in(fd))
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

/* Opens "../.dwz/NAME" of the link "/usr/lib/debug/.dwz/NAME". Returns a descriptor or -errno. */
static int open_linked(const char *link, int debug)
{
	const char *name = strstr(link, "/.dwz/");
	char path[PATH_MAX];
	int path_fd, fd;

	if (!name || strstr(name, "/..") ||
	    snprintf(path, sizeof(path), "..%s", name) >= (int)sizeof(path))
		return -ENOENT;
	path_fd = openat(debug, path, O_PATH | O_CLOEXEC);
	if (path_fd < 0)
		return -ENOENT;
	fd = regular_reopen(path_fd);
	close(path_fd);
	return fd;
}

/* Whether it has the build id behind the name in the link. */
static bool is_linked(int fd, const char *bytes, size_t len)
{
	struct symbol_build_id id;

	return symbol_elf_build_id(fd, &id) == 0 && id.count && id.count == len &&
	       memcmp(id.bytes, bytes, len) == 0;
}

int dwarf_file_open_shared(const struct dwarf_file *file, int debug, size_t max,
			   struct dwarf_file *shared)
{
	GElf_Shdr header;
	Elf_Scn *section = symbol_section_find(file->elf, ".gnu_debugaltlink", &header);
	Elf_Data *data;
	size_t len;
	int fd, r = -ENOENT;

	if (!section || header.sh_size > PATH_MAX)
		return -ENOENT;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf)
		return -ENOENT;
	len = strnlen(data->d_buf, data->d_size);
	if (len == data->d_size)
		return -EBADMSG;
	fd = open_linked(data->d_buf, debug);
	if (fd < 0)
		return fd;
	if (is_linked(fd, (const char *)data->d_buf + len + 1, data->d_size - len - 1))
		r = dwarf_file_open(fd, max, shared);
	if (r)
		close(fd);
	else
		shared->fd = fd;
	return r;
}

void dwarf_file_close(struct dwarf_file *file)
{
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct dwarf_file){.fd = -1};
}
