/* SPDX-License-Identifier: MIT */
/* What is counted of events, what has no room, and what merging gives. */
#include "views/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contained.h"
#include "unit.h"
#include "viewed.h"

#define BY_NAME "keys: [proc.name]\n"
#define COUNTED "values:\n- {name: n, aggregate: count}\n"

static void counts_by_key(void **state)
{
	struct viewed viewed;

	viewed_create(&viewed, VIEW(BY_NAME COUNTED), 0, 0);
	for (unsigned int i = 0; i < 3; i++)
		viewed_open(&viewed, 200, 3, "/a");
	viewed_open(&viewed, 100, -2, "/b");
	/* Of a thread that is not known. */
	views_engine_take(viewed.engine, drive_any(&viewed.drive, 300));
	viewed_expect(&viewed, "cat 3\nsh 1\n- 1\n");
	views_engine_clear(viewed.engine);
	viewed_expect(&viewed, "");
	viewed_open(&viewed, 100, 3, "/b");
	viewed_expect(&viewed, "sh 1\n");
	viewed_destroy(&viewed);
}

static void has_all_aggregates(void **state)
{
	struct viewed viewed;
	char *text;

	viewed_create(
		&viewed,
		VIEW(BY_NAME
		     "values:\n- {name: n, aggregate: count, field: evt.rawres}\n"
		     "- {name: sum, aggregate: sum, field: evt.rawres}\n"
		     "- {name: mean, aggregate: mean, field: evt.rawres}\n"
		     "- {name: min, aggregate: min, field: evt.rawres}\n"
		     "- {name: max, aggregate: max, field: evt.rawres}\n"
		     "- {name: last, aggregate: last, field: evt.rawres}\n"
		     "- {name: type, aggregate: last, field: evt.type}\n"
		     "- {name: distinct, aggregate: distinct, field: evt.rawres}\n"
		     "- {name: rate, aggregate: rate, field: evt.rawres}\n"
		     "- {name: per, aggregate: rate}\n"
		     "- {name: p50, aggregate: percentile, percentile: 50, field: evt.latency}\n"
		     "- {name: small, aggregate: count, if: 'evt.rawres < 10'}\n"),
		0, 0);
	viewed_write(&viewed, 100, 5, 10);
	viewed_write(&viewed, 100, 20, 20);
	viewed_write(&viewed, 100, 5, 30);
	viewed_open(&viewed, 100, 3, "/a");
	text = viewed_rows(&viewed, 0, 2000000000);
	assert_string_equal(text, "sh 4 33 8.25 3 20 3 open 3 16.50 2.00 20 3\n");
	free(text);
	/* Without a time there are no rates. */
	viewed_expect(&viewed, "sh 4 33 8.25 3 20 3 open 3 - - 20 3\n");
	viewed_destroy(&viewed);
}

/* Values of the same field share what is kept. */
static void keeps_what_is_shared_once(void **state)
{
	struct views_view *view =
		viewed_read(VIEW("values:\n- {name: a, aggregate: sum, field: evt.rawres}\n"
				 "- {name: b, aggregate: mean, field: evt.rawres}\n"
				 "- {name: c, aggregate: rate, field: evt.rawres}\n"
				 "- {name: d, aggregate: percentile, percentile: 50, field: "
				 "evt.rawres}\n"
				 "- {name: e, aggregate: percentile, percentile: 99, field: "
				 "evt.rawres}\n"
				 "- {name: f, aggregate: sum, field: evt.buflen.in}\n"));

	assert_int_equal(view->cells_count, 3);
	views_view_destroy(view);
}

static void sorts_as_asked(void **state)
{
	struct error err = {""};
	struct viewed viewed;
	char *text;

	viewed_create(&viewed, VIEW("keys: [fs.path.name]\n" COUNTED), 0, 0);
	viewed_open(&viewed, 100, 3, "/a");
	viewed_open(&viewed, 100, 3, "/c");
	viewed_open(&viewed, 100, 3, "/c");
	viewed_open(&viewed, 100, 3, "/b");
	viewed_expect(&viewed, "/c 2\n/a 1\n/b 1\n");
	assert_int_equal(views_view_sort(viewed.view, "fs.path.name", &err), 0);
	viewed_expect(&viewed, "/a 1\n/b 1\n/c 2\n");
	assert_int_equal(views_view_sort(viewed.view, " -n , -fs.path.name ", &err), 0);
	viewed_expect(&viewed, "/b 1\n/a 1\n/c 2\n");
	text = viewed_rows(&viewed, 1, 0);
	assert_string_equal(text, "/b 1\n");
	free(text);
	assert_int_equal(views_view_sort(viewed.view, "nn", &err), -EINVAL);
	assert_non_null(strstr(err.text, "did you mean 'n'?"));
	viewed_destroy(&viewed);
}

