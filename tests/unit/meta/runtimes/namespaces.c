/* SPDX-License-Identifier: MIT */
/* The host's namespaces, and those of others; a machine that does not show them. */
#include "meta/runtimes/bundle.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static enum state_answer compare_network(const struct bundle_namespaces *hosts, const char *path)
{
	return bundle_namespaces_compare(hosts, HOST_NAMESPACE_NETWORK, path);
}

/* Another one is not the host's. */
static void test_compared(void **state)
{
	struct bundle_namespaces hosts;
	char path[64], c = 0;
	int ends[2];
	pid_t child;

	if (geteuid() != 0 || bundle_namespaces_read("", &hosts))
		skip();
	assert_int_equal(compare_network(&hosts, "/proc/2/ns/net"), STATE_YES);
	assert_int_equal(compare_network(&hosts, "/run/netns/lanner-none"), STATE_UNKNOWN);
	assert_int_equal(compare_network(&hosts, "/etc/passwd"), STATE_UNKNOWN);
	assert_int_equal(bundle_namespaces_compare(&hosts, HOST_NAMESPACE_PID, "/proc/2/ns/pid"),
			 STATE_YES);
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		c = unshare(CLONE_NEWNET) == 0;
		if (write(ends[1], &c, 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ends[0], &c, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", child);
	assert_true(c);
	assert_int_equal(compare_network(&hosts, path), STATE_NO);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
}

/* Who may not read them knows nothing, and says so. */
static int read_as_nobody(void)
{
	struct bundle_namespaces hosts;
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(1);
		if (bundle_namespaces_read("", &hosts) != -EACCES)
			_exit(2);
		_exit(compare_network(&hosts, "/proc/self/ns/net") == STATE_UNKNOWN ? 0 : 3);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static void test_refused(void **state)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(read_as_nobody(), 0);
}

/* A /proc of another pid namespace: its process 2 is no thread of the kernel. */
static void test_not_the_hosts(void **state)
{
	char folder[] = "/tmp/lanner-namespaces-XXXXXX", path[64];
	struct bundle_namespaces hosts = {.dev = 1};

	assert_non_null(mkdtemp(folder));
	assert_int_equal(bundle_namespaces_read(folder, &hosts), -ENOENT);
	assert_int_equal(hosts.inos[HOST_NAMESPACE_NETWORK], 0);
	for (const char *const *part = (const char *const[]){"/proc", "/proc/2", "/proc/2/ns",
							     "/proc/2/ns/pid", NULL};
	     *part; part++) {
		snprintf(path, sizeof(path), "%s%s", folder, *part);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_int_equal(bundle_namespaces_read(folder, &hosts), -EXDEV);
	assert_int_equal(compare_network(&hosts, "/proc/2/ns/pid"), STATE_UNKNOWN);
	snprintf(path, sizeof(path), "rm -r %s", folder);
	assert_int_equal(system(path), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_compared),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_not_the_hosts),
};

UNIT_GROUP(tests);
