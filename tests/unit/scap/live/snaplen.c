/* SPDX-License-Identifier: MIT */
/*
 * How many bytes of a buffer the driver keeps: by ports, by how the buffer begins, for every kind
 * of call. Skipped where BPF programs may not be loaded.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "event/event.h"
#include "own_events.h"
#include "patience.h"
#include "scap/live/live.h"
#include "unit.h"

enum {
	RING_BYTES = 4 << 20,
	FULL_LOW = 18300,
	FULL_HIGH = 18309,
	OTHER_PORT = 18350,
	MESSAGE = 20000,
	FULL = 16000,
	LONG = 2000,
	DNS = 512,
	SHORT = SNAPLEN_DEFAULT,
};

static struct scap_live *live;

/* What the calls send: `start` at its beginning, then '#'. */
static char message[MESSAGE];

static void fill_message(const char *start, size_t len)
{
	memset(message, '#', sizeof(message));
	memcpy(message, start, len);
}

/* Ports of its own: those that the test is about may be in use. */
static int setup(void **state)
{
	struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd, r;

	if (unshare(CLONE_NEWNET))
		return errno != EPERM;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	r = ioctl(fd, SIOCSIFFLAGS, &loopback);
	close(fd);
	return r;
}

static void begin(uint32_t snaplen, const struct snaplen_rules *rules)
{
	static const uint16_t events[] = {
		EVENT_sendto, EVENT_recvfrom, EVENT_write,   EVENT_read,     EVENT_writev,
		EVENT_readv,  EVENT_sendmsg,  EVENT_recvmsg, EVENT_sendmmsg, EVENT_recvmmsg};
	struct scap_live_config config = {
		.ring_bytes = RING_BYTES,
		.snaplen = snaplen,
		.snaplen_rules = *rules,
	};
	struct error err = {""};
	int r;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		config.events[events[i]] = true;
	own_events_only(&config);
	r = scap_live_open(&config, &live, &err);
	if (r == -EPERM)
		skip();
	if (r < 0)
		fail_msg("%s", err.text);
}

static void end(void)
{
	scap_source_destroy(scap_live_source(live));
	live = NULL;
}

/* The bytes that the next event of that id on a descriptor of this thread has kept. */
static uint32_t kept(uint16_t id, int fd)
{
	const struct event_desc *desc = event_desc_get(id);
	int data = event_param_find(desc, "data"), fd_param = event_param_find(desc, "fd");
	struct scap_event raw;
	struct event event;

	while (scap_source_next(scap_live_source(live), PATIENCE_MS, &raw) == 1) {
		assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event), 0);
		if (event.desc->id == id && event.tid == gettid() &&
		    event_param_i64(&event, (unsigned int)fd_param) == fd) {
			assert_memory_equal(event.params[data].data, message,
					    event.params[data].len);
			return event.params[data].len;
		}
	}
	fail_msg("no event %s", desc->name);
	return 0;
}

struct end {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t len;
};

static struct end end_of(const char *ip, uint16_t port)
{
	struct end end = {.len = sizeof(end.v6)};

	if (inet_pton(AF_INET6, ip, &end.v6.sin6_addr) == 1) {
		end.any.sa_family = AF_INET6;
	} else {
		end.any.sa_family = AF_INET;
		assert_int_equal(inet_pton(AF_INET, ip, &end.v4.sin_addr), 1);
		end.len = sizeof(end.v4);
	}
	end.v4.sin_port = htons(port);
	return end;
}

/* A UDP socket; its first message is taken by the kernel whether or not anybody is there. */
static int socket_to(const struct end *to)
{
	int fd = socket(to->any.sa_family, SOCK_DGRAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, &to->any, to->len), 0);
	return fd;
}

static int socket_at(const struct end *at)
{
	int fd = socket(at->any.sa_family, SOCK_DGRAM, 0), big = 1 << 20;

	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &big, sizeof(big)), 0);
	assert_int_equal(bind(fd, &at->any, at->len), 0);
	return fd;
}

static uint32_t kept_of_send(const char *ip, uint16_t port, size_t size)
{
	struct end to = end_of(ip, port);
	int fd = socket_to(&to);
	uint32_t n;

	assert_int_equal(send(fd, message, size, 0), size);
	n = kept(EVENT_sendto, fd);
	close(fd);
	return n;
}

static const struct snaplen_rules all_rules = {FULL_LOW, FULL_HIGH, 8125, true};

