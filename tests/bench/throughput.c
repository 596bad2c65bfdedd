/* SPDX-License-Identifier: MIT */
/*
 * The speed of user space, without the kernel: injected events of a usual mix pass through decoding
 * and state; then also a filter, or rules; then also JSON with all default fields. The last rows
 * write the same events to capture files. One thread. Prints a table: events per second and
 * nanoseconds per event, the median of several passes.
 *
 *   throughput [EVENTS [RULES...]]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "frame.h"
#include "inject.h"
#include "rules/ruleset.h"
#include "scap/file/writer.h"
#include "sinsp/filter/filter.h"
#include "sinsp/format/format.h"
#include "sinsp/engine/engine.h"

enum { EVENTS_DEFAULT = 1000000, PASSES = 7, THREADS = 50, FIRST_TID = 1000 };

struct bench {
	struct scap_inject *inject;
	struct frame *frame;
	uint64_t ts_ns;
	uint64_t events;
};

static void fail(const char *what)
{
	fprintf(stderr, "throughput: %s\n", what);
	exit(1);
}

static void append(struct bench *bench)
{
	struct scap_event event = frame_end(bench->frame);

	if (scap_inject_append(bench->inject, event.frame, event.len, bench->events++ % 2))
		fail("out of memory");
}

static void begin(struct bench *bench, uint16_t id, int64_t tid)
{
	bench->ts_ns += 700;
	frame_begin(bench->frame, id, bench->ts_ns, tid);
}

static void append_exec(struct bench *bench, int64_t tid)
{
	begin(bench, EVENT_execve, tid);
	frame_put_i64(bench->frame, execve__res, 0);
	frame_put_string(bench->frame, execve__exe, "/usr/bin/worker");
	frame_put_bytes(bench->frame, execve__args, "--config\0/etc/worker.conf", 26);
	frame_put_i64(bench->frame, execve__tid, tid);
	frame_put_i64(bench->frame, execve__pid, tid);
	frame_put_i64(bench->frame, execve__ptid, 1);
	frame_put_i64(bench->frame, execve__fdlimit, 1024);
	frame_put_string(bench->frame, execve__comm, "worker");
	frame_put_string(bench->frame, execve__trusted_exepath, "/usr/bin/worker");
	append(bench);
}

/* Open, read twice, write, close, and two other calls: the mix of a server. */
static void append_round(struct bench *bench, int64_t tid, int64_t fd)
{
	static const char data[80] =
		"a line of a log file, as it would be written by a server program";
	struct frame *frame = bench->frame;

	begin(bench, EVENT_openat, tid);
	frame_put_i64(frame, openat__fd, fd);
	frame_put_i64(frame, openat__dirfd, -100);
	frame_put_string(frame, openat__name, "/var/lib/worker/data/file-17.db");
	frame_put_i64(frame, openat__flags, 0x1001);
	frame_put_i64(frame, openat__mode, 0);
	frame_put_i64(frame, openat__dev, 0x801);
	frame_put_i64(frame, openat__ino, 123456);
	append(bench);
	for (int i = 0; i < 2; i++) {
		begin(bench, EVENT_read, tid);
		frame_put_i64(frame, read__res, 80);
		frame_put_bytes(frame, read__data, data, sizeof(data));
		frame_put_i64(frame, read__fd, fd);
		frame_put_i64(frame, read__size, 4096);
		append(bench);
	}
	begin(bench, EVENT_write, tid);
	frame_put_i64(frame, write__res, 80);
	frame_put_bytes(frame, write__data, data, sizeof(data));
	frame_put_i64(frame, write__fd, 2);
	frame_put_i64(frame, write__size, 80);
	append(bench);
	begin(bench, EVENT_close, tid);
	frame_put_i64(frame, close__res, 0);
	frame_put_i64(frame, close__fd, fd);
	append(bench);
	for (int i = 0; i < 2; i++) {
		begin(bench, EVENT_syscall, tid);
		frame_put_i64(frame, syscall__ID, i ? SC_getppid : SC_epoll_pwait);
		frame_put_i64(frame, syscall__nativeID, i ? 110 : 281);
		append(bench);
	}
}

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

/* What a row does in addition to decoding and state; NULL: nothing. */
struct way {
	struct filter *filter;
	struct ruleset *ruleset; /* the first rule that matches is enough */
	struct formatter *formatter;
};

static bool passes(const struct way *way, const struct sinsp_event *event)
{
	if (way->ruleset)
		return ruleset_next(way->ruleset, event, 0) != FILTER_NONE;
	return !way->filter || filter_match(way->filter, event);
}

/* One pass over all events. */
static double pass(struct bench *bench, struct sinsp *sinsp, const struct way *way, struct buf *out)
{
	struct scap_event raw;
	struct sinsp_event event;
	uint64_t start = cpu_ns();

	scap_inject_rewind(bench->inject);
	while (scap_source_next(scap_inject_source(bench->inject), 0, &raw) == 1) {
		if (sinsp_process(sinsp, &raw, &event))
			fail("a frame was rejected");
		if (!passes(way, &event) || !way->formatter)
			continue;
		formatter_write(way->formatter, &event, out);
		if (out->len > 65536)
			buf_clear(out);
	}
	return (double)(cpu_ns() - start) / (double)bench->events;
}

