/* SPDX-License-Identifier: MIT */
/* The numbers of types of containers in files, and where members are in a description. */
#include "sinsp/state/containers/container_json.h"
#include "unit.h"

static void test_types(void **state)
{
	static const char *const names[] = {"docker", "lxc",	"libvirt-lxc", "mesos",
					    "rkt",    "custom", "cri",	       "containerd",
					    "cri-o",  "bpm",	"static",      "podman"};
	const int count = sizeof(names) / sizeof(names[0]);

	for (int number = 0; number < count; number++) {
		enum state_container_type type = container_type_of(number);

		assert_string_equal(state_container_type_name(type), names[number]);
		assert_int_equal(container_type_number(type), number);
	}
	assert_int_equal(container_type_of(count), STATE_CONTAINER_NONE);
	assert_int_equal(container_type_of(-1), STATE_CONTAINER_NONE);
	assert_int_equal(container_type_of(0xfffe), STATE_CONTAINER_NONE);
	assert_int_equal(container_type_number(STATE_CONTAINER_NONE), -1);
}

/* Each member has its own place. */
static void test_places(void **state)
{
	struct state_container_info info = {0};

	for (size_t i = 0; i < container_texts.count; i++)
		*container_text(&info, &container_texts.items[i]) = container_texts.items[i].key;
	for (size_t i = 0; i < container_texts.count; i++)
		assert_string_equal(*container_text(&info, &container_texts.items[i]),
				    container_texts.items[i].key);
	assert_string_equal(info.image.tag, "imagetag");
	assert_string_equal(info.pod.sandbox_id, "pod_sandbox_id");
	*container_answer(&info, &container_answers.items[0]) = STATE_YES;
	assert_int_equal(info.privileged, STATE_YES);
	assert_int_equal(info.host_pid, STATE_UNKNOWN);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_types),
	cmocka_unit_test(test_places),
};

UNIT_GROUP(tests);
