/* SPDX-License-Identifier: MIT */
/* poll, ppoll and select: what came about, for the first 16 descriptors; timeouts and masks. */
#include "harness/fixture.h"
#include "harness/live.h"

#include <poll.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/select.h>
#include <time.h>

enum { SHOWN = 16, TOO_MANY = 2000000 };

struct shown_list {
	uint16_t count;
	struct fdlist_entry entries[SHOWN];
} __attribute__((packed));

static void expect_list(const struct event *ev, unsigned int param, const struct shown_list *list)
{
	expect_bytes(ev, param, list,
		     sizeof(list->count) + list->count * sizeof(list->entries[0]));
}

static void check_poll(const struct pollfd *fds, long count, long timeout, long ret,
		       const struct shown_list *list)
{
	const struct event *ev;

	require(CALL(SYS_poll, fds, count, timeout) == ret);
	ev = live_next(EVENT_poll);
	expect_i64(ev, poll__res, ret);
	expect_list(ev, poll__fds, list);
	expect_i64(ev, poll__timeout, (uint32_t)timeout);
}

/* Each bit alone, in an array that the call rejects and leaves as it is. */
static void check_bits(void)
{
	static const int16_t stored[] = {
		1, 2, 4, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200, 0x400, 0, 0, 0, 8, 0, 0,
	};
	struct pollfd fds[SHOWN + 1] = {0};
	struct shown_list list = {.count = SHOWN};

	for (int i = 0; i < SHOWN; i++) {
		fds[i] = (struct pollfd){1000 + i, POLLIN, (short)(1 << i)};
		list.entries[i] = (struct fdlist_entry){1000 + i, stored[i]};
	}
	check_poll(fds, TOO_MANY, 7, -EINVAL, &list);
	check_poll(fixture_edge(fds, SHOWN * sizeof(fds[0])), TOO_MANY, 0, -EINVAL, &list);
}

LIVE_TEST(poll)
{
	const struct shown_list none = {0};
	struct shown_list list;
	struct pollfd fds[4];
	int ends[2];

	require(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
	fds[0] = (struct pollfd){ends[0], POLLIN, 0};
	fds[1] = (struct pollfd){ends[1], POLLIN | POLLOUT, 0};
	fds[2] = (struct pollfd){NO_FD, POLLIN, 0};
	fds[3] = (struct pollfd){-1, POLLIN, 0x7fff};
	list = (struct shown_list){4, {{ends[0], 1}, {ends[1], 4}, {NO_FD, 0x40}, {-1, 0}}};
	check_poll(fds, 4, 0, 3, &list);
	list.count = 1;
	check_poll(fds, 1, -1, 1, &list);
	close(ends[1]);
	list.entries[0].events = 1 | 0x20;
	check_poll(fds, 1, -1, 1, &list);
	check_poll(fds, 0, 1, 0, &none);
	check_poll(NULL, 0, 0, 0, &none);
	check_poll(NULL, 1, 5, -EFAULT, &none);
	check_poll(UNREADABLE, 2, 5, -EFAULT, &none);
	check_poll(fixture_edge(fds, sizeof(fds[0])), 2, 5, -EFAULT, &none);
	check_bits();
	close(ends[0]);
}

/* All but the timeout. */
static const struct event *check_ppoll(struct pollfd *fds, struct timespec *timeout, void *mask,
				       long ret, uint32_t shown_mask)
{
	struct shown_list list = {1, {{fds->fd, 1}}};
	const struct event *ev;

	require(CALL(SYS_ppoll, fds, 1, timeout, mask, 8) == ret);
	ev = live_next(EVENT_ppoll);
	expect_i64(ev, ppoll__res, ret);
	if (ret < 0)
		list.entries[0].events = 0;
	expect_list(ev, ppoll__fds, &list);
	expect_i64(ev, ppoll__sigmask, shown_mask);
	return ev;
}

LIVE_TEST(ppoll)
{
	const int old = personality(0xffffffff);
	struct timespec timeout = {1, 500}, negative = {-1, 0};
	uint64_t mask = 0x8000000140000201;
	struct pollfd fds = {.events = POLLIN};
	const struct event *ev;
	int ends[2];

	require(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
	fds.fd = ends[0];
	/* The kernel writes back the remaining time, unless a personality forbids it: not shown. */
	require(personality((unsigned long)old | STICKY_TIMEOUTS) == old);
	ev = check_ppoll(&fds, &timeout, &mask, 1, 0x40000201);
	expect_i64(ev, ppoll__timeout, 1000000500);
	require(personality((unsigned long)old) >= 0);
	ev = check_ppoll(&fds, &timeout, &mask, 1, 0x40000201);
	expect_i64(ev, ppoll__timeout, 1000000500);
	require(timeout.tv_sec == 0 || timeout.tv_nsec < 500);
	ev = check_ppoll(&fds, NULL, NULL, 1, 0);
	expect_i64(ev, ppoll__timeout, 0);
	fds.revents = 0;
	ev = check_ppoll(&fds, UNREADABLE, &mask, -EFAULT, 0x40000201);
	expect_i64(ev, ppoll__timeout, 0);
	ev = check_ppoll(&fds, &negative, &mask, -EINVAL, 0x40000201);
	expect_i64(ev, ppoll__timeout, -1000000000);
	ev = check_ppoll(&fds, NULL, UNREADABLE, -EFAULT, 0);
	expect_i64(ev, ppoll__timeout, 0);
	close(ends[0]);
	close(ends[1]);
}

static void check_select(long count, fd_set *set, struct timeval *timeout, long ret)
{
	require(CALL(SYS_select, count, set, NULL, NULL, timeout) == ret);
	expect_i64(live_next(EVENT_select), select__res, ret);
}

LIVE_TEST(select)
{
	struct timeval now = {0, 0};
	fd_set set;
	int ends[2];

	require(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	check_select(ends[0] + 1, &set, NULL, 1);
	check_select(0, NULL, &now, 0);
	check_select(-1, NULL, &now, -EINVAL);
	check_select(64, UNREADABLE, &now, -EFAULT);
	close(ends[0]);
	close(ends[1]);
}
