/* SPDX-License-Identifier: MIT */
/* The segment that grows: its begin, its frames, its end, and when all of it is on disk. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "output/spool/spool_impl.h"
#include "util/clock.h"

static int make_file(struct spool *spool, const char *name, struct spool_segment_header *header)
{
	int file, r;

	if (getrandom(&header->salt, sizeof(header->salt), 0) != sizeof(header->salt))
		return -EIO;
	spool_segment_seal(header);
	file = openat(spool->folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		      0600);
	if (file < 0)
		return -errno;
	r = spool_file_write(file, header, sizeof(*header), 0);
	if (r < 0) {
		unlinkat(spool->folder, name, 0);
		close(file);
		return r;
	}
	return file;
}

static int begin_segment(struct spool *spool)
{
	struct spool_writer *writer = &spool->writer;
	struct spool_segment_header header = {
		.magic = SPOOL_SEGMENT_MAGIC,
		.version = SPOOL_VERSION,
		.first = spool->slot.appended + 1,
		.created_ns = clock_ns(CLOCK_REALTIME),
	};
	char name[SPOOL_NAME_BYTES];
	int r;

	pthread_mutex_lock(&spool->lock);
	r = spool_segments_reserve(&spool->segments);
	pthread_mutex_unlock(&spool->lock);
	if (r < 0)
		return r;
	memcpy(header.stream, spool->stream, sizeof(header.stream));
	spool_segment_name(header.first, name);
	r = make_file(spool, name, &header);
	if (r < 0)
		return r;
	writer->file = r;
	writer->listed = false;
	writer->first = header.first;
	writer->salt = header.salt;
	writer->written = sizeof(header);
	writer->folder_unsynced = true;
	return 0;
}

void spool_end_segment(struct spool *spool)
{
	struct spool_writer *writer = &spool->writer;
	char name[SPOOL_NAME_BYTES];

	if (writer->file < 0)
		return;
	if (writer->unsynced)
		spool_sync_files(spool);
	close(writer->file);
	writer->file = -1;
	if (!writer->listed) {
		/* It has no frame. If it stays, the next one takes its place. */
		spool_segment_name(writer->first, name);
		unlinkat(spool->folder, name, 0);
		return;
	}
	pthread_mutex_lock(&spool->lock);
	spool->growing = false;
	pthread_mutex_unlock(&spool->lock);
}

int spool_sync_files(struct spool *spool)
{
	struct spool_writer *writer = &spool->writer;
	int r = 0;

	if (writer->file >= 0 && fdatasync(writer->file))
		r = -errno;
	if (writer->folder_unsynced && fsync(spool->folder))
		r = -errno;
	writer->synced_ns = clock_ns(CLOCK_MONOTONIC);
	writer->unsynced = writer->folder_unsynced = false;
	if (r < 0) {
		pthread_mutex_lock(&spool->lock);
		spool->stats.failed_syncs++;
		pthread_mutex_unlock(&spool->lock);
	}
	return r;
}

/*
 * What a failed write left is removed. Where that fails the next segment begins at its position, so
 * that whoever reads it knows that it is not valid.
 */
static void growing_cut_back(struct spool *spool)
{
	if (ftruncate(spool->writer.file, (off_t)spool->writer.written))
		spool_end_segment(spool);
}

int spool_grow(struct spool *spool)
{
	struct spool_writer *writer = &spool->writer;
	const struct buf *frame = &writer->encoder.frame;
	int r;

	if (writer->file >= 0 && writer->written >= spool->config.segment_bytes)
		spool_end_segment(spool);
	if (writer->file < 0) {
		r = begin_segment(spool);
		if (r < 0)
			return r;
	}
	spool_encoder_seal(&writer->encoder, writer->salt);
	r = spool_file_write(writer->file, frame->data, frame->len, writer->written);
	if (r == 0 && spool_syncs_always(spool))
		r = spool_sync_files(spool);
	if (r < 0) {
		growing_cut_back(spool);
		return r;
	}
	writer->written += frame->len;
	writer->unsynced = !spool_syncs_always(spool);
	return 0;
}
