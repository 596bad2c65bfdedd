/* SPDX-License-Identifier: MIT */
/* Opens files with care, and repairs what a failed write leaves. */
#include "output/targets/appended.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "output/stop.h"
#include "util/count.h"

enum {
	OPENS_MAX = 8, /* while others make and remove the file */
	TAIL_BYTES = 1 << 20, /* a longer last line is left as it is */
	TAIL_STEP = 4096,
};

void appended_init(struct appended *file, mode_t mode, const struct output_stop *stop)
{
	*file = (struct appended){.fd = -1, .mode = mode, .stop = stop};
}

void appended_finish(struct appended *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* What to do about it. */
static const char *appended_advice(int code)
{
	static const struct {
		int code;
		const char *text;
	} advices[] = {
		{-ENOENT, ": make its folder first"},
		{-ELOOP, ": name the file that the symbolic link leads to"},
		{-EISDIR, ": name a file in it"},
		{-ENXIO,
		 ": start the process that reads the FIFO first; for a socket use unix:PATH"},
		{-ENOSPC, ": free space, or limit the size of files with rotate-size= and keep="},
		{-EDQUOT, ": free space, or limit the size of files with rotate-size= and keep="},
		{-EACCES, ": let the user of the agent write there"},
		{-EROFS, ": name a file on a file system that can be written"},
	};

	for (size_t i = 0; i < COUNT(advices); i++)
		if (advices[i].code == code)
			return advices[i].text;
	return "";
}

int appended_fail(int code, const char *verb, const char *path, struct error *err)
{
	return error_set(err, code, "cannot %s %s: %s%s", verb, path, strerror(-code),
			 appended_advice(code));
}

/* Opens a file that exists, or makes one with exactly that mode. Returns the descriptor or -errno.
 */
static int open_or_make(const char *path, mode_t mode)
{
	/* A FIFO without a reader must not block; regular files are not concerned. */
	const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;
	int fd = -1;

	for (int i = 0; i < OPENS_MAX; i++) {
		fd = open(path, flags);
		if (fd >= 0 || errno != ENOENT)
			break;
		fd = open(path, flags | O_CREAT | O_EXCL, mode);
		if (fd >= 0 && fchmod(fd, mode)) {
			int r = -errno;

			close(fd);
			return r;
		}
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

/*
 * The length of the file up to the end of its last line that ends, if that is not its end. -1:
 * nothing is to be cut off.
 */
static off_t whole_lines(int fd, off_t size)
{
	char bytes[TAIL_STEP];
	off_t end = size;

	while (end > 0 && size - end < TAIL_BYTES) {
		off_t begin = end > TAIL_STEP ? end - TAIL_STEP : 0;
		ssize_t n = pread(fd, bytes, (size_t)(end - begin), begin);
		const char *newline;

		if (n != end - begin)
			return -1;
		newline = memrchr(bytes, '\n', (size_t)n);
		if (newline)
			return newline - bytes + begin + 1;
		end = begin;
	}
	return -1;
}

/*
 * Cuts off a last line without its end. Not while another process has the file open, as during an
 * upgrade: it may be about to write the rest. Returns 0, or -errno if the file cannot be written.
 */
static int appended_cut_tail(int fd, const char *path, struct stat *stat)
{
	int reader = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK),
	    code = 0;
	struct stat read;
	off_t whole = -1;

	if (reader < 0)
		return 0; /* the user may let the agent write, and not read */
	if (fstat(reader, &read) == 0 && read.st_ino == stat->st_ino && read.st_dev == stat->st_dev)
		whole = whole_lines(reader, stat->st_size);
	close(reader);
	if (whole >= 0 && whole < stat->st_size && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		if (ftruncate(fd, whole) == 0)
			stat->st_size = whole;
		else if (errno != EPERM) /* a file that can only grow */
			code = -errno;
	}
	return code;
}

int appended_open(struct appended *file, const char *path, bool lines, struct error *err)
{
	int fd = open_or_make(path, file->mode), r = fd < 0 ? fd : 0;
	struct stat stat;

	if (r == 0 && fstat(fd, &stat))
		r = -errno;
	if (r == 0 && lines && S_ISREG(stat.st_mode) && stat.st_size)
		r = appended_cut_tail(fd, path, &stat);
	flock(fd, LOCK_SH | LOCK_NB); /* for appended_cut_tail() of others */
	if (r) {
		if (fd >= 0)
			close(fd);
		return appended_fail(r, "open", path, err);
	}
	if (file->fd >= 0)
		close(file->fd);
	file->fd = fd;
	file->stat = stat;
	file->torn_number = 0;
	return 0;
}

int appended_moved(struct appended *file, const char *path)
{
	struct stat now;

	if (fstat(file->fd, &file->stat) || stat(path, &now))
		return 1;
	return now.st_ino != file->stat.st_ino || now.st_dev != file->stat.st_dev;
}

/* The record of a batch in which an offset lies, and the offset of its beginning. */
static size_t find_record(const struct output_batch *batch, size_t offset, size_t *begin)
{
	size_t i = 0, at = 0;

	while (i < batch->count && at + batch->records[i].len <= offset)
		at += batch->records[i++].len;
	*begin = at;
	return i;
}

/*
 * Cuts off a half record, or remembers it. Impossible to cut: pipes, files that can only grow, and
 * those that another process appended to.
 */
static void appended_cut_back(struct appended *file, const struct output_batch *batch, size_t from,
			      size_t *done)
{
	off_t end = file->stat.st_size + (off_t)(*done - from);
	struct stat now;
	size_t begin, i = find_record(batch, *done, &begin);
	size_t more = *done - begin;

	if (more == 0)
		return;
	if (fstat(file->fd, &now) == 0 && S_ISREG(now.st_mode) && now.st_size == end &&
	    ftruncate(file->fd, end - (off_t)more) == 0) {
		*done = begin;
		return;
	}
	/* Drops have no number of their own. */
	file->torn_number =
		batch->records[i].flags & RECORD_IS_DROP ? UINT64_MAX : batch->records[i].number;
	file->torn_bytes = (uint32_t)more;
	file->torn_len = batch->records[i].len;
}

/*
 * Ends a half record: if the batch begins with that record, its rest is what is to be written;
 * otherwise a newline has to do. Sets where the batch begins.
 */
static int mend(struct appended *file, const struct output_batch *batch, size_t *from)
{
	const struct output_record *first = &batch->records[0];
	ssize_t n;

	if (*from == 0 && first->number == file->torn_number && first->len == file->torn_len &&
	    !(first->flags & RECORD_IS_DROP)) {
		*from = file->torn_bytes;
		return 0;
	}
	n = write(file->fd, "\n", 1);
	if (n != 1)
		return n < 0 ? -errno : -EIO;
	file->torn_number = 0;
	return 0;
}

int appended_write(struct appended *file, const struct output_batch *batch, size_t from, size_t to,
		   size_t *done)
{
	int r = 0;

	*done = from;
	if (file->torn_number) {
		r = mend(file, batch, &from);
		if (r)
			return r;
	}
	if (fstat(file->fd, &file->stat))
		return -errno;
	*done = from;
	r = output_stop_write(file->fd, file->stop, batch, to, done);
	if (*done > from)
		file->torn_number = 0;
	if (r)
		appended_cut_back(file, batch, from, done);
	file->stat.st_size += (off_t)(*done - from);
	return r;
}
