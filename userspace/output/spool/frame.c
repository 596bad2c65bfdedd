/* SPDX-License-Identifier: MIT */
/*
 * Frames: index, compression, checksums; headers of segments and frames, and the way to the next
 * valid one.
 */
#include "output/spool/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "util/hash.h"

int spool_encoder_init(struct spool_encoder *encoder, int level)
{
	*encoder = (struct spool_encoder){0};
	if (!level)
		return 0;
	encoder->zstd = ZSTD_createCCtx();
	if (!encoder->zstd)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(encoder->zstd, ZSTD_c_compressionLevel, level);
	return 0;
}

void spool_encoder_finish(struct spool_encoder *encoder)
{
	ZSTD_freeCCtx(encoder->zstd);
	buf_finish(&encoder->index);
	buf_finish(&encoder->data);
	buf_finish(&encoder->frame);
	encoder->zstd = NULL;
}

/* Fills encoder->index and encoder->data. */
static int frame_gather(struct spool_encoder *encoder, const struct output_record *records,
			size_t count)
{
	buf_clear(&encoder->index);
	buf_clear(&encoder->data);
	for (size_t i = 0; i < count; i++) {
		const struct output_record *record = &records[i];
		struct spool_entry entry = {
			.ts_ns = record->ts_ns,
			.number = (uint32_t)(record->number - records[0].number),
			.len = record->len,
			.event = record->event,
			.priority = record->priority,
			.flags = record->flags,
		};

		if (record->number < records[0].number ||
		    record->number - records[0].number > UINT32_MAX)
			return -EINVAL;
		if (record->len > SPOOL_DATA_BYTES_MAX - encoder->data.len)
			return -EMSGSIZE;
		entry.crc = hash_crc32c(0, record->bytes, record->len);
		buf_append(&encoder->index, &entry, sizeof(entry));
		buf_append(&encoder->data, record->bytes, record->len);
	}
	return encoder->index.failed || encoder->data.failed ? -ENOMEM : 0;
}

/* Appends `plain` to the frame, compressed if that is shorter. Returns whether it is. */
static bool append_block(struct spool_encoder *encoder, const struct buf *plain)
{
	struct buf *frame = &encoder->frame;
	size_t stored;

	if (encoder->zstd && buf_reserve(frame, ZSTD_compressBound(plain->len))) {
		stored = ZSTD_compress2(encoder->zstd, frame->data + frame->len,
					frame->capacity - frame->len, plain->data, plain->len);
		if (!ZSTD_isError(stored) && stored < plain->len) {
			frame->len += stored;
			return true;
		}
	}
	buf_append(frame, plain->data, plain->len);
	return false;
}

int spool_encode(struct spool_encoder *encoder, uint64_t position,
		 const struct output_record *records, size_t count)
{
	struct spool_frame_header header = {.magic = SPOOL_FRAME_MAGIC};
	struct buf *frame = &encoder->frame;
	int r;

	if (count == 0 || count > SPOOL_RECORDS_MAX)
		return -EMSGSIZE;
	r = frame_gather(encoder, records, count);
	if (r < 0)
		return r;
	header.first = position;
	header.first_number = records[0].number;
	header.last_number = records[count - 1].number;
	header.first_ns = records[0].ts_ns;
	header.last_ns = records[count - 1].ts_ns;
	header.records = (uint32_t)count;
	header.index_crc = hash_crc32c(0, encoder->index.data, encoder->index.len);
	header.data_plain_bytes = (uint32_t)encoder->data.len;
	buf_clear(frame);
	buf_append(frame, &header, sizeof(header));
	if (append_block(encoder, &encoder->index))
		header.flags |= SPOOL_INDEX_ZSTD;
	header.index_bytes = (uint32_t)(frame->len - sizeof(header));
	if (append_block(encoder, &encoder->data))
		header.flags |= SPOOL_DATA_ZSTD;
	header.data_bytes = (uint32_t)(frame->len - sizeof(header)) - header.index_bytes;
	if (frame->failed)
		return -ENOMEM;
	memcpy(frame->data, &header, sizeof(header));
	return 0;
}

static uint32_t header_crc(struct spool_frame_header header, uint32_t salt)
{
	header.crc = 0;
	return hash_crc32c(salt, &header, sizeof(header));
}

void spool_encoder_seal(struct spool_encoder *encoder, uint32_t salt)
{
	struct spool_frame_header header;

	memcpy(&header, encoder->frame.data, sizeof(header));
	header.crc = header_crc(header, salt);
	memcpy(encoder->frame.data, &header, sizeof(header));
}

/* Compressed blocks are shorter than plain ones. */
static bool frame_fits(uint32_t stored, uint32_t plain, bool compressed)
{
	return compressed ? stored <= plain : stored == plain;
}

bool spool_frame_is_valid(const struct spool_frame_header *header, uint32_t salt)
{
	return memcmp(header->magic, SPOOL_FRAME_MAGIC, sizeof(header->magic)) == 0 &&
	       header->crc == header_crc(*header, salt) && header->records > 0 &&
	       header->records <= SPOOL_RECORDS_MAX && header->first > 0 &&
	       header->first < SPOOL_POSITION_MAX && header->last_number < SPOOL_POSITION_MAX &&
	       header->first_number <= header->last_number &&
	       header->data_plain_bytes <= SPOOL_DATA_BYTES_MAX &&
	       frame_fits(header->index_bytes, header->records * sizeof(struct spool_entry),
			  header->flags & SPOOL_INDEX_ZSTD) &&
	       frame_fits(header->data_bytes, header->data_plain_bytes,
			  header->flags & SPOOL_DATA_ZSTD);
}

