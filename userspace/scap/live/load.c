/* SPDX-License-Identifier: MIT */
/*
 * What takes privileges: loading the programs, attaching them, opening ring buffers. Descriptors
 * are copied out of libbpf's object, which is not needed any more then.
 */
#include "scap/live/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "event/event.h"
#include "lanner.skel.h"
#include "scap/live/iter.h"
#include "scap/live/answers.h"
#include "scap/live/cgroup_roots.h"
#include "scap/live/call_hooks.h"
#include "scap/live/call_rows.h"
#include "scap/live/log.h"
#include "scap/live/programs.h"
#include "scap/live/scan.h"
#include "scap/live/tracepoint.h"
#include "scap/proc/root_group.h"
#include "scap/rings/backward.h"
#include "scap/rings/ring.h"

static struct live_load *load_of(struct live_loader *loader)
{
	return (struct live_load *)loader;
}

/* Without it, destinations of datagrams are read from memory of the caller. */
static void open_root_group(struct live_object *object)
{
	object->root_group = -ENOENT;
	if (!live_captures_sends(object->config))
		return;
	object->root_group = scap_root_group_open(SCAP_CGROUPS_PATH);
	if (object->root_group < 0)
		object->sends_error = object->root_group;
}

/* Checks what loading needs. */
static int check_kernel(struct live_object *object, struct error *err)
{
	struct live_log log = {0};
	int cpus;

	if (eaccess(LIVE_BTF_PATH, R_OK) != 0)
		return error_set(err, -ENOENT,
				 "the kernel does not describe its types in " LIVE_BTF_PATH
				 ": it needs CONFIG_DEBUG_INFO_BTF (all current distributions set "
				 "it); in a container, mount /sys");
	live_log_begin(&log);
	cpus = libbpf_num_possible_cpus();
	live_log_end(&log);
	live_log_finish(&log);
	if (cpus < 0)
		return error_set(err, cpus, "counting the CPUs: %s; is /sys mounted?",
				 strerror(-cpus));
	object->cpus = (uint32_t)cpus;
	live_call_hooks_choose(object->config, &object->hooks);
	object->classic = object->hooks.used == CALL_HOOKS_EACH || live_kind_is_classic();
	live_uring_hooks_find(object->config, &object->uring);
	open_root_group(object);
	/* If runs may be skipped, the entry time of one call could be used for another. */
	if (object->config->enter_times && !object->classic && live_kind_raw_is_skipped())
		return error_set(
			err, -EOPNOTSUPP,
			"how long calls take (evt.latency) cannot be measured: for that this "
			"kernel needs tracefs (CONFIG_FTRACE), which it does not have");
	return 0;
}

static int fill_jumps(const struct live_object *object, struct error *err)
{
	int of_calls = bpf_map__fd(object->skeleton->maps.fillers);
	int of_uring = bpf_map__fd(object->skeleton->maps.uring_fillers);

	for (size_t i = 0; i < live_programs_count; i++) {
		uint32_t id =
			live_programs[i].event ? live_programs[i].event : live_programs[i].jump;
		int jumps = live_programs[i].for_uring ? of_uring : of_calls, fd;

		if (live_programs[i].hook || !live_object_is_loaded(object, i))
			continue;
		fd = bpf_program__fd(live_object_program(object, i));
		if (bpf_map_update_elem(jumps, &id, &fd, BPF_ANY) < 0)
			return error_set(err, -errno, "setting up the program \"%s\": %s",
					 live_programs[i].name, strerror(errno));
	}
	return 0;
}

static int add_copy(struct live_loaded *loaded, enum live_part_kind kind, size_t row, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : live_loaded_add(loaded, kind, (uint16_t)row, copy);
}

static enum live_map row_of_map(const struct live_object *object, const struct bpf_map *map)
{
	const struct bpf_map *const named[LIVE_MAP_OTHER] = {
		[LIVE_MAP_RINGS] = object->skeleton->maps.rings,
		[LIVE_MAP_BACKWARD_RINGS] = object->skeleton->maps.backward_rings,
		[LIVE_MAP_SCRATCH] = object->skeleton->maps.scratch,
		[LIVE_MAP_BELL] = object->skeleton->maps.bell,
		[LIVE_MAP_COUNTERS] = object->skeleton->maps.counters,
		[LIVE_MAP_DRIVER_COUNTERS] = object->skeleton->maps.driver_counters,
		[LIVE_MAP_PROCESS_RATES] = object->skeleton->maps.process_rates,
		[LIVE_MAP_GROUP_RATES] = object->skeleton->maps.group_rates,
		[LIVE_MAP_SHARES] = object->skeleton->maps.shares,
		[LIVE_MAP_SHED] = object->skeleton->maps.shed,
		[LIVE_MAP_REJECTED_GROUPS] = object->skeleton->maps.rejected_groups,
		[LIVE_MAP_ANSWERS] = object->skeleton->maps.answers,
		[LIVE_MAP_FOLLOWED] = object->skeleton->maps.followed,
		[LIVE_MAP_MUTED] = object->skeleton->maps.muted,
		[LIVE_MAP_STREAM_LIMITS] = object->skeleton->maps.stream_limits,
		[LIVE_MAP_TLS_NOTES] = object->skeleton->maps.tls_notes,
		[LIVE_MAP_CALL_ROWS] = object->skeleton->maps.call_rows,
		[LIVE_MAP_CALL_ROW_USERS] = object->skeleton->maps.call_row_users,
	};
	unsigned int row = 0;

