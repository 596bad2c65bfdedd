/* SPDX-License-Identifier: MIT */
/*
 * A check of `agent doctor`: what the machine offers, what does not work without it, and what to
 * do. Their table is in doctor.c. Checks try what they can instead of guessing: they load programs,
 * open ring buffers and read /proc as a capture does.
 */
#ifndef AGENT_COMMANDS_DOCTOR_H
#define AGENT_COMMANDS_DOCTOR_H

#include <stddef.h>

#include "agent/options/options.h"
#include "util/buf.h"

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* captures work, but something is missing in them or around them */
	DOCTOR_MISSING, /* live captures, or events of them, do not work */
	DOCTOR_STATUSES,
};

struct doctor {
	const struct options *options; /* borrowed */
	const char *root; /* before /proc, /sys and other paths; "" unless for tests */
};

struct doctor_check {
	const char *name; /* NULL: after the last row */
	const char *what; /* is looked at */
	/* Appends what it found; control characters are masked later. */
	enum doctor_status (*run)(const struct doctor *doctor, struct buf *found);
	const char *cost; /* what does not work unless the status is ok; NULL: it always is */
	const char *advice; /* what to do then, */
	const char *with_rights; /* or, if the agent has all capabilities for processes; NULL: the
				    same */
};

extern const struct doctor_check doctor_checks[];

/* "ok", "limited", "missing". */
const char *doctor_status_name(enum doctor_status status);

/* doctor_machine.c: the kernel */
enum doctor_status doctor_kernel(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_btf(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_lockdown(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_paranoid(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_unprivileged_bpf(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_kptr(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_bpf_stats(const struct doctor *doctor, struct buf *found);

/* doctor_rights.c */
enum doctor_status doctor_user_namespace(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_capabilities(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_bounding(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_seccomp(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_lsm(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_landlock(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_memlock(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_connections(const struct doctor *doctor, struct buf *found);

/* doctor_capture.c */
enum doctor_status doctor_tracing(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_kernel_reads(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_tracefs(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_tracepoints(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_root_group(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_rings(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_programs(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_capture(const struct doctor *doctor, struct buf *found);

/* doctor_perf.c */
enum doctor_status doctor_counters(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_breakpoints(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_sampling(const struct doctor *doctor, struct buf *found);

/* doctor_users.c */
enum doctor_status doctor_perf_users(const struct doctor *doctor, struct buf *found);

/* doctor_processes.c */
enum doctor_status doctor_host(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_processes(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_tls(const struct doctor *doctor, struct buf *found);

/* doctor_containers.c */
enum doctor_status doctor_namespaces(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_cgroups(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_runtimes(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_kubernetes(const struct doctor *doctor, struct buf *found);

/* doctor_machine.c */
enum doctor_status doctor_descriptors(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_memory(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_clock(const struct doctor *doctor, struct buf *found);
enum doctor_status doctor_disk(const struct doctor *doctor, struct buf *found);

/* Short files of the kernel, for checks. */

enum { DOCTOR_TEXT_BYTES = 4096 };

/*
 * Reads the start of a file into `text`, NUL-terminated and without the last newline. Returns 0 or
 * -errno; `text` is empty then.
 */
int doctor_read(const struct doctor *doctor, const char *path, char text[DOCTOR_TEXT_BYTES]);

/* Reads a number from a file. Returns 0, -errno, or -EINVAL if there is none. */
int doctor_read_number(const struct doctor *doctor, const char *path, long *number);

/* Appends "PATH: No such file" for -errno. */
void doctor_append_failure(const char *path, int error, struct buf *found);

#endif
