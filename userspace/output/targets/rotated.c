/* SPDX-License-Identifier: MIT */
/* Names of rotated files: made, recognised and listed. */
#include "output/targets/rotated.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