static void print_row(const char *what, double *ns)
{
	qsort(ns, PASSES, sizeof(ns[0]), compare);
	printf("| %-60s | %6.2f | %6.0f |\n", what, 1000 / ns[PASSES / 2], ns[PASSES / 2]);
}

static void measure(struct bench *bench, const char *what, const struct way *way)
{
	struct sinsp_config config = {0};
	struct error error;
	struct sinsp *sinsp;
	struct buf out = {0};
	double ns[PASSES];

	if (sinsp_create(&config, &sinsp, &error))
		fail(error.text);
	pass(bench, sinsp, way, &out);
	for (int i = 0; i < PASSES; i++)
		ns[i] = pass(bench, sinsp, way, &out);
	print_row(what, ns);
	buf_finish(&out);
	sinsp_destroy(sinsp);
}

static void measure_filter(struct bench *bench, const char *what, const char *expression)
{
	struct filter_error error;
	struct way way = {0};

	if (filter_create(expression, NULL, &way.filter, &error))
		fail(error.text);
	measure(bench, what, &way);
	filter_destroy(way.filter);
}

static void measure_format(struct bench *bench, const char *what, const struct output_format *format)
{
	struct way way = {0};
	struct error error;

	if (formatter_create(format, NULL, 0, &way.formatter, &error))
		fail(error.text);
	measure(bench, what, &way);
	formatter_destroy(way.formatter);
}

static void measure_rules(struct bench *bench, char *const *paths, size_t n)
{
	const struct ruleset_config config = {.rules.least = PRIORITY_DEBUG,
					      .format = &format_none};
	struct rules_input *inputs = calloc(n, sizeof(*inputs));
	struct rules_report report = {0};
	struct rules_counts counts;
	struct way way = {0};
	char what[64];

	if (!inputs)
		fail("out of memory");
	for (size_t i = 0; i < n; i++)
		inputs[i].path = paths[i];
	if (ruleset_create(inputs, n, &config, &way.ruleset, &counts, &report))
		fail(report.count ? report.messages[0].text : "out of memory");
	snprintf(what, sizeof(what), "+ %zu rules", ruleset_count(way.ruleset));
	measure(bench, what, &way);
	ruleset_destroy(way.ruleset);
	rules_report_finish(&report);
	free(inputs);
}

/* One pass over all events, into a new file. */
static double write_pass(struct bench *bench, int fd, enum scap_compression compression)
{
	const struct scap_writer_config config = {.compression = compression};
	struct scap_writer *writer;
	struct scap_event event;
	struct error error;
	uint64_t start = cpu_ns();
	int r = scap_writer_create(fd, "the capture file", &config, &writer, &error);

	scap_inject_rewind(bench->inject);
	while (r == 0 && scap_source_next(scap_inject_source(bench->inject), 0, &event) == 1)
		r = scap_writer_event(writer, &event, &error);
	if (r < 0 || scap_writer_finish(writer, &error))
		fail(error.text);
	return (double)(cpu_ns() - start) / (double)bench->events;
}

static void measure_writing(struct bench *bench, const char *what, const char *path,
			    enum scap_compression compression)
{
	double ns[PASSES];

	for (int i = -1; i < PASSES; i++) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		double took;

		if (fd < 0)
			fail("cannot write to /tmp");
		took = write_pass(bench, fd, compression);
		close(fd);
		if (i >= 0)
			ns[i] = took;
	}
	print_row(what, ns);
}

static void measure_files(struct bench *bench)
{
	char path[] = "/tmp/throughput-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		fail("cannot write to /tmp");
	close(fd);
	measure_writing(bench, "capture file, to /dev/null", "/dev/null", SCAP_PLAIN);
	measure_writing(bench, "capture file", path, SCAP_PLAIN);
	measure_writing(bench, "capture file, gzip", path, SCAP_GZIP);
	measure_writing(bench, "capture file, zstd", path, SCAP_ZSTD);
	unlink(path);
}

int main(int argc, char **argv)
{
	uint64_t wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : EVENTS_DEFAULT;
	struct bench bench = {.frame = malloc(sizeof(*bench.frame)), .ts_ns = 1700000000000000000};

	if (!bench.frame || scap_inject_create(&bench.inject))
		fail("out of memory");
	for (int64_t i = 0; i < THREADS; i++)
		append_exec(&bench, FIRST_TID + i);
	for (uint64_t i = 0; bench.events < wanted; i++)
		append_round(&bench, FIRST_TID + (int64_t)(i % THREADS), 3 + (int64_t)(i % 7));

	printf("| %-60s | M ev/s | ns/ev  |\n", "injected events, one core");
	printf("|--------------------------------------------------------------|--------|--------|"
	       "\n");
	measure(&bench, "decode and state", &(struct way){0});
	measure_filter(&bench, "+ filter evt.type=openat", "evt.type=openat");
	measure_filter(&bench, "+ filter proc.name=cat and fd.name contains /etc",
		       "proc.name=cat and fd.name contains /etc");
	if (argc > 2)
		measure_rules(&bench, argv + 2, (size_t)argc - 2);
	measure_format(&bench, "+ JSON, all default fields, no filter", &format_json);
	measure_format(&bench, "+ text, default line, no filter", &format_text);
	measure_files(&bench);
	scap_source_destroy(scap_inject_source(bench.inject));
	free(bench.frame);
	return 0;
}
