/* SPDX-License-Identifier: MIT */
/* System calls by role, as one table that libseccomp makes filters of. */
#include "privileges/calls.h"

#include <errno.h>

#include "util/count.h"

#ifdef WITH_SECCOMP

#include <linux/bpf.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	NAME_BYTES = 64,
	TREE = 2, /* the filter is a binary tree: a few steps for each call */
	MAP_COMMANDS = 6, /* of bpf(), the first in their list: maps that are open */
	HELD_COMMANDS = 9, /* and programs */
};

/*
 * Bits of roles. The event thread creates all other threads, which inherit its filter: it has all
 * of their calls, but for those of counters, of samples' CPUs and of probes, which are there
 * before.
 */
#define OF(role) (1U << (role))
#define LOADER OF(ROLE_LOADER)
#define COUNTERS OF(ROLE_COUNTERS)
#define PROBES OF(ROLE_PROBES)
#define PROFILES (OF(ROLE_PROFILES) | OF(ROLE_PROFILES_SENT))
#define THREADS ((OF(PRIVILEGES_ROLES) - 1) & ~LOADER)
#define NETWORK (OF(ROLE_METADATA) | OF(ROLE_OUTPUT) | OF(ROLE_CONTROL))
#define CONNECTING (NETWORK | OF(ROLE_PROFILES_SENT))
#define WRITERS (OF(ROLE_OUTPUT) | OF(ROLE_CONTROL))
#define EVENTS OF(ROLE_EVENTS)

/* Names that an architecture or libseccomp does not know are left out. */
static const struct {
	unsigned int roles;
	const char *calls; /* separated by blanks */
} groups[] = {
	/* Memory: mmap and mprotect are below. */
	{THREADS, "brk madvise mincore mlock mlock2 mremap msync munlock munmap memfd_create"},
	/* Threads. clone is below. */
	{THREADS, "arch_prctl exit exit_group futex futex_waitv get_robust_list getcpu membarrier "
		  "prctl rseq "
		  "sched_getaffinity sched_getparam sched_getscheduler sched_yield set_robust_list "
		  "set_tid_address"},
	/* Time and timers. */
	{THREADS,
	 "alarm clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep "
	 "setitimer "
	 "time "
	 "timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create "
	 "timerfd_gettime timerfd_settime times"},
	/* Signals; tgkill is also abort(). */
	{THREADS, "pause restart_syscall rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn "
		  "rt_sigsuspend "
		  "rt_sigtimedwait sigaltstack signalfd4 tgkill"},
	/* What the caller is. */
	{THREADS,
	 "capget getegid geteuid getgid getgroups getpgid getpgrp getpid getppid getpriority "
	 "getresgid "
	 "getresuid getrlimit getrusage getsid gettid getuid prlimit64 sysinfo umask uname "
	 "getrandom"},
	/* Descriptors. */
	{THREADS,
	 "close close_range copy_file_range dup dup2 dup3 epoll_create epoll_create1 epoll_ctl "
	 "epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 fadvise64 fallocate fcntl fdatasync "
	 "flock fstat fstatfs fsync ftruncate ioctl lseek pipe pipe2 poll ppoll pread64 preadv "
	 "preadv2 pselect6 pwrite64 pwritev pwritev2 read readahead readv select sendfile splice "
	 "sync_file_range syncfs write writev"},
	/* Files by their paths. */
	{THREADS, "access chdir faccessat faccessat2 fchdir fgetxattr getcwd getdents64 getxattr "
		  "lstat newfstatat open openat openat2 readlink readlinkat stat statfs statx"},
	/* Opening for writing cannot be told apart: openat2 has its flags in memory, and names
	 * below the roots of processes need it.
	 */
	{PROFILES, "fchmod mkdirat renameat renameat2 unlinkat"},
	{WRITERS,
	 "chmod creat fchmod fchmodat fchmodat2 fchown fchownat link linkat mkdir mkdirat rename "
	 "renameat renameat2 rmdir symlink symlinkat truncate unlink unlinkat utimensat"},
	/* Sockets. socket is below. */
	{NETWORK, "accept accept4 bind listen"},
	{CONNECTING, "connect getpeername getsockname getsockopt recvfrom recvmmsg recvmsg "
		     "sendmmsg sendmsg sendto setsockopt shutdown socketpair"},
	/* What it asks the process that reads for it. */
	{OF(ROLE_PROCESSES), "recvfrom recvmsg sendmsg sendto"},
	/* The kernel's tables in other network namespaces. */
	{OF(ROLE_NAMESPACES), "recvfrom recvmsg sendmsg sendto setns setsockopt"},
	/* The end of the process that tests readiness, or of a command. */
	{OF(ROLE_CONTROL), "wait4 waitid"},
	/* From CPU to CPU. */
	{OF(ROLE_HEARTBEAT), "sched_get_priority_max sched_setaffinity"},
	/* Compression in the background. */
	{OF(ROLE_OUTPUT) | PROFILES, "ioprio_set sched_setscheduler setpriority"},
	/* A command that is captured, another process, and what limits new threads. */
	{EVENTS,
	 "capset kill landlock_add_rule landlock_create_ruleset landlock_restrict_self pidfd_open "
	 "seccomp"},
	/* Control groups that come, and their counters. */
	{COUNTERS, "inotify_add_watch inotify_rm_watch perf_event_open"},
	/* Probes in programs. */
	{PROBES, "inotify_add_watch inotify_rm_watch perf_event_open"},
	/* The other process: memory, itself, threads, answers, what the kernel says of itself. */
	{LOADER,
	 "brk madvise membarrier mremap munmap memfd_create mlock clock_gettime clock_nanosleep "
	 "gettimeofday nanosleep restart_syscall rt_sigaction rt_sigprocmask rt_sigreturn "
	 "sigaltstack tgkill "
	 "exit exit_group futex rseq set_robust_list getegid geteuid getgid getpid getrandom "
	 "gettid getuid "
	 "getrlimit prlimit64 sched_getaffinity sched_yield sysinfo uname "
	 "close dup dup2 dup3 fcntl fstat ioctl lseek poll ppoll pread64 read readv recvmsg "
	 "sendmsg write writev access faccessat faccessat2 lstat newfstatat open openat "
	 "getdents64 readlink readlinkat stat statx capget fstatfs"},
	/* Programs; tracefs where it is not mounted, which takes CAP_SYS_ADMIN. */
	{LOADER, "perf_event_open fsconfig fsmount fsopen"},
};

