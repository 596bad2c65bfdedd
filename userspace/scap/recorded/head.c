/* SPDX-License-Identifier: MIT */
/* Sections of a file by their offsets, each of which is checked. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/recorded/reader_impl.h"

enum { SECTION_BYTES = sizeof(struct perf_data_section), NUMBER_BYTES = sizeof(uint64_t) };

/* What is left of a description. */
struct head_rest {
	const uint8_t *at;
	size_t bytes;
};

static bool head_take(struct head_rest *rest, void *to, size_t bytes)
{
	if (rest->bytes < bytes)
		return false;
	if (to)
		memcpy(to, rest->at, bytes);
	rest->at += bytes;
	rest->bytes -= bytes;
	return true;
}

/* A length of 32 bits, and so many bytes, in which a text ends. */
static const char *head_text(struct head_rest *rest, uint32_t *len)
{
	const uint8_t *text;

	if (!head_take(rest, len, sizeof(*len)))
		return NULL;
	text = rest->at;
	return head_take(rest, NULL, *len) ? (const char *)text : NULL;
}

/* Descriptions. Each returns false if it is damaged. */

static bool take_hostname(struct recorded_reader *reader, struct head_rest rest)
{
	uint32_t len;
	const char *text = head_text(&rest, &len);

	if (!text)
		return false;
	len = (uint32_t)strnlen(text, len);
	len = len < sizeof(reader->hostname) ? len : sizeof(reader->hostname) - 1;
	memcpy(reader->hostname, text, len);
	reader->hostname[len] = '\0';
	return true;
}

static bool take_cpus(struct recorded_reader *reader, struct head_rest rest)
{
	return head_take(&rest, &reader->cpus, sizeof(reader->cpus));
}

static bool take_memory(struct recorded_reader *reader, struct head_rest rest)
{
	uint64_t kib;

	if (!head_take(&rest, &kib, sizeof(kib)))
		return false;
	reader->memory_bytes = kib * 1024;
	return true;
}

static bool take_events(struct recorded_reader *reader, struct head_rest rest)
{
	struct {
		uint32_t count, attr_bytes;
	} head;

	if (!head_take(&rest, &head, sizeof(head)))
		return false;
	for (uint32_t i = 0; i < head.count; i++) {
		uint32_t ids, len;
		const char *name;

		if (!head_take(&rest, NULL, head.attr_bytes) ||
		    !head_take(&rest, &ids, sizeof(ids)))
			return false;
		name = head_text(&rest, &len);
		if (!name || !head_take(&rest, NULL, (size_t)ids * NUMBER_BYTES))
			return false;
		recorded_events_name_at(&reader->events, i, name, len);
	}
	return true;
}

static bool take_clocks(struct recorded_reader *reader, struct head_rest rest)
{
	struct {
		uint32_t version, clock;
		uint64_t wall_ns, clock_ns;
	} clocks;

	if (!head_take(&rest, &clocks, sizeof(clocks)))
		return false;
	reader->wall_ns = clocks.wall_ns;
	reader->clock_ns = clocks.clock_ns;
	return true;
}

static bool take_formats(struct recorded_reader *reader, struct head_rest rest)
{
	recorded_events_take_formats(&reader->events, rest.at, rest.bytes);
	return true;
}

static bool take_ids(struct recorded_reader *reader, struct head_rest rest)
{
	recorded_head_take_build_ids(reader, rest.at, rest.bytes);
	return true;
}

typedef bool head_take_feature(struct recorded_reader *reader, struct head_rest rest);

static head_take_feature *const features[PERF_DATA_FEATURES] = {
	[PERF_DATA_TRACING_DATA] = take_formats, [PERF_DATA_BUILD_ID] = take_ids,
	[PERF_DATA_HOSTNAME] = take_hostname,	 [PERF_DATA_NRCPUS] = take_cpus,
	[PERF_DATA_TOTAL_MEM] = take_memory,	 [PERF_DATA_EVENT_DESC] = take_events,
	[PERF_DATA_CLOCK_DATA] = take_clocks,
};