	while (row < LIVE_MAP_OTHER && named[row] != map)
		row++;
	return (enum live_map)row;
}

static int add_parts(const struct live_object *object, struct live_loaded *loaded,
		     struct error *err)
{
	struct bpf_map *map;
	int r = 0;

	bpf_object__for_each_map(map, object->skeleton->obj)
	{
		r = add_copy(loaded, LIVE_MAP, row_of_map(object, map), bpf_map__fd(map));
		if (r < 0)
			break;
	}
	for (size_t i = 0; i < live_programs_count && r == 0; i++) {
		struct bpf_program *program = live_object_program(object, i);

		if (!live_object_is_loaded(object, i))
			continue;
		r = add_copy(loaded, LIVE_PROGRAM, i, bpf_program__fd(program));
		/* Two descriptors for each would be more than a process may have by default. */
		if (!live_programs[i].hook)
			bpf_program__unload(program);
	}
	return r ? error_set(err, r, "keeping what was loaded: %s", strerror(-r)) : 0;
}

/* Rows of threads that have ended are removed. */
static bool has_removed_rows(const struct live_object *object, enum live_map row)
{
	return (row == LIVE_MAP_CALL_ROWS || row == LIVE_MAP_CALL_ROW_USERS) &&
	       object->skeleton->rodata->call_rows_by & BY_THREAD;
}

/*
 * User space does not write to these maps any more, and nobody else shall: not even root can then
 * remove what the programs jump to. A kernel that cannot do that to some kind of map works as well.
 */
static void freeze_maps(const struct live_object *object)
{
	static const bool written[LIVE_MAPS] = {
		[LIVE_MAP_RINGS] = true,
		[LIVE_MAP_SCRATCH] = true,
		[LIVE_MAP_BACKWARD_RINGS] = true,
		[LIVE_MAP_SHED] = true,
		[LIVE_MAP_REJECTED_GROUPS] = true,
		[LIVE_MAP_ANSWERS] = true,
		[LIVE_MAP_FOLLOWED] = true,
		[LIVE_MAP_MUTED] = true,
		[LIVE_MAP_BELL] = true,
		[LIVE_MAP_STREAM_LIMITS] = true,
		[LIVE_MAP_TLS_NOTES] = true,
	};
	struct bpf_map *map;

	/* libbpf froze the read-only data. */
	bpf_object__for_each_map(map, object->skeleton->obj)
	{
		const enum live_map row = row_of_map(object, map);

		if (!written[row] && !has_removed_rows(object, row) && !bpf_map__is_internal(map))
			bpf_map_freeze(bpf_map__fd(map));
	}
}

/* Without an iterator /proc is read; iterator_errors says why. */
static int add_iterator(const struct live_object *object, enum scap_live_iterator which,
			struct live_loaded *loaded, struct error *err)
{
	int program = bpf_program__fd(live_object_iterator(object, which)), link;

	if (program < 0) {
		loaded->iterator_errors[which] = scap_open_fds_sees_all() ? -EOPNOTSUPP : -EXDEV;
		return 0;
	}
	link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL);
	if (link < 0) {
		loaded->iterator_errors[which] = link;
		return 0;
	}
	return live_loaded_add(loaded, LIVE_ITERATOR, (uint16_t)which, link)
		       ? error_set(err, -ENOMEM, "keeping what was loaded: out of memory")
		       : 0;
}

static int add_iterators(const struct live_object *object, const struct scap_live_config *config,
			 struct live_loaded *loaded, struct error *err)
{
	int r = 0;

	for (unsigned int i = 0; i < SCAP_LIVE_ITERATORS && r == 0; i++)
		if (config->iterators[i])
			r = add_iterator(object, i, loaded, err);
	return r;
}

/* Without the programs at these two tracepoints none of the others runs. */
static enum live_uring find_uring(const struct live_object *object)
{
	const struct live_uring_hooks *hooks = &object->uring;

