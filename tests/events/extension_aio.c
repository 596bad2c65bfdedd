/* SPDX-License-Identifier: MIT */
/* The older asynchronous input and output: contexts, operations, results. */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdbool.h>
#include <time.h>

#include "harness/calls.h"

enum { MASK_BYTES = 8 };

static aio_context_t context_open(void)
{
	aio_context_t context = 0;

	CALL(SYS_io_setup, 4, &context);
	live_skip();
	return context;
}

static void check_io_setup(long count, aio_context_t *context)
{
	long ret = CALL(SYS_io_setup, count, context);
	const struct event *ev = next_with_result(EVENT_io_setup, ret);

	expect_i64(ev, io_setup__nr_events, (uint32_t)count);
	if (ret == 0)
		expect_i64(ev, io_setup__ctx_id, (int64_t)*context);
	else
		expect_absent(ev, io_setup__ctx_id);
}

LIVE_TEST(io_setup)
{
	aio_context_t context = 0;

	check_io_setup(3, &context);
	check_io_setup(3, &context);
	check_io_setup(-1, UNREADABLE);
	CALL(SYS_io_destroy, context);
}

LIVE_TEST(io_destroy)
{
	aio_context_t context = context_open();

	for (int i = 0; i < 2; i++)
		expect_i64(next_with_result(EVENT_io_destroy, CALL(SYS_io_destroy, context)),
			   io_destroy__ctx_id, (int64_t)context);
	expect_i64(next_with_result(EVENT_io_destroy, CALL(SYS_io_destroy, -1L)),
		   io_destroy__ctx_id, -1);
}

/* The operation as the event shows it, from `first` on. */
static void expect_operation(const struct event *ev, unsigned int first, const struct iocb *iocb)
{
	if (iocb)
		expect_numbers(ev, first, (int64_t)iocb->aio_data, iocb->aio_lio_opcode,
			       (int32_t)iocb->aio_fildes, (int64_t)iocb->aio_buf,
			       (int64_t)iocb->aio_nbytes, iocb->aio_offset,
			       (uint32_t)iocb->aio_rw_flags);
	else
		expect_absents(ev, first, first + 6);
}

static void check_io_submit(aio_context_t context, long count, struct iocb **list,
			    const struct iocb *shown)
{
	bool has_first = count > 0 && list && (void *)list != UNREADABLE;
	const struct event *ev =
		next_with_result(EVENT_io_submit, CALL(SYS_io_submit, context, count, list));

	expect_numbers(ev, io_submit__ctx_id, (int64_t)context, count);
	if (has_first)
		expect_i64(ev, io_submit__iocb, (int64_t)list[0]);
	else
		expect_absent(ev, io_submit__iocb);
	expect_operation(ev, io_submit__aio_data, shown);
}

static struct iocb reading_of(long fd, char *room, size_t len)
{
	return (struct iocb){
		.aio_data = 0xfeedbeefcafe,
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)fd,
		.aio_buf = (uint64_t)room,
		.aio_nbytes = len,
		.aio_offset = 7,
	};
}

LIVE_TEST(io_submit)
{
	aio_context_t context = context_open();
	char room[50];
	struct iocb good, bad = {.aio_lio_opcode = 999,
				 .aio_fildes = UINT32_MAX,
				 .aio_rw_flags = -1,
				 .aio_offset = -2};
	struct iocb *list[] = {&good, &bad}, *none[] = {UNREADABLE}, *failing[] = {&bad};
	int fd;

	fixture_file("file", 100);
	fd = open("file", O_RDONLY);
	good = reading_of(fd, room, sizeof(room));
	check_io_submit(context, 2, list, &good);
	check_io_submit(context, 1, failing, &bad);
	check_io_submit(context, 0, list, NULL);
	check_io_submit(context, -1, list, NULL);
	check_io_submit(context, 1, none, NULL);
	check_io_submit(context, 1, UNREADABLE, NULL);
	check_io_submit((aio_context_t)-1, 1, list, &good);
	CALL(SYS_io_destroy, context);
	close(fd);
}

