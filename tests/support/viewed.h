/* SPDX-License-Identifier: MIT */
/* Views as texts, and engines that count events made by hand. */
#ifndef TESTS_VIEWED_H
#define TESTS_VIEWED_H

#include "drive.h"
#include "views/engine.h"

/* The lines that each view needs, before its keys and values. */
#define VIEW(rest) "name: v\ntitle: t\n" rest

/* Reads a text, which must be right. */
struct views_view *viewed_read(const char *text);

/*
 * Fails unless a text is wrong, with exactly these messages: each "LINE:COLUMN TEXT" where TEXT is
 * a part of the message. Ends with NULL.
 */
void viewed_expect_messages(const char *text, const char *const *messages);

#define WRONG(text, ...) viewed_expect_messages(text, (const char *const[]){__VA_ARGS__, NULL})

/* Process 100 is "sh", and process 200 "cat". */
struct viewed {
	struct drive drive;
	struct views_view *view;
	struct views_engine *engine;
};

void viewed_create(struct viewed *viewed, const char *text, uint32_t groups_max, size_t bytes_max);
void viewed_destroy(struct viewed *viewed);

/* Counts an open of a file with its result. */
void viewed_open(struct viewed *viewed, int64_t tid, int64_t result, const char *name);

/* Counts a write of that many bytes, which took so long. */
void viewed_write(struct viewed *viewed, int64_t tid, int64_t bytes, uint64_t latency_ns);

/* The rows as text: keys, then values, with blanks between, each ended by a newline. */
char *viewed_rows(struct viewed *viewed, uint32_t limit, uint64_t span_ns);

/* Fails unless the rows are these. */
void viewed_expect(struct viewed *viewed, const char *rows);

#endif
