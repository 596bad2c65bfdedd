/* SPDX-License-Identifier: MIT */
/* Clocks and timers, as far as can be tested without changing the time of the machine. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <time.h>

#include "harness/calls.h"

enum { NS = 1000000000, US = 1000, RESTARTED = -516, NO_CLOCK = 55 };

static int64_t ns_of(struct timespec time)
{
	return time.tv_sec * NS + time.tv_nsec;
}

static int64_t ns_of_us(struct timeval time)
{
	return time.tv_sec * NS + time.tv_usec * US;
}

LIVE_TEST(getitimer)
{
	struct itimerval set = {{77, 1}, {1000, 5}}, never = {0}, got;

	require(setitimer(ITIMER_VIRTUAL, &set, NULL) == 0);
	require(CHECK(getitimer, (SYS_getitimer, ITIMER_VIRTUAL, &got), ITIMER_VIRTUAL,
		      ns_of_us(got.it_interval), ns_of_us(got.it_value)) == 0);
	require(got.it_value.tv_sec > 900);
	require(setitimer(ITIMER_VIRTUAL, &never, NULL) == 0);
	require(CHECK(getitimer, (SYS_getitimer, ITIMER_PROF, &got), ITIMER_PROF, 0, 0) == 0);
	require(CHECK(getitimer, (SYS_getitimer, 9, &got), 9, NOTHING, NOTHING) == -EINVAL);
	require(CHECK(getitimer, (SYS_getitimer, 0, UNREADABLE), 0, NOTHING, NOTHING) == -EFAULT);
}

LIVE_TEST(setitimer)
{
	struct itimerval set = {{77, 1}, {1000, 5}}, never = {0}, wrong = {{0, 0}, {0, 1000000}};
	struct itimerval negative = {{-1, 0}, {5, 0}}, old;

	require(CHECK(setitimer, (SYS_setitimer, ITIMER_VIRTUAL, &set, NULL), ITIMER_VIRTUAL,
		      77 * (int64_t)NS + 1 * US, 1000 * (int64_t)NS + 5 * US, NOTHING,
		      NOTHING) == 0);
	require(CHECK(setitimer, (SYS_setitimer, ITIMER_VIRTUAL, &never, &old), ITIMER_VIRTUAL, 0,
		      0, ns_of_us(old.it_interval), ns_of_us(old.it_value)) == 0);
	require(old.it_value.tv_sec > 900);
	require(CHECK(setitimer, (SYS_setitimer, ITIMER_VIRTUAL, &wrong, &old), ITIMER_VIRTUAL, 0,
		      NOTHING, NOTHING, NOTHING) == -EINVAL);
	require(CHECK(setitimer, (SYS_setitimer, ITIMER_PROF, &negative, &old), ITIMER_PROF,
		      NOTHING, 5 * (int64_t)NS, NOTHING, NOTHING) == -EINVAL);
	require(CHECK(setitimer, (SYS_setitimer, ITIMER_REAL, UNREADABLE, NULL), ITIMER_REAL,
		      NOTHING, NOTHING, NOTHING, NOTHING) == -EFAULT);
	require(CHECK(setitimer, (SYS_setitimer, 9, &set, NULL), 9, ns_of_us(set.it_interval),
		      ns_of_us(set.it_value), NOTHING, NOTHING) == -EINVAL);
}

LIVE_TEST(alarm)
{
	require(CHECK(alarm, (SYS_alarm, 1000), 1000) == 0);
	require(CHECK(alarm, (SYS_alarm, 0x700000000), 0) == 1000);
}

LIVE_TEST(gettimeofday)
{
	struct timeval now;
	struct timezone zone;

	require(CHECK(gettimeofday, (SYS_gettimeofday, &now, &zone), ns_of_us(now),
		      zone.tz_minuteswest, zone.tz_dsttime) == 0);
	require(CHECK(gettimeofday, (SYS_gettimeofday, NULL, NULL), NOTHING, NOTHING, NOTHING) ==
		0);
	require(CHECK(gettimeofday, (SYS_gettimeofday, UNREADABLE, NULL), NOTHING, NOTHING,
		      NOTHING) == -EFAULT);
}

LIVE_TEST(settimeofday)
{
	struct timeval wrong = {5, 1000000}, negative = {-5, 0}, good = {1234, 567};
	struct timezone far = {100000, 3};

	require(CHECK(settimeofday, (SYS_settimeofday, &wrong, NULL), NOTHING, NOTHING, NOTHING) <
		0);
	require(CHECK(settimeofday, (SYS_settimeofday, &negative, &far), NOTHING, 100000, 3) < 0);
	require(CHECK(settimeofday, (SYS_settimeofday, &good, &far), 1234 * (int64_t)NS + 567 * US,
		      100000, 3) < 0);
	require(CHECK(settimeofday, (SYS_settimeofday, &good, UNREADABLE),
		      1234 * (int64_t)NS + 567 * US, NOTHING, NOTHING) == -EFAULT);
}

LIVE_TEST(time)
{
	long now;

	require(CHECK(time, (SYS_time, &now), AT(&now)) > 1700000000);
	require(CHECK(time, (SYS_time, NULL), 0) > 1700000000);
	require(CHECK(time, (SYS_time, UNREADABLE), AT(UNREADABLE)) == -EFAULT);
}

#define TIMEX(t)                                                                                   \
	(t).modes, (t).offset, (t).freq, (t).maxerror, (t).esterror, (t).status, (t).constant,     \
		(t).time.tv_sec *(int64_t)NS + (t).time.tv_usec *((t).status & STA_NANO ? 1 : US), \
		(t).tick
#define NO_TIMEX NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING

/* Queries, and changes that are certain to be rejected. */
LIVE_TEST(adjtimex)
{
	struct timex asked = {0}, wrong = {.modes = ADJ_TICK | ADJ_FREQUENCY, .tick = 1};

	wrong.freq = -5;
	wrong.constant = -7;
	wrong.time.tv_sec = 99;
	require(CHECK(adjtimex, (SYS_adjtimex, &asked), TIMEX(asked)) >= 0);
	require(CHECK(adjtimex, (SYS_adjtimex, &wrong), TIMEX(wrong)) < 0);
	require(CHECK(adjtimex, (SYS_adjtimex, UNREADABLE), NO_TIMEX) == -EFAULT);
	require(CHECK(adjtimex, (SYS_adjtimex, NULL), NO_TIMEX) == -EFAULT);
}

