/* SPDX-License-Identifier: MIT */
/*
 * Reads the blocks of a capture file. Events are read whole, in the stream's buffer. Blocks about
 * the machine may be longer and are read entry by entry; unknown blocks are skipped in parts. Both
 * can pause anywhere if a pipe has no data.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "abi.h"
#include "scap/file/reader_impl.h"
#include "scap/file/unpack.h"
#include "util/count.h"

/* From a block of an event to its frame with the current header. */

/*
 * The first version has no number of parameters: the header is moved 4 bytes forward, over the
 * bytes before it in the block. Returns 0; -ENOENT or -EBADMSG if the number is unknown.
 */
static int widen_frame(uint8_t **frame, uint32_t *len)
{
	struct ppm_evt_hdr header = {0};
	int count;

	memcpy(&header, *frame, SCAP_EVENT_V1_HEADER_BYTES);
	*frame -= sizeof(header.nparams);
	*len += (uint32_t)sizeof(header.nparams);
	header.len = *len;
	memcpy(*frame, &header, sizeof(header));
	count = scap_upgrade_count_params(*frame, *len);
	if (count < 0)
		return count;
	header.nparams = (uint32_t)count;
	memcpy(*frame, &header, sizeof(header));
	return 0;
}

/* The length of a frame of the first version, whose writers counted some bytes of two events twice.
 */
static uint32_t frame_len_v1(const uint8_t *frame)
{
	uint32_t len = reader_frame_len(frame);
	uint16_t type;

	memcpy(&type, frame + offsetof(struct ppm_evt_hdr, type), sizeof(type));
	if (len >= SCAP_V1_SURPLUS_BYTES && (type == SCAP_V1_NOTIFICATION || type == SCAP_V1_INFRA))
		len -= SCAP_V1_SURPLUS_BYTES;
	return len;
}

int reader_find_old_frame(uint8_t *frame, size_t room, struct scap_event *event)
{
	int r;

	if (room < SCAP_EVENT_V1_HEADER_BYTES)
		return -EBADMSG;
	event->len = frame_len_v1(frame);
	if (event->len < SCAP_EVENT_V1_HEADER_BYTES || event->len > room)
		return -EBADMSG;
	r = widen_frame(&frame, &event->len);
	event->frame = frame;
	return r;
}

enum {
	/* Limits of one call, so that the caller can check for signals. */
	STEPS_PER_CALL = 1024,
	START_BYTES_PER_CALL = 256 << 20, /* uncompressed */
	/* Other readers have no limit for blocks with large parameters. This one bounds memory. */
	EVENT_BLOCK_BYTES_MAX = 16 << 20,
};

/* Packets of pcapng files. */
static bool is_packet_block(uint32_t type)
{
	return type == 2 || type == 3 || type == 6;
}

/* Blocks that are read in parts. */

/* Begins a block that is read in parts; without a kind it is skipped. */
static int begin_parts(struct scap_reader *reader, const struct reader_block *kind, uint32_t len)
{
	reader_begin_block(reader, len);
	reader->kind = kind;
	reader->headed = false;
	reader->left = len;
	reader_take_bytes(reader, sizeof(struct scap_block_header));
	return STEP_ON;
}

/* Begins a block of which only the header is read. kind: NULL if unknown. */
static int begin_block(struct scap_reader *reader, const struct reader_block *kind,
		       const struct scap_block_header *header)
{
	bool anywhere = kind && kind->type == SCAP_BLOCK_SECTION;

	if (is_packet_block(header->type) && !reader->known)
		return reader_end_with(reader, -ENOTSUP,
				       "it is a capture of network packets, not of system calls");
	/* The state of the machine precedes its events. */
	if (!kind || (!reader->in_snapshot && !anywhere)) {
		reader->stats.unknown_blocks++;
		kind = NULL;
	}
	reader->known |= kind && !anywhere;
	return begin_parts(reader, kind, header->len);
}

/* Events. */

