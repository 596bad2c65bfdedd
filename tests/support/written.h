/* SPDX-License-Identifier: MIT */
/*
 * What the writer of capture files wrote, for tests: a parser of blocks that knows nothing but
 * their outer form, and bytes out of texts to compare them with.
 */
#ifndef TESTS_WRITTEN_H
#define TESTS_WRITTEN_H

#include "scap/file/writer.h"
#include "util/buf.h"

struct written {
	struct scap_writer *writer;
	struct scap_snapshot *to;
	struct buf file; /* all of it, once it was read */
	size_t at; /* what of it was looked at */
	int fd;
};

enum { SECTION_BYTES = 28 }; /* of its header */

/* A writer to a file in memory. */
void written_begin(struct written *test, struct scap_writer_config config);
void written_put(struct written *test, struct scap_event event);

/* Ends the writing, and skips the section header. */
void written_look(struct written *test);

/* Checks that all was looked at, and frees it. */
void written_end(struct written *test);

struct block {
	uint32_t type;
	const uint8_t *body;
	size_t len; /* padding included */
};

/* The next block, whose lengths are checked. */
struct block written_block(struct written *test);

/*
 * Bytes out of a text: "4:258" is a number of 4 bytes, "'text" are the bytes of a word, "_4" zeros;
 * "s'text" is a string as files have it. Blanks divide; '~' in words stands for NUL.
 */
struct buf written_bytes(const char *text);

/* The next block has that type and, but for the padding, these bytes. */
void written_expect(struct written *test, uint32_t type, const char *text);

#endif
