/* SPDX-License-Identifier: MIT */
/* 32-bit programs: times and other structs, of which they have another form; ids of 16 bits. */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "harness/alike.h"
#include "harness/fixture.h"
#include "harness/int80.h"
#include "harness/live.h"

#ifdef __x86_64__

/* Room for what a call writes. */
static long room(void)
{
	static const char zeros[512];

	return low_copy(zeros, sizeof(zeros));
}

/* The same words in both sizes: `wide` of 64 bits, `narrow` of 32. */
struct both {
	long wide, narrow;
};

static struct both words(int64_t a, int64_t b, int64_t c, int64_t d)
{
	const int64_t wide[] = {a, b, c, d};
	const int32_t narrow[] = {(int32_t)a, (int32_t)b, (int32_t)c, (int32_t)d};

	return (struct both){low_copy(wide, sizeof(wide)), low_copy(narrow, sizeof(narrow))};
}

/* With the usual policy the interval is shorter when others run, too. */
static void check_interval(void)
{
	const struct sched_param first = {.sched_priority = 1}, usual = {0};

	require(sched_setscheduler(0, SCHED_RR, &first) == 0);
	alike_check({SYS_sched_rr_get_interval, {0, room()}}, {161, {0, room()}});
	alike_check({SYS_sched_rr_get_interval, {0, room()}}, {423, {0, room()}});
	require(sched_setscheduler(0, SCHED_OTHER, &usual) == 0);
}

/* A call with times, by its older number, and by the newer one that has them of 64 bits. */
static void check_times(void)
{
	const struct both good = words(3, 5, 7, 9), none = words(-1, 5, -1, 9);
	/* What is in the upper half of the nanoseconds does not count. */
	const int64_t padded[] = {0, 0x1200000005, 0, 0x1200000009};
	const long padded_at = low_copy(padded, sizeof(padded));
	const struct both moment = words(0, 5, 0, 9);
	const long path = low_text("file"), missing = low_text("no/such");

	alike_check({SYS_nanosleep, {moment.wide, 0}}, {162, {moment.narrow, 0}});
	alike_check({SYS_nanosleep, {none.wide, 0}}, {162, {none.narrow, 0}});
	alike_check({SYS_clock_nanosleep, {77, 1, good.wide, 0}}, {267, {77, 1, good.narrow, 0}});
	alike_check({SYS_clock_nanosleep, {77, 1, good.wide, 0}}, {407, {77, 1, good.wide, 0}});
	alike_check({SYS_clock_nanosleep, {1, 0, moment.wide, 0}}, {407, {1, 0, padded_at, 0}});
	alike_check({SYS_clock_settime, {77, good.wide}}, {264, {77, good.narrow}});
	alike_check({SYS_clock_settime, {77, good.wide}}, {404, {77, good.wide}});
	alike_check({SYS_clock_getres, {1, room()}}, {266, {1, room()}});
	alike_check({SYS_clock_getres, {1, room()}}, {406, {1, room()}});
	check_interval();
	alike_check({SYS_settimeofday, {none.wide, 0}}, {79, {none.narrow, 0}});
	alike_check({SYS_setitimer, {77, good.wide, 0}}, {104, {77, good.narrow, 0}});
	alike_check({SYS_getitimer, {2, room()}}, {105, {2, room()}});
	alike_check({SYS_timer_settime, {77777, 1, good.wide, 0}},
		    {260, {77777, 1, good.narrow, 0}});
	alike_check({SYS_timer_settime, {77777, 1, good.wide, 0}}, {409, {77777, 1, good.wide, 0}});
	alike_check({SYS_timer_gettime, {77777, room()}}, {261, {77777, room()}});
	alike_check({SYS_timerfd_settime, {NO_FD, 1, good.wide, 0}},
		    {325, {NO_FD, 1, good.narrow, 0}});
	alike_check({SYS_timerfd_settime, {NO_FD, 1, good.wide, 0}},
		    {411, {NO_FD, 1, good.wide, 0}});
	alike_check({SYS_utimensat, {AT_FDCWD, path, good.wide, 0}},
		    {320, {AT_FDCWD, path, good.narrow, 0}});
	alike_check({SYS_utimensat, {AT_FDCWD, missing, good.wide, 0}},
		    {412, {AT_FDCWD, missing, good.wide, 0}});
	alike_check({SYS_futimesat, {AT_FDCWD, path, good.wide}},
		    {299, {AT_FDCWD, path, good.narrow}});
	alike_check({SYS_utimes, {path, good.wide}}, {271, {path, good.narrow}});
	alike_check({SYS_utime, {path, good.wide}}, {30, {path, good.narrow}});
	alike_check({SYS_adjtimex, {0}}, {124, {0}});
	alike_check({SYS_clock_adjtime, {77, room()}}, {343, {77, room()}});
	alike_check({SYS_times, {0}}, {43, {0}}, .except = 1 << times__res);
}

