/* SPDX-License-Identifier: MIT */
/* A live capture, the change to another, and one account for all. */
#include "agent/input/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "takeover/boundary.h"
#include "agent/input/host.h"
#include "agent/input/live_open.h"
#include "agent/input/metrics.h"
#include "agent/input/missed.h"
#include "agent/input/sampling.h"
#include "agent/process/loader.h"
#include "agent/process/memory.h"
#include "event/event.h"
#include "meta/runtimes/files.h"
#include "takeover/takeover_merge.h"
#include "scap/live/flight.h"
#include "scap/live/live.h"
#include "scap/live/programs.h"
#include "scap/proc/cgroup_keys.h"
#include "scap/proc/ids.h"
#include "scap/tls/follower.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"

/* How many that were over a limit the report names. */
enum { THROTTLED_SHOWN = 5 };

#define MOUNTS "/proc/self/mounts"

struct input_live {
	struct input input;
	const struct options *options; /* borrowed */
	unsigned int unneeded; /* parts of the state that the plan does not need */
	bool has_sockets; /* events of these are captured at first */
	struct host host;
	struct live_place place;
	struct scap_cgroup_keys *keys; /* NULL: they could not be found */
	bool knows_groups; /* of `live` */
	struct sampling sampling; /* of all captures */
	struct scap_live *live; /* the current capture */
	struct scap_live *old; /* the previous capture, while both are read; NULL: only one */
	bool old_stopped;
	uint64_t both_since_ns; /* monotonic clock */
	struct scap_live *fresh; /* for the new plan; NULL: `live` suffices */
	uint64_t fresh_since_ns;
	bool fresh_has_environments,
		fresh_has_streams; /* of programs; of sockets: `live` has none */
	uint64_t copies_ns; /* then: since when it has each event that `live` has */
	struct takeover_merge *merge; /* NULL: no change in progress */
	bool has_past;
	/* Too large for the stack. */
	struct scap_live_stats past; /* of captures that ended, if `has_past` */
	struct scap_live_stats old_stats; /* of `old` and `past`, asked for last */
	struct scap_live_stats stats; /* of all, asked for last */
	struct boundary boundary;
	struct scap_flight *flight; /* NULL: events are returned as they come */
	struct live_lacks lacks;
	struct live_meddling meddling;
	struct missed missed;
	bool said_answers; /* why calls that were answered are not told from others */
};

static struct input_live *input_live_of(struct input *input)
{
	return (struct input_live *)input;
}

static void close_live(struct scap_live *live)
{
	if (live)
		scap_source_destroy(scap_live_source(live));
}

/* Without them paths begin with what is above the agent's own, as far as the kernel shows it. */
static int set_cgroup_roots(struct input_live *live, struct error *err)
{
	const struct buf *roots;

	if (scap_live_cgroup_roots(live->live, &roots) ||
	    scap_proc_set_cgroup_roots(live->host.proc, roots) == 0)
		return 0;
	return error_set(err, -ENOMEM, "out of memory");
}

/* As the client of Kubernetes has it. */
static const char *node_of(const struct options *options)
{
	const char *node = options->kubernetes.node;

	return node && *node ? node : host_node_name();
}

/* Those of the capture, and why there is none. */
static void open_iterators(struct input_live *live, struct state_iterators *iterators)
{
	int *errors = live->lacks.iterator_errors, fds[SCAP_LIVE_ITERATORS], before, r;

	for (unsigned int i = 0; i < SCAP_LIVE_ITERATORS; i++) {
		fds[i] = scap_live_open_iterator(live->live, i);
		errors[i] = fds[i] < 0 ? fds[i] : 0;
	}
	if (live->unneeded & STATE_DESCRIPTORS)
		errors[SCAP_LIVE_OPEN_FDS] = 0; /* they are not read at all */
	if (fds[SCAP_LIVE_OPEN_FDS] >= 0) {
		r = scap_open_fds_create(fds[SCAP_LIVE_OPEN_FDS], live->host.proc,
					 &iterators->open_fds);
		errors[SCAP_LIVE_OPEN_FDS] = r;
	}
	if (fds[SCAP_LIVE_THREADS] >= 0) {
		r = scap_threads_create(fds[SCAP_LIVE_THREADS], live->host.proc,
					&iterators->threads);
		errors[SCAP_LIVE_THREADS] = r;
		before = scap_live_open_iterator(live->live, SCAP_LIVE_THREADS);
		if (before >= 0)
			scap_threads_create(before, live->host.proc, &iterators->before);
	}
}

