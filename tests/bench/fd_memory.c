/* SPDX-License-Identifier: MIT */
/*
 * The memory that open descriptors take in the state, by kind: prints bytes for each descriptor,
 * with its name and its part of the table.
 *
 *   fd_memory [DESCRIPTORS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/state/fds.h"

enum { DESCRIPTORS_DEFAULT = 300000 };

static const struct {
	const char *what, *name;
	bool numbered; /* its name ends in eight digits */
	enum scap_fd_type type;
	bool has_ends;
} kinds[] = {
	{"/dev/null", "/dev/null", false, SCAP_FD_FILE, false},
	{"files with paths of 30 bytes", "/var/log/containers/x.", true, SCAP_FD_FILE, false},
	{"pipes", "pipe:[", true, SCAP_FD_PIPE, false},
	{"eventfds", "anon_inode:[eventfd]", false, SCAP_FD_EVENT, false},
	{"sockets that are not bound", "", false, SCAP_FD_IPV4, false},
	{"unix sockets without a path", "", false, SCAP_FD_UNIX, true},
	{"connections", "10.0.12.34:40000->10.0", true, SCAP_FD_IPV4, true},
};

static _Noreturn void fail(void)
{
	fputs("fd_memory: out of memory\n", stderr);
	exit(1);
}

static void fill(struct state_fds *fds, struct state_fd_store *store, size_t kind, int count)
{
	for (int num = 0; num < count; num++) {
		struct state_fd *fd;
		char name[64];

		if (kinds[kind].numbered)
			snprintf(name, sizeof(name), "%s%08d", kinds[kind].name, num);
		else
			snprintf(name, sizeof(name), "%s", kinds[kind].name);
		fd = state_fds_open(fds, num, name, strlen(name));
		if (!fd || (kinds[kind].has_ends && !state_fd_make_ends(store, fd)))
			fail();
		fd->type = kinds[kind].type;
	}
}

static void measure(size_t kind, int count)
{
	struct pool pool = {0};
	struct state_fd_store store = {.pool = &pool, .max = (uint64_t)count};
	struct state_fds *fds = state_fds_create(&store);

	if (!fds)
		fail();
	fill(fds, &store, kind, count);
	printf("%-30s %6.1f\n", kinds[kind].what, (double)pool.held / count);
	state_fds_unref(fds);
	pool_finish(&pool);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : DESCRIPTORS_DEFAULT;

	if (count <= 0) {
		fputs("usage: fd_memory [DESCRIPTORS]\n", stderr);
		return 2;
	}
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++)
		measure(kind, count);
	return 0;
}
