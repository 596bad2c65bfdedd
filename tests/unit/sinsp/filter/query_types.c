/* SPDX-License-Identifier: MIT */
/* What is known in advance of expressions in one filter: for each of them, and for all. */
#include <stdio.h>
#include <string.h>

#include "grouped.h"
#include "unit.h"

static bool ids[EVENT_ID_MAX], generic[SYSCALL_CODES_COUNT];

static unsigned int count(void)
{
	unsigned int n = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		n += ids[id];
	return n;
}

static void test_types(void **state)
{
	struct grouped group;
	struct filter *filter;

	GROUPED_MAKE(&group, "evt.type = open", "evt.type = openat and evt.dir = >",
		     "evt.type in (close, bdflush) or evt.type = open and evt.num = 1",
		     "evt.num = 1");
	filter = group.filter;
	filter_group_event_types(filter, 0, ids, generic);
	assert_true(ids[EVENT_open] && ids[EVENT_openat] && ids[EVENT_openat2]);
	assert_true(ids[EVENT_open_enter] && ids[EVENT_openat_enter] && ids[EVENT_openat2_enter]);
	assert_int_equal(count(), 6);
	assert_false(generic[SC_bdflush]);
	filter_group_event_types(filter, 1, ids, generic);
	assert_int_equal(count(), 1);
	assert_true(ids[EVENT_openat_enter]);
	filter_group_event_types(filter, 2, ids, generic);
	assert_true(ids[EVENT_close] && ids[EVENT_open] && ids[EVENT_syscall]);
	assert_true(generic[SC_bdflush]);
	assert_int_equal(count(), 8);
	filter_group_event_types(filter, 3, ids, generic);
	assert_true(ids[EVENT_dup] && ids[EVENT_syscall]);
	filter_event_types(filter, ids, generic);
	assert_true(ids[EVENT_dup] && ids[EVENT_open]);
	grouped_finish(&group);

	GROUPED_MAKE(&group, "evt.type = dup", "evt.type = openat");
	filter = group.filter;
	filter_event_types(filter, ids, generic);
	assert_true(ids[EVENT_dup] && ids[EVENT_dup3] == 0 && ids[EVENT_openat]);
	assert_int_equal(count(), 3);
	grouped_finish(&group);
}

static void test_names(void **state)
{
	struct grouped group;
	struct filter *filter;

	GROUPED_MAKE(&group, "evt.type = switch", "not evt.type != dup and evt.num = 1",
		     "evt.type != close");
	filter = group.filter;
	assert_true(filter_group_names_event(filter, 0, EVENT_switch));
	assert_false(filter_group_names_event(filter, 1, EVENT_switch));
	assert_false(filter_group_names_event(filter, 2, EVENT_switch));
	assert_true(filter_group_names_event(filter, 1, EVENT_dup));
	assert_false(filter_group_names_event(filter, 2, EVENT_close));
	assert_true(filter_names_event(filter, EVENT_switch));
	assert_true(filter_names_event(filter, EVENT_dup));
	assert_false(filter_names_event(filter, EVENT_close));
	grouped_finish(&group);
}

/* A macro that is wanted in one expression and ruled out in another names events for the first. */
static void test_names_of_shared(void **state)
{
	struct grouped group = {0};
	struct filter_node *macro = grouped_parse(&group, "evt.type = dup");
	struct filter_node shared = {.kind = FILTER_NODE_SHARED, .first = macro, .text = ""};
	struct filter_node not_it = {.kind = FILTER_NODE_NOT, .first = &shared};
	struct filter *filter;

	group.items[group.n++] = (struct filter_group_item){&not_it, ""};
	group.items[group.n++] = (struct filter_group_item){&shared, ""};
	assert_int_equal(grouped_create(&group, NULL, NULL, NULL), 0);
	filter = group.filter;
	assert_false(filter_group_names_event(filter, 0, EVENT_dup));
	assert_true(filter_group_names_event(filter, 1, EVENT_dup));
	filter_group_event_types(filter, 0, ids, generic);
	assert_false(ids[EVENT_dup]);
	assert_true(ids[EVENT_close]);
	grouped_finish(&group);
}

