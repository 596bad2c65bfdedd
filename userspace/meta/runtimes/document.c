/* SPDX-License-Identifier: MIT */
/*
 * Walks a path step by step: each one is judged before it is followed. Reads JSON, about which
 * nothing is trusted.
 */
#include "meta/runtimes/document.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/json_input.h"
#include "scap/proc/root.h"
#include "util/regular.h"

enum { LINKS_MAX = 16 };

struct walk {
	const char *root;
	uint32_t owner;
	int dir; /* owned */
	unsigned int depth; /* of it, below the root */
	bool by_root; /* so far only root could have made the way */
	unsigned int links;
	char rest[PATH_MAX]; /* of the path */
};

static bool document_is_root(uint32_t uid)
{
	return uid == 0 || uid == geteuid();
}

static int document_look(int fd, struct statx *file)
{
	/* What the kernel knows, without asking a server. */
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
		     STATX_TYPE | STATX_MODE | STATX_UID | STATX_GID, file)
		       ? -errno
		       : 0;
}

static bool may_others_write(const struct statx *file)
{
	/* Of a file with an access list, the right of the group is that of anybody on the list. */
	return file->stx_mode & (S_IWGRP | S_IWOTH);
}

/*
 * In a folder such as /tmp others can add, but neither remove nor rename what is there, which is
 * judged next. Runtimes of users keep nothing there.
 */
static bool is_sticky(const struct walk *walk, const struct statx *folder)
{
	return (folder->stx_mode & S_ISVTX) && document_is_root(walk->owner);
}

/* A folder or a single file can be mounted. */
static bool is_mounted_by_user(int fd, const struct statx *file)
{
	return (file->stx_attributes & STATX_ATTR_MOUNT_ROOT) && proc_mount_is_of_user(fd);
}

static int check_folder(struct walk *walk, int fd, const struct statx *folder)
{
	if (!document_is_root(folder->stx_uid) && folder->stx_uid != walk->owner)
		return -EPERM;
	if (may_others_write(folder) && !is_sticky(walk, folder))
		return -EPERM;
	if (is_mounted_by_user(fd, folder))
		return -EPERM;
	walk->by_root &= document_is_root(folder->stx_uid);
	return 0;
}

static int check_file(const struct walk *walk, int fd, const struct statx *file)
{
	bool is_owners = document_is_root(walk->owner) ? document_is_root(file->stx_uid)
						       : file->stx_uid == walk->owner;

	return is_owners && !may_others_write(file) && !is_mounted_by_user(fd, file) ? 0 : -EPERM;
}

