/* SPDX-License-Identifier: MIT */
/* Names of descriptors: those of the table, or rebuilt with service names. */
#include "sinsp/values/fd_text.h"

#include <stdbool.h>
#include <string.h>

#include "sinsp/tables/socket.h"

/*
 * Whether the name was built from its ends. Other names come from a capture file, or are the
 * addresses of sockets without a connection.
 */
static bool has_name_of_its_ends(const struct sinsp_fd *fd)
{
	char name[SOCKET_NAME_MAX];
	size_t len = sinsp_socket_name(fd, name);

	return len == fd->name_len && memcmp(name, fd->name, len) == 0;
}

void text_append_fd_name(struct buf *out, const struct sinsp_fd *fd,
			 const struct text_style *style)
{
	if (style->services && sinsp_socket_is_ip(fd) && has_name_of_its_ends(fd))
		sinsp_socket_append_name(out, fd, style->services);
	else
		buf_append(out, fd->name, fd->name_len);
}
