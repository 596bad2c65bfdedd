/* SPDX-License-Identifier: MIT */
#include "printed.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "parsed.h"

/* A stream whose descriptor is a file in memory for a while. */
struct diversion {
	FILE *stream;
	int saved, memory;
};

static void divert(struct diversion *diversion, FILE *stream)
{
	int fd = fileno(stream);

	fflush(stream);
	*diversion = (struct diversion){stream, dup(fd), memfd_create("printed", MFD_CLOEXEC)};
	assert_true(diversion->saved >= 0 && diversion->memory >= 0);
	assert_int_equal(dup2(diversion->memory, fd), fd);
}

/* Returns what was printed; the caller frees it. */
static char *restore(struct diversion *diversion)
{
	char *text;
	off_t len;

	fflush(diversion->stream);
	dup2(diversion->saved, fileno(diversion->stream));
	close(diversion->saved);
	len = lseek(diversion->memory, 0, SEEK_END);
	text = calloc(1, (size_t)len + 1);
	assert_non_null(text);
	assert_int_equal(pread(diversion->memory, text, (size_t)len, 0), len);
	close(diversion->memory);
	return text;
}

void printed_call(void (*print)(void *context), void *context, struct printed *printed)
{
	struct diversion out, err;

	divert(&out, stdout);
	divert(&err, stderr);
	print(context);
	*printed = (struct printed){.err = restore(&err), .out = restore(&out)};
}

struct run {
	struct options options;
	int exit_code;
};

static void run(void *context)
{
	struct run *this = context;

	this->exit_code = this->options.subcommand->run(&this->options);
}

void printed_run(const char *line, struct printed *printed)
{
	struct run this;

	parse_right(line, &this.options);
	assert_non_null(this.options.subcommand);
	printed_call(run, &this, printed);
	printed->exit_code = this.exit_code;
	options_finish(&this.options);
}

void printed_finish(struct printed *printed)
{
	free(printed->out);
	free(printed->err);
}

void printed_expect(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strstr(text, *words))
			fail_msg("no '%s' in: %s", *words, text);
}

void printed_expect_run(const char *line, const char *const *words)
{
	struct printed printed;

	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, 0);
	assert_string_equal(printed.err, "");
	printed_expect(printed.out, words);
	printed_finish(&printed);
}