static void declare(void *state, const struct files_named *named)
{
	state_declare_container(state, named->pid, named->id, named->type);
}

/* From a capture that has just begun. */
static int seed(struct input_live *live, struct state *state,
		int (*fill)(struct state *, const struct state_iterators *, struct error *),
		struct error *err)
{
	struct state_iterators iterators = {0};
	struct state_stats stats;
	int r;

	open_iterators(live, &iterators);
	r = fill(state, &iterators, err);
	scap_open_fds_destroy(iterators.open_fds);
	scap_threads_destroy(iterators.threads);
	scap_threads_destroy(iterators.before);
	state_stats(state, &stats);
	if (stats.open_fds_error)
		live->lacks.iterator_errors[SCAP_LIVE_OPEN_FDS] = stats.open_fds_error;
	if (stats.threads_error)
		live->lacks.iterator_errors[SCAP_LIVE_THREADS] = stats.threads_error;
	if (r == 0)
		files_named_each(live->options->host_root, declare, state);
	return r;
}

/*
 * Tells the programs which processes were chosen. Before the state is read: what these do from here
 * on is captured.
 */
static int follow(struct input_live *live, const struct state_follow *chosen, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < chosen->count && r == 0; i++)
		r = scap_live_follow(live->live, chosen->pids[i], false);
	return r ? error_set(err, r, "following processes: %s", strerror(-r)) : 0;
}

enum { KIN_MAX = 64 }; /* generations above a process */

/* And of whose names these show: those above them. */
static void follow_kin(struct input_live *live, const struct state_follow *chosen,
		       const struct state *state)
{
	for (size_t i = 0; i < chosen->count; i++) {
		int64_t pid = state_parent_of(state, chosen->pids[i]);

		/* What /proc said while processes ended may go round. */
		for (int above = 0; pid > 0 && above < KIN_MAX; above++) {
			(void)scap_live_follow(live->live, (pid_t)pid, true);
			pid = state_parent_of(state, pid);
		}
	}
}

static int input_live_make_state(struct input_live *live, const struct state_follow *chosen,
				 unsigned int lacks, struct state **state, struct error *err)
{
	const struct state_config config = {
		.proc = live->host.proc,
		.hostname = live->host.hostname,
		.etc = live->host.etc,
		.follow = *chosen,
		.memory_max = memory_limit_of_state(live->options->memory_limit, true),
		.lacks = lacks,
		.node = node_of(live->options),
		.cluster = live->options->k8s_cluster,
	};
	struct state *made;
	int r = state_create(&config, &made, err);

	if (r)
		return r;
	if (live->has_sockets)
		state_keep_ended(made);
	r = seed(live, made, state_seed, err);
	if (r)
		state_destroy(made);
	else
		*state = made;
	return r;
}

static int input_live_create_state(struct input *input, const struct state_follow *chosen,
				   struct state **state, struct error *err)
{
	struct input_live *live = input_live_of(input);
	int r = set_cgroup_roots(live, err);

	if (r == 0)
		r = follow(live, chosen, err);
	if (r == 0)
		r = input_live_make_state(live, chosen, live->unneeded, state, err);
	if (r == 0)
		follow_kin(live, chosen, *state);
	return r;
}

static int input_live_create_early_state(struct input *input, const struct state_follow *chosen,
					 unsigned int lacks, struct state **state,
					 struct error *err)
{
	return input_live_make_state(input_live_of(input), chosen, lacks, state, err);
}

static void append_warnings(const struct input *input, struct buf *text)
{
	const struct input_live *live = (const struct input_live *)input;

	live_warnings_append(live->live, &live->lacks, live->options, text);
	host_append_warnings(&live->host, live->options->write, text);
}

