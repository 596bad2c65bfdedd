/* SPDX-License-Identifier: MIT */
/* bind: addresses of all kinds, whatever the result. */
#include "harness/fixture.h"
#include "harness/live.h"

#include "harness/addresses.h"

static void check_bound(const struct address *address, const struct address_case *shown)
{
	int fd = socket(address->any.sa_family, SOCK_DGRAM, 0);
	const struct event *ev;

	require(fd > 0 && CALL(SYS_bind, fd, &address->any, address->len) == 0);
	close(fd);
	ev = live_next(EVENT_bind);
	expect_i64(ev, bind__res, 0);
	expect_address_case(ev, bind__addr, shown);
	expect_i64(ev, bind__fd, fd);
}

LIVE_TEST(bind)
{
	const struct address_case *cases = address_cases();
	struct address v4 = fixture_ip("127.0.0.1", 0), v6 = fixture_ip("::1", 0);
	struct address path = fixture_unix("sock", 4), abstract = fixture_unix("\0lanner-bind", 12);

	for (int i = 0; i < ADDRESS_CASES; i++) {
		const struct event *ev;

		require(CALL(SYS_bind, NO_FD, cases[i].address, cases[i].len) == -EBADF);
		ev = live_next(EVENT_bind);
		expect_i64(ev, bind__res, -EBADF);
		expect_address_case(ev, bind__addr, &cases[i]);
		expect_i64(ev, bind__fd, NO_FD);
	}
	check_bound(&v4, &(struct address_case){.ip = "127.0.0.1", .port = 0});
	check_bound(&v6, &(struct address_case){.ip = "::1", .port = 0});
	check_bound(&path, &(struct address_case){.name = "sock"});
	check_bound(&abstract, &(struct address_case){.name = "@lanner-bind"});
}
