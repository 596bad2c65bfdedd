/* SPDX-License-Identifier: MIT */
/* The thread: a file for each container of a set, one set at a time, and what is counted. */
#include "agent/continuous/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"
#include "util/buf.h"

#define PATIENCE_NS UINT64_C(60000000000)

static void add(struct stacks *stacks, int pid, const char *container)
{
	const struct stack_process process = {
		.pid = pid, .ns_pid = pid, .root_fd = -1, .container_id = container};
	struct stack_row row = {.tid = pid, .value = 1, .times = 1};

	assert_int_equal(stacks_add_process(stacks, &process, &row.process), 0);
	assert_int_equal(stacks_add_row(stacks, &row), 0);
}

static void fill(struct stacks *stacks)
{
	assert_int_equal(stacks_init(stacks), 0);
	stacks->begin_ns = UINT64_C(1700000000000000000);
	stacks->lost[STACKS_LOST_ROWS] = 3;
	stacks->lost[STACKS_UNREAD_PROCESSES] = 5;
	add(stacks, 1, NULL);
	add(stacks, 2, "web");
}

static void writes_a_file_each(void **state)
{
	char top[] = "/tmp/lanner-writer-XXXXXX", path[128], command[64];
	const struct continuous_options options = {
		.folder = mkdtemp(top), .keep_bytes = 1 << 20, .keep_ns = UINT64_MAX / 4};
	struct continuous_counts counts = {0};
	struct continuous_writer_config config = {
		.options = &options, .counts = &counts, .proc = open("/proc", O_PATH | O_CLOEXEC)};
	struct continuous_writer *writer;
	struct stacks stacks, second;
	struct error err = {""};

	assert_non_null(options.folder);
	assert_int_equal(continuous_writer_create(&config, &writer, &err), 0);
	fill(&stacks);
	fill(&second);
	/* Nobody has begun with the first one. */
	assert_true(continuous_writer_give(writer, &stacks));
	assert_false(continuous_writer_give(writer, &second));
	assert_false(continuous_writer_wait(writer, 1000));
	assert_int_equal(continuous_writer_begin(writer), 0);
	assert_true(continuous_writer_wait(writer, PATIENCE_NS));
	assert_int_equal(stacks.rows_count, 0);
	assert_int_equal(counts.writing_ns, 0);
	assert_int_equal(counts.written, 2);
	assert_int_equal(counts.intervals, 1);
	assert_int_equal(counts.losses, 3);
	snprintf(path, sizeof(path), "%s/web/20231114T221320Z.pb.gz", top);
	assert_int_equal(access(path, F_OK), 0);
	snprintf(path, sizeof(path), "%s/_host/20231114T221320Z.pb.gz", top);
	assert_int_equal(access(path, F_OK), 0);
	/* A folder that cannot be written any more is counted, and nothing ends. */
	snprintf(command, sizeof(command), "rm -r %s", top);
	assert_int_equal(system(command), 0);
	assert_true(continuous_writer_give(writer, &second));
	assert_true(continuous_writer_wait(writer, PATIENCE_NS));
	assert_int_equal(counts.write_failures, 2);
	continuous_writer_destroy(writer);
	continuous_writer_destroy(NULL);
	close(config.proc);
}

/* A process of code whose names do not compress, at addresses that it has all been at. */
static void fill_with_names(struct stacks *stacks, const struct tree *tree)
{
	enum { FUNCTIONS = 900, STEP = 0x10, WORDS = 50 };
	const struct stack_process process = {
		.pid = getpid(),
		.ns_pid = 10,
		.uid = geteuid(),
		.root_fd = open(tree->path, O_PATH | O_DIRECTORY | O_CLOEXEC)};
	const struct stack_file file = {.kind = STACK_ANONYMOUS, .path = "", .fd = -1};
	struct stack_frame frame = {0};
	struct stack_row row = {.tid = 1, .value = 1, .times = 1};
	struct buf map = {0};

	assert_int_equal(stacks_init(stacks), 0);
	assert_int_equal(stacks_add_process(stacks, &process, &row.process), 0);
	assert_int_equal(stacks_add_file(stacks, &file, &frame.file), 0);
	for (int i = 0; i < FUNCTIONS; i++) {
		buf_printf(&map, "%x 10 ", 0x1000 + i * STEP);
		for (int k = 0; k < WORDS; k++)
			buf_printf(&map, "%08lx", (unsigned long)random());
		buf_append_char(&map, '\n');
		frame.at = 0x1008 + (uint64_t)(i * STEP);
		assert_int_equal(stacks_add_part(stacks, &frame, 1, STACK_WHOLE, &row.user), 0);
		assert_int_equal(stacks_add_row(stacks, &row), 0);
	}
	tree_write_bytes(tree, "tmp/perf-10.map", map.data, map.len);
	buf_finish(&map);
}

/* Who makes names as long as that is not the end of the profile of all. */
static void writes_without_names_what_is_too_large(void **state)
{
	char top[] = "/tmp/lanner-writer-XXXXXX", command[64];
	const struct continuous_options options = {
		.folder = mkdtemp(top), .keep_bytes = 1 << 20, .keep_ns = UINT64_MAX / 4};
	struct continuous_counts counts = {0};
	struct continuous_writer_config config = {
		.options = &options, .counts = &counts, .proc = open("/proc", O_PATH | O_CLOEXEC)};
	struct continuous_writer *writer;
	struct stacks stacks;
	struct error err = {""};
	struct tree tree;

	tree_create(&tree);
	assert_int_equal(continuous_writer_create(&config, &writer, &err), 0);
	fill_with_names(&stacks, &tree);
	assert_true(continuous_writer_give(writer, &stacks));
	assert_int_equal(continuous_writer_begin(writer), 0);
	assert_true(continuous_writer_wait(writer, PATIENCE_NS));
	assert_int_equal(counts.written, 1);
	assert_int_equal(counts.write_failures, 0);
	assert_int_equal(counts.nameless, 900);
	continuous_writer_destroy(writer);
	snprintf(command, sizeof(command), "rm -r %s", top);
	assert_int_equal(system(command), 0);
	tree_destroy(&tree);
	close(config.proc);
}

/* Whoever uses all that he may: others have their part. */
static void shares_the_time_for_names(void **state)
{
	enum { LEFT = 1000, GROUPS = 5 };
	uint64_t left = LEFT;

	assert_int_equal(continuous_writer_share_ns(LEFT, 0, 1), LEFT);
	for (size_t group = 0; group < GROUPS; group++) {
		uint64_t share = continuous_writer_share_ns(left, group, GROUPS);

		assert_int_equal(share, group ? LEFT / 2 / (GROUPS - 1) : LEFT / 2);
		left -= share;
	}
	assert_int_equal(left, 0);
	/* What the first ones leave is for the last ones. */
	assert_int_equal(continuous_writer_share_ns(LEFT, GROUPS - 1, GROUPS), LEFT);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(writes_a_file_each),
	cmocka_unit_test(shares_the_time_for_names),
	cmocka_unit_test(writes_without_names_what_is_too_large),
};

UNIT_GROUP(tests);
