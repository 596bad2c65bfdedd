/* SPDX-License-Identifier: MIT */
/* One stream of bytes with a header before it and descriptions behind it, or in between. */
#include "perf/data/writer.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "perf/data/described.h"
#include "perf/data/format.h"
#include "util/clock.h"

enum {
	PENDING_BYTES = 1 << 16, /* of our own records, before they are written */
	PACKED_INPUT_BYTES = 48 << 10, /* of one compressed record */
	PACKED_ROOM_BYTES = 60 << 10,
	PARTS_MAX = 2, /* of a ring */
};

_Static_assert(sizeof(struct perf_event_attr) >= PERF_DATA_ATTR_BYTES, "attrs are copied");

/* How often the header says what there is so far, if the program is killed. */
static const uint64_t header_step_ns = 1000000000;

struct perf_data_writer {
	const struct perf_data_facts *facts;
	int fd;
	bool is_pipe;
	int error; /* 0 or -errno: nothing is written any more */
	struct perf_data_header header;
	struct buf pending; /* records that are not written yet */
	uint64_t bytes; /* written */
	uint64_t header_ns; /* monotonic clock: when the header was written last */
	ZSTD_CStream *packer; /* owned; NULL: what rings have is written as it is */
	uint8_t *packed; /* owned */
	struct perf_data_described described;
};

/* Bytes. */

static int write_all(struct perf_data_writer *writer, struct iovec *parts, int count)
{
	while (count && !writer->error) {
		ssize_t n = writev(writer->fd, parts, count);

		if (n < 0 && errno != EINTR)
			writer->error = -errno;
		if (n <= 0)
			continue;
		writer->bytes += (uint64_t)n;
		while (count && (size_t)n >= parts->iov_len) {
			n -= (ssize_t)parts->iov_len;
			parts++;
			count--;
		}
		if (count) {
			parts->iov_base = (char *)parts->iov_base + n;
			parts->iov_len -= (size_t)n;
		}
	}
	return writer->error;
}

static int write_pending(struct perf_data_writer *writer)
{
	struct iovec part = {writer->pending.data, writer->pending.len};

	if (writer->pending.failed && !writer->error)
		writer->error = -ENOMEM;
	if (part.iov_len)
		write_all(writer, &part, 1);
	buf_clear(&writer->pending);
	return writer->error;
}

void perf_data_writer_append(struct perf_data_writer *writer, const void *records, size_t bytes)
{
	buf_append(&writer->pending, records, bytes);
	if (writer->pending.len >= PENDING_BYTES)
		write_pending(writer);
}

static void append_header(struct buf *out, uint32_t type, size_t bytes)
{
	const struct perf_event_header header = {.type = type, .size = (uint16_t)bytes};

	buf_append(out, &header, sizeof(header));
}

/* Compression. */

static int write_packed(struct perf_data_writer *writer, const uint8_t *data, size_t bytes)
{
	const size_t head = sizeof(struct perf_event_header);
	ZSTD_inBuffer in = {data, bytes, 0};
	size_t left = 1;

	/* Each record is whole: a reader can decompress it as soon as it has it. */
	while ((left || in.pos < in.size) && !writer->error) {
		ZSTD_outBuffer out = {writer->packed + head, PACKED_ROOM_BYTES, 0};
		struct perf_event_header header = {.type = PERF_DATA_COMPRESSED_RECORD};

		left = ZSTD_compressStream2(writer->packer, &out, &in, ZSTD_e_flush);
		if (ZSTD_isError(left))
			writer->error = -EIO;
		if (writer->error || !out.pos)
			break;
		header.size = (uint16_t)(head + out.pos);
		memcpy(writer->packed, &header, head);
		perf_data_writer_append(writer, writer->packed, header.size);
		writer->described.packed_bytes += header.size;
	}
	return writer->error;
}

static int append_packed(struct perf_data_writer *writer, const struct iovec *parts, int count)
{
	for (int i = 0; i < count; i++)
		for (size_t at = 0; at < parts[i].iov_len; at += PACKED_INPUT_BYTES) {
			size_t left = parts[i].iov_len - at;

			write_packed(writer, (const uint8_t *)parts[i].iov_base + at,
				     left < PACKED_INPUT_BYTES ? left : PACKED_INPUT_BYTES);
		}
	return writer->error;
}

int perf_data_writer_append_ring(struct perf_data_writer *writer, const struct iovec *parts,
				 int count)
{
	struct iovec all[1 + PARTS_MAX] = {{writer->pending.data, writer->pending.len}};

	for (int i = 0; i < count; i++)
		writer->described.raw_bytes += parts[i].iov_len;
	if (writer->packer)
		return append_packed(writer, parts, count);
	if (writer->pending.failed || count > PARTS_MAX)
		return write_pending(writer);
	memcpy(all + 1, parts, (size_t)count * sizeof(*parts));
	write_all(writer, writer->pending.len ? all : all + 1,
		  count + (writer->pending.len ? 1 : 0));
	buf_clear(&writer->pending);
	return writer->error;
}

/* The header. */

