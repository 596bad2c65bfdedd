/* SPDX-License-Identifier: MIT */
/* Opens, changes and closes files, and selects the events to write. */
#include "agent/record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/record/recording_name.h"
#include "agent/process/signals.h"
#include "event/event.h"
#include "scap/file/writer.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"

enum {
	FLUSH_NS = 1000000000,
	/* Maximum overhead of a block over its event. */
	BLOCK_BYTES = 64,
	/* Captures contain data of programs: only for their owner. */
	FILE_MODE = 0600,
};

struct recording {
	const struct options *options;
	struct sinsp *sinsp;
	bool carries[EVENT_ID_MAX]; /* events that carry state */
	struct scap_writer_config writer_config;
	bool copies; /* write all events of the input file, unchanged */
	struct stat input; /* the file that is read, must not be overwritten */
	struct recording_name names;
	bool to_stdout;
	const char *name; /* of the open file, or of the last one; also for messages */
	int fd;
	struct scap_writer *writer; /* NULL: no file is open */
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

static bool is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* An error is reported by the reader of the file. */
static void note_input(struct recording *recording)
{
	const char *path = recording->options->read;
	int code = 0;

	if (path)
		code = is_standard(path) ? fstat(STDIN_FILENO, &recording->input)
					 : stat(path, &recording->input);
	if (code || !S_ISREG(recording->input.st_mode))
		recording->input = (struct stat){0};
}

static int fail(struct recording *recording, int code, const char *what)
{
	return error_set(&recording->err, code, "cannot write %s: %s", recording->name, what);
}

/* Truncates the file only after checking that it is not the one being read. */
static int open_file(struct recording *recording)
{
	struct stat output;

	if (recording->to_stdout)
		recording->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		recording->fd =
			open(recording->name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, FILE_MODE);
	if (recording->fd < 0 || fstat(recording->fd, &output))
		return fail(recording, -errno, strerror(errno));
	if (!S_ISREG(output.st_mode))
		return 0;
	if (output.st_dev == recording->input.st_dev && output.st_ino == recording->input.st_ino)
		return fail(recording, -EINVAL, "it is the file that is read (-r)");
	if (!recording->to_stdout && ftruncate(recording->fd, 0))
		return fail(recording, -errno, strerror(errno));
	return 0;
}

static uint64_t file_bytes(const struct recording *recording)
{
	struct scap_writer_stats stats;

	scap_writer_stats(recording->writer, &stats);
	return recording->options->writer.compression ? stats.bytes_stored : stats.bytes;
}

/* A file begins with the state of any size: ensures a minimum for events. */
static void limit_bytes(struct recording *recording)
{
	uint64_t state = file_bytes(recording), least = state + state / 4;
	uint64_t wanted = recording->options->limits.bytes;

	recording->bytes_max = wanted && wanted < least ? least : wanted;
}

/* Begins a file at an event time; its name has the wall-clock time. */
static int begin_file(struct recording *recording, uint64_t ns, int64_t clock_step_ns)
{
	const char *replaces;
	int code = recording_name_next(&recording->names, ns + (uint64_t)clock_step_ns,
				       &recording->name, &replaces);

	if (code)
		return error_set(&recording->err, code, "cannot write %s: %s",
				 recording->options->write, strerror(-code));
	if (recording->to_stdout)
		recording->name = "standard output";
	if (replaces)
		unlink(replaces);
	code = open_file(recording);
	if (code == 0)
		code = scap_writer_create(recording->fd, recording->name, &recording->writer_config,
					  &recording->writer, &recording->err);
	if (code)
		return code;
	recording->past.files++;
	recording->past.name = recording->name;
	recording->begin_ns = ns;
	code = sinsp_dump(recording->sinsp, scap_writer_snapshot(recording->writer));
	if (code)
		return fail(recording, code, strerror(-code));
	limit_bytes(recording);
	recording->unflushed = true;
	return recording_flush(recording, clock_ns(CLOCK_MONOTONIC), true);
}

/* The size of the file; if it is no regular file, the bytes written. */
static uint64_t stored_bytes(const struct recording *recording, uint64_t written)
{
	struct stat output;

	if (recording->to_stdout || fstat(recording->fd, &output) || !S_ISREG(output.st_mode))
		return written;
	return (uint64_t)output.st_size;
}

int recording_close(struct recording *recording)
{
	struct scap_writer_stats stats = {0};
	int code = 0;

	if (recording->writer) {
		code = scap_writer_flush(recording->writer, &recording->err);
		scap_writer_stats(recording->writer, &stats);
		recording->past.events += stats.events;
		recording->past.at_least = code != 0;
		recording->past.generic += stats.generic;
		recording->past.left_out += stats.left_out;
		code = scap_writer_finish(recording->writer, code ? NULL : &recording->err) ?: code;
		recording->past.bytes += stored_bytes(recording, stats.bytes_stored);
		recording->writer = NULL;
	}
	if (recording->fd >= 0 && close(recording->fd) && code == 0)
		code = fail(recording, -errno, strerror(errno));
	recording->fd = -1;
	return code;
}

/* Whether to stop waiting for a reader that does not read. */
static bool gives_up(void)
{
	return signals_count() > 1;
}

int recording_create(const struct options *options, struct sinsp *sinsp,
		     struct recording **recording, struct error *err)
{
	struct recording *made = calloc(1, sizeof(*made));
	int code;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->options = options;
	made->sinsp = sinsp;
	made->fd = -1;
	made->to_stdout = is_standard(options->write);
	made->writer_config = options->writer;
	made->writer_config.give_up = gives_up;
	made->copies = options->read && !options->filter && !options->rules_count;
	find_carriers(made);
	note_input(made);
	code = recording_name_init(&made->names, options);
	if (code)
		error_set(&made->err, code, "out of memory for the names of files");
	else if (!options->read)
		code = begin_file(made, clock_ns(CLOCK_REALTIME), 0);
	else if (!made->names.timed)
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
	const struct recording_limits *limits = &recording->options->limits;
	struct scap_writer_stats stats;

