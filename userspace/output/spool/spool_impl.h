/* SPDX-License-Identifier: MIT */
/* What an open spool consists of; for the files of this folder. */
#ifndef OUTPUT_SPOOL_SPOOL_IMPL_H
#define OUTPUT_SPOOL_SPOOL_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "output/spool/folder.h"
#include "output/spool/frame.h"
#include "output/spool/spool.h"
#include "output/spool/state.h"

/*
 * So many numbers are reserved in the state on disk: after a power failure they count as used. Few
 * enough to be near the truth, and many enough to be rarely renewed.
 */
enum { SPOOL_RESERVED_NUMBERS = 1 << 16 };

/* The segment that grows, and when it was last synced: of the writing thread alone. */
struct spool_writer {
	struct spool_encoder encoder;
	int file; /* -1: none */
	bool listed; /* it has a frame, so that the reader can see it */
	uint64_t first; /* position */
	uint32_t salt;
	uint64_t written; /* bytes of the file */
	uint64_t synced_ns; /* CLOCK_MONOTONIC */
	bool unsynced, folder_unsynced;
	int failure; /* of the last write, -errno; 0: none */
	uint64_t retry_ns; /* CLOCK_MONOTONIC: until then nothing is tried */
};

/* Where the reading thread is: of that thread alone. */
struct spool_reader {
	struct spool_decoder decoder;
	struct spool_scan scan; /* of the segment that is open */
	uint64_t segment; /* its first position; 0: none */
	uint64_t passed; /* first position of the last segment of which nothing is left to read */
	struct spool_frame_header frame; /* the one that was found last */
	size_t next; /* index of its first record that was not given out */
	uint64_t position, number; /* of the last record that was given out or lost */
	struct spool_batch batch;
	struct output_record *records; /* owned: of `batch` */
	size_t records_capacity;
	uint64_t seen; /* `appends` when it last looked for a frame */
	unsigned int failures; /* of reads at the same place */
};

struct spool {
	struct spool_config config;
	char *path; /* owned; config.path */
	char stream[SPOOL_STREAM_BYTES + 1];
	int folder, lock_file;
	struct spool_writer writer;
	struct spool_reader reader;

	/* Held while the state is stored and while segments are removed. Before `lock`. */
	pthread_mutex_t files;
	struct spool_state state;
	struct spool_decoder dropped; /* reads what is dropped */
	struct spool_before before; /* set when it is opened */
	uint64_t old_last; /* position of the last record of earlier runs; set when it is opened */
	atomic_bool is_incomplete; /* something is missing that nothing reports */

	pthread_mutex_t lock; /* for all below */
	pthread_cond_t changed;
	struct spool_slot slot; /* the state as it is; it is stored from time to time */
	struct spool_segments segments;
	bool growing; /* the last segment is the writer's */
	uint64_t claimed; /* position of the last record that the reader has, or had */
	uint64_t appends;
	bool losses_attempted; /* drop records about some of them may have been sent */
	/* What an attempt changed last, as it was before. */
	struct {
		uint64_t attempted;
		bool losses_attempted;
	} before_attempt;
	bool losses_redelivered, given_redelivered; /* an earlier run may have reported them */
	bool woken;
	uint64_t used; /* the highest number that is, if that is not in slot.number */
	struct spool_losses losses; /* not given to the reader yet */
	struct spool_losses given; /* not reported yet: batch.lost */
	struct spool_stats stats;
};

/* Whether each batch has to be on disk before it goes on. */
static inline bool spool_syncs_always(const struct spool *spool)
{
	return spool->config.sync_ns == 0;
}

/* store.c */

/*
 * Stores the state, with spool->files held. sync: and waits until it is on disk. Returns 0 or
 * -errno.
 */
int spool_store(struct spool *spool, bool sync);

/* Takes spool->files and stores the state. Returns as spool_store(). */
int spool_store_state(struct spool *spool, bool sync);

/* The position of the last record of a segment, with spool->lock held. */
uint64_t spool_segment_last(const struct spool *spool, size_t i);

/* growing.c: the segment that grows, for the writing thread. */

/*
 * Writes the frame of the encoder, to the end of the segment or as the first one of the next.
 * Returns 0, or -errno: then nothing of it is there.
 */
int spool_grow(struct spool *spool);

/* Ends the segment; the next frame begins another one. */
void spool_end_segment(struct spool *spool);

/* Waits until all that was written is on disk. Returns 0 or -errno. */
int spool_sync_files(struct spool *spool);

/* room.c */

/* Removes the segments whose records are all acknowledged. Returns 0 or -errno. */
int spool_remove_acknowledged(struct spool *spool);

/*
 * For the writing thread: makes room for the frame of the encoder within the limit. Returns 0, or
 * -ENOBUFS if there is none.
 */
int spool_make_room(struct spool *spool);

/* For the writing thread: frees some of the disk. Returns whether it could. */
bool spool_free_some(struct spool *spool);

/* recover.c: makes the state of an opened folder from what is there. Returns 0 or -errno. */
int spool_recover(struct spool *spool, struct error *err);

#endif
