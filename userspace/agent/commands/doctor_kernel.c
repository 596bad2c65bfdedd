/* SPDX-License-Identifier: MIT */
/* Checks of the kernel: its version, its types, its settings. */
#include "agent/commands/doctor_check.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/commands/doctor_read.h"
#include "privileges/capabilities.h"
#include "scap/live/object.h"
#include "util/kernel_fs.h"

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
	int code = doctor_read(doctor, LIVE_BTF_PATH, text);
	struct stat file;

	if (code) {
		doctor_append_failure(LIVE_BTF_PATH, code, found);
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
	int fs, code;

	snprintf(folder, sizeof(folder), "%s/sys/kernel/security", doctor->root);
	fs = kernel_fs_open("securityfs", folder, "lsm");
	if (fs < 0) {
		text[0] = '\0';
		return fs;
	}
	snprintf(folder, sizeof(folder), "/proc/self/fd/%d/lockdown", fs);
	code = doctor_read(&below, folder, text);
	close(fs);
	return code;
}

enum doctor_status doctor_lockdown(const struct doctor *doctor, struct buf *found)
{
	char text[DOCTOR_TEXT_BYTES];
	int code = read_lockdown(doctor, text);

	if (code == -ENOENT || code == -ENODEV) {
		BUF_LITERAL(found, "this kernel has none");
		return DOCTOR_OK;
	}
	if (code) {
		buf_printf(found, "not known (securityfs: %s); kernel_reads tries what it forbids",
			   strerror(-code));
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
	int code = doctor_read_number(doctor, PARANOID, &value);

	if (code) {
		doctor_append_failure(PARANOID, code, found);
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
	int code = doctor_read_number(doctor, path, &value);

	if (code)
		doctor_append_failure(path, code, found);
	else if (value < 0 || value >= count)
		buf_printf(found, "%ld", value);
	else
		buf_printf(found, "%ld: %s", value, meanings[value]);
	return DOCTOR_OK;
}

#define COUNT(array) ((long)(sizeof(array) / sizeof((array)[0])))

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
