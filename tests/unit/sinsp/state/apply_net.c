/* SPDX-License-Identifier: MIT */
/* Sockets: kinds, names, roles, and whether they are connected. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "drive.h"
#include "sinsp/state/fds.h"
#include "unit.h"

static int setup(void **state)
{
	drive_setup(state);
	drive_exec(*state, 100, "server");
	return 0;
}

static const struct state_fd *make_socket(struct drive *drive, int64_t result, int domain, int type,
					  int protocol)
{
	struct frame *frame = drive_begin(drive, EVENT_socket, 100);

	frame_put_i64(frame, socket__fd, result);
	frame_put_i64(frame, socket__domain, domain);
	frame_put_i64(frame, socket__type, type);
	frame_put_i64(frame, socket__proto, protocol);
	frame_put_i64(frame, socket__flags, type & SOCK_CLOEXEC ? file_flags__O_CLOEXEC : 0);
	return drive_end(drive)->fd;
}

static const struct state_fd *bind_ip(struct drive *drive, int64_t fd, const char *ip,
				      uint16_t port)
{
	struct frame *frame = drive_begin(drive, EVENT_bind, 100);

	frame_put_i64(frame, bind__res, 0);
	frame_put_i64(frame, bind__fd, fd);
	frame_put_ip(frame, bind__addr, ip, port);
	return drive_end(drive)->fd;
}

static const struct state_fd *connect_ip(struct drive *drive, int64_t result, int64_t fd,
					 const struct frame_tuple *tuple)
{
	struct frame *frame = drive_begin(drive, EVENT_connect, 100);

	frame_put_i64(frame, connect__res, result);
	frame_put_i64(frame, connect__fd, fd);
	if (tuple)
		frame_put_tuple(frame, connect__tuple, tuple);
	return drive_end(drive)->fd;
}

static const struct state_fd *send_ip(struct drive *drive, int64_t result, int64_t fd,
				      const struct frame_tuple *tuple)
{
	struct frame *frame = drive_begin(drive, EVENT_sendto, 100);

	frame_put_i64(frame, sendto__res, result);
	frame_put_i64(frame, sendto__fd, fd);
	if (tuple)
		frame_put_tuple(frame, sendto__tuple, tuple);
	return drive_end(drive)->fd;
}

static const struct state_fd *receive_ip(struct drive *drive, int64_t result, int64_t fd,
					 const struct frame_tuple *tuple)
{
	struct frame *frame = drive_begin(drive, EVENT_recvfrom, 100);

	frame_put_i64(frame, recvfrom__res, result);
	frame_put_i64(frame, recvfrom__fd, fd);
	if (tuple)
		frame_put_tuple(frame, recvfrom__tuple, tuple);
	return drive_end(drive)->fd;
}

static const struct state_fd *accept_ip(struct drive *drive, int64_t result,
					const struct frame_tuple *tuple, uint32_t flags)
{
	struct frame *frame = drive_begin(drive, EVENT_accept4, 100);

	frame_put_i64(frame, accept4__fd, result);
	if (tuple)
		frame_put_tuple(frame, accept4__tuple, tuple);
	frame_put_i64(frame, accept4__flags, flags);
	return drive_end(drive)->fd;
}

static void knows_kinds(void **state)
{
	static const struct {
		int domain, type, protocol;
		enum scap_fd_type kind;
		enum scap_l4 l4;
	} cases[] = {
		{1, SOCK_STREAM, 0, SCAP_FD_UNIX, SCAP_L4_UNKNOWN},
		{2, SOCK_STREAM, 0, SCAP_FD_IPV4, SCAP_L4_TCP},
		{2, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, SCAP_FD_IPV4, SCAP_L4_TCP},
		{2, SOCK_DGRAM, 17, SCAP_FD_IPV4, SCAP_L4_UDP},
		{10, SOCK_DGRAM, 0, SCAP_FD_IPV6, SCAP_L4_UDP},
		{2, SOCK_DGRAM, 1, SCAP_FD_IPV4, SCAP_L4_ICMP},
		{10, SOCK_DGRAM, 58, SCAP_FD_IPV6, SCAP_L4_ICMP},
		{2, SOCK_RAW, 1, SCAP_FD_IPV4, SCAP_L4_RAW},
		{2, SOCK_STREAM, 132, SCAP_FD_IPV4, SCAP_L4_UNKNOWN},
		{16, SOCK_RAW, 0, SCAP_FD_NETLINK, SCAP_L4_UNKNOWN},
		{17, SOCK_RAW, 0, SCAP_FD_UNKNOWN, SCAP_L4_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct state_fd *fd =
			make_socket(*state, 3, cases[i].domain, cases[i].type, cases[i].protocol);

		assert_int_equal(fd->type, cases[i].kind);
		assert_int_equal(fd->l4, cases[i].l4);
		assert_int_equal(fd->role, STATE_ROLE_NONE);
		assert_string_equal(fd->name, "");
		assert_int_equal(state_fds_cloexec(drive_thread(*state, 100)->fds, 3),
				 !!(cases[i].type & SOCK_CLOEXEC));
	}
	assert_null(make_socket(*state, -EINVAL, 2, 99, 0));
}

static void binds_and_accepts(void **state)
{
	struct drive *drive = *state;
	const struct frame_tuple tuple = {"10.1.2.3", "127.0.0.1", 50000, 80};
	const struct state_fd *fd;

	make_socket(drive, 3, 2, SOCK_STREAM, 0);
	fd = bind_ip(drive, 3, "127.0.0.1", 80);
	assert_true(fd->listening);
	assert_true(drive->event.fd_named);
	assert_string_equal(fd->name, "127.0.0.1:80");
	assert_int_equal(state_fd_ends(fd)->dest.port, 80);
	drive_any(drive, 100);
	assert_false(drive->event.fd_named);

	fd = accept_ip(drive, 4, &tuple, file_flags__O_CLOEXEC);
	assert_int_equal(drive->event.fd_num, 4);
	assert_int_equal(fd->type, SCAP_FD_IPV4);
	assert_int_equal(fd->l4, SCAP_L4_TCP);
	assert_int_equal(fd->role, STATE_ROLE_SERVER);
	assert_true(fd->connected);
	assert_false(fd->listening);
	assert_true(drive->event.fd_named);
	assert_string_equal(fd->name, "10.1.2.3:50000->127.0.0.1:80");
	assert_int_equal(state_fd_ends(fd)->source.port, 50000);
	assert_int_equal(state_fd_ends(fd)->dest.port, 80);
	assert_memory_equal(state_fd_ends(fd)->source.address, ((uint8_t[]){10, 1, 2, 3}), 4);
	assert_true(state_fds_cloexec(drive_thread(drive, 100)->fds, 4));

	assert_null(accept_ip(drive, -EAGAIN, NULL, 0));
	assert_int_equal(drive->event.fd_num, -EAGAIN);
	/* An answer goes from the server's end, but the connection stays the same. */
	fd = send_ip(drive, 5, 4, &(struct frame_tuple){"127.0.0.1", "10.1.2.3", 80, 50000});
	assert_string_equal(fd->name, "10.1.2.3:50000->127.0.0.1:80");
	assert_false(drive->event.fd_named);
}

