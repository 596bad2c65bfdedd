/* SPDX-License-Identifier: MIT */
/* The ends and names of IP sockets. */
#include "sinsp/state/socket.h"

#include <string.h>

#include "event/address.h"

static bool is_mapped(const struct scap_endpoint *end)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(end->address, prefix, sizeof(prefix)) == 0;
}

static void unmap(struct scap_endpoint *end)
{
	memcpy(end->address, end->address + 12, 4);
	memset(end->address + 4, 0, 12);
}

void sinsp_socket_unmap(struct sinsp_fd *fd, union sinsp_ends *ends)
{
	if (fd->type != SCAP_FD_IPV6 || !is_mapped(&ends->dest) ||
	    (!fd->listening && !is_mapped(&ends->source)))
		return;
	fd->type = SCAP_FD_IPV4;
	unmap(&ends->dest);
	if (!fd->listening)
		unmap(&ends->source);
}

void sinsp_socket_swap(union sinsp_ends *ends)
{
	struct scap_endpoint source = ends->source;

	ends->source = ends->dest;
	ends->dest = source;
}

const char *sinsp_socket_service(const struct sinsp_fd *fd, uint16_t port,
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

static void append_end(struct buf *out, const struct sinsp_fd *fd, const struct scap_endpoint *end,
		       const struct services *services)
{
	const char *service = sinsp_socket_service(fd, end->port, services);

	text_append_ip(out, end->address, fd->type == SCAP_FD_IPV4 ? 4 : 16);
	if (fd->l4 == SCAP_L4_ICMP || fd->l4 == SCAP_L4_RAW)
		return;
	buf_append_char(out, ':');
	if (service)
		buf_append_string(out, service);
	else
		buf_append_u64(out, end->port);
}

void sinsp_socket_append_name(struct buf *out, const struct sinsp_fd *fd,
			      const struct services *services)
{
	if (!fd->listening) {
		append_end(out, fd, &sinsp_fd_ends(fd)->source, services);
		BUF_LITERAL(out, "->");
	}
	append_end(out, fd, &sinsp_fd_ends(fd)->dest, services);
}

size_t sinsp_socket_name(const struct sinsp_fd *fd, char out[SOCKET_NAME_MAX])
{
	struct buf name = buf_fixed(out, SOCKET_NAME_MAX);

	sinsp_socket_append_name(&name, fd, NULL);
	return name.len;
}
