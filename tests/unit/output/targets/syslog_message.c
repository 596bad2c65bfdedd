/* SPDX-License-Identifier: MIT */
/* Messages of syslog, byte by byte. */
#include "output/targets/syslog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "event/event.h"
#include "sent.h"
#include "unit.h"

enum { DAEMON = 3, LOCAL7 = 23, INFORMATIONAL = 6, WARNING = 4 };

static struct syslog_format format;
static struct messenger_message message;
static char text[8192];

static int setup(void **state)
{
	format = (struct syslog_format){
		.facility = DAEMON,
		.bytes_max = 2048,
		.host = "node-1",
		.app = "lanner",
		.sd_id = "lanner@32473",
		.pid = 4711,
	};
	return 0;
}

static int teardown(void **state)
{
	syslog_format_finish(&format);
	buf_finish(&message.head);
	buf_finish(&message.tail);
	message = (struct messenger_message){0};
	return 0;
}

/* The message of a record; its newline is already gone. */
static const char *message_of(const struct output_record *record)
{
	const struct output_batch batch = {.stream = "8f3a"};

	buf_clear(&message.head);
	buf_clear(&message.tail);
	message.body = record->bytes;
	message.body_len = record->len;
	syslog_message_make(&format, &batch, record, &message);
	snprintf(text, sizeof(text), "%.*s%.*s%.*s", (int)message.head.len, message.head.data,
		 (int)message.body_len, message.body, (int)message.tail.len,
		 message.tail.data ? message.tail.data : "");
	return text;
}

/* 2026-11-22 19:58:12.123456789 UTC */
static const struct output_record example = {
	.bytes = "{\"a\":1}",
	.len = 7,
	.number = 42,
	.ts_ns = UINT64_C(1795377492123456789),
	.event = EVENT_openat,
	.priority = INFORMATIONAL,
};

static void test_rfc5424(void **state)
{
	assert_string_equal(message_of(&example),
			    "<30>1 2026-11-22T19:58:12.123456Z node-1 lanner 4711 openat "
			    "[meta sequenceId=\"42\"][lanner@32473 id=\"8f3a-42\"] {\"a\":1}");
}

/* The text of a second is kept: another one, and the same one again. */
static void test_times(void **state)
{
	struct output_record record = example;

	message_of(&record);
	record.ts_ns += UINT64_C(876543210);
	assert_non_null(strstr(message_of(&record), " 2026-11-22T19:58:12.999999Z node-1"));
	record.ts_ns += 1;
	assert_non_null(strstr(message_of(&record), " 2026-11-22T19:58:13.000000Z node-1"));
	record.ts_ns = 0;
	assert_non_null(strstr(message_of(&record), " 1970-01-01T00:00:00.000000Z node-1"));
}

static void test_kinds_of_records(void **state)
{
	struct output_record record = example;

	format.facility = LOCAL7;
	record.priority = WARNING;
	record.flags = RECORD_REDELIVERED;
	record.number = UINT64_C(2147483648);
	assert_string_equal(message_of(&record),
			    "<188>1 2026-11-22T19:58:12.123456Z node-1 lanner 4711 openat "
			    "[meta sequenceId=\"1\"][lanner@32473 id=\"8f3a-2147483648\" "
			    "redelivered=\"1\"] {\"a\":1}");
	record.flags = RECORD_IS_DROP;
	record.event = 2;
	record.number = 7;
	assert_string_equal(message_of(&record),
			    "<188>1 2026-11-22T19:58:12.123456Z node-1 lanner 4711 drop "
			    "[lanner@32473 id=\"8f3a-7d1795377492123456789.2\"] {\"a\":1}");
}

