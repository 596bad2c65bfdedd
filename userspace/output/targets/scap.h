/* SPDX-License-Identifier: MIT */
/*
 * scap:PATH is a ring of capture files. It takes no records but the events as they were captured,
 * which the thread of events writes: see agent/record/captures.h.
 */
#ifndef OUTPUT_TARGETS_SCAP_H
#define OUTPUT_TARGETS_SCAP_H

#include <stdbool.h>
#include <stdint.h>

#include "output/target.h"
#include "scap/file/sink.h"

/* Members in the order of the keys, which document them. */
struct scap_keys {
	const char *mode;
	uint64_t rotate_bytes, rotate_ns, keep;
	unsigned int compress; /* enum scap_compression */
	bool fat, native;
	unsigned int compat; /* enum scap_compat */
};

enum scap_compat { SCAP_COMPAT_NONE, SCAP_COMPAT_2022 };

extern const struct output_kind output_kind_scap;

#endif
