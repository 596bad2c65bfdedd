/* SPDX-License-Identifier: MIT */
/* Looks through .symtab and .dynsym, and converts the address by the loaded segments. */
#include "perf/symbol.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/nearest.h"

struct symbol_search {
	Elf *elf;
	const char *symbol;
	uint64_t address;
	bool found, is_function;
	struct nearest nearest;
};

__attribute__((format(printf, 3, 4))) static int fail(char reason[PERF_REASON_BYTES], int code,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, PERF_REASON_BYTES, format, args);
	va_end(args);
	return code;
}

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

static int address_to_offset(Elf *elf, uint64_t address, uint64_t *offset)
{
	size_t count;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count) != 0)
		return -EBADMSG;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
			continue;
		*offset = address - header.p_vaddr + header.p_offset;
		return 0;
	}
	return -EBADMSG;
}

static int symbol_search_elf(Elf *elf, const char *symbol, uint64_t *offset,
			     char reason[PERF_REASON_BYTES])
{
	struct symbol_search search = {.elf = elf, .symbol = symbol};
	GElf_Shdr header;

	if (elf_kind(elf) != ELF_K_ELF)
		return fail(reason, -EBADMSG, "it is no ELF file");
	nearest_init(&search.nearest, symbol, strlen(symbol));
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			look_through(&search, section, &header);
	if (!search.found && search.nearest.word)
		return fail(reason, -ENOENT, "no such symbol; did you mean '%s'?",
			    search.nearest.word);
	if (!search.found)
		return fail(reason, -ENOENT,
			    "no such symbol; a file without symbols "
			    "needs offset=N, of the file");
	if (address_to_offset(elf, search.address, offset) != 0)
		return fail(reason, -EBADMSG, "its address is in no part that is loaded");
	return 0;
}

/* A regular file: to open others can have effects, or wait. */
static int symbol_open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

int perf_symbol_find(const char *path, const char *symbol, uint64_t *offset,
		     char reason[PERF_REASON_BYTES])
{
	int fd = symbol_open_file(path), r;
	Elf *elf;

	if (fd == -EINVAL)
		return fail(reason, -EINVAL, "it is no regular file");
	if (fd < 0)
		return fail(reason, fd, "%s", strerror(-fd));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	r = elf ? symbol_search_elf(elf, symbol, offset, reason)
		: fail(reason, -EBADMSG, "%s", elf_errmsg(-1));
	if (elf)
		elf_end(elf);
	close(fd);
	return r;
}
