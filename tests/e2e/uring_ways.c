/* SPDX-License-Identifier: MIT */
/*
 * Ways in which operations of io_uring are submitted, done and completed: uring_ways WAY, in a
 * folder of its own. It prints a line for each operation in the order in which they complete: the
 * event that it is, its result, the slot of a registered file (-1: none) and the name of the file
 * (-: none). Exit code 77: this kernel lacks the way.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "../support/uring.h"

enum { SKIP = 77, BYTES = 10, BUFFERS = 4, NO_SLOT = -1, NO_FD = 9999 };

static struct uring ring;
static char buffer[4096] __attribute__((aligned(4096)));

static long need(long r, const char *what)
{
	if (r < 0) {
		perror(what);
		exit(1);
	}
	return r;
}

static void say(const char *event, long result, int slot, const char *name)
{
	printf("%s %ld %d %s\n", event, result, slot, name ? name : "-");
}

/* What is in flight when the process ends completes only then. */
static void say_cancelled(const char *event)
{
	say(event, -ECANCELED, NO_SLOT, NULL);
}

static void begin_with(unsigned int entries, unsigned int flags)
{
	int r = uring_open(&ring, entries, flags);

	if (r) {
		fprintf(stderr, "io_uring_setup: %s\n", strerror(-r));
		exit(SKIP);
	}
}

static void begin(unsigned int flags)
{
	begin_with(8, flags);
}

static uint64_t address_of(const void *memory)
{
	return (uint64_t)(uintptr_t)memory;
}

static struct io_uring_sqe *add(struct io_uring_sqe operation)
{
	struct io_uring_sqe *entry = uring_next(&ring);

	if (!entry)
		exit(1);
	*entry = operation;
	return entry;
}

#define ADD(...) add((struct io_uring_sqe){__VA_ARGS__})

/* Submits what was added; it completes one by one with these user_data. Returns the result. */
static long take(uint64_t *user_data)
{
	struct io_uring_cqe completion;

	need(-(uring_wait(&ring, &completion) < 0), "completion");
	if (user_data)
		*user_data = completion.user_data;
	return completion.res;
}

static long one(struct io_uring_sqe operation)
{
	add(operation);
	need(uring_submit(&ring, 1), "submit");
	return take(NULL);
}

#define ONE(...) one((struct io_uring_sqe){__VA_ARGS__})

static int make_file(const char *name)
{
	int fd = (int)need(open(name, O_RDWR | O_CREAT | O_TRUNC, 0600), name);

	need(pwrite(fd, "0123456789", BYTES, 0), name);
	return fd;
}

/* Opens, reads and closes a file, all with these flags of submission. */
static void use_file(const char *name, unsigned int flags)
{
	long fd, r;

	close(make_file(name));
	fd = ONE(.opcode = IORING_OP_OPENAT, .flags = (uint8_t)flags, .fd = AT_FDCWD,
		 .addr = address_of(name));
	say("openat", fd, NO_SLOT, name);
	r = ONE(.opcode = IORING_OP_READ, .flags = (uint8_t)flags, .fd = (int)fd,
		.addr = address_of(buffer), .len = sizeof(buffer));
	say("pread", r, NO_SLOT, name); /* fewer bytes than asked for */
	r = ONE(.opcode = IORING_OP_CLOSE, .flags = (uint8_t)flags, .fd = (int)fd);
	say("close", r, NO_SLOT, name);
}

static void way_usual(void)
{
	begin(0);
	use_file("usual", 0);
}

/* By threads of the kernel that belong to the process. */
static void way_worker(void)
{
	begin(0);
	use_file("worker", IOSQE_ASYNC);
}

static void way_sqpoll(void)
{
	begin(IORING_SETUP_SQPOLL);
	use_file("sqpoll", 0);
}

