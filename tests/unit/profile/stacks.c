/* SPDX-License-Identifier: MIT */
/* Sets of stacks: what is equal is kept once, what is wrong is rejected, what is over is counted.
 */
#include "profile/stacks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

static struct stacks *made(void)
{
	static struct stacks stacks;
	const struct stack_process process = {
		.pid = 7, .ns_pid = 7, .root_fd = -1, .pod_name = "web"};
	const struct stack_file file = {.path = "/bin/true", .fd = -1};
	uint32_t index;

	assert_int_equal(stacks_init(&stacks), 0);
	assert_int_equal(stacks_add_process(&stacks, &process, &index), 0);
	assert_int_equal(index, 0);
	assert_int_equal(stacks_add_file(&stacks, &file, &index), 0);
	assert_int_equal(index, 1);
	return &stacks;
}

static struct stack_part part_of(struct stacks *stacks, uint64_t at, size_t count,
				 enum stack_lack lack)
{
	struct stack_frame frames[STACK_FRAMES_MAX] = {0};
	struct stack_part part;

	for (size_t i = 0; i < count; i++)
		frames[i] = (struct stack_frame){at + i, 1, 9};
	assert_int_equal(stacks_add_part(stacks, frames, count, lack, &part), 0);
	assert_int_equal(part.count, count);
	assert_int_equal(part.lack, lack);
	return part;
}

static void keeps_equal_parts_once(void **state)
{
	struct stacks *stacks = made();
	struct stack_part first = part_of(stacks, 0x1000, 3, STACK_WHOLE);

	assert_int_equal(part_of(stacks, 0x1000, 3, STACK_WHOLE).first, first.first);
	assert_int_equal(stacks->frames_count, 3);
	assert_int_not_equal(part_of(stacks, 0x1000, 3, STACK_TABLE_LATE).first, first.first);
	assert_int_not_equal(part_of(stacks, 0x1001, 3, STACK_WHOLE).first, first.first);
	assert_int_equal(stacks->frames[first.first + 2].at, 0x1002);
	stacks_finish(stacks);
}

static void adds_rows_that_are_equal(void **state)
{
	struct stacks *stacks = made();
	struct stack_row row = {.tid = 8, .value = 2, .times = 2, .comm = "one"};

	/* More than there were places at first. */
	for (uint64_t i = 0; i < 2000; i++) {
		row.user = part_of(stacks, i % 1000, 2, STACK_WHOLE);
		assert_int_equal(stacks_add_row(stacks, &row), 0);
	}
	assert_int_equal(stacks->rows_count, 1000);
	for (size_t i = 0; i < stacks->rows_count; i++)
		assert_int_equal(stacks->rows[i].value, 4);
	row.kind = STACK_OFF_CPU;
	assert_int_equal(stacks_add_row(stacks, &row), 0);
	row.reason = STACK_LOCK;
	assert_int_equal(stacks_add_row(stacks, &row), 0);
	row.waker.tid = 3;
	assert_int_equal(stacks_add_row(stacks, &row), 0);
	row.tid = 9;
	assert_int_equal(stacks_add_row(stacks, &row), 0);
	assert_int_equal(stacks->rows_count, 1004);
	stacks_finish(stacks);
}

static void rejects_what_is_not_there(void **state)
{
	struct stacks *stacks = made();
	struct stack_frame frames[STACK_FRAMES_MAX + 1] = {{.file = 2}};
	struct stack_row row = {.process = 1};
	struct stack_part part;

	assert_int_equal(stacks_add_part(stacks, frames, 1, STACK_WHOLE, &part), -EINVAL);
	frames[0].file = 0;
	assert_int_equal(stacks_add_part(stacks, frames, STACK_FRAMES_MAX + 1, STACK_WHOLE, &part),
			 -EINVAL);
	assert_int_equal(stacks_add_row(stacks, &row), -EINVAL);
	row.process = 0;
	row.user = (struct stack_part){1, UINT32_MAX, 0};
	assert_int_equal(stacks_add_row(stacks, &row), -EINVAL);
	row.user = (struct stack_part){0, 0, STACK_LACKS};
	assert_int_equal(stacks_add_row(stacks, &row), -EINVAL);
	stacks_finish(stacks);
}

static void owns_texts_and_descriptors(void **state)
{
	struct stacks *stacks = made();
	char path[] = "/bin/cat";
	struct stack_file file = {.path = path, .fd = open("/dev/null", O_RDONLY | O_CLOEXEC)};
	uint32_t index;

	assert_int_equal(stacks_add_file(stacks, &file, &index), 0);
	memset(path, 'x', sizeof(path) - 1);
	assert_string_equal(stacks->files[index].path, "/bin/cat");
	assert_string_equal(stacks->processes[0].pod_name, "web");
	assert_null(stacks->processes[0].container_id);
	stacks_finish(stacks);
	assert_int_equal(fcntl(file.fd, F_GETFD), -1);
}

static void counts_what_is_over(void **state)
{
	struct stacks *stacks = made();
	struct stack_file file = {.fd = -1};
	uint32_t index;

	while (stacks->files_count < STACKS_FILES_MAX)
		assert_int_equal(stacks_add_file(stacks, &file, &index), 0);
	file.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(stacks_add_file(stacks, &file, &index), -E2BIG);
	assert_int_equal(stacks->lost[STACKS_LOST_FILES], 1);
	assert_int_equal(fcntl(file.fd, F_GETFD), -1);
	stacks_finish(stacks);
}

static bool is_even(void *context, const struct stacks *stacks, const struct stack_row *row)
{
	++*(int *)context;
	return row->tid % 2 == 0;
}

static void keeps_rows_that_are_wanted(void **state)
{
	struct stacks *stacks = made();
	int asked = 0;

	for (int32_t tid = 1; tid <= 5; tid++)
		assert_int_equal(
			stacks_add_row(stacks, &(const struct stack_row){.tid = tid, .value = 1}),
			0);
	stacks_keep_rows(stacks, is_even, &asked);
	assert_int_equal(asked, 5);
	assert_int_equal(stacks->rows_count, 2);
	assert_int_equal(stacks->rows[0].tid, 2);
	assert_int_equal(stacks->rows[1].tid, 4);
	stacks_finish(stacks);
}

static void names_a_container(void **state)
{
	struct stacks *stacks = made();
	char id[] = "id", name[] = "name";

	assert_int_equal(stacks_name_container(
				 stacks, 0, &(const struct stack_container){id, name, .ns = "ns"}),
			 0);
	id[0] = name[0] = 'x';
	assert_string_equal(stacks->processes[0].container_id, "id");
	assert_string_equal(stacks->processes[0].container_name, "name");
	assert_string_equal(stacks->processes[0].pod_namespace, "ns");
	assert_null(stacks->processes[0].pod_name);
	stacks_finish(stacks);
}

static void has_words_for_all(void **state)
{
	for (int i = 0; i < STACK_REASONS; i++)
		assert_non_null(stack_reason_name(i));
	for (int i = 0; i < STACK_LACKS; i++)
		assert_non_null(stack_lack_text(i));
	for (int i = 0; i < STACKS_LOSSES; i++)
		assert_non_null(stacks_loss_text(i));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(keeps_equal_parts_once),     cmocka_unit_test(adds_rows_that_are_equal),
	cmocka_unit_test(rejects_what_is_not_there),  cmocka_unit_test(owns_texts_and_descriptors),
	cmocka_unit_test(counts_what_is_over),	      cmocka_unit_test(has_words_for_all),
	cmocka_unit_test(keeps_rows_that_are_wanted), cmocka_unit_test(names_a_container),
};

UNIT_GROUP(tests);
