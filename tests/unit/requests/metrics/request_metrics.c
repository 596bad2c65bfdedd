/* SPDX-License-Identifier: MIT */
/* Series of requests: their labels, counts and sums; what has no room, and what is old. */
#include "unit.h"
#include "requests/metrics/request_metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive.h"
#include "requests/metrics/histogram.h"
#include "util/count.h"

enum { TID = 100, MS = 1000000 };

/* A request, of which values may be left out. */
struct asked {
	uint8_t protocol, role;
	const char *method, *target, *host, *error, *trace_id;
	int status; /* 0: none */
	uint64_t total_ns, request_bytes, response_bytes;
};

struct measured {
	struct drive drive;
	struct request_metrics *metrics;
};

static int setup(void **state)
{
	struct measured *measured = calloc(1, sizeof(*measured));

	assert_non_null(measured);
	drive_create(&measured->drive, NULL);
	drive_exec(&measured->drive, TID, "server");
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

static void create(struct measured *measured, uint32_t series)
{
	assert_int_equal(
		request_metrics_create(KINDS_OTEL, METRICS_OF_REQUESTS, series, &measured->metrics),
		0);
}

/* The event, which stays for changes until the next one. */
static struct state_event *ask(struct measured *measured, const struct asked *asked)
{
	static const struct frame_tuple tuple = {"10.0.0.1", "10.0.0.2", 40000, 8080};
	struct frame *frame = drive_begin(&measured->drive, EVENT_request, TID);
	struct state_event *event;

	frame_put_i64(frame, request__protocol, asked->protocol);
	frame_put_i64(frame, request__role, asked->role);
	frame_put_string(frame, request__method, asked->method);
	frame_put_string(frame, request__target, asked->target);
	frame_put_string(frame, request__host, asked->host);
	frame_put_string(frame, request__error, asked->error);
	frame_put_string(frame, request__trace_id, asked->trace_id);
	if (asked->status)
		frame_put_i64(frame, request__status, asked->status);
	frame_put_i64(frame, request__total_time, (int64_t)asked->total_ns);
	frame_put_i64(frame, request__request_size, (int64_t)asked->request_bytes);
	frame_put_i64(frame, request__response_size, (int64_t)asked->response_bytes);
	frame_put_tuple(frame, request__tuple, &tuple);
	event = drive_end(&measured->drive);
	request_metrics_take(measured->metrics, event);
	return event;
}

/* What is shown; to be freed. */
static char *shown(const struct measured *measured, bool openmetrics)
{
	struct buf out = {0};
	struct exposition exposition = {.out = &out, .openmetrics = openmetrics};

	request_metrics_append(measured->metrics, &exposition);
	exposition_end(&exposition);
	buf_append_char(&out, '\0');
	assert_false(out.failed);
	return out.data;
}

static void expect_lines(const struct measured *measured, bool openmetrics,
			 const char *const *lines)
{
	char *text = shown(measured, openmetrics);

	for (; *lines; lines++)
		if (!strstr(text, *lines))
			fail_msg("no %s in\n%s", *lines, text);
	free(text);
}

/* The value of the sample that begins so. */
static double value_of(const char *text, const char *sample)
{
	const char *at = strstr(text, sample);

	assert_non_null(at);
	return strtod(at + strlen(sample), NULL);
}

static void has_the_labels_of_conventions(void **state)
{
	static const struct {
		struct asked asked;
		const char *sample;
	} rows[] = {
		{{request_protocols__http, request_roles__server, "GET", "/user/7", "any.org:8080",
		  .status = 200},
		 "http_server_request_duration_seconds_count{http_request_method=\"GET\","
		 "http_response_status_code=\"200\",http_route=\"/user/{number}\",url_scheme="
		 "\"http\",server_port=\"8080\",process_executable_name=\"server\"} 1\n"},
		/* What a client did wrong is no error of the server. */
		{{request_protocols__http, request_roles__server, "BREW", "/pot", .status = 418},
		 "http_server_request_duration_seconds_count{http_request_method=\"_OTHER\","
		 "http_response_status_code=\"418\",http_route=\"/pot\",url_scheme=\"http\","
		 "server_port=\"8080\",process_executable_name=\"server\"} 1\n"},
		{{request_protocols__http, request_roles__server, "PUT", "/pot", .error = "503",
		  .status = 503},
		 "http_response_status_code=\"503\",error_type=\"503\",http_route=\"/pot\""},
		{{request_protocols__http, request_roles__client, "POST", "/a", "b.org:81",
		  .error = "404", .status = 404},
		 "http_client_request_duration_seconds_count{http_request_method=\"POST\","
		 "http_response_status_code=\"404\",error_type=\"404\",url_template=\"/a\","
		 "url_scheme=\"http\",server_address=\"b.org\",server_port=\"8080\","
		 "process_executable_name=\"server\"} 1\n"},
		{{request_protocols__http, request_roles__client, "GET", "/a", "[::1]:81",
		  .error = "reset"},
		 "{http_request_method=\"GET\",error_type=\"connection_reset\",url_template=\"/a\","
		 "url_scheme=\"http\",server_address=\"::1\",server_port=\"8080\""},
		{{request_protocols__http, request_roles__server, "GET", "/b", .error = "timeout"},
		 "{http_request_method=\"GET\",error_type=\"timeout\",http_route=\"/b\""},
		{{request_protocols__postgresql, request_roles__client, "SELECT",
		  "SELECT * FROM accounts WHERE id = ?", .error = "42P01"},
		 "db_client_operation_duration_seconds_count{db_system_name=\"postgresql\","
		 "db_operation_name=\"SELECT\",db_collection_name=\"accounts\",error_type="
		 "\"42P01\",server_address=\"10.0.0.2\",server_port=\"8080\""},
		/* A key is no table. */
		{{request_protocols__redis, request_roles__server, "COPY", "key"},
		 "db_server_operation_duration_seconds_count{db_system_name=\"redis\","
		 "db_operation_name=\"COPY\",server_port=\"8080\""},
		{{request_protocols__dns, request_roles__client, "A", "no.example.org",
		  .error = "NXDOMAIN"},
		 "dns_lookup_duration_seconds_count{dns_question_name=\"no.example.org\","
		 "error_type=\"NXDOMAIN\",server_address=\"10.0.0.2\""},
		{{request_protocols__dns, request_roles__client, "A", "b.example.org",
		  .error = "refused"},
		 "dns_question_name=\"b.example.org\",error_type=\"connection_refused\""},
		{{request_protocols__dns, request_roles__server, "A", "example.org"},
		 "dns_server_lookup_duration_seconds_count{dns_question_name=\"example.org\","
		 "server_port=\"8080\""},
		{{request_protocols__kafka, request_roles__client, "Produce", "orders",
		  .error = "NOT_LEADER_OR_FOLLOWER"},
		 "messaging_client_operation_duration_seconds_count{messaging_system=\"kafka\","
		 "messaging_operation_name=\"Produce\",messaging_destination_name=\"orders\","
		 "error_type=\"NOT_LEADER_OR_FOLLOWER\",server_address=\"10.0.0.2\","
		 "server_port=\"8080\""},
		/* Subjects that a request has of its own are one series. */
		{{request_protocols__nats, request_roles__server, "PUB", "_INBOX.4f5e6a7b8c9d0e1f"},
		 "messaging_server_operation_duration_seconds_count{messaging_system=\"nats\","
		 "messaging_operation_name=\"PUB\",messaging_destination_name=\"_INBOX.{hash}\","
		 "server_port=\"8080\""},
		{{request_protocols__unknown, request_roles__server, "X", "y"},
		 "lanner_server_request_duration_seconds_count{network_protocol_name=\"unknown\","
		 "server_port=\"8080\""},
	};
	struct measured *measured = *state;

	create(measured, 100);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *const lines[] = {rows[i].sample, NULL};

		ask(measured, &rows[i].asked);
		expect_lines(measured, false, lines);
	}
}