/* Libraries try these first, and do without. */
static const char unknown[] = "clone3 io_uring_setup process_madvise";

typedef int add_call(scmp_filter_ctx filter, int number);

static int allow(scmp_filter_ctx filter, int number)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
}

static int be_unknown(scmp_filter_ctx filter, int number)
{
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number, 0);
}

static int calls_add_names(scmp_filter_ctx filter, const char *calls, add_call *add)
{
	while (*calls) {
		size_t len = strcspn(calls, " ");
		char name[NAME_BYTES];
		int number, r;

		memcpy(name, calls, len);
		name[len] = '\0';
		number = seccomp_syscall_resolve_name(name);
		r = number < 0 ? 0 : add(filter, number);
		if (r)
			return r;
		calls += len + (calls[len] == ' ');
	}
	return 0;
}

/*
 * Memory that can be written is never executable, so that nobody can bring code. But new rules may
 * have regular expressions, which the PCRE2 library compiles into such memory.
 */
static int add_memory(scmp_filter_ctx filter, bool compiles)
{
	const unsigned int write = PROT_WRITE, exec = PROT_EXEC;
	const int calls[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect), SCMP_SYS(pkey_mprotect)};
	int r = compiles ? calls_add_names(filter, "mmap mprotect pkey_mprotect", allow) : 0;

	for (size_t i = 0; i < COUNT(calls) && r == 0 && !compiles; i++) {
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 1,
				     SCMP_A2(SCMP_CMP_MASKED_EQ, write, 0));
		if (r == 0)
			r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 1,
					     SCMP_A2(SCMP_CMP_MASKED_EQ, write | exec, write));
	}
	return r;
}

/*
 * Threads, but no namespaces; and no processes, but the one that tests readiness: it shares the
 * memory and cannot execute a program either.
 */
static int add_clone(scmp_filter_ctx filter, bool tests)
{
	int r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				 SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));

	return r || !tests ? r
			   : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
					      SCMP_A0(SCMP_CMP_EQ, CLONE_VM));
}