LIVE_TEST(io_cancel)
{
	aio_context_t context = context_open();
	struct iocb iocb = reading_of(NO_FD, NULL, 3), *cases[] = {&iocb, UNREADABLE, NULL};
	struct io_event result;

	for (int i = 0; i < 3; i++) {
		const struct event *ev = next_with_result(
			EVENT_io_cancel, CALL(SYS_io_cancel, context, cases[i], &result));

		expect_numbers(ev, io_cancel__ctx_id, (int64_t)context, (int64_t)cases[i]);
		expect_operation(ev, io_cancel__aio_data, i == 0 ? &iocb : NULL);
		expect_i64(ev, io_cancel__result, (int64_t)&result);
	}
	CALL(SYS_io_destroy, context);
}

/* The parameters that both calls for results have. */
static void expect_results(const struct event *ev, long ret, aio_context_t context, long least,
			   long most, const struct io_event *results, int64_t timeout_ns)
{
	expect_numbers(ev, io_getevents__ctx_id, (int64_t)context, least, most);
	if (ret > 0)
		expect_numbers(ev, io_getevents__event_data, (int64_t)results[0].data,
			       (int64_t)results[0].obj, results[0].res);
	else
		expect_absents(ev, io_getevents__event_data, io_getevents__event_res);
	if (timeout_ns < 0)
		expect_absent(ev, io_getevents__timeout);
	else
		expect_i64(ev, io_getevents__timeout, timeout_ns);
}

static void check_io_getevents(aio_context_t context, long least, long most,
			       struct io_event *results, struct timespec *timeout,
			       int64_t timeout_ns)
{
	long ret = CALL(SYS_io_getevents, context, least, most, results, timeout);

	expect_results(next_with_result(EVENT_io_getevents, ret), ret, context, least, most,
		       results, timeout_ns);
}

/* Has the context read a file; the result waits then, unless the kernel has no such calls. */
static void submit_one(aio_context_t context)
{
	static char room[50];
	static struct iocb iocb, *list[] = {&iocb};
	int fd;

	fixture_file("file", 100);
	fd = open("file", O_RDONLY);
	iocb = reading_of(fd, room, sizeof(room));
	CALL(SYS_io_submit, context, 1, list);
	close(fd);
}

LIVE_TEST(io_getevents)
{
	aio_context_t context = context_open();
	struct timespec timeout = {0, 5000000}, now = {0, 0};
	struct io_event results[2] = {0};

	submit_one(context);
	check_io_getevents(context, 1, 2, results, NULL, -1);
	check_io_getevents(context, 0, 2, results, &now, 0);
	check_io_getevents(context, 1, 2, results, &timeout, 5000000);
	check_io_getevents(context, -1, -2, results, UNREADABLE, -1);
	check_io_getevents((aio_context_t)-1, 1L << 40, 0, UNREADABLE, NULL, -1);
	CALL(SYS_io_destroy, context);
}

struct mask_argument {
	const uint64_t *mask;
	size_t size;
};

static void check_io_pgetevents(aio_context_t context, struct io_event *results,
				struct timespec *timeout, int64_t timeout_ns,
				const struct mask_argument *argument)
{
	long ret = CALL(SYS_io_pgetevents, context, 1, 2, results, timeout, argument);
	const struct event *ev = next_with_result(EVENT_io_pgetevents, ret);
	bool readable = argument && (void *)argument != UNREADABLE;

	require((int)io_pgetevents__timeout == io_getevents__timeout);
	expect_results(ev, ret, context, 1, 2, results, timeout_ns);
	if (readable && argument->mask)
		expect_i64(ev, io_pgetevents__sigmask, (uint32_t)*argument->mask);
	else
		expect_absent(ev, io_pgetevents__sigmask);
	if (readable)
		expect_i64(ev, io_pgetevents__sigsetsize, (int64_t)argument->size);
	else
		expect_absent(ev, io_pgetevents__sigsetsize);
}

LIVE_TEST(io_pgetevents)
{
	aio_context_t context = context_open();
	uint64_t mask = 0x1200000081;
	struct mask_argument argument = {&mask, MASK_BYTES}, none = {NULL, 3};
	struct timespec timeout = {0, 4000000};
	struct io_event results[2] = {0};

	submit_one(context);
	check_io_pgetevents(context, results, NULL, -1, &argument);
	check_io_pgetevents(context, results, &timeout, 4000000, &none);
	check_io_pgetevents(context, results, &timeout, 4000000, UNREADABLE);
	check_io_pgetevents((aio_context_t)-1, UNREADABLE, UNREADABLE, -1, NULL);
	CALL(SYS_io_destroy, context);
}
