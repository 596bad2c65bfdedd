/* SPDX-License-Identifier: MIT */
/* Which processes the input is told to mute, and when they are not muted any more. */
#include "agent/run/mutes.h"

#include <errno.h>
#include <linux/prctl.h>
#include <string.h>

#include "drive.h"
#include "sinsp/state/core.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { PROCESS = 100, OTHER = PROCESS + MUTED_MAX, BUSY = 64, SECOND_NS = 1000000000 };

/* The kernel's part: the process that it has, and what it says next. */
static struct {
	pid_t pid; /* 0: none */
	uint64_t program; /* 0: it is only proposed */
	unsigned int proposals, ends;
	int code; /* of the next proposal */
} kernel;

static struct drive drive;
static struct plan plan;
static struct mutes mutes;
static struct input input;
static const struct mutes_scene scene = {&input, &plan, NULL};

static struct mutes_scene here(void)
{
	struct mutes_scene found = scene;

	found.state = drive.state;
	return found;
}

static int propose(struct input *of, pid_t pid, uint64_t *ns)
{
	*ns = drive.ts_ns - 1; /* the time of the next event is younger */
	kernel.proposals++;
	if (kernel.code)
		return kernel.code;
	kernel.pid = pid;
	kernel.program = 0;
	return 0;
}

static int set(struct input *of, pid_t pid, uint64_t program, uint64_t *ns)
{
	*ns = drive.ts_ns - 1;
	if (kernel.pid != pid)
		return -ENOENT;
	kernel.program = program;
	return 0;
}

static void end(struct input *of, pid_t pid, uint64_t *ns)
{
	*ns = drive.ts_ns - 1;
	kernel.ends++;
	if (kernel.pid == pid)
		kernel.pid = 0;
}

static const struct input_live_ops live_ops = {
	.mute_propose = propose, .mute_set = set, .mute_end = end};

static void set_filter(const char *filter)
{
	filter_destroy(plan.filter);
	assert_int_equal(filter_create(filter, NULL, &plan.filter, NULL), 0);
}

static void step(uint64_t now_ns)
{
	const struct mutes_scene now = here();

	mutes_step(&mutes, &now, now_ns);
}

static void note(bool passed)
{
	const struct mutes_scene now = here();

	mutes_note(&mutes, &now, &drive.event, passed);
}

static int setup(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	drive_create(&drive, NULL);
	drive_exec(&drive, PROCESS, "sh");
	drive_thread(&drive, PROCESS)->exec_id = 7;
	plan = (struct plan){.kernel_filters.mutes = 1};
	plan.kernel_filters.mute[EVENT_read] = KERNEL_MUTE_DROPS;
	plan.kernel_filters.mute[EVENT_prctl] = KERNEL_MUTE_ENDS;
	plan.kernel_filters.mute[EVENT_execve] = KERNEL_MUTE_ENDS;
	plan.kernel_filters.mute[EVENT_clone] = KERNEL_MUTE_ENDS;
	plan.kernel_filters.mute[EVENT_cgroup_attach] = KERNEL_MUTE_ENDS;
	set_filter("evt.type=read and proc.name=cat and fd.num=3");
	input = (struct input){.live = &live_ops};
	step(0);
	return 0;
}

static int teardown(void **state)
{
	mutes_finish(&mutes);
	filter_destroy(plan.filter);
	plan.filter = NULL;
	drive_destroy(&drive);
	return 0;
}

static void read_times(int64_t pid, unsigned int count, bool passed)
{
	while (count--) {
		drive_read(&drive, pid, 1, 3);
		note(passed);
	}
	step(0);
}

static bool is_muted(void)
{
	return state_is_in_gap(drive_thread(&drive, PROCESS));
}

static void mute(void)
{
	read_times(PROCESS, BUSY, false);
	read_times(PROCESS, 1, false);
	step(0);
	assert_int_equal(kernel.program, 7);
	assert_true(is_muted());
	assert_int_equal(mutes.count, 1);
}

