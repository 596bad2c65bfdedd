/* SPDX-License-Identifier: MIT */
/* Addresses to listen on: which are valid, and what takes the place of what. */
#include "net/listen.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_addresses(void **state)
{
	static const char *const right[] = {"127.0.0.1:9100", "[::1]:9100", ":9100", "unix:/a",
					    "unix:a"};
	static const char *const wrong[] = {"",
					    "9100",
					    "localhost:9100",
					    "127.0.0.1",
					    "127.0.0.1:0",
					    "[::1]",
					    "127.0.0.1:99999",
					    "unix:",
					    "300.0.0.1:80"};
	char path[200];
	struct error err;

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		assert_int_equal(listen_check(right[i], &err), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(listen_check(wrong[i], &err), -EINVAL);
	memset(path, 'x', sizeof(path));
	memcpy(path, "unix:", 5);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(listen_check(path, &err), -EINVAL);
	assert_string_equal(err.text, "the path of a unix socket has 1 to 107 bytes");
}

static void test_tcp_is_used_once(void **state)
{
	char address[32];
	struct error err;
	int fd = -1, port;

	for (port = 20000 + (int)getpid() % 20000; fd < 0; port++) {
		snprintf(address, sizeof(address), "127.0.0.1:%d", port);
		fd = listen_open(address, &err);
	}
	assert_int_equal(listen_open(address, &err), -EADDRINUSE);
	assert_non_null(strstr(err.text, address));
	close(fd);
}

static void test_unix_socket(void **state)
{
	char path[64], address[80];
	struct error err;
	struct stat st;
	int fd, file;

	snprintf(path, sizeof(path), "/tmp/lanner-listen-%d", (int)getpid());
	snprintf(address, sizeof(address), "unix:%s", path);
	fd = listen_open(address, &err);
	assert_true(fd >= 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* One that listens stays; one that was left behind does not. */
	assert_int_equal(listen_open(address, &err), -EADDRINUSE);
	close(fd);
	fd = listen_open(address, &err);
	assert_true(fd >= 0);
	close(fd);
	listen_remove(address);
	assert_int_equal(access(path, F_OK), -1);
	/* What is no socket stays. */
	file = open(path, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(listen_open(address, &err), -EADDRINUSE);
	assert_int_equal(access(path, F_OK), 0);
	close(file);
	unlink(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_addresses),
	cmocka_unit_test(test_tcp_is_used_once),
	cmocka_unit_test(test_unix_socket),
};

UNIT_GROUP(tests);
