/* SPDX-License-Identifier: MIT */
/* Waiting for descriptors with epoll and select, and timers that are descriptors. */
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/timerfd.h>

#include "harness/calls.h"

enum { ALL_BITS = -1, MASK_BYTES = 8, LIST_MAX = 16 };

#define DATA 0xfedcba9876543210UL

/* An epoll instance with both ends of a pipe in it; the writing end is ready. */
struct waiting {
	long epfd;
	int ends[2];
};

static struct waiting waiting_open(void)
{
	struct epoll_event in = {EPOLLIN, {.u64 = 1}}, out = {EPOLLOUT | EPOLLET, {.u64 = DATA}};
	struct waiting w = {.epfd = epoll_create1(0)};

	require(w.epfd > 0 && pipe(w.ends) == 0);
	require(epoll_ctl((int)w.epfd, EPOLL_CTL_ADD, w.ends[0], &in) == 0);
	require(epoll_ctl((int)w.epfd, EPOLL_CTL_ADD, w.ends[1], &out) == 0);
	live_skip();
	return w;
}

static void waiting_close(const struct waiting *w)
{
	close(w->ends[0]);
	close(w->ends[1]);
	close((int)w->epfd);
}

static void expect_epoll_event(const struct event *ev, unsigned int first,
			       const struct epoll_event *event)
{
	if (event)
		expect_numbers(ev, first, event->events, (int64_t)event->data.u64);
	else
		expect_absents(ev, first, first + 1);
}

static void check_epoll_ctl(long epfd, long op, long fd, struct epoll_event *event,
			    const struct epoll_event *shown)
{
	const struct event *ev =
		next_with_result(EVENT_epoll_ctl, CALL(SYS_epoll_ctl, epfd, op, fd, event));

	expect_numbers(ev, epoll_ctl__epfd, epfd, (uint32_t)op, fd);
	expect_epoll_event(ev, epoll_ctl__events, shown);
}

LIVE_TEST(epoll_ctl)
{
	struct epoll_event all = {UINT32_MAX, {.u64 = DATA}}, in = {EPOLLIN, {.fd = 7}};
	struct waiting w = waiting_open();

	check_epoll_ctl(w.epfd, EPOLL_CTL_MOD, w.ends[0], &in, &in);
	check_epoll_ctl(w.epfd, EPOLL_CTL_ADD, w.ends[0], &all, &all);
	check_epoll_ctl(w.epfd, EPOLL_CTL_DEL, w.ends[0], &all, NULL);
	check_epoll_ctl(w.epfd, EPOLL_CTL_DEL, w.ends[0], NULL, NULL);
	check_epoll_ctl(NO_FD, EPOLL_CTL_ADD, -1, fixture_edge(&all, sizeof(all)), &all);
	check_epoll_ctl(w.epfd, ALL_BITS, w.ends[0], &all, &all);
	check_epoll_ctl(w.epfd, EPOLL_CTL_ADD, w.ends[0], UNREADABLE, NULL);
	waiting_close(&w);
}

static void check_epoll_pwait(long epfd, struct epoll_event *events, long max, long timeout,
			      const uint64_t *mask, long size)
{
	long ret = CALL(SYS_epoll_pwait, epfd, events, max, timeout, mask, size);
	const struct event *ev = next_with_result(EVENT_epoll_pwait, ret);

	expect_i64(ev, epoll_pwait__epfd, epfd);
	expect_epoll_event(ev, epoll_pwait__events, ret > 0 ? events : NULL);
	expect_numbers(ev, epoll_pwait__maxevents, (int32_t)max, (int32_t)timeout);
	if (mask && (void *)mask != UNREADABLE)
		expect_i64(ev, epoll_pwait__sigmask, (uint32_t)*mask);
	else
		expect_absent(ev, epoll_pwait__sigmask);
	expect_i64(ev, epoll_pwait__sigsetsize, size);
}

LIVE_TEST(epoll_pwait)
{
	struct epoll_event events[4] = {0};
	uint64_t mask = 0x1234567800000401;
	struct waiting w = waiting_open();

	check_epoll_pwait(w.epfd, events, 4, 0, &mask, MASK_BYTES);
	require(events[0].data.u64 == DATA);
	check_epoll_pwait(w.epfd, events, 4, 1, NULL, 0);
	check_epoll_pwait(w.epfd, events, 0, -1, &mask, 5);
	check_epoll_pwait(w.epfd, events, -1, 0x100000007, NULL, 0);
	check_epoll_pwait(w.epfd, events, 4, 0, UNREADABLE, MASK_BYTES);
	check_epoll_pwait(NO_FD, UNREADABLE, 4, 0, NULL, 0);
	waiting_close(&w);
}

