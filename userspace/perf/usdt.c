/* SPDX-License-Identifier: MIT */
/*
 * Each probe has a note in .note.stapsdt: three addresses (the probe, .stapsdt.base when it was
 * linked, its semaphore), then provider, name and arguments as texts.
 */
#include "perf/usdt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/nearest.h"

enum { NOTE_PROBE = 3, ADDRESSES = 3, ADDRESSES_BYTES = 8 * ADDRESSES };

struct usdt_search {
	Elf *elf;
	const char *provider, *name;
	struct perf_elf_segments segments;
	uint64_t base; /* address of .stapsdt.base now, which a program may have moved; 0: none */
	perf_usdt_visit *visit;
	void *context;
	bool found;
	struct nearest nearest; /* among names of that provider */
	char near_name[64];
};

/* The text at a place of a note, and what is behind it; NULL if it does not end there. */
static const char *next_text(const char **at, const char *end)
{
	const char *text = *at;
	const char *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

static void usdt_offer_name(struct usdt_search *search, const char *name)
{
	const char *before = search->nearest.word;

	nearest_offer(&search->nearest, name);
	if (search->nearest.word == before)
		return;
	snprintf(search->near_name, sizeof(search->near_name), "%s", name);
	search->nearest.word = search->near_name;
}

static int visit_probe(struct usdt_search *search, const uint64_t addresses[ADDRESSES],
		       const char *args)
{
	uint64_t moved = search->base ? search->base - addresses[1] : 0;
	uint64_t offset, semaphore = 0;

	if (perf_elf_offset(&search->segments, addresses[0] + moved, &offset) != 0 ||
	    (addresses[2] &&
	     perf_elf_offset(&search->segments, addresses[2] + moved, &semaphore) != 0))
		return 0;
	search->found = true;
	return search->visit(search->context, offset, semaphore, args);
}

static int look_at_note(struct usdt_search *search, const char *at, size_t len)
{
	const char *end = at + len, *provider, *name, *args;
	uint64_t addresses[ADDRESSES];

	if (len < ADDRESSES_BYTES)
		return 0;
	memcpy(addresses, at, ADDRESSES_BYTES);
	at += ADDRESSES_BYTES;
	provider = next_text(&at, end);
	name = provider ? next_text(&at, end) : NULL;
	if (!name || strcmp(provider, search->provider) != 0)
		return 0;
	args = next_text(&at, end);
	if (strcmp(name, search->name) == 0)
		return visit_probe(search, addresses, args ? args : "");
	usdt_offer_name(search, name);
	return 0;
}

static int look_through_notes(struct usdt_search *search, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t at = 0, name, desc;
	GElf_Nhdr note;
	int r = 0;

	while (r == 0 && data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0)
		if (note.n_type == NOTE_PROBE)
			r = look_at_note(search, (const char *)data->d_buf + desc, note.n_descsz);
	return r;
}

static Elf_Scn *find_section(Elf *elf, const char *wanted, GElf_Shdr *header)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		const char *name = gelf_getshdr(section, header)
					   ? elf_strptr(elf, names, header->sh_name)
					   : NULL;

		if (name && strcmp(name, wanted) == 0)
			return section;
	}
	return NULL;
}

static int usdt_search_elf(struct usdt_search *search, char reason[PERF_REASON_BYTES])
{
	Elf_Scn *notes;
	GElf_Shdr header;
	int r;

	if (gelf_getclass(search->elf) != ELFCLASS64)
		return perf_elf_fail(reason, -ENOTSUP,
				     "static probes of 32-bit programs are not supported");
	if (perf_elf_segments_read(search->elf, &search->segments) != 0)
		return perf_elf_fail(reason, -EBADMSG, "it has no readable program headers");
	if (find_section(search->elf, ".stapsdt.base", &header))
		search->base = header.sh_addr;
	notes = find_section(search->elf, ".note.stapsdt", &header);
	if (!notes)
		return perf_elf_fail(reason, -ENOENT, "it has no static probes");
	r = look_through_notes(search, notes);
	if (r || search->found)
		return r;
	if (search->nearest.word)
		return perf_elf_fail(reason, -ENOENT, "no such static probe; did you mean '%s'?",
				     search->near_name);
	return perf_elf_fail(reason, -ENOENT, "no such static probe");
}

int perf_usdt_find(const char *path, const char *provider, const char *name, perf_usdt_visit *visit,
		   void *context, char reason[PERF_REASON_BYTES])
{
	struct usdt_search search = {
		.provider = provider, .name = name, .visit = visit, .context = context};
	struct perf_elf file;
	int r = perf_elf_open(&file, path, reason);

	if (r)
		return r;
	nearest_init(&search.nearest, name, strlen(name));
	search.elf = file.elf;
	r = usdt_search_elf(&search, reason);
	perf_elf_close(&file);
	return r;
}
