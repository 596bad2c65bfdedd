/* SPDX-License-Identifier: MIT */
/*
 * Configures the programs from the options and the selection of a plan; warnings about the machine.
 */
#include "agent/input/live_open.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/input/hold.h"
#include "event/event.h"
#include "requests/requests.h"
#include "scap/live/call_hooks.h"
#include "scap/live/programs.h"
#include "scap/proc/cgroup_keys.h"
#include "scap/rings/backward.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"
#include "util/terminal.h"

static struct scap_hardware this_machine(void)
{
	return (struct scap_hardware){
		.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF),
		.online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
		.bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
	};
}

struct scap_memory live_memory(const struct options *options)
{
	const struct scap_hardware machine = this_machine();

	if (options->ring_bytes)
		return (struct scap_memory){.ring_bytes = options->ring_bytes};
	return hold_is_wanted(options)
		       ? scap_memory_divide_at_once(&machine, options->buffers_bytes)
		       : scap_memory_divide(&machine, options->buffers_bytes);
}

/* Where calls are captured, so are those that may be about the capture; not to be shown. */
static void watch_own(struct scap_live_config *config)
{
	static const bool none_rejected[EVENT_ID_MAX];

	if (config->events[EVENT_bpf] || !live_any_call_wanted(config, none_rejected))
		return;
	config->events[EVENT_bpf] = true;
	config->successes[EVENT_bpf] = true;
}

/*
 * Of the chosen processes alone, but for what tells their parents' names, what is about the capture
 * itself, and the end of the process by which the agent tests it.
 */
static void choose(const struct plan *plan, struct scap_live_config *config)
{
	config->chosen.chooses = plan_chooses(plan);
	config->chosen.children = plan->options->follow;
	config->chosen.holds =
		config->chosen.chooses && hold_is_wanted(plan->options) && scap_open_fds_sees_all();
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		config->chosen.whose[id] =
			plan->selection.events[id] & WHY_THREADS ? FOLLOWED_KIN : FOLLOWED_CHOSEN;
	config->chosen.whose[EVENT_bpf] = FOLLOWED_ALL;
	if (plan->options->http[0])
		config->chosen.whose[EVENT_procexit] = FOLLOWED_ALL;
}

uint32_t live_flight_bytes(const struct options *options)
{
	const struct scap_hardware machine = this_machine();
	uint64_t bytes = options->flight_bytes ? options->flight_bytes : options->buffers_bytes;

	return options_record_flight(options)
		       ? scap_memory_flight(&machine, bytes, BACKWARD_BYTES_MIN)
		       : 0;
}

/*
 * What changes threads is read as it comes: what is known of them when the other events begin
 * depends on it.
 */
static void read_threads_at_once(const struct plan *plan, struct scap_live_config *config)
{
	const unsigned int parts = STATE_THREADS | STATE_CONTAINERS | STATE_DIRECTORIES;

	for (unsigned int id = 0; id < EVENT_ID_MAX && config->backward_bytes; id++)
		config->read_at_once[id] = state_event_keeps(id) & parts ||
					   (plan->triggers && plan->trigger_selection.events[id]);
}

int live_open(const struct plan *plan, const struct live_place *place, uint64_t boot_offset_ns,
	      struct scap_live **live, struct error *err)
{
	const struct options *options = plan->options;
	const struct selection *selection = &plan->selection;
	const struct scap_memory memory = live_memory(options);
	struct scap_live_config config = {
		.loader = place->loader,
		.ring_bytes = memory.ring_bytes,
		.rings_bytes = memory.rings_bytes,
		.backward_bytes = live_flight_bytes(options),
		.rests = options_record_flight(options) && !options->flight_on_crash &&
			 !plan->triggers,
		.snaplen = options->snaplen,
		.snaplen_rules = options->snaplen_rules,
		.kernel_filters = plan->kernel_filters,
		.call_rows_by = plan->call_rows_by,
		.enter_times = selection_has_enter_times(selection),
		.environments = selection_has_environments(selection),
		.entry_notes = selection_entry_notes(selection),
		.call_hooks = options->call_hooks,
		.iterators = {[SCAP_LIVE_THREADS] = true,
			      [SCAP_LIVE_OPEN_FDS] =
				      !(selection_lacks(selection) & STATE_DESCRIPTORS)},
		.stream_bytes = selection_has_requests(selection) ? REQUESTS_LIMIT_DEFAULT : 0,
		.thread_times = options->why && selection_has_requests(selection),
		.has_budget = options->budget > 0,
		.sample_ns = options->tcp_sample_ns ? options->tcp_sample_ns : TCP_SAMPLE_NS,
		.verbose = options->verbose,
		.boot_offset_ns = boot_offset_ns,
		.waker = place->waker,
		.samples = place->samples,
		.without_rings = plan->without_rings,
		.tls = place->tls,
	};

