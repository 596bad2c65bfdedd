/* SPDX-License-Identifier: MIT */
/*
 * Does what system calls do, each once by the call and once by an operation of io_uring with the
 * same arguments and the same state before it: uring_calls FOLDER. While it does so the thread is
 * named c:STEP or r:STEP; what prepares it has another name. It prints a line for each step: its
 * name and both results, or "absent" if this kernel lacks the operation.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "../support/uring.h"

enum {
	NO_FD = 9999,
	PORT = 40404,
	BYTES = 16,
	FUTEX2_OF_32_BITS = 2, /* FUTEX2_SIZE_U32, which headers of Linux 6.1 lack */
	NR_FUTEX_WAKE = 454,
	NR_FUTEX_WAIT = 455,
};

static struct uring ring;
static bool by_ring; /* which way the step takes now */
static const char *step_name;
static uint64_t step_number; /* from 1 on: that of the operations */
static long result; /* of the operation */
static int folder; /* its descriptor; all names are below it */
static char buffer[BYTES] = "0123456789abcdef";

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Of what prepares a step. */
static long need(long r)
{
	if (r < 0)
		fail(step_name);
	return r;
}

static void set_name(const char *way, const char *name)
{
	char text[16];

	snprintf(text, sizeof(text), "%s%s", way, name);
	need(prctl(PR_SET_NAME, text, 0, 0, 0));
}

static uint64_t address_of(const void *memory)
{
	return (uint64_t)(uintptr_t)memory;
}

/* Makes the call, or does the operation. */
static void either(struct io_uring_sqe operation, long number, long a, long b, long c, long d,
		   long e, long f)
{
	operation.user_data = step_number;
	set_name(by_ring ? "r:" : "c:", step_name);
	result = by_ring ? uring_do(&ring, &operation) : syscall(number, a, b, c, d, e, f);
	if (!by_ring && result < 0)
		result = -errno;
	set_name("prepares", "");
}

#define ARGUMENTS(a, b, c, d, e, f, ...)                                                           \
	(long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)
#define OPERATION(...) ((struct io_uring_sqe){__VA_ARGS__})
#define CALL(number, ...) (number), ARGUMENTS(__VA_ARGS__, 0, 0, 0, 0, 0, 0)

/* A file with the bytes of the buffer. */
static int make_file(const char *name)
{
	int fd = (int)need(openat(folder, name, O_RDWR | O_CREAT | O_TRUNC, 0640));

	need(pwrite(fd, buffer, BYTES, 0));
	return fd;
}

static void remove_file(const char *name)
{
	if (unlinkat(folder, name, 0) < 0)
		unlinkat(folder, name, AT_REMOVEDIR);
}

/* Opening and closing. */

static void open_file(const char *name, int flags)
{
	either(OPERATION(.opcode = IORING_OP_OPENAT, .fd = folder, .addr = address_of(name),
			 .open_flags = (uint32_t)flags, .len = 0640),
	       CALL(SYS_openat, folder, name, flags, 0640));
	if (result >= 0)
		close((int)result);
}

static void step_openat(void)
{
	close(make_file("opened"));
	open_file("opened", O_RDWR | O_CLOEXEC);
}

static void step_openat_fails(void)
{
	open_file("none", O_RDONLY);
}

static void step_openat2(void)
{
	const struct open_how how = {
		.flags = O_WRONLY | O_CREAT, .mode = 0600, .resolve = RESOLVE_NO_SYMLINKS};

	remove_file("made");
	either(OPERATION(.opcode = IORING_OP_OPENAT2, .fd = folder, .addr = address_of("made"),
			 .addr2 = address_of(&how), .len = sizeof(how)),
	       CALL(SYS_openat2, folder, "made", &how, sizeof(how)));
	if (result >= 0)
		close((int)result);
}

static void step_close(void)
{
	int fd = make_file("closed");

	either(OPERATION(.opcode = IORING_OP_CLOSE, .fd = fd), CALL(SYS_close, fd));
}

