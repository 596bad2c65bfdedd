/* SPDX-License-Identifier: MIT */
/* Choosing, configuring and loading the BPF programs, with libbpf. */
#include "scap/live/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "event/event.h"
#include "event/names.h"
#include "lanner.skel.h"
#include "scap/live/iter.h"
#include "scap/live/kernel_types.h"
#include "scap/live/cgroup_roots.h"
#include "scap/live/log.h"
#include "scap/live/programs.h"
#include "scap/live/reasons.h"
#include "scap/live/skeleton.h"
#include "scap/live/uring_hooks.h"
#include "scap/proc/subuid.h"
#include "scap/tls/probe.h"
#include "util/count.h"

#define PROC_FD_PATH "/proc/self/fd/"

enum { PROC_FD_PATH_BYTES = sizeof(PROC_FD_PATH) + 10 };
enum { REASON_BYTES = 512, RECORDS_PER_RING_MIN = 4 };

struct bpf_program *live_object_program(const struct live_object *object, size_t row)
{
	return bpf_object__find_program_by_name(object->skeleton->obj, live_programs[row].name);
}

bool live_object_is_loaded(const struct live_object *object, size_t row)
{
	struct bpf_program *program = live_object_program(object, row);

	return program && bpf_program__fd(program) >= 0;
}

struct bpf_program *live_object_iterator(const struct live_object *object,
					 enum scap_live_iterator which)
{
	switch (which) {
	case SCAP_LIVE_OPEN_FDS:
		return object->skeleton->progs.open_fds;
	case SCAP_LIVE_THREADS:
		return object->skeleton->progs.threads;
	default:
		return NULL;
	}
}

static bool can_attach(const struct live_object *object, const struct live_program *row)
{
	if (row->for_uring)
		return live_uring_hooks_have(&object->uring, row->hook, row->by_number);
	return !row->at_sends || object->skeleton->rodata->notes_sends;
}

static int choose_programs(struct live_object *object, struct error *err)
{
	for (size_t i = 0; i < live_programs_count; i++) {
		const struct live_program *row = &live_programs[i];
		struct bpf_program *program = live_object_program(object, i);

		if (!program)
			return error_set(err, -ENOENT, "the BPF object has no program \"%s\"",
					 row->name);
		bpf_program__set_autoload(
			program,
			!object->rejected[i] && can_attach(object, row) &&
				live_program_wanted(row, object->config, object->rejected_events));
		/* Kernels that know no such type load it as any other. */
		if (row->at_probes)
			bpf_program__set_expected_attach_type(
				program, (enum bpf_attach_type)TLS_PROBE_LINK_TYPE);
	}
	bpf_program__set_autoload(object->skeleton->progs.cgroup_roots, object->wants_cgroup_roots);
	bpf_program__set_autoload(object->skeleton->progs.own_groups, object->wants_own_groups);
	bpf_program__set_autoload(object->skeleton->progs.scan_filters, object->wants_filters);
	bpf_program__set_autoload(object->skeleton->progs.find_owners, object->wants_owners);
	for (unsigned int i = 0; i < SCAP_LIVE_ITERATORS; i++)
		bpf_program__set_autoload(live_object_iterator(object, i),
					  object->wants_iterators[i]);
	return 0;
}

static void configure_calls(struct live_object *made)
{
	struct lanner *object = made->skeleton;
	struct multiplexed_events operations[MULTIPLEXED_CALLS];
	struct call_events calls[SYSCALL_NR_MAX];

	live_call_events(made->config, made->rejected_events, calls);
	live_multiplexed_events(made->config, made->rejected_events, operations);
	memcpy((void *)object->rodata->call_events, calls, sizeof(calls));
	memcpy((void *)object->rodata->multiplexed_events, operations, sizeof(operations));
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		unsigned int r = syscall_code_of_compat(number);
		int native = syscall_native_number(r);

		object->rodata->syscall_codes[number] = (uint16_t)syscall_code_of_native(number);
		object->rodata->compat_calls[number].code = (uint16_t)r;
		object->rodata->compat_calls[number].native =
			(uint16_t)(native < 0 ? NO_NATIVE : native);
	}
}

static void configure_uring(struct live_object *made)
{
	struct lanner *object = made->skeleton;
	struct uring_events events[URING_OPCODES];

	live_uring_events(made->config, events);
	object->rodata->uring_kernel = made->uring.kernel;
	object->rodata->uring_worker_flag = made->uring.worker_flag;
	memcpy((void *)object->rodata->uring_events, events, sizeof(events));
	memcpy((void *)object->rodata->uring_secret, made->uring.secret,
	       sizeof(made->uring.secret));
}

