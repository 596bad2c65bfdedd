/* SPDX-License-Identifier: MIT */
/* What roles keep, by what a run needs and what the kernel asks for. */
#include <linux/capability.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "in_child.h"
#include "privileges/capabilities.h"
#include "privileges/keep.h"
#include "tree.h"
#include "unit.h"

#define EVERYTHING (~UINT64_C(0))

static void expect_kept(enum privileges_role role, struct privileges_needs needs,
			struct privileges_kernel kernel, uint64_t permitted, const char *names)
{
	char memory[256];
	struct buf text = buf_fixed(memory, sizeof(memory));

	capabilities_append(privileges_kept(role, &needs, &kernel, permitted), &text);
	buf_append_char(&text, '\0');
	assert_string_equal(memory, names);
}

static void test_events(void **state)
{
	const struct privileges_needs none = {0}, reloads = {.reloads = true},
				      command = {.has_command = true};
	const struct privileges_kernel usual = {0}, old = {.guards_maps = true},
				       paranoid = {.is_paranoid = true},
				       bare = {.lacks_tracefs = true};

	expect_kept(ROLE_EVENTS, none, usual, EVERYTHING,
		    "PERFMON, IPC_LOCK, SYS_PTRACE, DAC_READ_SEARCH");
	/* The rest is of the process that loads. */
	expect_kept(ROLE_EVENTS, reloads, usual, EVERYTHING,
		    "IPC_LOCK, SYS_PTRACE, DAC_READ_SEARCH");
	expect_kept(ROLE_EVENTS, reloads, paranoid, EVERYTHING,
		    "IPC_LOCK, SYS_PTRACE, DAC_READ_SEARCH");
	expect_kept(ROLE_EVENTS, reloads, old, EVERYTHING,
		    "BPF, IPC_LOCK, SYS_PTRACE, DAC_READ_SEARCH");
	expect_kept(ROLE_EVENTS, none, old, EVERYTHING,
		    "BPF, PERFMON, IPC_LOCK, SYS_PTRACE, DAC_READ_SEARCH");
	expect_kept(ROLE_EVENTS, command, usual, EVERYTHING,
		    "PERFMON, IPC_LOCK, SYS_PTRACE, DAC_READ_SEARCH, KILL");
	expect_kept(ROLE_EVENTS, none, paranoid, EVERYTHING,
		    "PERFMON, IPC_LOCK, SYS_PTRACE, DAC_READ_SEARCH, SYS_ADMIN");
	expect_kept(ROLE_EVENTS, none, bare, EVERYTHING,
		    "PERFMON, IPC_LOCK, SYS_PTRACE, DAC_READ_SEARCH");
	expect_kept(ROLE_EVENTS, reloads, bare, EVERYTHING,
		    "IPC_LOCK, SYS_PTRACE, DAC_READ_SEARCH");
}

/* Only what there is, and CAP_SYS_ADMIN for what it stands for. */
static void test_fewer(void **state)
{
	const struct privileges_needs none = {0};
	const struct privileges_kernel usual = {0};

	expect_kept(ROLE_EVENTS, none, usual, 0, "none");
	expect_kept(ROLE_EVENTS, none, usual, CAPABILITY(CAP_SYS_PTRACE) | CAPABILITY(CAP_CHOWN),
		    "SYS_PTRACE");
	expect_kept(ROLE_EVENTS, none, usual,
		    CAPABILITY(CAP_SYS_PTRACE) | CAPABILITY(CAP_SYS_ADMIN),
		    "SYS_PTRACE, SYS_ADMIN");
}

static void test_other_roles(void **state)
{
	const struct privileges_needs loads = {.reloads = true, .has_command = true};
	const struct privileges_kernel usual = {.is_paranoid = true, .guards_maps = true},
				       override = {.needs_override = true};

	expect_kept(ROLE_PROCESSES, loads, usual, EVERYTHING, "SYS_PTRACE, DAC_READ_SEARCH");
	expect_kept(ROLE_METADATA, loads, usual, EVERYTHING, "DAC_READ_SEARCH");
	expect_kept(ROLE_NAMESPACES, loads, usual, EVERYTHING,
		    "NET_ADMIN, SYS_PTRACE, DAC_READ_SEARCH, SYS_ADMIN");
	expect_kept(ROLE_NAMESPACES, loads, usual, CAPABILITY(CAP_NET_ADMIN), "NET_ADMIN");
	expect_kept(ROLE_OUTPUT, loads, usual, EVERYTHING, "none");
	expect_kept(ROLE_CONTROL, loads, usual, EVERYTHING, "none");
	expect_kept(ROLE_PROFILES, loads, usual, EVERYTHING,
		    "BPF, SYS_PTRACE, DAC_READ_SEARCH, 40");
	expect_kept(ROLE_PROFILES_SENT, loads, usual, EVERYTHING,
		    "BPF, SYS_PTRACE, DAC_READ_SEARCH, 40");
	expect_kept(ROLE_PROCESSES, loads, override, EVERYTHING, "SYS_PTRACE, DAC_READ_SEARCH");
	expect_kept(ROLE_METADATA, loads, override, EVERYTHING, "DAC_READ_SEARCH, DAC_OVERRIDE");
	expect_kept(ROLE_OUTPUT, loads, override, EVERYTHING, "DAC_OVERRIDE");
	expect_kept(ROLE_CONTROL, loads, override, EVERYTHING, "none");
}

