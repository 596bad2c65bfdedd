/* SPDX-License-Identifier: MIT */
/* The shapes of ids; cgroup_path.c tests them in paths. */
#include "sinsp/state/containers/cgroup_path.h"
#include "unit.h"

static struct cgroup_text text_of(const char *text)
{
	return (struct cgroup_text){text, strlen(text)};
}

static void test_texts(void **state)
{
	assert_true(cgroup_text_starts(text_of("docker-1"), "docker-"));
	assert_false(cgroup_text_starts(text_of("docker"), "docker-"));
	assert_true(cgroup_text_ends(text_of("a.scope"), ".scope"));
	assert_false(cgroup_text_ends(text_of("scope"), ".scope"));
	assert_true(cgroup_text_is(text_of("lxc"), "lxc"));
	assert_false(cgroup_text_is(text_of("lxc1"), "lxc"));
}

static void test_shapes(void **state)
{
	static const struct {
		const struct cgroup_id_shape *shape;
		const char *text, *id; /* NULL: it does not fit */
	} cases[] = {
		{&cgroup_id_hex, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
		{&cgroup_id_hex, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeg",
		 NULL},
		{&cgroup_id_hex, "", NULL},
		{&cgroup_id_uuid, "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
		 "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"},
		{&cgroup_id_uuid, "0f1e2d3c-4b5a-6978-8796-a5b4", NULL},
		{&cgroup_id_uuid, "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0", NULL},
		{&cgroup_id_garden, "0f1e2d3c-4b5a-6978-8796-a5b4", "0f1e2d3c-4b5a-6978-8796-a5b4"},
		{&cgroup_id_garden, "0f1e2d3c-4b5a-6978-8796aa5b4", NULL},
		{&cgroup_id_word, "a+b-c.d_e@1", "a+b-c.d_e@1"},
		{&cgroup_id_word, "a b", NULL},
		{&cgroup_id_word, "", NULL},
		{&cgroup_id_name, "a b", "a b"},
		{&cgroup_id_name, "a\\x2db", "a\\x2db"},
		{&cgroup_id_escaped, "a\\x2db\\x2", "a-b\\x2"},
		{&cgroup_id_escaped, "\\x00\\x0", "\\x00\\x0"},
		{&cgroup_id_after_leader, "12\\x2da\\x2d1", "a-1"},
		{&cgroup_id_after_leader, "a\\x2d1", "a-1"},
		{&cgroup_id_after_leader, "12\\x2d", NULL},
		{&cgroup_id_after_leader, "12", "12"},
	};
	char copy[STATE_CONTAINER_ID_BYTES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cgroup_text id = text_of(cases[i].text);

		if (cases[i].shape->fits(&id) != !!cases[i].id)
			fail_msg("'%s' in row %zu", cases[i].text, i);
		if (!cases[i].id)
			continue;
		assert_int_equal(cgroup_id_copy(cases[i].shape, id, copy), strlen(cases[i].id));
		assert_string_equal(copy, cases[i].id);
	}
}

static void test_uids_of_pods(void **state)
{
	char uid[STATE_POD_UID_BYTES] = "unchanged";

	assert_false(cgroup_pod_uid_copy(text_of("2f2b6b2e-9c0a-4d7c-8f7c_2f3f5d6b7a80"), uid));
	assert_false(cgroup_pod_uid_copy(text_of(""), uid));
	assert_string_equal(uid, "unchanged");
	assert_true(cgroup_pod_uid_copy(text_of("2f2b6b2e_9c0a_4d7c_8f7c_2f3f5d6b7a80"), uid));
	assert_string_equal(uid, "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80");
	assert_true(cgroup_pod_uid_copy(text_of("2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80"), uid));
	assert_string_equal(uid, "2f2b6b2e-9c0a-4d7c-8f7c-2f3f5d6b7a80");
	assert_true(cgroup_pod_uid_copy(text_of("00112233445566778899aabbccddeeff"), uid));
	assert_string_equal(uid, "00112233445566778899aabbccddeeff");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_texts),
	cmocka_unit_test(test_shapes),
	cmocka_unit_test(test_uids_of_pods),
};

UNIT_GROUP(tests);