/* No event is lost silently. */
static void crowds_what_has_no_room(void **state)
{
	struct views_rows rows;
	struct viewed viewed;
	char name[16];

	viewed_create(&viewed, VIEW("keys: [fs.path.name]\n" COUNTED), 100, 0);
	for (unsigned int i = 0; i < 150; i++) {
		snprintf(name, sizeof(name), "/f%u", i);
		viewed_open(&viewed, 100, 3, name);
	}
	/* A group that has room still counts. */
	viewed_open(&viewed, 100, 3, "/f7");
	views_engine_rows(viewed.engine, 0, 0, &rows);
	assert_int_equal(rows.total, 100);
	assert_non_null(rows.crowd);
	assert_int_equal(views_engine_losses(viewed.engine)->crowded, 50);
	views_engine_clear(viewed.engine);
	viewed_open(&viewed, 100, 3, "/g");
	viewed_expect(&viewed, "/g 1\n");
	viewed_destroy(&viewed);
}

static void stays_within_its_memory(void **state)
{
	struct views_rows rows;
	struct viewed viewed;
	char name[64];

	viewed_create(&viewed, VIEW("keys: [fs.path.name]\n" COUNTED), 0, 4096);
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "/a/long/name/of/a/file/%u", i);
		viewed_open(&viewed, 100, 3, name);
	}
	views_engine_rows(viewed.engine, 0, 0, &rows);
	assert_in_range(rows.total, 10, 60);
	assert_int_equal(views_engine_losses(viewed.engine)->crowded +
				 views_engine_losses(viewed.engine)->forgotten,
			 1000 - rows.total);
	viewed_destroy(&viewed);
}

static void skips_without_a_value(void **state)
{
	struct viewed viewed;

	viewed_create(&viewed, VIEW("keys: [{field: fs.path.name, missing: skip}]\n" COUNTED), 0,
		      0);
	viewed_open(&viewed, 100, 3, "/a");
	views_engine_take(viewed.engine, drive_any(&viewed.drive, 100));
	viewed_expect(&viewed, "/a 1\n");
	assert_int_equal(views_engine_losses(viewed.engine)->without_key, 1);
	viewed_destroy(&viewed);
}

static void a_list_has_a_row_for_each_event(void **state)
{
	struct viewed viewed;

	viewed_create(&viewed, VIEW("kind: list\nkeys: [proc.name, fs.path.name]\n"), 0, 0);
	viewed_open(&viewed, 200, 3, "/b");
	viewed_open(&viewed, 100, 3, "/a");
	viewed_open(&viewed, 200, 3, "/b");
	viewed_expect(&viewed, "cat /b\nsh /a\ncat /b\n");
	viewed_destroy(&viewed);
}

/* Those that are sorted keep the first rows, however many there were. */
static void a_sorted_list_keeps_its_first_rows(void **state)
{
	struct views_rows rows;
	struct viewed viewed;
	char *text;

	viewed_create(&viewed,
		      VIEW("kind: list\nkeys: [evt.rawres]\nsort: -evt.rawres\nlimit: 3\n"), 0, 0);
	for (int i = 1; i <= 5000; i++)
		viewed_write(&viewed, 100, i * 7919 % 5003, 10);
	text = viewed_rows(&viewed, 3, 0);
	assert_string_equal(text, "5002\n5001\n5000\n");
	free(text);
	views_engine_rows(viewed.engine, 3, 0, &rows);
	assert_int_equal(rows.total, 5000);
	assert_int_equal(views_engine_losses(viewed.engine)->forgotten, 0);
	viewed_destroy(&viewed);
}

/* Without a limit, those that there is room for, and not all of them are sorted for each event. */
static void a_sorted_list_has_a_bound(void **state)
{
	struct views_rows rows;
	struct viewed viewed;
	char *text;

	viewed_create(&viewed, VIEW("kind: list\nkeys: [evt.rawres]\nsort: -evt.rawres\n"), 4096,
		      0);
	for (int i = 1; i <= 40000; i++)
		viewed_write(&viewed, 100, i, 10);
	text = viewed_rows(&viewed, 3, 0);
	assert_string_equal(text, "40000\n39999\n39998\n");
	free(text);
	views_engine_rows(viewed.engine, 0, 0, &rows);
	assert_int_equal(rows.total, 40000);
	assert_in_range(rows.count, 2048, 4096);
	for (uint32_t i = 0; i < rows.count; i++) {
		struct field_value value;

		assert_true(views_group_key(viewed.engine, rows.list[i], 0, &value));
		assert_int_equal(value.i64, 40000 - i);
	}
	assert_int_equal(views_engine_losses(viewed.engine)->forgotten, 0);
	viewed_destroy(&viewed);
}