static const struct state_fd *listen_on(struct drive *drive, int64_t result, int64_t fd)
{
	struct frame *frame = drive_begin(drive, EVENT_listen, 100);

	frame_put_i64(frame, listen__res, result);
	frame_put_i64(frame, listen__fd, fd);
	return drive_end(drive)->fd;
}

/* A port that the kernel chooses is a client's as well as a server's: listen() decides. */
static void binds_to_any_port(void **state)
{
	struct drive *drive = *state;
	const struct state_fd *fd;

	make_socket(drive, 3, 10, SOCK_STREAM, 0);
	fd = bind_ip(drive, 3, "fe80::1", 0);
	assert_string_equal(fd->name, "fe80::1:0");
	assert_false(fd->listening);
	assert_int_equal(fd->role, STATE_ROLE_NONE);
	listen_on(drive, -EADDRINUSE, 3);
	assert_false(fd->listening);
	listen_on(drive, 0, 3);
	assert_true(fd->listening);
	assert_int_equal(state_fd_ends(fd)->dest.address[0], 0xfe);
	assert_string_equal(fd->name, "fe80::1:0");

	make_socket(drive, 4, 10, SOCK_STREAM, 0);
	bind_ip(drive, 4, "fe80::1", 0);
	fd = connect_ip(drive, 0, 4, &(struct frame_tuple){"fe80::1", "fe80::2", 40000, 443});
	assert_int_equal(fd->role, STATE_ROLE_CLIENT);
	assert_string_equal(fd->name, "fe80::1:40000->fe80::2:443");
	/* What is known of a connection stays. */
	listen_on(drive, 0, 4);
	assert_false(fd->listening);

	/* One whose connect was not seen is learned from what is sent. */
	make_socket(drive, 5, 2, SOCK_STREAM, 0);
	bind_ip(drive, 5, "10.0.0.1", 0);
	fd = send_ip(drive, 3, 5, &(struct frame_tuple){"10.0.0.1", "10.0.0.2", 40001, 80});
	assert_string_equal(fd->name, "10.0.0.1:40001->10.0.0.2:80");
}

