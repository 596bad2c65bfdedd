/* SPDX-License-Identifier: MIT */
/* Collects the numbers in a set, from which the list is made in order. */
#include "perf/cpus.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct cpu_set {
	uint64_t words[PERF_CPUS_MAX / 64];
	size_t count;
};

static bool read_number(const char **at, unsigned int *number)
{
	unsigned int value = 0;

	if (**at < '0' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; (*at)++) {
		value = value * 10 + (unsigned int)(**at - '0');
		if (value >= PERF_CPUS_MAX)
			return false;
	}
	*number = value;
	return true;
}

static bool read_range(const char **at, struct cpu_set *set)
{
	unsigned int first, last;

	if (!read_number(at, &first))
		return false;
	last = first;
	if (**at == '-') {
		(*at)++;
		if (!read_number(at, &last) || last < first)
			return false;
	}
	for (unsigned int cpu = first; cpu <= last; cpu++) {
		set->count += !(set->words[cpu / 64] >> cpu % 64 & 1);
		set->words[cpu / 64] |= 1ull << cpu % 64;
	}
	return true;
}

int perf_cpus_read(const char *text, struct arena *arena, struct perf_cpus *cpus)
{
	struct cpu_set set = {.count = 0};
	unsigned int *numbers;
	size_t n = 0;

	do {
		if (!read_range(&text, &set))
			return -EINVAL;
	} while (*text++ == ',');
	if (text[-1] && strcmp(text - 1, "\n") != 0)
		return -EINVAL;
	numbers = arena_alloc(arena, set.count * sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < PERF_CPUS_MAX; cpu++)
		if (set.words[cpu / 64] >> cpu % 64 & 1)
			numbers[n++] = cpu;
	*cpus = (struct perf_cpus){numbers, n};
	return 0;
}
