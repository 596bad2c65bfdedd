/* SPDX-License-Identifier: MIT */
/*
 * A spool keeps the records of one output on disk until they are acknowledged. One thread appends
 * batches, another one reads them, in order, also those of earlier runs. What may have been sent
 * before is marked, what is acknowledged is never read again, and what is lost is reported.
 */
#ifndef OUTPUT_SPOOL_SPOOL_H
#define OUTPUT_SPOOL_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "output/record.h"
#include "output/spool/frame.h"
#include "util/error.h"

/* Records that a spool lost, by cause. */

enum spool_cause {
	/* That it could not store: spool_append() failed. */
	SPOOL_LOST_NO_SPACE, /* the disk was full */
	SPOOL_LOST_IO, /* the disk could not be written */
	/* The limit was reached: the oldest were removed, or new ones not stored. */
	SPOOL_LOST_LIMIT,
	/* That it stored. */
	SPOOL_LOST_CORRUPT, /* not readable any more */
	SPOOL_LOST_POWER, /* not on disk when the machine stopped; at most so many */
	/* By the target, which got them. */
	SPOOL_LOST_REJECTED,
	SPOOL_LOST_TOO_LARGE,
	SPOOL_CAUSES,
};

/* As drop records say them. */
extern const char *const spool_cause_texts[SPOOL_CAUSES];

/* A zeroed struct is no loss. */
struct spool_loss {
	uint64_t from, to; /* numbers: all that are lost are in this range */
	uint64_t count; /* how many */
	uint64_t first_ns, last_ns; /* of these; 0: not known */
};

struct spool_losses {
	struct spool_loss causes[SPOOL_CAUSES];
	uint64_t events[SPOOL_CAUSES][EVENT_ID_MAX]; /* by type, where that is known */
};

/* Widens `loss` by another one. */
void spool_loss_merge(struct spool_loss *loss, const struct spool_loss *more);

/* Adds one record. */
void spool_losses_add(struct spool_losses *losses, enum spool_cause cause, uint64_t number,
		      uint64_t ts_ns, unsigned int event);

void spool_losses_merge(struct spool_losses *losses, const struct spool_losses *more);

bool spool_losses_any(const struct spool_losses *losses);

struct spool;

enum spool_when_full { SPOOL_DROP_OLDEST, SPOOL_DROP_NEWEST };

enum { SPOOL_LIMIT_MIN = 256 * 1024 };

struct spool_config {
	const char *path; /* of the folder; it is made, not those above it */
	uint64_t limit_bytes; /* of the folder, at least SPOOL_LIMIT_MIN */
	uint64_t
		segment_bytes; /* of a file, about; 0: 16 MiB, or less for small limits and disks */
	uint64_t sync_ns; /* at most so much of the last time is lost with power; 0: nothing */
	int level; /* of zstd; 0: not compressed */
	enum spool_when_full when_full; /* what is dropped at the limit */
};

/*
 * Opens a spool, or makes one. Takes as long for a large backlog as for a small one. Returns 0, or
 * -errno with a message; -EBUSY: another process uses it.
 */
int spool_open(const struct spool_config *config, struct spool **spool, struct error *err);

/*
 * Whether a later spool_open() can succeed without a change of the configuration: the disk was full
 * or read-only, it failed, the folder was not mounted, another process still had it.
 */
bool spool_may_open_later(int code);

/* Stores what is left. No other thread may use it any more. Accepts NULL. */
void spool_close(struct spool *spool);

/* The id of the life of this spool, SPOOL_STREAM_BYTES digits. */
const char *spool_stream(const struct spool *spool);

/* The number of the last record that was appended or may have been; 0: none. */
uint64_t spool_last_number(const struct spool *spool);

/* How the run before ended. */
struct spool_before {
	/*
	 * It was killed, or the machine stopped: records behind spool_last_number() that it had not
	 * stored are lost, and nobody knows how many.
	 */
	bool was_interrupted;
	uint64_t known_ns; /* since the epoch: none of these is older; 0: not known */
};

const struct spool_before *spool_before(const struct spool *spool);

/* For the writing thread: */

/*
 * Stores a batch: up to SPOOL_RECORDS_MAX records, SPOOL_DATA_BYTES_MAX bytes; numbers do not go
 * back. Returns 0, or -errno with a message: nothing is stored, and these records are the caller's
 * loss, with the cause spool_cause(). After a failed write it returns that error without a further
 * try for a second.
 */
int spool_append(struct spool *spool, const struct output_record *records, size_t count,
		 struct error *err);

/*
 * Numbers up to this one are used, whether or not their records are stored: to be called before the
 * drop record that says so. No later run uses them again.
 */
void spool_use_numbers(struct spool *spool, uint64_t number);

/*
 * At the end: records that could not be stored, and of which no drop record could be, either. The
 * next run reports them.
 */
void spool_lose(struct spool *spool, enum spool_cause cause, const struct spool_loss *loss);

/* At the end: something was lost without a cause here. The next run says that this one did not end
 * well. */
void spool_set_incomplete(struct spool *spool);

