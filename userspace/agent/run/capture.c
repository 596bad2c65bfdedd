/* SPDX-License-Identifier: MIT */
/* Making and releasing the parts of a run. */
#include "agent/run/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/record.h"
#include "agent/run/rules_load.h"
#include "agent/run/signals.h"
#include "scap/live/live.h"
#include "sinsp/sinsp.h"
#include "util/buf.h"

/* Of buffers in lines of text, when nothing is said about them. */
enum { TEXT_BUFFER_MAX = 80 };

/* Turns what is wrong with an expression into a message of several lines. */
static int report(const char *expression, const struct filter_error *wrong, int code,
		  const char *before, struct error *err)
{
	struct buf text = {0};

	if (code != -EINVAL)
		return error_set(err, code, "%sout of memory", before);
	buf_append_string(&text, before);
	filter_error_render(expression, wrong, &text);
	while (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	buf_append_char(&text, '\0');
	error_set(err, code, "%s", text.failed ? wrong->text : text.data);
	buf_finish(&text);
	return code;
}

static void print_warning(void *context, const struct filter_error *warning)
{
	const struct capture *capture = context;
	struct buf text = {0};

	BUF_LITERAL(&text, "agent: warning: ");
	filter_error_render(capture->options->filter, warning, &text);
	fwrite(text.data, 1, text.len, stderr);
	buf_finish(&text);
}

static int compile_filter(struct capture *capture, struct error *err)
{
	const struct options *options = capture->options;
	struct filter_options filter_options = {
		.exact_types = options->exact_types,
		.warn = print_warning,
		.warn_context = capture,
	};
	struct filter_error wrong = {0};
	int code;

	if (!options->filter)
		return 0;
	code = filter_create(options->filter, &filter_options, &capture->filter, &wrong);
	return code ? report(options->filter, &wrong, code, "", err) : 0;
}

/* Whether a line of text may have colours: https://no-color.org */
static bool is_coloured(const struct options *options)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no_color && no_color[0]) &&
	       !(term && strcmp(term, "dumb") == 0);
}

/* -pc and -p container are not formats, but names of one. */
static const char *format_of(const char *print)
{
	bool container = strcmp(print, "c") == 0 || strcmp(print, "container") == 0;

	return container ? FORMAT_CONTAINER_LINE : print;
}

static int parse_format(struct capture *capture, enum formatter_kind kind, struct error *err)
{
	const char *format = format_of(capture->options->print);
	struct filter_error format_err = {0};
	int code = formatter_create_format(kind, format, &capture->formatter, &format_err);

	return code ? report(format, &format_err, code, "-p: ", err) : 0;
}

static int parse_fields(struct capture *capture, struct error *err)
{
	const char *fields = capture->options->json_fields;
	struct filter_error wrong = {0};
	int code = formatter_create_fields(FORMATTER_JSON, fields, &capture->formatter, &wrong);

	return code ? report(fields, &wrong, code, "--json-fields: ", err) : 0;
}

static bool wants_json(const struct options *options)
{
	return options->json_fields || options->json_base64;
}

/* Who wants formats wants text, also in a pipe; and who says what JSON has wants JSON. */
static enum agent_format resolve_format(const struct options *options)
{
	if (options->format != FORMAT_AUTO)
		return options->format;
	if (wants_json(options))
		return FORMAT_JSON;
	return options->print || isatty(STDOUT_FILENO) ? FORMAT_TEXT : FORMAT_JSON;
}

