/* SPDX-License-Identifier: MIT */
/* process_vm_readv, process_vm_writev: what was copied, from an existing process and from none. */
#include <string.h>
#include <sys/uio.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum { NOBODY = 0x7ffffff0, BYTES = 200 };

struct transfer {
	struct iovec local[2], remote[1];
	long locals;
	const struct iovec *local_at, *remote_at; /* NULL: those above */
	long pid; /* 0: the own one */
	long ret;
};

static void check_transfer(const struct transfer *transfer, long number, unsigned int event,
			   unsigned int data)
{
	const struct iovec *local = transfer->local_at ? transfer->local_at : transfer->local;
	const struct iovec *remote = transfer->remote_at ? transfer->remote_at : transfer->remote;
	long pid = transfer->pid ? transfer->pid : getpid();
	size_t shown = transfer->ret > LIVE_SNAPLEN ? LIVE_SNAPLEN : (size_t)transfer->ret;
	const struct event *ev;

	require(CALL(number, pid, local, transfer->locals, remote, 1, 0) == transfer->ret);
	ev = live_next(event);
	expect_i64(ev, 0, transfer->ret);
	expect_i64(ev, 1, (int)pid);
	expect_bytes(ev, data, fixture_pattern(BYTES), transfer->ret > 0 ? shown : 0);
}

/* Memory of the calling process on both sides; the pattern is copied. */
static void check_all(char *local, char *remote, long number, unsigned int event, unsigned int data)
{
	const struct transfer transfers[] = {
		{{{local, 10}, {local + 10, 20}}, {{remote, 30}}, .locals = 2, .ret = 30},
		{{{local, 100}, {local + 100, 100}}, {{remote, BYTES}}, .locals = 2, .ret = BYTES},
		{{{local, BYTES}}, {{remote, 7}}, .locals = 1, .ret = 7},
		{{{local, 10}}, {{remote, 10}}, .locals = 0, .ret = 0},
		{{{local, 10}}, {{UNREADABLE, 10}}, .locals = 1, .ret = -EFAULT},
		{{{local, 10}}, {{remote, 10}}, .locals = 1, .pid = NOBODY, .ret = -ESRCH},
		{{{local, 10}},
		 {{remote, 10}},
		 .locals = 1,
		 .local_at = UNREADABLE,
		 .ret = -EFAULT},
	};

	for (size_t i = 0; i < sizeof(transfers) / sizeof(*transfers); i++)
		check_transfer(&transfers[i], number, event, data);
}

LIVE_TEST(process_vm_readv)
{
	static char from[BYTES], to[BYTES];

	memcpy(from, fixture_pattern(BYTES), BYTES);
	check_all(to, from, SYS_process_vm_readv, EVENT_process_vm_readv, process_vm_readv__data);
	expect_true(memcmp(to, from, BYTES) == 0);
}

LIVE_TEST(process_vm_writev)
{
	static char from[BYTES], to[BYTES];

	memcpy(from, fixture_pattern(BYTES), BYTES);
	check_all(from, to, SYS_process_vm_writev, EVENT_process_vm_writev,
		  process_vm_writev__data);
	expect_true(memcmp(to, from, BYTES) == 0);
}
