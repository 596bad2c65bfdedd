/* SPDX-License-Identifier: MIT */
/* Opens, changes and closes files, and selects the events to write. */
#include "agent/record/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/record/recording_file.h"
#include "agent/record/recording_name.h"
#include "event/event.h"
#include "scap/file/writer.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"

enum {
	FLUSH_NS = 1000000000,
	/* Maximum overhead of a block over its event. */
	BLOCK_BYTES = 64,
};

struct recording {
	const struct recording_config *config;
	struct sinsp *sinsp;
	bool carries[EVENT_ID_MAX]; /* events that carry state */
	bool splits; /* files have limits */
	struct recording_name names;
	struct recording_file file;
	const char *name; /* of the open file, or of the last one; also for messages */
	struct scap_writer *writer; /* NULL: no file is open */
	bool has_begun; /* the file: it has the state */
	uint64_t begin_ns; /* start of the file; 0: at the next event */
	uint64_t bytes_max; /* its size */
	struct buf hidden; /* a copy of an event, without the environment of a container */
	uint64_t flushed_ns; /* monotonic clock */
	bool unflushed; /* data was written since then */
	struct recording_stats past; /* of the files before this one */
	struct error err;
};

/* Finds the events that carry state; a fat file has them as hidden ones. */
static void find_carriers(struct recording *recording)
{
	const unsigned int parts = SINSP_THREADS | SINSP_DESCRIPTORS | SINSP_CONNECTIONS |
				   SINSP_DIRECTORIES | SINSP_CONTAINERS;
	const unsigned int flags = EF_MODIFIES_STATE | EF_CREATES_FD | EF_DESTROYS_FD;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		recording->carries[id] =
			desc && ((desc->flags & flags) || (sinsp_event_keeps(id) & parts));
	}
}

static int fail(struct recording *recording, int code, const char *what)
{
	return error_set(&recording->err, code, "cannot write %s: %s", recording->name, what);
}

static uint64_t file_bytes(const struct recording *recording)
{
	struct scap_writer_stats stats;

	scap_writer_stats(recording->writer, &stats);
	return recording->config->writer.compression ? stats.bytes_stored : stats.bytes;
}

/* A file begins with the state of any size: ensures a minimum for events. */
static void limit_bytes(struct recording *recording)
{
	uint64_t state = file_bytes(recording), least = state + state / 4;
	uint64_t wanted = recording->config->limits.bytes;

	recording->bytes_max = wanted && wanted < least ? least : wanted;
}

/* Opens the next file; its name may have the time on the wall clock. */
static int open_next(struct recording *recording, uint64_t wall_ns)
{
	const char *replaces;
	int code = recording_name_next(&recording->names, wall_ns, &recording->name, &replaces);

	if (code)
		return error_set(&recording->err, code, "cannot write %s: %s",
				 recording->config->path, strerror(-code));
	if (recording->file.to_stdout)
		recording->name = "standard output";
	if (replaces)
		unlink(replaces);
	recording->has_begun = false;
	code = recording_file_open(&recording->file, recording->name, &recording->err);
	if (code == 0)
		code = scap_writer_create(recording->file.fd, recording->name,
					  &recording->config->writer, &recording->writer,
					  &recording->err);
	if (code)
		return code;
	recording->past.files++;
	recording->past.name = recording->name;
	return 0;
}

bool recording_has_begun(const struct recording *recording)
{
	return recording->has_begun;
}

/* Writes the state. */
int recording_begin(struct recording *recording, uint64_t ns)
{
	int code;

	recording->begin_ns = ns;
	code = sinsp_dump(recording->sinsp, scap_writer_snapshot(recording->writer));
	if (code)
		return fail(recording, code, strerror(-code));
	recording->has_begun = true;
	limit_bytes(recording);
	recording->unflushed = true;
	return recording_flush(recording, clock_ns(CLOCK_MONOTONIC), true);
}

