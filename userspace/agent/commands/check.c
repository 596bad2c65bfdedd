/* SPDX-License-Identifier: MIT */
/* The commands check-filter, check-rules, check-config and check-view. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/commands/commands.h"
#include "agent/config/load.h"
#include "agent/config/read.h"
#include "agent/plan/output_views.h"
#include "agent/plan/plan.h"
#include "agent/plan/printer.h"
#include "agent/plan/pushdown.h"
#include "output/reach.h"
#include "perf/machine.h"
#include "scap/samples/samples.h"
#include "sinsp/sinsp.h"
#include "util/count.h"
#include "util/json.h"
#include "util/terminal.h"
#include "views/view.h"

/* Checks expressions, one on each line. */

/* A result is one line of columns: replaces other white space in messages by spaces. */
static void make_one_line(char *text)
{
	for (; *text; text++)
		if (*text == '\n' || *text == '\r' || *text == '\t')
			*text = ' ';
}

/* Returns 0 if the expression is valid, 1 if not, or if a capture rejects it, or -errno. */
static int check_filter_check(const char *expression, size_t len,
			      const struct filter_options *options)
{
	struct filter *filter = NULL;
	struct filter_error err = {0};
	struct error empty = {""};
	int r;

	if (memchr(expression, '\0', len)) {
		printf("ERR\t%zu\ta NUL byte cannot stand in a filter\n", strlen(expression) + 1);
		return 1;
	}
	r = filter_create(expression, options, &filter, &err);
	if (r == 0 && plan_check_filter(filter, &empty)) {
		printf("OK\t%s\n", empty.text);
		r = 1;
	} else if (r == 0) {
		puts("OK\t");
	} else if (r == -EINVAL) {
		make_one_line(err.text);
		printf("ERR\t%u\t%s\n", err.column, err.text);
		r = 1;
	}
	filter_destroy(filter);
	return r;
}

static int check_lines(FILE *file, const struct options *options)
{
	struct filter_options filter_options = {.exact_types = options->exact_types};
	char *line = NULL;
	size_t capacity = 0;
	int failed = 0;
	ssize_t len;

	while ((len = getline(&line, &capacity, file)) >= 0) {
		int r;

		if (len && line[len - 1] == '\n')
			line[--len] = '\0';
		r = check_filter_check(line, (size_t)len, &filter_options);
		if (r < 0) {
			failed = r;
			break;
		}
		failed |= r;
	}
	if (ferror(file))
		failed = -EIO;
	free(line);
	return failed;
}

