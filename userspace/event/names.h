/* SPDX-License-Identifier: MIT */
/* The event table in words, for lists and for what fields show of it. */
#ifndef EVENT_NAMES_H
#define EVENT_NAMES_H

#include "event/event.h"

/* "file" for EC_FILE: the low byte alone counts. NULL for I/O, whose descriptor decides. */
const char *event_category_name(unsigned int category);

/* What values of a type are, for people: "number", "path". Types of one word differ in size alone. */
const char *param_type_name(enum param_type type);

/* "decimal", "hexadecimal", "octal"; NULL for formats that say nothing about digits. */
const char *param_format_name(enum param_format format);

/* "SIGCHLD" for 17, NULL for numbers without a name. */
const char *signal_name(unsigned int number);

#endif
