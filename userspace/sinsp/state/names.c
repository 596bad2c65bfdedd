/* SPDX-License-Identifier: MIT */
/* Hosts in a sorted list, and the folder of the three files of names. */
#include "sinsp/state/names.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scap/proc/text.h"

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
	state_users_init(&names->users, names->passwd_path);
	state_users_init(&names->groups, names->group_path);
	names_hosts_init(&names->hosts, names->hosts_path);
	return names;
}

void names_destroy(struct names *names)
{
	if (!names)
		return;
	state_users_finish(&names->users);
	state_users_finish(&names->groups);
	names_hosts_finish(&names->hosts);
	free(names);
}

void names_forget_users(struct names *names)
{
	state_users_finish(&names->users);
	state_users_finish(&names->groups);
}

void names_forget_hosts(struct names *names)
{
	names_hosts_finish(&names->hosts);
	names_hosts_init(&names->hosts, ""); /* no file has that name */
}
