/* SPDX-License-Identifier: MIT */
/* Capabilities as the kernel shows them in /proc, by name, and by what they are for. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "privileges/capabilities.h"
#include "unit.h"

static uint64_t of_status(const char *name)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t set = 0;
	char line[256];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0)
			assert_int_equal(sscanf(line + strlen(name), ": %" SCNx64, &set), 1);
	fclose(file);
	return set;
}

static void test_read(void **state)
{
	struct capability_sets sets;

	assert_int_equal(capability_sets_read(&sets), 0);
	assert_int_equal(sets.effective, of_status("CapEff"));
	assert_int_equal(sets.permitted, of_status("CapPrm"));
	assert_int_equal(sets.inheritable, of_status("CapInh"));
	assert_int_equal(sets.bounding, of_status("CapBnd"));
	assert_int_equal(sets.ambient, of_status("CapAmb"));
}

static const struct capability *row(const char *name)
{
	for (size_t i = 0; i < capabilities_count; i++)
		if (strcmp(capabilities[i].name, name) == 0)
			return &capabilities[i];
	fail_msg("no row %s", name);
	return NULL;
}

/* CAP_SYS_ADMIN (21) is enough for BPF and perf, not for /proc. */
static void test_admin(void **state)
{
	assert_true(capability_is_in(row("BPF"), UINT64_C(1) << 39));
	assert_true(capability_is_in(row("BPF"), UINT64_C(1) << 21));
	assert_false(capability_is_in(row("BPF"), ~(UINT64_C(1) << 39 | UINT64_C(1) << 21)));
	assert_true(capability_is_in(row("SYS_PTRACE"), UINT64_C(1) << 19));
	assert_false(capability_is_in(row("SYS_PTRACE"), UINT64_C(1) << 21));
}

static void expect_names(uint64_t set, const char *names)
{
	char text[256];
	struct buf out = buf_fixed(text, sizeof(text));

	capabilities_append(set, &out);
	buf_append_char(&out, '\0');
	assert_false(out.failed);
	assert_string_equal(text, names);
}

static void test_names(void **state)
{
	expect_names(0, "none");
	expect_names(UINT64_C(1) << 39, "BPF");
	expect_names(UINT64_C(1) << 63 | UINT64_C(1) << 19 | UINT64_C(1) << 39 | 1,
		     "BPF, SYS_PTRACE, 0, 63");
	expect_names(UINT64_C(1) << 1 | UINT64_C(1) << 5 | UINT64_C(1) << 21,
		     "DAC_OVERRIDE, KILL, SYS_ADMIN");
	expect_names(capabilities_for(USED_TO_READ), "DAC_READ_SEARCH");
	expect_names(capabilities_for(USED_FOR_PROCESSES), "SYS_PTRACE, DAC_READ_SEARCH");
	expect_names(capabilities_for(USED_FOR_RINGS), "PERFMON");
	expect_names(capabilities_for(USED_TO_MAP), "IPC_LOCK");
	expect_names(capabilities_for(USED_TO_LOAD),
		     capabilities_kernel_locks_maps() ? "BPF, PERFMON, NET_ADMIN, SYS_RESOURCE" : "BPF, PERFMON, NET_ADMIN");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_read),
	cmocka_unit_test(test_admin),
	cmocka_unit_test(test_names),
};

UNIT_GROUP(tests);