	scap_writer_stats(recording->writer, &stats);
	return (limits->events && stats.events - stats.containers >= limits->events) ||
	       (limits->ns && ns > recording->begin_ns && ns - recording->begin_ns >= limits->ns) ||
	       (limits->bytes &&
		file_bytes(recording) + event->len + BLOCK_BYTES > recording->bytes_max);
}

int recording_turn(struct recording *recording, const struct scap_event *event)
{
	struct ppm_evt_hdr header;
	int code;

	if (!recording->names.split || event->len < sizeof(header))
		return 0;
	memcpy(&header, event->frame, sizeof(header));
	if (recording->begin_ns == 0)
		recording->begin_ns = header.ts;
	if (recording->writer && !is_full(recording, event, header.ts))
		return 0;
	code = recording_close(recording);
	return code ? code : begin_file(recording, header.ts, event->clock_step_ns);
}

/* Whether an event of the input, once written, has the description of a container. */
static bool describes(const struct recording *recording, unsigned int id)
{
	return id == EVENT_container ||
	       (id == EVENT_asyncevent && !recording->writer_config.form_2022);
}

/* Writes what became known of containers, unless the event that is to be written has it. */
static int put_containers(struct recording *recording, unsigned int id, bool is_written)
{
	bool has_it = is_written && describes(recording, id);
	int code = sinsp_dump_changed(recording->sinsp,
				      has_it ? NULL : scap_writer_snapshot(recording->writer));

	return code ? fail(recording, code, strerror(-code)) : 0;
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
	bool carries = recording->options->fat && recording->carries[id];
	bool is_written = passed || recording->copies || carries;
	int code = put_containers(recording, id, is_written);

	if (code || !is_written)
		return code;
	if ((id == EVENT_container || id == EVENT_asyncevent) && !recording->options->container_env)
		code = hide_env(recording, &written);
	if (code)
		return code;
	written.hidden |= !passed && !recording->copies;
	recording->unflushed = true;
	return scap_writer_event(recording->writer, &written, &recording->err);
}

/* Compression suffers from frequent flushes. */
int recording_flush(struct recording *recording, uint64_t now_ns, bool idle)
{
	bool soon = idle && !recording->options->writer.compression;

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
	*stats = recording->past;
}
