/* SPDX-License-Identifier: MIT */
/*
 * Constants with a unit: "1.5ms", "64KiB". They are converted to an integer in the unit of the
 * field such that comparisons give the result of the exact quantity.
 */
#ifndef SINSP_FILTER_UNIT_H
#define SINSP_FILTER_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "sinsp/filter/tree.h"
#include "sinsp/fields/field.h"

/* Whether `len` bytes are the name of a unit. */
bool filter_unit_is_known(const char *word, size_t len);

/* All units, for messages. */
extern const char filter_unit_words[];

/* What a quantity is compared with. */
struct filter_measure {
	enum field_unit unit;
	unsigned int bytes; /* of the number */
	bool is_signed;
};

/* Whether a text is a decimal number followed by a word, which need not be a unit. */
bool filter_quantity_is(const char *text);

/*
 * Reads a quantity for an operator. A quantity between two values of the field is rounded to the
 * one that gives the same result for `<` and the like; other operators reject it. Returns 0, or
 * -EINVAL with a message that lists the valid units.
 */
int filter_quantity_read(const char *text, const struct filter_measure *measure, enum filter_op op,
			 struct field_value *value, struct error *err);

#endif