int spool_decoder_init(struct spool_decoder *decoder)
{
	*decoder = (struct spool_decoder){.zstd = ZSTD_createDCtx()};
	return decoder->zstd ? 0 : -ENOMEM;
}

void spool_decoder_finish(struct spool_decoder *decoder)
{
	ZSTD_freeDCtx(decoder->zstd);
	buf_finish(&decoder->stored);
	buf_finish(&decoder->index);
	buf_finish(&decoder->data);
	free(decoder->offsets);
	*decoder = (struct spool_decoder){0};
}

/* Makes `plain` bytes of the stored ones. */
static int unpack(struct spool_decoder *decoder, const char *stored, size_t stored_bytes,
		  bool compressed, struct buf *out, size_t plain)
{
	buf_clear(out);
	if (!buf_reserve(out, plain))
		return -ENOMEM;
	if (!compressed)
		memcpy(out->data, stored, plain);
	else if (ZSTD_decompressDCtx(decoder->zstd, out->data, plain, stored, stored_bytes) !=
		 plain)
		return -EBADMSG;
	out->len = plain;
	return 0;
}

/* Reads the first bytes of what follows the header. */
static int read_stored(struct spool_decoder *decoder, int fd, uint64_t offset, size_t bytes)
{
	decoder->count = 0;
	buf_clear(&decoder->stored);
	if (!buf_reserve(&decoder->stored, bytes))
		return -ENOMEM;
	return spool_file_read(fd, decoder->stored.data, bytes,
			       offset + sizeof(struct spool_frame_header));
}

static int check_entries(struct spool_decoder *decoder, const struct spool_frame_header *header)
{
	const struct spool_entry *entries = (const void *)decoder->index.data;
	uint64_t bytes = 0;

	if (hash_crc32c(0, entries, decoder->index.len) != header->index_crc)
		return -EBADMSG;
	for (size_t i = 0; i < header->records; i++)
		bytes += entries[i].len;
	if (bytes != header->data_plain_bytes)
		return -EBADMSG;
	decoder->entries = entries;
	decoder->count = header->records;
	return 0;
}

static int take_index(struct spool_decoder *decoder, const struct spool_frame_header *header)
{
	int r = unpack(decoder, decoder->stored.data, header->index_bytes,
		       header->flags & SPOOL_INDEX_ZSTD, &decoder->index,
		       header->records * sizeof(struct spool_entry));

	return r < 0 ? r : check_entries(decoder, header);
}

int spool_decode_index(struct spool_decoder *decoder, int fd, uint64_t offset,
		       const struct spool_frame_header *header)
{
	int r = read_stored(decoder, fd, offset, header->index_bytes);

	return r < 0 ? r : take_index(decoder, header);
}

static int take_offsets(struct spool_decoder *decoder)
{
	size_t at = 0;

	if (decoder->offsets_capacity < decoder->count) {
		size_t *larger = realloc(decoder->offsets, decoder->count * sizeof(size_t));

		if (!larger)
			return -ENOMEM;
		decoder->offsets = larger;
		decoder->offsets_capacity = decoder->count;
	}
	for (size_t i = 0; i < decoder->count; i++) {
		decoder->offsets[i] = at;
		at += decoder->entries[i].len;
	}
	return 0;
}

int spool_decode(struct spool_decoder *decoder, int fd, uint64_t offset,
		 const struct spool_frame_header *header)
{
	int r = read_stored(decoder, fd, offset, (size_t)header->index_bytes + header->data_bytes);

	if (r == 0)
		r = take_index(decoder, header);
	if (r == 0)
		r = unpack(decoder, decoder->stored.data + header->index_bytes, header->data_bytes,
			   header->flags & SPOOL_DATA_ZSTD, &decoder->data,
			   header->data_plain_bytes);
	return r < 0 ? r : take_offsets(decoder);
}

bool spool_record_is_valid(const struct spool_decoder *decoder, size_t i)
{
	const struct spool_entry *entry = &decoder->entries[i];

	return hash_crc32c(0, decoder->data.data + decoder->offsets[i], entry->len) == entry->crc;
}

void spool_decoder_entry(const struct spool_decoder *decoder,
			 const struct spool_frame_header *header, size_t i,
			 struct output_record *record)
{
	const struct spool_entry *entry = &decoder->entries[i];

	*record = (struct output_record){
		.number = header->first_number + entry->number,
		.ts_ns = entry->ts_ns,
		.len = entry->len,
		.event = entry->event,
		.priority = entry->priority,
		.flags = entry->flags,
	};
}

void spool_decoder_record(const struct spool_decoder *decoder,
			  const struct spool_frame_header *header, size_t i,
			  struct output_record *record)
{
	spool_decoder_entry(decoder, header, i, record);
	record->bytes = decoder->data.data + decoder->offsets[i];
}

/* Headers of segments and frames, and the way to the next valid one. */

enum { WINDOW_BYTES = 16384 };

static uint32_t segment_crc(struct spool_segment_header header)
{
	header.crc = 0;
	return hash_crc32c(0, &header, sizeof(header));
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
