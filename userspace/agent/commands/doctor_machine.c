/* SPDX-License-Identifier: MIT */
/* Checks of what the machine gives: descriptors, memory, clocks, disk space. */
#include "agent/commands/doctor_check.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include "agent/commands/doctor_read.h"
#include "agent/process/memory_limit.h"

enum {
	DESCRIPTORS_BASE = 512, /* programs, maps, links, files, sockets */
	KIB = 1024,
	MIB = 1024 * KIB,
	/* As measured: deploy/k8s/daemonset.yaml says more. */
	MEMORY_BASE_KIB = 34 * KIB,
	MEMORY_CPU_KIB = 768,
	SPOOL_MIB = 1024,
};

enum doctor_status doctor_descriptors(const struct doctor *doctor, struct buf *found)
{
	rlim_t wanted = DESCRIPTORS_BASE + (rlim_t)sysconf(_SC_NPROCESSORS_CONF);
	struct rlimit limit = {0};

	getrlimit(RLIMIT_NOFILE, &limit);
	buf_printf(found, "at most %llu", (unsigned long long)limit.rlim_cur);
	if (limit.rlim_cur >= wanted)
		return DOCTOR_OK;
	buf_printf(found, ", %llu may be needed", (unsigned long long)wanted);
	return DOCTOR_LIMITED;
}

enum doctor_status doctor_memory(const struct doctor *doctor, struct buf *found)
{
	uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	uint64_t wanted_kib = MEMORY_BASE_KIB + cpus * MEMORY_CPU_KIB;
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t bytes = memory_limit_of_groups(doctor->root);

	if (bytes >= all) {
		buf_printf(found, "no limit below the machine's %llu MiB",
			   (unsigned long long)(all / MIB));
		return DOCTOR_OK;
	}
	buf_printf(found, "the control group has %llu MiB; programs, maps and the agent take %llu",
		   (unsigned long long)(bytes / MIB), (unsigned long long)(wanted_kib / KIB));
	return bytes / KIB >= wanted_kib ? DOCTOR_OK : DOCTOR_LIMITED;
}

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* Those that are read with a bus access, more than 1 us each time. */
static bool is_slow(const char *clock)
{
	return strcmp(clock, "hpet") == 0 || strcmp(clock, "acpi_pm") == 0 ||
	       strcmp(clock, "refined-jiffies") == 0 || strcmp(clock, "jiffies") == 0;
}

enum doctor_status doctor_clock(const struct doctor *doctor, struct buf *found)
{
	char clock[DOCTOR_TEXT_BYTES];
	struct timex state = {0};
	bool is_synchronized;

	if (doctor_read(doctor, CLOCKSOURCE, clock))
		snprintf(clock, sizeof(clock), "unknown clock source");
	adjtimex(&state);
	is_synchronized = !(state.status & STA_UNSYNC);
	buf_printf(found, "%s%s, %s", clock, is_slow(clock) ? " (slow)" : "",
		   is_synchronized ? "synchronized" : "not synchronized");
	return is_synchronized && !is_slow(clock) ? DOCTOR_OK : DOCTOR_LIMITED;
}

#define SPOOL_FOLDER "/var/lib/lanner"

/* The folder, or the nearest above it that exists. */
static void find_existing(const struct doctor *doctor, char path[PATH_MAX])
{
	char *slash;

	snprintf(path, PATH_MAX, "%s%s", doctor->root, SPOOL_FOLDER);
	while (eaccess(path, F_OK) && (slash = strrchr(path, '/')) && slash != path)
		*slash = '\0';
}

enum doctor_status doctor_disk(const struct doctor *doctor, struct buf *found)
{
	char path[PATH_MAX];
	struct statvfs disk;
	unsigned long long free_mib;

	find_existing(doctor, path);
	if (statvfs(path, &disk)) {
		doctor_append_failure(path, -errno, found);
		return DOCTOR_LIMITED;
	}
	free_mib = (unsigned long long)disk.f_bavail * disk.f_frsize / MIB;
	buf_printf(found, "%llu MiB are free for " SPOOL_FOLDER, free_mib);
	if (eaccess(path, W_OK)) {
		buf_printf(found, "; %s cannot be written: %s", path, strerror(errno));
		return DOCTOR_LIMITED;
	}
	return free_mib >= SPOOL_MIB ? DOCTOR_OK : DOCTOR_LIMITED;
}
