/* SPDX-License-Identifier: MIT */
/* Names of descriptors in the style that the user of an output chose. */
#ifndef SINSP_VALUES_FD_TEXT_H
#define SINSP_VALUES_FD_TEXT_H

#include "sinsp/values/text_style.h"
#include "sinsp/tables/fd.h"
#include "util/buf.h"

/* Appends the name; with style->services, ports of IP sockets are replaced by service names. */
void text_append_fd_name(struct buf *out, const struct sinsp_fd *fd,
			 const struct text_style *style);

#endif
