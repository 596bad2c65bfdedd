/* SPDX-License-Identifier: MIT */
/* The kernel filters only what nothing but the filter looks at. */
#include "agent/plan/plan.h"
#include "agent/plan/pushdown.h"
#include "unit.h"
#include "viewed.h"

static struct printer none;

static bool is_filtered(struct options options, const char *filter, unsigned int id, bool at_entry)
{
	struct buf messages = {0};
	struct error err = {""};
	struct plan *plan = NULL;
	uint8_t number;

	none = (struct printer){.format = &format_none};
	options.filter = (char *)filter;
	if (plan_create(&options, &none, &plan, &messages, &err))
		fail_msg("%s", err.text);
	number = at_entry ? plan->kernel_filters.at_entry[id] : plan->kernel_filters.at_exit[id];
	if (number)
		assert_int_not_equal(plan->kernel_filters.filters[number - 1].facts, 0);
	plan_destroy(plan);
	buf_finish(&messages);
	return number;
}

static bool is_rejected(struct options options, const char *filter, unsigned int id)
{
	return is_filtered(options, filter, id, false);
}

static void test_events(void **state)
{
	const struct options options = {0}, noting = {.changed_arguments = true};
	static const char filter[] = "evt.type in (openat,getppid,clone) and proc.name=cat";

	assert_true(is_rejected(options, filter, EVENT_openat));
	assert_true(is_rejected(options, filter, EVENT_getppid));
	/* The state needs it. */
	assert_false(is_rejected(options, filter, EVENT_clone));
	assert_false(is_rejected(options, filter, EVENT_close));
	assert_false(is_rejected(options, NULL, EVENT_openat));
	/* Only what reads something on entry filters there. */
	assert_true(is_filtered(noting, filter, EVENT_openat, true));
	assert_false(is_filtered(noting, filter, EVENT_getppid, true));
	assert_false(is_filtered(options, filter, EVENT_openat, true));
}

static enum kernel_groups groups_of(const char *filter, unsigned int id)
{
	const struct options options = {.filter = (char *)filter};
	struct buf messages = {0};
	struct error err = {""};
	struct plan *plan = NULL;
	enum kernel_groups groups;

	none = (struct printer){.format = &format_none};
	assert_int_equal(plan_create(&options, &none, &plan, &messages, &err), 0);
	groups = (enum kernel_groups)plan->kernel_filters.groups[id];
	assert_true(plan->rejects_groups || !groups);
	plan_destroy(plan);
	buf_finish(&messages);
	return groups;
}

static void test_groups(void **state)
{
	static const char filter[] =
		"evt.type in (openat,getppid,clone,read) and container.id=host",
			  named[] = "evt.type in (openat,read) and container.id=host and "
				    "fd.name contains x";

	assert_int_equal(groups_of(filter, EVENT_openat), KERNEL_GROUPS_OF_ALL);
	assert_int_equal(groups_of(filter, EVENT_getppid), KERNEL_GROUPS_OF_ALL);
	assert_int_equal(groups_of(filter, EVENT_clone), KERNEL_GROUPS_OF_NONE);
	assert_int_equal(groups_of(filter, EVENT_close), KERNEL_GROUPS_OF_NONE);
	/* The state needs the descriptors that appear, for the names of what is read. */
	assert_int_equal(groups_of(named, EVENT_openat), KERNEL_GROUPS_OF_FAILED);
	assert_int_equal(groups_of(named, EVENT_read), KERNEL_GROUPS_OF_ALL);
	assert_int_equal(groups_of("evt.type=getppid and proc.name=cat", EVENT_getppid),
			 KERNEL_GROUPS_OF_NONE);
}

static enum kernel_mute mute_of(struct options options, const char *filter, unsigned int id)
{
	struct buf messages = {0};
	struct error err = {""};
	struct plan *plan = NULL;
	enum kernel_mute mute;
	bool any = false;

	none = (struct printer){.format = &format_none};
	options.filter = (char *)filter;
	assert_int_equal(plan_create(&options, &none, &plan, &messages, &err), 0);
	mute = (enum kernel_mute)plan->kernel_filters.mute[id];
	for (unsigned int other = 0; other < EVENT_ID_MAX; other++)
		any |= plan->kernel_filters.mute[other];
	assert_int_equal(plan->kernel_filters.mutes, any);
	plan_destroy(plan);
	buf_finish(&messages);
	return mute;
}

