/* SPDX-License-Identifier: MIT */
/* Unwind tables of files: of this program, of what is none, and of any bytes. */
#include "profile/capture/unwind.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "unit.h"

static int open_own(struct unwind **unwind)
{
	uint8_t id[UNWIND_BUILD_ID_MAX], id_bytes = 99;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), r;

	assert_true(fd >= 0);
	r = unwind_open(fd, NULL, 0, unwind, id, &id_bytes);
	assert_true(id_bytes == 0 || id_bytes == 20);
	close(fd);
	return r;
}

/* Where an address of this program is in its file. */
static uint64_t own_offset(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long begin, end, offset, found = 0;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 &&
		    address >= begin && address < end)
			found = address - begin + offset;
	fclose(maps);
	return found;
}

static const struct profile_rule *rule_at(const struct unwind_rows *rows, uint64_t offset)
{
	size_t i = 0;

	assert_true(rows->count > 0);
	while (i + 1 < rows->count && rows->list[i + 1].at <= (offset & 0xffff))
		i++;
	return &rows->list[i].rule;
}

static void is_in_order(const struct unwind_rows *rows)
{
	if (rows->count)
		assert_int_equal(rows->list[0].at, 0);
	for (size_t i = 1; i < rows->count; i++)
		assert_true(rows->list[i].at > rows->list[i - 1].at);
	assert_true(rows->count <= UNWIND_ROWS_MAX);
}

static void knows_this_program(void **state)
{
	uint64_t offset = own_offset((uintptr_t)own_offset);
	struct unwind_rows rows = {0};
	struct unwind *unwind;
	const uint32_t *pages;
	size_t count, all = 0;
	bool is_there = false;

	assert_int_equal(open_own(&unwind), 0);
	assert_true(unwind_bytes(unwind) > 1000);
	pages = unwind_pages(unwind, &count);
	for (size_t i = 0; i < count; i++) {
		assert_true(i == 0 || pages[i] > pages[i - 1]);
		is_there |= pages[i] == offset >> PROFILE_PAGE_BITS;
		assert_int_equal(unwind_make_page(unwind, pages[i], &rows), 0);
		is_in_order(&rows);
		all += rows.count;
	}
	assert_true(is_there && all > 100);
	assert_int_equal(unwind_make_page(unwind, (uint32_t)(offset >> PROFILE_PAGE_BITS), &rows),
			 0);
#if defined(__x86_64__)
	assert_int_equal(rule_at(&rows, offset)->cfa, PROFILE_CFA_SP);
	assert_int_equal(rule_at(&rows, offset)->cfa_offset, 8);
	assert_int_equal(rule_at(&rows, offset)->ra_offset, -8);
#else
	assert_int_equal(rule_at(&rows, offset)->is_fixed, PROFILE_RULE_MADE);
#endif
	assert_int_equal(unwind_make_page(unwind, UINT32_MAX, &rows), 0);
	assert_int_equal(rows.count, 0);
	unwind_rows_finish(&rows);
	unwind_close(unwind);
}

static void rejects_what_is_no_program(void **state)
{
	uint8_t id[UNWIND_BUILD_ID_MAX], id_bytes;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct unwind *unwind;

	assert_int_equal(unwind_open(fd, NULL, 0, &unwind, id, &id_bytes), -ENOENT);
	close(fd);
	assert_int_equal(unwind_open(-1, "text", 4, &unwind, id, &id_bytes), -ENOENT);
	assert_int_equal(id_bytes, 0);
	unwind_close(NULL);
}

/* The vDSO is a small program: with each of its bytes changed, it is read or rejected. */
static void takes_any_bytes(void **state)
{
	enum { BYTES = 4096, STEP = 3 };
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	uint8_t id[UNWIND_BUILD_ID_MAX], id_bytes, *copy = malloc(BYTES);
	struct unwind_rows rows = {0};
	size_t read = 0;

	if (!image) {
		free(copy);
		skip();
	}
	for (size_t i = 0; i < BYTES; i += STEP) {
		struct unwind *unwind;
		const uint32_t *pages;
		size_t count;

		memcpy(copy, image, BYTES);
		copy[i] ^= (uint8_t)(1 + i % 255);
		if (unwind_open(-1, copy, BYTES, &unwind, id, &id_bytes))
			continue;
		read++;
		pages = unwind_pages(unwind, &count);
		for (size_t page = 0; page < count && page < 4; page++) {
			assert_int_equal(unwind_make_page(unwind, pages[page], &rows), 0);
			is_in_order(&rows);
		}
		unwind_close(unwind);
	}
	unwind_rows_finish(&rows);
	free(copy);
	print_message("%zu of them were read\n", read);
}

