/* SPDX-License-Identifier: MIT */
/* Bytes as text in base64 (RFC 4648, section 4). */
#ifndef UTIL_BASE64_H
#define UTIL_BASE64_H

#include <stddef.h>

#include "util/buf.h"

void base64_append(struct buf *out, const void *bytes, size_t len);

#endif
