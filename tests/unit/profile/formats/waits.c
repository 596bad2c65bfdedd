/* SPDX-License-Identifier: MIT */
/* Waits as bcc prints them: what is alike is added up, the longest last. */
#include "profile/formats/waits.h"

#include <string.h>

#include "profiled.h"
#include "unit.h"

static void add_wait(struct stacks *stacks, const uint64_t *kernel, const uint64_t *user,
		     enum stack_reason reason, uint64_t ns)
{
	struct stack_row row = profiled_row(stacks, 0, kernel, user, ns);

	row.kind = STACK_OFF_CPU;
	row.reason = (uint8_t)reason;
	row.tid = 12;
	strcpy(row.comm, "a;b\n");
	assert_int_equal(stacks_add_row(stacks, &row), 0);
}

static void expect_waits(const struct waits_options *options, const char *expected)
{
	static const uint64_t kernel[] = {16, 17, 0}, user[] = {32, 0}, other[] = {33, 0};
	struct profile_names names;
	struct stacks stacks;
	struct buf out = {0};

	profiled_create(&stacks);
	add_wait(&stacks, kernel, user, STACK_SLEEP, 5000000);
	add_wait(&stacks, kernel, user, STACK_RUN_QUEUE, 7000);
	add_wait(&stacks, kernel, other, STACK_LOCK, 3000);
	add_wait(&stacks, NULL, other, STACK_LOCK, 999);
	/* On the CPU: none of it. */
	profiled_add(&stacks, 1, kernel, other, 100000000);
	profiled_name(&stacks, &names);
	assert_int_equal(waits_write(&stacks, &names, options, &out), 0);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
	names_finish(&names);
	stacks_finish(&stacks);
}

static void prints_stacks(void **state)
{
	expect_waits(
		&(const struct waits_options){.delimited = true},
		"    k16\n    k17\n    --\n    f33\n    -                a;b. (12)\n        3\n\n"
		"    k16\n    k17\n    --\n    f32\n    -                a;b. (12)\n"
		"        5007\n\n");
}

static void folds(void **state)
{
	expect_waits(&(const struct waits_options){.folded = true},
		     "a:b.;f33;k17;k16 3\na:b.;f32;k17;k16 5007\n");
	expect_waits(&(const struct waits_options){.folded = true, .delimited = true},
		     "a:b.;f33;-;k17;k16 3\na:b.;f32;-;k17;k16 5007\n");
}

/* What differs in frames that are not printed is added up, too. */
static void leaves_frames_out(void **state)
{
	expect_waits(&(const struct waits_options){.folded = true, .no_user = true},
		     "a:b.;k17;k16 5010\n");
	expect_waits(&(const struct waits_options){.folded = true, .no_kernel = true},
		     "a:b.;f33 3\na:b.;f32 5007\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(prints_stacks),
	cmocka_unit_test(folds),
	cmocka_unit_test(leaves_frames_out),
};

UNIT_GROUP(tests);
