/* SPDX-License-Identifier: MIT */
/* Names of ids: the file's lines "NAME:PASSWORD:ID:..." as a sorted list. */
#include "sinsp/users.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 16 << 20 };

static const uint64_t read_interval_ns = 60 * UINT64_C(1000000000);

struct user {
	uint32_t id;
	uint32_t line; /* the first of several lines wins, as in the C library */
	const char *name;
};

void users_init(struct users *users, const char *path)
{
	*users = (struct users){.path = path};
}

void users_finish(struct users *users)
{
	free(users->list);
	free(users->text);
	free(users->old_text);
	*users = (struct users){0};
}

/* The whole file with a NUL behind it, or NULL. */
static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0, capacity = 4096;
	char *text = fd < 0 ? NULL : malloc(capacity);

	while (text) {
		ssize_t n = read(fd, text + len, capacity - len - 1);
		char *larger;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
		if (capacity - len > 1)
			continue;
		larger = capacity < FILE_BYTES_MAX ? realloc(text, 2 * capacity) : NULL;
		if (!larger)
			break;
		text = larger;
		capacity *= 2;
	}
	if (fd >= 0)
		close(fd);
	if (text)
		text[len] = '\0';
	return text;
}

/* Cuts one line into a user. Returns false for lines that are none. */
static bool parse_line(char *line, struct user *user)
{
	char *password = strchr(line, ':'), *id, *end;
	unsigned long value;

	if (!password || password == line)
		return false;
	id = strchr(password + 1, ':');
	if (!id)
		return false;
	errno = 0;
	value = strtoul(id + 1, &end, 10);
	if (end == id + 1 || *end != ':' || errno || value > UINT32_MAX)
		return false;
	*password = '\0';
	user->id = (uint32_t)value;
	user->name = line;
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct user *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

static void users_read(struct users *users)
{
	char *text = read_file(users->path);
	struct user *list = text ? calloc(count_lines(text), sizeof(*list)) : NULL;
	size_t count = 0;
	uint32_t number = 0;

	if (!list) {
		free(text);
		return;
	}
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		list[count].line = number++;
		count += parse_line(line, &list[count]);
	}
	qsort(list, count, sizeof(*list), compare);
	free(users->list);
	free(users->old_text);
	users->old_text = users->text;
	users->text = text;
	users->list = list;
	users->count = count;
}

static const char *find(const struct users *users, uint32_t id)
{
	size_t low = 0, high = users->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (users->list[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < users->count && users->list[low].id == id ? users->list[low].name : NULL;
}

const char *users_name(struct users *users, uint32_t id, uint64_t now_ns)
{
	const char *name = find(users, id);

	if (name || (users->read_ns && now_ns - users->read_ns < read_interval_ns))
		return name;
	users_read(users);
	users->read_ns = now_ns ? now_ns : 1;
	return find(users, id);
}
