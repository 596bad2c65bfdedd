/* SPDX-License-Identifier: MIT */
/* The calls of each role: those that it needs go through, others are rejected. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "in_child.h"
#include "privileges/calls.h"
#include "unit.h"

struct limits {
	enum privileges_role role;
	bool reloads, log;
};

static int limit(const struct limits *limits)
{
	if (!calls_can_be_limited())
		return IN_CHILD_SKIP;
	EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	EXPECT(calls_limit(limits->role, limits->reloads, limits->log) == 0);
	return 0;
}

/* Whether the filter rejects a call: the kernel would find other faults in these. */
static bool is_rejected(long result)
{
	return result == -1 && errno == EPERM;
}

static void *end_thread(void *context)
{
	return context;
}

/* What no role can do, and what each can. */
static int expect_common(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	pthread_t thread;
	void *memory, *result;

	EXPECT(is_rejected(syscall(SYS_execve, "", NULL, NULL)));
	EXPECT(is_rejected(fork()));
	EXPECT(is_rejected(unshare(CLONE_NEWNS)));
	EXPECT(is_rejected(mount(NULL, "", NULL, 0, NULL)));
	EXPECT(is_rejected(ptrace(PTRACE_PEEKDATA, -1, NULL, NULL)));
	EXPECT(is_rejected(syscall(SYS_process_vm_readv, -1, NULL, 0, NULL, 0, 0)));
	EXPECT(is_rejected(syscall(SYS_init_module, NULL, 0, NULL)));
	EXPECT(is_rejected(syscall(SYS_keyctl, -1)));
	EXPECT(is_rejected(syscall(SYS_inotify_init1, 0)));
	EXPECT(is_rejected(setuid((uid_t)-1)));
	EXPECT(syscall(SYS_io_uring_setup, 0, NULL) == -1 && errno == ENOSYS);
	memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(memory != MAP_FAILED);
	EXPECT(mprotect(memory, page, PROT_READ | PROT_EXEC) == 0);
	EXPECT(pthread_create(&thread, NULL, end_thread, memory) == 0);
	EXPECT(pthread_join(thread, &result) == 0 && result == memory);
	EXPECT(access("/proc/self/status", R_OK) == 0);
	alarm(1);
	alarm(0);
	return 0;
}

/* Memory that can be written and executed. */
static int expect_exec_memory(bool allowed)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int both = PROT_WRITE | PROT_EXEC;
	void *memory = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(memory != MAP_FAILED);
	EXPECT(is_rejected(mprotect(memory, page, both)) == !allowed);
	EXPECT(is_rejected((long)mmap(NULL, page, both, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) ==
	       !allowed);
	return 0;
}

static long bpf(enum bpf_cmd command)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)-1;
	return syscall(SYS_bpf, command, &attr, sizeof(attr));
}

static int expect_no_events(void)
{
	EXPECT(is_rejected(bpf(BPF_MAP_LOOKUP_ELEM)));
	EXPECT(is_rejected(syscall(SYS_perf_event_open, NULL, -1, 0, -1, 0)));
	EXPECT(is_rejected(kill(getpid(), 0)));
	EXPECT(is_rejected(syscall(SYS_capset, NULL, NULL)));
	return expect_exec_memory(false);
}

static int expect_network(void)
{
	struct addrinfo *addresses;
	int fds[2];

	EXPECT(socket(AF_INET, SOCK_STREAM, 0) >= 0);
	EXPECT(socket(AF_UNIX, SOCK_DGRAM, 0) >= 0);
	EXPECT(is_rejected(socket(AF_PACKET, SOCK_RAW, 0)));
	EXPECT(is_rejected(socket(AF_VSOCK, SOCK_STREAM, 0)));
	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	EXPECT(send(fds[0], "x", 1, MSG_NOSIGNAL) == 1);
	EXPECT(getaddrinfo("localhost", "80", NULL, &addresses) == 0);
	return 0;
}

static int try_events(void *context)
{
	const struct limits *limits = context;
	int result = limit(limits);

	if (result == 0)
		result = expect_common();
	if (result == 0)
		result = expect_network();
	if (result)
		return result;
	EXPECT(bpf(BPF_MAP_LOOKUP_ELEM) == -1 && errno == EBADF);
	EXPECT(bpf(BPF_MAP_GET_NEXT_KEY) == -1 && errno == EBADF);
	/* Another process loads, and opens rings for a run with reloads. */
	EXPECT(is_rejected(bpf(BPF_PROG_LOAD)));
	EXPECT(!is_rejected(bpf(BPF_LINK_CREATE)));
	EXPECT(!is_rejected(bpf(BPF_ITER_CREATE)));
	EXPECT(is_rejected(syscall(SYS_perf_event_open, NULL, -1, 0, -1, 0)) == limits->reloads);
	EXPECT(kill(getpid(), 0) == 0);
	/* Who enters namespaces began before. */
	EXPECT(is_rejected(setns(-1, CLONE_NEWNET)));
	return expect_exec_memory(limits->reloads);
}

