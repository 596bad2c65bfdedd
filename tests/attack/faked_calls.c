/* SPDX-License-Identifier: MIT */
/*
 * Calls that never run, although their caller gets a success: faked_calls WAY SECRET OTHER. WAY is
 * who answers in place of the kernel:
 *   errno   a seccomp filter, with the error number 0
 *   notify  a process that the filter asks
 *   trace   a tracer of the process (PTRACE_SYSEMU)
 *   trap    a seccomp filter, with a signal; the result is what was in a register, garbage included
 *   errno32 a seccomp filter that answers only calls of 32-bit programs
 *   errnox32 one that answers only x32 calls
 *   rewrite none: a tracer makes it look like another call, in the stops within fork and exec
 * Needs no rights. Waits for a line on standard input after the filter or tracer is there, so that
 * whoever watches can be ready; with "hurry" as a fourth argument it does not. Ends with 0 when all
 * calls were answered as they should.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MARK = 0x5eed, /* in the sixth argument: calls of the attack, which are answered */
	CANNOT = 77,
	X32_BIT = 0x40000000,
};

/* Above the bits of a number that the kernel uses. */
static const long garbage = 0x5eedL << 32;

static const char *program, *secret, *other;
static int in_hurry, with_signal;

/* Returns 0 if the result is the forged one. */
static long faked(long number, long a, long b, long c)
{
	long asked = with_signal ? number | garbage : number, expected = 0;
	long result = syscall(asked, a, b, c, 0, 0, MARK);

	/* Of the call that follows, the register of the sixth argument would still have the mark. */
	syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	if (with_signal)
#ifdef __x86_64__
		expected = asked;
#else
		expected = a;
#endif
	return result - expected;
}

#define FAKED(number, a, b, c) faked(number, (long)(a), (long)(b), (long)(c))

static void fail(const char *what)
{
	fprintf(stderr, "faked_calls: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Answers marked calls with that; all others run. */
static int install(uint32_t answer, unsigned int flags)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(insns) / sizeof(insns[0]), insns};
	long r;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		fail("no new privileges");
	r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
	if (r < 0)
		fail("installing a filter");
	return (int)r;
}

static void wait_for_word(void)
{
	char line[16];

	if (in_hurry)
		return;
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
	/* A call, so that those who watch from now on know the thread. */
	getppid();
}

static void expect(const char *what, long result)
{
	if (result != 0) {
		fprintf(stderr, "faked_calls: %s returned %ld\n", what, result);
		exit(1);
	}
}

/* What the event of a call would say, and what the kernel did: nothing. */
static void attack(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(443)};
	int plain = open(other, O_RDONLY), hidden, sock = socket(AF_INET, SOCK_STREAM, 0);
	char byte;

	close(0);
	hidden = open(secret, O_RDONLY); /* 0 */
	if (hidden != 0 || plain < 0 || sock < 0)
		fail("opening");
	inet_pton(AF_INET, "8.8.8.8", &address.sin_addr);
	expect("setuid", FAKED(SYS_setuid, 0, 0, 0));
	expect("setgid", FAKED(SYS_setgid, 0, 0, 0));
	expect("dup3", FAKED(SYS_dup3, plain, hidden, O_CLOEXEC));
	if (read(hidden, &byte, 1) != 1)
		fail("reading the secret");
	expect("close", FAKED(SYS_close, hidden, 0, 0));
	if (read(hidden, &byte, 1) != 1)
		fail("reading the secret again");
	expect("unlinkat", FAKED(SYS_unlinkat, AT_FDCWD, "/etc/shadow", 0));
	expect("renameat2", FAKED(SYS_renameat2, AT_FDCWD, "/etc/passwd", AT_FDCWD));
	expect("connect", FAKED(SYS_connect, sock, &address, sizeof(address)));
	expect("chroot", FAKED(SYS_chroot, "/etc", 0, 0));
	/* A real one, after all of them. */
	close(open(other, O_RDONLY));
	if (rename(other, other))
		fail("renaming");
}

/* Its own return is a call too. */
static void take_signal(int number)
{
	syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
}

static void in_process(uint32_t answer)
{
	with_signal = answer == SECCOMP_RET_TRAP;
	if (with_signal)
		signal(SIGSYS, take_signal);
	install(answer, 0);
	wait_for_word();
	attack();
}

/* A parent answers what the filter of its child asks. */
static void answer_all(int listener)
{
	struct seccomp_notif asked;
	struct seccomp_notif_resp answer;

	for (;;) {
		memset(&asked, 0, sizeof(asked));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked)) {
			if (errno == EINTR)
				continue;
			break;
		}
		answer = (struct seccomp_notif_resp){.id = asked.id};
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
		if (asked.data.nr == SYS_chroot)
			break;
	}
}

