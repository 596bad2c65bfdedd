/* SPDX-License-Identifier: MIT */
/* Resource usage that events report: memory, page faults, time on a CPU. */
#include "sinsp/state/apply.h"
#include "sinsp/state/core.h"

_Static_assert((int)brk__vm_size == (int)mmap__vm_size &&
		       (int)brk__vm_size == (int)mmap2__vm_size &&
		       (int)brk__vm_size == (int)munmap__vm_size &&
		       (int)brk__vm_swap - (int)brk__vm_size ==
			       (int)switch__vm_swap - (int)switch__vm_size,
	       "the code below reads them under one name");

/* Three parameters from `first` on: size, resident, swapped. */
static void set_memory(struct state_thread *thread, const struct event *ev, unsigned int first)
{
	state_set_u32(&thread->vm_size_kib, ev, first);
	state_set_u32(&thread->vm_rss_kib, ev, first + 1);
	state_set_u32(&thread->vm_swap_kib, ev, first + 2);
}

/* The threads of a process share its memory: fields show that of the main thread. */
static void set_process_memory(struct state *state, struct apply_event *event, unsigned int first)
{
	struct state_thread *main = state_thread_get(state, event->thread->pid);

	set_memory(event->thread, event->ev, first);
	if (main && main != event->thread)
		set_memory(main, event->ev, first);
}

void apply_memory(struct state *state, struct apply_event *event)
{
	if (event->thread)
		set_process_memory(state, event, brk__vm_size);
}

/*
 * The time since the last switch of the CPU, if that switched to the thread that leaves now:
 * switches of the agent are not captured, and others may have been dropped.
 */
static uint64_t apply_memory_take_run(struct state *state, const struct event *ev)
{
	struct state_switch *last = &state->switches[ev->cpu];
	bool seen = last->ts_ns && last->next == ev->tid && last->ts_ns < ev->ts_ns;
	uint64_t run_ns = seen ? ev->ts_ns - last->ts_ns : 0;

	last->ts_ns = ev->ts_ns;
	last->next = event_param_i64(ev, switch__next);
	if (state->switched_cpus <= ev->cpu)
		state->switched_cpus = ev->cpu + 1u;
	return run_ns;
}

/* The time from the switch before by which the thread left a CPU to the beginning of this run. */
static uint64_t apply_memory_take_off(struct state_thread *thread, uint64_t ts_ns, uint64_t run_ns)
{
	uint64_t left = thread->left_ns, began = ts_ns - run_ns;

	thread->left_ns = ts_ns;
	return run_ns && left && left < began ? began - left : 0;
}

void apply_switch(struct state *state, struct apply_event *event)
{
	state->run_ns = apply_memory_take_run(state, event->ev);
	state->off_ns = 0;
	if (!event->thread)
		return;
	state->off_ns = apply_memory_take_off(event->thread, event->ev->ts_ns, state->run_ns);
	event->thread->run_ns += state->run_ns;
	state_set_u64(&event->thread->faults_major, event->ev, switch__pgft_maj);
	state_set_u64(&event->thread->faults_minor, event->ev, switch__pgft_min);
	set_process_memory(state, event, switch__vm_size);
}

/* Counters never decrease, but events may be out of order. */
static uint32_t jiffies_since(uint64_t last, uint64_t now)
{
	uint64_t passed = now > last ? now - last : 0;

	return passed < UINT32_MAX ? (uint32_t)passed : UINT32_MAX;
}

void apply_procinfo(struct state *state, struct apply_event *event)
{
	struct state_thread *thread = event->thread;
	uint64_t user = event_param_u64(event->ev, procinfo__cpu_usr);
	uint64_t system = event_param_u64(event->ev, procinfo__cpu_sys);

	if (!thread)
		return;
	thread->cpu_user = thread->has_jiffies ? jiffies_since(thread->jiffies_user, user) : 0;
	thread->cpu_system =
		thread->has_jiffies ? jiffies_since(thread->jiffies_system, system) : 0;
	thread->has_jiffies = true;
	thread->jiffies_user = user;
	thread->jiffies_system = system;
}
