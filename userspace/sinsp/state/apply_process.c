/* SPDX-License-Identifier: MIT */
/*
 * Processes and threads: created, exec, exit; attributes that a thread changes; moves to other
 * control groups.
 */
#include <linux/prctl.h>
#include <string.h>

#include "sinsp/state/apply.h"
#include "sinsp/state/container_state.h"
#include "sinsp/state/core.h"
#include "sinsp/state/load.h"
#include "sinsp/state/path.h"
#include "sinsp/state/program.h"
#include "util/count.h"

/*
 * Processes and threads: created (reported by the creator, by the new thread, or by both), exec,
 * exit.
 */

/* The four clone events have the same parameters, and begin as the two exec events do. */
_Static_assert((int)clone__exec_id == (int)clone3__exec_id &&
		       (int)clone__exec_id == (int)fork__exec_id &&
		       (int)clone__exec_id == (int)vfork__exec_id &&
		       (int)clone__exe == (int)execve__exe &&
		       (int)clone__cgroups == (int)execve__cgroups &&
		       (int)execve__gid == (int)execveat__gid,
	       "the code below reads them under one name");

enum {
	HOST_INIT = 1,
	ANCESTORS_MAX = 1024,
	REAPER_UNKNOWN = -1,
	LATE_TICKS = 64, /* by how much the first event of a process may be later than its start */
	STACK_SLOTS = 4 * LATE_TICKS,
};

static const uint32_t in_pidns = clone_flags__CLONE_CHILD_IN_PIDNS;

/*
 * The thread's directory in clone events of old captures; current ones leave that to chdir. As in
 * other readers, an exec does not change the directory.
 */
static void update_directory(struct state *state, struct state_thread *thread,
			     const struct event *ev)
{
	const char *cwd = event_param_string(ev, clone__cwd);

	if (cwd && *cwd == '/')
		state_fs_set(&state->pool, thread->fs, cwd, strlen(cwd));
}

/* Updates the thread of a clone or exec event from it. */
static void update_task(struct state *state, struct state_thread *thread, const struct event *ev)
{
	const struct event_param *cgroups = &ev->params[clone__cgroups];

	if (event_param_present(ev, clone__ptid))
		state_threads_set_parent(&state->threads, thread, event_param_i64(ev, clone__ptid));
	state_set_i64(&thread->fd_limit, ev, clone__fdlimit);
	state_set_u64(&thread->faults_major, ev, clone__pgft_maj);
	state_set_u64(&thread->faults_minor, ev, clone__pgft_min);
	state_set_u32(&thread->vm_size_kib, ev, clone__vm_size);
	state_set_u32(&thread->vm_rss_kib, ev, clone__vm_rss);
	state_set_u32(&thread->vm_swap_kib, ev, clone__vm_swap);
	state_set_comm(thread, event_param_string(ev, clone__comm));
	if (cgroups->len)
		state_thread_set_cgroups(&state->containers, thread, (const char *)cgroups->data,
					 cgroups->len);
}

static const char *string_or_empty(const struct event *ev, unsigned int param)
{
	const char *text = event_param_string(ev, param);

	return text ? text : "";
}

/* The arguments in memory may have been overwritten since exec, as daemons do. */
static void update_arguments(struct state *state, struct state_thread *thread,
			     const struct event *ev)
{
	const char *exe = event_param_string(ev, clone__exe);
	const struct event_param *args = &ev->params[clone__args];
	struct state_program changed = *thread->program;

	if (!exe || (strcmp(exe, changed.exe) == 0 && args->len == changed.args_len &&
		     memcmp(args->data, changed.args, args->len) == 0))
		return;
	changed.exe = exe;
	changed.args = (const char *)args->data;
	changed.args_len = args->len;
	state_set_program(state, thread, &changed);
}

