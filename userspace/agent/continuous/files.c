/* SPDX-License-Identifier: MIT */
/* A list of files in the order of their times, and one of the folders that they are in. */
#include "agent/continuous/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

enum {
	FILE_MODE = 0640,
	FOLDER_MODE = 0750,
	FOLDER_NAME_BYTES = 192,
	FILE_NAME_BYTES = 64,
	TIME_LEN = 16, /* 20261130T070500Z */
};

static const char ending[] = ".pb.gz", temporary[] = ".unfinished";

struct kept {
	uint64_t second; /* since the epoch */
	uint32_t folder;
	uint32_t bytes;
};

struct kept_folder {
	char *name; /* owned; NULL: it is free */
	uint32_t files;
};

struct continuous_files {
	struct continuous_files_config config;
	int top; /* a descriptor */
	struct kept *list; /* owned: the oldest first, from `first` on */
	size_t first, count, capacity;
	struct kept_folder folders[FILES_FOLDERS_MAX];
	size_t folders_count; /* that are not free */
	uint64_t bytes; /* of all files */
};

static bool is_in_name(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '-' || c == '_' || c == '@' || c == '.';
}

/* Other bytes, and a dot in front, become underscores; what is too long is cut. */
static void to_folder_name(const char *name, char text[FOLDER_NAME_BYTES])
{
	size_t len = strnlen(name, FOLDER_NAME_BYTES - 1);

	for (size_t i = 0; i < len; i++)
		text[i] = is_in_name(name[i]) && (i || name[i] != '.') ? name[i] : '_';
	text[len] = '\0';
	if (!len)
		snprintf(text, FOLDER_NAME_BYTES, "_");
}

static void to_file_name(uint64_t second, char text[FILE_NAME_BYTES])
{
	time_t time = (time_t)second;
	struct tm parts;

	gmtime_r(&time, &parts);
	strftime(text, FILE_NAME_BYTES, "%Y%m%dT%H%M%SZ.pb.gz", &parts);
}

/* The time that a name has. Returns false if it is no name of a profile. */
static bool read_file_name(const char *name, uint64_t *second)
{
	struct tm parts = {0};
	char again[FILE_NAME_BYTES];
	const char *end = strptime(name, "%Y%m%dT%H%M%SZ", &parts);

	if (!end || end != name + TIME_LEN || strcmp(end, ending) != 0)
		return false;
	*second = (uint64_t)timegm(&parts);
	to_file_name(*second, again);
	return strcmp(again, name) == 0;
}

/* Returns its index, or FILES_FOLDERS_MAX: there is no room. */
static uint32_t files_folder(struct continuous_files *files, const char *name)
{
	uint32_t unused = FILES_FOLDERS_MAX;

	for (uint32_t i = 0; i < FILES_FOLDERS_MAX; i++) {
		if (!files->folders[i].name)
			unused = unused == FILES_FOLDERS_MAX ? i : unused;
		else if (strcmp(files->folders[i].name, name) == 0)
			return i;
	}
	if (unused == FILES_FOLDERS_MAX)
		return unused;
	files->folders[unused].name = strdup(name);
	if (!files->folders[unused].name)
		return FILES_FOLDERS_MAX;
	files->folders_count++;
	return unused;
}

static int files_keep(struct continuous_files *files, uint64_t second, uint32_t folder,
		      uint64_t bytes)
{
	if (files->first + files->count == files->capacity) {
		size_t wanted = files->capacity ? 2 * files->capacity : 256;
		struct kept *list;

		/* What was removed in front makes room. */
		memmove(files->list, files->list + files->first,
			files->count * sizeof(*files->list));
		files->first = 0;
		if (2 * files->count >= files->capacity) {
			list = reallocarray(files->list, wanted, sizeof(*list));
			if (!list)
				return -ENOMEM;
			files->list = list;
			files->capacity = wanted;
		}
	}
	files->list[files->first + files->count++] =
		(struct kept){second, folder, bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes};
	files->folders[folder].files++;
	files->bytes += bytes;
	return 0;
}

/* Removing. */

static void files_remove_oldest(struct continuous_files *files)
{
	const struct kept *kept = &files->list[files->first];
	struct kept_folder *folder = &files->folders[kept->folder];
	char path[FOLDER_NAME_BYTES + FILE_NAME_BYTES + 1], name[FILE_NAME_BYTES];

	to_file_name(kept->second, name);
	snprintf(path, sizeof(path), "%s/%s", folder->name, name);
	unlinkat(files->top, path, 0);
	files->bytes -= kept->bytes;
	files->first++;
	files->count--;
	if (--folder->files)
		return;
	unlinkat(files->top, folder->name, AT_REMOVEDIR);
	free(folder->name);
	folder->name = NULL;
	files->folders_count--;
}

static bool has_too_much(const struct continuous_files *files, uint64_t now_ns)
{
	const struct continuous_files_config *config = &files->config;
	const struct kept *oldest = &files->list[files->first];

	return files->count && (files->bytes > config->keep_bytes || files->count > FILES_MAX ||
				oldest->second * NS_PER_S + config->keep_ns < now_ns);
}

