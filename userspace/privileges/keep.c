/* SPDX-License-Identifier: MIT */
/* Decides which capabilities each role keeps, by what the run does and what the kernel takes. */
#include "privileges/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "privileges/capabilities.h"
#include "util/count.h"

#ifndef CAP_BPF
#define CAP_BPF 39
#endif
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

enum { PARANOID_MAX = 2 /* of the mainline kernel */ };

/* A number from a file of /proc/sys, or `fallback`. */
static int read_setting(const char *root, const char *name, int fallback)
{
	char path[PATH_MAX];
	int value = fallback;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/sys/kernel/%s", root, name);
	file = fopen(path, "re");
	if (!file)
		return fallback;
	if (fscanf(file, "%d", &value) != 1)
		value = fallback;
	fclose(file);
	return value;
}

static bool is_before_5_19(void)
{
	unsigned int major, minor;
	struct utsname system;

	return uname(&system) < 0 || sscanf(system.release, "%u.%u", &major, &minor) != 2 ||
	       major < 5 || (major == 5 && minor < 19);
}

/* Whether the effective capabilities allow to write the file, or to create it. */
static bool can_write(const char *path)
{
	char folder[PATH_MAX];

	if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0)
		return true;
	if (errno != ENOENT)
		return errno != EACCES;
	snprintf(folder, sizeof(folder), "%s", path);
	return faccessat(AT_FDCWD, dirname(folder), W_OK | X_OK, AT_EACCESS) == 0 ||
	       errno != EACCES;
}

static int set_capabilities(struct __user_cap_data_struct data[2])
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	return (int)syscall(SYS_capset, &header, data);
}

/* Tries it without. */
static bool needs_override(const char *const *writes)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct had[2], tried[2];
	bool needed = false;

	if (!writes || !*writes || syscall(SYS_capget, &header, had) < 0)
		return false;
	tried[0] = had[0];
	tried[1] = had[1];
	tried[0].effective &= ~(uint32_t)CAPABILITY(CAP_DAC_OVERRIDE);
	if (set_capabilities(tried) < 0)
		return false;
	for (; *writes && !needed; writes++)
		needed = !can_write(*writes);
	set_capabilities(had);
	return needed;
}

void privileges_kernel_read(const struct privileges_needs *needs, const char *root,
			    struct privileges_kernel *kernel)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/kernel/tracing/events", root);
	*kernel = (struct privileges_kernel){
		.guards_maps =
			is_before_5_19() && read_setting(root, "unprivileged_bpf_disabled", 2),
		.is_paranoid =
			read_setting(root, "perf_event_paranoid", PARANOID_MAX) > PARANOID_MAX,
		.lacks_tracefs = access(path, F_OK) != 0,
		.needs_override = needs_override(needs->writes),
	};
}

static bool guards_maps(const struct privileges_needs *needs,
			const struct privileges_kernel *kernel)
{
	return kernel->guards_maps;
}

static bool is_paranoid(const struct privileges_needs *needs,
			const struct privileges_kernel *kernel)
{
	return kernel->is_paranoid && !needs->reloads;
}

static bool has_command(const struct privileges_needs *needs,
			const struct privileges_kernel *kernel)
{
	return needs->has_command;
}

static bool overrides(const struct privileges_needs *needs, const struct privileges_kernel *kernel)
{
	return kernel->needs_override;
}

/* Further capabilities of the event thread, and why. */
static const struct {
	uint64_t set;
	const char *name, *why;
	bool (*is_needed)(const struct privileges_needs *needs,
			  const struct privileges_kernel *kernel);
} reasons[] = {
	{CAPABILITY(CAP_BPF), "BPF", "this kernel needs it to read counters", guards_maps},
	{CAPABILITY(CAP_SYS_ADMIN), "SYS_ADMIN", "kernel.perf_event_paranoid is above 2",
	 is_paranoid},
	{CAPABILITY(CAP_KILL), "KILL", "the command may change its user", has_command},
	{CAPABILITY(CAP_DAC_OVERRIDE), "DAC_OVERRIDE",
	 "files or sockets of another user are written to", overrides},
};

enum { REASONS = COUNT(reasons) };

/* With what stands for others that the thread does not have. */
static uint64_t or_admin(uint64_t set, uint64_t permitted)
{
	for (size_t i = 0; i < capabilities_count; i++)
		if (capabilities[i].by_admin &&
		    (set & CAPABILITY(capabilities[i].number) & ~permitted))
			set |= CAPABILITY(CAP_SYS_ADMIN);
	return set;
}

