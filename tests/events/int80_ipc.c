/* SPDX-License-Identifier: MIT */
/* 32-bit programs: System V IPC, by its own numbers and by the multiplexed one. */
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>

#include "harness/alike.h"
#include "harness/fixture.h"
#include "harness/int80.h"
#include "harness/live.h"

#ifdef __x86_64__

enum { NR_IPC = 117, IPC_NEWER = 1 << 16, COMMAND_64 = 0x100, TEXT_BYTES = 10 };

static void check_semaphores(void)
{
	const struct sembuf operations[] = {{0, 1, 0}, {1, 2, IPC_NOWAIT}};
	const long at = low_copy(operations, sizeof(operations));
	const struct timespec wide = {.tv_sec = 3, .tv_nsec = 5};
	const long timeout = low_copy(&wide, sizeof(wide)), narrow = LOW_WORDS(3, 5);
	int id = semget(IPC_PRIVATE, 2, 0600);

	require(id >= 0);
	alike_check({SYS_semget, {0x12345, 0, 0600}}, {NR_IPC, {2, 0x12345, 0, 0600}});
	alike_check({SYS_semop, {id, at, 2}}, {NR_IPC, {1, id, 2, 0, at, 0}});
	alike_check({SYS_semop, {-2, at, 2}}, {NR_IPC, {1, -2, 2, 0, at, 0}});
	alike_check({SYS_semtimedop, {id, at, 2, timeout}}, {NR_IPC, {4, id, 2, 0, at, narrow}});
	alike_check({SYS_semtimedop, {id, at, 2, timeout}}, {420, {id, at, 2, timeout}});
	alike_check({SYS_semctl, {id, 1, SETVAL, 5}},
		    {NR_IPC, {3, id, 1, SETVAL | COMMAND_64, LOW_WORDS(5), 0}});
	alike_check({SYS_semctl, {id, 1, GETVAL, 0}},
		    {NR_IPC, {3, id, 1, GETVAL, LOW_WORDS(0), 0}});
	alike_check({SYS_semctl, {id, 0, IPC_RMID, 0}}, {394, {id, 0, IPC_RMID, 0}},
		    .except = 1 << semctl__res);
}

/* Its type has the size of a long. */
static void check_messages(void)
{
	const struct {
		long type;
		char text[TEXT_BYTES];
	} wide = {5, "something"};
	struct {
		int32_t type;
		char text[TEXT_BYTES];
	} narrow = {5, "something"};
	const long from = low_copy(&wide, sizeof(wide)), to = low_copy(&narrow, sizeof(narrow));
	int id = msgget(IPC_PRIVATE, 0600);

	require(id >= 0);
	alike_check({SYS_msgget, {0x12345, 0600}}, {NR_IPC, {13, 0x12345, 0600}});
	alike_check({SYS_msgsnd, {id, from, TEXT_BYTES, IPC_NOWAIT}},
		    {NR_IPC, {11, id, TEXT_BYTES, IPC_NOWAIT, to, 0}});
	alike_check({SYS_msgsnd, {id, from, TEXT_BYTES, 0}}, {400, {id, to, TEXT_BYTES, 0}});
	alike_check({SYS_msgrcv, {id, from, TEXT_BYTES, -7, IPC_NOWAIT}},
		    {NR_IPC, {12, id, TEXT_BYTES, IPC_NOWAIT, LOW_WORDS((uint32_t)to, -7U), 0}});
	alike_check({SYS_msgrcv, {id, from, TEXT_BYTES, 5, 0}},
		    {NR_IPC, {12 | IPC_NEWER, id, TEXT_BYTES, 0, to, 5}});
	alike_check({SYS_msgrcv, {id, from, TEXT_BYTES, -7, IPC_NOWAIT}},
		    {401, {id, to, TEXT_BYTES, -7, IPC_NOWAIT}});
	alike_check({SYS_msgctl, {-2, 77, 0}}, {NR_IPC, {14, -2, 77 | COMMAND_64, 0, 0, 0}});
	require(msgctl(id, IPC_RMID, NULL) == 0);
}

