/* SPDX-License-Identifier: MIT */
/*
 * Constants with a unit: "1.5ms", "64KiB". What is compared stays a whole number of what the field
 * counts, and the answer is that of the exact quantity.
 */
#ifndef SINSP_EXPR_UNIT_H
#define SINSP_EXPR_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "sinsp/expr/tree.h"
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

/* Whether a text is a decimal number with a word after it, which need not be a unit. */
bool filter_quantity_is(const char *text);

/*
 * Reads a quantity for an operator. Between two numbers of the field, `<` and the like take the
 * nearer one that gives the same answer; other operators reject it. Returns 0, or -EINVAL with a
 * message that says which units are right.
 */
int filter_quantity_read(const char *text, const struct filter_measure *measure, enum filter_op op,
			 struct field_value *value, struct error *err);

#endif
