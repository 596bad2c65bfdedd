/* SPDX-License-Identifier: MIT */
/* The class of each event: what the manual promises. */
#include "event/event.h"
#include "event/names.h"
#include "unit.h"

static void test_classes(void **state)
{
	static const struct {
		uint16_t id;
		enum shed_class class;
	} cases[] = {
		{EVENT_execve, SHED_NEVER},	    {EVENT_clone, SHED_NEVER},
		{EVENT_procexit, SHED_NEVER},	    {EVENT_connect, SHED_NEVER},
		{EVENT_NONE, SHED_NEVER},	    {EVENT_read, SHED_TRANSFERS},
		{EVENT_write, SHED_TRANSFERS},	    {EVENT_sendto, SHED_TRANSFERS},
		{EVENT_poll, SHED_TRANSFERS},	    {EVENT_switch, SHED_TRANSFERS},
		{EVENT_page_fault, SHED_TRANSFERS}, {EVENT_syscall, SHED_OTHERS},
		{EVENT_unlinkat, SHED_OTHERS},	    {EVENT_openat, SHED_DESCRIPTORS},
		{EVENT_close, SHED_DESCRIPTORS},    {EVENT_socket, SHED_DESCRIPTORS},
		{EVENT_chdir, SHED_STATE},	    {EVENT_fcntl, SHED_STATE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(event_shed_class(cases[i].id), cases[i].class);
	assert_int_equal(event_shed_class(EVENT_ID_MAX), SHED_NEVER);
}

/* However important events are described otherwise. */
static void test_important(void **state)
{
	unsigned int count = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		assert_int_equal(event_is_important(id),
				 (event_descs[id].flags & EF_IMPORTANT) != 0);
		if (event_is_important(id))
			assert_int_equal(event_shed_class(id), SHED_NEVER);
		count += event_is_important(id);
	}
	assert_int_equal(count, 41);
	assert_false(event_is_important(EVENT_ID_MAX));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_classes),
	cmocka_unit_test(test_important),
};

UNIT_GROUP(tests);
