/* SPDX-License-Identifier: MIT */
/* The thread, and what it does with each rotated file. */
#include "output/targets/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "output/targets/rotated.h"

/* linux/ioprio.h is not in all distributions. */
enum { IOPRIO_PROCESS = 1, IOPRIO_IDLE = 3 << 13, NICE_LOWEST = 19 };

struct keeper {
	const char *path; /* borrowed */
	uint64_t keep;
	enum compress_method method;
	struct output_stop stop;
	pthread_t thread;
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t changed;
	bool woken, stopped;
	int code; /* of what went wrong last, with its message */
	struct error err;
};

static void keeper_fail(struct keeper *keeper, const char *verb, const char *path, int code)
{
	pthread_mutex_lock(&keeper->lock);
	keeper->code = code;
	error_set(&keeper->err, code, "cannot %s %s: %s", verb, path, strerror(-code));
	pthread_mutex_unlock(&keeper->lock);
}

static void remove_file(struct keeper *keeper, const char *path)
{
	if (unlink(path) && errno != ENOENT)
		keeper_fail(keeper, "remove", path, -errno);
}

/* Whether all that the file has was read: another process may have appended to it since. */
static bool keeper_is_whole(int fd, uint64_t bytes)
{
	struct stat stat;

	return fstat(fd, &stat) == 0 && (uint64_t)stat.st_size == bytes;
}

static int compress_to(struct keeper *keeper, int from, const char *part, const char *path)
{
	uint64_t bytes;
	struct stat stat;
	int to = -1, r = 0;

	if (fstat(from, &stat))
		return -errno;
	to = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (to < 0)
		return -errno;
	if (fchown(to, stat.st_uid, stat.st_gid) || fchmod(to, stat.st_mode & 0777))
		r = -errno;
	if (r == 0)
		r = compress_file(keeper->method, from, to, &keeper->stop, &bytes);
	/* Only what is safely on disk may replace the original. */
	if (r == 0 && fsync(to))
		r = -errno;
	if (close(to) && r == 0)
		r = -errno;
	if (r == 0 && !keeper_is_whole(from, bytes))
		r = -EBUSY;
	if (r == 0 && rename(part, path))
		r = -errno;
	if (r)
		unlink(part);
	return r;
}

/*
 * Replaces a file by a compressed one. -ENOENT: somebody removed what was written, as the keeper of
 * the output that replaces this one after a reload; what is left is its work.
 */
static void compress(struct keeper *keeper, const char *path)
{
	char *part = NULL, *whole = NULL;
	uint64_t number = 0;
	int from, r = -ENOMEM;

	from = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (from < 0) {
		if (errno != ENOENT)
			keeper_fail(keeper, "read", path, -errno);
		return;
	}
	getrandom(&number, sizeof(number), GRND_NONBLOCK);
	if (asprintf(&whole, "%s%s", path, compress_end(keeper->method)) < 0)
		whole = NULL;
	else if (asprintf(&part, "%s" ROTATED_PART "%016" PRIx64, whole, number) < 0)
		part = NULL;
	if (whole && part)
		r = compress_to(keeper, from, part, whole);
	posix_fadvise(from, 0, 0, POSIX_FADV_DONTNEED);
	close(from);
	if (r == 0)
		remove_file(keeper, path);
	else if (r != -ECANCELED && r != -EBUSY && r != -ENOENT)
		keeper_fail(keeper, "compress", path, r);
	free(part);
	free(whole);
}

/* Whether the file after this one is the same, compressed: a run ended before it removed this one.
 */
static bool is_done(const struct rotated_list *list, size_t i)
{
	return i + 1 < list->count && list->files[i + 1].compressed && !list->files[i + 1].part &&
	       list->files[i + 1].ms == list->files[i].ms;
}

/* Removes what is left over, and the oldest files until no more than `keep` remain. */
static void prune(struct keeper *keeper, struct rotated_list *list)
{
	uint64_t left = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct rotated_file *file = &list->files[i];

		file->done = file->part || is_done(list, i);
		left += !file->done;
	}
	for (size_t i = 0; i < list->count; i++) {
		struct rotated_file *file = &list->files[i];

		if (!file->done && keeper->keep && left > keeper->keep) {
			file->done = true;
			left--;
		}
		if (file->done)
			remove_file(keeper, file->path);
	}
}

static void keeper_work(struct keeper *keeper)
{
	struct rotated_list list;
	int r = rotated_list_read(keeper->path, &list);

	if (r)
		keeper_fail(keeper, "list the rotated files of", keeper->path, r);
	else
		prune(keeper, &list);
	for (size_t i = 0; i < list.count && keeper->method != COMPRESS_NONE; i++)
		if (!list.files[i].done && !list.files[i].compressed &&
		    !output_is_stopped(&keeper->stop))
			compress(keeper, list.files[i].path);
	rotated_list_finish(&list);
}

/* Waits for work. Returns false at the end; files that were rotated before are still counted. */
static bool keeper_await(struct keeper *keeper)
{
	bool woken;

	pthread_mutex_lock(&keeper->lock);
	while (!keeper->woken && !keeper->stopped)
		pthread_cond_wait(&keeper->changed, &keeper->lock);
	woken = keeper->woken;
	keeper->woken = false;
	pthread_mutex_unlock(&keeper->lock);
	return woken;
}

static void *keeper_run(void *argument)
{
	struct keeper *keeper = argument;

	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE_LOWEST);
	syscall(SYS_ioprio_set, IOPRIO_PROCESS, 0, IOPRIO_IDLE);
	do
		keeper_work(keeper);
	while (keeper_await(keeper));
	return NULL;
}

static void keeper_release(struct keeper *keeper)
{
	pthread_cond_destroy(&keeper->changed);
	pthread_mutex_destroy(&keeper->lock);
	output_stop_finish(&keeper->stop);
	free(keeper);
}

int keeper_create(const char *path, uint64_t keep, enum compress_method method,
		  struct keeper **result)
{
	struct keeper *keeper = calloc(1, sizeof(*keeper));
	sigset_t all, before;
	int r;

	if (!keeper)
		return -ENOMEM;
	*keeper = (struct keeper){.path = path, .keep = keep, .method = method};
	pthread_mutex_init(&keeper->lock, NULL);
	pthread_cond_init(&keeper->changed, NULL);
	r = output_stop_init(&keeper->stop);
	if (r == 0) {
		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, &before);
		r = -pthread_create(&keeper->thread, NULL, keeper_run, keeper);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	if (r)
		keeper_release(keeper);
	else
		*result = keeper;
	return r;
}

static void change(struct keeper *keeper, bool *flag)
{
	pthread_mutex_lock(&keeper->lock);
	*flag = true;
	pthread_cond_signal(&keeper->changed);
	pthread_mutex_unlock(&keeper->lock);
}

void keeper_destroy(struct keeper *keeper)
{
	if (!keeper)
		return;
	output_stop_now(&keeper->stop);
	change(keeper, &keeper->stopped);
	pthread_join(keeper->thread, NULL);
	keeper_release(keeper);
}

void keeper_wake(struct keeper *keeper)
{
	if (keeper)
		change(keeper, &keeper->woken);
}

int keeper_result(struct keeper *keeper, struct error *err)
{
	int r;

	if (!keeper)
		return 0;
	pthread_mutex_lock(&keeper->lock);
	r = keeper->code;
	keeper->code = 0;
	if (r)
		error_set(err, r, "%s", keeper->err.text);
	pthread_mutex_unlock(&keeper->lock);
	return r;
}