/* Counts an event that cannot be returned. */
static int reader_pass_over(struct scap_reader *reader, int code)
{
	if (code == -ENOENT)
		reader->stats.unknown_events++;
	else if (code == -EBADMSG)
		reader->stats.corrupt_events++;
	else
		return reader_end_out_of_memory(reader);
	return STEP_ON;
}

static int event_step(struct scap_reader *reader, const struct reader_block *kind, uint32_t len,
		      int timeout_ms, struct scap_event *event)
{
	uint32_t trailer;
	uint8_t *block;
	int r;

	if (len > EVENT_BLOCK_BYTES_MAX) {
		reader->stats.corrupt_events++;
		return begin_parts(reader, NULL, len);
	}
	r = reader_need(reader, len, timeout_ms);
	if (r <= 0)
		return r;
	block = reader->stream->data;
	memcpy(&trailer, block + len - sizeof(trailer), sizeof(trailer));
	if (trailer != len) {
		reader_begin_block(reader, len);
		return reader_end_lengths_differ(reader, trailer);
	}
	scap_stream_skip(reader->stream, len);
	r = reader_find_frame(kind, block, len, event);
	if (r == 0)
		r = scap_upgrade_event(reader->upgrade, reader->native, event);
	event->unmarked = true;
	if (r < 0)
		return reader_pass_over(reader, r);
	reader->stats.events += (unsigned int)r;
	return r ? 1 : STEP_ON;
}

/*
 * Reads one block of an event, or a part of another block. See scap_source_next(); STEP_ON: call
 * again.
 */
static int reader_step(struct scap_reader *reader, int timeout_ms, struct scap_event *event)
{
	const struct reader_block *kind;
	struct scap_block_header header;
	int r;

	if (reader->left)
		return reader_part_step(reader, timeout_ms);
	r = reader_need(reader, sizeof(header), timeout_ms);
	if (r <= 0)
		return r;
	memcpy(&header, reader->stream->data, sizeof(header));
	if (header.len < sizeof(header) + SCAP_TRAILER_BYTES)
		return reader_end_with(reader, -EBADMSG,
				       "the block that begins at byte %" PRIu64
				       " is corrupt: it says that it is %" PRIu32 " bytes long",
				       scap_stream_offset(reader->stream), header.len);
	kind = reader_block_kind(header.type);
	if (!kind || !kind->event)
		return begin_block(reader, kind, &header);
	if (reader->in_snapshot) {
		r = reader_end_snapshot(reader);
		return r ? r : STEP_ON;
	}
	return event_step(reader, kind, header.len, timeout_ms, event);
}

static int reader_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_reader *reader = (struct scap_reader *)source;
	int r = reader->code;

	if (r)
		return r;
	for (unsigned int i = 0; i < STEPS_PER_CALL; i++) {
		r = reader_step(reader, timeout_ms, event);
		if (r != STEP_ON)
			return r;
	}
	return 0;
}

static void reader_destroy(struct scap_source *source)
{
	struct scap_reader *reader = (struct scap_reader *)source;

	scap_upgrade_destroy(reader->upgrade);
	scap_stream_close(reader->stream);
	buf_finish(&reader->texts);
	free(reader->path);
	free(reader);
}

static const struct scap_source_ops reader_ops = {
	.next = reader_next,
	.destroy = reader_destroy,
};

int scap_reader_start(struct scap_reader *reader, struct scap_snapshot *to, struct error *err)
{
	uint64_t began = scap_stream_offset(reader->stream);
	int r;

	if (!reader->to) {
		reader->to = to;
		reader->in_snapshot = true;
		reader_snapshot_result(reader, to->ops->begin(to));
	}
	r = reader->code;
	while (r == 0 && reader->in_snapshot) {
		r = reader_step(reader, -1, NULL);
		if (r == 0 || scap_stream_offset(reader->stream) - began > START_BYTES_PER_CALL)
			return error_set(err, -EINTR,
					 "interrupted before the first event was read");
		r = r == STEP_ON ? 0 : r;
	}
	if (r == 0 || r == -ENODATA || r == -EPIPE)
		return 0;
	return error_set(err, r, "cannot read %s: %s", reader->path, reader->problem);
}

