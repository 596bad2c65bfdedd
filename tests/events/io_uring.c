/* SPDX-License-Identifier: MIT */
/*
 * io_uring_setup, io_uring_enter, io_uring_register: a ring and its parameters, registered files,
 * and rejected calls.
 */
#include <linux/io_uring.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { FEATURES_STORED = 0x6ff };

/* What the params hold after the call is shown. Returns the call's result. */
static long check_setup(long entries, struct io_uring_params *params, bool works, int64_t flags)
{
	static const struct io_uring_params unreadable;
	long ret = CALL(SYS_io_uring_setup, entries, params);
	const struct io_uring_params *now = params == UNREADABLE ? &unreadable : params;
	const struct event *ev = live_next(EVENT_io_uring_setup);

	require((ret >= 0) == works);
	expect_i64(ev, io_uring_setup__res, ret);
	expect_i64(ev, io_uring_setup__entries, (uint32_t)entries);
	expect_i64(ev, io_uring_setup__sq_entries, now->sq_entries);
	expect_i64(ev, io_uring_setup__cq_entries, now->cq_entries);
	expect_i64(ev, io_uring_setup__flags, flags);
	expect_i64(ev, io_uring_setup__sq_thread_cpu, now->sq_thread_cpu);
	expect_i64(ev, io_uring_setup__sq_thread_idle, now->sq_thread_idle);
	expect_i64(ev, io_uring_setup__features, now->features & FEATURES_STORED);
	return ret;
}

static const struct {
	uint32_t native;
	int64_t stored;
} setup_flags[] = {
	{0, 0},
	{IORING_SETUP_IOPOLL,
	 io_uring_setup_flags__IORING_SETUP_IOPOLL | io_uring_setup_flags__IORING_SQ_NEED_WAKEUP},
	{IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF,
	 io_uring_setup_flags__IORING_SETUP_SQPOLL | io_uring_setup_flags__IORING_SETUP_SQ_AFF},
	{IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
	 io_uring_setup_flags__IORING_SETUP_CQSIZE | io_uring_setup_flags__IORING_SETUP_CLAMP},
	{IORING_SETUP_R_DISABLED, io_uring_setup_flags__IORING_SETUP_R_DISABLED},
};

LIVE_TEST(io_uring_setup)
{
	struct io_uring_params params;
	long ring;

	for (size_t i = 0; i < sizeof(setup_flags) / sizeof(*setup_flags); i++) {
		params = (struct io_uring_params){
			.flags = setup_flags[i].native, .sq_thread_idle = 12, .cq_entries = 16};
		ring = check_setup(4, &params, true, setup_flags[i].stored);
		require(params.sq_entries == 4 && params.features);
		close((int)ring);
	}
	params = (struct io_uring_params){0};
	ring = CALL(SYS_io_uring_setup, 4, &params);
	require(ring >= 0);
	live_skip();
	params = (struct io_uring_params){.flags = IORING_SETUP_ATTACH_WQ, .wq_fd = (uint32_t)ring};
	close((int)check_setup(0x100000001L, &params, true,
			       io_uring_setup_flags__IORING_SETUP_ATTACH_RW));
	close((int)ring);
	params = (struct io_uring_params){.sq_entries = 77, .sq_thread_cpu = 3};
	check_setup(0, &params, false, 0);
	params = (struct io_uring_params){.flags = 1U << 31, .features = ~0U};
	check_setup(4, &params, false, 0);
	check_setup(3, UNREADABLE, false, 0);
}

static void check_enter(long fd, long submit, long complete, long flags, const void *sig, long ret)
{
	const struct event *ev;

	require(CALL(SYS_io_uring_enter, fd, submit, complete, flags, sig, 8) == ret);
	ev = live_next(EVENT_io_uring_enter);
	expect_i64(ev, io_uring_enter__res, ret);
	expect_i64(ev, io_uring_enter__fd, (int)fd);
	expect_i64(ev, io_uring_enter__to_submit, (uint32_t)submit);
	expect_i64(ev, io_uring_enter__min_complete, (uint32_t)complete);
	expect_i64(ev, io_uring_enter__flags, flags & 0xf);
	expect_i64(ev, io_uring_enter__sig, (uint32_t)(uintptr_t)sig);
}

