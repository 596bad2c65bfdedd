/* SPDX-License-Identifier: MIT */
/* The table of rules: which handler applies which event. Plans of all events. */
#include "sinsp/state/rules.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>

#include "scap/proc/fd.h"
#include "sinsp/state/config.h"

/* What an event makes, if it is an object. */
static const struct state_object objects[EVENT_ID_MAX] = {
#define MAKES(event, kind, name, flags, cloexec)                                                   \
	[EVENT_##event] = {SCAP_FD_##kind, event##__##name + 1, event##__##flags + 1, cloexec},
#include "events/all.def"
};

/* Those that have a handler of their own; see state_rule_of() for the others. */
static const struct state_rule rules[EVENT_ID_MAX] = {
	[EVENT_chdir] = {apply_chdir, STATE_DIRECTORIES},
	[EVENT_fchdir] = {apply_fchdir, STATE_DIRECTORIES},
	[EVENT_mount] = {apply_mount, STATE_DIRECTORIES},
	[EVENT_move_mount] = {apply_move_mount, STATE_DIRECTORIES},
	[EVENT_pivot_root] = {apply_pivot_root, STATE_DIRECTORIES},

	[EVENT_unlink] = {apply_unlink, STATE_CREATED},
	[EVENT_unlinkat] = {apply_unlink, STATE_CREATED},
	[EVENT_rename] = {apply_rename, STATE_CREATED},
	[EVENT_renameat] = {apply_rename, STATE_CREATED},
	[EVENT_renameat2] = {apply_rename, STATE_CREATED},

	[EVENT_close] = {apply_close, STATE_DESCRIPTORS},
	[EVENT_close_range] = {apply_close_range, STATE_DESCRIPTORS},
	[EVENT_dup] = {apply_dup, STATE_DESCRIPTORS},
	[EVENT_dup2] = {apply_dup2, STATE_DESCRIPTORS},
	[EVENT_dup3] = {apply_dup3, STATE_DESCRIPTORS},
	[EVENT_fcntl] = {apply_fcntl, STATE_DESCRIPTORS},
	[EVENT_pipe] = {apply_pipe, STATE_FILES},
	[EVENT_pipe2] = {apply_pipe2, STATE_FILES},

	[EVENT_bpf] = {apply_bpf, STATE_FILES},
	[EVENT_io_uring_register] = {apply_register, STATE_DESCRIPTORS},
	[EVENT_pidfd_open] = {apply_pidfd_open, STATE_FILES},
	[EVENT_pidfd_getfd] = {apply_pidfd_getfd, STATE_DESCRIPTORS, .copies_fd = true},

	[EVENT_socket] = {apply_socket, STATE_DESCRIPTORS},
	[EVENT_socketpair] = {apply_socketpair, STATE_DESCRIPTORS},
	[EVENT_bind] = {apply_bind, STATE_CONNECTIONS},
	[EVENT_listen] = {apply_listen, STATE_CONNECTIONS},
	[EVENT_connect] = {apply_connect, STATE_CONNECTIONS},
	[EVENT_accept] = {apply_accept, STATE_DESCRIPTORS},
	[EVENT_accept4] = {apply_accept4, STATE_DESCRIPTORS},
	[EVENT_shutdown] = {apply_shutdown, STATE_CONNECTIONS},
	[EVENT_sendto] = {apply_message, STATE_CONNECTIONS},
	[EVENT_sendmsg] = {apply_message, STATE_CONNECTIONS},
	[EVENT_recvfrom] = {apply_message, STATE_CONNECTIONS},
	[EVENT_recvmsg] = {apply_recvmsg, STATE_CONNECTIONS},
	[EVENT_send] = {apply_message, STATE_CONNECTIONS},
	[EVENT_recv] = {apply_message, STATE_CONNECTIONS},
	[EVENT_sendmmsg] = {apply_message, STATE_CONNECTIONS},
	[EVENT_recvmmsg] = {apply_recvmmsg, STATE_CONNECTIONS},
	[EVENT_getsockopt] = {apply_getsockopt, STATE_CONNECTIONS},

	[EVENT_clone] = {apply_clone, STATE_THREADS},
	[EVENT_clone3] = {apply_clone, STATE_THREADS},
	[EVENT_fork] = {apply_clone, STATE_THREADS},
	[EVENT_vfork] = {apply_clone, STATE_THREADS},
	[EVENT_execve] = {apply_exec, STATE_THREADS | STATE_ENVIRONMENTS},
	[EVENT_execveat] = {apply_exec, STATE_THREADS | STATE_ENVIRONMENTS},
	[EVENT_procexit] = {apply_exit, STATE_THREADS},
	[EVENT_cgroup_attach] = {apply_cgroup_attach, STATE_CONTAINERS},

	[EVENT_setuid] = {apply_setuid, STATE_THREADS},
	[EVENT_setgid] = {apply_setgid, STATE_THREADS},
	[EVENT_setreuid] = {apply_setreuid, STATE_THREADS},
	[EVENT_setregid] = {apply_setregid, STATE_THREADS},
	[EVENT_setresuid] = {apply_setresuid, STATE_THREADS},
	[EVENT_setresgid] = {apply_setresgid, STATE_THREADS},
	[EVENT_setsid] = {apply_setsid, STATE_THREADS},
	[EVENT_setpgid] = {apply_setpgid, STATE_THREADS},
	[EVENT_unshare] = {apply_unshare, STATE_THREADS | STATE_DESCRIPTORS | STATE_DIRECTORIES},
	[EVENT_setns] = {apply_setns, STATE_THREADS | STATE_DIRECTORIES},
	[EVENT_capset] = {apply_capset, STATE_THREADS},
	[EVENT_prctl] = {apply_prctl, STATE_THREADS},
	[EVENT_setrlimit] = {apply_setrlimit, STATE_THREADS},
	[EVENT_prlimit] = {apply_prlimit, STATE_THREADS},

	[EVENT_switch] = {apply_switch, STATE_SWITCHES},
	[EVENT_procinfo] = {apply_procinfo},
	[EVENT_useradded] = {apply_user_added},
	[EVENT_userdeleted] = {apply_user_deleted},
	[EVENT_groupadded] = {apply_group_added},
	[EVENT_groupdeleted] = {apply_group_deleted},
	[EVENT_container] = {apply_container},
	[EVENT_asyncevent] = {apply_asyncevent},
	[EVENT_request] = {apply_request},
	/* Too frequent to be captured only for this. */
	[EVENT_io_uring_op] = {apply_uring},
	[EVENT_brk] = {apply_memory},
	[EVENT_mmap] = {apply_memory},
	[EVENT_mmap2] = {apply_memory},
	[EVENT_munmap] = {apply_memory},
};

const struct state_rule *state_rule_of(unsigned int id)
{
	static const struct state_rule opens = {apply_open, STATE_FILES | STATE_CREATED},
				       makes_object = {apply_make_object, STATE_FILES},
				       makes_unknown = {apply_make_unknown, STATE_FILES},
				       transfers = {apply_io};
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
		plans[id].makes_fd = (desc->flags & (EF_CREATES_FD | EF_USES_FD)) == EF_CREATES_FD;
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
