/* SPDX-License-Identifier: MIT */
/* The /proc reader on the running system: this process, with descriptors of every kind. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scap/proc/proc.h"

static int setup(void **state)
{
	struct scap_proc *proc;
	int r = scap_proc_open("/proc", &proc, NULL);

	*state = proc;
	return r;
}

static int teardown(void **state)
{
	scap_proc_close(*state);
	return 0;
}

/* A descriptor of this process; it is closed afterwards. */
static struct scap_fd look_up(void **state, int num)
{
	struct scap_fd fd;

	assert_true(num >= 0);
	assert_int_equal(scap_proc_fd(*state, getpid(), num, &fd), 0);
	assert_int_equal(fd.num, num);
	return fd;
}

static void expect_kind(void **state, int num, enum scap_fd_type type)
{
	struct scap_fd fd = look_up(state, num);

	assert_int_equal(fd.type, type);
	assert_non_null(fd.name);
	close(num);
}

static void test_self(void **state)
{
	struct scap_thread self;
	struct rlimit limit;
	char cwd[4096], exe[4096];
	struct stat st;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	uint64_t now = (uint64_t)time(NULL) * 1000000000;

	exe[n] = '\0';
	prctl(PR_SET_NAME, "odd) name\n(x");
	assert_int_equal(scap_proc_thread(*state, getpid(), &self), 0);
	assert_string_equal(self.comm, "odd) name\n(x");
	assert_int_equal(self.tid, getpid());
	assert_int_equal(self.pid, getpid());
	assert_int_equal(self.ptid, getppid());
	assert_int_equal(self.vtid, getpid());
	assert_int_equal(self.vpid, getpid());
	assert_int_equal(self.pgid, getpgrp());
	assert_int_equal(self.vpgid, getpgrp());
	assert_int_equal(self.sid, getsid(0));
	assert_int_equal(self.uid, geteuid());
	assert_int_equal(self.gid, getegid());
	assert_string_equal(self.cwd, getcwd(cwd, sizeof(cwd)));
	assert_string_equal(self.root, "/");
	assert_string_equal(self.exepath, exe);
	assert_true(strlen(self.exe) > 0);
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(self.exe_ino, st.st_ino);
	getrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(self.fd_limit, limit.rlim_cur);
	assert_true(self.start_ns > now - 600 * 1000000000ull);
	assert_true(self.start_ns < now + 2 * 1000000000ull);
	assert_true(self.vm_size_kib > self.vm_rss_kib && self.vm_rss_kib > 0);
	assert_true(self.faults_minor > 0);
	assert_true(self.exec_id != 0);
	assert_true(self.env_len > 0 && self.env[self.env_len - 1] == '\0');
}

static void test_vanished(void **state)
{
	struct scap_thread thread;
	struct scap_fd fd;
	const char *cwd;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	assert_true(child > 0);
	waitpid(child, NULL, 0);
	assert_int_equal(scap_proc_thread(*state, child, &thread), -ESRCH);
	assert_int_equal(scap_proc_fd(*state, child, 0, &fd), -ESRCH);
	assert_int_equal(scap_proc_fds(*state, child), -ESRCH);
	assert_int_equal(scap_proc_next_fd(*state, &fd), 0);
	assert_int_equal(scap_proc_cwd(*state, child, &cwd), -ESRCH);
	assert_int_equal(scap_proc_thread(*state, 0, &thread), -ESRCH);
	assert_int_equal(scap_proc_thread(*state, -1, &thread), -ESRCH);
	assert_int_equal(scap_proc_fd(*state, getpid(), 999999, &fd), -EBADF);
}