/* Of processes of which nothing can pass, what concerns nobody else is dropped. */
static void test_mutes(void **state)
{
	static const char named[] = "evt.type=read and proc.name=cat and fd.name=/x";
	const struct options options = {0}, measuring = {.request_metrics = true};
	char *command[] = {"true", NULL};

	assert_int_equal(mute_of(options, named, EVENT_read), KERNEL_MUTE_DROPS);
	assert_int_equal(mute_of(options, named, EVENT_openat), KERNEL_MUTE_DROPS);
	assert_int_equal(mute_of(options, named, EVENT_connect), KERNEL_MUTE_DROPS);
	assert_int_equal(mute_of(measuring, named, EVENT_connect), KERNEL_MUTE_KEEPS);
	assert_int_equal(mute_of(options, named, EVENT_getppid), KERNEL_MUTE_KEEPS);
	assert_int_equal(mute_of(options, named, EVENT_chdir), KERNEL_MUTE_KEEPS);
	assert_int_equal(mute_of(options, named, EVENT_procexit), KERNEL_MUTE_KEEPS);
	assert_int_equal(mute_of(options, named, EVENT_bpf), KERNEL_MUTE_KEEPS);
	assert_int_equal(mute_of(options, named, EVENT_prctl), KERNEL_MUTE_ENDS);
	assert_int_equal(mute_of(options, named, EVENT_clone), KERNEL_MUTE_ENDS);
	assert_int_equal(
		mute_of(options, "evt.type=read and container.name=x", EVENT_cgroup_attach),
		KERNEL_MUTE_ENDS);
	assert_int_equal(mute_of(options, "evt.type in (exit_group, prctl) and user.name=x",
				 EVENT_exit_group),
			 KERNEL_MUTE_KEEPS);
	/* Nothing of it is about processes alone. */
	assert_int_equal(mute_of(options, "evt.type=read and fd.name=/x", EVENT_read),
			 KERNEL_MUTE_KEEPS);
	assert_int_equal(mute_of(options, "evt.type=read and thread.tid=7", EVENT_read),
			 KERNEL_MUTE_KEEPS);
	/* Others see all, or choose themselves. */
	assert_int_equal(mute_of((struct options){.no_pushdown = true}, named, EVENT_read),
			 KERNEL_MUTE_KEEPS);
	assert_int_equal(mute_of((struct options){.full_state = true}, named, EVENT_read),
			 KERNEL_MUTE_KEEPS);
	assert_int_equal(mute_of((struct options){.command = command}, named, EVENT_read),
			 KERNEL_MUTE_KEEPS);
}

/* Opens are known to the state, for the names of what is read; failed calls change nothing. */
static void test_failed(void **state)
{
	static const char filter[] =
		"evt.type in (openat,accept,read) and proc.name=cat and fd.name=/x";
	struct kernel_facts facts = {0};
	const struct kernel_filter *made;
	struct buf messages = {0};
	struct error err = {""};
	struct plan *plan = NULL;
	const struct options options = {.filter = (char *)filter};

	none = (struct printer){.format = &format_none};
	assert_int_equal(plan_create(&options, &none, &plan, &messages, &err), 0);
	assert_true(plan->selection.events[EVENT_openat] & WHY_FILES);
	assert_int_equal(plan->kernel_filters.at_exit[EVENT_accept], 0);
	assert_int_equal(plan->kernel_filters.at_entry[EVENT_openat], 0);
	assert_int_not_equal(plan->kernel_filters.at_exit[EVENT_openat], 0);
	made = &plan->kernel_filters.filters[plan->kernel_filters.at_exit[EVENT_openat] - 1];
	assert_true(kernel_filter_passes(made, &facts));
	facts.words[KERNEL_RESULT] = (uint64_t)-2;
	assert_false(kernel_filter_passes(made, &facts));
	facts.words[KERNEL_NAME] = 'c' | 'a' << 8 | 't' << 16;
	assert_true(kernel_filter_passes(made, &facts));
	plan_destroy(plan);
	buf_finish(&messages);
}

