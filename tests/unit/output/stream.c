/* SPDX-License-Identifier: MIT */
/* Batches written to pipes: short writes, waits for a reader, errors. */
#include "output/stop.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECES = 100, PIECE_BYTES = 5000 };

struct stream {
	struct output_stop stop;
	int ends[2];
	char *bytes;
	struct iovec parts[PIECES];
	struct output_batch batch;
};

/* More pieces than one call takes, more bytes than a pipe has room for. */
static int setup(void **state)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	*state = stream;
	stream->bytes = malloc(PIECES * PIECE_BYTES);
	for (size_t i = 0; i < PIECES * PIECE_BYTES; i++)
		stream->bytes[i] = (char)(i * 7 + i / 256);
	for (size_t i = 0; i < PIECES; i++)
		stream->parts[i] = (struct iovec){stream->bytes + i * PIECE_BYTES, PIECE_BYTES};
	stream->batch = (struct output_batch){
		.parts = stream->parts, .parts_count = PIECES, .bytes = PIECES * PIECE_BYTES};
	signal(SIGPIPE, SIG_IGN);
	return output_stop_init(&stream->stop) || pipe2(stream->ends, O_NONBLOCK);
}

static int teardown(void **state)
{
	struct stream *stream = *state;

	close(stream->ends[0]);
	close(stream->ends[1]);
	output_stop_finish(&stream->stop);
	free(stream->bytes);
	free(stream);
	return 0;
}

static void *read_all(void *context)
{
	struct stream *stream = context;
	size_t len = 0, size = PIECES * PIECE_BYTES;
	char *got = malloc(size);
	ssize_t n;

	fcntl(stream->ends[0], F_SETFL, 0);
	while (len < size && (n = read(stream->ends[0], got + len, size - len)) > 0)
		len += (size_t)n;
	if (len == size && memcmp(got, stream->bytes, size) == 0)
		len = 1;
	free(got);
	return (void *)len;
}

static void test_everything_arrives(void **state)
{
	struct stream *stream = *state;
	pthread_t reader;
	size_t done = 0;
	void *equal;

	assert_int_equal(pthread_create(&reader, NULL, read_all, stream), 0);
	assert_int_equal(output_stop_write(stream->ends[1], &stream->stop, &stream->batch,
				      stream->batch.bytes, &done),
			 0);
	assert_int_equal(done, PIECES * PIECE_BYTES);
	pthread_join(reader, &equal);
	assert_int_equal((size_t)equal, 1);
}

/* A stop leaves what was written; the rest follows later. */
static void test_stop_and_go_on(void **state)
{
	struct stream *stream = *state;
	pthread_t reader;
	size_t done = 0;
	void *equal;

	output_stop_now(&stream->stop);
	assert_int_equal(output_stop_write(stream->ends[1], &stream->stop, &stream->batch,
				      stream->batch.bytes, &done),
			 -ECANCELED);
	assert_true(done >= 4096 && done < PIECES * PIECE_BYTES);
	output_stop_finish(&stream->stop);
	assert_int_equal(output_stop_init(&stream->stop), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_all, stream), 0);
	assert_int_equal(output_stop_write(stream->ends[1], &stream->stop, &stream->batch,
				      stream->batch.bytes, &done),
			 0);
	pthread_join(reader, &equal);
	assert_int_equal((size_t)equal, 1);
}

static void test_error(void **state)
{
	struct stream *stream = *state;
	size_t done = 7;

	close(stream->ends[0]);
	stream->ends[0] = -1;
	assert_int_equal(output_stop_write(stream->ends[1], &stream->stop, &stream->batch,
				      stream->batch.bytes, &done),
			 -EPIPE);
	assert_int_equal(done, 7);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_everything_arrives, setup, teardown),
	cmocka_unit_test_setup_teardown(test_stop_and_go_on, setup, teardown),
	cmocka_unit_test_setup_teardown(test_error, setup, teardown),
};

UNIT_GROUP(tests);
