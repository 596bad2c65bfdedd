/* SPDX-License-Identifier: MIT */
/* What capture files of all versions contain of the machine, block by block as their sheet says. */
#include <errno.h>
#include <stdio.h>

#include "snapshot.h"
#include "unit.h"

static void put_machine(uint32_t type)
{
	char hostname[128];

	/* The last byte is no NUL: it is not to be read as part of the name. */
	memset(hostname, 'h', sizeof(hostname));
	capture_block_begin(&capture, type);
	capture_u32(&capture, 4);
	capture_u64(&capture, 8ULL << 30);
	capture_u64(&capture, 32768);
	capture_bytes(&capture, hostname, sizeof(hostname));
	capture_u64(&capture, 1700000000000000000);
	for (int i = 0; i < 3; i++)
		capture_u64(&capture, 0);
	capture_block_end(&capture);
}

static void test_machine(void **state)
{
	char text[512], name[128];

	memset(name, 'h', sizeof(name));
	snprintf(text, sizeof(text), "machine 4 8589934592 32768 1700000000000000000 %.127s\n",
		 name);
	put_machine(0x201);
	expect_whole(text);
}

static void test_machine_legacy(void **state)
{
	put_machine(0x8002abcd);
	capture_close_event(&capture, 0x216, 0, 5);
	assert_int_equal(capture_read(capture.bytes.data, capture.bytes.len, &transcript).code,
			 -ENODATA);
	assert_non_null(strstr(transcript_text(&transcript), "machine 4 8589934592"));
}

static void put_addresses(size_t bytes)
{
	for (uint8_t first = 0x10; first <= 0x30; first += 0x10)
		for (uint8_t i = 0; i < bytes; i++)
			capture_u8(&capture, (uint8_t)(first + i));
}

/* Of one of the four types; the second version begins with its length, and may have more. */
static void put_interface(uint16_t type, bool prefixed)
{
	size_t at = prefixed ? capture_entry_begin(&capture) : 0;

	capture_u16(&capture, type);
	capture_u16(&capture, 4);
	put_addresses(type == 1 || type == 3 ? 4 : 16);
	if (type <= 2)
		capture_u64(&capture, 1000 + type);
	capture_bytes(&capture, "eth0", 4);
	if (prefixed) {
		capture_u8(&capture, 0xff);
		capture_entry_end(&capture, at, false);
	}
}

#define IPV6(first)                                                                                \
	first "0" first "1" first "2" first "3" first "4" first "5" first "6" first "7" first      \
	      "8" first "9" first "a" first "b" first "c" first "d" first "e" first "f"
#define FOUR_INTERFACES                                                                            \
	"interface eth0 10111213 20212223 30313233 1001\n"                                         \
	"interface eth0 " IPV6("1") " " IPV6("2") " " IPV6(                                        \
		"3") " 1002\n"                                                                     \
		     "interface eth0 10111213 20212223 30313233 0\n"                               \
		     "interface eth0 " IPV6("1") " " IPV6("2") " " IPV6("3") " 0\n"

static void put_interfaces(uint32_t block, bool prefixed)
{
	capture_block_begin(&capture, block);
	for (uint16_t type = 1; type <= 4; type++)
		put_interface(type, prefixed);
	capture_block_end(&capture);
}

static void test_interfaces(void **state)
{
	put_interfaces(0x205, false);
	put_interfaces(0x8011abcd, false);
	put_interfaces(0x219, true);
	expect_whole(FOUR_INTERFACES FOUR_INTERFACES FOUR_INTERFACES);
}

static void test_interface_of_unknown_type(void **state)
{
	capture_block_begin(&capture, 0x219);
	put_interface(1, true);
	put_interface(5, true);
	put_interface(1, true);
	capture_block_end(&capture);
	assert_int_equal(expect_snapshot("interface eth0 10111213 20212223 30313233 1001\n")
				 .stats.corrupt_lists,
			 1);
}

