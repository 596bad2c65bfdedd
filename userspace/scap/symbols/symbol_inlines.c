/* SPDX-License-Identifier: MIT */
/*
 * Goes through the units that have code at some place, from the outer entries to those within: what
 * is inlined there comes in the order of the calls. Functions are named at the end, each once.
 */
#include "scap/symbols/symbol_inlines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/elf_file.h"
#include "scap/symbols/dwarf_file.h"
#include "scap/symbols/symbol_elf.h"
#include "scap/symbols/symbol_sections.h"
#include "util/buf.h"

enum {
	UNITS_MAX = 1 << 16, /* of a file; what is in further ones is not found */
	ARRAY_MIN = 256,
	HOPS_MAX = 8, /* from an entry to the one with the name */
	ASK_EACH = 1 << 14, /* entries or ranges between two questions whether it is over */
};

static const uint32_t nothing = UINT32_MAX;

/* A function that is inlined at a place. */
struct found_inline {
	uint64_t origin; /* the entry that has its name */
	uint32_t outer; /* found.list: what it is inlined in; `nothing`: the function itself */
	uint32_t depth; /* of its entry */
	uint32_t level; /* how many it is within */
};

struct searched_file {
	struct dwarf_sections *sections;
	struct dwarf_unit *units; /* owned: by place */
	size_t units_count, units_capacity;
	/* Of the unit that is looked at, and of one that it refers to. */
	struct dwarf_abbrevs abbrevs, other_abbrevs;
};

struct inlines_search {
	struct searched_file file, shared; /* shared: without sections if there is none */
	const struct symbol_inlines_limit *limit;
	const uint64_t *addresses;
	size_t addresses_count;
	uint32_t *innermost; /* owned: found.list, by place */
	struct found_inline *list; /* owned */
	size_t count, capacity;
	/* Of the entry that is looked at: */
	uint32_t depth;
	bool is_function, is_inlined, covers;
	uint64_t origin;
	uint64_t asked; /* entries and ranges so far */
};

static bool grow_list(void **list, size_t bytes, size_t count, size_t *capacity)
{
	size_t more = *capacity ? 2 * *capacity : ARRAY_MIN;
	void *made;

	if (count < *capacity)
		return true;
	made = reallocarray(*list, more, bytes);
	if (!made)
		return false;
	*list = made;
	*capacity = more;
	return true;
}

/* Units. */

static int read_units(struct searched_file *file)
{
	uint64_t at = 0;
	int r = 0;

	while (file->sections && file->units_count < UNITS_MAX) {
		struct dwarf_unit unit;

		r = dwarf_unit_read(file->sections, at, &unit);
		if (r && r != -EOPNOTSUPP)
			break;
		at = unit.end;
		if (r)
			continue;
		if (!grow_list((void **)&file->units, sizeof(*file->units), file->units_count,
			       &file->units_capacity))
			return -ENOMEM;
		file->units[file->units_count++] = unit;
	}
	return r == -EBADMSG ? r : 0;
}

