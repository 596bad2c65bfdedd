/* SPDX-License-Identifier: MIT */
/*
 * Completes the attributes of events, and opens them. On each CPU an event that counts nothing owns
 * the ring; it also reports mappings and tasks, so that these are in one order with the samples.
 */
#include "scap/samples/open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "perf/attr.h"
#include "perf/open.h"
#include "scap/rings/cpus.h"
#include "scap/samples/record.h"
#include "util/count.h"

/* Of the configuration of the PMU uprobe. */
enum { RETURNS = 1 };

#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

/* The copy of a stack has the variables of a function and of some that it called. */
enum { WATERMARK_DIVISOR = 4, FRAMES_MAX = 127, STACK_BYTES = 1024 };

/* Sources that are being opened. */
struct sources_opening {
	const struct samples_config *config;
	struct sample_sources *sources;
	struct error *err;
};

/* What a place and an owner are read as, if the kernel counts what is lost. */
struct place_reading {
	uint64_t value, lost;
};

struct owner_reading {
	uint64_t value, enabled_ns, lost;
};

/* What happens each time that it happens, and not so often in a second. */
static bool is_discrete(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT ||
	       event->attr.type == PERF_TYPE_BREAKPOINT || event->is_probe;
}

/* Samples in a second that it asks for; 0: it has a period. */
static uint64_t frequency_of(const struct perf_event *event)
{
	if (event->sampling.given & PERF_GIVES_PERIOD)
		return 0;
	if (event->sampling.given & PERF_GIVES_FREQ)
		return event->sampling.freq_hz;
	return is_discrete(event) ? 0 : SAMPLES_FREQUENCY_HZ;
}

/* What all events of a ring have. */
static void complete_common(struct perf_event_attr *attr, uint32_t ring_bytes)
{
	attr->size = sizeof(*attr);
	attr->sample_id_all = 1;
	attr->disabled = 1;
	attr->inherit = 0;
	attr->watermark = 1;
	attr->wakeup_watermark = ring_bytes / WATERMARK_DIVISOR;
	/* Hardware events can use no other one that lines up with the boot clock. */
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
}

static void complete_sampling(const struct sources_opening *opening, size_t i)
{
	const struct perf_event *event = &opening->config->events->events[i];
	struct sample_event *made = &opening->sources->events[i];
	const struct perf_sampling *sampling = &event->sampling;
	uint64_t frequency = frequency_of(event);
	struct perf_event_attr *attr = &made->attr;

	*attr = event->attr;
	complete_common(attr, opening->config->ring_bytes);
	attr->sample_type = SAMPLE_TYPE;
	attr->freq = frequency != 0;
	if (frequency)
		attr->sample_freq = frequency;
	else
		attr->sample_period = sampling->given & PERF_GIVES_PERIOD ? sampling->period : 1;
	if (sampling->call_graph == PERF_CALL_GRAPH_FP) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->sample_max_stack = sampling->given & PERF_GIVES_FRAMES_MAX
						 ? (uint16_t)sampling->frames_max
						 : FRAMES_MAX;
	}
	if (made->kind == SAMPLE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (made->args.count) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user = PERF_ARGS_REGISTERS;
	}
	if (made->args.in_memory) {
		attr->sample_type |= PERF_SAMPLE_STACK_USER;
		attr->sample_stack_user = STACK_BYTES;
	}
	if (opening->sources->counts_lost)
		attr->read_format = PERF_FORMAT_LOST;
}

static int reject_event(const struct perf_event *event, enum sample_kind kind, const char *why,
			struct error *err)
{
	return error_set(err, -EINVAL, "%s %s: %s", sample_kinds[kind].option, event->name, why);
}

