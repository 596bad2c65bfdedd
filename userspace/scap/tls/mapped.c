/* SPDX-License-Identifier: MIT */
/* Reads maps line by line; who has many mappings costs no more than so many lines. */
#include "scap/tls/mapped.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/tls/library.h"

enum { TASKS_MAX = 1024, LINES_MAX = 1 << 14, LINE_BYTES = PATH_MAX + 128 };

static int open_path(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool tls_mapped_is_short(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM;
}

int tls_mapped_program(const char *proc, int32_t pid, tls_mapped_fn see, void *context)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%" PRId32 "/exe", proc, pid);
	fd = open_path(path);
	if (fd < 0)
		return fd;
	see(context, fd, pid);
	close(fd);
	return 0;
}

/* A line of maps. */
struct mapping {
	uint64_t begin, end, ino;
	const char *path; /* as the process names it */
	bool is_executable;
};

static bool parse_line(char *line, struct mapping *mapping)
{
	char rights[5];
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %" SCNu64 " %n", &mapping->begin,
		   &mapping->end, rights, &mapping->ino, &path) != 4 ||
	    !path)
		return false;
	mapping->is_executable = rights[2] == 'x';
	mapping->path = line + path;
	return true;
}

/* By its path in the root of the process, if that is the same file still. */
static int open_by_path(const char *process, const struct mapping *mapping)
{
	char path[2 * PATH_MAX];
	struct statx file;
	int fd;

	snprintf(path, sizeof(path), "%s/root%s", process, mapping->path);
	fd = open_path(path);
	if (fd < 0 || (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &file) == 0 &&
		       file.stx_ino == mapping->ino))
		return fd;
	close(fd);
	return -ESTALE;
}

static int open_mapping(const char *process, const struct mapping *mapping)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "%s/map_files/%" PRIx64 "-%" PRIx64, process, mapping->begin,
		 mapping->end);
	fd = open_path(path);
	return fd >= 0 || tls_mapped_is_short(fd) ? fd : open_by_path(process, mapping);
}

static int see_mapping(char *line, const char *process, int32_t pid, uint64_t *last,
		       tls_mapped_fn see, void *context)
{
	struct mapping mapping;
	int fd;

	if (!parse_line(line, &mapping) || !mapping.is_executable || mapping.ino == *last ||
	    !tls_library_is_name(mapping.path))
		return 0;
	*last = mapping.ino;
	fd = open_mapping(process, &mapping);
	if (fd < 0)
		return tls_mapped_is_short(fd) ? fd : 0;
	see(context, fd, pid);
	close(fd);
	return 0;
}

static int see_mappings(FILE *maps, const char *process, int32_t pid, tls_mapped_fn see,
			void *context)
{
	char line[LINE_BYTES];
	uint64_t last = 0;
	int r = 0;

	for (int i = 0; r == 0 && fgets(line, sizeof(line), maps); i++)
		r = i < LINES_MAX ? see_mapping(line, process, pid, &last, see, context) : -E2BIG;
	return r == 0 && ferror(maps) ? -errno : r;
}

int tls_mapped_libraries(const char *proc, int32_t pid, tls_mapped_fn see, void *context)
{
	char process[PATH_MAX], path[PATH_MAX + 8];
	FILE *maps;
	int r;

	snprintf(process, sizeof(process), "%s/%" PRId32, proc, pid);
	snprintf(path, sizeof(path), "%s/maps", process);
	maps = fopen(path, "re");
	if (!maps)
		return -errno;
	r = see_mappings(maps, process, pid, see, context);
	fclose(maps);
	return r;
}

static int look_at_process(const char *proc, int32_t pid, const struct tls_look *look)
{
	int r = look->choose ? look->choose(look->context, pid) : 1, program;

	if (r <= 0)
		return r;
	program = tls_mapped_program(proc, pid, look->see, look->context);
	r = tls_mapped_libraries(proc, pid, look->see, look->context);
	if (tls_mapped_is_short(program))
		r = program;
	return look->looked ? look->looked(look->context, pid, r) : 0;
}

int tls_mapped_all(const char *proc, const struct tls_look *look)
{
	DIR *folder = opendir(proc);
	struct dirent *entry;
	int r = 0;

	if (!folder)
		return -errno;
	while (r >= 0) {
		int32_t pid;

		errno = 0;
		entry = readdir(folder);
		if (!entry) {
			r = -errno;
			break;
		}
		pid = (int32_t)strtol(entry->d_name, NULL, 10);
		if (pid > 0)
			r = look_at_process(proc, pid, look);
	}
	closedir(folder);
	return r < 0 ? r : 0;
}

/* By the name of a thread, as the kernel has it. */
static bool is_name_chosen(int tasks, const char *tid, const struct tls_chosen *chosen)
{
	char path[PATH_MAX], name[TLS_NAME_BYTES] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/comm", tid);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	/* 15 bytes and the end of the line. */
	n = read(fd, name, sizeof(name));
	if (n > 0)
		name[n - 1] = '\0';
	close(fd);
	for (size_t i = 0; i < TLS_CHOSEN_MAX && chosen->names[i][0]; i++)
		if (strncmp(chosen->names[i], name, sizeof(name)) == 0)
			return true;
	return false;
}

int tls_mapped_is_chosen(const char *proc, int32_t pid, const struct tls_chosen *chosen)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *tasks;

	if (chosen->all)
		return 1;
	for (size_t i = 0; i < TLS_CHOSEN_MAX && chosen->pids[i]; i++)
		if (chosen->pids[i] == (uint32_t)pid)
			return 1;
	if (!chosen->names[0][0])
		return 0;
	snprintf(path, sizeof(path), "%s/%" PRId32 "/task", proc, pid);
	tasks = opendir(path);
	if (!tasks)
		return tls_mapped_is_short(-errno) ? -errno : 0;
	for (int i = 0; i < TASKS_MAX && !found && (entry = readdir(tasks)); i++)
		found = entry->d_name[0] != '.' &&
			is_name_chosen(dirfd(tasks), entry->d_name, chosen);
	closedir(tasks);
	return found;
}