/* The cause of a loss by this error of spool_append(). */
enum spool_cause spool_cause(int code);

/*
 * Writes to disk what is not there yet, if that is due: to be called about once per sync_ns while
 * nothing is appended. Returns 0 or -errno.
 */
int spool_sync(struct spool *spool);

/*
 * Looks whether others removed the folder, or files in it: to be called about once a second. A file
 * is made anew, and what it had is lost as what is corrupt. Returns 0; -ESTALE: the folder is gone,
 * with all that was not read yet; see spool_renew().
 */
int spool_look(struct spool *spool);

/*
 * After -ESTALE: makes the folder anew, not those above it. Neither thread may use the spool
 * meanwhile. The session goes on, without the records that were there. lost: their numbers, and
 * times as far as these are known; the caller knows how many they were. Returns 0, or -errno with a
 * message: it may be called again.
 */
int spool_renew(struct spool *spool, struct spool_loss *lost, struct error *err);

/* For the reading thread: */

struct spool_batch {
	const struct output_record *records; /* those sent before are flagged RECORD_REDELIVERED */
	size_t count;
	const char *data; /* the bytes of all records in a row */
	size_t bytes;
	uint64_t first; /* position of the first record; that of record i is first + i */
	/*
	 * What was lost before it, and not reported yet; NULL: nothing. lost_redelivered: an
	 * earlier run may have reported it. See spool_lost_reported().
	 */
	const struct spool_losses *lost;
	bool lost_redelivered;
};

/*
 * Waits up to `timeout_ns` for the next batch. It is valid until the next call. Returns 1, 0 (none,
 * or spool_wake()), or -errno with a message: try again after a while.
 */
int spool_read(struct spool *spool, uint64_t timeout_ns, struct spool_batch *batch,
	       struct error *err);

/*
 * To be called before records up to this position are sent for the first time. Returns 0, or -errno
 * with a message: then they must not be sent, since nothing would tell the next run.
 */
int spool_attempt(struct spool *spool, uint64_t position, struct error *err);

/*
 * Nothing of what was sent since the last spool_attempt() or spool_attempt_lost() can have arrived:
 * it is as before that call, so that the next run does not mark it. To be called before the next
 * try, which is an attempt of its own.
 */
void spool_withdraw(struct spool *spool);

/*
 * All records up to this position were delivered, or never will be: they are not read again, and
 * their files are removed. Returns 0, or -errno with a message if that could not be stored: it will
 * be with the next call.
 */
int spool_acknowledge(struct spool *spool, uint64_t position, struct error *err);

/*
 * Does what spool_acknowledge() does where the record at that position is not in the last batch:
 * its number, and the time of the record behind it; 0: not known.
 */
int spool_acknowledge_record(struct spool *spool, uint64_t position, uint64_t number,
			     uint64_t next_ns, struct error *err);

/*
 * A record that was read will never be delivered: it is lost, and reported as all that is. To be
 * called before it is acknowledged.
 */
void spool_lose_record(struct spool *spool, enum spool_cause cause,
		       const struct output_record *record);

/* What was lost and is not reported, as batch->lost, while there is no batch; NULL: nothing. */
const struct spool_losses *spool_lost(struct spool *spool, bool *redelivered);

/* To be called before what was lost is said, as spool_attempt(). */
int spool_attempt_lost(struct spool *spool, struct error *err);

/*
 * To be called when neither thread uses the spool any more. These records, from a position on (0:
 * there are none), and those that were read behind them, remain for the next run. Counts those as
 * lost that the limit has removed from the disk since they were read. lost_old_drops gets the drop
 * records behind `records`: of these the caller knows.
 */
void spool_leave(struct spool *spool, uint64_t position, const struct output_record *records,
		 size_t count);

/* What was said to be lost is reported, and delivered. Returns 0, or -errno with a message. */
int spool_lost_reported(struct spool *spool, struct error *err);

/* For any thread: */

/* Ends the current spool_read(), or the next one. */
void spool_wake(struct spool *spool);

struct spool_stats {
	uint64_t bytes, segments; /* of the folder now */
	uint64_t records; /* not acknowledged */
	uint64_t last; /* position of the last record */
	uint64_t oldest_ns; /* time of the first of these, since the epoch; 0: none, or not known */
	uint64_t appended, acknowledged; /* records, in this run */
	uint64_t redelivered; /* of those read in this run, how many were marked */
	/*
	 * Records that it had, in this run, or that the target rejected. Drop records are none of
	 * them, and what these said to be missing was counted when it was.
	 */
	uint64_t lost[SPOOL_CAUSES];
	uint64_t refused[SPOOL_CAUSES]; /* that spool_append() did not take, drop records, too */
	uint64_t lost_old_drops; /* drop records of earlier runs that will not be read */
	uint64_t skipped_bytes; /* that are no frame, and the rest of a write that was cut off */
	uint64_t failed_writes, failed_syncs, failed_stores; /* of segments; of the state */
	bool rebuilt; /* the state was corrupt or lost, and made anew from the segments */
};

void spool_stats(struct spool *spool, struct spool_stats *stats);

#endif
