/* SPDX-License-Identifier: MIT */
/* What a plan and options make of the configuration of a capture. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/plan/plan.h"
#include "agent/input/live_open.h"

#include "scap/live/loaded.h"
#include "scap/proc/cgroup_keys.h"

#include "fake_live.h"
#include "unit.h"

static struct scap_live live;
static struct live_loader loader;
static struct live_place place = {.self_pids = {70, 71}, .loader = &loader};

/* Opens a capture for these options, with a boot offset of 5 ns. */
static const struct scap_live_config *open_for(const struct options *options)
{
	struct printer printer = {.format = &format_none};
	struct scap_live *opened = NULL;
	struct plan *plan;
	struct error err = {""};

	if (plan_create(options, &printer, &plan, NULL, &err))
		fail_msg("%s", err.text);
	fake_live_init(&live);
	fake_live_offer(&live);
	if (live_open(plan, &place, 5, &opened, &err))
		fail_msg("%s", err.text);
	assert_ptr_equal(opened, &live);
	plan_destroy(plan);
	scap_source_destroy(scap_live_source(opened));
	return &live.config;
}

/* Keys of groups that other file systems stand in for: see tests/unit/scap/proc/cgroup_keys.c. */
static struct scap_cgroup_keys *make_keys(void)
{
	char path[] = "/tmp/lanner-mounts-XXXXXX";
	struct scap_cgroup_keys *keys;
	int fd = mkstemp(path);

	assert_true(fd >= 0 && dprintf(fd, "a /proc cgroup2 rw 0 0\n") > 0);
	close(fd);
	assert_int_equal(scap_cgroup_keys_create(path, "", &keys), 0);
	unlink(path);
	return keys;
}

/* Groups are compared only with a key that the programs make, too. */
static void test_groups(void **state)
{
	static const char own[] = "cpuset=/sys";
	const struct options options = {.filter = "evt.type=close and container.id=host"};
	struct scap_cgroup_keys *keys = make_keys();
	const struct scap_live_config *config = open_for(&options);

	assert_int_equal(config->kernel_filters.hierarchies, 0);
	place.keys = keys;
	assert_false(live_knows_groups(&place, &live));
	config = open_for(&options);
	assert_int_equal(config->kernel_filters.hierarchies, 1 << CGROUPS);
	buf_append(&live.own_groups, own, sizeof(own));
	assert_int_equal(scap_cgroup_keys_make(keys, own, sizeof(own), &live.groups_key), 0);
	assert_true(live_knows_groups(&place, &live));
	live.groups_key++;
	assert_false(live_knows_groups(&place, &live));
	buf_finish(&live.own_groups);
	config = open_for(&(struct options){.filter = "evt.type=close"});
	assert_int_equal(config->kernel_filters.hierarchies, 0);
	place.keys = NULL;
	scap_cgroup_keys_destroy(keys);
}

static void test_options(void **state)
{
	const struct options options = {
		.filter = "evt.type=close",
		.ring_bytes = 1 << 16,
		.snaplen = 123,
		.snaplen_rules = {.statsd_port = 8125},
		.include_self = true,
		.verbose = true,
	};
	const struct scap_live_config *config = open_for(&options);

	assert_int_equal(config->ring_bytes, 1 << 16);
	assert_int_equal(config->snaplen, 123);
	assert_int_equal(config->snaplen_rules.statsd_port, 8125);
	assert_int_equal(config->boot_offset_ns, 5);
	assert_ptr_equal(config->loader, &loader);
	assert_int_equal(config->self_pids[0], 0);
	assert_int_equal(config->self_pids[1], 0);
	assert_true(config->verbose);
	assert_false(config->enter_times);
}

/*
 * Without options the agent's own events are left out, and the rings suit the machine: a power of
 * two, at least a page.
 */
static void test_defaults(void **state)
{
	const struct scap_live_config *config = open_for(&(struct options){0});

	assert_int_equal(config->self_pids[0], 70);
	assert_int_equal(config->self_pids[1], 71);
	assert_true(config->ring_bytes >= 4096);
	assert_int_equal(config->ring_bytes & (config->ring_bytes - 1), 0);
}