	if (place->keys && plan->rejects_groups)
		config.kernel_filters.hierarchies = scap_cgroup_keys_hierarchies(place->keys);
	memcpy(config.rate_limits, options->rate_limits, sizeof(config.rate_limits));
	if (!options->include_self)
		memcpy(config.self_pids, place->self_pids, sizeof(config.self_pids));
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		config.events[id] = selection->events[id] != 0;
		config.successes[id] = !(selection->events[id] & WHY_ASKED);
		config.counted[id] = plan->counted[id];
		config.stream_only[id] = selection_is_of_streams_only(selection, id);
		config.of_rules[id] = selection->of_rules[id];
	}
	if (place->tls)
		config.tls_chosen = options->tls;
	config.tls_chosen.is_asked = place->tls && selection->events[EVENT_tls_data] & WHY_FILTER;
	read_threads_at_once(plan, &config);
	watch_own(&config);
	choose(plan, &config);
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		config.syscalls[number] = selection->syscalls[number];
		config.compat_syscalls[number] = selection->compat_syscalls[number];
	}
	return scap_live_open(&config, live, err);
}

bool live_knows_groups(const struct live_place *place, const struct scap_live *live)
{
	uint64_t key, made;
	const char *text;
	size_t len;

	return place->keys && scap_live_own_groups(live, &key, &text, &len) == 0 &&
	       scap_cgroup_keys_make(place->keys, text, len, &made) == 0 && made == key;
}

const char *live_hooks_text(const struct scap_live *live)
{
	static const char *const texts[] = {
		[CALL_HOOKS_ALL] = "tracepoints of all system calls",
		[CALL_HOOKS_EACH] = "tracepoints of each wanted call; 32-bit programs are not seen",
		[CALL_HOOKS_TOO_MANY] =
			"tracepoints of all system calls, as more than 32 are wanted",
		[CALL_HOOKS_MISSING] =
			"tracepoints of all system calls, as the kernel lacks some of single calls",
	};

	_Static_assert(CALL_HOOKS_MAX == 32, "the text has the number");
	return texts[scap_live_call_hooks(live)];
}

const char *live_uring_text(const struct scap_live *live)
{
	static const char *const texts[] = {
		[LIVE_URING_UNNEEDED] = "no operation of a ring is a wanted event",
		[LIVE_URING_UNSEEN] = "none is seen: the kernel tells none, or rejects a program",
		[LIVE_URING_REQ] = "operations are seen at io_uring_submit_req, io_uring_complete",
		[LIVE_URING_SQE] = "operations are seen at io_uring_submit_sqe, io_uring_complete",
		[LIVE_URING_NUMBERS] = "all are io_uring_op: the kernel tells no arguments of them",
	};

	return texts[scap_live_uring(live)];
}

static void append_programs(const struct scap_live *live, struct buf *text)
{
	const int enter_error = scap_live_enter_error(live);
	const int sends_error = scap_live_sends_error(live);

	for (const uint16_t *id = scap_live_rejected(live); *id; id++)
		buf_printf(text,
			   "agent: this kernel rejects the program for %s: such events are missing "
			   "(-v shows why)\n",
			   event_desc_get(*id)->name);
	if (enter_error)
		buf_printf(text,
			   "agent: calls are not watched at their enter (%s): an argument that is "
			   "changed during a call that fails is not marked; mount tracefs on "
			   "/sys/kernel/tracing (-v shows programs that the kernel rejects)\n",
			   strerror(-enter_error));
	if (sends_error)
		buf_printf(text,
			   "agent: it is not noted where datagrams go (%s): their destinations are "
			   "what the sender's memory has after the call; mount the control groups "
			   "(version 2) of the machine on /sys/fs/cgroup, add CAP_NET_ADMIN\n",
			   strerror(-sends_error));
}

static const char *iterator_reason(int error)
{
	if (error == -EXDEV)
		return "the agent is not in the initial pid namespace";
	if (error == -EOPNOTSUPP)
		return "the kernel has none, or rejects its program";
	return strerror(-error);
}

/* Of what goes on without it, but costs more. */
static void append_costs(const struct scap_live *live, const struct live_lacks *lacks,
			 enum live_hooks wanted, struct buf *text)
{
	static const char *const iterated[SCAP_LIVE_ITERATORS] = {
		[SCAP_LIVE_OPEN_FDS] = "open descriptors",
		[SCAP_LIVE_THREADS] = "threads",
	};