static void test_events(void **state)
{
	struct limits limits[] = {{ROLE_EVENTS, .reloads = false}, {ROLE_EVENTS, .reloads = true}};

	if (geteuid())
		skip(); /* the kernel's own -EPERM would look the same */
	in_child(try_events, &limits[0]);
	in_child(try_events, &limits[1]);
}

/* Of a thread that neither captures nor loads. */
static int expect_no_capture(void *context)
{
	int result = limit(context);

	if (result == 0)
		result = expect_common();
	return result == 0 ? expect_no_events() : result;
}

/* Enters namespaces of processes, and asks the kernel there; it speaks with nobody else. */
static int try_namespaces(void *context)
{
	int result = expect_no_capture(context);

	if (result)
		return result;
	EXPECT(setns(-1, CLONE_NEWNET) == -1 && errno == EBADF);
	EXPECT(socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
	EXPECT(is_rejected(socket(AF_INET, SOCK_STREAM, 0)));
	EXPECT(is_rejected(socket(AF_UNIX, SOCK_STREAM, 0)));
	EXPECT(is_rejected(bind(-1, NULL, 0)));
	EXPECT(is_rejected(connect(-1, NULL, 0)));
	return 0;
}

static void test_namespaces(void **state)
{
	struct limits limits = {ROLE_NAMESPACES};

	if (geteuid())
		skip(); /* setns() returns EPERM without privileges */
	in_child(try_namespaces, &limits);
}

static int try_network(void *context)
{
	const struct limits *limits = context;
	int result = expect_no_capture(context);

	if (result == 0)
		result = expect_network();
	if (result)
		return result;
	EXPECT(is_rejected(unlink("/nonexistent/file")) == (limits->role == ROLE_METADATA));
	/* The process that tests readiness. */
	EXPECT(is_rejected(syscall(SYS_clone, CLONE_VM | CLONE_VFORK, NULL, NULL, NULL, NULL)));
	EXPECT(is_rejected(waitpid(-1, NULL, WNOHANG)) == (limits->role != ROLE_CONTROL));
	return 0;
}

static void test_network(void **state)
{
	struct limits limits[] = {{ROLE_METADATA}, {ROLE_OUTPUT}, {ROLE_CONTROL}};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		in_child(try_network, &limits[i]);
}

/* Maps that are open; files, but no links, and no other owners. */
static int expect_profiles(void)
{
	char folder[] = "/tmp/lanner-calls-XXXXXX", path[64];
	int fd, top;

	EXPECT(bpf(BPF_MAP_LOOKUP_ELEM) == -1 && errno == EBADF);
	EXPECT(is_rejected(bpf(BPF_LINK_CREATE)));
	EXPECT(is_rejected(bpf(BPF_RAW_TRACEPOINT_OPEN)));
	EXPECT(is_rejected(bpf(BPF_ITER_CREATE)));
	EXPECT(is_rejected(bpf(BPF_PROG_LOAD)));
	EXPECT(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0);
	/* Names below the roots of processes. */
	EXPECT(!is_rejected(syscall(SYS_openat2, AT_FDCWD, "/dev/null", NULL, 0)));
	EXPECT(is_rejected(link("/nonexistent/a", "/nonexistent/b")));
	EXPECT(is_rejected(symlink("a", "/nonexistent/b")));
	EXPECT(is_rejected(chown("/nonexistent/a", 0, 0)));
	EXPECT(is_rejected(chmod("/nonexistent/a", 0)));
	EXPECT(is_rejected(truncate("/nonexistent/a", 0)));
	/* What it does with its folder. */
	snprintf(path, sizeof(path), "%s-%d", folder, (int)getpid());
	EXPECT(mkdirat(AT_FDCWD, path, 0700) == 0);
	top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = openat(top, "a", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	EXPECT(fd >= 0 && fchmod(fd, 0640) == 0);
	EXPECT(renameat(top, "a", top, "b") == 0 && unlinkat(top, "b", 0) == 0);
	EXPECT(unlinkat(AT_FDCWD, path, AT_REMOVEDIR) == 0);
	return 0;
}

static int try_profiles(void *context)
{
	const struct limits *limits = context;
	int result = limit(context), fds[2];

	if (result == 0)
		result = expect_common();
	if (result == 0)
		result = expect_profiles();
	if (result == 0 && limits->role == ROLE_PROFILES_SENT)
		result = expect_network();
	if (result)
		return result;
	if (limits->role == ROLE_PROFILES) {
		EXPECT(is_rejected(socket(AF_INET, SOCK_STREAM, 0)));
		EXPECT(is_rejected(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)));
		EXPECT(is_rejected(connect(-1, NULL, 0)));
	}
	EXPECT(is_rejected(bind(-1, NULL, 0)));
	EXPECT(is_rejected(listen(-1, 0)));
	EXPECT(is_rejected(accept(-1, NULL, NULL)));
	return expect_exec_memory(false);
}

static void test_profiles(void **state)
{
	struct limits limits[] = {{ROLE_PROFILES}, {ROLE_PROFILES_SENT}};

	if (geteuid())
		skip(); /* the kernel's own -EPERM would look the same */
	in_child(try_profiles, &limits[0]);
	in_child(try_profiles, &limits[1]);
}

/* What loads programs does that, and nothing else. */
static int try_loader(void *context)
{
	pthread_t thread;
	void *ended;
	int result = limit(context), fds[2];

	if (result)
		return result;
	EXPECT(!is_rejected(bpf(BPF_PROG_LOAD)) && !is_rejected(bpf(BPF_MAP_CREATE)));
	EXPECT(!is_rejected(bpf(BPF_ITER_CREATE)));
	EXPECT(bpf(BPF_MAP_LOOKUP_ELEM) == -1 && errno == EBADF);
	EXPECT(is_rejected(bpf(BPF_PROG_ATTACH)));
	EXPECT(is_rejected(bpf(BPF_OBJ_PIN)));
	EXPECT(is_rejected(bpf(BPF_MAP_GET_FD_BY_ID)));
	EXPECT(syscall(SYS_perf_event_open, NULL, -1, 0, -1, 0) == -1 && errno == EFAULT);
	EXPECT(open("/dev/null", O_RDONLY) >= 0);
	EXPECT(is_rejected(socket(AF_UNIX, SOCK_STREAM, 0)));
	EXPECT(is_rejected(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)));
	EXPECT(is_rejected(syscall(SYS_clone, 0, NULL, NULL, NULL, NULL)));
	/* It loads programs side by side. */
	EXPECT(pthread_create(&thread, NULL, end_thread, fds) == 0);
	EXPECT(pthread_join(thread, &ended) == 0 && ended == fds);
	EXPECT(is_rejected(syscall(SYS_execve, "", NULL, NULL)));
	EXPECT(is_rejected(unlink("/nonexistent/file")));
	EXPECT(is_rejected(kill(getppid(), 0)));
	EXPECT(is_rejected(ptrace(PTRACE_PEEKDATA, -1, NULL, NULL)));
	EXPECT(is_rejected(mount(NULL, "", NULL, 0, NULL)));
	return expect_exec_memory(false);
}

