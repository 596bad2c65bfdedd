/* SPDX-License-Identifier: MIT */
/*
 * A call whose argument changes while it waits, and meanwhile calls of a process whose id is equal to
 * the caller's in its lower bits: shared_place, in a folder of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLACES = 1024, CHILDREN_MAX = 4 * PLACES };

static char name[] = "fifo";
static atomic_int opener_tid, error;

static void wake(int signal)
{
}

/* Waits until somebody writes, which nobody does. */
static void *open_fifo(void *unused)
{
	opener_tid = (int)syscall(SYS_gettid);
	if (open(name, O_RDONLY) < 0)
		error = errno;
	return unused;
}

static void open_other(void)
{
	close(open("other", O_RDONLY));
	_exit(0);
}

/* Whether a child had such an id; it makes its call. */
static bool call_beside(int tid)
{
	for (int i = 0; i < CHILDREN_MAX; i++) {
		pid_t child = fork();

		if (child == 0) {
			if (getpid() % PLACES == tid % PLACES)
				open_other();
			_exit(1);
		}
		int status = 1;

		if (child < 0 || waitpid(child, &status, 0) != child)
			return false;
		if (status == 0)
			return true;
	}
	return false;
}

int main(void)
{
	struct sigaction action = {.sa_handler = wake};
	pthread_t opener;

	sigaction(SIGUSR1, &action, NULL);
	if (mkfifo(name, 0600) || pthread_create(&opener, NULL, open_fifo, NULL))
		return 2;
	while (!opener_tid)
		usleep(1000);
	usleep(200000); /* until it waits */
	if (!call_beside(opener_tid))
		return 3;
	memcpy(name, "file", 4);
	pthread_kill(opener, SIGUSR1);
	pthread_join(opener, NULL);
	return error == EINTR ? 0 : 4;
}