static int input_live_find_pid(struct input *input, pid_t pid, pid_t *found, struct error *err)
{
	int r = scap_proc_translate(input_live_of(input)->host.proc, pid, found);

	return r ? error_set(err, r, "the id of the command's process: %s", strerror(-r)) : 0;
}

static bool input_live_has_room(const struct input *input)
{
	const struct input_live *live = (const struct input_live *)input;

	return scap_live_has_room(live->live) && (!live->old || scap_live_has_room(live->old));
}

static unsigned int input_live_fill(const struct input *input)
{
	const struct input_live *live = (const struct input_live *)input;
	unsigned int fill = scap_live_fill(live->live),
		     old = live->old ? scap_live_fill(live->old) : 0;

	return old > fill ? old : fill;
}

static uint64_t input_live_held_ns(const struct input *input)
{
	const struct input_live *live = (const struct input_live *)input;
	uint64_t ns = scap_live_held_ns(live->live);

	return ns || !live->old ? ns : scap_live_held_ns(live->old);
}

static void let_go(struct input *input)
{
	struct input_live *live = input_live_of(input);

	scap_live_continue(live->live);
	if (live->old)
		scap_live_continue(live->old);
}

static int change_begin(struct input *input)
{
	struct input_live *live = input_live_of(input);

	return takeover_merge_create(scap_live_source(live->live), &live->merge);
}

/*
 * From then on the new capture has each event that the old one has. Of what starts after the reload
 * the environments are known so, however soon it ends, and where the bytes of a socket are.
 */
static void await_copies(struct input_live *live)
{
	const struct timespec time = {.tv_nsec = TAKEOVER_MERGE_COPY_NS};

	nanosleep(&time, NULL);
	live->copies_ns = clock_ns(CLOCK_BOOTTIME) + scap_live_boot_offset(live->live);
}

static int change_prepare(struct input *input, const struct plan *from, const struct plan *to,
			  struct error *err)
{
	struct input_live *live = input_live_of(input);
	int r;

	if (selection_captures_same(&from->selection, &to->selection) &&
	    memcmp(&from->kernel_filters, &to->kernel_filters, sizeof(from->kernel_filters)) == 0)
		return 0;
	if (live->flight)
		return error_set(err, -EOPNOTSUPP,
				 "other events are captured by a flight recorder only when it is "
				 "started anew");
	r = live_open(to, &live->place, scap_live_boot_offset(live->live), &live->fresh, err);
	if (r == 0 && plan_chooses(to)) {
		r = scap_live_follow_like(live->fresh, live->live);
		if (r)
			error_set(err, r, "following processes: %s", strerror(-r));
	}
	live->fresh_since_ns = clock_ns(CLOCK_MONOTONIC);
	live->fresh_has_environments = !selection_has_environments(&from->selection) &&
				       selection_has_environments(&to->selection);
	live->fresh_has_streams =
		!selection_has_requests(&from->selection) && selection_has_requests(&to->selection);
	if (r == 0 && (live->fresh_has_environments || live->fresh_has_streams))
		await_copies(live);
	return r;
}

static void drop_merge(struct input_live *live)
{
	if (live->merge)
		scap_source_destroy(takeover_merge_source(live->merge));
	live->merge = NULL;
}

static void change_drop(struct input *input)
{
	struct input_live *live = input_live_of(input);

	drop_merge(live);
	close_live(live->fresh);
	live->fresh = NULL;
}

/*
 * Parts that no events kept up to date so far are read from /proc. So are the names of threads, if
 * another capture begins to compare them: it does not know which were written to files before.
 */
static int change_state(struct input_live *live, struct state *state, const struct plan *from,
			const struct plan *to, bool is_other_capture, struct error *err)
{
	/* A flight recorder reads descriptors when a file begins. */
	unsigned int always = live->flight ? STATE_DESCRIPTORS : 0;
	unsigned int lacked = selection_lacks(&from->selection) | always;
	unsigned int lacks = selection_lacks(&to->selection) | always;
	bool reseeds = lacked & ~lacks;

	if (is_other_capture)
		reseeds |= selection_adds_parts(&from->selection, &to->selection) ||
			   live_compares_names(&to->kernel_filters);

	live->unneeded = lacks;
	if (lacks != lacked)
		state_set_lacks(state, lacks);
	if (selection_has_sockets(&to->selection))
		state_keep_ended(state);
	return reseeds ? seed(live, state, state_reseed, err) : 0;
}