/* What was asked for before is found again without its labels, but not for another request. */
static void tells_requests_apart(void **state)
{
	static const struct asked variants[] = {
		{request_protocols__http, request_roles__client, "GET", "/a", "x"},
		{request_protocols__http, request_roles__server, "GET", "/a", "x"},
		{request_protocols__http, request_roles__client, "PUT", "/a", "x"},
		{request_protocols__http, request_roles__client, "GET", "/b", "x"},
		{request_protocols__http, request_roles__client, "GET", "/a", "y"},
		{request_protocols__http, request_roles__client, "GET", "/a", "x", "reset"},
		{request_protocols__http, request_roles__client, "GET", "/a", "x", .status = 200},
		{request_protocols__redis, request_roles__client, "GET", "/a", "x"},
		{request_protocols__redis, request_roles__client, "GE", "T/a", "x"},
	};
	struct measured *measured = *state;
	char text[64];

	create(measured, 100);
	for (unsigned int round = 0; round < 3; round++)
		for (size_t i = 0; i < COUNT(variants); i++)
			ask(measured, &variants[i]);
	/* Another program, and more bytes than are remembered. */
	drive_exec(&measured->drive, TID, "other");
	for (unsigned int round = 0; round < 2; round++) {
		ask(measured, &variants[0]);
		ask(measured,
		    &(struct asked){request_protocols__http, request_roles__server, "GET",
				    "/a/wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
				    "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
				    "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
				    "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
				    "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"});
	}
	snprintf(text, sizeof(text), "lanner_metrics_series %zu\n", COUNT(variants) + 2);
	expect_lines(measured, false,
		     (const char *const[]){
			     text, "process_executable_name=\"other\"} 2\n",
			     "url_template=\"/b\",url_scheme=\"http\",server_address=\"x\","
			     "server_port=\"8080\",process_executable_name=\"server\"} 3\n",
			     "http_route=\"/a/"
			     "*\",url_scheme=\"http\",server_port=\"8080\",process_executable_name="
			     "\"other\"} 2\n",
			     NULL});
}

