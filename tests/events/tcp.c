/* SPDX-License-Identifier: MIT */
/*
 * tcp_…: connections over loopback that are made, refused, given up and closed. Both ends are the
 * test's own, though the kernel handles the one while the other one acts.
 */
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "harness/fixture.h"
#include "harness/live.h"

enum {
	SECOND_NS = 1000000000,
	SECOND_US = 1000000,
	ROLE_CLIENT = 1,
	ROLE_SERVER = 2,
	SENT_BYTES = 5000,
	DROPPED_BYTES = 1234,
	UDP_HEADER_BYTES = 8,
	PROTOCOL_UDP = 17,
	REASON_HANDSHAKE = 4, /* tcp_retransmit_reasons */
};

/* Whether the running kernel is that version or a later one. */
static bool kernel_is(unsigned int major, unsigned int minor)
{
	struct utsname name;
	unsigned int is_major, is_minor;

	require(uname(&name) == 0 && sscanf(name.release, "%u.%u", &is_major, &is_minor) == 2);
	return is_major > major || (is_major == major && is_minor >= minor);
}

static int64_t inode_of(int fd)
{
	struct stat status;

	require(fstat(fd, &status) == 0);
	return (int64_t)status.st_ino;
}

static int64_t own_netns(void)
{
	struct stat status;

	require(stat("/proc/self/ns/net", &status) == 0);
	return (int64_t)status.st_ino;
}