	for (size_t i = 0; hooks->submit && i < live_programs_count; i++) {
		const struct live_program *row = &live_programs[i];

		if (object->rejected[i] && row->for_uring && row->hook &&
		    (strcmp(row->hook, hooks->submit) == 0 ||
		     strcmp(row->hook, "io_uring_complete") == 0))
			return LIVE_URING_UNSEEN;
	}
	return hooks->seen;
}

static void set_results(const struct live_object *object, struct live_loaded *loaded)
{
	live_events_rejected(object->rejected, LOSES_SOME_EVENTS, loaded->rejected);
	loaded->enter_error = object->enter_error;
	loaded->sends_error = object->sends_error;
	loaded->call_hooks = object->hooks.used;
	loaded->uring = find_uring(object);
}

static void load_release(struct live_loader *loader)
{
	struct live_object *object = &load_of(loader)->object;

	live_object_finish(object);
	if (object->root_group > 0)
		close(object->root_group);
	*object = (struct live_object){.root_group = -1, .types = -1};
}

/* Of calls that have no row of their own; before the map is frozen. */
static int begin_call_rows(const struct live_object *object, struct error *err)
{
	int r = 0;

	if (object->skeleton->rodata->counts_calls)
		r = live_call_rows_begin(
			bpf_map__fd(object->skeleton->maps.call_rows),
			object->skeleton->rodata->call_rows_by & BY_THREAD ? 1 : object->cpus);
	return r ? error_set(err, r, "preparing to count calls: %s", strerror(-r)) : 0;
}

static int load(struct live_loader *loader, const struct scap_live_config *config,
		uint64_t boot_offset_ns, struct live_loaded *loaded, struct error *err)
{
	struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	struct live_object *object = &load_of(loader)->object;
	int r;

	load_release(loader);
	/* Old kernels count maps as locked memory. If this fails, loading reports it. */
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	object->config = config;
	object->boot_offset_ns = boot_offset_ns;
	load_of(loader)->verbose = config->verbose;
	r = check_kernel(object, err);
	if (r == 0)
		r = live_object_load(object, err);
	if (r == 0)
		r = fill_jumps(object, err);
	if (r == 0)
		r = begin_call_rows(object, err);
	if (r == 0)
		freeze_maps(object);
	if (r == 0)
		r = add_parts(object, loaded, err);
	if (r == 0)
		r = add_iterators(object, config, loaded, err);
	object->config = NULL;
	if (r < 0)
		return r;
	loaded->cpus = object->cpus;
	loaded->cgroup_roots = live_cgroup_roots_run(object);
	loaded->own_groups = live_own_groups_run(object);
	set_results(object, loaded);
	return 0;
}

/*
 * Takes the attachment away from libbpf. event: the perf event that it belongs to; a link of its
 * own holds that, on kernels that have one. Returns its descriptor.
 */
static int take_link(struct bpf_link *link, int event)
{
	int fd = bpf_link__fd(link);

	bpf_link__disconnect(link);
	bpf_link__destroy(link);
	if (event != fd)
		close(event);
	return fd;
}

/* The group of tracepoints, if the program of a row is of the classic kind; else NULL. */
static const char *load_group_of(const struct live_object *object, const struct live_program *row)
{
	if (row->at_enter)
		return "syscalls";
	return live_program_at_calls(row) && object->classic ? "raw_syscalls" : NULL;
}

/* It runs when a descriptor that is made of the link is read. */
static int link_iterator(const struct live_object *object, const struct bpf_program *program)
{
	union bpf_iter_link_info info = {
		.map.map_fd = (uint32_t)bpf_map__fd(object->skeleton->maps.socket_owners)};
	LIBBPF_OPTS(bpf_link_create_opts, opts, .iter_info = &info, .iter_info_len = sizeof(info));

	return bpf_link_create(bpf_program__fd(program), 0, BPF_TRACE_ITER, &opts);
}

/* At a tracepoint of a group, or a raw one if that is NULL. Returns a descriptor, or -errno. */
static int attach_program(const struct live_object *object, size_t i, const char *group,
			  const char *hook)
{
	struct bpf_program *program = live_object_program(object, i);
	struct bpf_link *link;
	int event, r;

	if (live_programs[i].is_iterator)
		return link_iterator(object, program);
	if (live_programs[i].at_sends)
		return bpf_link_create(bpf_program__fd(program), object->root_group,
				       live_programs[i].at_sends, NULL);
	/* Not by libbpf, which knows these programs as another type: see handlers.c. */
	if (live_programs[i].for_uring && !live_programs[i].by_number)
		return bpf_raw_tracepoint_open(hook, bpf_program__fd(program));
	if (!group)
		return bpf_link_create(bpf_program__fd(program), 0, BPF_TRACE_RAW_TP, NULL);
	event = scap_tracepoint_open(group, hook);
	if (event < 0)
		return event;
	link = bpf_program__attach_perf_event(program, event);
	if (link)
		return take_link(link, event);
	r = -errno;
	close(event);
	return r;
}

