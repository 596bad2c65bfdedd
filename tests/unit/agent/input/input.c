/* SPDX-License-Identifier: MIT */
/* The choice of the input, between two that stand in for the file and the kernel. */
#include <errno.h>

#include "agent/input/input.h"
#include "unit.h"

static unsigned int destroyed;

static void destroy(struct input *input)
{
	destroyed++;
}

static bool has_no_room(const struct input *input)
{
	return false;
}

static const struct input_live_ops no_room = {.has_room = has_no_room};
static const struct input_ops ops = {.destroy = destroy};
static struct input file = {.ops = &ops}, live = {.ops = &ops};

int input_file_open(const struct plan *plan, struct input **input, struct error *err)
{
	if (plan->options->strict)
		return error_set(err, -EBADMSG, "no capture file");
	*input = &file;
	return 0;
}

int input_live_open(const struct plan *plan, struct input_helpers *helpers, struct input **input,
		    struct error *err)
{
	*input = &live;
	return 0;
}

/* Events of a file can always wait. */
static void test_room(void **state)
{
	assert_true(input_has_room(&file));
	assert_false(input_has_room(&(struct input){.live = &no_room}));
}

static void test_choice(void **state)
{
	const struct options of_file = {.read = "a.scap"}, of_kernel = {0};
	struct input *input = NULL;

	assert_int_equal(input_open(&(struct plan){.options = &of_file}, &(struct input_helpers){0},
				    &input, NULL),
			 0);
	assert_ptr_equal(input, &file);
	assert_int_equal(input_open(&(struct plan){.options = &of_kernel},
				    &(struct input_helpers){0}, &input, NULL),
			 0);
	assert_ptr_equal(input, &live);
}

/* A failure is reported as it is, and the result is left alone. */
static void test_failure(void **state)
{
	const struct options options = {.read = "a.scap", .strict = true};
	struct input *input = NULL;
	struct error err = {""};

	assert_int_equal(input_open(&(struct plan){.options = &options}, &(struct input_helpers){0},
				    &input, &err),
			 -EBADMSG);
	assert_null(input);
	assert_string_equal(err.text, "no capture file");
}

static void test_destroy(void **state)
{
	input_destroy(NULL);
	assert_int_equal(destroyed, 0);
	input_destroy(&file);
	assert_int_equal(destroyed, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_choice),
	cmocka_unit_test(test_room),
	cmocka_unit_test(test_failure),
	cmocka_unit_test(test_destroy),
};

UNIT_GROUP(tests);
