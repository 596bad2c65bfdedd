/* SPDX-License-Identifier: MIT */
/* The bytes that an iterator of the kernel writes, read in large parts. */
#ifndef SCAP_LIVE_ITER_RECORDS_H
#define SCAP_LIVE_ITER_RECORDS_H

#include <stddef.h>

enum { ITER_RECORDS_BYTES = 1 << 18 }; /* the kernel fills up to 8 pages at once */

struct iter_records {
	int fd; /* owned by the caller */
	size_t at, len; /* of what is read and not taken yet */
	char bytes[ITER_RECORDS_BYTES];
};

void iter_records_init(struct iter_records *records, int fd);

/*
 * Makes the next `bytes` available at `records->bytes + records->at`, at most ITER_RECORDS_BYTES,
 * until the next call. Returns 1; 0 if there is nothing more; -EBADMSG if there is less; or another
 * -errno.
 */
int iter_records_need(struct iter_records *records, size_t bytes);

#endif
