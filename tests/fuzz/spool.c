/* SPDX-License-Identifier: MIT */
/*
 * The files of a spool: whatever they hold, an agent that opens them gets records whose checksums
 * are right, in their order, and can append and read on; a command sees the same. The input is an
 * edit of a valid spool, so that checksums do not stop everything: bytes that it overwrites,
 * lengths that it cuts to, and headers and slots that it then seals anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "output/spool/folder.h"
#include "output/spool/frame.h"
#include "output/spool/inspect.h"
#include "output/spool/spool.h"
#include "output/spool/state.h"
#include "util/hash.h"

enum {
	SEGMENTS = 3,
	FRAMES = 3,
	RECORDS = 5,
	EDIT_BYTES = 6,
	EDITS_MAX = 64,
	FILE_BYTES_MAX = 1 << 16
};

/* In memory, if there is such a folder: thousands of runs a second write files. */
static const char *folder(void)
{
	static char path[64];

	if (!path[0])
		snprintf(path, sizeof(path), "%s/lanner-fuzz-spool.%d",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", getpid());
	return path;
}

static const struct spool_config *config(void)
{
	static struct spool_config spool = {
		.limit_bytes = 1 << 20, .sync_ns = UINT64_MAX, .level = 1};

	spool.path = folder();
	return &spool;
}

static void append(struct spool *spool, uint64_t number)
{
	char text[RECORDS][32];
	struct output_record records[RECORDS];
	struct error err;

	for (unsigned int i = 0; i < RECORDS; i++) {
		int len = snprintf(text[i], sizeof(text[i]), "%llu\n",
				   (unsigned long long)(number + i));

		records[i] = (struct output_record){.bytes = text[i],
						    .number = number + i,
						    .ts_ns = number + i,
						    .len = (uint32_t)len,
						    .event = (uint16_t)i};
	}
	REQUIRE(spool_append(spool, records, RECORDS, &err) == 0, "%s", err.text);
}

/* Reads all there is. Returns how many records. */
static size_t read_all(struct spool *spool)
{
	uint64_t position = 0;
	struct spool_batch batch;
	struct error err;
	size_t records = 0;
	int r;

	while ((r = spool_read(spool, 0, &batch, &err)) == 1) {
		REQUIRE(batch.count && batch.first > position, "positions go back");
		position = batch.first + batch.count - 1;
		records += batch.count;
		for (size_t i = 0, at = 0; i < batch.count; at += batch.records[i++].len)
			REQUIRE(batch.records[i].bytes == batch.data + at, "record %zu", i);
		REQUIRE(spool_attempt(spool, position, &err) == 0, "%s", err.text);
		REQUIRE(spool_acknowledge(spool, position, &err) == 0, "%s", err.text);
	}
	REQUIRE(r == 0, "%s", err.text);
	return records;
}

static void remove_files(void)
{
	static const char *const names[] = {"state", "lock"};
	struct spool_segments segments;
	int fd = open(folder(), O_RDONLY | O_DIRECTORY);
	char name[SPOOL_NAME_BYTES];

	if (fd < 0)
		return;
	spool_folder_list(fd, &segments);
	for (size_t i = 0; i < segments.count; i++) {
		spool_segment_name(segments.items[i].first, name);
		unlinkat(fd, name, 0);
	}
	for (size_t i = 0; i < 2; i++)
		unlinkat(fd, names[i], 0);
	free(segments.items);
	close(fd);
	rmdir(folder());
}

static void remove_folder(void)
{
	remove_files();
}

/* A spool of several segments, of which a part was sent. */
static void make_spool(void)
{
	struct spool_batch batch;
	struct spool *spool;
	struct error err;
	uint64_t number = 1;

	remove_files();
	for (int segment = 0; segment < SEGMENTS; segment++) {
		REQUIRE(spool_open(config(), &spool, &err) == 0, "%s", err.text);
		for (int frame = 0; frame < FRAMES; frame++, number += RECORDS)
			append(spool, number);
		if (segment == 0 && spool_read(spool, 0, &batch, &err) == 1) {
			spool_attempt(spool, 4, &err);
			spool_acknowledge(spool, 2, &err);
		}
		spool_close(spool);
	}
}

/* The file that an edit is about: the state or a segment. */
static int open_file(unsigned int which)
{
	char name[SPOOL_NAME_BYTES], path[128];

	spool_segment_name(1 + (which - 1) * FRAMES * RECORDS, name);
	snprintf(path, sizeof(path), "%s/%s", folder(), which ? name : "state");
	return open(path, O_RDWR);
}

static void seal_state(int fd)
{
	struct spool_slot slot;

	for (uint64_t at = 0; at < 2 * SPOOL_SLOT_BYTES; at += SPOOL_SLOT_BYTES) {
		if (spool_file_read(fd, &slot, sizeof(slot), at) < 0)
			return;
		slot.crc = 0;
		slot.crc = hash_crc32c(0, &slot, sizeof(slot));
		spool_file_write(fd, &slot, sizeof(slot), at);
	}
}

/* Seals the header of the segment, and all that begin like frames. */
static void seal_segment(int fd)
{
	static char bytes[FILE_BYTES_MAX];
	struct spool_segment_header segment;
	struct spool_frame_header frame;
	ssize_t len = pread(fd, bytes, sizeof(bytes), 0);
	char *at = bytes + sizeof(segment);

	if (len < (ssize_t)(sizeof(segment) + sizeof(frame)))
		return;
	memcpy(&segment, bytes, sizeof(segment));
	spool_segment_seal(&segment);
	memcpy(bytes, &segment, sizeof(segment));
	while ((at = memmem(at, (size_t)(bytes + len - at), SPOOL_FRAME_MAGIC,
			    SPOOL_FRAME_MAGIC_BYTES)) &&
	       (size_t)(bytes + len - at) >= sizeof(frame)) {
		memcpy(&frame, at, sizeof(frame));
		frame.crc = 0;
		frame.crc = hash_crc32c(segment.salt, &frame, sizeof(frame));
		memcpy(at, &frame, sizeof(frame));
		at++;
	}
	spool_file_write(fd, bytes, (size_t)len, 0);
}

/* An edit: file, what, offset (2 bytes), value (2 bytes). */
static void edit(const uint8_t *bytes)
{
	unsigned int which = bytes[0] % (SEGMENTS + 1);
	uint64_t offset = (uint64_t)bytes[2] | (uint64_t)bytes[3] << 8;
	int fd = open_file(which);
	struct stat status;

	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && status.st_size) {
		offset %= (uint64_t)status.st_size;
		switch (bytes[1] % 8) {
		case 0:
			if (ftruncate(fd, (off_t)offset))
				break;
			break;
		case 1:
			which ? seal_segment(fd) : seal_state(fd);
			break;
		case 2:
			spool_file_write(fd, bytes + 4, 2, offset);
			break;
		case 3:
			/* A header of a frame or the state in steps of 8 bytes. */
			spool_file_write(fd, "\0\0\0\0\0\0\0\0", 8, offset & ~UINT64_C(7));
			break;
		default:
			spool_file_write(fd, bytes + 4, 1, offset);
		}
	}
	close(fd);
}