static void check_waiting(void)
{
	const struct both none = words(0, 0, 0, 0);
	const struct pollfd fds[] = {{0, POLLIN, 0}, {NO_FD, POLLOUT, 0}};
	const long list = low_copy(fds, sizeof(fds)), set = LOW_WORDS(0, 0, 0, 0);
	const uint32_t mask[] = {0x200, 0};
	const long mask_at = low_copy(mask, sizeof(mask));
	const int64_t wide_mask[] = {mask_at, 8};

	alike_check({SYS_ppoll, {list, 2, none.wide, mask_at, 8}},
		    {309, {list, 2, none.narrow, mask_at, 8}});
	alike_check({SYS_ppoll, {list, 2, none.wide, mask_at, 8}},
		    {414, {list, 2, none.wide, mask_at, 8}});
	alike_check({SYS_pselect6, {65, set, set, 0, none.wide, low_copy(wide_mask, 16)}},
		    {308, {65, set, set, 0, none.narrow, LOW_WORDS((uint32_t)mask_at, 8)}});
	alike_check({SYS_pselect6, {65, set, set, 0, none.wide, low_copy(wide_mask, 16)}},
		    {413, {65, set, set, 0, none.wide, LOW_WORDS((uint32_t)mask_at, 8)}});
	alike_check({SYS_epoll_pwait2, {NO_FD, room(), 3, none.wide, mask_at, 8}},
		    {441, {NO_FD, room(), 3, none.wide, mask_at, 8}});
	alike_check({SYS_epoll_pwait, {NO_FD, room(), 3, 4, mask_at, 8}},
		    {319, {NO_FD, room(), 3, 4, mask_at, 8}});
	alike_check({SYS_io_pgetevents, {0x1234, 1, 2, room(), none.wide, low_copy(wide_mask, 16)}},
		    {416, {0x1234, 1, 2, room(), none.wide, LOW_WORDS((uint32_t)mask_at, 8)}});
	alike_check({SYS_mq_timedsend, {NO_FD, mask_at, 3, 4, none.wide}},
		    {279, {NO_FD, mask_at, 3, 4, none.narrow}});
	alike_check({SYS_mq_timedreceive, {NO_FD, mask_at, 3, 0, none.wide}},
		    {419, {NO_FD, mask_at, 3, 0, none.wide}});
}

