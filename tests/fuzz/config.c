/* SPDX-License-Identifier: MIT */
/*
 * Configuration files, a NUL between the main one and one that it can include: any bytes are
 * rejected with messages, or are settings. Written out again they are the same settings, and a
 * reload of the same files changes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/commands/subcommands.h"
#include "agent/config/load.h"
#include "fuzz.h"
#include "util/utf8.h"

/* In a folder of its own, so that there is nothing else to include. */
struct folder {
	char path[64], main_path[96], other_path[96];
};

static struct folder folder;

static void remove_folder(void)
{
	unlink(folder.main_path);
	unlink(folder.other_path);
	rmdir(folder.path);
}

static void make_folder(void)
{
	if (folder.path[0])
		return;
	strcpy(folder.path, "/tmp/fuzz_config_XXXXXX");
	REQUIRE(mkdtemp(folder.path), "%s", folder.path);
	snprintf(folder.main_path, sizeof(folder.main_path), "%s/agent.yaml", folder.path);
	snprintf(folder.other_path, sizeof(folder.other_path), "%s/other.yaml", folder.path);
	atexit(remove_folder);
	unsetenv("NOSUCH");
	setenv("SOME", "some text", 1);
}

/* Paths of the input do not leave the folder. */
static void write_file(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char *copy = malloc(len + 1);

	REQUIRE(fd >= 0 && copy, "%s", path);
	for (size_t i = 0; i < len; i++)
		copy[i] = text[i];
	for (size_t i = 0; i < len; i++)
		if (copy[i] == '/' || (copy[i] == '.' && i && copy[i - 1] == '.'))
			copy[i] = '_';
	REQUIRE(write(fd, copy, len) == (ssize_t)len, "%s", path);
	free(copy);
	close(fd);
}

static void check_report(struct yaml_report *report, int code, const struct error *err)
{
	struct buf out = {0};

	REQUIRE(code == 0 || code == -EINVAL, "%d", code);
	REQUIRE(code == 0 || err->text[0], "rejected in silence");
	REQUIRE(report->counts[YAML_ERROR] == 0 || code, "%zu errors", report->counts[YAML_ERROR]);
	yaml_report_render(report, YAML_NOTE, &out);
	for (size_t i = 0; i < report->count; i++)
		REQUIRE(report->messages[i].text, "message %zu", i);
	buf_finish(&out);
	yaml_report_finish(report);
}

static int load(char **argv, struct options *options)
{
	struct yaml_report report = {0};
	struct error err = {""};
	int code = config_load_report(3, argv, subcommands, options, &report, &err);

	check_report(&report, code, &err);
	return code;
}

/* A value in double quotes, in ASCII, without references to variables. */
static void append_value(struct buf *out, const char *value)
{
	const char *end = value + strlen(value);
	uint32_t code_point;
	size_t n;

	buf_append_char(out, '"');
	for (; value < end; value += n) {
		n = utf8_decode(value, (size_t)(end - value), &code_point);
		REQUIRE(n, "not UTF-8: %s", value);
		if (code_point == '$')
			BUF_LITERAL(out, "$$");
		else if (code_point >= ' ' && code_point < 0x7f && !strchr("\"\\", (int)code_point))
			buf_append_char(out, (char)code_point);
		else
			buf_printf(out, "\\U%08X", code_point);
	}
	BUF_LITERAL(out, "\"\n");
}

/* All settings of one option, whose key has not been written. */
static void append_option(const struct settings *settings, unsigned int place, struct buf *out)
{
	const struct option_row *row = option_row(place);
	bool is_off = strncmp(row->name, "no-", 3) == 0 && option_find(row->name + 3, &(unsigned int){0});
	const struct setting *last = settings_find(settings, place);

	if (!last || last->given != GIVEN_KEY)
		return;
	buf_printf(out, "%s:", is_off ? row->name + 3 : option_key(row));
	if (!row->argument) {
		buf_append_string(out, is_off ? " false\n" : " true\n");
		return;
	}
	if (row->list != LIST_REPEATED) {
		buf_append_char(out, ' ');
		append_value(out, last->value);
		return;
	}
	buf_append_char(out, '\n');
	for (size_t i = 0; i < settings->count; i++) {
		if (settings->list[i].place != place)
			continue;
		BUF_LITERAL(out, "- ");
		append_value(out, settings->list[i].value);
	}
}

static void expect_same(const struct options *a, const struct options *b)
{
	for (unsigned int i = 0; option_row(i); i++)
		REQUIRE(settings_are_same(&a->settings, &b->settings, i), "%s", option_row(i)->name);
}

static void check_renewal(const struct options *options)
{
	struct buf messages = {0}, restart = {0};
	struct options renewed;
	struct error err = {""};
	int code = config_renew(options, &renewed, &messages, &restart, &err);

	REQUIRE(code == 0, "%d: %s", code, err.text);
	REQUIRE(restart.len == 0, "%.*s", (int)restart.len, restart.data);
	expect_same(options, &renewed);
	options_finish(&renewed);
	buf_finish(&messages);
	buf_finish(&restart);
}

static bool has_both(const struct settings *settings, const char *name, const char *other)
{
	unsigned int place, other_place;

	option_find(name, &place);
	option_find(other, &other_place);
	return settings_find(settings, place) && settings_find(settings, other_place);
}

static void check_written_again(char **argv, const struct options *options)
{
	struct options again;
	struct buf out = {0};

	/* One file has no place for both. */
	if (has_both(&options->settings, "follow", "no-follow"))
		return;
	for (unsigned int i = 0; option_row(i); i++)
		append_option(&options->settings, i, &out);
	write_file(folder.main_path, out.data ? out.data : "", out.len);
	REQUIRE(load(argv, &again) == 0, "%.*s", (int)out.len, out.data ? out.data : "");
	expect_same(options, &again);
	options_finish(&again);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[] = {"agent", "--config", folder.main_path, NULL};
	const uint8_t *nul = memchr(data, '\0', size);
	size_t first = nul ? (size_t)(nul - data) : size;
	struct options options;

	make_folder();
	write_file(folder.main_path, (const char *)data, first);
	write_file(folder.other_path, nul ? (const char *)nul + 1 : "", nul ? size - first - 1 : 0);
	if (load(argv, &options) == 0) {
		check_renewal(&options);
		check_written_again(argv, &options);
	}
	options_finish(&options);
	return 0;
}
