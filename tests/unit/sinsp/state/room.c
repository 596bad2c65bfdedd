/* SPDX-License-Identifier: MIT */
/* Limits of memory and of descriptors: who holds most gives back, and nobody else. */
#include "sinsp/state/core.h"

#include <stdio.h>
#include <string.h>

#include "drive.h"
#include "sinsp/state/threads.h"
#include "unit.h"

enum { MEMORY_MAX = 8 << 20, NAME_BYTES = 3900, SLACK = 1 << 20 };

static void create(struct drive *drive, const struct state_config *config)
{
	drive_create(drive, config);
	drive_exec(drive, 10, "hog");
	drive_exec(drive, 20, "victim");
}

static void open_long(struct drive *drive, int64_t tid, int64_t num)
{
	char name[NAME_BYTES + 1];

	memset(name, 'x', NAME_BYTES);
	snprintf(name, 20, "/%018d", (int)num);
	name[19] = 'x';
	name[NAME_BYTES] = '\0';
	drive_open(drive, tid, num, name, 0);
	assert_true(drive->state->pool.held <= MEMORY_MAX + SLACK);
}

static struct state_stats stats_of(const struct drive *drive)
{
	struct state_stats stats;

	state_stats(drive->state, &stats);
	return stats;
}

static void takes_from_who_holds_most(void **state)
{
	enum { FILES = 5000 };
	struct drive drive;

	create(&drive, &(struct state_config){.memory_max = MEMORY_MAX});
	for (int64_t num = 3; num < 100; num++)
		drive_open(&drive, 20, num, "/etc/passwd", 0);
	for (int64_t num = 3; num < FILES; num++)
		open_long(&drive, 10, num);
	for (int64_t num = 3; num < 100; num++)
		assert_string_equal(drive_name(&drive, 20, num), "/etc/passwd");
	/* What is oldest goes first; the newest is always known. */
	assert_false(drive_has_fd(&drive, 10, 3));
	assert_true(drive_has_fd(&drive, 10, FILES - 1));
	assert_true(stats_of(&drive).fds_evicted >= FILES - MEMORY_MAX / NAME_BYTES);
	assert_int_equal(stats_of(&drive).threads_evicted, 0);
	assert_int_equal(stats_of(&drive).memory_max, MEMORY_MAX);
	/* Memory comes back. */
	drive_exit(&drive, 10, 0);
	drive_any(&drive, 20);
	assert_true(stats_of(&drive).memory_bytes < 2 << 20);
	drive_destroy(&drive);
}

static void set_group(struct drive *drive, int64_t tid, const char *text)
{
	state_thread_set_cgroups(&drive->state->containers, drive_thread(drive, tid), text,
				 strlen(text) + 1);
}

/* Many processes, each smaller than the victim, are one holder if they are in one group. */
static void takes_from_the_group_that_holds_most(void **state)
{
	enum { HOGS = 200, FILES = 20, VICTIM_FILES = 60 };
	struct drive drive;

	create(&drive, &(struct state_config){.memory_max = MEMORY_MAX});
	set_group(&drive, 20, "memory=/victim");
	for (int64_t num = 3; num < VICTIM_FILES; num++)
		open_long(&drive, 20, num);
	for (int64_t tid = 100; tid < 100 + HOGS; tid++) {
		drive_exec(&drive, tid, "hog");
		set_group(&drive, tid, "memory=/hogs");
	}
	for (int64_t num = 3; num < 3 + FILES; num++)
		for (int64_t tid = 100; tid < 100 + HOGS; tid++)
			open_long(&drive, tid, num);
	for (int64_t num = 3; num < VICTIM_FILES; num++)
		assert_true(drive_has_fd(&drive, 20, num));
	assert_true(stats_of(&drive).fds_evicted > 0);
	assert_int_equal(stats_of(&drive).threads_evicted, 0);
	drive_destroy(&drive);
}

/* Children share what they inherit: dropping it takes no memory, and helps. */
static void takes_what_is_shared(void **state)
{
	enum { FILES = 1500, CHILDREN = 20 };
	struct drive drive;

	create(&drive, &(struct state_config){.memory_max = MEMORY_MAX});
	for (int64_t num = 3; num < FILES; num++)
		open_long(&drive, 10, num);
	for (int64_t child = 100; child < 100 + CHILDREN; child++)
		drive_fork(&drive, 10, child);
	for (int64_t num = 3; num < FILES; num++)
		open_long(&drive, 100, num);
	assert_true(drive_has_fd(&drive, 100, FILES - 1));
	drive_destroy(&drive);
}

/* Threads have the other half: without descriptors to drop, those that slept longest go. */
static void takes_threads_without_events(void **state)
{
	enum { THREADS = 20000 };
	struct drive drive;

	create(&drive, &(struct state_config){.memory_max = MEMORY_MAX});
	for (int64_t tid = 1000; tid < 1000 + THREADS; tid++) {
		drive_exec(&drive, tid, "many");
		drive_any(&drive, 20);
		assert_true(drive.state->pool.held <= MEMORY_MAX + SLACK);
	}
	assert_non_null(drive_thread(&drive, 20));
	assert_non_null(drive_thread(&drive, 999 + THREADS));
	assert_true(stats_of(&drive).threads_evicted > 0);
	drive_destroy(&drive);
}

/* What counts is all of them: a thread may be the only one in groups with a long path. */
static void takes_threads_in_long_groups(void **state)
{
	enum { THREADS = 5000 };
	struct drive drive;
	char group[NAME_BYTES + 1];

	create(&drive, &(struct state_config){.memory_max = MEMORY_MAX});
	memset(group, 'g', NAME_BYTES);
	group[NAME_BYTES] = '\0';
	for (int64_t tid = 1000; tid < 1000 + THREADS; tid++) {
		drive_exec(&drive, tid, "many");
		snprintf(group, 40, "memory=/%031d", (int)tid);
		group[39] = 'g';
		set_group(&drive, tid, group);
		drive_any(&drive, 20);
		assert_true(stats_of(&drive).memory_bytes <= MEMORY_MAX + SLACK);
	}
	assert_true(stats_of(&drive).threads_evicted > THREADS / 2);
	assert_non_null(drive_thread(&drive, 20));
	drive_destroy(&drive);
}

/* The table of descriptors has a limit, too, which one process must not fill for all. */
static void keeps_room_for_others_descriptors(void **state)
{
	enum { FDS_MAX = 2000 };
	struct drive drive;

	create(&drive, &(struct state_config){.fds_max = FDS_MAX});
	for (int64_t num = 3; num < 3 * FDS_MAX; num++)
		drive_open(&drive, 10, num, "/flood", 0);
	for (int64_t num = 3; num < 50; num++)
		drive_open(&drive, 20, num, "/etc/passwd", 0);
	for (int64_t num = 3; num < 50; num++)
		assert_string_equal(drive_name(&drive, 20, num), "/etc/passwd");
	assert_int_equal(stats_of(&drive).fds_rejected, 0);
	assert_int_equal(stats_of(&drive).threads_evicted, 0);
	assert_true(stats_of(&drive).fds_evicted > 0);
	drive_destroy(&drive);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(takes_from_who_holds_most),
	cmocka_unit_test(takes_from_the_group_that_holds_most),
	cmocka_unit_test(takes_what_is_shared),
	cmocka_unit_test(takes_threads_without_events),
	cmocka_unit_test(takes_threads_in_long_groups),
	cmocka_unit_test(keeps_room_for_others_descriptors),
};

UNIT_GROUP(tests);
