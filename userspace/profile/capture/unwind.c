/* SPDX-License-Identifier: MIT */
/*
 * The section .eh_frame in memory, and an index of its frames by the offset of their code in the
 * file, which is how mappings know it.
 */
#include "profile/capture/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "perf/elf_file.h"
#include "profile/capture/cfi.h"
#include "scap/symbols/symbol_sections.h"
#include "util/radix.h"

enum {
	/* Of instructions, for the rows of a page: more than any compiler writes. */
	PAGE_BUDGET_BYTES = 4 << 20,
	/* Of a file, and so often all of its section: of a frame that is in several pages all but
	 * the last one are run for each. */
	FILE_BUDGET_BYTES = 8 << 20,
	FILE_BUDGET_TIMES = 4,
	PAGE_BYTES = 1 << PROFILE_PAGE_BITS,
	BUILD_ID_TYPE = 3, /* NT_GNU_BUILD_ID */
};

/* A frame by the offset of its code. */
struct indexed {
	uint64_t begin, end; /* in the file; none overlaps the next one */
	uint64_t shift; /* of addresses above it */
	uint32_t at; /* in the section; at_linkage: it is an entry of a procedure linkage table */
};

/* Of frames without a description: a jump, before which nothing was pushed. */
static const uint32_t at_linkage = UINT32_MAX;

struct unwind {
	uint8_t *bytes; /* owned: of the section */
	struct cfi_section section;
	struct cfi_common common; /* section.last */
	const struct cfi_machine *machine;
	struct indexed *frames; /* owned; ascending */
	size_t frames_count, frames_capacity;
	uint32_t *pages; /* owned */
	size_t pages_count, pages_capacity;
	size_t budget; /* bytes of instructions that may yet be run */
};

/* The section. */

static const struct cfi_machine *machine_of(Elf *elf)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
#if defined(__x86_64__)
	return header.e_machine == EM_X86_64 ? &cfi_x86_64 : NULL;
#else
	return header.e_machine == EM_AARCH64 ? &cfi_aarch64 : NULL;
#endif
}

static void read_build_id(Elf *elf, uint8_t id[UNWIND_BUILD_ID_MAX], uint8_t *id_bytes)
{
	GElf_Shdr header;
	Elf_Scn *section = symbol_section_find(elf, ".note.gnu.build-id", &header);
	Elf_Data *data = section && header.sh_type != SHT_NOBITS && header.sh_size < PAGE_BYTES
				 ? elf_rawdata(section, NULL)
				 : NULL;
	struct {
		uint32_t name_bytes, bytes, type;
		char name[4];
	} note;

	if (!data || !data->d_buf || data->d_size < sizeof(note))
		return;
	memcpy(&note, data->d_buf, sizeof(note));
	if (note.name_bytes != sizeof(note.name) || note.type != BUILD_ID_TYPE ||
	    note.bytes > UNWIND_BUILD_ID_MAX || note.bytes > data->d_size - sizeof(note))
		return;
	memcpy(id, (const char *)data->d_buf + sizeof(note), note.bytes);
	*id_bytes = (uint8_t)note.bytes;
}

static int read_section(Elf *elf, struct unwind *unwind)
{
	GElf_Shdr header;
	Elf_Scn *section = symbol_section_find(elf, ".eh_frame", &header);
	Elf_Data *data;

	if (!section || header.sh_type == SHT_NOBITS || header.sh_size == 0)
		return -ENOENT;
	if (header.sh_size > UNWIND_SECTION_MAX)
		return -E2BIG;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || data->d_size == 0)
		return -EBADMSG;
	unwind->bytes = malloc(data->d_size);
	if (!unwind->bytes)
		return -ENOMEM;
	memcpy(unwind->bytes, data->d_buf, data->d_size);
	unwind->section =
		(struct cfi_section){unwind->bytes, data->d_size, header.sh_addr, &unwind->common};
	return 0;
}

/* The index. */

static int index_add(struct unwind *unwind, const struct perf_elf_segments *segments,
		     const struct cfi_frame *frame)
{
	uint64_t begin;

	if (perf_elf_offset(segments, frame->begin, &begin) ||
	    begin + (frame->end - frame->begin) < begin)
		return 0;
	if (unwind->frames_count == UNWIND_FRAMES_MAX)
		return -E2BIG;
	if (unwind->frames_count == unwind->frames_capacity) {
		size_t capacity = unwind->frames_capacity ? 2 * unwind->frames_capacity : 64;
		struct indexed *frames = reallocarray(unwind->frames, capacity, sizeof(*frames));

		if (!frames)
			return -ENOMEM;
		unwind->frames = frames;
		unwind->frames_capacity = capacity;
	}
	unwind->frames[unwind->frames_count++] = (struct indexed){
		.begin = begin,
		.end = begin + (frame->end - frame->begin),
		.shift = frame->begin - begin,
		.at = frame->at,
	};
	return 0;
}

