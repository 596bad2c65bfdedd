/* SPDX-License-Identifier: MIT */
/* What is known in advance of expressions in one filter: for each of them, and for all. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sinsp/expr/tree.h"
#include "sinsp/filter/group.h"

enum { ITEMS_MAX = 8 };

static struct arena arena;
static bool ids[EVENT_ID_MAX], generic[SYSCALL_CODES_COUNT];

static struct filter_node *parse(const char *text)
{
	struct filter_error err;
	struct filter_node *root;

	if (filter_parse(text, &arena, &root, &err))
		fail_msg("'%s': %s", text, err.text);
	return root;
}

static struct filter *create(const struct filter_group_item *items, size_t n)
{
	struct filter_error err;
	struct filter *filter;
	size_t failed;

	if (filter_group_create(items, n, NULL, &filter, &failed, &err))
		fail_msg("item %zu: %s", failed, err.text);
	return filter;
}

/* Texts, ended by NULL. */
static struct filter *make(const char *const *texts)
{
	struct filter_group_item items[ITEMS_MAX];
	size_t n = 0;

	for (; texts[n]; n++)
		items[n] = (struct filter_group_item){parse(texts[n]), texts[n]};
	return create(items, n);
}

#define MAKE(...) make((const char *const[]){__VA_ARGS__, NULL})

static int finish(void **state)
{
	arena_finish(&arena);
	return 0;
}

static unsigned int count(void)
{
	unsigned int n = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		n += ids[id];
	return n;
}

static void test_types(void **state)
{
	struct filter *filter = MAKE(
		"evt.type = open", "evt.type = openat and evt.dir = >",
		"evt.type in (close, bdflush) or evt.type = open and evt.num = 1", "evt.num = 1");

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
	filter_destroy(filter);

	filter = MAKE("evt.type = dup", "evt.type = openat");
	filter_event_types(filter, ids, generic);
	assert_true(ids[EVENT_dup] && ids[EVENT_dup3] == 0 && ids[EVENT_openat]);
	assert_int_equal(count(), 3);
	filter_destroy(filter);
}

static void test_names(void **state)
{
	struct filter *filter = MAKE("evt.type = switch", "not evt.type != dup and evt.num = 1",
				     "evt.type != close");

	assert_true(filter_group_names_event(filter, 0, EVENT_switch));
	assert_false(filter_group_names_event(filter, 1, EVENT_switch));
	assert_false(filter_group_names_event(filter, 2, EVENT_switch));
	assert_true(filter_group_names_event(filter, 1, EVENT_dup));
	assert_false(filter_group_names_event(filter, 2, EVENT_close));
	assert_true(filter_names_event(filter, EVENT_switch));
	assert_true(filter_names_event(filter, EVENT_dup));
	assert_false(filter_names_event(filter, EVENT_close));
	filter_destroy(filter);
}

/* A macro that is wanted in one expression and ruled out in another names events for the first. */
static void test_names_of_shared(void **state)
{
	struct filter_node *macro = parse("evt.type = dup");
	struct filter_node shared = {.kind = FILTER_NODE_SHARED, .first = macro, .text = ""};
	struct filter_node not_it = {.kind = FILTER_NODE_NOT, .first = &shared};
	const struct filter_group_item items[] = {{&not_it, ""}, {&shared, ""}};
	struct filter *filter = create(items, 2);

	assert_false(filter_group_names_event(filter, 0, EVENT_dup));
	assert_true(filter_group_names_event(filter, 1, EVENT_dup));
	filter_group_event_types(filter, 0, ids, generic);
	assert_false(ids[EVENT_dup]);
	assert_true(ids[EVENT_close]);
	filter_destroy(filter);
}

static void test_options(void **state)
{
	static const char text[] = "evt.type = open";
	const struct filter_group_item item = {parse(text), text};
	const struct filter_options exact = {.exact_types = true};
	struct filter *filter;

	assert_int_equal(filter_group_create(&item, 1, &exact, &filter, NULL, NULL), 0);
	filter_event_types(filter, ids, generic);
	assert_true(ids[EVENT_open]);
	assert_int_equal(count(), 2);
	filter_destroy(filter);
}

/* Every part says: this type, or a number that is large enough. */
static void add_parts(struct filter_node *all, unsigned int n)
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
		part = parse(text);
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
	const struct filter_group_item item = {&all, ""};
	struct sinsp_event event = {0};
	struct filter *filter;

	add_parts(&all, PARTS);
	last = *all.first->first; /* evt.type = ... */
	last.next = NULL;
	assert_int_equal(filter_group_create(&item, 1, &exact, &filter, NULL, NULL), 0);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		event.ev.desc = event_desc_get(id);
		if (!event.ev.desc || id == EVENT_syscall)
			continue;
		event.num = PARTS;
		assert_true(filter_match(filter, &event));
		event.num = PARTS - 1;
		assert_int_equal(filter_match(filter, &event),
				 strcmp(event.ev.desc->name, last.right->text.data) == 0);
		event.num = 0;
		assert_false(filter_match(filter, &event));
	}
	filter_destroy(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_names_of_shared),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