	if (scap_live_call_hooks(live) != wanted)
		buf_printf(text, "agent: hooks: %s\n", live_hooks_text(live));
	for (unsigned int i = 0; i < SCAP_LIVE_ITERATORS; i++)
		if (lacks->iterator_errors[i])
			buf_printf(text,
				   "agent: %s were read from /proc, which takes longer than by an "
				   "iterator: %s\n",
				   iterated[i], iterator_reason(lacks->iterator_errors[i]));
	if (lacks->groups)
		BUF_LITERAL(text, "agent: the kernel does not filter by control groups: the agent "
				  "does not see all of their folders; mount /sys/fs/cgroup of the "
				  "machine\n");
}

static void append_roots(const struct scap_live *live, struct buf *text)
{
	const struct buf *roots;
	const int error = scap_live_cgroup_roots(live, &roots);

	if (error)
		buf_printf(text,
			   "agent: the place of the agent's own control group is not known (%s): "
			   "programs that ran before it have no container if they are in that "
			   "group or below it; give it the cgroup namespace of the host\n",
			   strerror(-error));
}

/* An agent that does not see all processes was started so. */
static void append_filters(const struct scap_live *live, bool verbose, struct buf *text)
{
	const int error = scap_live_filters_error(live);

	if (error && (error != -EXDEV || verbose))
		buf_printf(
			text,
			"agent: the seccomp filters that were there before are not all known (%s): "
			"calls that they answer in place of the kernel are not marked; start those "
			"programs anew after the agent (-v shows programs that the kernel "
			"rejects)\n",
			iterator_reason(error));
}

void live_answers_append(const struct scap_live *live, struct buf *text)
{
	const int error = scap_live_answers_error(live);

	if (error)
		buf_printf(text,
			   "agent: calls that a seccomp filter or a tracer answers in place of the "
			   "kernel are not told from others (%s): they are not marked; restart the "
			   "agent, with CAP_BPF and CAP_PERFMON\n",
			   strerror(-error));
}

void live_warnings_append(const struct scap_live *live, const struct live_lacks *lacks,
			  const struct options *options, struct buf *text)
{
	append_programs(live, text);
	if (lacks->uring && scap_live_uring(live) == LIVE_URING_NUMBERS)
		buf_printf(text,
			   "agent: operations of io_uring: %s: evt.is_uring is true of these "
			   "alone, fd.slot has no value\n",
			   live_uring_text(live));
	if (lacks->uring && scap_live_uring(live) == LIVE_URING_UNSEEN)
		buf_printf(text,
			   "agent: operations of io_uring: %s: evt.is_uring is true of no event, "
			   "evt.via and fd.slot have no value\n",
			   live_uring_text(live));
	append_filters(live, options->verbose, text);
	if (options->tls.wanted && options->write && !options->writer.native)
		BUF_LITERAL(text,
			    "agent: --tls: files for others have no plaintext, so that requests "
			    "under TLS cannot be made of them again; --native keeps it\n");
	if (options->verbose)
		append_costs(live, lacks, options->call_hooks, text);
	append_roots(live, text);
}

#define BETWEEN_NS UINT64_C(1000000000)

/* Others only read: programs that list all maps do. */
static bool changes(uint32_t command)
{
	switch (command) {
	case BPF_MAP_UPDATE_ELEM:
	case BPF_MAP_DELETE_ELEM:
	case BPF_MAP_LOOKUP_AND_DELETE_ELEM:
	case BPF_MAP_UPDATE_BATCH:
	case BPF_MAP_DELETE_BATCH:
	case BPF_MAP_LOOKUP_AND_DELETE_BATCH:
	case BPF_LINK_UPDATE:
	case BPF_LINK_DETACH:
	case BPF_MAP_FREEZE:
	case BPF_PROG_TEST_RUN:
		return true;
	default:
		return false;
	}
}

bool live_meddling_is(const struct scap_live *live, const struct state_event *event)
{
	const struct event *ev = &event->ev;

	return changes((uint32_t)event_param_u64(ev, bpf__cmd)) &&
	       event_param_present(ev, bpf__object) &&
	       scap_live_owns(live, (enum bpf_object_kind)event_param_u64(ev, bpf__object),
			      (uint32_t)event_param_u64(ev, bpf__id));
}

void live_meddling_note(struct live_meddling *meddling, const struct state_event *event)
{
	char name[sizeof(event->thread->comm)] = "unknown";
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct buf text = {0};

	meddling->calls++;
	if (meddling->said_ns && now - meddling->said_ns < BETWEEN_NS)
		return;
	meddling->said_ns = now;
	if (event->thread)
		memcpy(name, event->thread->comm, sizeof(name));
	terminal_mask(name, strlen(name)); /* a line of its own would be somebody else's word */
	buf_printf(&text,
		   "agent: thread %" PRIu64
		   " (%s) changes programs or maps of this capture, or tried "
		   "to: events may be missing\n",
		   event->ev.tid, name);
	terminal_print(stderr, &text);
	buf_finish(&text);
}
