/* SPDX-License-Identifier: MIT */
/* IP sockets of the tables: their ends, and their names. */
#ifndef SINSP_STATE_SOCKET_H
#define SINSP_STATE_SOCKET_H

#include <stddef.h>

#include "sinsp/state/fd.h"
#include "util/buf.h"
#include "util/services.h"

enum { SOCKET_NAME_MAX = 192 };

static inline bool sinsp_socket_is_ip(const struct sinsp_fd *fd)
{
	return fd->type == SCAP_FD_IPV4 || fd->type == SCAP_FD_IPV6;
}

/* Turns an IPv6 socket with IPv4-mapped addresses into an IPv4 socket; `ends` are its own. */
void sinsp_socket_unmap(struct sinsp_fd *fd, union sinsp_ends *ends);

/* Exchanges the ends. */
void sinsp_socket_swap(union sinsp_ends *ends);

/*
 * Writes "ip:port->ip:port", or "ip:port" for a listening socket, without ports for protocols that
 * have none. Returns the length; no NUL is written.
 */
size_t sinsp_socket_name(const struct sinsp_fd *fd, char out[SOCKET_NAME_MAX]);

/* Appends the same; with services, known ports are replaced by service names. */
void sinsp_socket_append_name(struct buf *out, const struct sinsp_fd *fd,
			      const struct services *services);

/* The name of the service of a port, for the protocol of the socket; or NULL. */
const char *sinsp_socket_service(const struct sinsp_fd *fd, uint16_t port,
				 const struct services *services);

#endif
