/* SPDX-License-Identifier: MIT */
/* The BPF programs in the kernel, by what a loader handed over: rings, slots, counters, limits. */
#include "scap/live/driver.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/live/answers.h"
#include "scap/live/load.h"
#include "scap/live/loaded.h"
#include "scap/live/programs.h"

/* A key that the kernel removed meanwhile makes it begin again: then the look-ups have an end. */
enum { LOOKUPS_MAX = 16384 };

/* Puts one into the list, which is sorted, if it belongs there. Returns the new length. */
static size_t driver_insert(struct scap_live_throttled *list, size_t count, size_t max,
			    const struct rate_key *key, const struct rate *rate)
{
	size_t at = count;

	while (at > 0 && list[at - 1].lost < rate->lost)
		at--;
	if (!rate->lost || at == max)
		return count;
	if (count < max)
		count++;
	memmove(list + at + 1, list + at, (count - 1 - at) * sizeof(*list));
	list[at] = (struct scap_live_throttled){
		.kind = (enum rate_kind)key->kind,
		.pid = (pid_t)rate->pid,
		.lost = rate->lost,
	};
	memcpy(list[at].name, rate->name, sizeof(list[at].name) - 1);
	return count;
}

size_t live_throttled_read(int map, struct scap_live_throttled *list, size_t count, size_t max)
{
	struct rate_key key, previous;
	const void *from = NULL;
	struct rate rate;

	for (int i = 0; i < LOOKUPS_MAX && map >= 0; i++) {
		if (bpf_map_get_next_key(map, from, &key) < 0)
			break;
		if (bpf_map_lookup_elem(map, &key, &rate) == 0)
			count = driver_insert(list, count, max, &key, &rate);
		previous = key;
		from = &previous;
	}
	return count;
}

/* The BPF programs in the kernel, by what a loader handed over: rings, slots, counters. */

/* A map, program or link, as others name it. */
struct owned {
	enum bpf_object_kind kind;
	uint32_t id;
};

struct live_driver {
	struct live_loader *loader; /* `load`, or that of the configuration */
	struct live_load load;
	struct live_loaded loaded;
	int maps[LIVE_MAP_OTHER]; /* of `loaded` */
	struct owned *owned; /* owned; of `loaded` */
	size_t owned_count;
	struct scratch_slot *slots;
	size_t slots_bytes;
	uint16_t rejected_ids[EVENT_ID_MAX + 1]; /* missing, all or some; terminated by 0 */
	struct buf cgroup_roots;
	struct buf own_groups; /* see live_own_groups_run() */
	int cgroup_roots_error; /* -errno; 0: they are known, or not needed */
	struct live_answers answers;
	bool attached; /* tried: the loader has released what it needed for that */
};

static void list_rejected(struct live_driver *driver)
{
	size_t count = 0;

	for (uint16_t id = 1; id < EVENT_ID_MAX; id++)
		if (driver->loaded.rejected[id])
			driver->rejected_ids[count++] = id;
	driver->rejected_ids[count] = 0;
}

static int map_slots(struct live_driver *driver, struct error *err)
{
	size_t bytes = driver->loaded.cpus * SCRATCH_SLOTS_PER_CPU * sizeof(struct scratch_slot);
	void *slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			   driver->maps[LIVE_MAP_SCRATCH], 0);

	if (slots == MAP_FAILED)
		return error_set(err, -errno, "mapping the scratch slots: %s", strerror(errno));
	driver->slots = slots;
	driver->slots_bytes = bytes;
	return 0;
}

/* Before any program is attached that would use the same slot. */
static void take_cgroup_roots(struct live_driver *driver)
{
	int bytes = driver->loaded.cgroup_roots;

	driver->cgroup_roots_error = bytes < 0 ? bytes : 0;
	if (bytes <= 0)
		return;
	buf_append(&driver->cgroup_roots, (const char *)driver->slots[0].work, (size_t)bytes);
	if (driver->cgroup_roots.failed)
		driver->cgroup_roots_error = -ENOMEM;
}

static void take_own_groups(struct live_driver *driver)
{
	if (driver->loaded.own_groups > 0)
		buf_append(&driver->own_groups, (const char *)driver->slots[1].work,
			   (size_t)driver->loaded.own_groups);
}

static void find_maps(struct live_driver *driver)
{
	for (uint16_t row = 0; row < LIVE_MAP_OTHER; row++)
		driver->maps[row] = live_loaded_find(&driver->loaded, LIVE_MAP, row);
}

