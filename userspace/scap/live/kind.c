/* SPDX-License-Identifier: MIT */
/* Determines which kind of program the kernel needs. */
#include "scap/live/kind.h"

#include <errno.h>
#include <linux/bpf.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "scap/live/tracepoint.h"

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
	fd = scap_tracepoint_open("raw_syscalls", "sys_exit");
	if (fd < 0)
		return false;
	close(fd);
	return true;
}
