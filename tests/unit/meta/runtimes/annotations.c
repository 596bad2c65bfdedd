/* SPDX-License-Identifier: MIT */
/* Annotations of each manager; unit/meta/runtimes/bundle has whole bundles. */
#include "meta/runtimes/bundle.h"
#include "unit.h"

static struct state_container_info *describe(const char *text)
{
	struct state_container_info *info = state_container_info_create();
	json_t *annotations = json_loads(text, 0, NULL);

	assert_non_null(info);
	assert_non_null(annotations);
	bundle_describe_annotations(annotations, info);
	json_decref(annotations);
	return info;
}

static void test_manager(void **state)
{
	static const struct {
		const char *annotations;
		enum state_container_type type;
	} cases[] = {
		{"{\"io.container.manager\": \"libpod\"}", STATE_CONTAINER_PODMAN},
		{"{\"io.container.manager\": \"cri-o\"}", STATE_CONTAINER_CRIO},
		{"{\"io.container.manager\": \"other\"}", STATE_CONTAINER_NONE},
		{"{\"io.kubernetes.cri.container-type\": \"container\"}",
		 STATE_CONTAINER_CONTAINERD},
		{"{}", STATE_CONTAINER_NONE},
		{"[]", STATE_CONTAINER_NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct state_container_info *info = describe(cases[i].annotations);

		assert_int_equal(info->type, cases[i].type);
		state_container_info_destroy(info);
	}
}

/* containerd's own clients keep labels there. */
static void test_labels(void **state)
{
	struct state_container_info *info = describe("{\"app\": \"web\"}");

	assert_int_equal(info->labels.count, 1);
	assert_string_equal(info->labels.items[0].value, "web");
	state_container_info_destroy(info);
	info = describe("{\"app\": \"web\", \"io.kubernetes.cri.container-type\": \"container\"}");
	assert_int_equal(info->labels.count, 0);
	state_container_info_destroy(info);
}

static void test_privileged(void **state)
{
	struct state_container_info *info =
		describe("{\"io.container.manager\": \"libpod\","
			 " \"io.podman.annotations.privileged\": \"TRUE\"}");

	assert_int_equal(info->privileged, STATE_YES);
	state_container_info_destroy(info);
}

/* JSON in a text may be none. */
static void test_odd_json(void **state)
{
	struct state_container_info *info = describe(
		"{\"io.container.manager\": \"cri-o\", \"io.kubernetes.cri-o.Labels\": \"[1\","
		" \"io.kubernetes.cri-o.Metadata\": \"[]\","
		" \"io.kubernetes.cri-o.Created\": \"today\"}");

	assert_int_equal(info->labels.count, 0);
	assert_null(info->name);
	assert_int_equal(info->created_ns, 0);
	state_container_info_destroy(info);
}

static void test_name_in_metadata(void **state)
{
	struct state_container_info *info =
		describe("{\"io.container.manager\": \"cri-o\","
			 " \"io.kubernetes.cri-o.Metadata\": \"{\\\"name\\\": \\\"redis\\\"}\"}");

	assert_string_equal(info->name, "redis");
	state_container_info_destroy(info);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_manager),		 cmocka_unit_test(test_labels),
	cmocka_unit_test(test_privileged),	 cmocka_unit_test(test_odd_json),
	cmocka_unit_test(test_name_in_metadata),
};

UNIT_GROUP(tests);
