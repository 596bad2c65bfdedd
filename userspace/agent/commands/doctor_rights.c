/* SPDX-License-Identifier: MIT */
/* Checks of what this process may do: capabilities, namespaces, filters of calls, limits. */
#include "agent/commands/doctor.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/landlock.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/conntrack.h"
#include "net/namespace.h"
#include "privileges/capabilities.h"

/* Of the initial user namespace, in include/linux/proc_ns.h. */
#define PROC_USER_INIT_INO 0xEFFFFFFDU

enum { USED_BY_CAPTURES = USED_TO_LOAD | USED_TO_MAP | USED_TO_READ | USED_FOR_PROCESSES };

enum doctor_status doctor_user_namespace(const struct doctor *doctor, struct buf *found)
{
	struct stat own;

	/* A kernel without these namespaces has no such file. */
	if (stat("/proc/self/ns/user", &own) < 0 || own.st_ino == PROC_USER_INIT_INO) {
		BUF_LITERAL(found, "the initial one");
		return DOCTOR_OK;
	}
	BUF_LITERAL(found, "one of its own: its capabilities do not count for BPF and perf");
	return DOCTOR_MISSING;
}

/* Those of the rows that are used for `use` and not in the set. */
static uint64_t lacking(uint64_t set, unsigned int use)
{
	uint64_t wanted = capabilities_for(use), lacks = 0;

	for (size_t i = 0; i < capabilities_count; i++)
		if ((wanted >> capabilities[i].number & 1) &&
		    !capability_is_in(&capabilities[i], set))
			lacks |= UINT64_C(1) << capabilities[i].number;
	return lacks;
}

static void append_lacking(uint64_t set, uint64_t lacks, struct buf *found)
{
	uint64_t uses = capabilities_for(USED_BY_CAPTURES);

	if (!lacks) {
		BUF_LITERAL(found, "all that are used: ");
		capabilities_append(uses, found);
		return;
	}
	BUF_LITERAL(found, "lacks ");
	capabilities_append(lacks, found);
	BUF_LITERAL(found, "; has ");
	capabilities_append(set & uses, found);
}

/* Whether the capability is only for a size: what works without it is tried by other checks. */
static bool may_lack(uint64_t lacks)
{
	for (size_t i = 0; i < capabilities_count; i++)
		if ((lacks >> capabilities[i].number & 1) && capabilities[i].by_admin)
			return false;
	return true;
}

enum doctor_status doctor_capabilities(const struct doctor *doctor, struct buf *found)
{
	struct capability_sets sets;
	uint64_t lacks;
	int r = capability_sets_read(&sets);

	if (r) {
		doctor_append_failure("capget", r, found);
		return DOCTOR_MISSING;
	}
	lacks = lacking(sets.effective, USED_BY_CAPTURES);
	append_lacking(sets.effective, lacks, found);
	if (!lacks)
		return DOCTOR_OK;
	return may_lack(lacks) ? DOCTOR_LIMITED : DOCTOR_MISSING;
}

/* It limits what the programs that root starts get. */
enum doctor_status doctor_bounding(const struct doctor *doctor, struct buf *found)
{
	struct capability_sets sets;
	int r = capability_sets_read(&sets);

	if (r) {
		doctor_append_failure("capget", r, found);
		return DOCTOR_LIMITED;
	}
	append_lacking(sets.bounding, lacking(sets.bounding, USED_BY_CAPTURES), found);
	if (lacking(sets.effective, USED_TO_DROP))
		BUF_LITERAL(found, "; cannot be emptied without CAP_SETPCAP");
	return DOCTOR_OK;
}

/*
 * Calls that the kernel rejects for their arguments, with privileges for them: -EPERM or -ENOSYS is
 * then the answer of a filter.
 */
