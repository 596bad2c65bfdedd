/* SPDX-License-Identifier: MIT */
/*
 * Opens files that are there, that are not and that it makes, and reads some bytes, also of sockets
 * and pipes, from threads with names of all origins, as several users, in a user namespace and
 * after an exec. With --wait: with a name that is written, before and after a line of input. The
 * paths begin with two slashes, by which the test knows them.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 40, NOBODY = 65534 };

static pthread_barrier_t begun, renamed;

/* Reads through other kinds of descriptors; of a number that a file had before, too. */
static void read_others(int zero)
{
	int ends[2], pipe_ends[2];
	char bytes[8] = "";

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pipe(pipe_ends))
		return;
	for (int i = 0; i < ROUNDS; i++) {
		if (write(ends[0], bytes, sizeof(bytes)) > 0)
			read(ends[1], bytes, sizeof(bytes));
		if (write(pipe_ends[1], bytes, sizeof(bytes)) > 0)
			read(pipe_ends[0], bytes, sizeof(bytes));
	}
	dup2(zero, ends[1]);
	read(ends[1], bytes, sizeof(bytes));
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(pipe_ends[i]);
	}
	read(ends[1], bytes, sizeof(bytes));
}

static void open_files(void)
{
	char made[64];
	int zero = open("//dev//zero", O_RDONLY);

	for (int i = 0; i < ROUNDS; i++) {
		int fd = open("//dev//null", O_RDONLY);

		open("//push-missing", O_RDONLY);
		open("//dev//null", O_RDONLY | O_DIRECTORY);
		open("//push-missing", O_WRONLY);
		close(fd);
		read(zero, made, (size_t)i);
		close(open("//dev//null", O_WRONLY | O_CREAT, 0600));
		close(open("//tmp//", O_RDWR | O_TMPFILE, 0600));
	}
	snprintf(made, sizeof(made), "//tmp//push-made-by-one-of-the-threads-%ld",
		 (long)syscall(SYS_gettid));
	close(open(made, O_WRONLY | O_CREAT | O_EXCL, 0700));
	unlink(made);
	read_others(zero);
	close(zero);
}

/* A thread with a name that it gives itself, and then one that another thread writes. */
static void *run(void *path)
{
	prctl(PR_SET_NAME, "push-self");
	open_files();
	snprintf(path, 64, "/proc/self/task/%ld/comm", (long)syscall(SYS_gettid));
	pthread_barrier_wait(&begun);
	pthread_barrier_wait(&renamed);
	open_files();
	/* The child has the name that was written. */
	if (fork() == 0) {
		open_files();
		_exit(0);
	}
	wait(NULL);
	prctl(PR_SET_NAME, "push-again");
	open_files();
	return NULL;
}

static void write_name(const char *path)
{
	int fd = open(path, O_WRONLY);

	if (write(fd, "push-other", 10) != 10)
		_exit(1);
	close(fd);
}

static void rename_threads(void)
{
	char path[64];
	pthread_t thread;

	pthread_barrier_init(&begun, NULL, 2);
	pthread_barrier_init(&renamed, NULL, 2);
	pthread_create(&thread, NULL, run, path);
	pthread_barrier_wait(&begun);
	write_name(path);
	pthread_barrier_wait(&renamed);
	pthread_join(thread, NULL);
}

static void be_user(void)
{
	if (fork() == 0) {
		open_files();
		if (setresgid(NOBODY, NOBODY, 0) || setresuid(NOBODY, NOBODY, 0))
			_exit(1);
		open_files();
		if (unshare(CLONE_NEWUSER) == 0)
			open_files();
		_exit(0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--wait") == 0) {
		write_name("/proc/self/comm");
		open_files();
		getchar();
		open_files();
		return 0;
	}
	open_files();
	if (argc == 1)
		return 0;
	rename_threads();
	be_user();
	execl(argv[1], argv[1], NULL);
	return 1;
}
