/* SPDX-License-Identifier: MIT */
/* The engine: decodes each event, finds its thread and descriptor, and applies it. */
#include "sinsp/state/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sinsp/state/core.h"
#include "sinsp/state/apply.h"
#include "sinsp/state/load.h"
#include "sinsp/state/program.h"
#include "sinsp/state/rules.h"
#include "util/clock.h"

/* How long two captures run at most, and their events wait. */
#define ENVIRONMENTS_NS UINT64_C(1000000000)

enum { UNKNOWN_PID = -1 };

static void set_machine(struct state *state, const struct state_config *config)
{
	state->boot = config->boot_id ? machine_boot_of(config->boot_id) : machine_boot_here();
	if (config->hostname)
		snprintf(state->machine.hostname, HOSTNAME_BYTES, "%s", config->hostname);
	else
		gethostname(state->machine.hostname, HOSTNAME_BYTES - 1);
	state->machine.boot_ns = config->boot_ns ? config->boot_ns : clock_boot_offset_ns();
}

static uint32_t engine_owner_of(void *proc, const char *group, size_t len)
{
	return scap_proc_cgroup_owner(proc, group, len);
}

int state_create(const struct state_config *config, struct state **state, struct error *err)
{
	static const struct state_program nothing = {
		.exe = "", .exepath = "", .args = "", .env = ""};
	struct state *made = calloc(1, sizeof(*made));

	if (!made)
		goto fail;
	made->proc = config->proc;
	made->fd_store.pool = &made->pool;
	made->resolved.pool = &made->pool;
	made->workloads.pool = &made->pool;
	made->fd_store.max = config->fds_max ? config->fds_max : STATE_FDS_MAX;
	made->fds_spared = made->fd_store.max - made->fd_store.max / STATE_FDS_SPARE_PART;
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
	made->no_program = state_program_create(&made->pool, &nothing);
	if (!made->names || !made->no_program ||
	    state_threads_init(&made->threads, &made->pool,
			       config->threads_max ? config->threads_max : STATE_THREADS_MAX) < 0)
		goto fail;
	*state = made;
	return 0;
fail:
	state_destroy(made);
	return error_set(err, -ENOMEM, "no memory for the tables of threads and descriptors");
}

void state_destroy(struct state *state)
{
	if (!state)
		return;
	state_finish_last(state);
	state_forget_forks(state, true);
	state_ended_finish(state);
	state_rings_end_process(&state->rings, -1);
	state_threads_finish(&state->threads);
	state_notes_finish(&state->notes, &state->pool);
	state_containers_finish(&state->containers);
	state_program_unref(&state->pool, state->no_program);
	resolved_finish(&state->resolved);
	created_finish(&state->created);
	state_services_finish(&state->services);
	workloads_finish(&state->workloads);
	names_destroy(state->names);
	machine_finish(&state->machine);
	pool_finish(&state->pool);
	free(state->gone);
	free(state);
}

void state_keep_ended(struct state *state)
{
	state_ended_begin(state);
}

void state_tell_gone(struct state *state)
{
	if (!state->gone)
		state->gone = malloc(STATE_GONE_MAX * sizeof(*state->gone));
}

/*
 * The process of an operation that completed after its end, when the kernel gave up its rings;
 * NULL: the event is another one. In /proc is at most what is left of it.
 */
static struct state_thread *ended_owner(struct state *state, const struct event *ev)
{
	return ev->uring.ring && !state_thread_get(state, ev->tid)
		       ? state_ended_find(state, ev->tid)
		       : NULL;
}

