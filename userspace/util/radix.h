/* SPDX-License-Identifier: MIT */
/* Sorts many records by a number, in time that grows with their count alone. */
#ifndef UTIL_RADIX_H
#define UTIL_RADIX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Sorts `count` records of `bytes` by the uint64_t that is `key` bytes behind their begin; those
 * with the same number keep their order. Takes as much memory as they have, meanwhile. Returns
 * false without memory, with the records as they were.
 */
bool radix_sort(void *list, size_t count, size_t bytes, size_t key);

#endif
