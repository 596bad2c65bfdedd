/* SPDX-License-Identifier: MIT */
/* The account of an output as lines. */
#include "output/delivery/account.h"
#include "unit.h"

static void expect(const struct output_account *account, bool verbose, const char *wanted)
{
	struct buf text = {0};

	output_account_append(account, verbose, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, wanted);
	buf_finish(&text);
}

static void test_lines(void **state)
{
	struct output_account account = {.name = "file:/a",
					 .formatted = 7,
					 .delivered = 7,
					 .delivered_bytes = 700,
					 .batches = 2,
					 .acknowledges = true};

	expect(&account, false, "agent: output file:/a: formatted 7 = delivered 7 + dropped 0\n");
	account.formatted = 2;
	account.backlog = 5;
	expect(&account, false,
	       "agent: output file:/a: formatted 2 + of earlier runs 5 = delivered 7 + dropped "
	       "0\n");
	account.backlog = 0;
	account.formatted = 20;
	account.queued = 3;
	account.dropped[GAP_QUEUE_FULL] = 9;
	account.dropped[GAP_REJECTED] = 1;
	account.is_failing = true;
	error_set(&account.err, 0, "it is full");
	account.unknown_gaps = 1;
	account.redacted = 6;
	account.redact_unfinished = 2;
	account.failures = 1;
	account.retried = 5;
	account.redelivered = 4;
	expect(&account, true,
	       "agent: output file:/a: formatted 20 = delivered 7 + queued 3 + dropped 10\n"
	       "agent: output file:/a: dropped 9: the queue was full\n"
	       "agent: output file:/a: dropped 1: rejected by the target\n"
	       "agent: output file:/a: before the start an unknown number of records was lost: the "
	       "run before did not end in good order\n"
	       "agent: output file:/a: hid 6 secrets\n"
	       "agent: output file:/a: hid 2 texts whole, as a redact-pattern= was given up on "
	       "them: make it simpler\n"
	       "agent: output file:/a: it is full\n"
	       "agent: output file:/a: 700 bytes in 2 batches, of which 1 failed; 5 records sent "
	       "again, 4 of them marked\n");
}

/* Nobody knows whether it arrived. */
static void test_sent(void **state)
{
	struct output_account account = {.name = "syslog:udp://x", .formatted = 7, .delivered = 7};

	output_account_name_delivered(&account, false);
	assert_int_equal(account.sent, 7);
	assert_int_equal(account.acknowledged, 0);
	expect(&account, false, "agent: output syslog:udp://x: formatted 7 = sent 7 + dropped 0\n");
	output_account_name_delivered(&account, true);
	assert_int_equal(account.sent, 0);
	assert_int_equal(account.acknowledged, 7);
}

static void test_promises(void **state)
{
	const struct {
		struct output_account account;
		bool may_drop, broke;
	} rows[] = {
		{{.formatted = 0}, true, false},
		{{.formatted = 2, .delivered = 2}, true, false},
		{{.formatted = 2, .delivered = 0, .dropped[GAP_QUEUE_FULL] = 2}, true, true},
		{{.formatted = 2, .delivered = 1, .dropped[GAP_QUEUE_FULL] = 1}, true, false},
		{{.formatted = 2, .delivered = 1, .dropped[GAP_QUEUE_FULL] = 1}, false, true},
		{{.formatted = 2, .delivered = 1, .dropped[GAP_REJECTED] = 1}, true, true},
		{{.formatted = 2, .delivered = 1, .dropped[GAP_END] = 1}, true, true},
		{{.formatted = 2, .delivered = 1, .dropped[GAP_SPOOL_NO_SPACE] = 1}, true, true},
		{{.formatted = 2, .delivered = 1, .dropped[GAP_SPOOL_LIMIT] = 1}, true, false},
		{{.backlog = 2, .dropped[GAP_SPOOL_CORRUPT] = 2}, true, true},
		{{.backlog = 2, .delivered = 1, .dropped[GAP_SPOOL_POWER] = 1}, true, false},
		/* Kept for the next run. */
		{{.formatted = 2, .queued = 2}, true, false},
		/* The reader of a pipe. */
		{{.formatted = 2, .dropped[GAP_GONE] = 2}, true, false},
		/* By wish. */
		{{.formatted = 2, .delivered = 2, .dropped[GAP_SAMPLED] = 9}, true, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (output_account_broke_promise(&rows[i].account, rows[i].may_drop) !=
		    rows[i].broke)
			fail_msg("row %zu", i);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_sent),
	cmocka_unit_test(test_promises),
};

UNIT_GROUP(tests);