static int create_formatter(struct capture *capture, struct error *err)
{
	const struct options *options = capture->options;
	enum formatter_kind kind;
	int code;

	capture->format = resolve_format(options);
	capture->style = options->style;
	capture->style.coloured = is_coloured(options);
	if (!options->verbose && !options->snaplen_chosen)
		capture->style.bytes_max = TEXT_BUFFER_MAX;
	if (capture->format == FORMAT_NONE && options->print)
		return error_set(err, -EINVAL, "-p: nothing is printed with -o none");
	if (capture->format != FORMAT_JSON && wants_json(options))
		return error_set(err, -EINVAL, "--json-fields and --json-b64 are for -o json");
	if (options->print && options->json_fields)
		return error_set(err, -EINVAL, "-p and --json-fields: one of them says what to print");
	if (capture->format == FORMAT_NONE)
		return 0;
	kind = capture->format == FORMAT_JSON ? FORMATTER_JSON : FORMATTER_TEXT;
	if (options->json_fields)
		code = parse_fields(capture, err);
	else if (options->print)
		code = parse_format(capture, kind, err);
	else
		code = formatter_create(kind, NULL, 0, &capture->formatter, err);
	if (code)
		return code;
	if (options->json_base64)
		formatter_add_base64(capture->formatter);
	formatter_set_style(capture->formatter, &capture->style);
	return 0;
}

/* Thus also for new rules. */
int capture_load_rules(const struct capture *capture, struct ruleset **ruleset,
		       struct rules_counts *counts, struct buf *messages)
{
	static const enum ruleset_form forms[] = {
		[FORMAT_JSON] = RULESET_JSON,
		[FORMAT_TEXT] = RULESET_TEXT,
		[FORMAT_NONE] = RULESET_NOTHING,
	};

	return rules_load_options(capture->options, forms[capture->format], &capture->style,
				  ruleset, counts, messages);
}

/* The filter was compiled to see whether it is right: the rules contain it. */
static int load_rules(struct capture *capture, struct error *err)
{
	int code = capture_load_rules(capture, &capture->ruleset, &capture->rules_counts,
				      &capture->messages);

	if (code == -EINVAL)
		return error_set(err, code, "the rules have errors");
	if (code)
		return error_set(err, code, "cannot load the rules: %s", strerror(-code));
	filter_destroy(capture->filter);
	capture->filter = ruleset_filter(capture->ruleset);
	return 0;
}

/* Whether the state is written also later than at the start, and has to be right by then. */
static bool records_state(const struct options *options)
{
	const struct record_limits *limits = &options->limits;

	return options->fat || limits->bytes || limits->ns || limits->events;
}

int capture_select(const struct capture *capture, const struct filter *filter,
		   const struct ruleset *ruleset, struct selection *selection, struct error *err)
{
	unsigned int needs = capture->formatter ? formatter_needs(capture->formatter) : 0;
	const char *hint;

	if (ruleset)
		needs |= ruleset_needs(ruleset);
	if (records_state(capture->options))
		needs |= NEEDS_THREADS | NEEDS_FDS | NEEDS_CWD;
	if (capture->options->read)
		selection_make_recorded(selection, filter);
	else
		selection_make(selection, filter, needs);
	if (!selection_is_empty(selection))
		return 0;
	if (ruleset)
		return error_set(err, -EINVAL, "no event can match any of the rules");
	hint = capture_wants_entries(capture) ? ": there are only exit events (evt.dir=<)" : "";
	return error_set(err, -EINVAL, "no event can match this filter%s", hint);
}

/* In text a rule says all that there is to say, unless something was asked for. */
static void drop_formatter(struct capture *capture)
{
	if (capture->ruleset && capture->format == FORMAT_TEXT && !capture->options->print) {
		formatter_destroy(capture->formatter);
		capture->formatter = NULL;
	}
}

int capture_plan(struct capture *capture, const struct options *options, struct error *err)
{
	int code;

	*capture = (struct capture){.options = options};
	code = compile_filter(capture, err);
	if (code == 0)
		code = create_formatter(capture, err);
	if (code == 0 && options->rules_count)
		code = load_rules(capture, err);
	if (code)
		return code;
	drop_formatter(capture);
	return capture_select(capture, capture->filter, capture->ruleset, &capture->selection, err);
}

bool capture_wants_entries(const struct capture *capture)
{
	return capture->filter && (filter_flags(capture->filter) & FIELD_DEPRECATED) &&
	       selection_lacks_calls(&capture->selection);
}

