/* SPDX-License-Identifier: MIT */
/*
 * The baseline of the overhead benchmark: a BPF program that does nothing, on the raw sys_exit
 * tracepoint. Prints "ready" and stays attached until end of file on standard input.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

int main(void)
{
	const struct bpf_insn program[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr load, attach;
	char byte;

	memset(&load, 0, sizeof(load));
	load.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	load.insns = (uintptr_t)program;
	load.insn_cnt = sizeof(program) / sizeof(program[0]);
	load.license = (uintptr_t) "GPL";

	memset(&attach, 0, sizeof(attach));
	attach.raw_tracepoint.name = (uintptr_t) "sys_exit";
	attach.raw_tracepoint.prog_fd = (uint32_t)bpf(BPF_PROG_LOAD, &load);
	if ((int)attach.raw_tracepoint.prog_fd < 0 || bpf(BPF_RAW_TRACEPOINT_OPEN, &attach) < 0) {
		perror("empty_program");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
