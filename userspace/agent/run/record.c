/* SPDX-License-Identifier: MIT */
/* Opens, changes and closes files, and selects the events to write. */
#include "agent/run/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/run/record_name.h"
#include "agent/run/signals.h"
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

struct record {
	const struct options *options;
	struct sinsp *sinsp;
	bool carries[EVENT_ID_MAX]; /* events that carry state */
	struct scap_writer_config writer_config;
	bool copies; /* write all events of the input file, unchanged */
	struct stat input; /* the file that is read, must not be overwritten */
	struct record_name names;
	bool to_stdout;
	const char *name; /* of the open file, or of the last one; also for messages */
	int fd;
	struct scap_writer *writer; /* NULL: no file is open */
	uint64_t begin_ns; /* start of the file; 0: at the next event */
	uint64_t bytes_max; /* its size */
	uint64_t flushed_ns; /* monotonic clock */
	bool gathered; /* data was written since then */
	struct record_stats past; /* of the files before this one */
	struct error err;
};

/* Finds the events that carry state; a fat file has them as hidden ones. */
static void find_carriers(struct record *record)
{
	const unsigned int parts =
		SINSP_THREADS | SINSP_DESCRIPTORS | SINSP_CONNECTIONS | SINSP_DIRECTORIES;
	const unsigned int flags = EF_MODIFIES_STATE | EF_CREATES_FD | EF_DESTROYS_FD;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		record->carries[id] =
			desc && ((desc->flags & flags) || (sinsp_event_keeps(id) & parts));
	}
}

static bool is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* An error is reported by the reader of the file. */
static void note_input(struct record *record)
{
	const char *path = record->options->read;
	int code = 0;

	if (path)
		code = is_standard(path) ? fstat(STDIN_FILENO, &record->input)
					 : stat(path, &record->input);
	if (code || !S_ISREG(record->input.st_mode))
		record->input = (struct stat){0};
}

static int refuse(struct record *record, int code, const char *what)
{
	return error_set(&record->err, code, "cannot write %s: %s", record->name, what);
}

/* Truncates the file only after checking that it is not the one being read. */
static int open_file(struct record *record)
{
	struct stat output;

	if (record->to_stdout)
		record->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		record->fd =
			open(record->name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, FILE_MODE);
	if (record->fd < 0 || fstat(record->fd, &output))
		return refuse(record, -errno, strerror(errno));
	if (!S_ISREG(output.st_mode))
		return 0;
	if (output.st_dev == record->input.st_dev && output.st_ino == record->input.st_ino)
		return refuse(record, -EINVAL, "it is the file that is read (-r)");
	if (!record->to_stdout && ftruncate(record->fd, 0))
		return refuse(record, -errno, strerror(errno));
	return 0;
}

static uint64_t file_bytes(const struct record *record)
{
	struct scap_writer_stats stats;

	scap_writer_stats(record->writer, &stats);
	return record->options->writer.compression ? stats.bytes_stored : stats.bytes;
}

/* A file begins with the state of any size: ensures a minimum for events. */
static void limit_bytes(struct record *record)
{
	uint64_t state = file_bytes(record), least = state + state / 4;
	uint64_t wanted = record->options->limits.bytes;

	record->bytes_max = wanted && wanted < least ? least : wanted;
}

/* Begins a file at an event time; its name has the wall-clock time. */
static int begin_file(struct record *record, uint64_t ns, int64_t clock_step_ns)
{
	const char *replaces;
	int code = record_name_next(&record->names, ns + (uint64_t)clock_step_ns, &record->name,
				    &replaces);

	if (code)
		return error_set(&record->err, code, "cannot write %s: %s", record->options->write,
				 strerror(-code));
	if (record->to_stdout)
		record->name = "standard output";
	if (replaces)
		unlink(replaces);
	code = open_file(record);
	if (code == 0)
		code = scap_writer_create(record->fd, record->name, &record->writer_config,
					  &record->writer, &record->err);
	if (code)
		return code;
	record->past.files++;
	record->past.name = record->name;
	record->begin_ns = ns;
	code = sinsp_tell(record->sinsp, scap_writer_snapshot(record->writer));
	if (code)
		return refuse(record, code, strerror(-code));
	limit_bytes(record);
	record->gathered = true;
	return record_flush(record, clock_ns(CLOCK_MONOTONIC), true);
}

