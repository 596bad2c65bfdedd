/* SPDX-License-Identifier: MIT */
/* Tells an input of control groups and processes. */
#include "agent/run/mutes.h"

#include <errno.h>
#include <stdlib.h>

#include "event/event.h"

/*
 * All are told again, at most this often, if one of them was forgotten by the state, as it may
 * still exist and would never be accepted, or if the input failed.
 */
enum { RETELL_NS = 1000000000 };

struct teller {
	struct mute_groups *groups;
	struct input *input;
	const struct plan *plan;
};

bool mute_groups_are_pending(const struct plan *plan, const struct state_cgroups *cgroups)
{
	return (plan->needs_containers && state_cgroups_await_container(cgroups)) ||
	       (plan->needs_pods && state_cgroups_await_pod(cgroups));
}

static bool group_is_rejected(const struct plan *plan, const struct state_cgroups *cgroups)
{
	return filter_decide(plan->filter, cgroups) == FILTER_REJECTED &&
	       !mute_groups_are_pending(plan, cgroups);
}

static void groups_tell(const struct state_cgroups *cgroups, void *context)
{
	const struct teller *teller = context;
	struct input *input = teller->input;
	size_t len;
	const char *text = state_cgroups_text(cgroups, &len);
	int r = input->live->reject_groups(input, text, len,
					   group_is_rejected(teller->plan, cgroups));

	/* Groups that do not exist have no events. */
	if (r && r != -ENOENT)
		teller->groups->failed = true;
}

static bool groups_is_stale(const struct mute_groups *groups, const struct state *state,
			    uint64_t now_ns)
{
	return groups->revision &&
	       (groups->failed || groups->forgotten != state_cgroups_forgotten(state)) &&
	       now_ns - groups->retold_ns >= RETELL_NS;
}

void mute_groups_begin(struct mute_groups *groups, struct input *input)
{
	*groups = (struct mute_groups){0};
	if (input->live)
		input->live->accept_groups(input);
}

void mute_groups_step(struct mute_groups *groups, struct input *input, const struct plan *plan,
		      const struct state *state, uint64_t now_ns)
{
	struct teller teller = {groups, input, plan};
	uint64_t since;

	if (!plan->rejects_groups || !input->live)
		return;
	if (groups_is_stale(groups, state, now_ns)) {
		mute_groups_begin(groups, input);
		groups->retold_ns = now_ns;
	}
	since = groups->revision;
	if (state_revision(state) == since)
		return;
	if (!since)
		groups->forgotten = state_cgroups_forgotten(state);
	groups->revision = state_revision(state);
	state_visit_cgroups(state, since, groups_tell, &teller);
}

/*
 * Processes are counted and kept in one table, at the remainder of their id: of two at one place
 * the one with more events has it, and the other one is not muted.
 */

enum {
	BUSY_EVENTS = 64, /* within a second; doubled each time the filter may accept one */
	BACKOFF_MAX = 14,
};

#define SECOND_NS UINT64_C(1000000000)
/* Names of users may be others then, and a process may have ended unseen. */
#define DECIDED_FOR_NS (60 * SECOND_NS)

enum mute_state { MUTE_COUNTED, MUTE_PROPOSED, MUTE_SET };

struct mute {
	int64_t pid; /* 0: none */
	uint32_t events; /* since `since_ns`, that did not pass and may be dropped */
	uint8_t backoff;
	uint8_t state; /* enum mute_state */
	bool listed; /* it is looked at in the next step */
	bool is_gone; /* the kernel does not have it any more */
	uint64_t since_ns; /* as times of events: of the first one; then what the kernel said */
};

static struct mute *mute_of(const struct mutes *mutes, int64_t pid)
{
	return &mutes->list[(uint64_t)pid % MUTED_MAX];
}

static bool is_possible(const struct mutes_scene *scene)
{
	return scene->input->live && scene->plan->kernel_filters.mutes;
}

/* What is not known yet may be what the filter asks for. */
static bool is_pending(const struct mutes_scene *scene, const struct state_thread *thread)
{
	return mute_groups_are_pending(scene->plan, thread->cgroups) ||
	       state_cgroups_await_users(scene->state, thread->cgroups);
}

static bool is_rejected(const struct state_thread *thread, void *context)
{
	const struct mutes_scene *scene = context;

	return !is_pending(scene, thread) &&
	       filter_decide_thread(scene->plan->filter, scene->state, thread) == FILTER_REJECTED;
}

static bool process_is_rejected(const struct mutes_scene *scene, int64_t pid)
{
	return state_process_is(scene->state, pid, is_rejected, (void *)scene);
}

/* tid: of the thread after whose last event the kernel dropped nothing; 0: it is not known. */
static void mute_end(struct mutes *mutes, const struct mutes_scene *scene, struct mute *mute,
		     int64_t tid)
{
	uint64_t ns;

	scene->input->live->mute_end(scene->input, (pid_t)mute->pid, &ns);
	if (mute->state == MUTE_SET) {
		state_end_gap(scene->state, mute->pid, ns, tid);
		mutes->count--;
	}
	*mute = (struct mute){.pid = mute->pid};
}

