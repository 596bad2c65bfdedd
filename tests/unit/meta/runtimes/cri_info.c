/* SPDX-License-Identifier: MIT */
/* The JSON texts of containerd and of CRI-O. */
#include "meta/runtimes/cri.h"
#include "unit.h"

static struct state_container_info *
fill(void (*add)(struct state_container_info *info, const char *text), const char *text)
{
	struct state_container_info *info = state_container_info_create();

	assert_non_null(info);
	add(info, text);
	return info;
}

static void assert_privileged(const char *text, enum state_answer expected)
{
	struct state_container_info *info = fill(cri_info_fill_container, text);

	assert_int_equal(info->privileged, expected);
	state_container_info_destroy(info);
}

static void test_privileged(void **state)
{
	assert_privileged(
		"{\"config\": {\"linux\": {\"security_context\": {\"privileged\": true}}}}",
		STATE_YES);
	assert_privileged("{\"config\": {\"linux\": {}}}", STATE_NO);
	assert_privileged("{\"config\": {}}", STATE_NO);
	assert_privileged("{\"privileged\": true}", STATE_YES);
	assert_privileged("{\"privileged\": false}", STATE_NO);
	assert_privileged("{\"privileged\": \"true\"}", STATE_UNKNOWN);
	assert_privileged("{\"privileged\": false, \"runtimeSpec\": {\"linux\":"
			  " {\"security_context\": {\"privileged\": true}}}}",
			  STATE_YES);
	assert_privileged("{}", STATE_UNKNOWN);
	assert_privileged("{", STATE_UNKNOWN);
	assert_privileged(NULL, STATE_UNKNOWN);
}

static void test_image(void **state)
{
	struct state_container_info *info = fill(
		cri_info_fill_container,
		"{\"sandboxID\": \"s1\", \"config\": {\"image\": {\"image\": \"sha256:1a2b\"}},"
		" \"runtimeSpec\": {\"annotations\": {\"io.kubernetes.cri.image-name\": "
		"\"a/b:1\"}}}");

	assert_string_equal(info->image.id, "1a2b");
	assert_string_equal(info->image.name, "a/b:1");
	assert_string_equal(info->pod.sandbox_id, "s1");
	state_container_info_destroy(info);
	/* A name where an id is expected, and an id where a name is. */
	info = fill(cri_info_fill_container,
		    "{\"config\": {\"image\": {\"image\": \"a/b:1\"}}, \"runtimeSpec\":"
		    " {\"annotations\": {\"io.kubernetes.cri-o.ImageName\": \"sha256:12\"}}}");
	assert_null(info->image.id);
	assert_null(info->image.name);
	state_container_info_destroy(info);
}

/* That of the specification, which has more; else what was asked for. */
static void test_environment(void **state)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{"{\"config\": {\"envs\": [{\"key\": \"A\", \"value\": \"b\"}]},"
		 " \"runtimeSpec\": {\"process\": {\"env\": [\"PATH=b\", \"A=b\"]}}}",
		 "PATH"},
		{"{\"config\": {\"envs\": [{\"key\": \"A\", \"value\": \"b\"}]}}", "A"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct state_container_info *info = state_container_info_create();

		assert_non_null(info);
		info->wants_env = true;
		cri_info_fill_container(info, cases[i].text);
		assert_true(info->env.count > 0);
		assert_string_equal(info->env.items[0].name, cases[i].name);
		assert_string_equal(info->env.items[0].value, "b");
		state_container_info_destroy(info);
	}
}

static void test_network(void **state)
{
	struct state_container_info *info =
		fill(cri_info_fill_sandbox,
		     "{\"cniResult\": {\"Interfaces\": {\"lo\": {}, \"veth1\": {}, \"eth0\":"
		     " {\"Mac\": \"x\"}}}}");

	assert_string_equal(info->cni_json, "{\"eth0\":{\"Mac\":\"x\"}}");
	state_container_info_destroy(info);
	info = fill(cri_info_fill_sandbox, "{\"cniResult\": {\"Interfaces\": {\"lo\": {}}}}");
	assert_null(info->cni_json);
	state_container_info_destroy(info);
	info = fill(cri_info_fill_sandbox, "{\"runtimeSpec\": {\"annotations\":"
					   " {\"io.kubernetes.cri-o.CNIResult\": \"{1}\"}}}");
	assert_string_equal(info->cni_json, "{1}");
	state_container_info_destroy(info);
	state_container_info_destroy(fill(cri_info_fill_sandbox, NULL));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_privileged),
	cmocka_unit_test(test_image),
	cmocka_unit_test(test_environment),
	cmocka_unit_test(test_network),
};

UNIT_GROUP(tests);
