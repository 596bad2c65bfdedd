/* SPDX-License-Identifier: MIT */
/* Bytes of a batch, and results of its records. */
#include "output/record.h"

#include <string.h>

void output_batch_set(struct output_batch *batch, enum output_result result)
{
	memset(batch->results, result, batch->count);
}

void output_batch_set_bytes(struct output_batch *batch, size_t bytes)
{
	for (size_t i = 0; i < batch->count; i++) {
		size_t len = batch->records[i].len;

		batch->results[i] = len <= bytes ? OUTPUT_DELIVERED : OUTPUT_RETRY;
		bytes -= len <= bytes ? len : bytes;
	}
}

size_t output_batch_slice(const struct output_batch *batch, size_t from, size_t to,
			  struct iovec *pieces, size_t max)
{
	size_t begin = 0, count = 0;

	for (size_t i = 0; i < batch->parts_count && count < max && begin < to; i++) {
		const struct iovec *part = &batch->parts[i];
		size_t end = begin + part->iov_len, first = from > begin ? from : begin,
		       last = to < end ? to : end;

		if (first < last)
			pieces[count++] = (struct iovec){
				.iov_base = (char *)part->iov_base + (first - begin),
				.iov_len = last - first,
			};
		begin = end;
	}
	return count;
}
