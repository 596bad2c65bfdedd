/* SPDX-License-Identifier: MIT */
/* What phases share: parameters of paths, versions, chance, and which failure counts. */
#include <string.h>

#include "meta/kube_phase.h"
#include "reflected.h"
#include "unit.h"

static void test_parameters(void **state)
{
	struct buf path = {0};

	kube_phase_append_parameter(&path, "continue", "aZ09.-_/=%&\xff");
	buf_append_char(&path, '\0');
	assert_string_equal(path.data, "&continue=aZ09.-%5F%2F%3D%25%26%FF");
	buf_finish(&path);
}

static void test_longest_parameters_fit(void **state)
{
	struct reflected reflected;
	char node[254], *text = reflected.reflector.next_page;

	memset(node, 'n', sizeof(node) - 1);
	node[sizeof(node) - 1] = '\0';
	reflected_start(&reflected, node);
	reflected.reflector.phase = PHASE_LIST;
	memset(text, '/', REFLECTOR_CONTINUE_BYTES - 1);
	assert_int_equal(strlen(reflected_ask(&reflected)),
			 strlen("/api/v1/pods?fieldSelector=spec.nodeName%3D&limit=100&continue=") +
				 sizeof(node) - 1 + 3 * (REFLECTOR_CONTINUE_BYTES - 1));
	reflected_finish(&reflected);
}

static void test_versions(void **state)
{
	static char longer[REFLECTOR_VERSION_BYTES + 1];
	struct reflected reflected;

	memset(longer, '1', sizeof(longer) - 1);
	reflected_start(&reflected, "n1");
	assert_false(kube_phase_set_version(&reflected.reflector, NULL));
	assert_false(kube_phase_set_version(&reflected.reflector, ""));
	assert_false(kube_phase_set_version(&reflected.reflector, "0"));
	assert_false(kube_phase_set_version(&reflected.reflector, longer));
	assert_string_equal(reflected.reflector.version, "");
	assert_true(kube_phase_set_version(&reflected.reflector, longer + 1));
	assert_string_equal(reflected.reflector.version, longer + 1);
	reflected_finish(&reflected);
}

static void test_rejected_versions(void **state)
{
	static const long statuses[] = {400, 410, 422, 504},
			  others[] = {0, 200, 401, 403, 429, 500};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		assert_true(kube_phase_rejects_version(statuses[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(kube_phase_rejects_version(others[i]));
}

static void test_chance(void **state)
{
	struct reflected reflected;
	unsigned int seen = 0;

	reflected_start(&reflected, "n1");
	for (int i = 0; i < 200; i++) {
		uint64_t number = kube_phase_chance(&reflected.reflector, 7);

		assert_in_range(number, 0, 7);
		seen |= 1u << number;
	}
	assert_int_equal(seen, 0xff);
	reflected_finish(&reflected);
}

static void test_first_failure_counts(void **state)
{
	struct reflected reflected;

	reflected_start(&reflected, "n1");
	assert_false(kube_phase_reject(&reflected.reflector, 403, "no"));
	assert_false(kube_phase_fail(&reflected.reflector, META_KUBE_CUT, "cut"));
	assert_false(kube_phase_reject(&reflected.reflector, 500, NULL));
	assert_int_equal(reflected.reflector.failure, META_KUBE_FORBIDDEN);
	assert_int_equal(reflected.reflector.error_status, 403);
	assert_string_equal(reflected.reflector.message, "status 403: no");
	reflected_finish(&reflected);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parameters), cmocka_unit_test(test_longest_parameters_fit),
	cmocka_unit_test(test_versions),   cmocka_unit_test(test_rejected_versions),
	cmocka_unit_test(test_chance),	   cmocka_unit_test(test_first_failure_counts),
};

UNIT_GROUP(tests);