/* Not all linkers describe procedure linkage tables: what is described comes first. */
static int add_linkage(Elf *elf, const struct perf_elf_segments *segments, struct unwind *unwind)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	struct symbol_names names;
	int r = 0;

	if (symbol_names_read_sections(elf, &names) != 0)
		return 0;
	while (r == 0 && (section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header)
					   ? symbol_section_name(&names, &header)
					   : NULL;
		const struct cfi_frame frame = {header.sh_addr, header.sh_addr + header.sh_size,
						at_linkage};

		if (name && strncmp(name, ".plt", 4) == 0 && header.sh_size < PAGE_BYTES &&
		    header.sh_size > 0)
			r = index_add(unwind, segments, &frame);
	}
	return r;
}

/*
 * By their begins, cut where the next one begins; of several that begin together the first one in
 * the section is left.
 */
static int index_sort(struct unwind *unwind)
{
	size_t kept = 0;

	if (!radix_sort(unwind->frames, unwind->frames_count, sizeof(*unwind->frames),
			offsetof(struct indexed, begin)))
		return -ENOMEM;
	for (size_t i = 0; i < unwind->frames_count; i++) {
		struct indexed *before = kept ? &unwind->frames[kept - 1] : NULL;

		if (before && before->begin == unwind->frames[i].begin)
			continue;
		if (before && before->end > unwind->frames[i].begin)
			before->end = unwind->frames[i].begin;
		unwind->frames[kept++] = unwind->frames[i];
	}
	unwind->frames_count = kept;
	return 0;
}

static int pages_add(struct unwind *unwind, uint64_t page)
{
	if (page > UINT32_MAX ||
	    (unwind->pages_count && unwind->pages[unwind->pages_count - 1] >= page))
		return 0;
	if (unwind->pages_count == unwind->pages_capacity) {
		size_t capacity = unwind->pages_capacity ? 2 * unwind->pages_capacity : 64;
		uint32_t *pages = reallocarray(unwind->pages, capacity, sizeof(*pages));

		if (!pages)
			return -ENOMEM;
		unwind->pages = pages;
		unwind->pages_capacity = capacity;
	}
	unwind->pages[unwind->pages_count++] = (uint32_t)page;
	return 0;
}

/* A frame that claims to be huge has the pages of its begin: others are made when wanted. */
static int find_pages(struct unwind *unwind)
{
	enum { PAGES_OF_FRAME_MAX = 64 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < unwind->frames_count; i++) {
		uint64_t first = unwind->frames[i].begin >> PROFILE_PAGE_BITS;
		uint64_t last = (unwind->frames[i].end - 1) >> PROFILE_PAGE_BITS;

		for (uint64_t page = first;
		     r == 0 && page <= last && page < first + PAGES_OF_FRAME_MAX; page++)
			r = pages_add(unwind, page);
	}
	return r;
}

static int read_index(Elf *elf, struct unwind *unwind)
{
	struct perf_elf_segments segments;
	struct cfi_frame frame;
	size_t at = 0;
	int r = perf_elf_segments_read(elf, &segments), found;

	while (r == 0) {
		found = cfi_next(&unwind->section, &at, &frame);
		if (found == 0 || found == -EBADMSG)
			break;
		if (found == 1)
			r = index_add(unwind, &segments, &frame);
	}
	if (r == 0)
		r = add_linkage(elf, &segments, unwind);
	if (r == 0)
		r = index_sort(unwind);
	if (r)
		return r;
	return unwind->frames_count ? find_pages(unwind) : -ENOENT;
}

static int read_elf(Elf *elf, struct unwind *unwind, uint8_t id[UNWIND_BUILD_ID_MAX],
		    uint8_t *id_bytes)
{
	int r;

	unwind->machine = machine_of(elf);
	if (!unwind->machine)
		return -ENOENT;
	read_build_id(elf, id, id_bytes);
	r = read_section(elf, unwind);
	unwind->budget = FILE_BUDGET_BYTES + FILE_BUDGET_TIMES * unwind->section.len;
	return r ? r : read_index(elf, unwind);
}

/* A copy: libelf does not say that it writes nothing to it. NULL: it is no file with sections. */
static Elf *open_image(const void *image, size_t bytes, void **copy)
{
	if (!perf_elf_is_bounded(image, bytes))
		return NULL;
	*copy = malloc(bytes);
	if (!*copy)
		return NULL;
	memcpy(*copy, image, bytes);
	return elf_memory(*copy, bytes);
}

int unwind_open(int fd, const void *image, size_t image_bytes, struct unwind **unwind,
		uint8_t build_id[UNWIND_BUILD_ID_MAX], uint8_t *build_id_bytes)
{
	struct unwind *made = calloc(1, sizeof(*made));
	void *copy = NULL;
	Elf *elf = NULL;
	int r = -ENOENT;

	*build_id_bytes = 0;
	if (!made)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	if (image)
		elf = open_image(image, image_bytes, &copy);
	else if (perf_elf_is_bounded_in(fd))
		elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		r = read_elf(elf, made, build_id, build_id_bytes);
		elf_end(elf);
	}
	free(copy);
	if (r)
		unwind_close(made);
	else
		*unwind = made;
	return r;
}