/* The thread of an event; NULL: it is not known. */
static struct state_thread *find_thread(struct state *state, const struct state_plan *plan,
					const struct event *ev)
{
	struct state_thread *thread = ended_owner(state, ev);

	if (thread)
		return thread;
	thread = state_look_up_thread(state, ev->tid);
	/* Descriptors can be tracked even for threads that a capture does not describe. */
	if (!thread && plan->is_call && state->listener.state && ev->tid > 0)
		thread = state_thread_add(state, ev->tid, UNKNOWN_PID);
	/* In the kernel's own work on a socket the process may have had its end. */
	if (!thread)
		return ev->desc->flags & EF_OF_SOCKET ? state_ended_find(state, ev->tid) : NULL;
	state_threads_use(&state->threads, thread);
	/*
	 * Page faults and switches may come before the call that created the thread has returned.
	 */
	if (plan->is_call)
		state_thread_entry(thread)->by_caller = false;
	return thread;
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

/*
 * Notes what has the number of a descriptor that the event makes. A table that was read later than
 * the event may have a later file there.
 */
static void note_replaced(struct state *state, struct apply_event *event)
{
	struct state_after *after = &state->after;
	struct state_fds *fds = event->fds;

	if (!state_fds_find(fds, event->fd_num) || state_fds_has_other(fds, event->fd_num) ||
	    state_fds_is_ahead(fds, event->ev->ts_ns))
		return;
	after->replaced = state_fds_hold(fds, event->fd_num);
	after->replaced_in = fds;
	after->replaced_num = event->fd_num;
	after->pending = true;
	event->replaced_ino = state_fd_ino(after->replaced);
}

/* The table of the event's descriptor. One that stands for a registered file is of the ring. */
static struct state_fds *table_of(struct state *state, const struct apply_event *event)
{
	uint64_t ring = event->ev->uring.ring;

	return ring && is_slot_fd(event->fd_num)
		       ? state_rings_get(&state->rings, &state->fd_store, ring, event->thread)
		       : event->thread->fds;
}

/* What the descriptor was before the event. */
static struct state_fd *find_used(struct state *state, const struct state_plan *plan,
				  struct apply_event *event)
{
	const struct frame_file *file = &event->ev->file;
	struct state_fd *fd = plan->closes_fd ? state_fd_closed(event->fds, event->fd_num, file)
					      : state_fds_find(event->fds, event->fd_num);

	if ((!file->ino || plan->closes_fd) && (fd || !engine_is_open(plan, event->ev)))
		return fd;
	return event->fds == event->thread->fds
		       ? state_fd_of_file(state, event->thread, event->fd_num, file)
		       : state_slot_of_file(state, event, file);
}

/* One of those that went with the last event, otherwise than by a close. NULL: it did not. */
static struct state_fd *find_gone(const struct state *state, const struct apply_event *event)
{
	uint32_t low = 0, high = state->after.gone;

	if (state->after.gone_from != event->fds)
		return NULL;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (state->gone[middle].num == event->fd_num)
			return state->gone[middle].fd;
		if (state->gone[middle].num < event->fd_num)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The descriptor of a request that ended as it was replaced or went. NULL: it is still there. */
static struct state_fd *find_ended(const struct state *state, const struct apply_event *event)
{
	const struct state_after *after = &state->after;

	if (after->replaced && after->replaced_in == event->fds &&
	    after->replaced_num == event->fd_num)
		return after->replaced;
	return find_gone(state, event);
}

/*
 * The number of the event's descriptor. An operation without a result may have made a registered
 * file, whose slot is known. Returns false if there is none.
 */
static bool fd_number(const struct state_plan *plan, const struct event *ev, int64_t *number)
{
	const unsigned int param = (unsigned int)plan->fd_param;
	const struct frame_uring *uring = &ev->uring;

	if (plan->fd_param < 0)
		return false;
	if (event_param_present(ev, param))
		*number = event_param_i64(ev, param);
	else if (plan->makes_fd && uring->ring && uring->made_slot >= 0)
		*number = slot_fd_of(uring->ring, (uint32_t)uring->made_slot);
	else
		return false;
	return true;
}

/* A registered file comes or goes, or it is not known whether. */
static void note_slot_changes(struct state *state, const struct apply_event *event)
{
	const uint64_t ring = event->ev->uring.ring;
	int64_t result;

	if (state_is_untold(event))
		state_rings_doubt(&state->rings, &state->fd_store, ring, event->fd_num,
				  event->thread);
	else if (event_result(event->ev, &result) && result >= 0)
		state_rings_settle(&state->rings, ring, event->fd_num);
}

static void engine_find_fd(struct state *state, const struct state_plan *plan,
			   struct apply_event *event)
{
	event->has_fd = fd_number(plan, event->ev, &event->fd_num);
	if (!event->has_fd)
		return;
	event->fds = event->thread ? table_of(state, event) : NULL;
	if (!event->fds)
		return;
	if (event->fds != event->thread->fds && (plan->makes_fd || plan->closes_fd))
		note_slot_changes(state, event);
	if (plan->makes_fd)
		note_replaced(state, event);
	if (event->ev->desc->id == EVENT_request)
		event->fd = find_ended(state, event);
	if (plan->uses_fd && !event->fd)
		event->fd = find_used(state, plan, event);
}

static int count_unusable(struct state *state, int code)
{
	if (code == -ENOENT)
		state->stats.unknown++;
	else
		state->stats.corrupt++;
	return code;
}

static void apply_with_paths(struct state *state, const struct state_plan *plan,
			     struct apply_event *event)
{
	if (event->thread)
		state_find_directories(state, plan, event);
	if (plan->handle)
		plan->handle(state, event);
	/* An exec finds its thread itself. */
	if (plan->finds_thread && event->thread)
		state_find_directories(state, plan, event);
}

/* Descriptors that are not kept are those of one event. */
static void forget_fds(struct state *state, const struct apply_event *event)
{
	state_empty_after(state, event->fds ? event->fds : event->thread->fds);
}

/* Whether it is not known which file it opened, as its number was another one's when it was told.
 */
static bool is_unknown(const struct event *ev)
{
	const uint8_t ino = ev->desc->opens.ino;
	int64_t result;

	return ev->uring.ring && ino && event_result(ev, &result) && result >= 0 &&
	       event_param_present(ev, ino - 1u) && event_param_u64(ev, ino - 1u) == 0;
}

/* A call that the kernel never ran changes nothing. */
static void apply(struct state *state, struct apply_event *event)
{
	const struct state_plan *plan = &state->plans[event->ev->desc->id];
	bool is_faked = event->ev->marks.is_faked, in_gap;

	state->file_age_ns = 0; /* that of an event before */
	if (!plan->finds_thread || is_faked)
		event->thread = find_thread(state, plan, event->ev);
	in_gap = state->has_gaps && event->thread &&
		 state_fds_in_gap(event->thread->fds, state->now_ns, event->thread->tid);
	engine_find_fd(state, plan, event);
	if (is_faked)
		return;
	if (plan->paths_count)
		apply_with_paths(state, plan, event);
	else if (plan->handle)
		plan->handle(state, event);
	if (event->ev->file.ino && event->fd && !plan->uses_fd)
		state_note_file(event->fd, &event->ev->file);
	if (event->fd && plan->makes_fd)
		event->fd->is_unsure = state_is_untold(event) || is_unknown(event->ev);
	if ((in_gap || ((state->lacks & STATE_DESCRIPTORS) && plan->fd_param >= 0)) &&
	    event->thread)
		forget_fds(state, event);
}

static void count_marks(struct state_stats *stats, const struct frame_marks *marks)
{
	stats->faked += marks->is_faked != 0;
	stats->contested += marks->contested != 0;
	stats->truncated += marks->truncated != 0;
}

/* The last component of a path. */
static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The mark of a parameter whose index plus 1 is given; 0: of none. */
static uint64_t mark_of(uint8_t param)
{
	return param ? UINT64_C(1) << (param - 1) : 0;
}

/* Whether the path that was found later is that of the name which an operation opened. */
static bool is_path_of(const struct event *ev, const char *name, const char *path)
{
	return ev->uring.is_late ? strcmp(name, path) == 0
				 : strcmp(last_component(name), last_component(path)) == 0;
}

/*
 * The file that an operation opened is looked up by its number or slot when the completion is
 * posted, which may be another one's by then: the same submission can close it and open another
 * one. The kernel's copy of the name is of the operation itself, so that what was looked up is
 * doubtful if its name is another one, as it also is behind a symbolic link. If the program could
 * open another file since by its calls, all of the path has to be the name.
 */
static void doubt_opened(struct state *state, struct event *ev)
{
	const struct event_opens *opens = &ev->desc->opens;
	const uint8_t real = opens->name ? ev->desc->params[opens->name - 1u].real : 0;
	const char *name = real ? event_param_string(ev, opens->name - 1u) : NULL;
	const char *path = real ? event_param_string(ev, real - 1u) : NULL;

	if (!name || (path ? is_path_of(ev, name, path) : !is_unknown(ev)))
		return;
	state->stats.contested += !ev->marks.contested;
	ev->marks.contested |= mark_of(real) | mark_of(opens->dev) | mark_of(opens->ino);
}

/* A name that came by an operation which may have failed: the event says so of its descriptor. */
static void doubt_name(struct state *state, const struct apply_event *applied, struct event *ev)
{
	const int param = state->plans[ev->desc->id].fd_param;

	if (!applied->fd || !applied->fd->is_unsure || param < 0)
		return;
	state->stats.contested += !ev->marks.contested;
	ev->marks.contested |= UINT64_C(1) << param;
}

static void begin_operation(struct state *state, struct event *ev)
{
	state_ended_begin(state);
	doubt_opened(state, ev);
}

/* The header of a frame; of one that is too short, which is counted later, zeros. */
static struct ppm_evt_hdr header_of(const struct scap_event *raw)
{
	struct ppm_evt_hdr header = {0};

	if (raw->len >= sizeof(header))
		memcpy(&header, raw->frame, sizeof(header));
	return header;
}

/*
 * Before the next event. Not for a request: it ended with the event before it, and so is about what
 * that one may have closed. Its frame stands behind that one, also in capture files.
 */
static void make_ready(struct state *state)
{
	state_finish_last(state);
	if (state_is_crowded(state))
		state_make_room(state);
	if (state_has_old_forks(state))
		state_forget_forks(state, false);
}

int state_process(struct state *state, const struct scap_event *raw, struct state_event *event)
{
	struct apply_event applied = {.ev = &event->ev, .fd_num = -1};
	const struct ppm_evt_hdr header = header_of(raw);
	int r;

	if (header.type != EVENT_request)
		make_ready(state);
	r = event_decode(raw->frame, raw->len, raw->cpu, &event->ev);
	if (r < 0)
		return count_unusable(state, r);
	state->stats.events++;
	if (raw->unmarked && raw->len >= STRING_BYTES_MAX) {
		event_mark_by_length(&event->ev);
		count_marks(&state->stats, &event->ev.marks);
	} else if (header.nparams & FRAME_MARKED) {
		count_marks(&state->stats, &event->ev.marks);
	}
	if (event->ev.uring.ring)
		begin_operation(state, &event->ev);
	/* Hidden events do not count: the first visible one is the start. */
	if (!state->first_ts_ns && !raw->hidden)
		state->first_ts_ns = event->ev.ts_ns;
	state->now_ns = event->ev.ts_ns;
	apply(state, &applied);
	doubt_name(state, &applied, &event->ev);
	event->num = state->stats.events;
	event->clock_step_ns = state->clock_step_ns = raw->clock_step_ns;
	event->first_ts_ns = state->first_ts_ns ? state->first_ts_ns : event->ev.ts_ns;
	event->state = state;
	event->thread = applied.thread;
	event->fds = applied.fds;
	event->fd = applied.fd;
	event->has_fd = applied.has_fd;
	event->fd_named = applied.fd_named;
	event->fd_num = applied.fd_num;
	event->replaced_ino = applied.replaced_ino;
	event->gone = state->gone;
	/* A request is none that closes: it is found among them by find_gone(). */
	event->gone_count = header.type != EVENT_request ? state->after.gone : 0;
	event->filter_unknown = event->was_unknown = false;
	return 0;
}

void state_stats(const struct state *state, struct state_stats *stats)
{
	*stats = state->stats;
	stats->threads = state->threads.entries - state->threads.unknown;
	stats->followed = state->threads.followed;
	if (state->after.ended && state->after.ended->thread.followed)
		stats->followed--;
	stats->fds = state->fd_store.count;
	stats->threads_evicted = state->threads.evicted;
	stats->notes_dropped = state->notes.dropped;
	stats->fds_evicted = state->fd_store.evicted;
	stats->reads_given_up = state->proc ? scap_proc_reads_given_up(state->proc) : 0;
	stats->fds_rejected = state->fd_store.rejected;
	stats->memory_bytes = state_held_bytes(state);
	stats->memory_max = state->memory_max == UINT64_MAX ? 0 : state->memory_max;
	stats->descriptions_dropped = state->containers.unused_dropped;
	stats->rings_dropped = state->rings.dropped;
	stats->resolved_dropped = state->resolved.dropped;
	stats->created_dropped = state->created.dropped;
	stats->resolved_invalid = state->resolved.invalid;
	stats->services_dropped = state->services.dropped;
	stats->pods_dropped = state->containers.pods.dropped;
}

int64_t state_parent_of(const struct state *state, int64_t pid)
{
	const struct state_thread *thread = state_thread_get(state, pid);

	return thread && thread->ptid > 0 && thread->ptid != pid ? thread->ptid : 0;
}

bool state_is_followed(const struct state *state, int64_t tid)
{
	const struct state_thread *thread = state_thread_get(state, tid);

	return thread && thread->followed;
}

static void empty_fds(struct state_thread_entry *entry, void *context)
{
	if (!entry->unknown)
		state_fds_close_range(entry->thread.fds, 0, UINT32_MAX);
}

void state_set_lacks(struct state *state, unsigned int parts)
{
	state_finish_last(state);
	if (parts & ~state->lacks & STATE_DESCRIPTORS)
		state_threads_each(&state->threads, empty_fds, state);
	/* The capture before the one that has them goes on for a moment. */
	if (state->lacks & ~parts & STATE_ENVIRONMENTS)
		state->environments_ns = state_now_ns(state) + ENVIRONMENTS_NS;
	state->lacks = parts;
}

bool state_event_describes_fd(unsigned int id)
{
	return state_rule_describes_fd(id);
}

unsigned int state_event_keeps(unsigned int id)
{
	return state_rule_of(id)->keeps;
}

/* A gap is a property of the table of descriptors; what an event adds to it is forgotten after it.
 */

struct walk {
	const struct state_thread *main;
	bool (*test)(const struct state_thread *thread, void *context);
	void *context;
	uint32_t threads;
	bool fails;
};

static void visit(struct state_thread_entry *entry, void *context)
{
	const struct state_thread *thread = &entry->thread;
	struct walk *walk = context;

	if (entry->unknown || thread->pid != walk->main->pid)
		return;
	walk->threads++;
	walk->fails =
		walk->fails || thread->fds != walk->main->fds || !walk->test(thread, walk->context);
}

/* What is missing of a program may be learnt without an event of its process. */
static bool is_whole(const struct state_thread *main)
{
	return main && state_thread_is_main(main) && main->exec_id && *main->program->exepath &&
	       *main->program->exe && !main->exiting &&
	       !state_thread_entry((struct state_thread *)main)->ended;
}

/* How many threads have a table; what the last event left to do may keep it, too. */
static uint32_t users_of(const struct state *state, const struct state_fds *fds)
{
	return state_fds_users(fds) - (state->after.closed_in == fds) -
	       (state->after.emptied == fds);
}

bool state_process_is(struct state *state, int64_t pid,
		      bool (*test)(const struct state_thread *thread, void *context), void *context)
{
	struct walk walk = {state_thread_get(state, pid), test, context};

	if (!is_whole(walk.main))
		return false;
	if (walk.main->nthreads <= 1)
		visit(state_thread_entry((struct state_thread *)walk.main), &walk);
	else if (!state->threads.evicted && state->threads.entries <= STATE_WALKED_MAX)
		state_threads_each(&state->threads, visit, &walk);
	return !walk.fails && walk.threads && walk.threads == users_of(state, walk.main->fds);
}

void state_begin_gap(struct state *state, int64_t pid)
{
	struct state_thread *main = state_thread_get(state, pid);

	state_finish_last(state);
	if (!main)
		return;
	state_fds_set_gap(main->fds, UINT64_MAX, 0);
	state_rings_end_process(&state->rings, pid);
	state->has_gaps = true;
}

bool state_is_in_gap(const struct state_thread *thread)
{
	return state_fds_gap_is_open(thread->fds);
}

void state_end_gap(struct state *state, int64_t pid, uint64_t ns, int64_t tid)
{
	struct state_thread *main = state_thread_get(state, pid);

	if (main)
		state_fds_set_gap(main->fds, ns, tid);
}