static void update_cloned(struct state *state, struct state_thread *thread, const struct event *ev)
{
	update_task(state, thread, ev);
	update_directory(state, thread, ev);
	update_arguments(state, thread, ev);
	state_set_u32(&thread->uid, ev, clone__uid);
	state_set_u32(&thread->gid, ev, clone__gid);
	state_set_i64(&thread->vtid, ev, clone__vtid);
	state_set_i64(&thread->vpid, ev, clone__vpid);
	state_set_u64(&thread->exec_id, ev, clone__exec_id);
	if (event_param_u64(ev, clone__pidns_init_start_ts))
		thread->pidns_start_ns =
			event_param_u64(ev, clone__pidns_init_start_ts) + state->machine.boot_ns;
}

/*
 * The thread of a clone or exec event: an unknown one is added, because these events suffice for
 * that.
 */
static struct state_thread *thread_of(struct state *state, const struct event *ev)
{
	struct state_thread *thread = state_look_up_thread(state, ev->tid);
	int64_t pid =
		event_param_present(ev, clone__pid) ? event_param_i64(ev, clone__pid) : ev->tid;

	if (thread && thread->pid < 0)
		state_threads_set_process(&state->threads, thread, pid);
	/*
	 * The id was reused: the known thread belongs to another process and its end was not seen.
	 */
	if (!thread || thread->pid != pid)
		thread = state_thread_add(state, ev->tid, pid);
	if (!thread)
		return NULL;
	state_follow_created(state, thread, NULL);
	state_threads_use(&state->threads, thread);
	state_thread_entry(thread)->by_caller = false;
	return thread;
}

/* For threads without an event with their inner ids: in the initial namespace if the creator is. */
static void stay_outside(struct state_thread *thread, const struct state_thread *creator)
{
	if (!state_is_outside(creator))
		return;
	thread->vtid = thread->tid;
	thread->vpid = thread->pid;
}

/* Adds a new thread with everything that it inherits from its creator, if that is known. */
static struct state_thread *apply_process_inherit(struct state *state, int64_t tid, int64_t pid,
						  int64_t creator_tid, uint32_t flags)
{
	struct state_thread *thread = state_thread_add(state, tid, pid);
	struct state_thread *creator = state_thread_get(state, creator_tid);

	if (!thread)
		return NULL;
	thread->clone_ts_ns = state->now_ns;
	state_follow_created(state, thread, creator);
	if (!creator)
		return thread;
	thread->pgid = creator->pgid;
	thread->vpgid = creator->vpgid;
	thread->sid = creator->sid;
	thread->uid = creator->uid;
	thread->gid = creator->gid;
	thread->loginuid = creator->loginuid;
	thread->tty = creator->tty;
	thread->fd_limit = creator->fd_limit;
	thread->caps_permitted = creator->caps_permitted;
	thread->caps_effective = creator->caps_effective;
	thread->caps_inheritable = creator->caps_inheritable;
	thread->vm_size_kib = creator->vm_size_kib;
	thread->vm_rss_kib = creator->vm_rss_kib;
	thread->vm_swap_kib = creator->vm_swap_kib;
	thread->pidns_start_ns = creator->pidns_start_ns;
	stay_outside(thread, creator);
	memcpy(thread->comm, creator->comm, sizeof(thread->comm));
	state_thread_share_cgroups(thread, creator);
	state_share(state, thread, creator, flags);
	if (flags & clone_flags__CLONE_NEWUSER)
		state_enter_userns(thread);
	return thread;
}

static uint64_t start_ticks(const struct state *state, uint64_t ns)
{
	/* The offset of the boot is not known to the nanosecond. */
	return (ns - state->machine.boot_ns) / TICK_NS + 1;
}

/* The stack of a program that began at a time, which exec_id_of() mixes; never 0. */
static uint64_t stack_of(uint64_t exec_id, uint64_t ticks)
{
	return (exec_id ^ exec_id_of(ticks, 0)) | 1;
}

/* Where a stack is in the table, or could be. */
static uint64_t *find_stack(uint64_t table[STACK_SLOTS], uint64_t stack)
{
	uint64_t at = stack * 0x9E3779B97F4A7C15 >> 32;

	while (table[at % STACK_SLOTS] && table[at % STACK_SLOTS] != stack)
		at++;
	return &table[at % STACK_SLOTS];
}

