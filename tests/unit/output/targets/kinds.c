/* SPDX-License-Identifier: MIT */
/* Rules that the rows of all kinds obey. */
#include "output/targets/kinds.h"
#include "unit.h"

#include <string.h>

static void test_rows_are_complete(void **state)
{
	for (size_t i = 0; output_kinds[i]; i++) {
		const struct output_kind *kind = output_kinds[i];

		assert_non_null(kind->names[0]);
		assert_non_null(kind->target);
		assert_non_null(kind->help);
		assert_true(!kind->keys == !kind->own_bytes);
		for (const char *const *key = kind->common; key && *key; key++)
			assert_non_null(output_key_find(OUTPUT_KEYS, *key));
		if (!output_kind_takes_records(kind))
			continue;
		assert_non_null(kind->open);
		assert_non_null(kind->send);
		assert_non_null(kind->close);
		kind->close(NULL);
	}
}

static void test_names_are_unique(void **state)
{
	for (size_t i = 0; output_kinds[i]; i++)
		for (size_t n = 0; output_kinds[i]->names[n]; n++)
			for (size_t j = 0; j < i; j++)
				for (size_t m = 0; output_kinds[j]->names[m]; m++)
					assert_string_not_equal(output_kinds[i]->names[n],
								output_kinds[j]->names[m]);
}

/* A key of a kind must not hide one that all kinds have. */
static void test_keys(void **state)
{
	for (size_t i = 0; output_kinds[i]; i++)
		for (const struct output_key *key = output_kinds[i]->keys; key && key->name;
		     key++) {
			assert_null(output_key_find(OUTPUT_KEYS, key->name));
			assert_ptr_equal(output_key_find(output_kinds[i]->keys, key->name), key);
			assert_true(key->help && key->argument);
			assert_int_equal(key->value == OUTPUT_WORD, key->words != NULL);
		}
}

/* A kind that does not say what it uses could open nothing: see output/reach.h. */
static void test_uses(void **state)
{
	for (size_t i = 0; output_kinds[i]; i++) {
		const struct output_kind *kind = output_kinds[i];
		bool is_path = strcmp(kind->target, "PATH") == 0;

		/* To connect to a socket takes no rule. */
		assert_int_equal(kind->uses == 0, strcmp(kind->names[0], "unix") == 0);
		assert_int_equal((kind->uses & OUTPUT_USES_FOLDER) != 0, is_path && kind->uses);
		for (const struct output_key *key = kind->keys; key && key->name; key++)
			assert_int_equal(key->value == OUTPUT_FILE ||
						 key->value == OUTPUT_FILE_WRITTEN,
					 strcmp(key->argument, "FILE") == 0);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rows_are_complete),
	cmocka_unit_test(test_names_are_unique),
	cmocka_unit_test(test_keys),
	cmocka_unit_test(test_uses),
};

UNIT_GROUP(tests);
