/* SPDX-License-Identifier: MIT */
/* Which types of events a filter lets through, as known in advance and as found event by event. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sinsp/filter/filter.h"
#include "unit.h"

static bool ids[EVENT_ID_MAX], generic[SYSCALL_CODES_COUNT];

static struct filter *create(const char *text, bool exact)
{
	const struct filter_options options = {.exact_types = exact};
	struct filter_error err;
	struct filter *filter;

	if (filter_create(text, &options, &filter, &err))
		fail_msg("%s: column %u: %s", text, err.column, err.text);
	return filter;
}

/* An event without parameters; of the generic kind for a code that has no event of its own. */
static struct state_event event_of(const struct event_desc *desc, const uint16_t *code)
{
	struct state_event event = {.ev.desc = desc};

	if (desc->id == EVENT_syscall) {
		event.ev.params[syscall__ID].data = (const uint8_t *)code;
		event.ev.params[syscall__ID].len = sizeof(*code);
	}
	return event;
}

/* Nothing passes that was excluded in advance. */
static void check_never_too_little(struct filter *filter, const char *text)
{
	uint16_t code = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		struct state_event event;

		if (!desc || id == EVENT_syscall)
			continue;
		event = event_of(desc, &code);
		if (filter_match(filter, &event) && !ids[id])
			fail_msg("'%s' lets %s through", text, desc->name);
	}
	for (code = 0; code < SYSCALL_CODES_COUNT; code++) {
		struct state_event event = event_of(event_desc_get(EVENT_syscall), &code);

		if (event_desc_of_syscall(code)->id == EVENT_syscall &&
		    filter_match(filter, &event) && !(generic[code] && ids[EVENT_syscall]))
			fail_msg("'%s' lets %s through", text, syscall_name(code));
	}
}

/* The types in `names` (separated by blanks; with > on entry) and no others can pass. */
static void check_types(const char *text, bool exact, const char *names)
{
	struct filter *filter = create(text, exact);
	struct buf found = {0};

	filter_event_types(filter, ids, generic);
	check_never_too_little(filter, text);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (ids[id] && id != EVENT_syscall)
			buf_printf(&found, " %s%s", event_desc_get(id)->name,
				   event_desc_get(id)->flags & EF_ENTER ? ">" : "");
	for (unsigned int code = 0; code < SYSCALL_CODES_COUNT; code++)
		if (generic[code])
			buf_printf(&found, " %s", syscall_name(code));
	buf_append_char(&found, '\0');
	if (strcmp(found.data + (found.len > 1), names) != 0)
		fail_msg("'%s': expected '%s', found '%s'", text, names, found.data + 1);
	buf_finish(&found);
	filter_destroy(filter);
}

static void test_names(void **state)
{
	check_types("evt.type = openat", false, "openat> openat");
	check_types("evt.type = open", false, "open> open openat> openat openat2> openat2");
	check_types("evt.type = open", true, "open> open");
	check_types("syscall.type = open", false, "open> open openat> openat openat2> openat2");
	check_types("evt.type in (unlink, pipe)", false, "pipe unlink unlinkat pipe2");
	check_types("evt.type in (unlink, pipe)", true, "pipe unlink");
	check_types("evt.type intersects (dup2)", false, "dup2 dup3");
	check_types("evt.type = anyof (dup2, dup)", false, "dup2 dup3 dup");
	check_types("evt.type = oneof (open, openat)", false, "open> open openat2> openat2");
	check_types("evt.type = getppid", false, "getppid");
	check_types("evt.type = procinfo", false, "procinfo");
	check_types("evt.type = container", false, "container");
	check_types("evt.type = ''", false, "");
	check_types("evt.type in ()", false, "");
	check_types("evt.type = pread64", false, "pread");
	check_types("evt.type = pread64", true, "");
	check_types("evt.type = pread", true, "pread");
	check_types("syscall.type glob 'unlink*'", false, "unlink unlinkat");
	check_types("evt.type startswith openat", false, "openat> openat openat2> openat2");
	check_types("evt.type = procexit", false, "procexit");
	check_types("syscall.type = procexit", false, "");
}

static void test_combined(void **state)
{
	check_types("evt.type = open and evt.rawres < 0", false,
		    "open> open openat> openat openat2> openat2");
	check_types("evt.type = dup or evt.type = dup3", false, "dup3 dup");
	check_types("evt.type = open and evt.type = openat", false, "openat> openat");
	check_types("evt.type = open and not evt.type = openat", false,
		    "open> open openat2> openat2");
	check_types("evt.type = open and evt.type != openat", false, "open> open openat2> openat2");
	check_types("not (evt.type != open)", false, "open> open openat> openat openat2> openat2");
	check_types("not (evt.type != open or evt.rawres < 0)", false,
		    "open> open openat> openat openat2> openat2");
	check_types("evt.type = dup and not evt.rawres < 0", false, "dup");
	check_types("(evt.type = dup or evt.num = 1) and evt.type in (dup, close)", false,
		    "close dup");
	check_types("evt.type = dup and evt.type = close", false, "");
	check_types("evt.type = openat and evt.dir = <", false, "openat");
	check_types("evt.type = openat and evt.dir = >", false, "openat>");
	check_types("evt.type.is.openat = 1", false, "openat");
	check_types("evt.arg.resolve exists", false, "openat2> openat2");
	check_types("evt.rawarg.resolve = 1", false, "openat2> openat2");
	check_types("evt.type in (openat, openat2) and not evt.arg.resolve exists", false,
		    "openat> openat openat2> openat2");
}