/* After a fork the stack is in the same place; when the two began, is not known to the tick. */
static bool shares_stack(uint64_t a, uint64_t a_ticks, uint64_t b, uint64_t b_ticks)
{
	uint64_t stacks[STACK_SLOTS] = {0};

	for (uint64_t i = 0; i < LATE_TICKS; i++) {
		uint64_t stack = stack_of(a, a_ticks - i);

		*find_stack(stacks, stack) = stack;
	}
	for (uint64_t i = 0; i < LATE_TICKS; i++)
		if (*find_stack(stacks, stack_of(b, b_ticks - i)))
			return true;
	return false;
}

/*
 * Whether the parent in the first event of a process may be its creator: if that has ended by then,
 * it is one that takes in orphans. That its creator's own event is missing, is possible at the
 * start and after a loss.
 */
static bool is_creator(const struct state *state, const struct state_thread *parent,
		       const struct event *ev)
{
	const struct state_thread *main = state_thread_get(state, parent->pid);
	uint64_t exec_id = event_param_u64(ev, clone__exec_id);

	if (!state->proc || !main || !main->exec_id || !exec_id)
		return true;
	return shares_stack(main->exec_id, start_ticks(state, main->clone_ts_ns), exec_id,
			    start_ticks(state, ev->ts_ns));
}

/* A process forked; its child is named in an inner namespace. */
static void keep_fork(struct state *state, const struct state_thread *creator, int64_t child)
{
	struct state_fork *fork = &state->forks[state->next_fork % FORKS_COUNT];

	if (state->next_fork - state->oldest_fork == FORKS_COUNT) {
		state_fds_unref(fork->fds);
		state->oldest_fork++;
	}
	*fork = (struct state_fork){creator->pid, child, state->now_ns,
				    state_fds_copy(creator->fds)};
	state->next_fork++;
}

/* The child has the descriptors of that time. */
static void take_fork(struct state *state, struct state_thread *child, int64_t creator, int64_t id)
{
	for (uint32_t i = state->oldest_fork; i != state->next_fork; i++) {
		struct state_fork *fork = &state->forks[i % FORKS_COUNT];

		if (!fork->fds || fork->creator != creator || fork->child != id)
			continue;
		state_fds_unref(child->fds);
		child->fds = fork->fds;
		fork->fds = NULL;
		return;
	}
}

/* Adds the thread whose own first event this is. */
static struct state_thread *make_child(struct state *state, const struct event *ev, uint32_t flags)
{
	int64_t pid = event_param_i64(ev, clone__pid);
	/* The parent is not the creator of threads, nor of processes made with CLONE_PARENT. */
	int64_t creator_tid =
		flags & clone_flags__CLONE_THREAD ? pid : event_param_i64(ev, clone__ptid);
	struct state_thread_entry *stale = state_threads_find(&state->threads, ev->tid);
	struct state_thread *thread = NULL, *creator;

	if (stale)
		state_threads_remove(&state->threads, stale);
	creator = state_look_up_thread(state, creator_tid);
	if (creator && !(flags & clone_flags__CLONE_THREAD) && !is_creator(state, creator, ev)) {
		creator = NULL;
		creator_tid = 0;
	}
	if (!creator)
		thread = state_look_up_thread(state, ev->tid);
	if (thread)
		return thread;
	thread = apply_process_inherit(state, ev->tid, pid, creator_tid, flags);
	if (thread && !(flags & clone_flags__CLONE_FILES))
		take_fork(state, thread, event_param_i64(ev, clone__ptid),
			  event_param_i64(ev, clone__vtid));
	if (thread)
		state_thread_entry(thread)->orphan =
			!creator || (flags & clone_flags__CLONE_PARENT);
	return thread;
}

/*
 * Whether a thread is the new one of an event: its creator's event has added it, or it was read
 * from /proc before it ran.
 */