/* Begins to read both captures. */
static int change_take(struct input *input, const struct plan *from, const struct plan *to,
		       struct state *state, struct error *err)
{
	struct input_live *live = input_live_of(input);

	if (!live->fresh) {
		drop_merge(live);
		return change_state(live, state, from, to, false, err);
	}
	takeover_merge_join(live->merge, scap_live_source(live->fresh));
	if (live->fresh_has_environments)
		takeover_merge_replace_execs(live->merge, live->copies_ns);
	if (live->fresh_has_streams)
		takeover_merge_replace_streams(live->merge, live->copies_ns);
	live->old = live->live;
	live->old_stopped = false;
	live->both_since_ns = live->fresh_since_ns;
	live->live = live->fresh;
	live->knows_groups = live_knows_groups(&live->place, live->live);
	live->fresh = NULL;
	input->changing = true;
	return change_state(live, state, from, to, true, err);
}

static void stop_old(struct input_live *live)
{
	if (live->old && !live->old_stopped)
		scap_live_stop(live->old);
	live->old_stopped = true;
}

/* Reads the counters of all previous captures. Events that two of them saw count once. */
static int read_old_stats(struct input_live *live)
{
	struct scap_live_stats *stats = &live->old_stats;
	uint64_t copies[EVENT_ID_MAX];
	int r = scap_live_stats(live->old, stats);

	if (r)
		return r;
	takeover_merge_copies(live->merge, copies);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		stats->seen[id] -= copies[id];
		stats->delivered[id] -= copies[id];
	}
	if (live->has_past)
		scap_live_stats_add(stats, &live->past);
	return 0;
}

/* Keeps the counters of a capture that ended. */
static void keep_past(struct input_live *live)
{
	if (read_old_stats(live)) {
		fputs("agent: the counters of the capture before the new rules are lost\n", stderr);
		return;
	}
	live->past = live->old_stats;
	live->has_past = true;
}

static void end_change(struct input_live *live)
{
	keep_past(live);
	drop_merge(live);
	close_live(live->old);
	live->old = NULL;
	live->input.changing = false;
}

static struct scap_source *source_now(const struct input_live *live)
{
	struct scap_source *source = boundary_source(&live->boundary);

	if (source)
		return source;
	if (live->flight)
		return scap_flight_source(live->flight);
	return live->merge ? takeover_merge_source(live->merge) : scap_live_source(live->live);
}

/* Sources that are already before the capture must stay next to it. */
static struct boundary *get_boundary(struct input *input)
{
	struct input_live *live = input_live_of(input);

	if (live->merge || live->flight)
		return NULL;
	live->boundary.inner = scap_live_source(live->live);
	live->boundary.offset_ns = scap_live_boot_offset(live->live);
	return &live->boundary;
}

static void step_boundary(struct input_live *live)
{
	if (boundary_source(&live->boundary))
		live->input.changing = boundary_step(&live->boundary);
}

static struct scap_source *input_live_step(struct input *input)
{
	struct input_live *live = input_live_of(input);

	step_boundary(live);
	if (live->old && clock_ns(CLOCK_MONOTONIC) - live->both_since_ns > TAKEOVER_MERGE_BOTH_NS)
		stop_old(live);
	if (live->old && takeover_merge_is_done(live->merge))
		end_change(live);
	return source_now(live);
}

/* The capture before a reload runs for a while, too. */
static int run_ns(struct input *input, uint64_t *ns)
{
	const struct input_live *live = input_live_of(input);
	uint64_t old_ns = 0;
	int r = scap_live_run_ns(live->live, ns);

	if (r == 0 && live->old)
		r = scap_live_run_ns(live->old, &old_ns);
	if (r == 0)
		*ns += old_ns;
	return r;
}

