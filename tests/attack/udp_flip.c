/* SPDX-License-Identifier: MIT */
/*
 * Datagrams whose destination the sender rewrites during the call: udp_flip KIND FAMILY COUNT.
 * Another thread does so all the time, or with `fault`, through userfaultfd, exactly when the
 * kernel has copied the address and waits for the data. Prints a line for each datagram: the port
 * where it arrived.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ENDS = 2, BATCH = 40, PAGE = 4096, LIMIT_MS = 10000 };

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int family, receivers[ENDS], sender;
static uint16_t ports[ENDS];
static union address target; /* what is rewritten; the port is at the same place in both */
static socklen_t target_len;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void run_on(size_t cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus); /* with one CPU it stays where it is */
}

static void set_port(uint16_t port)
{
	*(volatile uint16_t *)&target.v4.sin_port = port;
}

static void *rewrite(void *unused)
{
	run_on(1);
	for (unsigned int i = 0;; i++) {
		set_port(ports[i % ENDS]);
		for (volatile unsigned int pause = i % 64; pause; pause--)
			;
	}
	return unused;
}

static void open_ends(void)
{
	union address own;

	for (int i = 0; i < ENDS; i++) {
		socklen_t len = sizeof(own);

		receivers[i] = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		own = target;
		if (bind(receivers[i], &own.any, target_len) ||
		    getsockname(receivers[i], &own.any, &len))
			fail("bind");
		ports[i] = own.v4.sin_port;
	}
	sender = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/* Waits for a datagram, and notes where it arrived by the number that is its data. */
static void receive(uint16_t arrived[BATCH])
{
	struct pollfd waits[ENDS] = {{receivers[0], POLLIN, 0}, {receivers[1], POLLIN, 0}};
	uint8_t number;

	if (poll(waits, ENDS, LIMIT_MS) <= 0)
		fail("poll");
	for (int i = 0; i < ENDS; i++) {
		if (recv(receivers[i], &number, 1, 0) != 1)
			continue;
		arrived[number % BATCH] = ports[i];
		return;
	}
}

static void print_arrivals(int count)
{
	uint16_t arrived[BATCH] = {0};

	for (int i = 0; i < count; i++)
		receive(arrived);
	for (int i = 0; i < count; i++)
		printf("%u\n", ntohs(arrived[i]));
}

/* Returns how many were sent. */
static int send_by(const char *kind)
{
	static uint8_t numbers[BATCH];
	struct iovec vectors[BATCH];
	struct mmsghdr messages[BATCH] = {0};

	for (int i = 0; i < BATCH; i++) {
		numbers[i] = (uint8_t)i;
		vectors[i] = (struct iovec){&numbers[i], 1};
		messages[i].msg_hdr = (struct msghdr){.msg_name = &target,
						      .msg_namelen = target_len,
						      .msg_iov = &vectors[i],
						      .msg_iovlen = 1};
	}
	if (strcmp(kind, "sendmsg") == 0)
		return sendmsg(sender, &messages[0].msg_hdr, 0) == 1;
	if (strcmp(kind, "sendmmsg") == 0)
		return sendmmsg(sender, messages, BATCH, 0);
	return sendto(sender, &numbers[0], 1, 0, &target.any, target_len) == 1;
}

/* A page without memory, of which each access waits for the thread that gives it some. */
static char *page;
static int faults;

static void *answer_faults(void *unused)
{
	static char content[PAGE] __attribute__((aligned(PAGE)));
	struct uffdio_copy copy = {.src = (uintptr_t)content, .len = PAGE};
	struct uffd_msg message;

	while (read(faults, &message, sizeof(message)) == sizeof(message)) {
		set_port(ports[0]);
		copy.dst = (uintptr_t)page;
		if (ioctl(faults, UFFDIO_COPY, &copy))
			fail("UFFDIO_COPY");
	}
	return unused;
}

static void open_faults(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range.start = (uintptr_t)page;
	range.range.len = PAGE;
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &range))
		fail("userfaultfd");
}

static int send_faulting(void)
{
	madvise(page, PAGE, MADV_DONTNEED);
	set_port(ports[1]);
	return sendto(sender, page, 1, 0, &target.any, target_len) == 1;
}

/* The receivers get one datagram, of two messages. */
static int send_in_parts(void)
{
	uint8_t number = 0;

	set_port(ports[0]);
	if (sendto(sender, &number, 1, MSG_MORE, &target.any, target_len) != 1)
		return 0;
	set_port(ports[1]);
	if (sendto(sender, &number, 1, 0, &target.any, target_len) != 1)
		return 0;
	print_arrivals(1);
	printf("%u\n", ntohs(ports[0]));
	return 2;
}

int main(int argc, char **argv)
{
	const char *kind = argc == 4 ? argv[1] : "";
	long count = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
	int is_fault = strcmp(kind, "fault") == 0, sent;
	pthread_t other;

	if (count <= 0)
		return 2;
	family = strcmp(argv[2], "6") == 0 ? AF_INET6 : AF_INET;
	if (family == AF_INET6)
		target.v6 = (struct sockaddr_in6){AF_INET6, 0, 0, IN6ADDR_LOOPBACK_INIT, 0};
	else
		target.v4 = (struct sockaddr_in){AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
	target_len = family == AF_INET6 ? sizeof(target.v6) : sizeof(target.v4);
	open_ends();
	if (strcmp(argv[2], "connected") == 0) {
		set_port(ports[0]);
		if (connect(sender, &target.any, target_len))
			fail("connect");
	}
	run_on(0);
	if (is_fault)
		open_faults();
	while (strcmp(kind, "more") == 0 && count > 0)
		count -= send_in_parts();
	if (pthread_create(&other, NULL, is_fault ? answer_faults : rewrite, NULL))
		return 1;
	set_port(ports[0]);
	while (count > 0) {
		sent = is_fault ? send_faulting() : send_by(kind);
		print_arrivals(sent);
		count -= sent;
	}
	return 0;
}
