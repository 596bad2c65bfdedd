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
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/hash.h"

#define NS_PER_S UINT64_C(1000000000)

enum {
	FILE_MODE = 0640,
	FOLDER_MODE = 0750,
	FILE_NAME_BYTES = 64,
	REMOVED_MAX = 64, /* for one file, of a disk that is full */
	FOLDER_PART = 2, /* of what is kept: with more, a folder makes room for all */
	TIME_LEN = 16, /* 20261130T070500Z */
	PLAIN_LEN_MAX = 160, /* of an id that is a name as it is */
	MARK_LEN_MAX = 11, /* @4294967295 */
	CUT_LEN_MAX = 128, /* of what is shown of another id */
	/* Files of one name: the clock went back. */
	SECONDS_LATER_MAX = 3600,
};

#define LOCK_PAUSE_NS UINT64_C(100000000)

static const char ending[] = ".pb.gz", temporary[] = ".unfinished";

struct kept {
	uint64_t second; /* since the epoch */
	uint32_t folder;
	uint32_t bytes;
};

struct kept_folder {
	char *name; /* owned; NULL: it is free */
	uint64_t bytes;
	uint32_t files;
	bool of_user; /* whose id has a user behind it */
};

/* What there is of all, or of users. */
struct kept_sum {
	uint64_t bytes;
	size_t files, folders;
};

struct continuous_files {
	struct continuous_files_config config;
	int top; /* a descriptor */
	struct kept *list; /* owned: the oldest first, from `first` on */
	size_t first, count, capacity;
	struct kept_folder folders[FILES_FOLDERS_MAX];
	struct kept_sum all, users;
};

static bool is_in_name(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '-' || c == '_' || c == '@' || c == '.';
}

static bool is_plain(const char *id, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_in_name(id[i]))
			return false;
	return len && len <= PLAIN_LEN_MAX && id[0] != '.' && id[0] != '_';
}

/* The user behind an id: "@1000" at its end; "" if there is none. */
static const char *mark_of(const char *id)
{
	const char *mark = strrchr(id, '@');
	size_t len = mark ? strlen(mark) : 0;

	return len > 1 && len <= MARK_LEN_MAX && strspn(mark + 1, "0123456789") == len - 1
		       ? mark
		       : id + strlen(id);
}

void continuous_files_name(const char *id, char text[FILES_NAME_BYTES])
{
	static const struct hash_key key = {{0}}; /* names are the same in each run */
	const char *mark = mark_of(id);
	char cut[CUT_LEN_MAX + 1];
	size_t len = (size_t)(mark - id);

	if (is_plain(id, strlen(id))) {
		snprintf(text, FILES_NAME_BYTES, "%s", id);
		return;
	}
	len = len > CUT_LEN_MAX ? CUT_LEN_MAX : len;
	for (size_t i = 0; i < len; i++)
		cut[i] = is_in_name(id[i]) ? id[i] : '_';
	cut[len] = '\0';
	snprintf(text, FILES_NAME_BYTES, "_%s-%016llx%s", cut,
		 (unsigned long long)hash_sip(&key, id, strlen(id)), mark);
}

static void to_file_name(uint64_t second, char text[FILE_NAME_BYTES])
{
	time_t time = (time_t)second;
	struct tm parts;

	gmtime_r(&time, &parts);
	strftime(text, FILE_NAME_BYTES, "%Y%m%dT%H%M%SZ.pb.gz", &parts);
}

/* The time that a name has. Returns what follows it, or NULL: it is no name of a profile. */
static const char *read_file_name(const char *name, uint64_t *second)
{
	struct tm parts = {0};
	char again[FILE_NAME_BYTES];
	const char *end = strptime(name, "%Y%m%dT%H%M%SZ", &parts);
	size_t len = TIME_LEN + sizeof(ending) - 1;

	if (!end || end != name + TIME_LEN || strncmp(end, ending, sizeof(ending) - 1) != 0)
		return NULL;
	*second = (uint64_t)timegm(&parts);
	to_file_name(*second, again);
	return strncmp(again, name, len) == 0 ? name + len : NULL;
}

/* Finds a folder, or makes it one. Returns 0; -ENOSPC: there is no room; or -ENOMEM. */
static int files_folder(struct continuous_files *files, const char *name, uint32_t *place)
{
	uint32_t unused = FILES_FOLDERS_MAX;
	struct kept_folder *folder;

	for (*place = 0; *place < FILES_FOLDERS_MAX; ++*place) {
		if (!files->folders[*place].name)
			unused = unused == FILES_FOLDERS_MAX ? *place : unused;
		else if (strcmp(files->folders[*place].name, name) == 0)
			return 0;
	}
	if (unused == FILES_FOLDERS_MAX)
		return -ENOSPC;
	folder = &files->folders[unused];
	*folder = (struct kept_folder){.name = strdup(name), .of_user = mark_of(name)[0]};
	if (!folder->name)
		return -ENOMEM;
	files->all.folders++;
	files->users.folders += folder->of_user;
	*place = unused;
	return 0;
}

