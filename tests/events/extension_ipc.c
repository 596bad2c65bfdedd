/* SPDX-License-Identifier: MIT */
/* Shared memory, semaphores and message queues, of System V and of POSIX. */
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>

#include "harness/calls.h"

enum { NS = 1000000000, NO_ID = 0x7fffffff, SIZE = 8192, MODE = 0640 };

#define NO_OWNER NOTHING, NOTHING, NOTHING

static int segment(void)
{
	int id = (int)CALL(SYS_shmget, IPC_PRIVATE, SIZE, MODE | IPC_CREAT);

	require(id >= 0);
	live_skip();
	return id;
}

LIVE_TEST(shmget)
{
	long id = CHECK(shmget, (SYS_shmget, IPC_PRIVATE, SIZE, MODE | IPC_CREAT), IPC_PRIVATE,
			SIZE, MODE | IPC_CREAT);

	require(id >= 0 && CALL(SYS_shmctl, id, IPC_RMID, NULL) == 0);
	require(CHECK(shmget, (SYS_shmget, 0x7ead1234, 0x123456789, 0), 0x7ead1234, 0x123456789,
		      0) == -ENOENT);
	require(CHECK(shmget, (SYS_shmget, -5, 0, IPC_CREAT | IPC_EXCL | 014000), -5, 0,
		      IPC_CREAT | IPC_EXCL | 014000) == -EINVAL);
}

LIVE_TEST(shmat)
{
	int id = segment();
	long address = CHECK(shmat, (SYS_shmat, id, NULL, SHM_RDONLY), id, 0, SHM_RDONLY);

	require(address > 0 && CALL(SYS_shmdt, address) == 0);
	require(CHECK(shmat, (SYS_shmat, id, 1, 0), id, 1, 0) == -EINVAL);
	require(CHECK(shmat, (SYS_shmat, -1, NULL, SHM_EXEC), -1, 0, SHM_EXEC) == -EINVAL);
	require(CALL(SYS_shmctl, id, IPC_RMID, NULL) == 0);
}

LIVE_TEST(shmdt)
{
	int id = segment();
	long address = CALL(SYS_shmat, id, NULL, 0);

	require(CHECK(shmdt, (SYS_shmdt, address), address) == 0);
	require(CHECK(shmdt, (SYS_shmdt, address), address) == -EINVAL);
	require(CALL(SYS_shmctl, id, IPC_RMID, NULL) == 0);
}

LIVE_TEST(shmctl)
{
	int id = segment();
	struct shmid_ds status, change;

	require(CHECK(shmctl, (SYS_shmctl, id, IPC_STAT, &status), id, IPC_STAT, 0, 0, MODE) == 0);
	change = status;
	change.shm_perm.uid = 1000;
	change.shm_perm.gid = 1001;
	change.shm_perm.mode = 0600;
	require(CHECK(shmctl, (SYS_shmctl, id, IPC_SET, &change), id, IPC_SET, 1000, 1001, 0600) ==
		0);
	require(CHECK(shmctl, (SYS_shmctl, id, IPC_SET, UNREADABLE), id, IPC_SET, NO_OWNER) ==
		-EFAULT);
	require(CHECK(shmctl, (SYS_shmctl, id, SHM_LOCK, &change), id, SHM_LOCK, NO_OWNER) <= 0);
	require(CHECK(shmctl, (SYS_shmctl, id, IPC_RMID, &change), id, IPC_RMID, NO_OWNER) == 0);
	require(CHECK(shmctl, (SYS_shmctl, NO_ID, IPC_STAT, &status), NO_ID, IPC_STAT, NO_OWNER) <
		0);
	require(CHECK(shmctl, (SYS_shmctl, -1, 99, &status), -1, 99, NO_OWNER) == -EINVAL);
}

static int queue(void)
{
	int id = (int)CALL(SYS_msgget, IPC_PRIVATE, MODE | IPC_CREAT);

	require(id >= 0);
	live_skip();
	return id;
}