/* Begins a file at an event time; its name has the wall-clock time. */
static int begin_file(struct recording *recording, uint64_t ns, int64_t clock_step_ns)
{
	int code = open_next(recording, ns + (uint64_t)clock_step_ns);

	return code ? code : recording_begin(recording, ns);
}

int recording_open(struct recording *recording)
{
	recording_close(recording);
	return open_next(recording, clock_ns(CLOCK_REALTIME));
}

bool recording_has_moved(const struct recording *recording)
{
	return recording_file_has_moved(&recording->file, recording->name);
}

/* Adds what a file has. */
static void add_stats(struct recording_stats *sum, const struct scap_writer_stats *stats)
{
	sum->events += stats->events;
	sum->asked += stats->events - stats->containers - stats->hidden;
	sum->generic += stats->generic;
	sum->left_out += stats->left_out;
	sum->asked_left_out += stats->left_out - stats->hidden_left_out;
}

/* A file that failed before it had anything that was asked for is not worth an older one's place.
 */
static void remove_failed(struct recording *recording)
{
	if (recording->config->rotates && !recording_has_moved(recording))
		unlink(recording->name);
}

int recording_close(struct recording *recording)
{
	uint64_t asked_before = recording->past.asked;
	struct scap_writer_stats stats = {0};
	int code = 0, closed;

	if (recording->writer) {
		code = scap_writer_flush(recording->writer, &recording->err);
		scap_writer_stats(recording->writer, &stats);
		add_stats(&recording->past, &stats);
		recording->past.at_least = code != 0;
		code = scap_writer_finish(recording->writer, code ? NULL : &recording->err) ?: code;
		recording->past.bytes += recording_file_bytes(&recording->file, stats.bytes_stored);
		recording->writer = NULL;
		if (!recording->has_begun || (code && recording->past.asked == asked_before))
			remove_failed(recording);
	}
	closed = recording_file_close(&recording->file);
	if (closed && code == 0)
		code = fail(recording, closed, strerror(-closed));
	return code;
}

int recording_create(const struct recording_config *config, struct sinsp *sinsp,
		     struct recording **recording, struct error *err)
{
	struct recording *made = calloc(1, sizeof(*made));
	int code;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = config;
	made->sinsp = sinsp;
	made->splits = config->limits.bytes || config->limits.ns || config->limits.events;
	find_carriers(made);
	code = recording_file_init(&made->file, config, &made->err);
	if (code == 0 && recording_name_init(&made->names, config))
		code = error_set(&made->err, -ENOMEM, "out of memory for the names of files");
	if (code == 0 && config->begins_later)
		code = open_next(made, clock_ns(CLOCK_REALTIME));
	else if (code == 0 && !config->read)
		code = begin_file(made, clock_ns(CLOCK_REALTIME), 0);
	else if (code == 0 && !made->names.timed)
		code = begin_file(made, 0, 0);
	if (code) {
		error_set(err, code, "%s", made->err.text);
		recording_destroy(made);
		return code;
	}
	*recording = made;
	return 0;
}

void recording_destroy(struct recording *recording)
{
	if (!recording)
		return;
	recording_close(recording);
	buf_finish(&recording->hidden);
	recording_name_finish(&recording->names);
	free(recording);
}

/* Whether an event at that time belongs to another file. */
static bool is_full(const struct recording *recording, const struct scap_event *event, uint64_t ns)
{
	const struct recording_limits *limits = &recording->config->limits;
	struct scap_writer_stats stats;

	scap_writer_stats(recording->writer, &stats);
	return (limits->events && stats.events - stats.containers >= limits->events) ||
	       (limits->ns && ns > recording->begin_ns && ns - recording->begin_ns >= limits->ns) ||
	       (limits->bytes &&
		file_bytes(recording) + event->len + BLOCK_BYTES > recording->bytes_max);
}

