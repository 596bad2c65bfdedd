/* SPDX-License-Identifier: MIT */
/* Numbers in the formats that the tables of fields and events name. */
#include "sinsp/values/text_number.h"

enum { PADDED_DIGITS = 9 };

void text_append_number(struct buf *out, enum param_type type, enum param_format format,
			uint64_t value)
{
	uint64_t bits = value_bits(value, param_type_size(type));

	switch (format) {
	case PF_HEX:
		buf_append_hex(out, bits, 1);
		break;
	case PF_OCT:
		buf_append_octal(out, bits);
		break;
	case PF_PADDED_DEC:
		buf_append_padded(out, bits, PADDED_DIGITS);
		break;
	default:
		if (param_type_is_signed(type))
			buf_append_i64(out, (int64_t)value);
		else
			buf_append_u64(out, bits);
	}
}
