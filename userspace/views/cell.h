/* SPDX-License-Identifier: MIT */
/*
 * What is kept of a group for a value: sums, the last one, buckets. The engine has an array of
 * cells for each group, and calls what the row of the aggregate says.
 */
#ifndef VIEWS_CELL_H
#define VIEWS_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "util/hash.h"
#include "views/engine.h"
#include "views/memory.h"

/* A copy of the bytes of a text. */
struct views_text {
	uint32_t len, room;
	char data[]; /* with a NUL, as strings of fields have one */
};

struct views_cell {
	uint64_t count; /* of values */
	union {
		int64_t integer;
		double real;
		struct field_value last; /* of fixed size; of a text, its bytes are in `text` */
		struct views_sketch *sketch; /* owned; NULL: none yet */
		uint64_t revision; /* of a text: see views_cell_repeat() */
	};
	struct views_text *text; /* owned; NULL: none */
};

/* Hashes of different values, of all groups together: open addressing, 0 is free. */
struct views_seen {
	uint64_t *hashes; /* owned */
	uint32_t size, count; /* size: a power of two, or 0 */
};

/* What cells need beside themselves. */
struct views_store {
	struct views_memory memory;
	struct views_seen seen;
	struct hash_key secret; /* texts that others choose are hashed */
	struct views_losses losses;
};

/* Forgets all values that were seen. */
void views_seen_clear(struct views_seen *seen);
void views_seen_finish(struct views_seen *seen);

/* Adds the value that an event has; group: the hash of the keys. */
void views_cell_add(struct views_store *store, const struct views_value *by,
		    struct views_cell *cell, uint64_t group, const struct field_value *value);

/*
 * For the last text of a field with FIELD_OF_THREAD: such a text is long to make, and the same for
 * all events with the same revision (thread_revision(), of one engine; 0: not known). Adds the
 * value that was kept with this revision; false: it is not there, so it has to be added, and then
 * noted.
 */
bool views_cell_repeat(struct views_cell *cell, uint64_t revision);
void views_cell_note(struct views_cell *cell, uint64_t revision);

/* Adds that value `count` times. */
void views_cell_add_times(struct views_store *store, const struct views_value *by,
			  struct views_cell *cell, const struct field_value *value, uint64_t count);

/* Adds so many values of which only the power of two is known, in the unit of the histogram. */
void views_cell_add_octave(struct views_store *store, const struct views_value *by,
			   struct views_cell *cell, unsigned int power, uint64_t count);

/* Adds what another cell has. */
void views_cell_merge(struct views_store *store, const struct views_value *by,
		      struct views_cell *cell, const struct views_cell *from);

/* What the cell says for a value of a view, see views_group_value(). */
bool views_cell_result(const struct views_cell *cell, const struct views_value *by,
		       uint64_t span_ns, struct views_result *result);

void views_cell_finish(struct views_store *store, struct views_cell *cell,
		       const struct views_value *by);

/* Whether two values can share a cell: both are made of the same. */
bool views_cell_is_shared(const struct views_value *a, const struct views_value *b);

/* The bytes of a value of a field: of a text its own, else those of `value`. */
const void *views_cell_bytes(const struct views_field *field, const struct field_value *value,
			     size_t *len);

#endif