/* The size of the file; if it is no regular file, the bytes written. */
static uint64_t stored_bytes(const struct record *record, uint64_t written)
{
	struct stat output;

	if (record->to_stdout || fstat(record->fd, &output) || !S_ISREG(output.st_mode))
		return written;
	return (uint64_t)output.st_size;
}

int record_close(struct record *record)
{
	struct scap_writer_stats stats = {0};
	int code = 0;

	if (record->writer) {
		code = scap_writer_flush(record->writer, &record->err);
		scap_writer_stats(record->writer, &stats);
		record->past.events += stats.events;
		record->past.at_least = code != 0;
		record->past.generic += stats.generic;
		code = scap_writer_finish(record->writer, code ? NULL : &record->err) ?: code;
		record->past.bytes += stored_bytes(record, stats.bytes_stored);
		record->writer = NULL;
	}
	if (record->fd >= 0 && close(record->fd) && code == 0)
		code = refuse(record, -errno, strerror(errno));
	record->fd = -1;
	return code;
}

/* Whether to stop waiting for a reader that does not read. */
static bool gives_up(void)
{
	return signals_count() > 1;
}

int record_create(const struct options *options, struct sinsp *sinsp, struct record **record,
		  struct error *err)
{
	struct record *made = calloc(1, sizeof(*made));
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
	code = record_name_init(&made->names, options);
	if (code)
		error_set(&made->err, code, "out of memory for the names of files");
	else if (!options->read)
		code = begin_file(made, clock_ns(CLOCK_REALTIME), 0);
	else if (!made->names.timed)
		code = begin_file(made, 0, 0);
	if (code) {
		error_set(err, code, "%s", made->err.text);
		record_destroy(made);
		return code;
	}
	*record = made;
	return 0;
}

void record_destroy(struct record *record)
{
	if (!record)
		return;
	record_close(record);
	record_name_finish(&record->names);
	free(record);
}

/* Whether an event at that time belongs to another file. */
static bool is_full(const struct record *record, const struct scap_event *event, uint64_t ns)
{
	const struct record_limits *limits = &record->options->limits;
	struct scap_writer_stats stats;

	scap_writer_stats(record->writer, &stats);
	return (limits->events && stats.events >= limits->events) ||
	       (limits->ns && ns > record->begin_ns && ns - record->begin_ns >= limits->ns) ||
	       (limits->bytes && file_bytes(record) + event->len + BLOCK_BYTES > record->bytes_max);
}

int record_turn(struct record *record, const struct scap_event *event)
{
	struct ppm_evt_hdr header;
	int code;

	if (!record->names.split || event->len < sizeof(header))
		return 0;
	memcpy(&header, event->frame, sizeof(header));
	if (record->begin_ns == 0)
		record->begin_ns = header.ts;
	if (record->writer && !is_full(record, event, header.ts))
		return 0;
	code = record_close(record);
	return code ? code : begin_file(record, header.ts, event->clock_step_ns);
}

int record_event(struct record *record, const struct scap_event *event, unsigned int id,
		 bool passed)
{
	struct scap_event written = *event;
	bool carries = record->options->fat && record->carries[id];

	if (!passed && !record->copies && !carries)
		return 0;
	written.hidden |= !passed && !record->copies;
	record->gathered = true;
	return scap_writer_event(record->writer, &written, &record->err);
}

/* Compression suffers from frequent flushes. */
int record_flush(struct record *record, uint64_t now_ns, bool idle)
{
	bool soon = idle && !record->options->writer.compression;

	if (!record->writer || !record->gathered ||
	    (!soon && now_ns - record->flushed_ns < FLUSH_NS))
		return 0;
	record->flushed_ns = now_ns;
	record->gathered = false;
	return scap_writer_flush(record->writer, &record->err);
}

const char *record_problem(const struct record *record)
{
	return record->err.text;
}

void record_stats(const struct record *record, struct record_stats *stats)
{
	*stats = record->past;
}
