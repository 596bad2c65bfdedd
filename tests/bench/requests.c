/* SPDX-License-Identifier: MIT */
/*
 * What requests cost user space, without the kernel. Injected calls of servers, as live ones are,
 * pass through decoding, state and the streams of their sockets on one thread; each request that
 * has ended is decoded again, as the event that it is, and counted in series for the rows with
 * metrics. Then the memory of open connections, and that of series.
 *
 *   requests_speed [REQUESTS [CONNECTIONS [SERIES]]]
 *
 * Lines of a name, a value and its unit, with tabs between.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drive.h"
#include "http2_said.h"
#include "inject.h"
#include "requests/metrics/request_metrics.h"
#include "requests/requests.h"

enum {
	REQUESTS_DEFAULT = 2000000,
	CONNECTIONS_DEFAULT = 50000,
	SERIES_DEFAULT = 20000,
	/* At once: what is injected is as large as the ring buffers that it stands for. */
	ROUND_REQUESTS = 4000,
	ROUND_CONNECTIONS = 64,
	PASSES = 7,
	TID = 100,
	FD_FIRST = 5,
	INO_FIRST = 1000,
	BODY_BYTES = 1024,
	MESSAGE_BYTES = 20,
	SERIES_REQUESTS = 50, /* for each series */
	TEXT_MAX = 2048,
};

/* What a server reads and writes, with the number of the request for what differs in it. */
struct conversation {
	const char *name;
	uint16_t read, write, port; /* events */
	unsigned int read_params[3], write_params[3]; /* result, descriptor, data */
	const char *request, *response;
	size_t body; /* bytes behind the response */
	uint8_t protocol;
	bool is_call; /* a stream of HTTP/2, in place of the texts */
};

static const struct conversation conversations[] = {
	{.name = "HTTP/1.1",
	 .read = EVENT_recvfrom,
	 .read_params = {recvfrom__res, recvfrom__fd, recvfrom__data},
	 .write = EVENT_writev,
	 .write_params = {writev__res, writev__fd, writev__data},
	 .port = 80,
	 .request = "GET /page/%u HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
	 .response = "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\n"
		     "Date: Sun, 29 Nov 2026 12:00:00 GMT\r\nContent-Type: text/html\r\n"
		     "Content-Length: 1024\r\nLast-Modified: Sun, 29 Nov 2026 11:00:00 GMT\r\n"
		     "Connection: keep-alive\r\nETag: \"65671234-400\"\r\n"
		     "Accept-Ranges: bytes\r\n\r\n",
	 .body = BODY_BYTES,
	 .protocol = request_protocols__http},
	{.name = "Redis",
	 .read = EVENT_read,
	 .read_params = {read__res, read__fd, read__data},
	 .write = EVENT_write,
	 .write_params = {write__res, write__fd, write__data},
	 .port = 6379,
	 .request = "*3\r\n$3\r\nSET\r\n$16\r\nkey:%012u\r\n$3\r\nxxx\r\n",
	 .response = "+OK\r\n",
	 .protocol = request_protocols__redis},
	{.name = "gRPC",
	 .read = EVENT_recvmsg,
	 .read_params = {recvmsg__res, recvmsg__fd, recvmsg__data},
	 .write = EVENT_sendmsg,
	 .write_params = {sendmsg__res, sendmsg__fd, sendmsg__data},
	 .port = 50051,
	 .protocol = request_protocols__grpc,
	 .is_call = true},
};

enum { CONVERSATIONS = sizeof(conversations) / sizeof(conversations[0]) };

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "requests_speed: %s\n", what);
	exit(1);
}

/*
 * Calls of a server.
 */

/* Where the bytes of a connection stand. */
struct place {
	uint32_t in, out;
};

struct maker {
	struct scap_inject *inject;
	struct frame frame;
	uint64_t ts_ns;
	const struct conversation *conversation;
	struct place *places; /* of each connection */
	struct http2_said *asks, *answers; /* likewise, for calls */
	uint32_t *streams; /* the last one */
	unsigned int connections;
};

static void begin(struct maker *maker, uint16_t id, unsigned int connection)
{
	maker->ts_ns += 700;
	frame_begin(&maker->frame, id, maker->ts_ns, TID);
	maker->frame.file.ino = INO_FIRST + connection;
}

static void append(struct maker *maker)
{
	struct scap_event event = frame_end(&maker->frame);

	if (scap_inject_append(maker->inject, event.frame, event.len, 0))
		fail("out of memory");
}

