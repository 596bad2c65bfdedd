/* SPDX-License-Identifier: MIT */
/* The text of lists of numbers, and of sets of small numbers. */
#include "sinsp/values/param_text.h"

void text_append_numbers(struct buf *out, const struct event_param *param, enum param_type type)
{
	for (size_t n = 0; n < param->len / param_type_number_size(type); n++) {
		if (n > 0)
			buf_append_char(out, ' ');
		buf_append_u64(out, event_param_number(param, type, n));
	}
}

static bool has_bit(const uint8_t *data, size_t bits, size_t bit)
{
	return bit < bits && (data[bit / 8] >> bit % 8 & 1);
}

void text_append_bits(struct buf *out, const uint8_t *data, size_t len)
{
	size_t bits = len * 8, start = out->len;

	for (size_t bit = 0; bit < bits; bit++) {
		size_t first = bit;

		if (!has_bit(data, bits, bit))
			continue;
		while (has_bit(data, bits, bit + 1))
			bit++;
		if (out->len > start)
			buf_append_char(out, ',');
		buf_append_u64(out, first);
		if (bit > first) {
			buf_append_char(out, '-');
			buf_append_u64(out, bit);
		}
	}
}