static long check_epoll_pwait2(long epfd, struct epoll_event *events, long max,
			       const struct timespec *timeout, const uint64_t *mask,
			       int64_t timeout_ns)
{
	long ret = CALL(SYS_epoll_pwait2, epfd, events, max, timeout, mask, MASK_BYTES);
	const struct event *ev = next_with_result(EVENT_epoll_pwait2, ret);

	expect_i64(ev, epoll_pwait2__epfd, epfd);
	expect_epoll_event(ev, epoll_pwait2__events, ret > 0 ? events : NULL);
	expect_i64(ev, epoll_pwait2__maxevents, (int32_t)max);
	if (timeout_ns >= 0)
		expect_i64(ev, epoll_pwait2__timeout, timeout_ns);
	else
		expect_absent(ev, epoll_pwait2__timeout);
	if (mask)
		expect_i64(ev, epoll_pwait2__sigmask, (uint32_t)*mask);
	else
		expect_absent(ev, epoll_pwait2__sigmask);
	expect_i64(ev, epoll_pwait2__sigsetsize, MASK_BYTES);
	return ret;
}

LIVE_TEST(epoll_pwait2)
{
	struct timespec now = {0, 0}, short_while = {0, 1000001}, bad = {0, 2000000000};
	struct epoll_event events[4] = {0};
	uint64_t mask = 0x80000001;
	struct waiting w = waiting_open();
	long ret;

	ret = check_epoll_pwait2(w.epfd, events, 4, NULL, &mask, -1);
	require(ret == -ENOSYS /* before 5.11 */ || events[0].data.u64 == DATA);
	check_epoll_pwait2(w.epfd, events, 4, &now, NULL, 0);
	check_epoll_pwait2(w.epfd, events, 4, &short_while, &mask, 1000001);
	check_epoll_pwait2(w.epfd, events, 4, &bad, NULL, -1);
	check_epoll_pwait2(NO_FD, events, ALL_BITS, UNREADABLE, NULL, -1);
	waiting_close(&w);
}

static void check_raw(unsigned int id, long number)
{
	long ret = CALL(number, 1L, -2L, 3L << 40, 4L, 5L, 6L);

	expect_numbers(next_with_result(id, ret), 1, 1, -2, 3L << 40, 4, 5, 6);
}

LIVE_TEST(epoll_ctl_old)
{
	check_raw(EVENT_epoll_ctl_old, NR(epoll_ctl_old));
}

LIVE_TEST(epoll_wait_old)
{
	check_raw(EVENT_epoll_wait_old, NR(epoll_wait_old));
}

/* A list of descriptors as the event holds it; `count` of them. */
static void expect_list(const struct event *ev, unsigned int param, const int *fds, int count,
			int16_t events)
{
	uint8_t bytes[2 + LIST_MAX * 10];
	uint16_t shown = (uint16_t)(count > LIST_MAX ? LIST_MAX : count);

	memcpy(bytes, &shown, sizeof(shown));
	for (int i = 0; i < shown; i++) {
		int64_t fd = fds[i];

		memcpy(bytes + 2 + i * 10, &fd, sizeof(fd));
		memcpy(bytes + 2 + i * 10 + 8, &events, sizeof(events));
	}
	expect_bytes(ev, param, bytes, 2 + (size_t)shown * 10);
}

struct mask_argument {
	const uint64_t *mask;
	size_t size;
};

/*
 * The event has the timeout that was asked for, not what the call leaves of it. With an unreadable
 * third set the kernel leaves the others as they are.
 */
static const struct event *make_pselect6(long nfds, fd_set *reading, fd_set *writing,
					 fd_set *exceptional, struct timespec *timeout,
					 const struct mask_argument *argument)
{
	const bool is_timed = timeout && (void *)timeout != UNREADABLE;
	const struct timespec asked = is_timed ? *timeout : (struct timespec){0};
	long ret = CALL(SYS_pselect6, nfds, reading, writing, exceptional, timeout, argument);
	const struct event *ev = next_with_result(EVENT_pselect6, ret);

	expect_i64(ev, pselect6__nfds, (int32_t)nfds);
	expect_absent(ev, pselect6__exceptfds);
	if (is_timed)
		expect_i64(ev, pselect6__timeout, asked.tv_sec * 1000000000 + asked.tv_nsec);
	else
		expect_absent(ev, pselect6__timeout);
	if (argument && argument->mask)
		expect_i64(ev, pselect6__sigmask, (uint32_t)*argument->mask);
	else
		expect_absent(ev, pselect6__sigmask);
	if (argument)
		expect_i64(ev, pselect6__sigsetsize, (int64_t)argument->size);
	else
		expect_absent(ev, pselect6__sigsetsize);
	return ev;
}

static void check_ready(const struct waiting *w)
{
	struct timespec timeout = {60, 0}, now = {0, 0};
	uint64_t mask = 0xffffffff00000003;
	struct mask_argument argument = {&mask, MASK_BYTES}, none = {NULL, 0};
	const struct event *ev;
	fd_set reading, writing;

	FD_ZERO(&reading);
	FD_ZERO(&writing);
	FD_SET(w->ends[0], &reading);
	FD_SET(w->ends[1], &writing);
	ev = make_pselect6(w->ends[1] + 1, &reading, &writing, NULL, &timeout, &argument);
	expect_list(ev, pselect6__readfds, NULL, 0, POLLIN);
	expect_list(ev, pselect6__writefds, &w->ends[1], 1, POLLOUT);

	FD_SET(w->ends[0], &reading);
	ev = make_pselect6(w->ends[1] + 1, &reading, NULL, NULL, &now, &none);
	expect_list(ev, pselect6__readfds, NULL, 0, POLLIN);
	expect_absent(ev, pselect6__writefds);
}

