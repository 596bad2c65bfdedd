/* SPDX-License-Identifier: MIT */
/* Names of addresses: forms of lines, and that the file is read once. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "etc_files.h"
#include "sinsp/state/names.h"
#include "unit.h"

static struct etc_files etc;
static char path[ETC_FILES_PATH_BYTES];

static int setup(void **state)
{
	etc_create(&etc);
	etc_path(&etc, "hosts", path);
	return 0;
}

static int teardown(void **state)
{
	etc_destroy(&etc);
	return 0;
}

/* NULL: it has none. */
static void expect(struct names_hosts *hosts, const char *address, const char *name)
{
	bool ipv6 = strchr(address, ':');
	uint8_t bytes[16];
	const char *found;

	assert_int_equal(inet_pton(ipv6 ? AF_INET6 : AF_INET, address, bytes), 1);
	found = names_hosts_name(hosts, bytes, ipv6 ? 16 : 4);
	if (!found || !name)
		assert_ptr_equal(found, name);
	else
		assert_string_equal(found, name);
}

static void reads_lines(void **state)
{
	struct names_hosts hosts;

	etc_write(&etc, "hosts",
		  "127.0.0.1\tlocalhost\n"
		  "# 10.0.0.9 commented\n"
		  "10.0.0.5   db.example  db # the database\n"
		  "::1 localhost6 ip6-loopback\r\n"
		  "not-an-address name\n"
		  "10.0.0.300 name\n"
		  "\n"
		  "10.0.0.6\n"
		  "10.0.0.5 later a b c\n"
		  "fe80::1%eth0 scoped\n"
		  "10.0.0.7 last");
	names_hosts_init(&hosts, path);
	expect(&hosts, "127.0.0.1", "localhost");
	expect(&hosts, "10.0.0.5", "db.example");
	expect(&hosts, "::1", "localhost6");
	expect(&hosts, "::ffff:10.0.0.7", "last");
	expect(&hosts, "10.0.0.7", "last");
	expect(&hosts, "10.0.0.6", NULL);
	expect(&hosts, "10.0.0.9", NULL);
	expect(&hosts, "0.0.0.0", NULL);
	expect(&hosts, "255.255.255.255", NULL);
	names_hosts_finish(&hosts);
}

static void reads_many_and_once(void **state)
{
	FILE *file = fopen(path, "w");
	struct names_hosts hosts;

	assert_non_null(file);
	for (int i = 999; i >= 0; i--)
		fprintf(file, "10.0.%d.%d host-%d\n", i / 256, i % 256, i);
	fclose(file);
	names_hosts_init(&hosts, path);
	expect(&hosts, "10.0.0.0", "host-0");
	expect(&hosts, "10.0.3.231", "host-999");
	etc_write(&etc, "hosts", "10.0.3.232 new\n");
	expect(&hosts, "10.0.3.232", NULL);
	expect(&hosts, "10.0.1.1", "host-257");
	names_hosts_finish(&hosts);
}

static void copes_without_the_file(void **state)
{
	struct names_hosts hosts;

	names_hosts_init(&hosts, "/nonexistent/hosts");
	expect(&hosts, "127.0.0.1", NULL);
	names_hosts_finish(&hosts);
	etc_write(&etc, "hosts", "");
	names_hosts_init(&hosts, path);
	expect(&hosts, "127.0.0.1", NULL);
	names_hosts_finish(&hosts);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_lines),
	cmocka_unit_test(reads_many_and_once),
	cmocka_unit_test(copes_without_the_file),
};

UNIT_GROUP(tests, .setup = setup, .teardown = teardown);
