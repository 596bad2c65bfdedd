/* SPDX-License-Identifier: MIT */
/* pread(2) and pwrite(2) until all is done. */
#include "output/spool/file.h"

#include <errno.h>
#include <unistd.h>

int spool_file_read(int fd, void *bytes, size_t len, uint64_t offset)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pread(fd, (char *)bytes + done, len - done, (off_t)(offset + done));

		if (n == 0)
			return -EBADMSG;
		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int spool_file_write(int fd, const void *bytes, size_t len, uint64_t offset)
{
	for (size_t done = 0; done < len;) {
		ssize_t n =
			pwrite(fd, (const char *)bytes + done, len - done, (off_t)(offset + done));

		if (n == 0)
			return -EIO;
		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}
