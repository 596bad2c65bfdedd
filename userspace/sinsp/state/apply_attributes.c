/* SPDX-License-Identifier: MIT */
/* Attributes that a thread changes: ids, session, process group, name, and what it shares. */
#include <linux/prctl.h>
#include <string.h>

#include "sinsp/state/apply.h"
#include "sinsp/state/lookup.h"
#include "sinsp/state/parts.h"
#include "sinsp/state/program.h"

enum { NO_CHANGE = UINT32_MAX };

/* Events of such calls are ignored if the thread is unknown or the call failed. */
static bool applies(const struct state_event *event)
{
	return event->thread && event_param_i64(event->ev, 0) >= 0;
}

static void set_id(uint32_t *id, const struct event *ev, unsigned int param)
{
	uint32_t value = (uint32_t)event_param_u64(ev, param);

	if (event_param_present(ev, param) && value != NO_CHANGE)
		*id = value;
}

/*
 * The thread's ids are the effective ones: those that the kernel had after the call, or in older
 * captures those that were asked for.
 */
#define DEFINE_SET_ID(call, id, now, asked)                                                        \
	void state_##call(struct sinsp *sinsp, struct state_event *event)                          \
	{                                                                                          \
		if (applies(event))                                                                \
			set_id(&event->thread->id, event->ev,                                      \
			       event_param_present(event->ev, now) ? now : (asked));               \
	}

DEFINE_SET_ID(setuid, uid, setuid__effective_uid, setuid__uid)
DEFINE_SET_ID(setgid, gid, setgid__effective_gid, setgid__gid)
DEFINE_SET_ID(setreuid, uid, setreuid__effective_uid, setreuid__euid)
DEFINE_SET_ID(setregid, gid, setregid__effective_gid, setregid__egid)
DEFINE_SET_ID(setresuid, uid, setresuid__effective_uid, setresuid__euid)
DEFINE_SET_ID(setresgid, gid, setresgid__effective_gid, setresgid__egid)

void state_setsid(struct sinsp *sinsp, struct state_event *event)
{
	struct sinsp_thread *thread = event->thread;

	if (!applies(event))
		return;
	thread->sid = thread->vpgid = event_param_i64(event->ev, setsid__res);
	thread->pgid = thread->pid;
}

void state_setpgid(struct sinsp *sinsp, struct state_event *event)
{
	int64_t group = event_param_i64(event->ev, setpgid__pgid);
	struct sinsp_thread *thread = NULL, *leader;

	if (applies(event) && event_param_present(event->ev, setpgid__pgid))
		thread = state_thread_named(sinsp, event->thread,
					    event_param_i64(event->ev, setpgid__pid));
	if (!thread)
		return;
	if (group == 0)
		group = thread->vpid;
	leader = group == thread->vpid ? thread : state_thread_named(sinsp, event->thread, group);
	thread->vpgid = group;
	if (leader)
		thread->pgid = leader->pid;
}

/* A new user or mount namespace implies an unshared directory. */
void state_unshare(struct sinsp *sinsp, struct state_event *event)
{
	uint64_t flags = event_param_u64(event->ev, unshare__flags);

	if (!applies(event))
		return;
	if (flags & (clone_flags__CLONE_FS | clone_flags__CLONE_NEWNS | clone_flags__CLONE_NEWUSER))
		state_unshare_fs(sinsp, event->thread);
	if (flags & clone_flags__CLONE_FILES)
		state_unshare_fds(event->thread);
	if (flags & clone_flags__CLONE_NEWUSER)
		state_enter_userns(event->thread);
}

/* The kind of a namespace by its descriptor's name: "/proc/1/ns/mnt", or "mnt:[4026531841]". */
static uint32_t kind_of_namespace(const struct sinsp_fd *fd)
{
	static const struct {
		const char *path_end, *link;
		uint32_t flag;
	} kinds[] = {
		{"/ns/mnt", "mnt:[", clone_flags__CLONE_NEWNS},
		{"/ns/user", "user:[", clone_flags__CLONE_NEWUSER},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i].path_end);

		if (strncmp(fd->name, kinds[i].link, strlen(kinds[i].link)) == 0 ||
		    (fd->name_len > len &&
		     strcmp(fd->name + fd->name_len - len, kinds[i].path_end) == 0))
			return kinds[i].flag;
	}
	return 0;
}

/*
 * A thread that enters a mount namespace is at its root; the kernel rejects the call if others
 * share the directory. If the kind is unknown, as of a namespace bound to a file, /proc is read.
 */
void state_setns(struct sinsp *sinsp, struct state_event *event)
{
	uint64_t kinds = event_param_u64(event->ev, setns__nstype);

	if (!applies(event))
		return;
	if (kinds == 0 && (sinsp->lacks & SINSP_DESCRIPTORS))
		event->fd = state_replace_fd(sinsp, event, event->fd_num);
	if (kinds == 0 && event->fd)
		kinds = kind_of_namespace(event->fd);
	if (kinds == 0)
		state_look_up_cwd(sinsp, event->thread);
	if (kinds & clone_flags__CLONE_NEWUSER)
		state_enter_userns(event->thread);
	if (kinds & clone_flags__CLONE_NEWNS) {
		state_unshare_fs(sinsp, event->thread);
		sinsp_fs_set(&sinsp->pool, event->thread->fs, "/", 1);
	}
}

/* Failed calls also report the resulting capabilities. */
void state_capset(struct sinsp *sinsp, struct state_event *event)
{
	struct sinsp_thread *thread = event->thread;

	if (!thread)
		return;
	state_set_u64(&thread->caps_inheritable, event->ev, capset__cap_inheritable);
	state_set_u64(&thread->caps_permitted, event->ev, capset__cap_permitted);
	state_set_u64(&thread->caps_effective, event->ev, capset__cap_effective);
}

void state_prctl(struct sinsp *sinsp, struct state_event *event)
{
	if (applies(event) && event_param_u64(event->ev, prctl__option) == PR_SET_NAME)
		state_set_comm(event->thread, event_param_string(event->ev, prctl__arg2_str));
}

/* Limits belong to a process: fields show those of its main thread. */
static void set_limit(struct sinsp *sinsp, struct sinsp_thread *thread, uint64_t resource,
		      int64_t limit)
{
	struct sinsp_thread *main = thread ? state_thread_find(sinsp, thread->pid) : NULL;

	if (resource != rlimit_resources__RLIMIT_NOFILE || !thread)
		return;
	thread->fd_limit = limit;
	if (main)
		main->fd_limit = limit;
}

void state_setrlimit(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;

	if (applies(event))
		set_limit(sinsp, event->thread, event_param_u64(ev, setrlimit__resource),
			  event_param_i64(ev, setrlimit__cur));
}

/*
 * Whether the call sets a limit. The event has zeros for a new limit that is absent, and for an old
 * limit that was not requested.
 */
static bool gives_limit(const struct event *ev)
{
	return event_param_i64(ev, prlimit__newcur) || event_param_i64(ev, prlimit__newmax) ||
	       (event_param_i64(ev, prlimit__oldcur) == 0 &&
		event_param_i64(ev, prlimit__oldmax) == 0);
}

void state_prlimit(struct sinsp *sinsp, struct state_event *event)
{
	const struct event *ev = event->ev;

	if (applies(event) && event_param_present(ev, prlimit__resource) && gives_limit(ev))
		set_limit(
			sinsp,
			state_thread_named(sinsp, event->thread, event_param_i64(ev, prlimit__pid)),
			event_param_u64(ev, prlimit__resource),
			event_param_i64(ev, prlimit__newcur));
}
