/* SPDX-License-Identifier: MIT */
/*
 * Records are put in order, then applied: mappings and tasks become known, samples become events.
 */
#include "scap/recorded/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scap/recorded/reader_impl.h"
#include "util/count.h"

enum {
	STEPS_PER_CALL = 1024, /* so that the caller can check for signals */
	STEP_ON = 2, /* returned by a step without an event, if the next one may have one */
	ROOM_BYTES = 1 << 20,
	HEADER_BYTES = sizeof(struct perf_event_header),
};

/* Tasks. */

/* The n-th place where a task with an id may be; NULL: its group has no memory. */
static struct recorded_task *task_place(const struct recorded_reader *reader, int32_t tid, size_t n)
{
	uint32_t place = ((uint32_t)tid * 2654435761u) >> 16;
	struct recorded_task *group = reader->tasks[place / RECORDED_TASK_GROUP];

	return group ? &group[(place + n) % RECORDED_TASK_GROUP] : NULL;
}

/* The task with an id, if its name is known; with 0 a place that is free for it. */
static struct recorded_task *task_find(const struct recorded_reader *reader, int32_t tid,
				       int32_t wanted)
{
	for (size_t n = 0; n < RECORDED_TASK_WAYS; n++) {
		struct recorded_task *task = task_place(reader, tid, n);

		if (task && task->tid == wanted)
			return task;
	}
	return NULL;
}

/* Without memory its name is not kept: those that it creates have none. */
static void task_keep(struct recorded_reader *reader, const struct recorded_task *task)
{
	uint32_t place = ((uint32_t)task->tid * 2654435761u) >> 16;
	struct recorded_task **group = &reader->tasks[place / RECORDED_TASK_GROUP], *to;

	if (!*group)
		*group = calloc(RECORDED_TASK_GROUP, sizeof(**group));
	to = task_find(reader, task->tid, task->tid);
	if (!to)
		to = task_find(reader, task->tid, 0);
	if (!to)
		to = task_place(reader, task->tid, 0);
	if (to)
		*to = *task;
}

/* To the state: what is known of a thread. */
static void pass_thread(struct recorded_reader *reader, int32_t pid, int32_t tid, int32_t parent,
			const char comm[16])
{
	struct scap_thread thread = {
		.tid = tid,
		.pid = pid,
		.ptid = parent,
		.vtid = -1,
		.vpid = -1,
		.pgid = -1,
		.vpgid = -1,
		.sid = -1,
		.uid = UINT32_MAX,
		.gid = UINT32_MAX,
		.loginuid = UINT32_MAX,
		.fd_limit = -1,
		.exe = "",
		.exepath = "",
		.args = "",
		.env = "",
		.cgroups = "",
		.cwd = "",
		.root = "",
	};

	if (tid <= 0 || pid <= 0 || !reader->to)
		return;
	memcpy(thread.comm, comm, sizeof(thread.comm));
	(void)reader->to->ops->thread(reader->to, &thread);
}

static void apply_comm(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
	} head;
	struct recorded_task task = {0};
	size_t len;

	if (bytes <= sizeof(head))
		return;
	memcpy(&head, record, sizeof(head));
	task.tid = head.tid;
	len = strnlen((const char *)record + sizeof(head), bytes - sizeof(head));
	len = len < sizeof(task.comm) ? len : sizeof(task.comm) - 1;
	memcpy(task.comm, record + sizeof(head), len);
	task_keep(reader, &task);
	pass_thread(reader, head.pid, head.tid, -1, task.comm);
	if (reader->names && head.header.misc & PERF_RECORD_MISC_COMM_EXEC)
		recorded_names_exec(reader->names, head.pid);
}

/* It has the name of who created it. */
static void apply_fork(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	struct {
		struct perf_event_header header;
		int32_t pid, parent, tid, parent_tid;
	} head;
	const struct recorded_task *from;
	struct sample_task task;

	if (bytes < sizeof(head))
		return;
	memcpy(&head, record, sizeof(head));
	from = task_find(reader, head.parent_tid, head.parent_tid);
	if (from && head.tid != head.parent_tid) {
		struct recorded_task to = *from;

		to.tid = head.tid;
		task_keep(reader, &to);
		pass_thread(reader, head.pid, head.tid, head.parent, to.comm);
	}
	task = (struct sample_task){head.pid, head.parent, head.tid};
	/* What perf writes of tasks that were there has their mappings behind it. */
	if (reader->names && !(head.header.misc & PERF_RECORD_MISC_FORK_EXEC))
		recorded_names_fork(reader->names, &task);
}

