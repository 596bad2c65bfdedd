/* SPDX-License-Identifier: MIT */
/* Checks with the smallest program of each type: why the real ones cannot be loaded. */
#include "agent/commands/doctor.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "scap/live/load.h"
#include "scap/live/tracepoint.h"
#include "scap/proc/root_group.h"
#include "util/count.h"

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