static void put_users(uint32_t block, bool prefixed)
{
	size_t at;

	capture_block_begin(&capture, block);
	at = prefixed ? capture_entry_begin(&capture) : 0;
	capture_u8(&capture, 0);
	capture_u32(&capture, 1000);
	capture_u32(&capture, 100);
	capture_string(&capture, "ada");
	capture_string(&capture, "/home/ada");
	capture_string(&capture, "");
	if (prefixed) {
		capture_u64(&capture, 1); /* of the future */
		capture_entry_end(&capture, at, true);
		at = capture_entry_begin(&capture);
	}
	capture_u8(&capture, 1);
	capture_u32(&capture, 100);
	capture_string(&capture, "users");
	if (prefixed)
		capture_entry_end(&capture, at, true);
	capture_block_end(&capture);
}

static void test_users(void **state)
{
	put_users(0x206, false);
	put_users(0x8012abcd, false);
	put_users(0x220, true);
#define USERS "user 1000 100 ada /home/ada \ngroup 100 users\n"
	expect_whole(USERS USERS USERS);
}

/* The bytes of each type, and what is reported of it. */
static const struct {
	uint8_t type;
	uint8_t enum_type; /* scap_fd_type */
	const char *text;
} fd_types[] = {
	{1, SCAP_FD_FILE, "name=/n flags=0 dev=0"},
	{2, SCAP_FD_DIRECTORY, "name=/n flags=0 dev=0"},
	{3, SCAP_FD_IPV4, "name= flags=0 dev=0 l4=1 10111213:80 20212223:81"},
	{4, SCAP_FD_IPV6, "name= flags=0 dev=0 l4=2 " IPV6("1") ":80 " IPV6("2") ":81"},
	{5, SCAP_FD_IPV4, "name= flags=0 dev=0 l4=3 10111213:80 00000000:0"},
	{6, SCAP_FD_IPV6,
	 "name= flags=0 dev=0 l4=4 " IPV6("1") ":80 "
					       "00000000000000000000000000000000:0"},
	{7, SCAP_FD_PIPE, "name=/n flags=0 dev=0"},
	{8, SCAP_FD_UNIX, "name=/n flags=0 dev=0"},
	{9, SCAP_FD_EVENT, "name=/n flags=0 dev=0"},
	{10, SCAP_FD_UNSUPPORTED, "name=/n flags=0 dev=0"},
	{11, SCAP_FD_SIGNAL, "name=/n flags=0 dev=0"},
	{12, SCAP_FD_EPOLL, "name=/n flags=0 dev=0"},
	{13, SCAP_FD_INOTIFY, "name=/n flags=0 dev=0"},
	{14, SCAP_FD_TIMER, "name=/n flags=0 dev=0"},
	{15, SCAP_FD_NETLINK, "name=/n flags=0 dev=0"},
	{16, SCAP_FD_FILE, "name=/n flags=1001"},
	{17, SCAP_FD_BPF, "name=/n flags=0 dev=0"},
	{18, SCAP_FD_USERFAULT, "name=/n flags=0 dev=0"},
	{19, SCAP_FD_IO_URING, "name=/n flags=0 dev=0"},
	{20, SCAP_FD_MEMFD, "name=/n flags=0 dev=0"},
	{21, SCAP_FD_PIDFD, "name=/n flags=0 dev=0"},
};

enum { FD_TYPES = sizeof(fd_types) / sizeof(*fd_types) };

static void put_fd_info(uint8_t type, bool with_dev)
{
	size_t address = type == 3 || type == 5 ? 4 : 16;

	if (type >= 3 && type <= 6) {
		for (uint8_t end = 1; end <= (type <= 4 ? 2 : 1); end++)
			for (uint8_t i = 0; i < address; i++)
				capture_u8(&capture, (uint8_t)(0x10 * end + i));
		capture_u16(&capture, 80);
		if (type <= 4)
			capture_u16(&capture, 81);
		capture_u8(&capture, (uint8_t)(type - 1)); /* TCP, UDP, ICMP, raw */
		return;
	}
	if (type == 8) {
		capture_u64(&capture, 0xaaaa);
		capture_u64(&capture, 0xbbbb);
	}
	if (type == 16)
		capture_u32(&capture, 0x1001);
	capture_string(&capture, "/n");
	if (with_dev && type == 16)
		capture_u32(&capture, 0x803);
}

