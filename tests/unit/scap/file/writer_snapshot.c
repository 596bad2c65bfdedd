/* SPDX-License-Identifier: MIT */
/* The head of capture files byte by byte, as the format has it: section, machine and lists. */
#include <string.h>

#include "unit.h"
#include "written.h"

/* Told again when there is something already, it is another section. */
static void test_sections(void **state)
{
	const struct scap_machine machine = {.hostname = ""};
	struct written test;

	written_begin(&test, (struct scap_writer_config){.native = true});
	for (int i = 0; i < 2; i++) {
		assert_int_equal(test.to->ops->begin(test.to), 0);
		assert_int_equal(test.to->ops->begin(test.to), 0);
		assert_int_equal(test.to->ops->machine(test.to, &machine), 0);
		assert_int_equal(test.to->ops->end(test.to), 0);
	}
	written_look(&test);
	written_expect(&test, 0x80004c4e, "4:1");
	written_expect(&test, 0x201, "_180");
	written_expect(&test, 0x0a0d0d0a, "4:0x1a2b3c4d 2:1 2:2 8:-1");
	written_expect(&test, 0x80004c4e, "4:1");
	written_expect(&test, 0x201, "_180");
	written_end(&test);
}

static void test_machine(void **state)
{
	struct scap_machine machine = {.cpus = 3,
				       .memory_bytes = 0x123456789abc,
				       .max_pid = 32768,
				       .boot_ns = 1700000000000000000,
				       .hostname = "box"};
	char name[200];
	struct written test;
	struct block block;

	memset(name, 'h', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	written_begin(&test, (struct scap_writer_config){0});
	test.to->ops->machine(test.to, &machine);
	machine.hostname = name;
	test.to->ops->machine(test.to, &machine);
	written_look(&test);
	written_expect(&test, 0x201,
		       "4:3 8:0x123456789abc 8:32768 'box _125 8:1700000000000000000 _24");
	block = written_block(&test);
	assert_int_equal(block.len, 180);
	assert_memory_equal(block.body + 20, name, 127);
	assert_int_equal(block.body[147], 0);
	written_end(&test);
}

static void test_interfaces(void **state)
{
	const struct scap_interface interfaces[] = {
		{.name = "lo6",
		 .ipv6 = true,
		 .address = {[15] = 1},
		 .netmask = {255, 255},
		 .broadcast = {[14] = 9}},
		{.name = "eth0",
		 .address = {10, 0, 0, 2},
		 .netmask = {255, 0, 0, 0},
		 .broadcast = {10, 255, 255, 255},
		 .link_speed = 1000},
		{.name = "lo", .address = {127, 0, 0, 1}, .netmask = {255, 0, 0, 0}},
	};
	struct written test;

	written_begin(&test, (struct scap_writer_config){0});
	for (size_t i = 0; i < 3; i++)
		test.to->ops->interface(test.to, &interfaces[i]);
	test.to->ops->end(test.to);
	written_look(&test);
	written_expect(&test, 0x219,
		       "4:28 2:1 2:4 4:0x0200000a 4:255 4:0xffffff0a 8:1000 'eth0 "
		       "4:26 2:1 2:2 4:0x0100007f 4:255 4:0 8:0 'lo "
		       "4:63 2:2 2:3 _15 1:1 2:0xffff _14 _14 1:9 _1 8:0 'lo6");
	written_end(&test);
}

static void test_users(void **state)
{
	const struct scap_user root = {0, 0, "root", "/root", "/bin/sh"};
	const struct scap_user nobody = {65534, 65533, "nobody", "/", ""};
	const struct scap_group group = {65533, "nogroup"};
	char name[300];
	struct scap_group longest = {1, name};
	struct written test;
	struct block block;

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	written_begin(&test, (struct scap_writer_config){0});
	test.to->ops->user(test.to, &root);
	test.to->ops->group(test.to, &group);
	test.to->ops->user(test.to, &nobody);
	test.to->ops->end(test.to);
	test.to->ops->group(test.to, &longest);
	test.to->ops->end(test.to);
	written_look(&test);
	written_expect(&test, 0x220,
		       "4:35 1:0 4:0 4:0 s'root s'/root s'/bin/sh "
		       "4:26 1:0 4:65534 4:65533 s'nobody s'/ s' "
		       "4:18 1:1 4:65533 s'nogroup");
	block = written_block(&test);
	assert_int_equal(block.body[9] | block.body[10] << 8, 255);
	assert_int_equal(block.len, 268);
	written_end(&test);
}

/* Hidden events: asynchronous ones, for readers of 2022 those of their time. */
static void test_containers(void **state)
{
	const struct scap_container at_start = {
		.json = "{1}", .len = 3, .ts_ns = 7, .at_start = true};
	const struct scap_container later = {.json = "{22}", .len = 4, .ts_ns = 8};
	struct scap_writer_stats stats;
	struct written test;

	for (int old = 0; old < 2; old++) {
		written_begin(&test, (struct scap_writer_config){.form_2022 = old});
		test.to->ops->fds(test.to, 5);
		test.to->ops->container(test.to, &at_start);
		test.to->ops->end(test.to);
		test.to->ops->container(test.to, &later);
		scap_writer_stats(test.writer, &stats);
		assert_int_equal(stats.events, 2);
		assert_int_equal(stats.containers, 2);
		written_look(&test);
		written_expect(&test, 0x218, "8:5");
		if (old) {
			written_expect(&test, 0x222, "2:0 4:1 8:7 8:-1 4:34 2:324 4:1 4:4 '{1}~");
			written_expect(&test, 0x222, "2:0 4:1 8:8 8:-1 4:35 2:324 4:1 4:5 '{22}~");
		} else {
			written_expect(&test, 0x222,
				       "2:0 4:1 8:7 8:1 4:56 2:402 4:3 4:4 4:10 4:4 "
				       "4:0 'container~ '{1}~");
			written_expect(&test, 0x222,
				       "2:0 4:1 8:8 8:0 4:57 2:402 4:3 4:4 4:10 4:5 "
				       "4:0 'container~ '{22}~");
		}
		written_end(&test);
	}
}

/* Hidden events, which readers of 2022 do not know. Names are limited. */
static void test_container_users(void **state)
{
	static const struct scap_user web = {
		.uid = 101, .gid = 7, .name = "web", .home = "/srv", .shell = ""};
	char name[300];
	const struct scap_group group = {.gid = 5, .name = name};
	struct scap_container_user user = {.container = "0123456789ab", .user = &web, .ts_ns = 9};
	struct scap_writer_stats stats;
	struct written test;
	struct block block;

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (int old = 0; old < 2; old++) {
		written_begin(&test, (struct scap_writer_config){.form_2022 = old});
		user.user = &web;
		user.group = NULL;
		test.to->ops->container_user(test.to, &user);
		user.user = NULL;
		test.to->ops->container_user(test.to, &user);
		user.group = &group;
		test.to->ops->container_user(test.to, &user);
		scap_writer_stats(test.writer, &stats);
		assert_int_equal(stats.events, old ? 0 : 3);
		assert_int_equal(stats.containers, old ? 0 : 3);
		assert_int_equal(stats.left_out, old ? 3 : 0);
		written_look(&test);
		if (!old) {
			written_expect(&test, 0x217,
				       "2:0 4:1 8:9 8:-1 4:69 2:354 4:6 2:4 2:4 2:4 2:5 2:1 2:13 "
				       "4:101 4:7 'web~ '/srv~ '~ '0123456789ab~");
			written_expect(&test, 0x217,
				       "2:0 4:1 8:9 8:-1 4:62 2:356 4:6 2:4 2:4 2:1 2:1 2:1 2:13 "
				       "4:4294967295 4:4294967295 '~ '~ '~ '0123456789ab~");
			block = written_block(&test);
			assert_int_equal(block.type, 0x217);
			/* Up to a multiple of 4. */
			assert_int_equal(block.len, 6 + 26 + 3 * 2 + 4 + 256 + 13 + 1);
		}
		written_end(&test);
	}
}

static const struct scap_thread shell = {
	.tid = 5,
	.pid = 5,
	.comm = "sh",
	.exe = "sh",
	.exepath = "/usr/bin/sh",
	.args = "-c\0true",
	.args_len = 8,
	.env = "A=1",
	.env_len = 4,
	.cgroups = "cpu=/x\0io=/",
	.cgroups_len = 12,
	.cwd = "/tmp",
	.root = "/",
};

static const struct scap_fd directory = {
	.num = 2, .type = SCAP_FD_DIRECTORY, .ino = 6, .name = "/a"};

/* Each table in a block of its own, empty ones too, after the thread whose it is. */
static void test_order(void **state)
{
	struct scap_thread thread = shell;
	struct written test;

	written_begin(&test, (struct scap_writer_config){0});
	test.to->ops->thread(test.to, &thread);
	test.to->ops->fds(test.to, 5);
	test.to->ops->fds(test.to, 6);
	test.to->ops->fd(test.to, &directory);
	test.to->ops->thread(test.to, &thread);
	test.to->ops->end(test.to);
	written_look(&test);
	assert_int_equal(written_block(&test).type, 0x215);
	written_expect(&test, 0x218, "8:5");
	written_expect(&test, 0x218, "8:6 4:25 8:2 8:6 1:2 s'/a");
	assert_int_equal(written_block(&test).type, 0x215);
	written_end(&test);
}

/* Sums up the entries of a list of blocks, each of which begins with its length. */
static void count_entries(struct block block, size_t head, size_t *entries)
{
	for (size_t at = head; block.len - at >= 4; (*entries)++) {
		uint32_t len;

		memcpy(&len, block.body + at, sizeof(len));
		assert_in_range(len, 1, block.len - at);
		at += len;
	}
}

/* A machine with many threads and descriptors: no block, and so no buffer, grows with them. */
static void test_many(void **state)
{
	enum { MANY = 20000 };
	struct scap_thread thread = shell;
	size_t threads = 0, numbers = 0;
	struct written test;

	written_begin(&test, (struct scap_writer_config){0});
	for (thread.tid = 1; thread.tid <= MANY; thread.tid++)
		assert_int_equal(test.to->ops->thread(test.to, &thread), 0);
	test.to->ops->fds(test.to, 101);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(test.to->ops->fd(test.to, &directory), 0);
	test.to->ops->end(test.to);
	written_look(&test);
	while (test.at < test.file.len) {
		struct block block = written_block(&test);
		bool is_fds = block.type == 0x218;

		assert_true(is_fds || block.type == 0x215);
		assert_in_range(block.len, 1, 66000);
		count_entries(block, is_fds ? 8 : 0, is_fds ? &numbers : &threads);
		if (is_fds)
			assert_int_equal(block.body[0], 101);
	}
	assert_int_equal(threads, MANY);
	assert_int_equal(numbers, MANY);
	written_end(&test);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sections),   cmocka_unit_test(test_machine),
	cmocka_unit_test(test_interfaces), cmocka_unit_test(test_users),
	cmocka_unit_test(test_containers), cmocka_unit_test(test_container_users),
	cmocka_unit_test(test_order),	   cmocka_unit_test(test_many),
};

UNIT_GROUP(tests);