/* Whether there are events for which room is reserved, and others. */
static bool reserves_room(const struct scap_live_config *config)
{
	bool wanted[2] = {false};

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (config->events[id])
			wanted[event_is_important(id)] = true;
	return wanted[false] && wanted[true];
}

/* Whether it is noted where datagrams go: by all programs for that, or not at all. */
static bool notes_sends(const struct live_object *object)
{
	for (size_t i = 0; i < live_programs_count; i++)
		if (live_programs[i].at_sends && object->rejected[i])
			return false;
	return object->root_group >= 0 && live_captures_sends(object->config);
}

/* Whether it is counted what threads do: by all programs for that, or not at all. */
static bool keeps_times(const struct live_object *object)
{
	for (size_t i = 0; i < live_programs_count; i++)
		if (live_programs[i].for_waits && object->rejected[i])
			return false;
	return object->config->thread_times;
}

static bool hands_over_requests(const struct live_object *object)
{
	return object->uring.kernel && object->uring.seen != LIVE_URING_NUMBERS;
}

/* Rows have a part for each CPU, but for those of threads. */
static uint32_t call_rows_max(const struct live_object *made)
{
	const uint32_t parts = made->config->call_rows_by & BY_THREAD ? 1 : made->cpus;
	uint32_t most = CALL_ROWS_BYTES_MAX / (parts * (uint32_t)sizeof(struct call_row));

	if (!made->skeleton->rodata->counts_calls)
		return 1;
	return most < CALL_ROWS_MAX ? most : CALL_ROWS_MAX;
}

static int size_call_rows(const struct live_object *made)
{
	struct bpf_map *rows = made->skeleton->maps.call_rows;
	const uint32_t most = call_rows_max(made);
	int r = bpf_map__set_max_entries(rows, most);

	/* Those of calls without room are among them. */
	made->skeleton->rodata->call_rows_max = most - (most > ROW_LOSSES ? ROW_LOSSES : 0);
	if (r == 0 && made->config->call_rows_by & BY_THREAD)
		r = bpf_map__set_type(rows, BPF_MAP_TYPE_HASH);
	return r;
}

/* A quarter beside it is for whoever finds no room. */
static int size_waiting(const struct live_object *made)
{
	const uint32_t most = made->config->waiting_max, spare = most / 4 + 1;
	const struct lanner *object = made->skeleton;
	int r = bpf_map__set_max_entries(object->maps.runnable_since, most);

	object->rodata->runnable_spare_max = spare;
	return r ? r : bpf_map__set_max_entries(object->maps.runnable_spare, spare);
}

/* Those of CPUs have room for each, and those that are not needed for next to nothing. */
static int object_size_maps(const struct live_object *made)
{
	const struct scap_live_config *config = made->config;
	const struct lanner *object = made->skeleton;
	const struct {
		struct bpf_map *map;
		bool is_needed;
	} maps[] = {
		{object->maps.enter_times_noted, config->enter_times},
		{object->maps.process_rates, config->rate_limits[RATE_OF_PROCESS]},
		{object->maps.group_rates, config->rate_limits[RATE_OF_CGROUP]},
		{object->maps.shares, object->rodata->reserves_room || hands_over_requests(made)},
		{object->maps.renamed, live_compares_names(&config->kernel_filters)},
		{object->maps.followed, config->chosen.chooses},
		{object->maps.rejected_groups, config->kernel_filters.hierarchies},
		{object->maps.muted, config->kernel_filters.mutes},
		{object->maps.notes, config->entry_notes == ENTRY_NOTES_ALL},
		{object->maps.sends_noted, object->rodata->notes_sends},
		{object->maps.stream_limits, config->stream_bytes},
		{object->maps.opened, config->stream_only[EVENT_close]},
		{object->maps.thread_times, object->rodata->keeps_times},
		{object->maps.row_names,
		 object->rodata->counts_calls && config->call_rows_by & BY_THREAD},
		{object->maps.runnable_since, config->events[EVENT_runqueue]},
		{object->maps.runnable_spare, config->events[EVENT_runqueue]},
		{object->maps.tls_threads, config->tls_chosen.wanted},
		{object->maps.tls_routines, config->tls_chosen.wanted},
		{object->maps.tls_tellers, config->tls_chosen.wanted},
		{object->maps.tls_objects, config->tls_chosen.wanted},
		{object->maps.tls_counts, config->tls_chosen.wanted},
		{object->maps.socket_owners, object->rodata->owns_sockets},
		{object->maps.listeners, object->rodata->owns_sockets},
		{object->maps.uring_rows, hands_over_requests(made)},
		{object->maps.uring_notes, hands_over_requests(made)},
		{object->maps.uring_long_texts, hands_over_requests(made)},
		{object->maps.uring_multishots, hands_over_requests(made)},
		{object->maps.uring_asked, made->uring.seen == LIVE_URING_NUMBERS},
	};
	int r = bpf_map__set_max_entries(object->maps.rings, made->cpus);

	if (r == 0)
		r = bpf_map__set_max_entries(object->maps.backward_rings,
					     config->backward_bytes ? made->cpus : 1);
	if (r == 0)
		r = bpf_map__set_max_entries(object->maps.scratch,
					     made->cpus * SCRATCH_SLOTS_PER_CPU);
	if (r == 0)
		r = size_call_rows(made);
	if (r == 0 && config->waiting_max)
		r = size_waiting(made);
	for (size_t i = 0; i < COUNT(maps) && r == 0; i++)
		if (!maps[i].is_needed)
			r = bpf_map__set_max_entries(maps[i].map, 1);
	return r;
}

