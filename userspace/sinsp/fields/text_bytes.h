/* SPDX-License-Identifier: MIT */
/* Bytes as text, in the forms of the .scap world. */
#ifndef SINSP_FIELDS_TEXT_BYTES_H
#define SINSP_FIELDS_TEXT_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "sinsp/fields/text_style.h"
#include "util/buf.h"

/* Appends bytes. Whatever they are, nothing is appended but printable ASCII, tabs and newlines. */
void text_append_bytes(struct buf *out, enum text_bytes form, const uint8_t *data, size_t len);

/* The same in the form of a style; what is longer than its bytes_max is cut, and ends with dots. */
void text_append_buffer(struct buf *out, const struct text_style *style, const uint8_t *data,
			size_t len);

/*
 * Puts dots for control characters, those of Unicode included (utf8_is_control()): names and
 * arguments are anybody's choice, and must neither steer a terminal nor look like another line.
 */
void text_mask_controls(char *text, size_t len);

#endif