bool recording_is_due(struct recording *recording, const struct scap_event *event)
{
	struct ppm_evt_hdr header;

	if ((recording->has_begun && !recording->splits) || event->len < sizeof(header))
		return false;
	memcpy(&header, event->frame, sizeof(header));
	if (recording->begin_ns == 0)
		recording->begin_ns = header.ts;
	return !recording->writer || !recording->has_begun || is_full(recording, event, header.ts);
}

int recording_turn(struct recording *recording, const struct scap_event *event)
{
	struct ppm_evt_hdr header;
	int code;

	memcpy(&header, event->frame, sizeof(header));
	if (recording->writer && !recording->has_begun)
		return recording_begin(recording, header.ts);
	code = recording_close(recording);
	return code ? code : begin_file(recording, header.ts, event->clock_step_ns);
}

/* Whether an event of the input, once written, has the description of a container. */
static bool describes(const struct recording *recording, unsigned int id)
{
	return id == EVENT_container ||
	       (id == EVENT_asyncevent && !recording->config->writer.form_2022);
}

static bool is_written(const struct recording *recording, unsigned int id, bool passed)
{
	return passed || recording->config->copies ||
	       (recording->config->fat && recording->carries[id]);
}

struct scap_snapshot *recording_changes(struct recording *recording, unsigned int id, bool passed)
{
	if (is_written(recording, id, passed) && describes(recording, id))
		return NULL;
	return scap_writer_snapshot(recording->writer);
}

/* The parameter of an event that describes a container; -1: none. */
static int description_of(const struct event *ev)
{
	const char *name;

	if (ev->desc->id == EVENT_container)
		return container__json;
	if (ev->desc->id != EVENT_asyncevent)
		return -1;
	name = event_param_string(ev, asyncevent__name);
	return name && strncmp(name, "container", sizeof("container") - 1) == 0 ? asyncevent__data
										: -1;
}

/* Replaces an event that may have the environment of a container by one that does not. */
static int hide_env(struct recording *recording, struct scap_event *event)
{
	struct buf *copy = &recording->hidden;
	struct event ev;
	int param;

	buf_clear(copy);
	buf_append(copy, event->frame, event->len);
	if (copy->failed)
		return fail(recording, -ENOMEM, "out of memory");
	event->frame = copy->data;
	if (event_decode(event->frame, event->len, event->cpu, &ev))
		return 0;
	param = description_of(&ev);
	if (param >= 0)
		sinsp_container_json_hide_env((char *)ev.params[param].data, ev.params[param].len);
	return 0;
}

int recording_event(struct recording *recording, const struct scap_event *event, unsigned int id,
		    bool passed)
{
	struct scap_event written = *event;
	int code = 0;

	if (!is_written(recording, id, passed))
		return 0;
	if ((id == EVENT_container || id == EVENT_asyncevent) && !recording->config->container_env)
		code = hide_env(recording, &written);
	if (code)
		return code;
	written.hidden |= !passed && !recording->config->copies;
	recording->unflushed = true;
	return scap_writer_event(recording->writer, &written, &recording->err);
}

/* Compression suffers from frequent flushes. */
int recording_flush(struct recording *recording, uint64_t now_ns, bool idle)
{
	bool soon = idle && !recording->config->writer.compression;

	if (!recording->writer || !recording->unflushed ||
	    (!soon && now_ns - recording->flushed_ns < FLUSH_NS))
		return 0;
	recording->flushed_ns = now_ns;
	recording->unflushed = false;
	return scap_writer_flush(recording->writer, &recording->err);
}

const char *recording_problem(const struct recording *recording)
{
	return recording->err.text;
}

void recording_stats(const struct recording *recording, struct recording_stats *stats)
{
	struct scap_writer_stats current;

	*stats = recording->past;
	if (!recording->writer)
		return;
	scap_writer_stats_safe(recording->writer, &current);
	add_stats(stats, &current);
	stats->bytes += current.bytes_stored;
}