/* A child with arguments, an environment and a directory of its own, not yet waited for. */
static void test_arguments(void **state)
{
	char *const argv[] = {"cat-er", "-", "", NULL};
	char *const envp[] = {"A=1", "B=", NULL};
	struct scap_thread thread;
	const char *cwd;
	pid_t child;
	int in[2], out[2];
	char byte = 'x';

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		if (chdir("/usr/share") || dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0)
			_exit(1);
		execve("/bin/cat", argv, envp);
		_exit(1);
	}
	close(in[0]);
	close(out[1]);
	/* When it answers, the exec is over. */
	assert_int_equal(write(in[1], &byte, 1), 1);
	assert_int_equal(read(out[0], &byte, 1), 1);
	assert_int_equal(scap_proc_thread(*state, child, &thread), 0);
	kill(child, SIGKILL);
	close(in[1]);
	close(out[0]);
	assert_string_equal(thread.exe, "cat-er");
	assert_int_equal(thread.args_len, 3);
	assert_memory_equal(thread.args, "-\0\0", 3);
	assert_int_equal(thread.env_len, 7);
	assert_memory_equal(thread.env, "A=1\0B=\0", 7);
	assert_string_equal(thread.cwd, "/usr/share");
	assert_string_equal(thread.comm, "cat");
	assert_int_equal(thread.ptid, getpid());
	/* Dead, but not waited for: still there, without a program. */
	assert_int_equal(waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT), 0);
	assert_int_equal(scap_proc_thread(*state, child, &thread), 0);
	assert_string_equal(thread.exe, "");
	assert_string_equal(thread.exepath, "");
	assert_int_equal(thread.args_len, 0);
	assert_string_equal(thread.cwd, "");
	assert_true(scap_proc_cwd(*state, child, &cwd) < 0);
	waitpid(child, NULL, 0);
}

static void test_kernel_thread(void **state)
{
	struct scap_thread thread;

	if (scap_proc_thread(*state, 2, &thread) != 0 || strcmp(thread.comm, "kthreadd") != 0)
		skip();
	assert_string_equal(thread.exe, "");
	assert_string_equal(thread.exepath, "");
	assert_int_equal(thread.args_len, 0);
	assert_int_equal(thread.env_len, 0);
	assert_int_equal(thread.exe_ino, 0);
	assert_int_equal(thread.ptid, 0);
}

static void *wait_in_thread(void *argument)
{
	int *fds = argument;
	char byte = 0;
	int64_t tid = gettid();

	prctl(PR_SET_NAME, "second");
	if (write(fds[1], &tid, sizeof(tid)) < 0 || read(fds[2], &byte, 1) < 0)
		abort();
	return NULL;
}

/* The walk gives every thread once, main threads first, while fds are walked in between. */
static void test_walk(void **state)
{
	int fds[4];
	int64_t second;
	unsigned int seen_main = 0, seen_second = 0, all = 0, own_fds = 0;
	struct scap_thread thread;
	struct scap_fd fd;
	pthread_t other;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pipe(fds + 2), 0);
	assert_int_equal(pthread_create(&other, NULL, wait_in_thread, fds), 0);
	assert_int_equal(read(fds[0], &second, sizeof(second)), sizeof(second));
	assert_int_equal(scap_proc_rewind(*state), 0);
	while (scap_proc_next(*state, &thread) == 1) {
		all++;
		if (thread.tid == getpid()) {
			seen_main++;
			assert_int_equal(scap_proc_fds(*state, thread.tid), 0);
			while (scap_proc_next_fd(*state, &fd) == 1)
				own_fds++;
		} else if (thread.tid == second) {
			assert_int_equal(seen_main, 1);
			seen_second++;
			assert_int_equal(thread.pid, getpid());
			assert_string_equal(thread.comm, "second");
			assert_true(strlen(thread.exepath) > 0);
			assert_true(thread.fd_limit > 0);
		}
	}
	assert_int_equal(scap_proc_next(*state, &thread), 0);
	assert_int_equal(seen_main, 1);
	assert_int_equal(seen_second, 1);
	assert_true(all > 2);
	assert_true(own_fds >= 7);
	assert_int_equal(scap_proc_thread(*state, second, &thread), 0);
	assert_int_equal(thread.tid, second);
	assert_int_equal(thread.pid, getpid());
	assert_int_equal(write(fds[3], "x", 1), 1);
	pthread_join(other, NULL);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
}

