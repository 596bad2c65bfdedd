/* SPDX-License-Identifier: MIT */
/* A process in a folder of its own as its root, and what a /proc has of it; made of files. */
#ifndef TESTS_FOREIGN_ROOT_H
#define TESTS_FOREIGN_ROOT_H

enum { FOREIGN_PID = 70, FOREIGN_PATH_BYTES = 128 };

struct foreign_root {
	char path[32]; /* has proc/ and root/etc/ */
	int proc, process; /* open directories */
};

/* For cmocka: its mounts are those of the test, its root that folder. */
int foreign_root_setup(void **state);
int foreign_root_teardown(void **state);

/* The path of a file: "root/etc/passwd". */
void foreign_root_path(const struct foreign_root *foreign, const char *name,
		       char path[FOREIGN_PATH_BYTES]);

/* Writes a file, or makes a link. The test fails if it cannot. */
void foreign_root_write(const struct foreign_root *foreign, const char *name, const char *text);
void foreign_root_link(const struct foreign_root *foreign, const char *name, const char *target);

/* Copies the mounts that the test has now, to proc/70/mountinfo or to a file of that name. */
void foreign_root_copy_mounts(const struct foreign_root *foreign);
void foreign_root_copy_mounts_to(const struct foreign_root *foreign, const char *name);

#endif
