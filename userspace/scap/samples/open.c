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

static void complete_sampling(const struct sources_opening *opening, uint32_t i,
			      struct perf_event_attr *attr)
{
	const struct perf_event *event = &opening->config->events->events[i];
	const struct sample_event *made = &opening->sources->events[i];
	const struct perf_sampling *sampling = &event->sampling;
	uint64_t frequency = frequency_of(event);

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

static enum sample_kind kind_of(const struct sources_opening *opening,
				const struct perf_event *event)
{
	return opening->config->kinds[event - opening->config->events->events];
}

static const char *option_of(const struct sources_opening *opening, const struct perf_event *event)
{
	return sample_kinds[kind_of(opening, event)].option;
}

static int reject_event(const struct sources_opening *opening, const struct perf_event *event,
			const char *why)
{
	return error_set(opening->err, -EINVAL, "%s %s: %s", option_of(opening, event), event->name,
			 why);
}

/* What can be counted, but not sampled here. */
static int check_event(const struct sources_opening *opening, const struct perf_event *event)
{
	const struct perf_sampling *sampling = &event->sampling;
	enum sample_kind kind = kind_of(opening, event);

	if (kind == SAMPLE_TRACEPOINT && event->attr.type != PERF_TYPE_TRACEPOINT)
		return reject_event(opening, event, "it is no tracepoint, as sched:sched_switch");
	if (kind == SAMPLE_PROBE && !event->is_probe)
		return reject_event(opening, event,
				    "it is no probe: u:FILE:SYMBOL or usdt:FILE:PROVIDER:NAME");
	if (event->is_grouped)
		return reject_event(opening, event, "groups are not sampled; give each event");
	if (sampling->call_graph == PERF_CALL_GRAPH_DWARF ||
	    sampling->call_graph == PERF_CALL_GRAPH_LBR)
		return reject_event(opening, event,
				    "stacks are made from frame pointers: call-graph=fp or no");
	if (sampling->given & PERF_GIVES_PERIOD && sampling->given & PERF_GIVES_FREQ)
		return reject_event(opening, event, "period and freq: one of them");
	if (sampling->given & PERF_GIVES_PERIOD && !sampling->period)
		return reject_event(opening, event, "period must be 1 or more");
	if (sampling->given & PERF_GIVES_FREQ && !sampling->freq_hz)
		return reject_event(opening, event, "freq must be 1 or more");
	if (sampling->given & PERF_GIVES_FRAMES_MAX &&
	    (!sampling->frames_max || sampling->frames_max > FRAMES_MAX))
		return reject_event(opening, event, "max-stack must be from 1 to 127");
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

/* Whether the kernel counts what is lost of each event. */
static bool kernel_counts_lost(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_LOST,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = perf_attr_open(&attr, 0, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int open_owner(const struct sources_opening *opening, uint16_t cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = SAMPLE_TYPE,
	};
	bool told = opening->config->symbols;
	struct sample_sources *sources = opening->sources;
	size_t i = sources->rings_count;
	int fd, r;

	complete_common(&attr, opening->config->ring_bytes);
	attr.read_format = sources->counts_lost ? PERF_FORMAT_LOST : 0;
	attr.mmap = attr.mmap2 = attr.task = attr.comm = attr.comm_exec = told;
	fd = perf_attr_open(&attr, 0, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return error_set(
			opening->err, fd,
			"--sample: opening a perf event on CPU %u: %s; run as root or with "
			"CAP_PERFMON",
			cpu, strerror(-fd));
	r = sample_ring_map(fd, cpu, opening->config->ring_bytes, &sources->rings[i], opening->err);
	if (r) {
		close(fd);
		return r;
	}
	sources->owners[i] = fd;
	sources->rings_count++;
	return 0;
}

static int fail(const struct sources_opening *opening, const struct perf_event *event, int error)
{
	char memory[256];
	struct buf reason = buf_fixed(memory, sizeof(memory) - 1);

	perf_open_append_reason(opening->config->machine, event, error, &reason);
	memory[reason.len] = '\0';
	return error_set(opening->err, error, "%s %s: %s", option_of(opening, event), event->name,
			 memory);
}

/* Opens an event on the CPU of the last ring. */
static int open_place(const struct sources_opening *opening, uint32_t i)
{
	const struct perf_event *event = &opening->config->events->events[i];
	struct sample_sources *sources = opening->sources;
	struct sample_place *place = &sources->places[sources->places_count];
	uint16_t cpu = sources->rings[sources->rings_count - 1].cpu;
	struct perf_event_attr attr = event->attr;

	if (!samples_on(event, cpu))
		return 0;
	complete_sampling(opening, i, &attr);
	place->event = i;
	place->fd = perf_open(event, &attr, -1, cpu, -1, 0);
	if (place->fd < 0)
		return fail(opening, event, place->fd);
	sources->places_count++;
	sources->events[i].type = attr.sample_type;
	if (ioctl(place->fd, PERF_EVENT_IOC_SET_OUTPUT, sources->owners[sources->rings_count - 1]) <
		    0 ||
	    ioctl(place->fd, PERF_EVENT_IOC_ID, &place->id) < 0)
		return fail(opening, event, -errno);
	return 0;
}

static int open_cpu(const struct sources_opening *opening, uint16_t cpu)
{
	int r = open_owner(opening, cpu);

	for (uint32_t i = 0; i < opening->config->events->count && r == 0; i++)
		r = open_place(opening, i);
	return r;
}

static int compare_places(const void *a, const void *b)
{
	uint64_t one = ((const struct sample_place *)a)->id,
		 other = ((const struct sample_place *)b)->id;

	return (one > other) - (one < other);
}

static int open_cpus(const struct sources_opening *opening, const bool *online, uint32_t cpus)
{
	struct sample_sources *sources = opening->sources;
	int r = 0;

	for (uint32_t cpu = 0; cpu < cpus && r == 0; cpu++)
		if (online[cpu])
			r = open_cpu(opening, (uint16_t)cpu);
	if (r == 0)
		qsort(sources->places, sources->places_count, sizeof(*sources->places),
		      compare_places);
	return r;
}

static int check_all(const struct sources_opening *opening)
{
	const struct perf_event_list *list = opening->config->events;
	int r = 0;

	for (size_t i = 0; i < list->count && r == 0; i++)
		r = check_event(opening, &list->events[i]);
	return r ? r : check_rate(opening);
}

static int make_room(const struct sources_opening *opening, uint32_t cpus)
{
	const struct perf_event_list *list = opening->config->events;
	struct sample_sources *sources = opening->sources;

	sources->events = calloc(list->count, sizeof(*sources->events));
	sources->places = calloc(list->count * cpus, sizeof(*sources->places));
	sources->owners = calloc(cpus, sizeof(*sources->owners));
	sources->rings = calloc(cpus, sizeof(*sources->rings));
	if (!sources->events || !sources->places || !sources->owners || !sources->rings)
		return error_set(opening->err, -ENOMEM, "out of memory");
	sources->events_count = list->count;
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

	*sources = (struct sample_sources){.counts_lost = kernel_counts_lost()};
	r = online ? check_all(&opening) : error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = make_room(&opening, cpus);
	if (r == 0)
		r = describe_tracepoints(&opening);
	if (r == 0)
		describe_probes(&opening);
	if (r == 0 && scap_cpus_read(SCAP_CPUS_ONLINE, cpus, online))
		r = error_set(err, -EIO, "cannot read " SCAP_CPUS_ONLINE);
	if (r == 0)
		r = open_cpus(&opening, online, cpus);
	free(online);
	return r;
}

void sample_sources_close(struct sample_sources *sources)
{
	for (size_t i = 0; i < sources->places_count; i++)
		close(sources->places[i].fd);
	for (size_t i = 0; i < sources->rings_count; i++) {
		sample_ring_close(&sources->rings[i]);
		close(sources->owners[i]);
	}
	free(sources->events);
	free(sources->places);
	free(sources->owners);
	free(sources->rings);
	arena_finish(&sources->arena);
	*sources = (struct sample_sources){0};
}

void sample_sources_enable(const struct sample_sources *sources, bool enabled)
{
	unsigned long call = enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	/* Mappings first, which samples refer to. */
	for (size_t i = 0; i < sources->rings_count; i++)
		(void)ioctl(sources->owners[i], call, 0);
	for (size_t i = 0; i < sources->places_count; i++)
		(void)ioctl(sources->places[i].fd, call, 0);
}

const struct sample_event *sample_sources_find(const struct sample_sources *sources, uint64_t id)
{
	const struct sample_place key = {.id = id};
	const struct sample_place *place =
		bsearch(&key, sources->places, sources->places_count, sizeof(key), compare_places);

	return place ? &sources->events[place->event] : NULL;
}

static uint64_t read_lost(int fd)
{
	struct {
		uint64_t value, lost;
	} reading;

	return read(fd, &reading, sizeof(reading)) == sizeof(reading) ? reading.lost : 0;
}

void sample_sources_lost(const struct sample_sources *sources, uint64_t lost[SAMPLE_KINDS],
			 uint64_t *others)
{
	for (size_t i = 0; i < sources->places_count; i++)
		lost[sources->events[sources->places[i].event].kind] +=
			read_lost(sources->places[i].fd);
	for (size_t i = 0; i < sources->rings_count; i++)
		*others += read_lost(sources->owners[i]);
}