static void test_loader(void **state)
{
	const struct privileges_needs reloads = {.reloads = true, .has_command = true};
	const struct privileges_kernel usual = {.guards_maps = true, .needs_override = true},
				       paranoid = {.is_paranoid = true},
				       bare = {.lacks_tracefs = true};
	const char *alone =
		geteuid() ? "BPF, PERFMON, NET_ADMIN, DAC_READ_SEARCH" : "BPF, PERFMON, NET_ADMIN";
	const char *admin = geteuid() ? "BPF, PERFMON, NET_ADMIN, DAC_READ_SEARCH, SYS_ADMIN"
				      : "BPF, PERFMON, NET_ADMIN, SYS_ADMIN";

	if (capabilities_kernel_locks_maps())
		skip(); /* with SYS_RESOURCE */
	expect_kept(ROLE_LOADER, reloads, usual, EVERYTHING, alone);
	expect_kept(ROLE_LOADER, reloads, paranoid, EVERYTHING, admin);
	expect_kept(ROLE_LOADER, reloads, bare, EVERYTHING, admin);
	expect_kept(ROLE_LOADER, reloads, usual, CAPABILITY(CAP_SYS_ADMIN), "SYS_ADMIN");
}

static void test_reasons(void **state)
{
	const struct privileges_needs needs = {.has_command = true};
	const struct privileges_kernel kernel = {.guards_maps = true};
	char memory[256];
	struct buf text = buf_fixed(memory, sizeof(memory));

	privileges_append_reasons(&needs, &kernel, EVERYTHING, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(memory,
			    "; BPF: this kernel needs it to read counters; KILL: the command "
			    "may change its user");
	buf_clear(&text);
	privileges_append_reasons(&needs, &kernel, CAPABILITY(39), &text);
	buf_append_char(&text, '\0');
	assert_string_equal(memory, "; BPF: this kernel needs it to read counters");
}

static void test_settings(void **state)
{
	const struct privileges_needs none = {0};
	struct privileges_kernel kernel;
	struct tree tree;

	tree_create(&tree);
	privileges_kernel_read(&none, tree.path, &kernel);
	assert_true(kernel.lacks_tracefs);
	assert_false(kernel.is_paranoid);
	tree_write(&tree, "proc/sys/kernel/perf_event_paranoid", "3\n");
	tree_write(&tree, "sys/kernel/tracing/events/enable", "");
	privileges_kernel_read(&none, tree.path, &kernel);
	assert_false(kernel.lacks_tracefs);
	assert_true(kernel.is_paranoid);
	tree_write(&tree, "proc/sys/kernel/perf_event_paranoid", "2\n");
	/* Whatever the kernel. */
	tree_write(&tree, "proc/sys/kernel/unprivileged_bpf_disabled", "0\n");
	privileges_kernel_read(&none, tree.path, &kernel);
	assert_false(kernel.is_paranoid);
	assert_false(kernel.guards_maps);
	tree_destroy(&tree);
}

/* Root needs it to write where another user is the owner. */
static int try_override(void *context)
{
	const struct tree *tree = context;
	char own[TREE_PATH_BYTES], other[TREE_PATH_BYTES], missing[TREE_PATH_BYTES];
	const char *const of_root[] = {own, NULL}, *const of_other[] = {own, other, NULL},
			  *const in_other[] = {missing, NULL};
	struct privileges_kernel kernel;
	struct capability_sets before, after;

	tree_path(tree, "own/file", own);
	tree_path(tree, "other/file", other);
	tree_path(tree, "other/missing", missing);
	EXPECT(chown(other, 65534, 65534) == 0 && chmod(other, 0600) == 0);
	*strrchr(other, '/') = '\0';
	EXPECT(chown(other, 65534, 65534) == 0 && chmod(other, 0755) == 0);
	tree_path(tree, "other/file", other);
	EXPECT(capability_sets_read(&before) == 0);
	privileges_kernel_read(&(struct privileges_needs){.writes = of_root}, "", &kernel);
	EXPECT(!kernel.needs_override);
	privileges_kernel_read(&(struct privileges_needs){.writes = of_other}, "", &kernel);
	EXPECT(kernel.needs_override);
	privileges_kernel_read(&(struct privileges_needs){.writes = in_other}, "", &kernel);
	EXPECT(kernel.needs_override);
	EXPECT(capability_sets_read(&after) == 0 && after.effective == before.effective);
	return 0;
}

static void test_override(void **state)
{
	struct tree tree;

	if (geteuid())
		skip();
	tree_create(&tree);
	assert_int_equal(chmod(tree.path, 0755), 0);
	tree_write(&tree, "own/file", "");
	tree_write(&tree, "other/file", "");
	in_child(try_override, &tree);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_events),	    cmocka_unit_test(test_fewer),
	cmocka_unit_test(test_other_roles), cmocka_unit_test(test_loader),
	cmocka_unit_test(test_reasons),	    cmocka_unit_test(test_settings),
	cmocka_unit_test(test_override),
};

UNIT_GROUP(tests);
