/* SPDX-License-Identifier: MIT */
/* Definitions by kind and name, and values as flags and as texts of the filter language. */
#include <string.h>

#include "rules/defs.h"
#include "unit.h"

static struct yaml_node scalar(const char *text)
{
	return (struct yaml_node){.kind = YAML_SCALAR, .text = text, .len = strlen(text)};
}

struct fixture {
	struct yaml_report report;
	struct rules_defs defs;
};

static void begin(struct fixture *fixture)
{
	*fixture = (struct fixture){0};
	rules_defs_init(&fixture->defs, &fixture->report);
}

static void end(struct fixture *fixture)
{
	rules_defs_finish(&fixture->defs);
	yaml_report_finish(&fixture->report);
}

/* The same name may be one of each kind; the order is that of addition. */
static void test_kinds_and_names(void **state)
{
	static const struct {
		enum rules_kind kind;
		const char *name;
	} rows[] = {
		{RULES_RULE, "z"}, {RULES_LIST, "a"}, {RULES_MACRO, "a"},
		{RULES_RULE, "a"}, {RULES_RULE, "Z"}, {RULES_LIST, "a b"},
	};
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	struct yaml_node names[COUNT];
	struct rules_entry *entries[COUNT], *entry;
	struct fixture fixture;

	begin(&fixture);
	for (size_t i = 0; i < COUNT; i++) {
		assert_null(rules_defs_find(&fixture.defs, rows[i].kind, rows[i].name));
		names[i] = scalar(rows[i].name);
		entries[i] = rules_defs_add(&fixture.defs, rows[i].kind, &names[i]);
		assert_non_null(entries[i]);
	}
	entry = fixture.defs.first;
	for (size_t i = 0; i < COUNT; i++, entry = entry->next) {
		assert_ptr_equal(entry, entries[i]);
		assert_ptr_equal(rules_defs_find(&fixture.defs, rows[i].kind, rows[i].name), entry);
	}
	assert_null(entry);
	assert_null(rules_defs_find(&fixture.defs, RULES_MACRO, "z"));
	assert_null(rules_defs_find(&fixture.defs, RULES_LIST, ""));
	assert_int_equal(fixture.defs.counts[RULES_LIST], 2);
	assert_int_equal(fixture.defs.counts[RULES_MACRO], 1);
	assert_int_equal(fixture.defs.counts[RULES_RULE], 3);
	end(&fixture);
}

static void test_nearest(void **state)
{
	struct yaml_node list = scalar("shell_names"), macro = scalar("shell_procs");
	struct fixture fixture;
	const char *nearest;

	begin(&fixture);
	assert_null(rules_defs_nearest(&fixture.defs, RULES_LIST, "shell_nams", 10));
	assert_non_null(rules_defs_add(&fixture.defs, RULES_LIST, &list));
	assert_non_null(rules_defs_add(&fixture.defs, RULES_MACRO, &macro));
	nearest = rules_defs_nearest(&fixture.defs, RULES_LIST, "shell_nams", 10);
	assert_non_null(nearest);
	assert_string_equal(nearest, "shell_names");
	assert_null(rules_defs_nearest(&fixture.defs, RULES_MACRO, "shell_nams", 10));
	assert_null(rules_defs_nearest(&fixture.defs, RULES_RULE, "shell_names", 11));
	/* After very many questions there is no answer. */
	for (size_t i = 0; i < 1 << 17; i++)
		rules_defs_nearest(&fixture.defs, RULES_RULE, "x", 1);
	assert_null(rules_defs_nearest(&fixture.defs, RULES_LIST, "shell_nams", 10));
	end(&fixture);
}

/* The last value of a key counts. */
static void test_values_of_keys(void **state)
{
	struct yaml_node yes = scalar("yes"), no = scalar("no"), syscall = scalar("syscall"),
			 audit = scalar("k8s_audit");
	struct rules_part last = {.value = &no}, first = {.next = &last, .value = &yes};
	struct rules_part source = {.value = &audit};
	struct rules_entry entry = {0};

	assert_null(rules_entry_value(&entry, KEY_ENABLED));
	assert_true(rules_entry_flag(&entry, KEY_ENABLED, true));
	assert_false(rules_entry_flag(&entry, KEY_ENABLED, false));
	entry.parts[KEY_ENABLED] = (struct rules_parts){&first, &last};
	assert_ptr_equal(rules_entry_value(&entry, KEY_ENABLED), &no);
	assert_false(rules_entry_flag(&entry, KEY_ENABLED, true));
	no.text = "perhaps";
	assert_true(rules_entry_flag(&entry, KEY_ENABLED, true));
	assert_false(rules_entry_flag(&entry, KEY_ENABLED, false));

	assert_true(rules_entry_is_about_syscalls(&entry));
	entry.parts[KEY_SOURCE] = (struct rules_parts){&source, &source};
	assert_false(rules_entry_is_about_syscalls(&entry));
	source.value = &syscall;
	assert_true(rules_entry_is_about_syscalls(&entry));
}

/* Quotes come off only when the value is one quoted text and nothing else. */
static void test_texts(void **state)
{
	static const struct {
		const char *value, *text;
	} rows[] = {
		{"", ""},
		{"a", "a"},
		{"a b", "a b"},
		{"'a b'", "a b"},
		{"\"a b\"", "a b"},
		{"''", ""},
		{"'", "'"},
		{"\"", "\""},
		{"'a", "'a"},
		{"a'", "a'"},
		{"'a' b", "'a' b"},
		{"'a' 'b'", "'a' 'b'"},
		{"\"a\\\"b\"", "a\"b"},
	};
	struct fixture fixture;

	begin(&fixture);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct yaml_node node = scalar(rows[i].value);
		struct filter_text text;

		assert_int_equal(rules_value_text(&fixture.defs, &node, &text), 0);
		assert_int_equal(text.len, strlen(rows[i].text));
		assert_string_equal(text.data, rows[i].text);
	}
	end(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_kinds_and_names), cmocka_unit_test(test_nearest),
	cmocka_unit_test(test_values_of_keys),
	cmocka_unit_test(test_texts),
};

UNIT_GROUP(tests);