static int shed(struct input *input, const struct shed *shares)
{
	struct input_live *live = input_live_of(input);
	int r = scap_live_shed(live->live, shares);

	return r == 0 && live->old ? scap_live_shed(live->old, shares) : r;
}

static int reject_groups(struct input *input, const char *text, size_t len, bool rejected)
{
	struct input_live *live = input_live_of(input);
	uint64_t key;
	int r = live->knows_groups ? scap_cgroup_keys_make(live->keys, text, len, &key) : -ENOENT;

	return r ? r : scap_live_reject_groups(live->live, key, rejected);
}

static void limit_stream(struct input *input, uint64_t ino, uint32_t bytes)
{
	struct input_live *live = input_live_of(input);

	/* Without it more bytes come than are wanted, or fewer, which is noticed. */
	scap_live_limit_stream(live->live, ino, bytes);
	if (live->old)
		scap_live_limit_stream(live->old, ino, bytes);
}

static int take_calls(struct input *input, const struct live_call_taker *taker)
{
	struct input_live *live = input_live_of(input);
	int r = live->old ? scap_live_take_calls(live->old, taker) : 0;

	return r ? r : scap_live_take_calls(live->live, taker);
}

static void accept_groups(struct input *input)
{
	scap_live_accept_groups(input_live_of(input)->live);
}

static int mute_propose(struct input *input, pid_t pid, uint64_t *ns)
{
	return scap_live_mute_propose(input_live_of(input)->live, pid, ns);
}

static int mute_set(struct input *input, pid_t pid, uint64_t program, uint64_t *ns)
{
	return scap_live_mute_set(input_live_of(input)->live, pid, program, ns);
}

/* What was not probed is said; whether it mattered nobody knows. */
static void append_tls(const struct input_live *live, struct buf *text)
{
	struct tls_follower_stats stats = {0};

	if (live->place.tls)
		tls_follower_stats(live->place.tls, &stats);
	if (stats.rejected)
		buf_printf(text,
			   "agent: --tls: %" PRIu64
			   " times a library was left out, as %d are followed "
			   "already\n",
			   stats.rejected, TLS_LIBRARIES_MAX);
	if (stats.failed)
		buf_printf(text,
			   "agent: --tls: programs could not be set in libraries %" PRIu64
			   " times: %s\n",
			   stats.failed, strerror(-stats.error));
	if (live->stats.tls_notes_lost)
		buf_printf(text,
			   "agent: --tls: programs and libraries that were not looked at at once, "
			   "as a "
			   "process had too many: %" PRIu64 "\n",
			   live->stats.tls_notes_lost);
}

static void mute_end(struct input *input, pid_t pid, uint64_t *ns)
{
	scap_live_mute_end(input_live_of(input)->live, pid, ns);
}

static int input_live_fail(struct input *input, int code, struct error *err)
{
	return error_set(err, code, "reading events: %s", strerror(-code));
}

static struct scap_source *input_live_stop(struct input *input)
{
	struct input_live *live = input_live_of(input);

	sampling_stop(&live->sampling);
	stop_old(live);
	scap_live_stop(live->live);
	return source_now(live);
}

/* Reads the counters of all captures of the run. */
static int read_stats(struct input_live *live)
{
	struct scap_live_stats *stats = &live->stats;
	int r = scap_live_stats(live->live, stats);

	if (r)
		return r;
	if (live->old) {
		r = read_old_stats(live);
		if (r == 0)
			scap_live_stats_add(stats, &live->old_stats);
	} else if (live->has_past) {
		scap_live_stats_add(stats, &live->past);
	}
	stats->meddled = live->meddling.calls;
	sampling_add_stats(&live->sampling, stats);
	boundary_subtract(&live->boundary, stats);
	return r;
}

static int input_live_append_counters(struct input *input, struct buf *text)
{
	struct input_live *live = input_live_of(input);
	int r = read_stats(live);

	if (r == 0)
		account_live_append_counters(&live->stats, text);
	return r;
}

static int totals(struct input *input, struct input_totals *totals)
{
	struct input_live *live = input_live_of(input);
	int r = read_stats(live);

	if (r == 0)
		account_live_totals(&live->stats, totals);
	return r;
}