static void connects(void **state)
{
	struct drive *drive = *state;
	const struct frame_tuple tuple = {"::1", "fe80::2", 40000, 443};
	const struct state_fd *fd;

	make_socket(drive, 3, 10, SOCK_STREAM, 0);
	fd = connect_ip(drive, -ECONNREFUSED, 3, NULL);
	assert_string_equal(fd->name, "");
	assert_int_equal(fd->role, STATE_ROLE_NONE);
	fd = connect_ip(drive, -EINPROGRESS, 3, &tuple);
	assert_string_equal(fd->name, "::1:40000->fe80::2:443");
	assert_int_equal(fd->role, STATE_ROLE_CLIENT);
	assert_true(drive->event.fd_named);
	assert_false(fd->connected);
	fd = drive_read(drive, 100, -EAGAIN, 3)->fd;
	assert_false(fd->connected);
	fd = drive_read(drive, 100, 5, 3)->fd;
	assert_true(fd->connected);
	/* Further failures change nothing. */
	fd = connect_ip(drive, -EISCONN, 3, NULL);
	assert_true(fd->connected);
	assert_string_equal(fd->name, "::1:40000->fe80::2:443");
}

/* connect() to AF_UNSPEC takes the peer away; a socket that is connected anew has another role. */
static void connects_to_nowhere(void **state)
{
	struct drive *drive = *state;
	const struct frame_tuple tuple = {"10.0.0.1", "10.0.0.2", 40000, 443};
	const struct frame_tuple nowhere = {"0.0.0.0", "0.0.0.0", 0, 0};
	const struct frame_tuple bound = {"10.0.0.1", "0.0.0.0", 53, 0};
	const struct frame_tuple request = {"10.0.0.9", "10.0.0.1", 5000, 53};
	const struct state_fd *fd;

	make_socket(drive, 3, 2, SOCK_DGRAM, 0);
	connect_ip(drive, 0, 3, &tuple);
	fd = connect_ip(drive, 0, 3, &nowhere);
	assert_string_equal(fd->name, "");
	assert_int_equal(fd->role, STATE_ROLE_NONE);
	assert_false(fd->connected);
	assert_int_equal(state_fd_ends(fd)->dest.port, 0);
	assert_string_equal(connect_ip(drive, 0, 3, &tuple)->name, "10.0.0.1:40000->10.0.0.2:443");
	/* A server goes on. */
	make_socket(drive, 4, 2, SOCK_DGRAM, 0);
	bind_ip(drive, 4, "10.0.0.1", 53);
	receive_ip(drive, 20, 4, &request);
	fd = connect_ip(drive, 0, 4, &bound);
	assert_true(fd->listening);
	assert_string_equal(receive_ip(drive, 20, 4, &request)->name, "10.0.0.9:5000->10.0.0.1:53");
	assert_int_equal(fd->role, STATE_ROLE_SERVER);
}

/* A connection that the first message begins (MSG_FASTOPEN), and that has not come about yet. */
static void connects_by_sending(void **state)
{
	struct drive *drive = *state;
	const struct frame_tuple tuple = {"10.0.0.1", "10.0.0.2", 40000, 443};
	const struct state_fd *fd;

	make_socket(drive, 3, 2, SOCK_STREAM, 0);
	fd = send_ip(drive, -EINPROGRESS, 3, &tuple);
	assert_string_equal(fd->name, "10.0.0.1:40000->10.0.0.2:443");
	assert_int_equal(fd->role, STATE_ROLE_CLIENT);
	assert_false(fd->connected);
	assert_true(send_ip(drive, 20, 3, &tuple)->connected);
}

