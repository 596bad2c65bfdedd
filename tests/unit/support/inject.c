/* SPDX-License-Identifier: MIT */
/* The injected source: what goes in comes out, in order, as often as wanted. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "inject.h"
#include "unit.h"

enum { FRAMES = 5000 };

static size_t frame_text(int i, char *text, size_t size)
{
	return (size_t)snprintf(text, size, "frame %d %.*s", i, i % 30,
				"..............................");
}

static void expect_all(struct scap_source *source)
{
	struct scap_event event;
	char text[64];

	for (int i = 0; i < FRAMES; i++) {
		assert_int_equal(scap_source_next(source, 0, &event), 1);
		assert_int_equal(event.len, frame_text(i, text, sizeof(text)));
		assert_memory_equal(event.frame, text, event.len);
		assert_int_equal(event.cpu, i % 3);
	}
	assert_int_equal(scap_source_next(source, 0, &event), -ENODATA);
	assert_int_equal(scap_source_next(source, 100, &event), -ENODATA);
}

static void test_frames_in_order(void **state)
{
	struct scap_inject *inject;
	char text[64];

	assert_int_equal(scap_inject_create(&inject), 0);
	for (int i = 0; i < FRAMES; i++)
		assert_int_equal(scap_inject_append(inject, text, frame_text(i, text, sizeof(text)),
						    (uint16_t)(i % 3)),
				 0);
	expect_all(scap_inject_source(inject));
	scap_inject_rewind(inject);
	expect_all(scap_inject_source(inject));
	scap_source_destroy(scap_inject_source(inject));
}

static void test_empty(void **state)
{
	struct scap_inject *inject;
	struct scap_event event;

	assert_int_equal(scap_inject_create(&inject), 0);
	assert_int_equal(scap_source_next(scap_inject_source(inject), 0, &event), -ENODATA);
	scap_inject_rewind(inject);
	assert_int_equal(scap_source_next(scap_inject_source(inject), 0, &event), -ENODATA);
	scap_source_destroy(scap_inject_source(inject));
	scap_source_destroy(NULL);
}

/* Appending after the end was reached goes on from there. */
static void test_append_while_reading(void **state)
{
	struct scap_inject *inject;
	struct scap_event event;

	assert_int_equal(scap_inject_create(&inject), 0);
	for (char c = 'a'; c <= 'z'; c++) {
		assert_int_equal(scap_inject_append(inject, &c, 1, 1), 0);
		assert_int_equal(scap_source_next(scap_inject_source(inject), 0, &event), 1);
		assert_int_equal(event.len, 1);
		assert_memory_equal(event.frame, &c, 1);
		assert_int_equal(scap_source_next(scap_inject_source(inject), 0, &event), -ENODATA);
	}
	scap_source_destroy(scap_inject_source(inject));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_frames_in_order),
	cmocka_unit_test(test_empty),
	cmocka_unit_test(test_append_while_reading),
};

UNIT_GROUP(tests);
