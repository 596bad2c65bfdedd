/* SPDX-License-Identifier: MIT */
/* Secrets in blocks of lines and of messages. */
#include "output/delivery/batch.h"

#include <string.h>

#include "output/redact/redact.h"
#include "sinsp/sinsp.h"
#include "unit.h"

/* Two records with the same bytes, which become others. */
static void check(const struct output_format *format, bool hides, const char *bytes, size_t len,
		  const char *expected)
{
	const struct output_record record = {.number = 1};
	struct output_form form = {.format = format};
	struct queue_block *block = queue_block_create();

	if (hides)
		assert_int_equal(redact_create(NULL, 0, &form.redact, NULL), 0);
	for (int i = 0; i < 2; i++) {
		size_t start = block->bytes.len;

		assert_true(queue_block_reserve(block));
		buf_append(&block->bytes, bytes, len);
		queue_block_end_record(block, start, &record);
	}
	queue_block_seal(block);
	batch_hide_secrets(&form, block);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(block->records[i].len, len);
		assert_memory_equal(block->records[i].bytes, expected, len);
	}
	redact_destroy(form.redact);
	queue_block_destroy(block);
}

static void test_lines(void **state)
{
	static const char line[] = "{\"a\":\"password=abc\"}\n";

	check(&format_json, true, line, sizeof(line) - 1, "{\"a\":\"password=***\"}\n");
	check(&format_json, false, line, sizeof(line) - 1, line);
}

/* The option and its value are texts of their own; the tags between them are none. */
static void test_messages(void **state)
{
	static const char message[] = "\x11\x0a\x0a--password\x12\x03"
				      "abc";

	check(&format_protobuf, true, message, sizeof(message) - 1,
	      "\x11\x0a\x0a--password\x12\x03***");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_messages),
};

UNIT_GROUP(tests);
