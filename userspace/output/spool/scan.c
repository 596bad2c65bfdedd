/* SPDX-License-Identifier: MIT */
/* Headers of segments and frames, and the way to the next valid one. */
#include "output/spool/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "output/spool/frame.h"
#include "util/crc32c.h"

enum { WINDOW_BYTES = 16384 };

static uint32_t segment_crc(struct spool_segment_header header)
{
	header.crc = 0;
	return crc32c(0, &header, sizeof(header));
}

void spool_segment_seal(struct spool_segment_header *header)
{
	header->crc = segment_crc(*header);
}

int spool_segment_read_header(int fd, uint64_t first, struct spool_segment_header *result)
{
	struct spool_segment_header header;
	int r = spool_file_read(fd, &header, sizeof(header), 0);

	if (r < 0)
		return r;
	if (memcmp(header.magic, SPOOL_SEGMENT_MAGIC, sizeof(header.magic)) != 0 ||
	    header.crc != segment_crc(header))
		return -EBADMSG;
	if (header.version != SPOOL_VERSION)
		return -EPROTONOSUPPORT;
	if (header.first != first || first == 0)
		return -EBADMSG;
	*result = header;
	return 0;
}

int spool_scan_open(struct spool_scan *scan, int folder, const struct spool_segment *segment)
{
	struct spool_segment_header header;
	char name[SPOOL_NAME_BYTES];
	int r;

	spool_segment_name(segment->first, name);
	*scan = (struct spool_scan){
		.fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW),
		.at = sizeof(header),
		.end = segment->bytes,
		.position = segment->first,
		.limit = SPOOL_POSITION_MAX,
	};
	if (scan->fd < 0)
		return -errno;
	r = spool_segment_read_header(scan->fd, segment->first, &header);
	if (r < 0) {
		close(scan->fd);
		scan->fd = -1;
		return r;
	}
	scan->salt = header.salt;
	return 0;
}

/* Returns 1 if a frame is at this offset, 0 or -errno. */
static int try_at(const struct spool_scan *scan, uint64_t offset, struct spool_frame_header *header)
{
	uint64_t left = scan->end - offset;
	int r;

	if (left < sizeof(*header))
		return 0;
	r = spool_file_read(scan->fd, header, sizeof(*header), offset);
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	return spool_frame_is_valid(header, scan->salt) && header->first >= scan->position &&
	       spool_frame_last(header) < scan->limit && spool_frame_bytes(header) <= left;
}

/* Finds the magic at `*offset` or behind it. Returns 1, 0 (then `*offset` is the end) or -errno. */
static int find_magic(const struct spool_scan *scan, uint64_t *offset)
{
	char window[WINDOW_BYTES];

	while (scan->end - *offset >= sizeof(struct spool_frame_header)) {
		uint64_t left = scan->end - *offset;
		size_t len = left < sizeof(window) ? (size_t)left : sizeof(window);
		const char *found;
		int r = spool_file_read(scan->fd, window, len, *offset);

		if (r < 0)
			return r;
		found = memmem(window, len, SPOOL_FRAME_MAGIC, SPOOL_FRAME_MAGIC_BYTES);
		if (found) {
			*offset += (uint64_t)(found - window);
			return 1;
		}
		/* The magic may lie across the end of the window. */
		*offset += len - (SPOOL_FRAME_MAGIC_BYTES - 1);
	}
	*offset = scan->end;
	return 0;
}

int spool_scan_next(struct spool_scan *scan, struct spool_frame_header *result)
{
	struct spool_frame_header header;
	uint64_t offset = scan->at;
	int r;

	if (scan->at >= scan->end)
		return 0;
	r = try_at(scan, offset, &header);
	while (r == 0) {
		offset++;
		r = offset < scan->end ? find_magic(scan, &offset) : 0;
		if (r <= 0)
			break;
		r = try_at(scan, offset, &header);
	}
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	if (r == 0)
		offset = scan->end;
	scan->skipped += offset - scan->at;
	scan->at = offset;
	if (r == 0)
		return 0;
	scan->frame = offset;
	scan->at = offset + spool_frame_bytes(&header);
	scan->position = spool_frame_last(&header) + 1;
	*result = header;
	return 1;
}
