/* SPDX-License-Identifier: MIT */
/* The writers of values in the forms of schemas. */
#ifndef SINSP_FORMAT_FORMS_H
#define SINSP_FORMAT_FORMS_H

#include "sinsp/format/formatter_impl.h"
#include "sinsp/format/schema.h"

/* Chooses the writer of a column, which uses the encoder of the formatter. */
void form_choose(struct format_column *column, enum schema_form form);

/* The writer of a value in the form of its type, which uses that encoder as well. */
format_value_writer *form_value_writer(const struct format_column *column);

#endif
