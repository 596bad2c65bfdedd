/* SPDX-License-Identifier: MIT */
/* The lists of checks as text. */
#include <string.h>
#include <sys/stat.h>

#include "agent/commands/commands.h"
#include "event/event.h"
#include "printed.h"
#include "unit.h"

static void print(void *context)
{
	explain_filters_print(context);
}

static void test_checks(void **state)
{
	static struct kernel_filters filters = {
		.at_exit =
			{[EVENT_openat] = 1, [EVENT_close] = 1, [EVENT_read] = 2, [EVENT_open] = 3},
		.at_entry = {[EVENT_openat] = 2},
		.at_path = {[EVENT_openat] = 4},
		.filters =
			{
				{.facts = 1 << KERNEL_RESULT | 1 << KERNEL_NAME,
				 .checks = {{KERNEL_RESULT, KERNEL_LESS, 1, 2, .value = {0}},
					    {KERNEL_NAME, KERNEL_EQUAL, KERNEL_PASS, 2,
					     .mask = {0xffffff}},
					    {KERNEL_NAME, KERNEL_EQUAL, KERNEL_PASS, KERNEL_REJECT,
					     .mask = {0xffff}}}},
				{.facts = 1 << KERNEL_UID,
				 .checks = {{KERNEL_UID, KERNEL_EQUAL, KERNEL_REJECT, KERNEL_PASS,
					     .value = {1000}, .mask = {UINT64_MAX, UINT64_MAX}}}},
				{.facts = 1 << KERNEL_OPEN_FLAGS,
				 .checks = {{KERNEL_OPEN_FLAGS, KERNEL_EQUAL, KERNEL_PASS, 1,
					     .value = {file_flags__O_WRONLY},
					     .mask = {file_flags__O_WRONLY}},
					    {KERNEL_OPEN_FLAGS, KERNEL_EQUAL, KERNEL_PASS, 2,
					     .mask = {file_flags__O_RDONLY}},
					    {KERNEL_OPEN_FLAGS, KERNEL_EQUAL, KERNEL_REJECT,
					     KERNEL_PASS,
					     .mask = {file_flags__O_CREAT |
						      file_flags__O_TMPFILE}}}},
				{.facts = KERNEL_FACTS_OF_PATHS,
				 .checks = {{KERNEL_PATH, KERNEL_EQUAL, 1, 2,
					     .mask = {UINT64_MAX, UINT64_MAX}},
					    {KERNEL_PATH_2, KERNEL_EQUAL, KERNEL_PASS, 2,
					     .mask = {0xffff}},
					    {KERNEL_PATH_END, KERNEL_EQUAL, KERNEL_PASS,
					     KERNEL_REJECT}}},
			},
	};
	struct printed printed;

	memcpy(filters.filters[0].checks[1].value, "ab", 2);
	memcpy(filters.filters[0].checks[2].value, "cd", 2);
	memcpy(filters.filters[3].checks[0].value, "/var/lib/dpkg/in", 16);
	memcpy(filters.filters[3].checks[1].value, "f", 1);
	memcpy((char *)filters.filters[3].checks[2].value + 13, ".so", 3);
	filters.groups[EVENT_openat] = KERNEL_GROUPS_OF_FAILED;
	filters.groups[EVENT_read] = filters.groups[EVENT_write] = KERNEL_GROUPS_OF_ALL;
	filters.mute[EVENT_connect] = KERNEL_MUTE_DROPS;
	filters.mute[EVENT_prctl] = KERNEL_MUTE_ENDS;
	printed_call(print, &filters, &printed);
	assert_string_equal(printed.out, "\nDecided in the kernel; what passes is filtered again:\n"
					 "At the exit of close openat:\n"
					 "   1. if result < 0: go to 2, else go to 3\n"
					 "   2. if name is 'ab': pass, else go to 3\n"
					 "   3. if name begins with 'cd': pass, else reject\n"
					 "At the exit of read:\n"
					 "At the entry of openat:\n"
					 "   1. if uid = 1000: reject, else pass\n"
					 "At the exit of open:\n"
					 "   1. if opened for writing: pass, else go to 2\n"
					 "   2. if opened not for reading: pass, else go to 3\n"
					 "   3. if opened without O_CREAT and O_TMPFILE: reject, "
					 "else pass\n"
					 "When the path is read of openat:\n"
					 "   1. if path begins with '/var/lib/dpkg/in': go to 2, "
					 "else go to 3\n"
					 "   2. if path from its 17th byte is 'f': pass, "
					 "else go to 3\n"
					 "   3. if path ends with '.so': pass, else reject\n"
					 "Failed calls, by the container of the thread: openat\n"
					 "By the container of the thread, if that alone decides: "
					 "read write\n"
					 "Of busy processes of which no event can pass, until they "
					 "change: connect\n");
	printed_finish(&printed);
}

/* Of a descriptor, its kind and its number are in one word. */
static void test_descriptors(void **state)
{
	static struct kernel_filters filters = {
		.at_exit = {[EVENT_write] = 1},
		.filters = {{.facts = 1 << KERNEL_DESCRIPTOR,
			     .checks = {{KERNEL_DESCRIPTOR, KERNEL_EQUAL, KERNEL_PASS, 1,
					 .value = {S_IFSOCK}, .mask = {S_IFMT}},
					{KERNEL_DESCRIPTOR, KERNEL_LESS, KERNEL_PASS, 2,
					 .value = {(uint64_t)-1 << 32}},
					{KERNEL_DESCRIPTOR, KERNEL_EQUAL, KERNEL_PASS,
					 KERNEL_REJECT, .value = {(uint64_t)7 << 32},
					 .mask = {(uint64_t)-1 << 32}}}}},
	};
	struct printed printed;

	printed_call(print, &filters, &printed);
	assert_string_equal(printed.out, "\nDecided in the kernel; what passes is filtered again:\n"
					 "At the exit of write:\n"
					 "   1. if descriptor is a socket: pass, else go to 2\n"
					 "   2. if descriptor < -1: pass, else go to 3\n"
					 "   3. if descriptor = 7: pass, else reject\n");
	printed_finish(&printed);
}

static void test_nothing(void **state)
{
	static struct kernel_filters none;
	struct printed printed;

	printed_call(print, &none, &printed);
	assert_string_equal(printed.out, "");
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_checks),
	cmocka_unit_test(test_descriptors),
	cmocka_unit_test(test_nothing),
};

UNIT_GROUP(tests);
