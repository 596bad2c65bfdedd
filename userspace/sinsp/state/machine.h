/* SPDX-License-Identifier: MIT */
/*
 * The machine that events come from, its network interfaces, and the ends and names of IP sockets.
 */
#ifndef SINSP_STATE_MACHINE_H
#define SINSP_STATE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "scap/proc/snapshot.h"
#include "sinsp/state/fd.h"
#include "util/buf.h"
#include "util/services.h"

/* The machine that events come from, and its network interfaces: this one, or that of a capture. */

enum { HOSTNAME_BYTES = 256 };

struct machine_interface;

struct machine {
	uint32_t cpus;
	uint64_t memory_bytes, max_pid, boot_ns; /* as in scap_machine */
	char hostname[HOSTNAME_BYTES];
	struct machine_interface *interfaces; /* owned */
	size_t interfaces_count;
};

/* Forgets everything. A zeroed struct is an unknown machine. */
void machine_finish(struct machine *machine);

/* Copies the data of a capture. Strings are truncated to the limits of the kernel. */
void machine_set(struct machine *machine, const struct scap_machine *from);

/* Returns 0, -ENOMEM, or -ENOSPC above the limit. */
int machine_add_interface(struct machine *machine, const struct scap_interface *interface);

/* Reads the CPUs, the memory and the interfaces of this machine. Returns 0 or -ENOMEM. */
int machine_read(struct machine *machine);

/*
 * Reports the machine and its interfaces, those of IPv4 first. clock_step_ns: how far the wall
 * clock was set since (negative: back), applied to the boot time. Returns 0 or what `to` returned.
 */
int machine_dump(const struct machine *machine, int64_t clock_step_ns, struct scap_snapshot *to);

/* A number for a text that names a boot of a machine. */
uint64_t machine_boot_of(const char *text);

/* The number of this machine's current boot; 0 if the kernel does not report it. */
uint64_t machine_boot_here(void);

/* IP sockets of the tables: their ends, and their names. */

enum { SOCKET_NAME_MAX = 192 };

static inline bool state_socket_is_ip(const struct state_fd *fd)
{
	return fd->type == SCAP_FD_IPV4 || fd->type == SCAP_FD_IPV6;
}

/* Turns an IPv6 socket with IPv4-mapped addresses into an IPv4 socket; `ends` are its own. */
void state_socket_unmap(struct state_fd *fd, union state_ends *ends);

/* Exchanges the ends. */
void state_socket_swap(union state_ends *ends);

/*
 * Writes "ip:port->ip:port", or "ip:port" for a listening socket, without ports for protocols that
 * have none. Returns the length; no NUL is written.
 */
size_t state_socket_name(const struct state_fd *fd, char out[SOCKET_NAME_MAX]);

/* Appends the same; with services, known ports are replaced by service names. */
void state_socket_append_name(struct buf *out, const struct state_fd *fd,
			      const struct services *services);

/* The name of the service of a port, for the protocol of the socket; or NULL. */
const char *state_socket_service(const struct state_fd *fd, uint16_t port,
				 const struct services *services);

#endif
