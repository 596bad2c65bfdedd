/* SPDX-License-Identifier: MIT */
/* The group of a command: where it is found, frozen, thawed and removed; without one as well. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/freezer.h"
#include "patience.h"
#include "unit.h"

static char mounts[] = "/tmp/lanner-mounts-XXXXXX", groups[] = "/tmp/lanner-groups-XXXXXX";

static void put(char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int setup(void **state)
{
	close(mkstemp(mounts));
	close(mkstemp(groups));
	return 0;
}

static int teardown(void **state)
{
	unlink(mounts);
	unlink(groups);
	return 0;
}

static void expect_folder(bool is_v2, const char *expected)
{
	const struct freezer_place place = {mounts, groups};
	char folder[PATH_MAX];
	int r = freezer_find(&place, is_v2, folder);

	assert_int_equal(r, expected ? 0 : -ENOENT);
	if (expected)
		assert_string_equal(folder, expected);
}

static void test_find(void **state)
{
	put(mounts, "24 1 0:22 / /proc rw - proc proc rw\n"
		    "31 1 0:27 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
		    "36 1 0:32 / /sys/fs/cgroup/both rw - cgroup cgroup rw,devices,freezer\n");
	put(groups, "6:devices,freezer:/a/b\n5:memory:/m\n0::/\n");
	expect_folder(true, "/sys/fs/cgroup/unified");
	expect_folder(false, "/sys/fs/cgroup/both/a/b");
	/* Only a part of the hierarchy is mounted. */
	put(mounts, "31 1 0:27 /x /cg rw - cgroup2 cgroup2 rw\n");
	put(groups, "0::/x/y\n");
	expect_folder(true, "/cg/y");
	put(groups, "0::/xy\n");
	expect_folder(true, NULL);
	expect_folder(false, NULL);
	/* Outside of what this process sees. */
	put(groups, "0::/../x\n");
	expect_folder(true, NULL);
	put(groups, "nonsense\n");
	expect_folder(true, NULL);
	unlink(groups);
	expect_folder(true, NULL);
}

/* A child that counts in shared memory would need more: this one writes into a pipe. */
static pid_t start_counter(int *out)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		while (write(ends[1], "x", 1) == 1)
			;
		_exit(0);
	}
	close(ends[1]);
	*out = ends[0];
	return pid;
}

static char state_of(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%*d %*s %c", &state) != 1)
		state = 0;
	fclose(file);
	return state;
}

static void end_counter(pid_t pid, int out)
{
	close(out);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Takes what is in a pipe, which may be as much as it holds. */
static void drain(int pipe)
{
	struct pollfd readable = {.fd = pipe, .events = POLLIN};
	char buf[1 << 16];

	while (poll(&readable, 1, 0) == 1)
		assert_true(read(pipe, buf, sizeof(buf)) > 0);
}

static void test_group(void **state)
{
	char buf[1 << 16], folder[PATH_MAX];
	struct freezer freezer;
	int out;
	pid_t pid = start_counter(&out);

	assert_int_equal(freezer_begin(&freezer, &pid, 1, true), 0);
	if (freezer.state < 0) {
		freezer_end(&freezer);
		end_counter(pid, out);
		skip();
	}
	snprintf(folder, sizeof(folder), "%s", freezer.folder);
	assert_int_equal(access(folder, F_OK), 0);
	assert_true(freezer_set(&freezer, true) && freezer_set(&freezer, true));
	/* It writes no more than the pipe had room for. */
	drain(out);
	assert_true(freezer_set(&freezer, false));
	for (int i = 0; i < 10; i++)
		assert_true(read(out, buf, 1000) > 0);
	freezer_set(&freezer, true);
	freezer_end(&freezer);
	/* Thawed, moved and removed. */
	assert_int_equal(access(folder, F_OK), -1);
	assert_true(read(out, buf, 1000) > 0);
	assert_int_equal(freezer.state, -1);
	freezer_end(&freezer);
	end_counter(pid, out);
}

/* A process that was killed thaws nothing itself: its helper sees that. */
static void test_kill(void **state)
{
	int out, ready[2];
	pid_t pid = start_counter(&out), agent;
	char buf[1 << 16], folder[PATH_MAX] = "";

	assert_int_equal(pipe(ready), 0);
	agent = fork();
	if (agent == 0) {
		struct freezer freezer;

		if (freezer_begin(&freezer, &pid, 1, true) == 0)
			freezer_set(&freezer, true);
		if (write(ready[1], freezer.folder, PATH_MAX) != PATH_MAX)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], folder, PATH_MAX), PATH_MAX);
	kill(agent, SIGKILL);
	waitpid(agent, NULL, 0);
	for (int i = 0; i < 100; i++)
		assert_true(read(out, buf, sizeof(buf)) > 0);
	/* And it removes the group, if there was one. */
	if (folder[0])
		assert_true(waited_until(access(folder, F_OK) != 0));
	close(ready[0]);
	close(ready[1]);
	end_counter(pid, out);
}