LIVE_TEST(msgget)
{
	long id = CHECK(msgget, (SYS_msgget, IPC_PRIVATE, MODE | IPC_CREAT | IPC_EXCL), IPC_PRIVATE,
			MODE | IPC_CREAT | IPC_EXCL);

	require(id >= 0 && CALL(SYS_msgctl, id, IPC_RMID, NULL) == 0);
	require(CHECK(msgget, (SYS_msgget, 0x7ead1234, 0), 0x7ead1234, 0) == -ENOENT);
}

LIVE_TEST(msgctl)
{
	int id = queue();
	struct msqid_ds status;

	require(CHECK(msgctl, (SYS_msgctl, id, IPC_STAT, &status), id, IPC_STAT, 0, 0, MODE) == 0);
	status.msg_perm.uid = 7;
	require(CHECK(msgctl, (SYS_msgctl, id, IPC_SET, &status), id, IPC_SET, 7, 0, MODE) == 0);
	require(CHECK(msgctl, (SYS_msgctl, id, IPC_RMID, NULL), id, IPC_RMID, NO_OWNER) == 0);
	require(CHECK(msgctl, (SYS_msgctl, -1, IPC_STAT, &status), -1, IPC_STAT, NO_OWNER) ==
		-EINVAL);
	require(CHECK(msgctl, (SYS_msgctl, -1, IPC_SET, UNREADABLE), -1, IPC_SET, NO_OWNER) < 0);
}

struct message {
	long type;
	char text[200];
};

LIVE_TEST(msgsnd)
{
	int id = queue();
	struct message message = {0x1234567890, "hello, world"};
	struct message *edge = fixture_edge(&message, sizeof(long) + 5);
	const struct event *ev;

	require(CALL(SYS_msgsnd, id, edge, 5, IPC_NOWAIT) == 0);
	ev = live_next(EVENT_msgsnd);
	expect_values(ev, 0, id, 0x1234567890, OTHER, 5, IPC_NOWAIT);
	expect_bytes(ev, msgsnd__data, "hello", 5);
	require(CALL(SYS_msgsnd, -1, &message, sizeof(message.text), 0) == -EINVAL);
	ev = live_next(EVENT_msgsnd);
	expect_values(ev, -EINVAL, -1, 0x1234567890, OTHER, sizeof(message.text), 0);
	expect_bytes(ev, msgsnd__data, message.text, LIVE_SNAPLEN);
	require(CHECK(msgsnd, (SYS_msgsnd, id, &message, 0, 0), id, 0x1234567890, NOTHING, 0, 0) ==
		0);
	require(CHECK(msgsnd, (SYS_msgsnd, id, UNREADABLE, 5, 0), id, NOTHING, NOTHING, 5, 0) ==
		-EFAULT);
	require(CALL(SYS_msgctl, id, IPC_RMID, NULL) == 0);
}

LIVE_TEST(msgrcv)
{
	int id = queue();
	struct message message = {77, "hello, world"}, got;
	const struct event *ev;

	require(CALL(SYS_msgsnd, id, &message, sizeof(message.text), 0) == 0);
	require(CALL(SYS_msgsnd, id, &message, 5, 0) == 0);
	require(CALL(SYS_msgrcv, id, &got, 10L, 0L, MSG_NOERROR) == 10);
	ev = live_next(EVENT_msgrcv);
	expect_values(ev, 10, id, 77, OTHER, 10, 0, MSG_NOERROR);
	expect_bytes(ev, msgrcv__data, message.text, 10);
	require(CALL(SYS_msgrcv, id, &got, 200L, -100L, 0) == 5);
	ev = live_next(EVENT_msgrcv);
	expect_values(ev, 5, id, 77, OTHER, 200, -100, 0);
	expect_bytes(ev, msgrcv__data, "hello", 5);
	require(CHECK(msgrcv, (SYS_msgrcv, id, &got, 200L, 5L, IPC_NOWAIT), id, NOTHING, NOTHING,
		      200, 5, IPC_NOWAIT) == -ENOMSG);
	require(CHECK(msgrcv, (SYS_msgrcv, -1, UNREADABLE, -1L, 0, 0), -1, NOTHING, NOTHING, -1L, 0,
		      0) == -EINVAL);
	require(CALL(SYS_msgctl, id, IPC_RMID, NULL) == 0);
}

