/* SPDX-License-Identifier: MIT */
/* Users and groups in trees by id, hosts in a sorted list, and the folder of their three files. */
#include "sinsp/state/names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scap/proc/text.h"

/* Entries in a tree by id, and the file's lines "NAME:PASSWORD:ID:GROUP:REMARK:HOME:SHELL". */

enum { USERS_FILE_BYTES_MAX = 16 << 20, USERS_MAX = 1 << 16 };

static const uint64_t read_interval_ns = 60 * UINT64_C(1000000000);

/* An entry and its strings in one block. */
struct user_block {
	struct names_user user; /* first: a pointer to it is one to its block */
	char strings[];
};

static int users_compare(const void *left, const void *right)
{
	const struct names_user *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static const char *names_put(char **at, const char *text)
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

static struct names_user *copy_of(const struct names_user *user)
{
	struct user_block *block = malloc(sizeof(*block) + bytes_of(user->name) +
					  bytes_of(user->home) + bytes_of(user->shell));
	char *at;

	if (!block)
		return NULL;
	at = block->strings;
	block->user = *user;
	block->user.name = names_put(&at, user->name);
	block->user.home = names_put(&at, user->home);
	block->user.shell = names_put(&at, user->shell);
	return &block->user;
}

void names_users_init(struct names_users *users, const char *path)
{
	*users = (struct names_users){.path = path};
}

void names_users_finish(struct names_users *users)
{
	tdestroy(users->tree, free);
	tdestroy(users->old_tree, free);
	*users = (struct names_users){0};
}

void names_users_forget(struct names_users *users)
{
	names_users_finish(users);
}

int names_users_add(struct names_users *users, const struct names_user *user)
{
	struct names_user *copy;

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

void names_users_remove(struct names_users *users, uint32_t id)
{
	const struct names_user key = {.id = id};
	struct names_user **found = tfind(&key, &users->tree, users_compare), *user;

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
static bool users_parse_line(char *line, struct names_user *user)
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

static bool translate(uint32_t *id, const struct names_users_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (*id < ranges[i].inside || *id - ranges[i].inside >= ranges[i].count)
			continue;
		*id = ranges[i].outside + (*id - ranges[i].inside);
		return true;
	}
	return false;
}

void names_users_add_text(struct names_users *users, char *text,
			  const struct names_users_range *ranges, size_t count)
{
	struct names_user user;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (users_parse_line(line, &user) && translate(&user.id, ranges, count))
			names_users_add(users, &user);
	}
}

static void users_read(struct names_users *users)
{
	static const struct names_users_range all = {.count = UINT32_MAX};
	struct names_users read = {.path = users->path};
	struct buf text = {0};

	if (proc_read_file(AT_FDCWD, users->path, USERS_FILE_BYTES_MAX, &text) == 0) {
		names_users_add_text(&read, text.data, &all, 1);
		read.old_tree = users->tree;
		tdestroy(users->old_tree, free);
		*users = read;
	}
	buf_finish(&text);
}

static const struct names_user *names_find(const struct names_users *users, uint32_t id)
{
	const struct names_user key = {.id = id};
	struct names_user *const *found = tfind(&key, &users->tree, users_compare);

	return found ? *found : NULL;
}

const struct names_user *names_users_find(struct names_users *users, uint32_t id, uint64_t now_ns)
{
	const struct names_user *user = names_find(users, id);

	if (user || !users->path || (users->read_ns && now_ns - users->read_ns < read_interval_ns))
		return user;
	users_read(users);
	users->read_ns = now_ns ? now_ns : 1;
	return names_find(users, id);
}

struct visit {
	int (*visit)(const struct names_user *user, void *context);
	void *context;
	int r;
};

static void visit_node(const void *node, VISIT order, void *context)
{
	struct visit *visit = context;

	if (visit->r == 0 && (order == postorder || order == leaf))
		visit->r = visit->visit(*(const struct names_user *const *)node, visit->context);
}

int names_users_each(struct names_users *users, uint64_t now_ns,
		     int (*visit)(const struct names_user *user, void *context), void *context)
{
	struct visit walk = {.visit = visit, .context = context};

	names_users_find(users, 0,
			 now_ns); /* reads the file, if there is one, unless already read */
	twalk_r(users->tree, visit_node, &walk);
	return walk.r;
}

/* Names of addresses: the file's lines "ADDRESS NAME ALIAS..." as a sorted list. */

enum { HOSTS_FILE_BYTES_MAX = 16 << 20, LIST_MIN = 64 };

struct host_name {
	uint8_t address[16]; /* IPv4 addresses in IPv6 form */
	const char *name;
};

static const uint8_t mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};

