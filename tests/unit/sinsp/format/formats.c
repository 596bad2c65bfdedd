/* SPDX-License-Identifier: MIT */
/* The table of formats: rows are complete, names are words that -o can take. */
#include <string.h>

#include "sinsp/sinsp.h"
#include "unit.h"

/* A table of hooks that has one has all that is needed with it. */
static void check_row(const struct output_format *format)
{
	const struct format_events *events = &format->events;
	const struct format_matches *matches = &format->matches;
	bool prints = events->append;

	if (!format->name ||
	    strspn(format->name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(format->name))
		fail_msg("the name '%s' is no word", format->name);
	if (prints != (events->column_init != NULL) || prints != (matches->append != NULL))
		fail_msg("%s prints events, columns or rules without the others", format->name);
	if (prints != (events->default_fields || events->default_format) ||
	    (events->default_fields && events->default_format))
		fail_msg("%s needs one default", format->name);
	if (!prints && (events->style_set || events->encoder || events->keyed ||
			matches->append_format || matches->append_head || matches->with_fields))
		fail_msg("%s has hooks that are never called", format->name);
	if (format->lists.objects && format->lists.append_table)
		fail_msg("%s prints lists as objects or as tables", format->name);
	if (format->silent && (prints || output_format_has_lists(format)))
		fail_msg("%s is silent and prints", format->name);
	if (!output_format_has_events(format) && !output_format_has_lists(format))
		fail_msg("%s is good for nothing", format->name);
}

static void test_rows_are_complete(void **state)
{
	const struct output_format *format;
	unsigned int i;

	for (i = 0; (format = output_format_get(i)); i++)
		check_row(format);
	assert_true(i >= 4);
	assert_null(output_format_get(i + 1));
}

static void test_names(void **state)
{
	const struct output_format *format;

	/* Also fails if two have the same name. */
	for (unsigned int i = 0; (format = output_format_get(i)); i++)
		assert_ptr_equal(output_format_find(format->name), format);
	assert_null(output_format_find("jso"));
	assert_null(output_format_find("jsonl"));
	assert_null(output_format_find("JSON"));
	assert_null(output_format_find(""));
}

static void test_uses(void **state)
{
	assert_true(output_format_has_events(&format_json) &&
		    output_format_has_lists(&format_json));
	assert_true(output_format_has_events(&format_text) &&
		    output_format_has_lists(&format_text));
	assert_true(output_format_has_events(&format_none));
	assert_false(output_format_has_lists(&format_none));
	assert_false(output_format_has_events(&format_markdown));
	assert_true(output_format_has_lists(&format_markdown));
}

/* The default of each format can be created, and needs some state. */
static void test_defaults(void **state)
{
	const struct output_format *format;

	for (unsigned int i = 0; (format = output_format_get(i)); i++) {
		struct formatter *formatter;
		struct error err = {""};

		if (!format->events.append)
			continue;
		if (formatter_create(format, NULL, 0, &formatter, &err))
			fail_msg("%s: %s", format->name, err.text);
		assert_true(formatter_needs(formatter) & NEEDS_THREADS);
		formatter_destroy(formatter);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rows_are_complete),
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_uses),
	cmocka_unit_test(test_defaults),
};

UNIT_GROUP(tests);
