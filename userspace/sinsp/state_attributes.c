/* SPDX-License-Identifier: MIT */
/* What a thread changes of itself: ids, session, process group, name, and what it shares. */
#include <linux/prctl.h>

#include "sinsp/program.h"
#include "sinsp/state.h"

enum { NO_CHANGE = UINT32_MAX };

/* Events of such calls are of no use without their thread, or when the call failed. */
static bool applies(const struct sinsp_event *event)
{
	return event->thread && event_param_i64(&event->ev, 0) >= 0;
}

static void set_id(uint32_t *id, const struct event *ev, unsigned int param)
{
	uint32_t value = (uint32_t)event_param_u64(ev, param);

	if (event_param_present(ev, param) && value != NO_CHANGE)
		*id = value;
}

/* The thread's ids are the effective ones. */
#define DEFINE_SET_ID(call, id, param)                                                             \
	void state_##call(struct sinsp *sinsp, struct sinsp_event *event)                          \
	{                                                                                          \
		if (applies(event))                                                                \
			set_id(&event->thread->id, &event->ev, param);                             \
	}

DEFINE_SET_ID(setuid, uid, setuid__uid)
DEFINE_SET_ID(setgid, gid, setgid__gid)
DEFINE_SET_ID(setreuid, uid, setreuid__euid)
DEFINE_SET_ID(setregid, gid, setregid__egid)
DEFINE_SET_ID(setresuid, uid, setresuid__euid)
DEFINE_SET_ID(setresgid, gid, setresgid__egid)

void state_setsid(struct sinsp *sinsp, struct sinsp_event *event)
{
	struct sinsp_thread *thread = event->thread;

	if (!applies(event))
		return;
	thread->sid = thread->vpgid = event_param_i64(&event->ev, setsid__res);
	thread->pgid = thread->pid;
}

/* Ids are those of the caller's pid namespace, known to be anybody's only where it is the host's.
 */
static struct sinsp_thread *named_by(struct sinsp *sinsp, struct sinsp_thread *caller, int64_t pid)
{
	if (pid == 0 || pid == caller->vpid)
		return caller;
	return caller->vpid == caller->pid ? sinsp_thread_find(sinsp, pid) : NULL;
}

void state_setpgid(struct sinsp *sinsp, struct sinsp_event *event)
{
	int64_t group = event_param_i64(&event->ev, setpgid__pgid);
	struct sinsp_thread *thread = NULL, *leader;

	if (applies(event))
		thread = named_by(sinsp, event->thread, event_param_i64(&event->ev, setpgid__pid));
	if (!thread)
		return;
	if (group == 0)
		group = thread->vpid;
	leader = group == thread->vpid ? thread : named_by(sinsp, event->thread, group);
	thread->vpgid = group;
	if (leader)
		thread->pgid = leader->pid;
}

/* A new user or mount namespace implies a directory of its own. */
void state_unshare(struct sinsp *sinsp, struct sinsp_event *event)
{
	uint64_t flags = event_param_u64(&event->ev, unshare__flags);

	if (!applies(event))
		return;
	if (flags & (clone_flags__CLONE_FS | clone_flags__CLONE_NEWNS | clone_flags__CLONE_NEWUSER))
		state_unshare_fs(sinsp, event->thread);
	if (flags & clone_flags__CLONE_FILES)
		state_unshare_fds(event->thread);
}

void state_prctl(struct sinsp *sinsp, struct sinsp_event *event)
{
	if (applies(event) && event_param_u64(&event->ev, prctl__option) == PR_SET_NAME)
		state_set_comm(event->thread, event_param_string(&event->ev, prctl__arg2_str));
}
