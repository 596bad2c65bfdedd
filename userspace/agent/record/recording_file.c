/* SPDX-License-Identifier: MIT */
/* Opens files: over others, or beside those that were rotated. */
#include "agent/record/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "output/files/rotated.h"
#include "util/clock.h"

static bool is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* An error is reported by the reader of the file. */
static void note_input(struct recording_file *file)
{
	const char *path = file->config->read;
	int code = 0;

	if (path)
		code = is_standard(path) ? fstat(STDIN_FILENO, &file->input)
					 : stat(path, &file->input);
	if (code || !S_ISREG(file->input.st_mode))
		file->input = (struct stat){0};
}

static int fail(const char *name, const char *what, int code, struct error *err)
{
	return error_set(err, code, "cannot write %s: %s", name, what);
}

int recording_file_init(struct recording_file *file, const struct recording_config *config,
			struct error *err)
{
	int code;

	*file = (struct recording_file){
		.config = config, .fd = -1, .to_stdout = is_standard(config->path)};
	note_input(file);
	if (!config->rotates)
		return 0;
	code = rotated_newest(config->path, &file->rotated_ms);
	return code ? fail(config->path, strerror(-code), code, err) : 0;
}

static bool is_input(const struct recording_file *file, const struct stat *stat)
{
	return S_ISREG(stat->st_mode) && stat->st_dev == file->input.st_dev &&
	       stat->st_ino == file->input.st_ino;
}

static int reject_input(const char *name, struct error *err)
{
	return fail(name, "it is the file that is read (-r)", -EINVAL, err);
}

/* Gives what has the name another one; an empty file, as a failed start leaves it, goes. */
static int set_aside(struct recording_file *file, const char *name, struct error *err)
{
	struct stat there;
	int code;

	if (lstat(name, &there))
		return errno == ENOENT ? 0 : fail(name, strerror(errno), -errno, err);
	if (!S_ISREG(there.st_mode))
		return fail(name, "it is no regular file; for a pipe use -w", -EINVAL, err);
	if (is_input(file, &there))
		return reject_input(name, err);
	if (there.st_size == 0)
		code = unlink(name) ? -errno : 0;
	else
		code = rotated_rename(name, clock_ns(CLOCK_REALTIME), &file->rotated_ms);
	if (code && code != -ENOENT)
		return fail(name, strerror(-code), code, err);
	return 0;
}

/* Nobody else may have put something there in the meantime. */
static int open_rotated(struct recording_file *file, const char *name, struct error *err)
{
	int code = set_aside(file, name, err);

	if (code)
		return code;
	file->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY,
			file->config->mode);
	if (file->fd < 0 || fchmod(file->fd, file->config->mode))
		return fail(name, strerror(errno), -errno, err);
	return 0;
}

/* Truncates the file only after checking that it is not the one being read. */
static int open_over(struct recording_file *file, const char *name, struct error *err)
{
	struct stat output;

	if (file->to_stdout)
		file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		file->fd =
			open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, file->config->mode);
	if (file->fd < 0 || fstat(file->fd, &output))
		return fail(name, strerror(errno), -errno, err);
	if (is_input(file, &output))
		return reject_input(name, err);
	if (S_ISREG(output.st_mode) && !file->to_stdout && ftruncate(file->fd, 0))
		return fail(name, strerror(errno), -errno, err);
	return 0;
}

int recording_file_open(struct recording_file *file, const char *name, struct error *err)
{
	return file->config->rotates ? open_rotated(file, name, err) : open_over(file, name, err);
}

bool recording_file_has_moved(const struct recording_file *file, const char *name)
{
	struct stat open, there;

	return file->fd < 0 || fstat(file->fd, &open) || lstat(name, &there) ||
	       open.st_dev != there.st_dev || open.st_ino != there.st_ino;
}

uint64_t recording_file_bytes(const struct recording_file *file, uint64_t written)
{
	struct stat output;

	if (file->to_stdout || fstat(file->fd, &output) || !S_ISREG(output.st_mode))
		return written;
	return (uint64_t)output.st_size;
}

int recording_file_close(struct recording_file *file)
{
	int code = file->fd >= 0 && close(file->fd) ? -errno : 0;

	file->fd = -1;
	return code;
}