enum { DYN_BYTES, DYN_ERRNO };

static const struct state_fd *get_option(struct drive *drive, int level, int option, int64_t error)
{
	struct frame *frame = drive_begin(drive, EVENT_getsockopt, 100);

	frame_put_i64(frame, getsockopt__res, 0);
	frame_put_i64(frame, getsockopt__fd, 3);
	frame_put_i64(frame, getsockopt__level, level);
	frame_put_i64(frame, getsockopt__optname, option);
	frame_put_dyn(frame, getsockopt__val, DYN_ERRNO, error);
	return drive_end(drive)->fd;
}

/* Whether a connection that nobody waited for has come about, its error shows. */
static void connects_without_waiting(void **state)
{
	const int sockets = sockopt_levels__SOL_SOCKET, error = sockopt_options__SO_ERROR;
	const struct frame_tuple tuple = {"10.0.0.9", "10.0.0.1", 40000, 443};
	struct drive *drive = *state;
	struct frame *frame;

	make_socket(drive, 3, 2, SOCK_STREAM, 0);
	assert_false(get_option(drive, sockets, error, 0)->connected);
	connect_ip(drive, -EINPROGRESS, 3, &tuple);
	assert_false(get_option(drive, sockets, sockopt_options__SO_TYPE, 0)->connected);
	assert_false(get_option(drive, sockopt_levels__SOL_TCP, error, 0)->connected);
	assert_false(get_option(drive, sockets, error, -ECONNREFUSED)->connected);
	assert_true(get_option(drive, sockets, error, 0)->connected);
	assert_false(get_option(drive, sockets, error, -ECONNREFUSED)->connected);
	/* A value of another kind, and none, say nothing. */
	frame = drive_begin(drive, EVENT_getsockopt, 100);
	frame_put_i64(frame, getsockopt__fd, 3);
	frame_put_i64(frame, getsockopt__level, sockets);
	frame_put_i64(frame, getsockopt__optname, error);
	frame_put_dyn(frame, getsockopt__val, DYN_BYTES, 0);
	assert_false(drive_end(drive)->fd->connected);
	assert_true(get_option(drive, sockets, error, 0)->connected);
	frame = drive_begin(drive, EVENT_getsockopt, 100);
	frame_put_i64(frame, getsockopt__res, -EFAULT);
	frame_put_i64(frame, getsockopt__fd, 3);
	assert_true(drive_end(drive)->fd->connected);
}

static void turns_mapped_addresses_into_ipv4(void **state)
{
	struct drive *drive = *state;
	const struct frame_tuple tuple = {"::ffff:10.0.0.1", "::ffff:10.0.0.2", 1, 2};
	const struct frame_tuple half = {"::ffff:10.0.0.1", "::1", 1, 2};
	const struct state_fd *fd;

	make_socket(drive, 3, 10, SOCK_STREAM, 0);
	fd = connect_ip(drive, 0, 3, &half);
	assert_int_equal(fd->type, SCAP_FD_IPV6);
	fd = connect_ip(drive, 0, 3, &tuple);
	assert_int_equal(fd->type, SCAP_FD_IPV4);
	assert_string_equal(fd->name, "10.0.0.1:1->10.0.0.2:2");
	fd = accept_ip(drive, 4, &tuple, 0);
	assert_int_equal(fd->type, SCAP_FD_IPV4);
	assert_string_equal(fd->name, "10.0.0.1:1->10.0.0.2:2");
	make_socket(drive, 5, 10, SOCK_STREAM, 0);
	fd = bind_ip(drive, 5, "::ffff:10.0.0.1", 7);
	assert_string_equal(fd->name, "10.0.0.1:7");
}

static void names_icmp_without_ports(void **state)
{
	struct drive *drive = *state;
	const struct frame_tuple tuple = {"10.0.0.1", "10.0.0.2", 5, 0};

	make_socket(drive, 3, 2, SOCK_DGRAM, 1);
	assert_string_equal(bind_ip(drive, 3, "10.0.0.1", 5)->name, "10.0.0.1");
	assert_string_equal(connect_ip(drive, 0, 3, &tuple)->name, "10.0.0.1->10.0.0.2");
}

