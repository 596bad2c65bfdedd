/* SPDX-License-Identifier: MIT */
/* The writer of capture files: events, creation and end. */
#include "scap/file/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "scap/file/writer_impl.h"

/* Files have wall-clock times. */
static uint64_t writer_wall_ns(const struct scap_event *event, uint64_t ts_ns)
{
	return ts_ns + (uint64_t)event->clock_step_ns;
}

/*
 * Begins the block of an event. Returns where its frame of `len` bytes goes; NULL after an error.
 */
static uint8_t *begin_event(struct scap_writer *writer, const struct scap_event *event, bool large,
			    size_t len)
{
	static const uint32_t types[2][2] = {
		{SCAP_BLOCK_EVENT_V2, SCAP_BLOCK_EVENT_V2_FLAGS},
		{SCAP_BLOCK_EVENT_V2_LARGE, SCAP_BLOCK_EVENT_V2_LARGE_FLAGS},
	};
	const uint32_t flags = SCAP_EVENT_FLAG_HIDDEN;
	size_t head = sizeof(event->cpu) + (event->hidden ? sizeof(flags) : 0);
	uint8_t *at;

	large = large || writer_block_bytes(head + len) > SCAP_BLOCK_EVENT_BYTES_MAX;
	at = writer_begin_block(writer, types[large][event->hidden], head + len);
	if (!at)
		return NULL;
	memcpy(at, &event->cpu, sizeof(event->cpu));
	if (event->hidden)
		memcpy(at + sizeof(event->cpu), &flags, sizeof(flags));
	return at + head;
}

static int put_whole(struct scap_writer *writer, const struct scap_event *event, bool large,
		     uint32_t len)
{
	uint8_t *at = begin_event(writer, event, large, len);

	if (!at)
		return writer->sink.error;
	memcpy(at, event->frame, len);
	if (event->clock_step_ns) {
		uint64_t ts_ns;

		at += offsetof(struct ppm_evt_hdr, ts);
		memcpy(&ts_ns, at, sizeof(ts_ns));
		ts_ns = writer_wall_ns(event, ts_ns);
		memcpy(at, &ts_ns, sizeof(ts_ns));
	}
	return 0;
}

/* Without what stands behind the values: the latency and the marks. */
static int put_plain(struct scap_writer *writer, const struct scap_event *event,
		     struct ppm_evt_hdr header, bool large)
{
	uint8_t *at;

	header.ts = writer_wall_ns(event, header.ts);
	header.len -= event_extra_bytes(header.nparams);
	header.nparams &= ~FRAME_EXTRAS;
	at = begin_event(writer, event, large, header.len);
	if (!at)
		return writer->sink.error;
	memcpy(at, event->frame, header.len);
	memcpy(at, &header, sizeof(header));
	return 0;
}

/* Only the first parameters: without extension parameters, latency and marks. */
static int put_first_params(struct scap_writer *writer, const struct scap_event *event,
			    struct ppm_evt_hdr header, const struct writer_shape *shape)
{
	const uint8_t *lengths = (const uint8_t *)event->frame + sizeof(header);
	size_t head = sizeof(header) + shape->nparams * sizeof(uint16_t);
	size_t values = 0;
	uint8_t *at;

	for (unsigned int i = 0; i < shape->nparams; i++) {
		uint16_t len;

		memcpy(&len, lengths + i * sizeof(len), sizeof(len));
		values += len;
	}
	lengths += (header.nparams & ~FRAME_EXTRAS) * sizeof(uint16_t);
	header.ts = writer_wall_ns(event, header.ts);
	header.nparams = shape->nparams;
	header.len = (uint32_t)(head + values);
	at = begin_event(writer, event, false, header.len);
	if (!at)
		return writer->sink.error;
	memcpy(at, event->frame, head);
	memcpy(at, &header, sizeof(header));
	memcpy(at + head, lengths, values); /* they follow all lengths */
	return 0;
}

/* The generic event in place of an extension event: all readers know it. */
static int put_generic(struct scap_writer *writer, const struct scap_event *event,
		       struct ppm_evt_hdr header, const struct writer_shape *shape)
{
	struct {
		struct ppm_evt_hdr header;
		uint16_t lengths[syscall__count];
		uint16_t code, native;
	} __attribute__((packed)) generic = {
		.header = {.ts = header.ts,
			   .tid = header.tid,
			   .len = sizeof(generic),
			   .type = EVENT_syscall,
			   .nparams = syscall__count},
		.lengths = {sizeof(generic.code), sizeof(generic.native)},
		.code = shape->code,
		.native = shape->native,
	};
	struct scap_event stand_in = *event;

	if (shape->native == NO_NATIVE) {
		generic.lengths[syscall__nativeID] = 0;
		generic.header.len -= sizeof(generic.native);
	}
	stand_in.frame = &generic;
	writer->stats.generic++;
	return put_whole(writer, &stand_in, false, generic.header.len);
}

static struct ppm_evt_hdr header_of(const struct scap_event *event)
{
	struct ppm_evt_hdr header;

	memcpy(&header, event->frame, sizeof(header));
	return header;
}

/* Of an event with marks. It gets no pointer to the header, which is in registers without it. */
static bool is_faked(const struct scap_event *event)
{
	struct event ev;

	return event_decode(event->frame, event->len, event->cpu, &ev) == 0 && ev.marks.is_faked;
}

