/* SPDX-License-Identifier: MIT */
/* Addresses that calls are given, and what events show of them. */
#include "harness/addresses.h"

#include <string.h>

#include "harness/live.h"

enum { NAME_BYTES = 108 };

static struct address_case ip_case(const void *address, socklen_t len, const char *ip,
				   uint16_t port)
{
	return (struct address_case){address, len, ip, port, NULL};
}

static struct address_case unix_case(const struct address *address, const char *name)
{
	return (struct address_case){&address->any, address->len, NULL, 0, name};
}

static size_t fill_ip_cases(struct address_case *cases)
{
	static struct address v4, v6, other;
	const socklen_t v4_bytes = sizeof(v4.v4);
	size_t n = 0;

	v4 = fixture_ip("127.1.2.3", 18101);
	v6 = fixture_ip("fe80::1:2:3", 65535);
	other = v4;
	other.any.sa_family = AF_NETLINK;
	cases[n++] = ip_case(&v4.any, v4_bytes, "127.1.2.3", 18101);
	cases[n++] = ip_case(&v4.any, 100, "127.1.2.3", 18101);
	cases[n++] = ip_case(fixture_edge(&v4.any, v4_bytes), v4_bytes, "127.1.2.3", 18101);
	cases[n++] = ip_case(&v6.any, sizeof(v6.v6), "fe80::1:2:3", 65535);
	cases[n++] = ip_case(fixture_edge(&v6.any, sizeof(v6.v6)), sizeof(v6.v6), "fe80::1:2:3", 65535);
	cases[n++] = ip_case(&other.any, v4_bytes, NULL, 0);
	cases[n++] = ip_case(&v4.any, 0, NULL, 0);
	cases[n++] = ip_case(&v4.any, 1, NULL, 0);
	cases[n++] = ip_case(NULL, v4_bytes, NULL, 0);
	cases[n++] = ip_case(UNREADABLE, v4_bytes, NULL, 0);
	cases[n++] = ip_case(fixture_edge(&v4.any, 4), v4_bytes, NULL, 0);
	return n;
}

static size_t fill_unix_cases(struct address_case *cases)
{
	static struct address addresses[9];
	static char longest[NAME_BYTES + 1];
	size_t n = 0;

	memset(longest, 'n', NAME_BYTES);
	longest[0] = '/';
	addresses[0] = fixture_unix("/no/such/sock", 14);
	addresses[1] = fixture_unix("/no/such/sock", 13);
	addresses[2] = fixture_unix("relative\0left over", 19);
	addresses[3] = fixture_unix("\0lanner-abstract", 16);
	addresses[4] = fixture_unix("\0lanner-abstract\0with nul", 25);
	addresses[5] = fixture_unix(longest, NAME_BYTES);
	addresses[6] = fixture_unix("", 0);
	addresses[7] = fixture_unix("\0", 1);
	addresses[8] = fixture_unix("\0l", 2);
	cases[n++] = unix_case(&addresses[0], "/no/such/sock");
	cases[n++] = unix_case(&addresses[1], "/no/such/sock");
	cases[n++] = unix_case(&addresses[2], "relative");
	cases[n++] = unix_case(&addresses[3], "@lanner-abstract");
	cases[n++] = unix_case(&addresses[4], "@lanner-abstract");
	cases[n++] = unix_case(&addresses[5], longest);
	cases[n++] = unix_case(&addresses[6], "");
	cases[n++] = unix_case(&addresses[7], "@");
	cases[n++] = unix_case(&addresses[8], "@l");
	return n;
}

const struct address_case *address_cases(void)
{
	static struct address_case cases[ADDRESS_CASES];
	size_t n = fill_ip_cases(cases);

	n += fill_unix_cases(cases + n);
	require(n == ADDRESS_CASES);
	return cases;
}

void address_case_expect(int line, const struct event *ev, unsigned int param,
			 const struct address_case *address_case)
{
	if (address_case->ip)
		live_expect_address_ip(__FILE__, line, ev, param, address_case->ip,
				       address_case->port);
	else if (address_case->name)
		live_expect_address_unix(__FILE__, line, ev, param, address_case->name);
	else
		live_expect_bytes(__FILE__, line, ev, param, NULL, 0);
}
