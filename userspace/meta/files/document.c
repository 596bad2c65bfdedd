/* SPDX-License-Identifier: MIT */
#include "meta/files/document.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "meta/files/owned.h"
#include "scap/proc/text.h"

const struct document_limits document_of_one = {4 << 20, JSON_INPUT_VALUES_MAX};
const struct document_limits document_of_all = {16 << 20, 10 * JSON_INPUT_VALUES_MAX};

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

/* Reads a regular file. Returns 0, -ENOENT, or another -errno with a message. */
static int read_file(const char *root, const char *path, uint32_t owner, size_t bytes_max,
		     struct buf *text, struct stat *status, struct error *err)
{
	int fd = owned_open(root, path, owner);
	int code = fd < 0 ? missing_or(fd) : 0;

	if (code == 0)
		code = fstat(fd, status) ? -errno : proc_read_regular(fd, bytes_max, text);
	if (fd >= 0)
		close(fd);
	if (code == 0 || code == -ENOENT)
		return code;
	return error_set(err, code, "reading %s%s: %s", root, path, what_is_wrong(code));
}

int document_load(const char *root, const char *path, uint32_t owner,
		  const struct document_limits *limits, json_t **document, struct stat *status,
		  struct error *err)
{
	struct buf text = {0};
	char full[PATH_MAX];
	struct stat found;
	int code = join(root, path, full) ? -ENOENT : 0;

	if (code == 0)
		code = read_file(root, path, owner, limits->bytes, &text, &found, err);
	if (code == 0)
		code = json_input_parse(text.data, text.len, limits->values, full, document, err);
	if (code == 0 && status)
		*status = found;
	buf_finish(&text);
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
