/* SPDX-License-Identifier: MIT */
/* Formats of tracepoints: written from a tracefs, and found again. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/data/tracing.h"
#include "tree.h"
#include "unit.h"

#define FORMAT(name, id) "name: " name "\nID: " id "\nformat:\n"

static void make_tracefs(struct tree *tree, struct perf_machine *machine)
{
	tree_create(tree);
	tree_write(tree, "events/header_page", "a page");
	tree_write(tree, "events/header_event", "an event");
	tree_write(tree, "events/sched/one/format", FORMAT("one", "316"));
	tree_write(tree, "events/sched/two/format", FORMAT("two", "31"));
	tree_write(tree, "events/irq/three/format", FORMAT("three", "7"));
	*machine = (struct perf_machine){
		.tracefs = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
}

static void expect(const struct buf *bytes, uint64_t number, const char *group, const char *text)
{
	const char *found_group, *format;
	size_t len;

	assert_int_equal(
		perf_tracing_find(bytes->data, bytes->len, number, &found_group, &format, &len), 1);
	assert_string_equal(found_group, group);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(format, text, len);
}

static void writes_what_it_finds(void **state)
{
	static const char *const names[] = {"sched:one", "irq:three", "sched:two:u", "sched:one:k"};
	const char *group, *format;
	struct perf_machine machine;
	struct buf bytes = {0};
	struct tree tree;
	size_t len;

	make_tracefs(&tree, &machine);
	assert_int_equal(perf_tracing_append(&machine, names, 4, &bytes), 0);
	assert_memory_equal(bytes.data, "\027\010\104tracing0.6\0\0\010", 16);
	expect(&bytes, 316, "sched", FORMAT("one", "316"));
	expect(&bytes, 31, "sched", FORMAT("two", "31"));
	expect(&bytes, 7, "irq", FORMAT("three", "7"));
	assert_int_equal(perf_tracing_find(bytes.data, bytes.len, 3, &group, &format, &len), 0);
	/* Whatever is cut off: it is found, or not, or damaged, but not beyond the end. */
	for (size_t cut = 0; cut < bytes.len; cut++) {
		char *copy = malloc(cut + 1);

		memcpy(copy, bytes.data, cut);
		assert_true(perf_tracing_find(copy, cut, 3, &group, &format, &len) <= 0);
		free(copy);
	}
	buf_finish(&bytes);
	close(machine.tracefs);
	tree_destroy(&tree);
}

static void fails_without_its_files(void **state)
{
	static const char *const names[] = {"sched:none"};
	struct perf_machine machine = {.tracefs = -EACCES};
	struct buf bytes = {0};
	struct tree tree;

	assert_int_equal(perf_tracing_append(&machine, names, 1, &bytes), -EACCES);
	make_tracefs(&tree, &machine);
	assert_int_equal(perf_tracing_append(&machine, names, 1, &bytes), -ENOENT);
	buf_finish(&bytes);
	close(machine.tracefs);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(writes_what_it_finds),
	cmocka_unit_test(fails_without_its_files),
};

UNIT_GROUP(tests);