static void counts_up_to_each_bound(void **state)
{
	static const char *const lines[] = {
		"_request_duration_seconds_bucket{PAIRS,le=\"0.005\"} 2\n",
		"_request_duration_seconds_bucket{PAIRS,le=\"0.01\"} 3\n",
		"_request_duration_seconds_bucket{PAIRS,le=\"0.25\"} 3\n",
		"_request_duration_seconds_bucket{PAIRS,le=\"10\"} 3\n",
		"_request_duration_seconds_bucket{PAIRS,le=\"+Inf\"} 4\n",
		"_request_duration_seconds_sum{PAIRS} 11.010000001\n",
		"_request_duration_seconds_count{PAIRS} 4\n",
		"_request_size_bytes_bucket{PAIRS,le=\"64\"} 4\n",
		"_request_size_bytes_sum{PAIRS} 256\n",
		"_response_size_bytes_bucket{PAIRS,le=\"64\"} 0\n",
		"_response_size_bytes_bucket{PAIRS,le=\"256\"} 4\n",
		"_response_size_bytes_sum{PAIRS} 260\n",
	};
	static const char pairs[] = "http_request_method=\"GET\",http_response_status_code=\"200\","
				    "http_route=\"/\",url_scheme=\"http\",server_port=\"8080\","
				    "process_executable_name=\"server\"";
	static const uint64_t totals[] = {0, 5 * MS, 5 * MS + 1, UINT64_C(11000) * MS};
	struct measured *measured = *state;

	create(measured, 100);
	for (size_t i = 0; i < COUNT(totals); i++)
		ask(measured, &(struct asked){request_protocols__http, request_roles__server, "GET",
					      "/", .status = 200, .total_ns = totals[i],
					      .request_bytes = 64, .response_bytes = 65});
	for (size_t i = 0; i < COUNT(lines); i++) {
		const char *at = strstr(lines[i], "PAIRS");
		char line[512];
		const char *const one[] = {line, NULL};

		snprintf(line, sizeof(line), "http_server%.*s%s%s", (int)(at - lines[i]), lines[i],
			 pairs, at + strlen("PAIRS"));
		expect_lines(measured, false, one);
	}
}