void unwind_close(struct unwind *unwind)
{
	if (!unwind)
		return;
	free(unwind->bytes);
	free(unwind->frames);
	free(unwind->pages);
	free(unwind);
}

size_t unwind_bytes(const struct unwind *unwind)
{
	return unwind->section.len + unwind->frames_capacity * sizeof(*unwind->frames) +
	       unwind->pages_capacity * sizeof(*unwind->pages);
}

const uint32_t *unwind_pages(const struct unwind *unwind, size_t *count)
{
	*count = unwind->pages_count;
	return unwind->pages;
}

/* The rows of a page. */

/* What they are made of, while a frame is run. */
struct maker {
	struct unwind_rows *rows;
	uint64_t begin, end; /* what of the frame is in the page, in the file */
	uint64_t page_begin;
	uint64_t shift;
	int error;
};

static bool rows_are_equal(const struct profile_rule *left, const struct profile_rule *right)
{
	return memcmp(left, right, sizeof(*left)) == 0;
}

/* At the place of the last row it replaces that; a rule that holds already adds nothing. */
static int rows_add(struct unwind_rows *rows, uint16_t at, const struct profile_rule *rule)
{
	struct unwind_row *last = rows->count ? &rows->list[rows->count - 1] : NULL;

	if (last && last->at == at) {
		last->rule = *rule;
		return 0;
	}
	if (last && rows_are_equal(&last->rule, rule))
		return 0;
	if (rows->count == rows->capacity) {
		size_t capacity = rows->capacity ? 2 * rows->capacity : 256;
		struct unwind_row *list = reallocarray(rows->list, capacity, sizeof(*list));

		if (!list)
			return -ENOMEM;
		rows->list = list;
		rows->capacity = capacity;
	}
	rows->list[rows->count++] = (struct unwind_row){at, *rule};
	return 0;
}

/* Rows before the page are those that hold at its begin; the last of them stays. */
static bool make_row(void *context, uint64_t address, const struct profile_rule *rule)
{
	struct maker *maker = context;
	uint64_t offset = address - maker->shift;

	if (offset >= maker->end)
		return false;
	if (offset < maker->begin)
		offset = maker->begin;
	maker->error = rows_add(maker->rows, (uint16_t)(offset - maker->page_begin), rule);
	return maker->error == 0;
}

static int make_frame(const struct unwind *unwind, const struct indexed *indexed,
		      struct maker *maker, size_t *budget)
{
	const struct profile_rule none = {.is_fixed = PROFILE_RULE_NONE};
	const struct profile_rule bad = {.is_fixed = PROFILE_RULE_BAD};
	const struct profile_rule entry = cfi_entry_rule(unwind->machine);
	const struct cfi_frame frame = {indexed->begin + indexed->shift,
					indexed->end + indexed->shift, indexed->at};
	uint64_t page_end = maker->page_begin + PAGE_BYTES;
	size_t before = maker->rows->count;
	int r = 0;

	maker->begin = indexed->begin > maker->page_begin ? indexed->begin : maker->page_begin;
	maker->end = indexed->end < page_end ? indexed->end : page_end;
	maker->shift = indexed->shift;
	if (indexed->at == at_linkage)
		make_row(maker, maker->begin + maker->shift, &entry);
	else
		r = cfi_run(&unwind->section, unwind->machine, &frame, maker->end + indexed->shift,
			    budget, make_row, maker);
	/* What was made until it failed would be behind that. */
	if (r) {
		maker->rows->count = before;
		make_row(maker, maker->begin + maker->shift, &bad);
	}
	if (maker->error == 0 && maker->end < page_end)
		maker->error =
			rows_add(maker->rows, (uint16_t)(maker->end - maker->page_begin), &none);
	return maker->error;
}

/* The first frame that ends behind an offset. */
static size_t index_find(const struct unwind *unwind, uint64_t offset)
{
	size_t low = 0, high = unwind->frames_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unwind->frames[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int unwind_make_page(struct unwind *unwind, uint32_t page, struct unwind_rows *rows)
{
	const struct profile_rule none = {.is_fixed = PROFILE_RULE_NONE};
	struct maker maker = {.rows = rows, .page_begin = (uint64_t)page << PROFILE_PAGE_BITS};
	size_t most = unwind->budget < PAGE_BUDGET_BYTES ? unwind->budget : PAGE_BUDGET_BYTES;
	size_t budget = most;
	size_t i = index_find(unwind, maker.page_begin);
	int r = 0;

	rows->count = 0;
	if (i == unwind->frames_count || unwind->frames[i].begin >= maker.page_begin + PAGE_BYTES)
		return 0;
	r = rows_add(rows, 0, &none);
	for (; r == 0 && i < unwind->frames_count &&
	       unwind->frames[i].begin < maker.page_begin + PAGE_BYTES;
	     i++)
		r = make_frame(unwind, &unwind->frames[i], &maker, &budget);
	unwind->budget -= most - budget;
	return r;
}

void unwind_rows_finish(struct unwind_rows *rows)
{
	free(rows->list);
	*rows = (struct unwind_rows){0};
}
