/* SPDX-License-Identifier: MIT */
/* The machine: copied from a capture or read from the system. The ends and names of IP sockets. */
#include "sinsp/state/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/address.h"
#include "scap/proc/text.h"

/*
 * The machine that events come from: copied from a capture or read from the system, and reported.
 */

enum { INTERFACES_MAX = 4096, INTERFACE_NAME_BYTES = 64, BOOT_ID_BYTES_MAX = 64 };

struct machine_interface {
	struct scap_interface interface; /* without its name */
	char name[INTERFACE_NAME_BYTES];
};

void machine_finish(struct machine *machine)
{
	free(machine->interfaces);
	*machine = (struct machine){0};
}

void machine_set(struct machine *machine, const struct scap_machine *from)
{
	machine->cpus = from->cpus;
	machine->memory_bytes = from->memory_bytes;
	machine->max_pid = from->max_pid;
	machine->boot_ns = from->boot_ns;
	snprintf(machine->hostname, sizeof(machine->hostname), "%s", from->hostname);
}

int machine_add_interface(struct machine *machine, const struct scap_interface *interface)
{
	size_t count = machine->interfaces_count;
	struct machine_interface *added;

	if (count == INTERFACES_MAX)
		return -ENOSPC;
	/* The capacity is doubled whenever the count is a power of two. */
	if ((count & (count - 1)) == 0) {
		void *grown = reallocarray(machine->interfaces, count ? 2 * count : 1,
					   sizeof(*machine->interfaces));

		if (!grown)
			return -ENOMEM;
		machine->interfaces = grown;
	}
	added = &machine->interfaces[machine->interfaces_count++];
	added->interface = *interface;
	snprintf(added->name, sizeof(added->name), "%s", interface->name);
	return 0;
}

static void machine_take_address(uint8_t *address, const struct sockaddr *from)
{
	const struct sockaddr_in6 *ipv6 = (const void *)from;
	const struct sockaddr_in *ipv4 = (const void *)from;

	if (from && from->sa_family == AF_INET)
		memcpy(address, &ipv4->sin_addr, sizeof(ipv4->sin_addr));
	else if (from && from->sa_family == AF_INET6)
		memcpy(address, &ipv6->sin6_addr, sizeof(ipv6->sin6_addr));
}

static int read_interface(struct machine *machine, const struct ifaddrs *from)
{
	int family = from->ifa_addr ? from->ifa_addr->sa_family : AF_UNSPEC;
	struct scap_interface interface = {.name = from->ifa_name, .ipv6 = family == AF_INET6};

	if (family != AF_INET && family != AF_INET6)
		return 0;
	machine_take_address(interface.address, from->ifa_addr);
	machine_take_address(interface.netmask, from->ifa_netmask);
	if (from->ifa_flags & IFF_BROADCAST)
		machine_take_address(interface.broadcast, from->ifa_broadaddr);
	return machine_add_interface(machine, &interface);
}

int machine_read(struct machine *machine)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
	struct ifaddrs *list;
	int r = 0;

	machine->cpus = cpus > 0 ? (uint32_t)cpus : 0;
	machine->memory_bytes = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
	machine->interfaces_count = 0;
	free(machine->interfaces);
	machine->interfaces = NULL;
	/* If the addresses cannot be read, the machine is reported without them. */
	if (getifaddrs(&list) < 0)
		return 0;
	for (const struct ifaddrs *at = list; at && r == 0; at = at->ifa_next)
		r = read_interface(machine, at);
	freeifaddrs(list);
	return r == -ENOSPC ? 0 : r;
}

static int dump_interfaces(const struct machine *machine, bool ipv6, struct scap_snapshot *to)
{
	int r = 0;

	for (size_t i = 0; i < machine->interfaces_count && r == 0; i++) {
		struct scap_interface interface = machine->interfaces[i].interface;

		if (interface.ipv6 != ipv6)
			continue;
		interface.name = machine->interfaces[i].name;
		r = to->ops->interface(to, &interface);
	}
	return r;
}

int machine_dump(const struct machine *machine, int64_t clock_step_ns, struct scap_snapshot *to)
{
	const struct scap_machine out = {
		.cpus = machine->cpus,
		.memory_bytes = machine->memory_bytes,
		.max_pid = machine->max_pid,
		.boot_ns = machine->boot_ns + (uint64_t)clock_step_ns,
		.hostname = machine->hostname,
	};
	int r = to->ops->machine(to, &out);

	if (r == 0)
		r = dump_interfaces(machine, false, to);
	if (r == 0)
		r = dump_interfaces(machine, true, to);
	return r;
}

uint64_t machine_boot_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

uint64_t machine_boot_here(void)
{
	struct buf text = {0};
	uint64_t boot = 0;

	if (proc_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", BOOT_ID_BYTES_MAX, &text) ==
	    0)
		boot = machine_boot_of(text.data);
	buf_finish(&text);
	return boot;
}

static bool machine_is_mapped(const struct scap_endpoint *end)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(end->address, prefix, sizeof(prefix)) == 0;
}

static void unmap(struct scap_endpoint *end)
{
	memcpy(end->address, end->address + 12, 4);
	memset(end->address + 4, 0, 12);
}

void state_socket_unmap(struct state_fd *fd, union state_ends *ends)
{
	if (fd->type != SCAP_FD_IPV6 || !machine_is_mapped(&ends->dest) ||
	    (!fd->listening && !machine_is_mapped(&ends->source)))
		return;
	fd->type = SCAP_FD_IPV4;
	unmap(&ends->dest);
	if (!fd->listening)
		unmap(&ends->source);
}

void state_socket_swap(union state_ends *ends)
{
	struct scap_endpoint source = ends->source;

	ends->source = ends->dest;
	ends->dest = source;
}

const char *state_socket_service(const struct state_fd *fd, uint16_t port,
				 const struct services *services)
{
	if (!services)
		return NULL;
	if (fd->l4 == SCAP_L4_TCP)
		return services_find(services, SERVICE_TCP, port);
	if (fd->l4 == SCAP_L4_UDP)
		return services_find(services, SERVICE_UDP, port);
	return services_find_any(services, port);
}

static void machine_append_end(struct buf *out, const struct state_fd *fd,
			       const struct scap_endpoint *end, const struct services *services)
{
	const char *service = state_socket_service(fd, end->port, services);

	address_append_ip(out, end->address, fd->type == SCAP_FD_IPV4 ? 4 : 16);
	if (fd->l4 == SCAP_L4_ICMP || fd->l4 == SCAP_L4_RAW)
		return;
	buf_append_char(out, ':');
	if (service)
		buf_append_string(out, service);
	else
		buf_append_u64(out, end->port);
}

void state_socket_append_name(struct buf *out, const struct state_fd *fd,
			      const struct services *services)
{
	if (!fd->listening) {
		machine_append_end(out, fd, &state_fd_ends(fd)->source, services);
		BUF_LITERAL(out, "->");
	}
	machine_append_end(out, fd, &state_fd_ends(fd)->dest, services);
}

size_t state_socket_name(const struct state_fd *fd, char out[SOCKET_NAME_MAX])
{
	struct buf name = buf_fixed(out, SOCKET_NAME_MAX);

	state_socket_append_name(&name, fd, NULL);
	return name.len;
}