static bool is_known_child(const struct state_thread_entry *entry, const struct event *ev)
{
	uint64_t exec_id = event_param_u64(ev, clone__exec_id);

	return entry->by_caller || (exec_id && entry->thread.exec_id == exec_id &&
				    entry->thread.pid == event_param_i64(ev, clone__pid));
}

/* The event of the new thread, in which the call's result is 0. */
static void clone_in_child(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	uint32_t flags = (uint32_t)event_param_u64(ev, clone__flags);
	struct state_thread_entry *entry = state_threads_find(&state->threads, ev->tid);
	bool known = entry && !entry->unknown;

	state_forget_exit(state, ev->tid);
	if (known && !entry->by_caller && entry->since_ns > ev->ts_ns) {
		/* Read from /proc after this event: that is newer than the event's data. */
		event->thread = &entry->thread;
		return;
	}
	event->thread =
		known && is_known_child(entry, ev) ? &entry->thread : make_child(state, ev, flags);
	if (!event->thread)
		return;
	state_thread_entry(event->thread)->by_caller = false;
	state_thread_entry(event->thread)->outside = !(flags & in_pidns);
	state_threads_use(&state->threads, event->thread);
	update_cloned(state, event->thread, ev);
	state_complete_program(state, event->thread);
}

/*
 * Whether the result of a call is an id of another pid namespace. Old captures do not report it,
 * but then the caller too has another id there. A caller outside gets the true id of a child that
 * begins in an inner one, as those of container runtimes do. Its inner id is no proof that it is
 * outside: in a namespace of its own it may choose one.
 */
static bool is_foreign_id(const struct event *ev, struct state_thread *caller)
{
	if (state_thread_entry(caller)->outside)
		return false;
	return (event_param_u64(ev, clone__flags) & in_pidns) ||
	       (caller->vtid > 0 && caller->vtid != caller->tid);
}

/*
 * Whether the caller's event should add the child: its own event may have come before, and the
 * child may even have exited.
 */
static bool child_is_new(struct state *state, const struct event *ev, int64_t child)
{
	uint32_t flags = (uint32_t)event_param_u64(ev, clone__flags);

	/* The caller of vfork waits for the child, so the child's own event came first. */
	if (ev->desc->id == EVENT_vfork || (flags & clone_flags__CLONE_VFORK))
		return false;
	return ev->ts_ns >= state->seed_ns && !state_has_exited(state, child);
}

/* The child's own event came first, and what it executes may be known from elsewhere. */
static void adopt_orphan(struct state *state, struct state_thread_entry *orphan,
			 struct state_thread *caller, uint32_t flags)
{
	const struct state_program *known = orphan->thread.program;

	/* With CLONE_PARENT it has another one's program so far. */
	if (!(flags & clone_flags__CLONE_PARENT) && *known->exepath && !*caller->program->exepath)
		state_learn_executable(state, caller, known);
	state_share(state, &orphan->thread, caller, flags);
	orphan->orphan = false;
}

static void add_child(struct state *state, const struct event *ev, struct state_thread *caller,
		      int64_t child)
{
	uint32_t flags = (uint32_t)event_param_u64(ev, clone__flags);
	struct state_thread_entry *known = state_threads_find(&state->threads, child);
	bool is_thread = flags & clone_flags__CLONE_THREAD;
	bool is_first = flags & clone_flags__CLONE_NEWPID;
	struct state_thread *thread;

	/* Of a thread without a process only other calls were seen. */
	if (known && !known->unknown && known->thread.pid > 0) {
		if (known->orphan)
			adopt_orphan(state, known, caller, flags);
		/* If it was read from /proc, maybe with who took it in for a parent. */
		state_follow_created(state, &known->thread, caller);
		return;
	}
	if (!child_is_new(state, ev, child))
		return;
	thread = apply_process_inherit(state, child, is_thread ? caller->pid : child, caller->tid,
				       flags);
	if (!thread)
		return;
	state_thread_entry(thread)->by_caller = true;
	state_threads_set_parent(&state->threads, thread,
				 is_thread || (flags & clone_flags__CLONE_PARENT) ? caller->ptid
										  : caller->tid);
	/* In a namespace that its creator prepared, it has an id that only its own event tells. */
	thread->vtid = is_first ? 1 : flags & in_pidns ? -1 : child;
	thread->vpid = is_thread ? caller->vpid : thread->vtid;
}

