/* SPDX-License-Identifier: MIT */
/* Checks expressions, one on each line. */
#include "agent/commands/check_filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/sinsp.h"

/* A result is one line of columns: replaces other white space in messages by spaces. */
static void make_one_line(char *text)
{
	for (; *text; text++)
		if (*text == '\n' || *text == '\r' || *text == '\t')
			*text = ' ';
}

/* Returns 0 if the expression is valid, 1 if not, or -errno. */
static int check(const char *expression, size_t len, const struct filter_options *options)
{
	struct filter *filter = NULL;
	struct filter_error err = {0};
	int code;

	if (memchr(expression, '\0', len)) {
		printf("ERR\t%zu\ta NUL byte cannot stand in a filter\n", strlen(expression) + 1);
		return 1;
	}
	code = filter_create(expression, options, &filter, &err);
	filter_destroy(filter);
	if (code == 0) {
		puts("OK\t");
	} else if (code == -EINVAL) {
		make_one_line(err.text);
		printf("ERR\t%u\t%s\n", err.column, err.text);
		code = 1;
	}
	return code;
}

static int check_lines(FILE *file, const struct options *options)
{
	struct filter_options filter_options = {.exact_types = options->exact_types};
	char *line = NULL;
	size_t capacity = 0;
	int failed = 0;
	ssize_t len;

	while ((len = getline(&line, &capacity, file)) >= 0) {
		int code;

		if (len && line[len - 1] == '\n')
			line[--len] = '\0';
		code = check(line, (size_t)len, &filter_options);
		if (code < 0) {
			failed = code;
			break;
		}
		failed |= code;
	}
	if (ferror(file))
		failed = -EIO;
	free(line);
	return failed;
}

int check_filter_run(const struct options *options)
{
	FILE *file = strcmp(options->operand, "-") == 0 ? stdin : fopen(options->operand, "re");
	int code = file ? check_lines(file, options) : -errno;

	if (file && file != stdin)
		fclose(file);
	if (fflush(stdout))
		code = -errno;
	if (code < 0)
		fprintf(stderr, "agent: check-filter %s: %s%s\n", options->operand, strerror(-code),
			code == -ENOENT ? " (filters are read from a file; - is standard input)"
					: "");
	return code ? EXIT_FAILURE : EXIT_SUCCESS;
}
