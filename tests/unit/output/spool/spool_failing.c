/* SPDX-License-Identifier: MIT */
/*
 * A disk that fails at each of its calls, in turn: whatever fails, each record is delivered or
 * refused, and what was acknowledged stays that.
 */
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "output/spool/spool_impl.h"
#include "spooled.h"
#include "unit.h"

enum { BATCHES = 40, FAILURES = 4, CALLS_MAX = 2000 };

/* So many calls succeed, then so many fail with that error. */
static int before, failing, error;

static bool fails(void)
{
	if (!failing || before-- > 0)
		return false;
	failing--;
	before = 0;
	errno = error;
	return true;
}

/* In place of those of libc. */
ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t offset);
ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t offset)
{
	/* A part of it gets to the disk. */
	if (fails())
		return len > 1 && error == ENOSPC
			       ? syscall(SYS_pwrite64, fd, bytes, len / 2, offset)
			       : -1;
	return syscall(SYS_pwrite64, fd, bytes, len, offset);
}

int fdatasync(int fd)
{
	return fails() ? -1 : 0; /* the test waits for no disk */
}

int fsync(int fd)
{
	return fails() ? -1 : 0;
}

int ftruncate64(int fd, off64_t length)
{
	return fails() ? -1 : (int)syscall(SYS_ftruncate, fd, length);
}

int unlinkat(int folder, const char *name, int flags)
{
	return fails() ? -1 : (int)syscall(SYS_unlinkat, folder, name, flags);
}

struct account {
	uint64_t taken[BATCHES * 10 + 1]; /* by number: 1: appended, 2: delivered */
	uint64_t refused;
};

static void append(struct spooled *spooled, struct account *account)
{
	uint64_t number = spooled->number;

	spooled->spool->writer.retry_ns = 0;
	if (spooled_try(spooled, 10)) {
		account->refused += 10;
		return;
	}
	while (number < spooled->number)
		account->taken[++number] = 1;
}

/* Returns whether there was something. */
static bool deliver(struct spooled *spooled, struct account *account)
{
	struct spool_batch batch;
	uint64_t last;

	if (!spooled_read(spooled, &batch))
		return false;
	assert_null(batch.lost);
	last = batch.first + batch.count - 1;
	/* What cannot be stored as attempted is not sent. */
	while (spool_attempt(spooled->spool, last, NULL))
		;
	for (size_t i = 0; i < batch.count; i++) {
		assert_int_equal(account->taken[batch.records[i].number], 1);
		account->taken[batch.records[i].number] = 2;
	}
	spool_acknowledge(spooled->spool, last, NULL);
	return true;
}

/* Returns whether the call of this place was reached. */
static bool run(int place, int code, uint64_t sync_ns)
{
	struct account account = {0};
	struct spooled spooled;
	bool reached;

	spooled_create(&spooled);
	spooled.config.segment_bytes = 4096;
	spooled.config.sync_ns = sync_ns;
	spooled_open(&spooled);
	error = code;
	before = place;
	failing = FAILURES;
	for (int i = 0; i < BATCHES; i++) {
		append(&spooled, &account);
		if (i % 2)
			deliver(&spooled, &account);
	}
	reached = failing < FAILURES;
	failing = 0;
	/* It goes on as if nothing had been, over a restart, too. */
	for (int i = 0; i < 5; i++)
		deliver(&spooled, &account);
	spooled_close(&spooled);
	spooled_open(&spooled);
	while (deliver(&spooled, &account))
		;
	for (uint64_t number = 1; number <= BATCHES * 10; number++)
		account.refused -= account.taken[number] == 0;
	assert_int_equal(account.refused, 0);
	for (uint64_t number = 1; number <= BATCHES * 10; number++)
		assert_int_not_equal(account.taken[number], 1);
	spooled_destroy(&spooled);
	return reached;
}

static void run_at_each_call(int code, uint64_t sync_ns)
{
	int place = 0;

	while (run(place, code, sync_ns))
		assert_true(++place < CALLS_MAX);
	/* The disk was really asked. */
	assert_true(place > 50);
}

static void survives_a_full_disk(void **state)
{
	run_at_each_call(ENOSPC, UINT64_MAX);
}

static void survives_a_read_only_disk(void **state)
{
	run_at_each_call(EROFS, UINT64_MAX);
}

static void survives_errors_when_each_batch_is_synced(void **state)
{
	run_at_each_call(EIO, 0);
}

/* Hundreds of folders, in memory where the test may mount: no disk has to keep up. */
static int use_memory(void **state)
{
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		mount("tmpfs", "/tmp", "tmpfs", 0, NULL);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(survives_a_full_disk),
	cmocka_unit_test(survives_a_read_only_disk),
	cmocka_unit_test(survives_errors_when_each_batch_is_synced),
};

UNIT_GROUP(tests, .setup = use_memory);
