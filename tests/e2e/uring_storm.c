/* SPDX-License-Identifier: MIT */
/*
 * Does operations of io_uring as fast as it can: uring_storm COUNT [sqpoll|deferred]. A third of
 * them are reads, a third writes, and a third closes of descriptors that are none, each with a
 * completion. It waits for a line first. It prints how many of each completed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "../support/uring.h"

enum { KINDS = 3, DEPTH = 1024 /* so many that some want the same place */, NO_FD = 9999 };

static struct uring ring;
static char byte;

static void fill(struct io_uring_sqe *entry, uint64_t kind, int from, int to)
{
	static const uint8_t opcodes[KINDS] = {IORING_OP_READ, IORING_OP_WRITE, IORING_OP_CLOSE};
	const int fds[KINDS] = {from, to, NO_FD};

	entry->opcode = opcodes[kind];
	entry->fd = fds[kind];
	entry->user_data = kind;
	if (kind == 2)
		return;
	entry->addr = (uintptr_t)&byte;
	entry->len = 1;
}

/* Takes what has completed. Returns how many. */
static uint64_t drain(uint64_t counts[KINDS])
{
	struct io_uring_cqe completion;
	uint64_t taken = 0;

	for (; uring_take(&ring, &completion); taken++)
		counts[completion.user_data]++;
	return taken;
}

static unsigned int flags_of(const char *way)
{
	if (strcmp(way, "sqpoll") == 0)
		return IORING_SETUP_SQPOLL;
	return strcmp(way, "deferred") == 0
		       ? IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN
		       : 0;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, filled = 0, done = 0;
	int from = open("/dev/zero", O_RDONLY), to = open("/dev/null", O_WRONLY);
	uint64_t counts[KINDS] = {0};

	if (!count || from < 0 || to < 0 ||
	    uring_open(&ring, DEPTH, flags_of(argc > 2 ? argv[2] : "")))
		return 2;
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		return 2;
	while (done < count) {
		struct io_uring_sqe *entry;

		while (filled < count && filled - done < DEPTH && (entry = uring_next(&ring)))
			fill(entry, filled++ % KINDS, from, to);
		/* A thread that polls gives entries back after their completions: all may be done.
		 */
		if (uring_submit(&ring, filled > done) < 0)
			return 1;
		done += drain(counts);
	}
	printf("%lu %lu %lu\n", counts[0], counts[1], counts[2]);
	return 0;
}