static void test_ports(void **state)
{
	begin(SHORT, &all_rules);
	fill_message("", 0);
	assert_int_equal(kept_of_send("127.0.0.1", FULL_LOW, MESSAGE), FULL);
	assert_int_equal(kept_of_send("127.0.0.1", FULL_HIGH, MESSAGE), FULL);
	assert_int_equal(kept_of_send("127.0.0.1", FULL_HIGH, 100), 100);
	assert_int_equal(kept_of_send("127.0.0.1", FULL_LOW - 1, MESSAGE), SHORT);
	assert_int_equal(kept_of_send("127.0.0.1", FULL_HIGH + 1, MESSAGE), SHORT);
	assert_int_equal(kept_of_send("127.0.0.1", 8125, MESSAGE), LONG);
	assert_int_equal(kept_of_send("127.0.0.1", 53, MESSAGE), DNS);
	assert_int_equal(kept_of_send("::1", 53, MESSAGE), DNS);
	assert_int_equal(kept_of_send("::1", FULL_LOW, MESSAGE), FULL);
	end();
}

struct start_case {
	uint16_t port;
	const char *start;
	size_t len;
	uint32_t kept;
};

#define START(port, text, kept)                                                                    \
	{                                                                                          \
		port, text, sizeof(text) - 1, kept                                                 \
	}

static void test_protocols(void **state)
{
	static const struct start_case cases[] = {
		START(3306, "\x03select", LONG),
		START(3306, "\x05###\x03", LONG),
		START(3306, "\x05#\0\0", LONG),
		START(3306, "\x05#\0#", SHORT),
		START(3306, "GET /", SHORT),
		START(5432, "Q\0", LONG),
		START(5432, "P\0", LONG),
		START(5432, "E\0", LONG),
		START(5432, "X\0", SHORT),
		START(5432, "####\0\3\0", LONG),
		START(5432, "####\0\3#", SHORT),
		START(5432, "GET /", SHORT),
		START(27017, "", LONG),
		START(OTHER_PORT, "", SHORT),
		START(OTHER_PORT, "############\x01\0\0\0", LONG),
		START(OTHER_PORT, "############\xd0\x07\0\0", SHORT),
		START(OTHER_PORT, "############\xd1\x07\0\0", LONG),
		START(OTHER_PORT, "############\xd7\x07\0\0", LONG),
		START(OTHER_PORT, "############\xd8\x07\0\0", SHORT),
		START(OTHER_PORT, "GET /", LONG),
		START(OTHER_PORT, "POST /", LONG),
		START(OTHER_PORT, "PUT /", LONG),
		START(OTHER_PORT, "DELETE /", LONG),
		START(OTHER_PORT, "TRACE /", LONG),
		START(OTHER_PORT, "CONNECT host", LONG),
		START(OTHER_PORT, "OPTIONS *", LONG),
		START(OTHER_PORT, "HTTP/1.1", LONG),
		START(OTHER_PORT, "HTTPS", SHORT),
		START(OTHER_PORT, "HEAD /", SHORT),
		START(OTHER_PORT, "GETS", SHORT),
		START(OTHER_PORT, "get /", SHORT),
		START(53, "GET /", DNS),
	};

	begin(SHORT, &all_rules);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t n;

		fill_message(cases[i].start, cases[i].len);
		n = kept_of_send("127.0.0.1", cases[i].port, MESSAGE);
		if (n != cases[i].kept)
			fail_msg("case %zu: %u bytes, not %u", i, n, cases[i].kept);
	}
	end();
}

/* What is not IP has no port and no protocol. */
static void test_other_descriptors(void **state)
{
	int fds[2], fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	begin(SHORT, &all_rules);
	fill_message("GET /", 5);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(write(fds[0], message, 1000), 1000);
	assert_int_equal(kept(EVENT_write, fds[0]), SHORT);
	assert_int_equal(write(fd, message, 1000), 1000);
	assert_int_equal(kept(EVENT_write, fd), SHORT);
	assert_int_equal(write(-1, message, 1000), -1);
	assert_int_equal(kept(EVENT_write, -1), SHORT);
	close(fd);
	close(fds[0]);
	close(fds[1]);
	end();
}

