/* SPDX-License-Identifier: MIT */
/* Reads by the other process: those that are answered, and those that are not, of a FIFO without a
 * writer. */
#include "scap/proc/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patience.h"
#include "scap/proc/proc.h"
#include "unit.h"

enum { FIRST_PID = 100, LATE_MS = 255, SOON_MS = 60, ORDINARY = 2000 };

struct fixture {
	char root[32];
	struct proc_readers *readers;
	struct buf text;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct error err;

	strcpy(fixture->root, "/tmp/lanner-readers-XXXXXX");
	assert_non_null(mkdtemp(fixture->root));
	assert_int_equal(proc_readers_start(fixture->root, &fixture->readers, &err), 0);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	char command[64];

	proc_readers_unref(fixture->readers);
	buf_finish(&fixture->text);
	snprintf(command, sizeof(command), "rm -r %s", fixture->root);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

/* The path of a file of a process, whose folders are made. */
static const char *path_of(const struct fixture *fixture, int pid, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%d", fixture->root, pid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%d/task", fixture->root, pid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%d/task/%d", fixture->root, pid, pid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%d/task/%d/%s", fixture->root, pid, pid, name);
	return path;
}

static int read_of(struct fixture *fixture, int pid, uint32_t owner, enum proc_read_what what)
{
	const struct proc_target target = {pid, pid, owner};

	return proc_readers_read(fixture->readers, &target, what, &fixture->text);
}

/* Likewise, where the readers have a processor only now and then. */
static int answer_of(struct fixture *fixture, int pid, enum proc_read_what what)
{
	int tries = 3000, r = read_of(fixture, pid, 0, what);

	for (; r == -ETIMEDOUT && tries--; r = read_of(fixture, pid, 0, what))
		usleep(10000);
	return r;
}

static void test_answered(void **state)
{
	struct fixture *fixture = *state;
	const char *path = path_of(fixture, 70, "environ");
	FILE *file = fopen(path, "w");

	assert_true(file && fwrite("A=1\0B=2", 7, 1, file) == 1 && fclose(file) == 0);
	assert_int_equal(read_of(fixture, 70, 0, PROC_READ_ENVIRONMENT), 0);
	assert_int_equal(fixture->text.len, 7);
	assert_memory_equal(fixture->text.data, "A=1\0B=2", 8);
	assert_int_equal(read_of(fixture, 70, 0, PROC_READ_ARGUMENTS), -ENOENT);
	assert_int_equal(fixture->text.len, 0);
	assert_int_equal(read_of(fixture, 71, 0, PROC_READ_ARGUMENTS), -ESRCH);
	assert_int_equal(read_of(fixture, 70, 0, PROC_READ_PASSWD), -ESRCH);
	assert_int_equal(proc_readers_given_up(fixture->readers), 0);
}

/* A socket of the namespace, and one that is none of it. */
static void test_socket(void **state)
{
	struct fixture *fixture = *state;
	struct proc_target target = {.pid = 70, .tid = 70, .network = 9, .ino = 4242};
	struct scap_fd fd = {0};
	FILE *file;

	mkdir(path_of(fixture, 70, "net"), 0755);
	file = fopen(path_of(fixture, 70, "net/udp"), "w");
	assert_true(file &&
		    fputs("headings\n 1: 0100007F:0016 0200007F:0017 01 00000000:00000000 "
			  "00:00000000 00000000 0 0 4242 2 0000000000000000 0\n",
			  file) > 0 &&
		    fclose(file) == 0);
	assert_int_equal(proc_readers_socket(fixture->readers, &target, &fixture->text, &fd), 0);
	assert_int_equal(fd.type, SCAP_FD_IPV4);
	assert_int_equal(fd.l4, SCAP_L4_UDP);
	assert_int_equal(fd.local.port, 0x16);
	assert_int_equal(fd.remote.port, 0x17);
	assert_string_equal(fd.name, "");
	target.ino = 4243;
	assert_int_equal(proc_readers_socket(fixture->readers, &target, &fixture->text, &fd),
			 -ENOENT);
}

