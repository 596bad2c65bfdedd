/* SPDX-License-Identifier: MIT */
/* A document that a reader of JSON takes, with the frames and weights of the stacks. */
#include "profile/formats/speedscope.h"

#include <jansson.h>
#include <string.h>

#include "unit.h"

static json_t *write_folded(const char *folded, const char *title)
{
	struct buf out = {0};
	struct flame flame;
	json_t *made;

	assert_int_equal(flame_init(&flame), 0);
	assert_int_equal(flame_add_folded(&flame, FLAME_NOW, folded, strlen(folded), NULL), 0);
	assert_int_equal(flame_complete(&flame), 0);
	speedscope_write(&flame, title, &out);
	made = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(made);
	buf_finish(&out);
	flame_finish(&flame);
	return made;
}

static const char *frame_name(const json_t *document, const json_t *sample, size_t i)
{
	json_int_t frame = json_integer_value(json_array_get(sample, i));
	const json_t *frames = json_object_get(json_object_get(document, "shared"), "frames");

	return json_string_value(json_object_get(json_array_get(frames, (size_t)frame), "name"));
}

static void has_stacks_and_weights(void **state)
{
	json_t *document = write_folded("p;\"a\";b 3\np;\"a\" 4\n", "t\n\"");
	const json_t *profile = json_array_get(json_object_get(document, "profiles"), 0);
	const json_t *samples = json_object_get(profile, "samples");
	const json_t *weights = json_object_get(profile, "weights");

	assert_string_equal(json_string_value(json_object_get(document, "$schema")),
			    "https://www.speedscope.app/file-format-schema.json");
	assert_string_equal(json_string_value(json_object_get(profile, "name")), "t\n\"");
	assert_string_equal(json_string_value(json_object_get(profile, "type")), "sampled");
	assert_string_equal(json_string_value(json_object_get(profile, "unit")), "none");
	assert_int_equal(json_integer_value(json_object_get(profile, "startValue")), 0);
	assert_int_equal(json_integer_value(json_object_get(profile, "endValue")), 7);
	assert_int_equal(json_array_size(samples), 2);
	assert_int_equal(json_array_size(weights), 2);
	assert_int_equal(json_integer_value(json_array_get(weights, 0)), 4);
	assert_int_equal(json_integer_value(json_array_get(weights, 1)), 3);
	assert_int_equal(json_array_size(json_array_get(samples, 0)), 2);
	assert_string_equal(frame_name(document, json_array_get(samples, 1), 0), "p");
	assert_string_equal(frame_name(document, json_array_get(samples, 1), 1), "\"a\"");
	assert_string_equal(frame_name(document, json_array_get(samples, 1), 2), "b");
	json_decref(document);
}

static void is_a_document_without_stacks(void **state)
{
	json_t *document = write_folded("", "");
	const json_t *profile = json_array_get(json_object_get(document, "profiles"), 0);

	assert_int_equal(json_array_size(json_object_get(profile, "samples")), 0);
	assert_int_equal(json_integer_value(json_object_get(profile, "endValue")), 0);
	json_decref(document);
}

static void takes_names_of_any_bytes(void **state)
{
	json_t *document = write_folded("p\xff\x01;</script>\x7f 3\n", "x");

	json_decref(document);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_stacks_and_weights),
	cmocka_unit_test(is_a_document_without_stacks),
	cmocka_unit_test(takes_names_of_any_bytes),
};

UNIT_GROUP(tests);
