/* SPDX-License-Identifier: MIT */
/*
 * The load of the overhead benchmark: one operation in a loop on one CPU. Prints the median over
 * batches of the nanoseconds per round.
 *
 *   syscall_loop LOAD[:FILE] CPU BATCHES [DIVISOR]
 *
 * FILE is opened in place of /etc/hostname. DIVISOR makes batches smaller, for a load that is
 * slowed down much.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../support/uring.h"

enum { BATCHES_MAX = 1000, BLOCK_BYTES = 4096, RING_DEPTH = 16 };

static int file, there[2], back[2];
static struct sockaddr_in address;
static struct uring ring;
static char block[BLOCK_BYTES];
static const char *path = "/etc/hostname";

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
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);

	syscall(SYS_close, fd);
}

/* A file in memory, of one block. */
static bool setup_block(void)
{
	file = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
	return file >= 0 && write(file, block, sizeof(block)) == BLOCK_BYTES;
}

static void round_read(void)
{
	syscall(SYS_pread64, file, block, sizeof(block), 0);
}

/* A file that the kernel reads at once: one of tmpfs it leaves to another thread. */
static bool setup_ring(void)
{
	file = open("/dev/zero", O_RDONLY);
	return file >= 0 && uring_open(&ring, RING_DEPTH, 0) == 0;
}

/* An operation of a ring: submitted with others, so that their call costs each of them little. */
static void ask_ring(uint8_t opcode)
{
	struct io_uring_sqe *entry = uring_next(&ring);
	struct io_uring_cqe completion;

	entry->opcode = opcode;
	entry->fd = file;
	entry->addr = (uintptr_t)block;
	entry->len = opcode == IORING_OP_READ ? sizeof(block) : 0;
	if ((ring.tail & (RING_DEPTH - 1)) != 0)
		return;
	if (uring_submit(&ring, RING_DEPTH) != RING_DEPTH)
		exit(1);
	while (uring_take(&ring, &completion))
		if (completion.res < 0)
			exit(1);
}

static void round_ring_read(void)
{
	ask_ring(IORING_OP_READ);
}

static void round_ring_nop(void)
{
	ask_ring(IORING_OP_NOP);
}

static void round_write(void)
{
	syscall(SYS_pwrite64, file, block, sizeof(block), 0);
}

static void round_stat(void)
{
	struct stat status;

	syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0);
}

/* Nobody waits: the call alone. */
static void round_futex(void)
{
	static uint32_t word;

	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void set_loopback(uint16_t port)
{
	address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}

static bool setup_connect(void)
{
	set_loopback(9);
	file = socket(AF_INET, SOCK_DGRAM, 0);
	return file >= 0;
}

/*
 * A listening socket, of any port. Accepted sockets inherit that they end connections at once: no
 * port stays in TIME_WAIT, so that there are enough of them.
 */
static bool setup_accept(void)
{
	const struct linger reset = {.l_onoff = 1};
	socklen_t length = sizeof(address);

	set_loopback(0);
	file = socket(AF_INET, SOCK_STREAM, 0);
	return file >= 0 && !setsockopt(file, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) &&
	       !bind(file, (struct sockaddr *)&address, sizeof(address)) && !listen(file, 8) &&
	       !getsockname(file, (struct sockaddr *)&address, &length);
}

/* Five calls: socket, connect, accept4, and two times close. */
static void round_accept(void)
{
	int client = socket(AF_INET, SOCK_STREAM, 0), server;

	if (client < 0 || connect(client, (struct sockaddr *)&address, sizeof(address))) {
		perror("connect");
		exit(1);
	}
	server = accept4(file, NULL, NULL, 0);
	close(server);
	close(client);
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
	{"read", setup_block, round_read, 20000},
	{"write", setup_block, round_write, 20000},
	{"ring_read", setup_ring, round_ring_read, 20000},
	{"ring_nop", setup_ring, round_ring_nop, 20000},
	{"stat", NULL, round_stat, 20000},
	{"futex", NULL, round_futex, 20000},
	{"connect", setup_connect, round_connect, 20000},
	{"accept", setup_accept, round_accept, 2000},
	{"exec", NULL, round_exec, 100},
	{"switch", setup_switch, round_switch, 5000},
};

static void print_usage(void)
{
	fprintf(stderr, "usage: syscall_loop LOAD[:FILE] CPU BATCHES [DIVISOR]\nLOAD:");
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		fprintf(stderr, " %s", loads[i].name);
	fputc('\n', stderr);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double measure(const struct load *load, int rounds, int batches)
{
	double batch_ns[BATCHES_MAX];

	for (int i = 0; i < rounds; i++)
		load->round();
	for (int batch = 0; batch < batches; batch++) {
		uint64_t start = now_ns();

		for (int i = 0; i < rounds; i++)
			load->round();
		batch_ns[batch] = (double)(now_ns() - start) / rounds;
	}
	qsort(batch_ns, (size_t)batches, sizeof(batch_ns[0]), compare);
	return batch_ns[batches / 2];
}

int main(int argc, char **argv)
{
	const struct load *load = loads, *end = loads + sizeof(loads) / sizeof(loads[0]);
	bool usable = argc == 4 || argc == 5;
	int batches = usable ? (int)strtol(argv[3], NULL, 10) : 0;
	int divisor = argc == 5 ? (int)strtol(argv[4], NULL, 10) : 1;
	char *colon = usable ? strchr(argv[1], ':') : NULL;
	cpu_set_t cpus;
	int rounds;

	if (colon) {
		*colon = '\0';
		path = colon + 1;
	}
	while (usable && load < end && strcmp(argv[1], load->name) != 0)
		load++;
	if (!usable || load == end || batches < 1 || batches > BATCHES_MAX || divisor < 1) {
		print_usage();
		return 2;
	}
	rounds = load->rounds > divisor ? load->rounds / divisor : 1;
	CPU_ZERO(&cpus);
	CPU_SET((size_t)strtol(argv[2], NULL, 10), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || (load->setup && !load->setup())) {
		perror(load->name);
		return 1;
	}
	printf("%.1f\n", measure(load, rounds, batches));
	return 0;
}