static int write_header(struct perf_data_writer *writer)
{
	const char *at = (const char *)&writer->header;
	size_t left = sizeof(writer->header);

	while (left && !writer->error) {
		ssize_t n = pwrite(writer->fd, at, left, (off_t)(sizeof(writer->header) - left));

		if (n < 0 && errno != EINTR)
			writer->error = -errno;
		if (n > 0) {
			at += n;
			left -= (size_t)n;
		}
	}
	return writer->error;
}

int perf_data_writer_round(struct perf_data_writer *writer)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	append_header(&writer->pending, PERF_DATA_FINISHED_ROUND, sizeof(struct perf_event_header));
	if (writer->is_pipe || now_ns - writer->header_ns < header_step_ns)
		return writer->is_pipe ? write_pending(writer) : writer->error;
	writer->header_ns = now_ns;
	if (write_pending(writer))
		return writer->error;
	writer->header.data.bytes = writer->bytes - writer->header.data.offset;
	return write_header(writer);
}

static void begin_file(struct perf_data_writer *writer)
{
	const struct perf_data_facts *facts = writer->facts;
	struct perf_data_header *header = &writer->header;
	const size_t entry = PERF_DATA_ATTR_BYTES + sizeof(struct perf_data_section);
	uint64_t ids_at = sizeof(*header);

	buf_append(&writer->pending, header, sizeof(*header));
	for (size_t i = 0; i < facts->events_count; i++)
		buf_append(&writer->pending, facts->events[i].ids,
			   facts->events[i].ids_count * sizeof(uint64_t));
	header->attrs.offset = writer->pending.len;
	header->attrs.bytes = facts->events_count * entry;
	for (size_t i = 0; i < facts->events_count; i++) {
		const struct perf_data_event *event = &facts->events[i];
		const struct perf_data_section ids = {ids_at, event->ids_count * sizeof(uint64_t)};

		buf_append(&writer->pending, &event->attr, PERF_DATA_ATTR_BYTES);
		buf_append(&writer->pending, &ids, sizeof(ids));
		ids_at += ids.bytes;
	}
	memcpy(header->magic, PERF_DATA_MAGIC, sizeof(header->magic));
	header->header_bytes = sizeof(*header);
	header->attr_bytes = entry;
	header->data.offset = writer->pending.len;
	if (!writer->pending.failed)
		memcpy(writer->pending.data, header, sizeof(*header));
}

/* An event as a record; one with more ids than a record holds leaves some out. */
static void append_attr(struct buf *out, const struct perf_data_event *event)
{
	const size_t head = sizeof(struct perf_event_header) + PERF_DATA_ATTR_BYTES;
	const size_t room = (PERF_DATA_RECORD_BYTES_MAX - head) / sizeof(uint64_t);
	size_t ids = event->ids_count < room ? event->ids_count : room;

	append_header(out, PERF_DATA_HEADER_ATTR, head + ids * sizeof(uint64_t));
	buf_append(out, &event->attr, PERF_DATA_ATTR_BYTES);
	buf_append(out, event->ids, ids * sizeof(uint64_t));
}

/* The name of an event, which EVENT_DESC has in files. */
static void append_name(struct buf *out, const struct perf_data_event *event)
{
	static const char zeros[sizeof(uint64_t)];
	size_t len = strlen(event->name) + 1, padded = (len + 7) / 8 * 8;
	const uint64_t body[] = {PERF_DATA_UPDATE_NAME, event->ids_count ? event->ids[0] : 0};

	append_header(out, PERF_DATA_EVENT_UPDATE,
		      sizeof(struct perf_event_header) + sizeof(body) + padded);
	buf_append(out, body, sizeof(body));
	buf_append(out, event->name, len);
	buf_append(out, zeros, padded - len);
}

/* A description as a record, if it is short enough. */
static void append_feature(struct perf_data_writer *writer, uint64_t number)
{
	const size_t head = sizeof(struct perf_event_header) + sizeof(number);
	struct buf body = {0};
	bool there =
		number == PERF_DATA_FEATURES ||
		perf_data_feature_append((enum perf_data_feature)number, &writer->described, &body);

	while (body.len % sizeof(uint64_t))
		buf_append_char(&body, '\0');
	if (there && !body.failed && head + body.len <= PERF_DATA_RECORD_BYTES_MAX) {
		append_header(&writer->pending, PERF_DATA_HEADER_FEATURE, head + body.len);
		buf_append(&writer->pending, &number, sizeof(number));
		buf_append(&writer->pending, body.data, body.len);
	}
	buf_finish(&body);
}

/* The formats stand behind their record. */
static void append_tracing_record(struct perf_data_writer *writer)
{
	const struct buf *tracing = writer->facts->tracing;
	const uint32_t body[] = {(uint32_t)((tracing->len + 7) / 8 * 8), 0};
	static const char zeros[sizeof(uint64_t)];

	if (!tracing->len)
		return;
	append_header(&writer->pending, PERF_DATA_HEADER_TRACING_DATA,
		      sizeof(struct perf_event_header) + sizeof(body));
	buf_append(&writer->pending, body, sizeof(body));
	buf_append(&writer->pending, tracing->data, tracing->len);
	buf_append(&writer->pending, zeros, body[0] - tracing->len);
}

