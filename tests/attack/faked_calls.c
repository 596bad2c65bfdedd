/* SPDX-License-Identifier: MIT */
/*
 * Calls that never run, although their caller gets a success: faked_calls WAY SECRET OTHER. WAY is
 * who answers in place of the kernel:
 *   errno   a seccomp filter, with the error number 0
 *   notify  a process that the filter asks
 *   trace   a tracer of the process (PTRACE_SYSEMU)
 * Needs no rights. Waits for a line on standard input after the filter or tracer is there, so that
 * whoever watches can be ready; with "hurry" as a fourth argument it does not. Ends with 0 when all
 * calls were answered as they should.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MARK = 0x5eed /* in the sixth argument: calls of the attack, which are answered */ };

/* Of the call that follows, the register of the sixth argument would still have the mark. */
#define FAKED(number, a, b, c)                                                                     \
	({                                                                                         \
		long result = syscall(number, a, b, c, 0, 0, MARK);                                \
                                                                                                   \
		syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);                                            \
		result;                                                                            \
	})

static const char *secret, *other;
static int in_hurry;

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

static void in_process(uint32_t answer)
{
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
#else
static int with_tracer(void)
{
	return 77;
}
#endif

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	secret = argv[2];
	other = argv[3];
	in_hurry = argc > 4;
	if (strcmp(argv[1], "notify") == 0)
		return with_notify();
	if (strcmp(argv[1], "trace") == 0)
		return with_tracer();
	in_process(SECCOMP_RET_ERRNO);
	return 0;
}