static struct dwarf_unit *find_unit(const struct searched_file *file, uint64_t at)
{
	size_t low = 0, high = file->units_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->units[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < file->units_count && file->units[low].begin <= at ? &file->units[low] : NULL;
}

/* What covers places. */

static size_t first_place(const struct inlines_search *search, uint64_t address)
{
	size_t low = 0, high = search->addresses_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (search->addresses[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool search_is_over(struct inlines_search *search)
{
	return ++search->asked % ASK_EACH == 0 && search->limit && search->limit->is_over &&
	       search->limit->is_over(search->limit->context);
}

static int add_inline(struct inlines_search *search, size_t place)
{
	uint32_t outer = search->innermost[place];
	uint32_t level = outer == nothing ? 0 : search->list[outer].level + 1;

	if (level >= SYMBOL_INLINES_DEEP_MAX)
		return 0;
	if (search->count == SYMBOL_INLINES_MAX)
		return -E2BIG;
	if (!grow_list((void **)&search->list, sizeof(*search->list), search->count,
		       &search->capacity))
		return -ENOMEM;
	search->list[search->count] =
		(struct found_inline){search->origin, outer, search->depth, level};
	search->innermost[place] = (uint32_t)search->count++;
	return 0;
}

/* A range of an entry: of a function, in which nothing is inlined so far, or of what is inlined. */
static int take_covered(void *context, uint64_t begin, uint64_t end)
{
	struct inlines_search *search = context;
	int r = search_is_over(search) ? -E2BIG : 0;

	for (size_t i = first_place(search, begin);
	     i < search->addresses_count && search->addresses[i] < end && r == 0; i++) {
		uint32_t *innermost = &search->innermost[i];

		if (!search->file.sections->steps_left)
			return -E2BIG;
		search->file.sections->steps_left--;
		search->covers = true;
		/* Nothing is inlined from outside of a function; what is beside it is not around
		 * it. */
		while (*innermost != nothing &&
		       (search->is_function || search->list[*innermost].depth >= search->depth))
			*innermost = search->list[*innermost].outer;
		if (search->is_inlined)
			r = add_inline(search, i);
	}
	return r;
}

static int take_any(void *context, uint64_t begin, uint64_t end)
{
	struct inlines_search *search = context;
	size_t i = first_place(search, begin);

	search->covers |= i < search->addresses_count && search->addresses[i] < end;
	return search_is_over(search) ? -E2BIG : 0;
}

/* Entries. */

static bool has_ranges(const struct dwarf_entry *entry)
{
	return dwarf_entry_has(entry, DWARF_RANGE_LIST) || dwarf_entry_has(entry, DWARF_LOW);
}

/* Looks at an entry; sets whether what is within it can have to do with the places. */
static int look_at_entry(struct inlines_search *search, const struct dwarf_unit *unit,
			 const struct dwarf_entry *entry, bool *enter)
{
	int r = 0;

	search->covers = false;
	switch (entry->tag) {
	case DW_TAG_inlined_subroutine:
	case DW_TAG_subprogram:
		search->is_function = entry->tag == DW_TAG_subprogram;
		search->is_inlined =
			!search->is_function &&
			dwarf_entry_reference(unit, entry, DWARF_ORIGIN, &search->origin);
		r = dwarf_entry_ranges(search->file.sections, unit, entry, take_covered, search);
		/* The code of a function in it is elsewhere. */
		*enter = search->covers ||
			 (search->is_function && unit->may_nest && has_ranges(entry));
		return r;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		r = dwarf_entry_ranges(search->file.sections, unit, entry, take_any, search);
		*enter = search->covers || unit->may_nest || !has_ranges(entry);
		return r;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		*enter = true;
		return 0;
	default:
		*enter = false;
		return 0;
	}
}

/* Where to go on behind an entry whose children are of no interest; `next` if that is not said. */
static uint64_t sibling_of(const struct dwarf_unit *unit, const struct dwarf_entry *entry)
{
	uint64_t at;

	if (dwarf_entry_reference(unit, entry, DWARF_SIBLING, &at) && at > entry->next &&
	    at < unit->end)
		return at;
	return entry->next;
}

static int walk_unit(struct inlines_search *search, const struct dwarf_unit *unit, uint64_t at)
{
	uint32_t depth = 1, left_out = nothing; /* what is deeper is of no interest */
	struct dwarf_entry entry;
	bool enter;
	int r;

	while (depth && at < unit->end) {
		if (search_is_over(search))
			return -E2BIG;
		r = dwarf_entry_read(search->file.sections, unit, &search->file.abbrevs, at,
				     &entry);
		if (r)
			return r;
		at = entry.next;
		if (!entry.tag) {
			depth--;
			left_out = depth <= left_out ? nothing : left_out;
			continue;
		}
		search->depth = depth;
		enter = true;
		if (left_out == nothing)
			r = look_at_entry(search, unit, &entry, &enter);
		if (r)
			return r;
		if (!entry.has_children)
			continue;
		if (!enter && sibling_of(unit, &entry) != entry.next) {
			at = sibling_of(unit, &entry);
			continue;
		}
		if (!enter)
			left_out = depth;
		depth++;
	}
	return 0;
}

/* Damage of a unit, and what would be its end, are no reason to leave others out. */
static int walk_units(struct inlines_search *search)
{
	int damaged = 0;

	for (size_t i = 0; i < search->file.units_count; i++) {
		struct dwarf_unit *unit = &search->file.units[i];
		struct dwarf_entry root;
		int r;

		if (!unit->has_code)
			continue;
		r = dwarf_unit_begin(search->file.sections, unit, &search->file.abbrevs, &root);
		search->covers = false;
		if (r == 0)
			r = dwarf_entry_ranges(search->file.sections, unit, &root, take_any,
					       search);
		if (r == 0 && search->covers && unit->is_elsewhere)
			r = -EBADMSG;
		if (r == 0 && search->covers && root.has_children)
			r = walk_unit(search, unit, root.next);
		if (r == -E2BIG || r == -ENOMEM)
			return r;
		damaged = r ? r : damaged;
	}
	return damaged;
}

/* Names. */

/* Reads an entry anywhere in a file, and its unit. Returns 0; -EBADMSG; -E2BIG; -ENOMEM. */
static int read_anywhere(struct searched_file *file, uint64_t at, bool is_first,
			 const struct dwarf_unit **read, struct dwarf_entry *entry)
{
	struct dwarf_unit *unit = find_unit(file, at);
	struct dwarf_abbrevs *abbrevs = is_first ? &file->abbrevs : &file->other_abbrevs;
	int r;

	if (!unit)
		return -EBADMSG;
	if (file->abbrevs.is_read && file->abbrevs.at == unit->abbrevs)
		abbrevs = &file->abbrevs;
	*read = unit;
	/* The first entry says where texts are. */
	r = unit->version >= 5 && !unit->text_base
		    ? dwarf_unit_begin(file->sections, unit, abbrevs, entry)
		    : dwarf_abbrevs_read(file->sections, unit, abbrevs);
	return r ? r : dwarf_entry_read(file->sections, unit, abbrevs, at, entry);
}

/* The name of a function by its entry; NULL: it has none. That of the linker is better. */
static const char *name_of(struct inlines_search *search, uint64_t at)
{
	struct searched_file *file = &search->file;
	const char *name = NULL, *text;
	const struct dwarf_unit *unit;
	struct dwarf_entry entry;

	for (int hop = 0; hop < HOPS_MAX; hop++) {
		if (at & DWARF_IN_SHARED)
			file = &search->shared;
		if (read_anywhere(file, at & ~DWARF_IN_SHARED, hop == 0, &unit, &entry) != 0)
			break;
		text = dwarf_entry_text(file->sections, unit, &entry, DWARF_LINKAGE_NAME);
		if (text && *text)
			return text;
		text = dwarf_entry_text(file->sections, unit, &entry, DWARF_NAME);
		name = name || !text || !*text ? name : text;
		if (!dwarf_entry_reference(unit, &entry, DWARF_ORIGIN, &at))
			break;
	}
	return name;
}

static int compare_origins(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* The origins of what was found, each once, in their order. */
static size_t collect_origins(const struct inlines_search *search, uint64_t *origins)
{
	size_t count = 0;

	for (size_t i = 0; i < search->count; i++)
		origins[i] = search->list[i].origin;
	qsort(origins, search->count, sizeof(*origins), compare_origins);
	for (size_t i = 0; i < search->count; i++)
		if (!count || origins[count - 1] != origins[i])
			origins[count++] = origins[i];
	return count;
}

static int name_origins(struct inlines_search *search, const uint64_t *origins, size_t count,
			struct symbol_inlines *inlines)
{
	struct buf texts = {0};

	inlines->functions = calloc(count + 1, sizeof(*inlines->functions));
	if (!inlines->functions)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const char *name = texts.len < SYMBOL_INLINES_BYTES_MAX / 4
					   ? name_of(search, origins[i])
					   : NULL;

		inlines->functions[i] = name ? (uint32_t)texts.len : nothing;
		if (name)
			buf_append(&texts, name, strlen(name) + 1);
	}
	inlines->functions_count = count;
	inlines->texts = texts.data;
	return texts.failed ? -ENOMEM : 0;
}

/* Those without a name are left out. */
static int list_places(const struct inlines_search *search, const uint64_t *origins, size_t count,
		       struct symbol_inlines *inlines)
{
	uint32_t at = 0;

	inlines->first = calloc(search->addresses_count + 1, sizeof(*inlines->first));
	/* Each was found at one place. */
	inlines->of_places = calloc(search->count + 1, sizeof(*inlines->of_places));
	if (!inlines->first || !inlines->of_places)
		return -ENOMEM;
	for (size_t i = 0; i < search->addresses_count; i++) {
		inlines->first[i] = at;
		for (uint32_t k = search->innermost[i]; k != nothing; k = search->list[k].outer) {
			const uint64_t *origin = bsearch(&search->list[k].origin, origins, count,
							 sizeof(*origins), compare_origins);
			uint32_t function = (uint32_t)(origin - origins);

			if (inlines->functions[function] != nothing)
				inlines->of_places[at++] = function;
		}
	}
	inlines->first[search->addresses_count] = at;
	return 0;
}

static int complete(struct inlines_search *search, struct symbol_inlines *inlines)
{
	uint64_t *origins = calloc(search->count + 1, sizeof(*origins));
	size_t count;
	int r;

	if (!origins)
		return -ENOMEM;
	/* What the entries took is not missing here. */
	search->file.sections->steps_left += SYMBOL_INLINES_STEPS_MAX / 8;
	count = collect_origins(search, origins);
	r = name_origins(search, origins, count, inlines);
	if (r == 0)
		r = list_places(search, origins, count, inlines);
	free(origins);
	return r;
}

static void searched_file_finish(struct searched_file *file)
{
	dwarf_abbrevs_finish(&file->abbrevs);
	dwarf_abbrevs_finish(&file->other_abbrevs);
	free(file->units);
}

void symbol_inlines_finish(struct symbol_inlines *inlines)
{
	free(inlines->first);
	free(inlines->of_places);
	free(inlines->functions);
	free(inlines->texts);
	*inlines = (struct symbol_inlines){0};
}

int symbol_inlines_find(struct dwarf_sections *sections, const uint64_t *addresses, size_t count,
			const struct symbol_inlines_limit *limit, struct symbol_inlines *inlines)
{
	struct dwarf_sections shared;
	struct inlines_search search = {.file.sections = sections,
					.limit = limit,
					.addresses = addresses,
					.addresses_count = count};
	int r = 0, error;

	search.innermost = malloc((count + 1) * sizeof(*search.innermost));
	if (!search.innermost)
		return -ENOMEM;
	memset(search.innermost, 0xff, (count + 1) * sizeof(*search.innermost));
	/* What it reads is paid by itself. */
	if (sections->shared) {
		shared = *sections->shared;
		shared.steps_left = sections->steps_left;
		search.shared.sections = &shared;
	}
	error = read_units(&search.file);
	if (error != -ENOMEM && read_units(&search.shared) == -ENOMEM)
		error = -ENOMEM;
	if (error != -ENOMEM) {
		r = walk_units(&search);
		error = error ? error : r;
	}
	if (error != -ENOMEM && r != -ENOMEM) {
		r = complete(&search, inlines);
		error = r ? r : error;
	}
	searched_file_finish(&search.file);
	searched_file_finish(&search.shared);
	free(search.innermost);
	free(search.list);
	return error == -ENOMEM || r == -ENOMEM ? -ENOMEM : error;
}

/* Files. */

struct placed_address {
	uint64_t address;
	uint32_t place;
};

static int compare_addresses(const void *a, const void *b)
{
	const struct placed_address *one = a, *other = b;

	return one->address < other->address ? -1 : one->address > other->address;
}

static int read_segments(int fd, struct perf_elf_segments *segments)
{
	Elf *elf;
	int r;

	if (!perf_elf_is_bounded_in(fd))
		return -ENOENT;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return -EBADMSG;
	r = perf_elf_segments_read(elf, segments);
	elf_end(elf);
	return r;
}

/* The address that is loaded from an offset; 0, where no code is: none. */
static uint64_t address_at(const struct perf_elf_segments *segments, uint64_t offset)
{
	for (size_t i = 0; i < segments->count; i++)
		if (offset - segments->list[i].offset < segments->list[i].bytes)
			return offset - segments->list[i].offset + segments->list[i].begin;
	return 0;
}

/* Gives what was found by address to the places. */
static int reorder(const struct placed_address *placed, size_t count, struct symbol_inlines *found)
{
	uint32_t *lengths = calloc(count + 1, sizeof(*lengths));
	uint32_t *first = calloc(count + 1, sizeof(*first));
	uint32_t *listed = calloc((size_t)found->first[count] + 1, sizeof(*listed));

	if (!lengths || !first || !listed) {
		free(lengths);
		free(first);
		free(listed);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		lengths[placed[i].place] = found->first[i + 1] - found->first[i];
	for (size_t i = 0; i < count; i++)
		first[i + 1] = first[i] + lengths[i];
	for (size_t i = 0; i < count; i++)
		memcpy(listed + first[placed[i].place], found->of_places + found->first[i],
		       lengths[placed[i].place] * sizeof(*listed));
	free(lengths);
	free(found->first);
	free(found->of_places);
	found->first = first;
	found->of_places = listed;
	return 0;
}

static int find_places(int fd, struct dwarf_sections *sections, const uint64_t *places,
		       size_t count, const struct symbol_inlines_limit *limit,
		       struct symbol_inlines *inlines)
{
	struct placed_address *placed = calloc(count + 1, sizeof(*placed));
	uint64_t *addresses = calloc(count + 1, sizeof(*addresses));
	struct perf_elf_segments segments;
	int r = placed && addresses ? read_segments(fd, &segments) : -ENOMEM;

	if (r == 0) {
		for (size_t i = 0; i < count; i++)
			placed[i] = (struct placed_address){address_at(&segments, places[i]),
							    (uint32_t)i};
		qsort(placed, count, sizeof(*placed), compare_addresses);
		for (size_t i = 0; i < count; i++)
			addresses[i] = placed[i].address;
		sections->steps_left = SYMBOL_INLINES_STEPS_MAX;
		r = symbol_inlines_find(sections, addresses, count, limit, inlines);
	}
	if (r != -ENOMEM && inlines->first && reorder(placed, count, inlines) != 0)
		r = -ENOMEM;
	free(placed);
	free(addresses);
	return r;
}

/* What the file of a package shares with others comes from the same folder. */
static int find_in_file(int fd, struct dwarf_file *file, int debug, const uint64_t *places,
			size_t count, const struct symbol_inlines_limit *limit,
			struct symbol_inlines *inlines)
{
	struct dwarf_file shared = {.fd = -1};
	int r;

	if (debug >= 0 &&
	    dwarf_file_open_shared(file, debug, SYMBOL_INLINES_BYTES_MAX, &shared) == 0)
		file->sections.shared = &shared.sections;
	r = find_places(fd, &file->sections, places, count, limit, inlines);
	dwarf_file_close(&shared);
	return r;
}

int symbol_inlines_read(int fd, int debug, const uint64_t *places, size_t count,
			const struct symbol_inlines_limit *limit, struct symbol_inlines *inlines)
{
	struct dwarf_file file;
	int separate = -1, r = dwarf_file_open(fd, SYMBOL_INLINES_BYTES_MAX, &file);

	*inlines = (struct symbol_inlines){0};
	if (r == -ENOENT) {
		separate = symbol_elf_open_separate(fd, debug);
		r = separate < 0 ? separate
				 : dwarf_file_open(separate, SYMBOL_INLINES_BYTES_MAX, &file);
	}
	if (r == 0) {
		/* Where a user's own file leads is the user's choice. */
		r = find_in_file(fd, &file, separate < 0 ? -1 : debug, places, count, limit,
				 inlines);
		dwarf_file_close(&file);
	}
	if (separate >= 0)
		close(separate);
	return r;
}