static void test_options(void **state)
{
	const struct filter_options exact = {.exact_types = true};
	struct grouped group = {0};

	grouped_add(&group, "evt.type = open", NULL, NULL);
	assert_int_equal(grouped_create(&group, &exact, NULL, NULL), 0);
	filter_event_types(group.filter, ids, generic);
	assert_true(ids[EVENT_open]);
	assert_int_equal(count(), 2);
	grouped_finish(&group);
}

/* Every part says: this type, or a number that is large enough. */
static void add_parts(struct grouped *group, struct filter_node *all, unsigned int n)
{
	unsigned int id = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct filter_node *part;
		char text[128];

		do
			id = (id + 1) % EVENT_ID_MAX;
		while (!event_desc_get(id) || id == EVENT_syscall);
		snprintf(text, sizeof(text), "evt.type = %s or evt.num > %u",
			 event_desc_get(id)->name, i);
		part = grouped_parse(group, text);
		part->next = all->first;
		all->first = part;
	}
}

/* Too much to be worked out for each type: the types are asked about when events come. */
static void test_many(void **state)
{
	enum { PARTS = 6000 };
	struct filter_node last, all = {.kind = FILTER_NODE_AND};
	const struct filter_options exact = {.exact_types = true};
	struct grouped group = {.items = {{&all, ""}}, .n = 1};
	struct state_event event = {0};

	add_parts(&group, &all, PARTS);
	last = *all.first->first; /* evt.type = ... */
	last.next = NULL;
	assert_int_equal(grouped_create(&group, &exact, NULL, NULL), 0);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		event.ev.desc = event_desc_get(id);
		if (!event.ev.desc || id == EVENT_syscall)
			continue;
		event.num = PARTS;
		assert_true(filter_match(group.filter, &event));
		event.num = PARTS - 1;
		assert_int_equal(filter_match(group.filter, &event),
				 strcmp(event.ev.desc->name, last.right->text.data) == 0);
		event.num = 0;
		assert_false(filter_match(group.filter, &event));
	}
	grouped_finish(&group);
}

/* Generic events of a call that has an event of its own are in old captures. */
static void test_generic_events(void **state)
{
	struct grouped group;

	GROUPED_MAKE(&group, "evt.type = open", "evt.type = bdflush", "evt.type = switch",
		     "evt.num > 5", "evt.type = procexit or evt.type in (getpid)");
	assert_true(filter_group_passes_generic(group.filter, 0));
	assert_true(filter_group_passes_generic(group.filter, 1));
	assert_false(filter_group_passes_generic(group.filter, 2));
	assert_true(filter_group_passes_generic(group.filter, 3));
	assert_true(filter_group_passes_generic(group.filter, 4));
	filter_group_event_types(group.filter, 0, ids, generic);
	assert_false(ids[EVENT_syscall]);
	filter_group_event_types(group.filter, 1, ids, generic);
	assert_true(ids[EVENT_syscall]);
	assert_true(generic[SC_bdflush]);
	assert_false(generic[SC_open]);
	grouped_finish(&group);
}

/* No call that opens a file makes a socket, of whatever kind the file is. */
static void test_other_kinds(void **state)
{
	struct grouped group;

	GROUPED_MAKE(&group, "evt.type=openat and fd.type=ipv4",
		     "evt.type in (creat, open) and fd.type in (unix, netlink)",
		     "evt.type=openat and fd.type=pidfd", "evt.type=openat and not fd.type=unix",
		     "evt.type=openat", "evt.type=socket and fd.type=file", "fd.type=ipv4");
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(filter_group_wants_other_kind(group.filter, i), i < 2);
	grouped_finish(&group);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_types),
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_names_of_shared),
	cmocka_unit_test(test_options),
	cmocka_unit_test(test_many),
	cmocka_unit_test(test_generic_events),
	cmocka_unit_test(test_other_kinds),
};

UNIT_GROUP(tests);
