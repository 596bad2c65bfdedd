/* SPDX-License-Identifier: MIT */
/*
 * From the lowest digit on, each time into the other one of two arrays; digits that all records
 * have in common are left out. What is in order already is only read.
 */
#include "util/radix.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 64 };

static uint64_t key_at(const char *list, size_t i, size_t bytes, size_t key)
{
	uint64_t value;

	memcpy(&value, list + i * bytes + key, sizeof(value));
	return value;
}

/* The bits in which keys differ; 0 if the records are in order. */
static uint64_t find_differences(const char *list, size_t count, size_t bytes, size_t key)
{
	uint64_t differences = 0, first = count ? key_at(list, 0, bytes, key) : 0, before = first;
	bool is_ordered = true;

	for (size_t i = 1; i < count; i++) {
		uint64_t value = key_at(list, i, bytes, key);

		differences |= value ^ first;
		is_ordered &= before <= value;
		before = value;
	}
	return is_ordered ? 0 : differences;
}

/* Puts the records in the order of one digit. */
static void sort_digit(const char *from, char *to, size_t count, size_t bytes, size_t key,
		       unsigned int shift)
{
	size_t places[DIGITS] = {0}, at = 0;

	for (size_t i = 0; i < count; i++)
		places[key_at(from, i, bytes, key) >> shift & (DIGITS - 1)]++;
	for (size_t digit = 0; digit < DIGITS; digit++) {
		size_t there = places[digit];

		places[digit] = at;
		at += there;
	}
	for (size_t i = 0; i < count; i++) {
		size_t digit = key_at(from, i, bytes, key) >> shift & (DIGITS - 1);

		memcpy(to + places[digit]++ * bytes, from + i * bytes, bytes);
	}
}

bool radix_sort(void *list, size_t count, size_t bytes, size_t key)
{
	uint64_t differences = find_differences(list, count, bytes, key);
	char *other, *from = list, *to;

	if (!differences)
		return true;
	to = other = reallocarray(NULL, count, bytes);
	if (!other)
		return false;
	for (unsigned int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
		char *sorted = to;

		if (!(differences >> shift & (DIGITS - 1)))
			continue;
		sort_digit(from, to, count, bytes, key, shift);
		to = from;
		from = sorted;
	}
	if (from != list)
		memcpy(list, from, count * bytes);
	free(other);
	return true;
}