/* A namespace that lasts is asked for once, by whichever process; others are found meanwhile. */
static void test_slow_namespace(void **state)
{
	struct fixture *fixture = *state;
	struct proc_target target = {.pid = 70, .tid = 70, .network = 9, .ino = 1};
	struct scap_fd fd;

	mkdir(path_of(fixture, 70, "net"), 0755);
	assert_int_equal(mkfifo(path_of(fixture, 70, "net/tcp"), 0600), 0);
	path_of(fixture, 71, "net");
	for (int i = 0; i < PROC_READERS; i++)
		assert_int_equal(
			proc_readers_socket(fixture->readers, &target, &fixture->text, &fd),
			-ETIMEDOUT);
	target.pid = target.tid = 71;
	target.network = 10;
	assert_int_equal(proc_readers_socket(fixture->readers, &target, &fixture->text, &fd),
			 -ENOENT);
}

/* The process is not waited for again, others are. It is read when it answers. */
static void test_given_up(void **state)
{
	struct fixture *fixture = *state;
	const char *path = path_of(fixture, 70, "cmdline");
	int fd;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(read_of(fixture, 70, 0, PROC_READ_ARGUMENTS), -ETIMEDOUT);
	assert_int_equal(read_of(fixture, 70, 0, PROC_READ_ARGUMENTS), -ETIMEDOUT);
	assert_int_equal(proc_readers_given_up(fixture->readers), 2);
	assert_int_equal(answer_of(fixture, 71, PROC_READ_ARGUMENTS), -ESRCH);
	fd = open(path, O_WRONLY); /* the reader opens it, too */
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(answer_of(fixture, 70, PROC_READ_ARGUMENTS), -ENOENT);
}

/* A user's processes leave readers for those of others. */
static void test_owners(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < PROC_READERS; i++) {
		assert_int_equal(mkfifo(path_of(fixture, FIRST_PID + i, "cmdline"), 0600), 0);
		assert_int_equal(read_of(fixture, FIRST_PID + i, 5, PROC_READ_ARGUMENTS),
				 -ETIMEDOUT);
	}
	assert_int_equal(read_of(fixture, 70, 5, PROC_READ_ARGUMENTS), -ETIMEDOUT);
	assert_int_equal(proc_readers_given_up(fixture->readers), PROC_READERS + 1);
	assert_int_equal(read_of(fixture, 70, 6, PROC_READ_ARGUMENTS), -ESRCH);
}

struct late {
	char *path;
	unsigned int ms;
};

/* Writes a line to a FIFO as soon as somebody waits for it, and some time is over. */
static void *answer_late(void *argument)
{
	const struct late *late = argument;
	int fd;

	usleep(late->ms * 1000);
	fd = open(late->path, O_WRONLY);
	if (fd >= 0) {
		dprintf(fd, "slow");
		close(fd);
	}
	return NULL;
}

/* Reads the arguments of a process whose file answers so much later. */
static int read_late(struct fixture *fixture, int pid, uint32_t owner, unsigned int ms)
{
	struct late late = {strdup(path_of(fixture, pid, "cmdline")), ms};
	pthread_t thread;
	int code;

	assert_int_equal(mkfifo(late.path, 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, answer_late, &late), 0);
	code = read_of(fixture, pid, owner, PROC_READ_ARGUMENTS);
	pthread_join(thread, NULL);
	free(late.path);
	return code;
}

/* Whether it is so with these readers; a busy machine may let one answer come too late. */
static bool slow_answers_are_charged(struct fixture *fixture)
{
	FILE *file = fopen(path_of(fixture, 70, "cmdline"), "w");
	bool as_expected = true;

	assert_true(file && fputs("fast", file) > 0 && fclose(file) == 0);
	for (int i = 0; i < ORDINARY; i++)
		as_expected &= read_of(fixture, 70, 5, PROC_READ_ARGUMENTS) == 0;
	for (int i = 0; i < 2; i++)
		as_expected &= read_late(fixture, FIRST_PID + i, 5, LATE_MS) == 0;
	for (int i = 2; i < 4; i++)
		as_expected &= read_late(fixture, FIRST_PID + i, 5, LATE_MS) == -ETIMEDOUT;
	as_expected &= read_late(fixture, FIRST_PID + 4, 6, LATE_MS) == 0;
	return as_expected && read_of(fixture, 70, 5, PROC_READ_ARGUMENTS) == 0;
}

/*
 * Reads that end just in time are charged to the user, too; those of others, and those that are not
 * slow, are not.
 */
