/* SPDX-License-Identifier: MIT */
/* Frames: what goes in comes out, and what is damaged does not. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "output/spool/frame.h"
#include "spooled.h"
#include "unit.h"

enum { RECORDS = 50, SALT = 0x1234567, POSITION = 1000, OFFSET = 64 };

struct framed {
	struct spool_encoder encoder;
	struct spool_decoder decoder;
	struct spool_frame_header header;
	char bytes[RECORDS][SPOOLED_RECORD_BYTES];
	struct output_record records[RECORDS];
	int fd;
};

static struct framed *create(int level)
{
	struct framed *framed = calloc(1, sizeof(*framed));

	assert_int_equal(spool_encoder_init(&framed->encoder, level), 0);
	assert_int_equal(spool_decoder_init(&framed->decoder), 0);
	for (unsigned int i = 0; i < RECORDS; i++)
		framed->records[i] = spooled_record(i + 7, framed->bytes[i]);
	framed->fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	assert_true(framed->fd >= 0);
	return framed;
}

static void destroy(struct framed *framed)
{
	spool_encoder_finish(&framed->encoder);
	spool_decoder_finish(&framed->decoder);
	close(framed->fd);
	free(framed);
}

static void encode(struct framed *framed, size_t count)
{
	assert_int_equal(spool_encode(&framed->encoder, POSITION, framed->records, count), 0);
	spool_encoder_seal(&framed->encoder, SALT);
	memcpy(&framed->header, framed->encoder.frame.data, sizeof(framed->header));
	assert_int_equal(spool_file_write(framed->fd, framed->encoder.frame.data,
					  framed->encoder.frame.len, OFFSET),
			 0);
}

static int decode(struct framed *framed)
{
	return spool_decode(&framed->decoder, framed->fd, OFFSET, &framed->header);
}

static void check(const struct framed *framed, size_t i)
{
	struct output_record record;

	spool_decoder_record(&framed->decoder, &framed->header, i, &record);
	assert_true(spool_record_is_valid(&framed->decoder, i));
	assert_int_equal(record.number, framed->records[i].number);
	assert_int_equal(record.ts_ns, framed->records[i].ts_ns);
	assert_int_equal(record.event, framed->records[i].event);
	assert_int_equal(record.priority, framed->records[i].priority);
	assert_int_equal(record.flags, framed->records[i].flags);
	assert_int_equal(record.len, framed->records[i].len);
	assert_memory_equal(record.bytes, framed->records[i].bytes, record.len);
}

static void gives_back_what_it_took(void **state)
{
	for (int level = 0; level < 4; level++) {
		struct framed *framed = create(level);

		framed->records[3].flags = RECORD_IS_DROP;
		framed->records[5].len = 0;
		for (size_t count = 1; count <= RECORDS; count += 7) {
			encode(framed, count);
			assert_true(spool_frame_is_valid(&framed->header, SALT));
			assert_int_equal(spool_frame_bytes(&framed->header),
					 framed->encoder.frame.len);
			assert_int_equal(spool_frame_last(&framed->header), POSITION + count - 1);
			assert_int_equal(framed->header.last_number, 7 + count - 1);
			assert_int_equal(decode(framed), 0);
			assert_int_equal(framed->decoder.count, count);
			for (size_t i = 0; i < count; i++)
				check(framed, i);
		}
		destroy(framed);
	}
}

static void is_shorter_when_compressed(void **state)
{
	struct framed *framed = create(1);

	encode(framed, RECORDS);
	assert_int_equal(framed->header.flags, SPOOL_INDEX_ZSTD | SPOOL_DATA_ZSTD);
	assert_true(framed->header.data_bytes < framed->header.data_plain_bytes);
	/* What does not get shorter stays as it is. */
	framed->records[0].len = 3;
	encode(framed, 1);
	assert_false(framed->header.flags & SPOOL_DATA_ZSTD);
	assert_int_equal(framed->header.data_bytes, 3);
	destroy(framed);
}

