/* SPDX-License-Identifier: MIT */
/*
 * Buffers that a program provides to a ring, and the kernel chooses from: uring_buffers WAY. It
 * prints a line for each operation with such a buffer: the event that it is, its result and the
 * bytes of the buffer; "?" in place of these: the kernel does not tell which buffer it was. Exit
 * code 77: this kernel lacks the way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "../support/uring.h"

enum {
	SKIP = 77,
	GROUP = 70, /* more than one level of the kernel's tree has */
	BUFFERS = 8,
	BUFFER_BYTES = 64,
	RING_BUNDLE = 1 << 4, /* IORING_RECVSEND_BUNDLE, Linux 6.10 */
	RING_INCREMENTAL = 2, /* IOU_PBUF_RING_INC, 6.12 */
};

static struct uring ring;
static char buffers[BUFFERS][BUFFER_BYTES];
static struct io_uring_buf_ring *entries;
static int ends[2];

static void need(bool is_fine, const char *what)
{
	if (!is_fine) {
		perror(what);
		exit(1);
	}
}

static void need_way(long r)
{
	if (r < 0)
		exit(SKIP);
}

static void begin(void)
{
	need_way(uring_open(&ring, 8, 0));
	need(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0, "socketpair");
}

static struct io_uring_sqe *add(struct io_uring_sqe operation)
{
	struct io_uring_sqe *entry = uring_next(&ring);

	need(entry, "entry");
	*entry = operation;
	return entry;
}

/* A ring of buffers, the last one first, so that numbers are not places. */
static void provide_ring(unsigned int flags)
{
	struct io_uring_buf_reg group = {.ring_entries = BUFFERS, .bgid = GROUP};

	begin();
	need(posix_memalign((void **)&entries, 4096, 4096) == 0, "memory");
	memset(entries, 0, 4096);
	group.ring_addr = (uint64_t)(uintptr_t)entries;
	memcpy((char *)&group + 14, &flags, sizeof(uint16_t)); /* io_uring_buf_reg.flags */
	need_way(uring_register(&ring, IORING_REGISTER_PBUF_RING, &group, 1));
	for (unsigned int i = 0; i < BUFFERS; i++) {
		unsigned int number = BUFFERS - 1 - i;

		entries->bufs[i].addr = (uint64_t)(uintptr_t)buffers[number];
		entries->bufs[i].len = BUFFER_BYTES;
		entries->bufs[i].bid = (uint16_t)number;
	}
	__atomic_store_n(&entries->tail, BUFFERS, __ATOMIC_RELEASE);
}

static void provide_each(void)
{
	struct io_uring_cqe done;

	begin();
	add((struct io_uring_sqe){.opcode = IORING_OP_PROVIDE_BUFFERS,
				  .fd = BUFFERS,
				  .addr = (uint64_t)(uintptr_t)buffers,
				  .len = BUFFER_BYTES,
				  .buf_group = GROUP});
	need(uring_submit(&ring, 1) == 1 && uring_wait(&ring, &done) == 0, "submit");
	need_way(done.res);
}

static struct io_uring_sqe *add_receive(uint8_t opcode, unsigned int how)
{
	return add((struct io_uring_sqe){.opcode = opcode,
					 .flags = IOSQE_BUFFER_SELECT,
					 .fd = ends[0],
					 .buf_group = GROUP,
					 .ioprio = (uint16_t)how});
}

static void say(const char *event, const char *text)
{
	struct io_uring_cqe done;

	need(uring_wait(&ring, &done) == 0, "completion");
	if (done.res == -EINVAL)
		exit(SKIP);
	need(done.res > 0 && done.flags & IORING_CQE_F_BUFFER, "result");
	printf("%s %d %s\n", event, done.res, text);
}

static void deliver(const char *text)
{
	need(send(ends[1], text, strlen(text), 0) == (ssize_t)strlen(text), "send");
}

/* Ends when it is submitted. */
static void receive(const char *text)
{
	deliver(text);
	add_receive(IORING_OP_RECV, 0);
	need(uring_submit(&ring, 1) == 1, "submit");
	say("recvfrom", text);
}