void apply_clone(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	int64_t result = event_param_i64(ev, clone__res);

	/* A thread that is not known begins, whoever says so; all else its creator may have made
	 * up. */
	if (state_is_doubtful(event) && (result != 0 || state_thread_get(state, ev->tid))) {
		event->thread = state_look_up_thread(state, ev->tid);
		return;
	}
	if (result == 0) {
		clone_in_child(state, event);
		return;
	}
	event->thread = thread_of(state, ev);
	if (!event->thread)
		return;
	update_cloned(state, event->thread, ev);
	if (result <= 0)
		return;
	/* Otherwise the child's own event has its id. */
	if (!is_foreign_id(ev, event->thread))
		add_child(state, ev, event->thread, result);
	else if (!(event_param_u64(ev, clone__flags) & clone_flags__CLONE_FILES) &&
		 state_fds_count(event->thread->fds) <= FORK_FDS_MAX)
		keep_fork(state, event->thread, result);
}

/* Credentials in exec events, also in those of failed calls. */
static void update_credentials(struct state_thread *thread, const struct event *ev)
{
	state_set_u32(&thread->tty, ev, execve__tty);
	state_set_i64(&thread->vpgid, ev, execve__vpgid);
	state_set_u32(&thread->loginuid, ev, execve__loginuid);
	state_set_u64(&thread->caps_inheritable, ev, execve__cap_inheritable);
	state_set_u64(&thread->caps_permitted, ev, execve__cap_permitted);
	state_set_u64(&thread->caps_effective, ev, execve__cap_effective);
	state_set_u32(&thread->uid, ev, execve__uid);
	state_set_i64(&thread->pgid, ev, execve__pgid);
	state_set_u32(&thread->gid, ev, execve__gid);
	state_set_u64(&thread->exec_id, ev,
		      ev->desc->id == EVENT_execve ? (unsigned int)execve__exec_id
						   : (unsigned int)execveat__exec_id);
}

/* For a process first known by its exec. */
static void learn_namespace(struct state *state, struct state_thread *thread)
{
	const struct state_thread *parent = state_thread_get(state, thread->ptid);

	/* If the group has another id inside, the process is in an inner namespace. */
	if (parent && thread->vpid < 0 && thread->vpgid == thread->pgid)
		stay_outside(thread, parent);
}

struct survivor {
	struct state *state;
	struct state_thread_entry *entry;
};

/* Exec ends the other threads of its process. One of them may be the caller, under its old id. */
static void end_other(struct state_thread_entry *other, void *context)
{
	struct survivor *survivor = context;
	struct state_thread_entry *entry = survivor->entry;

	if (other == entry || other->thread.pid != entry->thread.pid)
		return;
	if (entry->ended) {
		state_share(survivor->state, &entry->thread, &other->thread,
			    clone_flags__CLONE_FILES | clone_flags__CLONE_FS);
		entry->ended = false;
	}
	state_threads_remove(&survivor->state->threads, other);
}

static void end_others(struct state *state, struct state_thread *thread)
{
	struct state_thread_entry *entry = state_thread_entry(thread);

	if (thread->nthreads > 1 || entry->ended || !state_thread_is_main(thread))
		state_threads_each(&state->threads, end_other,
				   &(struct survivor){.state = state, .entry = entry});
	entry->ended = false;
	thread->nthreads = 1;
}

