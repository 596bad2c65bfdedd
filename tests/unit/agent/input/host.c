/* SPDX-License-Identifier: MIT */
/* The machine as seen from where the test runs, and from namespaces of its own. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/input/host.h"

#include "tree.h"
#include "unit.h"

enum { FAILED = 1, SKIPPED = 77 /* of a child */ };

static int setup(void **state)
{
	static struct tree root;

	tree_create(&root);
	tree_write(&root, "proc/version", ""); /* nothing is mounted there */
	unsetenv("NODE_NAME");
	*state = &root;
	return 0;
}

static int teardown(void **state)
{
	unsetenv("NODE_NAME");
	tree_destroy(*state);
	return 0;
}

static void open_at(struct host *host, const char *root)
{
	struct error err = {""};

	if (host_open(host, root, &err))
		fail_msg("%s", err.text);
}

static const char *warnings_of(const struct host *host, bool records)
{
	static char memory[512];
	struct buf text = buf_fixed(memory, sizeof(memory));

	host_append_warnings(host, records, &text);
	buf_append_char(&text, '\0');
	assert_false(text.failed);
	return memory;
}

static void test_here(void **state)
{
	char name[HOST_NAME_BYTES] = "";
	struct host host;

	gethostname(name, sizeof(name) - 1);
	setenv("NODE_NAME", "", 1);
	assert_null(host_node_name());
	setenv("NODE_NAME", "node-1", 1); /* as others use it, too */
	assert_string_equal(host_node_name(), "node-1");
	open_at(&host, NULL);
	assert_int_equal(host.self, getpid());
	assert_string_equal(host.etc, "/etc");
	assert_string_equal(host.hostname, name);
	assert_string_equal(warnings_of(&host, true), "");
	host_close(&host);
	host_close(&host);
}

/* Without a proc below the root it is the one that the agent has. */
static void test_root(void **state)
{
	struct tree *root = *state;
	char expected[512];
	struct host host;

	open_at(&host, root->path);
	assert_int_equal(host.self, getpid());
	snprintf(expected, sizeof(expected),
		 "agent: %s/etc/passwd cannot be read: users and groups of the host have no names "
		 "(mount the host's /etc there)\n",
		 root->path);
	assert_string_equal(warnings_of(&host, true), expected);
	tree_write(root, "etc/passwd", "");
	assert_string_equal(warnings_of(&host, false), "");
	host_close(&host);
	setenv("NODE_NAME", "node-1", 1);
	open_at(&host, root->path);
	assert_string_equal(host.hostname, "node-1");
	host_close(&host);
}

static void test_processes(void **state)
{
	struct tree *root = *state;

	assert_true(host_has_process(NULL, getpid()));
	assert_false(host_has_process(NULL, INT32_MAX));
	assert_true(host_has_process(root->path, getpid()));
	tree_write(root, "proc/1/stat", "");
	assert_true(host_has_process(root->path, 1));
	assert_false(host_has_process(root->path, getpid()));
}

/* Runs a check in a process of its own, which ends with FAILED, SKIPPED or 0. */
static void run_check(void (*check)(const char *root), const struct tree *root)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		check(root->path);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* In a container the name of the system is the container's. */
static void check_hostname(const char *root)
{
	struct host host;

	if (unshare(CLONE_NEWUTS) < 0 || sethostname("inside", strlen("inside")) < 0)
		_exit(SKIPPED);
	if (host_open(&host, root, NULL) || strcmp(host.hostname, "outside") != 0)
		_exit(FAILED);
	host_close(&host);
	if (host_open(&host, NULL, NULL) || strcmp(host.hostname, "inside") != 0)
		_exit(FAILED);
	host_close(&host);
}

static void test_hostname(void **state)
{
	tree_write(*state, "etc/hostname", "outside\n");
	run_check(check_hostname, *state);
}

/* Addresses in a file are those of the own network. */
static void check_network(const char *root)
{
	struct host host;

	if (unshare(CLONE_NEWNET) < 0)
		_exit(SKIPPED);
	if (host_open(&host, NULL, NULL) || !strstr(warnings_of(&host, true), "own network") ||
	    warnings_of(&host, false)[0])
		_exit(FAILED);
	host_close(&host);
}

static void test_network(void **state)
{
	run_check(check_network, *state);
}

/* The first process of a pid namespace, with a proc of it below the root. */
static void check_ids(const char *root)
{
	char path[PATH_MAX];
	struct error err = {""};
	struct host host;

	snprintf(path, sizeof(path), "%s/proc", root);
	if (mount("proc", path, "proc", 0, NULL) < 0)
		_exit(SKIPPED);
	if (host_open(&host, root, &err) != -EXDEV || !strstr(err.text, path) ||
	    !strstr(err.text, "--host-root /host"))
		_exit(FAILED);
	host_close(&host);
	/* The one at /proc is still that of the host. */
	if (host_open(&host, NULL, &err) || host.self == getpid())
		_exit(FAILED);
	host_close(&host);
}

static void enter_and_check(const char *root)
{
	int status;
	pid_t first;

	if (unshare(CLONE_NEWPID | CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		_exit(SKIPPED);
	first = fork();
	if (first == 0) {
		check_ids(root);
		_exit(0);
	}
	waitpid(first, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : FAILED);
}

static void test_ids_of_a_namespace(void **state)
{
	run_check(enter_and_check, *state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void test_readers(void **state)
{
	struct proc_readers *readers;
	const struct proc_target self = {getpid(), getpid(), 0};
	struct buf text = {0};

	assert_int_equal(host_start_readers(NULL, &readers, NULL), 0);
	assert_int_equal(proc_readers_read(readers, &self, PROC_READ_ARGUMENTS, &text), 0);
	assert_true(text.len > 0);
	proc_readers_unref(readers);
	buf_finish(&text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_readers), TEST(test_here),     TEST(test_root),
	TEST(test_processes),		TEST(test_hostname), TEST(test_network),
	TEST(test_ids_of_a_namespace),
};

UNIT_GROUP(tests);
