/* SPDX-License-Identifier: MIT */
/* Values of samples, in the order of events/sample.def. */
#include "scap/samples/frame.h"

#include <string.h>

#include "abi.h"
#include "event/event.h"

_Static_assert(sizeof(struct ppm_evt_hdr) +
			       perf_sample__count * (sizeof(uint16_t) + sizeof(uint64_t)) +
			       SAMPLE_NAME_BYTES + SAMPLE_SYMBOL_BYTES + SAMPLE_STACK_BYTES <=
		       SAMPLE_FRAME_BYTES,
	       "the largest frame");

/* A frame that grows; values are put in their order. */
struct writer {
	const struct event_desc *desc;
	uint8_t *frame;
	size_t at;
};

static struct writer begin(uint16_t id, uint8_t *frame)
{
	const struct event_desc *desc = event_desc_get(id);
	const size_t lengths = desc->nparams * sizeof(uint16_t);

	memset(frame + sizeof(struct ppm_evt_hdr), 0, lengths);
	return (struct writer){desc, frame, sizeof(struct ppm_evt_hdr) + lengths};
}

static uint32_t end(const struct writer *writer, const struct sample_record *sample, uint64_t ts_ns)
{
	const struct ppm_evt_hdr header = {
		.ts = ts_ns,
		.tid = (uint64_t)(int64_t)sample->tid,
		.len = (uint32_t)writer->at,
		.type = writer->desc->id,
		.nparams = writer->desc->nparams,
	};

	memcpy(writer->frame, &header, sizeof(header));
	return header.len;
}

static void end_value(struct writer *writer, unsigned int param, size_t len)
{
	const uint16_t length = (uint16_t)len;

	memcpy(writer->frame + sizeof(struct ppm_evt_hdr) + param * sizeof(length), &length,
	       sizeof(length));
	writer->at += len;
}

/* A number of as many bytes as its type has; little-endian, as the machines that this runs on. */
static void put_number(struct writer *writer, unsigned int param, uint64_t value)
{
	memcpy(writer->frame + writer->at, &value, sizeof(value));
	end_value(writer, param, param_type_size(writer->desc->params[param].type));
}

/* Absent if it is NULL. */
static void put_text(struct writer *writer, unsigned int param, const char *text, size_t max)
{
	size_t len = text ? strnlen(text, max - 1) : 0;

	if (!text)
		return;
	memcpy(writer->frame + writer->at, text, len);
	writer->frame[writer->at + len] = '\0';
	end_value(writer, param, len + 1);
}

static void put_args(struct writer *writer, unsigned int param, const struct sample_texts *texts)
{
	if (!texts->args_bytes)
		return;
	memcpy(writer->frame + writer->at, texts->args, texts->args_bytes);
	end_value(writer, param, texts->args_bytes);
}

static uint32_t write_sample(const struct sample_record *sample, const struct sample_texts *texts,
			     uint64_t ts_ns, uint8_t frame[SAMPLE_FRAME_BYTES])
{
	struct writer writer = begin(EVENT_perf_sample, frame);

	put_text(&writer, perf_sample__event, texts->event, SAMPLE_NAME_BYTES);
	put_number(&writer, perf_sample__period, sample->period);
	put_number(&writer, perf_sample__mode, sample->mode);
	put_number(&writer, perf_sample__ip, sample->ip);
	if (sample->addr)
		put_number(&writer, perf_sample__addr, sample->addr);
	put_text(&writer, perf_sample__symbol, texts->symbol, SAMPLE_SYMBOL_BYTES);
	put_text(&writer, perf_sample__stack, texts->stack, SAMPLE_STACK_BYTES);
	return end(&writer, sample, ts_ns);
}

static uint32_t write_tracepoint(const struct sample_record *sample,
				 const struct sample_texts *texts, uint64_t ts_ns,
				 uint8_t frame[SAMPLE_FRAME_BYTES])
{
	struct writer writer = begin(EVENT_tracepoint, frame);

	put_text(&writer, tracepoint__name, texts->event, SAMPLE_NAME_BYTES);
	put_args(&writer, tracepoint__args, texts);
	return end(&writer, sample, ts_ns);
}

static uint32_t write_probe(const struct sample_record *sample, const struct sample_texts *texts,
			    uint64_t ts_ns, uint8_t frame[SAMPLE_FRAME_BYTES])
{
	struct writer writer = begin(EVENT_probe, frame);

	put_text(&writer, probe__name, texts->event, SAMPLE_NAME_BYTES);
	put_args(&writer, probe__args, texts);
	put_number(&writer, probe__ip, sample->ip);
	put_text(&writer, probe__symbol, texts->symbol, SAMPLE_SYMBOL_BYTES);
	return end(&writer, sample, ts_ns);
}

const struct sample_kind_row sample_kinds[SAMPLE_KINDS] = {
	[SAMPLE_PERF] = {EVENT_perf_sample, "--sample", write_sample},
	[SAMPLE_TRACEPOINT] = {EVENT_tracepoint, "--tracepoint", write_tracepoint},
	[SAMPLE_PROBE] = {EVENT_probe, "--probe", write_probe},
};
