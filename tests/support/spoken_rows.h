/* SPDX-License-Identifier: MIT */
/* Rows of what is said and what a protocol makes of it, tried in all ways to cut the bytes. */
#ifndef TESTS_SPOKEN_ROWS_H
#define TESTS_SPOKEN_ROWS_H

#include "spoken.h"

/* A table and how many rows it has. */
#define ROWS(rows) rows, sizeof(rows) / sizeof((rows)[0])

struct spoken_row {
	const char *what;
	enum protocol_side side;
	const char *bytes;
	const char *text; /* of spoken_text() */
	const struct protocol_message *requests;
	size_t requests_count;
	size_t len; /* 0: up to the NUL */
	bool looks_ahead; /* what follows decides, and so does whether it is there yet */
};

/*
 * Asserts the text of each row: at once; cut in two at every byte; in pieces of 1, 2, 3 and 7
 * bytes. Where nothing is known behind a byte, nothing else is said up to there, but for the last
 * message.
 */
void spoken_expect(const struct protocol *protocol, const struct spoken_row *rows, size_t count);

/* Asserts that promises are kept, whatever the row's bytes are changed to, one at a time. */
void spoken_expect_flips(const struct protocol *protocol, const struct spoken_row *rows,
			 size_t count);

/* Bytes of a side, and what they are taken for; or where something begins in them. */
struct spoken_sample {
	enum protocol_side side;
	const char *bytes;
	size_t len;
	enum protocol_verdict verdict;
	size_t at; /* .len: nowhere */
};

#define SAMPLE(side, bytes, verdict)                                                               \
	{                                                                                          \
		side, bytes, sizeof(bytes) - 1, verdict, 0                                         \
	}
#define FOUND(side, bytes, at)                                                                     \
	{                                                                                          \
		side, bytes, sizeof(bytes) - 1, 0, at                                              \
	}
#define NOT_FOUND(side, bytes) FOUND(side, bytes, sizeof(bytes) - 1)

/* What the protocol takes these bytes of a side for; nothing is known behind them. */
enum protocol_verdict spoken_verdict(const struct protocol *protocol, enum protocol_side side,
				     const char *bytes, size_t len);

/* Asserts the verdict of each; or where it finds the first message. */
void spoken_expect_verdicts(const struct protocol *protocol, const struct spoken_sample *samples,
			    size_t count);
void spoken_expect_found(const struct protocol *protocol, const struct spoken_sample *samples,
			 size_t count);

/* Asserts that what a sample is taken for begins with it. */
void spoken_expect_found_at_once(const struct protocol *protocol,
				 const struct spoken_sample *samples, size_t count);

/* Asserts that verdict of a row, and that it is nothing that the other side says. */
void spoken_expect_recognised(const struct protocol *protocol, const struct spoken_row *row,
			      enum protocol_verdict verdict);

/* The cases of a protocol whose rows are `requests` and `responses`. */
#define SPOKEN_CASES(protocol)                                                                     \
	static void test_both_sides(void **state)                                                  \
	{                                                                                          \
		spoken_expect(&(protocol), ROWS(requests));                                        \
		spoken_expect(&(protocol), ROWS(responses));                                       \
	}                                                                                          \
	static void test_changed_bytes(void **state)                                               \
	{                                                                                          \
		spoken_expect_flips(&(protocol), ROWS(requests));                                  \
		spoken_expect_flips(&(protocol), ROWS(responses));                                 \
	}

#endif