static void test_files(void **state)
{
	struct scap_fd fd;
	struct stat st;
	int num = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

	fd = look_up(state, num);
	fstat(num, &st);
	assert_int_equal(fd.type, SCAP_FD_FILE);
	assert_string_equal(fd.name, "/etc/passwd");
	assert_int_equal(fd.ino, st.st_ino);
	assert_int_equal(fd.dev, (minor(st.st_dev) & 0xff) | major(st.st_dev) << 8 |
					 (minor(st.st_dev) & ~0xffu) << 12);
	/* O_LARGEFILE is set by the kernel on 64-bit machines. */
	assert_int_equal(fd.flags & ~0x800u, 0x1001);
	close(num);

	num = open("/tmp", O_RDONLY | O_DIRECTORY);
	fd = look_up(state, num);
	assert_int_equal(fd.type, SCAP_FD_DIRECTORY);
	assert_string_equal(fd.name, "/tmp");
	assert_int_equal(fd.flags & ~0x800u, 0x1 | 0x400 | 0x2000);
	close(num);

	num = open("/dev/null", O_RDWR | O_APPEND | O_NONBLOCK | O_SYNC);
	fd = look_up(state, num);
	assert_int_equal(fd.type, SCAP_FD_FILE);
	assert_int_equal(fd.flags & ~0x800u, 0x3 | 0x8 | 0x10 | 0x40 | 0x80);
	close(num);

	num = open("/dev/null", O_WRONLY);
	assert_int_equal(look_up(state, num).flags & ~0x800u, 0x2);
	close(num);
}

static void test_named_fifo(void **state)
{
	char path[] = "/tmp/lanner-fifo-XXXXXX";
	struct scap_fd fd;
	int num;

	assert_non_null(mkdtemp(path));
	rmdir(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	num = open(path, O_RDWR);
	fd = look_up(state, num);
	assert_int_equal(fd.type, SCAP_FD_PIPE);
	assert_string_equal(fd.name, path);
	close(num);
	unlink(path);
}

static void test_pipe(void **state)
{
	struct scap_fd fd;
	struct stat st;
	char name[64];
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	fstat(fds[0], &st);
	snprintf(name, sizeof(name), "pipe:[%" PRIu64 "]", (uint64_t)st.st_ino);
	fd = look_up(state, fds[0]);
	assert_int_equal(fd.type, SCAP_FD_PIPE);
	assert_string_equal(fd.name, name);
	assert_int_equal(fd.ino, st.st_ino);
	assert_int_equal(fd.flags & 0x1003, 0x1001);
	assert_int_equal(look_up(state, fds[1]).flags & 0x1003, 0x1002);
	close(fds[0]);
	close(fds[1]);
}

static void test_anonymous(void **state)
{
	sigset_t signals;
	struct scap_fd fd;
	int num;

	sigemptyset(&signals);
	expect_kind(state, eventfd(0, 0), SCAP_FD_EVENT);
	expect_kind(state, epoll_create1(EPOLL_CLOEXEC), SCAP_FD_EPOLL);
	expect_kind(state, signalfd(-1, &signals, 0), SCAP_FD_SIGNAL);
	expect_kind(state, timerfd_create(CLOCK_MONOTONIC, 0), SCAP_FD_TIMER);
	expect_kind(state, inotify_init1(0), SCAP_FD_INOTIFY);
	num = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (num >= 0)
		expect_kind(state, num, SCAP_FD_PIDFD);
	num = (int)syscall(SYS_userfaultfd, 0);
	if (num >= 0)
		expect_kind(state, num, SCAP_FD_USERFAULT);
	num = memfd_create("some name", 0);
	fd = look_up(state, num);
	assert_int_equal(fd.type, SCAP_FD_MEMFD);
	assert_int_equal(strncmp(fd.name, "/memfd:some name", 16), 0);
	close(num);
	num = open("/proc/self/ns/uts", O_RDONLY);
	fd = look_up(state, num);
	assert_int_equal(fd.type, SCAP_FD_FILE);
	assert_int_equal(strncmp(fd.name, "uts:[", 5), 0);
	close(num);
}

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr = {htonl(INADDR_LOOPBACK)},
	};
}

static uint16_t port_of(int num)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);

	assert_int_equal(getsockname(num, (struct sockaddr *)&address, &len), 0);
	return ntohs(((struct sockaddr_in *)&address)->sin_port); /* in the same place in both */
}

static int listen_on_loopback(void)
{
	struct sockaddr_in address = loopback(0);
	int num = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(num, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(num, 5), 0);
	return num;
}

