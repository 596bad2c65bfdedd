/* SPDX-License-Identifier: MIT */
/* The number of elements of an array, for loops over tables and bounds of look-ups in them. */
#ifndef UTIL_COUNT_H
#define UTIL_COUNT_H

/* A constant of type size_t. A pointer in place of the array is an error of the compiler. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
