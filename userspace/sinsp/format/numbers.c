/* SPDX-License-Identifier: MIT */
#include "sinsp/format/numbers.h"

#include <stddef.h>
#include <string.h>

#define NUMBER(number, field) {number, field},

static const struct {
	uint32_t number;
	const char *field;
} numbers[] = {
#include "sinsp/schema/numbers.def"
};

uint32_t schema_number(const char *field)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(numbers[i].field, field) == 0)
			return numbers[i].number;
	return 0;
}
