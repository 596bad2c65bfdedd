/* SPDX-License-Identifier: MIT */
/*
 * From block to block of a capture file. Events are taken whole, in the stream's buffer. What tells
 * of the machine may be longer, and is taken entry by entry, what is unknown as it comes; either
 * can be left in its midst when a pipe has no more for now.
 */
#include "scap/file/reader_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "scap/file/codec.h"

enum {
	/* Those of one call: it has to come back, so that signals are looked at. */
	STEPS_PER_CALL = 1024,
	START_BYTES_PER_CALL = 256 << 20, /* unpacked */
	/* Readers of others know no limit for those with large parameters. Memory has one. */
	EVENT_BLOCK_BYTES_MAX = 16 << 20,
};

static int take_section(struct scap_reader *reader, const uint8_t *head);
static int take_native(struct scap_reader *reader, const uint8_t *head);

#define MACHINE(type)                                                                              \
	{                                                                                          \
		type, 1, sizeof(struct scap_machine_body), .head = reader_take_machine             \
	}
#define INTERFACES(type, version, prefix)                                                          \
	{                                                                                          \
		type, version, 0, prefix, .entry = reader_take_interface                           \
	}
#define USERS(type, version, prefix)                                                               \
	{                                                                                          \
		type, version, 0, prefix, .entry = reader_take_user                                \
	}
#define PROCESSES(type, version, prefix)                                                           \
	{                                                                                          \
		type, version, 0, prefix, .entry = reader_take_thread                              \
	}
#define FDS(type, version, prefix)                                                                 \
	{                                                                                          \
		type, version, sizeof(uint64_t), prefix, .head = reader_take_fds,                  \
							 .entry = reader_take_fd                   \
	}
#define EVENT(type, version, flags)                                                                \
	{                                                                                          \
		type, version, .event = true, .event_flags = flags                                 \
	}

/* The commonest first. */
static const struct block_kind kinds[] = {
	EVENT(SCAP_BLOCK_EVENT_V2, 2, false),
	EVENT(SCAP_BLOCK_EVENT_V2_FLAGS, 2, true),
	EVENT(SCAP_BLOCK_EVENT_V1, 1, false),
	EVENT(SCAP_BLOCK_EVENT_V1_FLAGS, 1, true),
	EVENT(SCAP_BLOCK_EVENT_V2_LARGE, 2, false),
	EVENT(SCAP_BLOCK_EVENT_V2_LARGE_FLAGS, 2, true),
	EVENT(SCAP_BLOCK_LEGACY_EVENT_V1, 1, false),
	FDS(SCAP_BLOCK_FDS_V2, 2, PREFIX_WHOLE),
	FDS(SCAP_BLOCK_FDS_V1, 1, PREFIX_NONE),
	FDS(SCAP_BLOCK_LEGACY_FDS_V1, 1, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V9, 9, PREFIX_WHOLE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V8, 8, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V7, 7, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V6, 6, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V5, 5, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V4, 4, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V3, 3, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_LEGACY_PROCESSES_V3, 3, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V2, 2, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_LEGACY_PROCESSES_V2, 2, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V1, 1, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_LEGACY_PROCESSES_V1, 1, PREFIX_NONE),
	USERS(SCAP_BLOCK_USERS_V2, 2, PREFIX_WHOLE),
	USERS(SCAP_BLOCK_USERS_V1, 1, PREFIX_NONE),
	USERS(SCAP_BLOCK_LEGACY_USERS_V1, 1, PREFIX_NONE),
	INTERFACES(SCAP_BLOCK_INTERFACES_V2, 2, PREFIX_REST),
	INTERFACES(SCAP_BLOCK_INTERFACES_V1, 1, PREFIX_NONE),
	INTERFACES(SCAP_BLOCK_LEGACY_INTERFACES_V1, 1, PREFIX_NONE),
	MACHINE(SCAP_BLOCK_MACHINE),
	MACHINE(SCAP_BLOCK_LEGACY_MACHINE),
	{SCAP_BLOCK_SECTION, 1, sizeof(struct scap_section_body), .head = take_section},
	{SCAP_BLOCK_NATIVE, 1, sizeof(uint32_t), .head = take_native},
};