/* Other file formats that users might pass. */
static const struct {
	uint32_t magic;
	const char *text;
} other_files[] = {
	{0xa1b2c3d4, "it is a capture of network packets"},
	{0xa1b23c4d, "it is a capture of network packets"},
	{0xd4c3b2a1, "it is a capture of network packets"},
	{0x4d3cb2a1, "it is a capture of network packets"},
	{0x587a37fd, "it is compressed with xz; decompress it first"},
	{0x39685a42, "it is compressed with bzip2; decompress it first"},
	{0x184d2204, "it is compressed with lz4; decompress it first"},
	{0x04034b50, "it is a zip archive, which has to be unpacked first"},
};

/* The format of a file that does not begin with a section. */
static const char *other_file(const struct scap_stream *stream)
{
	uint32_t magic;

	if (stream->len == 0)
		return "it is empty";
	if (stream->len < sizeof(magic))
		return "it is too short";
	if (unpack_codec_find(stream->data, stream->len))
		return "it is compressed more than once";
	memcpy(&magic, stream->data, sizeof(magic));
	for (size_t i = 0; i < COUNT(other_files); i++)
		if (other_files[i].magic == magic)
			return other_files[i].text;
	return magic == SCAP_BLOCK_SECTION ? NULL : "it does not begin like one";
}

/* Checks the first section without consuming it. */
static int check_beginning(struct scap_reader *reader, struct error *err)
{
	struct scap_block_header header;
	struct scap_stream *stream = reader->stream;
	int r = scap_stream_need(stream, sizeof(header) + sizeof(struct scap_section_body), -1);
	const char *other;

	if (r == 0)
		return error_set(err, -EINTR, "interrupted before %s could be read", reader->path);
	if (r < 0 && r != -ENODATA)
		return error_set(err, r, "cannot read %s: %s", reader->path,
				 scap_stream_problem(stream));
	other = other_file(stream);
	if (other)
		return error_set(err, -EBADMSG, "%s is not a capture file: %s", reader->path,
				 other);
	if (r < 0)
		return error_set(err, -EPIPE, "cannot read %s: it is truncated in its first block",
				 reader->path);
	memcpy(&header, stream->data, sizeof(header));
	r = reader_check_section(reader, stream->data + sizeof(header));
	if (r)
		error_set(err, r, "cannot read %s: %s", reader->path, reader->problem);
	return r;
}

int scap_reader_open_stream(const char *path, struct scap_stream *stream,
			    struct scap_reader **reader, struct error *err)
{
	struct scap_reader *made = calloc(1, sizeof(*made));
	int r;

	if (!made) {
		scap_stream_close(stream);
		return error_set(err, -ENOMEM, "no memory to read %s", path);
	}
	made->source.ops = &reader_ops;
	made->stream = stream;
	made->path = strdup(strcmp(path, "-") ? path : "standard input");
	if (!made->path || scap_upgrade_create(&made->upgrade))
		r = error_set(err, -ENOMEM, "no memory to read %s", path);
	else
		r = check_beginning(made, err);
	if (r) {
		reader_destroy(&made->source);
		return r;
	}
	*reader = made;
	return 0;
}

int scap_reader_open(const char *path, struct scap_reader **reader, struct error *err)
{
	struct scap_stream *stream;
	int r = scap_stream_open(path, &stream, err);

	return r ? r : scap_reader_open_stream(path, stream, reader, err);
}

struct scap_source *scap_reader_source(struct scap_reader *reader)
{
	return &reader->source;
}

const char *scap_reader_problem(const struct scap_reader *reader)
{
	return reader->problem;
}

bool scap_reader_is_native(const struct scap_reader *reader)
{
	return reader->native;
}

void scap_reader_stats(const struct scap_reader *reader, struct scap_reader_stats *stats)
{
	*stats = reader->stats;
	stats->joined = reader->joined + scap_upgrade_joined(reader->upgrade);
	stats->bytes_read = scap_stream_bytes_read(reader->stream);
	stats->bytes = scap_stream_bytes(reader->stream);
}
