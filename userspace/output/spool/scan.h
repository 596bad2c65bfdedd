/* SPDX-License-Identifier: MIT */
/*
 * The frames of one segment, from header to header. What is no valid frame is skipped, up to the
 * next one.
 */
#ifndef OUTPUT_SPOOL_SCAN_H
#define OUTPUT_SPOOL_SCAN_H

#include <stdint.h>

#include "output/spool/folder.h"
#include "output/spool/format.h"

struct spool_scan {
	int fd; /* owned by who opened it */
	uint32_t salt;
	uint64_t at; /* where the next frame is expected */
	uint64_t end; /* where the file ends; the caller can move it on */
	uint64_t position; /* of the next record at least: frames do not go back */
	uint64_t limit; /* positions from this one on are in no frame here; the caller can move it
			   on */
	uint64_t skipped; /* bytes that were no frame, so far */
	uint64_t frame; /* offset of the frame that was found last */
};

/*
 * Reads and checks the header of a segment whose name says this first position. Returns 0, -EBADMSG
 * (corrupt), -EPROTONOSUPPORT (a later version) or what pread(2) gives.
 */
int spool_segment_read_header(int fd, uint64_t first, struct spool_segment_header *header);

/* Sets the checksum. */
void spool_segment_seal(struct spool_segment_header *header);

/*
 * Opens a segment of a folder, whose header must be valid; release it with close(scan->fd). Returns
 * 0 or -errno as above or of openat(2); then scan->fd is -1.
 */
int spool_scan_open(struct spool_scan *scan, int folder, const struct spool_segment *segment);

/*
 * Finds the next frame. Returns 1, 0 after the last one, or what pread(2) gives: then it can be
 * tried again.
 */
int spool_scan_next(struct spool_scan *scan, struct spool_frame_header *header);

#endif