static void test_slow_answers(void **state)
{
	for (int i = 0; i < PATIENCE_TRIES; i++) {
		if (slow_answers_are_charged(*state))
			return;
		teardown(state);
		setup(state);
	}
	fail_msg("not charged, or too much is, in each of %d tries", PATIENCE_TRIES);
}

/*
 * Where the readers get no CPU in time, here since they are stopped, that is no fault of the user:
 * it is given back as soon as they answer, and he is waited for as before.
 */
static void test_without_a_cpu(void **state)
{
	struct fixture *fixture = *state;
	pid_t readers = proc_readers_pid(fixture->readers);
	int tries = 3000;

	for (int pid = 70; pid < 73; pid++) {
		FILE *file = fopen(path_of(fixture, pid, "cmdline"), "w");

		assert_true(file && fputs("fast", file) > 0 && fclose(file) == 0);
		/* Its thread waits for a question. */
		assert_int_equal(read_of(fixture, pid, 5, PROC_READ_ARGUMENTS), 0);
	}
	assert_int_equal(kill(readers, SIGSTOP), 0);
	assert_int_equal(waitpid(readers, NULL, WUNTRACED), readers);
	for (int pid = 70; pid < 73; pid++)
		assert_int_equal(read_of(fixture, pid, 5, PROC_READ_ARGUMENTS), -ETIMEDOUT);
	assert_int_equal(kill(readers, SIGCONT), 0);
	for (int pid = 70; pid < 73; pid++)
		while (read_of(fixture, pid, 5, PROC_READ_ARGUMENTS) == -ETIMEDOUT && tries--)
			usleep(1000);
	assert_true(tries > 0);
	/* More than he would be waited for without it. */
	assert_int_equal(read_late(fixture, FIRST_PID, 5, SOON_MS), 0);
}

/* Whoever ends the process: reads fail, and nobody waits. */
static void test_ended(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(read_of(fixture, 70, 0, PROC_READ_ARGUMENTS), -ESRCH);
	kill(proc_readers_pid(fixture->readers), SIGKILL);
	while (read_of(fixture, 70, 0, PROC_READ_ARGUMENTS) == -ESRCH)
		;
	assert_int_equal(read_of(fixture, 70, 0, PROC_READ_ARGUMENTS), -ETIMEDOUT);
}

static void test_of_proc(void **state)
{
	struct fixture *fixture = *state;
	const struct proc_target self = {getpid(), getpid(), 0};
	struct scap_proc *proc, *copy;
	struct buf text = {0};
	int code, task = open("/proc/self", O_PATH | O_DIRECTORY);

	assert_int_equal(scap_proc_open("/proc", &proc, NULL), 0);
	assert_int_equal(scap_proc_reads_given_up(proc), 0);
	assert_int_equal(proc_readers_read_or_here(scap_proc_readers(proc), scap_proc_dir(proc),
						   task, &self, PROC_READ_ARGUMENTS, &text),
			 0);
	assert_true(text.len > 0);
	/* The root of the machine is not read as that of a container. */
	code = proc_read_here(scap_proc_dir(proc), task, PROC_READ_PASSWD, &text);
	assert_true(code == -EAGAIN || code == 0);
	scap_proc_set_readers(proc, fixture->readers);
	assert_int_equal(scap_proc_copy(proc, &copy), 0);
	/* They read another /proc, in which it is not. */
	assert_int_equal(proc_readers_read_or_here(scap_proc_readers(copy), scap_proc_dir(copy),
						   task, &self, PROC_READ_ARGUMENTS, &text),
			 -ESRCH);
	assert_int_equal(scap_proc_reads_given_up(copy), 0);
	scap_proc_close(proc);
	scap_proc_close(copy);
	buf_finish(&text);
	close(task);
	proc_readers_unref(NULL);
	assert_null(proc_readers_ref(NULL));
}

static void test_no_such_folder(void **state)
{
	struct proc_readers *readers;
	struct error err;

	assert_int_equal(proc_readers_start("/nonexistent", &readers, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent"));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_socket),	 TEST(test_slow_namespace),
	TEST(test_answered),	 TEST(test_given_up),
	TEST(test_owners),	 TEST(test_ended),
	TEST(test_slow_answers), TEST(test_without_a_cpu),
	TEST(test_of_proc),	 cmocka_unit_test(test_no_such_folder),
};

UNIT_GROUP(tests);