static const struct block_kind *kind_of(uint32_t type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

/* Packets of pcapng files. */
static bool is_packet_block(uint32_t type)
{
	return type == 2 || type == 3 || type == 6;
}

int reader_end_with(struct scap_reader *reader, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->problem, sizeof(reader->problem), format, args);
	va_end(args);
	reader->code = code;
	return code;
}

int reader_end_out_of_memory(struct scap_reader *reader)
{
	return reader_end_with(reader, -ENOMEM, "there is no memory to read it on");
}

int reader_told(struct scap_reader *reader, int code)
{
	if (code < 0 && reader->code == 0)
		reader_end_with(reader, code, "what it says of the machine cannot be taken in: %s",
				strerror(-code));
	return code;
}

static int end_telling(struct scap_reader *reader)
{
	if (!reader->telling)
		return 0;
	reader->telling = false;
	return reader_told(reader, reader->to->ops->end(reader->to));
}

/* The stream gave less than was needed, for this reason. */
static int end_of_stream(struct scap_reader *reader, int code)
{
	uint64_t at = scap_stream_offset(reader->stream);
	bool whole = code == -ENODATA;
	const char *why = whole ? "" : scap_stream_problem(reader->stream);
	const char *colon = whole ? "" : ": ";
	int r = end_telling(reader);

	if (r < 0)
		return r;
	at += reader->stream->len;
	if (reader->left == 0 && reader->stream->len == 0) {
		if (whole)
			return reader->code = code;
		return reader_end_with(reader, code, "it ends at byte %" PRIu64 "%s%s", at, colon,
				       why);
	}
	if (reader->left == 0)
		reader->block_at = scap_stream_offset(reader->stream);
	return reader_end_with(reader, whole ? -EPIPE : code,
			       "it breaks off at byte %" PRIu64
			       ", in the block that begins at byte %" PRIu64 "%s%s",
			       at, reader->block_at, colon, why);
}

int reader_wait(struct scap_reader *reader, size_t n, int timeout_ms)
{
	int code = scap_stream_wait(reader->stream, n, timeout_ms);

	return code >= 0 ? code : end_of_stream(reader, code);
}

int reader_end_lengths_differ(struct scap_reader *reader, uint32_t trailer)
{
	return reader_end_with(reader, -EBADMSG,
			       "the block that begins at byte %" PRIu64
			       " is damaged: its length is %" PRIu32
			       " at its beginning and %" PRIu32 " at its end",
			       reader->block_at, reader->block_len, trailer);
}

/* Sections. */

static int check_section(struct scap_reader *reader, const uint8_t *head)
{
	struct scap_section_body body;

	memcpy(&body, head, sizeof(body));
	if (body.byte_order_magic == __builtin_bswap32(SCAP_BYTE_ORDER_MAGIC))
		return reader_end_with(reader, -ENOTSUP,
				       "it was written on a machine of the other byte order");
	if (body.byte_order_magic != SCAP_BYTE_ORDER_MAGIC)
		return reader_end_with(reader, -EBADMSG,
				       "its byte order mark is damaged (0x%08" PRIx32 ")",
				       body.byte_order_magic);
	if (body.major > SCAP_FORMAT_MAJOR)
		return reader_end_with(
			reader, -ENOTSUP,
			"it is of version %u.%u of the format: only versions up to %d are known",
			body.major, body.minor, SCAP_FORMAT_MAJOR);
	return 0;
}

/* Calls that began in one section do not end in the next. */
static int renew_fold(struct scap_reader *reader)
{
	struct scap_fold *fold;

	if (scap_fold_create(&fold))
		return reader_end_out_of_memory(reader);
	reader->folded += scap_fold_count(reader->fold);
	scap_fold_destroy(reader->fold);
	reader->fold = fold;
	return 0;
}

static int take_section(struct scap_reader *reader, const uint8_t *head)
{
	int code = check_section(reader, head);

	/* That of the first one has begun already: see scap_reader_start(). */
	if (code || reader->block_at == 0)
		return code;
	code = end_telling(reader);
	if (code == 0)
		code = renew_fold(reader);
	if (code)
		return code;
	reader->native = false;
	reader->telling = true;
	return reader->to->ops->begin(reader->to);
}

