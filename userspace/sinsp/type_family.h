/* SPDX-License-Identifier: MIT */
/*
 * Which system calls are newer forms of which: a filter for the old name means them too, so that it
 * says the same on every architecture and libc. And which names of types are known at all.
 */
#ifndef SINSP_TYPE_FAMILY_H
#define SINSP_TYPE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether events of type `type` belong to the name `name`: the same name, a newer form of it, or
 * the event of a system call whose event is named otherwise (pread64: pread).
 */
bool type_family_contains(const char *name, const char *type);

/* Whether `name` is an event, a system call, or empty (which no event is, and is allowed). */
bool type_name_is_known(const char *name);

/* The nearest known name, or NULL. */
const char *type_name_nearest(const char *text, size_t len);

#endif
