/* SPDX-License-Identifier: MIT */
/* Requests are answered in their order, on another thread, until the end. */
#include <errno.h>

#include "foreign_root.h"
#include "meta/stage.h"
#include "unit.h"
#include "util/clock.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define WAIT_NS (60 * UINT64_C(1000000000))

static struct meta_sink *sink;
static struct meta_requests *requests;
static struct meta_thread *thread;

static int setup(void **state)
{
	char path[FOREIGN_PATH_BYTES];
	struct scap_proc *proc;

	foreign_root_setup(state);
	foreign_root_write(*state, "proc/70/cgroup", "0::/docker/" ID "\n");
	foreign_root_write(*state, "proc/70/uid_map", "0 0 4294967295\n");
	foreign_root_write(*state, "proc/70/gid_map", "0 0 4294967295\n");
	foreign_root_write(*state, "root/etc/passwd", "web:x:101:0::/:\n");
	foreign_root_path(*state, "proc", path);
	sink = meta_sink_create();
	requests = meta_requests_create();
	assert_non_null(sink);
	assert_non_null(requests);
	assert_int_equal(scap_proc_open(path, &proc, NULL), 0);
	assert_int_equal(meta_users_start(requests, proc, sink, &thread), 0);
	return 0;
}

static int teardown(void **state)
{
	meta_thread_end(thread, clock_ns(CLOCK_MONOTONIC) + WAIT_NS);
	meta_requests_unref(requests);
	meta_sink_unref(sink);
	return foreign_root_teardown(state);
}

static void add(int64_t pid, const char *path)
{
	const struct state_users_wanted wanted = {.id = ID, .path = path, .pid = pid};

	struct meta_asked *asked = meta_asked_create_users(&wanted);

	assert_non_null(asked);
	meta_requests_add(requests, asked);
}

/* The next answer; `name` is that of user 101. */
static void expect(int result, const char *name)
{
	struct meta_update *update;
	const struct state_user *user = NULL;

	assert_true(meta_sink_wait(sink, WAIT_NS));
	update = meta_sink_take(sink);
	assert_int_equal(update->kind, META_USERS);
	assert_true(update->is_answer);
	assert_string_equal(update->id, ID);
	assert_int_equal(update->result, result);
	if (update->users)
		user = state_users_find(&update->users->users, 101, 0);
	assert_int_equal(user != NULL, name != NULL);
	if (user)
		assert_string_equal(user->name, name);
	meta_update_destroy(update);
}

static void test_order(void **state)
{
	for (int i = 0; i < 20; i++) {
		add(FOREIGN_PID, NULL);
		add(71, NULL);
		add(FOREIGN_PID, "/docker/other");
		add(FOREIGN_PID, "/docker");
	}
	for (int i = 0; i < 20; i++) {
		expect(0, "web");
		expect(-ESRCH, NULL);
		expect(-ESRCH, NULL);
		expect(0, "web");
	}
	/* An empty queue begins anew. */
	add(FOREIGN_PID, NULL);
	expect(0, "web");
}

/* Those that nobody reads, and those that nobody takes, are freed. */
static void test_end_while_asked(void **state)
{
	for (int i = 0; i < 200; i++)
		add(FOREIGN_PID, "/docker");
	meta_thread_stop(thread);
	add(FOREIGN_PID, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_order, setup, teardown),
	cmocka_unit_test_setup_teardown(test_end_while_asked, setup, teardown),
};

UNIT_GROUP(tests);
