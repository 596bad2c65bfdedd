/* SPDX-License-Identifier: MIT */
/* ptrace: every request by its number, and a child that is inspected, changed and resumed. */
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "harness/dyn.h"
#include "harness/fixture.h"
#include "harness/live.h"

enum { NOBODY = 0x7ffffff0, KIND_NUMBER = 0, KIND_SIGNAL = 1 };

static const struct {
	long native;
	int64_t stored;
} requests[] = {
	{PTRACE_PEEKTEXT, ptrace_requests__PTRACE_PEEKTEXT},
	{PTRACE_PEEKDATA, ptrace_requests__PTRACE_PEEKDATA},
	{PTRACE_PEEKUSER, ptrace_requests__PTRACE_PEEKUSR},
	{PTRACE_POKETEXT, ptrace_requests__PTRACE_POKETEXT},
	{PTRACE_POKEDATA, ptrace_requests__PTRACE_POKEDATA},
	{PTRACE_POKEUSER, ptrace_requests__PTRACE_POKEUSR},
	{PTRACE_CONT, ptrace_requests__PTRACE_CONT},
	{PTRACE_KILL, ptrace_requests__PTRACE_KILL},
	{PTRACE_SINGLESTEP, ptrace_requests__PTRACE_SINGLESTEP},
	{PTRACE_ATTACH, ptrace_requests__PTRACE_ATTACH},
	{PTRACE_DETACH, ptrace_requests__PTRACE_DETACH},
	{PTRACE_SYSCALL, ptrace_requests__PTRACE_SYSCALL},
	{PTRACE_SETOPTIONS, ptrace_requests__PTRACE_SETOPTIONS},
	{PTRACE_GETEVENTMSG, ptrace_requests__PTRACE_GETEVENTMSG},
	{PTRACE_GETSIGINFO, ptrace_requests__PTRACE_GETSIGINFO},
	{PTRACE_SETSIGINFO, ptrace_requests__PTRACE_SETSIGINFO},
	{PTRACE_GETREGSET, ptrace_requests__PTRACE_GETREGSET},
	{PTRACE_SETREGSET, ptrace_requests__PTRACE_SETREGSET},
	{PTRACE_SEIZE, ptrace_requests__PTRACE_SEIZE},
	{PTRACE_INTERRUPT, ptrace_requests__PTRACE_INTERRUPT},
	{PTRACE_LISTEN, ptrace_requests__PTRACE_LISTEN},
	{PTRACE_PEEKSIGINFO, ptrace_requests__PTRACE_PEEKSIGINFO},
	{PTRACE_GETSIGMASK, ptrace_requests__PTRACE_GETSIGMASK},
	{PTRACE_SETSIGMASK, ptrace_requests__PTRACE_SETSIGMASK},
	{12, ptrace_requests__PTRACE_GETREGS},
	{13, ptrace_requests__PTRACE_SETREGS},
	{14, ptrace_requests__PTRACE_GETFPREGS},
	{15, ptrace_requests__PTRACE_SETFPREGS},
	{18, ptrace_requests__PTRACE_GETFPXREGS},
	{19, ptrace_requests__PTRACE_SETFPXREGS},
	{21, ptrace_requests__PTRACE_OLDSETOPTIONS},
	{25, ptrace_requests__PTRACE_GET_THREAD_AREA},
	{26, ptrace_requests__PTRACE_SET_THREAD_AREA},
	{30, ptrace_requests__PTRACE_ARCH_PRCTL},
	{31, ptrace_requests__PTRACE_SYSEMU},
	{32, ptrace_requests__PTRACE_SYSEMU_SINGLESTEP},
#ifdef __x86_64__
	{33, ptrace_requests__PTRACE_SINGLEBLOCK},
#endif
	{10, 0},
	{11, 0},
	{20, 0},
	{34, 0},
	{0x41ff, 0},
	{0x420c, 0},
	{12345, 0},
	{-1, 0},
	{0x100000010L, 0},
};

static int64_t stored_of(long native)
{
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (requests[i].native == native)
			return requests[i].stored;
	return 0;
}

/* Makes a request, and checks all of its event but for the data. */
static const struct event *request(long native, pid_t pid, const void *addr, const void *data,
				   long ret)
{
	const struct event *ev;

	require(CALL(SYS_ptrace, native, pid, addr, data) == ret);
	ev = live_next(EVENT_ptrace);
	expect_i64(ev, ptrace__res, ret);
	expect_i64(ev, ptrace__request, stored_of(native));
	expect_i64(ev, ptrace__pid, pid);
	expect_dyn(ev, ptrace__addr, KIND_NUMBER, uint64_t, ret < 0 ? 0 : (uintptr_t)addr);
	return ev;
}