/* Processes that were there already keep their groups: they are only continued. */
static void test_no_group(void **state)
{
	int out;
	pid_t pid = start_counter(&out), agent = fork();
	struct freezer freezer;
	char buf[1 << 16];

	if (agent == 0) {
		freezer_begin(&freezer, &pid, 1, false);
		kill(pid, SIGSTOP);
		for (;;)
			pause();
	}
	assert_true(waited_until(state_of(pid) == 'T'));
	kill(agent, SIGKILL);
	waitpid(agent, NULL, 0);
	for (int i = 0; i < 100; i++)
		assert_true(read(out, buf, sizeof(buf)) > 0);
	assert_int_equal(freezer_begin(&freezer, &pid, 1, false), 0);
	assert_false(freezer_set(&freezer, true));
	freezer_end(&freezer);
	end_counter(pid, out);
}

/* What the helper does, here in this process. */
static void release_after(bool own_group, bool ended_well)
{
	struct freezer freezer, copy;
	char buf[1 << 16];
	int out;
	pid_t pid = start_counter(&out);

	assert_int_equal(freezer_begin(&freezer, &pid, 1, own_group), 0);
	copy = freezer;
	if (!ended_well)
		kill(pid, SIGSTOP);
	freezer_set(&freezer, true);
	freezer_release(&copy, &pid, 1, ended_well);
	if (copy.folder[0])
		assert_int_equal(access(copy.folder, F_OK), -1);
	for (int i = 0; i < 100; i++)
		assert_true(read(out, buf, sizeof(buf)) > 0);
	freezer_end(&freezer);
	end_counter(pid, out);
}

static void test_release(void **state)
{
	release_after(true, true);
	release_after(true, false);
	release_after(false, true);
	release_after(false, false);
}

/* A process that is gone has no group; nor has one of which only the group's path is known. */
static void test_no_process(void **state)
{
	const pid_t gone = 0x7ffffffe;
	struct freezer freezer;

	assert_int_equal(freezer_begin(&freezer, &gone, 1, true), 0);
	assert_string_equal(freezer.folder, "");
	assert_false(freezer_set(&freezer, true));
	assert_true(freezer_set(&freezer, false));
	freezer_end(&freezer);
	put(groups, "0::/x\n");
	unlink(mounts);
	expect_folder(true, NULL);
	put(mounts, "no mount\n31 1 0:27 /x /cg rw - cgroup2\n");
	expect_folder(true, NULL);
	put(groups, "no colon\n1:one\n");
	expect_folder(false, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_find),	cmocka_unit_test(test_group),
	cmocka_unit_test(test_kill),	cmocka_unit_test(test_no_group),
	cmocka_unit_test(test_release), cmocka_unit_test(test_no_process),
};

UNIT_GROUP(tests, .setup = setup, .teardown = teardown);