LIVE_TEST(clock_adjtime)
{
	struct timex asked = {0};

	require(CHECK(clock_adjtime, (SYS_clock_adjtime, CLOCK_REALTIME, &asked), CLOCK_REALTIME,
		      TIMEX(asked)) >= 0);
	memset(&asked, 0, sizeof(asked));
	require(CHECK(clock_adjtime, (SYS_clock_adjtime, CLOCK_MONOTONIC, &asked), CLOCK_MONOTONIC,
		      TIMEX(asked)) == -EOPNOTSUPP);
	require(CHECK(clock_adjtime, (SYS_clock_adjtime, 0, UNREADABLE), 0, NO_TIMEX) == -EFAULT);
}

LIVE_TEST(clock_settime)
{
	struct timespec wrong = {3, -1}, good = {3, 4};

	require(CHECK(clock_settime, (SYS_clock_settime, CLOCK_REALTIME, &wrong), CLOCK_REALTIME,
		      NOTHING) < 0);
	require(CHECK(clock_settime, (SYS_clock_settime, CLOCK_MONOTONIC, &good), CLOCK_MONOTONIC,
		      ns_of(good)) == -EINVAL);
	require(CHECK(clock_settime, (SYS_clock_settime, -5, &good), -5, ns_of(good)) < 0);
	require(CHECK(clock_settime, (SYS_clock_settime, CLOCK_REALTIME, UNREADABLE),
		      CLOCK_REALTIME, NOTHING) == -EFAULT);
	/* Longer than any clock goes. */
	good.tv_sec = INT64_MAX;
	require(CHECK(clock_settime, (SYS_clock_settime, CLOCK_MONOTONIC, &good), CLOCK_MONOTONIC,
		      INT64_MAX) == -EINVAL);
}

