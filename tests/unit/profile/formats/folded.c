/* SPDX-License-Identifier: MIT */
/* Names of any bytes do not become frames, lines or numbers of their own. */
#include "profile/formats/folded.h"

#include <string.h>

#include "profiled.h"
#include "unit.h"

static void keeps_names_in_their_frames(void **state)
{
	struct stacks stacks;
	struct flame flame;
	struct profile_names names;
	struct buf out = {0};

	profiled_create(&stacks);
	strcpy(stacks.processes[0].comm, "a;b\nc 9\x1b[2J\xff");
	profiled_add(&stacks, 0, NULL, (const uint64_t[]){1, 0}, 5);
	profiled_name(&stacks, &names);
	assert_int_equal(flame_init(&flame), 0);
	assert_int_equal(flame_add_stacks(&flame, FLAME_NOW, &stacks, &names,
					  &(const struct flame_options){0}),
			 0);
	assert_int_equal(flame_complete(&flame), 0);
	folded_write(&flame, &out);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "a:b.c 9.[2J.;f1 5\n");
	buf_finish(&out);
	flame_finish(&flame);
	names_finish(&names);
	stacks_finish(&stacks);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(keeps_names_in_their_frames),
};

UNIT_GROUP(tests);
