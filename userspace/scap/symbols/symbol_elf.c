/* SPDX-License-Identifier: MIT */
/*
 * Reads sections of ELF files by libelf, whose memory for them is bounded before it takes any. A
 * separate or compressed file has the addresses of the file, and no offsets: those come from it.
 */
#include "scap/symbols/symbol_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/elf_file.h"
#include "scap/symbols/symbol_collect.h"
#include "scap/symbols/symbol_sections.h"
#include "scap/symbols/symbol_unpack.h"
#include "util/regular.h"

static void collect_symbol(const struct perf_elf_segments *segments, const GElf_Sym *symbol,
			   const struct symbol_names *names, struct symbol_collected *all)
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
	symbol_collect(all, offset, symbol->st_size, names->texts + symbol->st_name,
		       (bind <= STB_WEAK ? ranks[bind] : 0) + (symbol->st_size ? 4 : 0));
}

static int collect_section(Elf *elf, const struct perf_elf_segments *segments, Elf_Scn *section,
			   struct symbol_collected *all)
{
	struct symbol_names names;
	GElf_Shdr header;
	Elf_Data *data;
	GElf_Sym symbol;
	size_t count;
	int r;

	if (!gelf_getshdr(section, &header))
		return -EBADMSG;
	if (!symbol_section_is_readable(&header))
		return -EFBIG;
	r = symbol_names_read(elf_getscn(elf, header.sh_link), SYMBOL_SECTION_BYTES_MAX, &names);
	if (r)
		return r;
	data = elf_getdata(section, NULL);
	if (!data)
		return -EBADMSG;
	count = header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
	for (size_t i = 0; i < count && i < SYMBOLS_MAX; i++)
		if (gelf_getsym(data, (int)i, &symbol))
			collect_symbol(segments, &symbol, &names, all);
	return 0;
}

/* The section of that type, or NULL. */
static Elf_Scn *find_section(Elf *elf, unsigned int type)
{
	GElf_Shdr header;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			return section;
	return NULL;
}

/* Returns 0; -ENOENT: it can have no symbols; -EBADMSG. */
static int open_elf(int fd, Elf **elf)
{
	Elf *opened;

	if (!perf_elf_is_bounded_in(fd))
		return -ENOENT;
	elf_version(EV_CURRENT);
	opened = elf_begin(fd, ELF_C_READ, NULL);
	if (opened && elf_kind(opened) == ELF_K_ELF) {
		*elf = opened;
		return 0;
	}
	elf_end(opened);
	return -EBADMSG;
}

/* libelf does not write to it, though it does not say so. */
static int open_memory(const void *image, size_t bytes, Elf **elf)
{
	Elf *opened;

	if (!perf_elf_is_bounded(image, bytes))
		return -ENOENT;
	elf_version(EV_CURRENT);
	opened = elf_memory((char *)image, bytes);
	if (opened && elf_kind(opened) == ELF_K_ELF) {
		*elf = opened;
		return 0;
	}
	elf_end(opened);
	return -EBADMSG;
}

/* Build ids. */

static bool find_id(Elf_Data *notes, struct symbol_build_id *id)
{
	size_t name, desc;
	GElf_Nhdr note;

	for (size_t at = 0; (at = gelf_getnote(notes, at, &note, &name, &desc)) > 0;) {
		const char *bytes = notes->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp(bytes + name, "GNU", sizeof("GNU")) != 0 || !note.n_descsz ||
		    note.n_descsz > sizeof(id->bytes))
			continue;
		memcpy(id->bytes, bytes + desc, note.n_descsz);
		id->count = (uint8_t)note.n_descsz;
		return true;
	}
	return false;
}

/* libelf keeps what is read of each section, and many may be at one place of a small file. */
static void read_build_id(Elf *elf, struct symbol_build_id *id)
{
	enum { NOTES_BYTES_MAX = 1 << 16, NOTES_MAX = 32 };
	size_t left = NOTES_BYTES_MAX, count = 0;
	GElf_Shdr header;
	Elf_Data *notes;

	*id = (struct symbol_build_id){0};
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
		    header.sh_size > left)
			continue;
		if (++count > NOTES_MAX)
			return;
		left -= header.sh_size;
		notes = elf_getdata(section, NULL);
		if (notes && notes->d_buf && find_id(notes, id))
			return;
	}
}

int symbol_elf_build_id(int fd, struct symbol_build_id *id)
{
	Elf *elf;
	int r = open_elf(fd, &elf);

	if (r == -ENOENT)
		*id = (struct symbol_build_id){0};
	if (r)
		return r == -ENOENT ? 0 : r;
	read_build_id(elf, id);
	elf_end(elf);
	return 0;
}

/* Where else symbols are. */