LIVE_TEST(semtimedop)
{
	int id = (int)CALL(SYS_semget, IPC_PRIVATE, 2, MODE | IPC_CREAT);
	struct sembuf steps[] = {{0, 5, 0}, {1, -1, IPC_NOWAIT | SEM_UNDO}, {0, 0, 0}};
	struct sembuf *edge = fixture_edge(steps, sizeof(steps[0]));
	struct timespec soon = {0, 1000}, wrong = {0, -1};
	int flags = IPC_NOWAIT | SEM_UNDO;

	require(id >= 0);
	require(CHECK(semtimedop, (SYS_semtimedop, id, edge, 1, NULL), id, 0, 5, 0, NOTHING,
		      NOTHING, NOTHING, 1, NOTHING) == 0);
	require(CHECK(semtimedop, (SYS_semtimedop, id, steps, 3, &soon), id, 0, 5, 0, 1, -1, flags,
		      3, 1000) == -EAGAIN);
	require(CHECK(semtimedop, (SYS_semtimedop, -1, steps, 2, &wrong), -1, 0, 5, 0, 1, -1, flags,
		      2, NOTHING) == -EINVAL);
	require(CHECK(semtimedop, (SYS_semtimedop, id, UNREADABLE, 1, NULL), id, NOTHING, NOTHING,
		      NOTHING, NOTHING, NOTHING, NOTHING, 1, NOTHING) == -EFAULT);
	require(CALL(SYS_semctl, id, 0, IPC_RMID, 0) == 0);
}

#define NO_ATTRIBUTES NOTHING, NOTHING, NOTHING, NOTHING
#define QUEUE "lanner-live-test"

/* A queue for 4 messages of 100 bytes, or -1 where the kernel has none. */
static int posix_queue(void)
{
	struct mq_attr attr = {0, 4, 100, 0, {0}};
	int fd = (int)CALL(SYS_mq_open, QUEUE, O_RDWR | O_CREAT, 0600, &attr);

	require(fd > 0 || fd == -ENOSYS);
	CALL(SYS_mq_unlink, QUEUE);
	live_skip();
	return fd > 0 ? fd : -1;
}

static const struct event *next_open(const char *name)
{
	const struct event *ev = live_next(EVENT_mq_open);

	if (name)
		expect_string(ev, mq_open__name, name);
	else
		expect_absent(ev, mq_open__name);
	return ev;
}

LIVE_TEST(mq_open)
{
	struct mq_attr attr = {O_NONBLOCK, 4, 100, 3, {0}};
	long fd = CALL(SYS_mq_open, QUEUE, O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attr);
	const struct path_case *paths = fixture_paths();

	expect_values(next_open(QUEUE), fd, OTHER, O_RDWR | O_CREAT | O_NONBLOCK, 0600, O_NONBLOCK,
		      4, 100, 3);
	if (fd > 0)
		close((int)fd);
	CALL(SYS_mq_unlink, QUEUE);
	fd = CALL(SYS_mq_open, QUEUE, O_WRONLY | O_CLOEXEC, 0600, &attr);
	expect_values(next_open(QUEUE), fd, OTHER, O_WRONLY | O_CLOEXEC, NOTHING, NO_ATTRIBUTES);
	fd = CALL(SYS_mq_open, UNREADABLE, O_CREAT, 07777, NULL);
	expect_values(next_open(NULL), fd, OTHER, O_CREAT, 07777, NO_ATTRIBUTES);
	for (size_t i = 0; i < PATH_CASES; i++) {
		fd = CALL(SYS_mq_open, paths[i].path, 0, 0, NULL);
		require(fd < 0);
		expect_values(next_open(paths[i].shown), fd, OTHER, 0, NOTHING, NO_ATTRIBUTES);
	}
}

LIVE_TEST(mq_unlink)
{
	const struct path_case *paths = fixture_paths();
	const struct event *ev;

	for (size_t i = 0; i < PATH_CASES; i++) {
		long ret = CALL(SYS_mq_unlink, paths[i].path);

		require(ret < 0);
		ev = live_next(EVENT_mq_unlink);
		expect_i64(ev, mq_unlink__res, ret);
		expect_path(ev, mq_unlink__name, &paths[i]);
	}
}

