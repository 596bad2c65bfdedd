/* SPDX-License-Identifier: MIT */
/* Addresses that calls are given, and what events show of them. */
#ifndef TESTS_ADDRESSES_H
#define TESTS_ADDRESSES_H

#include "harness/fixture.h"

struct address_case {
	const void *address;
	socklen_t len;
	const char *ip; /* shown as an IP address with a port, … */
	uint16_t port;
	const char *name; /* … as the name of a unix socket, or absent when both are NULL */
};

enum { ADDRESS_CASES = 20 };

const struct address_case *address_cases(void);

#define expect_address_case(ev, param, address_case)                                               \
	address_case_expect(__LINE__, ev, param, address_case)

void address_case_expect(int line, const struct event *ev, unsigned int param,
			 const struct address_case *address_case);

#endif