/* As a name server: the client's end comes first, whichever way a message goes. */
static void follows_a_datagram_server(void **state)
{
	struct drive *drive = *state;
	const struct frame_tuple question = {"10.0.0.9", "10.0.0.1", 5000, 53};
	const struct frame_tuple answer = {"10.0.0.1", "10.0.0.9", 53, 5000};
	const struct frame_tuple other = {"10.0.0.8", "10.0.0.1", 6000, 53};
	const struct state_fd *fd;

	make_socket(drive, 3, 2, SOCK_DGRAM, 0);
	bind_ip(drive, 3, "0.0.0.0", 53);
	fd = receive_ip(drive, 20, 3, &question);
	assert_int_equal(fd->role, STATE_ROLE_SERVER);
	assert_true(fd->connected);
	assert_false(fd->listening);
	assert_string_equal(fd->name, "10.0.0.9:5000->10.0.0.1:53");
	fd = send_ip(drive, 20, 3, &answer);
	assert_string_equal(fd->name, "10.0.0.9:5000->10.0.0.1:53");
	assert_false(drive->event.fd_named);
	fd = receive_ip(drive, 20, 3, &other);
	assert_string_equal(fd->name, "10.0.0.8:6000->10.0.0.1:53");
	assert_true(drive->event.fd_named);
	fd = receive_ip(drive, -EAGAIN, 3, NULL);
	assert_string_equal(fd->name, "10.0.0.8:6000->10.0.0.1:53");
	/* It stays the server when it connects to its client. */
	fd = connect_ip(drive, 0, 3, &answer);
	assert_string_equal(fd->name, "10.0.0.9:5000->10.0.0.1:53");
}

static void follows_a_datagram_client(void **state)
{
	struct drive *drive = *state;
	const struct frame_tuple question = {"10.0.0.9", "10.0.0.1", 5000, 53};
	const struct frame_tuple answer = {"10.0.0.1", "10.0.0.9", 53, 5000};
	const struct state_fd *fd;

	make_socket(drive, 3, 2, SOCK_DGRAM, 0);
	fd = send_ip(drive, 20, 3, &question);
	assert_int_equal(fd->role, STATE_ROLE_CLIENT);
	assert_string_equal(fd->name, "10.0.0.9:5000->10.0.0.1:53");
	fd = receive_ip(drive, 20, 3, &answer);
	assert_string_equal(fd->name, "10.0.0.9:5000->10.0.0.1:53");
	assert_false(drive->event.fd_named);
	/* Also of a server in the same process. */
	make_socket(drive, 4, 2, SOCK_DGRAM, 0);
	bind_ip(drive, 4, "0.0.0.0", 77);
	make_socket(drive, 5, 2, SOCK_DGRAM, 0);
	fd = send_ip(drive, 20, 5, &(struct frame_tuple){"10.0.0.9", "10.0.0.9", 5001, 77});
	assert_int_equal(fd->role, STATE_ROLE_CLIENT);
	assert_string_equal(fd->name, "10.0.0.9:5001->10.0.0.9:77");
}

static void learns_sockets_from_messages(void **state)
{
	struct drive *drive = *state;
	const struct frame_tuple tuple = {"10.0.0.9", "10.0.0.1", 5000, 53};
	const struct state_fd *fd = send_ip(drive, 20, 9, &tuple);

	assert_non_null(fd);
	assert_int_equal(fd->l4, SCAP_L4_UDP);
	assert_string_equal(drive_name(drive, 100, 9), "10.0.0.9:5000->10.0.0.1:53");
	assert_null(send_ip(drive, 20, 10, NULL));
	assert_null(send_ip(drive, -EPIPE, 10, &tuple));
}