/* The slowest one of the last minute, in the bucket where it is counted. */
static void shows_an_exemplar_to_who_asks(void **state)
{
	static const char *const shown_lines[] = {
		"le=\"0.1\"} 2 # {trace_id=\"slow\"} 0.1 ",
		"le=\"0.005\"} 1\n",
		"le=\"10.0\"} 2\n",
		"# UNIT http_server_request_duration_seconds seconds\n",
		"# EOF\n",
		NULL};
	struct asked asked = {request_protocols__http, request_roles__server, "GET", "/",
			      .trace_id = "slow",      .total_ns = 100 * MS};
	struct measured *measured = *state;
	char *text;

	create(measured, 100);
	ask(measured, &asked);
	asked.trace_id = "fast";
	asked.total_ns = 1 * MS;
	ask(measured, &asked);
	expect_lines(measured, true, shown_lines);
	text = shown(measured, false);
	assert_null(strstr(text, "trace_id"));
	free(text);
	/* A minute later the last one is better than none. */
	measured->drive.ts_ns += UINT64_C(61000) * MS;
	ask(measured, &asked);
	expect_lines(measured, true,
		     (const char *const[]){"le=\"0.005\"} 2 # {trace_id=\"fast\"} 0.001 ", NULL});
}

/* Bytes that are no text, and what the format escapes. */
static void shows_valid_text(void **state)
{
	struct measured *measured = *state;

	create(measured, 100);
	ask(measured, &(struct asked){request_protocols__redis, request_roles__server,
				      "a\xff\xc3\xa4\"\\\n\xc3"});
	expect_lines(measured, false,
		     (const char *const[]){"db_operation_name=\"a?\xc3\xa4\\\"\\\\\\n?\"", NULL});
}

/* Very many hosts: as many series as there may be; the rest is in the overflow, and no sum changes.
 */
static void keeps_sums_when_there_is_no_room(void **state)
{
	enum { HOSTS = UNIT_ROUNDS(1000000), MAX = 1000 };
	struct measured *measured = *state;
	struct state_event *event;
	uint64_t seed = 1, total_ns = 0;
	double count = 0, overflow, seconds = 0;
	size_t held = 0, series = 0;
	char *text, *line;

	create(measured, MAX);
	event = ask(measured, &(struct asked){request_protocols__http, request_roles__client, "GET",
					      "/", "first", .status = 200, .total_ns = 1 * MS});
	for (uint32_t i = 1; i < HOSTS; i++) {
		char host[32];
		uint64_t ns = (seed = seed * 6364136223846793005 + 1) >> 40;

		snprintf(host, sizeof(host), "host%" PRIu32 ".example", i);
		event->ev.params[request__host] =
			(struct event_param){(uint8_t *)host, (uint32_t)strlen(host) + 1};
		event->ev.params[request__total_time].data = (const uint8_t *)&ns;
		request_metrics_take(measured->metrics, event);
		total_ns += ns;
		if (i == HOSTS / 2)
			held = request_metrics_bytes(measured->metrics);
	}
	/* Nothing is kept of what has no room; the counters of the overflow may need more bytes. */
	assert_in_range(request_metrics_bytes(measured->metrics), held, held + 65536);
	text = shown(measured, false);
	overflow = value_of(text, "http_client_request_duration_seconds_count{otel_metric_"
				  "overflow=\"true\"} ");
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, "http_client_request_duration_seconds_count", 42) == 0) {
			count += strtod(strrchr(strndupa(line, strcspn(line, "\n")), ' '), NULL);
			series++;
		}
		if (strncmp(line, "http_client_request_duration_seconds_sum", 40) == 0)
			seconds += strtod(strrchr(strndupa(line, strcspn(line, "\n")), ' '), NULL);
	}
	assert_true(count == HOSTS);
	assert_int_equal(series, MAX + 1);
	assert_true(overflow == HOSTS - MAX);
	assert_true(value_of(text, "\nlanner_metrics_series ") == MAX);
	assert_true(value_of(text, "\nlanner_metrics_overflowed_total ") == HOSTS - MAX);
	assert_true(seconds - ((double)total_ns / 1e9 + 0.001) < 1e-3 &&
		    (double)total_ns / 1e9 + 0.001 - seconds < 1e-3);
	free(text);
}

