/* SPDX-License-Identifier: MIT */
/* The BPF programs in the kernel: attaching and detaching them, their maps and their counters. */
#include "scap/live/driver.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "event/event.h"
#include "lanner.skel.h"
#include "scap/live/cgroup_roots.h"
#include "scap/live/kind.h"
#include "scap/live/log.h"
#include "scap/live/object.h"
#include "scap/live/programs.h"
#include "scap/live/tracepoint.h"

struct live_driver {
	struct live_object object;
	bool verbose;
	struct scratch_slot *slots;
	size_t slots_bytes;
	struct bpf_link **links; /* as many as live_programs; NULL: not attached */
	uint16_t rejected_ids[EVENT_ID_MAX + 1]; /* missing, all or some; terminated by 0 */
	struct buf cgroup_roots;
	int cgroup_roots_error; /* -errno; 0: they are known, or not needed */
};

static void list_rejected(struct live_driver *driver)
{
	bool events[EVENT_ID_MAX];
	size_t count = 0;

	live_events_rejected(driver->object.rejected, LOSES_SOME_EVENTS, events);
	for (uint16_t id = 1; id < EVENT_ID_MAX; id++)
		if (events[id])
			driver->rejected_ids[count++] = id;
}

static int map_slots(struct live_driver *driver, struct error *err)
{
	size_t bytes = driver->object.cpus * SCRATCH_SLOTS_PER_CPU * sizeof(struct scratch_slot);
	void *slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			   bpf_map__fd(driver->object.skeleton->maps.scratch), 0);

	if (slots == MAP_FAILED)
		return error_set(err, -errno, "mapping the scratch slots: %s", strerror(errno));
	driver->slots = slots;
	driver->slots_bytes = bytes;
	return 0;
}

static int fill_jumps(struct live_driver *driver, struct error *err)
{
	int jumps = bpf_map__fd(driver->object.skeleton->maps.fillers);

	for (size_t i = 0; i < live_programs_count; i++) {
		uint32_t id = live_programs[i].event;
		int fd;

		if (live_programs[i].hook || !live_object_is_loaded(&driver->object, i))
			continue;
		fd = bpf_program__fd(live_object_program(&driver->object, i));
		if (bpf_map_update_elem(jumps, &id, &fd, BPF_ANY) < 0)
			return error_set(err, -errno, "setting up the program \"%s\": %s",
					 live_programs[i].name, strerror(errno));
	}
	return 0;
}

/* Checks what loading needs. */
static int check_kernel(struct live_driver *driver, struct error *err)
{
	struct live_log log = {0};
	int cpus;

	if (access(LIVE_BTF_PATH, R_OK) != 0)
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
	driver->object.cpus = (uint32_t)cpus;
	driver->object.classic = live_kind_is_classic();
	/* If runs may be skipped, the entry time of one call could be used for another. */
	if (driver->object.config->enter_times && !driver->object.classic && live_kind_raw_is_skipped())
		return error_set(
			err, -EOPNOTSUPP,
			"how long calls take (evt.latency) cannot be measured: for that this "
			"kernel needs tracefs (CONFIG_FTRACE), which it does not have");
	return 0;
}

int live_driver_create(const struct scap_live_config *config, uint64_t boot_offset_ns,
		       struct live_driver **driver, struct error *err)
{
	struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	struct live_driver *made = calloc(1, sizeof(*made));
	int r = -ENOMEM;

	if (made)
		made->links = calloc(live_programs_count, sizeof(struct bpf_link *));
	if (!made || !made->links) {
		error_set(err, r, "loading the BPF programs: out of memory");
		goto out;
	}
	/* Old kernels count maps as locked memory. If this fails, loading reports it. */
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	made->object.config = config;
	made->object.boot_offset_ns = boot_offset_ns;
	made->verbose = config->verbose;
	r = check_kernel(made, err);
	if (r == 0)
		r = live_object_load(&made->object, err);
	if (r == 0)
		r = map_slots(made, err);
	if (r == 0)
		r = fill_jumps(made, err);
	if (r == 0)
		list_rejected(made);
	/* Before any program is attached that would use the same slot. */
	if (r == 0)
		made->cgroup_roots_error =
			live_cgroup_roots_read(&made->object, made->slots, &made->cgroup_roots);
	made->object.config = NULL;
out:
	if (r < 0)
		live_driver_destroy(made);
	else
		*driver = made;
	return r;
}

