/* SPDX-License-Identifier: MIT */
/*
 * What `agent verify` knows of the records of an output: ranges of numbers, sessions, keys in each
 * schema, lines.
 */
#ifndef AGENT_COMMANDS_VERIFY_H
#define AGENT_COMMANDS_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

/* A set of numbers as ranges, which mostly grows at its end. */

struct verify_range {
	uint64_t from, to; /* both included */
};

/* Zeroed: empty. */
struct verify_ranges {
	struct verify_range *list; /* owned; in order, with a hole after each */
	size_t count, capacity;
};

void verify_ranges_finish(struct verify_ranges *ranges);

/* Adds all numbers of a range. Returns 0 or -ENOMEM. */
int verify_ranges_add(struct verify_ranges *ranges, uint64_t from, uint64_t to);

bool verify_ranges_have(const struct verify_ranges *ranges, uint64_t number);

/* How many numbers there are. */
uint64_t verify_ranges_total(const struct verify_ranges *ranges);

/*
 * The first range of numbers from `from` up to `to` that are in neither set. Returns false if there
 * is none.
 */
bool verify_ranges_find_hole(const struct verify_ranges *a, const struct verify_ranges *b,
			     uint64_t from, uint64_t to, struct verify_range *hole);

/*
 * What arrived of one session of an output: its numbers, and what drop records say of those that
 * did not arrive.
 */

/* A record as far as it matters here. Texts are borrowed. */
struct verify_record {
	const char *id; /* NULL: the record has none */
	size_t stream_len; /* the id begins with that of the session */
	bool is_drop, is_end, redelivered;
	uint64_t number; /* of an end record: of the last one before it; none of a drop record */
	/*
	 * Of a drop record. from: 0: what was lost had no numbers. count: 0: nobody knows; then it
	 * was behind the number `after`.
	 */
	uint64_t from, to, count, after;
	const char *cause; /* of an end record: its reason */
	/* Of an end record: how many records were made for what ends, a run or a file. */
	uint64_t records;
	bool is_of_run;
};

struct verify_cause {
	char *text; /* owned */
	uint64_t count, unnumbered;
	uint64_t unknown; /* drop records without a count */
};

struct verify_session {
	struct verify_session *next;
	char *stream; /* owned */
	struct verify_ranges seen;
	struct verify_ranges said; /* missing by drop records */
	uint64_t records;
	uint64_t redelivered; /* of these, marked */
	uint64_t repeated; /* seen before, and not marked */
	uint64_t dropped; /* numbers that drop records say are missing */
	uint64_t end; /* the last number, by an end record; 0: none */
	char *reason; /* owned; of that one */
	struct verify_first_end {
		bool is_known, is_of_run;
		uint64_t number, records; /* as it says */
		uint64_t here; /* records before it */
	} first_end;
	bool is_live; /* an agent is about to add to it */
	struct verify_cause *causes; /* owned */
	size_t causes_count;
	void *drops; /* owned: a tree of the ids of drop records, for tsearch(3) */
};

/* The sessions in the order of their first records; zeroed: none. */
struct verify_sessions {
	struct verify_session *first, *last_used;
};

void verify_sessions_finish(struct verify_sessions *sessions);

/* Adds a record. Returns 0 or -ENOMEM. */
int verify_sessions_add(struct verify_sessions *sessions, const struct verify_record *record);

/*
 * Appends what arrived and what is missing; returns whether all that is missing is said, and the
 * end is there, or the session is live. Numbers that do not begin with 1 are said; they are wrong
 * if the first end record had more: of a run, or of a file that was rotated, the beginning is cut
 * off.
 */
bool verify_session_append_report(const struct verify_session *session, struct buf *text);

/* The keys of records that tell whether they are complete, in each schema. */

enum verify_key {
	KEY_ID,
	KEY_NUM,
	KEY_REDELIVERED,
	KEY_FROM,
	KEY_TO,
	KEY_COUNT,
	KEY_AFTER,
	KEY_CAUSE,
	KEY_REASON,
	KEY_LAST,
	KEY_RECORDS,
	KEY_DROPPED,
	KEYS_COUNT,
};

enum { VERIFY_SCHEMAS_MAX = 8 };

struct verify_keys {
	char *names[KEYS_COUNT]; /* owned */
};

/* Makes the keys of all schemas; zeroed before. Returns 0 or -ENOMEM. */
int verify_keys_make(struct verify_keys keys[VERIFY_SCHEMAS_MAX], size_t *count);
void verify_keys_finish(struct verify_keys keys[VERIFY_SCHEMAS_MAX]);

/* Reads a record from a line of JSON, in any schema. */

struct line_reader;

/* Returns 0 or -ENOMEM. */
int verify_line_reader_create(struct line_reader **reader);
void verify_line_reader_destroy(struct line_reader *reader); /* accepts NULL */

/*
 * Reads a line without its newline. The record is valid until the next call. Returns 0, -EBADMSG
 * with a message that says what is wrong, or -ENOMEM.
 */
int verify_line_reader_read(struct line_reader *reader, const char *line, size_t len,
			    struct verify_record *record, struct error *err);

#endif
