/* SPDX-License-Identifier: MIT */
/*
 * A server of HTTP, of one thread, whose paths take known times: /sleep/MS, /lock/MS (another
 * thread has a lock so long), /cpu/MS, /disk/BYTES (read from the file FILE past its cache),
 * /ask/MS (another server answers after that), /poll/MS, /pass (another thread answers), /late/MS
 * (a lock that nobody leaves, while threads on all processors wake others that wait for it). Each
 * answer says how long it took between its read and its write, in ns, and what it read of itself.
 * Usage: slow_server PORT FILE
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_BYTES = 4096, REQUEST_BYTES = 1024, MS_NS = 1000000, LONGEST_S = 300, WAKERS = 4 };

static const char *file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;
static long holder_tid; /* under the lock */
static int passed[2], asked[2];
static uint32_t never; /* a futex */
static uintptr_t waits; /* that have ended */

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void sleep_ms(long ms)
{
	const struct timespec time = {ms / 1000, ms % 1000 * MS_NS};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void compute(long ms)
{
	const uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * MS_NS;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 1000; i++)
			;
}

static void *hold(void *ms)
{
	const long held_ms = *(long *)ms;

	pthread_mutex_lock(&lock);
	holder_tid = syscall(SYS_gettid);
	pthread_barrier_wait(&held);
	sleep_ms(held_ms);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Returns the id of the thread that had it. */
static long wait_for_lock(long ms)
{
	pthread_t holder;

	pthread_create(&holder, NULL, hold, &ms);
	pthread_barrier_wait(&held);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_detach(holder);
	return holder_tid;
}

/* Wakes nobody: of those who wait for it, by another bit. */
static void *wake_others(void *mine)
{
	while (*(volatile uintptr_t *)&waits == (uintptr_t)mine)
		syscall(SYS_futex, &never, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 2);
	return NULL;
}

static void wait_until_late(long ms)
{
	const uint64_t until = now(CLOCK_MONOTONIC) + (uint64_t)ms * MS_NS;
	const struct timespec time = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
	pthread_t waker;

	for (int i = 0; i < WAKERS; i++)
		if (pthread_create(&waker, NULL, wake_others, (void *)waits) == 0)
			pthread_detach(waker);
	syscall(SYS_futex, &never, FUTEX_WAIT_BITSET_PRIVATE, 0, &time, NULL, 1);
	(*(volatile uintptr_t *)&waits)++;
}

static void read_disk(long bytes)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_DIRECT);
	void *block;

	if (fd < 0 || posix_memalign(&block, BLOCK_BYTES, BLOCK_BYTES))
		exit(2);
	for (long at = 0; at < bytes; at += BLOCK_BYTES)
		if (pread(fd, block, BLOCK_BYTES, at) != BLOCK_BYTES)
			exit(3);
	free(block);
	close(fd);
}

/* The other server, whose protocol nobody knows. */
static void *answer_late(void *unused)
{
	long ms;

	while (read(asked[1], &ms, sizeof(ms)) == sizeof(ms)) {
		sleep_ms(ms);
		if (write(asked[1], &ms, sizeof(ms)) != sizeof(ms))
			exit(4);
	}
	return unused;
}

static void ask(long ms)
{
	if (write(asked[0], &ms, sizeof(ms)) != sizeof(ms) ||
	    read(asked[0], &ms, sizeof(ms)) != sizeof(ms))
		exit(5);
}

static void answer(int client, uint64_t ns, long holder)
{
	char body[64], text[256];
	int len = snprintf(body, sizeof(body), "%llu %ld", (unsigned long long)ns, holder);

	len = snprintf(text, sizeof(text),
		       "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len,
		       body);
	if (write(client, text, (size_t)len) != len)
		exit(6);
	close(client);
}

static void *answer_passed(void *unused)
{
	int client;

	while (read(passed[0], &client, sizeof(client)) == sizeof(client))
		answer(client, 0, 0);
	return unused;
}

static void serve(int client)
{
	char request[REQUEST_BYTES] = "", name[16] = "";
	long amount = 0, holder = 0;
	uint64_t begin;

	if (read(client, request, sizeof(request) - 1) <= 0 ||
	    sscanf(request, "GET /%15[a-z]/%ld", name, &amount) < 1) {
		close(client);
		return;
	}
	begin = now(CLOCK_MONOTONIC);
	if (strcmp(name, "sleep") == 0)
		sleep_ms(amount);
	else if (strcmp(name, "lock") == 0)
		holder = wait_for_lock(amount);
	else if (strcmp(name, "late") == 0)
		wait_until_late(amount);
	else if (strcmp(name, "cpu") == 0)
		compute(amount);
	else if (strcmp(name, "disk") == 0)
		read_disk(amount);
	else if (strcmp(name, "ask") == 0)
		ask(amount);
	else if (strcmp(name, "poll") == 0)
		poll(NULL, 0, (int)amount);
	else if (strcmp(name, "pass") == 0) {
		if (write(passed[1], &client, sizeof(client)) != sizeof(client))
			exit(7);
		return;
	}
	answer(client, now(CLOCK_MONOTONIC) - begin, holder);
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	int yes = 1, server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), client;
	pthread_t thread;

	if (argc != 3)
		return 1;
	prctl(PR_SET_PDEATHSIG, 9);
	alarm(LONGEST_S);
	file = argv[2];
	address.sin_port = htons((uint16_t)atoi(argv[1]));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(server, (struct sockaddr *)&address, sizeof(address)) || listen(server, 64) ||
	    pipe(passed) || socketpair(AF_UNIX, SOCK_STREAM, 0, asked))
		return 1;
	pthread_barrier_init(&held, NULL, 2);
	pthread_create(&thread, NULL, answer_passed, NULL);
	pthread_create(&thread, NULL, answer_late, NULL);
	while ((client = accept4(server, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		serve(client);
	return 1;
}