/* The reader keeps a table for a second; a new one sees every socket made so far. */
static void read_anew(void **state)
{
	teardown(state);
	assert_int_equal(setup(state), 0);
}

static void test_tcp(void **state)
{
	static const uint8_t localhost[16] = {127, 0, 0, 1};
	int server = listen_on_loopback(), client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = loopback(port_of(server));
	struct scap_fd fd;
	int accepted;

	assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof(address)), 0);
	accepted = accept(server, NULL, NULL);
	read_anew(state);

	fd = look_up(state, server);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_int_equal(fd.l4, SCAP_L4_TCP);
	assert_memory_equal(fd.local.address, localhost, 16);
	assert_int_equal(fd.local.port, port_of(server));
	assert_int_equal(fd.remote.port, 0);
	assert_string_equal(fd.name, "");

	fd = look_up(state, client);
	assert_int_equal(fd.local.port, port_of(client));
	assert_int_equal(fd.remote.port, port_of(server));
	assert_memory_equal(fd.remote.address, localhost, 16);

	fd = look_up(state, accepted);
	assert_int_equal(fd.local.port, port_of(server));
	assert_int_equal(fd.remote.port, port_of(client));
	close(server);
	close(client);
	close(accepted);
}

static void test_ipv6(void **state)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	static const uint8_t loop[16] = {[15] = 1};
	struct scap_fd fd;
	int num = socket(AF_INET6, SOCK_DGRAM, 0);

	if (num < 0 || bind(num, (struct sockaddr *)&address, sizeof(address)) < 0)
		skip();
	read_anew(state);
	fd = look_up(state, num);
	assert_int_equal(fd.type, SCAP_FD_IPV6);
	assert_int_equal(fd.l4, SCAP_L4_UDP);
	assert_memory_equal(fd.local.address, loop, 16);
	assert_int_equal(fd.local.port, port_of(num));
	close(num);
}

/* IPv4 through an IPv6 socket counts as what goes over the wire. */
static void test_mapped_ipv4(void **state)
{
	static const uint8_t localhost[16] = {127, 0, 0, 1};
	struct sockaddr_in6 address = {.sin6_family = AF_INET6};
	int server = listen_on_loopback(), client = socket(AF_INET6, SOCK_STREAM, 0);
	struct scap_fd fd;

	address.sin6_port = htons(port_of(server));
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
	if (client < 0 || connect(client, (struct sockaddr *)&address, sizeof(address)) < 0)
		skip();
	read_anew(state);
	fd = look_up(state, client);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_memory_equal(fd.local.address, localhost, 16);
	assert_memory_equal(fd.remote.address, localhost, 16);
	assert_int_equal(fd.remote.port, port_of(server));
	close(server);
	close(client);
}

static void test_udp_and_raw(void **state)
{
	struct sockaddr_in address = loopback(0);
	struct scap_fd fd;
	int udp = socket(AF_INET, SOCK_DGRAM, 0), raw = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);

	assert_int_equal(bind(udp, (struct sockaddr *)&address, sizeof(address)), 0);
	read_anew(state);
	fd = look_up(state, udp);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_int_equal(fd.l4, SCAP_L4_UDP);
	assert_int_equal(fd.local.port, port_of(udp));
	close(udp);
	if (raw < 0)
		return;
	fd = look_up(state, raw);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_int_equal(fd.l4, SCAP_L4_RAW);
	assert_int_equal(fd.local.port, 0);
	close(raw);
}

static void expect_unbound(void **state, int family, int type, enum scap_fd_type expected,
			   enum scap_l4 l4)
{
	int num = socket(family, type, 0);
	struct scap_fd fd;

	if (num < 0)
		return;
	fd = look_up(state, num);
	assert_int_equal(fd.type, expected);
	assert_int_equal(fd.l4, l4);
	assert_int_equal(fd.local.port, 0);
	assert_true(fd.ino > 0);
	close(num);
}

