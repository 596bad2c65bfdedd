/* SPDX-License-Identifier: MIT */
/*
 * file:PATH appends records to a file, which is rotated by size and age. Rotation happens between
 * records, and ends the file with an end record; compression and removal are for the thread of the
 * keeper.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/targets/appended.h"
#include "output/targets/rotated.h"
#include "output/targets/kinds.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"

#define NS_PER_S UINT64_C(1000000000)

enum {
	RETRY_S = 10, /* a rotation that failed is not tried with each batch */
};

struct file_keys {
	const char *mode;
	uint64_t rotate_bytes, rotate_ns, keep;
	unsigned int compress; /* enum compress_method */
	bool sync;
};

struct file_target {
	const struct output_config *config; /* borrowed */
	const struct file_keys *keys;
	const char *path;
	bool lines; /* records end with a newline */
	struct appended file;
	uint64_t begin_ns; /* when the file was made, since the epoch */
	uint64_t rotated_ms; /* the newest rotation */
	uint64_t retry_ns; /* monotonic: no rotation before */
	bool gone; /* the file was removed, or the reader of a FIFO went */
	struct rotated_keeper *keeper; /* NULL: the file is not rotated */
	/* For the end record of a file that others follow. */
	const struct output_format *format;
	const struct schema *schema;
	const char *stream; /* borrowed, of the last batch */
	uint64_t last; /* number of the last record */
	uint64_t records; /* that were appended since the file was opened */
};

static bool rotates(const struct file_keys *keys)
{
	return keys->rotate_bytes || keys->rotate_ns;
}

static int file_check(const struct output_config *config, struct error *err)
{
	const struct file_keys *keys = config->own;
	mode_t mode;

	if (config->target[0] == '\0')
		return error_set(err, -EINVAL, "file: a path is missing: file:PATH");
	if (output_mode_read(keys->mode, &mode, err))
		return -EINVAL;
	if (keys->compress != COMPRESS_NONE && !rotates(keys))
		return error_set(err, -EINVAL,
				 "only rotated files are compressed: give rotate-size= or "
				 "rotate-age=, too");
	return 0;
}

/* When the file was made; where the file system does not know, now. */
static uint64_t birth_ns(int fd)
{
	struct statx stat;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &stat) || !(stat.stx_mask & STATX_BTIME))
		return clock_ns(CLOCK_REALTIME);
	return (uint64_t)stat.stx_btime.tv_sec * NS_PER_S + stat.stx_btime.tv_nsec;
}

static int file_open_path(struct file_target *target, struct error *err)
{
	int r = appended_open(&target->file, target->path, target->lines, err);

	if (r)
		return r;
	target->begin_ns = birth_ns(target->file.fd);
	target->gone = false;
	target->records = 0;
	return 0;
}

static void file_append_end(const struct file_target *target, const char *reason, struct buf *text)
{
	struct format_end end = {.schema = target->schema,
				 .ts_ns = clock_ns(CLOCK_REALTIME),
				 .last = target->last,
				 .records = target->records,
				 .reason = reason};
	struct buf id = {0};

	buf_printf(&id, "%s-e%" PRIu64, target->stream, end.ts_ns);
	buf_append_char(&id, '\0');
	end.id = id.failed ? NULL : id.data;
	target->format->records.append_end(&end, text);
	buf_finish(&id);
}

static void file_write_end(struct appended *file, const struct buf *text)
{
	const struct output_record record = {
		.bytes = text->data, .len = (uint32_t)text->len, .flags = RECORD_IS_DROP};
	const struct iovec part = {text->data, text->len};
	const struct output_batch batch = {
		.records = &record, .count = 1, .parts = &part, .parts_count = 1};
	size_t done;

	if (S_ISREG(file->stat.st_mode) && file->stat.st_nlink && !file->torn_number)
		appended_write(file, &batch, 0, text->len, &done);
}

/*
 * Opens the file of that name, which is another one by now, or none. What was open gets its end
 * record; without room on the disk it has none: the next file has what follows.
 */
static int file_follow(struct file_target *target, const char *reason, struct error *err)
{
	struct appended old = target->file;
	struct buf text = {0};
	int r;

	old.fd = fcntl(old.fd, F_DUPFD_CLOEXEC, 0);
	if (target->format && target->records)
		file_append_end(target, reason, &text);
	r = file_open_path(target, err);
	if (r == 0 && old.fd >= 0 && text.len && !text.failed)
		file_write_end(&old, &text);
	appended_finish(&old);
	buf_finish(&text);
	return r;
}

