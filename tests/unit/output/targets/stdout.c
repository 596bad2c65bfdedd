/* SPDX-License-Identifier: MIT */
/* The kind stdout, into a pipe. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/targets/kinds.h"
#include "unit.h"

enum { RECORD_BYTES = 40000, RECORDS = 3 };

struct test {
	int real, reader; /* standard output of the test; the end of the pipe in its place */
	struct output_stop stop;
	void *target;
	char bytes[RECORDS * RECORD_BYTES];
	struct output_record records[RECORDS];
	uint8_t results[RECORDS];
	struct iovec part;
	struct output_batch batch;
};

static void fill(struct test *test)
{
	for (size_t i = 0; i < RECORDS; i++) {
		memset(test->bytes + i * RECORD_BYTES, 'a' + (int)i, RECORD_BYTES);
		test->records[i] = (struct output_record){test->bytes + i * RECORD_BYTES,
							  .number = i + 1, .len = RECORD_BYTES};
	}
	test->part = (struct iovec){test->bytes, sizeof(test->bytes)};
	test->batch = (struct output_batch){.records = test->records,
					    .count = RECORDS,
					    .bytes = sizeof(test->bytes),
					    .parts = &test->part,
					    .parts_count = 1,
					    .results = test->results};
}

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	struct output_config config = {.kind = &output_kind_stdout};
	int ends[2];

	*state = test;
	fill(test);
	signal(SIGPIPE, SIG_IGN);
	test->real = dup(STDOUT_FILENO);
	if (output_stop_init(&test->stop) || pipe(ends) || dup2(ends[1], STDOUT_FILENO) < 0)
		return -1;
	close(ends[1]);
	test->reader = ends[0];
	return output_kind_stdout.open(&config, &test->stop, &test->target, NULL);
}

static int teardown(void **state)
{
	struct test *test = *state;

	output_kind_stdout.close(test->target);
	dup2(test->real, STDOUT_FILENO);
	close(test->real);
	if (test->reader >= 0)
		close(test->reader);
	output_stop_finish(&test->stop);
	free(test);
	return 0;
}

/* Appends what the pipe has to `got`. */
static size_t read_pipe(const struct test *test, char *got)
{
	ssize_t n;
	size_t len = 0;

	fcntl(test->reader, F_SETFL, O_NONBLOCK);
	while ((n = read(test->reader, got + len, sizeof(test->bytes))) > 0)
		len += (size_t)n;
	return len;
}

/* A record that was cut goes on where it ended, whatever else is in the next batch. */
static void test_cut_records_go_on(void **state)
{
	struct test *test = *state;
	char *got = calloc(2, sizeof(test->bytes));
	size_t len;

	output_stop_now(&test->stop); /* instead of a wait for the reader */
	assert_int_equal(output_kind_stdout.send(test->target, &test->batch, NULL), -ECANCELED);
	assert_int_equal(test->results[0], OUTPUT_DELIVERED);
	assert_int_equal(test->results[1], OUTPUT_RETRY);
	len = read_pipe(test, got);
	assert_in_range(len, RECORD_BYTES + 1, 2 * RECORD_BYTES - 1);
	test->batch.records++;
	test->batch.count = 1;
	test->part = (struct iovec){test->bytes + RECORD_BYTES, RECORD_BYTES};
	test->batch.bytes = RECORD_BYTES;
	assert_int_equal(output_kind_stdout.send(test->target, &test->batch, NULL), 0);
	assert_int_equal(test->results[0], OUTPUT_DELIVERED);
	len += read_pipe(test, got + len);
	assert_int_equal(len, 2 * RECORD_BYTES);
	assert_memory_equal(got, test->bytes, len);
	free(got);
}

/* Other programs that have the same pipe do not see that it is written without blocking. */
static void test_flags_stay(void **state)
{
	assert_int_equal(fcntl(STDOUT_FILENO, F_GETFL) & O_NONBLOCK, 0);
}

static void test_no_reader(void **state)
{
	struct test *test = *state;
	struct error err = {""};

	close(test->reader);
	test->reader = -1;
	assert_int_equal(output_kind_stdout.send(test->target, &test->batch, &err), -ESHUTDOWN);
	assert_string_equal(err.text, "standard output has no reader any more");
	assert_int_equal(test->results[0], OUTPUT_RETRY);
}

static void test_target_is_rejected(void **state)
{
	struct output_config *config;
	struct error err = {""};

	assert_int_equal(output_config_read(output_kinds, "stdout:x", &config, &err), -EINVAL);
	assert_string_equal(err.text, "stdout: takes no target, not 'x'");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_cut_records_go_on, setup, teardown),
	cmocka_unit_test_setup_teardown(test_flags_stay, setup, teardown),
	cmocka_unit_test_setup_teardown(test_no_reader, setup, teardown),
	cmocka_unit_test(test_target_is_rejected),
};

UNIT_GROUP(tests);
