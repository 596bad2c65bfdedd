/* SPDX-License-Identifier: MIT */
/* Opens, changes and closes files of a recording, and selects the events to write. */
#include "agent/record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "event/event.h"
#include "output/targets/rotated.h"
#include "scap/file/writer.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"
#include "util/clock.h"

/* Counters, times, and the ring of names. */

int recording_name_init(struct recording_name *name, const struct recording_config *config)
{
	const struct agent_recording_limits *limits = &config->limits;

	*name = (struct recording_name){
		.base = config->path,
		.split = limits->bytes || limits->ns || limits->events,
		.timed = limits->ns && strchr(config->path, '%'),
		.files = limits->files,
	};
	if (config->rotates) /* the name never changes */
		name->split = name->timed = false;
	if (name->files)
		name->kept = calloc(name->files, sizeof(name->kept[0]));
	return name->files && !name->kept ? -ENOMEM : 0;
}

void recording_name_finish(struct recording_name *name)
{
	for (uint64_t i = 0; name->kept && i < name->files; i++)
		free(name->kept[i]);
	free(name->kept);
	free(name->now);
	free(name->replaced);
	free(name->timed_now);
	*name = (struct recording_name){0};
}

/*
 * Appends the time, and a counter if the last name had the same time, so that no file is
 * overwritten.
 */
static int recording_append_time(struct recording_name *name, uint64_t ns, struct buf *text)
{
	time_t seconds = (time_t)(ns / 1000000000);
	char formatted[PATH_MAX];
	struct tm local;

	if (!localtime_r(&seconds, &local) ||
	    strftime(formatted, sizeof(formatted), name->base, &local) == 0)
		return -ENAMETOOLONG;
	buf_append_string(text, formatted);
	if (name->timed_now && strcmp(name->timed_now, formatted) == 0) {
		buf_append_u64(text, ++name->repeated);
		return 0;
	}
	free(name->timed_now);
	name->repeated = 0;
	name->timed_now = strdup(formatted);
	return name->timed_now ? 0 : -ENOMEM;
}

static int recording_make(struct recording_name *name, uint64_t ns, struct buf *text)
{
	int r = 0;

	if (name->timed) {
		r = recording_append_time(name, ns, text);
	} else {
		buf_append_string(text, name->base);
		if (name->split)
			buf_append_u64(text, name->files ? name->count % name->files : name->count);
	}
	buf_append_char(text, '\0');
	return r ? r : text->failed ? -ENOMEM : 0;
}

int recording_name_next(struct recording_name *name, uint64_t ns, const char **next,
			const char **replaces)
{
	struct buf text = {0};
	int r = recording_make(name, ns, &text);
	char **place = &name->now;

	if (r) {
		buf_finish(&text);
		return r;
	}
	if (name->kept)
		place = &name->kept[name->count % name->files];
	free(name->replaced);
	name->replaced = *place;
	*place = text.data;
	name->count++;
	*next = text.data;
	/* With a counter the same name recurs: its file is overwritten, not removed. */
	*replaces = name->kept && name->replaced && strcmp(name->replaced, *next) ? name->replaced
										  : NULL;
	return 0;
}

/* Opens files: over others, or beside those that were rotated. */

static bool is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* An error is reported by the reader of the file. */
static void note_input(struct recording_file *file)
{
	const char *path = file->config->read;
	int r = 0;

	if (path)
		r = is_standard(path) ? fstat(STDIN_FILENO, &file->input)
				      : stat(path, &file->input);
	if (r || !S_ISREG(file->input.st_mode))
		file->input = (struct stat){0};
}

static int recording_file_fail(const char *name, const char *what, int code, struct error *err)
{
	return error_set(err, code, "cannot write %s: %s", name, what);
}

int recording_file_init(struct recording_file *file, const struct recording_config *config,
			struct error *err)
{
	int r;

	*file = (struct recording_file){
		.config = config, .fd = -1, .to_stdout = is_standard(config->path)};
	note_input(file);
	if (!config->rotates)
		return 0;
	r = rotated_newest(config->path, &file->rotated_ms);
	return r ? recording_file_fail(config->path, strerror(-r), r, err) : 0;
}

static bool is_input(const struct recording_file *file, const struct stat *stat)
{
	return S_ISREG(stat->st_mode) && stat->st_dev == file->input.st_dev &&
	       stat->st_ino == file->input.st_ino;
}

static int reject_input(const char *name, struct error *err)
{
	return recording_file_fail(name, "it is the file that is read (-r)", -EINVAL, err);
}