/* Goes back to the root. Returns 0 or -errno. */
static int document_begin(struct walk *walk)
{
	int dir = open(*walk->root ? walk->root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return -errno;
	if (walk->dir >= 0)
		close(walk->dir);
	walk->dir = dir;
	walk->depth = 0;
	walk->by_root = true;
	return 0;
}

/* Puts a link's target in front of the rest of the path. */
static int document_follow(struct walk *walk, int link, const struct statx *file)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof(target));

	if (len < 0)
		return -errno;
	if (!walk->by_root || !document_is_root(file->stx_uid))
		return -EPERM;
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	memcpy(rest, walk->rest, sizeof(rest));
	if (snprintf(walk->rest, sizeof(walk->rest), "%.*s/%s", (int)len, target, rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	return *target == '/' ? document_begin(walk) : 0;
}

/* Takes the next component off the rest of the path. Returns false at the end. */
static bool document_take_component(struct walk *walk, char name[NAME_MAX + 1])
{
	const char *at = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(at, "/");

	if (len == 0 || len > NAME_MAX)
		return false;
	memcpy(name, at, len);
	name[len] = '\0';
	memmove(walk->rest, at + len, strlen(at + len) + 1);
	return true;
}

/* Follows one component. Returns 0, 1 at a file, which is `walk->dir` then, or -errno. */
static int document_step(struct walk *walk, const char *name)
{
	bool is_up = strcmp(name, "..") == 0;
	struct statx file;
	int fd, r;

	if (is_up && walk->depth == 0)
		return 0;
	fd = openat(walk->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	r = fd < 0 ? -errno : document_look(fd, &file);
	if (r == 0 && S_ISLNK(file.stx_mode)) {
		r = document_follow(walk, fd, &file);
		close(fd);
		return r;
	}
	if (r == 0)
		r = S_ISDIR(file.stx_mode) ? check_folder(walk, fd, &file)
					   : check_file(walk, fd, &file);
	if (r) {
		if (fd >= 0)
			close(fd);
		return r;
	}
	close(walk->dir);
	walk->dir = fd;
	walk->depth += is_up ? -1u : 1u;
	return !S_ISDIR(file.stx_mode);
}

int document_open_owned(const char *root, const char *path, uint32_t owner)
{
	struct walk walk = {.root = root, .owner = owner, .dir = -1};
	char name[NAME_MAX + 1];
	int r;

	if (snprintf(walk.rest, sizeof(walk.rest), "%s", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	r = document_begin(&walk);
	while (r == 0 && document_take_component(&walk, name))
		r = document_step(&walk, name);
	/* A file ends the path; where it does not, there is no such file. */
	if (r >= 0 && walk.rest[strspn(walk.rest, "/")] == '\0')
		return walk.dir;
	if (walk.dir >= 0)
		close(walk.dir);
	return r < 0 ? r : -ENOENT;
}

enum {
	PART_BYTES = 16384,
	FREE_LEVELS = 2, /* an object and the objects in it: who chooses their size is trusted */
	THINNED = 16, /* so many times more may be left out */
};

const struct document_limits document_of_one = {4 << 20, JSON_INPUT_VALUES_MAX};
const struct document_limits document_of_all = {16 << 20, 10 * JSON_INPUT_VALUES_MAX};
const struct document_limits document_of_user = {1 << 20, JSON_INPUT_VALUES_MAX / 10};

static int document_join(const char *root, const char *path, char full[PATH_MAX])
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
static int document_read_all(int fd, size_t max, struct json_thin *thin)
{
	char part[PART_BYTES];
	size_t all = 0;
	ssize_t n;
	int r = 0;

	while (r == 0 && (n = read(fd, part, sizeof(part))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		all += (size_t)n;
		r = all > max ? -EFBIG : json_thin_add(thin, part, (size_t)n);
	}
	return r;
}

/* Reads a regular file. Returns 0, -ENOENT, or another -errno with a message. */
static int document_read_file(const char *root, const char *path, uint32_t owner,
			      struct json_thin *thin, struct stat *status, struct error *err)
{
	int path_fd = document_open_owned(root, path, owner), fd = -1;
	int r = path_fd < 0 ? missing_or(path_fd) : 0;

	if (r == 0)
		r = fstat(path_fd, status) ? -errno : regular_reopen(path_fd);
	if (r >= 0 && path_fd >= 0) {
		fd = r;
		r = document_read_all(fd, thin->max * THINNED, thin);
		close(fd);
	}
	if (path_fd >= 0)
		close(path_fd);
	if (r == 0 || r == -ENOENT)
		return r;
	return error_set(err, r, "reading %s%s: %s", root, path, what_is_wrong(r));
}

int document_load(const char *root, const char *path, uint32_t owner,
		  const struct document_limits *limits, struct document *document,
		  struct error *err)
{
	struct json_thin *thin = json_thin_create(FREE_LEVELS, limits->bytes);
	struct document made = {0};
	char full[PATH_MAX];
	int r = document_join(root, path, full) ? -ENOENT : 0;

	if (!thin)
		return error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = document_read_file(root, path, owner, thin, &made.status, err);
	if (r == 0)
		r = json_input_parse(thin->out.data ? thin->out.data : "", thin->out.len,
				     limits->values, full, &made.value, err);
	made.left_out = thin->left_out;
	if (r == 0)
		*document = made;
	json_thin_destroy(thin);
	return r;
}

int document_status(const char *root, const char *path, struct stat *status)
{
	char full[PATH_MAX];
	int r = document_join(root, path, full);

	if (r == 0 && stat(full, status))
		r = -errno;
	return r;
}