static void begin_pipe(struct perf_data_writer *writer)
{
	const struct perf_data_facts *facts = writer->facts;
	const uint64_t bytes = PERF_DATA_PIPE_HEADER_BYTES;

	buf_append(&writer->pending, PERF_DATA_MAGIC, sizeof(writer->header.magic));
	buf_append(&writer->pending, &bytes, sizeof(bytes));
	for (size_t i = 0; i < facts->events_count; i++)
		append_attr(&writer->pending, &facts->events[i]);
	for (uint64_t i = PERF_DATA_HOSTNAME; i < PERF_DATA_FEATURES; i++)
		append_feature(writer, i);
	append_feature(writer, PERF_DATA_FEATURES);
	append_tracing_record(writer);
	for (size_t i = 0; i < facts->events_count; i++)
		append_name(&writer->pending, &facts->events[i]);
}

static int prepare_packing(struct perf_data_writer *writer, struct error *err)
{
	if (!writer->facts->level)
		return 0;
	writer->packer = ZSTD_createCStream();
	writer->packed = malloc(sizeof(struct perf_event_header) + PACKED_ROOM_BYTES);
	if (!writer->packer || !writer->packed)
		return error_set(err, -ENOMEM, "out of memory");
	ZSTD_initCStream(writer->packer, writer->facts->level);
	return 0;
}

int perf_data_writer_create(int fd, bool is_pipe, const struct perf_data_facts *facts,
			    struct perf_data_writer **writer, struct error *err)
{
	struct perf_data_writer *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->facts = facts;
	made->fd = fd;
	made->is_pipe = is_pipe;
	made->header_ns = clock_ns(CLOCK_MONOTONIC);
	perf_data_described_init(facts, &made->described);
	r = prepare_packing(made, err);
	if (r == 0) {
		if (is_pipe)
			begin_pipe(made);
		else
			begin_file(made);
		r = write_pending(made);
		if (r)
			error_set(err, r, "cannot write: %s", strerror(-r));
	}
	if (r)
		perf_data_writer_destroy(made);
	else
		*writer = made;
	return r;
}

void perf_data_writer_destroy(struct perf_data_writer *writer)
{
	if (!writer)
		return;
	ZSTD_freeCStream(writer->packer);
	free(writer->packed);
	buf_finish(&writer->pending);
	free(writer);
}

/* The build ids of a pipe, each as a record. */
static void append_build_id_records(struct perf_data_writer *writer)
{
	struct buf body = {0};

	perf_data_feature_append(PERF_DATA_BUILD_ID, &writer->described, &body);
	for (size_t at = 0; !body.failed && at < body.len;) {
		struct perf_event_header header;

		memcpy(&header, body.data + at, sizeof(header));
		header.type = PERF_DATA_HEADER_BUILD_ID;
		buf_append(&writer->pending, &header, sizeof(header));
		buf_append(&writer->pending, body.data + at + sizeof(header),
			   header.size - sizeof(header));
		at += header.size;
	}
	buf_finish(&body);
}

/* The table of descriptions, then these. */
static void append_descriptions(struct perf_data_writer *writer)
{
	uint64_t at = writer->header.data.offset + writer->header.data.bytes;
	struct perf_data_section sections[PERF_DATA_FEATURES];
	struct buf bodies = {0};
	size_t count = 0;

	for (unsigned int i = 0; i < PERF_DATA_FEATURES; i++) {
		size_t start = bodies.len;

		if (!perf_data_feature_append(i, &writer->described, &bodies))
			continue;
		sections[count++] = (struct perf_data_section){start, bodies.len - start};
		writer->header.features[0] |= UINT64_C(1) << i;
	}
	at += count * sizeof(*sections);
	for (size_t i = 0; i < count; i++)
		sections[i].offset += at;
	buf_append(&writer->pending, sections, count * sizeof(*sections));
	buf_append(&writer->pending, bodies.data, bodies.len);
	if (bodies.failed)
		buf_fail(&writer->pending);
	buf_finish(&bodies);
}

int perf_data_writer_finish(struct perf_data_writer *writer, const struct perf_data_end *end)
{
	writer->described.end = end;
	if (writer->is_pipe) {
		append_build_id_records(writer);
		return write_pending(writer);
	}
	if (write_pending(writer))
		return writer->error;
	writer->header.data.bytes = writer->bytes - writer->header.data.offset;
	append_descriptions(writer);
	if (write_pending(writer))
		return writer->error;
	return write_header(writer);
}

uint64_t perf_data_writer_bytes(const struct perf_data_writer *writer)
{
	return writer->bytes + writer->pending.len;
}

void perf_data_writer_ratio(const struct perf_data_writer *writer, uint64_t *raw, uint64_t *packed)
{
	*raw = writer->described.raw_bytes;
	*packed = writer->described.packed_bytes;
}