static int take_native(struct scap_reader *reader, const uint8_t *head)
{
	uint32_t version;

	memcpy(&version, head, sizeof(version));
	if (version > SCAP_NATIVE_VERSION)
		return reader_end_with(
			reader, -ENOTSUP,
			"it has events of a newer version of this program (%" PRIu32 ")", version);
	reader->native = true;
	return 0;
}

/* Blocks that are read in parts. */

/* Begins with a block that is read in parts; without a kind it is skipped. */
static int begin_parts(struct scap_reader *reader, const struct block_kind *kind)
{
	reader->kind = kind;
	reader->headed = false;
	reader->left = reader->block_len;
	reader_take_bytes(reader, sizeof(struct scap_block_header));
	return STEP_ON;
}

/* Begins with a block of which no more is known than its header, and perhaps its kind. */
static int begin_block(struct scap_reader *reader, const struct block_kind *kind)
{
	bool anywhere = kind && kind->type == SCAP_BLOCK_SECTION;

	if (is_packet_block(reader->block_type) && !reader->known)
		return reader_end_with(reader, -ENOTSUP,
				       "it is a capture of network packets, not of system calls");
	/* What the machine was like is told ahead of its events. */
	if (!kind || (!reader->telling && !anywhere)) {
		reader->stats.unknown_blocks++;
		kind = NULL;
	}
	reader->known |= kind && !anywhere;
	return begin_parts(reader, kind);
}

/* Events. */

/* Counts what an event cannot be given out for. */
static int pass_over(struct scap_reader *reader, int code)
{
	if (code == -ENOENT)
		reader->stats.unknown_events++;
	else if (code == -EBADMSG)
		reader->stats.damaged_events++;
	else
		return reader_end_out_of_memory(reader);
	return STEP_ON;
}

static int event_step(struct scap_reader *reader, const struct block_kind *kind, int timeout_ms,
		      struct scap_event *event)
{
	uint32_t len = reader->block_len, trailer;
	uint8_t *block;
	int code;

	if (len > EVENT_BLOCK_BYTES_MAX) {
		reader->stats.damaged_events++;
		return begin_parts(reader, NULL);
	}
	code = reader_need(reader, len, timeout_ms);
	if (code <= 0)
		return code;
	block = reader->stream->data;
	memcpy(&trailer, block + len - sizeof(trailer), sizeof(trailer));
	if (trailer != len)
		return reader_end_lengths_differ(reader, trailer);
	scap_stream_skip(reader->stream, len);
	code = reader_find_frame(kind, block, len, event);
	if (code == 0)
		code = scap_fold_event(reader->fold, reader->native, event);
	if (code < 0)
		return pass_over(reader, code);
	reader->stats.events += (unsigned int)code;
	return code ? 1 : STEP_ON;
}

/* One block of events, or some bytes of another. See scap_source_next(); STEP_ON: once more. */
static int step(struct scap_reader *reader, int timeout_ms, struct scap_event *event)
{
	const struct block_kind *kind;
	struct scap_block_header header;
	int code;

	if (reader->left)
		return reader_part_step(reader, timeout_ms);
	code = reader_need(reader, sizeof(header), timeout_ms);
	if (code <= 0)
		return code;
	memcpy(&header, reader->stream->data, sizeof(header));
	reader->block_at = scap_stream_offset(reader->stream);
	reader->block_type = header.type;
	reader->block_len = header.len;
	if (header.len < sizeof(header) + SCAP_TRAILER_BYTES)
		return reader_end_with(reader, -EBADMSG,
				       "the block that begins at byte %" PRIu64
				       " is damaged: it says that it is %" PRIu32 " bytes long",
				       reader->block_at, header.len);
	kind = kind_of(header.type);
	if (!kind || !kind->event)
		return begin_block(reader, kind);
	if (reader->telling) {
		code = end_telling(reader);
		return code ? code : STEP_ON;
	}
	return event_step(reader, kind, timeout_ms, event);
}

static int reader_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_reader *reader = (struct scap_reader *)source;
	int code = reader->code;

	if (code)
		return code;
	for (unsigned int i = 0; i < STEPS_PER_CALL; i++) {
		code = step(reader, timeout_ms, event);
		if (code != STEP_ON)
			return code;
	}
	return 0;
}

