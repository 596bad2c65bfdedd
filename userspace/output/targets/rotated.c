/* SPDX-License-Identifier: MIT */
/* Rotated files: their names made, recognised and listed; the thread that keeps no more than
 * wanted. */
#include "output/targets/rotated.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/buf.h"

enum { NS_PER_MS = 1000000, MS_PER_S = 1000, STAMP_BYTES = 20, RENAMES_MAX = 1000 };

/* '0' stands for any digit. */
static const char stamp_form[] = "00000000T000000.000Z";
_Static_assert(sizeof(stamp_form) - 1 == STAMP_BYTES, "the length of a time in names");

static const char *const compressed_ends[] = {".gz", ".zst"};

static bool has_stamp(const char *text)
{
	for (size_t i = 0; i < STAMP_BYTES; i++) {
		bool digit = text[i] >= '0' && text[i] <= '9';

		if (stamp_form[i] == '0' ? !digit : text[i] != stamp_form[i])
			return false;
	}
	return true;
}

/* The time of a stamp; 0: there is no such time. */
static uint64_t read_stamp(const char *text)
{
	unsigned int ms;
	struct tm utc = {0};
	time_t seconds;

	if (sscanf(text, "%4d%2d%2dT%2d%2d%2d.%3uZ", &utc.tm_year, &utc.tm_mon, &utc.tm_mday,
		   &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &ms) != 7)
		return 0;
	utc.tm_year -= 1900;
	utc.tm_mon -= 1;
	seconds = timegm(&utc);
	return seconds > 0 ? (uint64_t)seconds * MS_PER_S + ms : 0;
}

static void append_stamp(uint64_t ms, struct buf *out)
{
	time_t seconds = (time_t)(ms / MS_PER_S);
	char text[STAMP_BYTES + 1];
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &utc);
	buf_printf(out, ".%s.%03uZ", text, (unsigned int)(ms % MS_PER_S));
}

/* Whether a name is that of a rotated file of `base`, and what kind of file it is. */
static bool recognise(const char *name, const char *base, struct rotated_file *file)
{
	size_t len = strlen(base);
	const char *end;

	if (strncmp(name, base, len) || name[len] != '.' || strlen(name + len + 1) < STAMP_BYTES ||
	    !has_stamp(name + len + 1))
		return false;
	*file = (struct rotated_file){.ms = read_stamp(name + len + 1)};
	end = name + len + 1 + STAMP_BYTES;
	for (size_t i = 0; i < 2 && !file->compressed; i++) {
		size_t more = strlen(compressed_ends[i]);

		file->compressed = strncmp(end, compressed_ends[i], more) == 0;
		if (file->compressed)
			end += more;
	}
	file->part = file->compressed && strncmp(end, ROTATED_PART, strlen(ROTATED_PART)) == 0;
	return file->ms && (file->part || *end == '\0');
}

static int append_file(struct rotated_list *list, const struct rotated_file *file,
		       const char *folder, const char *name)
{
	struct rotated_file *files = list->files;

	/* Grows at each power of two. */
	if ((list->count & (list->count - 1)) == 0)
		files = realloc(files, (list->count ? list->count * 2 : 1) * sizeof(*files));
	if (!files)
		return -ENOMEM;
	list->files = files;
	files[list->count] = *file;
	if (asprintf(&files[list->count].path, "%s%s", folder, name) < 0)
		return -ENOMEM;
	list->count++;
	return 0;
}

static int rotated_compare(const void *a, const void *b)
{
	return strcmp(((const struct rotated_file *)a)->path,
		      ((const struct rotated_file *)b)->path);
}

int rotated_list_read(const char *path, struct rotated_list *list)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *folder = strndup(path, (size_t)(base - path));
	struct rotated_file file;
	struct dirent *entry;
	DIR *dir = NULL;
	int r = -ENOMEM;

	*list = (struct rotated_list){0};
	if (!folder)
		goto out;
	r = 0;
	dir = opendir(*folder ? folder : ".");
	if (!dir)
		r = -errno;
	while (r == 0 && (entry = readdir(dir)))
		if (recognise(entry->d_name, base, &file))
			r = append_file(list, &file, folder, entry->d_name);
	if (list->count)
		qsort(list->files, list->count, sizeof(list->files[0]), rotated_compare);
