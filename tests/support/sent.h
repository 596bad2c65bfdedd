/* SPDX-License-Identifier: MIT */
/* A target as an output has it, and batches of lines for it. */
#ifndef TESTS_SENT_H
#define TESTS_SENT_H

#include "output/target.h"

enum { SENT_LINE_MAX = 256 };

struct sent_target {
	const struct output_kind *kind;
	struct output_config *config;
	struct output_stop stop;
	void *target;
};

/* Opens what an option --output would, say "file:/x,keep=1". The test fails if it cannot. */
void sent_open(struct sent_target *target, const struct output_kind *kind, const char *text);

/* The same where it may fail. After a failure there is nothing to close. */
int sent_try(struct sent_target *target, const struct output_kind *kind, const char *text,
	     struct error *err);
void sent_close(struct sent_target *target);

/* The records from a number on: "N ...\n", of `len` bytes each. Release with sent_finish(). */
struct sent {
	struct output_batch batch;
	struct output_record *records; /* owned */
	char *bytes; /* owned */
	struct iovec part;
};

void sent_init(struct sent *sent, uint64_t number, size_t count, size_t len);

/* One record of any bytes. */
void sent_init_text(struct sent *sent, uint64_t number, const char *text);

/* Records of these texts. */
void sent_init_texts(struct sent *sent, uint64_t number, const char *const *texts, size_t count);
void sent_finish(struct sent *sent);

/* How many records have a result. */
size_t sent_count(const struct sent *sent, enum output_result result);

/*
 * Sends records until all have a result; fails if one is rejected, or if nothing gets on for some
 * seconds. Returns how often an error was reported; `err` has the last one.
 */
size_t sent_all(struct sent_target *target, uint64_t number, size_t count, size_t len,
		struct error *err);

#endif
