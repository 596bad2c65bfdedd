/* SPDX-License-Identifier: MIT */
/* Names of categories, types and formats of the event table, for lists and fields. */
#ifndef EVENT_NAMES_H
#define EVENT_NAMES_H

#include "event/event.h"

/* "file" for EC_FILE; only the low byte counts. NULL for I/O, where the descriptor decides. */
const char *event_category_name(unsigned int category);

/* A readable name of a type: "number", "path". Types with the same name differ only in size. */
const char *param_type_name(enum param_type type);

/* "decimal", "hexadecimal", "octal"; NULL for formats that say nothing about digits. */
const char *param_format_name(enum param_format format);

/* "SIGCHLD" for 17, NULL for numbers without a name. */
const char *signal_name(unsigned int number);

#endif