void recorded_head_take_feature(struct recorded_reader *reader, uint64_t feature,
				const uint8_t *body, size_t bytes)
{
	if (feature < PERF_DATA_FEATURES && features[feature] &&
	    !features[feature](reader, (struct head_rest){body, bytes}))
		reader->stats.corrupt_lists++;
}

void recorded_head_take_build_ids(struct recorded_reader *reader, const uint8_t *records,
				  size_t bytes)
{
	struct perf_data_build_id record;

	while (reader->names && bytes >= sizeof(record)) {
		struct perf_build_id id = {.size = sizeof(id.bytes)};
		const char *path = (const char *)records + sizeof(record);

		memcpy(&record, records, sizeof(record));
		if (record.header.size <= sizeof(record) || record.header.size > bytes ||
		    !memchr(path, '\0', record.header.size - sizeof(record))) {
			reader->stats.corrupt_lists++;
			return;
		}
		if (record.header.misc & PERF_DATA_MISC_BUILD_ID_SIZE &&
		    record.bytes <= sizeof(id.bytes))
			id.size = record.bytes;
		memcpy(id.bytes, record.id, id.size);
		recorded_names_build_id(reader->names, path, &id);
		records += record.header.size;
		bytes -= record.header.size;
	}
}

void recorded_head_take_attr(struct recorded_reader *reader, const uint8_t *body, size_t bytes)
{
	struct perf_event_attr attr;
	uint32_t size = 0;

	if (bytes >= PERF_DATA_ATTR_BYTES_MIN)
		memcpy(&size, body + offsetof(struct perf_event_attr, size), sizeof(size));
	size = size ? size : PERF_DATA_ATTR_BYTES_MIN;
	if (size > bytes || size % NUMBER_BYTES || size < sizeof(attr.type) ||
	    recorded_events_add(&reader->events, body, size, body + size,
				(bytes - size) / NUMBER_BYTES))
		reader->stats.corrupt_lists++;
}

/* Files. */

static int end_damaged(struct recorded_reader *reader, const char *what)
{
	return recorded_end_with(reader, -EBADMSG, "its header is corrupt: %s", what);
}

static bool is_within(const struct perf_data_section *section, uint64_t end)
{
	return section->offset <= end && section->bytes <= end - section->offset;
}

static int take_attrs(struct recorded_reader *reader, const struct perf_data_header *header,
		      const uint8_t *file)
{
	size_t each = header->attr_bytes, attr = each - SECTION_BYTES;

	for (uint64_t at = 0; at + each <= header->attrs.bytes; at += each) {
		const uint8_t *entry = file + header->attrs.offset + at;
		struct perf_data_section ids;
		int r;

		memcpy(&ids, entry + attr, sizeof(ids));
		if (!is_within(&ids, header->data.offset))
			return end_damaged(reader, "ids of an event are not before the data");
		r = recorded_events_add(&reader->events, entry, attr, file + ids.offset,
					ids.bytes / NUMBER_BYTES);
		if (r)
			return recorded_end_with(reader, r, "its events: %s", strerror(-r));
	}
	return 0;
}

static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	char *at = to;

	while (bytes) {
		ssize_t n = offset <= INT64_MAX ? pread(fd, at, bytes, (off_t)offset) : -1;

		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
		offset += (uint64_t)n;
	}
	return true;
}

/* bytes: of the file. */
static void read_feature(struct recorded_reader *reader, int fd, uint64_t bytes, uint64_t feature,
			 const struct perf_data_section *section)
{
	uint8_t *body;

	/* Nothing is allocated for what is not there. */
	if (section->bytes > RECORDED_HEAD_BYTES_MAX || section->bytes > bytes || !section->bytes) {
		reader->stats.corrupt_lists += section->bytes > 0;
		return;
	}
	body = malloc(section->bytes);
	if (body && read_at(fd, body, section->bytes, section->offset))
		recorded_head_take_feature(reader, feature, body, section->bytes);
	else
		reader->stats.corrupt_lists++;
	free(body);
}