int live_driver_create(const struct scap_live_config *config, uint64_t boot_offset_ns,
		       struct live_driver **driver, struct error *err)
{
	struct live_driver *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "loading the BPF programs: out of memory");
	live_load_init(&made->load);
	made->loader = config->loader ? config->loader : &made->load.loader;
	r = made->loader->ops->load(made->loader, config, boot_offset_ns, &made->loaded, err);
	if (r == 0) {
		find_maps(made);
		r = map_slots(made, err);
	}
	if (r < 0) {
		live_driver_destroy(made);
		return r;
	}
	list_rejected(made);
	take_cgroup_roots(made);
	take_own_groups(made);
	*driver = made;
	return 0;
}

static void driver_release(struct live_driver *driver)
{
	driver->loader->ops->release(driver->loader);
}

void live_driver_destroy(struct live_driver *driver)
{
	if (!driver)
		return;
	live_driver_detach(driver);
	if (!driver->attached)
		driver_release(driver);
	if (driver->slots)
		munmap(driver->slots, driver->slots_bytes);
	live_answers_close(&driver->answers);
	live_loaded_finish(&driver->loaded);
	buf_finish(&driver->cgroup_roots);
	buf_finish(&driver->own_groups);
	free(driver->owned);
	free(driver);
}

int live_driver_open_ring(struct live_driver *driver, uint32_t cpu, uint32_t bytes,
			  struct scap_ring *ring, struct error *err)
{
	int fd = driver->loader->ops->open_ring(driver->loader, cpu, bytes, err);

	return fd < 0 ? fd : scap_ring_map(fd, cpu, bytes, ring, err);
}

int live_driver_set_ring(struct live_driver *driver, uint32_t cpu, int fd)
{
	int map = driver->maps[LIVE_MAP_RINGS];
	int r = fd < 0 ? bpf_map_delete_elem(map, &cpu)
		       : bpf_map_update_elem(map, &cpu, &fd, BPF_ANY);

	return r < 0 ? -errno : 0;
}

struct scratch_slot *live_driver_slots(struct live_driver *driver, uint32_t *cpus)
{
	*cpus = driver->loaded.cpus;
	return driver->slots;
}

/* The id of a part; 0: it has none, or it cannot be read. */
static uint32_t driver_read_id(const struct live_part *part)
{
	union {
		struct bpf_map_info map;
		struct bpf_prog_info program;
		struct bpf_link_info link;
	} info = {0};
	uint32_t bytes = sizeof(info);

	if (bpf_obj_get_info_by_fd(part->fd, &info, &bytes))
		return 0;
	return part->kind == LIVE_MAP	    ? info.map.id
	       : part->kind == LIVE_PROGRAM ? info.program.id
					    : info.link.id;
}

/* So that a call of others about one of them is noticed. Without memory none is. */
static void note_owned(struct live_driver *driver)
{
	static const enum bpf_object_kind kinds[LIVE_PART_KINDS] = {
		[LIVE_MAP] = BPF_OBJECT_MAP,
		[LIVE_PROGRAM] = BPF_OBJECT_PROGRAM,
		[LIVE_LINK] = BPF_OBJECT_LINK,
	};

	driver->owned = calloc(driver->loaded.count + 1, sizeof(*driver->owned));
	for (size_t i = 0; driver->owned && i < driver->loaded.count; i++) {
		const struct live_part *part = &driver->loaded.parts[i];
		uint32_t id = kinds[part->kind] ? driver_read_id(part) : 0;

		if (id)
			driver->owned[driver->owned_count++] =
				(struct owned){kinds[part->kind], id};
	}
}

int live_driver_attach(struct live_driver *driver, struct error *err)
{
	int r = driver->loader->ops->attach(driver->loader, &driver->loaded, err);

	driver_release(driver);
	driver->attached = true;
	list_rejected(driver);
	note_owned(driver);
	if (r == 0)
		live_answers_open(&driver->answers, &driver->loaded);
	return r;
}

void live_driver_follow_answers(struct live_driver *driver, uint64_t now_ns)
{
	live_answers_follow(&driver->answers, now_ns);
}

void live_driver_detach(struct live_driver *driver)
{
	struct timespec left = {.tv_nsec = 50000000};

	if (!live_loaded_close(&driver->loaded, LIVE_LINK))
		return;
	/*
	 * A program that is running continues. membarrier waits for all of them; without it, wait
	 * far longer than any of them takes.
	 */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0)
		while (nanosleep(&left, &left) < 0 && errno == EINTR)
			;
}