LIVE_TEST(mq_timedsend)
{
	struct timespec past = {5, 6};
	int fd = posix_queue();
	long ret = CALL(SYS_mq_timedsend, fd, "hello", 5, 7, &past);
	const struct event *ev = live_next(EVENT_mq_timedsend);

	expect_values(ev, ret, fd, OTHER, 5, 7, 5 * (int64_t)NS + 6);
	expect_bytes(ev, mq_timedsend__data, "hello", 5);
	require(CHECK(mq_timedsend, (SYS_mq_timedsend, fd, UNREADABLE, 5, -1, NULL), fd, NOTHING, 5,
		      -1, NOTHING) < 0);
	ret = CALL(SYS_mq_timedsend, NO_FD, fixture_pattern(101), 101, 0, UNREADABLE);
	ev = live_next(EVENT_mq_timedsend);
	expect_values(ev, ret, NO_FD, OTHER, 101, 0, NOTHING);
	expect_bytes(ev, mq_timedsend__data, fixture_pattern(101), LIVE_SNAPLEN);
	require(ret < 0);
	close(fd);
}

LIVE_TEST(mq_timedreceive)
{
	struct timespec past = {5, 6};
	int fd = posix_queue();
	unsigned int priority = 0;
	char text[100] = "";
	const struct event *ev;
	long ret;

	CALL(SYS_mq_timedsend, fd, "hello", 5, 7, NULL);
	ret = CALL(SYS_mq_timedreceive, fd, text, sizeof(text), &priority, &past);
	ev = live_next(EVENT_mq_timedreceive);
	expect_values(ev, ret, fd, OTHER, sizeof(text), ret < 0 ? NOTHING : 7, 5 * (int64_t)NS + 6);
	expect_bytes(ev, mq_timedreceive__data, "hello", ret < 0 ? 0 : 5);
	require(CHECK(mq_timedreceive,
		      (SYS_mq_timedreceive, fd, text, sizeof(text), &priority, &past), fd, NOTHING,
		      sizeof(text), NOTHING, 5 * (int64_t)NS + 6) < 0);
	require(CHECK(mq_timedreceive, (SYS_mq_timedreceive, -1, text, 0, NULL, NULL), -1, NOTHING,
		      0, NOTHING, NOTHING) < 0);
	close(fd);
}

LIVE_TEST(mq_notify)
{
	struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG};
	int fd = posix_queue();

	how.sigev_value.sival_ptr = (void *)0x1234567890;
	CHECK(mq_notify, (SYS_mq_notify, fd, &how), fd, SIGEV_SIGNAL, SIGURG, 0x1234567890);
	CHECK(mq_notify, (SYS_mq_notify, fd, NULL), fd, NOTHING, NOTHING, NOTHING);
	how.sigev_notify = 77;
	require(CHECK(mq_notify, (SYS_mq_notify, NO_FD, &how), NO_FD, 77, NOTHING, 0x1234567890) <
		0);
	require(CHECK(mq_notify, (SYS_mq_notify, -1, UNREADABLE), -1, NOTHING, NOTHING, NOTHING) <
		0);
	close(fd);
}

LIVE_TEST(mq_getsetattr)
{
	struct mq_attr set = {O_NONBLOCK, 1, 2, 3, {0}}, old;
	int fd = posix_queue();

	CHECK(mq_getsetattr, (SYS_mq_getsetattr, fd, &set, &old), fd, O_NONBLOCK, 1, 2, 3, OUT(0),
	      OUT(4), OUT(100), OUT(0));
	CHECK(mq_getsetattr, (SYS_mq_getsetattr, fd, NULL, &old), fd, NO_ATTRIBUTES,
	      OUT(O_NONBLOCK), OUT(4), OUT(100), OUT(0));
	require(CHECK(mq_getsetattr, (SYS_mq_getsetattr, NO_FD, UNREADABLE, &old), NO_FD,
		      NO_ATTRIBUTES, NO_ATTRIBUTES) < 0);
	close(fd);
}
