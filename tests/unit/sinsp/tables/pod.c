/* SPDX-License-Identifier: MIT */
/* The memory of a pod's description. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sinsp/tables/pod.h"

/* The sanitizers of the test build report what is not freed. */
static void test_info_owns_its_memory(void **state)
{
	struct sinsp_pod_info *info = sinsp_pod_info_create();

	assert_non_null(info);
	assert_null(info->pod.uid);
	assert_null(info->pod.workload.kind);
	assert_int_equal(info->containers.count, 0);
	info->pod.uid = arena_text(&info->texts.arena, "3f2a", 4);
	assert_string_equal(info->pod.uid, "3f2a");
	sinsp_pod_info_destroy(info);
	sinsp_pod_info_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_info_owns_its_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
