/* SPDX-License-Identifier: MIT */
/* An eventfd for calls, and an epoll of it and of readers: it is readable while one of them is. */
#include "util/waker.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct waker {
	int calls; /* eventfd */
	int all; /* epoll */
};

int waker_create(struct waker **waker)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct waker *made = malloc(sizeof(*made));
	int r;

	if (!made)
		return -ENOMEM;
	made->calls = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	made->all = epoll_create1(EPOLL_CLOEXEC);
	if (made->calls < 0 || made->all < 0 ||
	    epoll_ctl(made->all, EPOLL_CTL_ADD, made->calls, &event)) {
		r = -errno;
		waker_destroy(made);
		return r;
	}
	*waker = made;
	return 0;
}

void waker_destroy(struct waker *waker)
{
	if (!waker)
		return;
	if (waker->calls >= 0)
		close(waker->calls);
	if (waker->all >= 0)
		close(waker->all);
	free(waker);
}

/* EPOLLERR and EPOLLHUP always count; once, as such an end lasts. */
void waker_watch_reader(struct waker *waker, int fd)
{
	struct epoll_event event = {.events = EPOLLET};

	(void)epoll_ctl(waker->all, EPOLL_CTL_ADD, fd, &event);
}

int waker_fd(const struct waker *waker)
{
	return waker ? waker->all : -1;
}

void waker_wake(const struct waker *waker)
{
	int before = errno;

	if (waker)
		(void)eventfd_write(waker->calls, 1);
	errno = before;
}

void waker_rest(const struct waker *waker)
{
	struct epoll_event events[2];
	eventfd_t count;

	if (waker && epoll_wait(waker->all, events, 2, 0) > 0)
		(void)eventfd_read(waker->calls, &count);
}
