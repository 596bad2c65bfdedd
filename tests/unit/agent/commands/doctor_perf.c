/* SPDX-License-Identifier: MIT */
/* What is said of counters, breakpoints and samples. */
#include <unistd.h>

#include "doctored.h"
#include "perf/attr.h"
#include "unit.h"

static void names_the_counters(void **state)
{
	doctored_expect(*state, "doctor", doctor_counters, DOCTOR_OK, "none: cycles cannot");
	tree_write(*state, "sys/bus/event_source/devices/cpu_core/type", "4\n");
	tree_write(*state, "sys/bus/event_source/devices/cpu_core/cpus", "0-3\n");
	tree_write(*state, "sys/bus/event_source/devices/cpu_atom/type", "10\n");
	tree_write(*state, "sys/bus/event_source/devices/cpu_atom/cpus", "4\n");
	doctored_expect(*state, "doctor", doctor_counters, DOCTOR_OK, "cpu_atom, cpu_core");
}

static int as_nobody(void)
{
	return setgid(65534) || setuid(65534);
}

/* When others have all breakpoints of a CPU, or this process may set none. */
static void says_whether_breakpoints_are_free(void **state)
{
	static uint64_t watched[32];
	int fds[32], n = 0, fd = 0;

	doctored_expect(*state, "doctor", doctor_breakpoints, DOCTOR_LIMITED, "CPUs are not known");
	doctored_expect_child(as_nobody, doctor_breakpoints, DOCTOR_LIMITED, "none can be set: ");
	while (n < 32 && fd >= 0) {
		const struct perf_event_attr attr = {
			.type = PERF_TYPE_BREAKPOINT,
			.bp_type = 2,
			.bp_addr = (uintptr_t)&watched[n],
			.bp_len = 8,
			.exclude_kernel = 1,
		};

		fd = perf_attr_open(&attr, 0, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			fds[n++] = fd;
	}
	if (n == 0)
		skip();
	doctored_expect(NULL, "doctor", doctor_breakpoints, DOCTOR_LIMITED, "others have them all");
	while (n)
		close(fds[--n]);
	doctored_expect(NULL, "doctor", doctor_breakpoints, DOCTOR_OK, " can be set on each CPU");
}

static void says_what_samples_may_take(void **state)
{
	doctored_expect(*state, "doctor", doctor_sampling, DOCTOR_OK,
			"/proc/sys/kernel/perf_event_max_sample_rate: No such file");
	tree_write(*state, "proc/sys/kernel/perf_event_max_sample_rate", "50000\n");
	tree_write(*state, "proc/sys/kernel/perf_cpu_time_max_percent", "25\n");
	tree_write(*state, "proc/sys/kernel/perf_event_max_stack", "127\n");
	tree_write(*state, "proc/sys/kernel/perf_event_mlock_kb", "516\n");
	doctored_expect(
		*state, "doctor", doctor_sampling, DOCTOR_OK,
		"at most 50000 samples a second (lowered from 100000, by an administrator or by "
		"the kernel, as samples took it too long), for 25 per cent of the time of a CPU, "
		"of 127 "
		"frames; each user may lock 516 KiB for a CPU");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(names_the_counters, doctored_setup, doctored_teardown),
	cmocka_unit_test_setup_teardown(says_whether_breakpoints_are_free, doctored_setup,
					doctored_teardown),
	cmocka_unit_test_setup_teardown(says_what_samples_may_take, doctored_setup,
					doctored_teardown),
};

UNIT_GROUP(tests);
