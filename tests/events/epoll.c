/* SPDX-License-Identifier: MIT */
/* epoll_create, epoll_create1, epoll_wait: what they are given, and what is rejected. */
#include <stdbool.h>
#include <sys/epoll.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check_create(long size, bool works)
{
	long ret = CALL(SYS_epoll_create, size);
	const struct event *ev = live_next(EVENT_epoll_create);

	require(works ? ret >= 0 : ret == -EINVAL);
	expect_i64(ev, epoll_create__res, ret);
	expect_i64(ev, epoll_create__size, (int)size);
	if (works)
		close((int)ret);
}

LIVE_TEST(epoll_create)
{
	check_create(10, true);
	check_create(0x10000000fL, true);
	check_create(0, false);
	check_create(-7, false);
	check_create(0x80000000L, false);
}

static void check_create1(long flags, bool works, int64_t shown)
{
	long ret = CALL(SYS_epoll_create1, flags);
	const struct event *ev = live_next(EVENT_epoll_create1);

	require(works ? ret >= 0 : ret == -EINVAL);
	expect_i64(ev, epoll_create1__res, ret);
	expect_i64(ev, epoll_create1__flags, shown);
	if (works)
		close((int)ret);
}

LIVE_TEST(epoll_create1)
{
	check_create1(0, true, 0);
	check_create1(EPOLL_CLOEXEC, true, epoll_create1_flags__EPOLL_CLOEXEC);
	check_create1(EPOLL_CLOEXEC | 1, false, epoll_create1_flags__EPOLL_CLOEXEC);
	check_create1(1, false, 0);
}

static struct epoll_event events[4];

static const struct wait {
	bool on_epoll;
	long fd;
	void *events;
	long max;
	long ret; /* when a descriptor is ready */
} waits[] = {
	{true, 0, events, 4, 1},
	{true, 0, events, 0x100000002L, 1},
	{true, 0, UNREADABLE, 4, -EFAULT},
	{true, 0, events, 0, -EINVAL},
	{true, 0, events, 0xffffffffL, -EINVAL},
	{false, NO_FD, events, 2, -EBADF},
};

enum { WAITS = sizeof(waits) / sizeof(waits[0]) };

static int wait_all(void *arg)
{
	int *epoll = arg, wrong = 0;

	for (int i = 0; i < WAITS; i++)
		wrong += CALL(SYS_epoll_wait, waits[i].on_epoll ? *epoll : waits[i].fd,
			      waits[i].events, waits[i].max, 0) != waits[i].ret;
	return wrong;
}

static int wait_until_timeout(void *arg)
{
	return (int)CALL(SYS_epoll_wait, *(int *)arg, events, 3, 1);
}

static void expect_wait(pid_t pid, long max, long ret)
{
	const struct event *ev = live_next_of(EVENT_epoll_wait, pid);

	expect_i64(ev, epoll_wait__res, ret);
	expect_i64(ev, epoll_wait__maxevents, (int)max);
}

/* In a child, as the capture makes the same calls. */
LIVE_TEST(epoll_wait)
{
	struct epoll_event interest = {.events = EPOLLIN};
	int ends[2], fd = epoll_create1(0);
	pid_t pid;

	require(fd >= 0 && pipe(ends) == 0 &&
		epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &interest) == 0);
	pid = fixture_child(wait_until_timeout, &fd);
	require(fixture_wait(pid) == 0);
	expect_wait(pid, 3, 0);
	require(write(ends[1], "x", 1) == 1);
	pid = fixture_child(wait_all, &fd);
	require(fixture_wait(pid) == 0);
	for (int i = 0; i < WAITS; i++)
		expect_wait(pid, waits[i].max, waits[i].ret);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}
