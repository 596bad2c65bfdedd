/* SPDX-License-Identifier: MIT */
/*
 * Opens each event for each task on each CPU, as children of tasks write to rings of CPUs alone. On
 * a CPU the first descriptor owns the ring, and all others write to it.
 */
#include "perf/record/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perf/open.h"
#include "perf/record/ring.h"
#include "util/arena.h"

enum { RING_BYTES = 2 << 20 };

/* An event on all CPUs for all tasks. */
struct recorded {
	const struct perf_event *event;
	bool is_tracker; /* nothing but mappings, names and tasks */
	bool on_all_cpus; /* of a list of CPUs, the others as well */
	size_t leader; /* index */
	int *fds; /* owned; by CPU, then by task; -1: not open there */
	uint64_t lost; /* records that were said to be lost */
};

struct recording_cpu {
	unsigned int number;
	struct perf_record_ring ring;
	/* Which descriptor is waited for: the first one whose tasks have not ended. */
	size_t waits_for;
	bool has_ended; /* there is none */
};

struct perf_recording {
	struct perf_recording_config config;
	struct recorded *recorded; /* owned */
	struct perf_data_event *events; /* owned; one for each */
	size_t count;
	struct recording_cpu *cpus; /* owned */
	size_t cpus_count;
	size_t tasks; /* descriptors of an event on a CPU */
	uint32_t ring_bytes;
	bool counts_lost; /* reading an event says how many of its records were lost */
	struct perf_recording_stats stats;
	struct arena arena;
	struct perf_event tracker; /* of no list */
};

static int *fd_of(const struct perf_recording *recording, size_t event, size_t cpu, size_t task)
{
	return &recording->recorded[event].fds[cpu * recording->tasks + task];
}

static bool is_on(const struct perf_recording *recording, const struct recorded *recorded,
		  unsigned int cpu)
{
	const struct perf_target *target = recording->config.target;

	if (recorded->event->cpus && !perf_cpus_have(recorded->event->cpus, cpu))
		return false;
	return target->tids || recorded->on_all_cpus || perf_cpus_have(&target->cpus, cpu);
}

/* Opening. */

/*
 * What the kernel refuses, and does with less. Each returns whether there is another try.
 */
static bool lower_precision(struct perf_recording *recording, size_t i, int error)
{
	struct perf_event_attr *attr = &recording->events[i].attr;

	if (!recording->recorded[i].event->wants_most_precise || !attr->precise_ip ||
	    (error != -EINVAL && error != -EOPNOTSUPP))
		return false;
	attr->precise_ip--;
	return true;
}

/* Linux before 5.12. */
static bool leave_build_ids(struct perf_recording *recording, size_t i, int error)
{
	struct perf_event_attr *attr = &recording->events[i].attr;

	if (!attr->build_id || (error != -EINVAL && error != -E2BIG))
		return false;
	attr->build_id = 0;
	recording->config.options.no_build_ids = true;
	return true;
}

static bool is_cycles(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES;
}

/* As perf(1): a machine that shows no counters has its clocks. */
static bool use_clock(struct perf_recording *recording, size_t i, int error)
{
	struct perf_event_attr *attr = &recording->events[i].attr;

	if (!is_cycles(attr) || (error != -ENOENT && error != -ENODEV && error != -ENXIO))
		return false;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->precise_ip = 0;
	recording->events[i].name = "cpu-clock";
	return true;
}

static bool leave_kernel(struct perf_recording *recording, size_t i, int error)
{
	struct perf_data_event *event = &recording->events[i];
	const char *suffix = strchr(event->name, ':') ? "u" : ":u";
	size_t size = strlen(event->name) + strlen(suffix) + 1;
	char *name;

	if ((error != -EACCES && error != -EPERM) || event->attr.exclude_kernel ||
	    event->attr.exclude_user || perf_open_paranoid() < 2)
		return false;
	name = arena_alloc(&recording->arena, size);
	if (!name)
		return false;
	snprintf(name, size, "%s%s", event->name, suffix);
	if (!recording->recorded[i].is_tracker)
		event->name = name;
	event->attr.exclude_kernel = event->attr.exclude_hv = 1;
	return true;
}

