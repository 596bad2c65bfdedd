/* SPDX-License-Identifier: MIT */
/* Messages of netlink: written, read with wrong lengths, and asked of the kernel. */
#include "net/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

static void test_attributes(void **state)
{
	static const uint8_t value[] = {1, 2, 3};
	struct netlink_attribute outer, inner;
	struct netlink_request request;
	struct netlink_span span;
	uint8_t copy[3];
	size_t at;

	netlink_begin(&request, 100, 0, value, 1);
	at = netlink_enter(&request, 7);
	netlink_put(&request, 8, value, sizeof(value));
	netlink_put(&request, 9, NULL, 0);
	netlink_leave(&request, at);
	span = (struct netlink_span){request.bytes + sizeof(struct nlmsghdr) + 4,
				     request.len - sizeof(struct nlmsghdr) - 4};
	assert_true(netlink_next(&span, &outer));
	assert_int_equal(outer.type, 7);
	assert_true(netlink_next(&outer.value, &inner));
	assert_int_equal(inner.type, 8);
	assert_true(netlink_copy(&inner, copy, sizeof(copy)));
	assert_memory_equal(copy, value, sizeof(copy));
	assert_false(netlink_copy(&inner, copy, 2));
	assert_true(netlink_next(&outer.value, &inner));
	assert_int_equal(inner.type, 9);
	assert_int_equal(inner.value.len, 0);
	assert_false(netlink_next(&outer.value, &inner));
	assert_false(netlink_next(&span, &outer));
}

/* Lengths that are too small or too large end the list. */
static void test_bad_lengths(void **state)
{
	static const uint16_t lengths[] = {0, 3, 13, 0xffff};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint8_t bytes[12] = {0};
		struct netlink_span span = {bytes, sizeof(bytes)};
		struct netlink_attribute attribute;

		memcpy(bytes, &lengths[i], sizeof(lengths[i]));
		assert_false(netlink_next(&span, &attribute));
	}
	for (size_t len = 0; len < 4; len++) {
		static const uint8_t bytes[4] = {4};
		struct netlink_span span = {bytes, len};
		struct netlink_attribute attribute;

		assert_false(netlink_next(&span, &attribute));
	}
}

/* What does not fit is left out, and nothing is written behind the request. */
static void test_too_much(void **state)
{
	static const uint8_t value[100];
	struct netlink_request request;

	netlink_begin(&request, 100, 0, value, 4);
	for (int i = 0; i < 10; i++)
		netlink_put(&request, 1, value, sizeof(value));
	assert_in_range(request.len, 200, NETLINK_REQUEST_BYTES);
}

static void find_loopback(void *data, uint16_t type, struct netlink_span message)
{
	struct netlink_attribute attribute;

	assert_int_equal(type, RTM_NEWLINK);
	message.data += sizeof(struct ifinfomsg);
	message.len -= sizeof(struct ifinfomsg);
	while (netlink_next(&message, &attribute))
		*(bool *)data |= attribute.type == IFLA_IFNAME && attribute.value.len == 3 &&
				 memcmp(attribute.value.data, "lo", 3) == 0;
}

static void test_kernel(void **state)
{
	const struct ifinfomsg all = {.ifi_family = AF_UNSPEC};
	struct ifinfomsg none = {.ifi_family = AF_UNSPEC, .ifi_index = 0x7ffffff0};
	struct netlink_request request;
	int fd = netlink_open(NETLINK_ROUTE);
	bool found = false;

	assert_true(fd >= 0);
	netlink_begin(&request, RTM_GETLINK, NLM_F_DUMP, &all, sizeof(all));
	assert_int_equal(netlink_ask(fd, &request, find_loopback, &found), 0);
	assert_true(found);
	netlink_begin(&request, RTM_GETLINK, 0, &none, sizeof(none));
	assert_int_equal(netlink_ask(fd, &request, find_loopback, &found), -ENODEV);
	close(fd);
	assert_int_equal(netlink_ask(-1, &request, NULL, NULL), -EBADF);
	assert_true(netlink_open(-1) < 0);
}

/* What was left in the socket of a request that was given up is no answer to the next one. */
static void test_old_answer(void **state)
{
	const struct ifinfomsg all = {.ifi_family = AF_UNSPEC};
	const struct ifinfomsg none = {.ifi_family = AF_UNSPEC, .ifi_index = 0x7ffffff0};
	int fd = netlink_open(NETLINK_ROUTE);
	struct netlink_request request;
	uint32_t len;
	bool found = false;

	assert_true(fd >= 0);
	netlink_begin(&request, RTM_GETLINK, NLM_F_DUMP, &all, sizeof(all));
	len = (uint32_t)request.len;
	memcpy(request.bytes + offsetof(struct nlmsghdr, nlmsg_len), &len, sizeof(len));
	assert_int_equal(send(fd, request.bytes, request.len, 0), request.len);
	netlink_begin(&request, RTM_GETLINK, 0, &none, sizeof(none));
	assert_int_equal(netlink_ask(fd, &request, find_loopback, &found), -ENODEV);
	assert_false(found);
	close(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_attributes), cmocka_unit_test(test_bad_lengths),
	cmocka_unit_test(test_too_much),   cmocka_unit_test(test_kernel),
	cmocka_unit_test(test_old_answer),
};

UNIT_GROUP(tests);
