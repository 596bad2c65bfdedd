/* SPDX-License-Identifier: MIT */
/* Metrics of events of sockets: what is counted of which, and by which labels. */
#include "unit.h"
#include "requests/metrics/request_metrics.h"

#include <stdlib.h>
#include <string.h>

#include "drive.h"
#include "requests/metrics/view.h"
#include "util/count.h"

enum { TID = 100, US = 1000, MS = 1000 * US };

static const struct frame_tuple ends = {"10.0.0.1", "10.0.0.2", 40000, 443};

struct measured {
	struct drive drive;
	struct request_metrics *metrics;
};

static int setup(void **state)
{
	struct measured *measured = calloc(1, sizeof(*measured));

	assert_non_null(measured);
	drive_create(&measured->drive, NULL);
	drive_exec(&measured->drive, TID, "program");
	*state = measured;
	return 0;
}

static int teardown(void **state)
{
	struct measured *measured = *state;

	request_metrics_destroy(measured->metrics);
	drive_destroy(&measured->drive);
	free(measured);
	return 0;
}

static void create(struct measured *measured, enum kinds_schema schema, unsigned int parts)
{
	assert_int_equal(request_metrics_create(schema, parts, 100, &measured->metrics), 0);
}

static void take(struct measured *measured)
{
	request_metrics_take(measured->metrics, drive_end(&measured->drive));
}

static void connect_to(struct measured *measured, int64_t res, int64_t time_ns)
{
	struct frame *frame = drive_begin(&measured->drive, EVENT_tcp_connect, TID);

	frame_put_i64(frame, tcp_connect__res, res);
	frame_put_i64(frame, tcp_connect__role, request_roles__client);
	frame_put_i64(frame, tcp_connect__time, time_ns);
	frame_put_tuple(frame, tcp_connect__tuple, &ends);
	take(measured);
}

/* srtt_us 0: not known. */
static void close_as(struct measured *measured, uint8_t role, uint32_t srtt_us)
{
	struct frame *frame = drive_begin(&measured->drive, EVENT_tcp_close, TID);

	frame_put_i64(frame, tcp_close__role, role);
	if (srtt_us)
		frame_put_i64(frame, tcp_close__srtt, srtt_us);
	frame_put_i64(frame, tcp_close__bytes_sent, 1000);
	frame_put_i64(frame, tcp_close__bytes_received, 20);
	frame_put_tuple(frame, tcp_close__tuple, &ends);
	take(measured);
}

static void retransmit(struct measured *measured, uint8_t reason, uint32_t segments)
{
	struct frame *frame = drive_begin(&measured->drive, EVENT_tcp_retransmit, TID);

	frame_put_i64(frame, tcp_retransmit__role, request_roles__client);
	frame_put_i64(frame, tcp_retransmit__reason, reason);
	frame_put_i64(frame, tcp_retransmit__segments, segments);
	frame_put_tuple(frame, tcp_retransmit__tuple, &ends);
	take(measured);
}

static void sample(struct measured *measured, uint32_t srtt_us)
{
	struct frame *frame = drive_begin(&measured->drive, EVENT_tcp_sample, TID);

	frame_put_i64(frame, tcp_sample__role, request_roles__server);
	frame_put_i64(frame, tcp_sample__srtt, srtt_us);
	frame_put_i64(frame, tcp_sample__bytes_sent, 77);
	frame_put_tuple(frame, tcp_sample__tuple, &ends);
	take(measured);
}

/* Of nobody's socket. */
static void drop(struct measured *measured, uint8_t protocol, const char *reason)
{
	struct frame *frame = drive_begin(&measured->drive, EVENT_skb_drop, TID);

	frame_put_i64(frame, skb_drop__protocol, protocol);
	frame_put_string(frame, skb_drop__reason, reason);
	frame_put_tuple(frame, skb_drop__tuple, &ends);
	take(measured);
}

static void reset(struct measured *measured)
{
	struct frame *frame = drive_begin(&measured->drive, EVENT_tcp_reset_sent, TID);

	frame_put_i64(frame, tcp_reset_sent__role, request_roles__server);
	frame_put_string(frame, tcp_reset_sent__reason, "TCP_ABORT_ON_CLOSE");
	frame_put_tuple(frame, tcp_reset_sent__tuple, &ends);
	take(measured);
	frame = drive_begin(&measured->drive, EVENT_tcp_reset_received, TID);
	frame_put_i64(frame, tcp_reset_received__role, request_roles__client);
	frame_put_tuple(frame, tcp_reset_received__tuple, &ends);
	take(measured);
}

/* What is shown; to be freed. */
static char *shown(const struct measured *measured)
{
	struct buf out = {0};
	struct exposition exposition = {.out = &out};

	request_metrics_append(measured->metrics, &exposition);
	buf_append_char(&out, '\0');
	assert_false(out.failed);
	return out.data;
}

