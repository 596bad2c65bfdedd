/* SPDX-License-Identifier: MIT */
/* Datagrams as a service manager receives them, on sockets of both kinds; and managers that do not
 * read. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/process/notify.h"
#include "patience.h"
#include "unit.h"
#include "util/clock.h"

#include "fake_manager.h"

#define SECOND_NS UINT64_C(1000000000)

static struct fake_manager manager;

static int setup(void **state)
{
	fake_manager_open(&manager, false);
	return 0;
}

static int setup_abstract(void **state)
{
	fake_manager_open(&manager, true);
	return 0;
}

static int teardown(void **state)
{
	fake_manager_close(&manager);
	return 0;
}

static void expect(const char *text)
{
	fake_manager_expect(&manager, text);
}

static struct notify opened(void)
{
	struct error err = {""};
	struct notify notify;

	assert_int_equal(notify_open(&notify, &err), 0);
	assert_string_equal(err.text, "");
	return notify;
}

static void test_states(void **state)
{
	struct notify notify = opened();

	assert_true(notify_is_on(&notify));
	assert_int_equal(notify_state(&notify, NOTIFY_READY, NULL), 0);
	expect("READY=1");
	assert_int_equal(notify_state(&notify, NOTIFY_STOPPING, NULL), 0);
	expect("STOPPING=1");
	expect(NULL);
	notify_close(&notify);
	assert_false(notify_is_on(&notify));
}

/* The time is that of the message, in microseconds. */
static void test_reloading(void **state)
{
	struct notify notify = opened();
	uint64_t before = clock_ns(CLOCK_MONOTONIC) / 1000, us;
	char got[128];
	int end = 0;

	assert_int_equal(notify_state(&notify, NOTIFY_RELOADING, NULL), 0);
	assert_true(fake_manager_take(&manager, got, sizeof(got)));
	assert_int_equal(sscanf(got, "RELOADING=1\nMONOTONIC_USEC=%" SCNu64 "%n", &us, &end), 1);
	assert_int_equal(end, strlen(got));
	assert_in_range(us, before, clock_ns(CLOCK_MONOTONIC) / 1000);
	notify_close(&notify);
}

static void test_status_is_one_line(void **state)
{
	struct notify notify = opened();
	char line[2000], expected[512] = "STATUS=";

	assert_int_equal(notify_status(&notify, "seen 7\nREADY=1"), 0);
	expect("STATUS=seen 7");
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(notify_status(&notify, line), 0);
	memcpy(expected + 7, line, sizeof(expected) - 8);
	expect(expected);
	notify_close(&notify);
}

static void test_no_manager(void **state)
{
	struct notify zeroed = {0}, notify;

	unsetenv("NOTIFY_SOCKET");
	setenv("WATCHDOG_USEC", "1000000", 1);
	notify = opened();
	assert_false(notify_is_on(&notify) || notify_is_on(&zeroed));
	assert_int_equal(notify_state(&notify, NOTIFY_READY, NULL), 0);
	assert_int_equal(notify_status(&zeroed, "x"), 0);
	notify_alive(&notify, SECOND_NS);
	notify_alive(&zeroed, SECOND_NS);
	expect(NULL);
	notify_close(&notify);
	notify_close(&zeroed);
}

static void reject(const char *value)
{
	struct error err = {""};
	struct notify notify;

	setenv("NOTIFY_SOCKET", value, 1);
	assert_int_equal(notify_open(&notify, &err), -EINVAL);
	assert_false(notify_is_on(&notify));
	assert_non_null(strstr(err.text, "NOTIFY_SOCKET"));
}

static void test_wrong_names(void **state)
{
	char longest[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];
	struct notify notify;

	reject("manager");
	reject("vsock:2:1234");
	reject("/");
	reject("@");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[0] = '/';
	longest[sizeof(longest) - 1] = '\0';
	reject(longest);
	longest[sizeof(longest) - 2] = '\0';
	setenv("NOTIFY_SOCKET", longest, 1);
	notify = opened();
	assert_true(notify_is_on(&notify));
	notify_close(&notify);
}

