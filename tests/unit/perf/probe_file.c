/* SPDX-License-Identifier: MIT */
/* Files of probes that are replaced, written to, and let go of. */
#include "perf/probe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/open.h"
#include "perf_machines.h"
#include "tree.h"
#include "unit.h"

struct fixture {
	struct tree tree;
	struct described_machine described;
	struct perf_event_list list;
	char path[TREE_PATH_BYTES];
};

static void begin(struct fixture *fixture)
{
	char text[TREE_PATH_BYTES + 32];

	*fixture = (struct fixture){0};
	tree_create(&fixture->tree);
	described_machine_open(&fixture->described, "intel-server");
	tree_write(&fixture->tree, "program", "what it was");
	tree_path(&fixture->tree, "program", fixture->path);
	snprintf(text, sizeof(text), "u:%s:+4", fixture->path);
	assert_int_equal(
		perf_event_parse(text, &fixture->described.machine, NULL, &fixture->list, NULL), 0);
}

static void end(struct fixture *fixture)
{
	perf_event_list_finish(&fixture->list);
	described_machine_close(&fixture->described);
	tree_destroy(&fixture->tree);
}

static ino_t inode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

/* As a package manager does it. */
static void stays_with_what_is_replaced(void **state)
{
	struct fixture fixture;
	char other[TREE_PATH_BYTES];
	const char *given;
	ino_t before;

	begin(&fixture);
	given = (const char *)(uintptr_t)fixture.list.events[0].attr.config1;
	before = inode_of(fixture.path);
	tree_write(&fixture.tree, "other", "another one");
	tree_path(&fixture.tree, "other", other);
	assert_int_equal(rename(other, fixture.path), 0);
	assert_true(inode_of(fixture.path) != before);
	assert_true(inode_of(given) == before);
	assert_true(perf_probe_file_is_same(fixture.list.events[0].probe_file));
	end(&fixture);
}

static void refuses_what_was_written_to(void **state)
{
	const struct perf_event *event;
	struct perf_event_attr attr;
	struct fixture fixture;
	char memory[128];
	struct buf reason = buf_fixed(memory, sizeof(memory) - 1);

	begin(&fixture);
	event = &fixture.list.events[0];
	attr = event->attr;
	tree_write(&fixture.tree, "program", "what it is now");
	assert_int_equal(perf_open(event, &attr, 0, -1, -1, 0), -ESTALE);
	perf_open_append_reason(&fixture.described.machine, event, -ESTALE, &reason);
	memory[reason.len] = '\0';
	assert_string_equal(memory, "the file was written to since its symbols were read");
	end(&fixture);
}

static int lowest_free(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);

	close(fd);
	return fd;
}

/* Those of a text that is wrong at its end, and those of a list. */
static void lets_go_of_files(void **state)
{
	char text[2 * TREE_PATH_BYTES + 32];
	struct fixture fixture;
	int before = lowest_free(), held;

	begin(&fixture);
	held = lowest_free();
	assert_true(held > before);
	snprintf(text, sizeof(text), "u:%1$s:+4,u:%1$s:+8,nosuch", fixture.path);
	assert_int_equal(
		perf_event_parse(text, &fixture.described.machine, NULL, &fixture.list, NULL),
		-EINVAL);
	assert_int_equal(lowest_free(), held);
	assert_int_equal(fixture.list.count, 1);
	end(&fixture);
	assert_int_equal(lowest_free(), before);
}

static void says_why_there_is_none(void **state)
{
	struct fixture fixture;
	struct error err = {""};

	begin(&fixture);
	assert_int_equal(perf_event_parse("u:/nosuch:+4", &fixture.described.machine, NULL,
					  &fixture.list, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "/nosuch: No such file or directory"));
	end(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(stays_with_what_is_replaced),
	cmocka_unit_test(refuses_what_was_written_to),
	cmocka_unit_test(lets_go_of_files),
	cmocka_unit_test(says_why_there_is_none),
};

UNIT_GROUP(tests);
