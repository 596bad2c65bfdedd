/* SPDX-License-Identifier: MIT */
/* The agent: what the command line asks for. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/commands/commands.h"
#include "agent/commands/subcommands.h"
#include "agent/tools/tools.h"
#include "agent/config/load.h"
#include "agent/options/row.h"
#include "output/targets/kinds.h"

static bool main_is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* Otherwise files that the agent opens would take the places of those that it was not given. */
static int open_missing_descriptors(struct error *err)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (!main_is_open(fd) && open("/dev/null", O_RDWR) != fd)
			return error_set(err, -errno, "cannot open /dev/null: %s", strerror(errno));
	return 0;
}

static bool prints_to_stdout(const struct options *options)
{
	for (size_t i = 0; i < options->outputs_count; i++)
		if (options->outputs[i]->kind == &output_kind_stdout)
			return true;
	return options->subcommand || options->explain ||
	       !(options->outputs_count || (options->format && options->format->silent)) ||
	       (options->write && strcmp(options->write, "-") == 0);
}

/* Who reads a list may stop when he has seen enough. */
static void end_quietly(int number)
{
	_exit(EXIT_SUCCESS);
}

static bool only_prints(const struct agent_subcommand *command)
{
	return command->at_once ||
	       ((command->takes & (OF_LISTS | OF_DOCTOR | OF_CHECKS)) == OF_LISTS);
}

static int main_run(const struct options *options)
{
	const struct agent_subcommand *command = options->subcommand;

	if (command && !command->captures && only_prints(command))
		signal(SIGPIPE, end_quietly);
	if (command && !command->captures)
		return command->run(options);
	if (options->explain)
		return explain_run(options);
	return command ? command->run(options) : capture_run(options);
}

static int run_line(int argc, char **argv, bool has_stdout)
{
	struct options options = {0};
	struct buf messages = {0};
	struct error err = {""};
	int exit_code;

	if (open_missing_descriptors(&err)) {
		exit_code = command_fail(EXIT_FAILURE, &err);
	} else if (config_load(argc, argv, subcommands, &options, &messages, &err)) {
		command_print_messages(&messages);
		fprintf(stderr, "agent: %s\nTry 'agent --help'.\n", err.text);
		exit_code = EXIT_USAGE;
	} else if (!has_stdout && prints_to_stdout(&options)) {
		error_set(&err, -EBADF, "standard output is closed");
		exit_code = command_fail(EXIT_FAILURE, &err);
	} else {
		exit_code = main_run(&options);
	}
	options_finish(&options);
	return exit_code;
}

int main(int argc, char **argv)
{
	bool has_stdout = main_is_open(STDOUT_FILENO);
	const struct tool *tool = argc > 1 ? tools_find(argv[1]) : NULL;
	struct tools_line line = {0};
	struct error err = {""};
	int exit_code;

	if (!tool)
		return run_line(argc, argv, has_stdout);
	if (tools_translate(tool, argc, argv, &line, &err))
		return command_fail(EXIT_USAGE, &err);
	if (line.help) {
		tools_print_help(tool);
		exit_code = EXIT_SUCCESS;
	} else {
		exit_code = run_line(line.argc, line.argv, has_stdout);
	}
	tools_line_finish(&line);
	return exit_code;
}