static int input_live_append_metrics(struct input *input, const struct plan *plan,
				     struct exposition *exposition)
{
	struct input_live *live = input_live_of(input);
	int r = read_stats(live);

	if (r)
		return r;
	metrics_live_append(&live->stats, &plan->selection, exposition);
	metrics_live_append_cpus(live->live, exposition);
	metrics_live_append_programs(live->live, exposition);
	sampling_append_metrics(&live->sampling, exposition);
	return 0;
}

static int input_live_append_report(struct input *input, const struct account *account,
				    struct buf *text, struct error *err)
{
	struct scap_live_throttled list[THROTTLED_SHOWN];
	struct input_live *live = input_live_of(input);
	int r = read_stats(live);

	if (r)
		return error_set(err, r, "the driver's counters cannot be read: %s", strerror(-r));
	account_live_append(&live->stats, account, text);
	sampling_append_report(&live->sampling, text);
	append_tls(live, text);
	account_live_append_throttled(list, scap_live_throttled(live->live, list, THROTTLED_SHOWN),
				      text);
	return 0;
}

static int losses(struct input *input, const struct event_counters **counters)
{
	struct input_live *live = input_live_of(input);
	int r = read_stats(live);

	*counters = live->stats.events;
	return r;
}

static void note_bpf(struct input *input, const struct state_event *event)
{
	struct input_live *live = input_live_of(input);

	if (live_meddling_is(live->live, event))
		live_meddling_note(&live->meddling, event);
}

static void input_live_append_messages(struct input *input, struct buf *text)
{
	struct input_live *live = input_live_of(input);
	size_t before = text->len;

	if (live->said_answers)
		return;
	live_answers_append(live->live, text);
	live->said_answers = text->len > before;
}

static uint32_t silent(struct input *input, uint32_t *cpu)
{
	return scap_live_silent(input_live_of(input)->live, cpu);
}

static struct scap_flight *get_flight(const struct input *input)
{
	return ((const struct input_live *)input)->flight;
}

static void keep_descriptors(struct input *input, struct state *state, bool kept)
{
	struct input_live *live = input_live_of(input);
	struct scap_open_fds *open_fds = NULL;
	int fd;

	state_set_lacks(state, live->unneeded & ~(kept ? STATE_DESCRIPTORS : 0));
	if (!kept)
		return;
	fd = scap_live_open_iterator(live->live, SCAP_LIVE_OPEN_FDS);
	if (fd >= 0)
		(void)scap_open_fds_create(fd, live->host.proc, &open_fds);
	state_reseed_descriptors(state, open_fds);
	scap_open_fds_destroy(open_fds);
}

static bool learn(struct input *input, struct state *state, uint64_t now)
{
	struct input_live *live = input_live_of(input);

	return missed_step(&live->missed, live->live, live->host.proc, state, now);
}

static bool input_live_is_incomplete(struct input *input, const struct state_stats *state)
{
	struct input_live *live = input_live_of(input);

	return read_stats(live) || account_live_is_incomplete(&live->stats) || state->corrupt;
}

static void input_live_destroy(struct input *input)
{
	struct input_live *live = input_live_of(input);

	change_drop(input);
	missed_finish(&live->missed);
	boundary_finish(&live->boundary);
	if (live->flight)
		scap_source_destroy(scap_flight_source(live->flight));
	close_live(live->old);
	close_live(live->live);
	tls_follower_destroy(live->place.tls);
	sampling_finish(&live->sampling);
	host_close(&live->host);
	scap_cgroup_keys_destroy(live->keys);
	free(live);
}

static int input_live_percent_read(const struct input *input)
{
	return -1;
}

static const struct input_ops ops = {
	.create_state = input_live_create_state,
	.step = input_live_step,
	.fail = input_live_fail,
	.stop = input_live_stop,
	.append_counters = input_live_append_counters,
	.append_metrics = input_live_append_metrics,
	.append_report = input_live_append_report,
	.percent_read = input_live_percent_read,
	.is_incomplete = input_live_is_incomplete,
	.destroy = input_live_destroy,
};