static int file_rotate(struct file_target *target, struct error *err)
{
	int r = rotated_rename(target->path, clock_ns(CLOCK_REALTIME), &target->rotated_ms);

	/* Gone already: another process renamed or removed it. */
	if (r && r != -ENOENT)
		r = appended_fail(r, "rotate", target->path, err);
	else
		r = file_follow(target, "the file was rotated", err);
	if (r)
		target->retry_ns = clock_ns(CLOCK_MONOTONIC) + RETRY_S * NS_PER_S;
	else
		rotated_keeper_wake(target->keeper);
	return r;
}

/* Whether a rotation is allowed now: of a file with contents, and not soon after one that failed.
 */
static bool may_rotate(const struct file_target *target)
{
	return S_ISREG(target->file.stat.st_mode) && target->file.stat.st_size > 0 &&
	       (target->retry_ns == 0 || clock_ns(CLOCK_MONOTONIC) >= target->retry_ns);
}

static bool is_old(const struct file_target *target)
{
	uint64_t now = clock_ns(CLOCK_REALTIME);

	return target->keys->rotate_ns && now > target->begin_ns &&
	       now - target->begin_ns >= target->keys->rotate_ns;
}

/* The newest of the files that earlier runs left, so that the next is newer. */
static int find_newest(struct file_target *target, struct error *err)
{
	int r = rotated_newest(target->path, &target->rotated_ms);

	return r ? appended_fail(r, "list the rotated files of", target->path, err) : 0;
}

static void close_file(void *opened)
{
	struct file_target *target = opened;

	if (!target)
		return;
	rotated_keeper_destroy(target->keeper);
	appended_finish(&target->file);
	free(target);
}

/*
 * In a stream of messages with their lengths before them nobody finds the end of a torn one: each
 * run begins with an empty file.
 */
static int file_set_aside(struct file_target *target, struct error *err)
{
	if (target->lines || !may_rotate(target))
		return 0;
	return file_rotate(target, err);
}

static int targets_open_file(const struct output_config *config, struct output_stop *stop,
			     void **opened, struct error *err)
{
	struct file_target *target = calloc(1, sizeof(*target));
	mode_t mode = 0;
	int r;

	if (!target)
		return error_set(err, -ENOMEM, "out of memory");
	*target = (struct file_target){
		.config = config,
		.keys = config->own,
		.path = config->target,
		.lines = !config->format || strcmp(config->format, "protobuf"),
		.format = output_format_find(output_config_format(config)),
		.schema = schema_find(output_config_schema(config)),
	};
	output_mode_read(target->keys->mode, &mode, err);
	appended_init(&target->file, mode, stop);
	r = file_open_path(target, err);
	if (r == 0 && (rotates(target->keys) || !target->lines))
		r = find_newest(target, err);
	if (r == 0)
		r = file_set_aside(target, err);
	if (r == 0 && (rotates(target->keys) || !target->lines)) {
		r = rotated_keeper_create(target->path, target->keys->keep, target->keys->compress,
					  &target->keeper);
		if (r)
			error_set(err, r, "cannot start a thread for %s: %s", config->text,
				  strerror(-r));
	}
	if (r)
		close_file(target);
	else
		*opened = target;
	return r;
}

/*
 * The offset up to which records of the batch fit in the file: at least one does in an empty one.
 * `i` is the record at the offset `from`, then the one at the result.
 */
static size_t find_end(const struct file_target *target, const struct output_batch *batch,
		       size_t from, size_t *i)
{
	uint64_t max = target->keys->rotate_bytes, size = (uint64_t)target->file.stat.st_size;
	size_t end = from;

	if (max == 0 || !S_ISREG(target->file.stat.st_mode) ||
	    size + (batch->bytes - from) <= max || target->retry_ns) {
		*i = batch->count;
		return batch->bytes;
	}
	for (; *i < batch->count; (*i)++) {
		size_t next = end + batch->records[*i].len;

		if (size + (next - from) > max && !(size == 0 && end == from))
			break;
		end = next;
	}
	return end;
}