/* All calls that send and receive, on a socket that was not seen before. */
static void learns_from_every_call(void **state)
{
	static const struct {
		uint16_t event;
		uint8_t res, fd, tuple;
		bool outward;
	} calls[] = {
		{EVENT_sendto, sendto__res, sendto__fd, sendto__tuple, true},
		{EVENT_sendmsg, sendmsg__res, sendmsg__fd, sendmsg__tuple, true},
		{EVENT_sendmmsg, sendmmsg__res, sendmmsg__fd, sendmmsg__tuple, true},
		{EVENT_send, send__res, send__fd, send__tuple, true},
		{EVENT_recvfrom, recvfrom__res, recvfrom__fd, recvfrom__tuple, false},
		{EVENT_recvmsg, recvmsg__res, recvmsg__fd, recvmsg__tuple, false},
		{EVENT_recvmmsg, recvmmsg__res, recvmmsg__fd, recvmmsg__tuple, false},
		{EVENT_recv, recv__res, recv__fd, recv__tuple, false},
	};
	const struct frame_tuple out = {"10.0.0.9", "10.0.0.1", 5000, 53};
	const struct frame_tuple in = {"10.0.0.1", "10.0.0.9", 53, 5000};
	struct drive *drive = *state;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct frame *frame = drive_begin(drive, calls[i].event, 100);
		int64_t fd = 20 + (int64_t)i;

		frame_put_i64(frame, calls[i].res, 5);
		frame_put_i64(frame, calls[i].fd, fd);
		frame_put_tuple(frame, calls[i].tuple, calls[i].outward ? &out : &in);
		drive_end(drive);
		assert_string_equal(drive_name(drive, 100, fd), "10.0.0.9:5000->10.0.0.1:53");
	}
}

static void names_unix_sockets(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;
	const struct state_fd *fd;

	make_socket(drive, 3, 1, SOCK_STREAM, 0);
	frame = drive_begin(drive, EVENT_bind, 100);
	frame_put_i64(frame, bind__res, 0);
	frame_put_i64(frame, bind__fd, 3);
	frame_put_unix(frame, bind__addr, "/run/u.sock");
	fd = drive_end(drive)->fd;
	assert_string_equal(fd->name, "/run/u.sock");
	assert_false(fd->listening);

	make_socket(drive, 4, 1, SOCK_STREAM, 0);
	frame = drive_begin(drive, EVENT_connect, 100);
	frame_put_i64(frame, connect__res, 0);
	frame_put_i64(frame, connect__fd, 4);
	frame_put_unix_tuple(frame, connect__tuple, 0xffff8881, 0xffff8882, "/run/u.sock");
	fd = drive_end(drive)->fd;
	assert_string_equal(fd->name, "ffff8881->ffff8882 /run/u.sock");
	assert_int_equal(fd->role, STATE_ROLE_CLIENT);

	frame = drive_begin(drive, EVENT_accept, 100);
	frame_put_i64(frame, accept__fd, 5);
	frame_put_unix_tuple(frame, accept__tuple, 0xffff8881, 0xffff8882, "/run/u.sock");
	fd = drive_end(drive)->fd;
	assert_int_equal(fd->type, SCAP_FD_UNIX);
	assert_int_equal(fd->role, STATE_ROLE_SERVER);
	assert_string_equal(fd->name, "ffff8881->ffff8882 /run/u.sock");

	/* What goes the other way names nothing else; another connection does. */
	frame = drive_begin(drive, EVENT_recvfrom, 100);
	frame_put_i64(frame, recvfrom__res, 3);
	frame_put_i64(frame, recvfrom__fd, 4);
	frame_put_unix_tuple(frame, recvfrom__tuple, 0xffff8882, 0xffff8881, "");
	fd = drive_end(drive)->fd;
	assert_string_equal(fd->name, "ffff8881->ffff8882 /run/u.sock");
	assert_int_equal(state_fd_ends(fd)->unix_socket, 0xffff8881);
	frame = drive_begin(drive, EVENT_recvfrom, 100);
	frame_put_i64(frame, recvfrom__res, 3);
	frame_put_i64(frame, recvfrom__fd, 4);
	frame_put_unix_tuple(frame, recvfrom__tuple, 0xffff8883, 0xffff8881, "");
	assert_string_equal(drive_end(drive)->fd->name, "ffff8883->ffff8881 ");
}