/* Where the C library asks the kernel for the time, the harness does too: the call before this. */
static const struct event *next_after_mark(void)
{
	live_skip_to(EVENT_clock_gettime, gettid(), clock_gettime__clockid, NO_CLOCK);
	return live_next(EVENT_clock_gettime);
}

LIVE_TEST(clock_gettime)
{
	struct timespec now;
	long ret;

	CALL(SYS_clock_gettime, NO_CLOCK, NULL);
	ret = CALL(SYS_clock_gettime, CLOCK_BOOTTIME, &now);
	expect_values(next_after_mark(), 0, CLOCK_BOOTTIME, ns_of(now));
	require(ret == 0);
	CALL(SYS_clock_gettime, NO_CLOCK, NULL);
	ret = CALL(SYS_clock_gettime, -1, &now);
	expect_values(next_after_mark(), ret, (uint32_t)-1, ret ? NOTHING : ns_of(now));
	CALL(SYS_clock_gettime, NO_CLOCK, NULL);
	ret = CALL(SYS_clock_gettime, CLOCK_TAI, UNREADABLE);
	expect_values(next_after_mark(), -EFAULT, CLOCK_TAI, NOTHING);
	require(ret == -EFAULT);
}

LIVE_TEST(clock_getres)
{
	struct timespec resolution;

	require(CHECK(clock_getres, (SYS_clock_getres, CLOCK_MONOTONIC_COARSE, &resolution),
		      CLOCK_MONOTONIC_COARSE, ns_of(resolution)) == 0);
	require(CHECK(clock_getres, (SYS_clock_getres, 0x500000005, NULL), CLOCK_REALTIME_COARSE,
		      NOTHING) == 0);
	require(CHECK(clock_getres, (SYS_clock_getres, NO_CLOCK, &resolution), NO_CLOCK, NOTHING) ==
		-EINVAL);
}

static void do_nothing(int sig)
{
}

LIVE_TEST(clock_nanosleep)
{
	struct timespec soon = {0, 1000}, past = {1, 0}, wrong = {0, NS}, long_time = {1000, 0};
	struct itimerval often = {{0, 10000}, {0, 10000}}, never = {0};
	struct timespec remain = {0};

	require(CHECK(clock_nanosleep, (SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &soon, &remain),
		      CLOCK_MONOTONIC, 0, 1000, NOTHING) == 0);
	require(CHECK(clock_nanosleep,
		      (SYS_clock_nanosleep, CLOCK_BOOTTIME, TIMER_ABSTIME, &past, NULL),
		      CLOCK_BOOTTIME, TIMER_ABSTIME, NS, NOTHING) == 0);
	require(CHECK(clock_nanosleep, (SYS_clock_nanosleep, 0, 0, &wrong, &remain), 0, 0, NOTHING,
		      NOTHING) == -EINVAL);
	require(CHECK(clock_nanosleep, (SYS_clock_nanosleep, 0, 0, UNREADABLE, &remain), 0, 0,
		      NOTHING, NOTHING) == -EFAULT);
	require(signal(SIGALRM, do_nothing) != SIG_ERR);
	require(setitimer(ITIMER_REAL, &often, NULL) == 0);
	require(CALL(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &long_time, &remain) == -EINTR);
	require(setitimer(ITIMER_REAL, &never, NULL) == 0);
	require(signal(SIGALRM, SIG_DFL) == do_nothing);
	expect_values(live_next(EVENT_clock_nanosleep), RESTARTED, CLOCK_MONOTONIC, 0,
		      ns_of(long_time), ns_of(remain));
}

/* The kernel's own number of a timer. */
static int make_timer(void)
{
	struct sigevent silent = {.sigev_notify = SIGEV_NONE};
	int timer = -1;

	require(CALL(SYS_timer_create, CLOCK_MONOTONIC, &silent, &timer) == 0);
	live_skip();
	return timer;
}

