/* SPDX-License-Identifier: MIT */
/* Records of series: messages that are whole, with all series and their numbers. */
#include "unit.h"
#include "requests/metrics/request_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive.h"
#include "util/proto.h"

enum { TID = 100, MS = 1000000 };

/* What records are made of. */
struct counts {
	unsigned int records, points, attributes;
	uint64_t requests; /* by the field `count` of points, or `as_int` */
	char name[64]; /* of the last metric */
};

/* A field of a message: bytes, or a number. */
struct field {
	uint32_t number;
	uint64_t value;
	const uint8_t *bytes;
};

static uint64_t read_varint(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;

	for (unsigned int shift = 0;; shift += 7) {
		assert_true(*at < end && shift < 64);
		value |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80))
			return value;
	}
}

static bool next_field(const uint8_t **at, const uint8_t *end, struct field *field)
{
	uint64_t tag;

	if (*at == end)
		return false;
	tag = read_varint(at, end);
	field->number = (uint32_t)(tag >> 3);
	field->bytes = NULL;
	if ((tag & 7) == PROTO_FIXED64) {
		assert_true(end - *at >= 8);
		memcpy(&field->value, *at, 8);
		*at += 8;
		return true;
	}
	field->value = read_varint(at, end);
	if ((tag & 7) == PROTO_BYTES) {
		assert_true((uint64_t)(end - *at) >= field->value);
		field->bytes = *at;
		*at += field->value;
	} else {
		assert_int_equal(tag & 7, PROTO_VARINT);
	}
	return true;
}

static void read_point(const uint8_t *at, size_t len, uint32_t count, uint32_t attributes,
		       struct counts *counts)
{
	const uint8_t *end = at + len;
	struct field field;

	counts->points++;
	while (next_field(&at, end, &field)) {
		if (field.number == count)
			counts->requests += field.value;
		counts->attributes += field.number == attributes;
	}
}

static void read_data(const struct field *data, struct counts *counts)
{
	/* By the field of Metric: sums, bounded, exponential. */
	uint32_t count = data->number == 7 ? 6 : 4;
	uint32_t attributes = data->number == 7 ? 7 : data->number == 9 ? 9 : 1;
	const uint8_t *at = data->bytes, *end = at + data->value;
	bool is_cumulative = false;
	struct field field;

	while (next_field(&at, end, &field)) {
		if (field.number == 1)
			read_point(field.bytes, field.value, count, attributes, counts);
		is_cumulative |= field.number == 2 && field.value == 2;
	}
	assert_true(is_cumulative);
}

static void take(void *context, const struct buf *record)
{
	const uint8_t *at = (const uint8_t *)record->data, *end = at + record->len;
	struct counts *counts = context;
	struct field field;
	uint64_t len;

	assert_false(record->failed);
	len = read_varint(&at, end);
	assert_int_equal(len, end - at);
	counts->records++;
	while (next_field(&at, end, &field)) {
		if (field.number == 1)
			snprintf(counts->name, sizeof(counts->name), "%.*s", (int)field.value,
				 (const char *)field.bytes);
		else if (field.number >= 7)
			read_data(&field, counts);
	}
}

static void ask(struct drive *drive, struct request_metrics *metrics, uint8_t protocol,
		const char *method)
{
	struct frame *frame = drive_begin(drive, EVENT_request, TID);

	frame_put_i64(frame, request__protocol, protocol);
	frame_put_i64(frame, request__role, request_roles__server);
	frame_put_string(frame, request__method, method);
	frame_put_string(frame, request__trace_id, "4bf92f3577b34da6");
	frame_put_i64(frame, request__total_time, 3 * MS);
	request_metrics_take(metrics, drive_end(drive));
}

static struct counts measure(void **state, enum kinds_schema schema, uint8_t protocol)
{
	enum { SERIES = 100, ASKED = 130 };
	struct request_metrics *metrics;
	struct counts counts = {0};

	assert_int_equal(request_metrics_create(schema, METRICS_OF_REQUESTS, SERIES, &metrics), 0);
	for (unsigned int i = 0; i < ASKED; i++) {
		char method[16];

		snprintf(method, sizeof(method), "M%u", i);
		ask(*state, metrics, protocol, method);
		ask(*state, metrics, protocol, method);
	}
	request_metrics_records(metrics, UINT64_C(1795260961123456789), take, &counts);
	request_metrics_destroy(metrics);
	return counts;
}

/* 100 series and their overflow, 64 a record. */
static void has_all_durations(void **state)
{
	struct counts counts = measure(state, KINDS_OTEL, request_protocols__redis);

	assert_string_equal(counts.name, "db.server.operation.duration");
	assert_int_equal(counts.records, 2);
	assert_int_equal(counts.points, 101);
	assert_int_equal(counts.requests, 260);
	/* System and operation; of the overflow, that. */
	assert_int_equal(counts.attributes, 100 * 2 + 1);
}

/* All methods are _OTHER: one series, of which three metrics are. */
static void has_all_histograms(void **state)
{
	struct counts counts = measure(state, KINDS_OTEL, request_protocols__http);

	assert_string_equal(counts.name, "http.server.response.size");
	assert_int_equal(counts.records, 3);
	assert_int_equal(counts.points, 3);
	assert_int_equal(counts.requests, 3 * 260);
}

static void has_all_counters(void **state)
{
	struct counts counts = measure(state, KINDS_KINDLING, request_protocols__redis);

	assert_string_equal(counts.name, "kindling_entity_request_send_bytes_total");
	assert_int_equal(counts.records, 4 * 2);
	/* Requests that are slow, and others; nanoseconds; bytes of both directions. */
	assert_int_equal(counts.points, 101 * 5);
	assert_int_equal(counts.requests, 260 + 260 * 3 * (uint64_t)MS);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, drive_setup, drive_teardown)

static const struct CMUnitTest tests[] = {
	CASE(has_all_durations),
	CASE(has_all_histograms),
	CASE(has_all_counters),
};

UNIT_GROUP(tests);