static void check(long native, pid_t pid, const void *addr, const void *data, long ret)
{
	const struct event *ev = request(native, pid, addr, data, ret);

	expect_dyn(ev, ptrace__data, KIND_NUMBER, uint64_t, ret < 0 ? 0 : (uintptr_t)data);
}

static void check_peek(long native, pid_t pid, const void *addr, uint64_t word)
{
	uint64_t found = ~word;
	const struct event *ev = request(native, pid, addr, &found, 0);

	expect_dyn(ev, ptrace__data, KIND_NUMBER, uint64_t, word);
}

/* arm64 has no access to single registers. */
#ifdef __x86_64__
static void check_register(pid_t pid)
{
	/* One that the child does not need before it is gone. */
	void *at = (void *)offsetof(struct user, regs.r15);

	check(PTRACE_POKEUSER, pid, at, (void *)0x123456789abcL, 0);
	check_peek(PTRACE_PEEKUSER, pid, at, 0x123456789abc);
}
#else
static void check_register(pid_t pid)
{
	check(PTRACE_POKEUSER, pid, NULL, (void *)0x123456789abcL, -EIO);
}
#endif

static volatile uint64_t looked_at = 0x1122334455667788;

static int spin(void *arg)
{
	while (looked_at)
		;
	return 0;
}

static pid_t attached(void)
{
	pid_t pid = fixture_child(spin, NULL);
	int status;

	check(PTRACE_ATTACH, pid, NULL, NULL, 0);
	require(waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status));
	return pid;
}

static void check_child(void)
{
	const void *at = (const void *)&looked_at;
	pid_t pid = attached();
	uint64_t word;

	check_peek(PTRACE_PEEKDATA, pid, at, 0x1122334455667788);
	check_peek(PTRACE_PEEKTEXT, pid, at, 0x1122334455667788);
	check(PTRACE_POKEDATA, pid, at, (void *)0x77, 0);
	check_peek(PTRACE_PEEKDATA, pid, at, 0x77);
	check(PTRACE_PEEKDATA, pid, UNREADABLE, &word, -EIO);
	check(PTRACE_PEEKDATA, pid, at, UNREADABLE, -EFAULT);
	check(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_EXITKILL, 0);
	check(PTRACE_CONT, pid, NULL, (void *)0x109, -EIO);
	check_register(pid);
	check(PTRACE_PEEKUSER, pid, (void *)3, &word, -EIO);
	require(kill(pid, SIGKILL) == 0 && fixture_wait(pid) == SIGKILL);
}

/* What lets a stopped child go on can give it a signal. */
static void check_signal(long native, int signal)
{
	pid_t pid = attached();
	const struct event *ev = request(native, pid, NULL, (void *)(intptr_t)signal, 0);

	expect_dyn(ev, ptrace__data, KIND_SIGNAL, uint8_t, signal);
	require(fixture_wait(pid) == signal);
}

static int be_traced(void *arg)
{
	return CALL(SYS_ptrace, PTRACE_TRACEME, 0, 3, 5) == 0 ? 0 : 1;
}

LIVE_TEST(ptrace)
{
	const struct event *ev;
	pid_t pid;

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		check(requests[i].native, NOBODY, (void *)0x123, (void *)0x456, -ESRCH);
	check_child();
	check_signal(PTRACE_CONT, SIGUSR1);
	check_signal(PTRACE_DETACH, SIGKILL);
	check_signal(PTRACE_SYSCALL, SIGTERM);
	check_signal(PTRACE_SINGLESTEP, SIGTERM);

	pid = fixture_child(be_traced, NULL);
	require(fixture_wait(pid) == 0);
	ev = live_next_of(EVENT_ptrace, pid);
	expect_i64(ev, ptrace__res, 0);
	expect_i64(ev, ptrace__request, ptrace_requests__PTRACE_TRACEME);
	expect_i64(ev, ptrace__pid, 0);
	expect_dyn(ev, ptrace__addr, KIND_NUMBER, uint64_t, 3);
	expect_dyn(ev, ptrace__data, KIND_NUMBER, uint64_t, 5);
}
