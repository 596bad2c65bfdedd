/* SPDX-License-Identifier: MIT */
/* The map of chosen processes, which the test fills in the place of programs. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "abi.h"
#include "scap/live/maps.h"
#include "unit.h"

enum { PROCESSES = 300 };

static int map, other;

static int make_map(const char *name)
{
	return bpf_map_create(BPF_MAP_TYPE_HASH, name, sizeof(uint32_t),
			      sizeof(struct followed_process), 2 * PROCESSES, NULL);
}

static int setup(void **state)
{
	map = make_map("followed");
	other = make_map("other");
	return (map < 0 || other < 0) && errno != EPERM;
}

static int teardown(void **state)
{
	if (map >= 0)
		close(map);
	if (other >= 0)
		close(other);
	return 0;
}

static struct followed_process look(int in, pid_t pid)
{
	struct followed_process found = {0};
	uint32_t key = (uint32_t)pid;

	assert_int_equal(bpf_map_lookup_elem(in, &key, &found), 0);
	return found;
}

static void test_add(void **state)
{
	if (map < 0)
		skip();
	assert_int_equal(live_followed_add(map, 7, true), 0);
	assert_true(look(map, 7).kin);
	assert_int_equal(live_followed_add(map, 7, false), 0);
	assert_false(look(map, 7).kin);
	/* Chosen is more than kin. */
	assert_int_equal(live_followed_add(map, 7, true), 0);
	assert_false(look(map, 7).kin);
	for (pid_t pid = 1000; pid < 1000 + 2 * PROCESSES - 1; pid++)
		assert_int_equal(live_followed_add(map, pid, false), 0);
	assert_int_equal(live_followed_add(map, 9999, false), -E2BIG);
}

static void test_copy(void **state)
{
	if (map < 0)
		skip();
	for (pid_t pid = 1; pid <= PROCESSES; pid++)
		assert_int_equal(live_followed_add(other, pid, pid % 2), 0);
	assert_int_equal(live_followed_add(map, 3, false), 0);
	assert_int_equal(live_followed_copy(map, other), 0);
	for (pid_t pid = 1; pid <= PROCESSES; pid++)
		assert_int_equal(look(map, pid).kin, pid == 3 ? 0 : pid % 2);
	assert_int_equal(live_followed_copy(map, -1), 0);
}

/* Those with a note of it, and once. */
static void test_continue(void **state)
{
	struct followed_process stopped = {.held = 1, .group = 5};
	pid_t pid = map < 0 ? 0 : fork();
	uint32_t key = (uint32_t)pid;
	int status;

	if (map < 0)
		skip();
	if (pid == 0)
		for (;;)
			pause();
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_int_equal(live_followed_add(map, pid, false), 0);
	live_followed_continue(map);
	assert_int_equal(waitpid(pid, &status, WCONTINUED | WNOHANG), 0);
	assert_int_equal(bpf_map_update_elem(map, &key, &stopped, BPF_ANY), 0);
	live_followed_continue(map);
	assert_int_equal(waitpid(pid, &status, WCONTINUED), pid);
	assert_true(WIFCONTINUED(status));
	assert_int_equal(look(map, pid).held, 0);
	assert_int_equal(look(map, pid).group, 5);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_add, setup, teardown),
	cmocka_unit_test_setup_teardown(test_copy, setup, teardown),
	cmocka_unit_test_setup_teardown(test_continue, setup, teardown),
};

UNIT_GROUP(tests);
