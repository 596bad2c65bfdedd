/* SPDX-License-Identifier: MIT */
/* agent spool: the list, the check and the records of a spool, whole or damaged. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "printed.h"
#include "spooled.h"
#include "unit.h"

static struct spooled spooled;

static int create(void **state)
{
	struct spool_batch batch;

	spooled_create(&spooled);
	for (int i = 0; i < 2; i++) {
		spooled_open(&spooled);
		spooled_append(&spooled, 10);
		spooled_append(&spooled, 10);
		spooled_close(&spooled);
	}
	spooled_open(&spooled);
	spooled_read(&spooled, &batch);
	spooled_acknowledge(&spooled, &batch);
	spooled_close(&spooled);
	return 0;
}

static int destroy(void **state)
{
	spooled_destroy(&spooled);
	return 0;
}

static void run(const char *words, struct printed *printed)
{
	char line[TREE_PATH_BYTES + 32];

	snprintf(line, sizeof(line), "spool %s %s", words, spooled.path);
	printed_run(line, printed);
}

static void test_list(void **state)
{
	struct printed printed;

	run("ls", &printed);
	assert_int_equal(printed.exit_code, 0);
	printed_expect(printed.out,
		       (const char *[]){"SEGMENT ", "00000000000000000001  20       10    ",
					"  1-20     ", "1970-01-01T00:00:00Z",
					"00000000000000000021  20       0     ", "  21-40    ",
					" 30 records to deliver; not in use", NULL});
	assert_string_equal(printed.err, "");
	printed_finish(&printed);
	spooled_open(&spooled);
	run("ls", &printed);
	assert_non_null(strstr(printed.out, "in use by process "));
	printed_finish(&printed);
}

static void test_json(void **state)
{
	struct printed printed;

	run("ls -j", &printed);
	assert_int_equal(printed.exit_code, 0);
	printed_expect(
		printed.out,
		(const char *[]){
			"{\"segment\":1,\"records\":20,\"acknowledged\":10,\"frames\":2,\"bytes\":",
			"\"first_number\":21,\"last_number\":40,\"first\":\"1970-01-01T00:00:00Z\","
			"\"last\":\"1970-01-01T00:00:00Z\"}\n",
			"{\"stream\":\"", "\"process\":0,\"ended_in_order\":true,\"bytes\":",
			"\"records\":40,\"acknowledged\":10}\n", NULL});
	printed_finish(&printed);
}

static void test_verify(void **state)
{
	char path[TREE_PATH_BYTES];
	struct printed printed;

	run("verify", &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_string_equal(printed.out, "OK: 2 segments, 40 records, 0 problems\n");
	printed_finish(&printed);
	/* The last byte is of the last record. */
	spooled_segment(&spooled, 1, path);
	spooled_flip(path, spooled_file_bytes(path) - 1);
	spooled_file(&spooled, "state", path);
	assert_int_equal(unlink(path), 0);
	run("verify", &printed);
	assert_int_equal(printed.exit_code, 1);
	printed_expect(printed.out,
		       (const char *[]){"00000000000000000001.spool: ",
					": the record is corrupt: 1, number 20\n",
					"state: missing or corrupt",
					"DAMAGED: 2 segments, 39 records, 2 problems\n", NULL});
	printed_finish(&printed);
}

static void test_dump(void **state)
{
	char path[TREE_PATH_BYTES], expected[40 * SPOOLED_RECORD_BYTES];
	struct printed printed;
	size_t len = 0;

	for (uint64_t number = 1; number <= 40; number++) {
		char bytes[SPOOLED_RECORD_BYTES];
		struct output_record record = spooled_record(number, bytes);

		memcpy(expected + len, bytes, record.len);
		len += record.len;
	}
	expected[len] = '\0';
	run("dump", &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_string_equal(printed.out, expected);
	printed_finish(&printed);
	spooled_segment(&spooled, 21, path);
	spooled_flip(path, 20);
	run("dump", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_memory_equal(printed.out, expected, strlen(printed.out));
	assert_non_null(strstr(printed.err, "the header of the segment is corrupt"));
	printed_finish(&printed);
}

static void test_no_spool(void **state)
{
	static const char *const words[] = {"ls", "verify", "dump"};

	for (size_t i = 0; i < 3; i++) {
		struct printed printed;
		char line[64];

		snprintf(line, sizeof(line), "spool %s /nonexistent", words[i]);
		printed_run(line, &printed);
		assert_int_equal(printed.exit_code, 1);
		assert_string_equal(printed.err, "agent: cannot read the spool /nonexistent: "
						 "No such file or directory\n");
		assert_string_equal(printed.out, "");
		printed_finish(&printed);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_list, create, destroy),
	cmocka_unit_test_setup_teardown(test_json, create, destroy),
	cmocka_unit_test_setup_teardown(test_verify, create, destroy),
	cmocka_unit_test_setup_teardown(test_dump, create, destroy),
	cmocka_unit_test(test_no_spool),
};

UNIT_GROUP(tests);