static void test_loader(void **state)
{
	struct limits limits = {ROLE_LOADER};

	if (geteuid())
		skip(); /* the kernel's own -EPERM would look the same */
	in_child(try_loader, &limits);
}

static int try_processes(void *context)
{
	int result = expect_no_capture(context);

	if (result)
		return result;
	EXPECT(is_rejected(socket(AF_UNIX, SOCK_STREAM, 0)));
	EXPECT(is_rejected(unlink("/nonexistent/file")));
	return 0;
}

static void test_processes(void **state)
{
	struct limits limits = {ROLE_PROCESSES};

	in_child(try_processes, &limits);
}

/* A role can be entered in a thread of another one. */
static int try_narrowing(void *context)
{
	struct limits network = {ROLE_OUTPUT};
	int result = limit(context);

	if (result == 0)
		result = limit(&network);
	if (result == 0)
		result = expect_no_events();
	return result ? result : expect_network();
}

static void test_narrowing(void **state)
{
	struct limits limits = {ROLE_EVENTS};

	in_child(try_narrowing, &limits);
}

static int try_log(void *context)
{
	int result = limit(context);

	if (result)
		return result;
	EXPECT(mount(NULL, "", NULL, 0, NULL) == -1 && errno == ENOENT);
	return 0;
}

/* Calls that are not in the list go through. */
static void test_log(void **state)
{
	struct limits limits = {ROLE_EVENTS, .log = true};

	if (geteuid())
		skip();
	in_child(try_log, &limits);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_loader),	  cmocka_unit_test(test_events),
	cmocka_unit_test(test_network),	  cmocka_unit_test(test_namespaces),
	cmocka_unit_test(test_processes), cmocka_unit_test(test_narrowing),
	cmocka_unit_test(test_log),	  cmocka_unit_test(test_profiles),
};

UNIT_GROUP(tests);