static void check_signals(void)
{
	const struct both handler = words(0x1234, 0x10000000, 0x5678, 9);
	const uint32_t wide[32] = {SIGUSR1, 0, (uint32_t)SI_QUEUE, 0, 123, 45, 67};
	const uint32_t narrow[32] = {SIGUSR1, 0, (uint32_t)SI_QUEUE, 123, 45, 67};
	const uint32_t set[] = {0x200, 0};
	const long mask = low_copy(set, sizeof(set)), wide_at = low_copy(wide, sizeof(wide));
	const long narrow_at = low_copy(narrow, sizeof(narrow));
	const struct both none = words(0, 0, 0, 0);

	alike_check({SYS_rt_sigaction, {99, handler.wide, 0, 8}},
		    {174, {99, LOW_WORDS(0x1234, 0x10000000, 0x5678, 9, 0), 0, 8}});
	expect_alike(SYS_rt_sigprocmask, 175, 77, mask, 0, 8);
	expect_alike(SYS_rt_sigpending, 176, room(), 8);
	alike_check({SYS_rt_sigtimedwait, {mask, 0, none.wide, 8}},
		    {177, {mask, 0, none.narrow, 8}});
	alike_check({SYS_rt_sigtimedwait, {mask, 0, none.wide, 8}}, {421, {mask, 0, none.wide, 8}});
	alike_check({SYS_rt_sigqueueinfo, {0x7ffffff0, SIGUSR1, wide_at}},
		    {178, {0x7ffffff0, SIGUSR1, narrow_at}});
	alike_check({SYS_rt_tgsigqueueinfo, {0x7ffffff0, 0x7ffffff1, SIGUSR1, wide_at}},
		    {335, {0x7ffffff0, 0x7ffffff1, SIGUSR1, narrow_at}});
	alike_check({SYS_pidfd_send_signal, {NO_FD, SIGUSR1, wide_at, 0}},
		    {424, {NO_FD, SIGUSR1, narrow_at, 0}});
	alike_check({SYS_sigaltstack,
		     {low_copy(&(stack_t){(void *)0x1234, 77, 0x5678}, sizeof(stack_t)), 0}},
		    {186, {LOW_WORDS(0x1234, 77, 0x5678), 0}});
	alike_check(
		{SYS_timer_create,
		 {77,
		  low_copy(&(struct sigevent){.sigev_value.sival_int = 5,
					      .sigev_signo = 10,
					      .sigev_notify = 77},
			   sizeof(struct sigevent)),
		  room()}},
		{259, {77, LOW_WORDS(5, 10, 77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), room()}});
}

static int leave(void *arg)
{
	return 7;
}

static void check_children(void)
{
	const pid_t children[] = {fixture_child(leave, NULL), fixture_child(leave, NULL)};
	const long wide = room(), narrow = room();

	require(CALL(SYS_waitid, P_PID, children[0], wide, WEXITED | WNOWAIT, 0) == 0);
	alike_check({SYS_waitid, {P_PID, children[0], wide, WEXITED | WNOWAIT, 0}},
		    {284, {P_PID, children[0], narrow, WEXITED | WNOWAIT, 0}});
	for (int i = 0; i < 2; i++)
		fixture_wait(children[i]);
	alike_check({SYS_wait4, {0x7ffffff0, wide, 1, wide}},
		    {114, {0x7ffffff0, narrow, 1, narrow}});
}

static void check_limits(void)
{
	const struct both limits = words(-1, -1, 0, 0);
	const struct rlimit high = {0xfffffff0, RLIM_INFINITY};
	const struct event *ev;

	alike_check({SYS_getrlimit, {RLIMIT_NOFILE, room()}}, {191, {RLIMIT_NOFILE, room()}});
	alike_check({SYS_getrlimit, {RLIMIT_CPU, room()}}, {191, {RLIMIT_CPU, room()}});
	alike_check({SYS_setrlimit, {77, limits.wide}}, {75, {77, limits.narrow}});
	alike_check({SYS_setrlimit, {77, low_copy(&high, sizeof(high))}},
		    {75, {77, LOW_WORDS(0xfffffff0, UINT32_MAX)}});
	expect_alike(SYS_prlimit64, 340, 0, RLIMIT_CPU, 0, room());
	live_skip();
	/* The oldest number has another word for no limit. */
	require(int80_call(76, RLIMIT_CPU, room(), 0, 0, 0, 0) == 0);
	ev = live_next(EVENT_getrlimit);
	expect_params(ev, NUMBER(0), NUMBER(INT32_MAX), NUMBER(INT32_MAX), NUMBER(RLIMIT_CPU));
}

