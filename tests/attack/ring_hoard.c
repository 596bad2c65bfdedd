/* SPDX-License-Identifier: MIT */
/*
 * Requests of a ring that wait for ever, so that the agent keeps a note of each, and what is done
 * beside them: ring_hoard hoard COUNT [MORE [POLLS]] submits that many opens behind a read of an
 * empty pipe, then MORE opens by another ring, whose completions mostly find no room there, and one
 * poll that completes POLLS times before it is cancelled, says so, and ends with its standard
 * input; ring_hoard later COUNT MORE does what is for the other ring after a line of its input, and
 * says so again; ring_hoard open COUNT makes opens one by one, and prints how many succeeded. Exit
 * code 77: this kernel lacks such rings.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "../support/uring.h"

enum { SKIP = 77, ENTRIES = 32768, ENTRIES_OF_OTHER = 512, NUMBERS = 3 };

static struct uring ring;
static const char name[] = "/dev/null", missing[] = "/nonexistent";

static void add(struct io_uring_sqe operation)
{
	*uring_next(&ring) = operation;
}

/* Goes to one of the first two CPUs, if it may. */
static void change_cpu(unsigned int turn)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(turn & 1, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/*
 * Opens that fail, with few numbers, each behind an operation of another kind with the same one. Of
 * each submission on a CPU the requests are in memory where those of the last one there were.
 */
static int overflow(unsigned int count)
{
	struct uring other;

	if (uring_open(&other, ENTRIES_OF_OTHER, 0))
		return SKIP;
	for (unsigned int i = 0; i < 2 * count; i++) {
		struct io_uring_sqe *entry = uring_next(&other);

		*entry = (struct io_uring_sqe){.opcode = i & 1 ? IORING_OP_OPENAT : IORING_OP_CLOSE,
					       .fd = i & 1 ? AT_FDCWD : -1,
					       .addr = i & 1 ? (uintptr_t)missing : 0,
					       .user_data = i / 2 % NUMBERS};
		if (i % ENTRIES_OF_OTHER != ENTRIES_OF_OTHER - 1 && i != 2 * count - 1)
			continue;
		change_cpu(i / ENTRIES_OF_OTHER);
		if (uring_submit(&other, 0) < 0)
			return 1;
	}
	return 0;
}

/* One request with many completions. */
static int poll_often(unsigned int count)
{
	struct io_uring_cqe completion;
	struct uring other;
	int ends[2];
	char byte = 0;

	if (uring_open(&other, 8, 0) || pipe(ends))
		return SKIP;
	*uring_next(&other) = (struct io_uring_sqe){.opcode = IORING_OP_POLL_ADD,
						    .fd = ends[0],
						    .len = IORING_POLL_ADD_MULTI,
						    .poll32_events = POLLIN};
	if (uring_submit(&other, 0) != 1)
		return 1;
	for (unsigned int i = 0; i < count; i++)
		if (write(ends[1], &byte, 1) != 1 || uring_wait(&other, &completion) ||
		    completion.res != POLLIN || read(ends[0], &byte, 1) != 1)
			return 1;
	return 0;
}

static int hoard(unsigned int count, unsigned int more, unsigned int polls)
{
	int ends[2], r;

	if (uring_open(&ring, ENTRIES, 0))
		return SKIP;
	if (count >= ENTRIES || pipe(ends))
		return 1;
	add((struct io_uring_sqe){.opcode = IORING_OP_READ,
				  .flags = IOSQE_IO_LINK,
				  .fd = ends[0],
				  .addr = (uintptr_t)&ring,
				  .len = 1});
	for (unsigned int i = 0; i < count; i++)
		add((struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
					  .flags = i + 1 < count ? IOSQE_IO_LINK : 0,
					  .fd = AT_FDCWD,
					  .addr = (uintptr_t)name});
	if (uring_submit(&ring, 0) != (int)count + 1)
		return 1;
	r = more ? overflow(more) : 0;
	if (!r && polls)
		r = poll_often(polls);
	if (r)
		return r;
	puts("hoarded");
	fflush(stdout);
	return read(STDIN_FILENO, ends, 1) < 0;
}

static int overflow_later(unsigned int count, unsigned int more)
{
	int r = hoard(count, 0, 0), end;

	if (!r)
		r = overflow(more);
	if (r)
		return r;
	puts("overflowed");
	fflush(stdout);
	return read(STDIN_FILENO, &end, 1) < 0;
}

static int open_all(unsigned int count)
{
	unsigned int opened = 0;

	if (uring_open(&ring, 8, 0))
		return SKIP;
	for (unsigned int i = 0; i < count; i++) {
		int fd = uring_do(&ring, &(struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
								.fd = AT_FDCWD,
								.addr = (uintptr_t)name});

		opened += fd >= 0;
		close(fd);
	}
	printf("%u\n", opened);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int count, more, polls;

	if (argc < 3)
		return 2;
	count = (unsigned int)strtoul(argv[2], NULL, 10);
	more = argc > 3 ? (unsigned int)strtoul(argv[3], NULL, 10) : 0;
	polls = argc > 4 ? (unsigned int)strtoul(argv[4], NULL, 10) : 0;
	if (strcmp(argv[1], "later") == 0)
		return overflow_later(count, more);
	return strcmp(argv[1], "hoard") == 0 ? hoard(count, more, polls) : open_all(count);
}
