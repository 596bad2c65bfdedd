/* SPDX-License-Identifier: MIT */
/*
 * The format of pprof: a protobuf message, compressed by gzip, with addresses, files and labels.
 * Samples have the labels process, pid, thread, tid, and where they are known container, pod,
 * namespace, reason (off CPU), incomplete (why frames are missing).
 */
#ifndef PROFILE_FORMATS_PPROF_H
#define PROFILE_FORMATS_PPROF_H

#include "profile/names/names.h"
#include "profile/stacks.h"
#include "util/buf.h"

/* Appends a file. Returns 0 or -ENOMEM. */
int pprof_write(const struct stacks *stacks, const struct profile_names *names, struct buf *out);

/* Appends the message of such a file, before it is compressed. Returns 0 or -ENOMEM. */
int pprof_write_plain(const struct stacks *stacks, const struct profile_names *names,
		      struct buf *out);

#endif
