/* SPDX-License-Identifier: MIT */
/* Values that are numbers, as text. */
#ifndef SINSP_VALUES_TEXT_NUMBER_H
#define SINSP_VALUES_TEXT_NUMBER_H

#include "event/event.h"
#include "util/buf.h"

/*
 * Appends a number of a type of fixed size, extended to 64 bits: hexadecimal and octal digits without
 * 0x and 0, signed types with their sign.
 */
void text_append_number(struct buf *out, enum param_type type, enum param_format format,
			uint64_t value);

#endif
