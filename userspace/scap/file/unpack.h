/* SPDX-License-Identifier: MIT */
/*
 * Unpacks a compressed file in a thread of its own, a few blocks before who takes them, so that
 * the reader's work comes on top of that of zlib only where there is a single CPU.
 */
#ifndef SCAP_FILE_UNPACK_H
#define SCAP_FILE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/file/codec.h"

struct scap_unpack;

enum { SCAP_UNPACK_HEAD_MAX = 512 << 10 };

/*
 * Begins with `head`, the `len` bytes that were read from `fd` before (at most
 * SCAP_UNPACK_HEAD_MAX), and reads on from there; the descriptor is borrowed. waits: reading may
 * have to wait, as from a pipe. Returns 0 or -errno.
 */
int scap_unpack_start(const struct codec *codec, int fd, bool waits, const void *head, size_t len,
		      struct scap_unpack **unpack);

/* Ends the thread, also one that waits, and frees all; accepts NULL. */
void scap_unpack_stop(struct scap_unpack *unpack);

/*
 * Takes up to `room` bytes. Returns how many; 0 if none came within `timeout_ms` (negative: wait
 * for ever) or a signal arrived; -ENODATA at the end; another -errno with a problem, after all that
 * could be unpacked was given out: -EPIPE when the file ends too early.
 */
ptrdiff_t scap_unpack_take(struct scap_unpack *unpack, void *to, size_t room, int timeout_ms);

/* What is wrong, after an error. */
const char *scap_unpack_problem(const struct scap_unpack *unpack);

/* Bytes of the file that were read so far, `head` included. */
uint64_t scap_unpack_bytes_read(const struct scap_unpack *unpack);

#endif
