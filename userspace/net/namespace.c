/* SPDX-License-Identifier: MIT */
/* Namespaces in /proc; devices by rtnetlink. */
#include "net/namespace.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/net_namespace.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/netlink.h"

enum { PEERS_MAX = 1024 /* numbers of other namespaces that devices of one lead to */ };

int namespace_open(const char *proc, int32_t pid, uint64_t *ino)
{
	char path[PATH_MAX];
	struct stat file;
	int fd;

	snprintf(path, sizeof(path), "%s/%d/ns/net", proc, pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &file) < 0) {
		close(fd);
		return -EIO;
	}
	*ino = file.st_ino;
	return fd;
}

/* Its number; 0: the entry is no process, or it cannot be read. */
static uint64_t namespace_of_entry(const char *proc, const char *name)
{
	char path[PATH_MAX];
	struct stat file;

	if (!isdigit((unsigned char)name[0]))
		return 0;
	snprintf(path, sizeof(path), "%s/%s/ns/net", proc, name);
	return stat(path, &file) == 0 ? file.st_ino : 0;
}

int namespace_search(const char *proc, uint64_t ino)
{
	DIR *folder = opendir(proc);
	struct dirent *entry;
	int fd = -ESRCH;

	if (!folder)
		return -errno;
	while (fd < 0 && (entry = readdir(folder))) {
		uint64_t found;

		if (namespace_of_entry(proc, entry->d_name) != ino)
			continue;
		fd = namespace_open(proc, (int32_t)strtol(entry->d_name, NULL, 10), &found);
		/* It may have ended, and another one have its id. */
		if (fd >= 0 && found != ino) {
			close(fd);
			fd = -ESRCH;
		}
	}
	closedir(folder);
	return fd;
}

int namespace_enter(int fd)
{
	return setns(fd, CLONE_NEWNET) < 0 ? -errno : 0;
}

/* Where devices lead to, as numbers that this namespace has for others. */
struct namespace_peers {
	int32_t ids[PEERS_MAX];
	unsigned int count;
};

static void take_link(void *data, uint16_t type, struct netlink_span message)
{
	struct namespace_peers *peers = data;
	struct netlink_attribute attribute;
	int32_t id;

	if (type != RTM_NEWLINK || message.len < sizeof(struct ifinfomsg))
		return;
	message.data += sizeof(struct ifinfomsg);
	message.len -= sizeof(struct ifinfomsg);
	while (netlink_next(&message, &attribute))
		if (attribute.type == IFLA_LINK_NETNSID && peers->count < PEERS_MAX &&
		    netlink_copy(&attribute, &id, sizeof(id)))
			peers->ids[peers->count++] = id;
}

static void take_number(void *data, uint16_t type, struct netlink_span message)
{
	struct netlink_attribute attribute;
	const size_t header = NLMSG_ALIGN(sizeof(struct rtgenmsg));

	if (type != RTM_NEWNSID || message.len < header)
		return;
	message.data += header;
	message.len -= header;
	while (netlink_next(&message, &attribute))
		if (attribute.type == NETNSA_NSID)
			netlink_copy(&attribute, data, sizeof(int32_t));
}

/* A list of devices gives numbers to the namespaces that they lead to, which are asked for then. */
static int find_peers(int socket, struct namespace_peers *peers)
{
	const struct ifinfomsg all = {.ifi_family = AF_UNSPEC};
	struct netlink_request request;

	netlink_begin(&request, RTM_GETLINK, NLM_F_DUMP, &all, sizeof(all));
	return netlink_ask(socket, &request, take_link, peers);
}

static int find_number(int socket, int fd, int32_t *id)
{
	const struct rtgenmsg header = {.rtgen_family = AF_UNSPEC};
	struct netlink_request request;
	uint32_t number = (uint32_t)fd;

	*id = NETNSA_NSID_NOT_ASSIGNED;
	netlink_begin(&request, RTM_GETNSID, 0, &header, sizeof(header));
	netlink_put(&request, NETNSA_FD, &number, sizeof(number));
	return netlink_ask(socket, &request, take_number, id);
}

int namespace_is_joined(int fd)
{
	struct namespace_peers peers = {.count = 0};
	int socket = netlink_open(NETLINK_ROUTE), r;
	int32_t id;

	if (socket < 0)
		return socket;
	r = find_peers(socket, &peers);
	if (r == 0)
		r = find_number(socket, fd, &id);
	for (unsigned int i = 0; r == 0 && id >= 0 && i < peers.count; i++)
		r = peers.ids[i] == id;
	close(socket);
	return r;
}