static int open_live(const struct options *options, const struct selection *selection,
		     uint64_t boot_offset_ns, struct scap_live **live, struct error *err)
{
	struct scap_live_config config = {
		.ring_bytes = options->ring_bytes,
		.snaplen = options->snaplen,
		.snaplen_rules = options->snaplen_rules,
		.include_self = options->include_self,
		.enter_times = selection->filter_enter_times || selection->output_enter_times,
		.verbose = options->verbose,
		.boot_offset_ns = boot_offset_ns,
	};

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		config.events[id] = selection->events[id] != 0;
		config.successes[id] = !(selection->events[id] & WHY_FILTER);
	}
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		config.syscalls[number] = selection->syscalls[number];
		config.compat_syscalls[number] = selection->compat_syscalls[number];
	}
	return scap_live_open(&config, live, err);
}

int capture_open(struct capture *capture, struct error *err)
{
	if (capture->options->read)
		return scap_reader_open(capture->options->read, &capture->reader, err);
	return open_live(capture->options, &capture->selection, 0, &capture->live, err);
}

int capture_open_beside(const struct capture *capture, const struct selection *selection,
			struct scap_live **live, struct error *err)
{
	return open_live(capture->options, selection, scap_live_boot_offset(capture->live), live,
			 err);
}

static int seed_from_file(struct capture *capture, struct error *err)
{
	/* Not this machine's: the file says. */
	const struct sinsp_config config = {.hostname = "", .boot_id = ""};
	int code = sinsp_create(&config, &capture->sinsp, err);

	if (code)
		return code;
	do
		code = scap_reader_start(capture->reader, sinsp_snapshot(capture->sinsp), err);
	while (code == -EINTR && signals_count() == 0);
	return code;
}

static int seed_from_proc(struct capture *capture, struct error *err)
{
	struct sinsp_config config = {0};
	int code;

	code = scap_proc_open("/proc", &capture->proc, err);
	if (code)
		return code;
	if (access("/proc/self", F_OK))
		return error_set(err, -ENOENT, "/proc shows no processes; mount it: "
					       "mount -t proc proc /proc");
	config.proc = capture->proc;
	code = sinsp_create(&config, &capture->sinsp, err);
	return code ? code : sinsp_seed(capture->sinsp, err);
}

int capture_seed(struct capture *capture, struct error *err)
{
	return capture->reader ? seed_from_file(capture, err) : seed_from_proc(capture, err);
}

int capture_record(struct capture *capture, struct error *err)
{
	if (!capture->options->write)
		return 0;
	return record_create(capture->options, capture->sinsp, &capture->record, err);
}

struct scap_source *capture_source(const struct capture *capture)
{
	return capture->reader ? scap_reader_source(capture->reader)
			       : scap_live_source(capture->live);
}

void capture_stop(const struct capture *capture)
{
	if (capture->live)
		scap_live_stop(capture->live);
}

uint64_t capture_damaged(const struct capture *capture)
{
	struct scap_reader_stats file;
	struct sinsp_stats state;

	scap_reader_stats(capture->reader, &file);
	sinsp_stats(capture->sinsp, &state);
	return file.damaged_events + file.damaged_lists + state.damaged;
}

int capture_stats(const struct capture *capture, struct scap_live_stats *stats)
{
	int code = scap_live_stats(capture->live, stats);

	if (code == 0 && capture->past)
		scap_live_stats_add(stats, capture->past);
	return code;
}

void capture_finish(struct capture *capture)
{
	record_destroy(capture->record);
	sinsp_destroy(capture->sinsp);
	scap_proc_close(capture->proc);
	if (capture->live || capture->reader)
		scap_source_destroy(capture_source(capture));
	free(capture->past);
	formatter_destroy(capture->formatter);
	if (capture->ruleset)
		ruleset_destroy(capture->ruleset);
	else
		filter_destroy(capture->filter);
	buf_finish(&capture->messages);
	*capture = (struct capture){0};
}
