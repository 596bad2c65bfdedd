/* SPDX-License-Identifier: MIT */
/* Parsers of values of several options. They return 0 or -EINVAL, unless noted otherwise. */
#ifndef UTIL_VALUE_H
#define UTIL_VALUE_H

#include <stdint.h>
#include <sys/types.h>

int value_read_u64(const char *text, uint64_t *value);

/* A number from 1 to `max`. */
int value_read_count(const char *text, uint64_t max, uint64_t *count);

/* A time as below, but above 0 and up to 10^9 seconds. */
int value_read_seconds(const char *text, uint64_t *ns);

/* "12.5": a number above 0, at most 100. */
int value_read_percent(const char *text, double *percent);

/* A time, 0 included: seconds, possibly with a fraction, or with a unit: "250ms", "90s", "10m",
 * "24h", "7d". */
int value_read_time(const char *text, uint64_t *ns);

/* "4096", "64K", "8M", "1G"; the number before the unit is at most `max`. */
int value_read_bytes(const char *text, uint64_t max, uint64_t *bytes);

/* A port, up to the character `end`; returns what follows it, or NULL. */
const char *value_read_port(const char *text, char end, uint16_t *port);

/* A process ID, up to a comma or the end; returns what ends it, or NULL. */
const char *value_read_pid(const char *text, pid_t *pid);

#endif
