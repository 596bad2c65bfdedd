/* SPDX-License-Identifier: MIT */
/* Handlers and masks of signals, waiting for them, and signals that carry something. */
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "harness/calls.h"

enum {
	SET_BYTES = 8,
	RESTARTED = -514, /* at its end; a handler makes it EINTR */
	BIT_USR1 = 1 << (SIGUSR1 - 1),
	BIT_USR2 = 1 << (SIGUSR2 - 1),
	BIT_INT = 1 << (SIGINT - 1),
	FLAG_SIGINFO = 4,
	FLAG_RESTART = 0x10000000,
};

/* As the kernel has it. */
struct action {
	uint64_t handler, flags, restorer, mask;
};

static uint64_t mask_of_now(void)
{
	uint64_t mask = 0;

	require(CALL(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, SET_BYTES) == 0);
	live_skip();
	return mask;
}

LIVE_TEST(rt_sigaction)
{
	struct action ignore = {1, FLAG_SIGINFO | FLAG_RESTART, 0, BIT_USR1 | BIT_INT}, old;
	struct action standard = {0};

	live_skip();
	require(CHECK(rt_sigaction, (SYS_rt_sigaction, SIGUSR2, &ignore, NULL, SET_BYTES), SIGUSR2,
		      1, ignore.flags, ignore.mask, NOTHING, NOTHING, NOTHING, SET_BYTES) == 0);
	require(CHECK(rt_sigaction, (SYS_rt_sigaction, SIGUSR2, NULL, &old, SET_BYTES), SIGUSR2,
		      NOTHING, NOTHING, NOTHING, 1, ignore.flags, ignore.mask, SET_BYTES) == 0);
	require(CHECK(rt_sigaction, (SYS_rt_sigaction, SIGUSR2, &standard, &old, SET_BYTES),
		      SIGUSR2, 0, 0, 0, 1, ignore.flags, ignore.mask, SET_BYTES) == 0);
	require(CHECK(rt_sigaction, (SYS_rt_sigaction, SIGKILL, &ignore, &old, SET_BYTES), SIGKILL,
		      1, ignore.flags, ignore.mask, NOTHING, NOTHING, NOTHING,
		      SET_BYTES) == -EINVAL);
	require(CHECK(rt_sigaction, (SYS_rt_sigaction, 300, NULL, NULL, SET_BYTES), NOTHING,
		      NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, SET_BYTES) == -EINVAL);
	require(CHECK(rt_sigaction, (SYS_rt_sigaction, SIGUSR2, UNREADABLE, &old, SET_BYTES),
		      SIGUSR2, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING,
		      SET_BYTES) == -EFAULT);
	require(CHECK(rt_sigaction, (SYS_rt_sigaction, SIGUSR2, &ignore, NULL, 4), SIGUSR2, 1,
		      ignore.flags, ignore.mask, NOTHING, NOTHING, NOTHING, 4) == -EINVAL);
}

LIVE_TEST(rt_sigprocmask)
{
	uint64_t before = mask_of_now(), set = BIT_USR1 | 1ULL << 40, old;

	require(CHECK(rt_sigprocmask, (SYS_rt_sigprocmask, SIG_BLOCK, &set, &old, SET_BYTES),
		      SIG_BLOCK, BIT_USR1, before, SET_BYTES) == 0);
	require(CHECK(rt_sigprocmask, (SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, SET_BYTES),
		      SIG_UNBLOCK, BIT_USR1, NOTHING, SET_BYTES) == 0);
	require(CHECK(rt_sigprocmask, (SYS_rt_sigprocmask, SIG_SETMASK, &before, &old, SET_BYTES),
		      SIG_SETMASK, before, before, SET_BYTES) == 0);
	require(CHECK(rt_sigprocmask, (SYS_rt_sigprocmask, 77, NULL, &old, SET_BYTES), 77, NOTHING,
		      before, SET_BYTES) == 0);
	require(CHECK(rt_sigprocmask, (SYS_rt_sigprocmask, 77, &set, &old, SET_BYTES), 77, BIT_USR1,
		      NOTHING, SET_BYTES) == -EINVAL);
	require(CHECK(rt_sigprocmask, (SYS_rt_sigprocmask, 0, UNREADABLE, &old, SET_BYTES), 0,
		      NOTHING, NOTHING, SET_BYTES) == -EFAULT);
	require(CHECK(rt_sigprocmask, (SYS_rt_sigprocmask, 0, &set, &old, 16), 0, BIT_USR1, NOTHING,
		      16) == -EINVAL);
}

