/* SPDX-License-Identifier: MIT */
/* Sockets that never block: each wait has its end. */
#include "takeover/channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/clock.h"

enum { READ_BYTES = 1 << 16, NS_PER_MS = 1000000 };

int channel_path(const char *pid_file, struct buf *path)
{
	buf_clear(path);
	buf_append_string(path, pid_file);
	buf_append(path, ".sock", sizeof(".sock"));
	return path->failed						 ? -ENOMEM
	       : path->len > sizeof(((struct sockaddr_un *)0)->sun_path) ? -ENAMETOOLONG
									 : 0;
}

static int channel_open_socket(const char *path, struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	strncpy(address->sun_path, path, sizeof(address->sun_path) - 1);
	return fd < 0 ? -errno : fd;
}

int channel_listen(const char *path, struct error *err)
{
	struct sockaddr_un address;
	struct stat st;
	mode_t mask;
	int r, fd = channel_open_socket(path, &address);

	if (fd < 0)
		return error_set(err, fd, "cannot make a socket: %s", strerror(-fd));
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
		unlink(path);
	mask = umask(0177);
	r = bind(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	umask(mask);
	if (r == 0 && listen(fd, 1))
		r = -errno;
	if (r == 0)
		return fd;
	close(fd);
	return error_set(err, r, "cannot listen on %s: %s", path, strerror(-r));
}

static int check_peer(int fd, struct error *err)
{
	struct ucred peer = {.uid = (uid_t)-1};
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return error_set(err, -errno, "the peer of a connection: %s", strerror(errno));
	if (peer.uid == 0 || peer.uid == geteuid())
		return 0;
	return error_set(err, -EPERM, "user %u may not take over from this agent",
			 (unsigned int)peer.uid);
}

int channel_accept(int listener, struct channel *channel, struct error *err)
{
	int r, fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	*channel = (struct channel){.fd = -1};
	if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
		return -EAGAIN;
	if (fd < 0)
		return error_set(err, -errno, "accepting a connection: %s", strerror(errno));
	r = check_peer(fd, err);
	if (r)
		close(fd);
	else
		channel->fd = fd;
	return r;
}

int channel_connect(const char *path, struct channel *channel, struct error *err)
{
	struct sockaddr_un address;
	int r, fd = channel_open_socket(path, &address);

	*channel = (struct channel){.fd = -1};
	if (fd < 0)
		return error_set(err, fd, "cannot make a socket: %s", strerror(-fd));
	r = connect(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	if (r == 0)
		r = check_peer(fd, NULL) ? -EPERM : 0;
	if (r == 0) {
		channel->fd = fd;
		return 0;
	}
	close(fd);
	return error_set(err, r, "%s: %s", path, strerror(-r));
}

void channel_close(struct channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	buf_finish(&channel->in);
	*channel = (struct channel){.fd = -1};
}

/* Waits until `until_ns` (monotonic). Returns 1, or 0: the time is over. */
static int channel_wait_for(int fd, short events, uint64_t until_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct pollfd poll_fd = {.fd = fd, .events = events};
	uint64_t left_ms = until_ns > now ? (until_ns - now + NS_PER_MS - 1) / NS_PER_MS : 0;

	return poll(&poll_fd, 1, (int)left_ms) > 0;
}

static uint64_t deadline(int timeout_ms)
{
	return clock_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ms * NS_PER_MS;
}

int channel_send(struct channel *channel, const struct takeover_message *message, int timeout_ms,
		 struct error *err)
{
	uint64_t until_ns = deadline(timeout_ms);
	struct buf out = {0};
	size_t done = 0;
	int r = 0;

	takeover_encode(message, &out);
	if (out.failed)
		r = -ENOMEM;
	while (r == 0 && done < out.len) {
		ssize_t n = send(channel->fd, out.data + done, out.len - done, MSG_NOSIGNAL);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			r = -errno;
		else if (!channel_wait_for(channel->fd, POLLOUT, until_ns))
			r = -ETIMEDOUT;
	}
	buf_finish(&out);
	return r ? error_set(err, r, "sending to the other agent: %s", strerror(-r)) : 0;
}

/* Reads what is there. Returns 1 if something was, 0, or -errno. */
static int channel_read_some(struct channel *channel)
{
	struct buf *in = &channel->in;
	ssize_t n;

	if (!buf_reserve(in, READ_BYTES))
		return -ENOMEM;
	n = recv(channel->fd, in->data + in->len, READ_BYTES, 0);
	if (n > 0)
		in->len += (size_t)n;
	if (n == 0)
		return -ECONNRESET;
	return n > 0 ? 1 : errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

/* Takes the first message if it is there as a whole. */
static int channel_take(struct channel *channel, struct takeover_message *message,
			struct error *err)
{
	struct buf *in = &channel->in;
	ssize_t bytes = takeover_measure(in->data, in->len, err);
	int r;

	if (bytes <= 0)
		return (int)bytes;
	r = takeover_decode(in->data, (size_t)bytes, message, err);
	if (r)
		takeover_message_finish(message);
	in->len -= (size_t)bytes;
	memmove(in->data, in->data + bytes, in->len);
	return r ? r : 1;
}

int channel_receive(struct channel *channel, int timeout_ms, struct takeover_message *message,
		    struct error *err)
{
	uint64_t until_ns = deadline(timeout_ms);
	int got = channel_take(channel, message, err);

	while (got == 0) {
		int r = channel_read_some(channel);

		if (r == -ECONNRESET)
			return error_set(err, r, "the other agent has closed the connection");
		if (r < 0)
			return error_set(err, r, "the other agent: %s", strerror(-r));
		if (r == 0 && !channel_wait_for(channel->fd, POLLIN, until_ns))
			return 0;
		got = channel_take(channel, message, err);
	}
	return got;
}
