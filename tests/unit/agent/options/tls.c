/* SPDX-License-Identifier: MIT */
/* The value of --tls. */
#include "agent/options/tls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

static void test_values(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint8_t all;
		uint32_t pid; /* the first one */
		const char *name; /* likewise */
	} cases[] = {
		{"all", 0, 1, 0, ""},
		{"nginx", 0, 0, 0, "nginx"},
		{"17", 0, 0, 17, ""},
		{"a,17,all", 0, 1, 17, "a"},
		{"", -EINVAL},
		{"a,", -EINVAL},
		{"a,,b", -EINVAL},
		{"0", -EINVAL},
		{"99999999999", -EINVAL},
		{"fifteen-letters", 0, 0, 0, "fifteen-letters"},
		{"sixteen--letters", -EINVAL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tls_chosen chosen = {0};

		assert_int_equal(options_read_tls(cases[i].text, &chosen), cases[i].result);
		assert_int_equal(chosen.wanted, cases[i].result == 0);
		if (cases[i].result)
			continue;
		assert_int_equal(chosen.all, cases[i].all);
		assert_int_equal(chosen.pids[0], cases[i].pid);
		assert_string_equal(chosen.names[0], cases[i].name);
	}
}

/* Those that are given later are added, until there is no room; then nothing has changed. */
static void test_many(void **state)
{
	struct tls_chosen chosen = {0}, before;
	char name[16];

	for (unsigned int i = 0; i < TLS_CHOSEN_MAX; i++) {
		snprintf(name, sizeof(name), "n%u,%u", i, i + 1);
		assert_int_equal(options_read_tls(name, &chosen), 0);
	}
	assert_string_equal(chosen.names[TLS_CHOSEN_MAX - 1], "n15");
	assert_int_equal(chosen.pids[TLS_CHOSEN_MAX - 1], 16);
	before = chosen;
	assert_int_equal(options_read_tls("more", &chosen), -E2BIG);
	assert_int_equal(options_read_tls("17", &chosen), -E2BIG);
	assert_memory_equal(&chosen, &before, sizeof(chosen));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_many),
};

UNIT_GROUP(tests);