/* What is behind the data, if it can be read before these. */
static void read_features(struct recorded_reader *reader, int fd,
			  const struct perf_data_header *header)
{
	uint64_t at = header->data.offset + header->data.bytes;
	struct perf_data_section section;
	struct stat file;

	if (fstat(fd, &file) || !S_ISREG(file.st_mode) || at < header->data.offset)
		return;
	for (uint64_t i = 0; i < PERF_DATA_FEATURES; i++) {
		if (!(header->features[0] >> i & 1))
			continue;
		if (!read_at(fd, &section, sizeof(section), at)) {
			reader->stats.corrupt_lists++;
			return;
		}
		at += sizeof(section);
		if (features[i])
			read_feature(reader, fd, (uint64_t)file.st_size, i, &section);
	}
}

/* The file itself, if its bytes are those of the stream: it is not compressed as a whole. */
static int open_again(const char *path, const struct perf_data_header *header)
{
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
					: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct perf_data_header found;

	if (fd < 0)
		return -1;
	if (read_at(fd, &found, sizeof(found), 0) && memcmp(&found, header, sizeof(found)) == 0)
		return fd;
	close(fd);
	return -1;
}

static int check_header(struct recorded_reader *reader, const struct perf_data_header *header)
{
	const struct perf_data_section *attrs = &header->attrs;

	if (header->header_bytes < sizeof(*header))
		return end_damaged(reader, "it is too short");
	if (header->attr_bytes < PERF_DATA_ATTR_BYTES_MIN + SECTION_BYTES ||
	    header->attr_bytes > 4096)
		return end_damaged(reader, "the size of events");
	if (header->data.offset > RECORDED_HEAD_BYTES_MAX ||
	    header->data.offset < sizeof(*header) || !is_within(attrs, header->data.offset))
		return end_damaged(reader, "events are not before the data");
	return 0;
}

static int read_file_head(struct recorded_reader *reader, const char *path)
{
	struct scap_stream *stream = reader->stream;
	struct perf_data_header header;
	int r = scap_stream_need(stream, sizeof(header), -1), fd;

	if (r == 1) {
		memcpy(&header, stream->data, sizeof(header));
		r = check_header(reader, &header);
		r = r ? r : scap_stream_need(stream, header.data.offset, -1);
	}
	if (r == 1)
		r = take_attrs(reader, &header, stream->data);
	else if (reader->code == 0)
		r = recorded_end_with(reader,
				      r == 0	      ? -EINTR
				      : r == -ENODATA ? -EPIPE
						      : r,
				      r == -ENODATA ? "it is truncated in its header" : "%s",
				      scap_stream_problem(stream));
	if (r)
		return r;
	fd = open_again(path, &header);
	if (fd >= 0) {
		read_features(reader, fd, &header);
		close(fd);
	}
	scap_stream_skip(stream, header.data.offset);
	/* Whose writing was broken off has no size yet. */
	reader->left = header.data.bytes ? header.data.bytes : UINT64_MAX;
	return 0;
}

int recorded_head_read(struct recorded_reader *reader, const char *path)
{
	struct {
		char magic[8];
		uint64_t bytes;
	} begin;
	int r = scap_stream_need(reader->stream, sizeof(begin), -1);

	if (r == 0)
		return recorded_end_with(reader, -EINTR, "interrupted");
	if (r < 0)
		return recorded_end_with(reader, -EPIPE, "it is truncated in its header");
	memcpy(&begin, reader->stream->data, sizeof(begin));
	if (memcmp(begin.magic, PERF_DATA_MAGIC, sizeof(begin.magic)) != 0)
		return recorded_end_with(reader, -ENOTSUP,
					 "it was written on a machine whose numbers have the other "
					 "order of bytes; read it there");
	reader->is_pipe = begin.bytes == PERF_DATA_PIPE_HEADER_BYTES;
	if (!reader->is_pipe)
		return read_file_head(reader, path);
	scap_stream_skip(reader->stream, sizeof(begin));
	reader->left = UINT64_MAX;
	return 0;
}
