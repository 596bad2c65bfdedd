/* SPDX-License-Identifier: MIT */
/*
 * The load of the overhead benchmark: one operation in a loop on one CPU. Prints the median over
 * batches of the nanoseconds per round.
 *
 *   syscall_loop LOAD CPU BATCHES
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES_MAX = 1000, READ_BYTES = 4096 };

static int file, there[2], back[2];
static struct sockaddr_in address;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void round_getppid(void)
{
	syscall(SYS_getppid);
}

static void round_openat(void)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/etc/hostname", O_RDONLY | O_CLOEXEC);

	syscall(SYS_close, fd);
}

static bool setup_read(void)
{
	static const char zeros[READ_BYTES];

	file = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
	return file >= 0 && write(file, zeros, sizeof(zeros)) == READ_BYTES;
}

static void round_read(void)
{
	static char buffer[READ_BYTES];

	syscall(SYS_pread64, file, buffer, sizeof(buffer), 0);
}

static bool setup_connect(void)
{
	address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(9)};
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	file = socket(AF_INET, SOCK_DGRAM, 0);
	return file >= 0;
}

static void round_connect(void)
{
	syscall(SYS_connect, file, &address, sizeof(address));
}

static void round_exec(void)
{
	static char *const argv[] = {(char *)"true", NULL};
	pid_t child = vfork();

	if (child == 0) {
		execve("/bin/true", argv, NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

/* The other end of two pipes; it exits when they are closed. */
static bool setup_switch(void)
{
	char byte;

	if (pipe(there) || pipe(back))
		return false;
	if (fork() == 0) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	return true;
}

/* There and back: two switches. */
static void round_switch(void)
{
	char byte = 0;

	if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
		exit(1);
}

static const struct load {
	const char *name;
	bool (*setup)(void);
	void (*round)(void);
	int rounds; /* of a batch */
} loads[] = {
	{"getppid", NULL, round_getppid, 20000},
	{"openat", NULL, round_openat, 20000},
	{"read", setup_read, round_read, 20000},
	{"connect", setup_connect, round_connect, 20000},
	{"exec", NULL, round_exec, 100},
	{"switch", setup_switch, round_switch, 5000},
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double measure(const struct load *load, int batches)
{
	double batch_ns[BATCHES_MAX];

	for (int i = 0; i < load->rounds; i++)
		load->round();
	for (int batch = 0; batch < batches; batch++) {
		uint64_t start = now_ns();

		for (int i = 0; i < load->rounds; i++)
			load->round();
		batch_ns[batch] = (double)(now_ns() - start) / load->rounds;
	}
	qsort(batch_ns, (size_t)batches, sizeof(batch_ns[0]), compare);
	return batch_ns[batches / 2];
}

int main(int argc, char **argv)
{
	const struct load *load = loads, *end = loads + sizeof(loads) / sizeof(loads[0]);
	cpu_set_t cpus;
	int batches;

	while (argc == 4 && load < end && strcmp(argv[1], load->name) != 0)
		load++;
	batches = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 0;
	if (load == end || batches < 1 || batches > BATCHES_MAX) {
		fprintf(stderr, "usage: syscall_loop getppid|openat|read|connect|exec|switch CPU BATCHES\n");
		return 2;
	}
	CPU_ZERO(&cpus);
	CPU_SET((size_t)strtol(argv[2], NULL, 10), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || (load->setup && !load->setup())) {
		perror(load->name);
		return 1;
	}
	printf("%.1f\n", measure(load, batches));
	return 0;
}
