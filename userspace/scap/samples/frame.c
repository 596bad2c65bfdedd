/* SPDX-License-Identifier: MIT */
/* Values of a sample, in the order of events/sample.def. */
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
	uint8_t *frame;
	size_t at;
};

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
	const struct event_desc *desc = event_desc_get(EVENT_perf_sample);

	memcpy(writer->frame + writer->at, &value, sizeof(value));
	end_value(writer, param, param_type_size(desc->params[param].type));
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

uint32_t sample_frame_write(const struct sample_record *sample, const struct sample_texts *texts,
			    uint64_t ts_ns, uint8_t frame[SAMPLE_FRAME_BYTES])
{
	const size_t lengths = perf_sample__count * sizeof(uint16_t);
	struct writer writer = {.frame = frame, .at = sizeof(struct ppm_evt_hdr) + lengths};
	struct ppm_evt_hdr header = {
		.ts = ts_ns,
		.tid = (uint64_t)(int64_t)sample->tid,
		.type = EVENT_perf_sample,
		.nparams = perf_sample__count,
	};

	memset(frame + sizeof(header), 0, lengths);
	put_text(&writer, perf_sample__event, texts->event, SAMPLE_NAME_BYTES);
	put_number(&writer, perf_sample__period, sample->period);
	put_number(&writer, perf_sample__mode, sample->mode);
	put_number(&writer, perf_sample__ip, sample->ip);
	if (sample->addr)
		put_number(&writer, perf_sample__addr, sample->addr);
	put_text(&writer, perf_sample__symbol, texts->symbol, SAMPLE_SYMBOL_BYTES);
	put_text(&writer, perf_sample__stack, texts->stack, SAMPLE_STACK_BYTES);
	header.len = (uint32_t)writer.at;
	memcpy(frame, &header, sizeof(header));
	return header.len;
}
