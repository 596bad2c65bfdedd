/* SPDX-License-Identifier: MIT */
/*
 * Where the cgroup namespace of a process begins, asked of the running kernel. Skipped where BPF
 * programs may not be loaded.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live/cgroup_roots.h"
#include "scap/live/driver.h"
#include "scap/proc/proc.h"

enum { FAILED = 1, SKIPPED = 77 /* of a child */ };

static const struct scap_live_config config = {
	.ring_bytes = 1 << 20,
	.events = {[EVENT_mkdirat] = true},
};

/* The groups of this process as /proc has them. */
static const struct buf *own_groups(struct scap_proc *proc)
{
	int process = openat(scap_proc_dir(proc), "self", O_PATH | O_CLOEXEC);
	const struct buf *groups = NULL;

	if (process < 0 || scap_proc_cgroups(proc, process, &groups))
		_exit(FAILED);
	close(process);
	return groups;
}

static struct live_driver *create_driver(void)
{
	struct live_driver *driver;
	struct error err = {""};
	int code = live_driver_create(&config, 0, &driver, &err);

	if (code)
		_exit(code == -EPERM ? SKIPPED : FAILED);
	return driver;
}

static void compare(bool same)
{
	if (!same)
		_exit(FAILED);
}

/* Runs in a process of its own. */
static void check_new_namespace(void)
{
	struct live_driver *driver;
	const struct buf *roots, *groups;
	struct buf before = {0};
	struct scap_proc *proc;

	if (live_cgroup_roots_differ() || scap_proc_open("/proc", &proc, NULL))
		_exit(SKIPPED);
	groups = own_groups(proc);
	buf_append(&before, groups->data, groups->len);
	driver = create_driver();
	compare(live_driver_cgroup_roots(driver, &roots) == 0 && roots->len == 0);
	live_driver_destroy(driver);
	if (unshare(CLONE_NEWCGROUP) < 0)
		_exit(SKIPPED);
	compare(live_cgroup_roots_differ());
	driver = create_driver();
	/* A new namespace begins where the process is. */
	compare(live_driver_cgroup_roots(driver, &roots) == 0 && roots->len == before.len &&
		memcmp(roots->data, before.data, before.len) == 0);
	compare(scap_proc_set_cgroup_roots(proc, roots) == 0);
	live_driver_destroy(driver);
	groups = own_groups(proc);
	compare(groups->len == before.len && memcmp(groups->data, before.data, before.len) == 0);
	buf_finish(&before);
	scap_proc_close(proc);
	_exit(0);
}

static void test_new_namespace(void **state)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		check_new_namespace();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_new_namespace)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