/* Ends when there is something. */
static void receive_later(unsigned int how, const char *const *texts)
{
	add_receive(IORING_OP_RECV, how);
	need(uring_submit(&ring, 0) == 1, "submit");
	for (; *texts; texts++) {
		deliver(*texts);
		say("recvfrom", *texts);
	}
}

static const char *const one[] = {"later", NULL};
static const char *const several[] = {"one", "second", "the third", NULL};

static void way_ring(void)
{
	provide_ring(0);
	receive("abc");
	receive("defgh");
	receive_later(0, one);
}

/* All end before the first one completes. */
static void way_together(void)
{
	provide_ring(0);
	for (int i = 0; i < 3; i++) {
		deliver(several[i]);
		add_receive(IORING_OP_RECV, 0);
	}
	need(uring_submit(&ring, 3) == 3, "submit");
	for (int i = 0; i < 3; i++)
		say("recvfrom", several[i]);
}

static void way_multishot(void)
{
	provide_ring(0);
	receive_later(IORING_RECV_MULTISHOT, several);
}

static void way_worker(void)
{
	provide_ring(0);
	deliver("worker");
	add_receive(IORING_OP_RECV, 0)->flags |= IOSQE_ASYNC;
	need(uring_submit(&ring, 1) == 1, "submit");
	say("recvfrom", "worker");
}

/* Of a buffer that goes on the kernel tells where the next part begins. */
static void way_incremental(void)
{
	provide_ring(RING_INCREMENTAL);
	receive_later(IORING_RECV_MULTISHOT, several);
}

static void way_incremental_once(void)
{
	provide_ring(RING_INCREMENTAL);
	deliver("abc");
	add_receive(IORING_OP_RECV, 0);
	need(uring_submit(&ring, 1) == 1, "submit");
	say("recvfrom", "?");
}

static void way_bundle(void)
{
	provide_ring(0);
	deliver("bundle");
	add_receive(IORING_OP_RECV, RING_BUNDLE);
	need(uring_submit(&ring, 1) == 1, "submit");
	say("recvfrom", "bundle");
}

static void way_provided(void)
{
	provide_each();
	receive_later(IORING_RECV_MULTISHOT, several);
}

static void way_provided_once(void)
{
	provide_each();
	deliver("abc");
	add_receive(IORING_OP_RECV, 0);
	need(uring_submit(&ring, 1) == 1, "submit");
	say("recvfrom", "?");
}

static void way_send(void)
{
	provide_ring(0);
	memcpy(buffers[BUFFERS - 1], "sent", 4);
	entries->bufs[0].len = 4;
	add((struct io_uring_sqe){.opcode = IORING_OP_SEND,
				  .flags = IOSQE_BUFFER_SELECT,
				  .fd = ends[0],
				  .len = 4,
				  .buf_group = GROUP});
	need(uring_submit(&ring, 1) == 1, "submit");
	say("sendto", "sent");
}

static void way_message(void)
{
	struct iovec vector = {.iov_len = BUFFER_BYTES};
	struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

	provide_ring(0);
	deliver("abc");
	add_receive(IORING_OP_RECVMSG, 0)->addr = (uint64_t)(uintptr_t)&message;
	need(uring_submit(&ring, 1) == 1, "submit");
	say("recvmsg", "?");
}

static void way_read(void)
{
	provide_ring(0);
	deliver("read");
	add((struct io_uring_sqe){.opcode = IORING_OP_READ,
				  .flags = IOSQE_BUFFER_SELECT,
				  .fd = ends[0],
				  .buf_group = GROUP,
				  .len = BUFFER_BYTES,
				  .off = (uint64_t)-1});
	need(uring_submit(&ring, 1) == 1, "submit");
	say("read", "read");
}

static const struct way {
	const char *name;
	void (*take)(void);
} ways[] = {
	{"ring", way_ring},
	{"together", way_together},
	{"multishot", way_multishot},
	{"worker", way_worker},
	{"incremental", way_incremental},
	{"incremental_once", way_incremental_once},
	{"bundle", way_bundle},
	{"provided", way_provided},
	{"provided_once", way_provided_once},
	{"send", way_send},
	{"message", way_message},
	{"read", way_read},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(ways[i].name, argv[1]) == 0) {
			ways[i].take();
			return 0;
		}
	return 2;
}