static void expect_lines(const struct measured *measured, const char *const *lines)
{
	char *text = shown(measured);

	for (; *lines; lines++)
		if (!strstr(text, *lines))
			fail_msg("no %s in\n%s", *lines, text);
	free(text);
}

static void expect_none(const struct measured *measured, const char *word)
{
	char *text = shown(measured);

	if (strstr(text, word))
		fail_msg("%s in\n%s", word, text);
	free(text);
}

static void do_all(struct measured *measured)
{
	connect_to(measured, 0, 3 * MS);
	connect_to(measured, 0, 5 * MS);
	connect_to(measured, -111, 1 * MS);
	connect_to(measured, -113, 2 * MS);
	close_as(measured, request_roles__client, 700);
	close_as(measured, request_roles__client, 0);
	close_as(measured, request_roles__server, 900);
	retransmit(measured, tcp_retransmit_reasons__fast, 2);
	retransmit(measured, tcp_retransmit_reasons__fast, 3);
	retransmit(measured, tcp_retransmit_reasons__timeout, 1);
	drop(measured, ip_protocols__tcp, "TCP_OLD_DATA");
	drop(measured, ip_protocols__udp, "NO_SOCKET");
	reset(measured);
}

static void counts_by_what_happened(void **state)
{
#define PROCESS "process_executable_name=\"program\"} "
#define SERVER "server_address=\"10.0.0.2\",server_port=\"443\"," PROCESS
	static const char *const lines[] = {
		"\nlanner_tcp_connect_duration_seconds_count{" SERVER "2\n",
		"\nlanner_tcp_connect_duration_seconds_sum{" SERVER "0.008\n",
		"\nlanner_tcp_connect_duration_seconds_count{error_type=\"connection_"
		"refused\"," SERVER "1\n",
		"\nlanner_tcp_connect_duration_seconds_count{error_type=\"EHOSTUNREACH\"," SERVER
		"1\n",
		/* One of the two has no round trip, but bytes. */
		"\nlanner_tcp_rtt_seconds_count{tcp_role=\"client\"," SERVER "1\n",
		"\nlanner_tcp_rtt_seconds_sum{tcp_role=\"client\"," SERVER "0.0007\n",
		"\nlanner_tcp_rtt_seconds_count{tcp_role=\"server\",server_port=\"40000\"," PROCESS
		"1\n",
		"\nlanner_tcp_io_bytes_total{tcp_role=\"client\",server_address=\"10.0.0.2\","
		"server_port=\"443\",process_executable_name=\"program\",network_io_direction="
		"\"transmit\"} 2000\n",
		"network_io_direction=\"receive\"} 40\n",
		"\nlanner_tcp_retransmits_total{tcp_reason=\"fast\",tcp_role=\"client\"," SERVER
		"5\n",
		"\nlanner_tcp_retransmits_total{tcp_reason=\"timeout\",tcp_role=\"client\"," SERVER
		"1\n",
		"\nlanner_packet_drops_total{network_transport=\"tcp\",tcp_reason=\"TCP_OLD_"
		"DATA\"," PROCESS "1\n",
		"\nlanner_packet_drops_total{network_transport=\"udp\",tcp_reason=\"NO_"
		"SOCKET\"," PROCESS "1\n",
		"\nlanner_tcp_resets_total{network_io_direction=\"transmit\",tcp_reason="
		"\"TCP_ABORT_ON_CLOSE\",tcp_role=\"server\",server_port=\"40000\"," PROCESS "1\n",
		"\nlanner_tcp_resets_total{network_io_direction=\"receive\",tcp_role="
		"\"client\"," SERVER "1\n",
		NULL};
	struct measured *measured = *state;

	create(measured, KINDS_OTEL, METRICS_OF_TCP);
	do_all(measured);
	expect_lines(measured, lines);
	expect_none(measured, "http_");
}

static void has_kindlings_names(void **state)
{
#define TO "src_ip=\"10.0.0.1\",dst_ip=\"10.0.0.2\",dst_port=\"443\""
	static const char *const lines[] = {
		"\nkindling_tcp_connect_total{" TO ",errno=\"0\",success=\"true\"} 2\n",
		"\nkindling_tcp_connect_total{" TO ",errno=\"111\",success=\"false\"} 1\n",
		"\nkindling_tcp_connect_duration_nanoseconds_total{" TO
		",errno=\"0\",success=\"true\"} 8000000\n",
		/* Of successes alone. */
		"\nkindling_tcp_connect_duration_nanoseconds_total{" TO
		",errno=\"111\",success=\"false\"} 0\n",
		"# TYPE kindling_tcp_srtt_microseconds gauge\n",
		"\nkindling_tcp_srtt_microseconds{" TO "} 700\n",
		/* Clients of a server may be any number. */
		"\nkindling_tcp_srtt_microseconds{src_ip=\"10.0.0.1\",src_port=\"40000\"} 900\n",
		"\nkindling_tcp_retransmit_total{" TO "} 6\n",
		"\nkindling_tcp_packet_loss_total{src_ip=\"10.0.0.1\"} 1\n", NULL};
	struct measured *measured = *state;

	create(measured, KINDS_KINDLING, METRICS_OF_TCP);
	do_all(measured);
	expect_lines(measured, lines);
	expect_none(measured, "topology");
}