static void files_forget_folder(struct continuous_files *files, struct kept_folder *folder)
{
	files->all.folders--;
	files->users.folders -= folder->of_user;
	free(folder->name);
	folder->name = NULL;
}

static int files_keep(struct continuous_files *files, uint64_t second, uint32_t folder,
		      uint64_t size)
{
	uint32_t bytes = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;

	if (files->first + files->count == files->capacity) {
		size_t wanted = files->capacity ? 2 * files->capacity : 256;
		struct kept *list;

		/* What was removed in front makes room. */
		if (files->first)
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
	files->list[files->first + files->count++] = (struct kept){second, folder, bytes};
	files->folders[folder].files++;
	files->folders[folder].bytes += bytes;
	files->all.bytes += bytes;
	files->all.files++;
	if (files->folders[folder].of_user) {
		files->users.bytes += bytes;
		files->users.files++;
	}
	return 0;
}

/* Puts the last one where its time has it: the clock may have been ahead of what it is now. */
static void files_sort_last(struct continuous_files *files)
{
	struct kept *from = files->list + files->first;
	const struct kept last = from[files->count - 1];
	size_t i = files->count - 1;

	for (; i && from[i - 1].second > last.second; i--)
		from[i] = from[i - 1];
	from[i] = last;
}

/* Removing. */

/* What cannot be removed is still kept. Returns 0 or -errno. */
static int files_remove(struct continuous_files *files, size_t index)
{
	struct kept *from = files->list + files->first;
	const struct kept kept = from[index];
	struct kept_folder *folder = &files->folders[kept.folder];
	char path[FILES_NAME_BYTES + FILE_NAME_BYTES + 1], name[FILE_NAME_BYTES];

	to_file_name(kept.second, name);
	snprintf(path, sizeof(path), "%s/%s", folder->name, name);
	if (unlinkat(files->top, path, 0) && errno != ENOENT && errno != ENOTDIR)
		return -errno;
	memmove(from + 1, from, index * sizeof(*from));
	files->first++;
	files->count--;
	folder->bytes -= kept.bytes;
	files->all.bytes -= kept.bytes;
	files->all.files--;
	if (folder->of_user) {
		files->users.bytes -= kept.bytes;
		files->users.files--;
	}
	if (--folder->files)
		return 0;
	unlinkat(files->top, folder->name, AT_REMOVEDIR);
	files_forget_folder(files, folder);
	return 0;
}

/* The largest folder, if it has more than its part, in several files; else FILES_FOLDERS_MAX. */
static uint32_t files_largest(const struct continuous_files *files)
{
	uint64_t most = files->config.keep_bytes / FOLDER_PART;
	uint32_t largest = FILES_FOLDERS_MAX;

	for (uint32_t i = 0; i < FILES_FOLDERS_MAX; i++)
		if (files->folders[i].files > 1 && files->folders[i].bytes > most) {
			most = files->folders[i].bytes;
			largest = i;
		}
	return largest;
}

/*
 * The oldest file; of users if theirs take more than half of the room: they make containers as they
 * like; else of a folder with more than its part: who runs in there makes its files as large as it
 * likes. users_bytes: that are to come.
 */
static size_t files_next(const struct continuous_files *files, uint64_t users_bytes)
{
	const struct kept_sum *users = &files->users;
	bool of_users = users->bytes + users_bytes > files->config.keep_bytes / 2 ||
			users->files > FILES_MAX / 2 || users->folders > FILES_FOLDERS_MAX / 2;
	uint32_t largest = of_users ? FILES_FOLDERS_MAX : files_largest(files);

	for (size_t i = 0; (of_users || largest < FILES_FOLDERS_MAX) && i < files->count; i++) {
		uint32_t folder = files->list[files->first + i].folder;

		if (of_users ? files->folders[folder].of_user : folder == largest)
			return i;
	}
	return 0;
}

static int files_make_room(struct continuous_files *files, uint64_t bytes, uint64_t users_bytes,
			   uint64_t *removed)
{
	int r = 0;

	while (r == 0 && files->count &&
	       (files->all.bytes + bytes > files->config.keep_bytes || files->count >= FILES_MAX)) {
		r = files_remove(files, files_next(files, users_bytes));
		*removed += r == 0;
	}
	return r;
}

int continuous_files_clean(struct continuous_files *files, uint64_t now_ns, uint64_t *removed,
			   struct error *err)
{
	int r = files_make_room(files, 0, 0, removed);

	while (r == 0 && files->count &&
	       files->list[files->first].second * NS_PER_S + files->config.keep_ns < now_ns) {
		r = files_remove(files, 0);
		*removed += r == 0;
	}
	return r ? error_set(err, r, "%s: removing old files: %s", files->config.folder,
			     strerror(-r))
		 : 0;
}

/* Finding those of earlier runs. */

static int find_in(struct continuous_files *files, const char *name, int fd)
{
	DIR *folder = fdopendir(fd);
	uint32_t place;
	int r = 0;

	if (!folder) {
		close(fd);
		return 0;
	}
	for (struct dirent *entry; r == 0 && (entry = readdir(folder));) {
		struct stat stat;
		uint64_t second;
		const char *rest = read_file_name(entry->d_name, &second);

		if (rest && strcmp(rest, temporary) == 0)
			unlinkat(dirfd(folder), entry->d_name, 0);
		if (!rest || *rest ||
		    fstatat(dirfd(folder), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(stat.st_mode))
			continue;
		r = files_folder(files, name, &place);
		if (r == 0)
			r = files_keep(files, second, place, (uint64_t)stat.st_size);
	}
	closedir(folder);
	return r == -ENOSPC ? 0 : r;
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

		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= FILES_NAME_BYTES)
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

/*
 * Two agents would remove each other's files. At a takeover the other one is about to end. A file
 * system that cannot lock a folder is used without.
 */
static int files_lock(const struct continuous_files *files)
{
	const struct timespec pause = clock_timespec(LOCK_PAUSE_NS);
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + files->config.lock_wait_ns;

	while (flock(files->top, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return 0;
		if (clock_ns(CLOCK_MONOTONIC) >= until_ns)
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int continuous_files_open(const struct continuous_files_config *config,
			  struct continuous_files **files, struct error *err)
{
	struct continuous_files *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = *config;
	made->top = -1;
	if (mkdir(config->folder, FOLDER_MODE) == 0)
		errno = 0;
	made->top = open(config->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = made->top < 0 ? -errno : files_lock(made);
	if (r == 0)
		r = find_all(made);
	if (r) {
		continuous_files_close(made);
		return error_set(err, r, "%s: %s", config->folder,
				 r == -EBUSY ? "another agent keeps its profiles there"
					     : strerror(-r));
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

/* One that is there is not replaced: the next second that has none. */
static int find_time(int folder, uint64_t *second, char file[FILE_NAME_BYTES])
{
	struct stat stat;

	for (int i = 0; i < SECONDS_LATER_MAX; i++, ++*second) {
		to_file_name(*second, file);
		if (fstatat(folder, file, &stat, AT_SYMLINK_NOFOLLOW))
			return errno == ENOENT ? 0 : -errno;
	}
	return -EEXIST;
}

/* Makes room, and finds the folder in the list. */
static int files_prepare(struct continuous_files *files, const char *name, uint64_t bytes,
			 uint32_t *place, uint64_t *removed)
{
	uint64_t users_bytes = mark_of(name)[0] ? bytes : 0;
	int r = bytes > files->config.file_bytes
			? -EFBIG
			: files_make_room(files, bytes, users_bytes, removed);

	if (r)
		return r;
	while ((r = files_folder(files, name, place)) == -ENOSPC && files->count) {
		r = files_remove(files, files_next(files, users_bytes));
		if (r)
			return r;
		++*removed;
	}
	return r;
}

static int files_write(struct continuous_files *files, uint32_t place, uint64_t second,
		       const struct buf *content)
{
	int fd = files_open_folder(files, files->folders[place].name);
	char file[FILE_NAME_BYTES];
	int r;

	if (fd < 0)
		return fd;
	r = find_time(fd, &second, file);
	if (r == 0)
		r = write_renamed(fd, file, content);
	close(fd);
	if (r == 0)
		r = files_keep(files, second, place, content->len);
	if (r == 0)
		files_sort_last(files);
	return r;
}

/* Of a disk that is full the oldest files make room, as they do of what is kept. */
static int files_write_removing(struct continuous_files *files, uint32_t place, uint64_t second,
				const struct buf *content, uint64_t *removed)
{
	uint64_t users_bytes = mark_of(files->folders[place].name)[0] ? content->len : 0;
	int r = files_write(files, place, second, content);

	for (int i = 0; (r == -ENOSPC || r == -EDQUOT) && i < REMOVED_MAX && files->count; i++) {
		size_t next = files_next(files, users_bytes);

		/* Its folder is to be written to. */
		if (files->list[files->first + next].folder == place &&
		    files->folders[place].files == 1)
			break;
		if (files_remove(files, next))
			break;
		++*removed;
		r = files_write(files, place, second, content);
	}
	return r;
}

int continuous_files_write(struct continuous_files *files, const char *name, uint64_t time_ns,
			   const struct buf *content, uint64_t *removed, struct error *err)
{
	char file[FILE_NAME_BYTES];
	uint32_t place;
	int r = files_prepare(files, name, content->len, &place, removed);

	if (r == 0) {
		r = files_write_removing(files, place, time_ns / NS_PER_S, content, removed);
		if (files->folders[place].files == 0)
			files_forget_folder(files, &files->folders[place]);
	}
	to_file_name(time_ns / NS_PER_S, file);
	return r ? error_set(err, r, "%s/%s/%s: %s", files->config.folder, name, file, strerror(-r))
		 : 0;
}