static void step_close_fails(void)
{
	either(OPERATION(.opcode = IORING_OP_CLOSE, .fd = NO_FD), CALL(SYS_close, NO_FD));
}

/* Files: data. */

static void step_read(void)
{
	int fd = make_file("read");

	either(OPERATION(.opcode = IORING_OP_READ, .fd = fd, .addr = address_of(buffer),
			 .len = BYTES, .off = (uint64_t)-1),
	       CALL(SYS_read, fd, buffer, BYTES));
	close(fd);
}

static void step_pread(void)
{
	int fd = make_file("pread");

	either(OPERATION(.opcode = IORING_OP_READ, .fd = fd, .addr = address_of(buffer), .len = 8,
			 .off = 4),
	       CALL(SYS_pread64, fd, buffer, 8, 4));
	memcpy(buffer, "0123456789abcdef", BYTES);
	close(fd);
}

static void step_pread_fails(void)
{
	either(OPERATION(.opcode = IORING_OP_READ, .fd = NO_FD, .addr = address_of(buffer),
			 .len = 8, .off = 4),
	       CALL(SYS_pread64, NO_FD, buffer, 8, 4));
}

static void step_pwrite(void)
{
	int fd = make_file("pwrite");

	either(OPERATION(.opcode = IORING_OP_WRITE, .fd = fd, .addr = address_of(buffer), .len = 10,
			 .off = 100),
	       CALL(SYS_pwrite64, fd, buffer, 10, 100));
	close(fd);
}

static const struct iovec parts[] = {{buffer, 4}, {buffer + 8, 6}};

static void step_preadv(void)
{
	int fd = make_file("preadv");

	either(OPERATION(.opcode = IORING_OP_READV, .fd = fd, .addr = address_of(parts), .len = 2,
			 .off = 2),
	       CALL(SYS_preadv, fd, parts, 2, 2));
	memcpy(buffer, "0123456789abcdef", BYTES);
	close(fd);
}

static void step_pwritev(void)
{
	int fd = make_file("pwritev");

	either(OPERATION(.opcode = IORING_OP_WRITEV, .fd = fd, .addr = address_of(parts), .len = 2,
			 .off = 2),
	       CALL(SYS_pwritev, fd, parts, 2, 2));
	close(fd);
}

/* Buffers that are registered are memory of the program all the same. */
static void step_read_fixed(void)
{
	const struct iovec registered = {buffer, BYTES};
	int fd = make_file("read_fixed");

	need(uring_register(&ring, IORING_REGISTER_BUFFERS, &registered, 1));
	either(OPERATION(.opcode = IORING_OP_READ_FIXED, .fd = fd, .addr = address_of(buffer),
			 .len = 8, .off = 4),
	       CALL(SYS_pread64, fd, buffer, 8, 4));
	memcpy(buffer, "0123456789abcdef", BYTES);
	either(OPERATION(.opcode = IORING_OP_WRITE_FIXED, .fd = fd, .addr = address_of(buffer),
			 .len = 8, .off = 4),
	       CALL(SYS_pwrite64, fd, buffer, 8, 4));
	need(uring_register(&ring, IORING_UNREGISTER_BUFFERS, NULL, 0));
	close(fd);
}

static void step_fsync(void)
{
	int fd = make_file("fsync");

	either(OPERATION(.opcode = IORING_OP_FSYNC, .fd = fd), CALL(SYS_fsync, fd));
	close(fd);
}

static void step_fdatasync(void)
{
	int fd = make_file("fdatasync");

	either(OPERATION(.opcode = IORING_OP_FSYNC, .fd = fd, .fsync_flags = IORING_FSYNC_DATASYNC),
	       CALL(SYS_fdatasync, fd));
	close(fd);
}

static void step_sync_range(void)
{
	int fd = make_file("sync_range");

	either(OPERATION(.opcode = IORING_OP_SYNC_FILE_RANGE, .fd = fd, .off = 2, .len = 7,
			 .sync_range_flags = SYNC_FILE_RANGE_WRITE),
	       CALL(SYS_sync_file_range, fd, 2, 7, SYNC_FILE_RANGE_WRITE));
	close(fd);
}

