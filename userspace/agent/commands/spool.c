/* SPDX-License-Identifier: MIT */
/* Looks at a spool: lists its segments, checks all that is in it, prints its records. */
#include "agent/commands/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent/commands/list.h"
#include "output/spool/inspect.h"
#include "util/count.h"

enum { FOLD = 6, TIME_BYTES = 32 };

static const char *const titles[] = {"SEGMENT", "RECORDS", "DONE", "BYTES",
				     "NUMBERS", "FIRST",   "LAST", NULL};

static void format_time(uint64_t ns, char text[TIME_BYTES])
{
	time_t second = (time_t)(ns / 1000000000);
	struct tm utc;

	text[0] = '\0';
	if (ns && gmtime_r(&second, &utc))
		strftime(text, TIME_BYTES, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* What `ls` collects. */
struct listed {
	struct list list;
	struct spool_summary summary;
	uint64_t records, done;
};

/* How many records of a segment are acknowledged. */
static uint64_t count_done(const struct spool_segment_summary *segment, uint64_t acknowledged)
{
	uint64_t last = acknowledged < segment->last ? acknowledged : segment->last;

	return last >= segment->first ? last - segment->first + 1 : 0;
}

static void spool_add_row(struct list *list, const struct spool_segment_summary *segment,
			  uint64_t done)
{
	struct buf *cells = &list->table.cells;
	char time[TIME_BYTES];

	buf_printf(cells, "%020" PRIu64, segment->first);
	table_end_cell(&list->table);
	buf_append_u64(cells, segment->records);
	table_end_cell(&list->table);
	buf_append_u64(cells, done);
	table_end_cell(&list->table);
	buf_append_u64(cells, segment->bytes);
	table_end_cell(&list->table);
	if (segment->records)
		buf_printf(cells, "%" PRIu64 "-%" PRIu64, segment->first_number,
			   segment->last_number);
	table_end_cell(&list->table);
	format_time(segment->first_ns, time);
	list_add_cell(list, time);
	format_time(segment->last_ns, time);
	list_add_cell(list, time);
}

static void spool_add_object(struct list *list, const struct spool_segment_summary *segment,
			     uint64_t done)
{
	char time[TIME_BYTES];

	list_add_object(list);
	list_add_number(list, "segment", segment->first);
	list_add_number(list, "records", segment->records);
	list_add_number(list, "acknowledged", done);
	list_add_number(list, "frames", segment->frames);
	list_add_number(list, "bytes", segment->bytes);
	list_add_number(list, "first_number", segment->first_number);
	list_add_number(list, "last_number", segment->last_number);
	format_time(segment->first_ns, time);
	list_add_string(list, "first", time);
	format_time(segment->last_ns, time);
	list_add_string(list, "last", time);
	BUF_LITERAL(&list->json, "}\n");
}

static void list_segment(void *context, const struct spool_segment_summary *segment)
{
	struct listed *listed = context;
	uint64_t done = count_done(segment, listed->summary.acknowledged);

	listed->records += segment->records;
	listed->done += done;
	if (listed->list.format->objects)
		spool_add_object(&listed->list, segment, done);
	else
		spool_add_row(&listed->list, segment, done);
}

static void add_summary(struct listed *listed)
{
	const struct spool_summary *summary = &listed->summary;
	struct list *list = &listed->list;

	list_add_object(list);
	list_add_string(list, "stream", summary->has_state ? summary->stream : NULL);
	list_add_number(list, "process", (uint64_t)summary->user);
	list_add_bool(list, "ended_in_order", summary->closed);
	list_add_number(list, "bytes", summary->bytes);
	list_add_number(list, "records", listed->records);
	list_add_number(list, "acknowledged", listed->done);
	BUF_LITERAL(&list->json, "}\n");
}

static void print_summary(const struct listed *listed)
{
	const struct spool_summary *summary = &listed->summary;

	if (summary->has_state)
		printf("\nstream %s, ", summary->stream);
	else
		fputs("\nno state (all records will be marked as sent before), ", stdout);
	printf("%" PRIu64 " bytes, %" PRIu64 " records to deliver; ", summary->bytes,
	       listed->records - listed->done);
	if (summary->user)
		printf("in use by process %d\n", (int)summary->user);
	else if (summary->closed || !summary->has_state)
		puts("not in use");
	else
		puts("not in use; its last run did not end in good order, what it had not stored "
		     "is lost");
}

static int run_ls(const struct options *options)
{
	struct listed listed = {0};
	struct spool_visitor visitor = {.segment = list_segment, .context = &listed};
	struct error err;
	bool for_people;
	int exit_code;

	list_init(&listed.list, options, titles, FOLD);
	listed.list.found = 1; /* a spool without segments is one, too */
	for_people = listed.list.format == &format_text.lists;
	if (spool_inspect(options->operand, &visitor, &listed.summary, &err)) {
		command_fail(EXIT_FAILURE, &err);
		listed.list.found = 0;
		table_finish(&listed.list.table);
		buf_finish(&listed.list.json);
		return EXIT_FAILURE;
	}
	if (listed.list.format->objects)
		add_summary(&listed);
	exit_code = list_print(&listed.list, "segments");
	if (exit_code == EXIT_SUCCESS && for_people)
		print_summary(&listed);
	return exit_code;
}

/* What `verify` and `dump` count. */
struct checked {
	FILE *messages; /* where problems are printed */
	uint64_t segments, records, problems;
	bool failed; /* standard output cannot be written */
};

static void print_problem(void *context, const struct spool_problem *problem)
{
	struct checked *checked = context;
	FILE *out = checked->messages;

	checked->problems++;
	fprintf(out, "%020" PRIu64 ".spool: ", problem->segment);
	if (problem->bytes)
		fprintf(out, "%" PRIu64 " bytes at %" PRIu64 ": ", problem->bytes, problem->offset);
	fputs(spool_damage_texts[problem->damage], out);
	if (problem->records)
		fprintf(out, ": %" PRIu64 ", number %" PRIu64, problem->records, problem->from);
	if (problem->to > problem->from)
		fprintf(out, " to %" PRIu64, problem->to);
	fputc('\n', out);
}

static bool spool_count_record(void *context, const struct output_record *record, uint64_t position)
{
	struct checked *checked = context;

	checked->records++;
	return true;
}

static void spool_count_segment(void *context, const struct spool_segment_summary *segment)
{
	struct checked *checked = context;

	checked->segments++;
}

static int run_verify(const struct options *options)
{
	struct checked checked = {.messages = stdout};
	struct spool_visitor visitor = {.segment = spool_count_segment,
					.record = spool_count_record,
					.problem = print_problem,
					.context = &checked,
					.records = true};
	struct spool_summary summary;
	struct error err;

	if (spool_inspect(options->operand, &visitor, &summary, &err))
		return command_fail(EXIT_FAILURE, &err);
	if (!summary.has_state) {
		puts("state: missing or corrupt; it will be made anew from the segments");
		checked.problems++;
	}
	printf("%s: %" PRIu64 " segments, %" PRIu64 " records, %" PRIu64 " problems\n",
	       checked.problems ? "DAMAGED" : "OK", checked.segments, checked.records,
	       checked.problems);
	return checked.problems ? EXIT_FAILURE : command_finish_output();
}

static bool dump_record(void *context, const struct output_record *record, uint64_t position)
{
	struct checked *checked = context;

	checked->failed = fwrite(record->bytes, 1, record->len, stdout) != record->len;
	return !checked->failed;
}

static int run_dump(const struct options *options)
{
	struct checked checked = {.messages = stderr};
	struct spool_visitor visitor = {.record = dump_record,
					.problem = print_problem,
					.context = &checked,
					.records = true};
	struct spool_summary summary;
	struct error err;

	if (spool_inspect(options->operand, &visitor, &summary, &err))
		return command_fail(EXIT_FAILURE, &err);
	if (checked.failed || fflush(stdout)) {
		fprintf(stderr, "agent: cannot write to standard output: %s\n", strerror(errno));
		return EXIT_FAILURE;
	}
	return checked.problems ? EXIT_FAILURE : EXIT_SUCCESS;
}

static const struct {
	const char *word;
	int (*run)(const struct options *options);
} actions[] = {
	{"ls", run_ls},
	{"verify", run_verify},
	{"dump", run_dump},
};

const char *spool_word(unsigned int i)
{
	return i < COUNT(actions) ? actions[i].word : NULL;
}

int spool_run(const struct options *options)
{
	return actions[options->action].run(options);
}