static void pairs_sockets(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_socketpair, 100);
	struct state_event *event;

	frame_put_i64(frame, socketpair__res, 0);
	frame_put_i64(frame, socketpair__fd1, 3);
	frame_put_i64(frame, socketpair__fd2, 4);
	frame_put_i64(frame, socketpair__domain, 1);
	frame_put_i64(frame, socketpair__type, SOCK_STREAM | SOCK_CLOEXEC);
	event = drive_end(drive);
	assert_int_equal(event->fd_num, 4);
	assert_int_equal(event->fd->type, SCAP_FD_UNIX);
	assert_string_equal(drive_name(drive, 100, 3), "");
	assert_true(state_fds_cloexec(event->thread->fds, 3));
	assert_true(state_fds_cloexec(event->thread->fds, 4));

	frame = drive_begin(drive, EVENT_sendmsg, 100);
	frame_put_i64(frame, sendmsg__res, 11);
	frame_put_i64(frame, sendmsg__fd, 3);
	frame_put_unix_tuple(frame, sendmsg__tuple, 0xa, 0xb, "");
	assert_string_equal(drive_end(drive)->fd->name, "a->b ");
	frame = drive_begin(drive, EVENT_recvmsg, 100);
	frame_put_i64(frame, recvmsg__res, 11);
	frame_put_i64(frame, recvmsg__fd, 4);
	frame_put_unix_tuple(frame, recvmsg__tuple, 0xa, 0xb, "");
	assert_string_equal(drive_end(drive)->fd->name, "a->b ");
}

static void shuts_down(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;
	const struct state_fd *fd =
		accept_ip(drive, 4, &(struct frame_tuple){"1.1.1.1", "2.2.2.2", 1, 2}, 0);
	static const struct {
		int64_t result;
		int how;
		bool connected;
	} cases[] = {{0, 0, true}, {0, 1, true}, {-ENOTCONN, 2, true}, {0, 2, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		frame = drive_begin(drive, EVENT_shutdown, 100);
		frame_put_i64(frame, shutdown__res, cases[i].result);
		frame_put_i64(frame, shutdown__fd, 4);
		frame_put_i64(frame, shutdown__how, cases[i].how);
		drive_end(drive);
		assert_int_equal(fd->connected, cases[i].connected);
	}
}

static void shares_a_socket_between_forks(void **state)
{
	struct drive *drive = *state;

	make_socket(drive, 3, 2, SOCK_STREAM, 0);
	drive_fork(drive, 100, 200);
	connect_ip(drive, 0, 3, &(struct frame_tuple){"1.1.1.1", "2.2.2.2", 1, 2});
	assert_string_equal(drive_name(drive, 200, 3), "1.1.1.1:1->2.2.2.2:2");
}

static void survives_corrupt_addresses(void **state)
{
	struct drive *drive = *state;
	static const struct {
		uint16_t id, res, fd, param;
	} events[] = {
		{EVENT_bind, bind__res, bind__fd, bind__addr},
		{EVENT_connect, connect__res, connect__fd, connect__tuple},
		{EVENT_accept, accept__fd, accept__fd, accept__tuple},
		{EVENT_sendto, sendto__res, sendto__fd, sendto__tuple},
		{EVENT_recvfrom, recvfrom__res, recvfrom__fd, recvfrom__tuple},
		{EVENT_sendmsg, sendmsg__res, sendmsg__fd, sendmsg__tuple},
		{EVENT_recvmsg, recvmsg__res, recvmsg__fd, recvmsg__tuple},
	};
	uint8_t bytes[40];

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		for (int family = 0; family < 12; family++) {
			for (size_t len = 0; len <= sizeof(bytes); len++) {
				struct frame *frame;

				make_socket(drive, 3, 2, SOCK_DGRAM, 0);
				memset(bytes, 'x', sizeof(bytes));
				bytes[0] = (uint8_t)family;
				frame = drive_begin(drive, events[i].id, 100);
				frame_put_i64(frame, events[i].res, 0);
				frame_put_i64(frame, events[i].fd, 3);
				frame_put_bytes(frame, events[i].param, bytes, len);
				drive_end(drive);
			}
		}
	}
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, drive_teardown)
	TEST(knows_kinds),
	TEST(binds_and_accepts),
	TEST(binds_to_any_port),
	TEST(connects),
	TEST(connects_to_nowhere),
	TEST(connects_by_sending),
	TEST(connects_without_waiting),
	TEST(turns_mapped_addresses_into_ipv4),
	TEST(names_icmp_without_ports),
	TEST(follows_a_datagram_server),
	TEST(follows_a_datagram_client),
	TEST(learns_sockets_from_messages),
	TEST(learns_from_every_call),
	TEST(names_unix_sockets),
	TEST(pairs_sockets),
	TEST(shuts_down),
	TEST(shares_a_socket_between_forks),
	TEST(survives_corrupt_addresses),
};

UNIT_GROUP(tests);
