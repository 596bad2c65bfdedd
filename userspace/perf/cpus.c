/* SPDX-License-Identifier: MIT */
/* Collects the numbers in a set, from which the list is made in order. */
#include "perf/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int perf_cpus_online(char text[PERF_CPUS_TEXT_BYTES])
{
	int fd = open(PERF_CPUS_ONLINE, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, PERF_CPUS_TEXT_BYTES - 1);
	close(fd);
	if (n <= 0 || text[n - 1] != '\n')
		return -EIO;
	text[n] = '\0';
	return 0;
}

bool perf_cpus_have(const struct perf_cpus *cpus, unsigned int cpu)
{
	for (size_t i = 0; i < cpus->count; i++)
		if (cpus->numbers[i] == cpu)
			return true;
	return false;
}

/* A number that the kernel gives a part of the machine which a CPU is in; -1: it gives none. */
static long read_topology(const char *folder, unsigned int cpu, const char *name)
{
	char path[4096], text[16] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/cpu%u/topology/%s", folder, cpu, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	return n > 0 && text[0] >= '0' && text[0] <= '9' ? strtol(text, NULL, 10) : -1;
}

struct package {
	long package, die; /* -1: not known */
};

size_t *perf_cpus_packages(const struct perf_cpus *cpus, const char *folder, struct arena *arena)
{
	struct package *seen = arena_alloc(arena, cpus->count * sizeof(*seen));
	size_t *numbers = arena_alloc(arena, cpus->count * sizeof(*numbers)), count = 0;

	if (!seen || !numbers)
		return NULL;
	for (size_t i = 0; i < cpus->count; i++) {
		struct package of = {
			read_topology(folder, cpus->numbers[i], "physical_package_id"),
			read_topology(folder, cpus->numbers[i], "die_id"),
		};
		size_t k = of.package < 0 ? count : 0;

		while (k < count && (seen[k].package != of.package || seen[k].die != of.die))
			k++;
		if (k == count)
			seen[count++] = of;
		numbers[i] = k;
	}
	return numbers;
}
