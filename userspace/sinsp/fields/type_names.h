/* SPDX-License-Identifier: MIT */
/*
 * Names of types of events: which are known, and which types a name in a filter means. The name of
 * an old system call includes its newer forms, so that a filter means the same on every
 * architecture and libc.
 */
#ifndef SINSP_FIELDS_TYPE_NAMES_H
#define SINSP_FIELDS_TYPE_NAMES_H

#include <stdbool.h>

/* The types of events that a name means, the name itself first. */
struct type_names {
	const char *names[4]; /* NULL after the last */
};

/*
 * Finds the types: that of the name, newer forms of it, and the event of a system call whose event
 * has another name (pread64: pread). `name` is borrowed.
 */
void type_names_init(struct type_names *types, const char *name);

bool type_names_have(const struct type_names *types, const char *type);

/* Passes each known name to `see`: of events and of system calls. */
void type_names_each(void (*see)(void *context, const char *name), void *context);

#endif
