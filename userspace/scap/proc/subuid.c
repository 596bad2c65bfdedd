/* SPDX-License-Identifier: MIT */
/* Files of a few lines: a user is looked for by reading all names. */
#include "scap/proc/subuid.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scap/proc/text.h"

enum { SUBUID_BYTES_MAX = 1 << 20, SUBUID_PATH_BYTES = 64 };

/* A number that a colon or the end follows. */
static bool read_id(const char *text, uint32_t *id)
{
	unsigned long long value;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || value > UINT32_MAX || (*end && *end != ':' && *end != '\n'))
		return false;
	*id = (uint32_t)value;
	return true;
}

/* "name:x:1000:..." */
static bool find_user(const char *passwd, const char *name, uint32_t *id)
{
	const size_t len = strlen(name);

	for (const char *line = passwd; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) != 0 || line[len] != ':')
			continue;
		line = strchr(line + len + 1, ':');
		return line && read_id(line + 1, id);
	}
	return false;
}

static bool read_range(char *line, const char *passwd, struct share_range *range)
{
	const char *name = strsep(&line, ":"), *first = strsep(&line, ":");
	uint32_t begin, count, owner;

	if (!line || !read_id(first, &begin) || !read_id(line, &count) || !count ||
	    count - 1 > UINT32_MAX - begin || begin == 0)
		return false;
	if (!read_id(name, &owner) && !find_user(passwd, name, &owner))
		return false;
	*range = (struct share_range){begin, count, owner};
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct share_range *one = a, *other = b;

	return (one->first > other->first) - (one->first < other->first);
}

size_t subuid_parse(char *subuid, const char *passwd, struct share_range ranges[SHARE_RANGES_MAX])
{
	size_t count = 0, n = 0;
	char *line;

	while (count < SHARE_RANGES_MAX && (line = strsep(&subuid, "\n")))
		count += read_range(line, passwd, &ranges[count]);
	qsort(ranges, count, sizeof(ranges[0]), compare_ranges);
	for (size_t i = 0; i < count; i++)
		if (!n || ranges[i].first - ranges[n - 1].first >= ranges[n - 1].count)
			ranges[n++] = ranges[i];
	return n;
}

static int read_etc(int proc, const char *name, struct buf *text)
{
	char path[SUBUID_PATH_BYTES];
	int r;

	snprintf(path, sizeof(path), "1/root/etc/%s", name);
	r = proc_read_file(proc, path, SUBUID_BYTES_MAX, text);
	if (r == 0 || r == -ENOENT)
		return r;
	snprintf(path, sizeof(path), "/etc/%s", name);
	return proc_read_file(AT_FDCWD, path, SUBUID_BYTES_MAX, text);
}

size_t subuid_read(int proc, struct share_range ranges[SHARE_RANGES_MAX])
{
	struct buf subuid = {0}, passwd = {0};
	size_t count = 0;

	if (read_etc(proc, "subuid", &subuid) == 0 && read_etc(proc, "passwd", &passwd) == 0)
		count = subuid_parse(subuid.data, passwd.data, ranges);
	buf_finish(&subuid);
	buf_finish(&passwd);
	return count;
}