static void step_fallocate(void)
{
	int fd = make_file("fallocate");

	either(OPERATION(.opcode = IORING_OP_FALLOCATE, .fd = fd, .off = 4096, .addr = 100,
			 .len = 1 /* FALLOC_FL_KEEP_SIZE */),
	       CALL(SYS_fallocate, fd, 1, 4096, 100));
	close(fd);
}

static void step_ftruncate(void)
{
	int fd = make_file("ftruncate");

	either(OPERATION(.opcode = URING_FTRUNCATE, .fd = fd, .off = 5),
	       CALL(SYS_ftruncate, fd, 5));
	close(fd);
}

static void step_fadvise(void)
{
	int fd = make_file("fadvise");

	either(OPERATION(.opcode = IORING_OP_FADVISE, .fd = fd, .off = 1, .len = 9,
			 .fadvise_advice = POSIX_FADV_WILLNEED),
	       CALL(SYS_fadvise64, fd, 1, 9, POSIX_FADV_WILLNEED));
	close(fd);
}

static void step_madvise(void)
{
	void *memory = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	either(OPERATION(.opcode = IORING_OP_MADVISE, .addr = address_of(memory), .len = 8192,
			 .fadvise_advice = MADV_RANDOM),
	       CALL(SYS_madvise, memory, 8192, MADV_RANDOM));
	munmap(memory, 8192);
}

static void step_splice(void)
{
	int fd = make_file("splice"), ends[2];
	off_t from = 3;

	need(pipe(ends));
	either(OPERATION(.opcode = IORING_OP_SPLICE, .splice_fd_in = fd, .splice_off_in = 3,
			 .fd = ends[1], .off = (uint64_t)-1, .len = 9,
			 .splice_flags = 1 /* SPLICE_F_MOVE */),
	       CALL(SYS_splice, fd, &from, ends[1], NULL, 9, 1));
	close(ends[0]);
	close(ends[1]);
	close(fd);
}

static void step_tee(void)
{
	int from[2], to[2];

	need(pipe(from));
	need(pipe(to));
	need(write(from[1], buffer, BYTES));
	either(OPERATION(.opcode = IORING_OP_TEE, .splice_fd_in = from[0], .fd = to[1], .len = 9),
	       CALL(SYS_tee, from[0], to[1], 9, 0));
	for (int i = 0; i < 2; i++) {
		close(from[i]);
		close(to[i]);
	}
}

/* Files: names and attributes. */

static void step_unlinkat(void)
{
	close(make_file("unlinked"));
	either(OPERATION(.opcode = IORING_OP_UNLINKAT, .fd = folder,
			 .addr = address_of("unlinked")),
	       CALL(SYS_unlinkat, folder, "unlinked", 0));
}

static void step_unlinkat_fails(void)
{
	either(OPERATION(.opcode = IORING_OP_UNLINKAT, .fd = folder, .addr = address_of("none"),
			 .unlink_flags = AT_REMOVEDIR),
	       CALL(SYS_unlinkat, folder, "none", AT_REMOVEDIR));
}

static void step_renameat2(void)
{
	close(make_file("old"));
	remove_file("new");
	either(OPERATION(.opcode = IORING_OP_RENAMEAT, .fd = folder, .addr = address_of("old"),
			 .len = (uint32_t)folder, .addr2 = address_of("new"),
			 .rename_flags = 1 /* RENAME_NOREPLACE */),
	       CALL(SYS_renameat2, folder, "old", folder, "new", 1));
}

static void step_mkdirat(void)
{
	remove_file("directory");
	either(OPERATION(.opcode = IORING_OP_MKDIRAT, .fd = folder, .addr = address_of("directory"),
			 .len = 0750),
	       CALL(SYS_mkdirat, folder, "directory", 0750));
}