static void start_program(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	const struct event_param *args = &ev->params[execve__args], *env = &ev->params[execve__env];
	struct state_program program = {
		.flags = (uint32_t)event_param_u64(ev, execve__flags),
		.exe_ino = event_param_u64(ev, execve__exe_ino),
		.exe_ctime_ns = event_param_u64(ev, execve__exe_ino_ctime),
		.exe_mtime_ns = event_param_u64(ev, execve__exe_ino_mtime),
		.exe = string_or_empty(ev, execve__exe),
		.exepath = string_or_empty(ev, execve__trusted_exepath),
		.args = (const char *)args->data,
		.args_len = args->len,
		.env = (const char *)env->data,
		.env_len = env->len,
	};
	char path[STATE_PATH_MAX];

	if (ev->desc->id == EVENT_execve && !*program.exepath &&
	    apply_event_path(ev, event->thread, execve__filename, path, sizeof(path)))
		program.exepath = path;
	state_set_program(state, event->thread, &program);
	if (!env->len && ev->ts_ns < state->environments_ns)
		state_read_arguments(state, event->thread);
	/* Captures of 2014 lack the thread name: the kernel derives it from the program's. */
	if (!event_param_present(ev, execve__comm))
		state_set_comm(event->thread, state_path_name(program.exe));
}

void apply_exec(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;

	event->thread = thread_of(state, ev);
	if (!event->thread)
		return;
	if (event_param_i64(ev, execve__res) == 0) {
		state_thread_entry(event->thread)->orphan = false;
		end_others(state, event->thread);
		start_program(state, event);
		state_follow_exec(state, event->thread);
		state_unshare_fds(event->thread);
		if (!state_fds_shared(event->thread->fds)) {
			state_note_gone(state, event->thread->fds,
					&(struct state_fds_going){0, UINT32_MAX, .cloexec = true});
			state_fds_exec(event->thread->fds);
		}
	}
	update_task(state, event->thread, ev);
	update_credentials(event->thread, ev);
	learn_namespace(state, event->thread);
	state_learn_users(state, event->thread);
}

struct search {
	const struct state_thread *ending;
	int64_t found; /* 0: none */
};

static void find_sibling(struct state_thread_entry *entry, void *context)
{
	const struct state_thread *thread = &entry->thread;
	struct search *search = context;

	if (thread->pid != search->ending->pid || thread == search->ending || entry->ended)
		return;
	if (!search->found || state_thread_is_main(thread))
		search->found = thread->tid;
}

/*
 * The new parent of a thread's children if its event has none: a thread of its process, else the
 * first process of its namespace, an ancestor of nearly all others.
 */
static int64_t find_reaper(struct state *state, const struct state_thread *thread)
{
	const struct state_thread *main = thread ? state_thread_get(state, thread->pid) : NULL;
	struct search search = {.ending = thread};

	if (main && main->nthreads > 1)
		state_threads_each(&state->threads, find_sibling, &search);
	if (search.found)
		return search.found;
	for (int i = 0; thread && thread->vpid != 1 && i < ANCESTORS_MAX; i++)
		thread = state_thread_get(state, thread->ptid);
	return thread && thread->vpid == 1 ? thread->pid : HOST_INIT;
}

/*
 * The files of a process go with its last thread: those of its rings, and its descriptors unless
 * another process has the table.
 */
static void end_files(struct state *state, const struct state_thread_entry *ended)
{
	struct state_fds *fds = ended->thread.fds;
	const uint32_t holders = state_threads_ends_process(&state->threads, ended);

	if (!holders)
		return;
	state_rings_end_process(&state->rings, ended->thread.pid);
	if (state_fds_users(fds) <= holders)
		state_note_gone(state, fds, &(struct state_fds_going){.last = UINT32_MAX});
}

void apply_exit(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	int64_t reaper = event_param_present(ev, procexit__reaper_tid)
				 ? event_param_i64(ev, procexit__reaper_tid)
				 : REAPER_UNKNOWN;

	state->after.ended = state_threads_find(&state->threads, ev->tid);
	state->after.pending = true;
	if (event->thread)
		event->thread->exiting = true;
	if (state->after.ended)
		end_files(state, state->after.ended);
	if (reaper < 0)
		reaper = find_reaper(state, event->thread);
	if (reaper > 0)
		state_threads_reparent(&state->threads, ev->tid, reaper);
	state_remember_exit(state, ev->tid);
}

