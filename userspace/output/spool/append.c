/* SPDX-License-Identifier: MIT */
/* The writing side: batches, failures, and when data gets to the disk. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "output/spool/spool_impl.h"
#include "util/clock.h"

#define RETRY_NS UINT64_C(1000000000)

enum spool_cause spool_cause(int code)
{
	switch (code) {
	case -ENOBUFS:
		return SPOOL_LOST_LIMIT;
	case -ENOSPC:
	case -EDQUOT:
		return SPOOL_LOST_NO_SPACE;
	}
	return SPOOL_LOST_IO;
}

/* Makes sure that no later run uses these numbers again, whatever gets to the disk. */
static int append_reserve(struct spool *spool, uint64_t last)
{
	uint64_t before = spool->slot.reserved;
	int r;

	if (spool_syncs_always(spool) || last <= before)
		return 0;
	pthread_mutex_lock(&spool->lock);
	spool->slot.reserved = last + SPOOL_RESERVED_NUMBERS;
	pthread_mutex_unlock(&spool->lock);
	r = spool_store_state(spool, true);
	if (r < 0) {
		pthread_mutex_lock(&spool->lock);
		spool->slot.reserved = before;
		pthread_mutex_unlock(&spool->lock);
	}
	return r;
}

static int append_write_frame(struct spool *spool, uint64_t last_number)
{
	int r = spool_make_room(spool);

	if (r == 0)
		r = append_reserve(spool, last_number);
	if (r == 0)
		r = spool_grow(spool);
	if (spool_cause(r) == SPOOL_LOST_NO_SPACE && spool_free_some(spool))
		r = spool_grow(spool);
	return r;
}

/* From here on the reader can see it. */
static void append_publish(struct spool *spool, const struct output_record *records, size_t count)
{
	struct spool_writer *writer = &spool->writer;
	struct spool_segment *segment;

	pthread_mutex_lock(&spool->lock);
	if (!writer->listed)
		spool_segments_add(&spool->segments,
				   &(struct spool_segment){.first = writer->first});
	writer->listed = spool->growing = true;
	segment = &spool->segments.items[spool->segments.count - 1];
	spool->stats.bytes -= spool_bytes_on_disk(segment->bytes);
	segment->bytes = writer->written;
	spool->stats.bytes += spool_bytes_on_disk(segment->bytes);
	if (spool->slot.acknowledged == spool->slot.appended)
		spool->stats.oldest_ns = records[0].ts_ns;
	spool->slot.appended += count;
	spool->slot.number = records[count - 1].number;
	spool->slot.known_ns = records[count - 1].ts_ns;
	spool->stats.appended += count;
	spool->appends++;
	pthread_cond_signal(&spool->changed);
	pthread_mutex_unlock(&spool->lock);
}

static const char *append_advice(int code)
{
	switch (code) {
	case -ENOBUFS:
		return "its limit is reached";
	case -EMSGSIZE:
		return "the batch is too large";
	}
	return strerror(-code);
}

static int append_fail(struct spool *spool, size_t count, int code, struct error *err)
{
	struct spool_writer *writer = &spool->writer;

	pthread_mutex_lock(&spool->lock);
	spool->stats.refused[spool_cause(code)] += count;
	spool->stats.failed_writes += code != -ENOBUFS;
	pthread_mutex_unlock(&spool->lock);
	if (code != -ENOBUFS && code != -EMSGSIZE && code != -EINVAL) {
		writer->failure = code;
		writer->retry_ns = clock_ns(CLOCK_MONOTONIC) + RETRY_NS;
	}
	return error_set(err, code, "cannot write to the spool %s: %s", spool->path,
			 append_advice(code));
}

/* Refuses a batch without a try, which would cost a system call for each. */
static int append_refuse(struct spool *spool, size_t count, struct error *err)
{
	int r = spool->writer.failure;

	pthread_mutex_lock(&spool->lock);
	spool->stats.refused[spool_cause(r)] += count;
	pthread_mutex_unlock(&spool->lock);
	return error_set(err, r, "cannot write to the spool %s: %s", spool->path, append_advice(r));
}

int spool_append(struct spool *spool, const struct output_record *records, size_t count,
		 struct error *err)
{
	struct spool_writer *writer = &spool->writer;
	int r;

	if (writer->failure && clock_ns(CLOCK_MONOTONIC) < writer->retry_ns)
		return append_refuse(spool, count, err);
	r = spool_encode(&writer->encoder, spool->slot.appended + 1, records, count);
	if (r == 0 && records[0].number < spool->slot.number)
		r = -EINVAL;
	if (r == 0)
		r = append_write_frame(spool, records[count - 1].number);
	if (r < 0)
		return append_fail(spool, count, r, err);
	writer->failure = 0;
	append_publish(spool, records, count);
	/* What fails here is counted, and not the loss of this batch. */
	spool_sync(spool);
	return 0;
}

void spool_use_numbers(struct spool *spool, uint64_t number)
{
	bool more;

	pthread_mutex_lock(&spool->lock);
	more = number > spool->used && number > spool->slot.number;
	if (more)
		spool->used = number;
	pthread_mutex_unlock(&spool->lock);
	if (more)
		spool_store_state(spool, spool_syncs_always(spool));
}

void spool_lose(struct spool *spool, enum spool_cause cause, const struct spool_loss *loss)
{
	pthread_mutex_lock(&spool->lock);
	spool_loss_merge(&spool->losses.causes[cause], loss);
	if (loss->last_ns > spool->slot.known_ns)
		spool->slot.known_ns = loss->last_ns;
	pthread_mutex_unlock(&spool->lock);
	spool_use_numbers(spool, loss->to);
}

void spool_set_incomplete(struct spool *spool)
{
	atomic_store(&spool->is_incomplete, true);
}

static bool is_removed(int fd)
{
	struct stat status;

	return fd >= 0 && fstat(fd, &status) == 0 && status.st_nlink == 0;
}

/* The state is in memory, and stored in another file. */
static void renew_state(struct spool *spool)
{
	int file = openat(spool->folder, "state", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (file < 0)
		return;
	pthread_mutex_lock(&spool->files);
	/* The number stays: the other thread may be about to sync it. */
	if (dup3(file, spool->state.fd, O_CLOEXEC) >= 0)
		spool_store(spool, true);
	pthread_mutex_unlock(&spool->files);
	close(file);
}

int spool_look(struct spool *spool)
{
	if (is_removed(spool->folder))
		return -ESTALE;
	if (is_removed(spool->state.fd))
		renew_state(spool);
	if (is_removed(spool->writer.file))
		spool_end_segment(spool);
	return 0;
}

int spool_sync(struct spool *spool)
{
	struct spool_writer *writer = &spool->writer;
	int r, stored;

	if (!writer->unsynced ||
	    clock_ns(CLOCK_MONOTONIC) - writer->synced_ns < spool->config.sync_ns)
		return 0;
	r = spool_sync_files(spool);
	stored = spool_store_state(spool, true);
	return r < 0 ? r : stored;
}
