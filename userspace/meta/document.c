/* SPDX-License-Identifier: MIT */
#include "meta/document.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "/proc/self/fd/2147483647" */
enum { FD_PATH_BYTES = 32 };

static int join(const char *root, const char *path, char full[PATH_MAX])
{
	int len = snprintf(full, PATH_MAX, "%s%s", root, path);

	return len < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* A file that is not there: others are tried. */
static int missing_or(int code)
{
	return code == -ENOTDIR || code == -ENAMETOOLONG || code == -ELOOP ? -ENOENT : code;
}

/*
 * Opens a regular file. It is not opened for reading before that is known: that alone has effects
 * on some devices, and blocks on a FIFO.
 */
static int open_regular(const char *full, size_t bytes_max, struct stat *status)
{
	char through[FD_PATH_BYTES];
	int place = open(full, O_PATH | O_CLOEXEC), fd = -EINVAL;

	if (place < 0)
		return missing_or(-errno);
	if (fstat(place, status) == 0 && S_ISREG(status->st_mode)) {
		snprintf(through, sizeof(through), "/proc/self/fd/%d", place);
		fd = open(through, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
		fd = fd < 0 ? -errno : fd;
	}
	close(place);
	if (fd >= 0 && (uint64_t)status->st_size > bytes_max) {
		close(fd);
		return -EFBIG;
	}
	return fd;
}

/* Reads to the end of a file, which may have grown. Returns the bytes or -errno. */
static ssize_t read_all(int fd, char *memory, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, memory + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return (ssize_t)len;
		len += (size_t)n;
	}
	return -EFBIG;
}

static int parse(const char *full, const char *text, size_t len, json_t **document,
		 struct error *err)
{
	json_error_t wrong;

	*document = json_loadb(text, len, 0, &wrong);
	if (*document)
		return 0;
	return error_set(err, -EBADMSG, "%s: line %d: %s", full, wrong.line, wrong.text);
}

int document_load(const char *root, const char *path, size_t bytes_max, json_t **document,
		  struct stat *status, struct error *err)
{
	char full[PATH_MAX], *memory = NULL;
	struct stat found;
	ssize_t len = -ENOMEM;
	int fd, code = join(root, path, full);

	if (code)
		return -ENOENT;
	fd = open_regular(full, bytes_max, &found);
	if (fd == -ENOENT)
		return fd;
	if (fd < 0)
		return error_set(err, fd, "reading %s: %s", full,
				 fd == -EINVAL ? "it is not a regular file" : strerror(-fd));
	memory = malloc((size_t)found.st_size + 1);
	if (memory)
		len = read_all(fd, memory, (size_t)found.st_size + 1);
	if (len < 0)
		code = error_set(err, (int)len, "reading %s: %s", full, strerror((int)-len));
	else
		code = parse(full, memory, (size_t)len, document, err);
	if (code == 0 && status)
		*status = found;
	free(memory);
	close(fd);
	return code;
}

int document_status(const char *root, const char *path, struct stat *status)
{
	char full[PATH_MAX];
	int code = join(root, path, full);

	if (code == 0 && stat(full, status))
		code = -errno;
	return code;
}

const char *document_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}
