/* SPDX-License-Identifier: MIT */
/* The ends of requests in datagrams. */
#include "requests/datagram_ends.h"

#include <string.h>

#include "unit.h"

#define NS_PER_MS UINT64_C(1000000)

enum { CLIENT = 100, SERVER = 200, OTHER_CLIENT = 300, OTHER_SERVER = 400, PORT = 40000 };

static const struct hash_key key = {{1, 2}};
static const uint8_t address[16] = {10, 0, 0, 1}, other_address[16] = {10, 0, 0, 2},
		     nowhere[16] = {0}, mapped[16] = {[10] = 0xff, 0xff, 10, 0, 0, 1};

static int ends_setup(void **state)
{
	static struct datagram_ends ends;

	ends = (struct datagram_ends){.key = &key};
	*state = &ends;
	return 0;
}

static int ends_teardown(void **state)
{
	datagram_ends_finish(*state);
	return 0;
}

static struct datagram_bytes bytes_of(const char *text, int32_t pid, unsigned int ms)
{
	return (struct datagram_bytes){.data = (const uint8_t *)text,
				       .len = strlen(text),
				       .ts_ns = (1000 + ms) * NS_PER_MS,
				       .pid = pid};
}

/* A request at the socket of a process, whose inode is its id. */
static uint64_t seen_from(struct datagram_ends *ends, int32_t pid, const char *text,
			  unsigned int ms, const uint8_t *from)
{
	const struct datagram_socket socket = {
		.ino = (uint64_t)pid,
		.is_client = pid == CLIENT || pid == OTHER_CLIENT,
		.address = from,
		.address_len = from == mapped ? 16 : 4,
		.port = PORT,
	};
	struct datagram_bytes request = bytes_of(text, pid, ms);

	return datagram_ends_begin(ends, &socket, &request);
}

static uint64_t seen(struct datagram_ends *ends, int32_t pid, const char *text, unsigned int ms)
{
	return seen_from(ends, pid, text, ms, address);
}

static int32_t answered(struct datagram_ends *ends, uint64_t number, const char *text,
			unsigned int ms)
{
	struct datagram_bytes response = bytes_of(text, 0, ms);

	datagram_ends_answer(ends, number, &response);
	return datagram_ends_peer(ends, number);
}

static void test_pair(void **state)
{
	struct datagram_ends *ends = *state;
	uint64_t asked = seen(ends, CLIENT, "a?", 0), got = seen(ends, SERVER, "a?", 1);

	assert_int_equal(datagram_ends_peer(ends, asked), 0);
	assert_int_equal(answered(ends, got, "a!", 2), CLIENT);
	assert_int_equal(answered(ends, asked, "a!", 3), SERVER);
	assert_int_equal(datagram_ends_peer(ends, 0), 0);
	assert_int_equal(datagram_ends_peer(ends, asked + 100), 0);
}

/* Calls return in any order. */
static void test_order(void **state)
{
	struct datagram_ends *ends = *state;
	uint64_t got = seen(ends, SERVER, "a?", 0), asked;

	assert_int_equal(answered(ends, got, "a!", 1), 0);
	asked = seen(ends, CLIENT, "a?", 2);
	assert_int_equal(datagram_ends_peer(ends, got), CLIENT);
	assert_int_equal(answered(ends, asked, "a!", 3), SERVER);
	/* The client has the response before the server's call returns. */
	asked = seen(ends, CLIENT, "b?", 10);
	got = seen(ends, SERVER, "b?", 11);
	assert_int_equal(answered(ends, asked, "b!", 12), SERVER);
	assert_int_equal(answered(ends, got, "b!", 13), CLIENT);
}

static void test_others(void **state)
{
	struct datagram_ends *ends = *state;
	uint64_t asked = seen(ends, CLIENT, "a?", 0), got = seen(ends, SERVER, "b?", 1);

	/* Other bytes. */
	assert_int_equal(answered(ends, got, "b!", 2), 0);
	/* Another response: it was asked elsewhere. */
	got = seen(ends, SERVER, "a?", 2);
	assert_int_equal(answered(ends, got, "a!", 3), CLIENT);
	assert_int_equal(answered(ends, asked, "c!", 4), 0);
	/* Another address; too early; too late. */
	asked = seen(ends, CLIENT, "d?", 1000);
	got = seen_from(ends, SERVER, "d?", 1001, other_address);
	assert_int_equal(answered(ends, got, "d!", 1002), 0);
	got = seen(ends, SERVER, "e?", 2000);
	assert_int_equal(answered(ends, got, "e!", 2001), 0);
	asked = seen(ends, CLIENT, "e?", 2002 + DATAGRAM_ENDS_SLACK_MS);
	assert_int_equal(answered(ends, asked, "e!", 2100 + DATAGRAM_ENDS_SLACK_MS), 0);
}