static void apply_exit(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	struct recorded_task *ended;
	struct sample_task task;

	if (sample_task_decode(record, bytes, &task))
		return;
	ended = task_find(reader, task.tid, task.tid);
	if (ended)
		ended->tid = 0;
	if (reader->names)
		recorded_names_exit(reader->names, &task);
}

/* Mappings. */

static void apply_kernel_mapping(struct recorded_reader *reader,
				 const struct sample_mapping *mapping)
{
	static const char kernel[] = "[kernel.kallsyms]";

	if (strncmp(mapping->path, kernel, sizeof(kernel) - 1) == 0)
		recorded_names_kernel(reader->names, mapping->begin, mapping->bytes,
				      mapping->offset);
	else
		recorded_names_module(reader->names, mapping->begin, mapping->bytes, mapping->path);
}

/* Those of data are of no interest. */
static void apply_mapping(struct recorded_reader *reader, uint16_t misc,
			  const struct sample_mapping *mapping, const struct perf_build_id *id)
{
	if (mapping->pid == -1)
		apply_kernel_mapping(reader, mapping);
	else if (mapping->begin + mapping->bytes >= mapping->begin &&
		 !(misc & PERF_RECORD_MISC_MMAP_DATA))
		recorded_names_map(reader->names, mapping, id);
}

/* Of a record without the bytes at its end: where the name begins, if there is one. */
static const char *path_at(const struct recorded_reader *reader, const uint8_t *record,
			   size_t bytes, size_t at)
{
	size_t trailer = recorded_events_trailer(&reader->events);

	if (bytes < at || bytes - at <= trailer || !memchr(record + at, '\0', bytes - at - trailer))
		return NULL;
	return (const char *)record + at;
}

static void apply_mmap(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
		uint64_t begin, bytes, offset;
	} head;
	struct sample_mapping mapping;
	const char *path = path_at(reader, record, bytes, sizeof(head));

	if (!reader->names || !path)
		return;
	memcpy(&head, record, sizeof(head));
	mapping = (struct sample_mapping){
		.pid = head.pid,
		.begin = head.begin,
		.bytes = head.bytes,
		.offset = head.offset,
		.path = path,
	};
	apply_mapping(reader, head.header.misc, &mapping, NULL);
}

static void apply_mmap2(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	struct perf_data_mapping head;
	struct perf_build_id id = {0};
	struct sample_mapping mapping;
	const char *path = path_at(reader, record, bytes, sizeof(head));

	if (!reader->names || !path)
		return;
	memcpy(&head, record, sizeof(head));
	mapping = (struct sample_mapping){
		.pid = head.pid,
		.begin = head.begin,
		.bytes = head.bytes,
		.offset = head.offset,
		.path = path,
	};
	if (head.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	    head.build_id_bytes <= sizeof(id.bytes)) {
		id.size = head.build_id_bytes;
		memcpy(id.bytes, head.build_id, id.size);
	}
	apply_mapping(reader, head.header.misc, &mapping, &id);
}

static void apply_program(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	struct {
		struct perf_event_header header;
		uint64_t begin;
		uint32_t bytes;
		uint16_t kind, flags;
	} head;
	const char *name = path_at(reader, record, bytes, sizeof(head));

	if (!reader->names || !name)
		return;
	memcpy(&head, record, sizeof(head));
	recorded_names_program(reader->names, head.begin, head.bytes,
			       head.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER ? NULL : name);
}

static void apply_lost(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	uint64_t id;

	reader->lost += sample_lost(record, bytes, &id);
}

static void apply_lost_samples(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	struct {
		struct perf_event_header header;
		uint64_t lost;
	} head;

	if (bytes < sizeof(head))
		return;
	memcpy(&head, record, sizeof(head));
	/* Those that a filter of perf record left out were not lost. */
	if (!(head.header.misc & PERF_DATA_MISC_LEFT_OUT))
		reader->lost_samples += head.lost;
}

/* Who asked the kernel for the losses of each event wrote all of them at the end, with those that
 * were said before. */
static uint64_t lost_of(const struct recorded_reader *reader)
{
	for (size_t i = 0; i < reader->events.count; i++)
		if (reader->events.list[i].attr.read_format & PERF_FORMAT_LOST)
			return reader->lost > reader->lost_samples ? reader->lost
								   : reader->lost_samples;
	return reader->lost + reader->lost_samples;
}

/* Samples. */

