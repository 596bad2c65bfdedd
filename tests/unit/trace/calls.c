/* SPDX-License-Identifier: MIT */
/* Filters made of what -e says, names of calls, and what is rejected. */
#include "trace/calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

static void expect_filter(const char *list, const char *expected)
{
	struct buf out = {0};
	struct error err = {""};

	assert_int_equal(trace_calls_append_filter(list, &out, &err), 0);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

/* Whether a list has a call. */
static bool chooses(const char *list, const char *call)
{
	struct buf out = {0};
	struct error err = {""};
	char word[64];
	bool found;

	assert_int_equal(trace_calls_append_filter(list, &out, &err), 0);
	buf_append_char(&out, '\0');
	found = snprintf(word, sizeof(word), " %s,", call) && strstr(out.data, word);
	found |= snprintf(word, sizeof(word), "(%s,", call) && strstr(out.data, word);
	found |= snprintf(word, sizeof(word), " %s)", call) && strstr(out.data, word);
	buf_finish(&out);
	return found;
}

static void makes_filters(void **state)
{
	expect_filter("openat,read", "evt.type in (read, openat)");
	expect_filter("pread64", "evt.type in (pread)");
	expect_filter("?nosuch,read", "evt.type in (read)");
	expect_filter("/^openat2?$", "evt.type in (openat, openat2)");
	expect_filter("none", "evt.num = 0");
	/* Calls without an event of their own. */
	expect_filter("uretprobe,read", "evt.type in (read, uretprobe)");
	expect_filter("/^uretprobe$", "evt.type in (uretprobe)");
	assert_true(chooses("all", "unknown") && chooses("!read", "uretprobe"));
	assert_true(!chooses("!unknown", "unknown") && !chooses("%file", "unknown"));
	assert_true(chooses("all", "read") && chooses("!none", "read"));
	assert_true(chooses("!open", "read") && !chooses("!read,write", "write"));
	assert_true(chooses("%file", "openat") && chooses("file", "execve"));
	assert_true(!chooses("%file", "read") && chooses("%desc", "read"));
	assert_true(chooses("%network", "connect") && !chooses("%net", "read"));
	assert_true(chooses("%memory", "mmap") && chooses("%signal", "kill"));
	assert_true(chooses("%process", "clone") && chooses("%ipc", "semget"));
	assert_true(chooses("%creds", "setuid") && chooses("%clock", "gettimeofday"));
	assert_true(chooses("%%stat", "newfstatat") && !chooses("%stat", "newfstatat"));
	assert_true(chooses("%lstat", "lstat") && chooses("%fstat", "fstat"));
	assert_true(chooses("%statfs", "statfs"));
}

static void expect_text(const struct buf *out, const char *expected)
{
	assert_int_equal(out->len, strlen(expected));
	assert_memory_equal(out->data, expected, out->len);
}

static void expect_signals(const char *list, bool none, const char *expected)
{
	struct buf out = {0};
	struct error err = {""};
	bool found;

	assert_int_equal(trace_calls_append_signals(list, &found, &out, &err), 0);
	assert_int_equal(found, none);
	if (expected)
		expect_text(&out, expected);
	buf_finish(&out);
}

static void makes_other_filters(void **state)
{
	struct buf out = {0};
	struct error err = {""};
	bool none;

	assert_int_equal(trace_calls_append_status("failed", &out, &err), 0);
	expect_text(&out, "evt.failed = true");
	buf_clear(&out);
	assert_int_equal(trace_calls_append_status("!failed", &out, &err), 0);
	expect_text(&out, "evt.failed = false");
	buf_clear(&out);
	assert_int_equal(trace_calls_append_status("successful,failed", &out, &err), 0);
	expect_text(&out, "evt.num > 0");
	buf_clear(&out);
	assert_int_equal(trace_calls_append_signals("SIGCHLD,int,!9", &none, &out, &err), -EINVAL);
	buf_clear(&out);
	assert_int_equal(trace_calls_append_signals("!chld,15", &none, &out, &err), 0);
	expect_text(&out, "not evt.arg.sig in (17, 15)");
	assert_false(none);
	buf_clear(&out);
	assert_int_equal(trace_calls_append_signals("none", &none, &out, &err), 0);
	assert_true(none);
	buf_clear(&out);
	expect_signals("none", true, NULL);
	expect_signals("!all", true, NULL);
	expect_signals("!none", false, "evt.num > 0");
	expect_signals("all", false, "evt.num > 0");
	trace_calls_append_operand("a\"b\\", &out);
	expect_text(&out, "\"a\\\"b\\\\\"");
	buf_finish(&out);
}

static void rejects_what_is_none(void **state)
{
	struct buf out = {0};
	struct error err = {""};

	assert_int_equal(trace_calls_append_filter("nosuch", &out, &err), -EINVAL);
	assert_non_null(strstr(err.text, "nosuch"));
	assert_int_equal(trace_calls_append_filter("%nosuch", &out, &err), -EINVAL);
	assert_int_equal(trace_calls_append_filter("/(", &out, &err), -EINVAL);
	assert_int_equal(trace_calls_append_status("detached", &out, &err), -EINVAL);
	buf_finish(&out);
}

static void expect_name(const struct event *event, const char *expected)
{
	struct buf out = {0};

	trace_calls_append_name(event, &out);
	expect_text(&out, expected);
	buf_finish(&out);
}

static void names_calls(void **state)
{
	struct event event = {.desc = event_desc_get(EVENT_pread)};
	uint16_t code = SC_kexec_load, number = 500;

	assert_string_equal(trace_calls_name(&event), "pread64");
	event = (struct event){.desc = event_desc_get(EVENT_syscall)};
	assert_string_equal(trace_calls_name(&event), "syscall");
	event.params[syscall__ID] = (struct event_param){(const uint8_t *)&code, sizeof(code)};
	assert_string_equal(trace_calls_name(&event), "kexec_load");
	expect_name(&event, "kexec_load");
	code = SC_unknown;
	expect_name(&event, "unknown");
	event.params[syscall__nativeID] = (struct event_param){(const uint8_t *)&number, 2};
	expect_name(&event, "syscall_0x1f4");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(makes_filters),
	cmocka_unit_test(makes_other_filters),
	cmocka_unit_test(rejects_what_is_none),
	cmocka_unit_test(names_calls),
};

UNIT_GROUP(tests);