int samples_check_event(const struct perf_event *event, enum sample_kind kind, struct error *err)
{
	const struct perf_sampling *sampling = &event->sampling;
	unsigned int given = sampling->given;
	const struct {
		bool is_wrong;
		const char *why;
	} rows[] = {
		{kind == SAMPLE_TRACEPOINT && event->attr.type != PERF_TYPE_TRACEPOINT,
		 "it is no tracepoint, as sched:sched_switch"},
		{kind == SAMPLE_PROBE && !event->is_probe,
		 "it is no probe: u:FILE:SYMBOL or usdt:FILE:PROVIDER:NAME"},
		{event->is_grouped, "groups are not sampled; give each event"},
		{sampling->call_graph == PERF_CALL_GRAPH_DWARF ||
			 sampling->call_graph == PERF_CALL_GRAPH_LBR,
		 "stacks are made from frame pointers: call-graph=fp or no"},
		{given & PERF_GIVES_PERIOD && given & PERF_GIVES_FREQ,
		 "period and freq: one of them"},
		{given & PERF_GIVES_PERIOD && !sampling->period, "period must be 1 or more"},
		{given & PERF_GIVES_FREQ && !sampling->freq_hz, "freq must be 1 or more"},
		{given & PERF_GIVES_FRAMES_MAX &&
			 (!sampling->frames_max || sampling->frames_max > FRAMES_MAX),
		 "max-stack must be from 1 to 127"},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].is_wrong)
			return reject_event(event, kind, rows[i].why, err);
	return 0;
}

static uint64_t sources_read_number(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[32] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? strtoull(text, NULL, 10) : UINT64_MAX;
}

/* The kernel takes each frequency for itself, but all of them have its time together. */
static int check_rate(const struct sources_opening *opening)
{
	const struct perf_event_list *list = opening->config->events;
	uint64_t max = sources_read_number(MAX_RATE), sum = 0;

	for (size_t i = 0; i < list->count; i++) {
		uint64_t frequency = frequency_of(&list->events[i]);

		sum = sum + frequency < sum ? UINT64_MAX : sum + frequency;
	}
	return sum <= max ? 0
			  : error_set(opening->err, -EINVAL,
				      "--sample: %" PRIu64 " samples in a second of each CPU, but "
				      "the kernel allows %" PRIu64
				      "; lower freq, or raise kernel.perf_event_max_sample_rate",
				      sum, max);
}

static bool samples_on(const struct perf_event *event, unsigned int cpu)
{
	if (!event->cpus)
		return true;
	for (size_t i = 0; i < event->cpus->count; i++)
		if (event->cpus->numbers[i] == cpu)
			return true;
	return false;
}

static int open_owner(const struct samples_config *config, const struct sample_sources *sources,
		      uint32_t number, struct error *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = SAMPLE_TYPE,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
	};
	int fd;

	complete_common(&attr, config->ring_bytes);
	attr.read_format |= sources->counts_lost ? PERF_FORMAT_LOST : 0;
	attr.mmap = attr.mmap2 = attr.task = attr.comm = attr.comm_exec = config->symbols;
	fd = perf_attr_open(&attr, 0, -1, (int)number, -1, PERF_FLAG_FD_CLOEXEC);
	return fd >= 0 ? fd
		       : error_set(err, fd,
				   "--sample: opening a perf event on CPU %u: %s; run as root or "
				   "with "
				   "CAP_PERFMON",
				   number, strerror(-fd));
}

static int fail(const struct sample_event *made, const struct perf_event *event,
		const struct perf_machine *machine, int error, struct error *err)
{
	char memory[256];
	struct buf reason = buf_fixed(memory, sizeof(memory) - 1);

	if (machine)
		perf_open_append_reason(machine, event, error, &reason);
	else
		buf_append_string(&reason, strerror(-error));
	memory[reason.len] = '\0';
	return error_set(err, error, "%s %s: %s", sample_kinds[made->kind].option, event->name,
			 memory);
}

static int open_places(const struct samples_config *config, const struct sample_sources *sources,
		       const struct perf_machine *machine, uint32_t number, struct sample_cpu *cpu,
		       struct error *err)
{
	for (uint32_t i = 0; i < sources->events_count; i++) {
		const struct perf_event *event = &config->events->events[i];
		const struct sample_event *made = &sources->events[i];
		struct perf_event_attr attr = made->attr;
		int fd, r = 0;

		if (!samples_on(event, number))
			continue;
		fd = perf_open(event, &attr, -1, (int)number, -1, 0);
		if (fd < 0)
			return fail(made, event, machine, fd, err);
		cpu->places[cpu->places_count] = (struct sample_place){.event = i, .fd = fd};
		if (ioctl(fd, PERF_EVENT_IOC_ID, &cpu->places[cpu->places_count++].id) < 0)
			r = -errno;
		if (r)
			return fail(made, event, machine, r, err);
	}
	return 0;
}

int sample_cpu_open(const struct samples_config *config, const struct sample_sources *sources,
		    const struct perf_machine *machine, uint32_t number, struct sample_cpu *cpu,
		    struct error *err)
{
	int r;