/* What all events of sockets have: the parameters are in the same order. */
#define expect_socket(ev, event, inode, is_role)                                                   \
	do {                                                                                       \
		expect_i64(ev, event##__netns, own_netns());                                       \
		if (inode)                                                                         \
			expect_i64(ev, event##__ino, inode);                                       \
		else                                                                               \
			expect_absent(ev, event##__ino);                                           \
		expect_i64(ev, event##__role, is_role);                                            \
	} while (0)

static void expect_connect(long res, int64_t inode, const char *ip, uint16_t from, uint16_t to)
{
	const struct event *ev = live_next(EVENT_tcp_connect);

	expect_i64(ev, tcp_connect__res, res);
	expect_socket(ev, tcp_connect, inode, ROLE_CLIENT);
	expect_range(ev, tcp_connect__time, 1, SECOND_NS);
	expect_i64(ev, tcp_connect__retransmits, 0);
	expect_tuple_ip(ev, tcp_connect__tuple, ip, from, ip, to);
}

static void check_connect(const char *ip)
{
	struct connection connection = fixture_connect(ip, SOCK_STREAM);

	expect_connect(0, inode_of(connection.client), ip, connection.client_port,
		       connection.server_port);
	fixture_disconnect(&connection);
}

/* A port where nobody listens: that of a datagram socket. */
static void check_refused(const char *ip)
{
	struct address any_port = fixture_ip(ip, 0), from = any_port;
	int taken = fixture_socket(SOCK_DGRAM, &any_port, 0);
	struct address to = fixture_ip(ip, fixture_port(taken));
	int fd = fixture_socket(SOCK_STREAM, &from, 0);
	uint16_t port = fixture_port(fd);

	require(CALL(SYS_connect, fd, &to.any, to.len) == -ECONNREFUSED);
	expect_connect(-ECONNREFUSED, inode_of(fd), ip, port, fixture_port(taken));
	close(fd);
	close(taken);
}

/* Where the queue of a socket is full, nothing answers. */
struct unanswered {
	int server, waiting, fd;
	int64_t inode;
	uint16_t port, server_port;
};

static struct unanswered unanswered_begin(const char *ip)
{
	struct address any_port = fixture_ip(ip, 0), to;
	struct unanswered made = {.server = fixture_socket(SOCK_STREAM, &any_port, 0)};

	require(listen(made.server, 0) == 0);
	made.server_port = fixture_port(made.server);
	to = fixture_ip(ip, made.server_port);
	made.waiting = socket(to.any.sa_family, SOCK_STREAM, 0);
	require(connect(made.waiting, &to.any, to.len) == 0);
	live_skip();
	made.fd = socket(to.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
	require(CALL(SYS_connect, made.fd, &to.any, to.len) == -EINPROGRESS);
	made.port = fixture_port(made.fd);
	made.inode = inode_of(made.fd);
	return made;
}

static void unanswered_end(const struct unanswered *made)
{
	close(made->waiting);
	close(made->server);
}

static void check_given_up(const char *ip)
{
	struct unanswered made = unanswered_begin(ip);

	live_skip();
	close(made.fd);
	expect_connect(-ECANCELED, made.inode, ip, made.port, made.server_port);
	unanswered_end(&made);
}

LIVE_TEST(tcp_connect)
{
	check_connect("127.0.0.1");
	check_connect("::1");
	check_connect("::ffff:127.0.0.1");
	check_refused("127.0.0.1");
	check_refused("::1");
	check_given_up("127.0.0.1");
	check_given_up("::1");
	expect_no_event(EVENT_tcp_connect, getpid());
}

static void check_established(const char *ip)
{
	struct connection connection = fixture_connect(ip, SOCK_STREAM);
	const struct event *ev = live_next(EVENT_tcp_established);

	expect_socket(ev, tcp_established, 0, ROLE_SERVER);
	expect_range(ev, tcp_established__srtt, 1, SECOND_US);
	expect_tuple_ip(ev, tcp_established__tuple, ip, connection.server_port, ip,
			connection.client_port);
	fixture_disconnect(&connection);
}

LIVE_TEST(tcp_established)
{
	check_established("127.0.0.1");
	check_established("::1");
	check_established("::ffff:127.0.0.1");
	expect_no_event(EVENT_tcp_established, getpid());
}

static void expect_state(int64_t inode, int role, int from, int to, const char *ip, uint16_t local,
			 uint16_t remote)
{
	const struct event *ev = live_next(EVENT_tcp_state);

	expect_socket(ev, tcp_state, inode, role);
	expect_i64(ev, tcp_state__old_state, from);
	expect_i64(ev, tcp_state__state, to);
	expect_tuple_ip(ev, tcp_state__tuple, ip, local, ip, remote);
}

/* Of a socket that listens, its bound end alone. */
static void check_listening(const char *ip, const char *none)
{
	struct address any_port = fixture_ip(ip, 0);
	int server = fixture_socket(SOCK_STREAM, &any_port, 8);
	const struct event *ev = live_next(EVENT_tcp_state);

	expect_i64(ev, tcp_state__netns, own_netns());
	expect_i64(ev, tcp_state__ino, inode_of(server));
	expect_absent(ev, tcp_state__role);
	expect_i64(ev, tcp_state__old_state, TCP_CLOSE);
	expect_i64(ev, tcp_state__state, TCP_LISTEN);
	expect_tuple_ip(ev, tcp_state__tuple, ip, fixture_port(server), none, 0);
	close(server);
	ev = live_next_whole(EVENT_tcp_state, getpid());
	expect_i64(ev, tcp_state__state, TCP_CLOSE);
}

static void check_refused_states(const char *ip)
{
	struct address any_port = fixture_ip(ip, 0);
	int taken = fixture_socket(SOCK_DGRAM, &any_port, 0);
	struct address to = fixture_ip(ip, fixture_port(taken));
	int fd = fixture_socket(SOCK_STREAM, &any_port, 0);
	uint16_t port = fixture_port(fd);

	require(CALL(SYS_connect, fd, &to.any, to.len) == -ECONNREFUSED);
	expect_state(inode_of(fd), ROLE_CLIENT, TCP_CLOSE, TCP_SYN_SENT, ip, port,
		     fixture_port(taken));
	expect_state(inode_of(fd), ROLE_CLIENT, TCP_SYN_SENT, TCP_CLOSE, ip, port,
		     fixture_port(taken));
	close(fd);
	close(taken);
}

LIVE_TEST(tcp_state)
{
	check_listening("127.0.0.1", "0.0.0.0");
	check_listening("::1", "::");
	check_refused_states("127.0.0.1");
	check_refused_states("::1");
	expect_no_event(EVENT_tcp_state, getpid());
}

/* The end of a connection that sent and received so many bytes. */
static void expect_close(int role, int64_t inode, int state, const char *ip, uint16_t local,
			 uint16_t remote, int64_t sent, int64_t received)
{
	const struct event *ev = live_next_with(EVENT_tcp_close, getpid(), tcp_close__role, role);
	bool sends = sent > 0;

	expect_i64(ev, tcp_close__res, 0);
	expect_socket(ev, tcp_close, inode, role);
	expect_i64(ev, tcp_close__state, state);
	expect_range(ev, tcp_close__time, 1, SECOND_NS);
	expect_range(ev, tcp_close__srtt, 1, SECOND_US);
	expect_range(ev, tcp_close__rttvar, 1, SECOND_US);
	expect_range(ev, tcp_close__min_rtt, 1, SECOND_US);
	expect_range(ev, tcp_close__cwnd, 1, 1000);
	expect_absent(ev, tcp_close__ssthresh);
	expect_range(ev, tcp_close__mss, 500, 65536);
	expect_i64(ev, tcp_close__bytes_sent, sent);
	/* The kernel counts a SYN that was sent, and each FIN, as a byte. */
	expect_i64(ev, tcp_close__bytes_acked, sent + (role == ROLE_CLIENT) + 1);
	expect_i64(ev, tcp_close__bytes_received, received + 1);
	expect_i64(ev, tcp_close__bytes_retransmitted, 0);
	expect_range(ev, tcp_close__segments_sent, 2, 20);
	expect_range(ev, tcp_close__segments_received, 3, 20);
	expect_range(ev, tcp_close__data_segments_sent, sends, sends ? 5 : 0);
	expect_range(ev, tcp_close__data_segments_received, !sends, sends ? 0 : 5);
	expect_i64(ev, tcp_close__retransmits, 0);
	expect_i64(ev, tcp_close__lost, 0);
	/* More if the kernel remembers the path from before. */
	expect_range(ev, tcp_close__reordering, 3, 300);
	expect_i64(ev, tcp_close__reorderings, 0);
	expect_i64(ev, tcp_close__duplicates, 0);
	expect_tuple_ip(ev, tcp_close__tuple, ip, local, ip, remote);
}

static void check_close(const char *ip)
{
	struct connection connection = fixture_connect(ip, SOCK_STREAM);
	int64_t client = inode_of(connection.client), server = inode_of(connection.server);
	char bytes[SENT_BYTES] = {0};

	require(write(connection.client, bytes, sizeof(bytes)) == sizeof(bytes));
	require(recv(connection.server, bytes, sizeof(bytes), MSG_WAITALL) == sizeof(bytes));
	close(connection.client);
	require(read(connection.server, bytes, 1) == 0);
	close(connection.server);
	expect_close(ROLE_CLIENT, client, TCP_FIN_WAIT2, ip, connection.client_port,
		     connection.server_port, SENT_BYTES, 0);
	expect_close(ROLE_SERVER, server, TCP_LAST_ACK, ip, connection.server_port,
		     connection.client_port, 0, SENT_BYTES);
}

/* What a process leaves unread makes the kernel reset the connection. */
static void check_reset(const char *ip)
{
	struct connection connection = fixture_connect(ip, SOCK_STREAM);
	int64_t inode = inode_of(connection.client);
	const struct event *ev;

	require(write(connection.client, "x", 1) == 1);
	require(poll(&(struct pollfd){connection.server, POLLIN, 0}, 1, 1000) == 1);
	close(connection.server);
	require(poll(&(struct pollfd){connection.client, POLLIN, 0}, 1, 1000) == 1);
	do
		ev = live_next_whole(EVENT_tcp_close, getpid());
	while (event_param_i64(ev, tcp_close__role) != ROLE_CLIENT);
	expect_i64(ev, tcp_close__res, -ECONNRESET);
	expect_i64(ev, tcp_close__ino, inode);
	expect_i64(ev, tcp_close__state, TCP_ESTABLISHED);
	close(connection.client);
}

/* A connection over which so many bytes were sent to the server, which has not read them. */
static void expect_sample(int role, int64_t inode, const char *ip, uint16_t local, uint16_t remote)
{
	const struct event *ev = live_next_with(EVENT_tcp_sample, getpid(), tcp_sample__ino, inode);
	int64_t sent = role == ROLE_CLIENT ? SENT_BYTES : 0;

	expect_socket(ev, tcp_sample, inode, role);
	expect_i64(ev, tcp_sample__state, TCP_ESTABLISHED);
	expect_range(ev, tcp_sample__time, 1, 10L * SECOND_NS);
	expect_range(ev, tcp_sample__srtt, 1, SECOND_US);
	expect_range(ev, tcp_sample__rttvar, 1, SECOND_US);
	expect_range(ev, tcp_sample__min_rtt, 1, SECOND_US);
	expect_range(ev, tcp_sample__cwnd, 1, 1000);
	expect_absent(ev, tcp_sample__ssthresh);
	expect_range(ev, tcp_sample__mss, 500, 65536);
	expect_i64(ev, tcp_sample__bytes_sent, sent);
	expect_i64(ev, tcp_sample__bytes_acked, sent + (role == ROLE_CLIENT));
	expect_i64(ev, tcp_sample__bytes_received, SENT_BYTES - sent);
	expect_i64(ev, tcp_sample__bytes_retransmitted, 0);
	expect_range(ev, tcp_sample__segments_sent, 1, 20);
	expect_range(ev, tcp_sample__segments_received, 1, 20);
	expect_range(ev, tcp_sample__data_segments_sent, sent > 0, sent ? 5 : 0);
	expect_range(ev, tcp_sample__data_segments_received, !sent, sent ? 0 : 5);
	expect_i64(ev, tcp_sample__retransmits, 0);
	expect_i64(ev, tcp_sample__lost, 0);
	expect_range(ev, tcp_sample__reordering, 3, 300);
	expect_i64(ev, tcp_sample__reorderings, 0);
	expect_i64(ev, tcp_sample__duplicates, 0);
	expect_i64(ev, tcp_sample__unacked, 0);
	expect_i64(ev, tcp_sample__send_queue, 0);
	expect_i64(ev, tcp_sample__receive_queue, SENT_BYTES - sent);
	expect_tuple_ip(ev, tcp_sample__tuple, ip, local, ip, remote);
}

/* Sockets that listen have no event. */
static void check_sample(const char *ip)
{
	struct connection connection = fixture_connect(ip, SOCK_STREAM);
	int64_t inodes[] = {inode_of(connection.client), inode_of(connection.server)};
	char bytes[SENT_BYTES] = {0};
	bool client_is_first;

	require(write(connection.client, bytes, sizeof(bytes)) == sizeof(bytes));
	require(recv(connection.server, bytes, sizeof(bytes), MSG_WAITALL | MSG_PEEK) ==
		sizeof(bytes));
	live_sample();
	/* They come in the order of a table. */
	client_is_first = event_param_i64(live_next_whole(EVENT_tcp_sample, getpid()),
					  tcp_sample__role) == ROLE_CLIENT;
	live_sample();
	for (int i = 0; i < 2; i++)
		if ((i == 0) == client_is_first)
			expect_sample(ROLE_CLIENT, inodes[0], ip, connection.client_port,
				      connection.server_port);
		else
			expect_sample(ROLE_SERVER, inodes[1], ip, connection.server_port,
				      connection.client_port);
	close(connection.client);
	close(connection.server);
}

LIVE_TEST(tcp_sample)
{
	check_sample("127.0.0.1");
	check_sample("::1");
}

LIVE_TEST(tcp_close)
{
	check_close("127.0.0.1");
	check_close("::1");
	check_close("::ffff:127.0.0.1");
	live_skip();
	check_reset("127.0.0.1");
	check_reset("::1");
	live_skip();
	expect_no_event(EVENT_tcp_close, getpid());
}

/* A SYN that is not answered is sent again after a second. */
/* The kernel does it after a second, or when the machine lets it. */
static void wait_for_retransmit(int fd)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	for (int i = 0; i < 1000 && !info.tcpi_total_retrans; i++) {
		usleep(10000);
		require(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0);
	}
	require(info.tcpi_total_retrans > 0);
}

static void check_retransmit(const char *ip)
{
	struct unanswered made = unanswered_begin(ip);
	const struct event *ev;

	wait_for_retransmit(made.fd);
	ev = live_next(EVENT_tcp_retransmit);
	expect_i64(ev, tcp_retransmit__res, 0);
	expect_socket(ev, tcp_retransmit, made.inode, ROLE_CLIENT);
	expect_i64(ev, tcp_retransmit__state, TCP_SYN_SENT);
	expect_i64(ev, tcp_retransmit__segments, 1);
	expect_i64(ev, tcp_retransmit__bytes, 1);
	expect_i64(ev, tcp_retransmit__reason, REASON_HANDSHAKE);
	expect_i64(ev, tcp_retransmit__retransmits, 1);
	expect_tuple_ip(ev, tcp_retransmit__tuple, ip, made.port, ip, made.server_port);
	close(made.fd);
	unanswered_end(&made);
}

LIVE_TEST(tcp_retransmit)
{
	check_retransmit("127.0.0.1");
	check_retransmit("::1");
}

/* Closes a connection without waiting for what is on its way. */
static struct connection reset_connection(const char *ip)
{
	struct connection connection = fixture_connect(ip, SOCK_STREAM);
	struct linger at_once = {.l_onoff = 1};

	live_skip();
	require(setsockopt(connection.server, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) ==
		0);
	return connection;
}

/* Which reason it is differs between kernels, but not that there is one. */
static void expect_some_reason(const struct event *ev, unsigned int param, bool has_reasons)
{
	const char *reason = event_param_string(ev, param);

	expect_true(!reason == !has_reasons);
	expect_string(ev, param, reason);
}

static void check_reset_sent(const char *ip)
{
	struct connection connection = reset_connection(ip);
	int64_t inode = inode_of(connection.server);
	const struct event *ev;

	close(connection.server);
	ev = live_next(EVENT_tcp_reset_sent);
	expect_socket(ev, tcp_reset_sent, inode, ROLE_SERVER);
	expect_i64(ev, tcp_reset_sent__state, TCP_CLOSE);
	expect_some_reason(ev, tcp_reset_sent__reason, kernel_is(6, 10));
	expect_tuple_ip(ev, tcp_reset_sent__tuple, ip, connection.server_port, ip,
			connection.client_port);
	close(connection.client);
}

/* Where nobody listens, a reset is nobody's. */
static void check_reset_of_nobody(const char *ip)
{
	struct address any_port = fixture_ip(ip, 0), to;
	int taken = fixture_socket(SOCK_DGRAM, &any_port, 0);
	int fd = fixture_socket(SOCK_STREAM, &any_port, 0);
	uint16_t from = fixture_port(fd);
	const struct event *ev;

	to = fixture_ip(ip, fixture_port(taken));
	require(CALL(SYS_connect, fd, &to.any, to.len) == -ECONNREFUSED);
	if (kernel_is(6, 10)) {
		ev = live_next_of(EVENT_tcp_reset_sent, NO_OWNER);
		expect_i64(ev, tcp_reset_sent__netns, own_netns());
		expect_absent(ev, tcp_reset_sent__ino);
		expect_absent(ev, tcp_reset_sent__role);
		expect_absent(ev, tcp_reset_sent__state);
		expect_string(ev, tcp_reset_sent__reason, "NO_SOCKET");
		expect_tuple_ip(ev, tcp_reset_sent__tuple, ip, fixture_port(taken), ip, from);
	}
	close(fd);
	close(taken);
}

LIVE_TEST(tcp_reset_sent)
{
	check_reset_sent("127.0.0.1");
	check_reset_sent("::1");
	check_reset_of_nobody("127.0.0.1");
	check_reset_of_nobody("::1");
}

static void check_reset_received(const char *ip)
{
	struct connection connection = reset_connection(ip);
	int64_t inode = inode_of(connection.client);
	const struct event *ev;

	close(connection.server);
	ev = live_next(EVENT_tcp_reset_received);
	expect_socket(ev, tcp_reset_received, inode, ROLE_CLIENT);
	expect_i64(ev, tcp_reset_received__state, TCP_ESTABLISHED);
	expect_tuple_ip(ev, tcp_reset_received__tuple, ip, connection.client_port, ip,
			connection.server_port);
	close(connection.client);
}

LIVE_TEST(tcp_reset_received)
{
	check_reset_received("127.0.0.1");
	check_reset_received("::1");
}

/* A datagram to a port that nobody has. */
static void check_drop(const char *ip)
{
	struct address any_port = fixture_ip(ip, 0), to;
	int fd = fixture_socket(SOCK_DGRAM, &any_port, 0);
	int taken = fixture_socket(SOCK_STREAM, &any_port, 0);
	char bytes[DROPPED_BYTES] = {0};
	const struct event *ev;

	to = fixture_ip(ip, fixture_port(taken));
	require(sendto(fd, bytes, sizeof(bytes), 0, &to.any, to.len) == sizeof(bytes));
	ev = live_next_with(EVENT_skb_drop, NO_OWNER, skb_drop__bytes,
			    DROPPED_BYTES + UDP_HEADER_BYTES);
	expect_i64(ev, skb_drop__bytes, DROPPED_BYTES + UDP_HEADER_BYTES);
	expect_i64(ev, skb_drop__netns, own_netns());
	expect_absent(ev, skb_drop__ino);
	expect_absent(ev, skb_drop__role);
	expect_i64(ev, skb_drop__protocol, PROTOCOL_UDP);
	if (kernel_is(5, 18))
		expect_string(ev, skb_drop__reason, "NO_SOCKET");
	else
		expect_some_reason(ev, skb_drop__reason, kernel_is(5, 17));
	expect_tuple_ip(ev, skb_drop__tuple, ip, fixture_port(taken), ip, fixture_port(fd));
	close(fd);
	close(taken);
}

LIVE_TEST(skb_drop)
{
	check_drop("127.0.0.1");
	check_drop("::1");
}

/*
 * A handshake that is ended where one connection too many waits. Kernels say so of that alone, not
 * of a SYN that they do not answer for the same reason.
 */
LIVE_TEST(listen_overflow)
{
	struct unanswered made = unanswered_begin("127.0.0.1");

	live_skip();
	close(made.fd);
	unanswered_end(&made);
	expect_no_event(EVENT_listen_overflow, getpid());
}