/* The names of all events are valid as a MSGID. */
static void test_event_names(void **state)
{
	struct output_record record = example;
	char name[64];

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		char wanted[80];

		if (!desc)
			continue;
		snprintf(name, sizeof(name), "%.32s", desc->name);
		assert_true(syslog_is_name(name, 32));
		record.event = (uint16_t)id;
		snprintf(wanted, sizeof(wanted), " 4711 %s [meta", name);
		assert_non_null(strstr(message_of(&record), wanted));
	}
}

static void test_local(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	format.local = true;
	assert_string_equal(message_of(&example), "<30>Nov 22 19:58:12 lanner[4711]: {\"a\":1}");
	format.facility = 0;
	format.app = "x";
	format.second = 0;
	buf_clear(&format.second_text);
	assert_string_equal(message_of(&(struct output_record){.bytes = "m", .len = 1}),
			    "<0>Jan  1 00:00:00 x[4711]: m");
}

static void test_truncated(void **state)
{
	struct output_record record = example;
	char body[2000];
	size_t head;

	memset(body, 'x', sizeof(body));
	record.bytes = body;
	format.bytes_max = 480;
	head = strlen(message_of(&example)) - example.len;
	record.len = (uint32_t)(480 - head);
	assert_int_equal(strlen(message_of(&record)), 480);
	assert_null(strstr(text, "truncated"));
	record.len++;
	assert_int_equal(strlen(message_of(&record)), 480);
	snprintf(body, sizeof(body), " [truncated: %u bytes in all]", (unsigned int)record.len);
	assert_string_equal(text + 480 - strlen(body), body);
}

/* Never within a character. */
static void test_truncated_utf8(void **state)
{
	static const char tail[] = " [truncated: 1200 bytes in all]";
	struct output_record record = example;
	char body[1201] = "";
	size_t head = strlen(message_of(&example)) - example.len;

	for (int i = 0; i < 400; i++)
		strcat(body, "\u20ac");
	record.bytes = body;
	record.len = 1200;
	for (size_t max = 480; max < 483; max++) {
		format.bytes_max = max;
		message_of(&record);
		assert_int_equal(message.body_len, (max - head - strlen(tail)) / 3 * 3);
		assert_string_equal(text + strlen(text) - strlen(tail), tail);
	}
	/* Bytes that are no characters are cut all the same. */
	memset(body, 0x80, 1200);
	message_of(&record);
	assert_in_range(message.body_len, format.bytes_max - head - strlen(tail) - 4,
			format.bytes_max - head - strlen(tail));
}

static void test_names(void **state)
{
	assert_true(syslog_is_name("a", 1));
	assert_false(syslog_is_name("", 1));
	assert_false(syslog_is_name("ab", 1));
	assert_false(syslog_is_name("a b", 9));
	assert_false(syslog_is_name("a\n", 9));
	assert_false(syslog_is_name("\u00e4", 9));
	assert_true(syslog_is_sd_id("lanner@32473"));
	assert_false(syslog_is_sd_id("a=b"));
	assert_false(syslog_is_sd_id("a]"));
	assert_false(syslog_is_sd_id("a\"b"));
	assert_string_equal(SYSLOG_FACILITIES[DAEMON], "daemon");
	assert_string_equal(SYSLOG_FACILITIES[10], "authpriv");
	assert_string_equal(SYSLOG_FACILITIES[16], "local0");
	assert_string_equal(SYSLOG_FACILITIES[LOCAL7], "local7");
	assert_null(SYSLOG_FACILITIES[24]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_rfc5424, setup, teardown),
	cmocka_unit_test_setup_teardown(test_times, setup, teardown),
	cmocka_unit_test_setup_teardown(test_kinds_of_records, setup, teardown),
	cmocka_unit_test_setup_teardown(test_event_names, setup, teardown),
	cmocka_unit_test_setup_teardown(test_local, setup, teardown),
	cmocka_unit_test_setup_teardown(test_truncated, setup, teardown),
	cmocka_unit_test_setup_teardown(test_truncated_utf8, setup, teardown),
	cmocka_unit_test(test_names),
};

UNIT_GROUP(tests);