static int put_event(struct scap_writer *writer, const struct scap_event *event)
{
	struct ppm_evt_hdr header = header_of(event);
	const struct writer_shape *shape = &writer->shapes[header.type];

	if (writer->config.native)
		return put_whole(writer, event, shape->large, header.len);
	/* Without its mark a call that never ran would be one that succeeded. */
	if (shape->extension ||
	    (shape->is_call && (header.nparams & FRAME_MARKED) && is_faked(event)))
		return put_generic(writer, event, header, shape);
	/* Large ones have no extension parameters. */
	if (!shape->large && (header.nparams & ~FRAME_EXTRAS) > shape->nparams)
		return put_first_params(writer, event, header, shape);
	if ((header.nparams & FRAME_EXTRAS) &&
	    header.len >= sizeof(header) + event_extra_bytes(header.nparams))
		return put_plain(writer, event, header, shape->large);
	return put_whole(writer, event, shape->large, header.len);
}

/* Writes the frames for readers of 2022, if any. */
static void put_for_2022(struct scap_writer *writer, const struct scap_event *event)
{
	struct scap_event frames[SCAP_2022_FRAMES_MAX];
	int count = scap_form_2022_frames(writer->form_2022, event, frames);
	struct ppm_evt_hdr header = {.type = EVENT_NONE};

	for (int i = 0; i < count; i++) {
		header = header_of(&frames[i]);
		if (put_whole(writer, &frames[i], writer->shapes[header.type].large, header.len))
			return;
	}
	if (header.type == EVENT_syscall && header_of(event).type != EVENT_syscall)
		writer->stats.generic++;
	writer->stats.events += count > 0;
}

/* If the sink wrote data since the last call, that data had the events of `stats`. */
static void note_safe(struct scap_writer *writer, const struct scap_writer_stats *stats)
{
	if (writer->bytes_safe == writer->sink.bytes_safe)
		return;
	writer->bytes_safe = writer->sink.bytes_safe;
	writer->safe = *stats;
}

static bool is_left_out(const struct scap_writer *writer, const struct scap_event *event)
{
	const struct writer_shape *shape = &writer->shapes[header_of(event).type];

	return shape->extension && !shape->is_call && !writer->config.native;
}

int scap_writer_event(struct scap_writer *writer, const struct scap_event *event, struct error *err)
{
	const struct scap_writer_stats before = writer->stats;

	if (is_left_out(writer, event)) {
		writer->stats.left_out++;
		writer->stats.hidden_left_out += event->hidden;
	} else if (writer->form_2022) {
		put_for_2022(writer, event);
	} else if (put_event(writer, event) == 0) {
		writer->stats.events++;
	}
	if (event->hidden)
		writer->stats.hidden += writer->stats.events - before.events;
	note_safe(writer, &before);
	return scap_sink_result(&writer->sink, err);
}

int scap_writer_flush(struct scap_writer *writer, struct error *err)
{
	scap_sink_flush(&writer->sink);
	note_safe(writer, &writer->stats);
	return scap_sink_result(&writer->sink, err);
}

int scap_writer_finish(struct scap_writer *writer, struct error *err)
{
	int r;

	if (!writer)
		return 0;
	scap_sink_finish(&writer->sink);
	r = scap_sink_result(&writer->sink, err);
	buf_finish(&writer->list.entries);
	buf_finish(&writer->list.behind);
	scap_form_2022_destroy(writer->form_2022);
	free(writer);
	return r;
}

void scap_writer_stats(const struct scap_writer *writer, struct scap_writer_stats *stats)
{
	*stats = writer->sink.error ? writer->safe : writer->stats;
	stats->bytes = scap_sink_bytes(&writer->sink);
	stats->bytes_stored = writer->sink.bytes_stored;
}

void scap_writer_stats_safe(const struct scap_writer *writer, struct scap_writer_stats *stats)
{
	*stats = writer->safe;
	stats->bytes = scap_sink_bytes(&writer->sink);
	stats->bytes_stored = writer->sink.bytes_stored;
}

struct scap_snapshot *scap_writer_snapshot(struct scap_writer *writer)
{
	return &writer->snapshot;
}

static struct writer_shape writer_shape_of(const struct event_desc *desc)
{
	struct writer_shape shape = {
		.nparams = desc->scap_nparams,
		.large = desc->flags & EF_LARGE_PAYLOAD,
		.extension = desc->id >= EVENT_EXTENSION_FIRST,
		.is_call = desc->category & EC_SYSCALL,
		.code = desc->syscall,
		.native = NO_NATIVE,
	};

	if (shape.is_call) {
		int number = syscall_native_number(desc->syscall);

		shape.native = number < 0 ? NO_NATIVE : (uint16_t)number;
	}
	return shape;
}

int scap_writer_create(int fd, const char *name, const struct scap_writer_config *config,
		       struct scap_writer **writer, struct error *err)
{
	struct scap_writer *new = calloc(1, sizeof(*new));

	if (!new || (config->form_2022 && scap_form_2022_create(&new->form_2022)) ||
	    scap_sink_init(&new->sink, fd, name, config->compression)) {
		if (new)
			scap_form_2022_destroy(new->form_2022);
		free(new);
		return error_set(err, -ENOMEM, "out of memory for writing %s", name);
	}
	new->snapshot.ops = &writer_snapshot_ops;
	new->config = *config;
	new->sink.give_up = config->give_up;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (desc)
			new->shapes[id] = writer_shape_of(desc);
	}
	writer_put_section(new);
	*writer = new;
	return 0;
}
