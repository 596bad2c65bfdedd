/* SPDX-License-Identifier: MIT */
/* sendmmsg: an event for each message, up to 64; vectors, addresses, messages that fail. */
#include "harness/fixture.h"
#include "harness/live.h"

#include <string.h>

#include "harness/vectors.h"

enum { MANY = 100, SHOWN = 64, EACH = 5 };

/* One message as its event has to show it. */
struct shown {
	long fd, ret;
	const char *data;
	size_t len, size;
};

/* Compares all but the tuple. */
static const struct event *expect_message(const struct shown *shown)
{
	const struct event *ev = live_next(EVENT_sendmmsg);

	expect_i64(ev, sendmmsg__res, shown->ret);
	expect_i64(ev, sendmmsg__fd, (int)shown->fd);
	expect_i64(ev, sendmmsg__size, (int64_t)shown->size);
	expect_bytes(ev, sendmmsg__data, shown->data, shown->len);
	return ev;
}

static long call(long fd, void *messages, long count)
{
	return CALL(SYS_sendmmsg, fd, messages, count, MSG_NOSIGNAL);
}

static void check_none(long fd, void *messages, long count, long ret)
{
	require(call(fd, messages, count) == ret);
	expect_absent(expect_message(&(struct shown){fd, ret, NULL, 0, 0}), sendmmsg__tuple);
	expect_no_event(EVENT_sendmmsg, gettid());
}

static void expect_connected(const struct event *ev, const struct connection *link)
{
	expect_tuple_ip(ev, sendmmsg__tuple, "127.0.0.1", link->client_port, "127.0.0.1",
			link->server_port);
}

/* Vectors of all kinds in one call, which ends at the first that cannot be sent. */
static void check_vectors(void)
{
	const struct vector_case *cases = vectors_written();
	struct connection link = fixture_connect("127.0.0.1", SOCK_DGRAM);
	struct mmsghdr messages[VECTORS_WRITTEN] = {0};
	int sent = 0;

	for (int i = 0; i < VECTORS_WRITTEN; i++) {
		messages[i].msg_hdr.msg_iov = (struct iovec *)cases[i].vector;
		messages[i].msg_hdr.msg_iovlen = cases[i].entries;
		sent += i == sent && cases[i].ret >= 0 && !cases[i].torn;
	}
	require(sent > 2 && call(link.client, messages, VECTORS_WRITTEN) == sent);
	for (int i = 0; i < sent; i++)
		expect_connected(
			expect_message(&(struct shown){link.client, cases[i].ret, cases[i].data,
						       cases[i].len, cases[i].size}),
			&link);
	expect_no_event(EVENT_sendmmsg, gettid());
	fixture_disconnect(&link);
}

/* Of a call with so many messages. */
static void check_many(int many)
{
	struct connection link = fixture_connect("127.0.0.1", SOCK_DGRAM);
	struct mmsghdr messages[MANY] = {0};
	const char *pattern = fixture_pattern(MANY * EACH);
	struct iovec vectors[MANY];

	for (int i = 0; i < MANY; i++) {
		vectors[i] = (struct iovec){(void *)(pattern + i * EACH), EACH};
		messages[i].msg_hdr.msg_iov = &vectors[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	require(call(link.client, messages, many) == many);
	for (int i = 0; i < many && i < SHOWN; i++)
		expect_connected(expect_message(&(struct shown){link.client, EACH,
								pattern + i * EACH, EACH, EACH}),
				 &link);
	expect_no_event(EVENT_sendmmsg, gettid());
	/* Nothing is left over for the next call. */
	require(call(link.client, messages, 1) == 1);
	expect_connected(expect_message(&(struct shown){link.client, EACH, pattern, EACH, EACH}),
			 &link);
	expect_no_event(EVENT_sendmmsg, gettid());
	fixture_disconnect(&link);
}

/* Each message goes to an address of its own. */
static void check_addresses(void)
{
	struct address one = fixture_ip("127.0.0.1", 0), two = fixture_ip("127.0.0.2", 0);
	int first = fixture_socket(SOCK_DGRAM, &one, 0);
	int second = fixture_socket(SOCK_DGRAM, &two, 0);
	struct iovec vector = {(void *)fixture_pattern(3), 3};
	struct mmsghdr messages[2] = {0};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct shown shown = {fd, 3, vector.iov_base, 3, 3};

	one = fixture_own(first);
	two = fixture_own(second);
	messages[0].msg_hdr = (struct msghdr){&one.any, one.len, &vector, 1, NULL, 0, 0};
	messages[1].msg_hdr = (struct msghdr){&two.any, two.len, &vector, 1, NULL, 0, 0};
	require(call(fd, messages, 2) == 2);
	expect_tuple_ip(expect_message(&shown), sendmmsg__tuple, "0.0.0.0", fixture_port(fd),
			"127.0.0.1", fixture_port(first));
	expect_tuple_ip(expect_message(&shown), sendmmsg__tuple, "0.0.0.0", fixture_port(fd),
			"127.0.0.2", fixture_port(second));
	close(fd);
	close(first);
	close(second);
}

LIVE_TEST(sendmmsg)
{
	struct connection link = fixture_connect("127.0.0.1", SOCK_DGRAM);
	struct iovec vector = {(void *)fixture_pattern(3), 3};
	struct mmsghdr message = {.msg_hdr = {.msg_iov = &vector, .msg_iovlen = 1}};

	check_none(NO_FD, &message, 1, -EBADF);
	check_none(-1, &message, 1, -EBADF);
	check_none(link.client, &message, 0, 0);
	check_none(link.client, UNREADABLE, 2, -EFAULT);
	check_none(link.client, NULL, 2, -EFAULT);
	fixture_disconnect(&link);
	check_vectors();
	check_many(SHOWN / 2 - 1);
	check_many(SHOWN);
	check_many(SHOWN + 1);
	check_many(MANY);
	check_addresses();
}
