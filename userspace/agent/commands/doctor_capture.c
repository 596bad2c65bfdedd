/* SPDX-License-Identifier: MIT */
/*
 * Checks with the agent's own programs and ring buffers, up to an event that arrives; and with the
 * smallest program of each type.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/commands/doctor.h"
#include "agent/input/host.h"
#include "agent/input/live_open.h"
#include "event/event.h"
#include "scap/live/live.h"
#include "scap/live/load.h"
#include "scap/live/tracepoint.h"
#include "scap/proc/root_group.h"
#include "scap/rings/cpus.h"
#include "scap/rings/ring.h"
#include "util/clock.h"
#include "util/count.h"

enum {
	CPUS_MAX = 4096,
	EVENT_MS = 100, /* how long to wait for one, and how often */
	WAITS_MAX = 20,
	NS_PER_MS = 1000000,
	NAMES_MAX = 8, /* of rejected events that are printed */
};

static enum doctor_status doctor_capture_fail(const struct error *err, struct buf *found)
{
	buf_append_string(found, err->text);
	return DOCTOR_MISSING;
}

/* Opens the ring buffers of all CPUs together, as a capture does. */
static int open_rings(const bool *online, uint32_t bytes, struct scap_ring *rings, uint32_t *count,
		      struct error *err)
{
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		int r = online[cpu] ? scap_ring_open(cpu, bytes, &rings[*count], err) : 0;

		if (r && r != -ENODEV)
			return r;
		*count += online[cpu] && r == 0;
	}
	return 0;
}

enum doctor_status doctor_rings(const struct doctor *doctor, struct buf *found)
{
	uint32_t bytes = live_memory(doctor->options).ring_bytes, count = 0;
	struct scap_ring *rings = calloc(CPUS_MAX, sizeof(*rings));
	bool online[CPUS_MAX] = {false};
	struct error err = {""};
	int r = rings ? scap_cpus_read(SCAP_CPUS_ONLINE, CPUS_MAX, online) : -ENOMEM;

	if (r)
		error_set(&err, r, SCAP_CPUS_ONLINE ": %s", strerror(-r));
	else
		r = open_rings(online, bytes, rings, &count, &err);
	for (uint32_t i = 0; i < count; i++)
		scap_ring_close(&rings[i]);
	free(rings);
	if (r)
		return doctor_capture_fail(&err, found);
	buf_printf(found, "%u of %u KiB were opened", count, bytes / 1024);
	return DOCTOR_OK;
}

static struct scap_live_config live_config(const struct doctor *doctor)
{
	return (struct scap_live_config){
		.ring_bytes = live_memory(doctor->options).ring_bytes,
		.snaplen = doctor->options->snaplen,
		.snaplen_rules = doctor->options->snaplen_rules,
	};
}

static enum doctor_status append_rejected(const uint16_t *rejected, struct buf *found)
{
	unsigned int count = 0;

	for (; rejected[count]; count++)
		if (count < NAMES_MAX)
			buf_printf(found, "%s%s", count ? ", " : "rejected: those of ",
				   event_desc_get(rejected[count])->name);
	if (count > NAMES_MAX)
		buf_printf(found, " and %u more", count - NAMES_MAX);
	if (!count)
		BUF_LITERAL(found, "all are accepted");
	return count ? DOCTOR_MISSING : DOCTOR_OK;
}

/* Loads those of all events, without running them. */
enum doctor_status doctor_programs(const struct doctor *doctor, struct buf *found)
{
	struct scap_live_config config = live_config(doctor);
	enum doctor_status status;
	struct scap_live *live;
	struct error err = {""};

	memset(config.events, true, sizeof(config.events));
	if (scap_live_load(&config, &live, &err))
		return doctor_capture_fail(&err, found);
	status = append_rejected(scap_live_rejected(live), found);
	scap_source_destroy(scap_live_source(live));
	return status;
}

/* Whether an event of the main thread `self` (0: of any) arrives; 0, or -errno. */
static int await_event(struct scap_source *source, pid_t self)
{
	for (unsigned int i = 0; i < WAITS_MAX; i++) {
		struct scap_event event;
		struct ppm_evt_hdr header;
		int got;

		syscall(SYS_getppid);
		while ((got = scap_source_next(source, EVENT_MS, &event)) == 1) {
			memcpy(&header, event.frame, sizeof(header));
			if (header.type == EVENT_getppid && (!self || header.tid == (uint64_t)self))
				return 0;
		}
		if (got < 0)
			return got;
	}
	return -ETIMEDOUT;
}