	*cpu = (struct sample_cpu){
		.places = calloc(sources->events_count, sizeof(*cpu->places)),
		.owner = -1,
	};
	if (!cpu->places)
		return error_set(err, -ENOMEM, "out of memory");
	r = open_owner(config, sources, number, err);
	if (r >= 0) {
		cpu->owner = r;
		r = open_places(config, sources, machine, number, cpu, err);
	}
	if (r < 0)
		sample_cpu_close(cpu);
	return r;
}

int sample_cpu_use(const struct samples_config *config, uint32_t number, struct sample_cpu *cpu,
		   struct error *err)
{
	int r = sample_ring_map(cpu->owner, (uint16_t)number, config->ring_bytes, &cpu->ring, err);

	for (size_t i = 0; i < cpu->places_count && r == 0; i++)
		if (ioctl(cpu->places[i].fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->owner) < 0)
			r = error_set(err, -errno, "using the ring for samples of CPU %u: %s",
				      number, strerror(errno));
	return r;
}

static void enable_owner(const struct sample_cpu *cpu, unsigned long call)
{
	if (cpu->owner >= 0)
		(void)ioctl(cpu->owner, call, 0);
}

static void enable_places(const struct sample_cpu *cpu, unsigned long call)
{
	for (size_t i = 0; i < cpu->places_count; i++)
		(void)ioctl(cpu->places[i].fd, call, 0);
}

void sample_cpu_enable(const struct sample_cpu *cpu)
{
	enable_owner(cpu, PERF_EVENT_IOC_ENABLE);
	enable_places(cpu, PERF_EVENT_IOC_ENABLE);
}

void sample_cpu_close(struct sample_cpu *cpu)
{
	for (size_t i = 0; i < cpu->places_count; i++)
		close(cpu->places[i].fd);
	sample_ring_close(&cpu->ring);
	if (cpu->owner >= 0)
		close(cpu->owner);
	free(cpu->places);
	*cpu = (struct sample_cpu){.owner = -1};
}

static int open_cpus(const struct sources_opening *opening, const bool *online)
{
	struct sample_sources *sources = opening->sources;
	int r = 0;

	for (uint32_t i = 0; i < sources->cpus_count && r == 0; i++) {
		if (!online[i])
			continue;
		r = sample_cpu_open(opening->config, sources, opening->config->machine, i,
				    &sources->cpus[i], opening->err);
		if (r == 0)
			r = sample_cpu_use(opening->config, i, &sources->cpus[i], opening->err);
	}
	return r;
}

static int check_all(const struct sources_opening *opening)
{
	const struct perf_event_list *list = opening->config->events;
	int r = 0;

	for (size_t i = 0; i < list->count && r == 0; i++)
		r = samples_check_event(&list->events[i], opening->config->kinds[i], opening->err);
	return r ? r : check_rate(opening);
}

static int make_room(const struct sources_opening *opening, uint32_t cpus)
{
	const struct perf_event_list *list = opening->config->events;
	struct sample_sources *sources = opening->sources;

	sources->events = calloc(list->count, sizeof(*sources->events));
	sources->cpus = calloc(cpus, sizeof(*sources->cpus));
	if (!sources->events || !sources->cpus)
		return error_set(opening->err, -ENOMEM, "out of memory");
	sources->events_count = list->count;
	sources->cpus_count = cpus;
	for (uint32_t i = 0; i < cpus; i++)
		sources->cpus[i].owner = -1;
	for (size_t i = 0; i < list->count; i++) {
		sources->events[i].name = list->events[i].name;
		sources->events[i].kind = opening->config->kinds[i];
	}
	return 0;
}

/* Registers of user space are of no use in the kernel. */
static void describe_probes(const struct sources_opening *opening)
{
	const struct perf_event_list *list = opening->config->events;

	for (size_t i = 0; i < list->count; i++) {
		const struct perf_event *event = &list->events[i];
		struct sample_event *made = &opening->sources->events[i];

		if (made->kind != SAMPLE_PROBE || !event->probe_path)
			continue;
		made->is_return = event->attr.config & RETURNS;
		if (event->probe_args)
			perf_usdt_args_parse(event->probe_args, PERF_ARGS_MACHINE, &made->args);
		else
			perf_usdt_args_of_function(made->is_return, &made->args);
	}
}