static uint64_t wall_of(const struct recorded_reader *reader, uint64_t time_ns)
{
	return time_ns - reader->clock_ns + reader->wall_ns;
}

/* The symbol and the stack of a sample, or the fields of a tracepoint. */
static void complete_texts(struct recorded_reader *reader, const struct recorded_event *event,
			   const struct sample_record *sample, struct sample_texts *texts)
{
	struct buf stack = buf_fixed(reader->stack, sizeof(reader->stack) - 1);
	struct buf args = buf_fixed(reader->args, sizeof(reader->args));

	if (event->has_tracepoint) {
		hook_args_of_tracepoint(&event->tracepoint, sample, &args);
		texts->args = reader->args;
		texts->args_bytes = args.len;
		return;
	}
	if (!reader->names)
		return;
	texts->symbol = recorded_names_find(reader->names, sample->pid, sample->mode, sample->ip);
	if (!sample->frames_count)
		return;
	recorded_names_stack(reader->names, sample, &stack);
	reader->stack[stack.len] = '\0';
	texts->stack = stack.len ? reader->stack : NULL;
}

/* Returns 1, or STEP_ON: it is none that can be given out. */
static int give_sample(struct recorded_reader *reader, const uint8_t *record, size_t bytes,
		       struct scap_event *given)
{
	const struct recorded_event *event = recorded_events_of(&reader->events, record, bytes);
	enum sample_kind kind;
	struct sample_record sample;
	struct sample_texts texts;
	uint32_t cpu;

	if (!event) {
		reader->stats.unknown_events++;
		return STEP_ON;
	}
	if (recorded_sample_decode(event, record, bytes, &sample, &cpu)) {
		reader->stats.corrupt_events++;
		return STEP_ON;
	}
	kind = event->attr.type == PERF_TYPE_TRACEPOINT ? SAMPLE_TRACEPOINT : SAMPLE_PERF;
	texts = (struct sample_texts){.event = event->name};
	complete_texts(reader, event, &sample, &texts);
	given->len = sample_kinds[kind].write(&sample, &texts, wall_of(reader, sample.time_ns),
					      reader->frame);
	given->frame = reader->frame;
	given->cpu = (uint16_t)cpu;
	reader->stats.events++;
	return 1;
}

/* Records, in order. */

typedef void recorded_apply(struct recorded_reader *reader, const uint8_t *record, size_t bytes);

static recorded_apply *const applied[] = {
	[PERF_RECORD_MMAP] = apply_mmap,       [PERF_RECORD_LOST] = apply_lost,
	[PERF_RECORD_COMM] = apply_comm,       [PERF_RECORD_EXIT] = apply_exit,
	[PERF_RECORD_FORK] = apply_fork,       [PERF_RECORD_MMAP2] = apply_mmap2,
	[PERF_RECORD_SAMPLE] = NULL,	       [PERF_RECORD_LOST_SAMPLES] = apply_lost_samples,
	[PERF_RECORD_KSYMBOL] = apply_program,
};

enum { APPLIED = sizeof(applied) / sizeof(applied[0]) };

static int apply(struct recorded_reader *reader, const uint8_t *record, size_t bytes,
		 struct scap_event *event)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE)
		return give_sample(reader, record, bytes, event);
	if (header.type < APPLIED && applied[header.type])
		applied[header.type](reader, record, bytes);
	return STEP_ON;
}

static void end_attrs(struct recorded_reader *reader)
{
	if (reader->is_ready)
		return;
	reader->is_ready = true;
	if (recorded_events_complete(&reader->events))
		recorded_end_with(reader, -EBADMSG,
				  "it has no events, or its records do not say of which of its "
				  "events they are");
}

/* A record of the kernel: waits for its turn. */
static void put_record(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	uint64_t time_ns;

	end_attrs(reader);
	/* Without times all are in the order of the file. */
	time_ns = recorded_events_are_timed(&reader->events)
			  ? recorded_events_time(&reader->events, record, bytes)
			  : 0;
	if (reader->code == 0 && recorded_order_put(&reader->order, record, bytes, time_ns))
		recorded_end_out_of_memory(reader);
}

/* Records that the kernel does not write. */

static void take_update(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	struct {
		struct perf_event_header header;
		uint64_t type, id;
	} head;

	if (bytes <= sizeof(head))
		return;
	memcpy(&head, record, sizeof(head));
	if (head.type == PERF_DATA_UPDATE_NAME)
		recorded_events_name(&reader->events, head.id, (const char *)record + sizeof(head),
				     bytes - sizeof(head));
}