/* Also when memory ends before the rows are as many as it keeps. */
static void a_sorted_list_without_memory_keeps_its_first_rows(void **state)
{
	struct views_rows rows;
	struct viewed viewed;
	char *text;

	viewed_create(&viewed,
		      VIEW("kind: list\nkeys: [evt.rawres]\nsort: -evt.rawres\nlimit: 2000\n"), 0,
		      32768);
	for (int i = 1; i <= 9000; i++)
		viewed_write(&viewed, 100, i, 10);
	text = viewed_rows(&viewed, 2, 0);
	assert_string_equal(text, "9000\n8999\n");
	free(text);
	views_engine_rows(viewed.engine, 2000, 0, &rows);
	assert_int_equal(rows.total, 9000);
	assert_in_range(rows.count, 100, 1000);
	viewed_destroy(&viewed);
}

static void count_call(struct viewed *viewed, int64_t tid, unsigned int code)
{
	frame_put_i64(drive_begin(&viewed->drive, EVENT_syscall, tid), syscall__ID, code);
	views_engine_take(viewed->engine, drive_end(&viewed->drive));
}

/* The keys of threads and of types are made once, until something changes them. */
static void keys_of_threads_and_types_follow_their_changes(void **state)
{
	struct viewed viewed;

	viewed_create(&viewed,
		      VIEW("keys: [proc.name, evt.type]\nsort: proc.name,evt.type\n" COUNTED), 4,
		      0);
	for (unsigned int i = 0; i < 2; i++) {
		viewed_open(&viewed, 100, 3, "/a");
		viewed_write(&viewed, 100, 1, 10);
		viewed_open(&viewed, 200, 3, "/a");
	}
	viewed_expect(&viewed, "cat open 2\nsh open 2\nsh write 2\n");
	drive_exec(&viewed.drive, 100, "ls");
	viewed_open(&viewed, 100, 3, "/a");
	viewed_open(&viewed, 100, 3, "/a");
	/* No row is left for these. */
	viewed_write(&viewed, 100, 1, 10);
	viewed_write(&viewed, 100, 1, 10);
	viewed_expect(&viewed, "cat open 2\nls open 2\nsh open 2\nsh write 2\ncrowd - - 2\n");
	assert_int_equal(views_engine_losses(viewed.engine)->crowded, 2);
	views_engine_clear(viewed.engine);
	viewed_write(&viewed, 100, 1, 10);
	/* One event has the names of many calls, and threads that are not known have no name. */
	count_call(&viewed, 100, SC_getppid);
	count_call(&viewed, 100, SC_getuid);
	viewed_write(&viewed, 300, 1, 10);
	viewed_write(&viewed, 300, 1, 10);
	viewed_expect(&viewed, "ls getppid 1\nls getuid 1\nls write 1\n- write 2\n");
	viewed_destroy(&viewed);
}

/* Moves a thread to a container with that name, or gives its container another one. */
static void set_container(struct viewed *viewed, int64_t tid, const char *name)
{
	static const char group[] = "memory=/docker/" CONTAINER_ID;
	struct state_containers *containers = &viewed->drive.state->containers;
	struct state_thread *thread = drive_thread(&viewed->drive, tid);
	struct state_container_info *info = contained_info();

	info->name = name;
	state_thread_set_cgroups(containers, thread, group, sizeof(group));
	state_container_set_info(containers, thread->cgroups->container, STATE_META_OK, info);
}

static void keys_of_containers_follow_their_changes(void **state)
{
	struct viewed viewed;

	viewed_create(
		&viewed,
		VIEW("keys: [container.name, proc.name]\nsort: container.name,proc.name\n" COUNTED),
		0, 0);
	set_container(&viewed, 100, "web");
	viewed_write(&viewed, 100, 1, 10);
	viewed_write(&viewed, 100, 1, 10);
	viewed_write(&viewed, 200, 1, 10);
	viewed_write(&viewed, 200, 1, 10);
	viewed_expect(&viewed, "host cat 2\nweb sh 2\n");
	set_container(&viewed, 100, "db");
	viewed_write(&viewed, 100, 1, 10);
	set_container(&viewed, 200, "db");
	viewed_write(&viewed, 200, 1, 10);
	viewed_expect(&viewed, "db cat 1\ndb sh 1\nhost cat 2\nweb sh 2\n");
	viewed_destroy(&viewed);
}

/* More of them than are kept as recent ones. */
static void many_keys_are_told_apart(void **state)
{
	struct viewed names, containers;
	struct views_rows rows;
	char name[16];

	viewed_create(&names, VIEW("keys: [proc.name]\n" COUNTED), 0, 0);
	viewed_create(&containers, VIEW("keys: [container.name]\n" COUNTED), 0, 0);
	for (unsigned int i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		drive_exec(&names.drive, 100, name);
		viewed_write(&names, 100, 1, 10);
		set_container(&containers, 100, name);
		viewed_write(&containers, 100, 1, 10);
	}
	views_engine_rows(names.engine, 0, 0, &rows);
	assert_int_equal(rows.count, 600);
	views_engine_rows(containers.engine, 0, 0, &rows);
	assert_int_equal(rows.count, 600);
	viewed_destroy(&names);
	viewed_destroy(&containers);
}