LIVE_TEST(io_uring_enter)
{
	struct io_uring_params params = {0};
	long ring = CALL(SYS_io_uring_setup, 4, &params);

	require(ring >= 0);
	check_enter(ring, 0, 0, 0, NULL, 0);
	check_enter(NO_FD, 1, 3, IORING_ENTER_GETEVENTS, UNREADABLE, -EBADF);
	check_enter(0xffffffffL, -1, 0x100000002L, IORING_ENTER_SQ_WAKEUP | IORING_ENTER_SQ_WAIT,
		    &params, -EBADF);
	check_enter(ring, 0, 0, 1L << 31, NULL, -EINVAL);
	check_enter(ring, 0, 0, 1L << 31 | 0xf, NULL, -EINVAL);
	close((int)ring);
}

/* What the event says of a call, but for the files that it registers. Returns it. */
static const struct event *check_call(long fd, long opcode, const void *arg, long n, long ret)
{
	const struct event *ev;

	require(CALL(SYS_io_uring_register, fd, opcode, arg, n) == ret);
	ev = live_next(EVENT_io_uring_register);
	if (ret < 0)
		expect_absent(ev, io_uring_register__ring);
	else
		expect_range(ev, io_uring_register__ring, INT64_MIN, INT64_MAX);
	expect_i64(ev, io_uring_register__res, ret);
	expect_i64(ev, io_uring_register__fd, (int)fd);
	expect_i64(ev, io_uring_register__opcode, (uint16_t)opcode);
	expect_i64(ev, io_uring_register__arg, (int64_t)arg);
	expect_i64(ev, io_uring_register__nr_args, (uint32_t)n);
	return ev;
}

static void check_register(long fd, long opcode, const void *arg, long n, long ret)
{
	const struct event *ev = check_call(fd, opcode, arg, n, ret);

	expect_absent(ev, io_uring_register__slot);
	expect_absent(ev, io_uring_register__files);
}

static void check_files(long fd, long opcode, const void *arg, long n, long ret, int64_t slot,
			const int32_t *files, size_t count)
{
	const struct event *ev = check_call(fd, opcode, arg, n, ret);

	expect_i64(ev, io_uring_register__slot, slot);
	expect_bytes(ev, io_uring_register__files, files, count * sizeof(*files));
}

LIVE_TEST(io_uring_register)
{
	struct io_uring_params params = {0};
	long ring = CALL(SYS_io_uring_setup, 4, &params);
	int event = (int)CALL(SYS_eventfd2, 0, 0);

	require(ring >= 0 && event >= 0);
	check_register(ring, IORING_REGISTER_EVENTFD, &event, 1, 0);
	check_register(ring, IORING_UNREGISTER_EVENTFD, NULL, 0, 0);
	check_register(ring, IORING_UNREGISTER_BUFFERS, NULL, 0, -ENXIO);
	check_register(ring, IORING_REGISTER_EVENTFD, UNREADABLE, 1, -EFAULT);
	check_register(NO_FD, IORING_REGISTER_PERSONALITY, &params, 7, -EBADF);
	check_register(ring, 0x7777, (void *)-3L, 0x100000005L, -EINVAL);
	close((int)ring);
	close(event);
}

/* Files in the slots of a ring, by each command that puts them there. */
LIVE_TEST(io_uring_register_files)
{
	int32_t files[] = {-1, (int32_t)CALL(SYS_eventfd2, 0, 0),
			   (int32_t)CALL(SYS_eventfd2, 0, 0)};
	const struct io_uring_files_update update = {.offset = 1, .fds = (uintptr_t)(files + 1)};
	const struct io_uring_rsrc_register whole = {.nr = 3, .data = (uintptr_t)files};
	const struct io_uring_rsrc_update2 part = {
		.offset = 2, .data = (uintptr_t)(files + 2), .nr = 1};
	struct io_uring_params params = {0};
	long ring = CALL(SYS_io_uring_setup, 4, &params);

	require(ring >= 0 && files[1] >= 0 && files[2] >= 0);
	check_files(ring, IORING_REGISTER_FILES, files, 3, 0, 0, files, 3);
	check_files(ring, IORING_REGISTER_FILES_UPDATE, &update, 2, 2, 1, files + 1, 2);
	check_register(ring, IORING_UNREGISTER_FILES, NULL, 0, 0);
	check_register(ring, IORING_REGISTER_FILES, UNREADABLE, 3, -EFAULT);
	if (params.features & IORING_FEAT_RSRC_TAGS) {
		check_files(ring, IORING_REGISTER_FILES2, &whole, sizeof(whole), 0, 0, files, 3);
		check_files(ring, IORING_REGISTER_FILES_UPDATE2, &part, sizeof(part), 1, 2,
			    files + 2, 1);
	}
	close((int)ring);
	close(files[1]);
	close(files[2]);
}
