/* SPDX-License-Identifier: MIT */
/*
 * Names of categories, types and formats of the event table; which events are worth more than
 * others.
 */
#ifndef EVENT_NAMES_H
#define EVENT_NAMES_H

#include <stdbool.h>

#include "abi.h"
#include "event/event.h"

/* Which events are worth more than others where not all can be kept. */

/* Whether room of the rings is reserved for events of an id: EF_IMPORTANT. */
bool event_is_important(unsigned int id);

/* When events of an id are lost for a budget; SHED_NEVER also if there is no such event. */
enum shed_class event_shed_class(unsigned int id);

/* Names of categories, types and formats of the event table, for lists and fields. */

/* "file" for EC_FILE; only the low byte counts. NULL for I/O, where the descriptor decides. */
const char *event_category_name(unsigned int category);

/* A readable name of a type: "number", "path". Types with the same name differ only in size. */
const char *event_param_type_name(enum param_type type);

/* "decimal", "hexadecimal", "octal"; NULL for formats that say nothing about digits. */
const char *event_param_format_name(enum param_format format);

/* "SIGCHLD" for 17, NULL for numbers without a name. */
const char *event_signal_name(unsigned int number);

#endif