static void step_symlinkat(void)
{
	remove_file("symlink");
	either(OPERATION(.opcode = IORING_OP_SYMLINKAT, .fd = folder, .addr = address_of("target"),
			 .addr2 = address_of("symlink")),
	       CALL(SYS_symlinkat, "target", folder, "symlink"));
}

static void step_linkat(void)
{
	close(make_file("linked"));
	remove_file("link");
	either(OPERATION(.opcode = IORING_OP_LINKAT, .fd = folder, .addr = address_of("linked"),
			 .len = (uint32_t)folder, .addr2 = address_of("link")),
	       CALL(SYS_linkat, folder, "linked", folder, "link", 0));
}

static void step_statx(void)
{
	static struct statx status;

	close(make_file("statx"));
	either(OPERATION(.opcode = IORING_OP_STATX, .fd = folder, .addr = address_of("statx"),
			 .len = STATX_SIZE, .addr2 = address_of(&status),
			 .statx_flags = AT_SYMLINK_NOFOLLOW),
	       CALL(SYS_statx, folder, "statx", AT_SYMLINK_NOFOLLOW, STATX_SIZE, &status));
}

static void step_fsetxattr(void)
{
	int fd = make_file("xattr");

	either(OPERATION(.opcode = IORING_OP_FSETXATTR, .fd = fd, .addr = address_of("user.a"),
			 .addr2 = address_of("value"), .len = 5, .xattr_flags = XATTR_CREATE),
	       CALL(SYS_fsetxattr, fd, "user.a", "value", 5, XATTR_CREATE));
	fremovexattr(fd, "user.a");
	close(fd);
}

static void step_fgetxattr(void)
{
	int fd = make_file("xattr");
	static char value[8];

	/* Where the file system has none, reading it fails. */
	fsetxattr(fd, "user.a", "value", 5, 0);
	either(OPERATION(.opcode = IORING_OP_FGETXATTR, .fd = fd, .addr = address_of("user.a"),
			 .addr2 = address_of(value), .len = sizeof(value)),
	       CALL(SYS_fgetxattr, fd, "user.a", value, sizeof(value)));
	close(fd);
	remove_file("xattr");
}

static void step_setxattr(void)
{
	close(make_file("xattr"));
	either(OPERATION(.opcode = IORING_OP_SETXATTR, .addr = address_of("user.b"),
			 .addr2 = address_of("value"), .len = 5, .addr3 = address_of("xattr")),
	       CALL(SYS_setxattr, "xattr", "user.b", "value", 5, 0));
	remove_file("xattr");
}

static void step_getxattr(void)
{
	static char value[8];

	close(make_file("xattr"));
	either(OPERATION(.opcode = IORING_OP_GETXATTR, .addr = address_of("user.c"),
			 .addr2 = address_of(value), .len = sizeof(value),
			 .addr3 = address_of("xattr")),
	       CALL(SYS_getxattr, "xattr", "user.c", value, sizeof(value)));
	remove_file("xattr");
}

/* Sockets. */

static const struct sockaddr_in server = {.sin_family = AF_INET,
					  .sin_port = PORT >> 8 | (PORT & 0xff) << 8,
					  .sin_addr = {0x0100007f}};

static void step_socket(void)
{
	either(OPERATION(.opcode = IORING_OP_SOCKET, .fd = AF_INET,
			 .off = SOCK_DGRAM | SOCK_CLOEXEC, .len = IPPROTO_UDP),
	       CALL(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP));
	if (result >= 0)
		close((int)result);
}

static void step_bind(void)
{
	int fd = (int)need(socket(AF_INET, SOCK_DGRAM, 0));

	either(OPERATION(.opcode = URING_BIND, .fd = fd, .addr = address_of(&server),
			 .addr2 = sizeof(server)),
	       CALL(SYS_bind, fd, &server, sizeof(server)));
	close(fd);
}

