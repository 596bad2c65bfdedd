/* SPDX-License-Identifier: MIT */
/*
 * Reads a file and sends it away without a system call for any of it: ring_only FILE PORT. All is
 * prepared before the first of two calls of getppid(2) that mark the time between, in which a
 * thread of the kernel polls the ring for what is written to memory that both map.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "../support/uring.h"

enum { FILE_SLOT, SOCKET_SLOT, SLOTS, IDLE_MS = 10000, BYTES = 4096 };

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

#define ASK(...) ask((struct io_uring_sqe){__VA_ARGS__})

static int steal(const char *file, const struct sockaddr_in *receiver)
{
	int n;

	if (ASK(.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (uintptr_t)file,
		.file_index = FILE_SLOT + 1) ||
	    ASK(.opcode = IORING_OP_SOCKET, .fd = AF_INET, .off = SOCK_STREAM,
		.file_index = SOCKET_SLOT + 1) ||
	    ASK(.opcode = IORING_OP_CONNECT, .flags = IOSQE_FIXED_FILE, .fd = SOCKET_SLOT,
		.addr = (uintptr_t)receiver, .off = sizeof(*receiver)))
		return -1;
	n = ASK(.opcode = IORING_OP_READ, .flags = IOSQE_FIXED_FILE, .fd = FILE_SLOT,
		.addr = (uintptr_t)bytes, .len = BYTES);
	if (n <= 0)
		return -1;
	return ASK(.opcode = IORING_OP_SEND, .flags = IOSQE_FIXED_FILE, .fd = SOCKET_SLOT,
		   .addr = (uintptr_t)bytes, .len = (uint32_t)n);
}

int main(int argc, char **argv)
{
	struct io_uring_params params = {.flags = IORING_SETUP_SQPOLL, .sq_thread_idle = IDLE_MS};
	struct sockaddr_in receiver = {.sin_family = AF_INET};
	int none[SLOTS] = {-1, -1}, sent;

	if (argc != 3)
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
	sent = steal(argv[1], &receiver);
	syscall(SYS_getppid);
	if (sent == -EINVAL)
		return 77;
	printf("%d\n", sent);
	return sent > 0 ? 0 : 1;
}
