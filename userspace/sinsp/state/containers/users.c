/* SPDX-License-Identifier: MIT */
/* Entries in a tree by id, and a file's lines "NAME:PASSWORD:ID:GROUP:REMARK:HOME:SHELL". */
#include "sinsp/state/containers/users.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "scap/proc/text.h"

enum { USERS_FILE_BYTES_MAX = 16 << 20, USERS_MAX = 1 << 16 };

static const uint64_t read_interval_ns = 60 * UINT64_C(1000000000);

/* An entry and its strings in one block. */
struct user_block {
	struct state_user user; /* first: a pointer to it is one to its block */
	char strings[];
};

static int users_compare(const void *left, const void *right)
{
	const struct state_user *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static const char *users_put_text(char **at, const char *text)
{
	char *copy = *at;

	if (!text)
		return NULL;
	*at = stpcpy(copy, text) + 1;
	return copy;
}

static size_t bytes_of(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static struct state_user *copy_of(const struct state_user *user)
{
	struct user_block *block = malloc(sizeof(*block) + bytes_of(user->name) +
					  bytes_of(user->home) + bytes_of(user->shell));
	char *at;

	if (!block)
		return NULL;
	at = block->strings;
	block->user = *user;
	block->user.name = users_put_text(&at, user->name);
	block->user.home = users_put_text(&at, user->home);
	block->user.shell = users_put_text(&at, user->shell);
	return &block->user;
}

void state_users_init(struct state_users *users, const char *path)
{
	*users = (struct state_users){.path = path};
}

void state_users_finish(struct state_users *users)
{
	tdestroy(users->tree, free);
	tdestroy(users->old_tree, free);
	*users = (struct state_users){0};
}

int state_users_add(struct state_users *users, const struct state_user *user)
{
	struct state_user *copy;

	if (tfind(user, &users->tree, users_compare))
		return 0;
	if (users->count >= (users->max ? users->max : USERS_MAX))
		return -ENOSPC;
	copy = copy_of(user);
	if (!copy || !tsearch(copy, &users->tree, users_compare)) {
		free(copy);
		return -ENOMEM;
	}
	users->count++;
	return 0;
}

void state_users_remove(struct state_users *users, uint32_t id)
{
	const struct state_user key = {.id = id};
	struct state_user **found = tfind(&key, &users->tree, users_compare), *user;

	if (!found)
		return;
	user = *found;
	tdelete(&key, &users->tree, users_compare);
	users->count--;
	free(user);
}

/* Ends the column that begins at `text`. Returns the one after it, or NULL after the last. */
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

/* Parses one line as an entry. Returns false for invalid lines. */
static bool users_parse_line(char *line, struct state_user *user)
{
	char *password = cut_column(line), *id = cut_column(password);
	char *group = cut_column(id), *remark = cut_column(group);
	char *home = cut_column(remark), *shell = cut_column(home);

	if (!group || !*line || !parse_id(id, &user->id))
		return false;
	cut_column(shell);
	/* Lines of groups have their members in that column. */
	if (!remark || !parse_id(group, &user->gid))
		user->gid = 0;
	user->name = line;
	user->home = home;
	user->shell = shell;
	return true;
}

static bool translate(uint32_t *id, const struct state_users_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (*id < ranges[i].inside || *id - ranges[i].inside >= ranges[i].count)
			continue;
		*id = ranges[i].outside + (*id - ranges[i].inside);
		return true;
	}
	return false;
}

void state_users_add_text(struct state_users *users, char *text,
			  const struct state_users_range *ranges, size_t count)
{
	struct state_user user;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (users_parse_line(line, &user) && translate(&user.id, ranges, count))
			state_users_add(users, &user);
	}
}

static void users_read(struct state_users *users)
{
	static const struct state_users_range all = {.count = UINT32_MAX};
	struct state_users read = {.path = users->path};
	struct buf text = {0};

	if (proc_read_file(AT_FDCWD, users->path, USERS_FILE_BYTES_MAX, &text) == 0) {
		state_users_add_text(&read, text.data, &all, 1);
		read.old_tree = users->tree;
		tdestroy(users->old_tree, free);
		*users = read;
	}
	buf_finish(&text);
}

static const struct state_user *users_known(const struct state_users *users, uint32_t id)
{
	const struct state_user key = {.id = id};
	struct state_user *const *found = tfind(&key, &users->tree, users_compare);

	return found ? *found : NULL;
}

const struct state_user *state_users_find(struct state_users *users, uint32_t id, uint64_t now_ns)
{
	const struct state_user *user = users_known(users, id);

	if (user || !users->path || (users->read_ns && now_ns - users->read_ns < read_interval_ns))
		return user;
	users_read(users);
	users->read_ns = now_ns ? now_ns : 1;
	return users_known(users, id);
}

struct visit {
	int (*visit)(const struct state_user *user, void *context);
	void *context;
	int r;
};

static void visit_node(const void *node, VISIT order, void *context)
{
	struct visit *visit = context;

	if (visit->r == 0 && (order == postorder || order == leaf))
		visit->r = visit->visit(*(const struct state_user *const *)node, visit->context);
}

int state_users_each(struct state_users *users, uint64_t now_ns,
		     int (*visit)(const struct state_user *user, void *context), void *context)
{
	struct visit walk = {.visit = visit, .context = context};

	/* Reads the file, if there is one, unless already read. */
	state_users_find(users, 0, now_ns);
	twalk_r(users->tree, visit_node, &walk);
	return walk.r;
}