/* Gives what has the name another one; an empty file, as a failed start leaves it, goes. */
static int recording_set_aside(struct recording_file *file, const char *name, struct error *err)
{
	struct stat there;
	int r;

	if (lstat(name, &there))
		return errno == ENOENT ? 0
				       : recording_file_fail(name, strerror(errno), -errno, err);
	if (!S_ISREG(there.st_mode))
		return recording_file_fail(name, "it is no regular file; for a pipe use -w",
					   -EINVAL, err);
	if (is_input(file, &there))
		return reject_input(name, err);
	if (there.st_size == 0)
		r = unlink(name) ? -errno : 0;
	else
		r = rotated_rename(name, clock_ns(CLOCK_REALTIME), &file->rotated_ms);
	if (r && r != -ENOENT)
		return recording_file_fail(name, strerror(-r), r, err);
	return 0;
}

/* Nobody else may have put something there in the meantime. */
static int open_rotated(struct recording_file *file, const char *name, struct error *err)
{
	int r = recording_set_aside(file, name, err);

	if (r)
		return r;
	file->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY,
			file->config->mode);
	if (file->fd < 0 || fchmod(file->fd, file->config->mode))
		return recording_file_fail(name, strerror(errno), -errno, err);
	return 0;
}

/* Truncates the file only after checking that it is not the one being read. */
static int open_over(struct recording_file *file, const char *name, struct error *err)
{
	struct stat output;

	if (file->to_stdout)
		file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		file->fd =
			open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, file->config->mode);
	if (file->fd < 0 || fstat(file->fd, &output))
		return recording_file_fail(name, strerror(errno), -errno, err);
	if (is_input(file, &output))
		return reject_input(name, err);
	if (S_ISREG(output.st_mode) && !file->to_stdout && ftruncate(file->fd, 0))
		return recording_file_fail(name, strerror(errno), -errno, err);
	return 0;
}

int recording_file_open(struct recording_file *file, const char *name, struct error *err)
{
	return file->config->rotates ? open_rotated(file, name, err) : open_over(file, name, err);
}

bool recording_file_has_moved(const struct recording_file *file, const char *name)
{
	struct stat open, there;

	return file->fd < 0 || fstat(file->fd, &open) || lstat(name, &there) ||
	       open.st_dev != there.st_dev || open.st_ino != there.st_ino;
}

uint64_t recording_file_bytes(const struct recording_file *file, uint64_t written)
{
	struct stat output;

	if (file->to_stdout || fstat(file->fd, &output) || !S_ISREG(output.st_mode))
		return written;
	return (uint64_t)output.st_size;
}

int recording_file_close(struct recording_file *file)
{
	int r = file->fd >= 0 && close(file->fd) ? -errno : 0;

	file->fd = -1;
	return r;
}

/* Opens, changes and closes files, and selects the events to write. */

enum {
	FLUSH_NS = 1000000000,
	/* Maximum overhead of a block over its event. */
	BLOCK_BYTES = 64,
};

struct recording {
	const struct recording_config *config;
	struct state *state;
	bool carries[EVENT_ID_MAX]; /* events that carry state, or requests */
	bool splits; /* files have limits */
	struct recording_name names;
	struct recording_file file;
	const char *name; /* of the open file, or of the last one; also for messages */
	char *written; /* owned: the name of the last file that was opened */
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

/* Finds the events that carry state, or requests; a fat file has them as hidden ones. */
static void find_carriers(struct recording *recording)
{
	const unsigned int parts = STATE_THREADS | STATE_DESCRIPTORS | STATE_CONNECTIONS |
				   STATE_DIRECTORIES | STATE_CONTAINERS | STATE_FILES |
				   STATE_CREATED;
	const unsigned int flags = EF_MODIFIES_STATE | EF_CREATES_FD | EF_DESTROYS_FD;
	const bool *of_requests = recording->config->of_requests;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		recording->carries[id] =
			desc && ((desc->flags & flags) || (state_event_keeps(id) & parts) ||
				 (of_requests && of_requests[id]));
	}
}

static int recording_fail(struct recording *recording, int code, const char *what)
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
	int r = recording_name_next(&recording->names, wall_ns, &recording->name, &replaces);

	if (r)
		return error_set(&recording->err, r, "cannot write %s: %s", recording->config->path,
				 strerror(-r));
	if (recording->file.to_stdout)
		recording->name = "standard output";
	if (replaces)
		unlink(replaces);
	recording->has_begun = false;
	r = recording_file_open(&recording->file, recording->name, &recording->err);
	if (r == 0)
		r = scap_writer_create(recording->file.fd, recording->name,
				       &recording->config->writer, &recording->writer,
				       &recording->err);
	if (r)
		return r;
	free(recording->written);
	recording->written = strdup(recording->name);
	if (!recording->written)
		return error_set(&recording->err, -ENOMEM, "out of memory");
	recording->past.files++;
	recording->past.name = recording->written;
	return 0;
}