static void put_fd(uint8_t type, bool prefixed, bool with_dev)
{
	size_t at = prefixed ? capture_entry_begin(&capture) : 0;

	capture_u64(&capture, 100 + type);
	capture_u64(&capture, 200 + type);
	capture_u8(&capture, type);
	if (type)
		put_fd_info(type, with_dev);
	if (prefixed)
		capture_entry_end(&capture, at, true);
}

/* All types in one list, and nothing of type 0. */
static void expect_fds(uint32_t block, bool prefixed, bool with_dev)
{
	char text[4096];
	int n = snprintf(text, sizeof(text), "fds 70\n");

	capture_block_begin(&capture, block);
	capture_u64(&capture, 70);
	put_fd(0, prefixed, with_dev);
	for (int i = 0; i < FD_TYPES; i++) {
		put_fd(fd_types[i].type, prefixed, with_dev);
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "fd %d type=%d ino=%d %s%s unix=%s\n", 100 + fd_types[i].type,
			      fd_types[i].enum_type, 200 + fd_types[i].type, fd_types[i].text,
			      fd_types[i].type != 16 ? ""
			      : with_dev	     ? " dev=803"
						     : " dev=0",
			      fd_types[i].type == 8 ? "aaaa,bbbb" : "0,0");
	}
	capture_block_end(&capture);
	expect_whole(text);
}

static void test_fds_v1(void **state)
{
	expect_fds(0x203, false, false);
}

static void test_fds_legacy(void **state)
{
	expect_fds(0x8001abcd, false, false);
}

static void test_fds_v2(void **state)
{
	expect_fds(0x218, true, true);
}

static void test_fds_without_device(void **state)
{
	expect_fds(0x218, true, false);
}

static void test_no_fds(void **state)
{
	capture_block_begin(&capture, 0x218);
	capture_u64(&capture, 71);
	capture_block_end(&capture);
	expect_whole("fds 71\n");
}

/* Where the length of an entry is known, one of an unknown type is reported, too. */
static void test_fd_of_unknown_type(void **state)
{
	capture_block_begin(&capture, 0x218);
	capture_u64(&capture, 70);
	put_fd(99, true, false);
	put_fd(1, true, false);
	capture_block_end(&capture);
	expect_whole("fds 70\n"
		     "fd 199 type=18 ino=299 name=unknown-type:[99] flags=0 dev=0 unix=0,0\n"
		     "fd 101 type=1 ino=201 name=/n flags=0 dev=0 unix=0,0\n");
}

static void test_fd_of_unknown_type_v1(void **state)
{
	struct capture_result result;

	capture_block_begin(&capture, 0x203);
	capture_u64(&capture, 70);
	put_fd(1, false, false);
	put_fd(99, false, false);
	put_fd(1, false, false);
	capture_block_end(&capture);
	result = expect_snapshot("fds 70\nfd 101 type=1 ino=201 name=/n flags=0 dev=0 unix=0,0\n");
	assert_int_equal(result.stats.corrupt_lists, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, snapshot_setup, snapshot_teardown)

static const struct CMUnitTest tests[] = {
	TEST(test_machine),
	TEST(test_machine_legacy),
	TEST(test_interfaces),
	TEST(test_interface_of_unknown_type),
	TEST(test_users),
	TEST(test_fds_v1),
	TEST(test_fds_legacy),
	TEST(test_fds_v2),
	TEST(test_fds_without_device),
	TEST(test_no_fds),
	TEST(test_fd_of_unknown_type),
	TEST(test_fd_of_unknown_type_v1),
};

UNIT_GROUP(tests);
