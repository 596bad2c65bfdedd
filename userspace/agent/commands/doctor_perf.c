/* SPDX-License-Identifier: MIT */
/* Checks of what perf events can be counted and sampled, and who else does. */
#include "agent/commands/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf/attr.h"
#include "perf/cpus.h"
#include "perf/machine.h"
#include "perf/open.h"
#include "util/count.h"

/* Of one CPU at most: more than any has. */
enum { BREAKPOINTS_MAX = 32 };

static void append_cores(const struct perf_machine *machine, struct buf *found)
{
	const char *separator = "";

	for (const struct perf_pmu *pmu = machine->pmus; pmu; pmu = pmu->next) {
		if (!pmu->is_core)
			continue;
		buf_printf(found, "%s%s", separator, pmu->name);
		separator = ", ";
	}
}

enum doctor_status doctor_counters(const struct doctor *doctor, struct buf *found)
{
	const struct perf_event cycles = {.attr.exclude_kernel = 1}; /* type and config are 0 */
	struct perf_machine machine;
	char sysfs[256];
	int r;

	snprintf(sysfs, sizeof(sysfs), "%s/sys", doctor->root);
	if (perf_machine_open(&machine, sysfs, NULL, NULL) != 0) {
		BUF_LITERAL(found, "out of memory");
		return DOCTOR_OK;
	}
	append_cores(&machine, found);
	if (!machine.cores)
		BUF_LITERAL(found, "none");
	r = perf_open_try(&cycles);
	if (r == 0) {
		BUF_LITERAL(found, "; cycles can be counted");
	} else {
		BUF_LITERAL(found, ": cycles cannot be counted: ");
		perf_open_append_reason(&machine, &cycles, r, found);
	}
	perf_machine_close(&machine);
	return DOCTOR_OK;
}

/* How many breakpoints can be set on a CPU at this moment; -errno if not even one, for this reason.
 */
static int count_breakpoints(int cpu)
{
	static uint64_t watched[BREAKPOINTS_MAX];
	int fds[BREAKPOINTS_MAX], n = 0, fd = 0;

	while (n < BREAKPOINTS_MAX && fd >= 0) {
		const struct perf_event_attr attr = {
			.type = PERF_TYPE_BREAKPOINT,
			.bp_type = 2, /* writes */
			.bp_addr = (uintptr_t)&watched[n],
			.bp_len = sizeof(watched[n]),
			.disabled = 1,
			.exclude_kernel = 1,
			.exclude_hv = 1,
		};

		fd = perf_attr_open(&attr, 0, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			fds[n++] = fd;
	}
	for (int i = 0; i < n; i++)
		close(fds[i]);
	return n ? n : fd;
}

/* "; on CPU 2, 3", of those that have fewer than others. */
static void append_cpus_with(const struct perf_cpus *cpus, const int *free, int number,
			     struct buf *found)
{
	const char *separator = " on CPU ";

	for (size_t i = 0; i < cpus->count; i++) {
		if (free[i] != number)
			continue;
		buf_printf(found, "%s%u", separator, cpus->numbers[i]);
		separator = ", ";
	}
}

static bool has_cpu_with(const struct perf_cpus *cpus, const int *free, int number)
{
	for (size_t i = 0; i < cpus->count; i++)
		if (free[i] == number)
			return true;
	return false;
}

static enum doctor_status append_breakpoints(const struct perf_cpus *cpus, const int *free,
					     struct buf *found)
{
	int least = BREAKPOINTS_MAX, most = -ERANGE;

	for (size_t i = 0; i < cpus->count; i++) {
		least = free[i] < least ? free[i] : least;
		most = free[i] > most ? free[i] : most;
	}
	if (most > 0)
		buf_printf(found, "%d can be set on each CPU", most);
	if (least > 0 && least == most)
		return DOCTOR_OK;
	for (int number = most - 1; number > 0 && number >= least; number--) {
		if (!has_cpu_with(cpus, free, number))
			continue;
		buf_printf(found, ", but %d", number);
		append_cpus_with(cpus, free, number, found);
	}
	if (least > 0)
		return DOCTOR_OK;
	buf_printf(found, "%snone can be set", most > 0 ? ", but " : "");
	if (most > 0)
		append_cpus_with(cpus, free, least, found);
	buf_printf(found, ": %s", least == -ENOSPC ? "others have them all" : strerror(-least));
	return DOCTOR_LIMITED;
}

enum doctor_status doctor_breakpoints(const struct doctor *doctor, struct buf *found)
{
	char text[DOCTOR_TEXT_BYTES];
	struct arena arena = {0};
	struct perf_cpus cpus = {0};
	enum doctor_status status;
	int *free;

	if (doctor_read(doctor, "/sys/devices/system/cpu/online", text) != 0 ||
	    perf_cpus_read(text, &arena, &cpus) != 0) {
		BUF_LITERAL(found, "the CPUs are not known");
		return DOCTOR_LIMITED;
	}
	free = arena_alloc(&arena, cpus.count * sizeof(*free));
	for (size_t i = 0; free && i < cpus.count; i++)
		free[i] = count_breakpoints((int)cpus.numbers[i]);
	if (!free)
		BUF_LITERAL(found, "out of memory");
	status = free ? append_breakpoints(&cpus, free, found) : DOCTOR_LIMITED;
	arena_finish(&arena);
	return status;
}

#define RATE "/proc/sys/kernel/perf_event_max_sample_rate"
enum { RATE_DEFAULT = 100000 };

enum doctor_status doctor_sampling(const struct doctor *doctor, struct buf *found)
{
	static const struct {
		const char *path, *before, *behind;
	} rows[] = {
		{RATE, "at most ", " samples a second"},
		{"/proc/sys/kernel/perf_cpu_time_max_percent", ", for ",
		 " per cent of the time of a CPU"},
		{"/proc/sys/kernel/perf_event_max_stack", ", of ", " frames"},
		{"/proc/sys/kernel/perf_event_mlock_kb", "; each user may lock ", " KiB for a CPU"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		long number;
		int r = doctor_read_number(doctor, rows[i].path, &number);

		if (r == 0)
			buf_printf(found, "%s%ld%s", rows[i].before, number, rows[i].behind);
		else
			doctor_append_failure(rows[i].path, r, found);
		if (r == 0 && strcmp(rows[i].path, RATE) == 0 && number < RATE_DEFAULT)
			buf_printf(found,
				   " (lowered from %d, by an administrator or by the kernel, "
				   "as samples took it too long)",
				   RATE_DEFAULT);
	}
	return DOCTOR_OK;
}