static int read_counters(struct live_driver *driver, struct scap_live_stats *stats)
{
	struct event_counters *by_cpu = calloc(driver->loaded.cpus, sizeof(*by_cpu));
	int map = driver->maps[LIVE_MAP_COUNTERS], r = 0;

	if (!by_cpu)
		return -ENOMEM;
	for (uint32_t id = 0; id < EVENT_ID_MAX && r == 0; id++) {
		struct event_counters *sum = &stats->events[id];

		if (!event_desc_get(id))
			continue;
		if (bpf_map_lookup_elem(map, &id, by_cpu) < 0)
			r = -errno;
		for (uint32_t cpu = 0; cpu < driver->loaded.cpus && r == 0; cpu++) {
			for (int cause = 0; cause < LOSS_CAUSES_COUNT; cause++)
				sum->lost[cause] += by_cpu[cpu].lost[cause];
			sum->unreadable += by_cpu[cpu].unreadable;
			sum->filtered += by_cpu[cpu].filtered;
		}
		/* Events without a slot, or without a filler, were not counted in a slot. */
		stats->seen[id] += sum->lost[LOSS_SCRATCH_BUSY] + sum->lost[LOSS_TAIL_CALL] +
				   sum->lost[LOSS_BUDGET] + sum->lost[LOSS_MESSAGES] +
				   sum->filtered;
	}
	free(by_cpu);
	return r;
}

static void read_slots(const struct live_driver *driver, struct scap_live_stats *stats)
{
	for (uint32_t i = 0; i < driver->loaded.cpus * SCRATCH_SLOTS_PER_CPU; i++)
		for (uint32_t id = 0; id < EVENT_ID_MAX; id++)
			stats->seen[id] +=
				__atomic_load_n(&driver->slots[i].seen[id], __ATOMIC_RELAXED);
}

static int read_driver_counters(struct live_driver *driver, struct scap_live_stats *stats)
{
	struct driver_counters *by_cpu = calloc(driver->loaded.cpus, sizeof(*by_cpu));
	uint64_t begun[RATE_LIMITS] = {0};
	uint32_t zero = 0;
	int r = 0;

	if (!by_cpu)
		return -ENOMEM;
	if (bpf_map_lookup_elem(driver->maps[LIVE_MAP_DRIVER_COUNTERS], &zero, by_cpu) < 0)
		r = -errno;
	for (uint32_t cpu = 0; cpu < driver->loaded.cpus && r == 0; cpu++) {
		stats->compat += by_cpu[cpu].compat;
		stats->unnoted += by_cpu[cpu].unnoted;
		stats->untimed += by_cpu[cpu].untimed;
		for (unsigned int kind = 0; kind < RATE_LIMITS; kind++)
			begun[kind] += by_cpu[cpu].rates_begun[kind];
	}
	/* The kernel may have removed some before there were so many. */
	for (unsigned int kind = 0; kind < RATE_LIMITS; kind++)
		if (begun[kind] > RATES_MAX)
			stats->rates_ended += begun[kind] - RATES_MAX;
	free(by_cpu);
	return r;
}

/* Asks the kernel about a program. Returns 0 or -errno. */
static int driver_read_info(const struct live_part *program, struct bpf_prog_info *info)
{
	uint32_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(program->fd, info, &size);
}

static void read_misses(struct live_driver *driver, struct scap_live_stats *stats)
{
	struct bpf_prog_info info;

	/* Kernels before 5.12 do not count them. */
	for (size_t i = 0; i < driver->loaded.count; i++) {
		const struct live_part *part = &driver->loaded.parts[i];

		if (part->kind == LIVE_PROGRAM && live_programs[part->row].hook &&
		    driver_read_info(part, &info) == 0)
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
	stats->unjudged = (driver->loaded.filters_error && driver->loaded.filters_error != -EXDEV) +
			  (driver->answers.error != 0);
	return 0;
}

bool live_driver_owns(const struct live_driver *driver, enum bpf_object_kind kind, uint32_t id)
{
	for (size_t i = 0; i < driver->owned_count; i++)
		if (driver->owned[i].kind == kind && driver->owned[i].id == id)
			return true;
	return false;
}

size_t live_driver_throttled(const struct live_driver *driver, struct scap_live_throttled *list,
			     size_t max)
{
	size_t count = 0;

	count = live_throttled_read(driver->maps[LIVE_MAP_PROCESS_RATES], list, count, max);
	count = live_throttled_read(driver->maps[LIVE_MAP_GROUP_RATES], list, count, max);
	return live_throttled_read(driver->maps[LIVE_MAP_SHARES], list, count, max);
}

int live_driver_shed(struct live_driver *driver, const struct shed *shed)
{
	uint32_t zero = 0;

	return bpf_map_update_elem(driver->maps[LIVE_MAP_SHED], &zero, shed, BPF_ANY) < 0 ? -errno
											  : 0;
}

int live_driver_run_ns(const struct live_driver *driver, uint64_t *ns)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < driver->loaded.count; i++) {
		const struct live_part *part = &driver->loaded.parts[i];
		struct bpf_prog_info info;
		int code;

		/* Those that others jump to run as a part of these. */
		if (part->kind != LIVE_PROGRAM || !live_programs[part->row].hook)
			continue;
		code = driver_read_info(part, &info);
		if (code)
			return code;
		sum += info.run_time_ns;
	}
	*ns = sum;
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
	int64_t sum = 0;

	for (size_t i = 0; i < driver->loaded.count; i++) {
		const struct live_part *part = &driver->loaded.parts[i];
		int64_t bytes = part->kind == LIVE_MAP ? map_bytes(part->fd) : 0;

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
	return driver->loaded.enter_error;
}

