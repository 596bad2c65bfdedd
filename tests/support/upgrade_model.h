/* SPDX-License-Identifier: MIT */
/*
 * The upgrade of old events once more, and simply: it reads events.tsv and scap-conversions.tsv in
 * tests/reference/facts and does what they say, a row after the other. Also makes old events.
 */
#ifndef TESTS_UPGRADE_MODEL_H
#define TESTS_UPGRADE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_CODES = 454, MODEL_PARAMS_MAX = 33, MODEL_VALUE_BYTES = 256 };

struct model_type {
	char name[24]; /* "UINT32" */
};

/* A row of events.tsv. */
struct model_event {
	bool old, unused, managed, enter, large;
	unsigned int nparams;
	struct model_type types[MODEL_PARAMS_MAX];
};

struct model_value {
	uint32_t len;
	uint8_t bytes[MODEL_VALUE_BYTES];
};

/* An event of any age. */
struct model_frame {
	unsigned int code, nparams;
	struct model_value params[MODEL_PARAMS_MAX];
};

/* A row of scap-conversions.tsv. */
struct model_row {
	unsigned int code, nparams, to;
	bool keeps, gives, appends;
	char sources[700];
};

enum { MODEL_ROWS_MAX = 512, MODEL_FRAME_BYTES = 26 + MODEL_PARAMS_MAX * (4 + MODEL_VALUE_BYTES) };

extern struct model_event model_events[MODEL_CODES];
extern struct model_row model_rows[MODEL_ROWS_MAX];
extern unsigned int model_rows_count;

/* Reads the tables; the test fails when they are not there. */
void model_load(void);

/* The row for that many parameters, or NULL. */
const struct model_row *model_row_of(unsigned int code, unsigned int nparams);

/*
 * An event with `nparams` parameters, each with a value of its type that no other one has, and that
 * depends on `seed`.
 */
void model_make(struct model_frame *frame, unsigned int code, unsigned int nparams, uint8_t seed);

/*
 * Does what the tables say. `enter` has what the thread did before, NULL: nothing. Returns 1 if
 * it is given out, 0 if not, or -1 when the tables forbid it. `keeps`: whether it is kept.
 */
int model_upgrade(struct model_frame *frame, const struct model_frame *enter, bool *keeps);

/* Writes it as in a file; returns the bytes written. */
size_t model_write(const struct model_frame *frame, int64_t tid, uint8_t *bytes);

#endif