/* Who wants requests alone gets no series of sockets, and the other way round. */
static void measures_what_was_asked_for(void **state)
{
	struct measured *measured = *state;

	create(measured, KINDS_OTEL, METRICS_OF_REQUESTS);
	do_all(measured);
	expect_none(measured, "lanner_tcp");
	expect_lines(measured, (const char *const[]){"\nlanner_metrics_series 0\n", NULL});
	request_metrics_destroy(measured->metrics);
	create(measured, KINDS_OTEL, METRICS_OF_TCP);
	drive_begin(&measured->drive, EVENT_request, TID);
	take(measured);
	expect_lines(measured,
		     (const char *const[]){"\nlanner_metrics_series 0\n",
					   "\nlanner_metrics_unmeasured_total 0\n", NULL});
}

/* Sums stay when there is no room; of a gauge there is no sum. */
static void has_one_series_for_what_has_no_room(void **state)
{
	struct measured *measured = *state;

	assert_int_equal(
		request_metrics_create(KINDS_KINDLING, METRICS_OF_TCP, 1, &measured->metrics), 0);
	do_all(measured);
	expect_lines(measured,
		     (const char *const[]){
			     "kindling_tcp_retransmit_total{otel_metric_overflow=\"true\"} 6\n",
			     "\nlanner_metrics_series 1\n", NULL});
	expect_none(measured, "kindling_tcp_srtt_microseconds{");
}

/* An open connection has a round trip; its bytes are counted when it ends. */
static void takes_samples(void **state)
{
	static const char *const lines[] = {
		"\nlanner_tcp_rtt_seconds_count{tcp_role=\"server\",server_port=\"40000\"," PROCESS
		"3\n",
		"network_io_direction=\"transmit\"} 1000\n", NULL};
	struct measured *measured = *state;

	create(measured, KINDS_OTEL, METRICS_OF_TCP);
	sample(measured, 700);
	sample(measured, 800);
	close_as(measured, request_roles__server, 900);
	expect_lines(measured, lines);
}

static void reads_mapped_addresses(void **state)
{
	static const struct frame_tuple mapped = {"::ffff:10.0.0.1", "::ffff:10.0.0.2", 40000, 443};
	struct measured *measured = *state;
	struct frame *frame = drive_begin(&measured->drive, EVENT_tcp_connect, TID);
	struct view view;

	frame_put_i64(frame, tcp_connect__role, request_roles__client);
	frame_put_tuple(frame, tcp_connect__tuple, &mapped);
	assert_true(view_make_of_socket(drive_end(&measured->drive), &view));
	assert_int_equal(view.server.len, 4);
	assert_memory_equal(view.server.address, ((uint8_t[]){10, 0, 0, 2}), 4);
	assert_int_equal(view.server.port, 443);
	assert_false(view.is_timed);
	assert_true(view_is_of_sockets(EVENT_tcp_connect));
	assert_false(view_is_of_sockets(EVENT_request));
	/* Of other events nothing is measured. */
	drive_begin(&measured->drive, EVENT_tcp_state, TID);
	assert_false(view_make_of_socket(drive_end(&measured->drive), &view));
}

static void takes_ends_of_ip_alone(void **state)
{
	const uint8_t tuple[] = {2, 127, 0, 0, 1, 80, 0, 127, 0, 0, 2, 81, 0};
	struct view_end first = {0}, second = {0};

	assert_true(view_ends(&(struct event_param){tuple, sizeof(tuple)}, &first, &second));
	assert_int_equal(first.port, 80);
	assert_int_equal(second.port, 81);
	assert_int_equal(second.address[3], 2);
	assert_false(view_ends(&(struct event_param){tuple, sizeof(tuple) - 1}, &first, &second));
	assert_false(view_ends(&(struct event_param){NULL, 0}, &first, &second));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	CASE(counts_by_what_happened),
	CASE(has_kindlings_names),
	CASE(measures_what_was_asked_for),
	CASE(has_one_series_for_what_has_no_room),
	CASE(takes_samples),
	CASE(reads_mapped_addresses),
	CASE(takes_ends_of_ip_alone),
};

UNIT_GROUP(tests);