static int make_listener(void)
{
	int fd = (int)need(socket(AF_INET, SOCK_STREAM, 0)), on = 1;

	need(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
	need(bind(fd, (const struct sockaddr *)&server, sizeof(server)));
	need(listen(fd, 5));
	return fd;
}

static void step_listen(void)
{
	int fd = make_listener();

	either(OPERATION(.opcode = URING_LISTEN, .fd = fd, .len = 7), CALL(SYS_listen, fd, 7));
	close(fd);
}

static void step_connect(void)
{
	int listener = make_listener(), fd = (int)need(socket(AF_INET, SOCK_STREAM, 0));

	either(OPERATION(.opcode = IORING_OP_CONNECT, .fd = fd, .addr = address_of(&server),
			 .off = sizeof(server)),
	       CALL(SYS_connect, fd, &server, sizeof(server)));
	close(fd);
	close(listener);
}

static void step_connect_fails(void)
{
	int fd = (int)need(socket(AF_INET, SOCK_STREAM, 0));

	either(OPERATION(.opcode = IORING_OP_CONNECT, .fd = fd, .addr = address_of(&server),
			 .off = sizeof(server)),
	       CALL(SYS_connect, fd, &server, sizeof(server)));
	close(fd);
}

static void step_accept4(void)
{
	int listener = make_listener(), fd = (int)need(socket(AF_INET, SOCK_STREAM, 0));
	struct sockaddr_in peer;
	socklen_t len = sizeof(peer);

	need(connect(fd, (const struct sockaddr *)&server, sizeof(server)));
	either(OPERATION(.opcode = IORING_OP_ACCEPT, .fd = listener, .addr = address_of(&peer),
			 .addr2 = address_of(&len), .accept_flags = SOCK_CLOEXEC),
	       CALL(SYS_accept4, listener, &peer, &len, SOCK_CLOEXEC));
	if (result >= 0)
		close((int)result);
	close(fd);
	close(listener);
}

static void step_shutdown(void)
{
	int ends[2];

	need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	either(OPERATION(.opcode = IORING_OP_SHUTDOWN, .fd = ends[0], .len = SHUT_WR),
	       CALL(SYS_shutdown, ends[0], SHUT_WR));
	close(ends[0]);
	close(ends[1]);
}

/* Datagrams between two sockets with known ports, which every step makes anew. */
static void make_pair(int ends[2])
{
	struct sockaddr_in other = server;

	other.sin_port = (uint16_t)(server.sin_port ^ 0x0100);
	for (int i = 0; i < 2; i++)
		ends[i] = (int)need(socket(AF_INET, SOCK_DGRAM, 0));
	need(bind(ends[0], (const struct sockaddr *)&server, sizeof(server)));
	need(bind(ends[1], (const struct sockaddr *)&other, sizeof(other)));
	need(connect(ends[0], (const struct sockaddr *)&other, sizeof(other)));
	need(connect(ends[1], (const struct sockaddr *)&server, sizeof(server)));
}

static void end_pair(int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static void step_send(void)
{
	int ends[2];

	make_pair(ends);
	either(OPERATION(.opcode = IORING_OP_SEND, .fd = ends[0], .addr = address_of(buffer),
			 .len = 9, .msg_flags = MSG_DONTWAIT),
	       CALL(SYS_sendto, ends[0], buffer, 9, MSG_DONTWAIT, NULL, 0));
	end_pair(ends);
}

static void step_recv(void)
{
	int ends[2];

	make_pair(ends);
	need(send(ends[1], buffer, 9, 0));
	either(OPERATION(.opcode = IORING_OP_RECV, .fd = ends[0], .addr = address_of(buffer),
			 .len = BYTES, .msg_flags = MSG_DONTWAIT),
	       CALL(SYS_recvfrom, ends[0], buffer, BYTES, MSG_DONTWAIT, NULL, NULL));
	end_pair(ends);
}

static void step_recv_fails(void)
{
	int ends[2];

	make_pair(ends);
	either(OPERATION(.opcode = IORING_OP_RECV, .fd = ends[0], .addr = address_of(buffer),
			 .len = BYTES, .msg_flags = MSG_DONTWAIT),
	       CALL(SYS_recvfrom, ends[0], buffer, BYTES, MSG_DONTWAIT, NULL, NULL));
	end_pair(ends);
}

static void step_sendmsg(void)
{
	const struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = 2};
	int ends[2];

	make_pair(ends);
	either(OPERATION(.opcode = IORING_OP_SENDMSG, .fd = ends[0], .addr = address_of(&message),
			 .len = 1, .msg_flags = MSG_NOSIGNAL),
	       CALL(SYS_sendmsg, ends[0], &message, MSG_NOSIGNAL));
	end_pair(ends);
}

static void step_recvmsg(void)
{
	struct sockaddr_in from;
	struct msghdr message = {.msg_name = &from,
				 .msg_namelen = sizeof(from),
				 .msg_iov = (struct iovec *)parts,
				 .msg_iovlen = 2};
	int ends[2];

	make_pair(ends);
	need(send(ends[1], buffer, 9, 0));
	either(OPERATION(.opcode = IORING_OP_RECVMSG, .fd = ends[0], .addr = address_of(&message),
			 .len = 1),
	       CALL(SYS_recvmsg, ends[0], &message, 0));
	memcpy(buffer, "0123456789abcdef", BYTES);
	end_pair(ends);
}

/* What waits and wakes. */

static void step_epoll_ctl(void)
{
	int epoll = (int)need(epoll_create1(0)), ends[2];
	struct epoll_event event = {.events = EPOLLIN, .data = {.fd = 7}};

	need(pipe(ends));
	either(OPERATION(.opcode = IORING_OP_EPOLL_CTL, .fd = epoll, .len = EPOLL_CTL_ADD,
			 .off = (uint64_t)ends[0], .addr = address_of(&event)),
	       CALL(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, ends[0], &event));
	end_pair(ends);
	close(epoll);
}

static void step_waitid(void)
{
	siginfo_t status;
	pid_t child = (pid_t)need(fork());

	if (child == 0)
		_exit(3);
	either(OPERATION(.opcode = URING_WAITID, .fd = child, .len = P_PID,
			 .addr2 = address_of(&status), .file_index = WEXITED),
	       CALL(SYS_waitid, P_PID, child, &status, WEXITED, NULL));
	if (result < 0)
		waitpid(child, NULL, 0);
}

static void step_futex_wait(void)
{
	static uint32_t word = 5;

	either(OPERATION(.opcode = URING_FUTEX_WAIT, .fd = FUTEX2_OF_32_BITS,
			 .addr = address_of(&word), .addr2 = 6, .addr3 = FUTEX_BITSET_MATCH_ANY),
	       CALL(NR_FUTEX_WAIT, &word, 6, FUTEX_BITSET_MATCH_ANY, FUTEX2_OF_32_BITS));
}

static void step_futex_wake(void)
{
	static uint32_t word;

	either(OPERATION(.opcode = URING_FUTEX_WAKE, .fd = FUTEX2_OF_32_BITS,
			 .addr = address_of(&word), .addr2 = 1, .addr3 = FUTEX_BITSET_MATCH_ANY),
	       CALL(NR_FUTEX_WAKE, &word, FUTEX_BITSET_MATCH_ANY, 1, FUTEX2_OF_32_BITS));
}

/* A name has 13 characters at most; the number is that of the operation, which a kernel may lack.
 */
static const struct step {
	const char *name;
	unsigned int opcode;
	void (*take)(void);
} steps[] = {
	{"openat", IORING_OP_OPENAT, step_openat},
	{"openat-", IORING_OP_OPENAT, step_openat_fails},
	{"openat2", IORING_OP_OPENAT2, step_openat2},
	{"close", IORING_OP_CLOSE, step_close},
	{"close-", IORING_OP_CLOSE, step_close_fails},
	{"read", IORING_OP_READ, step_read},
	{"pread", IORING_OP_READ, step_pread},
	{"pread-", IORING_OP_READ, step_pread_fails},
	{"pwrite", IORING_OP_WRITE, step_pwrite},
	{"preadv", IORING_OP_READV, step_preadv},
	{"pwritev", IORING_OP_WRITEV, step_pwritev},
	{"fixed", IORING_OP_READ_FIXED, step_read_fixed},
	{"fsync", IORING_OP_FSYNC, step_fsync},
	{"fdatasync", IORING_OP_FSYNC, step_fdatasync},
	{"sync_range", IORING_OP_SYNC_FILE_RANGE, step_sync_range},
	{"fallocate", IORING_OP_FALLOCATE, step_fallocate},
	{"ftruncate", URING_FTRUNCATE, step_ftruncate},
	{"fadvise", IORING_OP_FADVISE, step_fadvise},
	{"madvise", IORING_OP_MADVISE, step_madvise},
	{"splice", IORING_OP_SPLICE, step_splice},
	{"tee", IORING_OP_TEE, step_tee},
	{"unlinkat", IORING_OP_UNLINKAT, step_unlinkat},
	{"unlinkat-", IORING_OP_UNLINKAT, step_unlinkat_fails},
	{"renameat2", IORING_OP_RENAMEAT, step_renameat2},
	{"mkdirat", IORING_OP_MKDIRAT, step_mkdirat},
	{"symlinkat", IORING_OP_SYMLINKAT, step_symlinkat},
	{"linkat", IORING_OP_LINKAT, step_linkat},
	{"statx", IORING_OP_STATX, step_statx},
	{"fsetxattr", IORING_OP_FSETXATTR, step_fsetxattr},
	{"fgetxattr", IORING_OP_FGETXATTR, step_fgetxattr},
	{"setxattr", IORING_OP_SETXATTR, step_setxattr},
	{"getxattr-", IORING_OP_GETXATTR, step_getxattr},
	{"socket", IORING_OP_SOCKET, step_socket},
	{"bind", URING_BIND, step_bind},
	{"listen", URING_LISTEN, step_listen},
	{"connect", IORING_OP_CONNECT, step_connect},
	{"connect-", IORING_OP_CONNECT, step_connect_fails},
	{"accept4", IORING_OP_ACCEPT, step_accept4},
	{"shutdown", IORING_OP_SHUTDOWN, step_shutdown},
	{"send", IORING_OP_SEND, step_send},
	{"recv", IORING_OP_RECV, step_recv},
	{"recv-", IORING_OP_RECV, step_recv_fails},
	{"sendmsg", IORING_OP_SENDMSG, step_sendmsg},
	{"recvmsg", IORING_OP_RECVMSG, step_recvmsg},
	{"epoll_ctl", IORING_OP_EPOLL_CTL, step_epoll_ctl},
	{"waitid", URING_WAITID, step_waitid},
	{"futex_wait-", URING_FUTEX_WAIT, step_futex_wait},
	{"futex_wake", URING_FUTEX_WAKE, step_futex_wake},
};

enum { OPCODES_ASKED = 256 };

static bool is_supported(unsigned int opcode)
{
	static uint64_t room[(sizeof(struct io_uring_probe) +
			      OPCODES_ASKED * sizeof(struct io_uring_probe_op)) /
			     sizeof(uint64_t)];
	struct io_uring_probe *probe = (void *)room;

	if (!probe->ops_len && uring_register(&ring, IORING_REGISTER_PROBE, probe, OPCODES_ASKED))
		return false;
	return opcode <= probe->last_op && (probe->ops[opcode].flags & IO_URING_OP_SUPPORTED);
}

static void take(const struct step *step)
{
	long direct;

	step_name = step->name;
	step_number++;
	if (!is_supported(step->opcode)) {
		printf("%s absent\n", step->name);
		return;
	}
	by_ring = false;
	step->take();
	direct = result;
	by_ring = true;
	step->take();
	printf("%s %ld %ld\n", step->name, direct, result);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	step_name = "begins";
	need(chdir(argv[1]));
	folder = (int)need(open(".", O_RDONLY | O_DIRECTORY));
	if (uring_open(&ring, 8, 0))
		return 77;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		take(&steps[i]);
	uring_close(&ring);
	return 0;
}
