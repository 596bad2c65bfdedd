/* SPDX-License-Identifier: MIT */
/* By what compilers and libraries leave in files: sections, and texts that name a library. */
#include "scap/tls/missed.h"

#include <stdbool.h>
#include <string.h>

#include "scap/symbols/symbol_sections.h"
#include "scap/tls/library.h"
#include "util/count.h"

enum {
	TEXTS_BYTES_MAX = 64 << 20, /* of a section that is looked through */
	FILE_BYTES_MAX = 2 * TEXTS_BYTES_MAX, /* of all of a file, which stay in memory */
};

/* A file that is looked through. */
struct looked {
	Elf *elf;
	size_t bytes; /* that are in memory */
};

static bool has_text(Elf_Data *data, const char *text)
{
	return data && memmem(data->d_buf, data->d_size, text, strlen(text)) != NULL;
}

static Elf_Data *data_of(struct looked *looked, Elf_Scn *section, const GElf_Shdr *header)
{
	if (header->sh_type == SHT_NOBITS || header->sh_size > TEXTS_BYTES_MAX ||
	    header->sh_size > FILE_BYTES_MAX - looked->bytes)
		return NULL;
	looked->bytes += header->sh_size;
	return elf_rawdata(section, NULL);
}

/* What a section says; others may say more. */
static enum tls_missed look_at_section(struct looked *looked, const char *name, Elf_Scn *section,
				       const GElf_Shdr *header, bool *is_go)
{
	static const char *const libraries[] = {"SSL_write", "BoringSSL", "OpenSSL 1.1.",
						"OpenSSL 3.", "mbedtls_ssl_write"};
	Elf_Data *data;

	if (strcmp(name, ".go.buildinfo") == 0)
		*is_go = true;
	/* The linker of C puts the table with other data. */
	if ((strcmp(name, ".gopclntab") == 0 || strcmp(name, ".data.rel.ro") == 0) &&
	    has_text(data_of(looked, section, header), "crypto/tls.(*Conn)"))
		return TLS_MISSED_GO;
	if (strcmp(name, ".rodata") != 0)
		return TLS_MISSED_NONE;
	data = data_of(looked, section, header);
	for (size_t i = 0; i < COUNT(libraries); i++)
		if (has_text(data, libraries[i]))
			return TLS_MISSED_EMBEDDED;
	return TLS_MISSED_NONE;
}

/* By names of functions that it asks others for, or has for them. */
static enum tls_missed look_at_names(Elf_Data *names)
{
	/* NSS has the plaintext of all kinds of descriptors go through the same functions. */
	if (has_text(names, "SSL_ImportFD"))
		return TLS_MISSED_NSS;
	return has_text(names, "JLI_Launch") ? TLS_MISSED_JAVA : TLS_MISSED_NONE;
}

/* Functions that it asks others for are theirs. */
static bool imports_functions(struct looked *looked, enum tls_missed *found)
{
	GElf_Shdr header;

	*found = TLS_MISSED_NONE;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(looked->elf, section));)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_STRTAB &&
		    (header.sh_flags & SHF_ALLOC)) {
			Elf_Data *data = data_of(looked, section, &header);

			if (has_text(data, "libssl.so") || has_text(data, "libgnutls.so") ||
			    has_text(data, "SSL_read"))
				return true;
			*found = *found ? *found : look_at_names(data);
		}
	return false;
}

static enum tls_missed look_at_elf(struct looked *looked)
{
	enum tls_missed found = TLS_MISSED_NONE;
	struct symbol_names names;
	bool is_go = false;
	GElf_Shdr header;

	if (symbol_names_read_sections(looked->elf, &names) || imports_functions(looked, &found))
		return TLS_MISSED_NONE;
	if (found)
		return found;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(looked->elf, section));) {
		const char *name;
		enum tls_missed here;

		if (!gelf_getshdr(section, &header))
			continue;
		name = symbol_section_name(&names, &header);
		here = name ? look_at_section(looked, name, section, &header, &is_go)
			    : TLS_MISSED_NONE;
		found = here ? here : found;
	}
	return is_go && found != TLS_MISSED_GO ? TLS_MISSED_NONE : found;
}

enum tls_missed tls_missed_look(const char *path)
{
	char reason[PERF_REASON_BYTES];
	struct tls_library library;
	struct looked looked = {0};
	enum tls_missed found;
	struct perf_elf file;

	if (tls_library_read(path, &library, reason) == 0 || perf_elf_open(&file, path, reason))
		return TLS_MISSED_NONE;
	looked.elf = file.elf;
	found = look_at_elf(&looked);
	perf_elf_close(&file);
	return found;
}

const char *tls_missed_name(enum tls_missed missed)
{
	static const char *const names[TLS_MISSED_KINDS] = {
		[TLS_MISSED_NONE] = "none",
		[TLS_MISSED_GO] = "Go's own TLS",
		[TLS_MISSED_NSS] = "NSS",
		[TLS_MISSED_JAVA] = "Java's own TLS, if any",
		[TLS_MISSED_EMBEDDED] = "a library in the program, without symbols",
	};

	return names[missed];
}
