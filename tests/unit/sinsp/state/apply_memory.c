/* SPDX-License-Identifier: MIT */
/* Counters of memory and of page faults that events bring along. */
#include <errno.h>

#include "drive.h"
#include "unit.h"

static int setup(void **state)
{
	static const struct drive_clone worker = {
		.pid = 100, .ptid = 1, .comm = "sh", .flags = clone_flags__CLONE_THREAD};
	drive_setup_process(state);
	drive_clone(*state, 101, 0, &worker);
	return 0;
}

/* An event whose counters are `size` and the two numbers after it. */
static void run_event(struct drive *drive, uint16_t id, int64_t tid, int64_t result, uint32_t size)
{
	struct frame *frame = drive_begin(drive, id, tid);
	unsigned int first = id == EVENT_switch ? switch__vm_size : brk__vm_size;

	frame_put_i64(frame, 0, result);
	if (id == EVENT_switch) {
		frame_put_i64(frame, switch__pgft_maj, size + 3);
		frame_put_i64(frame, switch__pgft_min, size + 4);
	}
	for (unsigned int i = 0; i < 3; i++)
		frame_put_i64(frame, first + i, size + i);
	drive_end(drive);
}

static void check_memory(struct drive *drive, int64_t tid, uint32_t size)
{
	const struct state_thread *thread = drive_thread(drive, tid);

	assert_int_equal(thread->vm_size_kib, size);
	assert_int_equal(thread->vm_rss_kib, size + 1);
	assert_int_equal(thread->vm_swap_kib, size + 2);
}

static void takes_counters_over(void **state)
{
	static const uint16_t events[] = {EVENT_brk, EVENT_mmap, EVENT_mmap2, EVENT_munmap,
					  EVENT_switch};
	uint32_t size = 1000;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		run_event(*state, events[i], 100, 0, size += 10);
		check_memory(*state, 100, size);
		/* Of a thread they are those of its process too. */
		run_event(*state, events[i], 101, -ENOMEM, size += 10);
		check_memory(*state, 100, size);
		check_memory(*state, 101, size);
		run_event(*state, events[i], 999, 0, 1);
		drive_begin(*state, events[i], 100);
		drive_end(*state);
		check_memory(*state, 100, size);
	}
}

static void page_faults_are_those_of_a_thread(void **state)
{
	run_event(*state, EVENT_switch, 100, 0, 10);
	run_event(*state, EVENT_switch, 101, 0, 20);
	assert_int_equal(drive_thread(*state, 100)->faults_major, 13);
	assert_int_equal(drive_thread(*state, 100)->faults_minor, 14);
	assert_int_equal(drive_thread(*state, 101)->faults_major, 23);
	assert_int_equal(drive_thread(*state, 101)->faults_minor, 24);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(takes_counters_over, setup, drive_teardown),
	cmocka_unit_test_setup_teardown(page_faults_are_those_of_a_thread, setup, drive_teardown),
};

UNIT_GROUP(tests);
