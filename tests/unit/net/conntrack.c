/* SPDX-License-Identifier: MIT */
/* Tables of connections of namespaces, with entries that the test made. */
#include "net/conntrack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/namespace.h"
#include "netns.h"
#include "unit.h"

/* The table of a process' namespace; the thread is where it was then. */
static int open_table_of(pid_t pid)
{
	uint64_t own_ino, ino;
	int own = namespace_open("/proc", (int32_t)getpid(), &own_ino);
	int other = namespace_open("/proc", pid, &ino), table;

	assert_true(own >= 0 && other >= 0);
	assert_int_not_equal(own_ino, ino);
	assert_int_equal(namespace_enter(other), 0);
	table = conntrack_open();
	/* No device leads from one to the other. */
	assert_int_equal(namespace_is_joined(own), 0);
	assert_int_equal(namespace_enter(own), 0);
	close(own);
	close(other);
	assert_true(table >= 0);
	return table;
}

static void expect_followed(int table, struct conntrack_tuple tuple,
			    const struct conntrack_tuple *expected)
{
	assert_int_equal(conntrack_follow(table, &tuple), 0);
	assert_memory_equal(&tuple.from, &expected->from, sizeof(tuple.from));
	assert_memory_equal(&tuple.to, &expected->to, sizeof(tuple.to));
}

static void test_follow(void **state)
{
	const struct netns_entry entries[] = {
		{netns_tuple("10.0.0.1", 40000, "10.96.0.1", 80),
		 netns_tuple("10.1.2.3", 8080, "10.0.0.1", 40000)},
		/* The source is translated, too. */
		{netns_tuple("10.0.0.1", 40001, "10.96.0.1", 80),
		 netns_tuple("10.1.2.3", 8080, "192.0.2.1", 50000)},
		{netns_tuple("fd00::1", 40000, "fd00:96::1", 443),
		 netns_tuple("fd00::99", 8443, "fd00::1", 40000)},
		{netns_tuple("10.0.0.1", 40002, "10.0.0.2", 80),
		 netns_tuple("10.0.0.2", 80, "10.0.0.1", 40002)},
	};
	const struct conntrack_tuple expected[] = {
		netns_tuple("10.0.0.1", 40000, "10.1.2.3", 8080),
		netns_tuple("192.0.2.1", 50000, "10.1.2.3", 8080),
		netns_tuple("fd00::1", 40000, "fd00::99", 8443),
		netns_tuple("10.0.0.1", 40002, "10.0.0.2", 80),
	};
	struct conntrack_tuple none = netns_tuple("10.0.0.1", 40009, "10.96.0.1", 80);
	const struct conntrack_tuple back = netns_tuple("10.96.0.1", 80, "10.0.0.1", 40000);
	pid_t pid;
	int table;

	if (!netns_can_be_made())
		skip();
	pid = netns_begin(entries, sizeof(entries) / sizeof(entries[0]));
	table = open_table_of(pid);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		expect_followed(table, entries[i].original, &expected[i]);
	/* The other direction is found as well. */
	expect_followed(table, entries[0].reply, &back);
	assert_int_equal(conntrack_follow(table, &none), -ENOENT);
	none = entries[0].original;
	none.l4 = SCAP_L4_UDP;
	assert_int_equal(conntrack_follow(table, &none), -ENOENT);
	close(table);
	netns_end(pid);
}

static void test_search(void **state)
{
	uint64_t ino, found;
	struct stat file;
	pid_t pid;
	int fd;

	if (!netns_can_be_made())
		skip();
	pid = netns_begin(NULL, 0);
	fd = namespace_open("/proc", pid, &ino);
	assert_true(fd >= 0);
	close(fd);
	fd = namespace_search("/proc", ino);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &file), 0);
	found = file.st_ino;
	assert_int_equal(found, ino);
	close(fd);
	netns_end(pid);
	assert_int_equal(namespace_search("/proc", ino), -ESRCH);
	assert_int_equal(namespace_open("/proc", pid, &ino), -ENOENT);
	assert_int_equal(namespace_search("/no/such/proc", ino), -ENOENT);
	assert_int_equal(namespace_enter(-1), -EBADF);
	assert_true(namespace_is_joined(-1) < 0);
}

static void test_unmap(void **state)
{
	struct conntrack_tuple tuple = netns_tuple("::ffff:10.0.0.1", 1, "::ffff:10.0.0.2", 2);
	struct conntrack_tuple mixed = netns_tuple("::ffff:10.0.0.1", 1, "fd00::1", 2);
	const struct conntrack_tuple same = mixed;
	const struct conntrack_tuple expected = netns_tuple("10.0.0.1", 1, "10.0.0.2", 2);

	conntrack_unmap(&tuple);
	assert_memory_equal(&tuple, &expected, sizeof(tuple));
	conntrack_unmap(&tuple);
	assert_memory_equal(&tuple, &expected, sizeof(tuple));
	conntrack_unmap(&mixed);
	assert_memory_equal(&mixed, &same, sizeof(mixed));
}

static void test_source(void **state)
{
	const struct {
		const char *from, *to;
		bool has_source;
	} rows[] = {
		{"10.0.0.1", "10.0.0.2", true},
		{"0.0.0.0", "10.0.0.2", false},
		{"fd00::1", "fd00::2", true},
		{"::", "fd00::2", false},
		{"::", "::ffff:10.0.0.2", false},
		{"::ffff:0.0.0.0", "::ffff:10.0.0.2", false},
		{"::ffff:10.0.0.1", "::ffff:10.0.0.2", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct conntrack_tuple tuple = netns_tuple(rows[i].from, 1, rows[i].to, 2);

		assert_int_equal(conntrack_has_source(&tuple), rows[i].has_source);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_follow),
	cmocka_unit_test(test_search),
	cmocka_unit_test(test_unmap),
	cmocka_unit_test(test_source),
};

UNIT_GROUP(tests);
