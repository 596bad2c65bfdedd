/* SPDX-License-Identifier: MIT */
/*
 * Where the cgroup namespace of a process begins, and the key of its groups, asked of the running
 * kernel. Skipped where BPF
 * programs may not be loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live/cgroup_roots.h"
#include "scap/live/live.h"
#include "scap/proc/cgroup_keys.h"
#include "scap/proc/proc.h"
#include "unit.h"

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

static struct scap_live *load(void)
{
	struct scap_live *live;
	struct error err = {""};
	int code = scap_live_load(&config, &live, &err);

	if (code)
		_exit(code == -EPERM ? SKIPPED : FAILED);
	return live;
}

static void compare(bool same)
{
	if (!same)
		_exit(FAILED);
}

/* Runs in a process of its own. */
static void check_new_namespace(void)
{
	struct scap_live *live;
	const struct buf *roots, *groups;
	struct buf before = {0};
	struct scap_proc *proc;

	if (live_cgroup_roots_differ() || scap_proc_open("/proc", &proc, NULL))
		_exit(SKIPPED);
	groups = own_groups(proc);
	buf_append(&before, groups->data, groups->len);
	live = load();
	compare(scap_live_cgroup_roots(live, &roots) == 0 && roots->len == 0);
	scap_source_destroy(scap_live_source(live));
	if (unshare(CLONE_NEWCGROUP) < 0)
		_exit(SKIPPED);
	compare(live_cgroup_roots_differ());
	live = load();
	/* A new namespace begins where the process is. */
	compare(scap_live_cgroup_roots(live, &roots) == 0 && roots->len == before.len &&
		memcmp(roots->data, before.data, before.len) == 0);
	compare(scap_proc_set_cgroup_roots(proc, roots) == 0);
	scap_source_destroy(scap_live_source(live));
	groups = own_groups(proc);
	compare(groups->len == before.len && memcmp(groups->data, before.data, before.len) == 0);
	buf_finish(&before);
	scap_proc_close(proc);
	_exit(0);
}

/* Rejects keys until there is no room; returns how many fitted. */
static uint64_t fill_groups(struct scap_live *live, uint64_t key)
{
	uint64_t n = 0;
	int code;

	while ((code = scap_live_reject_groups(live, key + n, true)) == 0)
		n++;
	compare(code == -E2BIG);
	return n;
}

/* Of groups, the kernel and user space make the same key. */
static void check_own_groups(void)
{
	struct scap_live_config comparing = config;
	struct scap_cgroup_keys *keys;
	struct scap_live *live;
	struct error err = {""};
	uint64_t key, made, room;
	const char *text;
	size_t len;
	int code = scap_cgroup_keys_create("/proc/self/mounts", "", &keys);

	if (code)
		_exit(SKIPPED);
	live = load();
	compare(scap_live_own_groups(live, &key, &text, &len) == -ENODATA);
	scap_source_destroy(scap_live_source(live));
	comparing.kernel_filters.hierarchies = scap_cgroup_keys_hierarchies(keys);
	code = scap_live_load(&comparing, &live, &err);
	if (code == -EPERM)
		_exit(SKIPPED);
	compare(code == 0 && scap_live_own_groups(live, &key, &text, &len) == 0);
	compare(scap_cgroup_keys_make(keys, text, len, &made) == 0 && made == key);
	/* There is room for one, and for no group twice. */
	compare(scap_live_reject_groups(live, key, true) == 0);
	compare(scap_live_reject_groups(live, key, true) == 0);
	compare(scap_live_reject_groups(live, key, false) == 0);
	compare(scap_live_reject_groups(live, key, false) == 0);
	room = fill_groups(live, key);
	compare(fill_groups(live, key + room) == 0);
	scap_live_accept_groups(live);
	compare(room > 1 && fill_groups(live, key) == room);
	scap_source_destroy(scap_live_source(live));
	scap_cgroup_keys_destroy(keys);
	_exit(0);
}

static void run_in_child(void (*check)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0)
		check();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_own_groups(void **state)
{
	run_in_child(check_own_groups);
}

static void test_new_namespace(void **state)
{
	run_in_child(check_new_namespace);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_new_namespace),
	cmocka_unit_test(test_own_groups),
};

UNIT_GROUP(tests, .unfilled = true);
