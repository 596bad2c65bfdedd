/* SPDX-License-Identifier: MIT */
/*
 * Calls whose argument changes while they wait, and calls that succeed meanwhile, of threads whose
 * ids are equal in their lower bits: shared_place WAITING PASSING, the numbers of such threads, in
 * a folder of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PLACES = 1024, THREADS_MAX = 16, TRIES = 8 * PLACES, UNLIKE = -1 };

static char name[] = "fifo";
static atomic_int first, interrupted;

struct opener {
	pthread_t thread;
	bool passes; /* opens something else, and does not wait */
	atomic_int tid; /* UNLIKE: not like that of the first, so it ends */
};

static void wake(int signal)
{
}

/* If it waits, then until somebody writes, which nobody does. */
static void *open_something(void *argument)
{
	int tid = (int)syscall(SYS_gettid), none = 0;
	struct opener *opener = argument;

	atomic_compare_exchange_strong(&first, &none, tid);
	if (tid % PLACES != first % PLACES) {
		opener->tid = UNLIKE;
		return NULL;
	}
	if (opener->passes)
		close(open(".", O_RDONLY));
	opener->tid = tid;
	if (!opener->passes && open(name, O_RDONLY) < 0 && errno == EINTR)
		interrupted++;
	return NULL;
}

/* Whether a thread is in its call. Asked by a call that nobody captures. */
static bool is_waiting(int tid)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC};
	char path[64], text[16] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		exit(3);
	close(fd);
	return atoi(text) == SYS_openat;
}

/* Makes threads until one is like the first, and has done its call or waits. */
static bool begin(struct opener *opener)
{
	for (int i = 0; i < TRIES; i++) {
		opener->tid = 0;
		if (pthread_create(&opener->thread, NULL, open_something, opener))
			return false;
		while (!opener->tid)
			usleep(10);
		if (opener->tid != UNLIKE) {
			while (!opener->passes && !is_waiting(opener->tid))
				usleep(1000);
			return true;
		}
		pthread_join(opener->thread, NULL);
	}
	return false;
}

int main(int argc, char **argv)
{
	static struct opener openers[THREADS_MAX];
	int waiting = argc == 3 ? atoi(argv[1]) : 0, all = argc == 3 ? waiting + atoi(argv[2]) : 0;
	struct sigaction action = {.sa_handler = wake};

	sigaction(SIGUSR1, &action, NULL);
	if (waiting < 1 || all > THREADS_MAX || mkfifo(name, 0600))
		return 2;
	for (int i = 0; i < all; i++) {
		openers[i].passes = i >= waiting;
		if (!begin(&openers[i]))
			return 2;
	}
	memcpy(name, "file", 4);
	for (int i = 0; i < all; i++) {
		if (!openers[i].passes)
			pthread_kill(openers[i].thread, SIGUSR1);
		pthread_join(openers[i].thread, NULL);
	}
	return interrupted == waiting ? 0 : 4;
}