static void reader_destroy(struct scap_source *source)
{
	struct scap_reader *reader = (struct scap_reader *)source;

	scap_fold_destroy(reader->fold);
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
	int code;

	if (!reader->to) {
		reader->to = to;
		reader->telling = true;
		reader_told(reader, to->ops->begin(to));
	}
	code = reader->code;
	while (code == 0 && reader->telling) {
		code = step(reader, -1, NULL);
		if (code == 0 || scap_stream_offset(reader->stream) - began > START_BYTES_PER_CALL)
			return error_set(err, -EINTR,
					 "interrupted before the first event was read");
		code = code == STEP_ON ? 0 : code;
	}
	if (code == 0 || code == -ENODATA || code == -EPIPE)
		return 0;
	return error_set(err, code, "cannot read %s: %s", reader->path, reader->problem);
}

/* Other files that a reader of captures might be given. */
static const struct {
	uint32_t magic;
	const char *text;
} other_files[] = {
	{0xa1b2c3d4, "it is a capture of network packets"},
	{0xa1b23c4d, "it is a capture of network packets"},
	{0xd4c3b2a1, "it is a capture of network packets"},
	{0x4d3cb2a1, "it is a capture of network packets"},
	{0x587a37fd, "it is packed with xz, which has to be undone first"},
	{0x39685a42, "it is packed with bzip2, which has to be undone first"},
	{0x184d2204, "it is packed with lz4, which has to be undone first"},
	{0x04034b50, "it is a zip archive, which has to be unpacked first"},
};

/* What a file is instead that does not begin with a section. */
static const char *other_file(const struct scap_stream *stream)
{
	uint32_t magic;

	if (stream->len == 0)
		return "it is empty";
	if (stream->len < sizeof(magic))
		return "it is too short";
	if (codec_find(stream->data, stream->len))
		return "it is packed more than once";
	memcpy(&magic, stream->data, sizeof(magic));
	for (size_t i = 0; i < sizeof(other_files) / sizeof(*other_files); i++)
		if (other_files[i].magic == magic)
			return other_files[i].text;
	return magic == SCAP_BLOCK_SECTION ? NULL : "it does not begin like one";
}

/* Looks at the first section, which stays where it is. */
static int check_beginning(struct scap_reader *reader, struct error *err)
{
	struct scap_block_header header;
	struct scap_stream *stream = reader->stream;
	int code = scap_stream_need(stream, sizeof(header) + sizeof(struct scap_section_body), -1);
	const char *other;

	if (code == 0)
		return error_set(err, -EINTR, "interrupted before %s could be read", reader->path);
	if (code < 0 && code != -ENODATA)
		return error_set(err, code, "cannot read %s: %s", reader->path,
				 scap_stream_problem(stream));
	other = other_file(stream);
	if (other)
		return error_set(err, -EBADMSG, "%s is not a capture file: %s", reader->path,
				 other);
	if (code < 0)
		return error_set(err, -EPIPE, "cannot read %s: it breaks off in its first block",
				 reader->path);
	memcpy(&header, stream->data, sizeof(header));
	code = check_section(reader, stream->data + sizeof(header));
	if (code)
		error_set(err, code, "cannot read %s: %s", reader->path, reader->problem);
	return code;
}

int scap_reader_open(const char *path, struct scap_reader **reader, struct error *err)
{
	struct scap_reader *made = calloc(1, sizeof(*made));
	int code;

	if (!made)
		return error_set(err, -ENOMEM, "no memory to read %s", path);
	made->source.ops = &reader_ops;
	made->path = strdup(strcmp(path, "-") ? path : "standard input");
	if (!made->path || scap_fold_create(&made->fold))
		code = error_set(err, -ENOMEM, "no memory to read %s", path);
	else
		code = scap_stream_open(path, &made->stream, err);
	if (code == 0)
		code = check_beginning(made, err);
	if (code) {
		reader_destroy(&made->source);
		return code;
	}
	*reader = made;
	return 0;
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
	stats->folded = reader->folded + scap_fold_count(reader->fold);
	stats->bytes_read = scap_stream_bytes_read(reader->stream);
	stats->bytes = scap_stream_bytes(reader->stream);
}