/* Sockets that no table lists: they are not bound, or of a family without one. */
static void test_unbound(void **state)
{
	expect_unbound(state, AF_INET, SOCK_STREAM, SCAP_FD_IPV4, SCAP_L4_TCP);
	expect_unbound(state, AF_INET6, SOCK_STREAM, SCAP_FD_IPV6, SCAP_L4_TCP);
	expect_unbound(state, AF_INET, SOCK_DGRAM, SCAP_FD_IPV4, SCAP_L4_UDP);
	expect_unbound(state, AF_INET6, SOCK_DGRAM, SCAP_FD_IPV6, SCAP_L4_UDP);
	expect_unbound(state, AF_PACKET, SOCK_DGRAM, SCAP_FD_UNSUPPORTED, SCAP_L4_UNKNOWN);
	expect_unbound(state, AF_UNIX, SOCK_STREAM, SCAP_FD_UNIX, SCAP_L4_UNKNOWN);
	expect_unbound(state, AF_UNIX, SOCK_DGRAM, SCAP_FD_UNIX, SCAP_L4_UNKNOWN);
	expect_unbound(state, AF_NETLINK, SOCK_RAW, SCAP_FD_NETLINK, SCAP_L4_UNKNOWN);
}

static void test_unix(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct scap_fd fd;
	int pair[2], num = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/lanner sock %d", getpid());
	assert_int_equal(bind(num, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	read_anew(state);
	fd = look_up(state, num);
	assert_int_equal(fd.type, SCAP_FD_UNIX);
	assert_string_equal(fd.name, address.sun_path);
	fd = look_up(state, pair[0]);
	assert_int_equal(fd.type, SCAP_FD_UNIX);
	assert_string_equal(fd.name, "");
	unlink(address.sun_path);
	close(num);
	close(pair[0]);
	close(pair[1]);
}

static void test_netlink(void **state)
{
	int num = socket(AF_NETLINK, SOCK_RAW, 0);

	read_anew(state);
	expect_kind(state, num, SCAP_FD_NETLINK);
}

/* A scan of the whole system finds more than this process. */
static void test_everything(void **state)
{
	struct scap_thread thread;
	struct scap_fd fd;
	unsigned int threads = 0, fds = 0;

	assert_int_equal(scap_proc_rewind(*state), 0);
	while (scap_proc_next(*state, &thread) == 1) {
		threads++;
		if (thread.tid != thread.pid || scap_proc_fds(*state, thread.tid) < 0)
			continue;
		while (scap_proc_next_fd(*state, &fd) == 1)
			fds++;
	}
	assert_true(threads > 1 && fds > 3);
}

static void test_open_fails(void **state)
{
	struct scap_proc *proc;
	struct error err = {""};

	assert_int_equal(scap_proc_open("/nonexistent/proc", &proc, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/proc"));
	assert_int_equal(scap_proc_open("/etc/passwd", &proc, NULL), -ENOTDIR);
	scap_proc_close(NULL);
}

/* The same threads as of the one that was opened, which may be closed before. */
static void test_copy(void **state)
{
	struct scap_proc *first, *copy;
	struct scap_thread thread;

	assert_int_equal(scap_proc_open("/proc", &first, NULL), 0);
	assert_int_equal(scap_proc_copy(first, &copy), 0);
	assert_int_not_equal(scap_proc_dir(first), scap_proc_dir(copy));
	scap_proc_close(first);
	assert_int_equal(scap_proc_thread(copy, getpid(), &thread), 0);
	assert_int_equal(thread.pid, getpid());
	scap_proc_close(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_self, setup, teardown),
		cmocka_unit_test_setup_teardown(test_vanished, setup, teardown),
		cmocka_unit_test(test_copy),
		cmocka_unit_test_setup_teardown(test_arguments, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kernel_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(test_walk, setup, teardown),
		cmocka_unit_test_setup_teardown(test_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_named_fifo, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pipe, setup, teardown),
		cmocka_unit_test_setup_teardown(test_anonymous, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tcp, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ipv6, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mapped_ipv4, setup, teardown),
		cmocka_unit_test_setup_teardown(test_udp_and_raw, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unbound, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unix, setup, teardown),
		cmocka_unit_test_setup_teardown(test_netlink, setup, teardown),
		cmocka_unit_test_setup_teardown(test_everything, setup, teardown),
		cmocka_unit_test(test_open_fails),
	};

	return cmocka_run_group_tests_name("proc", tests, NULL, NULL);
}