/* The agent's id in events; 0 if it cannot be known, which is reported by another check. */
static pid_t doctor_capture_find_self(const struct doctor *doctor)
{
	struct host host;
	pid_t self = host_open(&host, doctor->options->host_root, NULL) ? 0 : host.self;

	host_close(&host);
	return self;
}

enum doctor_status doctor_capture(const struct doctor *doctor, struct buf *found)
{
	struct scap_live_config config = live_config(doctor);
	struct error err = {""};
	struct scap_live *live;
	uint64_t began_ns;
	int r;

	config.events[EVENT_getppid] = true;
	if (scap_live_open(&config, &live, &err))
		return doctor_capture_fail(&err, found);
	began_ns = clock_ns(CLOCK_MONOTONIC);
	r = await_event(scap_live_source(live), doctor_capture_find_self(doctor));
	scap_live_stop(live);
	scap_source_destroy(scap_live_source(live));
	if (r) {
		buf_printf(found, "the event of a call did not arrive: %s", strerror(-r));
		return DOCTOR_MISSING;
	}
	buf_printf(found, "the event of a call arrived after %llu ms",
		   (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - began_ns) / NS_PER_MS);
	return DOCTOR_OK;
}

/* The smallest programs: why the real ones cannot be loaded. */

/* return 0; */
static const struct bpf_insn nothing[] = {
	{.code = BPF_ALU64 | BPF_MOV | BPF_K},
	{.code = BPF_JMP | BPF_EXIT},
};

static enum doctor_status end_load(int fd, struct buf *found)
{
	if (fd < 0) {
		buf_printf(found, "rejected: %s", strerror(-fd));
		return DOCTOR_MISSING;
	}
	close(fd);
	BUF_LITERAL(found, "a program was loaded");
	return DOCTOR_OK;
}

/* The type that the programs at sys_exit name as their target. */
static int find_target(void)
{
	struct btf *btf = btf__parse(LIVE_BTF_PATH, NULL);
	int id = btf ? btf__find_by_name_kind(btf, "btf_trace_sys_exit", BTF_KIND_TYPEDEF) : -errno;

	btf__free(btf);
	return id;
}

enum doctor_status doctor_tracing(const struct doctor *doctor, struct buf *found)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_RAW_TP);
	int target = find_target();

	if (target < 0) {
		buf_printf(found, LIVE_BTF_PATH " has no sys_exit: %s", strerror(-target));
		return DOCTOR_MISSING;
	}
	options.attach_btf_id = (uint32_t)target;
	return end_load(bpf_prog_load(BPF_PROG_TYPE_TRACING, "doctor", "GPL", nothing,
				      COUNT(nothing), &options),
			found);
}

/* bpf_probe_read_kernel(stack, 8, NULL), which lockdown may forbid. */
enum doctor_status doctor_kernel_reads(const struct doctor *doctor, struct buf *found)
{
	static const struct bpf_insn reads[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return end_load(bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "doctor", "GPL", reads,
				      COUNT(reads), NULL),
			found);
}

enum doctor_status doctor_tracefs(const struct doctor *doctor, struct buf *found)
{
	int fd = scap_tracepoint_open("syscalls", "sys_enter_openat");

	if (fd < 0) {
		buf_printf(found, "the tracepoint sys_enter_openat cannot be opened: %s",
			   strerror(-fd));
		return DOCTOR_LIMITED;
	}
	close(fd);
	BUF_LITERAL(found, "the tracepoint sys_enter_openat was opened");
	return DOCTOR_OK;
}

enum doctor_status doctor_tracepoints(const struct doctor *doctor, struct buf *found)
{
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "doctor", "GPL", nothing, COUNT(nothing),
			       NULL);

	return end_load(fd, found) == DOCTOR_OK ? DOCTOR_OK : DOCTOR_LIMITED;
}

enum doctor_status doctor_root_group(const struct doctor *doctor, struct buf *found)
{
	int dir = scap_root_group_open(SCAP_CGROUPS_PATH);

	if (dir < 0) {
		buf_printf(found, "programs cannot be attached to it in " SCAP_CGROUPS_PATH ": %s",
			   strerror(-dir));
		return DOCTOR_LIMITED;
	}
	close(dir);
	BUF_LITERAL(found, "programs can be attached to it in " SCAP_CGROUPS_PATH);
	return DOCTOR_OK;
}
