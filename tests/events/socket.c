/* SPDX-License-Identifier: MIT */
/* socket: families and their gaps, the type as it was given, the flags in it. */
#include "harness/fixture.h"
#include "harness/live.h"

static void check(long domain, long type, long protocol, int64_t family, int64_t flags)
{
	long ret = CALL(SYS_socket, domain, type, protocol);
	const struct event *ev = live_next(EVENT_socket);

	if (ret >= 0)
		close((int)ret);
	expect_i64(ev, socket__fd, ret);
	expect_i64(ev, socket__domain, family);
	expect_i64(ev, socket__type, (uint32_t)type);
	expect_i64(ev, socket__proto, (uint32_t)protocol);
	expect_i64(ev, socket__flags, flags);
}

LIVE_TEST(socket)
{
	check(AF_INET, SOCK_STREAM, 0, socket_families__AF_INET, 0);
	check(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP, socket_families__AF_INET6,
	      file_flags__O_CLOEXEC);
	check(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, socket_families__AF_UNIX,
	      file_flags__O_NONBLOCK);
	check(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 16,
	      file_flags__O_CLOEXEC | file_flags__O_NONBLOCK);
	check(AF_PACKET, SOCK_RAW, 0x300, socket_families__AF_PACKET, 0);
	/* Every family by number, with a type that none has. */
	for (long family = 0; family < 64; family++)
		check(family, 9, -1, family <= 26 || (family >= 29 && family <= 39) ? family : 0, 0);
	check(256 + AF_INET, 9, 0, socket_families__AF_INET, 0);
	check(-1, 0xffffffff, 0, 0, file_flags__O_CLOEXEC | file_flags__O_NONBLOCK);
}
