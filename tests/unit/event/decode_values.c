/* SPDX-License-Identifier: MIT */
/* Decoding: values that are made of parts have the bytes that their parts take, or are rejected. */
#include <errno.h>
#include <string.h>

#include "frame.h"
#include "unit.h"

static int decode_bytes(uint16_t id, unsigned int param, const void *bytes, size_t len)
{
	static struct frame frame;
	struct scap_event whole;

	frame_begin(&frame, id, 1, 1);
	frame_put_bytes(&frame, param, bytes, len);
	whole = frame_end(&frame);
	return frame_decode_copy(whole.frame, whole.len);
}

static void test_addresses(void **state)
{
	static const uint8_t address[16] = {127, 0, 0, 1};

	for (size_t len = 1; len <= sizeof(address); len++)
		assert_int_equal(decode_bytes(EVENT_task_file_socket_inet6,
					      task_file_socket_inet6__local_ip, address, len),
				 len == 4 || len == 16 ? 0 : -EBADMSG);
}

/* The count of a list is that of its entries, to the byte. */
static void test_lists_of_descriptors(void **state)
{
	const uint8_t list[2 + 3 * sizeof(struct fdlist_entry)] = {2};
	const size_t whole = 2 + 2 * sizeof(struct fdlist_entry);

	for (size_t len = 1; len <= sizeof(list); len++)
		assert_int_equal(decode_bytes(EVENT_poll, poll__fds, list, len),
				 len == whole ? 0 : -EBADMSG);
	assert_int_equal(decode_bytes(EVENT_poll, poll__fds, "\0\0", 2), 0);
	assert_int_equal(decode_bytes(EVENT_poll, poll__fds, "\xff\xff", 2), -EBADMSG);
	assert_int_equal(decode_bytes(EVENT_ppoll, ppoll__fds, "\1\0", 2), -EBADMSG);
}

static void test_entries_of_lists(void **state)
{
	const struct fdlist_entry entries[2] = {{INT64_MIN, -1}, {7, 0x7ff}};
	struct event_param list;
	uint8_t bytes[2 + sizeof(entries)] = {2};

	memcpy(bytes + 2, entries, sizeof(entries));
	list = (struct event_param){bytes, sizeof(bytes)};
	assert_int_equal(event_fdlist_count(&list), 2);
	assert_int_equal(event_fdlist_entry(&list, 0).fd, INT64_MIN);
	assert_int_equal(event_fdlist_entry(&list, 0).events, -1);
	assert_int_equal(event_fdlist_entry(&list, 1).fd, 7);
	assert_int_equal(event_fdlist_entry(&list, 1).events, 0x7ff);
	list.len = 2;
	assert_int_equal(event_fdlist_count(&list), 0);
}

static int decode_option(const void *bytes, size_t len)
{
	return decode_bytes(EVENT_setsockopt, setsockopt__val, bytes, len);
}

/* A value has a kind, and the size that this kind has. */
static void test_values_of_several_kinds(void **state)
{
	static const size_t sizes[] = {0, 8, 4, 8, 8};
	uint8_t bytes[16] = {0};

	for (bytes[0] = 1; bytes[0] < sizeof(sizes) / sizeof(sizes[0]); bytes[0]++)
		for (size_t len = 1; len <= sizeof(bytes); len++)
			assert_int_equal(decode_option(bytes, len),
					 len == 1 + sizes[bytes[0]] ? 0 : -EBADMSG);
	for (unsigned int kind = 5; kind <= UINT8_MAX; kind++) {
		bytes[0] = (uint8_t)kind;
		for (size_t len = 1; len <= sizeof(bytes); len++)
			assert_int_equal(decode_option(bytes, len), -EBADMSG);
	}
	bytes[0] = 0;
	for (size_t len = 1; len <= sizeof(bytes); len++)
		assert_int_equal(decode_option(bytes, len), 0);
}

/* Lists are made of whole numbers, sets of bytes. */
static void test_units_of_lists(void **state)
{
	static const uint8_t bytes[16];

	for (size_t n = 1; n <= sizeof(bytes); n++) {
		assert_int_equal(decode_bytes(EVENT_setgroups, setgroups__list, bytes, n),
				 n % 4 ? -EBADMSG : 0);
		assert_int_equal(
			decode_bytes(EVENT_sched_setaffinity, sched_setaffinity__mask, bytes, n),
			0);
		assert_int_equal(decode_bytes(EVENT_listmount, listmount__mnt_ids, bytes, n),
				 n % 8 ? -EBADMSG : 0);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_addresses),	 cmocka_unit_test(test_lists_of_descriptors),
	cmocka_unit_test(test_entries_of_lists), cmocka_unit_test(test_values_of_several_kinds),
	cmocka_unit_test(test_units_of_lists),
};

UNIT_GROUP(tests);
