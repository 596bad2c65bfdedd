/* SPDX-License-Identifier: MIT */
/*
 * The file has the process ID in its first line, as others expect it, then "reload BEGUN ENDED
 * RESULT", what the last reload said, and at its end "end BEGUN ENDED": a reader that finds
 * something else there reads again.
 */
#include "agent/process/pid_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	SAID_BYTES_MAX = 1 << 16,
	FILE_BYTES_MAX = SAID_BYTES_MAX + 256,
	READS_MAX = 20,
	READ_PAUSE_NS = 5000000,
	OPENS_MAX = 5,
};

static struct flock whole_file(short type)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

/* Whether the path still names the open file: an agent that ends removes it. */
static bool is_in_place(int fd, const char *path)
{
	struct stat of_fd, of_path;

	return fstat(fd, &of_fd) == 0 && stat(path, &of_path) == 0 &&
	       of_fd.st_ino == of_path.st_ino && of_fd.st_dev == of_path.st_dev;
}

static void process_write_file(struct pid_file *file, const char *result, const struct buf *said)
{
	struct buf text = {0};
	size_t len = said ? said->len : 0;

	buf_printf(&text, "%d\nreload %u %u %s\n", (int)getpid(), file->begun, file->ended, result);
	if (len)
		buf_append(&text, said->data, len < SAID_BYTES_MAX ? len : SAID_BYTES_MAX);
	buf_printf(&text, "\nend %u %u\n", file->begun, file->ended);
	/* A failure cannot be reported here: the reader waits until its time is over, and reports
	 * it. */
	if (!text.failed && pwrite(file->fd, text.data, text.len, 0) == (ssize_t)text.len)
		(void)!ftruncate(file->fd, (off_t)text.len);
	buf_finish(&text);
}

/* Returns a locked descriptor, -EBUSY if another one has the lock, or another -errno. */
static int open_locked(const char *path)
{
	struct flock lock = whole_file(F_WRLCK);
	struct stat st;
	int r, fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0640);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && fcntl(fd, F_OFD_SETLK, &lock) == 0)
		return fd;
	r = !S_ISREG(st.st_mode) ? -EINVAL : errno == EAGAIN ? -EBUSY : -errno;
	close(fd);
	return r;
}

int pid_file_open(struct pid_file *file, const char *path, struct error *err)
{
	int fd = -EAGAIN;

	*file = (struct pid_file){0};
	for (int i = 0; i < OPENS_MAX && fd == -EAGAIN; i++) {
		fd = open_locked(path);
		if (fd >= 0 && !is_in_place(fd, path)) {
			close(fd);
			fd = -EAGAIN;
		}
	}
	if (fd == -EBUSY)
		return error_set(err, fd, "--pid-file %s: another agent runs with it", path);
	if (fd == -EINVAL)
		return error_set(err, fd, "--pid-file %s: it is no regular file", path);
	if (fd == -ENOENT)
		return error_set(err, fd, "--pid-file %s: its folder is missing: mkdir it", path);
	if (fd < 0)
		return error_set(err, fd, "--pid-file %s: %s", path, strerror(-fd));
	file->path = path;
	file->fd = fd;
	process_write_file(file, "none", NULL);
	return 0;
}

void pid_file_close(struct pid_file *file)
{
	if (!file->path)
		return;
	/* Removed while it is locked, so that it is not another agent's. */
	unlink(file->path);
	close(file->fd);
	*file = (struct pid_file){0};
}

void pid_file_begin_reload(struct pid_file *file)
{
	if (!file->path)
		return;
	file->begun++;
	process_write_file(file, "none", NULL);
}

void pid_file_end_reload(struct pid_file *file, bool succeeded, const struct buf *said)
{
	if (!file->path)
		return;
	file->ended = file->begun;
	process_write_file(file, succeeded ? "succeeded" : "failed", said);
}

/* Parses what was read, which a NUL follows. Returns whether it is complete. */
static bool pid_file_parse(char *text, size_t len, struct pid_status *status)
{
	char result[16], end[64];
	int pid, head = 0;
	size_t end_len;

	if (sscanf(text, "%d\nreload %u %u %15s%n", &pid, &status->begun, &status->ended, result,
		   &head) != 4 ||
	    pid <= 1 || text[head] != '\n')
		return false;
	end_len = (size_t)snprintf(end, sizeof(end), "\nend %u %u\n", status->begun, status->ended);
	head++;
	if (len < (size_t)head + end_len || memcmp(text + len - end_len, end, end_len) != 0)
		return false;
	status->pid = pid;
	status->succeeded = strcmp(result, "succeeded") == 0;
	buf_clear(&status->said);
	buf_append(&status->said, text + head, len - end_len - (size_t)head);
	return !status->said.failed;
}

/* Reads until what is there is complete. */
static int read_complete(int fd, const char *path, struct pid_status *status, struct error *err)
{
	const struct timespec pause = {.tv_nsec = READ_PAUSE_NS};
	char *text = malloc(FILE_BYTES_MAX + 1);
	bool complete = false;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < READS_MAX && !complete; i++) {
		ssize_t n = pread(fd, text, FILE_BYTES_MAX, 0);

		if (i)
			nanosleep(&pause, NULL);
		text[n > 0 ? n : 0] = '\0';
		complete = n > 0 && pid_file_parse(text, (size_t)n, status);
	}
	free(text);
	return complete ? 0 : error_set(err, -EBADMSG, "%s: it is not the file of an agent", path);
}

int pid_file_read(const char *path, struct pid_status *status, struct error *err)
{
	struct flock lock = whole_file(F_WRLCK);
	int fd, r;

	*status = (struct pid_status){0};
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return error_set(err, -ENOENT,
				 "%s: there is no such file: does the agent run with "
				 "--pid-file?",
				 path);
	if (fd < 0)
		return error_set(err, -errno, "%s: %s", path, strerror(errno));
	if (fcntl(fd, F_OFD_GETLK, &lock))
		r = error_set(err, -errno, "%s: %s", path, strerror(errno));
	else if (lock.l_type == F_UNLCK)
		r = error_set(err, -ESRCH, "%s: left behind by an agent that no longer runs", path);
	else
		r = read_complete(fd, path, status, err);
	close(fd);
	return r;
}
