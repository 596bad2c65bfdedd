/* SPDX-License-Identifier: MIT */
/*
 * A ring of io_uring by bare system calls, for programs of tests: no library stands between what a
 * test does and what the kernel is asked for. One thread submits and takes completions.
 */
#ifndef TESTS_URING_H
#define TESTS_URING_H

#include <errno.h>
#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Operations and flags that headers of Linux 6.1 lack. */
enum {
	URING_READ_MULTISHOT = 49, /* Linux 6.7 */
	URING_WAITID = 50, /* 6.7 */
	URING_FUTEX_WAIT = 51, /* 6.7 */
	URING_FUTEX_WAKE = 52, /* 6.7 */
	URING_FUTEX_WAITV = 53, /* 6.7 */
	URING_FIXED_FD_INSTALL = 54, /* 6.8 */
	URING_FTRUNCATE = 55, /* 6.9 */
	URING_BIND = 56, /* 6.11 */
	URING_LISTEN = 57, /* 6.11 */
	URING_PIPE = 62, /* 6.16 */
};

struct uring {
	int fd;
	struct io_uring_params params;
	uint8_t *rings; /* both queues are one mapping (IORING_FEAT_SINGLE_MMAP, Linux 5.4) */
	size_t rings_bytes;
	struct io_uring_sqe *entries;
	unsigned int tail; /* of entries that were filled and are not submitted */
};

static inline unsigned int *uring_word(const struct uring *ring, uint32_t offset)
{
	return (unsigned int *)(ring->rings + offset);
}

/* Ends the ring. Its requests in flight are cancelled by the kernel. */
static inline void uring_close(struct uring *ring)
{
	if (ring->entries)
		munmap(ring->entries, ring->params.sq_entries * sizeof(*ring->entries));
	if (ring->rings)
		munmap(ring->rings, ring->rings_bytes);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct uring){.fd = -1};
}

/* Maps the queues of ring->fd, which ring->params describe. Returns 0 or -errno. */
static inline int uring_map(struct uring *ring)
{
	const struct io_uring_params *params = &ring->params;
	size_t sq = params->sq_off.array + params->sq_entries * sizeof(unsigned int);
	size_t cq = params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe);
	void *rings, *entries;

	ring->rings_bytes = sq > cq ? sq : cq;
	rings = mmap(NULL, ring->rings_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		     ring->fd, IORING_OFF_SQ_RING);
	if (rings == MAP_FAILED)
		return -errno;
	ring->rings = rings;
	entries =
		mmap(NULL, params->sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	if (entries == MAP_FAILED)
		return -errno;
	ring->entries = entries;
	for (unsigned int i = 0; i < params->sq_entries; i++)
		uring_word(ring, params->sq_off.array)[i] = i;
	ring->tail = *uring_word(ring, params->sq_off.tail);
	return 0;
}

/*
 * Makes a ring with that many entries and flags IORING_SETUP_…. Returns 0, or -errno: then there is
 * nothing to close.
 */
static inline int uring_open(struct uring *ring, unsigned int entries, unsigned int flags)
{
	int r;

	*ring = (struct uring){.params = {.flags = flags, .sq_thread_idle = 50}};
	ring->fd = (int)syscall(SYS_io_uring_setup, entries, &ring->params);
	if (ring->fd < 0)
		return -errno;
	r = uring_map(ring);
	if (r)
		uring_close(ring);
	return r;
}

/* The next entry, zeroed, to be filled; NULL if all wait for uring_submit(). */
static inline struct io_uring_sqe *uring_next(struct uring *ring)
{
	unsigned int head =
		__atomic_load_n(uring_word(ring, ring->params.sq_off.head), __ATOMIC_ACQUIRE);
	struct io_uring_sqe *entry;

	if (ring->tail - head >= ring->params.sq_entries)
		return NULL;
	entry = &ring->entries[ring->tail++ & (ring->params.sq_entries - 1)];
	memset(entry, 0, sizeof(*entry));
	return entry;
}

/*
 * Submits what was filled, and waits until `wait` completions are there. A thread of the kernel
 * that polls is woken only if it sleeps. Returns what io_uring_enter(2) does, or -errno.
 */
static inline int uring_submit(struct uring *ring, unsigned int wait)
{
	unsigned int *tail = uring_word(ring, ring->params.sq_off.tail), count = ring->tail - *tail;
	unsigned int flags = wait ? IORING_ENTER_GETEVENTS : 0;
	long r;

	__atomic_store_n(tail, ring->tail, __ATOMIC_RELEASE);
	if (ring->params.flags & IORING_SETUP_SQPOLL) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (*uring_word(ring, ring->params.sq_off.flags) & IORING_SQ_NEED_WAKEUP)
			flags |= IORING_ENTER_SQ_WAKEUP;
		if (!flags)
			return (int)count;
	}
	if (ring->params.flags & IORING_SETUP_IOPOLL)
		flags |= IORING_ENTER_GETEVENTS;
	do
		r = syscall(SYS_io_uring_enter, ring->fd, count, wait, flags, NULL, 0);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : (int)r;
}

/* Takes the oldest completion. Returns false if there is none. */
static inline bool uring_take(struct uring *ring, struct io_uring_cqe *completion)
{
	const struct io_cqring_offsets *at = &ring->params.cq_off;
	unsigned int *head = uring_word(ring, at->head);
	const struct io_uring_cqe *all = (const struct io_uring_cqe *)(ring->rings + at->cqes);

	if (*head == __atomic_load_n(uring_word(ring, at->tail), __ATOMIC_ACQUIRE))
		return false;
	*completion = all[*head & (ring->params.cq_entries - 1)];
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return true;
}

/* Waits for a completion and takes it. Returns 0 or -errno. */
static inline int uring_wait(struct uring *ring, struct io_uring_cqe *completion)
{
	while (!uring_take(ring, completion)) {
		int r = uring_submit(ring, 1);

		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * Does one operation, of a ring where nothing else is in flight, and waits for it. Returns its
 * result, an error of it or of the ring as -errno.
 */
static inline int uring_do(struct uring *ring, const struct io_uring_sqe *operation)
{
	struct io_uring_sqe *entry = uring_next(ring);
	struct io_uring_cqe completion;
	int r;

	if (!entry)
		return -EBUSY;
	*entry = *operation;
	r = uring_submit(ring, 1);
	if (r < 0)
		return r;
	r = uring_wait(ring, &completion);
	return r < 0 ? r : completion.res;
}

/* io_uring_register(2): returns its result, or -errno. */
static inline int uring_register(const struct uring *ring, unsigned int opcode, const void *arg,
				 unsigned int count)
{
	long r = syscall(SYS_io_uring_register, ring->fd, opcode, arg, count);

	return r < 0 ? -errno : (int)r;
}

#endif