static void test_busy(void **state)
{
	read_times(PROCESS, BUSY - 1, false);
	assert_int_equal(kernel.proposals, 0);
	/* In another second. */
	drive.ts_ns += SECOND_NS;
	read_times(PROCESS, BUSY - 1, false);
	assert_int_equal(kernel.proposals, 0);
	read_times(PROCESS, 1, false);
	assert_int_equal(kernel.proposals, 1);
	/* It is decided when an event that is younger was handled. */
	step(0);
	assert_int_equal(kernel.program, 0);
	assert_false(is_muted());
	read_times(PROCESS, 2, false);
	step(0);
	assert_int_equal(kernel.program, 7);
	assert_true(is_muted());
	assert_int_equal(kernel.proposals, 1);
}

/* The kernel saw a change after the proposal, whose event comes later. */
static void test_prevented(void **state)
{
	read_times(PROCESS, BUSY, false);
	kernel.pid = 0;
	read_times(PROCESS, 1, false);
	step(0);
	assert_false(is_muted());
	assert_int_equal(mutes.count, 0);
}

/* An event before the proposal was handled after it. */
static void test_changed_before(void **state)
{
	read_times(PROCESS, BUSY, false);
	strcpy(drive_thread(&drive, PROCESS)->comm, "cat");
	read_times(PROCESS, 1, false);
	step(0);
	assert_int_equal(kernel.pid, 0);
	assert_false(is_muted());
}

/* Where the filter may accept an event, the process is asked for less and less often. */
static void test_wanted(void **state)
{
	strcpy(drive_thread(&drive, PROCESS)->comm, "cat");
	read_times(PROCESS, BUSY, false);
	strcpy(drive_thread(&drive, PROCESS)->comm, "dog");
	read_times(PROCESS, 2 * BUSY - 1, false);
	assert_int_equal(kernel.proposals, 0);
	read_times(PROCESS, 1, false);
	assert_int_equal(kernel.proposals, 1);
}

/* Of a process whose events pass there is nothing to decide. */
static void test_passed(void **state)
{
	for (unsigned int i = 0; i < 4; i++) {
		read_times(PROCESS, BUSY - 1, false);
		read_times(PROCESS, 1, true);
	}
	assert_int_equal(kernel.proposals, 0);
}

static void name(const char *text)
{
	struct frame *frame = drive_begin(&drive, EVENT_prctl, PROCESS);

	frame_put_i64(frame, prctl__res, 0);
	frame_put_i64(frame, prctl__option, PR_SET_NAME);
	frame_put_string(frame, prctl__arg2_str, text);
	drive_end(&drive);
	note(false);
}

static void test_change(void **state)
{
	mute();
	name("dog");
	assert_false(is_muted());
	assert_int_equal(kernel.pid, 0);
	assert_int_equal(mutes.count, 0);
	/* Its descriptors are known from the next event on. */
	drive_open(&drive, PROCESS, 5, "/x", 0);
	note(false);
	drive_any(&drive, PROCESS);
	assert_true(drive_has_fd(&drive, PROCESS, 5));
	mute();
	assert_int_equal(mutes.total, 2);
}

/* Events that were on their way do not end it, nor one that a program began before. */
static void test_late(void **state)
{
	mute();
	drive.ts_ns -= 1000;
	read_times(PROCESS, 1, false);
	drive.ts_ns += 1000;
	read_times(PROCESS, 2, false);
	assert_true(is_muted());
	assert_int_equal(kernel.program, 7);
}

/* The kernel drops nothing, and no event said why. */
static void test_lost(void **state)
{
	mute();
	kernel.pid = 0;
	read_times(PROCESS, 1, false);
	assert_true(is_muted());
	read_times(PROCESS, 1, false);
	assert_false(is_muted());
	assert_int_equal(mutes.count, 0);
}

static void fork_from(const char *comm)
{
	drive_clone(&drive, PROCESS, 300, &(struct drive_clone){.pid = PROCESS, .comm = comm});
	note(false);
}

/* It tells what the process is, whose name may have been written to a file. */
static void test_fork(void **state)
{
	mute();
	fork_from("sh");
	step(0);
	assert_true(is_muted());
	fork_from("cat");
	step(0);
	assert_false(is_muted());
}

static void test_end(void **state)
{
	mute();
	drive_exit(&drive, PROCESS, 1);
	note(false);
	assert_int_equal(kernel.pid, 0);
	assert_int_equal(mutes.count, 0);
}