/* Sets of many descriptors and of large ones. */
static void check_given(void)
{
	static const int spread[] = {0, 63, 64, 200, 511, 1022};
	int many[20];
	const struct event *ev;
	fd_set reading, writing;

	FD_ZERO(&reading);
	FD_ZERO(&writing);
	for (int i = 0; i < 6; i++)
		FD_SET(spread[i], &reading);
	for (int i = 0; i < 20; i++) {
		many[i] = 900 + i;
		FD_SET(many[i], &writing);
	}
	ev = make_pselect6(1023, &reading, &writing, UNREADABLE, NULL, NULL);
	expect_list(ev, pselect6__readfds, spread, 6, POLLIN);
	expect_list(ev, pselect6__writefds, many, 20, POLLOUT);
	ev = make_pselect6(511, &reading, &writing, UNREADABLE, NULL, NULL);
	expect_list(ev, pselect6__readfds, spread, 4, POLLIN);
	expect_list(ev, pselect6__writefds, many, 0, POLLOUT);
	ev = make_pselect6(1024, &reading, NULL, UNREADABLE, NULL, NULL);
	expect_list(ev, pselect6__readfds, spread, 6, POLLIN);
	expect_absent(ev, pselect6__writefds);
}

LIVE_TEST(pselect6)
{
	struct waiting w = waiting_open();
	const struct event *ev;
	fd_set reading;

	check_ready(&w);
	check_given();
	FD_ZERO(&reading);
	FD_SET(w.ends[0], &reading);
	ev = make_pselect6(-1, &reading, NULL, NULL, NULL, NULL);
	expect_list(ev, pselect6__readfds, NULL, 0, POLLIN);
	expect_absent(ev, pselect6__writefds);
	ev = make_pselect6(64, UNREADABLE, UNREADABLE, NULL, UNREADABLE, NULL);
	expect_absents(ev, pselect6__readfds, pselect6__writefds);
	waiting_close(&w);
}

static int64_t in_ns(const struct timespec *time)
{
	return time->tv_sec * 1000000000 + time->tv_nsec;
}

static void expect_itimer(const struct event *ev, unsigned int first,
			  const struct itimerspec *timer)
{
	if (timer)
		expect_numbers(ev, first, in_ns(&timer->it_interval), in_ns(&timer->it_value));
	else
		expect_absents(ev, first, first + 1);
}

static void check_timerfd_settime(long fd, long flags, const struct itimerspec *new_value,
				  struct itimerspec *old_value)
{
	long ret = CALL(SYS_timerfd_settime, fd, flags, new_value, old_value);
	const struct event *ev = next_with_result(EVENT_timerfd_settime, ret);

	expect_i64(ev, timerfd_settime__fd, fd);
	expect_i64(ev, timerfd_settime__flags, (uint32_t)flags);
	expect_itimer(ev, timerfd_settime__new_interval,
		      (void *)new_value == UNREADABLE ? NULL : new_value);
	expect_itimer(ev, timerfd_settime__old_interval, ret == 0 ? old_value : NULL);
}

LIVE_TEST(timerfd_settime)
{
	struct itimerspec timer = {{2, 3}, {1000, 4}}, old = {0};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	check_timerfd_settime(fd, 0, &timer, NULL);
	check_timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &timer, &old);
	require(old.it_interval.tv_sec == 2);
	check_timerfd_settime(fd, ALL_BITS, &timer, &old);
	check_timerfd_settime(NO_FD, 0, &timer, &old);
	check_timerfd_settime(fd, 0, UNREADABLE, &old);
	check_timerfd_settime(fd, 0, NULL, NULL);
	close(fd);
}

static void check_timerfd_gettime(long fd, struct itimerspec *timer)
{
	long ret = CALL(SYS_timerfd_gettime, fd, timer);
	const struct event *ev = next_with_result(EVENT_timerfd_gettime, ret);

	expect_i64(ev, timerfd_gettime__fd, fd);
	expect_itimer(ev, timerfd_gettime__curr_interval, ret == 0 ? timer : NULL);
}

LIVE_TEST(timerfd_gettime)
{
	struct itimerspec timer = {{2, 3}, {1000, 4}}, got = {0};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	require(timerfd_settime(fd, 0, &timer, NULL) == 0);
	check_timerfd_gettime(fd, &got);
	require(got.it_interval.tv_nsec == 3);
	check_timerfd_gettime(fd, UNREADABLE);
	check_timerfd_gettime(NO_FD, &got);
	close(fd);
}
