/* SPDX-License-Identifier: MIT */
/* The folder: modes, the lock, the list of segments. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "tree.h"
#include "unit.h"

static void makes_a_folder_for_nobody_else(void **state)
{
	char path[TREE_PATH_BYTES];
	struct tree tree;
	struct stat status;
	struct error err;
	int fd;

	tree_create(&tree);
	tree_path(&tree, "spool", path);
	fd = spool_folder_open(path, &err);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	close(fd);
	assert_int_equal(chmod(path, 0770), 0);
	assert_int_equal(spool_folder_open(path, &err), -EPERM);
	assert_non_null(strstr(err.text, "chmod 700"));
	if (geteuid() == 0) {
		assert_int_equal(chmod(path, 0700) | chown(path, 1000, 1000), 0);
		assert_int_equal(spool_folder_open(path, &err), -EPERM);
		assert_non_null(strstr(err.text, "belongs to user 1000"));
	}
	tree_destroy(&tree);
}

static void says_which_folder_cannot_be_made(void **state)
{
	struct error err;

	assert_int_equal(spool_folder_open("/nonexistent/a/b", &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/a/b"));
	assert_int_equal(spool_folder_open("/etc/hostname", &err), -ENOTDIR);
	assert_non_null(strstr(err.text, "/etc/hostname"));
}

static void names_the_process_that_has_the_lock(void **state)
{
	struct tree tree;
	struct error err;
	char pid[16];
	int folder, first, second;

	tree_create(&tree);
	folder = spool_folder_open(tree.path, &err);
	first = spool_folder_lock(folder, tree.path, &err);
	assert_true(first >= 0);
	assert_int_equal(spool_folder_lock(folder, tree.path, &err), -EBUSY);
	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_non_null(strstr(err.text, pid));
	assert_non_null(strstr(err.text, tree.path));
	close(first);
	second = spool_folder_lock(folder, tree.path, &err);
	assert_true(second >= 0);
	close(second);
	close(folder);
	tree_destroy(&tree);
}

static void lists_segments_in_order_and_nothing_else(void **state)
{
	static const uint64_t firsts[] = {1, 90, 1000};
	struct spool_segments segments;
	struct tree tree;
	struct error err;
	int folder;

	tree_create(&tree);
	tree_write(&tree, "00000000000000001000.spool", "abc");
	tree_write(&tree, "00000000000000000090.spool", "abcd");
	tree_write(&tree, "00000000000000000001.spool", "");
	tree_write(&tree, "00000000000000000000.spool", "no position");
	tree_write(&tree, "2.spool", "not so long");
	tree_write(&tree, "00000000000000000003.spool.old", "");
	tree_write(&tree, "00000000000000000004.spool/file", "");
	tree_write(&tree, "state", "");
	folder = spool_folder_open(tree.path, &err);
	assert_int_equal(spool_folder_list(folder, &segments), 0);
	assert_int_equal(segments.count, 3);
	for (size_t i = 0; i < segments.count; i++)
		assert_int_equal(segments.items[i].first, firsts[i]);
	assert_int_equal(segments.items[1].bytes, 4);
	free(segments.items);
	close(folder);
	tree_destroy(&tree);
}

static void finds_the_segment_of_a_position(void **state)
{
	struct spool_segments segments = {0};

	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(spool_segments_add(&segments,
						    &(struct spool_segment){.first = 10 + 10 * i}),
				 0);
	assert_int_equal(spool_segments_find(&segments, 1), 0);
	assert_int_equal(spool_segments_find(&segments, 10), 0);
	assert_int_equal(spool_segments_find(&segments, 19), 0);
	assert_int_equal(spool_segments_find(&segments, 20), 1);
	assert_int_equal(spool_segments_find(&segments, UINT64_MAX), 99);
	spool_segments_remove(&segments, 2);
	assert_int_equal(segments.count, 98);
	assert_int_equal(segments.items[0].first, 30);
	free(segments.items);
}

static void counts_whole_blocks(void **state)
{
	assert_int_equal(spool_bytes_on_disk(0), 0);
	assert_int_equal(spool_bytes_on_disk(1), SPOOL_BLOCK_BYTES);
	assert_int_equal(spool_bytes_on_disk(SPOOL_BLOCK_BYTES), SPOOL_BLOCK_BYTES);
	assert_int_equal(spool_bytes_on_disk(SPOOL_BLOCK_BYTES + 1), 2 * SPOOL_BLOCK_BYTES);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(makes_a_folder_for_nobody_else),
	cmocka_unit_test(says_which_folder_cannot_be_made),
	cmocka_unit_test(names_the_process_that_has_the_lock),
	cmocka_unit_test(lists_segments_in_order_and_nothing_else),
	cmocka_unit_test(finds_the_segment_of_a_position),
	cmocka_unit_test(counts_whole_blocks),
};

UNIT_GROUP(tests);
