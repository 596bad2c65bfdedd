/* SPDX-License-Identifier: MIT */
#include "meta/files/document.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "meta/files/owned.h"
#include "scap/proc/text.h"
#include "meta/json_thin.h"

enum {
	PART_BYTES = 16384,
	FREE_LEVELS = 2, /* an object and the objects in it: who chooses their size is trusted */
	THINNED = 16, /* so many times more may be left out */
};

const struct document_limits document_of_one = {4 << 20, JSON_INPUT_VALUES_MAX};
const struct document_limits document_of_all = {16 << 20, 10 * JSON_INPUT_VALUES_MAX};
const struct document_limits document_of_user = {1 << 20, JSON_INPUT_VALUES_MAX / 10};

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

static const char *what_is_wrong(int code)
{
	if (code == -EPERM)
		return "others than its owner can write it, or a folder that it is in";
	return code == -EINVAL ? "it is not a regular file" : strerror(-code);
}

/* Reads what a descriptor has to say, of at most `max` bytes. Returns 0 or -errno. */
static int read_all(int fd, size_t max, struct json_thin *thin)
{
	char part[PART_BYTES];
	size_t all = 0;
	ssize_t n;
	int code = 0;

	while (code == 0 && (n = read(fd, part, sizeof(part))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		all += (size_t)n;
		code = all > max ? -EFBIG : json_thin_add(thin, part, (size_t)n);
	}
	return code;
}

/* Reads a regular file. Returns 0, -ENOENT, or another -errno with a message. */
static int read_file(const char *root, const char *path, uint32_t owner, struct json_thin *thin,
		     struct stat *status, struct error *err)
{
	int path_fd = owned_open(root, path, owner), fd = -1;
	int code = path_fd < 0 ? missing_or(path_fd) : 0;

	if (code == 0)
		code = fstat(path_fd, status) ? -errno : proc_open_regular(path_fd);
	if (code >= 0 && path_fd >= 0) {
		fd = code;
		code = read_all(fd, thin->max * THINNED, thin);
		close(fd);
	}
	if (path_fd >= 0)
		close(path_fd);
	if (code == 0 || code == -ENOENT)
		return code;
	return error_set(err, code, "reading %s%s: %s", root, path, what_is_wrong(code));
}

int document_load(const char *root, const char *path, uint32_t owner,
		  const struct document_limits *limits, struct document *document,
		  struct error *err)
{
	struct json_thin *thin = json_thin_create(FREE_LEVELS, limits->bytes);
	struct document made = {0};
	char full[PATH_MAX];
	int code = join(root, path, full) ? -ENOENT : 0;

	if (!thin)
		return error_set(err, -ENOMEM, "out of memory");
	if (code == 0)
		code = read_file(root, path, owner, thin, &made.status, err);
	if (code == 0)
		code = json_input_parse(thin->out.data ? thin->out.data : "", thin->out.len,
					limits->values, full, &made.value, err);
	made.left_out = thin->left_out;
	if (code == 0)
		*document = made;
	json_thin_destroy(thin);
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
