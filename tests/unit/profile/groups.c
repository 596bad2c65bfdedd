/* SPDX-License-Identifier: MIT */
/* Stacks by container: whose they are, and what a group has of all files and processes. */
#include "profile/groups.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

static uint32_t add_process(struct stacks *stacks, int pid, const char *container)
{
	const struct stack_process process = {
		.pid = pid, .ns_pid = pid, .root_fd = -1, .container_id = container};
	uint32_t index;

	assert_int_equal(stacks_add_process(stacks, &process, &index), 0);
	return index;
}

/* A row of a frame in a file and one in the kernel; it was seen as often as its process says. */
static void add_row(struct stacks *stacks, uint32_t process, uint32_t file)
{
	struct stack_frame user = {.at = 0x1000 + process, .file = file}, kernel = {.at = 0xf00};
	struct stack_row row = {.process = process,
				.tid = stacks->processes[process].pid,
				.value = 10 + process,
				.times = 1};

	assert_int_equal(stacks_add_part(stacks, &user, 1, STACK_WHOLE, &row.user), 0);
	assert_int_equal(stacks_add_part(stacks, &kernel, 1, STACK_WHOLE, &row.kernel), 0);
	assert_int_equal(stacks_add_row(stacks, &row), 0);
}

static void make(struct stacks *stacks)
{
	struct stack_file file = {.path = "/bin/a", .fd = -1};
	uint32_t a, b;

	assert_int_equal(stacks_init(stacks), 0);
	assert_int_equal(stacks_add_file(stacks, &file, &a), 0);
	file.path = "/bin/b";
	file.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(file.fd >= 0);
	assert_int_equal(stacks_add_file(stacks, &file, &b), 0);
	add_row(stacks, add_process(stacks, 1, "user-made@1000"), a);
	add_row(stacks, add_process(stacks, 2, NULL), a);
	add_row(stacks, add_process(stacks, 3, "web"), b);
	add_row(stacks, add_process(stacks, 4, "web"), a);
	add_row(stacks, add_process(stacks, 5, "db"), b);
	stacks->lost[STACKS_LOST_ROWS] = 7;
	stacks->duration_ns = 99;
	stacks->period_ns = 5;
	stacks->event = "cpu-clock";
}

static void finds_groups(void **state)
{
	struct profile_groups groups;
	struct stacks stacks;

	make(&stacks);
	assert_int_equal(profile_groups_make(&stacks, 9, &groups), 0);
	assert_int_equal(groups.count, 5);
	/* Those of users come last. */
	assert_string_equal(groups.ids[2], "web");
	assert_string_equal(groups.ids[3], "db");
	assert_string_equal(groups.ids[4], "user-made@1000");
	assert_int_equal(groups.of[0], 4);
	assert_int_equal(groups.of[1], STACKS_GROUP_HOST);
	assert_int_equal(groups.of[2], 2);
	assert_int_equal(groups.of[3], 2);
	assert_int_equal(groups.left_out, 0);
	profile_groups_finish(&groups);
	stacks_finish(&stacks);
}

static void leaves_out_what_has_no_room(void **state)
{
	struct profile_groups groups;
	struct stacks stacks, part;

	make(&stacks);
	/* A container is counted once, wherever its processes are. */
	add_process(&stacks, 6, "user-made@1000");
	assert_int_equal(profile_groups_make(&stacks, 1, &groups), 0);
	assert_int_equal(groups.count, 3);
	assert_string_equal(groups.ids[2], "web");
	assert_int_equal(groups.left_out, 2);
	assert_int_equal(profile_groups_take(&stacks, &groups, STACKS_GROUP_OTHER, &part), 0);
	assert_int_equal(part.rows_count, 2);
	assert_string_equal(part.processes[part.rows[0].process].container_id, "user-made@1000");
	assert_string_equal(part.processes[part.rows[1].process].container_id, "db");
	stacks_finish(&part);
	profile_groups_finish(&groups);
	stacks_finish(&stacks);
}

static void takes_what_a_group_uses(void **state)
{
	struct profile_groups groups;
	struct stacks stacks, part;
	const struct stack_row *row;
	int fd;

	make(&stacks);
	fd = stacks.files[2].fd;
	assert_int_equal(profile_groups_make(&stacks, 9, &groups), 0);
	assert_int_equal(profile_groups_take(&stacks, &groups, 3, &part), 0);
	assert_int_equal(part.rows_count, 1);
	assert_int_equal(part.processes_count, 1);
	assert_int_equal(part.files_count, 2);
	assert_string_equal(part.files[1].path, "/bin/b");
	row = &part.rows[0];
	assert_int_equal(row->value, 14);
	assert_int_equal(part.frames[row->user.first].at, 0x1004);
	assert_int_equal(part.frames[row->user.first].file, 1);
	assert_int_equal(part.frames[row->kernel.first].file, 0);
	assert_int_equal(part.lost[STACKS_LOST_ROWS], 7);
	assert_int_equal(part.duration_ns, 99);
	assert_int_equal(part.period_ns, 5);
	assert_string_equal(part.event, "cpu-clock");
	/* The descriptor is of the whole set, which closes it. */
	assert_int_equal(part.files[1].fd, fd);
	stacks_finish(&part);
	assert_int_not_equal(fcntl(fd, F_GETFD), -1);
	profile_groups_finish(&groups);
	stacks_finish(&stacks);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_groups),
	cmocka_unit_test(leaves_out_what_has_no_room),
	cmocka_unit_test(takes_what_a_group_uses),
};

UNIT_GROUP(tests);