static void check_files(void)
{
	const long path = low_text("/proc"), missing = low_text("no/such");
	int fd = open("/proc", O_RDONLY);

	require(fd >= 0);
	expect_alike(SYS_statfs, 99, path, room());
	alike_check({SYS_statfs, {path, room()}}, {268, {path, 84, room()}});
	expect_alike(SYS_statfs, 99, missing, room());
	expect_alike(SYS_fstatfs, 100, fd, room());
	alike_check({SYS_fstatfs, {fd, room()}}, {269, {fd, 84, room()}});
	expect_alike(SYS_ustat, 62, 0x12345, room());
	alike_check({SYS_get_robust_list, {0, room(), room()}}, {312, {0, room(), room()}},
		    .except = 1 << get_robust_list__head | 1 << get_robust_list__len);
	close(fd);
}

/* Memory is counted in units by then. */
static void check_machine(void)
{
	const struct event *native, *compat;

	live_skip();
	require(CALL(SYS_sysinfo, room()) == 0 && int80_call(116, room(), 0, 0, 0, 0, 0) == 0);
	native = live_next(EVENT_sysinfo);
	compat = live_next(EVENT_sysinfo);
	expect_i64(native, sysinfo__res, 0);
	expect_i64(compat, sysinfo__res, 0);
	expect_i64(compat, sysinfo__totalram, event_param_i64(native, sysinfo__totalram));
	expect_i64(native, sysinfo__totalram, event_param_i64(compat, sysinfo__totalram));
	for (unsigned int i = sysinfo__uptime; i <= sysinfo__procs; i++) {
		int64_t value = event_param_i64(native, i);

		expect_i64(native, i, value);
		expect_range(compat, i, value / 2, 2 * value);
	}
}

/* Ids of 16 bits, where -1 has as many. */
static void check_ids(void)
{
	static const struct {
		long native, shorter, longer;
	} calls[] = {
		{SYS_setreuid, 70, 203},
		{SYS_setregid, 71, 204},
		{SYS_setresuid, 164, 208},
		{SYS_setresgid, 170, 210},
	};
	const long missing = low_text("no/such"), ids = room();

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		alike_check({calls[i].native, {-1, -1, -1}},
			    {calls[i].shorter, {0x5ffff, -1, 0xffff}});
		expect_alike(calls[i].native, calls[i].longer, -1, -1, -1);
	}
	alike_check({SYS_chown, {missing, 0xfffe, -1}}, {182, {missing, 0x5fffe, 0xffff}});
	expect_alike(SYS_chown, 212, missing, 0x12345, -1);
	alike_check({SYS_lchown, {missing, 5, -1}}, {16, {missing, 0x50005, 0xffff}});
	expect_alike(SYS_lchown, 198, missing, 0x12345, -1);
	alike_check({SYS_fchown, {NO_FD, 5, -1}}, {95, {NO_FD, 0x50005, 0xffff}});
	expect_alike(SYS_fchown, 207, NO_FD, 0x12345, -1);
	alike_check({SYS_setuid, {-1}}, {23, {0xffff}});
	expect_alike(SYS_setuid, 213, -1);
	alike_check({SYS_setgid, {-1}}, {46, {0xffff}});
	expect_alike(SYS_setgid, 214, -1);
	alike_check({SYS_setfsuid, {-1}}, {138, {0xffff}});
	expect_alike(SYS_setfsuid, 215, -1);
	alike_check({SYS_setfsgid, {-1}}, {139, {0xffff}});
	expect_alike(SYS_setfsgid, 216, -1);
	expect_alike(SYS_getuid, 24, 0);
	expect_alike(SYS_geteuid, 201, 0);
	expect_alike(SYS_getgid, 47, 0);
	expect_alike(SYS_getegid, 202, 0);
	expect_alike(SYS_getresuid, 209, ids, ids + 4, ids + 8);
	alike_check({SYS_getresgid, {ids, ids + 4, ids + 8}},
		    {171, {LOW_WORDS(0xabcd0000), LOW_WORDS(0xabcd0000), LOW_WORDS(0xabcd0000)}});
	expect_alike(SYS_setgroups, 206, -1, 0);
	expect_alike(SYS_getgroups, 205, 0, 0);
}

LIVE_TEST(int80_structs)
{
	fixture_file("file", 10);
	check_times();
	check_waiting();
	check_signals();
	check_children();
	check_limits();
	check_files();
	check_machine();
	check_ids();
}

#endif
