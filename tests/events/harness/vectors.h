/* SPDX-License-Identifier: MIT */
/* Vectors of buffers, and what calls and events make of them. */
#ifndef TESTS_VECTORS_H
#define TESTS_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

struct vector_case {
	const struct iovec *vector;
	size_t entries;
	long ret; /* of a call on an open file */
	const char *data; /* what the event has to show; NULL: absent */
	size_t len;
	size_t size; /* of the entries that are walked; 0 if the vector cannot be read */
	bool torn; /* only a part can be read: files take it, sockets do not */
};

enum { VECTORS_WRITTEN = 12, VECTORS_READ = 8 };

/* To write the bytes of fixture_pattern(). */
const struct vector_case *vectors_written(void);

/* To read from the start of a file with 200 bytes of it. */
const struct vector_case *vectors_read(void);

#endif