static void take_attr_record(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	recorded_head_take_attr(reader, record + HEADER_BYTES, bytes - HEADER_BYTES);
	reader->is_ready = false;
}

static void take_feature_record(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	uint64_t feature;

	if (bytes < HEADER_BYTES + sizeof(feature))
		return;
	memcpy(&feature, record + HEADER_BYTES, sizeof(feature));
	recorded_head_take_feature(reader, feature, record + HEADER_BYTES + sizeof(feature),
				   bytes - HEADER_BYTES - sizeof(feature));
}

static void take_build_id_record(struct recorded_reader *reader, const uint8_t *record,
				 size_t bytes)
{
	recorded_head_take_build_ids(reader, record, bytes);
}

static void take_round(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	recorded_order_round(&reader->order);
}

/* Its bytes stand behind it. */
static void take_trace(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	if (bytes >= HEADER_BYTES + sizeof(reader->to_skip))
		memcpy(&reader->to_skip, record + HEADER_BYTES, sizeof(reader->to_skip));
}

static recorded_apply *const taken[] = {
	[PERF_DATA_HEADER_ATTR] = take_attr_record,
	[PERF_DATA_HEADER_BUILD_ID] = take_build_id_record,
	[PERF_DATA_FINISHED_ROUND] = take_round,
	[PERF_DATA_AUXTRACE] = take_trace,
	[PERF_DATA_EVENT_UPDATE] = take_update,
	[PERF_DATA_HEADER_FEATURE] = take_feature_record,
};

enum { TAKEN = sizeof(taken) / sizeof(taken[0]) };

static void take_record(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	if (header.type < PERF_DATA_HEADER_ATTR)
		put_record(reader, record, bytes);
	else if (header.type < TAKEN && taken[header.type])
		taken[header.type](reader, record, bytes);
}

/* What was decompressed, behind what was left of it; records in there are those of the kernel. */
static void take_records(struct recorded_reader *reader, const uint8_t *bytes, size_t len)
{
	struct buf *all = &reader->unpacked;
	struct perf_event_header header;
	size_t at = 0;

	buf_append(all, bytes, len);
	if (all->failed) {
		recorded_end_out_of_memory(reader);
		return;
	}
	while (reader->code == 0 && all->len - at >= sizeof(header)) {
		memcpy(&header, all->data + at, sizeof(header));
		if (header.size < sizeof(header)) {
			recorded_end_with(reader, -EBADMSG, "compressed records are corrupt");
			return;
		}
		if (header.size > all->len - at)
			break;
		if (header.type < PERF_DATA_HEADER_ATTR)
			put_record(reader, (const uint8_t *)all->data + at, header.size);
		at += header.size;
	}
	if (at)
		memmove(all->data, all->data + at, all->len - at);
	all->len -= at;
}

static bool prepare_unpacking(struct recorded_reader *reader)
{
	if (reader->unpacker)
		return true;
	reader->unpacker = ZSTD_createDStream();
	reader->room = malloc(ROOM_BYTES);
	return reader->unpacker && reader->room &&
	       !ZSTD_isError(ZSTD_initDStream(reader->unpacker));
}

/* What a record has compressed, from where it was read up to. */
static ZSTD_inBuffer packed_of(const struct recorded_reader *reader, const uint8_t *record,
			       size_t bytes)
{
	ZSTD_inBuffer in = {record + HEADER_BYTES, bytes - HEADER_BYTES, 0};
	struct perf_event_header header;
	uint64_t size;

	memcpy(&header, record, sizeof(header));
	if (header.type == PERF_DATA_COMPRESSED_RECORD_2 && in.size >= sizeof(size)) {
		memcpy(&size, in.src, sizeof(size));
		in.pos = sizeof(size);
		if (size < in.size - sizeof(size))
			in.size = sizeof(size) + size;
	}
	in.pos = in.pos > reader->packed_at ? in.pos : reader->packed_at;
	return in;
}

/* Some of a record: it can have more than memory does, and what is there may be given out first.
 * Returns whether there is more. */