/* Attaches it and adds the link. Returns 0 or -errno. */
static int load_add_link(struct live_load *load, size_t i, const char *group, const char *hook,
			 struct live_loaded *loaded)
{
	struct live_log log = {.verbose = load->verbose};
	int fd;

	live_log_begin(&log);
	fd = attach_program(&load->object, i, group, hook);
	live_log_end(&log);
	if (fd < 0)
		live_log_show(&log);
	live_log_finish(&log);
	return fd < 0 ? fd : live_loaded_add(loaded, LIVE_LINK, (uint16_t)i, fd);
}

/*
 * At the tracepoint of each wanted call; at none if one of them fails: some kernels have the result
 * of a call at another place there, and refuse the program.
 */
static int add_links(struct live_load *load, size_t i, struct live_loaded *loaded)
{
	const struct live_call_hooks *hooks = &load->object.hooks;
	int r = 0, fd;
	char name[96];

	for (unsigned int call = 0; call < hooks->count && r == 0; call++) {
		snprintf(name, sizeof(name), "%s_%s", live_programs[i].hook, hooks->calls[call]);
		r = load_add_link(load, i, "syscalls", name, loaded);
	}
	while (r && (fd = live_loaded_take(loaded, LIVE_LINK, (uint16_t)i)) >= 0)
		close(fd);
	return r;
}

/*
 * A program that cannot be attached costs only its own event, unless all system calls need it or
 * the error is -EPERM. Without those on entry of calls, arguments are not compared with those on
 * entry, and ppoll and pselect6 report the time that is left; nothing else is missing. Those that
 * count what threads do are told to by what is loaded: without one of them the sums were wrong.
 */
static int forgive(struct live_object *object, size_t i, int code, struct error *err)
{
	const struct live_program *row = &live_programs[i];

	if (row->at_enter) {
		object->enter_error = code;
		return 0;
	}
	if (row->at_sends) {
		object->sends_error = code;
		return 0;
	}
	if (code != -EPERM && row->event != EVENT_NONE && !row->for_waits) {
		object->rejected[i] = true;
		return 0;
	}
	return error_set(err, code,
			 "attaching \"%s\" to the tracepoint \"%s\": %s; does another tool or the "
			 "kernel's lockdown forbid it?",
			 row->name, row->hook, strerror(-code));
}

static int load_attach_one(struct live_load *load, size_t i, struct live_loaded *loaded,
			   struct error *err)
{
	const struct live_program *row = &live_programs[i];
	struct live_object *object = &load->object;
	int r;

	if (live_program_at_calls(row) && object->hooks.used == CALL_HOOKS_EACH) {
		if (add_links(load, i, loaded) == 0)
			return 0;
		object->hooks.used = CALL_HOOKS_MISSING;
	}
	r = load_add_link(load, i, load_group_of(object, row), row->hook, loaded);
	if (r == -ENOMEM)
		return error_set(err, r, "attaching the BPF programs: out of memory");
	return r ? forgive(object, i, r, err) : 0;
}

/* An iterator lists only the threads of the agent's pid namespace. */
static int scan_filters(const struct live_object *object)
{
	return scap_open_fds_sees_all() ? live_answers_scan(object) : -EXDEV;
}

static int load_attach(struct live_loader *loader, struct live_loaded *loaded, struct error *err)
{
	struct live_object *object = &load_of(loader)->object;
	int r = 0;

	if (!object->skeleton)
		return error_set(err, -EINVAL, "no BPF programs are loaded");
	for (size_t i = 0; i < live_programs_count && r == 0; i++)
		if (live_programs[i].hook && !live_programs[i].for_answers &&
		    !live_programs[i].at_probes && live_object_is_loaded(object, i))
			r = load_attach_one(load_of(loader), i, loaded, err);
	loaded->filters_error = r ? r : scan_filters(object);
	/* Without it, events of sockets that are open now have no owner, and are counted. */
	if (r == 0 && object->wants_owners)
		live_scan(object->skeleton->progs.find_owners, 1);
	set_results(object, loaded);
	return r;
}

static int load_open_ring(struct live_loader *loader, unsigned int cpu, uint32_t bytes,
			  bool backward, struct error *err)
{
	return backward ? scap_backward_open_event(cpu, bytes, err)
			: scap_ring_open_event(cpu, bytes, err);
}

static const struct live_loader_ops ops = {
	.load = load,
	.open_ring = load_open_ring,
	.attach = load_attach,
	.release = load_release,
};

void live_load_init(struct live_load *load)
{
	*load = (struct live_load){.loader.ops = &ops, .object = {.root_group = -1, .types = -1}};
}
