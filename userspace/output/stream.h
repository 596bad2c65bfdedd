/* SPDX-License-Identifier: MIT */
/* Writes batches to descriptors that take a stream of bytes. */
#ifndef OUTPUT_STREAM_H
#define OUTPUT_STREAM_H

#include "output/record.h"
#include "output/stop.h"

/*
 * Writes the bytes of a batch from the offset `*done` up to `end` and counts those written there,
 * also before an error. Waits for a descriptor that takes none, which should not block for this. Returns 0, -ECANCELED
 * (stopped), or another -errno.
 */
int stream_write(int fd, const struct output_stop *stop, const struct output_batch *batch,
		 size_t end, size_t *done);

#endif
