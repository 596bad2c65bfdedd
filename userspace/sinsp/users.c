/* SPDX-License-Identifier: MIT */
/* The file's lines "NAME:PASSWORD:ID:GROUP:REMARK:HOME:SHELL" as a list sorted by id. */
#include "sinsp/users.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "scap/proc_text.h"

enum { FILE_BYTES_MAX = 16 << 20 };

static const uint64_t read_interval_ns = 60 * UINT64_C(1000000000);

void users_init(struct users *users, const char *path)
{
	*users = (struct users){.path = path};
}

void users_finish(struct users *users)
{
	free(users->list);
	buf_finish(&users->text);
	buf_finish(&users->old_text);
	*users = (struct users){0};
}

/* Ends the column that begins at `text`. Returns the one behind it, or NULL behind the last. */
static char *cut_column(char *text)
{
	char *colon = text ? strchr(text, ':') : NULL;

	if (!colon)
		return NULL;
	*colon = '\0';
	return colon + 1;
}

static bool parse_id(const char *text, uint32_t *id)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (end == text || *end || errno || value > UINT32_MAX)
		return false;
	*id = (uint32_t)value;
	return true;
}

/* Cuts one line into an entry. Returns false for lines that are none. */
static bool parse_line(char *line, struct user_entry *user)
{
	char *password = cut_column(line), *id = cut_column(password);
	char *group = cut_column(id), *remark = cut_column(group);
	char *home = cut_column(remark), *shell = cut_column(home);

	if (!group || !*line || !parse_id(id, &user->id))
		return false;
	cut_column(shell);
	user->name = line;
	user->home = home;
	user->shell = shell;
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct user_entry *a = left, *b = right;

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
	struct buf text = users->old_text;
	struct user_entry *list = NULL;
	size_t count = 0;
	uint32_t number = 0;

	if (proc_read_file(AT_FDCWD, users->path, FILE_BYTES_MAX, &text) == 0)
		list = calloc(count_lines(text.data), sizeof(*list));
	if (!list) {
		users->old_text = text;
		return;
	}
	for (char *line = text.data, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		list[count].line = number++;
		count += parse_line(line, &list[count]);
	}
	qsort(list, count, sizeof(*list), compare);
	free(users->list);
	users->old_text = users->text;
	users->text = text;
	users->list = list;
	users->count = count;
}

static const struct user_entry *find(const struct users *users, uint32_t id)
{
	size_t low = 0, high = users->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (users->list[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < users->count && users->list[low].id == id ? &users->list[low] : NULL;
}

const struct user_entry *users_find(struct users *users, uint32_t id, uint64_t now_ns)
{
	const struct user_entry *user = find(users, id);

	if (user || (users->read_ns && now_ns - users->read_ns < read_interval_ns))
		return user;
	users_read(users);
	users->read_ns = now_ns ? now_ns : 1;
	return find(users, id);
}