/* Attributes that a thread changes: ids, session, process group, name, and what it shares. */

enum { NO_CHANGE = UINT32_MAX };

/* Events of such calls are ignored if the thread is unknown or the call failed. */
static bool applies(const struct apply_event *event)
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
	void apply_##call(struct state *state, struct apply_event *event)                          \
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

void apply_setsid(struct state *state, struct apply_event *event)
{
	struct state_thread *thread = event->thread;

	if (!applies(event))
		return;
	thread->sid = thread->vpgid = event_param_i64(event->ev, setsid__res);
	thread->pgid = thread->pid;
}

void apply_setpgid(struct state *state, struct apply_event *event)
{
	int64_t group = event_param_i64(event->ev, setpgid__pgid);
	struct state_thread *thread = NULL, *leader;

	if (applies(event) && event_param_present(event->ev, setpgid__pgid))
		thread = state_thread_named(state, event->thread,
					    event_param_i64(event->ev, setpgid__pid));
	if (!thread)
		return;
	if (group == 0)
		group = thread->vpid;
	leader = group == thread->vpid ? thread : state_thread_named(state, event->thread, group);
	thread->vpgid = group;
	if (leader)
		thread->pgid = leader->pid;
}

/* A new user or mount namespace implies an unshared directory. */
void apply_unshare(struct state *state, struct apply_event *event)
{
	uint64_t flags = event_param_u64(event->ev, unshare__flags);

	if (!applies(event))
		return;
	if (flags & (clone_flags__CLONE_FS | clone_flags__CLONE_NEWNS | clone_flags__CLONE_NEWUSER))
		state_unshare_fs(state, event->thread);
	if (flags & clone_flags__CLONE_FILES)
		state_unshare_fds(event->thread);
	if (flags & clone_flags__CLONE_NEWUSER)
		state_enter_userns(event->thread);
}