static void move(int64_t pid, const char *group)
{
	struct frame *frame = drive_begin(&drive, EVENT_cgroup_attach, 1);

	frame_put_i64(frame, cgroup_attach__tid, pid);
	frame_put_i64(frame, cgroup_attach__pid, pid);
	frame_put_i64(frame, cgroup_attach__threadgroup, 1);
	frame_put_i64(frame, cgroup_attach__subsystems, 0x1f);
	frame_put_string(frame, cgroup_attach__path, group);
	drive_end(&drive);
	note(false);
}

static void test_moved(void **state)
{
	set_filter("evt.type=read and container.full_id=" ID);
	mute();
	move(PROCESS + 1, "/docker/" ID);
	assert_true(is_muted());
	move(PROCESS, "/docker/" ID);
	assert_false(is_muted());
	read_times(PROCESS, 4 * BUSY, false);
	assert_int_equal(kernel.proposals, 1);
}

static void describe(const char *container_name)
{
	struct state_container_info *info = state_container_info_create();

	info->name = container_name;
	state_describe_container(drive.state, ID, STATE_OWNER_ROOT, STATE_META_OK, info);
}

/* What nobody described yet may be wanted; and what is described anew. */
static void test_described(void **state)
{
	set_filter("evt.type=read and container.name=web");
	plan.needs_containers = true;
	move(PROCESS, "/docker/" ID);
	state_thread_set_cgroups(&drive.state->containers, drive_thread(&drive, PROCESS),
				 "memory=/docker/" ID, sizeof("memory=/docker/" ID));
	read_times(PROCESS, BUSY, false);
	assert_int_equal(kernel.proposals, 0);
	while (state_take_new_container(drive.state))
		;
	describe("db");
	mute();
	step(0);
	assert_true(is_muted());
	describe("web");
	step(0);
	assert_false(is_muted());
}

/* Names of users, and what ended unseen, are looked at once a minute. */
static void test_again(void **state)
{
	mute();
	strcpy(drive_thread(&drive, PROCESS)->comm, "cat");
	step(59 * (uint64_t)SECOND_NS);
	assert_true(is_muted());
	step(60 * (uint64_t)SECOND_NS);
	assert_false(is_muted());
}

/* Of two at one place the busier one has it, unless the other one is muted. */
static void test_place(void **state)
{
	drive_exec(&drive, OTHER, "sh");
	drive_thread(&drive, OTHER)->exec_id = 8;
	read_times(OTHER, 10, false);
	read_times(PROCESS, 10, false);
	mute();
	read_times(OTHER, 4 * BUSY, false);
	assert_int_equal(kernel.proposals, 1);
	assert_int_equal(kernel.pid, PROCESS);
}

static void test_refused(void **state)
{
	kernel.code = -E2BIG;
	read_times(PROCESS, BUSY, false);
	assert_int_equal(kernel.ends, 0);
	/* Of one that ended unseen: the next time there is room. */
	kernel.code = -EEXIST;
	read_times(PROCESS, BUSY, false);
	assert_int_equal(kernel.ends, 1);
	kernel.code = 0;
	mute();
}

/* Another plan begins with none; a capture file, and a filter that says nothing of processes, have
 * none. */
static void test_begin(void **state)
{
	const struct mutes_scene now = here();

	mute();
	mutes_begin(&mutes, &now);
	assert_false(is_muted());
	assert_int_equal(kernel.pid, 0);
	assert_int_equal(mutes.count, 0);
	plan.kernel_filters.mutes = 0;
	read_times(PROCESS, 2 * BUSY, false);
	plan.kernel_filters.mutes = 1;
	input.live = NULL;
	read_times(PROCESS, 2 * BUSY, false);
	mutes_begin(&mutes, &now);
	step(0);
	assert_int_equal(kernel.proposals, 1);
	input.live = &live_ops;
	input.changing = true;
	read_times(PROCESS, 2 * BUSY, false);
	assert_int_equal(kernel.proposals, 1);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(test_busy),   TEST(test_prevented), TEST(test_changed_before), TEST(test_wanted),
	TEST(test_passed), TEST(test_change),	 TEST(test_late),	    TEST(test_lost),
	TEST(test_fork),   TEST(test_end),	 TEST(test_moved),	    TEST(test_described),
	TEST(test_again),  TEST(test_place),	 TEST(test_refused),	    TEST(test_begin),
};

UNIT_GROUP(tests);