static void way_deferred(void)
{
	begin(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	use_file("deferred", 0);
}

/* Completions are polled for. Most files cannot be read so: then that is the result. */
static void way_iopoll(void)
{
	int fd;

	begin(IORING_SETUP_IOPOLL);
	close(make_file("iopoll"));
	fd = open("iopoll", O_RDONLY | O_DIRECT);
	if (fd < 0)
		exit(SKIP);
	say("pread",
	    ONE(.opcode = IORING_OP_READ, .fd = fd, .addr = address_of(buffer), .len = 4096),
	    NO_SLOT, "iopoll");
}

static void register_slots(unsigned int count)
{
	int none[8];

	memset(none, -1, sizeof(none));
	if (uring_register(&ring, IORING_REGISTER_FILES, none, count) < 0)
		exit(SKIP);
}

/* A file that no descriptor ever was. */
static void way_direct(void)
{
	begin(0);
	register_slots(4);
	close(make_file("direct"));
	say("openat",
	    ONE(.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = address_of("direct"),
		.file_index = 2 + 1),
	    2, "direct");
	say("pread",
	    ONE(.opcode = IORING_OP_READ, .flags = IOSQE_FIXED_FILE, .fd = 2,
		.addr = address_of(buffer), .len = 4),
	    2, "direct");
	say("openat",
	    ONE(.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = address_of("none"),
		.file_index = 2 + 1),
	    NO_SLOT, "none");
	say("close", ONE(.opcode = IORING_OP_CLOSE, .file_index = 2 + 1), 2, "direct");
	say("pread",
	    ONE(.opcode = IORING_OP_READ, .flags = IOSQE_FIXED_FILE, .fd = 2,
		.addr = address_of(buffer), .len = 4),
	    2, NULL);
}

/* A registered file without a path any more that gets a descriptor. */
static void way_installed(void)
{
	long fd;

	begin(0);
	register_slots(4);
	close(make_file("installed"));
	say("openat",
	    ONE(.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = address_of("installed"),
		.file_index = 2 + 1),
	    2, "installed");
	need(unlink("installed"), "unlink");
	fd = ONE(.opcode = URING_FIXED_FD_INSTALL, .flags = IOSQE_FIXED_FILE, .fd = 2);
	if (fd == -EINVAL)
		exit(SKIP);
	say("io_uring_op", fd, NO_SLOT, NULL);
	say("pread",
	    ONE(.opcode = IORING_OP_READ, .fd = (int)fd, .addr = address_of(buffer), .len = 4),
	    NO_SLOT, "installed");
}

/* Both ends are registered files, and none of them is a descriptor. */
static void way_pipe(void)
{
	int ends[2] = {-1, -1};
	long r;

	begin(0);
	register_slots(4);
	r = ONE(.opcode = URING_PIPE, .addr = address_of(ends), .file_index = 1 + 1);
	if (r == -EINVAL)
		exit(SKIP);
	say("pipe2", r, 2, NULL);
	r = ONE(.opcode = IORING_OP_WRITE, .flags = IOSQE_FIXED_FILE, .fd = 2,
		.addr = address_of(buffer), .len = 4, .off = (uint64_t)-1);
	say("write", r, 2, NULL);
}

/* Descriptors that are registered and closed: one before its first use, one later. */
static void way_registered(void)
{
	int fds[2] = {make_file("first"), make_file("second")};

	begin(0);
	need(uring_register(&ring, IORING_REGISTER_FILES, fds, 2), "register");
	close(fds[0]);
	say("pread",
	    ONE(.opcode = IORING_OP_READ, .flags = IOSQE_FIXED_FILE, .fd = 0,
		.addr = address_of(buffer), .len = 4),
	    0, "first");
	say("pread",
	    ONE(.opcode = IORING_OP_READ, .flags = IOSQE_FIXED_FILE, .fd = 1,
		.addr = address_of(buffer), .len = 4),
	    1, "second");
	close(fds[1]);
	say("pread",
	    ONE(.opcode = IORING_OP_READ, .flags = IOSQE_FIXED_FILE, .fd = 1,
		.addr = address_of(buffer), .len = 4),
	    1, "second");
}

static void exchange_ring(struct uring *other)
{
	struct uring own = ring;

	ring = *other;
	*other = own;
}

static void say_slot(int slot, const char *name)
{
	say("pread",
	    ONE(.opcode = IORING_OP_READ, .flags = IOSQE_FIXED_FILE, .fd = slot,
		.addr = address_of(buffer), .len = 4),
	    slot, name);
}

/* A slot with a name gets another file, by an operation and by a call. */
static void way_replaced(void)
{
	int fds[3] = {make_file("before"), make_file("after"), make_file("again")};
	struct io_uring_rsrc_update2 update = {.data = address_of(&fds[2]), .nr = 1};

	begin(0);
	need(uring_register(&ring, IORING_REGISTER_FILES, fds, 1), "register");
	say_slot(0, "before");
	say("io_uring_op",
	    ONE(.opcode = IORING_OP_FILES_UPDATE, .addr = address_of(&fds[1]), .len = 1), NO_SLOT,
	    NULL);
	say_slot(0, "after");
	need(uring_register(&ring, IORING_REGISTER_FILES_UPDATE2, &update, sizeof(update)),
	     "update");
	close(fds[2]);
	say_slot(0, "again");
}

/* Another ring sends a file into a slot that had another one. */
static void way_sent(void)
{
	int fds[2] = {make_file("held"), make_file("sent")};
	struct uring target;
	long r;

	begin(0);
	need(uring_register(&ring, IORING_REGISTER_FILES, &fds[1], 1), "register");
	target = ring;
	begin(0);
	need(uring_register(&ring, IORING_REGISTER_FILES, &fds[0], 1), "register");
	say_slot(0, "held");
	exchange_ring(&target);
	r = ONE(.opcode = IORING_OP_MSG_RING, .fd = target.fd, .addr = IORING_MSG_SEND_FD,
		.msg_ring_flags = IORING_MSG_RING_CQE_SKIP, .file_index = 0 + 1);
	if (r == -EINVAL)
		exit(SKIP);
	say("io_uring_op", r, NO_SLOT, NULL);
	exchange_ring(&target);
	say_slot(0, "sent");
}

/* One after the other; what follows a failure is cancelled. */
static void way_linked(void)
{
	static const char *const names[] = {"openat", "pread", "close"};
	uint64_t which;

	begin(0);
	register_slots(4);
	close(make_file("linked"));
	ADD(.opcode = IORING_OP_OPENAT, .flags = IOSQE_IO_LINK, .fd = AT_FDCWD,
	    .addr = address_of("linked"), .file_index = 1);
	ADD(.opcode = IORING_OP_READ, .flags = IOSQE_IO_LINK | IOSQE_FIXED_FILE, .fd = 0,
	    .addr = address_of(buffer), .len = 6, .user_data = 1);
	ADD(.opcode = IORING_OP_CLOSE, .file_index = 1, .user_data = 2);
	need(uring_submit(&ring, 3), "submit");
	for (int i = 0; i < 3; i++) {
		long r = take(&which);

		say(names[which], r, 0, "linked");
	}
	ADD(.opcode = IORING_OP_READ, .flags = IOSQE_IO_LINK, .fd = NO_FD,
	    .addr = address_of(buffer), .len = 6);
	ADD(.opcode = IORING_OP_FSYNC, .fd = NO_FD, .user_data = 1);
	need(uring_submit(&ring, 2), "submit");
	for (int i = 0; i < 2; i++) {
		long r = take(&which);

		say(which ? "fsync" : "pread", r, NO_SLOT, NULL);
	}
}

/* It begins when all before it has completed. */
static void way_drained(void)
{
	begin(0);
	close(make_file("drained"));
	ADD(.opcode = IORING_OP_UNLINKAT, .fd = AT_FDCWD, .addr = address_of("drained"));
	ADD(.opcode = IORING_OP_MKDIRAT, .flags = IOSQE_IO_DRAIN, .fd = AT_FDCWD,
	    .addr = address_of("drained"), .len = 0700);
	need(uring_submit(&ring, 2), "submit");
	say("unlinkat", take(NULL), NO_SLOT, NULL);
	say("mkdirat", take(NULL), NO_SLOT, NULL);
}

static int make_listener(struct sockaddr_in *address)
{
	int fd = (int)need(socket(AF_INET, SOCK_STREAM, 0), "socket");
	socklen_t len = sizeof(*address);

	*address =
		(struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	need(bind(fd, (struct sockaddr *)address, sizeof(*address)), "bind");
	need(listen(fd, 5), "listen");
	need(getsockname(fd, (struct sockaddr *)address, &len), "getsockname");
	return fd;
}

static int connect_to(const struct sockaddr_in *address)
{
	int fd = (int)need(socket(AF_INET, SOCK_STREAM, 0), "socket");

	need(connect(fd, (const struct sockaddr *)address, sizeof(*address)), "connect");
	return fd;
}

/* One operation, a completion for each connection. */
static void way_accept(void)
{
	struct sockaddr_in address;
	int listener = make_listener(&address);

	begin(0);
	ADD(.opcode = IORING_OP_ACCEPT, .fd = listener, .ioprio = IORING_ACCEPT_MULTISHOT);
	need(uring_submit(&ring, 0), "submit");
	for (int i = 0; i < 3; i++) {
		long fd;

		connect_to(&address);
		fd = take(NULL);
		if (i == 0 && fd == -EINVAL)
			exit(SKIP);
		say("accept4", fd, NO_SLOT, NULL);
	}
	say_cancelled("accept4");
}

/* Buffers that the kernel chooses from, for one operation that receives again and again. */
static void way_receive(void)
{
	int ends[2];

	begin(0);
	need(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), "socketpair");
	if (ONE(.opcode = IORING_OP_PROVIDE_BUFFERS, .fd = BUFFERS, .addr = address_of(buffer),
		.len = 64, .buf_group = 1) < 0)
		exit(SKIP);
	say("io_uring_op", 0, NO_SLOT, NULL);
	ADD(.opcode = IORING_OP_RECV, .flags = IOSQE_BUFFER_SELECT, .fd = ends[0], .buf_group = 1,
	    .ioprio = IORING_RECV_MULTISHOT);
	need(uring_submit(&ring, 0), "submit");
	for (int i = 1; i <= 3; i++) {
		long r;

		need(send(ends[1], "abcdef", (size_t)i, 0), "send");
		r = take(NULL);
		if (i == 1 && r == -EINVAL)
			exit(SKIP);
		say("recvfrom", r, NO_SLOT, NULL);
	}
	say_cancelled("recvfrom");
}

static void way_poll(void)
{
	int ends[2];

	begin(0);
	need(pipe(ends), "pipe");
	ADD(.opcode = IORING_OP_POLL_ADD, .fd = ends[0], .len = IORING_POLL_ADD_MULTI,
	    .poll32_events = POLLIN);
	need(uring_submit(&ring, 0), "submit");
	for (int i = 0; i < 3; i++) {
		need(write(ends[1], "x", 1), "write");
		say("io_uring_op", take(NULL), NO_SLOT, NULL);
		need(read(ends[0], buffer, 1), "read");
	}
	say_cancelled("io_uring_op");
}

/* How it ended is not told, when it is submitted. */
static void say_untold(const char *event, int slot, const char *name)
{
	printf("%s ? %d %s\n", event, slot, name);
}

/* A success without a completion, and a failure with one. */
static void way_skipped(void)
{
	int fd = make_file("skipped"), ends[2];

	begin(0);
	if (!(ring.params.features & IORING_FEAT_CQE_SKIP))
		exit(SKIP);
	ADD(.opcode = IORING_OP_CLOSE, .flags = IOSQE_CQE_SKIP_SUCCESS, .fd = fd);
	need(uring_submit(&ring, 0), "submit");
	say_untold("close", NO_SLOT, "skipped");
	say_untold("close", NO_SLOT, "-");
	say("close", ONE(.opcode = IORING_OP_CLOSE, .flags = IOSQE_CQE_SKIP_SUCCESS, .fd = NO_FD),
	    NO_SLOT, NULL);
	need(pipe(ends), "pipe");
	ADD(.opcode = IORING_OP_WRITE, .flags = IOSQE_CQE_SKIP_SUCCESS, .fd = ends[1],
	    .addr = address_of(buffer), .len = 4);
	need(uring_submit(&ring, 0), "submit");
	say_untold("write", NO_SLOT, "-");
}

/* A close and an open that are cancelled, and nobody is told: the slot has what it had. */
static void way_silent(void)
{
	begin(0);
	if (!(ring.params.features & IORING_FEAT_CQE_SKIP))
		exit(SKIP);
	register_slots(4);
	close(make_file("secret"));
	close(make_file("harmless"));
	say("openat",
	    ONE(.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = address_of("secret"),
		.file_index = 2 + 1),
	    2, "secret");
	ADD(.opcode = IORING_OP_READ, .flags = IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS, .fd = NO_FD);
	ADD(.opcode = IORING_OP_CLOSE, .flags = IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS,
	    .file_index = 2 + 1);
	ADD(.opcode = IORING_OP_OPENAT, .flags = IOSQE_CQE_SKIP_SUCCESS, .fd = AT_FDCWD,
	    .addr = address_of("harmless"), .file_index = 2 + 1);
	need(uring_submit(&ring, 1), "submit");
	say_untold("pread", NO_SLOT, "-");
	say_untold("close", 2, "secret");
	say_untold("openat", 2, "harmless");
	say("pread", take(NULL), NO_SLOT, NULL);
	for (int i = 0; i < 2; i++)
		say("pread",
		    ONE(.opcode = IORING_OP_READ, .flags = IOSQE_FIXED_FILE, .fd = 2,
			.addr = address_of(buffer), .len = 4),
		    2, "secret");
}

/*
 * Completions that find no room in the ring, which has twice as many entries as can be submitted:
 * those of the third submission. The kernel keeps them until there is room.
 */
static void way_overflow(void)
{
	enum { ENTRIES = 4, SUBMISSIONS = 3 };
	uint64_t which;

	begin_with(ENTRIES, 0);
	if (!(ring.params.features & IORING_FEAT_NODROP))
		exit(SKIP);
	for (int i = 0; i < SUBMISSIONS; i++) {
		for (int k = 0; k < ENTRIES; k++)
			ADD(.opcode = k % 2 ? IORING_OP_CLOSE : IORING_OP_READ, .fd = NO_FD,
			    .user_data = (uint64_t)(k % 2));
		need(uring_submit(&ring, 0) - ENTRIES, "submit");
	}
	for (int i = 0; i < ENTRIES * SUBMISSIONS; i++) {
		long r = take(&which);

		say(which ? "close" : "pread", r, NO_SLOT, NULL);
	}
}

/* More of these than most programs have in flight, done at once or by threads of the kernel. */
static void overflow_many(unsigned int flags)
{
	enum { ENTRIES = 256, SUBMISSIONS = 3 };
	const struct timespec wait = {.tv_nsec = 50000000};

	begin_with(ENTRIES, 0);
	for (int i = 0; i < SUBMISSIONS; i++) {
		for (int k = 0; k < ENTRIES; k++)
			ADD(.opcode = IORING_OP_OPENAT, .flags = (uint8_t)flags, .fd = AT_FDCWD,
			    .addr = address_of("none"));
		need(uring_submit(&ring, 0) - ENTRIES, "submit");
	}
	nanosleep(&wait, NULL); /* threads are to have ended most of it */
	for (int i = 0; i < ENTRIES * SUBMISSIONS; i++)
		say("openat", take(NULL), NO_SLOT, "none");
}

static void way_overflow_many(void)
{
	overflow_many(0);
}

static void way_overflow_worker(void)
{
	overflow_many(IOSQE_ASYNC);
}

/* As many as the kernel allows, each of a submission of its own. */
/* Rings one after the other, each where an earlier one was in the kernel's memory, or its requests.
 */
static void way_overflow_again(void)
{
	enum { ENTRIES = 8, SUBMISSIONS = 3, RINGS = 12 };
	const struct timespec wait = {.tv_nsec = 60000000};

	for (int n = 0; n < RINGS; n++) {
		begin_with(ENTRIES, 0);
		if (!(ring.params.features & IORING_FEAT_NODROP))
			exit(SKIP);
		for (int i = 0; i < SUBMISSIONS; i++) {
			for (int k = 0; k < ENTRIES; k++)
				ADD(.opcode = IORING_OP_READ, .fd = NO_FD);
			need(uring_submit(&ring, 0) - ENTRIES, "submit");
		}
		for (int i = 0; i < ENTRIES * SUBMISSIONS; i++)
			say("pread", take(NULL), NO_SLOT, NULL);
		uring_close(&ring);
		nanosleep(&wait, NULL); /* until the kernel has ended it */
	}
}

static void way_overflow_small(void)
{
	enum { OPERATIONS = 6 };

	begin_with(1, 0);
	for (int i = 0; i < OPERATIONS; i++) {
		ADD(.opcode = IORING_OP_READ, .fd = NO_FD, .user_data = (uint64_t)i);
		need(uring_submit(&ring, 0) - 1, "submit");
	}
	for (int i = 0; i < OPERATIONS; i++)
		say("pread", take(NULL), NO_SLOT, NULL);
}

/* A read that waits, and what cancels it. */
static void way_cancelled(void)
{
	uint64_t which;
	int ends[2];

	begin(0);
	need(pipe(ends), "pipe");
	ADD(.opcode = IORING_OP_READ, .fd = ends[0], .addr = address_of(buffer), .len = 4,
	    .off = (uint64_t)-1, .user_data = 1);
	need(uring_submit(&ring, 0), "submit");
	ADD(.opcode = IORING_OP_ASYNC_CANCEL, .addr = 1, .user_data = 2);
	need(uring_submit(&ring, 2), "submit");
	for (int i = 0; i < 2; i++) {
		long r = take(&which);

		say(which == 1 ? "read" : "io_uring_op", r, NO_SLOT, NULL);
	}
}

static void way_timeout(void)
{
	const struct timespec wait = {.tv_nsec = 1000000};

	begin(0);
	say("io_uring_op", ONE(.opcode = IORING_OP_TIMEOUT, .addr = address_of(&wait), .len = 1),
	    NO_SLOT, NULL);
	say("io_uring_op", ONE(.opcode = IORING_OP_NOP), NO_SLOT, NULL);
}

/* It ends while a read waits. */
static void way_exit(void)
{
	int ends[2];

	begin(0);
	need(pipe(ends), "pipe");
	ADD(.opcode = IORING_OP_READ, .fd = ends[0], .addr = address_of(buffer), .len = 4,
	    .off = (uint64_t)-1);
	need(uring_submit(&ring, 0), "submit");
	say_cancelled("read");
}

/* Another thread submits to the ring. */
static void *submit_in_thread(void *name)
{
	use_file(name, 0);
	return NULL;
}

static void way_thread(void)
{
	pthread_t thread;

	begin(0);
	use_file("main", 0);
	need(-pthread_create(&thread, NULL, submit_in_thread, "other"), "thread");
	pthread_join(thread, NULL);
}

/* Another process, which inherited the ring, submits to it. */
static void way_process(void)
{
	pid_t child;
	int status;

	begin(0);
	if (madvise(ring.rings, ring.rings_bytes, MADV_DOFORK) < 0)
		exit(SKIP);
	fflush(stdout);
	child = (pid_t)need(fork(), "fork");
	if (child == 0) {
		use_file("inherited", 0);
		fflush(stdout);
		_exit(0);
	}
	need(waitpid(child, &status, 0), "wait");
	if (status)
		exit(1);
}

/* What an operation opens, a call reads and closes; and the other way round. */
static void way_mixed(void)
{
	int fd;

	begin(0);
	close(make_file("by_ring"));
	fd = (int)ONE(.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = address_of("by_ring"));
	say("openat", fd, NO_SLOT, "by_ring");
	need(pread(fd, buffer, 3, 1), "pread");
	close(fd);
	fd = make_file("by_call");
	say("pread",
	    ONE(.opcode = IORING_OP_READ, .fd = fd, .addr = address_of(buffer), .len = 4, .off = 2),
	    NO_SLOT, "by_call");
	say("close", ONE(.opcode = IORING_OP_CLOSE, .fd = fd), NO_SLOT, "by_call");
}

static const struct way {
	const char *name;
	void (*take)(void);
} ways[] = {
	{"usual", way_usual},
	{"pipe", way_pipe},
	{"worker", way_worker},
	{"sqpoll", way_sqpoll},
	{"deferred", way_deferred},
	{"iopoll", way_iopoll},
	{"direct", way_direct},
	{"installed", way_installed},
	{"registered", way_registered},
	{"replaced", way_replaced},
	{"sent", way_sent},
	{"linked", way_linked},
	{"drained", way_drained},
	{"accept", way_accept},
	{"receive", way_receive},
	{"poll", way_poll},
	{"skipped", way_skipped},
	{"silent", way_silent},
	{"cancelled", way_cancelled},
	{"timeout", way_timeout},
	{"exit", way_exit},
	{"thread", way_thread},
	{"process", way_process},
	{"mixed", way_mixed},
	{"overflow", way_overflow},
	{"overflow_many", way_overflow_many},
	{"overflow_worker", way_overflow_worker},
	{"overflow_again", way_overflow_again},
	{"overflow_small", way_overflow_small},
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