static int open_at(struct perf_recording *recording, size_t i, size_t cpu, size_t task)
{
	static bool (*const tries[])(struct perf_recording * recording, size_t i, int error) = {
		lower_precision, leave_build_ids, use_clock, leave_kernel, NULL};
	const struct perf_target *target = recording->config.target;
	struct recorded *recorded = &recording->recorded[i];
	int pid = target->tids ? target->tids[task] : target->cgroup, group = -1, fd;
	bool again;

	if (recorded->leader != i)
		group = *fd_of(recording, recorded->leader, cpu, task);
	do {
		fd = perf_open(recorded->event, &recording->events[i].attr, pid,
			       (int)recording->cpus[cpu].number, group,
			       target->cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
		again = false;
		for (size_t k = 0; fd < 0 && !again && tries[k]; k++)
			again = tries[k](recording, i, fd);
	} while (again);
	return fd;
}

static int fail_opening(const struct perf_recording *recording, size_t i, int error,
			struct error *err)
{
	char memory[256];
	struct buf reason = buf_fixed(memory, sizeof(memory) - 1);

	if (error == -EOPNOTSUPP &&
	    recording->events[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		BUF_LITERAL(&reason, "the CPU has no last branch records here: use --call-graph "
				     "fp or dwarf");
	else
		perf_open_append_reason(recording->config.machine, recording->recorded[i].event,
					error, &reason);
	memory[reason.len] = '\0';
	return error_set(err, error, "record: %s: %s", recording->events[i].name, memory);
}

static int open_everywhere(struct perf_recording *recording, size_t i, struct error *err)
{
	for (size_t cpu = 0; cpu < recording->cpus_count; cpu++) {
		if (!is_on(recording, &recording->recorded[i], recording->cpus[cpu].number))
			continue;
		for (size_t task = 0; task < recording->tasks; task++) {
			int fd = open_at(recording, i, cpu, task);

			/* A task that has ended, or a CPU that went. */
			if ((fd == -ESRCH && recording->tasks > 1) || fd == -ENODEV)
				continue;
			if (fd < 0)
				return fail_opening(recording, i, fd, err);
			*fd_of(recording, i, cpu, task) = fd;
		}
	}
	return 0;
}

/* The first descriptor of a CPU that is open, from a place on; -1: there is none. */
static int first_fd(const struct perf_recording *recording, size_t cpu, size_t *place)
{
	for (; *place < recording->count * recording->tasks; ++*place) {
		int fd = *fd_of(recording, *place / recording->tasks, cpu,
				*place % recording->tasks);

		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* Smaller ones where the kernel does not allow so much memory, unless a size was given. */
static int map_ring(struct perf_recording *recording, size_t cpu, int fd, struct error *err)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	struct perf_record_ring *ring = &recording->cpus[cpu].ring;
	int r;

	do {
		r = perf_record_ring_map(ring, fd, recording->ring_bytes);
		if (r == 0)
			return 0;
		if (recording->config.ring_bytes || recording->ring_bytes <= page)
			break;
		recording->ring_bytes /= 2;
	} while (r == -EPERM || r == -ENOMEM);
	return error_set(err, r,
			 "record: mapping a ring of %u KiB for CPU %u: %s; use a smaller -m, or "
			 "raise kernel.perf_event_mlock_kb",
			 recording->ring_bytes / 1024, recording->cpus[cpu].number, strerror(-r));
}

static int share_ring(struct perf_recording *recording, size_t cpu, struct error *err)
{
	size_t place = 0;
	int owner = first_fd(recording, cpu, &place), fd, r;

	recording->cpus[cpu].waits_for = place;
	recording->cpus[cpu].has_ended = owner < 0;
	if (owner < 0)
		return 0;
	r = map_ring(recording, cpu, owner, err);
	while (r == 0 && (++place, fd = first_fd(recording, cpu, &place)) >= 0)
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner) < 0)
			r = error_set(err, -errno, "record: using the ring of CPU %u: %s",
				      recording->cpus[cpu].number, strerror(errno));
	return r;
}

/* The numbers by which samples are told apart. */
static int read_ids(struct perf_recording *recording, size_t i)
{
	size_t all = recording->cpus_count * recording->tasks, count = 0;
	uint64_t *ids = arena_alloc(&recording->arena, all * sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	for (size_t k = 0; k < all; k++) {
		int fd = recording->recorded[i].fds[k];

		if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, &ids[count++]) < 0)
			return -errno;
	}
	recording->events[i].ids = ids;
	recording->events[i].ids_count = count;
	return 0;
}

/* Preparing. */

/* Members of a group begin with their leader. */
static void complete_group(struct perf_recording *recording, size_t i)
{
	struct recorded *recorded = &recording->recorded[i];
	struct perf_event_attr *attr = &recording->events[i].attr;

	if (recorded->leader == i)
		return;
	attr->disabled = 0;
	recording->events[recorded->leader].group_members++;
	if (!recorded->event->reads_group)
		return;
	attr->freq = 0;
	attr->sample_period = 0;
}

static void complete_for_target(struct perf_recording *recording, size_t i)
{
	const struct perf_target *target = recording->config.target;
	const struct recorded *recorded = &recording->recorded[i];
	struct perf_event_attr *attr = &recording->events[i].attr;

	attr->inherit = target->tids && !target->no_inherit && !recorded->event->is_probe &&
			!recorded->event->reads_group;
	attr->enable_on_exec = target->on_exec && recorded->leader == i;
}

static int prepare_event(struct perf_recording *recording, size_t i, const struct perf_event *event,
			 size_t all)
{
	struct recorded *recorded = &recording->recorded[i];

	recorded->event = event;
	recorded->leader = event == &recording->tracker ? i : event->leader;
	recorded->fds = malloc(all * sizeof(*recorded->fds));
	if (!recorded->fds)
		return -ENOMEM;
	for (size_t k = 0; k < all; k++)
		recorded->fds[k] = -1;
	if (event == &recording->tracker) {
		recorded->is_tracker = recorded->on_all_cpus = true;
		recording->events[i].name = "dummy:HG";
		perf_record_make_tracker(&recording->config.options, recording->ring_bytes,
					 &recording->events[i].attr);
		recording->events[i].attr.exclude_guest = 0;
	} else {
		recording->events[i].name = event->name;
		perf_record_complete(event, &recording->config.options, recording->ring_bytes,
				     &recording->events[i].attr);
	}
	if (recording->counts_lost)
		recording->events[i].attr.read_format |= PERF_FORMAT_LOST;
	complete_group(recording, i);
	complete_for_target(recording, i);
	return 0;
}

/* Who unwinds copies of stacks needs all that is mapped of a file. */
static void track_data(struct perf_recording *recording, size_t tracker)
{
	for (size_t i = 0; i < recording->count; i++)
		if (recording->events[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			recording->events[tracker].attr.mmap_data = 1;
}

/* Whether the first event can report mappings and tasks as well; else one more does. */
static bool first_tracks(const struct perf_recording *recording)
{
	const struct perf_event *first = recording->config.events->events;

	return recording->config.target->tids && !first->is_probe && !first->cpus &&
	       !first->is_grouped;
}

static int prepare_cpus(struct perf_recording *recording, struct error *err)
{
	const struct perf_target *target = recording->config.target;
	char text[PERF_CPUS_TEXT_BYTES];
	struct perf_cpus cpus;
	int r = perf_cpus_online(text);

	if (r == 0)
		r = perf_cpus_read(text, &recording->arena, &cpus);
	if (r)
		return error_set(err, r, "cannot read " PERF_CPUS_ONLINE ": %s", strerror(-r));
	for (size_t i = 0; !target->tids && i < target->cpus.count; i++)
		if (!perf_cpus_have(&cpus, target->cpus.numbers[i]))
			return error_set(err, -EINVAL, "record: CPU %u is not online",
					 target->cpus.numbers[i]);
	recording->cpus = calloc(cpus.count, sizeof(*recording->cpus));
	if (!recording->cpus)
		return error_set(err, -ENOMEM, "out of memory");
	recording->cpus_count = cpus.count;
	for (size_t i = 0; i < cpus.count; i++)
		recording->cpus[i].number = cpus.numbers[i];
	return 0;
}

static int prepare_events(struct perf_recording *recording, struct error *err)
{
	const struct perf_event_list *list = recording->config.events;
	bool tracks = first_tracks(recording);
	size_t count = list->count + !tracks, all = recording->cpus_count * recording->tasks;
	int r = 0;

	recording->recorded = calloc(count, sizeof(*recording->recorded));
	recording->events = calloc(count, sizeof(*recording->events));
	if (!recording->recorded || !recording->events)
		return error_set(err, -ENOMEM, "out of memory");
	recording->count = count;
	for (size_t i = 0; i < list->count && r == 0; i++)
		r = prepare_event(recording, i, &list->events[i], all);
	if (r == 0 && tracks)
		perf_record_track(&recording->config.options, &recording->events[0].attr);
	if (r == 0 && !tracks)
		r = prepare_event(recording, list->count, &recording->tracker, all);
	track_data(recording, tracks ? 0 : list->count);
	for (size_t i = 0; i < count; i++)
		recording->events[i].group_members += recording->events[i].group_members > 0;
	return r ? error_set(err, r, "out of memory") : 0;
}

static int open_all(struct perf_recording *recording, struct error *err)
{
	int r = prepare_cpus(recording, err);

	if (r == 0)
		r = prepare_events(recording, err);
	for (size_t i = 0; i < recording->count && r == 0; i++)
		r = open_everywhere(recording, i, err);
	for (size_t i = 0; i < recording->cpus_count && r == 0; i++)
		r = share_ring(recording, i, err);
	for (size_t i = 0; i < recording->count && r == 0; i++) {
		r = read_ids(recording, i);
		if (r)
			error_set(err, r, "record: %s: %s", recording->events[i].name,
				  strerror(-r));
	}
	return r;
}

int perf_recording_open(const struct perf_recording_config *config,
			struct perf_recording **recording, struct error *err)
{
	struct perf_recording *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = *config;
	made->ring_bytes = config->ring_bytes ? config->ring_bytes : RING_BYTES;
	made->tasks = config->target->tids ? config->target->tids_count : 1;
	made->counts_lost = perf_open_counts_lost();
	made->tracker = (struct perf_event){.name = "dummy", .chose_guest = true};
	r = open_all(made, err);
	if (r)
		perf_recording_close(made);
	else
		*recording = made;
	return r;
}

void perf_recording_close(struct perf_recording *recording)
{
	if (!recording)
		return;
	for (size_t i = 0; i < recording->count; i++)
		for (size_t k = 0;
		     k < recording->cpus_count * recording->tasks && recording->recorded[i].fds;
		     k++)
			if (recording->recorded[i].fds[k] >= 0)
				close(recording->recorded[i].fds[k]);
	for (size_t i = 0; i < recording->cpus_count; i++)
		perf_record_ring_unmap(&recording->cpus[i].ring);
	for (size_t i = 0; i < recording->count; i++)
		free(recording->recorded[i].fds);
	free(recording->recorded);
	free(recording->events);
	free(recording->cpus);
	arena_finish(&recording->arena);
	free(recording);
}

const struct perf_data_event *perf_recording_events(const struct perf_recording *recording,
						    size_t *count)
{
	*count = recording->count;
	return recording->events;
}

uint32_t perf_recording_ring_bytes(const struct perf_recording *recording)
{
	return recording->ring_bytes;
}

bool perf_recording_has_data(const struct perf_recording *recording)
{
	for (size_t i = 0; i < recording->count; i++)
		if (recording->events[i].attr.mmap_data)
			return true;
	return false;
}

uint32_t perf_recording_trailer_bytes(const struct perf_recording *recording)
{
	return perf_record_trailer_bytes(recording->events[0].attr.sample_type);
}

/* Running. */

void perf_recording_enable(const struct perf_recording *recording, bool enabled)
{
	unsigned long call = enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	/* What reports mappings first, which samples refer to; it is the last one, or the first. */
	for (size_t i = recording->count; i--;)
		for (size_t k = 0; k < recording->cpus_count * recording->tasks; k++)
			if (recording->recorded[i].leader == i &&
			    recording->recorded[i].fds[k] >= 0)
				(void)ioctl(recording->recorded[i].fds[k], call, 0);
}

size_t perf_recording_fds(const struct perf_recording *recording, struct pollfd *fds, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < recording->cpus_count && count < room; i++) {
		size_t place = recording->cpus[i].waits_for;

		if (!recording->cpus[i].has_ended)
			fds[count++] = (struct pollfd){first_fd(recording, i, &place), POLLIN, 0};
	}
	return count;
}

void perf_recording_note(struct perf_recording *recording, const struct pollfd *fds, size_t count)
{
	size_t k = 0;

	for (size_t i = 0; i < recording->cpus_count && k < count; i++) {
		struct recording_cpu *cpu = &recording->cpus[i];

		if (cpu->has_ended)
			continue;
		if (fds[k++].revents & (POLLHUP | POLLERR)) {
			cpu->waits_for++;
			cpu->has_ended = first_fd(recording, i, &cpu->waits_for) < 0;
		}
	}
}

int perf_recording_drain(struct perf_recording *recording, struct perf_data_writer *writer,
			 struct perf_build_ids *build_ids)
{
	bool any = false;

	for (size_t i = 0; i < recording->cpus_count; i++) {
		struct perf_record_ring *ring = &recording->cpus[i].ring;
		int r = ring->meta
				? perf_record_ring_drain(ring, writer, build_ids, &recording->stats)
				: 0;

		if (r < 0)
			return r;
		any |= r > 0;
	}
	return any ? perf_data_writer_round(writer) : 0;
}

/* Losses. */

/* Of an event that is read alone: value, number, losses; of a group: how many, and these of each.
 */
static uint64_t lost_of(int fd, uint64_t read_format)
{
	enum { EACH = 3, MEMBERS_MAX = 64 };
	uint64_t numbers[1 + MEMBERS_MAX * EACH] = {0}, lost = 0;
	size_t first = read_format & PERF_FORMAT_GROUP ? 1 : 0;
	ssize_t n = read(fd, numbers, sizeof(numbers));

	for (size_t i = first; n > 0 && (i + EACH) * sizeof(*numbers) <= (size_t)n; i += EACH)
		lost += numbers[i + EACH - 1];
	return lost;
}

/* Behind all samples, as of the first descriptor of the event. */
static void put_losses(const struct perf_recording *recording, size_t i, uint64_t lost,
		       struct perf_data_writer *writer)
{
	enum { TRAILER_BYTES_MAX = 64 };
	const struct perf_data_event *event = &recording->events[i];
	uint32_t trailer = perf_record_trailer_bytes(event->attr.sample_type);
	uint32_t behind = perf_record_behind_time(event->attr.sample_type);
	struct {
		struct perf_event_header header;
		uint64_t lost;
		uint8_t trailer[TRAILER_BYTES_MAX];
	} record = {{.type = PERF_RECORD_LOST_SAMPLES}, lost, {0}};

	memcpy(record.trailer + trailer - behind - sizeof(uint64_t), &recording->stats.last_ns,
	       sizeof(uint64_t));
	memcpy(record.trailer + trailer - sizeof(uint64_t), &event->ids[0], sizeof(uint64_t));
	record.header.size = (uint16_t)(sizeof(record.header) + sizeof(lost) + trailer);
	perf_data_writer_append(writer, &record, record.header.size);
}

void perf_recording_append_losses(struct perf_recording *recording, struct perf_data_writer *writer)
{
	uint64_t all = 0;

	for (size_t i = 0; i < recording->count && recording->counts_lost; i++) {
		struct recorded *recorded = &recording->recorded[i];
		uint64_t format = recording->events[i].attr.read_format, lost = 0;

		/* Of a group all are read with the leader. */
		if (format & PERF_FORMAT_GROUP && recorded->leader != i)
			continue;
		for (size_t k = 0; k < recording->cpus_count * recording->tasks; k++)
			lost += recorded->fds[k] >= 0 ? lost_of(recorded->fds[k], format) : 0;
		if (lost > recorded->lost)
			put_losses(recording, i, lost - recorded->lost, writer);
		recorded->lost = lost;
		all += lost;
	}
	if (all > recording->stats.lost)
		recording->stats.lost = all;
}

void perf_recording_forget_times(struct perf_recording *recording)
{
	recording->stats.first_ns = recording->stats.last_ns = 0;
}

const struct perf_recording_stats *perf_recording_stats(const struct perf_recording *recording)
{
	return &recording->stats;
}
