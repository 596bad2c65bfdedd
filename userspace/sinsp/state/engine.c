/* SPDX-License-Identifier: MIT */
/* The engine: decodes each event, finds its thread and descriptor, and applies it. */
#include "sinsp/state/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sinsp/state/rules.h"
#include "sinsp/state/core.h"
#include "sinsp/state/event_fd.h"
#include "sinsp/state/load.h"
#include "sinsp/state/program.h"
#include "util/clock.h"

enum { UNKNOWN_PID = -1 };

static void set_machine(struct sinsp *sinsp, const struct sinsp_config *config)
{
	sinsp->boot = config->boot_id ? machine_boot_of(config->boot_id) : machine_boot_here();
	if (config->hostname)
		snprintf(sinsp->machine.hostname, HOSTNAME_BYTES, "%s", config->hostname);
	else
		gethostname(sinsp->machine.hostname, HOSTNAME_BYTES - 1);
	sinsp->machine.boot_ns = config->boot_ns ? config->boot_ns : clock_boot_offset_ns();
}

static uint32_t engine_owner_of(void *proc, const char *group, size_t len)
{
	return scap_proc_cgroup_owner(proc, group, len);
}

int sinsp_create(const struct sinsp_config *config, struct sinsp **sinsp, struct error *err)
{
	static const struct sinsp_program nothing = {
		.exe = "", .exepath = "", .args = "", .env = ""};
	struct sinsp *made = calloc(1, sizeof(*made));

	if (!made)
		goto fail;
	made->proc = config->proc;
	made->fd_store.pool = &made->pool;
	made->fd_store.max = config->fds_max ? config->fds_max : SINSP_FDS_MAX;
	made->memory_max = config->memory_max ? config->memory_max : UINT64_MAX;
	made->lacks = config->lacks;
	made->follow = config->follow;
	made->with_env = config->container_env;
	made->follow_since_ns = clock_ns(CLOCK_REALTIME);
	set_machine(made, config);
	made->plans = state_plans();
	made->containers.owner_of = config->proc ? engine_owner_of : NULL;
	made->containers.owner_context = config->proc;
	made->containers.pods.node = config->node;
	made->containers.pods.cluster = config->cluster;
	made->names = names_create(config->etc);
	made->no_program = sinsp_program_create(&made->pool, &nothing);
	if (!made->names || !made->no_program ||
	    sinsp_threads_init(&made->threads, &made->pool,
			       config->threads_max ? config->threads_max : SINSP_THREADS_MAX) < 0)
		goto fail;
	*sinsp = made;
	return 0;
fail:
	sinsp_destroy(made);
	return error_set(err, -ENOMEM, "no memory for the tables of threads and descriptors");
}

void sinsp_destroy(struct sinsp *sinsp)
{
	if (!sinsp)
		return;
	sinsp_threads_finish(&sinsp->threads);
	notes_finish(&sinsp->notes, &sinsp->pool);
	sinsp_containers_finish(&sinsp->containers);
	sinsp_program_unref(&sinsp->pool, sinsp->no_program);
	names_destroy(sinsp->names);
	machine_finish(&sinsp->machine);
	pool_finish(&sinsp->pool);
	free(sinsp);
}

static void find_thread(struct sinsp *sinsp, const struct state_plan *plan,
			struct state_event *event)
{
	event->thread = state_thread(sinsp, event->ev->tid);
	/* Descriptors can be tracked even for threads that a capture does not describe. */
	if (!event->thread && plan->is_call && sinsp->listener.sinsp && event->ev->tid > 0)
		event->thread = state_thread_add(sinsp, event->ev->tid, UNKNOWN_PID);
	if (!event->thread)
		return;
	sinsp_threads_use(&sinsp->threads, event->thread);
	/*
	 * Page faults and switches may come before the call that created the thread has returned.
	 */
	if (plan->is_call)
		sinsp_thread_entry(event->thread)->by_caller = false;
}

/*
 * Whether /proc may be read for the event's descriptor. Any process can make calls fail on
 * descriptors that never existed, and a closed number may refer to another file in /proc.
 */
static bool engine_is_open(const struct state_plan *plan, const struct event *ev)
{
	int64_t result;

	if (plan->closes_fd)
		return false;
	return !event_result(ev, &result) || result >= 0 || result == -EINPROGRESS ||
	       result == -EAGAIN;
}

static void engine_find_fd(struct sinsp *sinsp, const struct state_plan *plan,
			   struct state_event *event)
{
	unsigned int param = (unsigned int)plan->fd_param;

	if (plan->fd_param < 0 || !event_param_present(event->ev, param))
		return;
	event->has_fd = true;
	event->fd_num = event_param_i64(event->ev, param);
	if (!plan->uses_fd || !event->thread)
		return;
	event->fd = sinsp_fds_find(event->thread->fds, event->fd_num);
	if (event->ev->file.ino || (!event->fd && engine_is_open(plan, event->ev)))
		event->fd = state_fd_of_file(sinsp, event->thread, event->fd_num, &event->ev->file);
}

static int count_unusable(struct sinsp *sinsp, int code)
{
	if (code == -ENOENT)
		sinsp->stats.unknown++;
	else
		sinsp->stats.corrupt++;
	return code;
}

static void apply_with_paths(struct sinsp *sinsp, const struct state_plan *plan,
			     struct state_event *event)
{
	if (event->thread)
		state_find_directories(sinsp, plan, event);
	if (plan->handle)
		plan->handle(sinsp, event);
	/* An exec finds its thread itself. */
	if (plan->finds_thread && event->thread)
		state_find_directories(sinsp, plan, event);
}

