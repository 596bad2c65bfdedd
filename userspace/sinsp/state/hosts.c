/* SPDX-License-Identifier: MIT */
/* Names of addresses: the file's lines "ADDRESS NAME ALIAS..." as a sorted list. */
#include "sinsp/state/hosts.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "scap/proc/text.h"

enum { FILE_BYTES_MAX = 16 << 20, LIST_MIN = 64 };

struct host_name {
	uint8_t address[16]; /* IPv4 addresses in IPv6 form */
	const char *name;
};

static const uint8_t mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};

void hosts_init(struct hosts *hosts, const char *path)
{
	*hosts = (struct hosts){.path = path};
}

void hosts_finish(struct hosts *hosts)
{
	free(hosts->list);
	buf_finish(&hosts->text);
	*hosts = (struct hosts){0};
}

static void set_address(uint8_t to[16], const uint8_t *address, size_t len)
{
	memcpy(to, mapped_prefix, sizeof(mapped_prefix));
	memcpy(to + 16 - len, address, len);
}

static bool parse_address(const char *text, uint8_t address[16])
{
	uint8_t ipv4[4];

	if (inet_pton(AF_INET6, text, address) == 1)
		return true;
	if (inet_pton(AF_INET, text, ipv4) != 1)
		return false;
	set_address(address, ipv4, sizeof(ipv4));
	return true;
}

/* Returns false if out of memory. */
static bool add(struct hosts *hosts, const uint8_t address[16], const char *name)
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
static bool parse_line(struct hosts *hosts, char *line)
{
	static const char blanks[] = " \t\r";
	uint8_t address[16];
	char *rest, *word;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, blanks, &rest);
	if (!word || !parse_address(word, address))
		return true;
	word = strtok_r(NULL, blanks, &rest);
	return !word || add(hosts, address, word);
}

/* Names are in memory in the order of the file. */
static int compare(const void *left, const void *right)
{
	const struct host_name *a = left, *b = right;
	int order = memcmp(a->address, b->address, sizeof(a->address));

	return order ? order : (a->name > b->name) - (a->name < b->name);
}

static void hosts_read(struct hosts *hosts)
{
	hosts->read = true;
	if (proc_read_file(AT_FDCWD, hosts->path, FILE_BYTES_MAX, &hosts->text))
		return;
	for (char *line = hosts->text.data, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!parse_line(hosts, line))
			break;
	}
	if (hosts->count)
		qsort(hosts->list, hosts->count, sizeof(*hosts->list), compare);
}

/* The first entry that is not before the address. */
static size_t lower_bound(const struct hosts *hosts, const uint8_t address[16])
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

const char *hosts_name(struct hosts *hosts, const uint8_t *address, size_t len)
{
	uint8_t wanted[16];
	size_t at;

	if (!hosts->read)
		hosts_read(hosts);
	set_address(wanted, address, len);
	at = lower_bound(hosts, wanted);
	if (at == hosts->count || memcmp(hosts->list[at].address, wanted, sizeof(wanted)) != 0)
		return NULL;
	return hosts->list[at].name;
}
