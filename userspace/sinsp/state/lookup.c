/* SPDX-License-Identifier: MIT */
/* Threads and descriptors without an event: each is looked up in /proc once. */
#include "sinsp/state/lookup.h"

#include <string.h>

#include "sinsp/state/load.h"
#include "sinsp/state/event_path.h"
#include "sinsp/tables/program.h"

enum {
	/*
	 * The maximum number of lookups of descriptors in a period: one may take longer than the
	 * call.
	 */
	FD_LOOKUPS_MAX = 500,
	FD_LOOKUPS_SPAN_NS = 100000000,
};

static void note_unknown(struct sinsp *sinsp, int64_t tid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_add(&sinsp->threads, tid, tid);

	if (!entry)
		return;
	entry->unknown = true;
	sinsp->threads.unknown++;
}

/* Adds an unknown thread from /proc, and first the main one of its process. */
static struct sinsp_thread *ask_for_thread(struct sinsp *sinsp, int64_t tid)
{
	struct scap_thread found;
	struct sinsp_thread *thread;
	int r;

	sinsp->stats.thread_lookups++;
	r = scap_proc_thread(sinsp->proc, tid, &found);
	if (r == 0 && found.pid != tid && !sinsp_threads_find(&sinsp->threads, found.pid)) {
		state_thread(sinsp, found.pid);
		/* That call reused the memory of `found`. */
		r = scap_proc_thread(sinsp->proc, tid, &found);
	}
	if (r < 0) {
		sinsp->stats.thread_lookups_failed++;
		note_unknown(sinsp, tid);
		return NULL;
	}
	thread = state_load_thread(sinsp, &found);
	if (thread && sinsp_thread_is_main(thread) && !(sinsp->lacks & SINSP_DESCRIPTORS))
		state_load_fds(sinsp, thread);
	return thread;
}

struct sinsp_thread *state_thread(struct sinsp *sinsp, int64_t tid)
{
	struct sinsp_thread_entry *entry = sinsp_threads_find(&sinsp->threads, tid);

	if (entry)
		return entry->unknown ? NULL : &entry->thread;
	return sinsp->proc && tid > 0 ? ask_for_thread(sinsp, tid) : NULL;
}

/*
 * Whether one more descriptor may be looked up in /proc: events must not pile up while lookups run,
 * whatever calls a process makes. A rejected lookup is not remembered, so the next event may try
 * again.
 */
static bool may_ask_for_fd(struct sinsp *sinsp)
{
	if (sinsp->now_ns - sinsp->lookups_since_ns >= FD_LOOKUPS_SPAN_NS) {
		sinsp->lookups_since_ns = sinsp->now_ns;
		sinsp->lookups = 0;
	}
	if (sinsp->lookups < FD_LOOKUPS_MAX) {
		sinsp->lookups++;
		return true;
	}
	sinsp->stats.fd_lookups_rejected++;
	return false;
}

static struct sinsp_fd *ask_for_fd(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num)
{
	struct scap_fd found;

	if (!sinsp->proc || num < 0 || sinsp_fds_asked(thread->fds, num) || !may_ask_for_fd(sinsp))
		return NULL;
	sinsp_fds_note_asked(thread->fds, num);
	sinsp->stats.fd_lookups++;
	if (scap_proc_fd(sinsp->proc, thread->tid, num, &found) < 0) {
		sinsp->stats.fd_lookups_failed++;
		return NULL;
	}
	return state_load_fd(sinsp, thread->fds, &found);
}

struct sinsp_fd *state_fd(struct sinsp *sinsp, struct sinsp_thread *thread, int64_t num)
{
	struct sinsp_fd *fd = sinsp_fds_find(thread->fds, num);

	/* Nothing asks for a descriptor that is not kept. */
	return fd || (sinsp->lacks & SINSP_DESCRIPTORS) ? fd : ask_for_fd(sinsp, thread, num);
}

struct sinsp_fd *state_replace_fd(struct sinsp *sinsp, struct state_event *event, int64_t num)
{
	sinsp_fds_close(event->thread->fds, num);
	return ask_for_fd(sinsp, event->thread, num);
}

bool state_look_up_cwd(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	const char *cwd;

	if (!sinsp->proc || scap_proc_cwd(sinsp->proc, thread->tid, &cwd) < 0)
		return false;
	sinsp_fs_set(&sinsp->pool, thread->fs, cwd, strlen(cwd));
	return true;
}

void state_look_up_base(struct sinsp *sinsp, struct state_event *event, int64_t dirfd)
{
	struct sinsp_thread *thread = event->thread;

	if (dirfd != AT_FDCWD_STORED) {
		if (sinsp->lacks & SINSP_DESCRIPTORS)
			state_replace_fd(sinsp, event, dirfd);
	} else if (!may_ask_for_fd(sinsp) || !state_look_up_cwd(sinsp, thread)) {
		sinsp_fs_set(&sinsp->pool, thread->fs, "", 0);
	}
}
