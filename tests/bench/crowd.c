/* SPDX-License-Identifier: MIT */
/*
 * A machine full of processes: so many, each with so many threads more than its first one, and so
 * many descriptors: of ten, eight files, a Unix socket and a UDP socket. Prints "ready" when all
 * are there, and ends them at end of file on standard input.
 *
 *   crowd PROCESSES THREADS DESCRIPTORS
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROCESSES_MAX = 10000, KINDS = 10, STACK_BYTES = 16384, SPARE_DESCRIPTORS = 100 };

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_one(unsigned long number)
{
	int fd;

	switch (number % KINDS) {
	case 0:
		fd = socket(AF_UNIX, SOCK_DGRAM, 0);
		break;
	case 1:
		fd = socket(AF_INET, SOCK_DGRAM, 0);
		break;
	default:
		fd = open("/etc/hostname", O_RDONLY);
	}
	if (fd < 0)
		fail("descriptor");
}

static void *wait_for_end(void *argument)
{
	(void)argument;
	for (;;)
		pause();
	return NULL;
}

static void add_thread(const pthread_attr_t *attributes)
{
	pthread_t thread;

	errno = pthread_create(&thread, attributes, wait_for_end, NULL);
	if (errno)
		fail("thread");
}

/* One of the processes; it ends with its parent. */
static _Noreturn void be_one(pid_t parent, unsigned long threads, unsigned long descriptors,
			     int ready)
{
	pthread_attr_t attributes;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (unsigned long i = 0; i < threads; i++)
		add_thread(&attributes);
	for (unsigned long i = 0; i < descriptors; i++)
		open_one(i);
	if (write(ready, "", 1) != 1)
		fail("pipe");
	close(ready);
	wait_for_end(NULL);
	_exit(0);
}

static void allow_descriptors(unsigned long descriptors)
{
	struct rlimit limit;

	limit.rlim_cur = limit.rlim_max = descriptors + SPARE_DESCRIPTORS;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		fail("RLIMIT_NOFILE");
}

/* Whether all have said that they are there: the pipe ends when one exits early. */
static bool wait_ready(int ready, unsigned long processes)
{
	char bytes[PROCESSES_MAX];
	ssize_t n;

	for (unsigned long there = 0; there < processes; there += (unsigned long)n) {
		n = read(ready, bytes, processes - there);
		if (n <= 0)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	unsigned long processes = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long threads = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long descriptors = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	pid_t parent = getpid();
	int ready[2];
	char byte;

	if (processes < 1 || processes > PROCESSES_MAX) {
		fprintf(stderr, "usage: crowd PROCESSES THREADS DESCRIPTORS\n");
		return 2;
	}
	allow_descriptors(descriptors);
	if (pipe(ready))
		fail("pipe");
	for (unsigned long i = 0; i < processes; i++) {
		pid_t child = fork();

		if (child < 0)
			fail("fork");
		if (child == 0)
			be_one(parent, threads, descriptors, ready[1]);
	}
	close(ready[1]);
	if (!wait_ready(ready[0], processes)) {
		fprintf(stderr, "crowd: a process ended early\n");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