void live_driver_destroy(struct live_driver *driver)
{
	if (!driver)
		return;
	if (driver->links)
		live_driver_detach(driver);
	if (driver->slots)
		munmap(driver->slots, driver->slots_bytes);
	live_object_finish(&driver->object);
	buf_finish(&driver->cgroup_roots);
	free(driver->links);
	free(driver);
}

int live_driver_set_ring(struct live_driver *driver, uint32_t cpu, int fd)
{
	int map = bpf_map__fd(driver->object.skeleton->maps.rings);
	int r = fd < 0 ? bpf_map_delete_elem(map, &cpu)
		       : bpf_map_update_elem(map, &cpu, &fd, BPF_ANY);

	return r < 0 ? -errno : 0;
}

struct scratch_slot *live_driver_slots(struct live_driver *driver, uint32_t *cpus)
{
	*cpus = driver->object.cpus;
	return driver->slots;
}

/*
 * Without these, arguments are not compared with those on entry, and ppoll and pselect6 report the
 * time that is left; nothing else is missing.
 */
static void attach_at_enter(struct live_driver *driver, size_t i)
{
	struct live_log log = {.verbose = driver->verbose};
	int fd = scap_tracepoint_open("syscalls", live_programs[i].hook);

	if (fd < 0) {
		driver->object.enter_error = fd;
		return;
	}
	live_log_begin(&log);
	driver->links[i] = bpf_program__attach_perf_event(live_object_program(&driver->object, i), fd);
	if (!driver->links[i]) {
		driver->object.enter_error = -errno;
		close(fd);
	}
	live_log_end(&log);
	live_log_finish(&log);
}

static int attach_one(struct live_driver *driver, size_t i, struct error *err)
{
	const struct live_program *row = &live_programs[i];
	struct live_log log = {.verbose = driver->verbose};
	int r = 0;

	live_log_begin(&log);
	if (live_program_at_calls(row))
		driver->links[i] =
			live_kind_attach(live_object_program(&driver->object, i), row->hook, driver->object.classic);
	else
		driver->links[i] = bpf_program__attach(live_object_program(&driver->object, i));
	if (!driver->links[i])
		r = error_set(err, -errno,
			      "attaching \"%s\" to the tracepoint \"%s\": %s; does another tool or "
			      "the kernel's lockdown forbid it?",
			      row->name, row->hook, strerror(errno));
	live_log_end(&log);
	live_log_finish(&log);
	return r;
}

/*
 * A program that cannot be attached costs only its own event, unless all system calls need it or
 * the error is -EPERM.
 */
int live_driver_attach(struct live_driver *driver, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < live_programs_count && r == 0; i++) {
		if (!live_programs[i].hook || !live_object_is_loaded(&driver->object, i))
			continue;
		if (live_programs[i].at_enter) {
			attach_at_enter(driver, i);
			continue;
		}
		r = attach_one(driver, i, err);
		if (r < 0 && r != -EPERM && live_programs[i].event != EVENT_NONE) {
			driver->object.rejected[i] = true;
			r = 0;
		}
	}
	list_rejected(driver);
	return r;
}

void live_driver_detach(struct live_driver *driver)
{
	struct timespec left = {.tv_nsec = 50000000};
	bool detached = false;

	for (size_t i = live_programs_count; i-- > 0;) {
		if (!driver->links[i])
			continue;
		bpf_link__destroy(driver->links[i]);
		driver->links[i] = NULL;
		detached = true;
	}
	/*
	 * A program that is running continues. membarrier waits for all of them; without it, wait
	 * far longer than any of them takes.
	 */
	if (detached && syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0)
		while (nanosleep(&left, &left) < 0 && errno == EINTR)
			;
}