void names_hosts_init(struct names_hosts *hosts, const char *path)
{
	*hosts = (struct names_hosts){.path = path};
}

void names_hosts_finish(struct names_hosts *hosts)
{
	free(hosts->list);
	buf_finish(&hosts->text);
	*hosts = (struct names_hosts){0};
}

static void names_set_address(uint8_t to[16], const uint8_t *address, size_t len)
{
	memcpy(to, mapped_prefix, sizeof(mapped_prefix));
	memcpy(to + 16 - len, address, len);
}

static bool names_parse_address(const char *text, uint8_t address[16])
{
	uint8_t ipv4[4];

	if (inet_pton(AF_INET6, text, address) == 1)
		return true;
	if (inet_pton(AF_INET, text, ipv4) != 1)
		return false;
	names_set_address(address, ipv4, sizeof(ipv4));
	return true;
}

/* Returns false if out of memory. */
static bool names_add(struct names_hosts *hosts, const uint8_t address[16], const char *name)
{
	bool full = (hosts->count & (hosts->count - 1)) == 0 && hosts->count >= LIST_MIN;
	struct host_name *list = hosts->list;

	if (!list || full)
		list = realloc(list, sizeof(*list) * (hosts->count ? 2 * hosts->count : LIST_MIN));
	if (!list)
		return false;
	hosts->list = list;
	memcpy(list[hosts->count].address, address, 16);
	list[hosts->count++].name = name;
	return true;
}

/* Adds the address and the first name of a line. Returns false if out of memory. */
static bool hosts_parse_line(struct names_hosts *hosts, char *line)
{
	static const char blanks[] = " \t\r";
	uint8_t address[16];
	char *rest, *word;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, blanks, &rest);
	if (!word || !names_parse_address(word, address))
		return true;
	word = strtok_r(NULL, blanks, &rest);
	return !word || names_add(hosts, address, word);
}

/* Names are in memory in the order of the file. */
static int hosts_compare(const void *left, const void *right)
{
	const struct host_name *a = left, *b = right;
	int order = memcmp(a->address, b->address, sizeof(a->address));

	return order ? order : (a->name > b->name) - (a->name < b->name);
}

static void hosts_read(struct names_hosts *hosts)
{
	hosts->read = true;
	if (proc_read_file(AT_FDCWD, hosts->path, HOSTS_FILE_BYTES_MAX, &hosts->text))
		return;
	for (char *line = hosts->text.data, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!hosts_parse_line(hosts, line))
			break;
	}
	if (hosts->count)
		qsort(hosts->list, hosts->count, sizeof(*hosts->list), hosts_compare);
}

/* The first entry that is not before the address. */
static size_t lower_bound(const struct names_hosts *hosts, const uint8_t address[16])
{
	size_t low = 0, high = hosts->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memcmp(hosts->list[middle].address, address, 16) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *names_hosts_name(struct names_hosts *hosts, const uint8_t *address, size_t len)
{
	uint8_t wanted[16];
	size_t at;

	if (!hosts->read)
		hosts_read(hosts);
	names_set_address(wanted, address, len);
	at = lower_bound(hosts, wanted);
	if (at == hosts->count || memcmp(hosts->list[at].address, wanted, sizeof(wanted)) != 0)
		return NULL;
	return hosts->list[at].name;
}

/* The three files of names in one folder. */

struct names *names_create(const char *etc)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	if (!etc)
		etc = "/etc";
	/* A truncated path names no file, so there are no names. */
	snprintf(names->passwd_path, ETC_PATH_BYTES, "%s/passwd", etc);
	snprintf(names->group_path, ETC_PATH_BYTES, "%s/group", etc);
	snprintf(names->hosts_path, ETC_PATH_BYTES, "%s/hosts", etc);
	names_users_init(&names->users, names->passwd_path);
	names_users_init(&names->groups, names->group_path);
	names_hosts_init(&names->hosts, names->hosts_path);
	return names;
}

void names_destroy(struct names *names)
{
	if (!names)
		return;
	names_users_finish(&names->users);
	names_users_finish(&names->groups);
	names_hosts_finish(&names->hosts);
	free(names);
}

void names_forget_users(struct names *names)
{
	names_users_forget(&names->users);
	names_users_forget(&names->groups);
}

void names_forget_hosts(struct names *names)
{
	names_hosts_finish(&names->hosts);
	names_hosts_init(&names->hosts, ""); /* no file has that name */
}
