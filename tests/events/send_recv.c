/* SPDX-License-Identifier: MIT */
/* send and recv: 64-bit programs have no such calls, so that the C library makes others of them. */
#include "harness/fixture.h"
#include "harness/live.h"

LIVE_TEST(send)
{
	int fds[2];

	require(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	require(send(fds[0], "xyz", 3, 0) == 3);
	expect_no_event(EVENT_send, gettid());
	live_skip_to(EVENT_sendto, gettid(), sendto__fd, fds[0]);
	close(fds[0]);
	close(fds[1]);
}

LIVE_TEST(recv)
{
	char memory[8];
	int fds[2];

	require(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	require(write(fds[0], "xyz", 3) == 3 && recv(fds[1], memory, sizeof(memory), 0) == 3);
	expect_no_event(EVENT_recv, gettid());
	live_skip_to(EVENT_recvfrom, gettid(), recvfrom__fd, fds[1]);
	close(fds[0]);
	close(fds[1]);
}
