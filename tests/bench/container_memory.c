/* SPDX-License-Identifier: MIT */
/*
 * The memory that containers take: the state of a thread in each of many containers of pods, which
 * are described, less that of as many threads of the host. Prints the difference of allocated bytes
 * and of resident memory.
 *
 *   container_memory [CONTAINERS]
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "load.h"
#include "sinsp/state/engine.h"

enum { CONTAINERS_DEFAULT = 1000 };

struct used {
	double allocated_mib, resident_mib;
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "container_memory: %s\n", what);
	exit(1);
}

static struct used used_now(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages;
	struct used used;

	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		fail("cannot read /proc/self/statm");
	fclose(file);
	used.resident_mib = (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
	used.allocated_mib = (double)mallinfo2().uordblks / (1 << 20);
	return used;
}

/* What the state takes after all events. */
static struct used measure(unsigned int threads, unsigned int containers)
{
	const struct load_config config = {.threads = threads, .containers = containers};
	struct state_config state_config = {0};
	struct used before, after;
	struct state_event event;
	struct scap_event raw;
	struct state *state;
	struct error error;
	struct load load;

	if (load_create(&load, &config))
		fail("out of memory");
	before = used_now();
	if (state_create(&state_config, &state, &error))
		fail(error.text);
	while (scap_source_next(scap_inject_source(load.inject), 0, &raw) == 1)
		if (state_process(state, &raw, &event))
			fail("a frame was rejected");
	after = used_now();
	state_destroy(state);
	load_finish(&load);
	malloc_trim(0);
	return (struct used){after.allocated_mib - before.allocated_mib,
			     after.resident_mib - before.resident_mib};
}

int main(int argc, char **argv)
{
	unsigned int count =
		argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : CONTAINERS_DEFAULT;
	struct used host, contained;

	measure(count, 0);
	host = measure(count, 0);
	contained = measure(count, count);
	printf("%u containers: %.1f MiB allocated, %.1f MiB resident\n", count,
	       contained.allocated_mib - host.allocated_mib,
	       contained.resident_mib - host.resident_mib);
	return 0;
}
