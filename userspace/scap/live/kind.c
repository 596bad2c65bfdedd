/* SPDX-License-Identifier: MIT */
/* Determines which kind of program the kernel needs, and creates it, with libbpf. */
#include "scap/live/kind.h"

#include <errno.h>
#include <linux/bpf.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "scap/live/tracepoint.h"

static int open_tracepoint(const char *hook)
{
	return scap_tracepoint_open("raw_syscalls", hook);
}

/* Raw programs became preemptible when programs at tracepoints were allowed to sleep, in 7.x. */
bool live_kind_raw_is_skipped(void)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_flags = BPF_F_SLEEPABLE);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "probe", "GPL", nothing,
			       sizeof(nothing) / sizeof(nothing[0]), &options);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool live_kind_is_classic(void)
{
	int fd;

	if (!live_kind_raw_is_skipped())
		return false;
	fd = open_tracepoint("sys_exit");
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int live_kind_make_raw(struct bpf_program *program, const char *hook)
{
	int r = bpf_program__set_type(program, BPF_PROG_TYPE_TRACING);

	if (r == 0)
		r = bpf_program__set_expected_attach_type(program, BPF_TRACE_RAW_TP);
	return r ? r : bpf_program__set_attach_target(program, 0, hook);
}

struct bpf_link *live_kind_attach(struct bpf_program *program, const char *hook, bool classic)
{
	struct bpf_link *link;
	int fd;

	if (!classic)
		return bpf_program__attach_trace(program);
	fd = open_tracepoint(hook);
	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	link = bpf_program__attach_perf_event(program, fd);
	if (!link)
		close(fd);
	return link;
}
