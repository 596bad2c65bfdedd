/* SPDX-License-Identifier: MIT */
/*
 * A spool on disks that are small, full and read-only: file systems in memory of a megabyte, in a
 * mount namespace of the test. Every record is delivered, refused or reported as lost. Needs root.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "output/spool/spool_impl.h"
#include "spooled.h"
#include "unit.h"

enum { BATCH = 20 };

struct disk {
	struct spooled spooled;
	uint64_t refused, delivered, reported;
};

static int have_namespace(void **state)
{
	bool *may_mount = calloc(1, sizeof(*may_mount));

	*may_mount =
		unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
	*state = may_mount;
	return 0;
}

static int release(void **state)
{
	free(*state);
	return 0;
}

static void create(void **state, struct disk *disk, const char *size)
{
	if (!*(bool *)*state)
		skip();
	*disk = (struct disk){0};
	spooled_create(&disk->spooled);
	assert_int_equal(mount("tmpfs", disk->spooled.tree.path, "tmpfs", 0, size), 0);
	disk->spooled.config.limit_bytes = 100 << 20;
}

static void destroy(struct disk *disk)
{
	spooled_close(&disk->spooled);
	assert_int_equal(umount(disk->spooled.tree.path), 0);
	spooled_destroy(&disk->spooled);
}

static void append(struct disk *disk, int batches)
{
	for (int i = 0; i < batches; i++) {
		/* The pause after a failure is not what is tested here. */
		disk->spooled.spool->writer.retry_ns = 0;
		if (spooled_try(&disk->spooled, BATCH))
			disk->refused += BATCH;
	}
}

static void deliver(struct disk *disk, int batches)
{
	struct spool_batch batch;

	while (batches-- && spooled_read(&disk->spooled, &batch)) {
		for (unsigned int cause = 0; batch.lost && cause < SPOOL_CAUSES; cause++)
			disk->reported += batch.lost->causes[cause].count;
		assert_int_equal(spool_lost_reported(disk->spooled.spool, NULL), 0);
		spooled_acknowledge(&disk->spooled, &batch);
		disk->delivered += batch.count;
	}
}

static void check_account(const struct disk *disk)
{
	struct spool_stats stats;

	spool_stats(disk->spooled.spool, &stats);
	assert_int_equal(disk->delivered + disk->refused + disk->reported, disk->spooled.number);
	assert_int_equal(stats.records, 0);
	assert_int_equal(stats.lost[SPOOL_LOST_CORRUPT], 0);
	assert_int_equal(stats.refused[SPOOL_LOST_NO_SPACE], disk->refused);
}

/* Nobody acknowledges: what does not fit is refused, or the oldest goes. */
static void fills_a_disk_of_a_megabyte(void **state)
{
	static const enum spool_when_full policies[] = {SPOOL_DROP_NEWEST, SPOOL_DROP_OLDEST};

	for (size_t i = 0; i < 2; i++) {
		struct disk disk;

		create(state, &disk, "size=1m");
		disk.spooled.config.when_full = policies[i];
		spooled_open(&disk.spooled);
		append(&disk, 1000);
		deliver(&disk, -1);
		assert_int_equal(disk.refused > 0, policies[i] == SPOOL_DROP_NEWEST);
		assert_int_equal(disk.reported > 0, policies[i] == SPOOL_DROP_OLDEST);
		assert_true(disk.delivered * 150 > 500 << 10);
		check_account(&disk);
		/* With what was delivered gone there is room again. */
		disk.refused = 0;
		append(&disk, 100);
		assert_int_equal(disk.refused, 0);
		destroy(&disk);
	}
}

static void goes_on_when_others_free_the_disk(void **state)
{
	static char megabyte[1 << 20];
	char path[TREE_PATH_BYTES];
	struct disk disk;
	int fd;

	create(state, &disk, "size=1m");
	disk.spooled.config.when_full = SPOOL_DROP_NEWEST;
	spooled_open(&disk.spooled);
	append(&disk, 10);
	tree_path(&disk.spooled.tree, "other", path);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	while (write(fd, megabyte, sizeof(megabyte)) > 0)
		;
	close(fd);
	append(&disk, 10);
	assert_true(disk.refused > 0);
	/* The state has its place already. */
	deliver(&disk, 5);
	assert_int_equal(unlink(path), 0);
	append(&disk, 10);
	deliver(&disk, -1);
	check_account(&disk);
	destroy(&disk);
}

/* Stops and starts on a full disk lose nothing. */
static void starts_on_a_full_disk(void **state)
{
	struct disk disk;

	create(state, &disk, "size=1m");
	disk.spooled.config.when_full = SPOOL_DROP_NEWEST;
	spooled_open(&disk.spooled);
	append(&disk, 1000);
	assert_true(disk.refused > 0);
	for (int i = 0; i < 5; i++) {
		spooled_close(&disk.spooled);
		spooled_open(&disk.spooled);
		assert_int_equal(spool_last_number(disk.spooled.spool),
				 disk.spooled.number - disk.refused);
		disk.spooled.number -= disk.refused;
		disk.refused = 0;
		deliver(&disk, 10);
		append(&disk, 30);
	}
	deliver(&disk, -1);
	assert_int_equal(disk.delivered + disk.refused, disk.spooled.number);
	destroy(&disk);
}

static void says_that_a_disk_is_read_only(void **state)
{
	struct disk disk;
	struct error err;

	create(state, &disk, "size=1m");
	spooled_open(&disk.spooled);
	append(&disk, 10);
	spooled_close(&disk.spooled);
	assert_int_equal(mount(NULL, disk.spooled.tree.path, NULL, MS_REMOUNT | MS_RDONLY, NULL),
			 0);
	assert_int_equal(spool_open(&disk.spooled.config, &disk.spooled.spool, &err), -EROFS);
	assert_non_null(strstr(err.text, disk.spooled.path));
	disk.spooled.spool = NULL;
	assert_int_equal(mount(NULL, disk.spooled.tree.path, NULL, MS_REMOUNT, NULL), 0);
	spooled_open(&disk.spooled);
	deliver(&disk, -1);
	check_account(&disk);
	destroy(&disk);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(fills_a_disk_of_a_megabyte),
	cmocka_unit_test(goes_on_when_others_free_the_disk),
	cmocka_unit_test(starts_on_a_full_disk),
	cmocka_unit_test(says_that_a_disk_is_read_only),
};

UNIT_GROUP(tests, .setup = have_namespace, .teardown = release);