/* Descriptors that are not kept are those of one event. */
static void forget_fds(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	sinsp->after.emptied = thread->fds;
	sinsp->after.pending = true;
}

/* A call that the kernel never ran changes nothing. */
static void apply(struct sinsp *sinsp, struct state_event *event)
{
	const struct state_plan *plan = &sinsp->plans[event->ev->desc->id];
	bool is_faked = event->ev->marks.is_faked, in_gap;

	if (!plan->finds_thread || is_faked)
		find_thread(sinsp, plan, event);
	in_gap = sinsp->has_gaps && event->thread &&
		 sinsp_fds_in_gap(event->thread->fds, sinsp->now_ns, event->thread->tid);
	engine_find_fd(sinsp, plan, event);
	if (is_faked)
		return;
	if (plan->paths_count)
		apply_with_paths(sinsp, plan, event);
	else if (plan->handle)
		plan->handle(sinsp, event);
	if (event->ev->file.ino && event->fd && !plan->uses_fd)
		state_note_file(event->fd, &event->ev->file);
	if ((in_gap || ((sinsp->lacks & SINSP_DESCRIPTORS) && plan->fd_param >= 0)) &&
	    event->thread)
		forget_fds(sinsp, event->thread);
}

static void count_marks(struct sinsp_stats *stats, const struct frame_marks *marks)
{
	stats->faked += marks->is_faked != 0;
	stats->contested += marks->contested != 0;
	stats->truncated += marks->truncated != 0;
}

int sinsp_process(struct sinsp *sinsp, const struct scap_event *raw, struct sinsp_event *event)
{
	struct state_event applied = {.ev = &event->ev, .fd_num = -1};
	int r;

	state_finish_last(sinsp);
	if (state_is_crowded(sinsp))
		state_make_room(sinsp);
	r = event_decode(raw->frame, raw->len, raw->cpu, &event->ev);
	if (r < 0)
		return count_unusable(sinsp, r);
	sinsp->stats.events++;
	if (raw->unmarked && raw->len >= STRING_BYTES_MAX)
		event_mark_by_length(&event->ev);
	count_marks(&sinsp->stats, &event->ev.marks);
	/* Hidden events do not count: the first visible one is the start. */
	if (!sinsp->first_ts_ns && !raw->hidden)
		sinsp->first_ts_ns = event->ev.ts_ns;
	sinsp->now_ns = event->ev.ts_ns;
	apply(sinsp, &applied);
	event->num = sinsp->stats.events;
	event->clock_step_ns = sinsp->clock_step_ns = raw->clock_step_ns;
	event->first_ts_ns = sinsp->first_ts_ns ? sinsp->first_ts_ns : event->ev.ts_ns;
	event->sinsp = sinsp;
	event->thread = applied.thread;
	event->fd = applied.fd;
	event->has_fd = applied.has_fd;
	event->fd_named = applied.fd_named;
	event->fd_num = applied.fd_num;
	event->filter_unknown = event->was_unknown = false;
	return 0;
}

void sinsp_stats(const struct sinsp *sinsp, struct sinsp_stats *stats)
{
	*stats = sinsp->stats;
	stats->threads = sinsp->threads.entries - sinsp->threads.unknown;
	stats->followed = sinsp->threads.followed;
	if (sinsp->after.ended && sinsp->after.ended->thread.followed)
		stats->followed--;
	stats->fds = sinsp->fd_store.count;
	stats->threads_evicted = sinsp->threads.evicted;
	stats->notes_dropped = sinsp->notes.dropped;
	stats->fds_evicted = sinsp->fd_store.evicted;
	stats->reads_given_up = sinsp->proc ? scap_proc_reads_given_up(sinsp->proc) : 0;
	stats->fds_rejected = sinsp->fd_store.rejected;
	stats->memory_bytes = state_held_bytes(sinsp);
	stats->memory_max = sinsp->memory_max == UINT64_MAX ? 0 : sinsp->memory_max;
	stats->descriptions_dropped = sinsp->containers.unused_dropped;
	stats->pods_dropped = sinsp->containers.pods.dropped;
}

int64_t sinsp_parent_of(const struct sinsp *sinsp, int64_t pid)
{
	const struct sinsp_thread *thread = state_thread_find(sinsp, pid);

	return thread && thread->ptid > 0 && thread->ptid != pid ? thread->ptid : 0;
}

bool sinsp_is_followed(const struct sinsp *sinsp, int64_t tid)
{
	const struct sinsp_thread *thread = state_thread_find(sinsp, tid);

	return thread && thread->followed;
}

static void empty_fds(struct sinsp_thread_entry *entry, void *context)
{
	if (!entry->unknown)
		sinsp_fds_close_range(entry->thread.fds, 0, UINT32_MAX);
}

void sinsp_set_lacks(struct sinsp *sinsp, unsigned int parts)
{
	state_finish_last(sinsp);
	if (parts & ~sinsp->lacks & SINSP_DESCRIPTORS)
		sinsp_threads_each(&sinsp->threads, empty_fds, sinsp);
	sinsp->lacks = parts;
}

bool sinsp_event_describes_fd(unsigned int id)
{
	return state_rule_describes_fd(id);
}

unsigned int sinsp_event_keeps(unsigned int id)
{
	return state_rule_of(id)->keeps;
}