static bool is_filtered(long result)
{
	return result < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static const char *filtered_call(void)
{
	if (is_filtered(syscall(SYS_bpf, -1, NULL, 0)))
		return "bpf";
	if (is_filtered(syscall(SYS_perf_event_open, NULL, -1, 0, -1, 0)))
		return "perf_event_open";
	return NULL;
}

enum doctor_status doctor_seccomp(const struct doctor *doctor, struct buf *found)
{
	bool is_on = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0;
	bool no_new = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) > 0;
	struct capability_sets sets;
	const char *call;

	buf_printf(found, "%s, no_new_privs is %s",
		   is_on ? "a filter of calls" : "no filter of calls", no_new ? "set" : "not set");
	if (!is_on || capability_sets_read(&sets) || lacking(sets.effective, USED_TO_LOAD))
		return DOCTOR_OK;
	call = filtered_call();
	if (!call) {
		BUF_LITERAL(found, "; bpf and perf_event_open are allowed");
		return DOCTOR_OK;
	}
	buf_printf(found, "; %s is not allowed", call);
	return DOCTOR_MISSING;
}

#define PROFILE "/proc/self/attr/current"
#define ENFORCED " (enforce)"

enum doctor_status doctor_lsm(const struct doctor *doctor, struct buf *found)
{
	char text[DOCTOR_TEXT_BYTES];
	size_t len;

	/* Without such a module the file cannot be read. */
	if (doctor_read(doctor, PROFILE, text) || !text[0]) {
		BUF_LITERAL(found, "none");
		return DOCTOR_OK;
	}
	len = strlen(text);
	buf_append(found, text, len);
	return len > strlen(ENFORCED) && strcmp(text + len - strlen(ENFORCED), ENFORCED) == 0
		       ? DOCTOR_LIMITED
		       : DOCTOR_OK;
}

enum doctor_status doctor_landlock(const struct doctor *doctor, struct buf *found)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	if (version < 0) {
		buf_printf(found, "not available: %s", strerror(errno));
		return DOCTOR_LIMITED;
	}
	buf_printf(found, "version %ld", version);
	return DOCTOR_OK;
}

static void append_limit(rlim_t limit, struct buf *found)
{
	if (limit == RLIM_INFINITY)
		BUF_LITERAL(found, "unlimited");
	else
		buf_printf(found, "%llu KiB", (unsigned long long)limit / 1024);
}

enum doctor_status doctor_memlock(const struct doctor *doctor, struct buf *found)
{
	struct rlimit limit = {0};
	struct capability_sets sets;
	uint64_t raises = capabilities_for(USED_TO_LOAD);
	bool counts = capabilities_kernel_locks_maps();

	getrlimit(RLIMIT_MEMLOCK, &limit);
	append_limit(limit.rlim_max, found);
	buf_append_string(found, counts ? "; maps count" : "; maps do not count");
	if (!counts || limit.rlim_max == RLIM_INFINITY)
		return DOCTOR_OK;
	return capability_sets_read(&sets) == 0 && (raises & ~sets.effective) == 0 ? DOCTOR_OK
										   : DOCTOR_MISSING;
}

/* By a connection that there is not. Returns 0 or -errno. */
static int try_table(void)
{
	struct conntrack_tuple none = {.address_len = 4, .l4 = SCAP_L4_TCP};
	int table = conntrack_open(), r = table;

	if (table < 0)
		return r;
	r = conntrack_follow(table, &none);
	close(table);
	return r == -ENOENT ? 0 : r;
}

/* It stays where it is. Returns 0 or -errno. */
static int try_namespaces(void)
{
	uint64_t ino;
	int own = namespace_open("/proc", (int32_t)getpid(), &ino), r = own;

	if (own < 0)
		return r;
	r = namespace_enter(own);
	close(own);
	return r;
}

enum doctor_status doctor_connections(const struct doctor *doctor, struct buf *found)
{
	char path[DOCTOR_TEXT_BYTES];
	int r;

	snprintf(path, sizeof(path), "%s/proc/sys/net/netfilter/nf_conntrack_max", doctor->root);
	if (access(path, F_OK) != 0) {
		BUF_LITERAL(found, "the kernel keeps none, and translates nothing");
		return DOCTOR_OK;
	}
	r = try_table();
	if (r) {
		buf_printf(found, "cannot be read: %s", strerror(-r));
		return DOCTOR_LIMITED;
	}
	r = try_namespaces();
	if (r)
		buf_printf(found, "can be read, but not those of other network namespaces: %s",
			   strerror(-r));
	else
		BUF_LITERAL(found, "can be read");
	return r ? DOCTOR_LIMITED : DOCTOR_OK;
}
