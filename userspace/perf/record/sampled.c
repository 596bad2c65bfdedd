/* SPDX-License-Identifier: MIT */
/* From the terms of an event and the options of a recording to the attr for the kernel. */
#include "perf/record/sampled.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/count.h"

enum { WATERMARK_DIVISOR = 4 };

#if defined(__x86_64__)
/* All but the segments that user space does not set: DS, ES, FS, GS. */
static const uint64_t all_registers = 0xff0fff;
#elif defined(__aarch64__)
static const uint64_t all_registers = (UINT64_C(1) << 33) - 1;
#else
static const uint64_t all_registers;
#endif

bool perf_record_is_discrete(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT ||
	       event->attr.type == PERF_TYPE_BREAKPOINT || event->is_probe;
}

uint64_t perf_record_rate_max(void)
{
	int fd = open("/proc/sys/kernel/perf_event_max_sample_rate", O_RDONLY | O_CLOEXEC);
	char text[32] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? strtoull(text, NULL, 10) : UINT64_MAX;
}

static void set_frequency(struct perf_event_attr *attr, uint64_t frequency_hz)
{
	attr->freq = 1;
	attr->sample_freq = frequency_hz;
	attr->sample_type |= PERF_SAMPLE_PERIOD;
}

static void set_period(struct perf_event_attr *attr, uint64_t period)
{
	attr->freq = 0;
	attr->sample_period = period;
}

static void complete_rate(const struct perf_event *event, const struct perf_record_options *options,
			  struct perf_event_attr *attr)
{
	const struct perf_sampling *sampling = &event->sampling;
	uint64_t max = perf_record_rate_max();

	if (sampling->given & PERF_GIVES_PERIOD)
		set_period(attr, sampling->period);
	else if (sampling->given & PERF_GIVES_FREQ)
		set_frequency(attr, sampling->freq_hz);
	else if (options->period)
		set_period(attr, options->period);
	else if (options->frequency_hz)
		set_frequency(attr, options->frequency_hz);
	else if (perf_record_is_discrete(event))
		set_period(attr, 1);
	else
		set_frequency(attr,
			      max < PERF_RECORD_FREQUENCY_HZ ? max : PERF_RECORD_FREQUENCY_HZ);
}

static void add_stack_copy(const struct perf_event *event,
			   const struct perf_record_options *options, struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->exclude_callchain_user = 1;
	attr->sample_regs_user = all_registers;
	attr->sample_stack_user = PERF_RECORD_STACK_BYTES;
	if (options->stack_bytes)
		attr->sample_stack_user = options->stack_bytes;
	if (event->sampling.given & PERF_GIVES_STACK_BYTES)
		attr->sample_stack_user = (uint32_t)event->sampling.stack_bytes;
}

static void add_branches(struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
				   PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
	attr->exclude_callchain_user = 1;
}

static void complete_stacks(const struct perf_event *event,
			    const struct perf_record_options *options, struct perf_event_attr *attr)
{
	enum perf_call_graph kind = event->sampling.given & PERF_GIVES_CALL_GRAPH
					    ? event->sampling.call_graph
					    : options->call_graph;

	if (kind == PERF_CALL_GRAPH_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (options->frames_max)
		attr->sample_max_stack = (uint16_t)options->frames_max;
	if (event->sampling.given & PERF_GIVES_FRAMES_MAX)
		attr->sample_max_stack = (uint16_t)event->sampling.frames_max;
	if (kind == PERF_CALL_GRAPH_DWARF)
		add_stack_copy(event, options, attr);
	else if (kind == PERF_CALL_GRAPH_LBR)
		add_branches(attr);
}

/* What all events of a recording have, so that all their records are read alike. */
static void complete_common(const struct perf_record_options *options, uint32_t ring_bytes,
			    struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			     PERF_SAMPLE_TIME | (options->has_cpu ? PERF_SAMPLE_CPU : 0) |
			     (options->has_cgroup ? PERF_SAMPLE_CGROUP : 0);
	attr->sample_id_all = 1;
	attr->disabled = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = ring_bytes / WATERMARK_DIVISOR;
	if (options->clock >= 0) {
		attr->use_clockid = 1;
		attr->clockid = options->clock;
	}
}

void perf_record_complete(const struct perf_event *event, const struct perf_record_options *options,
			  uint32_t ring_bytes, struct perf_event_attr *attr)
{
	*attr = event->attr;
	complete_common(options, ring_bytes, attr);
	complete_rate(event, options, attr);
	complete_stacks(event, options, attr);
	attr->read_format = PERF_FORMAT_ID;
	if (attr->type == PERF_TYPE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD;
	if (event->wants_most_precise)
		attr->precise_ip = 3;
	if (!event->reads_group)
		return;
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->read_format |= PERF_FORMAT_GROUP;
}

void perf_record_track(const struct perf_record_options *options, struct perf_event_attr *attr)
{
	attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
	attr->build_id = !options->no_build_ids;
	attr->namespaces = options->has_namespaces;
	attr->cgroup = options->has_cgroup;
	attr->ksymbol = attr->bpf_event = options->has_bpf;
}

void perf_record_make_tracker(const struct perf_record_options *options, uint32_t ring_bytes,
			      struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.read_format = PERF_FORMAT_ID,
		.exclude_guest = 1,
	};
	complete_common(options, ring_bytes, attr);
	perf_record_track(options, attr);
}

/* The numbers that records end with, from the last one. */
static const struct {
	uint64_t bit;
	uint32_t bytes;
} trailer[] = {
	{PERF_SAMPLE_IDENTIFIER, 8}, {PERF_SAMPLE_CPU, 8},  {PERF_SAMPLE_STREAM_ID, 8},
	{PERF_SAMPLE_ID, 8},	     {PERF_SAMPLE_TIME, 8}, {PERF_SAMPLE_TID, 8},
};

uint32_t perf_record_trailer_bytes(uint64_t sample_type)
{
	uint32_t bytes = 0;

	for (size_t i = 0; i < COUNT(trailer); i++)
		bytes += sample_type & trailer[i].bit ? trailer[i].bytes : 0;
	return bytes;
}

uint32_t perf_record_behind_time(uint64_t sample_type)
{
	uint32_t bytes = 0;

	if (!(sample_type & PERF_SAMPLE_TIME))
		return UINT32_MAX;
	for (size_t i = 0; trailer[i].bit != PERF_SAMPLE_TIME; i++)
		bytes += sample_type & trailer[i].bit ? trailer[i].bytes : 0;
	return bytes;
}
