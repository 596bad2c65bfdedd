/* SPDX-License-Identifier: MIT */
/*
 * Opens files through a ring and hides it, as a program that knows the agent would try: ring_forge
 * WAY COUNT FILE. It prints how many opens succeeded. Exit code 77: this kernel lacks the way.
 *
 *   write   another thread overwrites the completions meanwhile, which are in shared memory: as
 *           failures, or as notifications that buffers are free
 *   message completions of a poll that goes on are posted to a ring by another one, with a result
 *           that the kernel never had; it prints how many
 *   reuse   each success asks for no completion; a request that the kernel refuses before it is
 *           submitted follows, with the same operation and number, at the same address
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "../support/uring.h"

enum { SKIP = 77, NOTIFICATION = 8, NUMBER = 7, WRITES = 100, FORGED = 4242 };

static struct uring ring;
static bool ends;

/* If there is such a processor. */
static void stay_on(int processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* The next completion's entry, as fast as can be. */
static void *overwrite(void *unused)
{
	struct io_uring_cqe *entries =
		(struct io_uring_cqe *)(ring.rings + ring.params.cq_off.cqes);
	const unsigned int *tail = uring_word(&ring, ring.params.cq_off.tail);

	(void)unused;
	stay_on(1);
	while (!__atomic_load_n(&ends, __ATOMIC_RELAXED)) {
		volatile struct io_uring_cqe *entry =
			&entries[*(volatile const unsigned int *)tail &
				 (ring.params.cq_entries - 1)];

		for (int i = 0; i < WRITES; i++) {
			entry->res = -ENOENT;
			entry->flags = NOTIFICATION;
		}
	}
	return NULL;
}

static void add_open(const char *file, uint8_t flags, uint16_t buffer)
{
	*uring_next(&ring) = (struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
						   .flags = flags,
						   .fd = AT_FDCWD,
						   .addr = (uintptr_t)file,
						   .open_flags = O_RDONLY,
						   .buf_index = buffer,
						   .user_data = NUMBER};
}

/* Descriptors are given one after the other: whether one is open says if an operation succeeded. */
static int close_next(int first)
{
	return close(first) == 0;
}

static int open_one(const char *file, int first)
{
	unsigned int *head = uring_word(&ring, ring.params.cq_off.head);

	add_open(file, 0, 0);
	if (uring_submit(&ring, 1) < 0)
		return 0;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return close_next(first);
}

static long open_overwritten(const char *file, long count, int first)
{
	pthread_t thread;
	long opened = 0;

	stay_on(0);
	if (pthread_create(&thread, NULL, overwrite, NULL))
		exit(1);
	for (long i = 0; i < count; i++)
		opened += open_one(file, first);
	__atomic_store_n(&ends, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return opened;
}

static long open_reused(const char *file, long count, int first)
{
	struct io_uring_cqe completion;
	long opened = 0;

	if (!(ring.params.features & IORING_FEAT_CQE_SKIP))
		exit(SKIP);
	for (long i = 0; i < count; i++) {
		add_open(file, IOSQE_CQE_SKIP_SUCCESS, 0);
		if (uring_submit(&ring, 0) != 1)
			exit(1);
		opened += close_next(first);
		add_open(file, IOSQE_CQE_SKIP_SUCCESS, 1);
		if (uring_submit(&ring, 1) < 0 || uring_wait(&ring, &completion) ||
		    completion.res != -EINVAL)
			exit(1);
	}
	return opened;
}

/* The poll is of an empty pipe: it never completes. */
static long post_forged(long count)
{
	struct io_uring_cqe completion;
	struct uring polled;
	int ends[2];

	if (uring_open(&polled, 8, 0) || pipe(ends))
		exit(1);
	*uring_next(&polled) = (struct io_uring_sqe){.opcode = IORING_OP_POLL_ADD,
						     .fd = ends[0],
						     .len = IORING_POLL_ADD_MULTI,
						     .poll32_events = POLLIN,
						     .user_data = NUMBER};
	if (uring_submit(&polled, 0) != 1)
		exit(1);
	for (long i = 0; i < count; i++) {
		int r = uring_do(&ring, &(struct io_uring_sqe){.opcode = IORING_OP_MSG_RING,
							       .fd = polled.fd,
							       .len = FORGED,
							       .off = NUMBER});

		if (r)
			exit(r == -EINVAL ? SKIP : 1);
		if (!uring_take(&polled, &completion) || completion.res != FORGED)
			exit(1);
	}
	return count;
}

int main(int argc, char **argv)
{
	int first;

	if (argc != 4)
		return 2;
	if (uring_open(&ring, 8, 0))
		return SKIP;
	if (strcmp(argv[1], "message") == 0) {
		printf("%ld\n", post_forged(strtol(argv[2], NULL, 10)));
		return 0;
	}
	first = open("/dev/null", O_RDONLY);
	close(first);
	printf("%ld\n", (strcmp(argv[1], "write") == 0 ? open_overwritten : open_reused)(
				argv[3], strtol(argv[2], NULL, 10), first));
	return 0;
}