static int collect_compressed(Elf *elf, const struct perf_elf_segments *segments,
			      struct symbol_collected *all)
{
	GElf_Shdr header;
	Elf_Scn *section = symbol_section_find(elf, ".gnu_debugdata", &header), *symbols;
	struct buf image = {0};
	Elf_Data *data;
	Elf *inner;
	int r;

	if (!section)
		return -ENOENT;
	if (!symbol_section_is_readable(&header))
		return -EFBIG;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf)
		return -EBADMSG;
	r = symbol_unpack(data->d_buf, data->d_size, SYMBOL_SECTION_BYTES_MAX, &image);
	if (r == 0)
		r = open_memory(image.data, image.len, &inner);
	if (r == 0) {
		symbols = find_section(inner, SHT_SYMTAB);
		r = symbols ? collect_section(inner, segments, symbols, all) : -ENOENT;
		elf_end(inner);
	}
	buf_finish(&image);
	return r;
}

/* Opens "ab/cdef.debug". Returns a descriptor or -errno. */
static int open_debug_file(int debug, const struct symbol_build_id *id)
{
	struct buf name = {0};
	int path_fd, fd;

	if (debug < 0 || id->count < 2)
		return -ENOENT;
	for (uint8_t i = 0; i < id->count; i++)
		buf_printf(&name, i == 0 ? "%02x/" : "%02x", id->bytes[i]);
	buf_append(&name, ".debug", sizeof(".debug"));
	path_fd = name.failed ? -1 : openat(debug, name.data, O_PATH | O_CLOEXEC);
	buf_finish(&name);
	if (path_fd < 0)
		return -ENOENT;
	fd = regular_reopen(path_fd);
	close(path_fd);
	return fd;
}

static bool has_build_id(Elf *elf, const struct symbol_build_id *id)
{
	struct symbol_build_id found;

	read_build_id(elf, &found);
	return found.count == id->count && memcmp(found.bytes, id->bytes, id->count) == 0;
}

static int collect_debug_file(int debug, const struct symbol_build_id *id,
			      const struct perf_elf_segments *segments,
			      struct symbol_collected *all)
{
	int fd = open_debug_file(debug, id), r;
	Elf_Scn *section;
	Elf *elf;

	if (fd < 0)
		return fd;
	r = open_elf(fd, &elf);
	if (r == 0) {
		section = find_section(elf, SHT_SYMTAB);
		r = section && has_build_id(elf, id) ? collect_section(elf, segments, section, all)
						     : -ENOENT;
		elf_end(elf);
	}
	close(fd);
	return r;
}

int symbol_elf_open_separate(int fd, int debug)
{
	struct symbol_build_id id;
	int separate, r = symbol_elf_build_id(fd, &id);
	Elf *elf;

	if (r)
		return r;
	separate = open_debug_file(debug, &id);
	if (separate < 0)
		return separate;
	r = open_elf(separate, &elf);
	if (r == 0) {
		r = has_build_id(elf, &id) ? 0 : -ENOENT;
		elf_end(elf);
	}
	if (r == 0)
		return separate;
	close(separate);
	return r;
}

/* Without .symtab: those that other programs need, and what is elsewhere. */
static int collect_stripped(Elf *elf, int debug, const struct perf_elf_segments *segments,
			    struct symbol_collected *all)
{
	Elf_Scn *section = find_section(elf, SHT_DYNSYM);
	struct symbol_build_id id;
	int r, more;

	read_build_id(elf, &id);
	r = collect_debug_file(debug, &id, segments, all);
	if (r == 0)
		return 0;
	r = section ? collect_section(elf, segments, section, all) : -ENOENT;
	more = collect_compressed(elf, segments, all);
	return r && more != -ENOENT ? more : r;
}

/* Reads what is opened, and closes it. */
static int read_elf(Elf *elf, int debug, struct symbol_table *table)
{
	Elf_Scn *section = find_section(elf, SHT_SYMTAB);
	struct symbol_collected all = {0};
	struct perf_elf_segments segments;
	int r = perf_elf_segments_read(elf, &segments);

	if (r == 0 && section)
		r = collect_section(elf, &segments, section, &all);
	else if (r == 0)
		r = collect_stripped(elf, debug, &segments, &all);
	elf_end(elf);
	if (r == 0)
		return symbol_collected_complete(&all, table);
	symbol_collected_finish(&all);
	return r;
}

int symbol_elf_read(int fd, int debug, struct symbol_table *table)
{
	Elf *elf;
	int r = open_elf(fd, &elf);

	return r ? r : read_elf(elf, debug, table);
}

int symbol_elf_read_memory(const void *image, size_t bytes, struct symbol_table *table)
{
	Elf *elf;
	int r = open_memory(image, bytes, &elf);

	return r ? r : read_elf(elf, -1, table);
}