/* A client that is not bound knows no address of its own; one of IPv6 may speak IPv4. */
static void test_addresses(void **state)
{
	struct datagram_ends *ends = *state;
	uint64_t asked = seen_from(ends, CLIENT, "a?", 0, nowhere);
	uint64_t got = seen_from(ends, SERVER, "a?", 1, mapped);

	assert_int_equal(answered(ends, got, "a!", 2), CLIENT);
	assert_int_equal(answered(ends, asked, "a!", 3), SERVER);
}

/* The same at the same time, in another network namespace: nothing is said of any. */
static void test_alike(void **state)
{
	struct datagram_ends *ends = *state;
	uint64_t asked = seen(ends, CLIENT, "a?", 0), other = seen(ends, OTHER_CLIENT, "a?", 0);
	uint64_t got = seen(ends, SERVER, "a?", 1);

	assert_int_equal(answered(ends, got, "a!", 2), 0);
	assert_int_equal(answered(ends, asked, "a!", 3), 0);
	assert_int_equal(answered(ends, other, "a!", 3), 0);
	asked = seen(ends, CLIENT, "b?", 1000);
	got = seen(ends, SERVER, "b?", 1001);
	other = seen(ends, OTHER_SERVER, "b?", 1001);
	assert_int_equal(answered(ends, got, "b!", 1002), 0);
	assert_int_equal(answered(ends, asked, "b!", 1003), 0);
	/* One after the other they are two. */
	asked = seen(ends, CLIENT, "c?", 2000);
	got = seen(ends, SERVER, "c?", 2001);
	assert_int_equal(answered(ends, got, "c!", 2002), CLIENT);
	assert_int_equal(answered(ends, asked, "c!", 2003), SERVER);
	asked = seen(ends, OTHER_CLIENT, "c?", 3000);
	got = seen(ends, OTHER_SERVER, "c?", 3001);
	assert_int_equal(answered(ends, got, "c!", 3002), OTHER_CLIENT);
	assert_int_equal(answered(ends, asked, "c!", 3003), OTHER_SERVER);
}

/* A socket that asks again is one; each response may be another one. */
static void test_repeated(void **state)
{
	struct datagram_ends *ends = *state;
	uint64_t asked[2] = {seen(ends, CLIENT, "a?", 0), seen(ends, CLIENT, "a?", 5)};
	uint64_t got[2] = {seen(ends, SERVER, "a?", 6), seen(ends, SERVER, "a?", 7)};

	assert_int_equal(answered(ends, got[0], "a!", 8), CLIENT);
	assert_int_equal(answered(ends, got[1], "a!!", 9), CLIENT);
	assert_int_equal(answered(ends, asked[0], "a!", 10), SERVER);
	assert_int_equal(answered(ends, asked[1], "a!!", 11), SERVER);
}

/* Who sends the same for ever is not looked for among all of them. */
static void test_many(void **state)
{
	struct datagram_ends *ends = *state;
	uint64_t number = 0, first = seen(ends, CLIENT, "first?", 0);

	assert_int_equal(answered(ends, first, "first!", 0), 0);
	for (unsigned int i = 0; i < 3 * DATAGRAM_ENDS_MAX; i++)
		number = seen(ends, CLIENT, "a?", 1);
	assert_int_equal(answered(ends, seen(ends, SERVER, "a?", 2), "a!", 3), 0);
	assert_int_equal(answered(ends, number, "a!", 4), 0);
	/* It gave way. */
	assert_int_equal(answered(ends, first, "first!", 5), 0);
	/* Without a port nothing is known. */
	assert_int_equal(datagram_ends_begin(ends, &(struct datagram_socket){.ino = 1},
					     &(struct datagram_bytes){.data = address, .len = 1}),
			 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_pair, ends_setup, ends_teardown),
	cmocka_unit_test_setup_teardown(test_order, ends_setup, ends_teardown),
	cmocka_unit_test_setup_teardown(test_others, ends_setup, ends_teardown),
	cmocka_unit_test_setup_teardown(test_addresses, ends_setup, ends_teardown),
	cmocka_unit_test_setup_teardown(test_alike, ends_setup, ends_teardown),
	cmocka_unit_test_setup_teardown(test_repeated, ends_setup, ends_teardown),
	cmocka_unit_test_setup_teardown(test_many, ends_setup, ends_teardown),
};

UNIT_GROUP(tests);