static bool unpack_some(struct recorded_reader *reader, const uint8_t *record, size_t bytes)
{
	ZSTD_inBuffer in = packed_of(reader, record, bytes);
	ZSTD_outBuffer out;

	if (!prepare_unpacking(reader)) {
		recorded_end_out_of_memory(reader);
		return false;
	}
	out = (ZSTD_outBuffer){reader->room, ROOM_BYTES, 0};
	if (ZSTD_isError(ZSTD_decompressStream(reader->unpacker, &out, &in))) {
		recorded_end_with(reader, -EBADMSG, "compressed data is corrupt");
		return false;
	}
	take_records(reader, reader->room, out.pos);
	reader->packed_at = in.pos;
	return reader->code == 0 && (in.pos < in.size || out.pos == out.size);
}

/* The stream. */

static int end_of_stream(struct recorded_reader *reader, int code)
{
	if (code == -ENODATA && reader->stream->len == 0 &&
	    (reader->is_pipe || reader->left == UINT64_MAX || reader->left == 0))
		return recorded_end_with(reader, -ENODATA, "it has ended");
	if (code == -ENODATA || code == -EPIPE)
		return recorded_end_with(reader, -EPIPE, "it is truncated");
	return recorded_end_with(reader, code, "%s", scap_stream_problem(reader->stream));
}

/* Returns 1 if so many bytes are there, 0 if not yet, or how the source ended. */
static int wait_for(struct recorded_reader *reader, size_t bytes, int timeout_ms)
{
	int r = scap_stream_need(reader->stream, bytes, timeout_ms);

	return r < 0 ? end_of_stream(reader, r) : r;
}

static void skip(struct recorded_reader *reader, size_t bytes)
{
	scap_stream_skip(reader->stream, bytes);
	if (reader->left != UINT64_MAX)
		reader->left -= bytes < reader->left ? bytes : reader->left;
}

static int skip_step(struct recorded_reader *reader, int timeout_ms)
{
	size_t bytes;
	int r = wait_for(reader, 1, timeout_ms);

	if (r <= 0)
		return r;
	bytes = reader->stream->len < reader->to_skip ? reader->stream->len : reader->to_skip;
	skip(reader, bytes);
	reader->to_skip -= bytes;
	return STEP_ON;
}

/* The formats of tracepoints stand behind the record that says how long they are. */
static int formats_step(struct recorded_reader *reader, size_t head, int timeout_ms)
{
	uint32_t bytes;
	int r;

	if (head < HEADER_BYTES + sizeof(bytes))
		return recorded_end_with(reader, -EBADMSG, "formats of tracepoints are corrupt");
	memcpy(&bytes, reader->stream->data + HEADER_BYTES, sizeof(bytes));
	if (bytes > RECORDED_HEAD_BYTES_MAX)
		return recorded_end_with(reader, -EBADMSG, "formats of tracepoints are too long");
	r = wait_for(reader, head + bytes, timeout_ms);
	if (r <= 0)
		return r;
	recorded_events_take_formats(&reader->events, reader->stream->data + head, bytes);
	skip(reader, head + bytes);
	return STEP_ON;
}

static int record_step(struct recorded_reader *reader, int timeout_ms)
{
	struct perf_event_header header;
	int r;

	if (reader->to_skip)
		return skip_step(reader, timeout_ms);
	if (reader->left == 0)
		return recorded_end_with(reader, -ENODATA, "it has ended");
	r = wait_for(reader, sizeof(header), timeout_ms);
	if (r <= 0)
		return r;
	memcpy(&header, reader->stream->data, sizeof(header));
	if (header.size < sizeof(header) || header.size > reader->left)
		return recorded_end_with(reader, -EBADMSG,
					 "the record that begins at byte %llu is corrupt: it says "
					 "that it is %u bytes long",
					 (unsigned long long)scap_stream_offset(reader->stream),
					 header.size);
	r = wait_for(reader, header.size, timeout_ms);
	if (r <= 0)
		return r;
	if (header.type == PERF_DATA_HEADER_TRACING_DATA)
		return formats_step(reader, header.size, timeout_ms);
	if (header.type == PERF_DATA_COMPRESSED_RECORD ||
	    header.type == PERF_DATA_COMPRESSED_RECORD_2) {
		if (unpack_some(reader, reader->stream->data, header.size))
			return STEP_ON;
		reader->packed_at = 0;
	} else {
		take_record(reader, reader->stream->data, header.size);
	}
	skip(reader, header.size);
	return reader->code ? reader->code : STEP_ON;
}

/* What can be given out, else the next record of the file. */
static int recorded_step(struct recorded_reader *reader, int timeout_ms, struct scap_event *event)
{
	uint64_t time_ns;
	size_t bytes;
	const void *record = recorded_order_next(&reader->order, &bytes, &time_ns);

	if (record)
		return apply(reader, record, bytes, event);
	return reader->code ? reader->code : record_step(reader, timeout_ms);
}