/* A sparse file with a linkage table alone, whose names of sections take so many bytes. */
static int open_named(uint64_t bytes, uint16_t count)
{
	enum { NAMES_AT = 4096 };
	static const char names[] = "\0.eh_frame\0.plt";
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		Elf64_Shdr sections[4];
	} file = {
		.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
			   .e_type = ET_DYN,
#if defined(__x86_64__)
			   .e_machine = EM_X86_64,
#else
			   .e_machine = EM_AARCH64,
#endif
			   .e_version = 1,
			   .e_ehsize = sizeof(file.header),
			   .e_phoff = sizeof(file.header),
			   .e_phentsize = sizeof(file.segment),
			   .e_phnum = 1,
			   .e_shoff = sizeof(file.header) + sizeof(file.segment),
			   .e_shentsize = sizeof(file.sections[0]),
			   .e_shnum = count,
			   .e_shstrndx = 1},
		.segment = {.p_type = PT_LOAD, .p_filesz = NAMES_AT, .p_memsz = NAMES_AT},
		.sections =
			{{.sh_size = 4},
			 {.sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = bytes},
			 {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = 2048, .sh_size = 4},
			 {.sh_name = 11,
			  .sh_type = SHT_PROGBITS,
			  .sh_offset = 1024,
			  .sh_addr = 1024,
			  .sh_size = 64}},
	};
	uint8_t id[UNWIND_BUILD_ID_MAX], id_bytes;
	struct unwind *unwind = NULL;
	FILE *stream = tmpfile();
	int r;

	assert_non_null(stream);
	assert_int_equal(pwrite(fileno(stream), &file, sizeof(file), 0), sizeof(file));
	assert_int_equal(pwrite(fileno(stream), names, sizeof(names), NAMES_AT), sizeof(names));
	assert_int_equal(ftruncate(fileno(stream), (off_t)(NAMES_AT + bytes)), 0);
	r = unwind_open(fileno(stream), NULL, 0, &unwind, id, &id_bytes);
	if (r == 0)
		unwind_close(unwind);
	fclose(stream);
	return r;
}

static void reads_few_names(void **state)
{
	assert_int_equal(open_named(1000, 4), 0);
	assert_int_equal(open_named(2 << 20, 4), -ENOENT);
	/* Their number is elsewhere, where it may be large. */
	assert_int_equal(open_named(1000, 0), -ENOENT);
}

/* What can be asked of a file is bounded, however often a page of it is made. */
static void works_within_a_budget(void **state)
{
	enum { TIMES_MAX = 1 << 17 };
	struct unwind_rows rows = {0};
	struct unwind *unwind = NULL;
	const uint32_t *pages;
	bool is_bad = false;
	size_t count;

	assert_int_equal(open_own(&unwind), 0);
	pages = unwind_pages(unwind, &count);
	for (int i = 0; i < TIMES_MAX && !is_bad; i++) {
		assert_int_equal(unwind_make_page(unwind, pages[count / 2], &rows), 0);
		for (size_t k = 0; k < rows.count && i % 64 == 0; k++)
			is_bad |= rows.list[k].rule.is_fixed == PROFILE_RULE_BAD;
	}
	assert_true(is_bad);
	unwind_rows_finish(&rows);
	unwind_close(unwind);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(knows_this_program),	 cmocka_unit_test(rejects_what_is_no_program),
	cmocka_unit_test(takes_any_bytes),	 cmocka_unit_test(reads_few_names),
	cmocka_unit_test(works_within_a_budget),
};

UNIT_GROUP(tests);
