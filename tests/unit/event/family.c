/* SPDX-License-Identifier: MIT */
/* Families: every event is in one, both events of a call in the same, and no other number in any.
 */
#include <string.h>

#include "event/event.h"
#include "unit.h"

/* One event at least of each family. */
static void test_rows(void **state)
{
	static const struct {
		unsigned int id;
		const char *family;
	} rows[] = {
		{EVENT_openat, "file"},
		{EVENT_mount, "mount"},
		{EVENT_read, "io"},
		{EVENT_poll, "poll"},
		{EVENT_connect, "net"},
		{EVENT_execve, "process"},
		{EVENT_setuid, "user"},
		{EVENT_mmap, "memory"},
		{EVENT_init_module, "module"},
		{EVENT_seccomp, "security"},
		{EVENT_bpf, "object"},
		{EVENT_kill, "signal"},
		{EVENT_signaldeliver, "signal"},
		{EVENT_semop, "ipc"},
		{EVENT_clock_gettime, "time"},
		{EVENT_sched_yield, "sched"},
		{EVENT_uname, "system"},
		{EVENT_switch, "kernel"},
		{EVENT_syscall, "other"},
		{EVENT_drop, "other"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_non_null(event_family(rows[i].id));
		assert_string_equal(event_family(rows[i].id), rows[i].family);
	}
}

static void test_all_events_have_one(void **state)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (!event_desc_get(id) != !event_family(id))
			fail_msg("event %u has no family", id);
}

/* The events on entry are in no table of their own. */
static void test_events_on_entry(void **state)
{
	unsigned int count = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!desc || !(desc->flags & EF_ENTER))
			continue;
		assert_string_equal(event_family(id), event_family(id + 1));
		count++;
	}
	assert_true(count > 0);
}

static void test_numbers_of_no_event(void **state)
{
	assert_null(event_family(EVENT_NONE));
	assert_null(event_family(EVENT_ID_MAX));
	assert_null(event_family(UINT32_MAX));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rows),
	cmocka_unit_test(test_all_events_have_one),
	cmocka_unit_test(test_events_on_entry),
	cmocka_unit_test(test_numbers_of_no_event),
};

UNIT_GROUP(tests);