static int read_counters(struct live_driver *driver, struct scap_live_stats *stats)
{
	struct event_counters *by_cpu = calloc(driver->object.cpus, sizeof(*by_cpu));
	int map = bpf_map__fd(driver->object.skeleton->maps.counters), r = 0;

	if (!by_cpu)
		return -ENOMEM;
	for (uint32_t id = 0; id < EVENT_ID_MAX && r == 0; id++) {
		struct event_counters *sum = &stats->events[id];

		if (!event_desc_get(id))
			continue;
		if (bpf_map_lookup_elem(map, &id, by_cpu) < 0)
			r = -errno;
		for (uint32_t cpu = 0; cpu < driver->object.cpus && r == 0; cpu++) {
			for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
				sum->lost[cause] += by_cpu[cpu].lost[cause];
			sum->unreadable += by_cpu[cpu].unreadable;
		}
		/* Events without a slot, or without a filler, were not counted in a slot. */
		stats->seen[id] += sum->lost[LOSS_SCRATCH_BUSY] + sum->lost[LOSS_TAIL_CALL];
	}
	free(by_cpu);
	return r;
}

static void read_slots(const struct live_driver *driver, struct scap_live_stats *stats)
{
	for (uint32_t i = 0; i < driver->object.cpus * SCRATCH_SLOTS_PER_CPU; i++)
		for (uint32_t id = 0; id < EVENT_ID_MAX; id++)
			stats->seen[id] +=
				__atomic_load_n(&driver->slots[i].seen[id], __ATOMIC_RELAXED);
}

static int read_driver_counters(struct live_driver *driver, struct scap_live_stats *stats)
{
	struct driver_counters *by_cpu = calloc(driver->object.cpus, sizeof(*by_cpu));
	uint32_t zero = 0;
	int r = 0;

	if (!by_cpu)
		return -ENOMEM;
	if (bpf_map_lookup_elem(bpf_map__fd(driver->object.skeleton->maps.driver_counters), &zero, by_cpu) <
	    0)
		r = -errno;
	for (uint32_t cpu = 0; cpu < driver->object.cpus && r == 0; cpu++) {
		stats->compat += by_cpu[cpu].compat;
		stats->unnoted += by_cpu[cpu].unnoted;
		stats->untimed += by_cpu[cpu].untimed;
	}
	free(by_cpu);
	return r;
}

static void read_misses(struct live_driver *driver, struct scap_live_stats *stats)
{
	for (size_t i = 0; i < live_programs_count; i++) {
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);

		/* Kernels before 5.12 do not count them. */
		if (live_programs[i].hook && live_object_is_loaded(&driver->object, i) &&
		    bpf_obj_get_info_by_fd(bpf_program__fd(live_object_program(&driver->object, i)), &info, &size) ==
			    0)
			stats->run_missed += info.recursion_misses;
	}
}

int live_driver_stats(struct live_driver *driver, struct scap_live_stats *stats)
{
	int r = read_counters(driver, stats);

	if (r == 0)
		r = read_driver_counters(driver, stats);
	if (r < 0)
		return r;
	read_slots(driver, stats);
	read_misses(driver, stats);
	return 0;
}

/* From the line "memlock:" of the descriptor's file in /proc/self/fdinfo. */
static int64_t map_bytes(int fd)
{
	char path[64], line[128];
	unsigned long long bytes = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "memlock: %llu", &bytes) == 1;
	fclose(file);
	return found ? (int64_t)bytes : -ENODATA;
}

int64_t live_driver_map_bytes(const struct live_driver *driver)
{
	struct bpf_map *map;
	int64_t sum = 0;

	bpf_object__for_each_map(map, driver->object.skeleton->obj) {
		int64_t bytes = map_bytes(bpf_map__fd(map));

		if (bytes < 0)
			return bytes;
		sum += bytes;
	}
	return sum;
}

const uint16_t *live_driver_rejected(const struct live_driver *driver)
{
	return driver->rejected_ids;
}

int live_driver_enter_error(const struct live_driver *driver)
{
	return driver->object.enter_error;
}

int live_driver_cgroup_roots(const struct live_driver *driver, const struct buf **roots)
{
	if (driver->cgroup_roots_error == 0)
		*roots = &driver->cgroup_roots;
	return driver->cgroup_roots_error;
}

bool live_driver_program(const struct live_driver *driver, unsigned int i, const char **program,
			 const char **hook)
{
	for (size_t row = 0; row < live_programs_count; row++) {
		if (!live_object_is_loaded(&driver->object, row) || i-- > 0)
			continue;
		*program = live_programs[row].name;
		*hook = live_programs[row].hook;
		return true;
	}
	return false;
}