out:
	if (dir)
		closedir(dir);
	free(folder);
	return r;
}

void rotated_list_finish(struct rotated_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->files[i].path);
	free(list->files);
	*list = (struct rotated_list){0};
}

int rotated_newest(const char *path, uint64_t *ms)
{
	struct rotated_list list;
	int r = rotated_list_read(path, &list);

	*ms = r == 0 && list.count ? list.files[list.count - 1].ms : 0;
	rotated_list_finish(&list);
	return r;
}

/* Some file systems cannot exclude that the name is taken; there it is asked before. */
static int rename_to_free(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (eaccess(to, F_OK) == 0)
		return -EEXIST;
	return rename(from, to) ? -errno : 0;
}

int rotated_rename(const char *path, uint64_t now_ns, uint64_t *ms)
{
	uint64_t next = now_ns / NS_PER_MS;
	struct buf to = {0};
	int r = -EEXIST;

	if (next <= *ms)
		next = *ms + 1;
	for (int i = 0; i < RENAMES_MAX && r == -EEXIST; i++, next++) {
		buf_clear(&to);
		buf_append_string(&to, path);
		append_stamp(next, &to);
		buf_append_char(&to, '\0');
		r = to.failed ? -ENOMEM : rename_to_free(path, to.data);
	}
	buf_finish(&to);
	if (r == 0)
		*ms = next - 1;
	return r;
}

/* The thread, and what it does with each rotated file. */

/* linux/ioprio.h is not in all distributions. */
enum { IOPRIO_PROCESS = 1, IOPRIO_IDLE = 3 << 13, NICE_LOWEST = 19 };

struct rotated_keeper {
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

static void keeper_fail(struct rotated_keeper *keeper, const char *verb, const char *path, int code)
{
	pthread_mutex_lock(&keeper->lock);
	keeper->code = code;
	error_set(&keeper->err, code, "cannot %s %s: %s", verb, path, strerror(-code));
	pthread_mutex_unlock(&keeper->lock);
}

static void remove_file(struct rotated_keeper *keeper, const char *path)
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

static int compress_to(struct rotated_keeper *keeper, int from, const char *part, const char *path)
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
static void compress(struct rotated_keeper *keeper, const char *path)
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
static void prune(struct rotated_keeper *keeper, struct rotated_list *list)
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

static void keeper_work(struct rotated_keeper *keeper)
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
static bool keeper_await(struct rotated_keeper *keeper)
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
	struct rotated_keeper *keeper = argument;

	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE_LOWEST);
	syscall(SYS_ioprio_set, IOPRIO_PROCESS, 0, IOPRIO_IDLE);
	do
		keeper_work(keeper);
	while (keeper_await(keeper));
	return NULL;
}

static void keeper_release(struct rotated_keeper *keeper)
{
	pthread_cond_destroy(&keeper->changed);
	pthread_mutex_destroy(&keeper->lock);
	output_stop_finish(&keeper->stop);
	free(keeper);
}

int rotated_keeper_create(const char *path, uint64_t keep, enum compress_method method,
			  struct rotated_keeper **result)
{
	struct rotated_keeper *keeper = calloc(1, sizeof(*keeper));
	sigset_t all, before;
	int r;

	if (!keeper)
		return -ENOMEM;
	*keeper = (struct rotated_keeper){.path = path, .keep = keep, .method = method};
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

static void change(struct rotated_keeper *keeper, bool *flag)
{
	pthread_mutex_lock(&keeper->lock);
	*flag = true;
	pthread_cond_signal(&keeper->changed);
	pthread_mutex_unlock(&keeper->lock);
}

void rotated_keeper_destroy(struct rotated_keeper *keeper)
{
	if (!keeper)
		return;
	output_stop_now(&keeper->stop);
	change(keeper, &keeper->stopped);
	pthread_join(keeper->thread, NULL);
	keeper_release(keeper);
}

void rotated_keeper_wake(struct rotated_keeper *keeper)
{
	if (keeper)
		change(keeper, &keeper->woken);
}

int rotated_keeper_result(struct rotated_keeper *keeper, struct error *err)
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