/* Netlink: getaddrinfo() asks which addresses the machine has; and see net/netlink.h. */
static int calls_add_socket(scmp_filter_ctx filter, unsigned int roles)
{
	static const struct {
		int family;
		unsigned int roles;
	} families[] = {
		{AF_UNIX, CONNECTING},
		{AF_INET, CONNECTING},
		{AF_INET6, CONNECTING},
		{AF_NETLINK, CONNECTING | OF(ROLE_NAMESPACES)},
	};
	int r = 0;

	for (size_t i = 0; i < COUNT(families) && r == 0; i++)
		if (families[i].roles & roles)
			r = seccomp_rule_add(
				filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
				SCMP_A0(SCMP_CMP_EQ, (unsigned int)families[i].family));
	return r;
}

/* What held maps and programs are read and changed with; and what loading them takes. */
static int add_bpf(scmp_filter_ctx filter, unsigned int roles)
{
	static const unsigned int commands[] = {
		BPF_MAP_LOOKUP_ELEM,
		BPF_MAP_UPDATE_ELEM,
		BPF_MAP_DELETE_ELEM,
		BPF_MAP_GET_NEXT_KEY,
		BPF_MAP_LOOKUP_BATCH,
		BPF_OBJ_GET_INFO_BY_FD,
		BPF_LINK_CREATE, /* of programs that are needed for some time only */
		BPF_RAW_TRACEPOINT_OPEN, /* the same before Linux 5.19 */
		BPF_ITER_CREATE, /* another pass over the threads */
		/* Loading: */
		BPF_MAP_CREATE,
		BPF_MAP_FREEZE,
		BPF_PROG_LOAD,
		BPF_PROG_TEST_RUN,
		BPF_PROG_BIND_MAP,
		BPF_BTF_LOAD,
		BPF_BTF_GET_NEXT_ID,
		BPF_BTF_GET_FD_BY_ID,
	};
	size_t count = roles & LOADER	? COUNT(commands)
		       : roles & EVENTS ? HELD_COMMANDS
					: MAP_COMMANDS;
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(bpf), 1,
				     SCMP_A0(SCMP_CMP_EQ, commands[i]));
	return r;
}

static int add_rules(scmp_filter_ctx filter, enum privileges_role role, bool reloads)
{
	/* What enters namespaces, opens counters or sets probes begins before the event thread
	 * enters its role.
	 */
	unsigned int roles =
		role == ROLE_EVENTS
			? THREADS & ~(OF(ROLE_NAMESPACES) | COUNTERS | PROBES | PROFILES)
			: OF(role);
	int r = 0;

	for (size_t i = 0; i < COUNT(groups) && r == 0; i++)
		if (groups[i].roles & roles)
			r = calls_add_names(filter, groups[i].calls, allow);
	if (r == 0)
		r = calls_add_names(filter, unknown, be_unknown);
	if (r == 0)
		r = add_memory(filter, role == ROLE_EVENTS && reloads);
	if (r == 0)
		r = add_clone(filter, roles & OF(ROLE_CONTROL));
	if (r == 0)
		r = calls_add_socket(filter, roles);
	if (r == 0 && (roles & (EVENTS | LOADER | PROFILES)))
		r = add_bpf(filter, roles);
	if (r == 0 && role == ROLE_PROBES)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(bpf), 1,
				     SCMP_A0(SCMP_CMP_EQ, BPF_LINK_CREATE));
	if (r == 0 && role == ROLE_SAMPLER)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(bpf), 1,
				     SCMP_A0(SCMP_CMP_EQ, BPF_ITER_CREATE));
	/* Rings of CPUs that go online. */
	if (r == 0 && (roles & EVENTS) && !reloads)
		r = allow(filter, SCMP_SYS(perf_event_open));
	return r;
}

bool calls_can_be_limited(void)
{
	return seccomp_api_get() >= 1 && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

int calls_limit(enum privileges_role role, bool reloads, bool log)
{
	scmp_filter_ctx filter = seccomp_init(log ? SCMP_ACT_LOG : SCMP_ACT_ERRNO(EPERM));
	int r = filter ? 0 : -ENOMEM;

	/* 32-bit and x32 calls have other numbers. */
	if (r == 0)
		r = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
	/* Libraries before 2.5 have no trees. */
	if (r == 0)
		seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, TREE);
	if (r == 0)
		r = add_rules(filter, role, reloads);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}

#else

bool calls_can_be_limited(void)
{
	return false;
}

int calls_limit(enum privileges_role role, bool reloads, bool log)
{
	return -ENOSYS;
}

#endif