static uint64_t kept_by_events(const struct privileges_needs *needs,
			       const struct privileges_kernel *kernel, uint64_t permitted)
{
	unsigned int rings = needs->reloads ? USED_TO_MAP : USED_TO_MAP | USED_FOR_RINGS;
	uint64_t set = capabilities_for(rings | USED_TO_READ | USED_FOR_PROCESSES);

	for (size_t i = 0; i < REASONS; i++)
		if (reasons[i].is_needed(needs, kernel))
			set |= reasons[i].set;
	return or_admin(set, permitted);
}

static uint64_t kept_by_loader(const struct privileges_kernel *kernel, uint64_t permitted)
{
	uint64_t set = capabilities_for(USED_TO_LOAD);

	if (kernel->is_paranoid || kernel->lacks_tracefs)
		set |= CAPABILITY(CAP_SYS_ADMIN);
	/* Only its owner reads tracefs. */
	if (geteuid() != 0)
		set |= CAPABILITY(CAP_DAC_READ_SEARCH);
	return or_admin(set, permitted);
}

static uint64_t kept_by_counters(const struct privileges_kernel *kernel, uint64_t permitted)
{
	uint64_t set = capabilities_for(USED_FOR_RINGS);

	return or_admin(kernel->is_paranoid ? set | CAPABILITY(CAP_SYS_ADMIN) : set, permitted);
}

/*
 * Later kernels ask for CAP_SYS_ADMIN where PERFMON was enough. What is mapped is opened by its
 * mapping, as its path may be another file by now.
 */
static uint64_t kept_by_probes(const struct privileges_kernel *kernel, uint64_t permitted)
{
	return kept_by_counters(kernel, permitted) | capabilities_for(USED_FOR_PROCESSES) |
	       CAPABILITY(CAP_SYS_ADMIN) | CAPABILITY(CAP_CHECKPOINT_RESTORE);
}

/* The capture has begun: mappings of processes, their files, maps that are open. */
static uint64_t kept_by_profiles(const struct privileges_kernel *kernel, uint64_t permitted)
{
	uint64_t set = capabilities_for(USED_FOR_PROCESSES) | CAPABILITY(CAP_CHECKPOINT_RESTORE) |
		       (kernel->guards_maps ? CAPABILITY(CAP_BPF) : 0) |
		       (kernel->needs_override ? CAPABILITY(CAP_DAC_OVERRIDE) : 0);

	return or_admin(set, permitted);
}

uint64_t privileges_kept(enum privileges_role role, const struct privileges_needs *needs,
			 const struct privileges_kernel *kernel, uint64_t permitted)
{
	const uint64_t override = kernel->needs_override ? CAPABILITY(CAP_DAC_OVERRIDE) : 0;
	const uint64_t kept[PRIVILEGES_ROLES] = {
		[ROLE_EVENTS] = kept_by_events(needs, kernel, permitted),
		[ROLE_PROCESSES] = capabilities_for(USED_FOR_PROCESSES),
		[ROLE_METADATA] = capabilities_for(USED_TO_READ) | override,
		[ROLE_NAMESPACES] = CAPABILITY(CAP_NET_ADMIN) | CAPABILITY(CAP_SYS_ADMIN) |
				    capabilities_for(USED_FOR_PROCESSES),
		[ROLE_OUTPUT] = override,
		[ROLE_HEARTBEAT] = 0,
		[ROLE_SAMPLER] = or_admin(kernel->guards_maps ? CAPABILITY(CAP_BPF) : 0, permitted),
		[ROLE_CONTROL] = 0,
		[ROLE_COUNTERS] = kept_by_counters(kernel, permitted),
		[ROLE_PROBES] = kept_by_probes(kernel, permitted),
		[ROLE_PROFILES] = kept_by_profiles(kernel, permitted),
		[ROLE_PROFILES_SENT] = kept_by_profiles(kernel, permitted),
		[ROLE_LOADER] = kept_by_loader(kernel, permitted),
	};

	return kept[role] & permitted;
}

void privileges_append_reasons(const struct privileges_needs *needs,
			       const struct privileges_kernel *kernel, uint64_t kept,
			       struct buf *out)
{
	for (size_t i = 0; i < REASONS; i++)
		if ((reasons[i].set & kept) && reasons[i].is_needed(needs, kernel))
			buf_printf(out, "; %s: %s", reasons[i].name, reasons[i].why);
}
