/* SPDX-License-Identifier: MIT */
/*
 * Opens a file, reads it, closes it and opens another one in its place by a single submission:
 * ring_batch WAY FILE OTHER. The kernel does one after the other, and posts all completions then.
 * Ways: `plain`; `chains`: each behind a link, so that no submission is between them; `slots`:
 * likewise, of a registered file; `polled`: of a ring that the kernel polls; `late`: a worker of
 * the kernel opens the first one, and calls put the other one in its place before its completion.
 */
#include <fcntl.h>
#include <time.h>

#include "../support/uring.h"

enum { REQUESTS = 4, ENTRIES = 2 * REQUESTS };

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

static bool is_chain, is_slot;

/* Number `which` of the requests. */
static void ask(uint64_t which, struct io_uring_sqe operation)
{
	if (is_chain)
		*uring_next(&ring) = (struct io_uring_sqe){
			.opcode = IORING_OP_NOP, .flags = IOSQE_IO_LINK, .user_data = REQUESTS};
	operation.user_data = which;
	*uring_next(&ring) = operation;
}

#define ASK(which, ...) ask(which, (struct io_uring_sqe){__VA_ARGS__})

static void ask_open(uint64_t which, const char *name)
{
	ASK(which, .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (uintptr_t)name,
	    .file_index = is_slot);
}

static bool begin(const char *way)
{
	const int none = -1;

	is_slot = strcmp(way, "slots") == 0;
	is_chain = strcmp(way, "plain") != 0;
	if (uring_open(&ring, ENTRIES, strcmp(way, "polled") == 0 ? IORING_SETUP_SQPOLL : 0))
		return false;
	return !is_slot || uring_register(&ring, IORING_REGISTER_FILES, &none, 1) == 0;
}

/* Returns the number by which both were opened, -1 if they have several. */
static int exchange(int number, const char *name, const char *other)
{
	const struct timespec wait = {.tv_nsec = 1000000};
	struct io_uring_cqe done;

	*uring_next(&ring) = (struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
						   .flags = IOSQE_ASYNC,
						   .fd = AT_FDCWD,
						   .addr = (uintptr_t)name};
	if (uring_submit(&ring, 0) != 1)
		return -1;
	while (fcntl(number, F_GETFD) < 0)
		nanosleep(&wait, NULL);
	if (close(number) < 0 || open(other, O_RDONLY) != number || uring_wait(&ring, &done) < 0)
		return -1;
	return done.res;
}

static int exchange_late(const char *name, const char *other)
{
	int number;

	if (uring_open(&ring, 1, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN))
		return 77;
	number = look_at(name);
	return number < 0 || exchange(number, name, other) != number;
}

int main(int argc, char **argv)
{
	struct io_uring_cqe done;
	int results[REQUESTS + 1] = {0}, number, count;

	if (argc != 4)
		return 2;
	if (strcmp(argv[1], "late") == 0)
		return exchange_late(argv[2], argv[3]);
	if (!begin(argv[1]))
		return 77;
	number = look_at(argv[2]);
	if (number < 0 || look_at(argv[3]) != number)
		return 1;
	number = is_slot ? 0 : number;
	ask_open(0, argv[2]);
	ASK(1, .opcode = IORING_OP_READ, .flags = is_slot ? IOSQE_FIXED_FILE : 0, .fd = number,
	    .addr = (uintptr_t)bytes, .len = sizeof(bytes));
	ASK(2, .opcode = IORING_OP_CLOSE, .fd = number, .file_index = is_slot);
	ask_open(3, argv[3]);
	count = is_chain ? ENTRIES : REQUESTS;
	if (uring_submit(&ring, (unsigned int)count) != count)
		return 1;
	for (int i = 0; i < count && uring_wait(&ring, &done) == 0; i++)
		results[done.user_data] = done.res;
	return results[0] != number || results[1] <= 0 || results[2] || results[3] != number;
}