/* The listener comes over from the child's table of descriptors, which is shared until then. */
static int with_notify(void)
{
	int pipes[2], status, listener;
	pid_t child;

	if (pipe(pipes))
		fail("pipe");
	child = (pid_t)syscall(SYS_clone, 0x400 /* CLONE_FILES */ | SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		listener = install(SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
		if (write(pipes[1], &listener, sizeof(listener)) != sizeof(listener))
			_exit(1);
		/* A table of its own, as descriptors are numbers of the attack. */
		if (syscall(SYS_unshare, 0x400))
			_exit(1);
		wait_for_word();
		attack();
		_exit(0);
	}
	if (read(pipes[0], &listener, sizeof(listener)) != sizeof(listener))
		fail("the listener");
	answer_all(listener);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

#ifdef __x86_64__
static int is_marked(const struct user_regs_struct *regs)
{
	return regs->r9 == MARK;
}

/* Marked calls are emulated, all others run. */
static int with_tracer(void)
{
	struct user_regs_struct regs;
	int status, request = PTRACE_SYSEMU;
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		wait_for_word();
		attack();
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child)
		fail("the child");
	/* With SYSEMU each call stops at its entry and is not run: one that is to run is made again. */
	while (ptrace(request, child, NULL, NULL) == 0 && waitpid(child, &status, 0) == child) {
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
			continue;
		if (request == PTRACE_SYSCALL) { /* the exit of a call that ran */
			request = PTRACE_SYSEMU;
			continue;
		}
		ptrace(PTRACE_GETREGS, child, NULL, &regs);
		if (is_marked(&regs)) {
			regs.rax = 0;
		} else {
			regs.rip -= 2;
			regs.rax = regs.orig_rax;
			regs.orig_rax = (unsigned long)-1;
			request = PTRACE_SYSCALL;
		}
		ptrace(PTRACE_SETREGS, child, NULL, &regs);
		if (request == PTRACE_SYSCALL) { /* to its entry, then to its exit */
			if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) ||
			    waitpid(child, &status, 0) != child)
				return 1;
		}
	}
	return 1;
}

/* Answers calls of an architecture with 0, from a number on. */
static void install_for(uint32_t arch, uint32_t least)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arch, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, least, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(insns) / sizeof(insns[0]), insns};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter))
		fail("installing a filter");
}

static long call_32(long number, long a)
{
	long result;

	asm volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a) : "memory");
	return result;
}

/* Pointers of 32-bit calls have as many bits. */
static long low_text(const char *text)
{
	void *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (low == MAP_FAILED)
		fail("memory with a low address");
	return (long)strcpy(low, text);
}

static int as_32_bit(void)
{
	long file = low_text("/etc/shadow"), folder = low_text("/etc");

	install_for(AUDIT_ARCH_I386, 0);
	wait_for_word();
	expect("setuid", call_32(23, 0));
	expect("unlink", call_32(10, file));
	expect("chroot", call_32(61, folder));
	close(open(other, O_RDONLY));
	return 0;
}

static int as_x32(void)
{
	install_for(AUDIT_ARCH_X86_64, X32_BIT);
	wait_for_word();
	expect("setuid", syscall(X32_BIT + SYS_setuid, 0));
	expect("unlinkat", syscall(X32_BIT + SYS_unlinkat, AT_FDCWD, "/etc/shadow", 0));
	close(open(other, O_RDONLY));
	return 0;
}

/* Calls that make another process, and exec: this program again, which then only ends. */
static void give_birth(void)
{
	struct clone_args args = {.exit_signal = SIGCHLD};

	if (syscall(SYS_fork) == 0)
		_exit(0);
	if (vfork() == 0)
		_exit(0);
	if (syscall(SYS_clone, 0, 0, 0, 0, 0) == 0)
		_exit(0);
	if (syscall(SYS_clone3, &args, sizeof(args)) == 0)
		_exit(0);
	execl(program, program, "end", NULL);
	fail("exec");
}

/* In the stop within the call: what looks at its exit finds setuid(0), or setuid(?) of vfork. */
static void rewrite_call(pid_t child, int event)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, child, NULL, &regs))
		fail("registers");
	regs.orig_rax = SYS_setuid;
	if (event != PTRACE_EVENT_VFORK) /* the library has its return address there */
		regs.rdi = 0;
	if (ptrace(PTRACE_SETREGS, child, NULL, &regs))
		fail("registers");
}

static int with_rewriter(void)
{
	pid_t child = fork(), stopped;
	int status;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		wait_for_word();
		give_birth();
	}
	if (waitpid(child, &status, 0) != child ||
	    ptrace(PTRACE_SETOPTIONS, child, NULL,
		   PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		fail("tracing");
	ptrace(PTRACE_CONT, child, NULL, NULL);
	while ((stopped = waitpid(-1, &status, __WALL)) > 0) {
		if (stopped == child && WIFEXITED(status))
			return WEXITSTATUS(status);
		if (!WIFSTOPPED(status))
			continue;
		if (stopped == child && status >> 16)
			rewrite_call(child, status >> 16);
		ptrace(PTRACE_CONT, stopped, NULL, NULL);
	}
	return 1;
}
#else
static int cannot(void)
{
	return CANNOT;
}

#define with_tracer cannot
#define with_rewriter cannot
#define as_32_bit cannot
#define as_x32 cannot
#endif

static int with_errno(void)
{
	in_process(SECCOMP_RET_ERRNO);
	return 0;
}

static int with_trap(void)
{
	in_process(SECCOMP_RET_TRAP);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} ways[] = {
	{"errno", with_errno},	 {"notify", with_notify},   {"trace", with_tracer},
	{"trap", with_trap},	 {"errno32", as_32_bit},    {"errnox32", as_x32},
	{"rewrite", with_rewriter},
};

int main(int argc, char **argv)
{
	if (argc < 4)
		return argc == 2 ? 0 : 2;
	program = argv[0];
	secret = argv[2];
	other = argv[3];
	in_hurry = argc > 4;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			return ways[i].run();
	return 2;
}
