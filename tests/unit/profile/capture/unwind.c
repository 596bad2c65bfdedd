/* SPDX-License-Identifier: MIT */
/* Unwind tables of files: of this program, of what is none, and of any bytes. */
#include "profile/capture/unwind.h"

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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(knows_this_program),
	cmocka_unit_test(rejects_what_is_no_program),
	cmocka_unit_test(takes_any_bytes),
};

UNIT_GROUP(tests);
