/* SPDX-License-Identifier: MIT */
/*
 * The system-call numbers of arm64 against the header that the kernel makes them from, and against
 * those of x86_64 where all architectures have the same. Both are looked at on any machine.
 */
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "unit.h"

#define HEADER "/usr/include/asm-generic/unistd.h"

enum {
	NAME_BYTES = 64,
	RESERVED_FIRST = 244, /* for calls of one architecture */
	RESERVED_LAST = 259,
	COMMON_FIRST = 424, /* from here on all architectures count alike */
	OF_32_BITS_FIRST = 403, /* up to there */
};

static const uint16_t arm64_codes[SYSCALL_INDEX_END] = {
#define SYSCALL(code, name, x86_64, arm64, ...) [SYSCALL_AT(arm64, code)] = SC_##name,
#include "events/syscalls/all.def"
};

static const uint16_t x86_64_codes[SYSCALL_INDEX_END] = {
#define SYSCALL(code, name, x86_64, ...) [SYSCALL_AT(x86_64, code)] = SC_##name,
#include "events/syscalls/all.def"
};

/* Whether the header's line is of another call for 32-bit machines, or of none. */
static bool is_passed_over(const char *name, unsigned int number)
{
	return (number >= RESERVED_FIRST && number <= RESERVED_LAST) ||
	       (number >= OF_32_BITS_FIRST && number < COMMON_FIRST) ||
	       strcmp(name, "syscalls") == 0 || strcmp(name, "sync_file_range2") == 0;
}

static bool read_definition(const char *line, char name[NAME_BYTES], unsigned int *number)
{
	if (sscanf(line, "#define __NR_%63s %u", name, number) != 2 &&
	    sscanf(line, "#define __NR3264_%63s %u", name, number) != 2)
		return false;
	/* The one that is called otherwise on 64-bit machines. */
	if (strcmp(name, "fstatat") == 0)
		strcpy(name, "newfstatat");
	return !is_passed_over(name, *number);
}

static void test_header(void **state)
{
	FILE *file = fopen(HEADER, "re");
	char line[512], name[NAME_BYTES];
	unsigned int number, last = 0, count = 0;

	if (!file) {
		print_message(HEADER " not found\n");
		skip();
	}
	while (fgets(line, sizeof(line), file)) {
		if (!read_definition(line, name, &number))
			continue;
		assert_true(number < SYSCALL_NR_MAX);
		if (syscall_code_find(name) != arm64_codes[number])
			fail_msg("%u is %s", number, name);
		count++;
		if (number > last)
			last = number;
	}
	fclose(file);
	for (number = 0; number <= last; number++)
		count -= arm64_codes[number] != SC_unknown;
	assert_int_equal(count, 0);
}

static void test_common_numbers(void **state)
{
	for (unsigned int number = COMMON_FIRST; number < SYSCALL_NR_MAX; number++)
		assert_int_equal(arm64_codes[number], x86_64_codes[number]);
	for (unsigned int number = RESERVED_FIRST; number <= RESERVED_LAST; number++)
		assert_int_equal(arm64_codes[number], SC_unknown);
}

static void test_each_call_once(void **state)
{
	bool has_number[SYSCALL_CODES_COUNT] = {false};

	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		assert_false(has_number[arm64_codes[number]]);
		has_number[arm64_codes[number]] = arm64_codes[number] != SC_unknown;
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_header),
	cmocka_unit_test(test_common_numbers),
	cmocka_unit_test(test_each_call_once),
};

UNIT_GROUP(tests);