/* Filters that say nothing about types: everything. */
static void test_all(void **state)
{
	static const char *const texts[] = {
		"evt.num = 1",
		"not evt.type = dup",
		"evt.type = dup or evt.num = 1",
		"evt.type = val(syscall.type)",
		"tolower(evt.type) = dup",
		"evt.type exists",
		"not evt.arg.resolve exists",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct filter *filter = create(texts[i], false);

		filter_event_types(filter, ids, generic);
		check_never_too_little(filter, texts[i]);
		assert_true(ids[EVENT_openat] && ids[EVENT_close] && ids[EVENT_syscall]);
		assert_true(generic[SC_bdflush]);
		assert_false(generic[SC_openat]);
		assert_int_equal(ids[EVENT_dup], i != 1);
		filter_destroy(filter);
	}
}

static bool matches(const char *text, const struct state_event *event)
{
	struct filter *filter = create(text, false);
	bool result = filter_match(filter, event);

	filter_destroy(filter);
	return result;
}

static void test_at_run_time(void **state)
{
	uint16_t code = SC_bdflush, wild = 60000;
	struct state_event openat = event_of(event_desc_get(EVENT_openat), NULL);
	struct state_event bdflush = event_of(event_desc_get(EVENT_syscall), &code);
	struct state_event unknown = event_of(event_desc_get(EVENT_syscall), &wild);

	assert_true(matches("evt.type = open", &openat));
	assert_false(matches("evt.type != open", &openat));
	assert_true(matches("evt.type != openat2", &openat));
	assert_true(matches("evt.type in (read, open)", &openat));
	assert_false(matches("evt.type = open", &bdflush));
	assert_true(matches("evt.type = bdflush", &bdflush));
	assert_true(matches("syscall.type = bdflush", &bdflush));
	assert_true(matches("evt.type != getpid", &bdflush));
	assert_false(matches("evt.type = bdflush", &unknown));
}

static void test_unknown_names(void **state)
{
	struct filter_error err;
	struct filter *filter;

	assert_int_equal(filter_create("evt.type = opena", NULL, &filter, &err), -EINVAL);
	assert_int_equal(err.column, 12);
	assert_string_equal(err.text, "unknown event type 'opena'; did you mean 'open'?");
	assert_int_equal(filter_create("evt.type in (read, qqqqqqqq)", NULL, &filter, &err),
			 -EINVAL);
	assert_int_equal(err.column, 20);
	assert_string_equal(err.text, "unknown event type 'qqqqqqqq'");
	filter_destroy(create("syscall.type = whatever", false));
}

/* evt.rawarg has the type of its parameter. */
static void test_raw_parameters(void **state)
{
	struct filter_error err;
	struct filter *filter;

	filter_destroy(create("evt.rawarg.fd >= -1", false));
	filter_destroy(create("evt.rawarg.name contains x", false));
	filter_destroy(create("evt.rawarg.data exists", false));
	filter_destroy(create("evt.rawarg.val exists", false));
	filter_destroy(create("evt.rawarg.fds exists", false));
	assert_int_equal(filter_create("evt.rawarg.val = 1", NULL, &filter, &err), -EINVAL);
	assert_int_equal(filter_create("evt.rawarg.fds contains 3", NULL, &filter, &err), -EINVAL);
	assert_int_equal(filter_create("evt.rawarg.data contains x", NULL, &filter, &err), -EINVAL);
	assert_int_equal(filter_create("evt.rawarg.fd = x", NULL, &filter, &err), -EINVAL);
	assert_int_equal(filter_create("evt.rawarg.addr = x", NULL, &filter, &err), -EINVAL);
}

static void test_flags(void **state)
{
	struct filter *filter = create("evt.type = dup and (evt.num = 1 or not evt.dir = >)", false);

	assert_true(filter_flags(filter) & FIELD_DEPRECATED);
	assert_true(filter_flags(filter) & FIELD_OF_TYPE);
	filter_destroy(filter);
	filter = create("evt.num = 1", false);
	assert_int_equal(filter_flags(filter), FIELD_OF_PAST);
	filter_destroy(filter);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),	      cmocka_unit_test(test_combined),
	cmocka_unit_test(test_all),	      cmocka_unit_test(test_at_run_time),
	cmocka_unit_test(test_unknown_names), cmocka_unit_test(test_raw_parameters),
	cmocka_unit_test(test_flags),
};

UNIT_GROUP(tests);
