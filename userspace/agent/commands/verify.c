/* SPDX-License-Identifier: MIT */
/* Reads files line by line, in their order, and prints what came of each life of an output. */
#include "agent/commands/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/commands/command.h"
#include "agent/options/options.h"
#include "agent/commands/verify_life.h"
#include "agent/commands/verify_line.h"
#include "util/terminal.h"

struct verify {
	struct line_reader *reader;
	struct lives lives;
	char *line; /* owned, of getline() */
	size_t size;
	bool torn; /* a file ends within a line, as that of an agent that was killed may */
};

static int read_line(struct verify *verify, size_t len, struct error *err)
{
	struct verify_record record;
	int code;

	if (len && verify->line[len - 1] == '\n')
		len--;
	if (!len)
		return 0;
	code = line_reader_read(verify->reader, verify->line, len, &record, err);
	if (code)
		return code;
	code = lives_add(&verify->lives, &record);
	return code ? error_set(err, code, "out of memory") : 0;
}

static int read_lines(struct verify *verify, FILE *file, const char *name, struct error *err)
{
	struct error wrong = {""};
	uint64_t number = 1;
	ssize_t len;

	for (; (len = getline(&verify->line, &verify->size, file)) >= 0; number++) {
		bool whole = verify->line[len - 1] == '\n';
		int code = read_line(verify, (size_t)len, &wrong);

		if (code && (whole || code == -ENOMEM))
			return error_set(err, code, "%s: line %" PRIu64 ": %s", name, number,
					 wrong.text);
		if (code)
			fprintf(stderr, "agent: %s: line %" PRIu64 " is incomplete: not counted\n",
				name, number);
		verify->torn |= code != 0;
	}
	return ferror(file) ? error_set(err, -EIO, "cannot read %s: %s", name, strerror(errno)) : 0;
}

/* Files that were compressed have to be decompressed by others. */
static int check_plain(FILE *file, const char *name, struct error *err)
{
	int first = getc(file);

	if (first == 0x1f || first == 0x28)
		return error_set(err, -EBADMSG, "%s is compressed: %s %s | agent verify -", name,
				 first == 0x1f ? "zcat" : "zstdcat", name);
	if (first != EOF)
		ungetc(first, file);
	return 0;
}

static int read_file(struct verify *verify, const char *path, struct error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "standard input" : path;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	int code;

	if (!file)
		return error_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	code = check_plain(file, name, err);
	if (code == 0)
		code = read_lines(verify, file, name, err);
	if (!is_stdin)
		fclose(file);
	return code;
}

/* Returns whether nothing is missing without a drop record that says so. */
static bool print_lives(const struct verify *verify)
{
	struct buf text = {0};
	bool right = !verify->torn;

	for (const struct life *life = verify->lives.first; life; life = life->next)
		right &= life_append_report(life, &text);
	if (!verify->lives.first)
		BUF_LITERAL(&text, "no records\n");
	else if (right)
		BUF_LITERAL(&text, "OK: what is missing is said\n");
	right &= !text.failed;
	terminal_print(stdout, &text);
	buf_finish(&text);
	return right;
}

int verify_run(const struct options *options)
{
	struct verify verify = {0};
	struct error err = {""};
	int exit_code, code = line_reader_create(&verify.reader);

	if (code)
		error_set(&err, code, "out of memory");
	if (code == 0 && !options->files_count)
		code = read_file(&verify, "-", &err);
	for (size_t i = 0; i < options->files_count && code == 0; i++)
		code = read_file(&verify, options->files[i], &err);
	if (code)
		exit_code = command_fail(EXIT_FAILURE, &err);
	else
		exit_code = print_lives(&verify) ? command_finish_output() : EXIT_FAILURE;
	lives_finish(&verify.lives);
	line_reader_destroy(verify.reader);
	free(verify.line);
	return exit_code;
}
