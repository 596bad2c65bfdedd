/* SPDX-License-Identifier: MIT */
/* The example of each field is a filter that compiles and names that field. */
#include <string.h>

#include "sinsp/filter/filter.h"
#include "unit.h"

static void check_example(const struct field_desc *desc)
{
	struct filter *filter = NULL;
	struct filter_error err = {0};
	struct buf text = {0};

	field_append_example(desc, &text);
	buf_append_char(&text, '\0');
	if (filter_create(text.data, &(struct filter_options){0}, &filter, &err))
		fail_msg("%s: %s", text.data, err.text);
	if (strncmp(text.data, desc->name, strlen(desc->name)) != 0)
		fail_msg("%s is no example of %s", text.data, desc->name);
	/* That a text exists says nothing, unless that is all there is to say: it never does. */
	if (!desc->example && strstr(text.data, " exists") && !strstr(desc->help, "none:"))
		fail_msg("%s has no example of its own", desc->name);
	filter_destroy(filter);
	buf_finish(&text);
}

static void test_examples(void **state)
{
	unsigned int count = 0;

	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++, count++)
			check_example(desc);
	assert_true(count > 190);
}

/* One line of plain words: no capital at the beginning, no full stop, no room for two. */
static void check_help(const struct field_desc *desc)
{
	size_t len = strlen(desc->help);

	if (len < 5 || len > 90)
		fail_msg("%s: help of %zu bytes", desc->name, len);
	if (strchr(desc->help, '\n') || desc->help[len - 1] == '.')
		fail_msg("%s: '%s'", desc->name, desc->help);
	for (const char *c = desc->help; *c; c++)
		if (*c < ' ' || *c > '~')
			fail_msg("%s: '%s'", desc->name, desc->help);
}

static void test_help(void **state)
{
	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++)
			check_help(desc);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_examples),
	cmocka_unit_test(test_help),
};

UNIT_GROUP(tests);