/* What the file that the kernel's types were written to says; without names, there are none. */
static void read_reasons(const struct live_object *made)
{
	char path[PROC_FD_PATH_BYTES];
	struct btf *types;

	if (!live_owns_sockets(made->config))
		return;
	snprintf(path, sizeof(path), PROC_FD_PATH "%d", made->types);
	types = btf__parse_raw(path);
	if (!types)
		return;
	live_reasons_read(types, (void *)made->skeleton->rodata->reason_names);
	btf__free(types);
}

/* Subordinate ids of users, who have one share with them. */
static void configure_shares(struct lanner *object)
{
	int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	object->rodata->share_ranges_count =
		(uint32_t)subuid_read(proc, (void *)object->rodata->share_ranges);
	if (proc >= 0)
		close(proc);
}

static int object_configure(struct live_object *made, struct error *err)
{
	const struct scap_live_config *config = made->config;
	struct lanner *object = made->skeleton;
	int r;

	configure_calls(made);
	configure_uring(made);
	configure_shares(object);
	read_reasons(made);
	memcpy((void *)object->rodata->self_pids, config->self_pids, sizeof(config->self_pids));
	object->rodata->drops_calls = config->chosen.chooses || config->chosen.holds ||
				      config->kernel_filters.mutes || config->has_budget;
	object->rodata->follows = config->chosen.chooses;
	object->rodata->follows_children = config->chosen.children;
	object->rodata->holds = config->chosen.holds;
	memcpy((void *)object->rodata->followed_of, config->chosen.whose,
	       sizeof(config->chosen.whose));
	object->rodata->classic_calls = made->classic;
	object->rodata->enter_times = config->enter_times;
	/* Where processes wait for room, none takes it from others. */
	object->rodata->reserves_room =
		!config->chosen.holds && !config->backward_bytes && reserves_room(config);
	object->rodata->overwrites = config->backward_bytes != 0;
	object->rodata->reads_environments = config->environments;
	object->rodata->compares_arguments = config->entry_notes == ENTRY_NOTES_ALL;
	/* By what is read of descriptors at the start it is known that they are kept. */
	object->rodata->tells_files = config->iterators[SCAP_LIVE_OPEN_FDS] || config->stream_bytes;
	object->rodata->stream_bytes = config->stream_bytes;
	object->rodata->tls_chosen = config->tls_chosen;
	object->rodata->notes_sends = notes_sends(made);
	object->rodata->keeps_times = keeps_times(made);
	object->rodata->owns_sockets = live_owns_sockets(config);
	memcpy((void *)&object->rodata->kernel_filters, &config->kernel_filters,
	       sizeof(config->kernel_filters));
	memcpy((void *)object->rodata->rate_limits, config->rate_limits,
	       sizeof(config->rate_limits));
	object->rodata->has_budget = config->has_budget;
	object->rodata->call_rows_by = config->call_rows_by;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		object->rodata->shed_classes[id] = (__u8)event_shed_class(id);
		object->rodata->never_limited[id] = event_is_important(id) || config->of_rules[id];
		object->rodata->stream_only[id] = config->stream_only[id];
		object->rodata->read_at_once[id] = config->read_at_once[id];
		object->rodata->counted_calls[id] = config->counted[id];
		object->rodata->counts_calls |= config->counted[id];
	}
	object->rodata->snaplen = config->snaplen;
	object->rodata->snaplen_rules = config->snaplen_rules;
	/* A small ring must have room for some records. */
	object->rodata->batch_bytes = config->ring_bytes / RECORDS_PER_RING_MIN;
	if (object->rodata->batch_bytes > BATCH_BYTES_MAX)
		object->rodata->batch_bytes = BATCH_BYTES_MAX;
	object->rodata->kib_per_page_shift =
		(uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE) / 1024);
	object->rodata->boot_offset_ns = made->boot_offset_ns;
	r = object_size_maps(made);
	return r ? error_set(err, r, "sizing the BPF maps: %s", strerror(-r)) : 0;
}

