/* SPDX-License-Identifier: MIT */
/*
 * Fields of every type whose values a test sets, in place of the real ones: link it and no file of
 * fields is taken from the library.
 */
#ifndef FAKE_FIELDS_H
#define FAKE_FIELDS_H

#include <stdint.h>

#include "sinsp/field.h"

/* Takes all values away. */
void fake_clear(void);

/* Each adds one value to a field. */
void fake_add_i64(const char *name, int64_t value);
void fake_add_u64(const char *name, uint64_t value);
void fake_add_f64(const char *name, double value);
void fake_add_text(const char *name, const char *text);
void fake_add_bytes(const char *name, const char *bytes, size_t len);
void fake_add_ip(const char *name, const char *address);

/* How often any value was asked for since fake_clear(). */
unsigned int fake_reads(void);

/* A list that is there, but empty. */
void fake_set_empty(const char *name);

#endif
