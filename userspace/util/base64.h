/* SPDX-License-Identifier: MIT */
/* Bytes as text in base64 (RFC 4648, section 4). */
#ifndef UTIL_BASE64_H
#define UTIL_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"

void base64_append(struct buf *out, const void *bytes, size_t len);

/*
 * Appends the bytes that a text stands for, whole groups with their padding. Returns false, with
 * nothing of use appended, if it is no such text. Out of memory is out->failed.
 */
bool base64_decode(struct buf *out, const char *text, size_t len);

#endif
