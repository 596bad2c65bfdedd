/* SPDX-License-Identifier: MIT */
/* semget, semop, semctl: semaphores of System V. */
#include <stdbool.h>
#include <string.h>
#include <sys/sem.h>

#include "harness/fixture.h"
#include "harness/live.h"

static void check_semget(long key, long count, long flags, long res, uint32_t stored)
{
	const struct event *ev;
	long id = CALL(SYS_semget, key, count, flags);

	require(res < 0 ? id == res : id >= 0);
	ev = live_next(EVENT_semget);
	expect_i64(ev, semget__res, id);
	expect_i64(ev, semget__key, (int32_t)key);
	expect_i64(ev, semget__nsems, (int32_t)count);
	expect_i64(ev, semget__semflg, stored);
	if (id >= 0)
		require(semctl((int)id, 0, IPC_RMID) == 0);
}

LIVE_TEST(semget)
{
	check_semget(IPC_PRIVATE, 2, 0600 | IPC_CREAT, 0, semget_flags__IPC_CREAT);
	check_semget(0x100000000 | IPC_PRIVATE, 1, 0, 0, 0);
	check_semget(0x1a2b3c4d, -1, IPC_CREAT | IPC_EXCL, -EINVAL,
		     semget_flags__IPC_CREAT | semget_flags__IPC_EXCL);
	check_semget(0xdeadbeefL, 1, 0, -ENOENT, 0);
	check_semget(0x1a2b3c4d, -1, -1, -EINVAL,
		     semget_flags__IPC_CREAT | semget_flags__IPC_EXCL);
}

static void check_semop(long id, const struct sembuf *operations, uint32_t count, long res)
{
	static const struct sembuf none[2];
	struct sembuf shown[2] = {none[0], none[1]};
	const struct event *ev;

	require(CALL(SYS_semop, id, operations, count) == res);
	if (res == 0)
		memcpy(shown, operations, (count < 2 ? count : 2) * sizeof(shown[0]));
	ev = live_next(EVENT_semop);
	expect_i64(ev, semop__res, res);
	expect_i64(ev, semop__nsops, count);
	expect_i64(ev, semop__sem_num_0, shown[0].sem_num);
	expect_i64(ev, semop__sem_op_0, shown[0].sem_op);
	expect_i64(ev, semop__sem_flg_0,
		   (shown[0].sem_flg & IPC_NOWAIT ? semop_flags__IPC_NOWAIT : 0) |
			   (shown[0].sem_flg & SEM_UNDO ? semop_flags__SEM_UNDO : 0));
	expect_i64(ev, semop__sem_num_1, shown[1].sem_num);
	expect_i64(ev, semop__sem_op_1, shown[1].sem_op);
	expect_i64(ev, semop__sem_flg_1,
		   (shown[1].sem_flg & IPC_NOWAIT ? semop_flags__IPC_NOWAIT : 0) |
			   (shown[1].sem_flg & SEM_UNDO ? semop_flags__SEM_UNDO : 0));
	expect_i64(ev, semop__semid, (int32_t)id);
}

LIVE_TEST(semop)
{
	static const struct sembuf operations[] = {
		{1, 4, 0}, {1, -2, IPC_NOWAIT | SEM_UNDO}, {0, 1, ~(IPC_NOWAIT | SEM_UNDO)},
	};
	static const struct sembuf too_much = {0, -100, IPC_NOWAIT};
	int id = semget(IPC_PRIVATE, 2, 0600);

	require(id >= 0);
	check_semop(id, operations, 1, 0);
	check_semop(id, operations, 2, 0);
	check_semop(id, operations, 3, 0);
	check_semop(id, fixture_edge(operations, sizeof(operations[0])), 1, 0);
	check_semop(id, operations + 2, 1, 0);
	check_semop(id, &too_much, 1, -EAGAIN);
	check_semop(id, UNREADABLE, 1, -EFAULT);
	check_semop(id, operations, 0, -EINVAL);
	check_semop(-1, operations, 2, -EINVAL);
	check_semop(id, operations, UINT32_MAX, -E2BIG);
	require(semctl(id, 0, IPC_RMID) == 0);
}

static void expect_semctl(long id, long index, long command, long value, long res, uint16_t stored)
{
	const struct event *ev = live_next(EVENT_semctl);

	expect_i64(ev, semctl__res, res);
	expect_i64(ev, semctl__semid, (int32_t)id);
	expect_i64(ev, semctl__semnum, (int32_t)index);
	expect_i64(ev, semctl__cmd, stored);
	expect_i64(ev, semctl__val, command == SETVAL ? (int32_t)value : 0);
}

static void check_semctl(long id, long index, long command, long value, long res, uint16_t stored)
{
	require(CALL(SYS_semctl, id, index, command, value) == res);
	expect_semctl(id, index, command, value, res, stored);
}

/* The commands about all semaphores return the highest index in use. */
static void check_info(long command, uint16_t stored)
{
	struct seminfo info;
	long res = CALL(SYS_semctl, 0, 0, command, &info);

	require(res >= 0);
	expect_semctl(0, 0, command, 0, res, stored);
}

/* Commands without a value: they fail for ids that are no semaphore. */
static const struct {
	long command;
	uint16_t stored;
} commands[] = {
	{IPC_STAT, semctl_commands__IPC_STAT}, {IPC_SET, semctl_commands__IPC_SET},
	{SEM_STAT, semctl_commands__SEM_STAT}, {GETALL, semctl_commands__GETALL},
	{GETNCNT, semctl_commands__GETNCNT},   {GETPID, semctl_commands__GETPID},
	{GETVAL, semctl_commands__GETVAL},     {GETZCNT, semctl_commands__GETZCNT},
	{SETALL, semctl_commands__SETALL},     {4, 0},
	{99, 0},			       {-1, 0},
};

LIVE_TEST(semctl)
{
	uint16_t values[2] = {0};
	int id = semget(IPC_PRIVATE, 2, 0600);

	require(id >= 0);
	check_semctl(id, 1, SETVAL, 0x700000004, 0, semctl_commands__SETVAL);
	check_semctl(id, 1, GETVAL, 44, 4, semctl_commands__GETVAL);
	check_semctl(id, 1, SETVAL, -5, -ERANGE, semctl_commands__SETVAL);
	check_semctl(id, 0, GETALL, (long)values, 0, semctl_commands__GETALL);
	check_info(IPC_INFO, semctl_commands__IPC_INFO);
	check_info(SEM_INFO, semctl_commands__SEM_INFO);
	check_semctl(id, 0, IPC_RMID, 0, 0, semctl_commands__IPC_RMID);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		check_semctl(-1, 3, commands[i].command, (long)UNREADABLE, -EINVAL,
			     commands[i].stored);
}