/* A set of labels with its three histograms, after many different durations. */
static void takes_less_than_a_kilobyte(void **state)
{
	enum { SERIES = 4000, EACH = UNIT_ROUNDS(100) };
	struct measured *measured = *state;
	struct state_event *event;
	size_t empty;
	uint64_t seed = 1;

	create(measured, SERIES);
	empty = request_metrics_bytes(measured->metrics);
	event = ask(measured,
		    &(struct asked){request_protocols__http, request_roles__client, "GET",
				    "/some/path/of/a/page/{number}/and/more", "first",
				    .status = 200, .trace_id = "4bf92f3577b34da6a3ce929d0e"});
	for (uint32_t i = 0; i < SERIES * EACH; i++) {
		char host[32];
		uint64_t ns = (seed = seed * 6364136223846793005 + 1) >> 36;

		snprintf(host, sizeof(host), "host%" PRIu32 ".example", i % (SERIES - 1));
		event->ev.params[request__host] =
			(struct event_param){(uint8_t *)host, (uint32_t)strlen(host) + 1};
		event->ev.params[request__total_time].data = (const uint8_t *)&ns;
		request_metrics_take(measured->metrics, event);
	}
	print_message("%zu bytes\n", (request_metrics_bytes(measured->metrics) - empty) / SERIES);
	assert_true((request_metrics_bytes(measured->metrics) - empty) / SERIES < 1024);
}

static void drops_series_that_are_not_used(void **state)
{
	struct asked asked = {request_protocols__redis, request_roles__server, "GET", "k"};
	struct measured *measured = *state;
	char *text;

	create(measured, 2);
	ask(measured, &asked);
	asked.method = "SET";
	measured->drive.ts_ns += REQUEST_METRICS_AGE_NS / 2;
	ask(measured, &asked);
	asked.method = "DEL";
	ask(measured, &asked);
	request_metrics_step(measured->metrics, measured->drive.ts_ns + REQUEST_METRICS_AGE_NS / 2);
	text = shown(measured, false);
	assert_null(strstr(text, "\"GET\""));
	assert_non_null(strstr(text, "\"SET\""));
	assert_true(value_of(text, "\nlanner_metrics_series_dropped_total ") == 1);
	/* The overflow stays. */
	assert_true(value_of(text, "count{otel_metric_overflow=\"true\"} ") == 1);
	free(text);
	/* There is room again. */
	ask(measured, &asked);
	expect_lines(measured, false,
		     (const char *const[]){"db_operation_name=\"DEL\"", "_series 2\n", NULL});
}

static void counts_what_is_in_no_series(void **state)
{
	struct measured *measured = *state;

	create(measured, 2);
	ask(measured, &(struct asked){request_protocols__http, request_roles__unknown, "GET", "/"});
	request_metrics_take(measured->metrics, drive_any(&measured->drive, TID));
	expect_lines(measured, false,
		     (const char *const[]){"lanner_metrics_unmeasured_total 1\n",
					   "lanner_metrics_series 0\n",
					   "lanner_metrics_series_max 2\n", NULL});
}

