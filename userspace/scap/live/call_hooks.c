/* SPDX-License-Identifier: MIT */
/* Which kind of program the kernel needs; tracepoints of single system calls. */
#include "scap/live/call_hooks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live/programs.h"
#include "scap/live/tracepoint.h"
#include "util/count.h"

/* Determines which kind of program the kernel needs. */

/* Raw programs became preemptible when programs at tracepoints were allowed to sleep, in 7.x. */
bool live_kind_raw_is_skipped(void)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_flags = BPF_F_SLEEPABLE);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "probe", "GPL", nothing, COUNT(nothing),
			       &options);

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

/* The kernel names some after their functions. */
static const char *tracepoint_of(const char *call)
{
	static const struct {
		const char *call, *tracepoint;
	} renamed[] = {
		{"stat", "newstat"},   {"fstat", "newfstat"},	   {"lstat", "newlstat"},
		{"uname", "newuname"}, {"sendfile", "sendfile64"}, {"umount2", "umount"},
	};

	for (size_t i = 0; i < COUNT(renamed); i++)
		if (strcmp(renamed[i].call, call) == 0)
			return renamed[i].tracepoint;
	return call;
}

/* Without native calls those of 32-bit programs are wanted, or none. */
static enum live_hooks list_calls(const struct call_events calls[SYSCALL_NR_MAX],
				  struct live_call_hooks *hooks)
{
	bool wanted = false;

	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		unsigned int r = syscall_code_of_native(number);

		if (!calls[number].native)
			continue;
		if (hooks->count == CALL_HOOKS_MAX)
			return CALL_HOOKS_TOO_MANY;
		if (r == SC_unknown)
			return CALL_HOOKS_MISSING;
		hooks->calls[hooks->count++] = tracepoint_of(syscall_name(r));
		wanted |= calls[number].native != NOTICED_ONLY;
	}
	return wanted ? CALL_HOOKS_EACH : CALL_HOOKS_ALL;
}

/* Whether programs at such tracepoints can find the registers of the call. */
static bool has_registers(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_TRACEPOINT, BPF_FUNC_task_pt_regs, NULL) == 1;
}

void live_call_hooks_choose(const struct scap_live_config *config, struct live_call_hooks *hooks)
{
	static const bool none_rejected[EVENT_ID_MAX];
	struct call_events calls[SYSCALL_NR_MAX];

	*hooks = (struct live_call_hooks){.used = CALL_HOOKS_ALL};
	if (config->call_hooks != CALL_HOOKS_EACH)
		return;
	live_call_events(config, none_rejected, calls);
	hooks->used = list_calls(calls, hooks);
	if (hooks->used == CALL_HOOKS_EACH &&
	    (!scap_tracepoints_exist("syscalls", "sys_exit_", hooks->calls, hooks->count) ||
	     !has_registers()))
		hooks->used = CALL_HOOKS_MISSING;
}
