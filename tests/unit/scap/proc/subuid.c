/* SPDX-License-Identifier: MIT */
/* Ranges of subordinate ids, as files of any bytes have them. */
#include "scap/proc/subuid.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"

static const char passwd[] =
	"root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n";

static void expect_ranges(const char *text, const struct share_range *expected, size_t count)
{
	struct share_range ranges[SHARE_RANGES_MAX];
	char copy[4096];

	assert_true(strlen(text) < sizeof(copy));
	strcpy(copy, text);
	assert_int_equal(subuid_parse(copy, passwd, ranges), count);
	for (size_t i = 0; i < count; i++)
		assert_memory_equal(&ranges[i], &expected[i], sizeof(ranges[i]));
}

static void reads_ranges_in_order(void **state)
{
	expect_ranges("bob:165536:65536\nann:100000:65536\n5:300000:10",
		      (const struct share_range[]){
			      {100000, 65536, 1000}, {165536, 65536, 1001}, {300000, 10, 5}},
		      3);
}

static void leaves_out_what_is_none(void **state)
{
	expect_ranges("", NULL, 0);
	expect_ranges("nobody:100000:65536\nann:x:3\nann\nann:100000\n:1:2\nann:4294967295:2\n"
		      "ann:100000:0\nann:99999999999:1\nann:0:65536\nan:7:7\n\n",
		      NULL, 0);
	/* The first one of two that overlap. */
	expect_ranges("ann:100000:10\nbob:100009:10\nbob:100010:1\n",
		      (const struct share_range[]){{100000, 10, 1000}, {100010, 1, 1001}}, 2);
}

static void reads_files_of_the_first_process(void **state)
{
	struct share_range ranges[SHARE_RANGES_MAX];
	struct tree tree;
	int proc;

	tree_create(&tree);
	tree_write(&tree, "1/root/etc/subuid", "ann:200000:5\n");
	tree_write(&tree, "1/root/etc/passwd", passwd);
	proc = open(tree.path, O_PATH | O_DIRECTORY);
	assert_int_equal(subuid_read(proc, ranges), 1);
	assert_int_equal(ranges[0].owner, 1000);
	close(proc);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_ranges_in_order),
	cmocka_unit_test(leaves_out_what_is_none),
	cmocka_unit_test(reads_files_of_the_first_process),
};

UNIT_GROUP(tests);