static void has_the_names_of_kindling(void **state)
{
	static const struct asked asked[] = {
		{request_protocols__http, request_roles__server, "GET", "/user/7", .status = 200,
		 .total_ns = 499 * MS, .request_bytes = 10, .response_bytes = 20},
		{request_protocols__http, request_roles__server, "PUT", "/user/8", .status = 200,
		 .total_ns = 500 * MS, .request_bytes = 10, .response_bytes = 20},
		{request_protocols__redis, request_roles__server, "GET", "key", .error = "ERR",
		 .total_ns = 100 * MS},
		{request_protocols__redis, request_roles__client, "GET", "key"},
		{request_protocols__postgresql, request_roles__server, "SELECT",
		 "SELECT * FROM accounts", .error = "42P01"},
		{request_protocols__postgresql, request_roles__server, "BEGIN", "BEGIN"},
		{request_protocols__dns, request_roles__client, "A", "x.org", .error = "NXDOMAIN"},
	};
	static const char *const lines[] = {
#define HTTP                                                                                       \
	"ip=\"10.0.0.2\",port=\"8080\",protocol=\"http\",request_content=\"/user/{number}\","      \
	"response_content=\"200\""
		"\nkindling_entity_request_total{" HTTP ",is_slow=\"false\"} 1\n",
		"\nkindling_entity_request_total{" HTTP ",is_slow=\"true\"} 1\n",
		"\nkindling_entity_request_duration_nanoseconds_total{" HTTP "} 999000000\n",
		"\nkindling_entity_request_receive_bytes_total{" HTTP "} 20\n",
		"\nkindling_entity_request_send_bytes_total{" HTTP "} 40\n",
		"protocol=\"redis\",request_content=\"GET\",response_content=\"error\","
		"is_slow=\"true\"} 1\n",
		"\nkindling_topology_request_total{src_ip=\"10.0.0.1\",dst_ip=\"10.0.0.2\","
		"dst_port=\"8080\",protocol=\"redis\",status_code=\"0\",is_slow=\"false\"} 1\n",
		"request_content=\"SELECT accounts\",response_content=\"42P01\"",
		"request_content=\"BEGIN\",is_slow=",
		"protocol=\"dns\",status_code=\"NXDOMAIN\"",
		NULL};
	struct measured *measured = *state;

	assert_int_equal(request_metrics_create(KINDS_KINDLING, METRICS_OF_REQUESTS, 100,
						&measured->metrics),
			 0);
	for (size_t i = 0; i < COUNT(asked); i++)
		ask(measured, &asked[i]);
	expect_lines(measured, false, lines);
}

static void appends_the_account(void **state)
{
	struct requests_stats stats = {.sockets = 10, .recognised = 6, .opaque = 3, .given_up = 1};
	struct buf out = {0};
	struct exposition exposition = {.out = &out};

	stats.protocols[request_protocols__redis] =
		(struct requests_protocol_stats){10, 5, 1, .unknown = 3, .lost = 1};
	request_metrics_append_account(&stats, &exposition);
	buf_append_char(&out, '\0');
	assert_non_null(strstr(out.data, "lanner_requests_seen_total{protocol=\"redis\"} 10\n"));
	assert_non_null(strstr(out.data, "lanner_requests_reported_total{protocol=\"redis\"} 5\n"));
	assert_non_null(strstr(out.data, "lanner_requests_unknown_total{protocol=\"redis\"} 3\n"));
	assert_non_null(strstr(out.data, "lanner_requests_lost_total{protocol=\"redis\"} 1\n"));
	assert_non_null(strstr(out.data, "lanner_requests_open{protocol=\"redis\"} 1\n"));
	assert_non_null(strstr(out.data, "lanner_requests_seen_total{protocol=\"http\"} 0\n"));
	assert_non_null(strstr(out.data, "lanner_requests_sockets_recognised_total 6\n"));
	assert_non_null(strstr(out.data, "lanner_requests_sockets_opaque_total 3\n"));
	assert_non_null(strstr(out.data, "lanner_requests_sockets_given_up_total 1\n"));
	buf_finish(&out);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	CASE(has_the_labels_of_conventions),
	CASE(tells_requests_apart),
	CASE(counts_up_to_each_bound),
	CASE(shows_an_exemplar_to_who_asks),
	CASE(shows_valid_text),
	CASE(keeps_sums_when_there_is_no_room),
	CASE(takes_less_than_a_kilobyte),
	CASE(drops_series_that_are_not_used),
	CASE(counts_what_is_in_no_series),
	CASE(has_the_names_of_kindling),
	cmocka_unit_test(appends_the_account),
};

UNIT_GROUP(tests);
