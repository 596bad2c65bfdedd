/* SPDX-License-Identifier: MIT */
/* The tables of -S, on events with known threads and descriptors. */
#include <stdio.h>
#include <string.h>

#include "agent/run/summary.h"
#include "drive.h"
#include "unit.h"

static struct drive drive;
static struct summary *summary;

static int setup(void **state)
{
	drive_create(&drive, NULL);
	return summary_create(&summary);
}

static int teardown(void **state)
{
	summary_destroy(summary);
	drive_destroy(&drive);
	return 0;
}

static void expect(bool all, const char *text)
{
	struct buf got = {0};

	summary_append(summary, all, &got);
	buf_append_char(&got, '\0');
	assert_false(got.failed);
	assert_string_equal(got.data, text);
	buf_finish(&got);
}

static void test_nothing(void **state)
{
	expect(false, "0 events, 0 of them failed calls\n");
}

static void test_tables(void **state)
{
	drive_exec(&drive, 100, "cat");
	drive_exec(&drive, 200, "ls");
	drive_open(&drive, 100, 3, "/etc/passwd", 1);
	summary_count(summary, &drive.event);
	for (int i = 0; i < 3; i++)
		summary_count(summary, drive_read(&drive, 100, 5, 3));
	summary_count(summary, drive_read(&drive, 100, -11, 3));
	summary_count(summary, drive_open(&drive, 200, -2, "/no/such", 1));
	/* Calls that share the generic event have their own names. */
	summary_count(summary, drive_any(&drive, 200));
	expect(false, "7 events, 2 of them failed calls\n"
		      "\n"
		      "     COUNT    FAILED  CALL\n"
		      "         4         1  read\n"
		      "         2         1  open\n"
		      "         1            getppid\n"
		      "\n"
		      "     COUNT    FAILED  PID       PROCESS\n"
		      "         5         1  100       cat\n"
		      "         2         1  200       ls\n"
		      "\n"
		      "     COUNT    FAILED  TYPE      DESCRIPTOR\n"
		      "         5         1  file      /etc/passwd\n");
}

/* The threads of a process are one, under the name that it had last. */
static void test_process(void **state)
{
	drive_exec(&drive, 100, "sh");
	summary_count(summary, drive_any(&drive, 100));
	summary_count(summary, drive_exec(&drive, 100, "cat"));
	drive_clone(
		&drive, 100, 101,
		&(struct drive_clone){
			.pid = 100, .ptid = 1, .comm = "cat", .flags = clone_flags__CLONE_THREAD});
	summary_count(summary, drive_any(&drive, 101));
	expect(false, "3 events, 0 of them failed calls\n"
		      "\n"
		      "     COUNT    FAILED  CALL\n"
		      "         2            getppid\n"
		      "         1            execve\n"
		      "\n"
		      "     COUNT    FAILED  PID       PROCESS\n"
		      "         3            100       cat\n");
}

/* What terminals would obey is not printed. */
static void test_control_characters(void **state)
{
	struct buf text = {0};

	drive_exec(&drive, 100, "a\x1b[2Jb\xc2\x9b");
	summary_count(summary, drive_open(&drive, 100, 3, "/tmp/\x1b]0;x\x07\nend\xe2\x80\xae\xff", 1));
	summary_append(summary, false, &text);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "100       a.[2Jb..\n"));
	assert_non_null(strstr(text.data, "file      /tmp/.]0;x..end....\n"));
	assert_null(strchr(text.data, '\x1b'));
	buf_finish(&text);
}

/* The most frequent are shown, and the sum of the others. */
static void test_top(void **state)
{
	struct buf text = {0};
	unsigned int lines = 0;
	char name[32];

	drive_exec(&drive, 100, "cat");
	for (int i = 0; i < SUMMARY_TOP + 5; i++) {
		snprintf(name, sizeof(name), "/tmp/%02d", i);
		summary_count(summary, drive_open(&drive, 100, 3, name, 1));
		if (i >= 5)
			summary_count(summary, drive_read(&drive, 100, 1, 3));
	}
	summary_append(summary, false, &text);
	buf_append_char(&text, '\0');
	assert_non_null(strstr(text.data, "         2            file      /tmp/24\n"
					  "         5            (5 more)\n"));
	assert_null(strstr(text.data, "/tmp/04"));
	buf_finish(&text);
	text = (struct buf){0};
	summary_append(summary, true, &text);
	buf_append_char(&text, '\0');
	for (const char *at = text.data; (at = strstr(at, "/tmp/")); at++)
		lines++;
	assert_int_equal(lines, SUMMARY_TOP + 5);
	assert_null(strstr(text.data, "more)"));
	buf_finish(&text);
}

/* Descriptors beyond the table are counted, however many there are. */
static void test_full(void **state)
{
	enum { NAMES = 20000 };
	unsigned long long rest = 0;
	struct buf text = {0};
	unsigned int rows = 0;
	char name[32];
	const char *at;

	drive_exec(&drive, 100, "cat");
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "/tmp/%d", i);
		summary_count(summary, drive_open(&drive, 100, 3, name, 1));
	}
	summary_append(summary, true, &text);
	buf_append_char(&text, '\0');
	for (at = text.data; (at = strstr(at, "/tmp/")); at++)
		rows++;
	at = strstr(text.data, "(others: the table was full)");
	assert_non_null(at);
	while (at[-1] != '\n')
		at--;
	assert_int_equal(sscanf(at, "%llu", &rest), 1);
	assert_int_equal(rows + rest, NAMES);
	assert_in_range(rows, 8000, 8192);
	buf_finish(&text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
	cmocka_unit_test_setup_teardown(test_tables, setup, teardown),
	cmocka_unit_test_setup_teardown(test_process, setup, teardown),
	cmocka_unit_test_setup_teardown(test_control_characters, setup, teardown),
	cmocka_unit_test_setup_teardown(test_top, setup, teardown),
	cmocka_unit_test_setup_teardown(test_full, setup, teardown),
};

UNIT_GROUP(tests);
