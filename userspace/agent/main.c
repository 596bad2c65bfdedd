/* SPDX-License-Identifier: MIT */
/* The commands of the agent. All messages to people are printed here and in stats.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/commands/explain.h"
#include "agent/commands/subcommands.h"
#include "agent/options/options.h"
#include "agent/run/capture.h"
#include "agent/run/pipeline.h"
#include "agent/run/record.h"
#include "agent/run/signals.h"
#include "agent/run/stats.h"
#include "event/event.h"
#include "scap/live/live.h"

enum { EXIT_USAGE = 2 };

static int fail(int exit_code, const struct error *err)
{
	fprintf(stderr, "agent: %s\n", err->text);
	return exit_code;
}

static int finish_stdout(void)
{
	return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void warn_direction(const struct capture *capture)
{
	if (capture_wants_entries(capture))
		fputs("agent: evt.dir=> matches (nearly) nothing: there are only exit events "
		      "(evt.dir=<)\n",
		      stderr);
}

static void warn_enter(const struct scap_live *live)
{
	int error = scap_live_enter_error(live);

	if (error)
		fprintf(stderr,
			"agent: calls are not watched at their enter (%s): an argument that is "
			"changed during a call that fails is not marked; mount tracefs on "
			"/sys/kernel/tracing (-v shows programs that the kernel refuses)\n",
			strerror(-error));
}

static void warn_refused(const struct scap_live *live)
{
	for (const uint16_t *id = scap_live_rejected(live); *id; id++)
		fprintf(stderr,
			"agent: this kernel refuses the program for %s: such events are missing "
			"(-v shows why)\n",
			event_desc_get(*id)->name);
}

/* What can be said of a capture that is about to run. */
static void warn_live(const struct capture *capture)
{
	if (!capture->live)
		return;
	warn_refused(capture->live);
	warn_enter(capture->live);
}

/* About the rules. */
static void print_messages(const struct capture *capture)
{
	if (capture->messages.len)
		fwrite(capture->messages.data, 1, capture->messages.len, stderr);
}

static int run_explain(const struct options *options)
{
	struct capture capture;
	struct error err = {""};
	int exit_code = EXIT_SUCCESS, code;

	code = capture_plan(&capture, options, &err);
	print_messages(&capture);
	if (code) {
		exit_code = fail(EXIT_USAGE, &err);
		goto out;
	}
	warn_direction(&capture);
	explain_print_plan(&capture);
	fflush(stdout);
	if (capture_open(&capture, &err)) {
		exit_code = fail(EXIT_FAILURE, &err);
		goto out;
	}
	explain_print_programs(&capture);
	exit_code = finish_stdout();
out:
	capture_finish(&capture);
	return exit_code;
}

static void warn_broken(const struct capture *capture)
{
	const struct options *options = capture->options;

	fprintf(stderr, "agent: %s%s: %s\n", options->strict ? "" : "warning: ",
		options_input_name(options), scap_reader_problem(capture->reader));
}

static bool is_damaged(const struct capture *capture, const struct pipeline_counts *counts)
{
	return counts->broken_off || capture_damaged(capture);
}

static int run_capture(const struct options *options)
{
	struct pipeline_counts counts;
	struct capture capture;
	struct error err = {""};
	int exit_code = EXIT_SUCCESS, code;

	code = capture_plan(&capture, options, &err);
	print_messages(&capture);
	if (code) {
		exit_code = fail(EXIT_USAGE, &err);
		goto out;
	}
	if (!options->read)
		warn_direction(&capture);
	if (signals_init(options->rules_count > 0, &err) || capture_open(&capture, &err) ||
	    capture_seed(&capture, &err)) {
		exit_code = fail(EXIT_FAILURE, &err);
		goto out;
	}
	code = capture_record(&capture, &err);
	if (code) {
		exit_code = record_is_unread(code) ? EXIT_SUCCESS : fail(EXIT_FAILURE, &err);
		goto out;
	}
	warn_live(&capture);
	if (options->verbose && !options->read)
		fputs("agent: capturing\n", stderr);
	if (pipeline_run(&capture, &counts, &err))
		exit_code = fail(EXIT_FAILURE, &err);
	if (counts.broken_off)
		warn_broken(&capture);
	stats_print_report(&capture, &counts);
	if (counts.record_failed || (options->strict && is_damaged(&capture, &counts)))
		exit_code = EXIT_FAILURE;
out:
	capture_finish(&capture);
	return exit_code;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* Otherwise files that the agent opens would take the places of those that it was not given. */
static int open_missing_descriptors(struct error *err)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (!is_open(fd) && open("/dev/null", O_RDWR) != fd)
			return error_set(err, -errno, "cannot open /dev/null: %s", strerror(errno));
	return 0;
}

static bool prints_to_stdout(const struct options *options)
{
	return options->subcommand || options->explain || options->format != FORMAT_NONE ||
	       (options->write && strcmp(options->write, "-") == 0);
}

static int run(const struct options *options)
{
	if (options->subcommand)
		return options->subcommand->run(options);
	return options->explain ? run_explain(options) : run_capture(options);
}

int main(int argc, char **argv)
{
	bool has_stdout = is_open(STDOUT_FILENO);
	struct options options = {0};
	struct error err = {""};
	int exit_code;

	if (open_missing_descriptors(&err)) {
		exit_code = fail(EXIT_FAILURE, &err);
	} else if (options_parse(argc, argv, subcommands, &options, &err)) {
		fprintf(stderr, "agent: %s\nTry 'agent --help'.\n", err.text);
		exit_code = EXIT_USAGE;
	} else if (!has_stdout && prints_to_stdout(&options)) {
		error_set(&err, -EBADF, "standard output is closed");
		exit_code = fail(EXIT_FAILURE, &err);
	} else {
		exit_code = run(&options);
	}
	options_finish(&options);
	return exit_code;
}