int check_filter_run(const struct options *options)
{
	FILE *file = strcmp(options->operand, "-") == 0 ? stdin : fopen(options->operand, "re");
	int r = file ? check_lines(file, options) : -errno;

	if (file && file != stdin)
		fclose(file);
	if (fflush(stdout))
		r = -errno;
	if (r < 0)
		fprintf(stderr, "agent: check-filter %s: %s%s\n", options->operand, strerror(-r),
			r == -ENOENT ? " (filters are read from a file; - is standard input)" : "");
	return r ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Checks rules files, all together as for a capture. */

int check_rules_run(const struct options *options)
{
	const struct printer printer = {.format = &format_none, .style = options->style};
	struct rules_counts counts = {0};
	struct ruleset *ruleset = NULL;
	struct buf text = {0};
	int r = rules_load_options(options, &printer, options->filter, &ruleset, &counts, &text);

	ruleset_destroy(ruleset);
	if (r == 0) {
		BUF_LITERAL(&text, "OK: ");
		rules_append_summary(&counts, &text);
		buf_append_char(&text, '\n');
	}
	terminal_print(stdout, &text);
	if (r == 0 && text.failed)
		r = -ENOMEM;
	buf_finish(&text);
	if (fflush(stdout) && r == 0)
		r = -errno;
	if (r && r != -EINVAL)
		fprintf(stderr, "agent: check-rules: %s\n", strerror(-r));
	return r ? EXIT_FAILURE : EXIT_SUCCESS;
}

/*
 * Checks configuration files, each as a capture would read it: keys and values, whether they fit
 * together, the filter, the rules, and what is printed. Nothing is captured.
 */

struct checked {
	const char *path;
	struct yaml_report report;
	struct buf messages; /* of rules */
	size_t values, files;
};

/* Reports the error of a filter at its place in the file. Returns whether it is right. */
static bool check_filter(const struct options *options, struct yaml_report *report)
{
	const struct filter_options filter_options = {.exact_types = options->exact_types};
	const struct setting *setting;
	struct filter_error wrong = {0};
	struct filter *filter = NULL;
	unsigned int place;
	size_t offset;
	int r;

	option_find("filter", &place);
	setting = settings_find(&options->settings, place);
	r = setting ? filter_create(setting->value, &filter_options, &filter, &wrong) : 0;
	filter_destroy(filter);
	if (r == 0)
		return true;
	/* With variables in it, places of the value are not those of the file. */
	offset = strcmp(setting->node->text, setting->value) == 0
			 ? yaml_tree_offset(setting->node, wrong.position)
			 : setting->node->start;
	yaml_report_add(report, YAML_ERROR, setting->node->file, offset, "filter: %s", wrong.text);
	return false;
}

/* Options whose values are perf events. */
static const struct event_option {
	const char *name;
	bool counts; /* else they are sampled */
	enum sample_kind kind;
} event_options[] = {
	{"sample", false, SAMPLE_PERF},
	{"tracepoint", false, SAMPLE_TRACEPOINT},
	{"probe", false, SAMPLE_PROBE},
	{"container-counters", true, SAMPLE_PERF},
};

/*
 * Parses the events of a setting, as they are on this machine. Returns whether they are right, or
 * may be right on another one.
 */
static bool check_events_of(const struct event_option *option, const struct setting *setting,
			    const struct perf_machine *machine, struct yaml_report *report)
{
	struct perf_parse_wrong wrong = {0};
	const struct perf_parse_options parse = {.no_sampling_terms = option->counts,
						 .no_bpf_counters = option->counts,
						 .wrong = &wrong};
	const struct yaml_node *node = setting->node;
	enum yaml_severity severity;
	struct perf_event_list list = {0};
	struct error err = {""};
	int r = perf_event_parse(setting->value, machine, &parse, &list, &err);

	if (r == 0)
		wrong.position = 0;
	for (size_t i = 0; r == 0 && !option->counts && i < list.count; i++)
		r = samples_check_event(&list.events[i], option->kind, &err);
	perf_event_list_finish(&list);
	if (r == 0)
		return true;
	/* Where tracefs cannot be read nothing is captured, or not by who checks. */
	severity = wrong.is_of_machine && machine->tracefs < 0 ? YAML_WARNING : YAML_ERROR;
	yaml_report_add(report, severity, node->file,
			strcmp(node->text, setting->value) == 0
				? yaml_tree_offset(node, wrong.position)
				: node->start,
			"%s%s%s", wrong.text[0] ? option->name : "", wrong.text[0] ? ": " : "",
			wrong.text[0] ? wrong.text : err.text);
	return severity == YAML_WARNING;
}

/* Reports what is wrong with perf events at their places in the file. */
static bool check_events(const struct options *options, struct yaml_report *report)
{
	struct perf_machine machine;
	bool is_right = true, is_open = false;

	for (size_t i = 0; i < COUNT(event_options); i++) {
		const struct setting *setting;
		unsigned int place;

		option_find(event_options[i].name, &place);
		for (size_t n = 0; (setting = settings_get(&options->settings, place, n)); n++) {
			if (!is_open && perf_machine_open(&machine, NULL, NULL, NULL))
				return false;
			is_open = true;
			is_right &= check_events_of(&event_options[i], setting, &machine, report);
		}
	}
	if (is_open)
		perf_machine_close(&machine);
	return is_right;
}

/* Reports the error of an output at its place in the file. */
static void report_output(const struct setting *setting, const char *text,
			  struct yaml_report *report)
{
	yaml_report_add(report, YAML_ERROR, setting->node->file, setting->node->start, "%.*s",
			(int)strcspn(text, "\n"), text);
}

/*
 * Makes the filters and formats of all outputs, whose files have to be there as for a reload; each
 * error is reported at its output.
 */
static int check_outputs(const struct options *options, struct printer *printer,
			 struct outputs *outputs, struct captures *captures,
			 struct checked *checked)
{
	unsigned int place;
	int result = 0;

	option_find("output", &place);
	for (size_t i = 0; i < options->outputs_count; i++) {
		const struct setting *setting = settings_get(&options->settings, place, i);
		struct error err = {""};
		int r = output_check_files(options->outputs[i], &err);

		if (r == 0)
			r = output_views_add(options, i, printer, outputs, captures,
					     &checked->messages, &err);
		if (r && setting)
			report_output(setting, err.text, &checked->report);
		result = r ? r : result;
	}
	output_views_show(printer, outputs, captures);
	return result;
}

/* Compiles what a capture needs. Returns 0 or -errno with a message. */
static int check_plan(const struct options *options, struct checked *checked, struct error *err)
{
	struct outputs outputs = {0};
	struct captures captures = {0};
	struct printer printer;
	struct plan *plan = NULL;
	int r;

	if (!check_filter(options, &checked->report) || !check_events(options, &checked->report))
		return -EINVAL;
	r = printer_init(&printer, options, &checked->messages, err);
	if (r == 0)
		r = check_outputs(options, &printer, &outputs, &captures, checked);
	if (r == 0)
		r = plan_create(options, &printer, &plan, &checked->messages, err);
	plan_destroy(plan);
	outputs_finish(&outputs);
	captures_finish(&captures);
	printer_finish(&printer);
	return r;
}

/* What a file says of passwords is for its owner. */
static void check_secrets(const struct settings *settings, struct yaml_report *report)
{
	for (size_t i = 0; i < settings->count; i++) {
		const struct setting *setting = &settings->list[i];
		struct stat st;

		if (!setting->secret || stat(setting->node->file->path, &st) ||
		    !(st.st_mode & (S_IRGRP | S_IROTH)))
			continue;
		yaml_report_add(report, YAML_WARNING, setting->node->file, setting->node->start,
				"this has a password, and others can read the file (mode %03o): "
				"chmod 600, or take it from a variable: ${NAME}",
				(unsigned int)st.st_mode & 0777);
	}
}

/* What root runs with, only root may change. */
static void check_modes(const struct settings *settings, struct yaml_report *report)
{
	for (size_t i = 0; i < settings->files_count; i++) {
		const struct yaml_file *file = settings->files[i];
		struct stat st;

		if (!file->path || stat(file->path, &st) || !(st.st_mode & (S_IWGRP | S_IWOTH)))
			continue;
		yaml_report_add(report, YAML_WARNING, file, 0,
				"others can write this file (mode %03o): chmod go-w",
				(unsigned int)st.st_mode & 0777);
	}
}

static int check_config_check(const struct agent_subcommand *subcommands, struct checked *checked)
{
	char *argv[] = {"agent", "--config", (char *)checked->path, NULL};
	struct error err = {""};
	struct options options;
	int r = config_load_report(3, argv, subcommands, &options, &checked->report, &err);

	if (r == 0)
		r = check_plan(&options, checked, &err);
	if (r && checked->report.counts[YAML_ERROR] == 0)
		yaml_report_add_file(&checked->report, YAML_ERROR, 0, checked->path, err.text);
	check_modes(&options.settings, &checked->report);
	check_secrets(&options.settings, &checked->report);
	checked->values = options.settings.count - 1; /* without --config itself */
	checked->files = options.settings.files_count;
	options_finish(&options);
	return r;
}

static void append_json_message(const struct yaml_message *message, struct buf *out)
{
	buf_printf(out, "{\"severity\":\"%s\",\"file\":", yaml_severity_name(message->severity));
	json_append_string(out, message->text, message->path_len);
	if (message->line)
		buf_printf(out, ",\"line\":%u,\"column\":%u", message->line, message->column);
	BUF_LITERAL(out, ",\"message\":");
	json_append_string(out, message->text + message->what_at, message->what_len);
	buf_append_char(out, '}');
}

/* One object in a line. */
static void append_json(const struct checked *checked, bool right, struct buf *out)
{
	const struct yaml_report *report = &checked->report;

	BUF_LITERAL(out, "{\"file\":");
	json_append_string(out, checked->path, strlen(checked->path));
	buf_printf(out, ",\"ok\":%s,\"errors\":%zu,\"warnings\":%zu,\"messages\":[",
		   right ? "true" : "false", report->counts[YAML_ERROR],
		   report->counts[YAML_WARNING]);
	for (size_t i = 0; i < report->count; i++) {
		if (i)
			buf_append_char(out, ',');
		append_json_message(&report->messages[i], out);
	}
	buf_append_char(out, ']');
	if (checked->messages.len) {
		BUF_LITERAL(out, ",\"rules\":");
		json_append_string(out, checked->messages.data, checked->messages.len);
	}
	BUF_LITERAL(out, "}\n");
}

static void check_append_text(const struct checked *checked, bool right, struct buf *out)
{
	buf_append(out, checked->messages.data, checked->messages.len);
	if (right)
		buf_printf(out, "%s: OK: %zu value%s in %zu file%s\n", checked->path,
			   checked->values, checked->values == 1 ? "" : "s", checked->files,
			   checked->files == 1 ? "" : "s");
}

/* Checks a file and prints the verdict. Returns whether it is right. */
static bool check_path(const struct options *options, const char *path)
{
	struct checked checked = {.path = path};
	bool right = check_config_check(options->subcommands, &checked) == 0;
	struct buf text = {0}, json = {0};
	struct buf *out = options->format == &format_json ? &json : &text;

	/* This also sorts the messages. */
	yaml_report_render(&checked.report, YAML_WARNING, &text);
	check_append_text(&checked, right, &text);
	append_json(&checked, right, &json);
	terminal_print(stdout, out);
	right &= !out->failed && !checked.report.failed;
	buf_finish(&text);
	buf_finish(&json);
	buf_finish(&checked.messages);
	yaml_report_finish(&checked.report);
	return right;
}

int check_config_run(const struct options *options)
{
	bool right = true;

	for (size_t i = 0; i < options->files_count; i++)
		right &= check_path(options, options->files[i]);
	if (options->files_count == 0)
		right = check_path(options, CONFIG_PATH_DEFAULT);
	return fflush(stdout) || !right ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Checks files of views, with the examples of their arguments. */

static int check_view_file(const char *path, size_t *errors)
{
	const struct views_config config = {.checks = true};
	struct yaml_report report = {0};
	struct views_view *view = NULL;
	struct yaml_file file = {0};
	struct error err = {""};
	struct buf text = {0};
	int r = yaml_file_read(path, &file, &err);

	if (r)
		buf_printf(&text, "%s: error: %s\n", path, err.text);
	else
		r = views_view_read(&file, &config, &view, &report);
	yaml_report_render(&report, YAML_WARNING, &text);
	if (r == 0)
		buf_printf(&text, "%s: OK: a %s of %u keys and %u values\n", path,
			   views_kind_name(view->kind), view->keys_count, view->values_count);
	*errors += r != 0;
	terminal_print(stdout, &text);
	buf_finish(&text);
	views_view_destroy(view);
	yaml_report_finish(&report);
	yaml_file_finish(&file);
	return r == -ENOMEM ? r : 0;
}

int check_view_run(const struct options *options)
{
	struct error err = {""};
	size_t errors = 0;

	if (!options->files_count) {
		error_set(&err, -EINVAL, "check-view needs a FILE");
		return command_fail(EXIT_USAGE, &err);
	}
	for (size_t i = 0; i < options->files_count; i++)
		if (check_view_file(options->files[i], &errors)) {
			error_set(&err, -ENOMEM, "out of memory");
			return command_fail(EXIT_FAILURE, &err);
		}
	return command_finish_output() || errors ? EXIT_FAILURE : EXIT_SUCCESS;
}
