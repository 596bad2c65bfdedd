/* SPDX-License-Identifier: MIT */
/* Names, the lock, the list of segments; pread(2) and pwrite(2) until all is done. */
#include "output/spool/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int spool_file_read(int fd, void *bytes, size_t len, uint64_t offset)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pread(fd, (char *)bytes + done, len - done, (off_t)(offset + done));

		if (n == 0)
			return -EBADMSG;
		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int spool_file_write(int fd, const void *bytes, size_t len, uint64_t offset)
{
	for (size_t done = 0; done < len;) {
		ssize_t n =
			pwrite(fd, (const char *)bytes + done, len - done, (off_t)(offset + done));

		if (n == 0)
			return -EIO;
		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Names, the lock, the list of segments. */

enum { DIGITS = 20, LOCK_TRIES = 10, LOCK_PAUSE_US = 10000 };

#define SUFFIX ".spool"

void spool_segment_name(uint64_t first, char name[SPOOL_NAME_BYTES])
{
	snprintf(name, SPOOL_NAME_BYTES, "%0*" PRIu64 SUFFIX, DIGITS, first);
}

/* Who can write to the folder, or owns it, could put files in the place of ours. */
static int folder_check_owner(int fd, const char *path, struct error *err)
{
	struct stat status;

	if (fstat(fd, &status))
		return error_set(err, -errno, "cannot look at the spool %s: %s", path,
				 strerror(errno));
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return error_set(err, -EPERM,
				 "the spool %s can be written by others (mode %03o): chmod 700 %s",
				 path, status.st_mode & 0777, path);
	if (status.st_uid != geteuid() && status.st_uid != 0)
		return error_set(err, -EPERM,
				 "the spool %s belongs to user %u, not to root or to the user of "
				 "the agent: chown %u %s",
				 path, status.st_uid, geteuid(), path);
	return 0;
}

int spool_folder_open(const char *path, struct error *err)
{
	int fd, r;

	if (mkdir(path, 0700) && errno != EEXIST)
		return error_set(err, -errno, "cannot make the folder %s of a spool: %s", path,
				 strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, -errno, "cannot open the folder %s of a spool: %s", path,
				 strerror(errno));
	r = folder_check_owner(fd, path, err);
	if (r)
		close(fd);
	return r ? r : fd;
}

/* The process that holds the lock has written its number there. */
static int report_busy(int fd, const char *path, struct error *err)
{
	char text[16] = {0};
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	text[len > 0 ? strspn(text, "0123456789") : 0] = '\0';
	return error_set(err, -EBUSY,
			 "the spool %s is in use by process %s; each output needs a "
			 "spool of its own",
			 path, text[0] ? text : "(unknown)");
}

/*
 * A command that looks at the spool has the lock for a moment, too, and a process that was killed
 * for as long as it ends.
 */
static int try_lock(int fd)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		usleep(LOCK_PAUSE_US);
	}
	return -EWOULDBLOCK;
}

int spool_folder_lock(int folder, const char *path, struct error *err)
{
	char text[16];
	int fd = openat(folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), len, r;

	if (fd < 0)
		return error_set(err, -errno, "cannot make %s/lock: %s", path, strerror(errno));
	r = try_lock(fd);
	if (r < 0) {
		r = r == -EWOULDBLOCK
			    ? report_busy(fd, path, err)
			    : error_set(err, r, "cannot lock %s/lock: %s", path, strerror(-r));
		close(fd);
		return r;
	}
	/* Only for the message above: on a full disk it may stay empty. */
	len = snprintf(text, sizeof(text), "%d\n", getpid());
	if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)len, 0) != len)
		return fd;
	return fd;
}

/* Returns 0 if the name is none of a segment. */
static uint64_t position_of(const char *name)
{
	char again[SPOOL_NAME_BYTES];
	uint64_t first = strtoull(name, NULL, 10);

	spool_segment_name(first, again);
	return strcmp(name, again) == 0 ? first : 0;
}

static int folder_compare(const void *a, const void *b)
{
	uint64_t x = ((const struct spool_segment *)a)->first;
	uint64_t y = ((const struct spool_segment *)b)->first;

	return (x > y) - (x < y);
}

int spool_segments_reserve(struct spool_segments *segments)
{
	size_t capacity = segments->capacity ? 2 * segments->capacity : 64;
	struct spool_segment *larger;

	if (segments->count < segments->capacity)
		return 0;
	larger = realloc(segments->items, capacity * sizeof(larger[0]));
	if (!larger)
		return -ENOMEM;
	segments->items = larger;
	segments->capacity = capacity;
	return 0;
}

int spool_segments_add(struct spool_segments *segments, const struct spool_segment *segment)
{
	int r = spool_segments_reserve(segments);

	if (r == 0)
		segments->items[segments->count++] = *segment;
	return r;
}

void spool_segments_remove(struct spool_segments *segments, size_t n)
{
	segments->count -= n;
	memmove(segments->items, segments->items + n, segments->count * sizeof(segments->items[0]));
}

size_t spool_segments_find(const struct spool_segments *segments, uint64_t position)
{
	size_t low = 0, high = segments->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (segments->items[middle].first <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

static int folder_add_file(int folder, const char *name, struct spool_segments *segments)
{
	struct spool_segment segment = {.first = position_of(name)};
	struct stat status;

	if (!segment.first || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(status.st_mode))
		return 0;
	segment.bytes = (uint64_t)status.st_size;
	return spool_segments_add(segments, &segment);
}

int spool_folder_list(int folder, struct spool_segments *segments)
{
	const struct dirent *entry;
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	*segments = (struct spool_segments){0};
	if (!dir) {
		r = -errno;
		if (fd >= 0)
			close(fd);
		return r;
	}
	do {
		errno = 0;
		entry = readdir(dir);
		r = entry ? folder_add_file(folder, entry->d_name, segments) : -errno;
	} while (entry && r == 0);
	closedir(dir);
	if (segments->count)
		qsort(segments->items, segments->count, sizeof(segments->items[0]), folder_compare);
	return r;
}
