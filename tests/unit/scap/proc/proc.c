/* SPDX-License-Identifier: MIT */
/* The /proc reader on the running system: this process, with descriptors of every kind. */
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

#include "real_proc.h"
#include "unit.h"

static void test_cgroup_owner(void **state)
{
	static const char none[] = "memory=/lanner-none/x";

	assert_int_equal(scap_proc_cgroup_owner(*state, "memory=", 7), 0);
	assert_int_equal(scap_proc_cgroup_owner(*state, none, sizeof(none) - 1), UINT32_MAX);
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
	/* The same without second threads. */
	assert_int_equal(scap_proc_rewind(*state), 0);
	seen_main = 0;
	while (scap_proc_next_process(*state, &thread) == 1) {
		assert_int_equal(thread.tid, thread.pid);
		seen_main += thread.tid == getpid();
	}
	assert_int_equal(seen_main, 1);
	assert_int_equal(scap_proc_next_process(*state, &thread), 0);
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

	fd = real_proc_fd(state, num);
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
	fd = real_proc_fd(state, num);
	assert_int_equal(fd.type, SCAP_FD_DIRECTORY);
	assert_string_equal(fd.name, "/tmp");
	assert_int_equal(fd.flags & ~0x800u, 0x1 | 0x400 | 0x2000);
	close(num);

	num = open("/dev/null", O_RDWR | O_APPEND | O_NONBLOCK | O_SYNC);
	fd = real_proc_fd(state, num);
	assert_int_equal(fd.type, SCAP_FD_FILE);
	assert_int_equal(fd.flags & ~0x800u, 0x3 | 0x8 | 0x10 | 0x40 | 0x80);
	close(num);

	num = open("/dev/null", O_WRONLY);
	assert_int_equal(real_proc_fd(state, num).flags & ~0x800u, 0x2);
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
	fd = real_proc_fd(state, num);
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
	fd = real_proc_fd(state, fds[0]);
	assert_int_equal(fd.type, SCAP_FD_PIPE);
	assert_string_equal(fd.name, name);
	assert_int_equal(fd.ino, st.st_ino);
	assert_int_equal(fd.flags & 0x1003, 0x1001);
	assert_int_equal(real_proc_fd(state, fds[1]).flags & 0x1003, 0x1002);
	close(fds[0]);
	close(fds[1]);
}

static void test_anonymous(void **state)
{
	sigset_t signals;
	struct scap_fd fd;
	int num;

	sigemptyset(&signals);
	real_proc_expect(state, eventfd(0, 0), SCAP_FD_EVENT);
	real_proc_expect(state, epoll_create1(EPOLL_CLOEXEC), SCAP_FD_EPOLL);
	real_proc_expect(state, signalfd(-1, &signals, 0), SCAP_FD_SIGNAL);
	real_proc_expect(state, timerfd_create(CLOCK_MONOTONIC, 0), SCAP_FD_TIMER);
	real_proc_expect(state, inotify_init1(0), SCAP_FD_INOTIFY);
	num = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (num >= 0)
		real_proc_expect(state, num, SCAP_FD_PIDFD);
	num = (int)syscall(SYS_userfaultfd, 0);
	if (num >= 0)
		real_proc_expect(state, num, SCAP_FD_USERFAULT);
	num = memfd_create("some name", 0);
	fd = real_proc_fd(state, num);
	assert_int_equal(fd.type, SCAP_FD_MEMFD);
	assert_int_equal(strncmp(fd.name, "/memfd:some name", 16), 0);
	close(num);
	num = open("/proc/self/ns/uts", O_RDONLY);
	fd = real_proc_fd(state, num);
	assert_int_equal(fd.type, SCAP_FD_FILE);
	assert_int_equal(strncmp(fd.name, "uts:[", 5), 0);
	close(num);
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_self, real_proc_open, real_proc_close),
	cmocka_unit_test_setup_teardown(test_cgroup_owner, real_proc_open, real_proc_close),
	cmocka_unit_test_setup_teardown(test_vanished, real_proc_open, real_proc_close),
	cmocka_unit_test(test_copy),
	cmocka_unit_test_setup_teardown(test_arguments, real_proc_open, real_proc_close),
	cmocka_unit_test_setup_teardown(test_kernel_thread, real_proc_open, real_proc_close),
	cmocka_unit_test_setup_teardown(test_walk, real_proc_open, real_proc_close),
	cmocka_unit_test_setup_teardown(test_files, real_proc_open, real_proc_close),
	cmocka_unit_test_setup_teardown(test_named_fifo, real_proc_open, real_proc_close),
	cmocka_unit_test_setup_teardown(test_pipe, real_proc_open, real_proc_close),
	cmocka_unit_test_setup_teardown(test_anonymous, real_proc_open, real_proc_close),
	cmocka_unit_test_setup_teardown(test_everything, real_proc_open, real_proc_close),
	cmocka_unit_test(test_open_fails),
};

UNIT_GROUP(tests);