static void append_exec(struct maker *maker)
{
	maker->ts_ns += 700;
	frame_begin(&maker->frame, EVENT_execve, maker->ts_ns, TID);
	frame_put_i64(&maker->frame, execve__res, 0);
	frame_put_string(&maker->frame, execve__exe, "/usr/sbin/server");
	frame_put_string(&maker->frame, execve__comm, "server");
	frame_put_i64(&maker->frame, execve__tid, TID);
	frame_put_i64(&maker->frame, execve__pid, TID);
	frame_put_i64(&maker->frame, execve__ptid, 1);
	append(maker);
}

static void append_accept(struct maker *maker, unsigned int connection)
{
	char client[32];
	const struct frame_tuple ends = {client, "10.0.0.2", (uint16_t)(20000 + connection % 40000),
					 maker->conversation->port};
	struct place *place = &maker->places[connection];

	snprintf(client, sizeof(client), "10.1.%u.%u", connection / 250 % 250,
		 1 + connection % 250);
	*place = (struct place){1000000 * connection, 3000000 * connection};
	begin(maker, EVENT_accept4, connection);
	frame_put_i64(&maker->frame, accept4__fd, FD_FIRST + connection);
	frame_put_tuple(&maker->frame, accept4__tuple, &ends);
	maker->frame.stream =
		(struct frame_stream){.end = place->out, .other = place->in, .is_known = 1};
	append(maker);
}

static void append_transfer(struct maker *maker, unsigned int connection, bool is_read,
			    const char *text, size_t len)
{
	const unsigned int *params =
		is_read ? maker->conversation->read_params : maker->conversation->write_params;
	struct place *place = &maker->places[connection];
	size_t captured = len < REQUESTS_LIMIT_DEFAULT ? len : REQUESTS_LIMIT_DEFAULT;

	begin(maker, is_read ? maker->conversation->read : maker->conversation->write, connection);
	frame_put_i64(&maker->frame, params[0], (int64_t)len);
	frame_put_i64(&maker->frame, params[1], FD_FIRST + connection);
	frame_put_bytes(&maker->frame, params[2], text, captured);
	*(is_read ? &place->in : &place->out) += (uint32_t)len;
	maker->frame.stream = (struct frame_stream){.end = is_read ? place->in : place->out,
						    .other = is_read ? place->out : place->in,
						    .is_known = 1};
	append(maker);
}

static void append_said(struct maker *maker, unsigned int connection, bool is_read,
			struct http2_said *said)
{
	append_transfer(maker, connection, is_read, said->bytes.data, said->bytes.len);
	http2_said_clear(said);
}

/* As clients in C++ ask: after the first time, headers refer to what was said. */
static void append_call(struct maker *maker, unsigned int connection)
{
	struct http2_said *said = &maker->asks[connection];
	uint32_t *stream = &maker->streams[connection];

	if (!*stream)
		http2_say_preface(said);
	*stream += *stream ? 2 : 1;
	http2_say_headers(said, 0, *stream,
			  ":scheme: http\n:method: POST\n:authority: service:50051\n"
			  ":path: /shop.Cart/AddItem\nte: trailers\n"
			  "content-type: application/grpc\nuser-agent: grpc-c++/1.51.1\n"
			  "grpc-accept-encoding: identity, deflate, gzip\n");
	http2_say_message(said, HTTP2_END_STREAM, *stream, MESSAGE_BYTES, 0);
	append_said(maker, connection, true, said);
}

static void append_called(struct maker *maker, unsigned int connection)
{
	struct http2_said *said = &maker->answers[connection];
	uint32_t stream = maker->streams[connection];

	http2_say_headers(said, 0, stream,
			  ":status: 200\ncontent-type: application/grpc\n"
			  "grpc-accept-encoding: identity, deflate, gzip\n");
	http2_say_message(said, 0, stream, MESSAGE_BYTES, 0);
	http2_say_headers(said, HTTP2_END_STREAM, stream, "grpc-status: 0\n");
	append_said(maker, connection, false, said);
}

static void append_request(struct maker *maker, unsigned int connection, unsigned int number)
{
	char text[TEXT_MAX];
	int len;

	if (maker->conversation->is_call) {
		append_call(maker, connection);
		return;
	}
	len = snprintf(text, sizeof(text), maker->conversation->request, number);
	append_transfer(maker, connection, true, text, (size_t)len);
}

