/* SPDX-License-Identifier: MIT */
/* The plan of each event against its descriptor. */
#include <string.h>

#include "sinsp/state/rules.h"
#include "unit.h"

static const struct state_plan *plans;

static int setup(void **state)
{
	plans = state_plans();
	assert_ptr_equal(state_plans(), plans);
	return 0;
}

static void finds_the_descriptor(void **state)
{
	static const struct {
		unsigned int id;
		int param;
	} cases[] = {
		{EVENT_read, read__fd},
		{EVENT_openat, openat__fd},
		{EVENT_openat_enter, -1},
		{EVENT_pipe, pipe__fd1},
		{EVENT_socketpair, socketpair__fd1},
		{EVENT_dup2, dup2__oldfd},
		{EVENT_close, close__fd},
		{EVENT_mkdirat, mkdirat__dirfd},
		{EVENT_bpf, bpf__fd},
		{EVENT_renameat, -1},
		{EVENT_getuid, -1},
		{EVENT_switch, -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(plans[cases[i].id].fd_param, cases[i].param);
	assert_true(plans[EVENT_close].closes_fd && plans[EVENT_close].uses_fd);
	assert_true(plans[EVENT_read].uses_fd && !plans[EVENT_read].closes_fd);
	assert_false(plans[EVENT_openat].uses_fd);
	assert_true(plans[EVENT_read].is_call);
	assert_false(plans[EVENT_switch].is_call);
}

/* None is left out: an event has no more of them than a plan holds. */
static void finds_all_paths_from_directories(void **state)
{
	unsigned int found = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		unsigned int count = 0;

		for (unsigned int i = 0; desc && i < desc->nparams; i++)
			if (desc->params[i].base)
				assert_int_equal(plans[id].paths[count++], i);
		assert_int_equal(plans[id].paths_count, count);
		found += count;
	}
	assert_true(found > 30);
}

static void takes_the_rule_over(void **state)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct state_rule *rule = state_rule_of(id);

		assert_ptr_equal(plans[id].handle, rule->handle);
		if (!event_desc_get(id))
			assert_int_equal(plans[id].fd_param, -1);
	}
}

static void takes_the_roles_over(void **state)
{
	assert_ptr_equal(plans[EVENT_creat].handle, apply_open);
	assert_ptr_equal(plans[EVENT_memfd_create].handle, apply_make_object);
	assert_ptr_equal(plans[EVENT_bpf].handle, apply_bpf);
	assert_ptr_equal(plans[EVENT_fsopen].handle, apply_make_unknown);
	assert_ptr_equal(plans[EVENT_read].handle, apply_io);
	assert_ptr_equal(plans[EVENT_sendto].handle, apply_message);
	assert_null(plans[EVENT_openat_enter].handle);
	assert_int_equal(plans[EVENT_sendto].tuple_param, sendto__tuple);
	assert_int_equal(plans[EVENT_recv].tuple_param, recv__tuple);
	assert_int_equal(plans[EVENT_read].tuple_param, 0);
	assert_true(plans[EVENT_clone3].finds_thread && plans[EVENT_execveat].finds_thread);
	assert_false(plans[EVENT_procexit].finds_thread);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_the_descriptor),
	cmocka_unit_test(finds_all_paths_from_directories),
	cmocka_unit_test(takes_the_rule_over),
	cmocka_unit_test(takes_the_roles_over),
};

UNIT_GROUP(tests, .setup = setup);