/* What tracepoints write. Their names are without the modifiers. */
static int describe_tracepoints(const struct sources_opening *opening)
{
	const struct perf_event_list *list = opening->config->events;
	struct sample_sources *sources = opening->sources;

	for (size_t i = 0; i < list->count; i++) {
		struct sample_event *made = &sources->events[i];
		size_t group = strcspn(made->name, ":");
		int r;

		if (made->kind != SAMPLE_TRACEPOINT)
			continue;
		r = perf_tracepoint_read(opening->config->machine, made->name, &sources->arena,
					 &made->tracepoint);
		if (r)
			return error_set(opening->err, r, "--tracepoint %s: its format: %s",
					 made->name, strerror(-r));
		made->name = arena_text(&sources->arena, made->name,
					group + 1 + strcspn(made->name + group + 1, ":"));
		if (!made->name)
			return error_set(opening->err, -ENOMEM, "out of memory");
	}
	return 0;
}

int sample_sources_open(const struct samples_config *config, struct sample_sources *sources,
			struct error *err)
{
	const struct sources_opening opening = {config, sources, err};
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	bool *online = calloc(cpus, sizeof(*online));
	int r;

	*sources = (struct sample_sources){.counts_lost = perf_open_counts_lost()};
	r = online ? check_all(&opening) : error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = make_room(&opening, cpus);
	if (r == 0)
		r = describe_tracepoints(&opening);
	if (r == 0)
		describe_probes(&opening);
	for (size_t i = 0; i < config->events->count && r == 0; i++)
		complete_sampling(&opening, i);
	if (r == 0 && scap_cpus_read(SCAP_CPUS_ONLINE, cpus, online))
		r = error_set(err, -EIO, "cannot read " SCAP_CPUS_ONLINE);
	if (r == 0)
		r = open_cpus(&opening, online);
	free(online);
	return r;
}

void sample_sources_close(struct sample_sources *sources)
{
	for (uint32_t i = 0; i < sources->cpus_count; i++)
		sample_cpu_close(&sources->cpus[i]);
	free(sources->events);
	free(sources->cpus);
	arena_finish(&sources->arena);
	*sources = (struct sample_sources){0};
}

void sample_sources_enable(const struct sample_sources *sources, bool enabled)
{
	unsigned long call = enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	/* Mappings first, which samples refer to. */
	for (uint32_t i = 0; i < sources->cpus_count; i++)
		enable_owner(&sources->cpus[i], call);
	for (uint32_t i = 0; i < sources->cpus_count; i++)
		enable_places(&sources->cpus[i], call);
}

static int compare_places(const void *a, const void *b)
{
	uint64_t one = ((const struct sample_place *)a)->id,
		 other = ((const struct sample_place *)b)->id;

	return (one > other) - (one < other);
}

const struct sample_event *sample_sources_find(const struct sample_sources *sources, uint32_t cpu,
					       uint64_t id)
{
	const struct sample_place key = {.id = id};
	const struct sample_cpu *on = &sources->cpus[cpu];
	const struct sample_place *place =
		bsearch(&key, on->places, on->places_count, sizeof(key), compare_places);

	return place ? &sources->events[place->event] : NULL;
}

static void add_lost(const struct sample_sources *sources, const struct sample_cpu *cpu,
		     uint64_t lost[SAMPLE_KINDS], uint64_t *others)
{
	struct owner_reading owner;

	for (size_t i = 0; i < cpu->places_count; i++) {
		const struct sample_place *place = &cpu->places[i];
		struct place_reading reading;

		if (read(place->fd, &reading, sizeof(reading)) == sizeof(reading))
			lost[sources->events[place->event].kind] += reading.lost;
	}
	if (cpu->owner >= 0 && read(cpu->owner, &owner, sizeof(owner)) == sizeof(owner))
		*others += owner.lost;
}

void sample_sources_lost(const struct sample_sources *sources, uint64_t lost[SAMPLE_KINDS],
			 uint64_t *others)
{
	for (int kind = 0; kind < SAMPLE_KINDS; kind++)
		lost[kind] += sources->lost[kind];
	*others += sources->unmapped;
	for (uint32_t i = 0; i < sources->cpus_count; i++)
		add_lost(sources, &sources->cpus[i], lost, others);
}

void sample_sources_close_cpu(struct sample_sources *sources, uint32_t number)
{
	struct sample_cpu *cpu = &sources->cpus[number];

	if (sources->counts_lost)
		add_lost(sources, cpu, sources->lost, &sources->unmapped);
	sources->corrupt += cpu->ring.corrupt;
	sample_cpu_close(cpu);
}
