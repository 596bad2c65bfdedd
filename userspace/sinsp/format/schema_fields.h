/* SPDX-License-Identifier: MIT */
/* The table of fields with names in other schemas. */
#ifndef SINSP_FORMAT_SCHEMA_FIELDS_H
#define SINSP_FORMAT_SCHEMA_FIELDS_H

#include "sinsp/format/schema.h"

enum schema_column { SCHEMA_OTEL, SCHEMA_ECS, SCHEMA_COLUMNS };

struct schema_key {
	const char *key; /* NULL: by rule; a final '*' stands for the argument */
	enum schema_form form;
};

struct schema_row {
	const char *field; /* with "[]": a field with an argument */
	struct schema_key keys[SCHEMA_COLUMNS];
};

/* Ended by a row without field. */
extern const struct schema_row schema_rows[];

#endif
