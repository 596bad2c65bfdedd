/* SPDX-License-Identifier: MIT */
/* Which events have a rule, and what becomes wrong without them. */
#include "sinsp/state/engine.h"
#include "sinsp/state/rules.h"
#include "unit.h"

static void has_a_rule_for_every_id(void **state)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		const struct state_rule *rule = state_rule_of(id);

		/* Who makes a descriptor has it followed, of whatever kind it is. */
		if (desc && (desc->flags & EF_CREATES_FD) && !(desc->flags & EF_ENTER)) {
			assert_non_null(rule->handle);
			assert_true(rule->keeps & (STATE_DESCRIPTORS | STATE_FILES));
		}
		if (!desc)
			assert_null(rule->handle);
		if (rule->keeps)
			assert_non_null(rule->handle);
		assert_int_equal(state_plans()[id].finds_thread,
				 rule->handle == apply_clone || rule->handle == apply_exec);
	}
}

static void knows_objects_by_their_calls(void **state)
{
	const struct state_object *memfd = &state_plans()[EVENT_memfd_create].object;

	assert_ptr_equal(state_rule_of(EVENT_memfd_create)->handle, apply_make_object);
	assert_int_equal(memfd->type, SCAP_FD_MEMFD);
	assert_int_equal(memfd->name, memfd_create__name + 1);
	assert_int_equal(memfd->flags, memfd_create__flags + 1);
	assert_int_equal(memfd->cloexec, memfd_create_flags__MFD_CLOEXEC);
	assert_int_equal(state_plans()[EVENT_timerfd_create].object.cloexec, CLOEXEC_ALWAYS);
	assert_int_equal(state_plans()[EVENT_bpf].object.cloexec, CLOEXEC_ALWAYS);
	assert_ptr_equal(state_rule_of(EVENT_perf_event_open)->handle, apply_make_unknown);
	assert_null(state_rule_of(EVENT_openat_enter)->handle);
	assert_null(state_rule_of(EVENT_ID_MAX - 1)->handle);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_a_rule_for_every_id),
	cmocka_unit_test(knows_objects_by_their_calls),
};

UNIT_GROUP(tests);