static void check_control(int id)
{
	static const char room[256];
	const long at = low_copy(room, sizeof(room));
	const struct event *ev;

	alike_check({SYS_shmctl, {id, IPC_STAT, at}},
		    {NR_IPC, {24, id, IPC_STAT | COMMAND_64, 0, at, 0}});
	alike_check({SYS_shmctl, {id, IPC_STAT, at}}, {396, {id, IPC_STAT, at}});
	live_skip();
	/* Structs of the older layout are not decoded. */
	require(int80_call(NR_IPC, 24, id, IPC_STAT, 0, at, 0) == 0);
	ev = live_next(EVENT_shmctl);
	expect_params(ev, NUMBER(0), NUMBER(id), NUMBER(shmctl_commands__IPC_STAT), ABSENT, ABSENT,
		      ABSENT);
}

/* shmat by the common number gives its result to memory. */
static void check_memory(void)
{
	const long there = LOW_WORDS(0), hole = LOW_WORDS(0);
	int id = shmget(IPC_PRIVATE, 4096, 0600);
	const struct event *ev;
	uint32_t at;

	require(id >= 0 && munmap((void *)hole, 4096) == 0);
	alike_check({SYS_shmget, {0x12345, 0, 0600}}, {NR_IPC, {23, 0x12345, 0, 0600}});
	alike_check({SYS_shmat, {-2, 0x1000, SHM_RDONLY}},
		    {NR_IPC, {21, -2, SHM_RDONLY, there, 0x1000, 0}});
	live_skip();
	require(int80_call(NR_IPC, 21, id, SHM_RDONLY, there, hole, 0) == 0);
	memcpy(&at, (void *)there, sizeof(at));
	expect_true(at == hole);
	ev = live_next(EVENT_shmat);
	expect_params(ev, NUMBER(hole), NUMBER(id), NUMBER(hole), NUMBER(SHM_RDONLY));
	require(int80_call(NR_IPC, 22, 0, 0, 0, at, 0) == 0);
	expect_params(live_next(EVENT_shmdt), NUMBER(0), NUMBER(at));
	alike_check({SYS_shmdt, {0x1001}}, {NR_IPC, {22, 0, 0, 0, 0x1001, 0}});
	check_control(id);
	require(shmctl(id, IPC_RMID, NULL) == 0);
}

static void check_queue_attributes(void)
{
	const long name = low_text("lanner-int80");
	const long wide[] = {0, 3, 100, 0, 0, 0, 0, 0};
	const long attributes = low_copy(wide, sizeof(wide));
	static const char room[64];
	const long got = low_copy(room, sizeof(room)), narrow_got = low_copy(room, sizeof(room));
	int queue;

	alike_check({SYS_mq_open, {name, 0102, 0600, attributes}},
		    {277, {name, 0102, 0600, LOW_WORDS(0, 3, 100, 0, 0, 0, 0, 0)}},
		    .makes_fd = true);
	queue = (int)CALL(SYS_mq_open, name, 2, 0, NULL);
	require(queue >= 0);
	alike_check({SYS_mq_getsetattr, {queue, attributes, got}},
		    {282, {queue, LOW_WORDS(0, 3, 100, 0, 0, 0, 0, 0), narrow_got}});
	close(queue);
	require(CALL(SYS_mq_unlink, name) == 0);
}

/* A call whose arguments in memory cannot be read is counted, not reported. */
static void check_unreadable(void)
{
	live_skip();
	require(int80_call(102, 3, (long)UNREADABLE, 0, 0, 0, 0) == -EFAULT);
	expect_no_event(EVENT_connect, gettid());
	require(int80_call(102, 77, (long)UNREADABLE, 0, 0, 0, 0) == -EINVAL);
	require(int80_call(90, (long)UNREADABLE, 0, 0, 0, 0, 0) == -EFAULT);
	expect_no_event(EVENT_mmap, gettid());
}

LIVE_TEST(int80_ipc)
{
	check_semaphores();
	check_messages();
	check_memory();
	check_queue_attributes();
	check_unreadable();
}

#endif
