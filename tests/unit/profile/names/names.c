/* SPDX-License-Identifier: MIT */
/* Each place once; addresses without a file for each process by itself. */
#include "profile/names/names.h"

#include <errno.h>
#include <string.h>

#include "profiled.h"
#include "unit.h"

static void has_each_place_once(void **state)
{
	enum { ROWS = 3000 };
	struct profile_names names = {0};
	struct stacks stacks;

	profiled_create(&stacks);
	for (uint64_t i = 1; i <= ROWS; i++)
		profiled_add(&stacks, i % 2, (const uint64_t[]){i, 0}, (const uint64_t[]){i, 1, 0},
			     1);
	assert_null(names_find(&names, &stacks, 0, &stacks.frames[0]));
	assert_int_equal(names_add_places(&names, &stacks), 0);
	assert_int_equal(names.locations_count, 2 * ROWS);
	for (size_t i = 0; i < stacks.frames_count; i++) {
		const struct names_location *found =
			names_find(&names, &stacks, 0, &stacks.frames[i]);

		assert_non_null(found);
		assert_true(found->at == stacks.frames[i].at &&
			    found->file == stacks.frames[i].file);
		assert_ptr_equal(found, names_find(&names, &stacks, 1, &stacks.frames[i]));
	}
	names_finish(&names);
	stacks_finish(&stacks);
}

static void has_addresses_of_each_process(void **state)
{
	const struct stack_frame frame = {.at = 0x1000, .file = PROFILED_ANONYMOUS};
	struct profile_names names = {0};
	struct stacks stacks;
	struct stack_row row;

	profiled_create(&stacks);
	for (uint32_t process = 0; process < 2; process++) {
		row = profiled_row(&stacks, process, NULL, NULL, 1);
		assert_int_equal(stacks_add_part(&stacks, &frame, 1, STACK_WHOLE, &row.user), 0);
		assert_int_equal(stacks_add_row(&stacks, &row), 0);
	}
	assert_int_equal(names_add_places(&names, &stacks), 0);
	assert_int_equal(names.locations_count, 2);
	assert_int_equal(names_find(&names, &stacks, 0, &frame)->process, 0);
	assert_int_equal(names_find(&names, &stacks, 1, &frame)->process, 1);
	/* That of who woke a thread, of which only the id is known. */
	assert_null(names_find(&names, &stacks, UINT32_MAX, &frame));
	names_finish(&names);
	stacks_finish(&stacks);
}

static void keeps_both_names_of_a_function(void **state)
{
	struct profile_names names = {0};
	uint32_t one, other;

	assert_int_equal(names_add_function(&names, NAMES_NATIVE, "f", "_Z1fv", &one), 0);
	assert_int_equal(names_add_function(&names, NAMES_JIT, "g", "g", &other), 0);
	assert_string_equal(names_text(&names, names.functions[one].name), "f");
	assert_string_equal(names_text(&names, names.functions[one].raw), "_Z1fv");
	assert_int_equal(names.functions[other].name, names.functions[other].raw);
	for (int lack = 0; lack < NAMES_LACKS; lack++)
		assert_true(strlen(names_lack_text((enum names_lack)lack)) > 0);
	names_finish(&names);
}

/* Of a kind, and then of all; what had none before says the same of it as before. */
static void forgets_names(void **state)
{
	struct names_location locations[] = {
		{.function = 1}, {.function = 2}, {.function = 0, .lack = NAMES_NO_MAP}};
	struct profile_names names = {
		.locations = locations, .locations_count = 3, .lacks = {[NAMES_FOUND] = 2}};
	uint32_t function;

	names_forget(&names, NAMES_UNKNOWN);
	assert_int_equal(locations[0].lack, NAMES_FOUND);
	assert_int_equal(
		names_add_function(&names, NAMES_UNKNOWN, "[unknown]", "[unknown]", &function), 0);
	assert_int_equal(names_add_function(&names, NAMES_NATIVE, "f", "f", &function), 0);
	assert_int_equal(names_add_inlined(&names, &locations[0], function), 0);
	assert_int_equal(names_add_function(&names, NAMES_JIT, "g", "g", &function), 0);
	names_forget(&names, NAMES_JIT);
	assert_int_equal(locations[0].lack, NAMES_FOUND);
	assert_int_equal(locations[0].inlined_count, 1);
	assert_int_equal(locations[1].lack, NAMES_NO_ROOM);
	assert_int_equal(locations[1].function, 0);
	assert_string_equal(names_text(&names, names.functions[1].name), "f");
	assert_string_equal(names_text(&names, names.functions[2].raw), "[unknown]");
	names_forget(&names, NAMES_UNKNOWN);
	assert_int_equal(locations[0].lack, NAMES_NO_ROOM);
	assert_int_equal(locations[0].inlined_count, 0);
	assert_int_equal(locations[2].lack, NAMES_NO_MAP);
	assert_int_equal(names.lacks[NAMES_FOUND], 0);
	assert_int_equal(names.lacks[NAMES_NO_ROOM], 2);
	assert_string_equal(names_text(&names, names.functions[1].name), "[unknown]");
	names.locations = NULL;
	names_finish(&names);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_each_place_once),
	cmocka_unit_test(has_addresses_of_each_process),
	cmocka_unit_test(keeps_both_names_of_a_function),
	cmocka_unit_test(forgets_names),
};

UNIT_GROUP(tests);
