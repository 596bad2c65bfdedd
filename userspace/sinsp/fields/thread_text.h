/* SPDX-License-Identifier: MIT */
/* The texts of any thread, for the fields of the event's thread and of its relatives. */
#ifndef SINSP_FIELDS_THREAD_TEXT_H
#define SINSP_FIELDS_THREAD_TEXT_H

#include "sinsp/fields/field.h"

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
