/* SPDX-License-Identifier: MIT */
/* Lines as the kernel writes them, and others. */
#include "scap/symbols/symbol_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"

static void reads_lines_that_are_mappings(void **state)
{
	static char long_line[2 * SYMBOL_MAPS_LINE_BYTES];
	struct symbol_maps_line line;
	struct tree tree;
	FILE *file;
	int dir;

	memset(long_line, 'x', sizeof(long_line) - 1);
	memcpy(long_line, "1-2 r--p 0 0:0 0 ", strlen("1-2 r--p 0 0:0 0 "));
	tree_create(&tree);
	tree_write(&tree, "some",
		   "7f00-7f10 r-xp 00001000 fe:01 1234    /lib/a b.so (deleted)\n"
		   "no mapping\n"
		   "8000-9000 rw-p 00000000 00:00 0\n");
	tree_write(&tree, "long", long_line);
	dir = open(tree.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(symbol_maps_open(dir, "none", &file), -ENOENT);
	assert_int_equal(symbol_maps_open(dir, "some", &file), 0);
	assert_true(symbol_maps_next(file, &line));
	assert_true(line.begin == 0x7f00 && line.end == 0x7f10 && line.offset == 0x1000);
	assert_true(line.id.major == 0xfe && line.id.minor == 1 && line.id.ino == 1234);
	assert_string_equal(line.rights, "r-xp");
	assert_string_equal(line.path, "/lib/a b.so (deleted)");
	assert_true(symbol_maps_next(file, &line));
	assert_true(line.begin == 0x8000 && line.id.ino == 0);
	assert_string_equal(line.path, "");
	assert_false(symbol_maps_next(file, &line));
	fclose(file);
	assert_int_equal(symbol_maps_open(dir, "long", &file), 0);
	assert_true(symbol_maps_next(file, &line));
	assert_true(strlen(line.path) > PATH_MAX && strlen(line.text) < SYMBOL_MAPS_LINE_BYTES);
	assert_false(symbol_maps_next(file, &line));
	fclose(file);
	close(dir);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_lines_that_are_mappings),
};

UNIT_GROUP(tests);