LIVE_TEST(rt_sigpending)
{
	uint64_t set = BIT_USR1, before = mask_of_now(), pending;
	struct timespec now = {0};

	require(CALL(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, SET_BYTES) == 0);
	require(raise(SIGUSR1) == 0);
	require(CHECK(rt_sigpending, (SYS_rt_sigpending, &pending, SET_BYTES), BIT_USR1,
		      SET_BYTES) == 0);
	require(CALL(SYS_rt_sigtimedwait, &set, NULL, &now, SET_BYTES) == SIGUSR1);
	require(CHECK(rt_sigpending, (SYS_rt_sigpending, &pending, SET_BYTES), 0, SET_BYTES) == 0);
	require(CHECK(rt_sigpending, (SYS_rt_sigpending, UNREADABLE, SET_BYTES), NOTHING,
		      SET_BYTES) == -EFAULT);
	require(CHECK(rt_sigpending, (SYS_rt_sigpending, &pending, 16), NOTHING, 16) == -EINVAL);
	require(CALL(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, SET_BYTES) == 0);
}

/* What a signal carries when somebody else's name is on it. */
static siginfo_t forged(int sig)
{
	siginfo_t info = {.si_signo = sig, .si_code = SI_QUEUE};

	info.si_pid = 4711;
	info.si_uid = 815;
	info.si_ptr = (void *)0x1122334455667788;
	return info;
}

#define FORGED SI_QUEUE, 4711, 815, 0x1122334455667788
#define NO_INFO NOTHING, NOTHING, NOTHING, NOTHING

LIVE_TEST(rt_sigtimedwait)
{
	uint64_t set = BIT_USR1 | BIT_USR2, before = mask_of_now();
	struct timespec none = {0}, soon = {0, 1000}, wrong = {0, 1000000000};
	siginfo_t info = forged(SIGUSR1);

	require(CALL(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, SET_BYTES) == 0);
	require(CALL(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info) == 0);
	require(CHECK(rt_sigtimedwait, (SYS_rt_sigtimedwait, &set, &info, &none, SET_BYTES), set,
		      FORGED, 0, SET_BYTES) == SIGUSR1);
	require(kill(getpid(), SIGUSR2) == 0);
	require(CHECK(rt_sigtimedwait, (SYS_rt_sigtimedwait, &set, &info, NULL, SET_BYTES), set,
		      SI_USER, getpid(), 0, NOTHING, NOTHING, SET_BYTES) == SIGUSR2);
	require(CHECK(rt_sigtimedwait, (SYS_rt_sigtimedwait, &set, &info, &soon, SET_BYTES), set,
		      NO_INFO, 1000, SET_BYTES) == -EAGAIN);
	require(CHECK(rt_sigtimedwait, (SYS_rt_sigtimedwait, &set, NULL, &wrong, SET_BYTES), set,
		      NO_INFO, NOTHING, SET_BYTES) == -EINVAL);
	require(CHECK(rt_sigtimedwait, (SYS_rt_sigtimedwait, UNREADABLE, NULL, NULL, SET_BYTES),
		      NOTHING, NO_INFO, NOTHING, SET_BYTES) == -EFAULT);
	require(CALL(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, SET_BYTES) == 0);
}

LIVE_TEST(rt_sigqueueinfo)
{
	siginfo_t info = forged(SIGURG), user = {.si_code = SI_USER}, timer = {.si_code = SI_TIMER};

	require(CHECK(rt_sigqueueinfo, (SYS_rt_sigqueueinfo, getpid(), SIGURG, &info), getpid(),
		      SIGURG, FORGED) == 0);
	require(CHECK(rt_sigqueueinfo, (SYS_rt_sigqueueinfo, 1, 0, &user), 1, 0, SI_USER, 0, 0,
		      NOTHING) == -EPERM);
	require(CHECK(rt_sigqueueinfo, (SYS_rt_sigqueueinfo, getpid(), SIGURG, &timer), getpid(),
		      SIGURG, SI_TIMER, NOTHING, NOTHING, NOTHING) == 0);
	require(CHECK(rt_sigqueueinfo, (SYS_rt_sigqueueinfo, 0x7fffffff, 500, &info), 0x7fffffff,
		      NOTHING, FORGED) < 0);
	require(CHECK(rt_sigqueueinfo, (SYS_rt_sigqueueinfo, getpid(), SIGURG, UNREADABLE),
		      getpid(), SIGURG, NO_INFO) == -EFAULT);
	require(CHECK(rt_sigqueueinfo, (SYS_rt_sigqueueinfo, getpid(), SIGURG, NULL), getpid(),
		      SIGURG, NO_INFO) == -EFAULT);
}

LIVE_TEST(rt_tgsigqueueinfo)
{
	siginfo_t info = forged(SIGURG);

	require(CHECK(rt_tgsigqueueinfo, (SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGURG, &info),
		      getpid(), gettid(), SIGURG, FORGED) == 0);
	require(CHECK(rt_tgsigqueueinfo, (SYS_rt_tgsigqueueinfo, -1, -2, 65, &info), -1, -2, 65,
		      FORGED) == -EINVAL);
	require(CHECK(rt_tgsigqueueinfo, (SYS_rt_tgsigqueueinfo, 1, 1, SIGURG, UNREADABLE), 1, 1,
		      SIGURG, NO_INFO) == -EFAULT);
}