/* Vectors and messages go by their ports alone; where there is an address, by its port. */
static void test_sending_calls(void **state)
{
	struct end full = end_of("127.0.0.1", FULL_LOW), dns = end_of("127.0.0.1", 53);
	struct end other = end_of("127.0.0.1", OTHER_PORT);
	struct iovec parts[2] = {{message, 1000}, {message + 1000, MESSAGE - 1000}};
	struct mmsghdr header = {.msg_hdr = {&dns.any, dns.len, parts, 2, NULL, 0, 0}};
	int fd;

	begin(SHORT, &all_rules);
	fill_message("GET /", 5);
	fd = socket_to(&full);
	assert_int_equal(writev(fd, parts, 2), MESSAGE);
	assert_int_equal(kept(EVENT_writev, fd), FULL);
	close(fd);
	fd = socket_to(&other);
	assert_int_equal(writev(fd, parts, 2), MESSAGE);
	assert_int_equal(kept(EVENT_writev, fd), SHORT);
	close(fd);
	fd = socket_to(&other);
	assert_int_equal(write(fd, message, MESSAGE), MESSAGE);
	assert_int_equal(kept(EVENT_write, fd), LONG);
	/* Somebody not being there is known by now: a failure. */
	assert_int_equal(write(fd, message, MESSAGE), -1);
	assert_int_equal(kept(EVENT_write, fd), LONG);
	close(fd);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(sendto(fd, message, MESSAGE, 0, &dns.any, dns.len), MESSAGE);
	assert_int_equal(kept(EVENT_sendto, fd), DNS);
	assert_int_equal(sendmsg(fd, &header.msg_hdr, 0), MESSAGE);
	assert_int_equal(kept(EVENT_sendmsg, fd), DNS);
	assert_int_equal(syscall(SYS_sendmmsg, fd, &header, 1, 0), 1);
	assert_int_equal(kept(EVENT_sendmmsg, fd), DNS);
	close(fd);
	end();
}

/* Three messages are read from a socket, with read, recvfrom and recvmsg; gives what was kept. */
static void receive(const struct end *from, const struct end *at, uint32_t bytes[3])
{
	static char memory[MESSAGE];
	struct end sender = {.len = sizeof(sender.v6)};
	struct iovec part = {memory, sizeof(memory)};
	struct msghdr header = {&sender.any, sizeof(sender.v6), &part, 1, NULL, 0, 0};
	int client = socket_at(from), server = socket_at(at);

	for (int i = 0; i < 3; i++)
		assert_int_equal(sendto(client, message, MESSAGE, 0, &at->any, at->len), MESSAGE);
	assert_int_equal(read(server, memory, sizeof(memory)), MESSAGE);
	bytes[0] = kept(EVENT_read, server);
	assert_int_equal(recvfrom(server, memory, sizeof(memory), 0, &sender.any, &sender.len),
			 MESSAGE);
	bytes[1] = kept(EVENT_recvfrom, server);
	assert_int_equal(recvmsg(server, &header, 0), MESSAGE);
	bytes[2] = kept(EVENT_recvmsg, server);
	close(client);
	close(server);
}

static void test_receiving_calls(void **state)
{
	struct end local = end_of("127.0.0.1", FULL_HIGH), other = end_of("127.0.0.1", OTHER_PORT);
	struct end dns = end_of("127.0.0.77", 53);
	uint32_t bytes[3];

	begin(SHORT, &all_rules);
	fill_message("", 0);
	receive(&other, &local, bytes);
	assert_int_equal(bytes[0], FULL);
	assert_int_equal(bytes[1], FULL);
	assert_int_equal(bytes[2], FULL);
	/* Only the address shows who sent it. */
	receive(&dns, &other, bytes);
	assert_int_equal(bytes[0], SHORT);
	assert_int_equal(bytes[1], DNS);
	assert_int_equal(bytes[2], DNS);
	end();
}

static void test_rules_that_are_off(void **state)
{
	const struct snaplen_rules none = {.statsd_port = 8125}, full = {FULL_LOW, FULL_HIGH, 0, 0};
	const struct snaplen_rules dynamic = {.statsd_port = OTHER_PORT, .dynamic = true};

	fill_message("GET /", 5);
	begin(SHORT, &none);
	assert_int_equal(kept_of_send("127.0.0.1", FULL_LOW, MESSAGE), SHORT);
	assert_int_equal(kept_of_send("127.0.0.1", 53, MESSAGE), SHORT);
	end();
	begin(SHORT, &full);
	assert_int_equal(kept_of_send("127.0.0.1", FULL_LOW, MESSAGE), FULL);
	assert_int_equal(kept_of_send("127.0.0.1", 53, MESSAGE), SHORT);
	assert_int_equal(kept_of_send("127.0.0.1", OTHER_PORT, MESSAGE), SHORT);
	end();
	/* What is more already stays as it is. */
	fill_message("", 0);
	begin(1000, &dynamic);
	assert_int_equal(kept_of_send("127.0.0.1", FULL_LOW, MESSAGE), 1000);
	assert_int_equal(kept_of_send("127.0.0.1", 53, MESSAGE), 1000);
	assert_int_equal(kept_of_send("127.0.0.1", OTHER_PORT, MESSAGE), LONG);
	assert_int_equal(kept_of_send("127.0.0.1", 8125, MESSAGE), 1000);
	end();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ports),
	cmocka_unit_test(test_protocols),
	cmocka_unit_test(test_other_descriptors),
	cmocka_unit_test(test_sending_calls),
	cmocka_unit_test(test_receiving_calls),
	cmocka_unit_test(test_rules_that_are_off),
};

UNIT_GROUP(tests, .setup = setup, .slow = true, .unfilled = true);
