/* SPDX-License-Identifier: MIT */
/* From frame to frame through a segment, whatever lies between. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "output/spool/frame.h"
#include "spooled.h"
#include "unit.h"

enum { FRAMES = 5, EACH = 10 };

struct scanned {
	struct spooled spooled;
	struct spool_segment segment;
	char path[TREE_PATH_BYTES];
	int folder;
	uint64_t at[FRAMES + 1]; /* where frames begin, and the last one ends */
};

/* A segment of FRAMES frames. */
static void create(struct scanned *scanned)
{
	struct spool_frame_header header;
	struct spool_scan scan;
	int n = 0;

	spooled_create(&scanned->spooled);
	spooled_open(&scanned->spooled);
	for (int i = 0; i < FRAMES; i++)
		spooled_append(&scanned->spooled, EACH);
	spooled_close(&scanned->spooled);
	spooled_segment(&scanned->spooled, 1, scanned->path);
	scanned->segment = (struct spool_segment){1, spooled_file_bytes(scanned->path)};
	scanned->folder = open(scanned->spooled.path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(spool_scan_open(&scan, scanned->folder, &scanned->segment), 0);
	for (; spool_scan_next(&scan, &header) == 1; n++) {
		assert_int_equal(header.first, 1 + n * EACH);
		scanned->at[n] = scan.frame;
	}
	assert_int_equal(n, FRAMES);
	assert_int_equal(scan.skipped, 0);
	scanned->at[n] = scan.at;
	close(scan.fd);
}

static void destroy(struct scanned *scanned)
{
	close(scanned->folder);
	spooled_destroy(&scanned->spooled);
}

/* Returns a bit for each frame that is found. */
static unsigned int scan_all(const struct scanned *scanned, uint64_t *skipped)
{
	struct spool_frame_header header;
	struct spool_scan scan;
	unsigned int found = 0;

	assert_int_equal(spool_scan_open(&scan, scanned->folder, &scanned->segment), 0);
	while (spool_scan_next(&scan, &header) == 1)
		found |= 1U << (header.first - 1) / EACH;
	*skipped = scan.skipped;
	close(scan.fd);
	return found;
}

static void skips_frames_that_are_damaged(void **state)
{
	struct scanned scanned;
	uint64_t skipped;

	create(&scanned);
	assert_int_equal(scan_all(&scanned, &skipped), 0x1f);
	spooled_flip(scanned.path, scanned.at[1] + 9);
	assert_int_equal(scan_all(&scanned, &skipped), 0x1d);
	assert_int_equal(skipped, scanned.at[2] - scanned.at[1]);
	spooled_flip(scanned.path, scanned.at[2]);
	assert_int_equal(scan_all(&scanned, &skipped), 0x19);
	spooled_flip(scanned.path, scanned.at[4] + 40);
	assert_int_equal(scan_all(&scanned, &skipped), 0x09);
	assert_int_equal(skipped, scanned.at[3] - scanned.at[1] + scanned.at[5] - scanned.at[4]);
	destroy(&scanned);
}

/* What follows is not where it should be. */
static void finds_frames_at_any_offset(void **state)
{
	static char bytes[1 << 16];
	struct scanned scanned;
	uint64_t skipped, rest;
	int fd;

	create(&scanned);
	fd = open(scanned.path, O_RDWR);
	rest = scanned.at[5] - scanned.at[2];
	assert_int_equal(spool_file_read(fd, bytes, rest, scanned.at[2]), 0);
	assert_int_equal(spool_file_write(fd, bytes, rest, scanned.at[2] + 13), 0);
	scanned.segment.bytes += 13;
	assert_int_equal(scan_all(&scanned, &skipped), 0x1f);
	assert_int_equal(skipped, 13);
	close(fd);
	destroy(&scanned);
}

static void finds_no_frame_that_ends_behind_the_end(void **state)
{
	struct scanned scanned;
	uint64_t skipped;

	create(&scanned);
	scanned.segment.bytes--;
	assert_int_equal(scan_all(&scanned, &skipped), 0x0f);
	scanned.segment.bytes = scanned.at[3] + 20;
	assert_int_equal(scan_all(&scanned, &skipped), 0x07);
	assert_int_equal(skipped, 20);
	destroy(&scanned);
}

/* A frame that another one has in it as the bytes of a record is none, and neither is an old copy.
 */
static void takes_no_frame_for_another_one(void **state)
{
	static char bytes[1 << 16];
	struct scanned scanned;
	uint64_t skipped, len;
	int fd;

	create(&scanned);
	len = scanned.at[1] - scanned.at[0];
	fd = open(scanned.path, O_RDWR);
	assert_int_equal(spool_file_read(fd, bytes, len, scanned.at[0]), 0);
	assert_int_equal(spool_file_write(fd, bytes, len, scanned.at[5]), 0);
	scanned.segment.bytes += len;
	assert_int_equal(scan_all(&scanned, &skipped), 0x1f);
	assert_int_equal(skipped, len);
	close(fd);
	destroy(&scanned);
}

static void finds_a_frame_behind_many_windows(void **state)
{
	static char bytes[1 << 16], nothing[100001];
	struct scanned scanned;
	uint64_t skipped, len;
	int fd;

	create(&scanned);
	len = scanned.at[5] - scanned.at[4];
	fd = open(scanned.path, O_RDWR);
	assert_int_equal(spool_file_read(fd, bytes, len, scanned.at[4]), 0);
	/* The begin of magics everywhere, so that they lie across the windows, too. */
	for (size_t i = 0; i < sizeof(nothing); i++)
		nothing[i] = "LFR"[i % 3];
	assert_int_equal(spool_file_write(fd, nothing, sizeof(nothing), scanned.at[4]), 0);
	assert_int_equal(spool_file_write(fd, bytes, len, scanned.at[4] + sizeof(nothing)), 0);
	scanned.segment.bytes += sizeof(nothing);
	assert_int_equal(scan_all(&scanned, &skipped), 0x1f);
	assert_int_equal(skipped, sizeof(nothing));
	close(fd);
	destroy(&scanned);
}

static void checks_the_header_of_a_segment(void **state)
{
	struct spool_segment_header header;
	struct scanned scanned;
	struct spool_scan scan;
	int fd;

	create(&scanned);
	fd = open(scanned.path, O_RDWR);
	assert_int_equal(spool_segment_read_header(fd, 1, &header), 0);
	assert_int_equal(spool_segment_read_header(fd, 2, &header), -EBADMSG);
	header.version++;
	spool_segment_seal(&header);
	assert_int_equal(spool_file_write(fd, &header, sizeof(header), 0), 0);
	assert_int_equal(spool_segment_read_header(fd, 1, &header), -EPROTONOSUPPORT);
	spooled_flip(scanned.path, 30);
	assert_int_equal(spool_scan_open(&scan, scanned.folder, &scanned.segment), -EBADMSG);
	assert_int_equal(scan.fd, -1);
	assert_int_equal(ftruncate(fd, 63), 0);
	assert_int_equal(spool_scan_open(&scan, scanned.folder, &scanned.segment), -EBADMSG);
	close(fd);
	scanned.segment.first = 2;
	assert_int_equal(spool_scan_open(&scan, scanned.folder, &scanned.segment), -ENOENT);
	destroy(&scanned);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(skips_frames_that_are_damaged),
	cmocka_unit_test(finds_frames_at_any_offset),
	cmocka_unit_test(finds_no_frame_that_ends_behind_the_end),
	cmocka_unit_test(takes_no_frame_for_another_one),
	cmocka_unit_test(finds_a_frame_behind_many_windows),
	cmocka_unit_test(checks_the_header_of_a_segment),
};

UNIT_GROUP(tests);