/* Each text that is cut is counted. */
static void cut_keys_of_threads_are_counted(void **state)
{
	static char args[2 * VIEWS_TEXT_MAX];
	struct viewed viewed;
	struct frame *frame;

	memset(args, 'a', sizeof(args) - 1);
	viewed_create(&viewed, VIEW("keys: [proc.cmdline]\n" COUNTED), 0, 0);
	drive_exec(&viewed.drive, 100, "ls");
	frame = drive_begin(&viewed.drive, EVENT_execve, 100);
	frame_put_bytes(frame, execve__args, args, sizeof(args));
	drive_end(&viewed.drive);
	viewed_write(&viewed, 100, 1, 10);
	viewed_write(&viewed, 100, 1, 10);
	assert_int_equal(views_engine_losses(viewed.engine)->cut, 2);
	viewed_destroy(&viewed);
}

#define LAST_LINE                                                                                  \
	VIEW("values:\n- {name: n, aggregate: count, field: proc.exeline}\n"                       \
	     "- {name: l, aggregate: last, field: proc.exeline}\n")

/* Texts of threads are made once, until something changes them. */
static void last_texts_of_threads_are_those_of_the_last_event(void **state)
{
	struct viewed viewed;

	viewed_create(&viewed, LAST_LINE, 0, 0);
	viewed_write(&viewed, 100, 1, 10);
	viewed_write(&viewed, 100, 1, 10);
	viewed_expect(&viewed, "2 sh a b\n");
	viewed_write(&viewed, 200, 1, 10);
	viewed_expect(&viewed, "3 cat a b\n");
	viewed_write(&viewed, 100, 1, 10);
	viewed_expect(&viewed, "4 sh a b\n");
	/* Of a thread that is not known: no value. */
	viewed_write(&viewed, 300, 1, 10);
	viewed_write(&viewed, 300, 1, 10);
	viewed_expect(&viewed, "4 sh a b\n");
	drive_exec(&viewed.drive, 100, "ls");
	viewed_write(&viewed, 100, 1, 10);
	viewed_expect(&viewed, "5 ls a b\n");
	views_engine_clear(viewed.engine);
	viewed_write(&viewed, 100, 1, 10);
	viewed_expect(&viewed, "1 ls a b\n");
	viewed_destroy(&viewed);
}

static void says_what_is_cut_and_saturated(void **state)
{
	char *name = malloc(VIEWS_TEXT_MAX + 100);
	struct views_rows rows;
	struct viewed viewed;

	assert_non_null(name);
	memset(name, 'a', VIEWS_TEXT_MAX + 99);
	name[0] = '/';
	name[VIEWS_TEXT_MAX + 99] = '\0';
	viewed_create(&viewed,
		      VIEW("keys: [evt.arg.name]\n"
			   "values:\n- {name: s, aggregate: sum, field: evt.rawres}\n"),
		      0, 0);
	viewed_open(&viewed, 100, INT64_MAX, name);
	viewed_open(&viewed, 100, INT64_MAX, name);
	assert_int_equal(views_engine_losses(viewed.engine)->cut, 2);
	assert_int_equal(views_engine_losses(viewed.engine)->saturated, 1);
	views_engine_rows(viewed.engine, 0, 0, &rows);
	assert_int_equal(rows.count, 1);
	viewed_destroy(&viewed);
	free(name);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(counts_by_key),
	cmocka_unit_test(has_all_aggregates),
	cmocka_unit_test(keeps_what_is_shared_once),
	cmocka_unit_test(sorts_as_asked),
	cmocka_unit_test(crowds_what_has_no_room),
	cmocka_unit_test(stays_within_its_memory),
	cmocka_unit_test(skips_without_a_value),
	cmocka_unit_test(a_list_has_a_row_for_each_event),
	cmocka_unit_test(a_sorted_list_keeps_its_first_rows),
	cmocka_unit_test(a_sorted_list_has_a_bound),
	cmocka_unit_test(a_sorted_list_without_memory_keeps_its_first_rows),
	cmocka_unit_test(keys_of_threads_and_types_follow_their_changes),
	cmocka_unit_test(keys_of_containers_follow_their_changes),
	cmocka_unit_test(many_keys_are_told_apart),
	cmocka_unit_test(cut_keys_of_threads_are_counted),
	cmocka_unit_test(last_texts_of_threads_are_those_of_the_last_event),
	cmocka_unit_test(says_what_is_cut_and_saturated),
};

UNIT_GROUP(tests);
