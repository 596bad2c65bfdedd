/* SPDX-License-Identifier: MIT */
/* Checks of the machine: kernel, its settings, mounts, resources. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/commands/doctor.h"
#include "agent/process/memory.h"
#include "privileges/capabilities.h"
#include "scap/live/load.h"
#include "util/count.h"
#include "util/kernel_fs.h"

int doctor_read(const struct doctor *doctor, const char *path, char text[DOCTOR_TEXT_BYTES])
{
	char full[PATH_MAX];
	ssize_t n;
	int fd;

	text[0] = '\0';
	snprintf(full, sizeof(full), "%s%s", doctor->root, path);
	fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, DOCTOR_TEXT_BYTES - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	if (n && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return 0;
}

int doctor_read_number(const struct doctor *doctor, const char *path, long *number)
{
	char text[DOCTOR_TEXT_BYTES], *end;
	int r = doctor_read(doctor, path, text);
	long value;

	if (r)
		return r;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end)
		return -EINVAL;
	*number = value;
	return 0;
}

void doctor_append_failure(const char *path, int error, struct buf *found)
{
	buf_printf(found, "%s: %s", path, strerror(-error));
}

/* Checks of the kernel: its version, its types, its settings. */

/* As deploy/manual/kernels.md has them. */
#ifdef __aarch64__
enum { LEAST_MAJOR = 5, LEAST_MINOR = 18 };
#else
enum { LEAST_MAJOR = 5, LEAST_MINOR = 10 };
#endif

static bool is_before(unsigned int major, unsigned int minor, unsigned int least_major,
		      unsigned int least_minor)
{
	return major < least_major || (major == least_major && minor < least_minor);
}

enum doctor_status doctor_kernel(const struct doctor *doctor, struct buf *found)
{
	unsigned int major, minor;
	struct utsname system;

	uname(&system);
	buf_printf(found, "Linux %s on %s", system.release, system.machine);
	if (sscanf(system.release, "%u.%u", &major, &minor) != 2 ||
	    is_before(major, minor, LEAST_MAJOR, LEAST_MINOR))
		return DOCTOR_MISSING;
	if (!is_before(major, minor, 5, 15))
		return DOCTOR_OK;
	BUF_LITERAL(found, ": no events exit and exit_group (procexit reports every end)");
	return DOCTOR_LIMITED;
}

/* The magic number of struct btf_header. */
enum { BTF_MAGIC_0 = 0x9f, BTF_MAGIC_1 = 0xeb };

enum doctor_status doctor_btf(const struct doctor *doctor, struct buf *found)
{
	char text[DOCTOR_TEXT_BYTES], path[PATH_MAX];
	int r = doctor_read(doctor, LIVE_BTF_PATH, text);
	struct stat file;

	if (r) {
		doctor_append_failure(LIVE_BTF_PATH, r, found);
		return DOCTOR_MISSING;
	}
	/* Little-endian, as both architectures are. */
	if ((unsigned char)text[0] != BTF_MAGIC_0 || (unsigned char)text[1] != BTF_MAGIC_1) {
		BUF_LITERAL(found, LIVE_BTF_PATH " is no BTF");
		return DOCTOR_MISSING;
	}
	snprintf(path, sizeof(path), "%s" LIVE_BTF_PATH, doctor->root);
	if (stat(path, &file) == 0)
		buf_printf(found, LIVE_BTF_PATH ", %lld KiB", (long long)file.st_size / 1024);
	return DOCTOR_OK;
}

/* "none [integrity] confidentiality"; securityfs need not be mounted. */
static int read_lockdown(const struct doctor *doctor, char text[DOCTOR_TEXT_BYTES])
{
	struct doctor below = {doctor->options, ""};
	char folder[PATH_MAX];
	int fs, r;

	snprintf(folder, sizeof(folder), "%s/sys/kernel/security", doctor->root);
	fs = kernel_fs_open("securityfs", folder, "lsm");
	if (fs < 0) {
		text[0] = '\0';
		return fs;
	}
	snprintf(folder, sizeof(folder), "/proc/self/fd/%d/lockdown", fs);
	r = doctor_read(&below, folder, text);
	close(fs);
	return r;
}

enum doctor_status doctor_lockdown(const struct doctor *doctor, struct buf *found)
{
	char text[DOCTOR_TEXT_BYTES];
	int r = read_lockdown(doctor, text);

	if (r == -ENOENT || r == -ENODEV) {
		BUF_LITERAL(found, "this kernel has none");
		return DOCTOR_OK;
	}
	if (r) {
		buf_printf(found, "not known (securityfs: %s); kernel_reads tries what it forbids",
			   strerror(-r));
		return DOCTOR_OK;
	}
	buf_append_string(found, text);
	return strstr(text, "[confidentiality]") ? DOCTOR_MISSING : DOCTOR_OK;
}

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* The mainline kernel knows values up to 2; distributions have added some, for CAP_SYS_ADMIN. */
enum { PARANOID_MAX = 2 };

static bool is_admin(void)
{
	struct capability_sets sets;

	return capability_sets_read(&sets) == 0 && (sets.effective >> CAP_SYS_ADMIN & 1);
}

enum doctor_status doctor_paranoid(const struct doctor *doctor, struct buf *found)
{
	long value;
	int r = doctor_read_number(doctor, PARANOID, &value);

	if (r) {
		doctor_append_failure(PARANOID, r, found);
		return DOCTOR_MISSING;
	}
	buf_printf(found, "%ld", value);
	if (value <= PARANOID_MAX)
		return DOCTOR_OK;
	BUF_LITERAL(found, ": this distribution's kernel wants CAP_SYS_ADMIN then");
	return is_admin() ? DOCTOR_OK : DOCTOR_MISSING;
}

/* A setting that only explains others: its value, and what the values mean. */
static enum doctor_status explain_setting(const struct doctor *doctor, const char *path,
					  const char *const *meanings, long count,
					  struct buf *found)
{
	long value;
	int r = doctor_read_number(doctor, path, &value);

	if (r)
		doctor_append_failure(path, r, found);
	else if (value < 0 || value >= count)
		buf_printf(found, "%ld", value);
	else
		buf_printf(found, "%ld: %s", value, meanings[value]);
	return DOCTOR_OK;
}

enum doctor_status doctor_unprivileged_bpf(const struct doctor *doctor, struct buf *found)
{
	static const char *const meanings[] = {"everyone may load some programs",
					       "only with CAP_BPF, until the machine restarts",
					       "only with CAP_BPF"};

	return explain_setting(doctor, "/proc/sys/kernel/unprivileged_bpf_disabled", meanings,
			       COUNT(meanings), found);
}

enum doctor_status doctor_kptr(const struct doctor *doctor, struct buf *found)
{
	static const char *const meanings[] = {"kernel addresses are shown to all",
					       "kernel addresses are shown with CAP_SYSLOG",
					       "kernel addresses are never shown"};

	return explain_setting(doctor, "/proc/sys/kernel/kptr_restrict", meanings, COUNT(meanings),
			       found);
}

enum doctor_status doctor_bpf_stats(const struct doctor *doctor, struct buf *found)
{
	static const char *const meanings[] = {
		"run times of BPF programs are not counted",
		"run times of BPF programs are counted, which makes each run slower"};

	return explain_setting(doctor, "/proc/sys/kernel/bpf_stats_enabled", meanings,
			       COUNT(meanings), found);
}

/* Checks of what the machine gives: descriptors, memory, clocks, disk space. */

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
