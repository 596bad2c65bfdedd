/* SPDX-License-Identifier: MIT */
#include "scap/live/iter_records.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void iter_records_init(struct iter_records *records, int fd)
{
	records->fd = fd;
	records->at = records->len = 0;
}

/* Reads more behind what is left. Returns how many bytes, or -errno. */
static ssize_t read_more(struct iter_records *records)
{
	ssize_t got;

	memmove(records->bytes, records->bytes + records->at, records->len - records->at);
	records->len -= records->at;
	records->at = 0;
	/* After a million of tasks and files without a record the kernel wants to be asked again.
	 */
	do
		got = read(records->fd, records->bytes + records->len,
			   sizeof(records->bytes) - records->len);
	while (got < 0 && (errno == EINTR || errno == EAGAIN));
	if (got < 0)
		return -errno;
	records->len += (size_t)got;
	return got;
}

int iter_records_need(struct iter_records *records, size_t bytes)
{
	while (records->len - records->at < bytes) {
		ssize_t got = read_more(records);

		if (got < 0)
			return (int)got;
		if (got == 0)
			return records->len == 0 ? 0 : -EBADMSG;
	}
	return 1;
}