/* The kind of a namespace by its descriptor's name: "/proc/1/ns/mnt", or "mnt:[4026531841]". */
static uint32_t kind_of_namespace(const struct state_fd *fd)
{
	static const struct {
		const char *path_end, *link;
		uint32_t flag;
	} kinds[] = {
		{"/ns/mnt", "mnt:[", clone_flags__CLONE_NEWNS},
		{"/ns/user", "user:[", clone_flags__CLONE_NEWUSER},
	};

	for (size_t i = 0; i < COUNT(kinds); i++) {
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
void apply_setns(struct state *state, struct apply_event *event)
{
	uint64_t kinds = event_param_u64(event->ev, setns__nstype);

	if (!applies(event))
		return;
	if (kinds == 0 && (state->lacks & STATE_DESCRIPTORS))
		event->fd = state_replace_fd(state, event, event->fd_num);
	if (kinds == 0 && event->fd)
		kinds = kind_of_namespace(event->fd);
	if (kinds == 0)
		state_look_up_cwd(state, event->thread);
	if (kinds & clone_flags__CLONE_NEWUSER)
		state_enter_userns(event->thread);
	if (kinds & clone_flags__CLONE_NEWNS) {
		state_unshare_fs(state, event->thread);
		state_fs_set(&state->pool, event->thread->fs, "/", 1);
	}
}

/* Failed calls also report the resulting capabilities. */
void apply_capset(struct state *state, struct apply_event *event)
{
	struct state_thread *thread = event->thread;

	if (!thread)
		return;
	state_set_u64(&thread->caps_inheritable, event->ev, capset__cap_inheritable);
	state_set_u64(&thread->caps_permitted, event->ev, capset__cap_permitted);
	state_set_u64(&thread->caps_effective, event->ev, capset__cap_effective);
}

void apply_prctl(struct state *state, struct apply_event *event)
{
	if (applies(event) && event_param_u64(event->ev, prctl__option) == PR_SET_NAME)
		state_set_comm(event->thread, event_param_string(event->ev, prctl__arg2_str));
}

/* Limits belong to a process: fields show those of its main thread. */
static void set_limit(struct state *state, struct state_thread *thread, uint64_t resource,
		      int64_t limit)
{
	struct state_thread *main = thread ? state_thread_get(state, thread->pid) : NULL;

	if (resource != rlimit_resources__RLIMIT_NOFILE || !thread)
		return;
	thread->fd_limit = limit;
	if (main)
		main->fd_limit = limit;
}

void apply_setrlimit(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;

	if (applies(event))
		set_limit(state, event->thread, event_param_u64(ev, setrlimit__resource),
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

void apply_prlimit(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;

	if (applies(event) && event_param_present(ev, prlimit__resource) && gives_limit(ev))
		set_limit(
			state,
			state_thread_named(state, event->thread, event_param_i64(ev, prlimit__pid)),
			event_param_u64(ev, prlimit__resource),
			event_param_i64(ev, prlimit__newcur));
}

/* Control groups: threads and processes that move to others. */

struct group_move {
	int64_t pid;
	uint32_t subsystems;
	const char *path;
	/* If a runtime moves it into the group of a container that it was given the name of. */
	enum state_container_type declared;
};

static void move_thread(const struct group_move *move, struct state_thread *thread)
{
	state_thread_move_cgroups(thread, move->subsystems, move->path);
	if (move->declared)
		state_cgroups_declare(thread->cgroups, move->path, move->declared);
}

/*
 * "runc create ... web1" moves the first process of a container into ".../web1": a free name, as
 * any group could have, that only its command line confirms. "runc exec" does likewise.
 */
static enum state_container_type apply_process_find_declared(const struct state *state,
							     const struct state_thread *mover,
							     const char *path)
{
	static const char shim[] = "containerd-shim";
	const struct state_thread *parent;
	const char *program, *name = state_path_name(path);

	if (!mover || !*name)
		return STATE_CONTAINER_NONE;
	program = state_path_name(mover->program->exepath);
	if ((strcmp(program, "runc") != 0 && strcmp(program, "crun") != 0) ||
	    !state_program_has_argument(mover->program, name))
		return STATE_CONTAINER_NONE;
	parent = state_thread_get(state, mover->ptid);
	return parent && strncmp(parent->comm, shim, sizeof(shim) - 1) == 0
		       ? STATE_CONTAINER_CONTAINERD
		       : STATE_CONTAINER_CUSTOM;
}

static void move_if_of_process(struct state_thread_entry *entry, void *context)
{
	const struct group_move *move = context;

	if (entry->thread.pid == move->pid)
		move_thread(move, &entry->thread);
}

/* The main thread may have ended before the others, which move all the same. */
static void move_process(struct state *state, struct group_move *move)
{
	struct state_thread_entry *main = state_threads_find(&state->threads, move->pid);

	if (main && !main->unknown && !main->ended && main->thread.nthreads <= 1)
		move_thread(move, &main->thread);
	else
		state_threads_each(&state->threads, move_if_of_process, move);
}

/* The event's thread is the one that moves another. What is not known yet is read from /proc. */
void apply_cgroup_attach(struct state *state, struct apply_event *event)
{
	const struct event *ev = event->ev;
	struct group_move move = {
		.pid = event_param_i64(ev, cgroup_attach__pid),
		.subsystems = (uint32_t)event_param_u64(ev, cgroup_attach__subsystems),
		.path = event_param_string(ev, cgroup_attach__path),
	};
	struct state_thread *thread;

	if (!move.path || !move.subsystems)
		return;
	move.declared = apply_process_find_declared(state, event->thread, move.path);
	if (event_param_u64(ev, cgroup_attach__threadgroup)) {
		move_process(state, &move);
		return;
	}
	thread = state_thread_get(state, event_param_i64(ev, cgroup_attach__tid));
	if (thread)
		move_thread(&move, thread);
}
