/* SPDX-License-Identifier: MIT */
/*
 * Which system calls are newer forms of which: a filter for the old name means them too, so that it
 * says the same on every architecture and libc. And which names of types are known at all.
 */
#ifndef SINSP_FIELDS_TYPE_FAMILY_H
#define SINSP_FIELDS_TYPE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

/* The types of events that belong to a name, the name itself first. */
struct type_family {
	const char *names[4]; /* NULL behind the last */
};

/*
 * Finds the types: the same name, newer forms of it, and the event of a system call whose event is
 * named otherwise (pread64: pread). `name` is borrowed.
 */
void type_family_init(struct type_family *family, const char *name);

bool type_family_has(const struct type_family *family, const char *type);

/* Whether `name` is an event, a system call, or empty (which no event is, and is allowed). */
bool type_name_is_known(const char *name);

/* The nearest known name, or NULL. */
const char *type_name_nearest(const char *text, size_t len);

#endif