int live_driver_sends_error(const struct live_driver *driver)
{
	return driver->loaded.sends_error;
}

int live_driver_filters_error(const struct live_driver *driver)
{
	return driver->loaded.filters_error;
}

int live_driver_answers_error(const struct live_driver *driver)
{
	return driver->answers.error;
}

enum call_hooks live_driver_call_hooks(const struct live_driver *driver)
{
	return driver->loaded.call_hooks;
}

int live_driver_take_iterator(struct live_driver *driver, enum scap_live_iterator which)
{
	int fd = live_loaded_take(&driver->loaded, LIVE_ITERATOR, (uint16_t)which),
	    error = driver->loaded.iterator_errors[which];

	if (fd >= 0)
		return fd;
	return error < 0 ? error : -ENODATA;
}

int live_driver_cgroup_roots(const struct live_driver *driver, const struct buf **roots)
{
	if (driver->cgroup_roots_error == 0)
		*roots = &driver->cgroup_roots;
	return driver->cgroup_roots_error;
}

int live_driver_own_groups(const struct live_driver *driver, uint64_t *key, const char **text,
			   size_t *len)
{
	const struct buf *own = &driver->own_groups;

	if (own->failed || own->len <= sizeof(*key))
		return -ENODATA;
	memcpy(key, own->data, sizeof(*key));
	*text = own->data + sizeof(*key);
	*len = own->len - sizeof(*key);
	return 0;
}

int live_driver_reject_groups(struct live_driver *driver, uint64_t key, bool rejected)
{
	int map = driver->maps[LIVE_MAP_REJECTED_GROUPS];
	uint8_t nothing = 0;
	int r = rejected ? bpf_map_update_elem(map, &key, &nothing, BPF_ANY)
			 : bpf_map_delete_elem(map, &key);

	return r < 0 && !(errno == ENOENT && !rejected) ? -errno : 0;
}

void live_driver_accept_groups(struct live_driver *driver)
{
	int map = driver->maps[LIVE_MAP_REJECTED_GROUPS];
	uint64_t key, next;
	int code = bpf_map_get_next_key(map, NULL, &next);

	/* The next one is found from a key that is still there: else the search begins anew. */
	while (code == 0) {
		key = next;
		code = bpf_map_get_next_key(map, &key, &next);
		bpf_map_delete_elem(map, &key);
	}
}

/* The loaded program number `i`, or NULL. */
static const struct live_part *program_at(const struct live_driver *driver, unsigned int i)
{
	for (size_t part = 0; part < driver->loaded.count; part++)
		if (driver->loaded.parts[part].kind == LIVE_PROGRAM && i-- == 0)
			return &driver->loaded.parts[part];
	return NULL;
}

bool live_driver_program(const struct live_driver *driver, unsigned int i, const char **program,
			 const char **hook)
{
	const struct live_part *part = program_at(driver, i);

	if (!part)
		return false;
	*program = live_programs[part->row].name;
	*hook = live_programs[part->row].hook;
	return true;
}

int live_driver_program_runs(const struct live_driver *driver, unsigned int i, uint64_t *runs,
			     uint64_t *ns)
{
	const struct live_part *part = program_at(driver, i);
	struct bpf_prog_info info;
	int code = part ? driver_read_info(part, &info) : -ENOENT;

	if (code == 0) {
		*runs = info.run_cnt;
		*ns = info.run_time_ns;
	}
	return code;
}
