/* SPDX-License-Identifier: MIT */
/* Operations of io_uring that no call does; e2e/test_uring_calls compares the others with their
 * calls. */
#include <stdio.h>
#include <sys/utsname.h>

#include "harness/live.h"
#include "uring.h"

enum { USER_DATA = 0x1234, NOBODYS = 77 };

/* Kernels before 6.0 do not tell of which request they are. */
static bool tells_requests(void)
{
	struct utsname names;
	unsigned int major;

	require(uname(&names) == 0 && sscanf(names.release, "%u", &major) == 1);
	return major >= 6;
}

/* Where the request is not told, nor is what it was asked to do. */
static void expect_number(const struct event *ev, const struct io_uring_sqe *asked, int result)
{
	expect_params(ev, NUMBER(result), NUMBER(asked->opcode), ABSENT, ABSENT,
		      NUMBER((int64_t)asked->user_data), ABSENT, ABSENT, ABSENT, ABSENT);
}

static void expect_operation(struct uring *ring, const struct io_uring_sqe *asked, int result,
			     int64_t fd)
{
	require(uring_do(ring, asked) == result);
	if (!tells_requests()) {
		expect_number(live_next(EVENT_io_uring_op), asked, result);
		return;
	}
	expect_params(live_next(EVENT_io_uring_op), NUMBER(result), NUMBER(asked->opcode),
		      NUMBER(fd), NUMBER(asked->flags), NUMBER((int64_t)asked->user_data),
		      NUMBER((int64_t)asked->addr), NUMBER(asked->len), NUMBER((int64_t)asked->off),
		      NUMBER(asked->cancel_flags));
}

LIVE_TEST(io_uring_op)
{
	struct uring ring;

	require(uring_open(&ring, 4, 0) == 0);
	expect_operation(&ring,
			 &(struct io_uring_sqe){.opcode = IORING_OP_NOP, .user_data = USER_DATA}, 0,
			 -1);
	/* By a worker of the kernel. */
	expect_operation(&ring,
			 &(struct io_uring_sqe){.opcode = IORING_OP_NOP, .flags = IOSQE_ASYNC}, 0,
			 -1);
	expect_operation(&ring,
			 &(struct io_uring_sqe){.opcode = IORING_OP_ASYNC_CANCEL,
						.addr = NOBODYS,
						.cancel_flags = IORING_ASYNC_CANCEL_ALL},
			 tells_requests() ? 0 : -EINVAL, 0);
	expect_operation(&ring,
			 &(struct io_uring_sqe){.opcode = IORING_OP_ASYNC_CANCEL, .addr = NOBODYS},
			 -ENOENT, 0);
	expect_operation(&ring,
			 &(struct io_uring_sqe){.opcode = IORING_OP_POLL_REMOVE, .addr = NOBODYS},
			 -ENOENT, -1);
	uring_close(&ring);
}
