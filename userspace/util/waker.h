/* SPDX-License-Identifier: MIT */
/*
 * Ends the wait of a thread for descriptors. It waits for one more, that of the waker, which others
 * make readable: other threads, signal handlers, and whoever closes the end of a pipe that the
 * thread writes to.
 */
#ifndef UTIL_WAKER_H
#define UTIL_WAKER_H

struct waker;

/* Returns 0 or -errno. */
int waker_create(struct waker **waker);

/* Accepts NULL. */
void waker_destroy(struct waker *waker);

/* Also when nobody reads any more what is written to a pipe or socket. Other files are ignored. */
void waker_watch_reader(struct waker *waker, int fd);

/* What to wait for; owned by `waker`. -1 for NULL. */
int waker_fd(const struct waker *waker);

/* Makes it readable. From any thread, and from signal handlers; accepts NULL. */
void waker_wake(const struct waker *waker);

/* By who waits: it is not readable until the next call, or the next end of a reader. Accepts NULL.
 */
void waker_rest(const struct waker *waker);

#endif
