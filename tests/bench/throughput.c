/* SPDX-License-Identifier: MIT */
/*
 * The speed of user space, without the kernel: injected events of a usual mix pass through decoding
 * and state; then also a filter, or rules; then also JSON with all default fields,
 * in each schema, and other formats; then events of
 * containers, with and without what is known of these. The last rows write events to capture files.
 * One thread. Prints a table: events per second and nanoseconds per event, the median of several
 * passes.
 *
 *   throughput [--rules] [EVENTS [RULES...]]
 *
 * --rules: only state, without and with the rules.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "load.h"
#include "output/redact/redact.h"
#include "rules/ruleset.h"
#include "scap/file/writer.h"
#include "sinsp/fields/field.h"
#include "sinsp/filter/filter.h"
#include "sinsp/format/formatter.h"
#include "sinsp/format/output_format.h"
#include "sinsp/state/engine.h"
#include "sinsp/format/schema.h"

enum { EVENTS_DEFAULT = 1000000, PASSES = 7, THREADS = 50, CONTAINERS = 10 };

static void fail(const char *what)
{
	fprintf(stderr, "throughput: %s\n", what);
	exit(1);
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

static bool passes(const struct way *way, const struct state_event *event)
{
	if (way->ruleset)
		return ruleset_next(way->ruleset, event, 0) != FILTER_NONE;
	return !way->filter || filter_match(way->filter, event);
}

/* One pass over all events. */
static double pass(struct load *load, struct state *state, const struct way *way, struct buf *out)
{
	struct scap_event raw;
	struct state_event event;
	uint64_t start = cpu_ns();

	scap_inject_rewind(load->inject);
	while (scap_source_next(scap_inject_source(load->inject), 0, &raw) == 1) {
		if (state_process(state, &raw, &event))
			fail("a frame was rejected");
		if (!passes(way, &event) || !way->formatter)
			continue;
		formatter_write(way->formatter, &event, out);
		if (out->len > 65536)
			buf_clear(out);
	}
	return (double)(cpu_ns() - start) / (double)load->events;
}

static void print_row(const char *what, double *ns)
{
	qsort(ns, PASSES, sizeof(ns[0]), compare);
	printf("| %-60s | %6.2f | %6.0f |\n", what, 1000 / ns[PASSES / 2], ns[PASSES / 2]);
}

static void measure(struct load *load, const char *what, const struct way *way)
{
	struct state_config config = {0};
	struct error error;
	struct state *state;
	struct buf out = {0};
	double ns[PASSES];

	if (state_create(&config, &state, &error))
		fail(error.text);
	pass(load, state, way, &out);
	for (int i = 0; i < PASSES; i++)
		ns[i] = pass(load, state, way, &out);
	print_row(what, ns);
	buf_finish(&out);
	state_destroy(state);
}

static void measure_filter(struct load *load, const char *what, const char *expression)
{
	struct filter_error error;
	struct way way = {0};

	if (filter_create(expression, NULL, &way.filter, &error))
		fail(error.text);
	measure(load, what, &way);
	filter_destroy(way.filter);
}

static void measure_format(struct load *load, const char *what, const struct output_format *format,
			   const struct schema *schema)
{
	struct way way = {0};
	struct error error;

	if (formatter_create(format, NULL, 0, &way.formatter, &error))
		fail(error.text);
	if (formatter_set_schema(way.formatter, schema))
		fail("out of memory");
	measure(load, what, &way);
	formatter_destroy(way.formatter);
}

static void hide_text(void *redact, char *text, size_t len)
{
	redact_text(redact, text, len);
}

/* As plain standard output does, which hides secrets by default. */
static void measure_hiding(struct load *load, const char *what)
{
	struct text_hider hider = {.text = hide_text, .arguments = redact_arguments};
	struct redact *redact;
	struct way way = {0};
	struct error error;

	if (redact_create(NULL, 0, &redact, &error) ||
	    formatter_create(&format_json, NULL, 0, &way.formatter, &error))
		fail(error.text);
	hider.context = redact;
	formatter_set_hider(way.formatter, &hider);
	measure(load, what, &way);
	formatter_destroy(way.formatter);
	redact_destroy(redact);
}

static void append_default_fields(struct buf *format)
{
	BUF_LITERAL(format, "*");
	for (const char *const *field = format_json.events.default_fields; *field; field++)
		buf_printf(format, " %%%s", *field);
}

/* All of container.* and k8s.*, those with an argument with one that is known. */
static void append_container_fields(struct buf *format)
{
	static const char *const arguments[] = {
		[FIELD_ARG_NONE] = "",
		[FIELD_ARG_LABEL] = "[app]",
		[FIELD_ARG_KEY_OR_INDEX] = "[0]",
	};

	for (const struct field_desc *const *table = field_tables; *table; table++)
		for (const struct field_desc *desc = *table; desc->name; desc++) {
			if (strncmp(desc->name, "container.", strlen("container.")) != 0 &&
			    strncmp(desc->name, "k8s.", strlen("k8s.")) != 0)
				continue;
			buf_printf(format, " %%%s%s", desc->name, arguments[desc->arg]);
		}
}