static int describe_failure(int error, const struct live_log *log, struct error *err)
{
	char reason[REASON_BYTES];

	live_log_show(log);
	if (error == -EPERM)
		return error_set(err, error,
				 "loading BPF programs is not permitted; run as root, or with "
				 "CAP_BPF, CAP_PERFMON, CAP_IPC_LOCK and CAP_SYS_PTRACE (a "
				 "container: privileged)");
	if (error == -ENOMEM)
		return error_set(err, error,
				 "no memory for the BPF maps; is the limit \"memlock\" or that of "
				 "the control group too low?");
	live_log_reason(log, reason, sizeof(reason));
	return error_set(err, error, "loading the BPF programs: %s%s%s", strerror(-error),
			 reason[0] ? "\n" : "", reason);
}

/* What stands before "___": behind it programs tell versions of a type apart. */
static size_t essential_bytes(const char *name)
{
	const char *flavor = strstr(name, "___");

	return flavor ? (size_t)(flavor - name) : strlen(name);
}

/*
 * Of the kernel's types only those count that the object names: what programs ask of them is about
 * structures, unions and enumerations alone. Returns 0 or -errno.
 */
static int object_reduce_types(const struct live_object *object, int fd)
{
	const struct btf *btf = bpf_object__btf(object->skeleton->obj);
	uint32_t ids = btf__type_cnt(btf);
	struct live_kernel_type *types = calloc(ids, sizeof(*types));
	size_t count = 0;
	int r = 0;

	if (!types)
		return -ENOMEM;
	for (uint32_t id = 1; id < ids; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name = btf__name_by_offset(btf, type->name_off);

		if (!name || !name[0] || !(btf_is_composite(type) || btf_is_any_enum(type)))
			continue;
		if (essential_bytes(name) >= sizeof(types[count].name)) {
			r = -ENAMETOOLONG;
			break;
		}
		memcpy(types[count].name, name, essential_bytes(name));
		types[count++].kind = btf_kind(type);
	}
	if (r == 0)
		r = live_kernel_types_reduce(LIVE_BTF_PATH, types, count, fd);
	free(types);
	return r;
}

/* Opens the object, which reads the kernel's types from `fd` when it is loaded. */
static int object_open_skeleton(struct live_object *object, int fd)
{
	char path[PROC_FD_PATH_BYTES];
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = path);

	if (fd < 0)
		return -errno;
	snprintf(path, sizeof(path), PROC_FD_PATH "%d", fd);
	object->skeleton = object->with_lines ? live_skeleton_open(&options)
					      : live_skeleton_open_without_lines(&options);
	return object->skeleton ? object_reduce_types(object, fd) : -errno;
}

/* Once it is loaded, libbpf has read them. */
static void object_close_types(struct live_object *object)
{
	if (object->types >= 0)
		close(object->types);
	object->types = -1;
}

static void object_close(struct live_object *object)
{
	lanner__destroy(object->skeleton);
	object->skeleton = NULL;
	object_close_types(object);
}

/* Opens it again, ready to be loaded. Returns 0, or -errno with a message. */
static int live_open_object(struct live_object *object, struct live_log *log, struct error *err)
{
	int r;

	object_close(object);
	live_log_begin(log);
	object->types = memfd_create("types", MFD_CLOEXEC);
	r = object_open_skeleton(object, object->types);
	live_log_end(log);
	if (r < 0)
		return describe_failure(r, log, err);
	live_log_begin(log);
	r = object_configure(object, err);
	if (r == 0)
		r = choose_programs(object, err);
	live_log_end(log);
	return r;
}

