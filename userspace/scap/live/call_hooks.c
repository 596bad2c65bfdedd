/* SPDX-License-Identifier: MIT */
#include "scap/live/call_hooks.h"

#include <linux/bpf.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "event/event.h"
#include "scap/live/programs.h"
#include "scap/live/tracepoint.h"

/* The kernel names some after their functions. */
static const char *tracepoint_of(const char *call)
{
	static const struct {
		const char *call, *tracepoint;
	} renamed[] = {
		{"stat", "newstat"},   {"fstat", "newfstat"},	   {"lstat", "newlstat"},
		{"uname", "newuname"}, {"sendfile", "sendfile64"}, {"umount2", "umount"},
	};

	for (size_t i = 0; i < sizeof(renamed) / sizeof(*renamed); i++)
		if (strcmp(renamed[i].call, call) == 0)
			return renamed[i].tracepoint;
	return call;
}

/* Without native calls those of 32-bit programs are wanted, or none. */
static enum call_hooks list_calls(const struct call_events calls[SYSCALL_NR_MAX],
				  struct live_call_hooks *hooks)
{
	bool wanted = false;

	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		unsigned int code = syscall_code_of_native(number);

		if (!calls[number].native)
			continue;
		if (hooks->count == CALL_HOOKS_MAX)
			return CALL_HOOKS_TOO_MANY;
		if (code == SC_unknown)
			return CALL_HOOKS_MISSING;
		hooks->calls[hooks->count++] = tracepoint_of(syscall_name(code));
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