static void measure_json_format(struct load *load, const char *what, struct buf *format)
{
	struct filter_error error = {.text = "out of memory"};
	struct way way = {0};

	buf_append_char(format, '\0');
	if (format->failed ||
	    formatter_create_format(&format_json, format->data, &way.formatter, &error))
		fail(error.text);
	measure(load, what, &way);
	formatter_destroy(way.formatter);
	buf_clear(format);
}

/* What lines with all that is known of containers take more than lines without it. */
static void measure_containers(uint64_t wanted)
{
	const struct load_config config = {wanted, THREADS, CONTAINERS};
	struct buf format = {0};
	struct load load;

	if (load_create(&load, &config))
		fail("out of memory");
	measure(&load, "containers: decode and state", &(struct way){0});
	measure_format(&load, "containers: + JSON, all default fields", &format_json, NULL);
	append_default_fields(&format);
	measure_json_format(&load, "containers: + JSON, -p, without their fields", &format);
	append_default_fields(&format);
	append_container_fields(&format);
	measure_json_format(&load, "containers: + JSON, -p, all container.* and k8s.*", &format);
	buf_finish(&format);
	load_finish(&load);
}

static void measure_rules(struct load *load, char *const *paths, size_t n)
{
	const struct ruleset_config config = {.rules.least = PRIORITY_DEBUG,
					      .lines = &(struct ruleset_line){&format_none},
					      .lines_count = 1};
	struct rules_input *inputs = calloc(n, sizeof(*inputs));
	struct yaml_report report = {0};
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
	measure(load, what, &way);
	ruleset_destroy(way.ruleset);
	yaml_report_finish(&report);
	free(inputs);
}

/* One pass over all events, into a new file. */
static double write_pass(struct load *load, int fd, enum scap_compression compression)
{
	const struct scap_writer_config config = {.compression = compression};
	struct scap_writer *writer;
	struct scap_event event;
	struct error error;
	uint64_t start = cpu_ns();
	int r = scap_writer_create(fd, "the capture file", &config, &writer, &error);

	scap_inject_rewind(load->inject);
	while (r == 0 && scap_source_next(scap_inject_source(load->inject), 0, &event) == 1)
		r = scap_writer_event(writer, &event, &error);
	if (r < 0 || scap_writer_finish(writer, &error))
		fail(error.text);
	return (double)(cpu_ns() - start) / (double)load->events;
}

static void measure_writing(struct load *load, const char *what, const char *path,
			    enum scap_compression compression)
{
	double ns[PASSES];

	for (int i = -1; i < PASSES; i++) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		double took;

		if (fd < 0)
			fail("cannot write to /tmp");
		took = write_pass(load, fd, compression);
		close(fd);
		if (i >= 0)
			ns[i] = took;
	}
	print_row(what, ns);
}

static void measure_files(struct load *load)
{
	char path[] = "/tmp/throughput-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		fail("cannot write to /tmp");
	close(fd);
	measure_writing(load, "capture file, to /dev/null", "/dev/null", SCAP_PLAIN);
	measure_writing(load, "capture file", path, SCAP_PLAIN);
	measure_writing(load, "capture file, gzip", path, SCAP_GZIP);
	measure_writing(load, "capture file, zstd", path, SCAP_ZSTD);
	unlink(path);
}

static void print_head(void)
{
	printf("| %-60s | M ev/s | ns/ev  |\n", "injected events, one core");
	printf("|--------------------------------------------------------------|--------|--------|"
	       "\n");
}

static void measure_formats(struct load *load)
{
	measure_format(load, "+ JSON, all default fields, no filter", &format_json, NULL);
	measure_hiding(load, "+ the same, secrets hidden");
	measure_format(load, "+ the same, schema otel", &format_json, &schema_otel);
	measure_format(load, "+ the same, schema ecs", &format_json, &schema_ecs);
	measure_format(load, "+ protobuf, all default fields, no filter", &format_protobuf, NULL);
	measure_format(load, "+ LogRecords of OTLP, protobuf", &format_otlp_proto, NULL);
	measure_format(load, "+ text, default line, no filter", &format_text, NULL);
}

int main(int argc, char **argv)
{
	bool only_rules = argc > 1 && strcmp(argv[1], "--rules") == 0;
	int first = only_rules ? 2 : 1;
	uint64_t wanted = argc > first ? strtoull(argv[first], NULL, 10) : EVENTS_DEFAULT;
	const struct load_config config = {wanted, THREADS};
	struct load load;

	if (load_create(&load, &config))
		fail("out of memory");
	print_head();
	measure(&load, "decode and state", &(struct way){0});
	if (!only_rules) {
		measure_filter(&load, "+ filter evt.type=openat", "evt.type=openat");
		measure_filter(&load, "+ filter proc.name=cat and fd.name contains /etc",
			       "proc.name=cat and fd.name contains /etc");
	}
	if (argc > first + 1)
		measure_rules(&load, argv + first + 1, (size_t)(argc - first - 1));
	if (!only_rules) {
		measure_formats(&load);
		measure_containers(wanted);
		measure_files(&load);
	}
	load_finish(&load);
	return 0;
}