/* Rings of a size that was chosen do not grow; those that share their memory do. */
static void test_memory(void **state)
{
	const struct scap_live_config *config = open_for(&(struct options){.ring_bytes = 1 << 20});

	assert_int_equal(config->ring_bytes, 1 << 20);
	assert_true(config->rings_bytes == 0);
	config = open_for(&(struct options){.buffers_bytes = UINT64_C(1) << 30});
	assert_in_range(config->rings_bytes, 1 << 29, 1 << 30);
}

/* What only the state needs is captured when it succeeds, and is not shown. */
static void test_events(void **state)
{
	const struct scap_live_config *config =
		open_for(&(struct options){.filter = "evt.type=read and fd.name contains a"});

	assert_true(config->events[EVENT_read]);
	assert_false(config->successes[EVENT_read]);
	assert_true(config->events[EVENT_openat]);
	assert_true(config->successes[EVENT_openat]);
	assert_false(config->events[EVENT_kill]);
}

/* Every number that is no system call here. */
static void test_generic_calls(void **state)
{
	const struct scap_live_config *config =
		open_for(&(struct options){.filter = "evt.type=unknown"});

	assert_true(config->events[EVENT_syscall]);
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		assert_int_equal(config->syscalls[number],
				 syscall_code_of_native(number) == SC_unknown);
		assert_int_equal(config->compat_syscalls[number],
				 syscall_code_of_compat(number) == SC_unknown);
	}
}

static enum live_entry_notes notes_for(const struct options *options)
{
	return open_for(options)->entry_notes;
}

/* What nobody sees is not noted on entry of calls. */
static void test_entry_notes(void **state)
{
	struct options options = {.filter = "evt.type=open"};

	assert_int_equal(notes_for(&options), ENTRY_NOTES_NONE);
	options.filter = "evt.type=ppoll and evt.args contains 1";
	assert_int_equal(notes_for(&options), ENTRY_NOTES_OVERWRITTEN);
	options.changed_arguments = true;
	assert_int_equal(notes_for(&options), ENTRY_NOTES_ALL);
	options = (struct options){.filter = "evt.arg.name_at_enter=x"};
	assert_int_equal(notes_for(&options), ENTRY_NOTES_ALL);
}

static void test_enter_times(void **state)
{
	assert_true(open_for(&(struct options){.filter = "evt.type=read and evt.latency>1"})
			    ->enter_times);
}

static void test_environments(void **state)
{
	char filter[] = "evt.type=read and proc.env[A]=b";
	const struct options recorded = {.filter = "evt.type=read", .write = "a.scap"};

	assert_false(open_for(&(struct options){.filter = "evt.type=read"})->environments);
	assert_true(open_for(&(struct options){.filter = filter})->environments);
	/* A capture file is whole, whatever passes the filter. */
	assert_true(open_for(&recorded)->environments);
}

/* Descriptors are not asked for where no field can show one. */
static void test_iterators(void **state)
{
	const bool *wanted = open_for(&(struct options){.filter = "fd.name=/a"})->iterators;

	assert_true(wanted[SCAP_LIVE_OPEN_FDS] && wanted[SCAP_LIVE_THREADS]);
	wanted = open_for(&(struct options){.filter = "evt.type=setpgid"})->iterators;
	assert_true(!wanted[SCAP_LIVE_OPEN_FDS] && wanted[SCAP_LIVE_THREADS]);
}

static void test_failure(void **state)
{
	const struct options options = {0};
	const struct plan plan = {.options = &options};
	struct scap_live *opened = NULL;
	struct error err = {""};

	fake_live_offer(NULL);
	assert_int_equal(live_open(&plan, &place, 0, &opened, &err), -EPERM);
	assert_null(opened);
	assert_string_equal(err.text, "there is no capture");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_groups),	      cmocka_unit_test(test_options),
	cmocka_unit_test(test_memory),	      cmocka_unit_test(test_defaults),
	cmocka_unit_test(test_events),	      cmocka_unit_test(test_generic_calls),
	cmocka_unit_test(test_enter_times),   cmocka_unit_test(test_environments),
	cmocka_unit_test(test_generic_calls), cmocka_unit_test(test_iterators),
	cmocka_unit_test(test_entry_notes),   cmocka_unit_test(test_failure),
};

UNIT_GROUP(tests);