static void do_nothing(int sig)
{
}

LIVE_TEST(rt_sigsuspend)
{
	uint64_t set = BIT_USR1, without = mask_of_now() & ~set, before = mask_of_now();

	require(signal(SIGUSR1, do_nothing) != SIG_ERR);
	require(CALL(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, SET_BYTES) == 0);
	require(raise(SIGUSR1) == 0);
	require(CALL(SYS_rt_sigsuspend, &without, SET_BYTES) == -EINTR);
	expect_values(live_next(EVENT_rt_sigsuspend), RESTARTED, without, SET_BYTES);
	require(CHECK(rt_sigsuspend, (SYS_rt_sigsuspend, UNREADABLE, SET_BYTES), NOTHING,
		      SET_BYTES) == -EFAULT);
	require(CHECK(rt_sigsuspend, (SYS_rt_sigsuspend, &set, 1), set, 1) == -EINVAL);
	require(CALL(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, SET_BYTES) == 0);
	require(signal(SIGUSR1, SIG_DFL) == do_nothing);
}

LIVE_TEST(pause)
{
	struct itimerval often = {{0, 10000}, {0, 10000}}, never = {0};

	require(signal(SIGALRM, do_nothing) != SIG_ERR);
	/* Again and again, as the first may come before the pause. */
	require(setitimer(ITIMER_REAL, &often, NULL) == 0);
	require(CALL(SYS_pause) == -EINTR);
	require(setitimer(ITIMER_REAL, &never, NULL) == 0);
	expect_values(live_next(EVENT_pause), RESTARTED);
	require(signal(SIGALRM, SIG_DFL) == do_nothing);
}

LIVE_TEST(sigaltstack)
{
	static char memory[65536];
	stack_t made = {memory, 0, sizeof(memory)}, none = {NULL, SS_DISABLE, 0}, before, old;

	require(CALL(SYS_sigaltstack, NULL, &before) == 0);
	live_skip();
	require(CHECK(sigaltstack, (SYS_sigaltstack, &made, &old), AT(memory), 0, sizeof(memory),
		      AT(before.ss_sp), before.ss_flags, before.ss_size) == 0);
	require(CHECK(sigaltstack, (SYS_sigaltstack, NULL, &old), NOTHING, NOTHING, NOTHING,
		      AT(memory), 0, sizeof(memory)) == 0);
	require(CHECK(sigaltstack, (SYS_sigaltstack, &none, NULL), 0, SS_DISABLE, 0, NOTHING,
		      NOTHING, NOTHING) == 0);
	made.ss_size = 1;
	require(CHECK(sigaltstack, (SYS_sigaltstack, &made, &old), AT(memory), 0, 1, NOTHING,
		      NOTHING, NOTHING) == -ENOMEM);
	made.ss_flags = (int)0x80000077;
	require(CHECK(sigaltstack, (SYS_sigaltstack, &made, NULL), AT(memory), 0x80000077, 1,
		      NOTHING, NOTHING, NOTHING) == -EINVAL);
	require(CHECK(sigaltstack, (SYS_sigaltstack, UNREADABLE, &old), NOTHING, NOTHING, NOTHING,
		      NOTHING, NOTHING, NOTHING) == -EFAULT);
}

LIVE_TEST(pidfd_send_signal)
{
	int fd = (int)CALL(SYS_pidfd_open, getpid(), 0);
	siginfo_t info = forged(SIGURG);

	require(fd > 0);
	require(CHECK(pidfd_send_signal, (SYS_pidfd_send_signal, fd, SIGURG, &info, 0), fd, SIGURG,
		      FORGED, 0) == 0);
	require(CHECK(pidfd_send_signal, (SYS_pidfd_send_signal, fd, 0, NULL, 0), fd, 0, NO_INFO,
		      0) == 0);
	require(CHECK(pidfd_send_signal, (SYS_pidfd_send_signal, fd, 0, NULL, 0xf0), fd, 0, NO_INFO,
		      0xf0) == -EINVAL);
	require(CHECK(pidfd_send_signal, (SYS_pidfd_send_signal, NO_FD, SIGTERM, UNREADABLE, 0),
		      NO_FD, SIGTERM, NO_INFO, 0) < 0);
	require(CHECK(pidfd_send_signal, (SYS_pidfd_send_signal, -1, SIGTERM, NULL, 0), -1, SIGTERM,
		      NO_INFO, 0) == -EBADF);
	close(fd);
}
