/* SPDX-License-Identifier: MIT */
/*
 * The series of what was asked for lately, by what the events said: most requests are like another
 * one, and need neither labels nor the table. Of fixed size; a new entry replaces an older one.
 */
#ifndef REQUESTS_METRICS_MEMO_H
#define REQUESTS_METRICS_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "requests/metrics/view.h"

struct series;

enum { MEMO_ENTRIES = 1024, MEMO_BYTES_MAX = 296 };

/* All that decides which series a request is of. */
struct memo_facts {
	uint64_t hash;
	struct series *series; /* of an entry; NULL: it is not in use */
	uint32_t len;
	uint8_t bytes[MEMO_BYTES_MAX];
};

struct memo {
	struct memo_facts entries[MEMO_ENTRIES];
};

/* Gathers them; false: they are too many. */
bool memo_gather(const struct view *view, struct memo_facts *facts);

/* The series of these facts; NULL: not known here. */
struct series *memo_find(const struct memo *memo, const struct memo_facts *facts);

void memo_note(struct memo *memo, const struct memo_facts *facts, struct series *series);

/* Forgets all: a series is gone. */
void memo_clear(struct memo *memo);

#endif
