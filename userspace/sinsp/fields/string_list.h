/* SPDX-License-Identifier: MIT */
/* Lists of NUL-terminated strings, as the kernel and captures store arguments and the like. */
#ifndef SINSP_FIELDS_STRING_LIST_H
#define SINSP_FIELDS_STRING_LIST_H

#include "sinsp/fields/field.h"

/* Appends the strings with blanks between them. */
void string_list_append(struct buf *text, const char *strings, size_t len);

/* The string at an index, borrowed; an empty one if there are fewer. */
struct field_value string_list_at(const char *strings, size_t len, int32_t index);

/* Finds "NAME=VALUE"; the value is borrowed. Returns false if no string has that name. */
bool string_list_find(const char *strings, size_t len, const char *name, struct field_value *value);

#endif