static void append_response(struct maker *maker, unsigned int connection)
{
	char text[TEXT_MAX];
	size_t len;

	if (maker->conversation->is_call) {
		append_called(maker, connection);
		return;
	}
	len = strlen(maker->conversation->response);
	memcpy(text, maker->conversation->response, len);
	memset(text + len, 'x', maker->conversation->body);
	append_transfer(maker, connection, false, text, len + maker->conversation->body);
}

static void append_close(struct maker *maker, unsigned int connection)
{
	begin(maker, EVENT_close, connection);
	frame_put_i64(&maker->frame, close__res, 0);
	frame_put_i64(&maker->frame, close__fd, FD_FIRST + connection);
	append(maker);
}

static void maker_init(struct maker *maker, const struct conversation *conversation,
		       unsigned int connections)
{
	memset(maker, 0, sizeof(*maker));
	maker->conversation = conversation;
	maker->places = calloc(connections, sizeof(*maker->places));
	maker->asks = calloc(connections, sizeof(*maker->asks));
	maker->answers = calloc(connections, sizeof(*maker->answers));
	maker->streams = calloc(connections, sizeof(*maker->streams));
	maker->connections = connections;
	if (!maker->places || !maker->asks || !maker->answers || !maker->streams ||
	    scap_inject_create(&maker->inject))
		fail("out of memory");
	append_exec(maker);
	for (unsigned int i = 0; i < connections; i++)
		append_accept(maker, i);
}

static void maker_finish(struct maker *maker)
{
	scap_source_destroy(scap_inject_source(maker->inject));
	for (unsigned int i = 0; i < maker->connections; i++) {
		http2_said_finish(&maker->asks[i]);
		http2_said_finish(&maker->answers[i]);
	}
	free(maker->asks);
	free(maker->answers);
	free(maker->streams);
	free(maker->places);
}

/*
 * What follows them.
 */

struct follower {
	struct state *state;
	struct requests *requests;
	struct request_metrics *metrics; /* NULL: none */
	uint64_t reported;
};

static void follower_init(struct follower *follower, bool has_metrics)
{
	const struct requests_config config = {.begin_ns = 1};
	const struct state_config state_config = {0};
	struct error error;

	*follower = (struct follower){0};
	if (state_create(&state_config, &follower->state, &error))
		fail(error.text);
	if (requests_create(&config, &follower->requests) ||
	    (has_metrics && request_metrics_create(KINDS_OTEL, METRICS_OF_REQUESTS,
						   REQUEST_METRICS_SERIES, &follower->metrics)))
		fail("out of memory");
}

static void follower_finish(struct follower *follower)
{
	request_metrics_destroy(follower->metrics);
	requests_destroy(follower->requests);
	state_destroy(follower->state);
}

static void follow(struct follower *follower, struct scap_inject *inject)
{
	struct scap_event raw, made = {0};
	struct state_event event;

	scap_inject_rewind(inject);
	while (scap_source_next(scap_inject_source(inject), 0, &raw) == 1) {
		if (state_process(follower->state, &raw, &event))
			fail("a frame was rejected");
		requests_take(follower->requests, &event);
		while ((made.frame = requests_next(follower->requests, &made.len))) {
			if (state_process(follower->state, &made, &event))
				fail("the frame of a request was rejected");
			if (follower->metrics)
				request_metrics_take(follower->metrics, &event);
			follower->reported++;
		}
	}
}

/*
 * Speed.
 */

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double pass(struct follower *follower, struct scap_inject *inject, unsigned int rounds)
{
	uint64_t begin_ns = cpu_ns();

	for (unsigned int i = 0; i < rounds; i++)
		follow(follower, inject);
	return (double)(cpu_ns() - begin_ns) / ((double)rounds * ROUND_REQUESTS);
}

static void measure_speed(const struct conversation *conversation, bool has_metrics,
			  unsigned int requests)
{
	const unsigned int rounds = 1 + requests / PASSES / ROUND_REQUESTS;
	struct follower follower;
	struct maker maker;
	double ns[PASSES];

	maker_init(&maker, conversation, ROUND_CONNECTIONS);
	for (unsigned int i = 0; i < ROUND_REQUESTS; i++) {
		append_request(&maker, i % ROUND_CONNECTIONS, i);
		append_response(&maker, i % ROUND_CONNECTIONS);
	}
	for (unsigned int i = 0; i < ROUND_CONNECTIONS; i++)
		append_close(&maker, i);
	follower_init(&follower, has_metrics);
	pass(&follower, maker.inject, 1);
	for (unsigned int i = 0; i < PASSES; i++)
		ns[i] = pass(&follower, maker.inject, rounds);
	if (follower.reported != (UINT64_C(1) + rounds * PASSES) * ROUND_REQUESTS)
		fail("requests are missing");
	qsort(ns, PASSES, sizeof(ns[0]), compare);
	printf("%s%s\t%.3f\tmillion requests/s\n", conversation->name,
	       has_metrics ? ", metrics" : "", 1000 / ns[PASSES / 2]);
	follower_finish(&follower);
	maker_finish(&maker);
}

