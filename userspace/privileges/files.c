/* SPDX-License-Identifier: MIT */
/* Rules of Landlock, by the version that the kernel has. */
#include "privileges/files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the headers of Linux 6.1. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

/* What a rule about a file can allow; the others are about folders. */
#define OF_FILES                                                                                   \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_READ_FILE)

static const uint64_t reads = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

static const uint64_t changes = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
				LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
				LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
				LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
				LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

/* 0: the kernel has none. */
static long version(void)
{
	long found = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return found < 0 ? 0 : found;
}

bool files_can_be_limited(void)
{
	return version() > 0;
}

/* What the kernel knows of the accesses. */
static uint64_t known_changes(void)
{
	long found = version();

	return changes | (found >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0) |
	       (found >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0);
}

static int files_open_path(const struct files_rule *rule)
{
	int fd = open(rule->path, O_PATH | O_CLOEXEC);
	char folder[PATH_MAX];

	if (fd >= 0 || errno != ENOENT || !rule->writes)
		return fd < 0 ? -errno : fd;
	snprintf(folder, sizeof(folder), "%s", rule->path);
	fd = open(dirname(folder), O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* handled: the accesses that take a rule. */
static int add_rule(int ruleset, const struct files_rule *rule, uint64_t handled)
{
	struct landlock_path_beneath_attr attr = {.parent_fd = files_open_path(rule)};
	uint64_t accesses =
		handled & (rule->writes ? ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE : reads);
	struct stat file;
	int r = 0;

	/* What is not there, or a link in /proc to a pipe or socket, takes no rule. */
	if (attr.parent_fd == -ENOENT || attr.parent_fd == -ENOTDIR || attr.parent_fd == -ENXIO)
		return 0;
	if (attr.parent_fd < 0)
		return attr.parent_fd;
	if (fstat(attr.parent_fd, &file) < 0)
		r = -errno;
	attr.allowed_access = r == 0 && S_ISDIR(file.st_mode) ? accesses : accesses & OF_FILES;
	if (r == 0 && attr.allowed_access &&
	    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &attr, 0) < 0 &&
	    errno != EBADFD)
		r = -errno;
	close(attr.parent_fd);
	return r;
}

int files_limit(const struct files_limits *limits)
{
	/* What everyone may use. */
	static const struct files_rule null = {"/dev/null", .writes = true};
	struct landlock_ruleset_attr attr = {
		.handled_access_fs =
			known_changes() | LANDLOCK_ACCESS_FS_EXECUTE | (limits->reads ? reads : 0),
	};
	int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0), r = 0;

	if (ruleset < 0)
		return -errno;
	for (const struct files_rule *rule = limits->rules; rule->path && r == 0; rule++)
		r = add_rule(ruleset, rule, attr.handled_access_fs);
	if (r == 0)
		r = add_rule(ruleset, &null, attr.handled_access_fs);
	if (r == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		r = -errno;
	close(ruleset);
	return r;
}