uint64_t continuous_files_clean(struct continuous_files *files, uint64_t now_ns)
{
	uint64_t removed = 0;

	for (; has_too_much(files, now_ns); removed++)
		files_remove_oldest(files);
	return removed;
}

/* Finding those of earlier runs. */

static int find_in(struct continuous_files *files, const char *name, int fd)
{
	DIR *folder = fdopendir(fd);
	uint32_t place = FILES_FOLDERS_MAX;
	int r = 0;

	if (!folder) {
		close(fd);
		return 0;
	}
	for (struct dirent *entry; r == 0 && (entry = readdir(folder));) {
		size_t len = strlen(entry->d_name), end = sizeof(temporary) - 1;
		struct stat stat;
		uint64_t second;

		if (len > end && strcmp(entry->d_name + len - end, temporary) == 0)
			unlinkat(dirfd(folder), entry->d_name, 0);
		if (!read_file_name(entry->d_name, &second) ||
		    fstatat(dirfd(folder), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(stat.st_mode))
			continue;
		if (place == FILES_FOLDERS_MAX)
			place = files_folder(files, name);
		if (place == FILES_FOLDERS_MAX)
			break;
		r = files_keep(files, second, place, (uint64_t)stat.st_size);
	}
	closedir(folder);
	return r;
}

static int compare_kept(const void *a, const void *b)
{
	const struct kept *first = a, *second = b;

	return first->second < second->second ? -1 : first->second > second->second;
}

static int find_all(struct continuous_files *files)
{
	int copy = fcntl(files->top, F_DUPFD_CLOEXEC, 0), r = 0;
	DIR *top = copy < 0 ? NULL : fdopendir(copy);

	if (!top)
		return -errno;
	for (struct dirent *entry; r == 0 && (entry = readdir(top));) {
		int fd;

		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= FOLDER_NAME_BYTES)
			continue;
		fd = openat(files->top, entry->d_name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			r = find_in(files, entry->d_name, fd);
	}
	closedir(top);
	if (files->count)
		qsort(files->list, files->count, sizeof(*files->list), compare_kept);
	return r;
}

int continuous_files_open(const struct continuous_files_config *config,
			  struct continuous_files **files, struct error *err)
{
	struct continuous_files *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = *config;
	if (mkdir(config->folder, FOLDER_MODE) == 0)
		errno = 0;
	made->top = open(config->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = made->top < 0 ? -errno : find_all(made);
	if (r) {
		continuous_files_close(made);
		return error_set(err, r, "%s: %s", config->folder, strerror(-r));
	}
	*files = made;
	return 0;
}

void continuous_files_close(struct continuous_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < FILES_FOLDERS_MAX; i++)
		free(files->folders[i].name);
	if (files->top >= 0)
		close(files->top);
	free(files->list);
	free(files);
}

/* Writing. */

static int write_all(int fd, const struct buf *content)
{
	size_t done = 0;

	while (done < content->len) {
		ssize_t n = write(fd, content->data + done, content->len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* What was written before its end is removed. */
static int write_renamed(int folder, const char *name, const struct buf *content)
{
	char unfinished[FILE_NAME_BYTES + sizeof(temporary)];
	int fd, r;

	snprintf(unfinished, sizeof(unfinished), "%s%s", name, temporary);
	unlinkat(folder, unfinished, 0);
	fd = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    FILE_MODE);
	if (fd < 0)
		return -errno;
	r = fchmod(fd, FILE_MODE) ? -errno : write_all(fd, content);
	close(fd);
	if (r == 0 && renameat(folder, unfinished, folder, name))
		r = -errno;
	if (r)
		unlinkat(folder, unfinished, 0);
	return r;
}

static int files_open_folder(struct continuous_files *files, const char *name)
{
	int fd;

	if (mkdirat(files->top, name, FOLDER_MODE) && errno != EEXIST)
		return -errno;
	fd = openat(files->top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int continuous_files_write(struct continuous_files *files, const char *name, uint64_t time_ns,
			   const struct buf *content, struct error *err)
{
	char folder[FOLDER_NAME_BYTES], file[FILE_NAME_BYTES];
	uint32_t place;
	int fd, r;

	to_folder_name(name, folder);
	to_file_name(time_ns / NS_PER_S, file);
	while ((place = files_folder(files, folder)) == FILES_FOLDERS_MAX && files->count)
		files_remove_oldest(files);
	if (place == FILES_FOLDERS_MAX)
		return error_set(err, -ENOMEM, "out of memory");
	fd = files_open_folder(files, folder);
	r = fd < 0 ? fd : write_renamed(fd, file, content);
	if (fd >= 0)
		close(fd);
	if (r == 0)
		r = files_keep(files, time_ns / NS_PER_S, place, content->len);
	if (files->folders[place].files == 0) {
		free(files->folders[place].name);
		files->folders[place].name = NULL;
		files->folders_count--;
	}
	return r ? error_set(err, r, "%s/%s/%s: %s", files->config.folder, folder, file,
			     strerror(-r))
		 : 0;
}