static void reads_the_index_alone(void **state)
{
	struct framed *framed = create(1);
	struct output_record record;

	encode(framed, RECORDS);
	/* Even with nothing behind it. */
	assert_int_equal(ftruncate(framed->fd, (off_t)(OFFSET + sizeof(framed->header) +
						       framed->header.index_bytes)),
			 0);
	assert_int_equal(spool_decode_index(&framed->decoder, framed->fd, OFFSET, &framed->header),
			 0);
	assert_int_equal(framed->decoder.count, RECORDS);
	spool_decoder_entry(&framed->decoder, &framed->header, 9, &record);
	assert_int_equal(record.number, framed->records[9].number);
	assert_null(record.bytes);
	assert_int_equal(decode(framed), -EBADMSG);
	destroy(framed);
}

static void rejects_what_no_reader_could_hold(void **state)
{
	struct framed *framed = create(0);
	struct spool_encoder *encoder = &framed->encoder;

	assert_int_equal(spool_encode(encoder, 1, framed->records, 0), -EMSGSIZE);
	assert_int_equal(spool_encode(encoder, 1, framed->records, SPOOL_RECORDS_MAX + 1),
			 -EMSGSIZE);
	framed->records[1].len = SPOOL_DATA_BYTES_MAX;
	assert_int_equal(spool_encode(encoder, 1, framed->records, 2), -EMSGSIZE);
	framed->records[1].len = 10;
	framed->records[1].number = 1;
	assert_int_equal(spool_encode(encoder, 1, framed->records, 2), -EINVAL);
	framed->records[1].number = framed->records[0].number + UINT32_MAX + UINT64_C(1);
	assert_int_equal(spool_encode(encoder, 1, framed->records, 2), -EINVAL);
	destroy(framed);
}

static void rejects_headers_that_are_damaged(void **state)
{
	struct framed *framed = create(1);

	encode(framed, RECORDS);
	assert_false(spool_frame_is_valid(&framed->header, SALT + 1));
	for (size_t i = 0; i < sizeof(framed->header); i++) {
		struct spool_frame_header damaged = framed->header;

		((char *)&damaged)[i] ^= 0x10;
		assert_false(spool_frame_is_valid(&damaged, SALT));
	}
	destroy(framed);
}

/* A damaged byte costs its record, or, in what is compressed or in the index, the frame. */
static void names_the_record_that_is_damaged(void **state)
{
	struct framed *framed = create(0);
	uint64_t data = OFFSET + sizeof(framed->header);

	encode(framed, RECORDS);
	data += framed->header.index_bytes;
	assert_int_equal(spool_file_write(framed->fd, "\xff", 1, data + framed->records[0].len + 5),
			 0);
	assert_int_equal(decode(framed), 0);
	for (size_t i = 0; i < RECORDS; i++)
		assert_int_equal(spool_record_is_valid(&framed->decoder, i), i != 1);
	assert_int_equal(spool_file_write(framed->fd, "\xff", 1, OFFSET + 100), 0);
	assert_int_equal(decode(framed), -EBADMSG);
	assert_int_equal(framed->decoder.count, 0);
	destroy(framed);
}

static void never_gives_out_what_was_not_stored(void **state)
{
	struct framed *framed = create(1);
	size_t len;

	encode(framed, RECORDS);
	len = framed->encoder.frame.len;
	for (size_t i = sizeof(framed->header); i < len; i++) {
		char byte = (char)(framed->encoder.frame.data[i] ^ 4);

		assert_int_equal(spool_file_write(framed->fd, &byte, 1, OFFSET + i), 0);
		if (decode(framed) == 0)
			for (size_t k = 0; k < RECORDS; k++)
				if (spool_record_is_valid(&framed->decoder, k))
					check(framed, k);
		assert_int_equal(
			spool_file_write(framed->fd, framed->encoder.frame.data + i, 1, OFFSET + i),
			0);
	}
	assert_int_equal(decode(framed), 0);
	destroy(framed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(gives_back_what_it_took),
	cmocka_unit_test(is_shorter_when_compressed),
	cmocka_unit_test(reads_the_index_alone),
	cmocka_unit_test(rejects_what_no_reader_could_hold),
	cmocka_unit_test(rejects_headers_that_are_damaged),
	cmocka_unit_test(names_the_record_that_is_damaged),
	cmocka_unit_test(never_gives_out_what_was_not_stored),
};

UNIT_GROUP(tests);
