/* SPDX-License-Identifier: MIT */
#include "scap/live/iter_socket.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { ANY = 0xffff, PROTOCOL_MPTCP = 262 };

/* The first row that fits. Sockets of other kinds are not supported. */
static const struct kind {
	uint16_t family, type, protocol;
	uint8_t fd_type; /* enum scap_fd_type */
	uint8_t l4; /* enum scap_l4 */
} kinds[] = {
	{AF_INET, SOCK_STREAM, IPPROTO_TCP, SCAP_FD_IPV4, SCAP_L4_TCP},
	{AF_INET6, SOCK_STREAM, IPPROTO_TCP, SCAP_FD_IPV6, SCAP_L4_TCP},
	{AF_INET, SOCK_DGRAM, IPPROTO_UDP, SCAP_FD_IPV4, SCAP_L4_UDP},
	{AF_INET6, SOCK_DGRAM, IPPROTO_UDP, SCAP_FD_IPV6, SCAP_L4_UDP},
	{AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE, SCAP_FD_IPV4, SCAP_L4_UDP},
	{AF_INET6, SOCK_DGRAM, IPPROTO_UDPLITE, SCAP_FD_IPV6, SCAP_L4_UDP},
	{AF_INET, SOCK_DGRAM, IPPROTO_ICMP, SCAP_FD_IPV4, SCAP_L4_ICMP},
	{AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6, SCAP_FD_IPV6, SCAP_L4_ICMP},
	{AF_INET, SOCK_RAW, ANY, SCAP_FD_IPV4, SCAP_L4_RAW},
	{AF_INET6, SOCK_RAW, ANY, SCAP_FD_IPV6, SCAP_L4_RAW},
	{AF_UNIX, ANY, ANY, SCAP_FD_UNIX, SCAP_L4_UNKNOWN},
	{AF_NETLINK, ANY, ANY, SCAP_FD_NETLINK, SCAP_L4_UNKNOWN},
};

static bool fits(uint16_t wanted, uint16_t value)
{
	return wanted == ANY || wanted == value;
}

static const struct kind *find_kind(const struct open_fd_socket *from)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].family == from->family && fits(kinds[i].type, from->type) &&
		    fits(kinds[i].protocol, from->protocol))
			return &kinds[i];
	return NULL;
}

/* Whether the files of /proc/PID/net list it: others have no ends there. */
static bool is_listed(const struct open_fd_socket *from, enum scap_l4 l4)
{
	if (l4 == SCAP_L4_TCP)
		return from->state != TCP_CLOSE;
	return l4 == SCAP_L4_RAW || from->is_bound;
}

static bool is_mapped(const uint8_t address[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(address, mapped, sizeof(mapped)) == 0;
}

static struct scap_endpoint end_of(const uint8_t *address, size_t bytes, uint16_t port)
{
	struct scap_endpoint end = {.port = port};

	memcpy(end.address, address, bytes);
	return end;
}

static void fill_ends(const struct open_fd_socket *from, struct scap_fd *fd)
{
	bool has_ports = fd->l4 == SCAP_L4_TCP || fd->l4 == SCAP_L4_UDP;
	size_t bytes = fd->type == SCAP_FD_IPV4 ? 4 : 16, skipped = 0;

	/* An IPv6 socket that uses IPv4 is reported as IPv4. */
	if (fd->type == SCAP_FD_IPV6 && is_mapped(from->local) && is_mapped(from->remote)) {
		fd->type = SCAP_FD_IPV4;
		bytes = 4;
		skipped = 12;
	}
	fd->local = end_of(from->local + skipped, bytes, has_ports ? from->local_port : 0);
	fd->remote = end_of(from->remote + skipped, bytes, has_ports ? from->remote_port : 0);
}

/* As in /proc/net/unix: '@' for each NUL of an abstract name. */
static void fill_unix_name(const struct open_fd_socket *from, const char *path,
			   char name[ITER_NAME_BYTES])
{
	size_t len = from->unix_bytes;

	/* The NUL that ends a path counts for the kernel. */
	if (len && path[0] != '\0')
		len = strnlen(path, len);
	for (size_t i = 0; i < len; i++)
		name[i] = path[i] ? path[i] : '@';
	name[len] = '\0';
}

int iter_socket_fill(const struct open_fd_socket *from, const char *path, struct scap_fd *fd,
		     char name[ITER_NAME_BYTES])
{
	const struct kind *kind = find_kind(from);

	if (from->type == SOCK_STREAM && from->protocol == PROTOCOL_MPTCP)
		return -EOPNOTSUPP;
	fd->name = name;
	name[0] = '\0';
	if (!kind) {
		fd->type = SCAP_FD_UNSUPPORTED;
		snprintf(name, ITER_NAME_BYTES, "socket:[%" PRIu64 "]", fd->ino);
		return 0;
	}
	fd->type = (enum scap_fd_type)kind->fd_type;
	fd->l4 = (enum scap_l4)kind->l4;
	if (fd->type == SCAP_FD_UNIX) {
		fd->unix_socket = from->address;
		fill_unix_name(from, path, name);
	} else if (fd->l4 != SCAP_L4_UNKNOWN && is_listed(from, fd->l4)) {
		fill_ends(from, fd);
	}
	return 0;
}