static void back_off(struct mute *mute)
{
	if (mute->backoff < BACKOFF_MAX)
		mute->backoff++;
}

/* Returns the place of a process, or NULL: another one has it. */
static struct mute *take_place(const struct mutes *mutes, int64_t pid, uint64_t ts_ns)
{
	struct mute *mute = mute_of(mutes, pid);

	if (mute->pid != pid) {
		if (mute->state != MUTE_COUNTED || mute->listed)
			return NULL;
		if (mute->events) {
			mute->events--;
			return NULL;
		}
		*mute = (struct mute){.pid = pid, .since_ns = ts_ns};
	}
	return mute;
}

static bool mute_list(struct mutes *mutes, struct mute *mute)
{
	if (!mute->listed && mutes->listed_count < MUTES_LISTED_MAX) {
		mutes->listed[mutes->listed_count++] = mute->pid;
		mute->listed = true;
	}
	return mute->listed;
}

/* An event that could be dropped. */
static void note_event(struct mutes *mutes, int64_t pid, uint64_t ts_ns)
{
	struct mute *mute = take_place(mutes, pid, ts_ns);

	if (!mute || mute->state != MUTE_COUNTED)
		return;
	if (ts_ns - mute->since_ns >= SECOND_NS) {
		mute->since_ns = ts_ns;
		mute->events = 0;
	}
	if (++mute->events < (uint32_t)BUSY_EVENTS << mute->backoff)
		return;
	mute->events = 0;
	mute_list(mutes, mute);
}

/* Whether it may change what the filter says of its thread, and the kernel mutes it no more. */
static bool changes_thread(const struct mutes_scene *scene, const struct event *ev)
{
	bool creates = (ev->desc->flags & EF_MAKES_TASK) && event_param_i64(ev, 0) != 0;

	return scene->plan->kernel_filters.mute[ev->desc->id] == KERNEL_MUTE_ENDS && !creates;
}

/* One that passed, or one that is never dropped. */
static void note_other(struct mute *mute, bool passed, bool changes)
{
	if (passed)
		mute->events = 0;
	if (changes)
		*mute = (struct mute){0};
}

static bool has_one_thread(const struct mutes_scene *scene, const struct state_event *event)
{
	const struct state_thread *main = state_thread_main(scene->state, event->thread);

	return main && main->nthreads <= 1;
}

/*
 * For an event that should have been dropped: a program may have begun it before its process was
 * muted. Else the kernel does not have it any more, and the event that ended it was lost if even
 * younger ones come.
 */
static bool was_gone(const struct mutes_scene *scene, struct mute *mute)
{
	const struct state_thread *main = state_thread_find(scene->state, mute->pid);
	bool was = mute->is_gone;

	mute->is_gone = !main || scene->input->live->mute_set(scene->input, (pid_t)mute->pid,
							      main->exec_id, &mute->since_ns);
	return was || !main;
}

/*
 * An event of a muted process. Before the one of a change was written, the kernel began to drop
 * nothing more; what other threads called meanwhile may have been dropped.
 */
static void note_muted(struct mutes *mutes, const struct mutes_scene *scene, struct mute *mute,
		       const struct state_event *event)
{
	const struct event *ev = &event->ev;
	bool changes = changes_thread(scene, ev), ends = changes;

	if (scene->plan->kernel_filters.mute[ev->desc->id] == KERNEL_MUTE_DROPS)
		ends |= ev->ts_ns > mute->since_ns && was_gone(scene, mute);
	else if (ev->desc->id == EVENT_procexit)
		ends |= has_one_thread(scene, event);
	else if (ev->desc->flags & (EF_MAKES_TASK | EF_EXECS)) /* they tell what the thread is */
		ends |= !mute_list(mutes, mute);
	if (ends || !state_is_in_gap(event->thread))
		mute_end(mutes, scene, mute, changes ? event->thread->tid : 0);
}

/* Another process may be moved, whoever does it. */
static void note_moved(struct mutes *mutes, const struct mutes_scene *scene, const struct event *ev)
{
	int64_t pid = event_param_i64(ev, cgroup_attach__pid);
	struct mute *mute = mute_of(mutes, pid);

	if (mute->pid == pid && mute->state == MUTE_SET)
		mute_end(mutes, scene, mute, 0);
}

void mutes_note(struct mutes *mutes, const struct mutes_scene *scene,
		const struct state_event *event, bool passed)
{
	const struct state_thread *thread = event->thread;
	unsigned int id = event->ev.desc->id;
	struct mute *mute;

	mutes->now_ns = event->ev.ts_ns;
	if (!mutes->list || !is_possible(scene))
		return;
	if (id == EVENT_cgroup_attach)
		note_moved(mutes, scene, &event->ev);
	if (!thread || thread->pid <= 0 || id == EVENT_cgroup_attach)
		return;
	mute = mute_of(mutes, thread->pid);
	if (mute->pid == thread->pid && mute->state == MUTE_SET)
		note_muted(mutes, scene, mute, event);
	else if (scene->plan->kernel_filters.mute[id] == KERNEL_MUTE_DROPS && !passed)
		note_event(mutes, thread->pid, event->ev.ts_ns);
	else if (mute->pid == thread->pid && mute->state == MUTE_COUNTED)
		note_other(mute, passed, changes_thread(scene, &event->ev));
}

