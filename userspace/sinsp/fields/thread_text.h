/* SPDX-License-Identifier: MIT */
/*
 * Texts of a thread and its program, among them lists of strings as the kernel and captures store
 * arguments.
 */
#ifndef SINSP_FIELDS_THREAD_TEXT_H
#define SINSP_FIELDS_THREAD_TEXT_H

#include "sinsp/fields/field.h"

/* Lists of NUL-terminated strings, as the kernel and captures store arguments and the like. */

/* Appends the strings with blanks between them. */
void string_list_append(struct buf *text, const char *strings, size_t len);

/* The string at an index, borrowed; an empty one if there are fewer. */
struct field_value string_list_at(const char *strings, size_t len, int32_t index);

/* Finds "NAME=VALUE"; the value is borrowed. Returns false if no string has that name. */
bool string_list_find(const char *strings, size_t len, const char *name, struct field_value *value);

/* The texts of any thread, for the fields of the event's thread and of its relatives. */

/* Writes one value, like a getter: returns 1, or NO_VALUE. */
typedef int thread_giver(const struct sinsp_thread *thread, struct field_scratch *scratch,
			 struct field_value *value);

thread_giver thread_give_name, thread_give_exe, thread_give_exepath, thread_give_args,
	thread_give_env;

/* The name and the arguments; the first word of the command line and the arguments. */
thread_giver thread_give_cmdline, thread_give_exeline;

/* The value of an environment variable; an empty one if it is not set. */
int thread_give_variable(const struct sinsp_thread *thread, const char *name,
			 struct field_scratch *scratch, struct field_value *value);

#endif
