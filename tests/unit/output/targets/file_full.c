/* SPDX-License-Identifier: MIT */
/* file:PATH on a disk of 1 MB that gets full, and on one that becomes read-only. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/targets/kinds.h"
#include "sent.h"
#include "tree.h"
#include "unit.h"

enum { LINE_BYTES = 100, LINES = 20000, DISK_BYTES = 1 << 20 };

static struct tree tree;
static char path[TREE_PATH_BYTES], filler[TREE_PATH_BYTES];
static struct sent_target target;

static int setup(void **state)
{
	char text[2 * TREE_PATH_BYTES];

	if (geteuid() != 0 || unshare(CLONE_NEWNS))
		return 1;
	tree_create(&tree);
	tree_path(&tree, "x", path);
	tree_path(&tree, "filler", filler);
	mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
	assert_return_code(mount("tmpfs", tree.path, "tmpfs", 0, "size=1m"), errno);
	snprintf(text, sizeof(text), "file:%s", path);
	sent_open(&target, &output_kind_file, text);
	return 0;
}

static int teardown(void **state)
{
	sent_close(&target);
	assert_return_code(umount(tree.path), errno);
	tree_destroy(&tree);
	return 0;
}

/* The lines of the file are those from 1 to `count`, each whole. */
static void assert_lines(size_t count)
{
	FILE *file = fopen(path, "r");
	char line[2 * LINE_BYTES];
	size_t n = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		assert_int_equal(strlen(line), LINE_BYTES);
		assert_int_equal(atoi(line), ++n);
	}
	fclose(file);
	assert_int_equal(n, count);
}

static void test_full(void **state)
{
	struct sent sent;
	struct error err;
	size_t done;

	tree_write(&tree, "filler", "");
	assert_return_code(truncate(filler, 0), errno);
	sent_init(&sent, 1, LINES, LINE_BYTES);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "No space left on device: free space, or limit the size"));
	done = sent_count(&sent, OUTPUT_DELIVERED);
	assert_in_range(done, DISK_BYTES / LINE_BYTES - 100, DISK_BYTES / LINE_BYTES);
	assert_int_equal(sent.batch.results[done - 1], OUTPUT_DELIVERED);
	assert_false(sent.batch.uncertain);
	sent_finish(&sent);
	assert_lines(done);
	/* It stays so with each try. */
	sent_init(&sent, done + 1, 100, LINE_BYTES);
	assert_int_equal(target.kind->send(target.target, &sent.batch, &err), -ENOSPC);
	assert_in_range(sent_count(&sent, OUTPUT_RETRY), 60, 100);
	assert_lines(done + sent_count(&sent, OUTPUT_DELIVERED));
	done += sent_count(&sent, OUTPUT_DELIVERED);
	sent_finish(&sent);
	/* Space again: nothing is missing, nothing is there twice. */
	assert_return_code(mount(NULL, tree.path, NULL, MS_REMOUNT, "size=4m"), errno);
	assert_int_equal(sent_all(&target, done + 1, LINES - done, LINE_BYTES, &err), 0);
	assert_lines(LINES);
}

static void test_read_only(void **state)
{
	struct sent_target other;
	struct error err;
	char text[2 * TREE_PATH_BYTES];
	struct sent sent;

	assert_int_equal(sent_all(&target, 1, 1, LINE_BYTES, &err), 0);
	target.kind->close(target.target);
	target.target = NULL;
	assert_return_code(mount(NULL, tree.path, NULL, MS_REMOUNT | MS_RDONLY, NULL), errno);
	snprintf(text, sizeof(text), "file:%s", path);
	assert_int_equal(sent_try(&other, &output_kind_file, text, &err), -EROFS);
	assert_non_null(strstr(err.text, "Read-only file system: name a file on"));
	assert_return_code(mount(NULL, tree.path, NULL, MS_REMOUNT, NULL), errno);
	/* A disk that becomes read-only under the open file, which was renamed. */
	sent_open(&other, &output_kind_file, text);
	assert_return_code(rename(path, filler), errno);
	target.kind->close(other.target);
	other.target = NULL;
	assert_return_code(mount(NULL, tree.path, NULL, MS_REMOUNT | MS_RDONLY, NULL), errno);
	assert_int_equal(target.kind->open(other.config, &other.stop, &other.target, &err), -EROFS);
	assert_return_code(mount(NULL, tree.path, NULL, MS_REMOUNT, NULL), errno);
	assert_int_equal(target.kind->open(other.config, &other.stop, &other.target, &err), 0);
	sent_init(&sent, 1, 1, LINE_BYTES);
	assert_int_equal(target.kind->send(other.target, &sent.batch, &err), 0);
	sent_finish(&sent);
	assert_lines(1);
	sent_close(&other);
}

static const char *missing(void)
{
	return geteuid() != 0 ? "only root can mount disks" : NULL;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_full, setup, teardown),
	cmocka_unit_test_setup_teardown(test_read_only, setup, teardown),
};

UNIT_GROUP(tests, .missing = missing);