static bool has_path_part(const char *filter)
{
	const struct options options = {.filter = (char *)filter};
	struct buf messages = {0};
	struct error err = {""};
	struct plan *plan = NULL;
	uint8_t number;

	none = (struct printer){.format = &format_none};
	if (plan_create(&options, &none, &plan, &messages, &err))
		fail_msg("%s", err.text);
	number = plan->kernel_filters.at_path[EVENT_openat];
	if (number)
		assert_true(plan->kernel_filters.filters[number - 1].facts & KERNEL_FACTS_OF_PATHS);
	plan_destroy(plan);
	buf_finish(&messages);
	return number;
}

/* Of files that the state needs to know, the path decides nothing. */
static void test_path(void **state)
{
	assert_true(has_path_part("evt.type=openat and fd.name=/x"));
	assert_true(has_path_part("evt.type=openat and fd.name endswith .so and evt.failed=false"));
	assert_false(has_path_part("evt.type=openat and proc.name=cat"));
	assert_false(has_path_part("evt.type in (openat,read) and fd.name=/x"));
}

/* What else looks at all events, or counts them. */
static void test_others(void **state)
{
	static const char filter[] = "evt.type=getppid and proc.name=cat";

	assert_true(is_rejected((struct options){0}, filter, EVENT_getppid));
	assert_false(is_rejected((struct options){.no_pushdown = true}, filter, EVENT_getppid));
	assert_false(is_rejected((struct options){.write = "x.scap"}, filter, EVENT_getppid));
	assert_false(is_rejected((struct options){.read = "x.scap"}, filter, EVENT_getppid));
	assert_false(
		is_rejected((struct options){0}, "proc.name=cat and evt.num<9", EVENT_getppid));
	assert_false(is_rejected((struct options){0}, "proc.name=cat and evt.deltatime>9",
				 EVENT_getppid));
}

/* What the kernel counts in place of events for a view. */
static void expect_counted(const char *rest, const char *filter, uint32_t by, bool syncs,
			   bool switches)
{
	struct options options = {.filter = (char *)filter};
	struct buf messages = {0};
	struct error err = {""};
	struct plan *plan = NULL;

	none = (struct printer){.format = &format_none};
	options.view = viewed_read(rest);
	if (plan_create(&options, &none, &plan, &messages, &err))
		fail_msg("%s", err.text);
	assert_int_equal(plan->call_rows_by, by);
	assert_int_equal(plan->counted[EVENT_fsync], syncs);
	assert_int_equal(plan->counted[EVENT_switch], switches);
	assert_int_equal(pushdown_counts_kinds(plan), (by & BY_KIND) != 0);
	/* Whatever makes a process or ends it, the state needs. */
	assert_false(plan->counted[EVENT_clone] || plan->counted[EVENT_procexit]);
	plan_destroy(plan);
	views_view_destroy(options.view);
	buf_finish(&messages);
}

static void test_counted(void **state)
{
	static const char filter[] = "syscall.type exists";

	expect_counted(VIEW("keys: [evt.type]\nvalues:\n- {name: n, aggregate: count}\n"), filter,
		       0, true, false);
	expect_counted(VIEW("keys: [evt.cpu, evt.res]\nvalues:\n- {name: n, aggregate: count}\n"),
		       filter, BY_CPU | BY_RESULT, true, false);
	expect_counted(VIEW("keys: [proc.name]\nvalues:\n- {name: n, aggregate: count}\n"), filter,
		       BY_THREAD, true, false);
	expect_counted(VIEW("keys: [proc.name]\nvalues:\n- {name: n, aggregate: count}\n"),
		       "evt.type in (fsync, switch)", BY_THREAD, true, true);
	/* Only of transfers the kernel finds what the descriptor is. */
	expect_counted(VIEW("keys: [proc.pid]\nvalues:\n- {name: n, aggregate: sum, field: "
			    "evt.buflen.file}\n"),
		       filter, BY_THREAD | BY_KIND | BY_RESULT, false, false);
	expect_counted(VIEW("keys: [fd.name]\nvalues:\n- {name: n, aggregate: count}\n"), filter, 0,
		       false, false);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_events),	cmocka_unit_test(test_groups), cmocka_unit_test(test_mutes),
	cmocka_unit_test(test_counted), cmocka_unit_test(test_failed), cmocka_unit_test(test_path),
	cmocka_unit_test(test_others),
};

UNIT_GROUP(tests);
