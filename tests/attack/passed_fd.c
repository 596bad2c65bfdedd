/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that no open(2) of the reader made: passed_fd KIND ROUNDS, in a folder with the files
 * secret and decoy. Each round gets one of `secret`, reads 11 bytes of it, closes it, and reads 7
 * bytes of `decoy` under the same number, which stays open; at the end it waits for the end of its
 * input. KIND: `message`, by SCM_RIGHTS; `short`, likewise by a process that ends after a round;
 * `getfd`, by pidfd_getfd(2); `addfd`, by a process that a seccomp filter asks; `fanotify`, of an
 * event; `ring`, opened by an io_uring; `table`, opened by another process with the same
 * descriptors; `inherited`, opened before an exec. Ends with 77 where the machine cannot.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECRET_BYTES = 11, DECOY_BYTES = 7, SKIPPED = 77 };

static int ends[2], secret, own_pidfd;

union rights {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static void fail(const char *what)
{
	perror(what);
	exit(errno == ENOSYS || errno == EPERM ? SKIPPED : 1);
}

static struct msghdr message_with(struct iovec *vector, union rights *rights)
{
	return (struct msghdr){.msg_iov = vector,
			       .msg_iovlen = 1,
			       .msg_control = rights,
			       .msg_controllen = sizeof(*rights)};
}

static void give(void)
{
	char byte = 0;
	struct iovec vector = {&byte, 1};
	union rights rights = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct msghdr message = message_with(&vector, &rights);

	memcpy(CMSG_DATA(&rights.header), &secret, sizeof(secret));
	if (sendmsg(ends[0], &message, 0) != 1)
		fail("sendmsg");
}

static int receive(void)
{
	char byte;
	int fd;
	struct iovec vector = {&byte, 1};
	union rights rights;
	struct msghdr message = message_with(&vector, &rights);

	if (recvmsg(ends[1], &message, 0) != 1)
		fail("recvmsg");
	memcpy(&fd, CMSG_DATA(&rights.header), sizeof(fd));
	return fd;
}

/* Answers the calls that the filter hands over with a new descriptor of the caller. */
static void *answer(void *listener)
{
	const int fd = *(const int *)listener;

	for (;;) {
		struct seccomp_notif call = {0};
		struct seccomp_notif_resp reply = {0};
		struct seccomp_notif_addfd added = {.srcfd = (uint32_t)secret};

		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call))
			return NULL;
		added.id = reply.id = call.id;
		reply.val = ioctl(fd, SECCOMP_IOCTL_NOTIF_ADDFD, &added);
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &reply);
	}
}

/* The filter is that of this thread: the one that answers was there before. */
static int ask_for_one(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};
	static int listener = -1;
	static pthread_t thread;

	if (listener < 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
			fail("no_new_privs");
		listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
					SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
		if (listener < 0)
			fail("seccomp");
		/* It inherits the filter, but makes no such call. */
		if (pthread_create(&thread, NULL, answer, &listener))
			fail("thread");
	}
	return (int)syscall(SYS_getpgid, 0);
}

/* Of an event about a read of the secret. */
static int notified(void)
{
	static int group = -1;
	struct fanotify_event_metadata event;
	char byte;

	if (group < 0) {
		group = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC, O_RDONLY);
		if (group < 0 || fanotify_mark(group, FAN_MARK_ADD, FAN_ACCESS, AT_FDCWD, "secret"))
			fail("fanotify");
	}
	if (pread(secret, &byte, 1, 0) != 1 || read(group, &event, sizeof(event)) != sizeof(event))
		fail("fanotify event");
	return event.fd;
}

struct ring {
	int fd;
	uint32_t *tail, *head;
	struct io_uring_sqe *entry;
	struct io_uring_cqe *completions;
	uint32_t mask;
};

/* With one entry, whose index in the array is 0 anyway. */
static struct ring make_ring(void)
{
	struct io_uring_params params = {0};
	struct ring ring = {.fd = (int)syscall(SYS_io_uring_setup, 1, &params)};
	char *rings, *entries;

