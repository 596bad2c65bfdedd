/* SPDX-License-Identifier: MIT */
/*
 * A server that answers with what it gets, on liburing as its users have it: one multishot accept
 * into registered files, a multishot receive for each connection into buffers that the kernel
 * chooses, and no descriptor of any of them. Clients are children, with the usual calls:
 * uring_echo CONNECTIONS MESSAGES. It waits for a line first. It prints how many completions of
 * each kind it had, and how many bytes it got and sent. Exit code 77: this kernel lacks a part of
 * that.
 */
#include <arpa/inet.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIP = 77, DEPTH = 256, SLOTS = 64, BUFFERS = 64, BUFFER_BYTES = 512, GROUP = 3 };

/* What a completion is of: in its user_data, with a slot and a buffer. */
enum kind { ACCEPT, RECEIVE, SEND, CLOSE, CANCEL, KINDS };

static const char *const names[KINDS] = {
	[ACCEPT] = "accept4", [RECEIVE] = "recvfrom",	[SEND] = "sendto",
	[CLOSE] = "close",    [CANCEL] = "io_uring_op",
};

static struct io_uring ring;
static struct io_uring_buf_ring *buffers;
static char memory[BUFFERS][BUFFER_BYTES];
static unsigned long counts[KINDS], received, sent;
static unsigned int connections, closed;
static int listener;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static struct io_uring_sqe *next_entry(void)
{
	struct io_uring_sqe *entry = io_uring_get_sqe(&ring);

	if (!entry)
		fail("no entry left");
	return entry;
}

/* Behind what prepares it, which zeroes it. */
static void name_entry(struct io_uring_sqe *entry, enum kind kind, unsigned int slot,
		       unsigned int buffer)
{
	entry->user_data = (uint64_t)buffer << 32 | slot << 8 | kind;
}

static void begin_accept(void)
{
	struct io_uring_sqe *entry = next_entry();

	io_uring_prep_multishot_accept_direct(entry, listener, NULL, NULL, 0);
	name_entry(entry, ACCEPT, 0, 0);
}

static void begin_receive(unsigned int slot)
{
	struct io_uring_sqe *entry = next_entry();

	io_uring_prep_recv_multishot(entry, (int)slot, NULL, 0, 0);
	entry->flags |= IOSQE_FIXED_FILE | IOSQE_BUFFER_SELECT;
	entry->buf_group = GROUP;
	name_entry(entry, RECEIVE, slot, 0);
}

static void begin_send(unsigned int slot, unsigned int buffer, int bytes)
{
	struct io_uring_sqe *entry = next_entry();

	io_uring_prep_send(entry, (int)slot, memory[buffer], (size_t)bytes, MSG_WAITALL);
	entry->flags |= IOSQE_FIXED_FILE;
	name_entry(entry, SEND, slot, buffer);
}

static void begin_close(unsigned int slot)
{
	struct io_uring_sqe *entry = next_entry();

	io_uring_prep_close_direct(entry, slot);
	name_entry(entry, CLOSE, slot, 0);
}

static void begin_cancel(void)
{
	struct io_uring_sqe *entry = next_entry();

	io_uring_prep_cancel64(entry, ACCEPT, 0);
	name_entry(entry, CANCEL, 0, 0);
}

static void give_buffer(unsigned int number)
{
	io_uring_buf_ring_add(buffers, memory[number], BUFFER_BYTES, (unsigned short)number,
			      io_uring_buf_ring_mask(BUFFERS), 0);
	io_uring_buf_ring_advance(buffers, 1);
}

static void on_receive(unsigned int slot, const struct io_uring_cqe *done)
{
	if (done->res > 0) {
		received += (unsigned long)done->res;
		begin_send(slot, done->flags >> IORING_CQE_BUFFER_SHIFT, done->res);
	}
	if (done->flags & IORING_CQE_F_MORE)
		return;
	if (done->res == -EINVAL)
		exit(SKIP);
	if (done->res > 0 || done->res == -ENOBUFS)
		begin_receive(slot);
	else
		begin_close(slot);
}

static void on_completion(const struct io_uring_cqe *done)
{
	enum kind kind = (enum kind)(done->user_data & 0xff);
	unsigned int slot = done->user_data >> 8 & 0xffffff;

	counts[kind]++;
	switch (kind) {
	case ACCEPT:
		if (done->res == -EINVAL)
			exit(SKIP);
		if (done->res >= 0)
			begin_receive((unsigned int)done->res);
		break;
	case RECEIVE:
		on_receive(slot, done);
		break;
	case SEND:
		if (done->res > 0)
			sent += (unsigned long)done->res;
		give_buffer((unsigned int)(done->user_data >> 32));
		break;
	case CLOSE:
		if (++closed == connections)
			begin_cancel();
		break;
	default:
		break;
	}
}

static void serve(void)
{
	struct io_uring_cqe *done;
	unsigned int head, taken;

	/* The last two are those of the cancellation: its own, and that of the accept. */
	while (!counts[CANCEL] || counts[ACCEPT] <= connections) {
		if (io_uring_submit_and_wait(&ring, 1) < 0)
			fail("io_uring_submit_and_wait");
		taken = 0;
		io_uring_for_each_cqe(&ring, head, done)
		{
			on_completion(done);
			taken++;
		}
		io_uring_cq_advance(&ring, taken);
	}
}

static void make_ring(void)
{
	struct io_uring_buf_reg group = {.ring_entries = BUFFERS, .bgid = GROUP};
	size_t bytes = BUFFERS * sizeof(struct io_uring_buf);
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	if (io_uring_queue_init(DEPTH, &ring,
				IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN) < 0)
		exit(SKIP);
	group.ring_addr = (uint64_t)(uintptr_t)at;
	buffers = at;
	if (io_uring_register_files_sparse(&ring, SLOTS) < 0 ||
	    io_uring_register_buf_ring(&ring, &group, 0) < 0)
		exit(SKIP);
	io_uring_buf_ring_init(buffers);
	for (unsigned int i = 0; i < BUFFERS; i++)
		give_buffer(i);
}

static struct sockaddr_in make_listener(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(at);

	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(listener, SLOTS) < 0 || getsockname(listener, (struct sockaddr *)&at, &len) < 0)
		fail("listener");
	return at;
}

/* Sends messages of all lengths, and wants each back. */
static void be_client(const struct sockaddr_in *at, unsigned int messages)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char out[BUFFER_BYTES], in[BUFFER_BYTES];

	memset(out, 'x', sizeof(out));
	if (fd < 0 || connect(fd, (const struct sockaddr *)at, sizeof(*at)) < 0)
		fail("connect");
	for (unsigned int i = 0; i < messages; i++) {
		size_t len = 1 + i * 37 % sizeof(out);

		if (send(fd, out, len, 0) != (ssize_t)len ||
		    recv(fd, in, len, MSG_WAITALL) != (ssize_t)len || memcmp(in, out, len) != 0)
			fail("echo");
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned int messages = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;
	struct sockaddr_in at;
	int status, failed = 0;

	connections = argc > 1 ? (unsigned int)atoi(argv[1]) : 0;
	if (!connections || connections > SLOTS || !messages)
		return 2;
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		return 2;
	at = make_listener();
	for (unsigned int i = 0; i < connections; i++)
		if (fork() == 0)
			be_client(&at, messages);
	make_ring();
	begin_accept();
	serve();
	while (wait(&status) > 0)
		failed |= status;
	for (unsigned int kind = 0; kind < KINDS; kind++)
		printf("%s %lu\n", names[kind], counts[kind]);
	printf("received %lu\nsent %lu\n", received, sent);
	return failed ? 1 : 0;
}