/*
 * Memory.
 */

static double resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages;

	malloc_trim(0);
	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		fail("cannot read /proc/self/statm");
	fclose(file);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* is_open: the last request of each has no response; otherwise one has been answered. */
static void measure_connections(const struct conversation *conversation, bool is_open,
				unsigned int count)
{
	const struct requests_protocol_stats *account;
	struct requests_stats stats;
	struct follower follower;
	struct maker maker;
	double before;

	maker_init(&maker, conversation, count);
	for (unsigned int i = 0; i < count; i++) {
		append_request(&maker, i, i);
		if (!is_open)
			append_response(&maker, i);
	}
	before = resident_bytes();
	follower_init(&follower, false);
	follow(&follower, maker.inject);
	printf("%u connections, %s, %s\t%.1f\tMB\n", count, conversation->name,
	       is_open ? "a request open" : "idle", (resident_bytes() - before) / 1e6);
	requests_stats(follower.requests, &stats);
	account = &stats.protocols[conversation->protocol];
	if (stats.followed != count || (is_open ? account->open : account->reported) != count ||
	    stats.undecoded)
		fail("connections are missing");
}

static void measure_series(unsigned int count)
{
	static const struct frame_tuple tuple = {"10.0.0.1", "10.0.0.2", 40000, 8080};
	struct request_metrics *metrics;
	struct drive drive;
	size_t before;

	drive_create(&drive, NULL);
	drive_exec(&drive, TID, "server");
	if (request_metrics_create(KINDS_OTEL, METRICS_OF_REQUESTS, count, &metrics))
		fail("out of memory");
	before = request_metrics_bytes(metrics);
	for (unsigned int i = 0; i < count * SERIES_REQUESTS; i++) {
		struct frame *frame = drive_begin(&drive, EVENT_request, TID);
		char host[32];

		snprintf(host, sizeof(host), "host-%u.example.org", i % count);
		frame_put_i64(frame, request__protocol, request_protocols__http);
		frame_put_i64(frame, request__role, request_roles__client);
		frame_put_string(frame, request__method, "GET");
		frame_put_string(frame, request__target, "/api/v1/items/77");
		frame_put_string(frame, request__host, host);
		frame_put_i64(frame, request__status, 200);
		/* From one to ten milliseconds. */
		frame_put_i64(frame, request__total_time,
			      1000000 + (int64_t)(i * UINT64_C(2654435761) % 9000000));
		frame_put_i64(frame, request__request_size, 100);
		frame_put_i64(frame, request__response_size, 5000);
		frame_put_tuple(frame, request__tuple, &tuple);
		request_metrics_take(metrics, drive_end(&drive));
	}
	printf("a series\t%.0f\tbytes\n",
	       (double)(request_metrics_bytes(metrics) - before) / count);
	request_metrics_destroy(metrics);
	drive_destroy(&drive);
}

/* Each in a process of its own, whose heap nothing was in before. */
static bool is_child(void)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		fail("cannot fork");
	if (pid == 0)
		return true;
	if (waitpid(pid, &status, 0) != pid || status != 0)
		exit(1);
	return false;
}

static unsigned int argument(int argc, char **argv, int number, unsigned int otherwise)
{
	return argc > number ? (unsigned int)strtoul(argv[number], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	unsigned int requests = argument(argc, argv, 1, REQUESTS_DEFAULT);
	unsigned int connections = argument(argc, argv, 2, CONNECTIONS_DEFAULT);
	unsigned int series = argument(argc, argv, 3, SERIES_DEFAULT);

	if (!requests || !connections || !series || argc > 4) {
		fputs("usage: requests_speed [REQUESTS [CONNECTIONS [SERIES]]]\n", stderr);
		return 2;
	}
	for (unsigned int i = 0; i < CONVERSATIONS; i++) {
		measure_speed(&conversations[i], false, requests);
		measure_speed(&conversations[i], true, requests);
	}
	for (unsigned int i = 0; i < CONVERSATIONS * 2; i++)
		if (is_child()) {
			measure_connections(&conversations[i / 2], i % 2, connections);
			return 0;
		}
	measure_series(series);
	return 0;
}