/* All events before the proposal were handled: the filter decides. */
static void mute_settle(struct mutes *mutes, const struct mutes_scene *scene, struct mute *mute)
{
	const struct state_thread *main = state_thread_find(scene->state, mute->pid);
	bool rejected = process_is_rejected(scene, mute->pid);

	if (!rejected || scene->input->live->mute_set(scene->input, (pid_t)mute->pid, main->exec_id,
						      &mute->since_ns)) {
		mute_end(mutes, scene, mute, 0);
		if (!rejected)
			back_off(mute);
		return;
	}
	mute->state = MUTE_SET;
	mutes->count++;
	mutes->total++;
	state_begin_gap(scene->state, mute->pid);
}

/* Proposes to the kernel to mute a process. */
static void mute_propose(struct mutes *mutes, const struct mutes_scene *scene, struct mute *mute)
{
	uint64_t ns;
	int r = scene->input->live->mute_propose(scene->input, (pid_t)mute->pid, &ns);

	if (r == -EEXIST) /* of another process, whose end was not seen */
		mute_end(mutes, scene, mute, 0);
	if (r)
		return;
	mute->state = MUTE_PROPOSED;
	mute->since_ns = ns;
}

/* While two captures run, none is proposed. */
static void mute_consider(struct mutes *mutes, const struct mutes_scene *scene, struct mute *mute)
{
	const struct state_thread *main = state_thread_find(scene->state, mute->pid);

	if (!main || scene->input->changing || is_pending(scene, main))
		return;
	if (process_is_rejected(scene, mute->pid))
		mute_propose(mutes, scene, mute);
	else
		back_off(mute);
}

/* Returns whether it is to be looked at again. */
static bool look_at(struct mutes *mutes, const struct mutes_scene *scene, struct mute *mute)
{
	switch ((enum mute_state)mute->state) {
	case MUTE_COUNTED:
		mute_consider(mutes, scene, mute);
		return mute->state == MUTE_PROPOSED;
	case MUTE_PROPOSED:
		if (mutes->now_ns <= mute->since_ns)
			return true;
		mute_settle(mutes, scene, mute);
		return false;
	case MUTE_SET:
		if (!process_is_rejected(scene, mute->pid))
			mute_end(mutes, scene, mute, 0);
	}
	return false;
}

static void look_at_listed(struct mutes *mutes, const struct mutes_scene *scene)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < mutes->listed_count; i++) {
		struct mute *mute = mute_of(mutes, mutes->listed[i]);

		/* Of one that has changed meanwhile, others are counted anew. */
		if (mute->pid != mutes->listed[i] || !mute->listed)
			continue;
		mute->listed = look_at(mutes, scene, mute);
		if (mute->listed)
			mutes->listed[left++] = mute->pid;
	}
	mutes->listed_count = left;
}

static bool has_changed(const struct mutes_scene *scene, int64_t pid, uint64_t since)
{
	const struct state_thread *main = state_thread_find(scene->state, pid);

	return !main || state_cgroups_revision(main->cgroups) > since;
}

/* Those whose container changed since a revision; 0: all. */
static void decide_again(struct mutes *mutes, const struct mutes_scene *scene, uint64_t since)
{
	for (uint32_t i = 0; i < MUTED_MAX; i++) {
		struct mute *mute = &mutes->list[i];

		if (mute->state == MUTE_SET && (!since || has_changed(scene, mute->pid, since)) &&
		    !process_is_rejected(scene, mute->pid))
			mute_end(mutes, scene, mute, 0);
	}
}

void mutes_step(struct mutes *mutes, const struct mutes_scene *scene, uint64_t now_ns)
{
	uint64_t revision = state_revision(scene->state);
	bool all = now_ns - mutes->decided_ns >= DECIDED_FOR_NS;

	if (!is_possible(scene))
		return;
	if (!mutes->list)
		mutes->list = calloc(MUTED_MAX, sizeof(*mutes->list));
	if (!mutes->list)
		return;
	if (mutes->count && (all || revision != mutes->revision))
		decide_again(mutes, scene, all ? 0 : mutes->revision);
	if (all)
		mutes->decided_ns = now_ns;
	mutes->revision = revision;
	look_at_listed(mutes, scene);
}

void mutes_begin(struct mutes *mutes, const struct mutes_scene *scene)
{
	for (uint32_t i = 0; mutes->list && i < MUTED_MAX; i++) {
		if (mutes->list[i].state != MUTE_COUNTED && scene->input->live)
			mute_end(mutes, scene, &mutes->list[i], 0);
		mutes->list[i] = (struct mute){0};
	}
	mutes->listed_count = 0;
}

void mutes_finish(struct mutes *mutes)
{
	free(mutes->list);
	*mutes = (struct mutes){0};
}
