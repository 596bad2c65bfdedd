/* SPDX-License-Identifier: MIT */
/*
 * Opens a file, reads it, closes it and opens another one in its place by a single submission:
 * ring_batch FILE OTHER. The kernel does one after the other, and posts all completions then.
 */
#include <fcntl.h>

#include "../support/uring.h"

enum { REQUESTS = 4 };

static struct uring ring;
static char bytes[64];

/* What the kernel has in memory it does at once. */
static int look_at(const char *name)
{
	int fd = open(name, O_RDONLY);
	ssize_t n = read(fd, bytes, sizeof(bytes));

	close(fd);
	return n > 0 ? fd : -1;
}

static void ask(struct io_uring_sqe operation)
{
	*uring_next(&ring) = operation;
}

#define ASK(...) ask((struct io_uring_sqe){__VA_ARGS__})

int main(int argc, char **argv)
{
	struct io_uring_cqe completion;
	int results[REQUESTS] = {0}, number;

	if (argc != 3)
		return 2;
	if (uring_open(&ring, REQUESTS, 0))
		return 77;
	number = look_at(argv[1]);
	if (number < 0 || look_at(argv[2]) != number)
		return 1;
	ASK(.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (uintptr_t)argv[1]);
	ASK(.opcode = IORING_OP_READ, .fd = number, .addr = (uintptr_t)bytes, .len = sizeof(bytes));
	ASK(.opcode = IORING_OP_CLOSE, .fd = number);
	ASK(.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (uintptr_t)argv[2]);
	if (uring_submit(&ring, REQUESTS) != REQUESTS)
		return 1;
	for (int i = 0; i < REQUESTS && uring_take(&ring, &completion); i++)
		results[i] = completion.res;
	return results[0] != number || results[1] <= 0 || results[2] || results[3] != number;
}