LIVE_TEST(timer_create)
{
	struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG};
	int timer = -1;

	how.sigev_value.sival_ptr = (void *)0x1234567890;
	require(CHECK(timer_create, (SYS_timer_create, CLOCK_BOOTTIME, &how, &timer),
		      CLOCK_BOOTTIME, SIGEV_SIGNAL, SIGURG, 0x1234567890, timer) == 0);
	require(CALL(SYS_timer_delete, timer) == 0);
	how.sigev_notify = SIGEV_NONE;
	require(CHECK(timer_create, (SYS_timer_create, CLOCK_MONOTONIC, &how, &timer),
		      CLOCK_MONOTONIC, SIGEV_NONE, NOTHING, 0x1234567890, timer) == 0);
	require(CALL(SYS_timer_delete, timer) == 0);
	require(CHECK(timer_create, (SYS_timer_create, CLOCK_MONOTONIC, NULL, &timer),
		      CLOCK_MONOTONIC, NOTHING, NOTHING, NOTHING, timer) == 0);
	require(CALL(SYS_timer_delete, timer) == 0);
	require(CHECK(timer_create, (SYS_timer_create, NO_CLOCK, &how, &timer), NO_CLOCK,
		      SIGEV_NONE, NOTHING, 0x1234567890, NOTHING) < 0);
	require(CHECK(timer_create, (SYS_timer_create, 0, UNREADABLE, &timer), 0, NOTHING, NOTHING,
		      NOTHING, NOTHING) == -EFAULT);
}

LIVE_TEST(timer_settime)
{
	struct itimerspec set = {{7, 8}, {1000, 9}}, never = {0}, wrong = {{0, 0}, {0, -1}}, old;
	int timer = make_timer();

	require(CHECK(timer_settime, (SYS_timer_settime, timer, 0, &set, NULL), timer, 0,
		      ns_of(set.it_interval), ns_of(set.it_value), NOTHING, NOTHING) == 0);
	require(CHECK(timer_settime, (SYS_timer_settime, timer, TIMER_ABSTIME, &never, &old), timer,
		      TIMER_ABSTIME, 0, 0, ns_of(old.it_interval), ns_of(old.it_value)) == 0);
	require(ns_of(old.it_interval) == ns_of(set.it_interval));
	require(CHECK(timer_settime, (SYS_timer_settime, timer, 0, &wrong, &old), timer, 0, 0,
		      NOTHING, NOTHING, NOTHING) == -EINVAL);
	require(CHECK(timer_settime, (SYS_timer_settime, -3, 0, UNREADABLE, &old), -3, 0, NOTHING,
		      NOTHING, NOTHING, NOTHING) == -EFAULT);
	require(CALL(SYS_timer_delete, timer) == 0);
}

LIVE_TEST(timer_gettime)
{
	struct itimerspec set = {{7, 8}, {1000, 9}}, got;
	int timer = make_timer();

	require(CALL(SYS_timer_settime, timer, 0, &set, NULL) == 0);
	require(CHECK(timer_gettime, (SYS_timer_gettime, timer, &got), timer,
		      ns_of(set.it_interval), ns_of(got.it_value)) == 0);
	require(CHECK(timer_gettime, (SYS_timer_gettime, -3, &got), -3, NOTHING, NOTHING) ==
		-EINVAL);
	require(CALL(SYS_timer_delete, timer) == 0);
}

LIVE_TEST(timer_getoverrun)
{
	int timer = make_timer();

	require(CHECK(timer_getoverrun, (SYS_timer_getoverrun, timer), timer) == 0);
	require(CALL(SYS_timer_delete, timer) == 0);
	require(CHECK(timer_getoverrun, (SYS_timer_getoverrun, -1), -1) == -EINVAL);
}

LIVE_TEST(timer_delete)
{
	int timer = make_timer();

	require(CHECK(timer_delete, (SYS_timer_delete, timer), timer) == 0);
	require(CHECK(timer_delete, (SYS_timer_delete, timer), timer) == -EINVAL);
}

LIVE_TEST(times)
{
	struct tms used;

	require(CHECK(times, (SYS_times, &used), used.tms_utime, used.tms_stime, used.tms_cutime,
		      used.tms_cstime) != 0);
	CHECK(times, (SYS_times, NULL), NOTHING, NOTHING, NOTHING, NOTHING);
	require(CHECK(times, (SYS_times, UNREADABLE), NOTHING, NOTHING, NOTHING, NOTHING) ==
		-EFAULT);
}