	if (ring.fd < 0)
		fail("io_uring");
	rings = mmap(NULL, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd,
		     IORING_OFF_SQ_RING);
	entries = mmap(NULL, sizeof(*ring.entry), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		       ring.fd, IORING_OFF_SQES);
	if (rings == MAP_FAILED || entries == MAP_FAILED)
		fail("mmap");
	ring.tail = (uint32_t *)(rings + params.sq_off.tail);
	ring.head = (uint32_t *)(rings + params.cq_off.head);
	ring.mask = params.cq_entries - 1;
	ring.completions = (struct io_uring_cqe *)(rings + params.cq_off.cqes);
	ring.entry = (struct io_uring_sqe *)entries;
	return ring;
}

static int open_by_ring(void)
{
	static struct ring ring = {.fd = -1};
	int fd;

	if (ring.fd < 0)
		ring = make_ring();
	*ring.entry = (struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
					    .fd = AT_FDCWD,
					    .addr = (uintptr_t) "secret",
					    .open_flags = O_RDONLY};
	__atomic_store_n(ring.tail, *ring.tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		fail("io_uring_enter");
	fd = ring.completions[*ring.head & ring.mask].res;
	__atomic_store_n(ring.head, *ring.head + 1, __ATOMIC_RELEASE);
	return fd;
}

/* Another process, which has the same descriptors. */
static int opened_by_peer(void)
{
	int status;
	pid_t peer = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);

	if (peer == 0)
		_exit(open("secret", O_RDONLY));
	if (peer < 0 || waitpid(peer, &status, 0) != peer)
		fail("clone");
	return WEXITSTATUS(status);
}

static void use(int fd)
{
	char data[SECRET_BYTES];

	if (pread(fd, data, SECRET_BYTES, 0) != SECRET_BYTES)
		fail("secret");
	close(fd);
	if (open("decoy", O_RDONLY) != fd || pread(fd, data, DECOY_BYTES, 0) != DECOY_BYTES)
		fail("decoy");
}

static int get_fd(void)
{
	return (int)syscall(SYS_pidfd_getfd, own_pidfd, secret, 0);
}

static int receive_message(void)
{
	give();
	return receive();
}

static const struct {
	const char *name;
	int (*get)(void);
} kinds[] = {
	{"message", receive_message}, {"short", receive_message}, {"getfd", get_fd},
	{"addfd", ask_for_one},	      {"fanotify", notified},	  {"ring", open_by_ring},
	{"table", opened_by_peer},
};

static void do_round(const char *kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int fd;

		if (strcmp(kind, kinds[i].name) != 0)
			continue;
		fd = kinds[i].get();
		if (fd < 0)
			fail(kind);
		use(fd);
	}
}

/* A round of a process that executes this program again. */
static void inherit(const char *program)
{
	char number[16];
	int fd = dup2(open("secret", O_RDONLY), secret); /* the lowest number after the exec */

	snprintf(number, sizeof(number), "%d", fd);
	execl(program, program, "use", number, NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	const char *kind = argc == 3 ? argv[1] : "";
	long rounds = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	int status;

	if (strcmp(kind, "use") == 0) {
		use((int)rounds);
		return 0;
	}
	secret = open("secret", O_RDONLY | O_CLOEXEC);
	own_pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (secret < 0 || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends))
		fail("secret");
	while (rounds-- > 0) {
		if (strcmp(kind, "short") != 0 && strcmp(kind, "inherited") != 0) {
			do_round(kind);
		} else if (fork() == 0) {
			if (strcmp(kind, "inherited") == 0)
				inherit(argv[0]);
			do_round(kind);
			_exit(0);
		} else if (wait(&status) < 0 || status) {
			return 1;
		}
	}
	puts("done");
	fflush(stdout);
	return getchar() != EOF;
}
