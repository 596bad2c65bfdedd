/* SPDX-License-Identifier: MIT */
/* Names of descriptors as the user of an output wants them. */
#ifndef SINSP_FIELDS_FD_TEXT_H
#define SINSP_FIELDS_FD_TEXT_H

#include "sinsp/fields/text_style.h"
#include "sinsp/tables/fd.h"
#include "util/buf.h"

/* Appends the name; with style->services, ports of IP sockets as names of services. */
void text_append_fd_name(struct buf *out, const struct sinsp_fd *fd,
			 const struct text_style *style);

#endif
