/* SPDX-License-Identifier: MIT */
/*
 * Looks at a spool without a change to it, also while an agent uses it: for commands. What is
 * appended or removed in the meantime may be seen or not.
 */
#ifndef OUTPUT_SPOOL_INSPECT_H
#define OUTPUT_SPOOL_INSPECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "output/record.h"
#include "output/spool/frame.h"
#include "util/error.h"

struct spool_summary {
	char stream[SPOOL_STREAM_BYTES + 1]; /* empty: no state */
	bool has_state; /* false: an agent would make one from the segments */
	bool closed; /* its last run ended in good order */
	uint64_t acknowledged, attempted; /* positions */
	uint64_t bytes; /* of all files */
	pid_t user; /* the process that uses it; 0: none */
};

struct spool_segment_summary {
	uint64_t first, last; /* positions; last < first: no records */
	uint64_t first_number, last_number;
	uint64_t first_ns, last_ns;
	uint64_t records, frames, bytes;
};

enum spool_damage {
	SPOOL_BAD_HEADER, /* the header of a segment: nothing of it can be read */
	SPOOL_LATER_VERSION,
	SPOOL_NO_FRAME, /* bytes that are no frame */
	SPOOL_BAD_FRAME, /* the index or the compression of a frame */
	SPOOL_BAD_RECORD, /* the checksum of a record */
	SPOOL_MISSING, /* records that are in no frame */
	SPOOL_DAMAGES,
};

extern const char *const spool_damage_texts[SPOOL_DAMAGES];

struct spool_problem {
	enum spool_damage damage;
	uint64_t segment; /* its first position */
	uint64_t offset, bytes; /* of the file; 0, 0: SPOOL_MISSING */
	uint64_t from, to; /* numbers of the records that it concerns; 0: not known */
	uint64_t records; /* how many; 0: not known */
};

/* What is called with what is found. Members that are NULL are not. */
struct spool_visitor {
	/* After the segment was visited. */
	void (*segment)(void *context, const struct spool_segment_summary *segment);
	/* Each record, with its bytes; position: see format.h. Returns whether to go on. */
	bool (*record)(void *context, const struct output_record *record, uint64_t position);
	void (*problem)(void *context, const struct spool_problem *problem);
	void *context;
	/* Records and their checksums are read, too; otherwise only headers of frames. */
	bool records;
};

/*
 * Visits a spool, segment by segment; `summary` is known before the first of them. Returns 0, or
 * -errno with a message: it cannot be read, or is no spool (-ENODATA). What is corrupt is no error,
 * but a problem for the visitor.
 */
int spool_inspect(const char *path, const struct spool_visitor *visitor,
		  struct spool_summary *summary, struct error *err);

#endif
