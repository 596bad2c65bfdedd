/* SPDX-License-Identifier: MIT */
/* Reading in parts: what is asked for comes together, however it was written. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/live/iter.h"
#include "unit.h"

static int setup(void **state)
{
	*state = malloc(sizeof(struct iter_records));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct iter_records *records = *state;

	close(records->fd);
	free(records);
	return 0;
}

/* Packets: each read returns one, as the kernel returns what it has. */
static int begin(struct iter_records *records)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_DIRECT | O_CLOEXEC), 0);
	iter_records_init(records, ends[0]);
	return ends[1];
}

static void write_all(int to, const char *text)
{
	assert_int_equal(write(to, text, strlen(text)), strlen(text));
}

static void expect_next(struct iter_records *records, const char *text)
{
	size_t len = strlen(text);

	assert_int_equal(iter_records_need(records, len), 1);
	assert_memory_equal(records->bytes + records->at, text, len);
	records->at += len;
}

static void test_parts(void **state)
{
	struct iter_records *records = *state;
	int to = begin(records);

	write_all(to, "firstsec");
	write_all(to, "o");
	write_all(to, "nd");
	close(to);
	expect_next(records, "first");
	expect_next(records, "second");
	assert_int_equal(iter_records_need(records, 1), 0);
	assert_int_equal(iter_records_need(records, 1), 0);
}

static void test_truncated(void **state)
{
	struct iter_records *records = *state;
	int to = begin(records);

	write_all(to, "firstsec");
	close(to);
	expect_next(records, "first");
	assert_int_equal(iter_records_need(records, 6), -EBADMSG);
}

static void test_error(void **state)
{
	struct iter_records *records = *state;

	iter_records_init(records, open("/", O_RDONLY | O_CLOEXEC));
	assert_int_equal(iter_records_need(records, 1), -EISDIR);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
	cmocka_unit_test_setup_teardown(test_truncated, setup, teardown),
	cmocka_unit_test_setup_teardown(test_error, setup, teardown),
};

UNIT_GROUP(tests);