static const struct input_live_ops live_ops = {
	.find_pid = input_live_find_pid,
	.append_warnings = append_warnings,
	.has_room = input_live_has_room,
	.fill = input_live_fill,
	.held_ns = input_live_held_ns,
	.let_go = let_go,
	.run_ns = run_ns,
	.shed = shed,
	.reject_groups = reject_groups,
	.limit_stream = limit_stream,
	.take_calls = take_calls,
	.accept_groups = accept_groups,
	.mute_propose = mute_propose,
	.mute_set = mute_set,
	.mute_end = mute_end,
	.change_begin = change_begin,
	.change_prepare = change_prepare,
	.change_take = change_take,
	.change_drop = change_drop,
	.boundary = get_boundary,
	.totals = totals,
	.losses = losses,
	.append_messages = input_live_append_messages,
	.silent = silent,
	.note_bpf = note_bpf,
	.learn = learn,
	.flight = get_flight,
	.create_early_state = input_live_create_early_state,
	.keep_descriptors = keep_descriptors,
};

/* A process that cannot be found in events is not left out of them. */
static void input_live_leave_out(struct input_live *live, size_t place, pid_t pid)
{
	pid_t found;

	if (scap_proc_translate(live->host.proc, pid, &found) == 0)
		live->place.self_pids[place] = (uint32_t)found;
}

static void input_live_set_place(struct input_live *live, struct input_helpers *helpers)
{
	live->place.self_pids[0] = (uint32_t)live->host.self;
	live->place.keys = live->keys;
	live->place.waker = live->input.waker = helpers->waker;
	if (helpers->loader.pid) {
		live->place.loader = &helpers->loader.client.loader;
		input_live_leave_out(live, 1, helpers->loader.pid);
	}
	if (helpers->readers)
		input_live_leave_out(live, 2, proc_readers_pid(helpers->readers));
	scap_proc_set_readers(live->host.proc, helpers->readers);
}

/* Events that wait have as much memory as two of the rings. */
static int begin_flight(struct input_live *live, struct error *err)
{
	const struct scap_flight_config config = {
		.window_ns = live->options->flight_ns,
		.waiting_bytes_max = 2 * (uint64_t)live_flight_bytes(live->options),
	};

	if (!options_record_flight(live->options))
		return 0;
	live->unneeded |= STATE_DESCRIPTORS;
	return scap_flight_create(live->live, &config, &live->flight)
		       ? error_set(err, -ENOMEM, "out of memory")
		       : 0;
}

static int follow_tls(struct input_live *live, struct error *err)
{
	char proc[64];

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", scap_proc_dir(live->host.proc));
	return tls_follower_create(proc, &live->place.tls, err);
}

int input_live_open(const struct plan *plan, struct input_helpers *helpers, struct input **input,
		    struct error *err)
{
	struct input_live *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->input.ops = &ops;
	made->input.live = &live_ops;
	made->options = plan->options;
	made->unneeded = selection_lacks(&plan->selection);
	made->has_sockets = selection_has_sockets(&plan->selection);
	r = host_open(&made->host, plan->options->host_root, err);
	if (r == 0) {
		/* Without them only user space knows which events are of which container. */
		scap_cgroup_keys_create(MOUNTS, "", &made->keys);
		input_live_set_place(made, helpers);
		r = sampling_open(&made->sampling, plan, &made->host, made->place.self_pids, err);
		made->place.samples = made->sampling.samples;
	}
	if (r == 0 && plan->options->tls.wanted)
		r = follow_tls(made, err);
	if (r == 0)
		r = live_open(plan, &made->place, 0, &made->live, err);
	if (r == 0)
		r = begin_flight(made, err);
	if (r) {
		close_live(made->live);
		tls_follower_destroy(made->place.tls);
		sampling_finish(&made->sampling);
		scap_cgroup_keys_destroy(made->keys);
		host_close(&made->host);
		free(made);
	} else {
		made->knows_groups = live_knows_groups(&made->place, made->live);
		made->lacks.uring = plan_compares_uring(plan);
		made->lacks.groups = plan->rejects_groups && !made->knows_groups;
		*input = &made->input;
	}
	return r;
}
