/* SPDX-License-Identifier: MIT */
/* The command trace: a capture whose events are printed as strace prints calls. */
#include "agent/commands/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/commands/trace_options.h"
#include "agent/config/load.h"

/* Room for all options, processes and what is between. */
enum { TRACE_WORDS_MAX = 2 * TRACE_PIDS_MAX + 32, TRACE_FILE_MODE = 0666 };

/* The command line of the capture; its texts live as long as what they are made of. */
struct trace_line {
	char *words[TRACE_WORDS_MAX];
	size_t count;
	char **all; /* owned: these words and the command */
	char snaplen[24];
	char *pids; /* owned */
	struct buf filter;
};

static void trace_add(struct trace_line *line, const char *word)
{
	if (line->count < TRACE_WORDS_MAX)
		line->words[line->count++] = (char *)word;
}

static void trace_line_finish(struct trace_line *line)
{
	free(line->all);
	free(line->pids);
	buf_finish(&line->filter);
}

/* "1, 2 3" as "1,2,3" */
static int trace_join_pids(const struct trace_command_options *own, struct trace_line *line)
{
	struct buf out = {0};

	for (size_t i = 0; i < own->pids_count; i++)
		for (const char *at = own->pids[i]; *(at += strspn(at, ", "));
		     at += strcspn(at, ", ")) {
			if (out.len)
				buf_append_char(&out, ',');
			buf_append(&out, at, strcspn(at, ", "));
		}
	buf_append_char(&out, '\0');
	if (out.failed)
		return -ENOMEM;
	line->pids = out.data;
	return 0;
}

static int trace_add_processes(const struct trace_command_options *own, struct trace_line *line)
{
	size_t n = 0;

	if (own->pids_count) {
		trace_add(line, "--lossless");
		trace_add(line, "--pid");
		trace_add(line, line->pids);
	}
	while (own->command && own->command[n])
		n++;
	line->all = calloc(line->count + n + 2, sizeof(line->all[0]));
	if (!line->all)
		return -ENOMEM;
	memcpy(line->all, line->words, line->count * sizeof(line->words[0]));
	if (own->command) {
		line->all[line->count++] = (char *)"--";
		memcpy(line->all + line->count, own->command, n * sizeof(line->all[0]));
		line->count += n;
	}
	return 0;
}

/* What the capture is told: see options/rows.c. */
static int trace_make_line(const struct trace_command_options *own, struct trace_line *line,
			   struct error *err)
{
	int r = trace_options_append_filter(own, &line->filter, err);

	if (r)
		return r;
	buf_append_char(&line->filter, '\0');
	snprintf(line->snaplen, sizeof(line->snaplen), "%zu", own->lines.string_max);
	trace_add(line, "agent");
	trace_add(line, "--quiet");
	trace_add(line, "--exact-types");
	if (!own->lines.follows)
		trace_add(line, "--no-follow");
	if (own->no_redact)
		trace_add(line, "--no-redact");
	trace_add(line, "--snaplen");
	trace_add(line, own->lines.shows == TRACE_TABLE ? "0" : line->snaplen);
	trace_add(line, "--filter");
	trace_add(line, line->filter.data);
	r = line->filter.failed ? -ENOMEM : trace_join_pids(own, line);
	if (r == 0)
		r = trace_add_processes(own, line);
	return r ? error_set(err, r, "out of memory") : 0;
}

static int trace_open_output(const struct trace_command_options *own, struct error *err)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (own->append ? O_APPEND : O_TRUNC), fd;

	if (!own->output)
		return STDERR_FILENO;
	if (own->output[0] == '|' || own->output[0] == '!')
		return error_set(err, -EINVAL, "trace: -o %s: a pipe is not offered", own->output);
	fd = open(own->output, flags, TRACE_FILE_MODE);
	return fd < 0 ? error_set(err, -errno, "trace: -o %s: %s", own->output, strerror(errno))
		      : fd;
}

static int trace_capture(struct trace_command_options *own, const struct options *options,
			 struct trace_line *line)
{
	struct buf messages = {0};
	struct options made = {0};
	struct error err = {""};
	int exit_code;

	if (config_load((int)line->count, line->all, options->subcommands, &made, &messages,
			&err)) {
		command_print_messages(&messages);
		options_finish(&made);
		return command_fail(EXIT_USAGE, &err);
	}
	command_print_messages(&messages);
	made.trace = &own->lines;
	exit_code = capture_run(&made);
	options_finish(&made);
	return exit_code;
}

int trace_run(const struct options *options)
{
	struct trace_command_options own;
	struct trace_line line = {0};
	struct error err = {""};
	int exit_code, r = trace_options_read(options->argc - 1, options->argv + 1, &own, &err);

	if (r)
		return command_fail(EXIT_USAGE, &err);
	if (own.help) {
		trace_options_print_help();
		return EXIT_SUCCESS;
	}
	r = trace_make_line(&own, &line, &err);
	own.lines.fd = r ? r : trace_open_output(&own, &err);
	exit_code = own.lines.fd < 0 ? command_fail(EXIT_USAGE, &err)
				     : trace_capture(&own, options, &line);
	if (own.lines.fd > STDERR_FILENO)
		close(own.lines.fd);
	trace_line_finish(&line);
	return exit_code;
}
