/* SPDX-License-Identifier: MIT */
/* The roles of events: they name parameters of the types that their users read. */
#include "event/event.h"
#include "unit.h"

static const struct event_desc *desc;

/* `param` is an index plus 1, 0 for none. Returns whether there is one. */
static bool check_type(unsigned int param, enum param_type type)
{
	assert_in_range(param, 0, desc->nparams);
	if (param && desc->params[param - 1].type != type)
		fail_msg("%s: %s has another type", desc->name, desc->params[param - 1].name);
	return param;
}

static void check_path(unsigned int param, bool may_be_text)
{
	enum param_type type = param ? desc->params[param - 1].type : PT_FSPATH;

	if (type != PT_FSPATH && type != PT_FSRELPATH && !(may_be_text && type == PT_CHARBUF))
		fail_msg("%s: %s is no path", desc->name, desc->params[param - 1].name);
}

static void check_opens(const struct event_opens *opens)
{
	const struct param_flag *file_flags = event_desc_get(EVENT_open)->params[open__flags].set;

	check_path(opens->name, false);
	if (check_type(opens->flags, PT_FLAGS32))
		assert_ptr_equal(desc->params[opens->flags - 1].set, file_flags);
	check_type(opens->mode, PT_UINT32);
	check_type(opens->resolve, PT_FLAGS32);
	assert_true(check_type(opens->dev, PT_UINT32) && check_type(opens->ino, PT_UINT64));
	assert_true(desc->flags & EF_CREATES_FD && !(desc->flags & EF_USES_FD));
	assert_true(desc->params[0].type == PT_FD && desc->params[0].is_result);
}

static void check_paths(const struct event_paths *paths)
{
	if (paths->name && desc->params[paths->name - 1].type != PT_FD)
		check_path(paths->name, true);
	check_path(paths->source, true);
	check_path(paths->target, true);
	check_path(paths->abs, false);
	check_path(paths->abs_dst, false);
	assert_true(paths->abs || !paths->abs_dst);
	assert_int_equal(!paths->source, !paths->target);
}

static void all_events(void **state)
{
	unsigned int opens = 0, paths = 0, connects = 0, runs = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		desc = event_desc_get(id);
		if (!desc)
			continue;
		if (desc->opens.name)
			check_opens(&desc->opens);
		opens += desc->opens.name != 0;
		check_paths(&desc->paths);
		paths += desc->paths.name || desc->paths.source;
		connects += check_type(desc->connects, PT_SOCKTUPLE);
		/* Each event of a program that begins, and no other, has its arguments. */
		if (check_type(desc->runs.args, PT_BYTEBUF))
			assert_true(desc->flags & (EF_EXECS | EF_MAKES_TASK));
		assert_true(!check_type(desc->runs.env, PT_BYTEBUF) || desc->flags & EF_EXECS);
		runs += desc->runs.args != 0;
		if (desc->flags & EF_TRANSFERS)
			assert_true(desc->flags & EF_USES_FD && desc->params[0].is_result);
	}
	assert_true(opens >= 5 && paths >= 25);
	assert_int_equal(connects, 3);
	assert_int_equal(runs, 6);
}

static void some_events(void **state)
{
	const struct event_opens *opens = &event_descs[EVENT_openat2].opens;
	const struct event_paths *paths = &event_descs[EVENT_linkat].paths;

	assert_int_equal(opens->name, openat2__name + 1);
	assert_int_equal(opens->flags, openat2__flags + 1);
	assert_int_equal(opens->mode, openat2__mode + 1);
	assert_int_equal(opens->resolve, openat2__resolve + 1);
	assert_int_equal(opens->dev, openat2__dev + 1);
	assert_int_equal(opens->ino, openat2__ino + 1);
	assert_int_equal(opens->flags_argument, 0);
	assert_int_equal(event_descs[EVENT_openat].opens.flags_argument, 2);
	assert_int_equal(event_descs[EVENT_creat].opens.flags, 0);
	assert_int_equal(event_descs[EVENT_read].opens.name, 0);
	assert_int_equal(paths->source, linkat__newpath + 1);
	assert_int_equal(paths->target, linkat__oldpath + 1);
	assert_int_equal(paths->abs, linkat__oldpath + 1);
	assert_int_equal(paths->abs_dst, linkat__newpath + 1);
	assert_int_equal(event_descs[EVENT_connect].connects, connect__tuple + 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(all_events),
	cmocka_unit_test(some_events),
};

UNIT_GROUP(tests);
