/* SPDX-License-Identifier: MIT */
/* The memory of processes, and the page faults of threads, as events tell of them by the way. */
#include "sinsp/state.h"

_Static_assert((int)brk__vm_size == (int)mmap__vm_size &&
		       (int)brk__vm_size == (int)mmap2__vm_size &&
		       (int)brk__vm_size == (int)munmap__vm_size &&
		       (int)brk__vm_swap - (int)brk__vm_size ==
			       (int)switch__vm_swap - (int)switch__vm_size,
	       "the code below reads them under one name");

/* Three parameters from `first` on: size, resident, swapped. */
static void set_memory(struct sinsp_thread *thread, const struct event *ev, unsigned int first)
{
	state_set_u32(&thread->vm_size_kib, ev, first);
	state_set_u32(&thread->vm_rss_kib, ev, first + 1);
	state_set_u32(&thread->vm_swap_kib, ev, first + 2);
}

/* The threads of a process have one memory: fields show its main thread's. */
static void set_process_memory(struct sinsp *sinsp, struct sinsp_event *event, unsigned int first)
{
	struct sinsp_thread *main = sinsp_thread_main(sinsp, event->thread);

	set_memory(event->thread, &event->ev, first);
	if (main && main != event->thread)
		set_memory(main, &event->ev, first);
}

void state_memory(struct sinsp *sinsp, struct sinsp_event *event)
{
	if (event->thread)
		set_process_memory(sinsp, event, brk__vm_size);
}

void state_switch(struct sinsp *sinsp, struct sinsp_event *event)
{
	if (!event->thread)
		return;
	state_set_u64(&event->thread->faults_major, &event->ev, switch__pgft_maj);
	state_set_u64(&event->thread->faults_minor, &event->ev, switch__pgft_min);
	set_process_memory(sinsp, event, switch__vm_size);
}
