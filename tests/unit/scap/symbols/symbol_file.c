/* SPDX-License-Identifier: MIT */
/* This program, as it is mapped here: found by its path or without, and no other file in its place.
 */
#include "scap/symbols/symbol_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static int proc;

static void find_own(struct symbol_maps_line *line)
{
	const uint64_t here = (uint64_t)(uintptr_t)find_own;
	FILE *file;

	assert_int_equal(symbol_maps_open(proc, "self/maps", &file), 0);
	do
		assert_true(symbol_maps_next(file, line));
	while (here < line->begin || here >= line->end);
	fclose(file);
}

static void opens_what_is_mapped(void **state)
{
	struct symbol_maps_line line;
	struct stat own, opened;
	struct symbol_file file;
	int fd;

	find_own(&line);
	assert_int_equal(stat("/proc/self/exe", &own), 0);
	file = (struct symbol_file){getpid(), line.begin, line.end, line.id, line.path};
	/* By the address; then, with one that is wrong, by its path; then as its program. */
	for (int i = 0; i < 3; i++) {
		fd = symbol_file_open(&file, proc);
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &opened), 0);
		assert_true(opened.st_ino == own.st_ino);
		close(fd);
		file.begin = 0;
		if (i == 1)
			file.path = "/bin/true";
	}
}

static void opens_no_other_file(void **state)
{
	struct symbol_maps_line line;
	struct symbol_file file;

	find_own(&line);
	line.id.ino++;
	file = (struct symbol_file){getpid(), line.begin, line.end, line.id, line.path};
	assert_true(symbol_file_open(&file, proc) < 0);
	file.path = "/bin/true";
	assert_int_equal(symbol_file_open(&file, proc), -ESTALE);
	file.path = "[vdso]";
	assert_true(symbol_file_open(&file, proc) < 0);
}

static int open_own_proc(void **state)
{
	proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return proc < 0;
}

static int close_own_proc(void **state)
{
	return close(proc);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(opens_what_is_mapped),
	cmocka_unit_test(opens_no_other_file),
};

UNIT_GROUP(tests, .setup = open_own_proc, .teardown = close_own_proc);