/* Excludes the programs that the kernel rejected. Returns their number. */
static size_t object_leave_out(struct live_object *object, const bool *rejected)
{
	size_t count = 0;

	for (size_t i = 0; i < live_programs_count; i++) {
		if (!rejected[i] || live_programs[i].event == EVENT_NONE)
			continue;
		object->rejected[i] = true;
		if (live_programs[i].at_enter)
			object->enter_error = -EOPNOTSUPP;
		if (live_programs[i].at_sends)
			object->sends_error = -EOPNOTSUPP;
		count++;
	}
	live_events_rejected(object->rejected, LOSES_ALL_EVENTS, object->rejected_events);
	return count;
}

/*
 * Finds all programs that the kernel rejects, in a load only for this, and excludes them. Returns
 * their number, or -errno.
 */
static int leave_out_rejected(struct live_object *object, struct live_log *log)
{
	struct live_probe probe = {.verbose = log->verbose};
	int r = live_probe_begin(&probe, object->classic);

	if (r == 0)
		r = live_open_object(object, log, NULL);
	if (r == 0)
		r = live_probe_prepare(&probe, object->skeleton->obj);
	if (r == 0) {
		live_log_begin(log);
		r = lanner__load(object->skeleton);
		live_log_end(log);
	}
	if (r == 0)
		r = (int)object_leave_out(object, probe.rejected);
	/* The object refers to the handlers. */
	object_close(object);
	live_probe_end(&probe);
	return r;
}

static void want_unhooked(struct live_object *object)
{
	bool sees_all = scap_open_fds_sees_all();

	object->wants_cgroup_roots = live_cgroup_roots_differ();
	object->wants_own_groups = object->config->kernel_filters.hierarchies != 0;
	object->wants_filters = sees_all;
	object->wants_owners = sees_all && live_owns_sockets(object->config);
	for (unsigned int i = 0; i < SCAP_LIVE_ITERATORS; i++)
		object->wants_iterators[i] = object->config->iterators[i] && sees_all;
}

/*
 * Programs that belong to no event, so that the search for rejected ones does not know them.
 * Returns whether there were any.
 */
static bool leave_out_unhooked(struct live_object *object)
{
	bool any = object->wants_cgroup_roots || object->wants_own_groups ||
		   object->wants_filters || object->wants_owners;

	object->wants_cgroup_roots = false;
	object->wants_own_groups = false;
	object->wants_filters = false;
	object->wants_owners = false;
	for (unsigned int i = 0; i < SCAP_LIVE_ITERATORS; i++) {
		any |= object->wants_iterators[i];
		object->wants_iterators[i] = false;
	}
	return any;
}

static int object_load(struct live_object *object, struct live_log *log, struct error *err)
{
	struct live_side *side = NULL;
	int r = live_side_create(object->classic, live_side_threads(), &side);

	if (r < 0)
		return error_set(err, r, "loading the BPF programs: %s", strerror(-r));
	r = live_open_object(object, log, err);
	if (r == 0) {
		live_log_begin(log);
		r = live_side_load(side, object->skeleton->skeleton);
		live_log_end(log);
		object_close_types(object);
		if (r < 0) {
			live_log_append(log, live_side_log(side));
			describe_failure(r, log, err);
		}
	}
	live_side_destroy(side);
	return r;
}

int live_object_load(struct live_object *object, struct error *err)
{
	struct live_log log = {.verbose = object->config->verbose};
	struct live_log other = {.verbose = object->config->verbose};
	bool probed = false;
	int r;

	object->rejected = calloc(live_programs_count, sizeof(*object->rejected));
	if (!object->rejected)
		return error_set(err, -ENOMEM, "loading the BPF programs: out of memory");
	want_unhooked(object);
	for (;;) {
		r = object_load(object, &log, err);
		/* Without rights every program is rejected, whatever its code. */
		if (r == 0 || r == -EPERM || r == -ENOMEM)
			break;
		/* The verifier is to say what it rejects. */
		object->with_lines = true;
		if (leave_out_unhooked(object))
			continue;
		if (probed || leave_out_rejected(object, &other) <= 0)
			break;
		probed = true;
		/* It may have been the others alone. */
		want_unhooked(object);
	}
	live_log_finish(&log);
	live_log_finish(&other);
	return r;
}

void live_object_finish(struct live_object *object)
{
	object_close(object);
	free(object->rejected);
	object->rejected = NULL;
}