static bool see_record(void *context, const struct output_record *record, uint64_t position)
{
	uint64_t *last = context;

	REQUIRE(position > *last, "positions go back");
	*last = position;
	return true;
}

/* A look at it is always possible, whatever it shows. */
static void inspect(void)
{
	uint64_t last = 0;
	struct spool_visitor visitor = {.record = see_record, .context = &last, .records = true};
	struct spool_summary summary;
	struct error err;
	int r = spool_inspect(folder(), &visitor, &summary, &err);

	REQUIRE(r == 0 || r == -EPROTONOSUPPORT, "%s", err.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool first = true;
	struct spool *spool;
	struct error err;
	uint64_t number;
	int r;

	if (first)
		atexit(remove_folder);
	first = false;
	make_spool();
	for (size_t at = 0; at + EDIT_BYTES <= size && at < EDITS_MAX * EDIT_BYTES;
	     at += EDIT_BYTES)
		edit(data + at);
	inspect();
	r = spool_open(config(), &spool, &err);
	REQUIRE(r == 0 || r == -EPROTONOSUPPORT, "%s", err.text);
	if (r)
		return 0;
	read_all(spool);
	number = spool_last_number(spool);
	if (number < UINT64_MAX - RECORDS) {
		append(spool, number + 1);
		REQUIRE(read_all(spool) == RECORDS, "what was appended cannot be read");
	}
	spool_close(spool);
	/* What is acknowledged stays that. */
	REQUIRE(spool_open(config(), &spool, &err) == 0, "%s", err.text);
	REQUIRE(read_all(spool) == 0, "read again");
	spool_close(spool);
	return 0;
}
