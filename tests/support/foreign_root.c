/* SPDX-License-Identifier: MIT */
#include "foreign_root.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOUNTS_BYTES = 1 << 20, OPEN_MAX_COUNT = 16 };

void foreign_root_path(const struct foreign_root *foreign, const char *name,
		       char path[FOREIGN_PATH_BYTES])
{
	int len = snprintf(path, FOREIGN_PATH_BYTES, "%s/%s", foreign->path, name);

	assert_in_range(len, 1, FOREIGN_PATH_BYTES - 1);
}

void foreign_root_write(const struct foreign_root *foreign, const char *name, const char *text)
{
	char path[FOREIGN_PATH_BYTES];
	FILE *file;

	foreign_root_path(foreign, name, path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

void foreign_root_link(const struct foreign_root *foreign, const char *name, const char *target)
{
	char path[FOREIGN_PATH_BYTES];

	foreign_root_path(foreign, name, path);
	unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

void foreign_root_copy_mounts_to(const struct foreign_root *foreign, const char *name)
{
	static char text[MOUNTS_BYTES];
	FILE *mounts = fopen("/proc/self/mountinfo", "r");
	size_t n;

	assert_non_null(mounts);
	n = fread(text, 1, sizeof(text) - 1, mounts);
	assert_in_range(n, 1, sizeof(text) - 2);
	text[n] = '\0';
	fclose(mounts);
	foreign_root_write(foreign, name, text);
}

void foreign_root_copy_mounts(const struct foreign_root *foreign)
{
	foreign_root_copy_mounts_to(foreign, "proc/70/mountinfo");
}

static int open_directory(const struct foreign_root *foreign, const char *name)
{
	char path[FOREIGN_PATH_BYTES];
	int fd;

	foreign_root_path(foreign, name, path);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

int foreign_root_setup(void **state)
{
	static const char *const folders[] = {"proc", "proc/1", "proc/70", "root", "root/etc"};
	struct foreign_root *foreign = calloc(1, sizeof(*foreign));
	char path[FOREIGN_PATH_BYTES];

	assert_non_null(foreign);
	snprintf(foreign->path, sizeof(foreign->path), "/tmp/lanner-root-XXXXXX");
	assert_non_null(mkdtemp(foreign->path));
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		foreign_root_path(foreign, folders[i], path);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	foreign_root_link(foreign, "proc/1/root", "/");
	foreign_root_path(foreign, "root", path);
	foreign_root_link(foreign, "proc/70/root", path);
	foreign_root_copy_mounts(foreign);
	foreign->proc = open_directory(foreign, "proc");
	foreign->process = open_directory(foreign, "proc/70");
	*state = foreign;
	return 0;
}

static int remove_one(const char *path, const struct stat *file, int kind, struct FTW *where)
{
	return remove(path);
}

int foreign_root_teardown(void **state)
{
	struct foreign_root *foreign = *state;

	close(foreign->proc);
	close(foreign->process);
	nftw(foreign->path, remove_one, OPEN_MAX_COUNT, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	free(foreign);
	return 0;
}