/* Goes on until there is an event, or nothing is to be had now. */
static int next_event(struct recorded_reader *reader, int timeout_ms, struct scap_event *event)
{
	for (unsigned int i = 0; i < STEPS_PER_CALL; i++) {
		int r = recorded_step(reader, timeout_ms, event);

		/* How the file ended is said when all before it was given out. */
		if (r != STEP_ON && !(r < 0 && reader->order.count))
			return r;
	}
	return 0;
}

static int recorded_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct recorded_reader *reader = (struct recorded_reader *)source;

	if (!reader->has_first)
		return next_event(reader, timeout_ms, event);
	reader->has_first = false;
	*event = reader->first;
	return 1;
}

static void recorded_destroy(struct scap_source *source)
{
	struct recorded_reader *reader = (struct recorded_reader *)source;

	recorded_order_finish(&reader->order);
	recorded_events_finish(&reader->events);
	recorded_names_destroy(reader->names);
	scap_stream_close(reader->stream);
	ZSTD_freeDStream(reader->unpacker);
	buf_finish(&reader->unpacked);
	free(reader->room);
	for (size_t i = 0; i < COUNT(reader->tasks); i++)
		free(reader->tasks[i]);
	free(reader->path);
	free(reader);
}

static const struct scap_source_ops ops = {
	.next = recorded_next,
	.destroy = recorded_destroy,
};

bool recorded_reader_is(const struct scap_stream *stream)
{
	static const char swapped[] = "2ELIFREP";

	return stream->len >= sizeof(PERF_DATA_MAGIC) - 1 &&
	       (memcmp(stream->data, PERF_DATA_MAGIC, sizeof(PERF_DATA_MAGIC) - 1) == 0 ||
		memcmp(stream->data, swapped, sizeof(swapped) - 1) == 0);
}

int recorded_reader_open(const char *path, struct scap_stream *stream, const char *kallsyms,
			 struct recorded_reader **reader, struct error *err)
{
	struct recorded_reader *made = calloc(1, sizeof(*made));
	int r = 0;

	if (!made) {
		scap_stream_close(stream);
		return error_set(err, -ENOMEM, "no memory to read %s", path);
	}
	made->source.ops = &ops;
	made->stream = stream;
	made->path = strdup(strcmp(path, "-") ? path : "standard input");
	if (!made->path || (kallsyms && recorded_names_create(kallsyms, &made->names)))
		r = error_set(err, -ENOMEM, "no memory to read %s", path);
	else if (recorded_head_read(made, path))
		r = error_set(err, made->code, "cannot read %s: %s", made->path, made->problem);
	if (r)
		recorded_destroy(&made->source);
	else
		*reader = made;
	return r;
}

static int begin_snapshot(struct recorded_reader *reader, struct scap_snapshot *to)
{
	const struct scap_machine machine = {
		.cpus = reader->cpus,
		.memory_bytes = reader->memory_bytes,
		.hostname = reader->hostname,
	};
	int r = to->ops->begin(to);

	if (r == 0)
		r = to->ops->machine(to, &machine);
	reader->to = to;
	return r;
}

/* What is known of tasks before the first sample is the state at the start. */
int recorded_reader_start(struct recorded_reader *reader, struct scap_snapshot *to,
			  struct error *err)
{
	int r = reader->to ? 0 : begin_snapshot(reader, to), found = 0;

	if (r == 0)
		found = next_event(reader, -1, &reader->first);
	if (r == 0 && found == 0)
		return error_set(err, -EINTR, "interrupted before the first event was read");
	reader->has_first = found == 1;
	if (r == 0)
		r = to->ops->end(to);
	return r ? error_set(err, r, "cannot read %s: %s", reader->path, strerror(-r)) : 0;
}

struct scap_source *recorded_reader_source(struct recorded_reader *reader)
{
	return &reader->source;
}

const char *recorded_reader_problem(const struct recorded_reader *reader)
{
	return reader->problem;
}

void recorded_reader_stats(const struct recorded_reader *reader, struct scap_reader_stats *stats)
{
	*stats = reader->stats;
	stats->lost = lost_of(reader);
	stats->unmapped = reader->names ? recorded_names_left_out(reader->names) : 0;
	stats->unordered = reader->order.forced;
	stats->bytes_read = scap_stream_bytes_read(reader->stream);
	stats->bytes = scap_stream_bytes(reader->stream);
}