/* Before a batch: the file is the one of that name, and not too old. */
static int file_prepare(struct file_target *target, struct error *err)
{
	int r = 0;

	if (target->retry_ns && clock_ns(CLOCK_MONOTONIC) >= target->retry_ns)
		target->retry_ns = 0;
	if (target->gone || appended_moved(&target->file, target->path)) {
		target->gone = target->gone || target->file.stat.st_nlink == 0;
		r = file_follow(target, "the file was renamed", err);
		if (r == 0)
			rotated_keeper_wake(target->keeper);
	}
	if (r == 0 && is_old(target) && may_rotate(target))
		r = file_rotate(target, err);
	return r;
}

/* Remembers what was appended, from one record to another. */
static void file_count(struct file_target *target, const struct output_batch *batch, size_t from,
		       size_t to)
{
	target->stream = batch->stream;
	for (size_t i = from; i < to; i++)
		if (!(batch->records[i].flags & RECORD_IS_DROP)) {
			target->last = batch->records[i].number;
			target->records++;
		}
}

/* Writes what fits in the file, then rotates it, and so on. `done`: the offset where it ended. */
static int write_files(struct file_target *target, struct output_batch *batch, size_t *done,
		       struct error *err)
{
	int rotation = 0, r = 0;
	size_t i = 0;

	while (*done < batch->bytes && r == 0) {
		size_t from = i, end = find_end(target, batch, *done, &i);

		if (end == *done) {
			rotation = file_rotate(target, err);
			continue;
		}
		r = appended_write(&target->file, batch, *done, end, done);
		if (r == 0)
			file_count(target, batch, from, i);
	}
	target->gone = r == -EPIPE;
	if (r && r != -ECANCELED)
		appended_fail(r, "write", target->path, err);
	return r ? r : rotation;
}

static int send_file(void *opened, struct output_batch *batch, struct error *err)
{
	struct file_target *target = opened;
	struct error other;
	int first = file_prepare(target, err), r;
	size_t done = 0;

	/* If none can be opened, the one that was renamed has to do. */
	if (target->gone)
		return first;
	r = write_files(target, batch, &done, first ? &other : err);
	if (target->keys->sync && done && fdatasync(target->file.fd) && errno != EINVAL) {
		r = appended_fail(-errno, "synchronise", target->path, first ? &other : err);
		batch->uncertain = true;
		done = 0;
	}
	output_batch_set_bytes(batch, done);
	return first ? first : r;
}

/* A file without new records grows old, too. */
static int file_tick(void *opened, struct error *err)
{
	struct file_target *target = opened;
	int r = rotated_keeper_result(target->keeper, err);

	if (r == 0 && target->keys->rotate_ns)
		r = file_prepare(target, err);
	return r;
}

static int reopen(void *opened, struct error *err)
{
	struct file_target *target = opened;

	if (appended_moved(&target->file, target->path))
		return file_follow(target, "the file was renamed", err);
	return file_open_path(target, err);
}

#define MEMBER(member) offsetof(struct file_keys, member)
static const struct output_key keys[] = {
	{"mode", "MODE", "permissions of the files that are made", OUTPUT_TEXT, MEMBER(mode),
	 "600"},
	{"rotate-size", "BYTES",
	 "begins a new file before this one gets larger, but for its end record", OUTPUT_BYTES,
	 MEMBER(rotate_bytes)},
	{"rotate-age", "TIME", "begins a new file when this one is so old", OUTPUT_TIME,
	 MEMBER(rotate_ns)},
	{"keep", "COUNT", "how many rotated files remain; 0: all", OUTPUT_COUNT, MEMBER(keep),
	 "10"},
	{"compress", "METHOD", "compresses rotated files: none, gzip or zstd", OUTPUT_WORD,
	 MEMBER(compress), "none", COMPRESS_WORDS},
	{"sync", "yes|no", "each batch is on disk before it counts as delivered", OUTPUT_FLAG,
	 MEMBER(sync)},
	{0},
};
static const char *const names[] = {"file", NULL};

const struct output_kind output_kind_file = {
	.names = names,
	.target = "PATH",
	.help = "appends to a file; rotates it",
	.keys = keys,
	.own_bytes = sizeof(struct file_keys),
	.acknowledges = true,
	.is_alone = true,
	.uses = OUTPUT_USES_FOLDER,
	.check = file_check,
	.open = targets_open_file,
	.send = send_file,
	.tick = file_tick,
	.reopen = reopen,
	.close = close_file,
};