/* One that comes back, on a socket made anew, is heard by. */
static void test_manager_that_is_gone(void **state)
{
	struct notify notify = opened();
	struct error err = {""};

	fake_manager_leave(&manager);
	assert_int_equal(notify_state(&notify, NOTIFY_READY, &err), -ENOENT);
	assert_string_equal(err.text, "cannot notify the service manager of READY=1: "
				      "No such file or directory");
	fake_manager_return(&manager);
	assert_int_equal(notify_state(&notify, NOTIFY_READY, NULL), 0);
	expect("READY=1");
	notify_close(&notify);
}

/* A state waits, within its bound; the line of status and the watchdog do not. */
static void test_manager_that_does_not_read(void **state)
{
	struct notify notify = opened();
	uint64_t begin, took;
	int code = 0;

	for (int i = 0; i < 100000 && code == 0; i++)
		code = notify_status(&notify, "x");
	assert_int_equal(code, -EAGAIN);
	begin = clock_ns(CLOCK_MONOTONIC);
	assert_int_equal(notify_state(&notify, NOTIFY_READY, NULL), -EAGAIN);
	took = clock_ns(CLOCK_MONOTONIC) - begin;
	assert_in_range(took, SECOND_NS * 9 / 10, PATIENCE_NS);
	notify_close(&notify);
}

/* Half of the time that is allowed. */
static void test_watchdog(void **state)
{
	struct notify notify;

	setenv("WATCHDOG_USEC", "3000000", 1);
	notify = opened();
	notify_alive(&notify, 10 * SECOND_NS);
	expect("WATCHDOG=1");
	notify_alive(&notify, 11 * SECOND_NS);
	expect(NULL);
	notify_alive(&notify, 11 * SECOND_NS + SECOND_NS / 2);
	expect("WATCHDOG=1");
	notify_close(&notify);
}

/* A message that was not taken is sent again soon, and not on every turn of the loop. */
static void test_watchdog_is_retried(void **state)
{
	struct notify notify;

	setenv("WATCHDOG_USEC", "3000000", 1);
	notify = opened();
	fake_manager_leave(&manager);
	notify_alive(&notify, 10 * SECOND_NS);
	fake_manager_return(&manager);
	notify_alive(&notify, 10 * SECOND_NS + SECOND_NS / 20);
	expect(NULL);
	notify_alive(&notify, 10 * SECOND_NS + SECOND_NS / 5);
	expect("WATCHDOG=1");
	notify_close(&notify);
}

static void watchdog_is(bool on)
{
	struct notify notify = opened();

	notify_alive(&notify, SECOND_NS);
	expect(on ? "WATCHDOG=1" : NULL);
	notify_close(&notify);
}

static void test_whose_watchdog(void **state)
{
	static const char *const wrong[] = {"0", "-1", "", "1s", "99999999999999999999"};
	char pid[32];

	watchdog_is(false);
	setenv("WATCHDOG_USEC", "1000000", 1);
	watchdog_is(true);
	setenv("WATCHDOG_PID", "1", 1);
	watchdog_is(false);
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("WATCHDOG_PID", pid, 1);
	watchdog_is(true);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv("WATCHDOG_USEC", wrong[i], 1);
		watchdog_is(false);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_states),
	cmocka_unit_test_setup_teardown(test_states, setup_abstract, teardown),
	TEST(test_reloading),
	TEST(test_status_is_one_line),
	TEST(test_no_manager),
	TEST(test_wrong_names),
	TEST(test_manager_that_is_gone),
	TEST(test_manager_that_does_not_read),
	TEST(test_watchdog),
	TEST(test_watchdog_is_retried),
	TEST(test_whose_watchdog),
};

UNIT_GROUP(tests);
