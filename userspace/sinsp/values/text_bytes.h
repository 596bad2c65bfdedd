/* SPDX-License-Identifier: MIT */
/* Bytes as text, in the forms of the .scap world. */
#ifndef SINSP_VALUES_TEXT_BYTES_H
#define SINSP_VALUES_TEXT_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "sinsp/values/text_style.h"
#include "util/buf.h"

/* Appends bytes in a form. Only printable ASCII, tabs and newlines are appended. */
void text_append_bytes(struct buf *out, enum text_bytes form, const uint8_t *data, size_t len);

/*
 * The same in the form of a style; buffers longer than its bytes_max are truncated, and end with
 * dots.
 */
void text_append_buffer(struct buf *out, const struct text_style *style, const uint8_t *data,
			size_t len);

#endif