bool recording_has_begun(const struct recording *recording)
{
	return recording->has_begun;
}

/* Writes the state. */
int recording_begin(struct recording *recording, uint64_t ns)
{
	int r;

	recording->begin_ns = ns;
	r = state_dump(recording->state, scap_writer_snapshot(recording->writer));
	if (r)
		return recording_fail(recording, r, strerror(-r));
	recording->has_begun = true;
	limit_bytes(recording);
	recording->unflushed = true;
	return recording_flush(recording, clock_ns(CLOCK_MONOTONIC), true);
}

/* Begins a file at an event time; its name has the wall-clock time. */
static int begin_file(struct recording *recording, uint64_t ns, int64_t clock_step_ns)
{
	int r = open_next(recording, ns + (uint64_t)clock_step_ns);

	return r ? r : recording_begin(recording, ns);
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
	int r = 0, closed;

	if (recording->writer) {
		r = scap_writer_flush(recording->writer, &recording->err);
		scap_writer_stats(recording->writer, &stats);
		add_stats(&recording->past, &stats);
		recording->past.at_least = r != 0;
		r = scap_writer_finish(recording->writer, r ? NULL : &recording->err) ?: r;
		recording->past.bytes += recording_file_bytes(&recording->file, stats.bytes_stored);
		recording->writer = NULL;
		if (!recording->has_begun || (r && recording->past.asked == asked_before))
			remove_failed(recording);
	}
	closed = recording_file_close(&recording->file);
	if (closed && r == 0)
		r = recording_fail(recording, closed, strerror(-closed));
	return r;
}

/* Unless it has to wait, or its name needs the time of the first event. */
static int open_first(struct recording *recording)
{
	const struct recording_config *config = recording->config;

	if (config->waits)
		return 0;
	if (config->begins_later)
		return open_next(recording, clock_ns(CLOCK_REALTIME));
	if (!config->read)
		return begin_file(recording, clock_ns(CLOCK_REALTIME), 0);
	return recording->names.timed ? 0 : begin_file(recording, 0, 0);
}

int recording_create(const struct recording_config *config, struct state *state,
		     struct recording **recording, struct error *err)
{
	struct recording *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = config;
	made->state = state;
	made->splits = config->limits.bytes || config->limits.ns || config->limits.events;
	find_carriers(made);
	r = recording_file_init(&made->file, config, &made->err);
	if (r == 0 && recording_name_init(&made->names, config))
		r = error_set(&made->err, -ENOMEM, "out of memory for the names of files");
	if (r == 0)
		r = open_first(made);
	if (r) {
		error_set(err, r, "%s", made->err.text);
		recording_destroy(made);
		return r;
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
	free(recording->written);
	free(recording);
}

/* Whether an event at that time belongs to another file. */
static bool recording_is_full(const struct recording *recording, const struct scap_event *event,
			      uint64_t ns)
{
	const struct agent_recording_limits *limits = &recording->config->limits;
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
	return !recording->writer || !recording->has_begun ||
	       recording_is_full(recording, event, header.ts);
}

int recording_turn(struct recording *recording, const struct scap_event *event)
{
	struct ppm_evt_hdr header;
	int r;

	memcpy(&header, event->frame, sizeof(header));
	if (recording->writer && !recording->has_begun)
		return recording_begin(recording, header.ts);
	r = recording_close(recording);
	return r ? r : begin_file(recording, header.ts, event->clock_step_ns);
}

/* Whether an event of the input, once written, has the description of a container. */
static bool describes(const struct recording *recording, unsigned int id)
{
	return id == EVENT_container ||
	       (id == EVENT_asyncevent && !recording->config->writer.form_2022);
}

static bool is_written(const struct recording *recording, unsigned int id, bool passed)
{
	const struct recording_config *config = recording->config;

	if (config->of_requests && id == EVENT_request)
		return config->copies;
	return passed || config->copies ||
	       ((config->fat || config->of_requests) && recording->carries[id]);
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
		return recording_fail(recording, -ENOMEM, "out of memory");
	event->frame = copy->data;
	if (event_decode(event->frame, event->len, event->cpu, &ev))
		return 0;
	param = description_of(&ev);
	if (param >= 0)
		state_container_json_hide_env((char *)ev.params[param].data, ev.params[param].len);
	return 0;
}

int recording_event(struct recording *recording, const struct scap_event *event, unsigned int id,
		    bool passed)
{
	struct scap_event written = *event;
	int r = 0;

	if (!is_written(recording, id, passed))
		return 0;
	if ((id == EVENT_container || id == EVENT_asyncevent) && !recording->config->container_env)
		r = hide_env(recording, &written);
	if (r)
		return r;
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
