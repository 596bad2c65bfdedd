/* SPDX-License-Identifier: MIT */
/* The table of rules: which handler applies which event. Plans of all events. */
#include "sinsp/state/rules.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>

#include "scap/model/fd.h"
#include "sinsp/state/config.h"

/* The table of rules: which handler applies which event. */

/* What an event makes, if it is an object. */
static const struct state_object objects[EVENT_ID_MAX] = {
#define MAKES(event, kind, name, flags, cloexec)                                                   \
	[EVENT_##event] = {SCAP_FD_##kind, event##__##name + 1, event##__##flags + 1, cloexec},
#include "events/all.def"
};

/* Those that have a handler of their own; see state_rule_of() for the others. */
static const struct state_rule rules[EVENT_ID_MAX] = {
	[EVENT_chdir] = {state_chdir, SINSP_DIRECTORIES},
	[EVENT_fchdir] = {state_fchdir, SINSP_DIRECTORIES},
	[EVENT_mount] = {state_mount, SINSP_DIRECTORIES},
	[EVENT_move_mount] = {state_move_mount, SINSP_DIRECTORIES},
	[EVENT_pivot_root] = {state_pivot_root, SINSP_DIRECTORIES},

	[EVENT_close] = {state_close, SINSP_DESCRIPTORS},
	[EVENT_close_range] = {state_close_range, SINSP_DESCRIPTORS},
	[EVENT_dup] = {state_dup, SINSP_DESCRIPTORS},
	[EVENT_dup2] = {state_dup2, SINSP_DESCRIPTORS},
	[EVENT_dup3] = {state_dup3, SINSP_DESCRIPTORS},
	[EVENT_fcntl] = {state_fcntl, SINSP_DESCRIPTORS},
	[EVENT_pipe] = {state_pipe, SINSP_DESCRIPTORS},
	[EVENT_pipe2] = {state_pipe2, SINSP_DESCRIPTORS},

	[EVENT_bpf] = {state_bpf, SINSP_DESCRIPTORS},
	[EVENT_pidfd_open] = {state_pidfd_open, SINSP_DESCRIPTORS},
	[EVENT_pidfd_getfd] = {state_pidfd_getfd, SINSP_DESCRIPTORS, .copies_fd = true},

	[EVENT_socket] = {state_socket, SINSP_DESCRIPTORS},
	[EVENT_socketpair] = {state_socketpair, SINSP_DESCRIPTORS},
	[EVENT_bind] = {state_bind, SINSP_CONNECTIONS},
	[EVENT_listen] = {state_listen, SINSP_CONNECTIONS},
	[EVENT_connect] = {state_connect, SINSP_CONNECTIONS},
	[EVENT_accept] = {state_accept, SINSP_DESCRIPTORS},
	[EVENT_accept4] = {state_accept4, SINSP_DESCRIPTORS},
	[EVENT_shutdown] = {state_shutdown, SINSP_CONNECTIONS},
	[EVENT_sendto] = {state_message, SINSP_CONNECTIONS},
	[EVENT_sendmsg] = {state_message, SINSP_CONNECTIONS},
	[EVENT_recvfrom] = {state_message, SINSP_CONNECTIONS},
	[EVENT_recvmsg] = {state_recvmsg, SINSP_CONNECTIONS},
	[EVENT_send] = {state_message, SINSP_CONNECTIONS},
	[EVENT_recv] = {state_message, SINSP_CONNECTIONS},
	[EVENT_sendmmsg] = {state_message, SINSP_CONNECTIONS},
	[EVENT_recvmmsg] = {state_recvmmsg, SINSP_CONNECTIONS},
	[EVENT_getsockopt] = {state_getsockopt, SINSP_CONNECTIONS},

	[EVENT_clone] = {state_clone, SINSP_THREADS},
	[EVENT_clone3] = {state_clone, SINSP_THREADS},
	[EVENT_fork] = {state_clone, SINSP_THREADS},
	[EVENT_vfork] = {state_clone, SINSP_THREADS},
	[EVENT_execve] = {state_exec, SINSP_THREADS},
	[EVENT_execveat] = {state_exec, SINSP_THREADS},
	[EVENT_procexit] = {state_exit, SINSP_THREADS},
	[EVENT_cgroup_attach] = {state_cgroup_attach, SINSP_CONTAINERS},

	[EVENT_setuid] = {state_setuid, SINSP_THREADS},
	[EVENT_setgid] = {state_setgid, SINSP_THREADS},
	[EVENT_setreuid] = {state_setreuid, SINSP_THREADS},
	[EVENT_setregid] = {state_setregid, SINSP_THREADS},
	[EVENT_setresuid] = {state_setresuid, SINSP_THREADS},
	[EVENT_setresgid] = {state_setresgid, SINSP_THREADS},
	[EVENT_setsid] = {state_setsid, SINSP_THREADS},
	[EVENT_setpgid] = {state_setpgid, SINSP_THREADS},
	[EVENT_unshare] = {state_unshare, SINSP_THREADS | SINSP_DESCRIPTORS | SINSP_DIRECTORIES},
	[EVENT_setns] = {state_setns, SINSP_THREADS | SINSP_DIRECTORIES},
	[EVENT_capset] = {state_capset, SINSP_THREADS},
	[EVENT_prctl] = {state_prctl, SINSP_THREADS},
	[EVENT_setrlimit] = {state_setrlimit, SINSP_THREADS},
	[EVENT_prlimit] = {state_prlimit, SINSP_THREADS},

	[EVENT_switch] = {state_switch, SINSP_SWITCHES},
	[EVENT_procinfo] = {state_procinfo},
	[EVENT_useradded] = {state_user_added},
	[EVENT_userdeleted] = {state_user_deleted},
	[EVENT_groupadded] = {state_group_added},
	[EVENT_groupdeleted] = {state_group_deleted},
	[EVENT_container] = {state_container},
	[EVENT_asyncevent] = {state_asyncevent},
	/* Too frequent to be captured only for their counters. */
	[EVENT_brk] = {state_memory},
	[EVENT_mmap] = {state_memory},
	[EVENT_mmap2] = {state_memory},
	[EVENT_munmap] = {state_memory},
};

const struct state_rule *state_rule_of(unsigned int id)
{
	static const struct state_rule opens = {state_open, SINSP_DESCRIPTORS},
				       makes_object = {state_make_object, SINSP_DESCRIPTORS},
				       makes_unknown = {state_make_unknown, SINSP_DESCRIPTORS},
				       transfers = {state_io};
	const struct event_desc *desc = event_desc_get(id);

	if (!desc || rules[id].handle || (desc->flags & EF_ENTER))
		return &rules[id];
	if (desc->opens.name)
		return &opens;
	if (objects[id].type)
		return &makes_object;
	if (desc->flags & EF_CREATES_FD)
		return &makes_unknown;
	return desc->flags & EF_TRANSFERS ? &transfers : &rules[id];
}

bool state_rule_describes_fd(unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	return desc && (desc->flags & EF_CREATES_FD) && !(desc->flags & EF_USES_FD) &&
	       !rules[id].copies_fd;
}

/* The parameter with the ends of a socket, or 0: it is never the first. */
static uint8_t find_tuple_param(const struct event_desc *desc)
{
	for (uint8_t i = 1; i < desc->nparams; i++)
		if (desc->params[i].type == PT_SOCKTUPLE)
			return i;
	return 0;
}

/*
 * The parameter that is the event's descriptor: of calls that create one the result, unless that
 * only reports success; of calls on a descriptor the first that is not the result.
 */
static int8_t find_fd_param(const struct event_desc *desc)
{
	bool is_new = (desc->flags & EF_CREATES_FD) && !(desc->flags & EF_USES_FD);

	if (!(desc->flags & (EF_CREATES_FD | EF_USES_FD | EF_DESTROYS_FD)))
		return -1;
	if (is_new && (desc->flags & EF_ENTER))
		return -1;
	for (int8_t i = 0; i < desc->nparams; i++)
		if (desc->params[i].type == PT_FD &&
		    (is_new || strcmp(desc->params[i].name, "res") != 0))
			return i;
	return is_new ? 0 : -1;
}

static void find_paths(const struct event_desc *desc, struct state_plan *plan)
{
	for (uint8_t i = 0; i < desc->nparams && plan->paths_count < PLAN_BASES_MAX; i++)
		if (desc->params[i].base)
			plan->paths[plan->paths_count++] = i;
}

static struct state_plan plans[EVENT_ID_MAX];

static void rules_make_plans(void)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		const struct state_rule *rule = state_rule_of(id);

		plans[id] = (struct state_plan){
			.handle = rule->handle,
			.object = objects[id],
			.fd_param = -1,
		};
		if (!desc)
			continue;
		plans[id].fd_param = find_fd_param(desc);
		plans[id].tuple_param = find_tuple_param(desc);
		plans[id].finds_thread = desc->flags & (EF_MAKES_TASK | EF_EXECS);
		plans[id].uses_fd = desc->flags & (EF_USES_FD | EF_DESTROYS_FD);
		plans[id].closes_fd = desc->flags & EF_DESTROYS_FD;
		plans[id].is_call = desc->category & EC_SYSCALL;
		find_paths(desc, &plans[id]);
	}
}

const struct state_plan *state_plans(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, rules_make_plans);
	return plans;
}
