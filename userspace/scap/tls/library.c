/* SPDX-License-Identifier: MIT */
/* One pass over the symbols of a file. Files are of others: their sizes are checked. */
#include "scap/tls/library.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "util/count.h"

enum { SYMBOLS_BYTES_MAX = 64 << 20 /* of one table */ };

#ifdef __aarch64__
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_X86_64 };
#endif

const struct tls_function tls_functions[] = {
	{"SSL_read", TLS_CALL, TLS_READ_END},
	{"SSL_read_ex", TLS_CALL_EX, TLS_READ_END},
	{"SSL_write", TLS_CALL, TLS_WRITE_END},
	{"SSL_write_ex", TLS_CALL_EX, TLS_WRITE_END},
	/* Others that connect or accept call it. */
	{"SSL_do_handshake", TLS_CALL, TLS_CALL_END},
	{"SSL_free", TLS_FORGET, TLS_PROGRAMS},
	{"SSL_clear", TLS_FORGET, TLS_PROGRAMS},
	{"gnutls_record_recv", TLS_CALL, TLS_READ_END},
	{"gnutls_record_send", TLS_CALL, TLS_WRITE_END},
	{"gnutls_handshake", TLS_CALL, TLS_CALL_END},
	{"gnutls_deinit", TLS_FORGET, TLS_PROGRAMS},
};

_Static_assert(COUNT(tls_functions) == TLS_FUNCTIONS, "the table is as long as others believe");

/* Addresses by function; 0: not found. */
struct tls_addresses {
	uint64_t of[TLS_FUNCTIONS];
};

static void note_symbol(struct tls_addresses *addresses, const char *name, uint64_t address)
{
	/* Most names are others. */
	if (strncmp(name, "SSL_", 4) != 0 && strncmp(name, "gnutls_", 7) != 0)
		return;
	for (unsigned int i = 0; i < TLS_FUNCTIONS; i++)
		if (strcmp(name, tls_functions[i].name) == 0)
			addresses->of[i] = address;
}

static void read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
		       struct tls_addresses *addresses)
{
	Elf_Data *data = header->sh_size <= SYMBOLS_BYTES_MAX ? elf_getdata(section, NULL) : NULL;
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; data && i < count && gelf_getsym(data, (int)i, &symbol); i++) {
		const char *name;

		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
		    !symbol.st_value)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name)
			note_symbol(addresses, name, symbol.st_value);
	}
}

/* Whether there is a function that gives or takes plaintext. */
static bool has_end(const struct tls_addresses *addresses, enum tls_program end)
{
	for (unsigned int i = 0; i < TLS_FUNCTIONS; i++)
		if (addresses->of[i] && tls_functions[i].end == end)
			return true;
	return false;
}

static bool is_complete(const struct tls_addresses *addresses)
{
	return has_end(addresses, TLS_READ_END) && has_end(addresses, TLS_WRITE_END);
}

/* What others link with is shorter than all symbols, and there in each library. */
static void find_addresses(Elf *elf, struct tls_addresses *addresses)
{
	static const uint32_t kinds[] = {SHT_DYNSYM, SHT_SYMTAB};
	GElf_Shdr header;

	for (size_t i = 0; i < COUNT(kinds) && !is_complete(addresses); i++)
		for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
			if (gelf_getshdr(section, &header) && header.sh_type == kinds[i])
				read_table(elf, section, &header, addresses);
}

static int read_elf(Elf *elf, struct tls_library *library, char reason[PERF_REASON_BYTES])
{
	struct tls_addresses addresses = {{0}};
	struct perf_elf_segments segments;
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_machine != OWN_MACHINE ||
	    gelf_getclass(elf) != ELFCLASS64)
		return perf_elf_fail(reason, -ENOENT, "it is no program of this machine");
	find_addresses(elf, &addresses);
	if (!is_complete(&addresses))
		return perf_elf_fail(reason, -ENOENT, "it has no such functions");
	if (perf_elf_segments_read(elf, &segments))
		return perf_elf_fail(reason, -EBADMSG, "its segments cannot be read");
	library->count = 0;
	for (uint8_t i = 0; i < TLS_FUNCTIONS; i++) {
		struct tls_place *place = &library->places[library->count];

		if (!addresses.of[i] || perf_elf_offset(&segments, addresses.of[i], &place->offset))
			continue;
		place->function = i;
		library->count++;
	}
	return 0;
}

int tls_library_read(const char *path, struct tls_library *library, char reason[PERF_REASON_BYTES])
{
	struct perf_elf file;
	int r = perf_elf_open(&file, path, reason);

	if (r)
		return r;
	r = read_elf(file.elf, library, reason);
	perf_elf_close(&file);
	return r;
}

int tls_library_is_name(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	return strncmp(name, "libssl", 6) == 0 || strncmp(name, "libgnutls", 9) == 0;
}
